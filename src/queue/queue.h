/* SPDX-License-Identifier: MIT */
/*
 * The host queue: everything that a runtime submits to one hardware queue.
 *
 * An operation waits for points of semaphores, does something, and signals
 * points. Order: the operations of a queue run one after the other, in the
 * order of submission; one that has to wait holds back those behind it.
 * Different queues know of each other only through semaphores.
 *
 * Epochs: each operation that reaches the ring is an epoch of its queue, a
 * program that does not fit into it at once is several. When an epoch is
 * complete its resources are released and its semaphores signalled; that
 * happens in calls of this API, or through a handler when a thread waits.
 *
 * Room: an operation either gets all the room it needs, ring slots, kernel
 * arguments, notifications, or nothing is taken. AQ_SYNC_TRY and
 * AQ_SYNC_DEFER decide the outcome then; without them the call waits.
 *
 * Errors: a queue whose device stopped fails everything pending, and every
 * later operation, with the cause. An operation that waits for a failed
 * semaphore fails, and only that.
 *
 * Thread rule: any number of threads may submit where the transport is live,
 * else the one that drives it. Callbacks may make the same calls as callbacks
 * of semaphore.h.
 * Ownership: the queue owns its ring; the context has to outlive it.
 */
#ifndef AQ_QUEUE_QUEUE_H
#define AQ_QUEUE_QUEUE_H

#include "cmdbuf/link.h"
#include "common/export.h"
#include "queue/semaphore.h"

AQ_BEGIN_DECLS

typedef struct aq_queue aq_queue;

/* What queues do. */
typedef enum aq_operation {
  AQ_OPERATION_NONE,
#define OP(NAME, name) AQ_OPERATION_##NAME,
#include "queue/operations.def"
#undef OP
  AQ_OPERATION_COUNT
} aq_operation;

/* "host call" and so on; NULL for NONE and outside of the enumeration. */
AQ_API const char *aq_operation_name(aq_operation operation);

/* What became of one operation, told when its last epoch is retired. */
typedef struct aq_operation_report {
  aq_operation operation;
  const char *what;         /* its name: "dispatch" */
  uint64_t first, packets;  /* ids in the ring; a later part's may lie apart */
  aq_time begin, submitted; /* the host called, and had put everything */
  aq_time retired;          /* the host had seen it complete */
  aq_time start, end; /* device time from its first packet that is no edge to
                         its last one, AQ_TIME_NONE unless the queue is
                         profiled */
  uint32_t depth;     /* epochs in flight when it was put */
  uint32_t rules;     /* bits 1 << aq_wait_rule that its waits fell under */
  aq_status status;
  uint64_t number; /* of the context's operations, as they were submitted */
} aq_operation_report;

typedef struct aq_queue_options {
  uint32_t size_of; /* sizeof(aq_queue_options) of the caller */
  uint32_t device;  /* ordinal of the transport; not with a logical device */
  uint32_t size;    /* packets, a power of two; 0: 4096, or what there is */
  uint64_t kernarg_size;  /* bytes, a power of two; 0: 128 a packet */
  uint32_t notifications; /* entries, a power of two; 0: 1024 */
  uint32_t parked;        /* operations that wait outside of the ring at most;
                             0: 1024 */
  /* With a logical device: where it may be; of the mask's places it takes the
   * one with the fewest queues of the context. 0: any. */
  aq_queue_affinity affinity;
  bool profile; /* reports have device times; AQ_CAP_PROFILING */
  void (*report)(const aq_operation_report *report, void *user); /* or NULL */
  void *user;
  int32_t priority; /* -1 low, 0 normal, 1 high; AQ_CAP_PRIORITY unless 0 */
  /* The compute units that its kernels may use, a bit each, exactly; NULL: all.
   * AQ_CAP_CU_MASK. Borrowed for the call. */
  const uint32_t *cu_mask;
  uint32_t cu_mask_bits; /* of the mask, a multiple of 32 */
  uint32_t unused;       /* the padding of older callers */
  /* The workgroups of a launch run all at once, and may wait for each other: a
   * larger grid is refused. A device has one such queue; it takes no command
   * buffers and no mask. AQ_CAP_COOPERATIVE. */
  bool cooperative;
} aq_queue_options;

/* Opens an AQL queue of the transport. AQ_ERR_INVALID: an option that is no
 * power of two, a device or compute unit that is not there, or a mask that the
 * device narrows; AQ_ERR_RESOURCES: the device has no queue left;
 * AQ_ERR_UNSUPPORTED: its transport has no priorities, masks or cooperative
 * queues. */
AQ_API aq_status aq_queue_create(aq_context *context,
                                 const aq_queue_options *options,
                                 aq_queue **out, aq_diag *diag);

/* Waits for pending operations; those unable to complete fail. NULL is allowed.
 */
AQ_API void aq_queue_destroy(aq_queue *queue);

/* ---- operations ---- */

enum aq_sync_flag {
  AQ_SYNC_TRY = 1 << 0,   /* no room now: AQ_ERR_AGAIN, nothing happened */
  AQ_SYNC_DEFER = 1 << 1, /* no room now: done later, the call returns */
  AQ_SYNC_PARK = AQ_SYNC_DEFER, /* old name of it */
  AQ_SYNC_MORE = 1 << 2, /* no doorbell: another operation or a flush follows */
};

/* Around an operation. The arrays are borrowed for the call. */
typedef struct aq_sync {
  const aq_point *waits;
  uint32_t wait_count;
  const aq_point *signals;
  uint32_t signal_count;
  uint32_t flags; /* aq_sync_flag bits */
  /* Called once when the operation and its signals have ended or failed:
   * releases the objects it retained. May be NULL. */
  void (*release)(aq_status status, void *user);
  void *user;
} aq_sync;

/* sync may be NULL for all of them. AQ_OK: it is under way, or an awaited
 * semaphore has failed it; its signals and `release` report. Anything else:
 * nothing happened, and `release` is not called. */

/* Everything before it in the queue, and nothing else. */
AQ_API aq_status aq_queue_barrier(aq_queue *queue, const aq_sync *sync,
                                  aq_diag *diag);

typedef struct aq_launch {
  uint64_t object;       /* of the kernel */
  uint32_t grid[3];      /* work-items, none 0 */
  uint16_t workgroup[3]; /* work-items, none 0 */
  uint32_t group_size;   /* bytes a workgroup */
  uint32_t private_size; /* bytes a work-item */
  const void *kernargs;  /* copied */
  uint32_t kernarg_size; /* bytes */
} aq_launch;

/* Launches a kernel. AQ_ERR_INVALID: the launch gives it less memory or another
 * workgroup than it needs, as far as the transport knows the kernel, or has
 * more workgroups than the device of a cooperative queue holds at once
 * (cmdbuf/kernel_occupancy.h). AQ_ERR_UNSUPPORTED: how many it holds is not
 * known. */
AQ_API aq_status aq_queue_dispatch(aq_queue *queue, const aq_sync *sync,
                                   const aq_launch *launch, aq_diag *diag);

/* A command buffer: a linked program with buffers for its slots. The link has
 * to stay until the operation ends; the table is copied if it is needed
 * beyond the call. */
typedef struct aq_execution {
  const aq_link *link;
  const aq_binding *bindings; /* by slot */
  uint32_t binding_count;
  uint32_t flags; /* aq_execution_flag bits */
} aq_execution;

enum aq_execution_flag {
  /* A kernel on the device puts the program's packets into the ring: conditions
   * and indirect grids take no round trip to the host, and may lie where only
   * the device reaches. The program needs a link of aq_link_create. Conditions
   * and indirect grids choose it where the buffers lie in memory that is hidden
   * from the host. */
  AQ_EXECUTE_ON_DEVICE = 1 << 0,
  /* The program becomes commands of the device's command processor, which a
   * packet for each part names: a PM4 indirect buffer. Not with the other. */
  AQ_EXECUTE_PM4 = 1 << 1,
};

/* Submits a command buffer. AQ_ERR_UNSUPPORTED: the device cannot walk it, a
 * kernel of it needs what PM4 commands do not give it, or the queue is
 * cooperative. */
AQ_API aq_status aq_queue_execute(aq_queue *queue, const aq_sync *sync,
                                  const aq_execution *execution, aq_diag *diag);

/* Rings for what AQ_SYNC_MORE held back. */
AQ_API void aq_queue_flush(aq_queue *queue);

/* Retires complete epochs. Never waits. */
AQ_API void aq_queue_poll(aq_queue *queue);

/* Waits until nothing is pending. */
AQ_API aq_status aq_queue_wait_idle(aq_queue *queue, aq_time deadline,
                                    aq_diag *diag);

/* ---- statistics ---- */

/* How a wait was met, in the order in which it is tried. */
typedef enum aq_wait_rule {
  AQ_WAIT_COMPLETE,      /* 0: the value was reached already */
  AQ_WAIT_SAME_QUEUE,    /* 1a: this queue signals it */
  AQ_WAIT_DOMINATED,     /* 1b: this queue has waited for that epoch, or for
                            one that had */
  AQ_WAIT_ALL_DOMINATED, /* 1c: for everything that signals the semaphore */
  AQ_WAIT_ONE_EDGE,      /* 2a: one edge to the producer's epoch */
  AQ_WAIT_MANY_EDGES,    /* 2b: an edge for each axis not dominated */
  AQ_WAIT_DEFERRED,      /* 3: the host waits, then submits */
  AQ_WAIT_RULES
} aq_wait_rule;

/* "0", "1a" and so on. */
AQ_API const char *aq_wait_rule_name(aq_wait_rule rule);

/* The mover of the bytes of a fill, copy or update. */
typedef enum aq_copy_way {
  AQ_COPY_CHOOSE, /* by path and size, of the device's means */
  AQ_COPY_KERNEL, /* a builtin kernel on the queue */
  AQ_COPY_ENGINE, /* a DMA engine; copies only */
  AQ_COPY_HOST,   /* the host, which has to reach the memory */
  AQ_COPY_WAY_COUNT
} aq_copy_way;

typedef struct aq_queue_stats {
  uint64_t operations, epochs, packets, doorbells;
  uint64_t rules[AQ_WAIT_RULES];      /* waits by rule */
  uint64_t edge_packets;              /* of them for other queues' epochs */
  uint64_t parked;                    /* operations that did not go at once */
  uint64_t failed;                    /* epochs */
  uint64_t kinds[AQ_OPERATION_COUNT]; /* operations by kind */
  uint64_t bytes; /* that fills, copies, updates, reads and writes moved */
  uint64_t copies[AQ_COPY_WAY_COUNT]; /* fills, copies and updates by way */
  uint64_t published;        /* host writes to device memory, flushed */
  uint32_t depth, depth_max; /* epochs in flight */
  bool publishing;           /* its frontier has not overflowed */
} aq_queue_stats;

/* As of the call, from any thread. */
AQ_API void aq_queue_stats_get(aq_queue *queue, aq_queue_stats *out);

/* An event of the transport, passed on by its opener (options.event): the
 * queue that a memory fault stopped fails. Where the transport does not name
 * it, or a copy engine met the fault, all queues of the device do. Any thread;
 * the opener ends such calls before it destroys the context. */
AQ_API void aq_context_event(aq_context *context, const aq_system_event *event);

/* The device that it is on, of the transport. */
AQ_API uint32_t aq_queue_device(const aq_queue *queue);

/* The ring, for readers of records; owned by the queue. */
AQ_API const aq_ring *aq_queue_ring(const aq_queue *queue);
AQ_API aq_context *aq_queue_context(const aq_queue *queue);

AQ_END_DECLS

#endif
