/* SPDX-License-Identifier: MIT */
/*
 * Dispatches kernels that go wrong, as test_bad_hip.sh asks: bad_client FILE,
 * with a line on standard input for each:
 *
 *   KERNEL POINTER NUMBER ITEMS LDS
 *
 * For each it prints a line: the kernel, "event REASONS" or "status CODE" of
 * the callback, or "done"; whether a good kernel then computes, on another
 * queue; and the queue's diagnosis. Compiled by the test, linked with the
 * drop-in.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "common/aql.h"
#include "common/hsa_sim.h"
#include "common/ring.h"
#include "dropin/hsa/base/hsa.h"

enum { PAGE = 4096, WORDS = 2048 };

#define MUST(call)                                                             \
  do {                                                                         \
    if ((call) != HSA_STATUS_SUCCESS) {                                        \
      fprintf(stderr, "bad_client: %s failed\n", #call);                       \
      exit(10);                                                                \
    }                                                                          \
  } while (0)

typedef struct kernel {
  uint64_t object;
  uint32_t group, private;
} kernel;

static hsa_agent_t device;
static hsa_amd_memory_pool_t pool;
static hsa_executable_t executable;
static aq_hsa_sim sim;
static struct {
  int events, errors; /* atomic */
  uint32_t reasons;
  hsa_status_t status;
} heard;

static hsa_status_t device_note(hsa_agent_t agent, void *data)
{
  uint32_t type = 0;
  hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type);
  if (type == HSA_DEVICE_TYPE_GPU)
    *(hsa_agent_t *)data = agent;
  return HSA_STATUS_SUCCESS;
}

static hsa_status_t pool_note(hsa_amd_memory_pool_t found, void *data)
{
  bool may = false;
  hsa_amd_memory_pool_get_info(
      found, HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALLOWED, &may);
  if (may)
    *(hsa_amd_memory_pool_t *)data = found;
  return HSA_STATUS_SUCCESS;
}

static hsa_status_t event_hear(const hsa_amd_event_t *event, void *data)
{
  (void)data;
  heard.reasons = event->reasons;
  __atomic_fetch_add(&heard.events, 1, __ATOMIC_RELEASE);
  return HSA_STATUS_SUCCESS;
}

static void error_hear(hsa_status_t status, hsa_queue_t *queue, void *data)
{
  (void)queue, (void)data;
  heard.status = status;
  __atomic_fetch_add(&heard.errors, 1, __ATOMIC_RELEASE);
}

static void open_all(const char *path)
{
  hsa_code_object_reader_t reader;
  FILE *file = fopen(path, "rb");
  if (!file)
    exit(11);
  MUST(hsa_init());
  MUST(hsa_iterate_agents(device_note, &device));
  MUST(hsa_amd_agent_iterate_memory_pools(device, pool_note, &pool));
  MUST(hsa_system_get_major_extension_table(
      AQ_HSA_EXTENSION_SIM, AQ_HSA_SIM_MAJOR, sizeof sim, &sim));
  MUST(hsa_amd_register_system_event_handler(event_hear, NULL));
  MUST(hsa_code_object_reader_create_from_file(fileno(file), &reader));
  MUST(hsa_executable_create_alt(HSA_PROFILE_BASE, 0, NULL, &executable));
  MUST(hsa_executable_load_agent_code_object(executable, device, reader, NULL,
                                             NULL));
  MUST(hsa_executable_freeze(executable, NULL));
  fclose(file);
}

static kernel kernel_find(const char *name)
{
  char symbol_name[128];
  hsa_executable_symbol_t symbol;
  kernel k;
  snprintf(symbol_name, sizeof symbol_name, "%s.kd", name);
  MUST(hsa_executable_get_symbol_by_name(executable, symbol_name, &device,
                                         &symbol));
  MUST(hsa_executable_symbol_get_info(
      symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, &k.object));
  MUST(hsa_executable_symbol_get_info(
      symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE, &k.group));
  MUST(hsa_executable_symbol_get_info(
      symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE,
      &k.private));
  return k;
}

static void *allocate(size_t size)
{
  void *memory;
  MUST(hsa_amd_memory_pool_allocate(pool, size, 0, &memory));
  memset(memory, 0, size);
  return memory;
}

/* A page of mapped memory with nothing beside it. */
static void *map(uint32_t permissions)
{
  char *va;
  hsa_amd_vmem_alloc_handle_t memory;
  const hsa_amd_memory_access_desc_t access = {permissions, device};
  MUST(hsa_amd_vmem_handle_create(pool, PAGE, 1, 0, &memory));
  MUST(hsa_amd_vmem_address_reserve((void **)(void *)&va, 3 * (size_t)PAGE, 0,
                                    0));
  va += PAGE;
  MUST(hsa_amd_vmem_map(va, PAGE, 0, memory, 0));
  MUST(hsa_amd_vmem_set_access(va, PAGE, &access, 1));
  return va;
}

static void *freed(void)
{
  void *memory = allocate(16 * (size_t)PAGE);
  MUST(hsa_amd_memory_pool_free(memory));
  return memory;
}

/* Locked memory of a file that was truncated since. */
static void *truncated(void)
{
  void *there;
  const int file = memfd_create("truncated", 0);
  if (file < 0 || ftruncate(file, PAGE))
    exit(12);
  void *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  MUST(hsa_amd_memory_lock(page, PAGE, &device, 1, &there));
  if (ftruncate(file, 0))
    exit(12);
  close(file);
  return there;
}

static void *pointer_of(const char *name)
{
  switch (*name) {
  case 'm':
    return map(HSA_ACCESS_PERMISSION_RW);
  case 'r':
    return map(HSA_ACCESS_PERMISSION_RO);
  case 'n':
    return map(HSA_ACCESS_PERMISSION_NONE);
  case 'f':
    return freed();
  case 'h':
    return calloc(1, PAGE);
  case 't':
    return truncated();
  case 'w':
    return (void *)0x123456789000;
  default:
    return NULL;
  }
}

/* Dispatches it on a queue of its own and waits for an end of some kind. */
static void dispatch(const char *name, const void *p, int n, uint32_t items,
                     uint32_t lds, bool arguments, char *words)
{
  const kernel k = kernel_find(name);
  hsa_queue_t *queue;
  hsa_signal_t done;
  char *kernarg = allocate(PAGE);
  memcpy(kernarg, &p, sizeof p);
  memcpy(kernarg + sizeof p, &n, sizeof n);
  heard.events = heard.errors = 0;
  MUST(hsa_signal_create(1, 0, NULL, &done));
  MUST(hsa_queue_create(device, 64, HSA_QUEUE_TYPE_MULTI, error_hear, NULL,
                        UINT32_MAX, UINT32_MAX, &queue));
  aq_packet packet = {
      .kernel = {.setup = 1,
                 .workgroup_size = {(uint16_t)items, 1, 1},
                 .grid_size = {items, 1, 1},
                 .group_segment_size = k.group + lds,
                 .private_segment_size = k.private,
                 .kernel_object = k.object,
                 .kernarg_address = arguments ? (uintptr_t)kernarg : 0,
                 .completion_signal = {done.handle}}};
  aq_packet *slot = queue->base;
  const uint16_t setup = packet.setup;
  packet.header = AQ_PACKET_INVALID;
  *slot = packet;
  aq_packet_publish(slot,
                    aq_packet_header(AQ_PACKET_KERNEL_DISPATCH, 1,
                                     AQ_SCOPE_SYSTEM, AQ_SCOPE_SYSTEM),
                    setup);
  hsa_queue_store_write_index_screlease(queue, 1);
  hsa_signal_store_screlease(queue->doorbell, 0);
  while (hsa_signal_load_scacquire(done) != 0 &&
         !__atomic_load_n(&heard.events, __ATOMIC_ACQUIRE) &&
         !__atomic_load_n(&heard.errors, __ATOMIC_ACQUIRE))
    nanosleep(&(struct timespec){0, 200000}, NULL);
  MUST(sim.queue_words(queue, WORDS, words));
  MUST(hsa_queue_destroy(queue));
  hsa_signal_destroy(done);
}

static bool good_computes(void)
{
  int *memory = allocate(PAGE);
  char words[WORDS];
  dispatch("good", memory, 0, 64, 0, true, words);
  return memory[0] == 1 && memory[63] == 1 && !heard.events && !heard.errors;
}

int main(int argc, char **argv)
{
  char name[64], pointer[16], words[WORDS];
  long long n;
  uint32_t items, lds;
  if (argc != 2)
    return 2;
  open_all(argv[1]);
  while (scanf("%63s %15s %lld %" SCNu32 " %" SCNu32, name, pointer, &n, &items,
               &lds) == 5) {
    dispatch(name, pointer_of(pointer), (int)n, items, lds,
             strcmp(pointer, "-") != 0, words);
    if (heard.events)
      printf("%s event %u", name, heard.reasons);
    else if (heard.errors)
      printf("%s status %#x", name, (unsigned)heard.status);
    else
      printf("%s done", name);
    printf(", good %s: %s\n", good_computes() ? "computes" : "fails", words);
    fflush(stdout);
  }
  MUST(hsa_shut_down());
  return 0;
}
