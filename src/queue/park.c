/* SPDX-License-Identifier: MIT */
/* Tasks that wait outside of the ring: for points that only the host can wait
 * for, for a part of theirs that has to be complete first, or for room. They
 * hold back those behind them. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "queue/queue_priv.h"

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

static void wait_over(aq_timepoint *timepoint, aq_status status,
                      const char *cause)
{
  aq_parked_wait *wait = (aq_parked_wait *)timepoint;
  aq_parking *parking = wait->parking;
  aq_queue *queue = parking->queue;
  (void)status, (void)cause; /* the resuming thread sees it in the semaphore */
  aq_lock(queue->hub, &queue->lock);
  const bool last = --parking->pending == 0;
  queue->telling += last;
  pthread_cond_broadcast(&queue->calm);
  aq_unlock(queue->hub, &queue->lock);
  if (!last)
    return;
  aq_queue_resume(queue);
  aq_lock(queue->hub, &queue->lock);
  queue->telling--;
  pthread_cond_broadcast(&queue->calm);
  /* A thread that saw this work under way sleeps; without the lock the queue
   * may be gone. */
  aq_queue_tell(queue);
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

/* ---- resuming ---- */

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
  case AQ_PUT_ROOM:
    return false;
  case AQ_PUT_WAIT:
    waits_watch(queue, task);
    return true;
  case AQ_PUT_FAILED:
  case AQ_PUT_ERROR:
    break;
  }
  parked_refuse(queue, diag.status == AQ_OK ? AQ_ERR_QUEUE : diag.status,
                diag.text);
  return true;
}

void aq_queue_resume(aq_queue *queue)
{
  aq_lock(queue->hub, &queue->lock);
  /* One at a time: the step may take the lock off. */
  if (queue->resuming) {
    queue->resume_again = true;
    aq_unlock(queue->hub, &queue->lock);
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
  if (queue->unrung && !queue->parked_first)
    aq_queue_ring_bell(queue);
  queue->resuming = false;
  pthread_cond_broadcast(&queue->calm);
  aq_unlock(queue->hub, &queue->lock);
  aq_queue_tell(queue);
  if (stuck)
    aq_queue_arm(queue, 0);
}

void aq_parked_fail(aq_queue *queue, aq_status status, const char *cause)
{
  aq_lock(queue->hub, &queue->lock);
  while (queue->resuming)
    pthread_cond_wait(&queue->calm, &queue->lock);
  queue->resuming = true;
  while (queue->parked_first) {
    aq_parking *parking = queue->parked_first->parking;
    for (uint32_t i = 0; i < parking->count && parking->pending > 0; i++) {
      aq_unlock(queue->hub, &queue->lock);
      const bool found = aq_semaphore_unwatch(parking->waits[i].semaphore,
                                              &parking->waits[i].timepoint);
      aq_lock(queue->hub, &queue->lock);
      parking->pending -= found;
    }
    while (parking->pending > 0) /* a callback is about to come */
      pthread_cond_wait(&queue->calm, &queue->lock);
    parked_refuse(queue, status, cause);
  }
  queue->resuming = false;
  aq_unlock(queue->hub, &queue->lock);
}
