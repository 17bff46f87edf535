/* SPDX-License-Identifier: MIT */
/* The state of the runtime, for the files of this folder. */
#ifndef AQ_DROPIN_MLIR_CORE_H
#define AQ_DROPIN_MLIR_CORE_H

#include <pthread.h>

#include "common/spool.h"
#include "common/transports.h"
#include "dropin/mlir/records.h"
#include "dropin/mlir/runtime.h"
#include "gpu/hostcall/hostcall.h"
#include "queue/operations.h"

/* A queue of the transport that streams share, as HIP's do. */
enum { AQ_MLIR_QUEUES = 4 /* of a device */ };

typedef struct aq_mlir_queue {
  aq_queue *queue;
  aq_mlir_records records; /* of hardware; the simulator makes its own */
} aq_mlir_queue;

struct aq_mlir_stream {
  aq_mlir_stream *next; /* of all, in use or not */
  uint32_t device;
  aq_mlir_queue *q;
  aq_semaphore *done; /* at `value` when all its operations have ended */
  uint64_t value;
  bool used;
};

/* Operations of a stream so far; NULL: there is nothing to wait for. Streams
 * live as long as the runtime. */
typedef struct aq_mlir_mark {
  aq_mlir_stream *stream;
  uint64_t value;
} aq_mlir_mark;

struct aq_mlir_event {
  aq_mlir_event *next;
  aq_mlir_mark mark;
};

/* Memory of the transport, or registered memory of the host. */
typedef struct aq_mlir_range {
  char *address;
  void *there; /* its address on devices */
  uint64_t size;
  uint32_t device;
  bool host;       /* the host reaches it too */
  uint32_t owners; /* registrations; 0: the transport's */
} aq_mlir_range;

/* Memory that is freed when the mark is reached. */
typedef struct aq_mlir_free {
  void *address;
  aq_mlir_mark mark;
} aq_mlir_free;

typedef struct aq_mlir_device {
  aq_mlir_queue queues[AQ_MLIR_QUEUES];
  uint32_t queue_count, next_queue;
  aq_mlir_stream *own; /* of the operations without a stream */
} aq_mlir_device;

struct aq_mlir {
  pthread_mutex_t lock;
  aq_transport_stack *stack;
  aq_transport *t; /* NULL: it is not open */
  aq_transport_info info;
  bool live, hardware; /* several threads; without our executor */
  aq_hostcall *hostcall;
  aq_context *context;
  pthread_mutex_t event_lock; /* no event reaches a context that goes */
  aq_mlir_device *devices;
  aq_mlir_stream *streams;
  aq_mlir_event *events;
  aq_mlir_module *modules;
  aq_mlir_range *ranges; /* by address */
  size_t range_count, range_capacity;
  aq_mlir_free *frees;
  size_t free_count, free_capacity;
  aq_spool *spool;
  bool profile_isa;
};

/* ---- streams.c ---- */

/* The stream of an operation: `stream`, checked; of NULL, the device's own,
 * after a wait for all others. */
aq_status aq_mlir_stream_enter(aq_mlir *mlir, aq_mlir_stream *stream,
                               uint32_t device, aq_mlir_stream **out,
                               aq_diag *diag);

/* The point that the next operation of a stream signals. */
aq_point aq_mlir_stream_next(const aq_mlir_stream *stream);

/* The operation with that point was submitted, or not (`status`, which it
 * returns); one without a stream (`asked` NULL) is waited for. */
aq_status aq_mlir_stream_leave(aq_mlir *mlir, aq_mlir_stream *stream,
                               const aq_mlir_stream *asked, aq_status status,
                               aq_diag *diag);

/* Where the transport makes no rows of its own; NULL: nowhere. */
aq_record_sink *aq_mlir_rows(const aq_mlir *mlir);

aq_status aq_mlir_mark_wait(aq_mlir *mlir, aq_mlir_mark mark, aq_diag *diag);
aq_status aq_mlir_all_wait(aq_mlir *mlir, aq_diag *diag);
/* Also ends all queues. The error is that of a row that was lost. */
aq_status aq_mlir_streams_fini(aq_mlir *mlir, aq_diag *diag);

/* ---- memory.c, modules.c ---- */

void aq_mlir_memory_fini(aq_mlir *mlir);
void aq_mlir_modules_fini(aq_mlir *mlir);

#endif
