/* SPDX-License-Identifier: MIT */
/*
 * The functions that code lowered by MLIR's gpu-to-llvm calls, by the names and
 * types of MLIR's own ROCm runtime. The first call opens the runtime as the
 * environment says. An error ends the program with one line: its exit code is 2
 * where the program or its input is wrong, else 1.
 */
#include "config.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dropin/mlir/runtime.h"

#define MGPU __attribute__((visibility("default")))

/* ---- the runtime of this process ---- */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static aq_mlir *runtime; /* NULL: not open, or closed */
static pid_t owner;      /* a forked child has none of it */
static _Thread_local uint32_t default_device;

/* The program is in the middle of a call: its own destructors are left out. */
static _Noreturn void die(aq_status status, const aq_diag *diag)
{
  const bool input = status == AQ_ERR_INPUT || status == AQ_ERR_INVALID ||
                     status == AQ_ERR_NOT_FOUND || status == AQ_ERR_UNSUPPORTED;
  fflush(NULL);
  fprintf(stderr, "aqueduct: error: %s\n", diag->text);
  _exit(input ? 2 : 1);
}

static uint64_t seed_read(void)
{
  const char *text = getenv("AQUEDUCT_SEED");
  char *end;
  const uint64_t seed = text ? strtoull(text, &end, 0) : 0;
  if (text && (end == text || *end)) {
    aq_diag diag = AQ_DIAG_INIT;
    die(aq_diag_set(&diag, AQ_ERR_INPUT,
                    "AQUEDUCT_SEED=%s: expected a whole number", text),
        &diag);
  }
  return seed;
}

static void runtime_open(void)
{
  const char *folder = getenv("AQUEDUCT_MLIR_SPOOL");
  const char *transport = getenv("AQUEDUCT_TRANSPORT");
  const char *profile = getenv("AQUEDUCT_PROFILE_ISA");
  aq_diag diag = AQ_DIAG_INIT;
  char *spool = NULL;
  owner = getpid();
  if (folder && *folder &&
      asprintf(&spool, "%s/%ld.spool", folder, (long)owner) < 0)
    die(aq_diag_no_memory(&diag), &diag);
  const aq_mlir_options options = {
      .transport = transport && *transport ? transport : "sim",
      .device = getenv("AQUEDUCT_DEVICE"),
      .edits = getenv("AQUEDUCT_SET"),
      .seed = seed_read(),
      .spool = spool,
      .rows = getenv("AQUEDUCT_RECORD"),
      .rows_limit = getenv("AQUEDUCT_RECORD_LIMIT"),
      .profile_isa = profile && *profile,
      .out = stdout};
  aq_status status = aq_mlir_open(&options, &runtime, &diag);
  free(spool);
  if (status != AQ_OK)
    die(status, &diag);
}

/* Work that nothing waited for may have failed. */
__attribute__((destructor)) static void runtime_close(void)
{
  aq_diag diag = AQ_DIAG_INIT;
  aq_mlir *closing = runtime;
  runtime = NULL;
  if (!closing || owner != getpid())
    return;
  aq_status status = aq_mlir_close(closing, &diag);
  if (status != AQ_OK)
    die(status, &diag);
}

static aq_mlir *enter(void)
{
  aq_diag diag = AQ_DIAG_INIT;
  pthread_once(&once, runtime_open);
  if (!runtime || owner != getpid())
    die(aq_diag_set(&diag, AQ_ERR_INVALID,
                    runtime ? "a forked process has no GPU runtime"
                            : "the GPU runtime has ended"),
        &diag);
  aq_mlir_lock(runtime);
  return runtime;
}

static void leave(aq_mlir *m, aq_status status, const aq_diag *diag)
{
  aq_mlir_unlock(m);
  if (status != AQ_OK)
    die(status, diag);
}

/* Calls a function of the runtime that takes ARGS and a diagnostic. */
#define CALL(function, ...)                                                    \
  do {                                                                         \
    aq_diag diag_ = AQ_DIAG_INIT;                                              \
    aq_mlir *m_ = enter();                                                     \
    leave(m_, function(m_, __VA_ARGS__, &diag_), &diag_);                      \
  } while (0)

/* ---- modules ---- */

MGPU aq_mlir_module *mgpuModuleLoad(const void *data, size_t size);
MGPU aq_mlir_module *mgpuModuleLoad(const void *data, size_t size)
{
  aq_mlir_module *module = NULL;
  CALL(aq_mlir_module_load, default_device, data, size, &module);
  return module;
}

/* `data` is assembly, which ends with a zero byte. */
MGPU aq_mlir_module *mgpuModuleLoadJIT(const char *data, int level);
MGPU aq_mlir_module *mgpuModuleLoadJIT(const char *data, int level)
{
  aq_mlir_module *module = NULL;
  CALL(aq_mlir_module_compile, default_device, data, level, &module);
  return module;
}

MGPU void mgpuModuleUnload(aq_mlir_module *module);
MGPU void mgpuModuleUnload(aq_mlir_module *module)
{
  if (runtime) /* unloading may come after the end of all */
    CALL(aq_mlir_module_unload, module);
}

MGPU aq_mlir_function *mgpuModuleGetFunction(aq_mlir_module *module,
                                             const char *name);
MGPU aq_mlir_function *mgpuModuleGetFunction(aq_mlir_module *module,
                                             const char *name)
{
  aq_mlir_function *function = NULL;
  CALL(aq_mlir_function_find, module, name, &function);
  return function;
}

/* "extra" is HIP's other way to pass arguments, which MLIR does not use. */
static aq_status extra_refuse(const aq_mlir *m, void **extra, aq_diag *diag)
{
  (void)m;
  return extra ? aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                             "mgpuLaunchKernel: arguments in `extra`; expected "
                             "them in `params`")
               : AQ_OK;
}

MGPU void mgpuLaunchKernel(aq_mlir_function *function, intptr_t grid_x,
                           intptr_t grid_y, intptr_t grid_z, intptr_t block_x,
                           intptr_t block_y, intptr_t block_z, int32_t smem,
                           aq_mlir_stream *stream, void **params, void **extra,
                           size_t params_count);
MGPU void mgpuLaunchKernel(aq_mlir_function *function, intptr_t grid_x,
                           intptr_t grid_y, intptr_t grid_z, intptr_t block_x,
                           intptr_t block_y, intptr_t block_z, int32_t smem,
                           aq_mlir_stream *stream, void **params, void **extra,
                           size_t params_count)
{
  const aq_mlir_launch launch = {.blocks = {grid_x, grid_y, grid_z},
                                 .threads = {block_x, block_y, block_z},
                                 .lds = smem,
                                 .params = params,
                                 .param_count = params_count};
  CALL(extra_refuse, extra);
  CALL(aq_mlir_launch_submit, function, &launch, stream);
}

/* ---- streams and events ---- */

MGPU aq_mlir_stream *mgpuStreamCreate(void);
MGPU aq_mlir_stream *mgpuStreamCreate(void)
{
  aq_mlir_stream *stream = NULL;
  CALL(aq_mlir_stream_create, default_device, &stream);
  return stream;
}

MGPU void mgpuStreamDestroy(aq_mlir_stream *stream);
MGPU void mgpuStreamDestroy(aq_mlir_stream *stream)
{
  CALL(aq_mlir_stream_destroy, stream);
}

MGPU void mgpuStreamSynchronize(aq_mlir_stream *stream);
MGPU void mgpuStreamSynchronize(aq_mlir_stream *stream)
{
  CALL(aq_mlir_stream_wait, stream);
}

MGPU void mgpuStreamWaitEvent(aq_mlir_stream *stream, aq_mlir_event *event);
MGPU void mgpuStreamWaitEvent(aq_mlir_stream *stream, aq_mlir_event *event)
{
  CALL(aq_mlir_stream_wait_event, stream, event);
}

MGPU aq_mlir_event *mgpuEventCreate(void);
MGPU aq_mlir_event *mgpuEventCreate(void)
{
  aq_mlir_event *event = NULL;
  CALL(aq_mlir_event_create, &event);
  return event;
}

MGPU void mgpuEventDestroy(aq_mlir_event *event);
MGPU void mgpuEventDestroy(aq_mlir_event *event)
{
  CALL(aq_mlir_event_destroy, event);
}

MGPU void mgpuEventSynchronize(aq_mlir_event *event);
MGPU void mgpuEventSynchronize(aq_mlir_event *event)
{
  CALL(aq_mlir_event_wait, event);
}

MGPU void mgpuEventRecord(aq_mlir_event *event, aq_mlir_stream *stream);
MGPU void mgpuEventRecord(aq_mlir_event *event, aq_mlir_stream *stream)
{
  CALL(aq_mlir_event_record, event, stream);
}

/* ---- memory ---- */

MGPU void *mgpuMemAlloc(uint64_t size, aq_mlir_stream *stream, bool shared);
MGPU void *mgpuMemAlloc(uint64_t size, aq_mlir_stream *stream, bool shared)
{
  void *address = NULL;
  (void)stream; /* the memory is there at once */
  CALL(aq_mlir_memory_alloc, default_device, size, shared, &address);
  return address;
}

MGPU void mgpuMemFree(void *address, aq_mlir_stream *stream);
MGPU void mgpuMemFree(void *address, aq_mlir_stream *stream)
{
  CALL(aq_mlir_memory_free, address, stream);
}

MGPU void mgpuMemcpy(void *to, void *from, size_t size, aq_mlir_stream *stream);
MGPU void mgpuMemcpy(void *to, void *from, size_t size, aq_mlir_stream *stream)
{
  CALL(aq_mlir_copy, to, from, size, stream);
}

MGPU void mgpuMemset32(void *to, unsigned int value, size_t count,
                       aq_mlir_stream *stream);
MGPU void mgpuMemset32(void *to, unsigned int value, size_t count,
                       aq_mlir_stream *stream)
{
  CALL(aq_mlir_fill, to, value, 4, count, stream);
}

MGPU void mgpuMemset16(void *to, unsigned short value, size_t count,
                       aq_mlir_stream *stream);
MGPU void mgpuMemset16(void *to, unsigned short value, size_t count,
                       aq_mlir_stream *stream)
{
  CALL(aq_mlir_fill, to, value, 2, count, stream);
}

MGPU void mgpuMemHostRegister(void *address, uint64_t size);
MGPU void mgpuMemHostRegister(void *address, uint64_t size)
{
  CALL(aq_mlir_register, address, size);
}

MGPU void mgpuMemHostUnregister(void *address);
MGPU void mgpuMemHostUnregister(void *address)
{
  CALL(aq_mlir_unregister, address);
}

/* MLIR's descriptor of a memref; `rank` sizes, then `rank` strides follow. */
typedef struct memref {
  char *allocated, *aligned;
  int64_t offset;
  int64_t rest[];
} memref;

typedef struct memref_1d {
  void *allocated, *aligned;
  int64_t offset, size, stride;
} memref_1d;

/* Bytes from the first element to behind the last one; 0: it has none. */
static aq_status memref_extent(const aq_mlir *m, int64_t rank, const memref *d,
                               int64_t element, uint64_t *out, aq_diag *diag)
{
  int64_t last = 0; /* elements */
  bool fits = rank >= 0 && element > 0;
  (void)m;
  *out = 0;
  for (int64_t i = 0; i < rank && fits; i++) {
    const int64_t size = d->rest[i], stride = d->rest[rank + i];
    int64_t span;
    if (size == 0)
      return AQ_OK;
    fits = size > 0 && stride >= 0 &&
           !__builtin_mul_overflow(size - 1, stride, &span) &&
           !__builtin_add_overflow(last, span, &last);
  }
  if (!fits || last >= INT64_MAX / element)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "gpu.host_register: a memref of rank %" PRId64
                       " with a size or stride that is negative or too large",
                       rank);
  *out = (uint64_t)((last + 1) * element);
  return AQ_OK;
}

MGPU void mgpuMemHostRegisterMemRef(int64_t rank, memref *descriptor,
                                    int64_t element_size);
MGPU void mgpuMemHostRegisterMemRef(int64_t rank, memref *descriptor,
                                    int64_t element_size)
{
  uint64_t size = 0;
  CALL(memref_extent, rank, descriptor, element_size, &size);
  CALL(aq_mlir_register,
       descriptor->aligned + descriptor->offset * element_size, size);
}

MGPU void mgpuMemHostUnregisterMemRef(int64_t rank, memref *descriptor,
                                      int64_t element_size);
MGPU void mgpuMemHostUnregisterMemRef(int64_t rank, memref *descriptor,
                                      int64_t element_size)
{
  uint64_t size = 0;
  CALL(memref_extent, rank, descriptor, element_size, &size);
  if (size > 0)
    CALL(aq_mlir_unregister,
         descriptor->aligned + descriptor->offset * element_size);
}

/* The memref of registered memory, as kernels get it. */
static memref_1d device_memref(void *aligned, int64_t offset, int64_t size,
                               int64_t stride)
{
  void *address = aligned;
  if (size > 0)
    CALL(aq_mlir_device_address, aligned, &address);
  return (memref_1d){address, address, offset, size, stride};
}

MGPU memref_1d mgpuMemGetDeviceMemRef1dFloat(float *allocated, float *aligned,
                                             int64_t offset, int64_t size,
                                             int64_t stride);
MGPU memref_1d mgpuMemGetDeviceMemRef1dFloat(float *allocated, float *aligned,
                                             int64_t offset, int64_t size,
                                             int64_t stride)
{
  (void)allocated;
  return device_memref(aligned, offset, size, stride);
}

MGPU memref_1d mgpuMemGetDeviceMemRef1dInt32(int32_t *allocated,
                                             int32_t *aligned, int64_t offset,
                                             int64_t size, int64_t stride);
MGPU memref_1d mgpuMemGetDeviceMemRef1dInt32(int32_t *allocated,
                                             int32_t *aligned, int64_t offset,
                                             int64_t size, int64_t stride)
{
  (void)allocated;
  return device_memref(aligned, offset, size, stride);
}

static aq_status device_set(const aq_mlir *m, int32_t device, aq_diag *diag)
{
  const uint32_t count = aq_mlir_device_count(m);
  if (device < 0 || (uint32_t)device >= count)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "device %" PRId32 "; there are %" PRIu32
                       ", counted from 0",
                       device, count);
  default_device = (uint32_t)device;
  return AQ_OK;
}

MGPU void mgpuSetDefaultDevice(int32_t device);
MGPU void mgpuSetDefaultDevice(int32_t device)
{
  CALL(device_set, device);
}
