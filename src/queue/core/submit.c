/* SPDX-License-Identifier: MIT */
/* How a task gets into a queue: at once, parked, or after some waiting. */
#include "config.h"

#include "queue/core/queue_priv.h"

enum { POLL_EVERY = 64 /* epochs: complete ones are retired now and then */ };

static aq_status points_check(const aq_queue *queue, const aq_sync *sync,
                              aq_diag *diag)
{
  for (uint32_t i = 0; i < sync->wait_count; i++)
    if (sync->waits[i].semaphore->hub != queue->hub)
      return aq_diag_set(diag, AQ_ERR_INVALID,
                         "wait %u: a semaphore of another transport", i);
  for (uint32_t i = 0; i < sync->signal_count; i++) {
    const aq_point *point = &sync->signals[i];
    if (point->semaphore->hub != queue->hub)
      return aq_diag_set(diag, AQ_ERR_INVALID,
                         "signal %u: a semaphore of another transport", i);
    if (point->value <= aq_semaphore_value(point->semaphore))
      return aq_diag_set(
          diag, AQ_ERR_INVALID,
          "signal %u: %llu; the semaphore is at %llu and values rise", i,
          (unsigned long long)point->value,
          (unsigned long long)aq_semaphore_value(point->semaphore));
  }
  return AQ_OK;
}

static aq_status task_check(const aq_queue *queue, const aq_task *task,
                            aq_diag *diag)
{
  const uint64_t dues = UINT64_C(5) + task->sync.signal_count +
                        UINT64_C(3) * task->sync.wait_count;
  if (dues > queue->due.size)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "%u waits and %u signals: the queue has %u "
                       "notifications",
                       task->sync.wait_count, task->sync.signal_count,
                       queue->due.size);
  return points_check(queue, &task->sync, diag);
}

static aq_status queue_word(const aq_queue *queue, aq_diag *diag)
{
  return aq_diag_set(diag, queue->axis->failed, "%s", queue->axis->cause.text);
}

/* Parks it, if there is a place; otherwise a host that does not wait comes
 * again. */
static aq_put task_park(aq_queue *queue, aq_task *task, bool wait,
                        aq_diag *diag)
{
  if (queue->parked_count < queue->options.parked)
    return aq_task_park(queue, task, diag) == AQ_OK ? AQ_PUT_PARKED
           : task->begun                            ? AQ_PUT_FAILED
                                                    : AQ_PUT_ERROR;
  if (wait)
    return AQ_PUT_ROOM;
  aq_diag_set(diag, AQ_ERR_AGAIN, "%u operations are parked already",
              queue->parked_count);
  return AQ_PUT_ERROR;
}

/* AQ_PUT_DONE, AQ_PUT_PARKED, AQ_PUT_FAILED, or nothing happened: AQ_PUT_ROOM
 * if the host is to wait, else AQ_PUT_ERROR. With the lock. */
static aq_put task_start(aq_queue *queue, aq_task *task, aq_diag *diag)
{
  const uint32_t flags = task->sync.flags;
  if (queue->parked_first && flags & AQ_SYNC_TRY) {
    aq_diag_set(diag, AQ_ERR_AGAIN, "operations wait before this one");
    return AQ_PUT_ERROR;
  }
  if (queue->parked_first)
    return task_park(queue, task, true, diag);
  const aq_put put = aq_task_put(queue, task, diag);
  if (put == AQ_PUT_PART)
    return aq_task_park(queue, task, diag) == AQ_OK ? AQ_PUT_PARKED
                                                    : AQ_PUT_FAILED;
  if (put == AQ_PUT_WAIT)
    return task_park(queue, task, !(flags & AQ_SYNC_TRY), diag);
  if (put != AQ_PUT_ROOM)
    return put;
  aq_queue_ring_bell(queue); /* or it would wait for itself */
  if (flags & AQ_SYNC_PARK)
    return task_park(queue, task, true, diag);
  if (!(flags & AQ_SYNC_TRY))
    return AQ_PUT_ROOM;
  aq_diag_set(diag, AQ_ERR_AGAIN, "queue %u has no room now", queue->ring->id);
  return AQ_PUT_ERROR;
}

/* Puts the tasks behind one that is in the ring: the call cannot ask to come
 * again, so it parks a task without room. Returns whether it did. With the
 * lock. */
static bool chain_start(aq_queue *queue, aq_task *task, aq_diag *diag,
                        aq_task **refused)
{
  bool parked = false;
  *refused = NULL;
  for (; task && !*refused; task = task->then) {
    aq_put put =
        queue->parked_first ? AQ_PUT_WAIT : aq_task_put(queue, task, diag);
    if (put == AQ_PUT_DONE)
      continue;
    if (put == AQ_PUT_FAILED || put == AQ_PUT_ERROR ||
        aq_task_park(queue, task, diag) != AQ_OK)
      *refused = task;
    else
      parked = true;
  }
  return parked;
}

static void chain_refuse(aq_task *task, aq_status status, const char *cause)
{
  for (; task; task = task->then)
    aq_task_refuse(task, status, cause);
}

/* Everything that has to happen without the lock when a task is in, or was
 * refused: AQ_OK either way. */
static void task_settle(aq_queue *queue, aq_task *task, aq_put put,
                        aq_diag *diag)
{
  aq_task *refused = task;
  bool resume = put == AQ_PUT_PARKED;
  if (put != AQ_PUT_FAILED)
    resume |= chain_start(queue, task->then, diag, &refused);
  const uint64_t epoch = queue->epoch;
  aq_unlock(queue->hub, &queue->lock);
  if (refused)
    chain_refuse(refused, diag->status == AQ_OK ? AQ_ERR_QUEUE : diag->status,
                 diag->text);
  if (resume)
    aq_queue_resume(queue);
  if (epoch % POLL_EVERY == 0)
    aq_queue_poll(queue);
}

static void task_number(aq_queue *queue, aq_task *task)
{
  task->begin = queue->ops->now(queue->transport);
  if (task->class->kind != AQ_OPERATION_NONE)
    task->number =
        __atomic_fetch_add(&queue->context->operations, 1, __ATOMIC_RELAXED);
}

aq_status aq_task_submit(aq_queue *queue, aq_task *task, aq_diag *diag)
{
  aq_diag own;
  /* cppcheck-suppress uninitvar; its status is set below */
  aq_diag *words = diag ? diag : &own;
  aq_status status = AQ_OK;
  for (const aq_task *t = task; t && status == AQ_OK; t = t->then)
    status = task_check(queue, t, diag);
  if (status != AQ_OK)
    return status;
  words->status = AQ_OK;
  for (aq_task *t = queue->reports ? task : NULL; t; t = t->then)
    task_number(queue, t);
  for (;;) {
    aq_lock(queue->hub, &queue->lock);
    if (aq_axis_failed_from(queue->axis) != AQ_EPOCH_NEVER) {
      aq_unlock(queue->hub, &queue->lock);
      aq_queue_poll(queue);
      return queue_word(queue, diag);
    }
    const aq_put put = task_start(queue, task, words);
    if (put == AQ_PUT_DONE || put == AQ_PUT_PARKED || put == AQ_PUT_FAILED) {
      task_settle(queue, task, put, words);
      return AQ_OK;
    }
    aq_unlock(queue->hub, &queue->lock);
    if (put == AQ_PUT_ERROR)
      return words->status;
    status = aq_queue_progress(queue, AQ_TIME_MAX, diag);
    if (status != AQ_OK)
      return status;
  }
}
