/* SPDX-License-Identifier: MIT */
/*
 * The part of HIP that BLAS calls, over the drop-in: one device, and kernels
 * that are waited for where they are launched.
 */
#include "dropin/blas/hip_calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/aql.h"
#include "common/ring.h"
#include "dropin/hsa/base/hsa.h"

typedef struct function {
  uint64_t object;
  uint32_t kernarg, group, private_bytes;
} function;

typedef struct module {
  hsa_executable_t executable;
  function functions[64];
  int count;
} module;

#define MUST(call)                                                             \
  do {                                                                         \
    const int status_ = (int)(call);                                           \
    if (status_ != 0) {                                                        \
      printf("Bail out! %s: %#x\n", #call, (unsigned)status_);                 \
      exit(1);                                                                 \
    }                                                                          \
  } while (0)

static hsa_agent_t device;
static hsa_amd_memory_pool_t memory, kernargs;
static hsa_queue_t *queue;
static char processor[64];

static hsa_status_t pool_note(hsa_amd_memory_pool_t pool, void *data)
{
  uint32_t flags = 0, segment;
  MUST(hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT,
                                    &segment));
  if (segment == HSA_REGION_SEGMENT_GLOBAL)
    MUST(hsa_amd_memory_pool_get_info(
        pool, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS, &flags));
  if (flags & (data == &memory ? HSA_REGION_GLOBAL_FLAG_COARSE_GRAINED
                               : HSA_REGION_GLOBAL_FLAG_KERNARG))
    *(hsa_amd_memory_pool_t *)data = pool;
  return HSA_STATUS_SUCCESS;
}

static hsa_status_t agent_note(hsa_agent_t agent, void *data)
{
  uint32_t type;
  (void)data;
  MUST(hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type));
  if (type != HSA_DEVICE_TYPE_CPU)
    device = agent;
  return hsa_amd_agent_iterate_memory_pools(
      agent, pool_note, type == HSA_DEVICE_TYPE_CPU ? &kernargs : &memory);
}

static void device_open(void)
{
  if (queue)
    return;
  MUST(hsa_init());
  MUST(hsa_iterate_agents(agent_note, NULL));
  MUST(hsa_agent_get_info(device, HSA_AGENT_INFO_NAME, processor));
  MUST(hsa_queue_create(device, 64, HSA_QUEUE_TYPE_MULTI, NULL, NULL,
                        UINT32_MAX, UINT32_MAX, &queue));
}

/* ---- memory ---- */

int hipMalloc(void **out, size_t bytes)
{
  device_open();
  return hsa_amd_memory_pool_allocate(memory, bytes, 0, out) !=
         HSA_STATUS_SUCCESS;
}

int hipFree(void *at)
{
  return hsa_amd_memory_pool_free(at) != HSA_STATUS_SUCCESS;
}

int hipMemcpy(void *to, const void *from, size_t bytes, int kind)
{
  (void)kind;
  return hsa_memory_copy(to, from, bytes) != HSA_STATUS_SUCCESS;
}

int hipMemcpyAsync(void *to, const void *from, size_t bytes, int kind,
                   void *stream)
{
  (void)stream;
  return hipMemcpy(to, from, bytes, kind);
}

int hipMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                size_t width, size_t height, int kind)
{
  int failed = 0;
  for (size_t i = 0; i < height && !failed; i++)
    failed = hipMemcpy((char *)to + i * to_pitch,
                       (const char *)from + i * from_pitch, width, kind);
  return failed;
}

int hipMemcpy2DAsync(void *to, size_t to_pitch, const void *from,
                     size_t from_pitch, size_t width, size_t height, int kind,
                     void *stream)
{
  (void)stream;
  return hipMemcpy2D(to, to_pitch, from, from_pitch, width, height, kind);
}

int hipMemsetAsync(void *at, int value, size_t bytes, void *stream)
{
  (void)stream;
  memset(at, value, bytes);
  return 0;
}

/* ---- the device and its streams ---- */

/* A second one can be current, and has nothing. */
static int current;

int hipGetDevice(int *out)
{
  device_open();
  *out = current;
  return 0;
}

int hipSetDevice(int number)
{
  enum { INVALID_DEVICE = 101 };
  if (number < 0 || number > 1)
    return INVALID_DEVICE;
  current = number;
  return 0;
}

int hipDeviceSynchronize(void)
{
  return 0;
}

int hipStreamCreate(void **out)
{
  *out = malloc(1);
  return *out == NULL;
}

int hipStreamDestroy(void *stream)
{
  free(stream);
  return 0;
}

int hipStreamSynchronize(void *stream)
{
  (void)stream;
  return 0;
}

/* ---- modules ---- */

static uint64_t word(const char *at)
{
  uint64_t value;
  memcpy(&value, at, sizeof value);
  return value;
}

/* The device's object in a bundle: its place and size are before its name. */
static const char *object_find(const char *bundle, uint64_t *size)
{
  static const char magic[] = "__CLANG_OFFLOAD_BUNDLE__";
  static const char prefix[] = "hipv4-amdgcn-amd-amdhsa--";
  const size_t skipped = sizeof prefix - 1;
  MUST(!(memcmp(bundle, magic, sizeof magic - 1) == 0));
  const char *at = bundle + sizeof magic - 1;
  uint64_t entries = word(at);
  for (at += 8; entries > 0; entries--) {
    const char *name = at + 24;
    const uint64_t length = word(at + 16);
    if (length == skipped + strlen(processor) &&
        memcmp(name, prefix, skipped) == 0 &&
        memcmp(name + skipped, processor, length - skipped) == 0) {
      *size = word(at + 8);
      return bundle + word(at);
    }
    at = name + length;
  }
  return NULL;
}

int hipModuleLoadData(void **out, const void *image)
{
  enum { NO_BINARY_FOR_GPU = 209 };
  hsa_code_object_reader_t reader;
  uint64_t size;
  device_open();
  const char *object = object_find(image, &size);
  if (!object)
    return NO_BINARY_FOR_GPU;
  module *m = calloc(1, sizeof *m);
  MUST(hsa_code_object_reader_create_from_memory(object, size, &reader));
  MUST(hsa_executable_create_alt(HSA_PROFILE_FULL,
                                 HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT, NULL,
                                 &m->executable));
  MUST(hsa_executable_load_agent_code_object(m->executable, device, reader,
                                             NULL, NULL));
  MUST(hsa_executable_freeze(m->executable, NULL));
  hsa_code_object_reader_destroy(reader);
  *out = m;
  return 0;
}

int hipModuleUnload(void *at)
{
  module *m = at;
  MUST(hsa_executable_destroy(m->executable));
  free(m);
  return 0;
}

int hipModuleGetFunction(void **out, void *at, const char *name)
{
  enum { NOT_FOUND = 500 };
  module *m = at;
  char full[100];
  hsa_executable_symbol_t symbol;
  function *f = &m->functions[m->count++];
  MUST(m->count > 64);
  snprintf(full, sizeof full, "%s.kd", name);
  if (hsa_executable_get_symbol_by_name(m->executable, full, &device,
                                        &symbol) != HSA_STATUS_SUCCESS)
    return NOT_FOUND;
  const struct {
    uint32_t what; /* HSA_EXECUTABLE_SYMBOL_INFO_ */
    void *out;
  } infos[] = {
      {HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, &f->object},
      {HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE, &f->kernarg},
      {HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE, &f->group},
      {HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE,
       &f->private_bytes}};
  for (size_t i = 0; i < sizeof infos / sizeof *infos; i++)
    MUST(hsa_executable_symbol_get_info(symbol, infos[i].what, infos[i].out));
  *out = f;
  return 0;
}

static void packet_submit(const aq_packet *packet)
{
  const uint64_t id = hsa_queue_add_write_index_screlease(queue, 1);
  aq_packet *slot = (aq_packet *)queue->base + (id & (queue->size - 1));
  const uint16_t header = aq_packet_header(AQ_PACKET_KERNEL_DISPATCH, 1,
                                           AQ_SCOPE_SYSTEM, AQ_SCOPE_SYSTEM);
  *slot = *packet; /* its type is still invalid */
  aq_packet_publish(slot, header, packet->setup);
  hsa_signal_store_screlease(queue->doorbell, (int64_t)id);
}

int hipModuleLaunchKernel(void *at, unsigned grid_x, unsigned grid_y,
                          unsigned grid_z, unsigned block_x, unsigned block_y,
                          unsigned block_z, unsigned shared_bytes, void *stream,
                          void **params, void **extra)
{
  const function *f = at;
  void *kernarg;
  (void)stream;
  MUST(params != NULL);
  MUST(shared_bytes != 0);
  /* Pairs: 1 and the arguments, 2 and a pointer to their size; 3 ends them. */
  MUST((uintptr_t)extra[0] != 1);
  MUST((uintptr_t)extra[2] != 2);
  MUST((uintptr_t)extra[4] != 3);
  MUST(*(size_t *)extra[3] != f->kernarg);
  MUST(hsa_amd_memory_pool_allocate(kernargs, f->kernarg, 0, &kernarg));
  memcpy(kernarg, extra[1], f->kernarg);
  hsa_signal_t done;
  MUST(hsa_signal_create(1, 0, NULL, &done));
  const aq_packet packet = {
      .kernel = {
          .setup = 3,
          .workgroup_size = {(uint16_t)block_x, (uint16_t)block_y,
                             (uint16_t)block_z},
          .grid_size = {grid_x * block_x, grid_y * block_y, grid_z * block_z},
          .private_segment_size = f->private_bytes,
          .group_segment_size = f->group,
          .kernel_object = f->object,
          .kernarg_address = (uint64_t)(uintptr_t)kernarg,
          .completion_signal = {done.handle}}};
  packet_submit(&packet);
  MUST(hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_EQ, 0, UINT64_MAX,
                                 HSA_WAIT_STATE_BLOCKED));
  MUST(hsa_signal_destroy(done));
  MUST(hsa_amd_memory_pool_free(kernarg));
  return 0;
}
