/* SPDX-License-Identifier: MIT */
/*
 * Parked tasks: operations that wait outside of the ring, in the queue's order.
 *
 * States. A task is on the stack of its submitter until aq_task_park copies
 * it. Of the parked ones only the first is looked at; the others wait for it:
 *
 *   ready      pending 0: the next step puts a part of it, or finds out that it
 *              has to wait
 *   watching   pending > 0: that many of its semaphores have not called back
 *   blocked    pending 0, but there is no room, or the device still writes or
 *              drains a part of it (`resume_at`): the retirer resumes the queue
 *   out        popped: all of it is in the ring, or it was refused
 *
 *     ready → watching     waits_watch, when aq_task_put says AQ_PUT_WAIT
 *     watching → ready     the last wait_over, or waits_cancel
 *     ready ↔ blocked      a step, without a change of the task
 *     ready → out          parked_pop, after AQ_PUT_DONE or in parked_refuse
 *
 * `resume_at` holds back the rest of its own task, `walked` (aq_task_put) every
 * task, as long as a kernel on the device puts packets into the ring.
 *
 * The role. Steps are taken by one thread at a time, the one that set
 * `resuming`; another that comes meanwhile sets `resume_again` and leaves, so a
 * callback may resume the queue that calls it. Nothing waits for the role.
 * Whatever is to be looked at is stored before resume is called, and the holder
 * looks again while `resume_again` is set, so no event is lost. It takes the
 * lock off for calls that may call back: watching, refusing, freeing. The task
 * stays meanwhile, since only the holder pops; waits_watch adds one to
 * `pending` so that callbacks which come at once do not end the watch before
 * all are set.
 *
 * Failure. If the device has stopped, or the queue is being destroyed while a
 * task watches (`ending`), the holder refuses every task instead of putting it.
 * A wait that cannot be taken back is about to be called by another thread:
 * its wait_over resumes the queue. A task of which a part is in the ring is
 * refused too; the part retires on its own. Without memory for a copy, nothing
 * has happened, or a task that has begun is refused.
 *
 * Owners. A copy is one allocation: task, points, marks, timepoints. It holds a
 * reference to each semaphore of its points, and what its class keeps; it never
 * points into memory of the submitter. Its fields belong to the holder of the
 * role; `pending` and the list to the lock. The retirer reads `parked_count`
 * without it: a task that it misses was parked by a thread that resumes the
 * queue afterwards.
 *
 * Doorbells. Parking rings for what AQ_SYNC_MORE held back, and so does the end
 * of a resume: the task that stays may wait for it.
 *
 * The end. A queue is idle when no task is parked and no thread has the role
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
static void parked_count(aq_queue *queue, int by)
{
  __atomic_store_n(&queue->parked_count, queue->parked_count + (uint32_t)by,
                   __ATOMIC_RELAXED);
}

/* One allocation: the task, its points, its marks, its timepoints. */
aq_status aq_task_park(aq_queue *queue, aq_task *task, aq_diag *diag)
{
  const aq_sync *sync = &task->sync;
  const uint32_t waits = task->begun ? 0 : sync->wait_count;
  const size_t size = rounded(task->class->size);
  const size_t points =
      rounded((waits + sync->signal_count) * sizeof *sync->waits);
  const size_t marks = rounded(waits);
  unsigned char *memory = malloc(size + points + marks + sizeof(aq_parking) +
                                 waits * sizeof(aq_parked_wait));
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
  copy->deferred = memory + size + points;
  memset(copy->deferred, 0, marks);
  copy->parking = (aq_parking *)(void *)(memory + size + points + marks);
  *copy->parking = (aq_parking){.queue = queue};
  copy->parked = true;
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
  if (queue->parked_last)
    queue->parked_last->next = copy;
  else
    queue->parked_first = copy;
  queue->parked_last = copy;
  parked_count(queue, 1);
  queue->stats.parked++;
  aq_queue_ring_bell(queue); /* it may wait for held back packets */
  return AQ_OK;
}

static void parked_free(aq_task *task)
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
static aq_task *parked_pop(aq_queue *queue)
{
  aq_task *task = queue->parked_first;
  queue->parked_first = task->next;
  if (!task->next)
    queue->parked_last = NULL;
  parked_count(queue, -1);
  return task;
}

/* ---- waits of the host ---- */

static void queue_resume(aq_queue *queue);

static void wait_over(aq_timepoint *timepoint, aq_status status,
                      const char *cause)
{
  aq_parked_wait *wait = (aq_parked_wait *)timepoint;
  aq_parking *parking = wait->parking;
  aq_queue *queue = parking->queue;
  (void)status, (void)cause; /* the resuming thread sees it in the semaphore */
  aq_lock(queue->hub, &queue->lock);
  if (--parking->pending == 0)
    queue_resume(queue);
  aq_unlock(queue->hub, &queue->lock);
}

/* Watches the semaphore that the first parked task waits for; releases the lock
 * meanwhile, since the callback may come at once. */
static void waits_watch(aq_queue *queue, aq_task *task)
{
  aq_parking *parking = task->parking;
  parking->count = 0;
  for (uint32_t i = 0; i < task->sync.wait_count; i++) {
    const aq_point *point = &task->sync.waits[i];
    if (task->deferred[i] &&
        aq_semaphore_value(point->semaphore) < point->value)
      parking->waits[parking->count++] =
          (aq_parked_wait){{.value = point->value, .reached = wait_over},
                           parking,
                           point->semaphore};
  }
  const uint32_t count = parking->count;
  parking->pending = count + 1; /* one of our own: the task stays */
  aq_unlock(queue->hub, &queue->lock);
  for (uint32_t i = 0; i < count; i++)
    aq_semaphore_watch(parking->waits[i].semaphore,
                       &parking->waits[i].timepoint);
  aq_lock(queue->hub, &queue->lock);
  parking->pending--;
}

/* Takes the waits of the first parked task back; false: a thread is about to
 * call one of them, and resumes the queue then. With the lock. */
static bool waits_cancel(aq_parking *parking)
{
  for (uint32_t i = 0; i < parking->count && parking->pending > 0; i++)
    parking->pending -= aq_semaphore_unwatch(parking->waits[i].semaphore,
                                             &parking->waits[i].timepoint);
  return parking->pending == 0;
}

/* ---- resuming ---- */

/* Why nothing is put any more, or NULL: the device stopped, or the queue is to
 * end and its waits would last. With the lock. */
static const aq_diag *refusal_of(const aq_queue *queue)
{
  static const aq_diag gone = {AQ_ERR_QUEUE, "the queue was destroyed"};
  if (aq_axis_failed_from(queue->axis) != AQ_EPOCH_NEVER)
    return &queue->axis->cause;
  return queue->ending ? &gone : NULL;
}

/* With the lock, which is released for the calls. */
static void parked_refuse(aq_queue *queue, aq_status status, const char *cause)
{
  aq_task *task = parked_pop(queue);
  aq_unlock(queue->hub, &queue->lock);
  aq_task_refuse(task, status, cause);
  parked_free(task);
  aq_lock(queue->hub, &queue->lock);
}

/* Takes one step with the first parked task; false: it has to wait. */
static bool parked_step(aq_queue *queue, aq_task *task)
{
  aq_diag diag = AQ_DIAG_INIT;
  const aq_diag *refusal = refusal_of(queue);
  if (refusal) {
    if (!waits_cancel(task->parking))
      return false;
    parked_refuse(queue, refusal->status, refusal->text);
    return true;
  }
  if (task->parking->pending > 0 || task->resume_at > aq_queue_retired(queue))
    return false;
  switch (aq_task_put(queue, task, &diag)) {
  case AQ_PUT_DONE:
    parked_pop(queue);
    aq_unlock(queue->hub, &queue->lock);
    parked_free(task);
    aq_lock(queue->hub, &queue->lock);
    return true;
  case AQ_PUT_PART:
    return true;
  case AQ_PUT_WAIT:
    waits_watch(queue, task);
    return true;
  case AQ_PUT_FAILED:
  case AQ_PUT_ERROR:
    parked_refuse(queue, diag.status == AQ_OK ? AQ_ERR_QUEUE : diag.status,
                  diag.text);
    return true;
  case AQ_PUT_ROOM:
  case AQ_PUT_PARKED:
    break;
  }
  return false;
}

/* With the lock. */
static void queue_resume(aq_queue *queue)
{
  /* One at a time: the step may take the lock off. */
  if (queue->resuming) {
    queue->resume_again = true;
    return;
  }
  queue->resuming = true;
  bool stuck = false;
  do {
    queue->resume_again = false;
    while (queue->parked_first && parked_step(queue, queue->parked_first))
      ;
    stuck = queue->parked_first && queue->parked_first->parking->pending == 0;
    if (stuck && aq_queue_is_lagging(queue)) {
      aq_unlock(queue->hub, &queue->lock);
      aq_queue_catch_up(queue);
      aq_lock(queue->hub, &queue->lock);
      queue->resume_again = true;
    }
  } while (queue->resume_again);
  aq_queue_ring_bell(queue); /* so may the one that stays */
  if (stuck)
    aq_queue_arm(queue, 0);
  queue->resuming = false;
  aq_queue_tell(queue);
}

void aq_queue_resume(aq_queue *queue)
{
  aq_lock(queue->hub, &queue->lock);
  queue_resume(queue);
  aq_unlock(queue->hub, &queue->lock);
}
