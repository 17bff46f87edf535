/* SPDX-License-Identifier: MIT */
/*
 * Deferred tasks: operations that wait outside of the ring, in the queue's
 * order.
 *
 * States. A task is on the stack of its submitter until aq_task_defer copies
 * it. Of the deferred ones only the first is looked at; the others wait for it:
 *
 *   ready      pending 0: the next step puts a part of it, or finds out that it
 *              has to wait
 *   watching   pending > 0: that many of its semaphores have not called back
 *   blocked    pending 0, but there is no room, or the device still writes or
 *              drains a part of it (`resume_at`): the retirer resumes the queue
 *   out        popped: all of it is in the ring, or it was refused
 *
 *     ready → watching   waits_watch, when aq_task_issue says AQ_ISSUE_WAIT
 *     watching → ready   the last wait_done, or waits_cancel
 *     ready ↔ blocked    a step, without a change of the task
 *     ready → out        pending_pop, after AQ_ISSUE_DONE or in pending_fail
 *
 * The retirer comes for epochs in flight. With none, a blocked task has room as
 * soon as the device has returned the slots: the step is taken again.
 *
 * `resume_at` holds back the rest of its own task, `device_walk_epoch`
 * (aq_task_issue) every task, as long as a kernel on the device puts packets
 * into the ring.
 *
 * The role. Steps are taken by one thread at a time, the one that set
 * `resuming`; another that comes meanwhile leaves, so a callback may resume the
 * queue that calls it. Nothing waits for the role. The holder takes the lock
 * off for calls that may call back (watching, refusing, freeing), and looks at
 * the first task again whenever it has it back. Whatever is to be looked at is
 * stored before resume is called, so no event is lost. The task stays
 * meanwhile, since only the holder pops; waits_watch adds one to `pending` so
 * that callbacks which come at once do not end the watch before all are set.
 *
 * Failure. If the device has stopped, or the queue is being destroyed while a
 * task watches (`ending`), the holder refuses every task instead of putting it.
 * A wait that cannot be taken back is about to be called by another thread:
 * its wait_done resumes the queue. A task of which a part is in the ring is
 * refused too; the part retires on its own. Without memory for a copy, nothing
 * has happened, or a task that has begun is refused.
 *
 * Owners. A copy is one allocation: task, points, marks, timepoints. It holds a
 * reference to each semaphore of its points, and what its class keeps; it never
 * points into memory of the submitter. Its fields belong to the holder of the
 * role; `pending` and the list to the lock. The retirer reads `pending_count`
 * without it: a task that it misses was deferred by a thread that resumes the
 * queue afterwards.
 *
 * Doorbells. A thread that defers a task resumes the queue, whose end rings for
 * what AQ_SYNC_MORE held back: the task that stays may wait for it.
 *
 * The end. A queue is idle when no task is deferred and no thread has the role
 * (is_idle, with the lock); the holder gives the role back, wakes the hosts
 * that wait, and lets go of the lock, which is its last touch of the queue.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "queue/core/queue_priv.h"

/* ---- copies ---- */

static size_t rounded(size_t size)
{
  return (size + 15) & ~(size_t)15;
}

/* The retiring thread reads it without the lock, and again when in doubt. */
static void pending_count(aq_queue *queue, int by)
{
  __atomic_store_n(&queue->pending_count, queue->pending_count + (uint32_t)by,
                   __ATOMIC_RELAXED);
}

/* One allocation: the task, its points, its marks, its timepoints. */
aq_status aq_task_defer(aq_queue *queue, aq_task *task, aq_diag *diag)
{
  const aq_sync *sync = &task->sync;
  const uint32_t waits = task->begun ? 0 : sync->wait_count;
  const size_t size = rounded(task->class->size);
  const size_t points =
      rounded((waits + sync->signal_count) * sizeof *sync->waits);
  const size_t marks = rounded(waits);
  unsigned char *memory =
      malloc(size + points + marks + sizeof(aq_pending_waits) +
             waits * sizeof(aq_pending_wait));
  if (!memory)
    return aq_diag_no_memory(diag);
  aq_task *copy = (aq_task *)(void *)memory;
  memcpy(copy, task, task->class->size);
  aq_point *point = (aq_point *)(void *)(memory + size);
  if (waits > 0)
    memcpy(point, sync->waits, waits * sizeof *point);
  if (sync->signal_count > 0)
    memcpy(point + waits, sync->signals, sync->signal_count * sizeof *point);
  copy->sync.waits = point;
  copy->sync.wait_count = waits;
  copy->sync.signals = point + waits;
  copy->host_waits = memory + size + points;
  memset(copy->host_waits, 0, marks);
  copy->waits_of_task =
      (aq_pending_waits *)(void *)(memory + size + points + marks);
  *copy->waits_of_task = (aq_pending_waits){.queue = queue};
  copy->is_deferred = true;
  copy->next = copy->then = NULL;
  if (task->class->keep) {
    aq_status status = task->class->keep(copy, diag);
    if (status != AQ_OK) {
      free(memory);
      return status;
    }
  }
  for (uint32_t i = 0; i < waits; i++)
    aq_semaphore_retain(point[i].semaphore);
  for (uint32_t i = 0; i < sync->signal_count; i++)
    aq_semaphore_retain(point[waits + i].semaphore);
  if (queue->pending_last)
    queue->pending_last->next = copy;
  else
    queue->pending_first = copy;
  queue->pending_last = copy;
  pending_count(queue, 1);
  queue->stats.parked++;
  return AQ_OK;
}

static void pending_free(aq_task *task)
{
  for (uint32_t i = 0; i < task->sync.wait_count; i++)
    aq_semaphore_release(task->sync.waits[i].semaphore);
  for (uint32_t i = 0; i < task->sync.signal_count; i++)
    aq_semaphore_release(task->sync.signals[i].semaphore);
  if (task->class->drop)
    task->class->drop(task);
  free(task);
}

/* With the lock. */
static aq_task *pending_pop(aq_queue *queue)
{
  aq_task *task = queue->pending_first;
  queue->pending_first = task->next;
  if (!task->next)
    queue->pending_last = NULL;
  pending_count(queue, -1);
  return task;
}

/* ---- waits of the host ---- */

static void queue_resume(aq_queue *queue);

static void wait_done(aq_timepoint *timepoint, aq_status status,
                      const char *cause)
{
  aq_pending_wait *wait = (aq_pending_wait *)timepoint;
  aq_pending_waits *waits_of_task = wait->waits_of_task;
  aq_queue *queue = waits_of_task->queue;
  (void)status, (void)cause; /* the resuming thread sees it in the semaphore */
  aq_lock(queue->sync_domain, &queue->lock);
  if (--waits_of_task->pending == 0)
    queue_resume(queue);
  aq_unlock(queue->sync_domain, &queue->lock);
}

/* Watches the semaphore that the first deferred task waits for; releases the
 * lock meanwhile, since the callback may come at once. */
static void waits_watch(aq_queue *queue, aq_task *task)
{
  aq_pending_waits *waits_of_task = task->waits_of_task;
  waits_of_task->count = 0;
  for (uint32_t i = 0; i < task->sync.wait_count; i++) {
    const aq_point *point = &task->sync.waits[i];
    if (task->host_waits[i] &&
        aq_semaphore_value(point->semaphore) < point->value)
      waits_of_task->waits[waits_of_task->count++] =
          (aq_pending_wait){{.value = point->value, .reached = wait_done},
                            waits_of_task,
                            point->semaphore};
  }
  const uint32_t count = waits_of_task->count;
  waits_of_task->pending = count + 1; /* one of our own: the task stays */
  aq_unlock(queue->sync_domain, &queue->lock);
  for (uint32_t i = 0; i < count; i++)
    aq_semaphore_add_timepoint(waits_of_task->waits[i].semaphore,
                               &waits_of_task->waits[i].timepoint);
  aq_lock(queue->sync_domain, &queue->lock);
  waits_of_task->pending--;
}

/* Takes the waits of the first deferred task back; false: a thread is about to
 * call one of them, and resumes the queue then. With the lock. */
static bool waits_cancel(aq_pending_waits *waits_of_task)
{
  for (uint32_t i = 0; i < waits_of_task->count && waits_of_task->pending > 0;
       i++)
    waits_of_task->pending -= aq_semaphore_cancel_timepoint(
        waits_of_task->waits[i].semaphore, &waits_of_task->waits[i].timepoint);
  return waits_of_task->pending == 0;
}

/* ---- resuming ---- */

/* Why nothing is put any more, or NULL: the device stopped, or the queue is to
 * end and its waits would last. With the lock. */
static const aq_diag *refusal_of(const aq_queue *queue)
{
  static const aq_diag gone = {AQ_ERR_QUEUE, "the queue was destroyed"};
  if (aq_queue_timeline_failed_from(queue->timeline) != AQ_EPOCH_NEVER)
    return &queue->timeline->cause;
  return queue->ending ? &gone : NULL;
}

/* With the lock, which is released for the calls. */
static void pending_fail(aq_queue *queue, aq_status status, const char *cause)
{
  aq_task *task = pending_pop(queue);
  aq_unlock(queue->sync_domain, &queue->lock);
  aq_task_fail(task, status, cause);
  pending_free(task);
  aq_lock(queue->sync_domain, &queue->lock);
}

/* Takes one step with the first deferred task; false: it has to wait. */
static bool pending_step(aq_queue *queue, aq_task *task)
{
  aq_diag diag = AQ_DIAG_INIT;
  const aq_diag *refusal = refusal_of(queue);
  if (refusal) {
    if (!waits_cancel(task->waits_of_task))
      return false;
    pending_fail(queue, refusal->status, refusal->text);
    return true;
  }
  if (task->waits_of_task->pending > 0 ||
      task->resume_at > aq_queue_retired(queue))
    return false;
  switch (aq_task_issue(queue, task, &diag)) {
  case AQ_ISSUE_DONE:
    pending_pop(queue);
    aq_unlock(queue->sync_domain, &queue->lock);
    pending_free(task);
    aq_lock(queue->sync_domain, &queue->lock);
    return true;
  case AQ_ISSUE_PART:
    return true;
  case AQ_ISSUE_WAIT:
    waits_watch(queue, task);
    return true;
  case AQ_ISSUE_FAILED:
  case AQ_ISSUE_ERROR:
    pending_fail(queue, diag.status == AQ_OK ? AQ_ERR_QUEUE : diag.status,
                 diag.text);
    return true;
  case AQ_ISSUE_FULL:
  case AQ_ISSUE_DEFERRED:
    break;
  }
  return false;
}

/* Nothing is in flight, so nothing will resume the queue; but there is room, or
 * will be as soon as the device has returned the slots. */
static bool is_drained(const aq_queue *queue)
{
  return aq_queue_timeline_failed_from(queue->timeline) == AQ_EPOCH_NEVER &&
         aq_queue_retired(queue) == queue->epoch;
}

/* With the lock. */
static void queue_resume(aq_queue *queue)
{
  /* One at a time: the step may take the lock off. */
  if (queue->resuming)
    return;
  queue->resuming = true;
  bool stuck, again;
  do {
    while (queue->pending_first && pending_step(queue, queue->pending_first))
      ;
    stuck = queue->pending_first &&
            queue->pending_first->waits_of_task->pending == 0;
    again = stuck && is_drained(queue);
    if (again) {
      aq_unlock(queue->sync_domain, &queue->lock);
      aq_queue_wait_slots_returned(queue);
      aq_lock(queue->sync_domain, &queue->lock);
    }
  } while (again);
  aq_queue_ring_doorbell(queue);
  if (stuck)
    aq_queue_arm(queue, 0);
  queue->resuming = false;
  aq_queue_wake_waiters(queue);
}

void aq_queue_resume(aq_queue *queue)
{
  aq_lock(queue->sync_domain, &queue->lock);
  queue_resume(queue);
  aq_unlock(queue->sync_domain, &queue->lock);
}

/* ---- a look from outside ---- */

/* Reached, failed, or promised by an epoch under way. */
static bool point_will_come(const aq_point *point)
{
  aq_semaphore *semaphore = point->semaphore;
  aq_lock(semaphore->sync_domain, &semaphore->lock);
  const bool promised = point->value <= semaphore->pending_signal;
  aq_unlock(semaphore->sync_domain, &semaphore->lock);
  return promised || aq_semaphore_value(semaphore) >= point->value ||
         aq_semaphore_failed(semaphore) != AQ_OK;
}

bool aq_queue_will_resume(aq_queue *queue)
{
  bool will = true;
  aq_lock(queue->sync_domain, &queue->lock);
  for (const aq_task *task = queue->pending_first; task; task = task->next)
    for (uint32_t i = 0; i < task->sync.wait_count; i++)
      will &= point_will_come(&task->sync.waits[i]);
  aq_unlock(queue->sync_domain, &queue->lock);
  return will;
}
