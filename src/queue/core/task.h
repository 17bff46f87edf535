/* SPDX-License-Identifier: MIT */
/*
 * Tasks: operations on their way into a queue. To add an operation, make a
 * class and submit a task of it; waits, room, deferring, epochs, signals and
 * failure are done here and are the same for all.
 *
 * A task lives on the stack of its submitter. When it cannot go at once, it
 * and the objects it borrows are copied. Internal: only operations include it.
 */
#ifndef AQ_QUEUE_CORE_TASK_H
#define AQ_QUEUE_CORE_TASK_H

#include "cmdbuf/block_processor.h"
#include "queue/queue.h"

typedef struct aq_task aq_task;

/* What kind of operation it is; static const. */
typedef struct aq_task_class {
  aq_operation kind; /* AQ_OPERATION_NONE: a part of one that is not told */
  size_t size;       /* bytes of the task, which aq_task begins */
  /* Packets and kernarg bytes of the rest, or of a bit more than `most`
   * packets of it. NULL: it has no packets of its own. */
  void (*demand)(const aq_task *task, uint32_t most, uint32_t *packets,
                 uint32_t *kernargs);
  /* Takes its resources beyond the reserved room; the last call that may fail,
   * and then nothing has happened. NULL: nothing. */
  aq_status (*prepare)(aq_task *task, aq_queue *queue, aq_diag *diag);
  /* Writes packets into the span, as the block processor does. `carry` are
   * header bits that the first one needs. AQ_WALK_DRAIN: it continues when the
   * written packets are complete. */
  aq_walk (*fill)(aq_task *task, uint16_t carry, aq_packet_span *span);
  /* Takes the signal that its part completes after AQ_WALK_DRAIN: its own code
   * completes it, not its last packet. NULL: its last packet does. */
  void (*complete)(aq_task *task, aq_signal signal);
  /* The signal that its first packet completes, borrowed; NULL: its packets
   * have none that times could be read from. */
  struct aq_epoch_signal *(*first_signal)(const aq_task *task);
  /* Copies what `task` borrows beyond the call, and gives it back. NULL: there
   * is nothing. */
  aq_status (*keep)(aq_task *task, aq_diag *diag);
  void (*drop)(aq_task *task);
} aq_task_class;

/* The host's part: called when everything up to the task is complete, before
 * its signals. Its status is the task's. It must not wait. */
typedef aq_status aq_task_action(void *user, aq_diag *diag);

/* The operation's own end, before its signals; also when it was refused, but
 * not when its submission was an error. */
typedef void aq_task_done(aq_status status, const char *cause, void *user);

struct aq_task {
  const aq_task_class *class;
  aq_sync sync;
  aq_task_action *action; /* or NULL */
  void *action_user;
  aq_task_done *on_done; /* or NULL */
  void *on_done_user;
  bool parts; /* each part waits for the one before, and has its `on_done` */
  uint64_t bytes;  /* for the statistics: bytes that it moves, and the way */
  aq_copy_way way; /* CHOOSE: it is no copy */
  /* Submitted right behind it, with nothing in between; or NULL. */
  aq_task *then;

  /* From here on: of the queue, zero at first. */
  aq_task *next;           /* in the list of deferred tasks */
  bool is_deferred, begun; /* it is a copy; some of its packets are out */
  uint8_t *host_waits;     /* by wait: the host has waited for it */
  struct aq_pending_waits *waits_of_task;
  uint64_t first, packets; /* put so far */
  uint64_t resume_at;      /* epoch that has to be complete first */
  uint32_t rules;          /* of its waits */
  aq_time begin;           /* the host called */
  uint64_t number;         /* of the context's operations; where reported */
};

/* Submits a task of any class, and those behind it. AQ_OK: they are under way
 * or have failed; else nothing happened. */
aq_status aq_task_submit(aq_queue *queue, aq_task *task, aq_diag *diag);

/* Starts a task in its place; sync may be NULL. Field by field, and `sync` as
 * the caller has written it: a string instruction that clears, or a vector load
 * of fields just stored one by one, takes as long as the rest of a
 * submission. */
static inline __attribute__((always_inline)) void
aq_task_start(aq_task *task, const aq_task_class *class, const aq_sync *sync)
{
  static const aq_sync none;
  const volatile aq_sync *given = sync ? sync : &none;
  task->class = class;
  task->sync.waits = given->waits;
  task->sync.wait_count = given->wait_count;
  task->sync.signals = given->signals;
  task->sync.signal_count = given->signal_count;
  task->sync.flags = given->flags;
  task->sync.release = given->release;
  task->sync.user = given->user;
  task->action = NULL;
  task->action_user = NULL;
  task->on_done = NULL;
  task->on_done_user = NULL;
  task->parts = false;
  task->bytes = 0;
  task->way = AQ_COPY_CHOOSE;
  task->then = NULL;
  task->next = NULL;
  task->is_deferred = false;
  task->begun = false;
  task->host_waits = NULL;
  task->waits_of_task = NULL;
  task->first = 0;
  task->packets = 0;
  task->resume_at = 0;
  task->rules = 0;
  task->begin = 0;
  task->number = 0;
}

/* The same where nanoseconds do not count. */
static inline aq_task aq_task_init(const aq_task_class *class,
                                   const aq_sync *sync)
{
  aq_task task;
  aq_task_start(&task, class, sync);
  return task;
}

#endif
