/* SPDX-License-Identifier: MIT */
/*
 * Operations of the host queue beyond packets: memory, transfers, files, and
 * functions of the host. All of them take their turn in the queue, wait and
 * signal as queue.h says: the next operation in the queue starts when one has
 * ended. sync may be NULL.
 *
 * Status rule, as there: AQ_OK means that it is under way or has failed, which
 * its signals and `release` report; anything else that nothing happened.
 *
 * An operation that fails only while it runs (a file that ends, a host function
 * that returns an error) fails its signals, and everything that waits for
 * those. So the host waits for operations with a host part, never a device.
 */
#ifndef AQ_QUEUE_OPERATIONS_H
#define AQ_QUEUE_OPERATIONS_H

#include "common/export.h"
#include "common/memory_value.h"
#include "queue/queue.h"

AQ_BEGIN_DECLS

/* ---- memory ----
 *
 * Each device has a pool of the context. Freed memory stays with it and
 * is used again, in the order of the queues: a block whose dealloca is pending
 * is handed out at once, to operations that run after it.
 */

typedef struct aq_memory_request {
  aq_memory_kind kind;
  size_t size; /* bytes, not 0 */
} aq_memory_request;

/* The address is known at once; operations that run after this one may touch
 * the memory. No memory: the operation fails with AQ_ERR_NO_MEMORY and the
 * address is NULL. */
AQ_API aq_status aq_queue_alloca(aq_queue *queue, const aq_sync *sync,
                                 const aq_memory_request *request, void **out,
                                 aq_diag *diag);

/* Frees memory that alloca of any queue of the context made; only operations
 * that run before this one may touch it. When it fails, the memory is still
 * allocated. AQ_ERR_INVALID: the address is not allocated. */
AQ_API aq_status aq_queue_dealloca(aq_queue *queue, const aq_sync *sync,
                                   void *address, aq_diag *diag);

typedef struct aq_memory_stats {
  uint64_t used, used_max; /* bytes that alloca has handed out */
  uint64_t reserved;       /* bytes of the transport, with blocks that wait for
                              their next use */
  uint64_t limit;          /* of `reserved`; UINT64_MAX: none */
  uint64_t allocations;
  uint64_t reused;  /* of them with an existing block */
  uint64_t refused; /* for lack of memory */
} aq_memory_stats;

/* The present contents of the pool of a device; a limit on the bytes that it
 * may reserve. Any thread. */
AQ_API void aq_context_memory(aq_context *context, uint32_t device,
                              aq_memory_stats *out);
AQ_API void aq_context_memory_limit(aq_context *context, uint32_t device,
                                    uint64_t bytes);

/* Returns unused memory to the transport; the number of bytes. */
AQ_API uint64_t aq_context_memory_trim(aq_context *context, uint32_t device);

/* ---- transfers ----
 *
 * AQ_COPY_CHOOSE takes a kernel for fills, updates, and copies within the
 * device or of few bytes, an engine for other copies, and what there is where
 * one of them is not. A way that is asked for and is not there is
 * AQ_ERR_UNSUPPORTED, as is the host's into memory that is hidden from it
 * (mem_visible of transport.h). Ranges may not overlap.
 */

typedef struct aq_fill {
  void *target;
  uint64_t size;         /* bytes, a multiple of pattern_size, not 0 */
  uint64_t pattern;      /* in the low bytes */
  uint32_t pattern_size; /* bytes: 1, 2, 4 or 8 */
  aq_copy_way way;
} aq_fill;

/* Memory that an operation reads or writes is the caller's, and left alone
 * until it ends; the call copies descriptions. */
AQ_API aq_status aq_queue_fill(aq_queue *queue, const aq_sync *sync,
                               const aq_fill *fill, aq_diag *diag);

typedef enum aq_copy_path {
  AQ_PATH_UNKNOWN, /* taken for OWN */
  AQ_PATH_OWN,     /* within the memory of the queue's device */
  AQ_PATH_HOST,    /* from or to the host's memory */
  AQ_PATH_PEER,    /* from or to another device's */
} aq_copy_path;

typedef struct aq_copy {
  void *target;
  const void *source;
  uint64_t size; /* bytes, not 0 */
  aq_copy_path path;
  aq_copy_way way;
} aq_copy;

/* Copies bytes once the waits of `sync` are met; the ranges do not overlap. */
AQ_API aq_status aq_queue_copy(aq_queue *queue, const aq_sync *sync,
                               const aq_copy *copy, aq_diag *diag);

typedef struct aq_update {
  void *target;
  const void *bytes; /* copied by the call */
  uint32_t size;     /* at most the queue's limit for kernel arguments */
  aq_copy_way way;
} aq_update;

/* Writes bytes of the caller, taken at the call, to `target`. */
AQ_API aq_status aq_queue_update(aq_queue *queue, const aq_sync *sync,
                                 const aq_update *update, aq_diag *diag);

/* ---- values in memory ----
 *
 * Values of 32 or 64 bits, aligned to their size, in memory that the device
 * reaches. AQ_VALUE_CHOOSE takes for a wait the packet of the instruction set
 * (barrier-value on gfx9, a PM4 command on gfx10 and gfx11), for an atomic
 * without a result a PM4 command, where the device has them, and else the
 * kernel of the device library. A way that is asked for and is not there is
 * AQ_ERR_UNSUPPORTED.
 */

typedef struct aq_atomic {
  void *target;
  uint32_t size; /* bytes: 4 or 8 */
  aq_atomic_op op;
  uint64_t operand;  /* in the low bytes */
  uint64_t expected; /* the same, of AQ_ATOMIC_CAS */
  void *result;      /* gets the value before, `size` bytes; or NULL */
  aq_value_way way;
} aq_atomic;

/* Changes a value. Everything before it in the queue has been released to the
 * whole system when another device or the host sees the value. AQ_ERR_INVALID:
 * a size or a place that is none, or a store with a result. */
AQ_API aq_status aq_queue_atomic(aq_queue *queue, const aq_sync *sync,
                                 const aq_atomic *atomic, aq_diag *diag);

typedef struct aq_value_wait {
  const void *address;
  uint32_t size; /* bytes: 4 or 8 */
  aq_condition condition;
  uint64_t value; /* what (value in memory & mask) is compared with */
  uint64_t mask;  /* 0: all bits */
  aq_value_way way;
} aq_value_wait;

/* Holds the queue until a value fulfils a condition, and acquires what its
 * writer released. The condition has to stay fulfilled until the device looks.
 * Compared without a sign, but that a value in memory with its top bit set may
 * count as one below 0: one of 64 bits, and by barrier-value packets one of 32
 * bits 4 bytes above a multiple of 8. AQ_ERR_UNSUPPORTED: the device does not
 * wait in that way, or it is AQ_LT or AQ_GE of such 32 bits by AQ_VALUE_PACKET;
 * AQ_VALUE_CHOOSE takes another way if there is one. AQ_ERR_INVALID: as above,
 * an unknown condition, bits of `value` outside of the mask, or for AQ_LT and
 * AQ_GE its top bit. */
AQ_API aq_status aq_queue_wait_value(aq_queue *queue, const aq_sync *sync,
                                     const aq_value_wait *wait, aq_diag *diag);

/* ---- files ----
 *
 * Staged: pieces go between the file and pinned memory, on a thread of the
 * context where the transport is live, and from there to and from the device by
 * an engine while the next piece is under way. In virtual time the file takes
 * no time and the copies take theirs. Where there are no engines, the host
 * copies.
 */

typedef struct aq_file_range {
  int fd;          /* open until the operation ends; its position stays */
  uint64_t offset; /* in the file */
  void *memory;    /* of a device or of the host */
  uint64_t size;   /* bytes, not 0 */
} aq_file_range;

/* A file that ends before the range does fails it with AQ_ERR_IO; the bytes
 * read by then are in the memory. */
AQ_API aq_status aq_queue_read(aq_queue *queue, const aq_sync *sync,
                               const aq_file_range *range, aq_diag *diag);

/* Not durable: that is fsync's business, in a host call behind it. */
AQ_API aq_status aq_queue_write(aq_queue *queue, const aq_sync *sync,
                                const aq_file_range *range, aq_diag *diag);

/* ---- the host ---- */

/* Called on the thread that notices that its turn has come; it must not wait,
 * and may submit. Its status is the operation's; it words any status other
 * than AQ_OK. */
typedef aq_status aq_host_function(void *user, aq_diag *diag);

typedef struct aq_host_call {
  const char *name; /* in captures; NULL: it has none. Borrowed by them */
  aq_host_function *function;
  void *user;
  /* Device memory that it writes: flushed when it returns. NULL: none. */
  void *target;
  size_t target_size;
} aq_host_call;

/* Calls a function of the host in queue order. */
AQ_API aq_status aq_queue_host_call(aq_queue *queue, const aq_sync *sync,
                                    const aq_host_call *call, aq_diag *diag);

AQ_END_DECLS

#endif
