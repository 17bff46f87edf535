/* SPDX-License-Identifier: MIT */
/*
 * The runtime below the functions mgpu* that MLIR's GPU programs call: modules,
 * launches, streams, events and memory on host queues of one open transport.
 *
 * Order: the operations of a stream run one after the other; a NULL stream
 * waits for all streams of all devices, and its operations have ended when the
 * call returns. Copies and fills of a stream are asynchronous.
 *
 * Threads: any, one at a time: callers hold the runtime's lock around each
 * call. Functions that wait for a live transport release it meanwhile.
 *
 * Errors: a status and a line; a failed operation of a stream is the error of
 * the call that waits for it. Ownership: the runtime owns whatever it returns
 * until the function that ends it, or aq_mlir_close.
 */
#ifndef AQ_DROPIN_MLIR_RUNTIME_H
#define AQ_DROPIN_MLIR_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "common/diag.h"

typedef struct aq_mlir aq_mlir;
typedef struct aq_mlir_module aq_mlir_module;
typedef struct aq_mlir_function aq_mlir_function;
typedef struct aq_mlir_stream aq_mlir_stream;
typedef struct aq_mlir_event aq_mlir_event;

/* Texts are borrowed for the call. */
typedef struct aq_mlir_options {
  const char *transport; /* as aq_transport_stack_create takes it */
  const char *device;    /* device models; NULL: the transport's default */
  const char *edits;     /* "KEY=VALUE;KEY=VALUE" of the models, or NULL */
  uint64_t seed;
  const char *spool;      /* file for records, made by this; NULL: none */
  const char *rows;       /* aq_record_filter_read(); NULL: all */
  const char *rows_limit; /* the same */
  bool profile_isa;       /* counts instructions */
  FILE *out;              /* what kernels print; borrowed until close */
} aq_mlir_options;

aq_status aq_mlir_open(const aq_mlir_options *options, aq_mlir **out,
                       aq_diag *diag);

/* Waits for all streams, ends everything and the spool. It returns the error of
 * an operation that nothing had waited for. */
aq_status aq_mlir_close(aq_mlir *mlir, aq_diag *diag);

void aq_mlir_lock(aq_mlir *mlir);
void aq_mlir_unlock(aq_mlir *mlir);

uint32_t aq_mlir_device_count(const aq_mlir *mlir);

/* ---- modules ---- */

/* Loads the code for a device: a code object, or the part of an offload bundle
 * that fits. AQ_ERR_INPUT names the device and the targets that there are. */
aq_status aq_mlir_module_load(aq_mlir *mlir, uint32_t device, const void *bytes,
                              size_t size, aq_mlir_module **out, aq_diag *diag);

/* The same for assembly, which an installed clang compiles; `level` is that of
 * optimization. AQ_ERR_INPUT has its first error. */
aq_status aq_mlir_module_compile(aq_mlir *mlir, uint32_t device,
                                 const char *text, int level,
                                 aq_mlir_module **out, aq_diag *diag);

/* Waits for all streams first; its functions end with it. */
aq_status aq_mlir_module_unload(aq_mlir *mlir, aq_mlir_module *module,
                                aq_diag *diag);

/* The same function for the same name. AQ_ERR_INPUT names the kernels that
 * there are. */
aq_status aq_mlir_function_find(aq_mlir *mlir, aq_mlir_module *module,
                                const char *name, aq_mlir_function **out,
                                aq_diag *diag);

typedef struct aq_mlir_launch {
  int64_t blocks[3], threads[3];
  int64_t lds;         /* bytes of group segment besides the kernel's own */
  void *const *params; /* an address for each argument of the kernel */
  size_t param_count;
} aq_mlir_launch;

/* The code object's metadata has the sizes of arguments. */
aq_status aq_mlir_launch_submit(aq_mlir *mlir, aq_mlir_function *function,
                                const aq_mlir_launch *launch,
                                aq_mlir_stream *stream, aq_diag *diag);

/* ---- streams and events ---- */

aq_status aq_mlir_stream_create(aq_mlir *mlir, uint32_t device,
                                aq_mlir_stream **out, aq_diag *diag);
/* Does not wait: operations under way continue. */
aq_status aq_mlir_stream_destroy(aq_mlir *mlir, aq_mlir_stream *stream,
                                 aq_diag *diag);
/* Waits for its operations, events that it waits for included. */
aq_status aq_mlir_stream_wait(aq_mlir *mlir, aq_mlir_stream *stream,
                              aq_diag *diag);
aq_status aq_mlir_stream_wait_event(aq_mlir *mlir, aq_mlir_stream *stream,
                                    aq_mlir_event *event, aq_diag *diag);

/* An event that has not been recorded counts as complete. */
aq_status aq_mlir_event_create(aq_mlir *mlir, aq_mlir_event **out,
                               aq_diag *diag);
aq_status aq_mlir_event_destroy(aq_mlir *mlir, aq_mlir_event *event,
                                aq_diag *diag);
aq_status aq_mlir_event_record(aq_mlir *mlir, aq_mlir_event *event,
                               aq_mlir_stream *stream, aq_diag *diag);
aq_status aq_mlir_event_wait(aq_mlir *mlir, aq_mlir_event *event,
                             aq_diag *diag);

/* ---- memory ---- */

/* `shared`: of the host, which kernels reach. 0 bytes: NULL. */
aq_status aq_mlir_memory_alloc(aq_mlir *mlir, uint32_t device, uint64_t size,
                               bool shared, void **out, aq_diag *diag);

/* Frees once the stream's operations so far have ended. NULL is allowed. */
aq_status aq_mlir_memory_free(aq_mlir *mlir, void *address,
                              aq_mlir_stream *stream, aq_diag *diag);

/* Between memory of devices and of the host; registered or not. The host's is
 * left alone until the copy has ended. */
aq_status aq_mlir_copy(aq_mlir *mlir, void *to, const void *from, uint64_t size,
                       aq_mlir_stream *stream, aq_diag *diag);

/* `count` elements of `width` bytes, 2 or 4. */
aq_status aq_mlir_fill(aq_mlir *mlir, void *to, uint32_t value, uint32_t width,
                       uint64_t count, aq_mlir_stream *stream, aq_diag *diag);

/* Memory of the host that kernels get to reach. Ranges are counted: each
 * registration needs its own end. */
aq_status aq_mlir_register(aq_mlir *mlir, void *address, uint64_t size,
                           aq_diag *diag);
aq_status aq_mlir_unregister(aq_mlir *mlir, void *address, aq_diag *diag);

/* Where devices see an address of registered or shared memory. */
aq_status aq_mlir_device_address(aq_mlir *mlir, void *address, void **out,
                                 aq_diag *diag);

#endif
