/* SPDX-License-Identifier: MIT */
/*
 * Shared by the files of the host queue; only they include it.
 *
 * Locks, in the order in which they may be taken:
 *
 *   the retire lock of a timeline   handlers, and hosts that look at other
 *                                   queues: the queue stays while it is held
 *                                   (queue_hide)
 *   the queue's                     its submitting side and its deferred tasks
 *   a semaphore's                   pending signals, timepoints; or a pool's,
 *                                   of which the two are never held together
 *                                   but for the last release
 *   the sync domain's               timelines, flags, waiters, the failure of a
 *                                   queue
 *
 * Below all of them the transport is called, which takes its own. A thread that
 * waits for a retire lock holds nothing; hosts that look only try it. Two roles
 * are no locks: the retirer's (`retire_requests`, retire.c) and the resumer's
 * (`resuming`, pending.c). Nothing ever waits for a role.
 *
 * Callbacks of users, of tasks and of timepoints run with no lock but perhaps
 * one retire lock, and perhaps with both roles of a queue. So they may submit,
 * poll, signal, fail, query, notify, retain and release, on any queue, but not
 * wait: neither for points nor for a queue's end, which destroying one does.
 */
#ifndef AQ_QUEUE_CORE_QUEUE_PRIV_H
#define AQ_QUEUE_CORE_QUEUE_PRIV_H

#include <pthread.h>

#include "queue/core/task.h"
#include "queue/ring/aql_queue_priv.h"
#include "queue/sync/notification_ring.h"
#include "queue/sync/semaphore_priv.h"
#include "queue/sync/waiter.h"

/* A task that waits outside of the ring for points of semaphores. */
typedef struct aq_pending_waits aq_pending_waits;
typedef struct aq_pending_wait {
  aq_timepoint timepoint; /* first */
  aq_pending_waits *waits_of_task;
  aq_semaphore *semaphore;
} aq_pending_wait;

struct aq_pending_waits {
  aq_queue *queue;
  uint32_t pending; /* waits that are not over; with the queue's lock */
  uint32_t count;
  aq_pending_wait waits[];
};

struct aq_queue {
  /* Constant. */
  aq_context *context;
  aq_sync_domain *sync_domain; /* of the context */
  aq_transport *transport;
  const aq_transport_ops *ops;
  aq_queue_options options;
  uint32_t place;   /* its bit on the logical device, or AQ_AFFINITY_BITS */
  bool cooperative; /* it has claimed the cooperative queue of its device */
  aq_edge_way way;
  aq_queue_timeline *timeline;
  aq_aql_queue *aql_queue;
  aq_ring *ring;

  /* Of the submitting thread, with the lock. */
  pthread_mutex_t lock;
  uint64_t epoch; /* atomic: the last one that was put */
  bool doorbell_pending;
  uint64_t device_walk_epoch; /* epoch whose packets the device puts: no others
                               * until then
                               */
  aq_frontier frontier; /* what everything behind the last epoch runs after */
  aq_task *pending_first, *pending_last;
  uint32_t pending_count;
  bool resuming;      /* a thread puts deferred tasks */
  bool ending;        /* it is being destroyed: deferred tasks fail */
  uint32_t undecided; /* calls of `decision` that are not over */
  aq_queue_stats stats;
  aq_notify_ring notify_ring; /* put by submitters, taken by the retirer */

  /* Signals of the epochs in flight where each has its own, by epoch (atomic:
   * put by submitters, taken by the retirer; one without other references
   * stays for the next turn); and the reports due for them. */
  aq_epoch_signal **flags;
  aq_operation_report *reports;
  aq_epoch_signal *
      *starts;   /* profiled: signals of first packets, by epoch; or NULL */
  aq_time began; /* the retirer's: start of an operation's earlier part */
  int64_t row_device, row_queue; /* in the context's rows */

  /* Of the retirer. */
  uint32_t retire_requests
      __attribute__((aligned(64))); /* atomic: looks asked for */
  uint64_t retired;                 /* atomic: epoch */
  uint64_t kernarg_free;            /* atomic: position of the kernarg ring */
  uint64_t failures;                /* atomic */
  uint64_t published;               /* atomic: writes of the host */
  aq_timepoint decision;  /* of a point that the next epoch waited for */
  aq_semaphore *deciding; /* atomic: whose timepoint that is, or NULL */
  aq_waiter *waiter;      /* of hosts that wait for room or the end */
  uint32_t waiter_count;  /* atomic: how many they are */
};

static inline uint64_t aq_queue_retired(const aq_queue *queue)
{
  return __atomic_load_n(&queue->retired, __ATOMIC_ACQUIRE);
}

static inline uint64_t aq_queue_epoch(const aq_queue *queue)
{
  return __atomic_load_n(&queue->epoch, __ATOMIC_ACQUIRE);
}

/* ---- wait_elision.c: the fewest waits that a task needs ---- */

enum {
  AQ_PLAN_EDGES = 32,                   /* the host waits for more */
  AQ_PLAN_KERNARG = AQ_PLAN_EDGES * 40, /* bytes that edges take at most */
};

typedef struct aq_plan_edge {
  aq_epoch_ref edge;
  bool implied; /* dominated: only its failure matters */
} aq_plan_edge;

/* The conditions before a part's packets may start. */
typedef struct aq_plan {
  aq_plan_edge edges[AQ_PLAN_EDGES];
  uint32_t edge_count;
  uint32_t needs_packet; /* of them, the ones that need a packet */
  uint32_t rules[AQ_WAIT_RULES];
  aq_semaphore *waited[AQ_PLAN_EDGES]; /* all of them; borrowed */
  uint64_t waited_values[AQ_PLAN_EDGES];
  uint32_t waited_count;
  bool system; /* something of outside of the device is acquired */
  aq_frontier acquired;
} aq_plan;

/* AQ_ERR_AGAIN: the host has to wait for the points in `task->host_waits`; a
 * failure of one of the semaphores; with the lock. */
aq_status aq_plan_make(aq_queue *queue, aq_task *task, aq_plan *plan,
                       aq_diag *diag);
void aq_plan_drop(aq_plan *plan);

/* ---- wait_packets.c: packets that wait for epochs of other queues ---- */

uint32_t aq_wait_packets_count(aq_edge_way way, uint32_t edges);
uint32_t aq_wait_packets_kernarg(aq_edge_way way, uint32_t edges);
void aq_wait_packets_fill(aq_edge_way way, const aq_plan *plan,
                          aq_packet_span *span);

/* ---- issue.c: a task into the ring ---- */

/* What became of a task. */
typedef enum aq_issue_result {
  AQ_ISSUE_DONE,     /* all of it is in the ring */
  AQ_ISSUE_PART,     /* there is more of it */
  AQ_ISSUE_DEFERRED, /* submit.c: the queue has a copy */
  AQ_ISSUE_FULL,     /* there is no room now, nothing happened */
  AQ_ISSUE_WAIT,     /* the host has to wait, nothing happened */
  AQ_ISSUE_FAILED,   /* something that it waits for has failed, or half of it */
  AQ_ISSUE_ERROR,    /* nothing happened */
} aq_issue_result;

aq_issue_result aq_task_issue(aq_queue *queue, aq_task *task, aq_diag *diag);
void aq_queue_ring_doorbell(aq_queue *queue);

/* Reports that a task has failed before all of it was put. Without any lock. */
void aq_task_fail(const aq_task *task, aq_status status, const char *cause);

/* Whether that many bytes of arguments fit into the queue at once. */
aq_status aq_queue_check_kernargs(const aq_queue *queue, uint64_t size,
                                  aq_diag *diag);

/* ---- pending.c: tasks outside of the ring ---- */

/* Copies it and puts it behind the others; with the lock. */
aq_status aq_task_defer(aq_queue *queue, aq_task *task, aq_diag *diag);

/* Puts the tasks that can go now; fails all of them when the device has stopped
 * or the queue is ending. Without any lock. */
void aq_queue_resume(aq_queue *queue);

/* Whether all deferred tasks continue without a call of the host: no point that
 * one waits for lacks an epoch under way that brings it. */
bool aq_queue_will_resume(aq_queue *queue);

/* ---- epoch.c: epochs of a queue, and hosts that wait for them ---- */

/* The place of an epoch's flag. */
static inline aq_epoch_signal **aq_queue_epoch_signal(const aq_queue *queue,
                                                      uint64_t epoch)
{
  return &queue->flags[epoch & (queue->notify_ring.size - 1)];
}

/* The last epoch that its signal shows complete. */
uint64_t aq_queue_completed(aq_queue *queue);

/* The oldest epoch in flight with references; it may have been retired when
 * this returns, which the queue's waiter then says; false if there is none. */
bool aq_queue_oldest(aq_queue *queue, aq_epoch_ref *out);

/* An epoch, 0 for the oldest, is to be retired as soon as it is complete. */
void aq_queue_arm(aq_queue *queue, uint64_t epoch);

/* An operation was retired or a deferred one resumed: hosts that wait for room
 * or the end look again. */
void aq_queue_wake_waiters(aq_queue *queue);

/* Everything is complete, but the device has not handed all slots back yet: a
 * moment on hardware, never in virtual time. Waits for it. */
static inline bool aq_queue_is_lagging(const aq_queue *queue)
{
  return aq_queue_timeline_failed_from(queue->timeline) == AQ_EPOCH_NEVER &&
         aq_queue_retired(queue) == aq_queue_epoch(queue) &&
         aq_ring_space(queue->ring) < queue->ring->size;
}
void aq_queue_wait_slots_returned(aq_queue *queue);

/* ---- queue_failure.c ---- */

/* The device stopped, or the queue is to end: nothing else completes. The other
 * one with the sync domain's lock. */
void aq_queue_fail(aq_queue *queue, aq_status status, const char *cause);
void aq_queue_fail_locked(aq_queue *queue, aq_status status, const char *cause);

/* Stores 0 to all of its signals, of flags to the ones below `below`:
 * the queue has failed. */
void aq_queue_poison(aq_queue *queue, int64_t below);

/* The queue failed before this epoch had its flag, which another queue may have
 * by now. */
void aq_epoch_fail(aq_queue *queue, uint64_t epoch,
                   const aq_epoch_signal *flag);

/* The ring's handler of errors; `user` is the queue. */
void aq_queue_error_handle(const aq_queue_error *error, void *user);

/* ---- host_wait.c ---- */

/* Lets time pass until something completes; the transport's status. The
 * deadline is as of aq_sync_domain_sleep. */
aq_status aq_queue_progress(aq_queue *queue, aq_time *deadline, aq_diag *diag);

#endif
