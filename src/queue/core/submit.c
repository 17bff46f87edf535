/* SPDX-License-Identifier: MIT */
/* How a task gets into a queue: at once, deferred, or after some waiting. */
#include "config.h"

#include "queue/core/queue_priv.h"

enum { POLL_EVERY = 64 /* epochs: complete ones are retired now and then */ };

static aq_status points_check(const aq_queue *queue, const aq_sync *sync,
                              aq_diag *diag)
{
  for (uint32_t i = 0; i < sync->wait_count; i++)
    if (sync->waits[i].semaphore->sync_domain != queue->sync_domain)
      return aq_diag_set(diag, AQ_ERR_INVALID,
                         "wait %u: a semaphore of another transport", i);
  for (uint32_t i = 0; i < sync->signal_count; i++) {
    const aq_point *point = &sync->signals[i];
    if (point->semaphore->sync_domain != queue->sync_domain)
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
  if (dues > queue->notify_ring.size)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "%u waits and %u signals: the queue has %u "
                       "notifications",
                       task->sync.wait_count, task->sync.signal_count,
                       queue->notify_ring.size);
  return points_check(queue, &task->sync, diag);
}

/* Parks it, if there is a place; otherwise a host that does not wait comes
 * again. */
static aq_issue_result task_defer(aq_queue *queue, aq_task *task, bool wait,
                                  aq_diag *diag)
{
  if (queue->pending_count < queue->options.parked)
    return aq_task_defer(queue, task, diag) == AQ_OK ? AQ_ISSUE_DEFERRED
           : task->begun                             ? AQ_ISSUE_FAILED
                                                     : AQ_ISSUE_ERROR;
  if (wait)
    return AQ_ISSUE_FULL;
  aq_diag_set(diag, AQ_ERR_AGAIN, "%u operations are parked already",
              queue->pending_count);
  return AQ_ISSUE_ERROR;
}

/* AQ_ISSUE_DONE, AQ_ISSUE_DEFERRED, AQ_ISSUE_FAILED, or nothing happened:
 * AQ_ISSUE_FULL if the host is to wait, else AQ_ISSUE_ERROR. With the lock. */
static aq_issue_result task_start(aq_queue *queue, aq_task *task, aq_diag *diag)
{
  const uint32_t flags = task->sync.flags;
  if (queue->pending_first && flags & AQ_SYNC_TRY) {
    aq_diag_set(diag, AQ_ERR_AGAIN, "operations wait before this one");
    return AQ_ISSUE_ERROR;
  }
  if (queue->pending_first)
    return task_defer(queue, task, true, diag);
  const aq_issue_result put = aq_task_issue(queue, task, diag);
  if (put == AQ_ISSUE_PART)
    return aq_task_defer(queue, task, diag) == AQ_OK ? AQ_ISSUE_DEFERRED
                                                     : AQ_ISSUE_FAILED;
  if (put == AQ_ISSUE_WAIT)
    return task_defer(queue, task, !(flags & AQ_SYNC_TRY), diag);
  if (put != AQ_ISSUE_FULL)
    return put;
  aq_queue_ring_doorbell(queue); /* or it would wait for itself */
  if (flags & AQ_SYNC_DEFER)
    return task_defer(queue, task, true, diag);
  if (!(flags & AQ_SYNC_TRY))
    return AQ_ISSUE_FULL;
  aq_diag_set(diag, AQ_ERR_AGAIN, "queue %u is full", queue->ring->id);
  return AQ_ISSUE_ERROR;
}

/* Puts the tasks behind one that is in the ring: the call cannot ask to come
 * again, so it defers a task without room. Returns whether it did. With the
 * lock. */
static bool chain_start(aq_queue *queue, aq_task *task, aq_diag *diag,
                        aq_task **refused)
{
  bool parked = false;
  *refused = NULL;
  for (; task && !*refused; task = task->then) {
    aq_issue_result put =
        queue->pending_first ? AQ_ISSUE_WAIT : aq_task_issue(queue, task, diag);
    if (put == AQ_ISSUE_DONE)
      continue;
    if (put == AQ_ISSUE_FAILED || put == AQ_ISSUE_ERROR ||
        aq_task_defer(queue, task, diag) != AQ_OK)
      *refused = task;
    else
      parked = true;
  }
  return parked;
}

static void chain_refuse(aq_task *task, aq_status status, const char *cause)
{
  for (; task; task = task->then)
    aq_task_fail(task, status, cause);
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
  for (aq_task *t = queue->reports ? task : NULL; t; t = t->then) {
    t->begin = queue->ops->now(queue->transport);
    if (t->class->kind != AQ_OPERATION_NONE)
      t->number =
          __atomic_fetch_add(&queue->context->operations, 1, __ATOMIC_RELAXED);
  }
  for (;;) {
    aq_lock(queue->sync_domain, &queue->lock);
    if (aq_queue_timeline_failed_from(queue->timeline) != AQ_EPOCH_NEVER) {
      aq_unlock(queue->sync_domain, &queue->lock);
      aq_queue_poll(queue);
      return aq_diag_set(diag, queue->timeline->failed, "%s",
                         queue->timeline->cause.text);
    }
    const aq_issue_result put = task_start(queue, task, words);
    if (put == AQ_ISSUE_DONE || put == AQ_ISSUE_DEFERRED ||
        put == AQ_ISSUE_FAILED) {
      /* Everything that has to happen without the lock when a task is in, or
       * was refused: AQ_OK either way. */
      aq_task *refused = task;
      bool resume = put == AQ_ISSUE_DEFERRED;
      if (put != AQ_ISSUE_FAILED)
        resume |= chain_start(queue, task->then, words, &refused);
      const uint64_t epoch = queue->epoch;
      aq_unlock(queue->sync_domain, &queue->lock);
      if (refused)
        chain_refuse(refused,
                     words->status == AQ_OK ? AQ_ERR_QUEUE : words->status,
                     words->text);
      if (resume)
        aq_queue_resume(queue);
      if (epoch % POLL_EVERY == 0)
        aq_queue_poll(queue);
      return AQ_OK;
    }
    aq_unlock(queue->sync_domain, &queue->lock);
    if (put == AQ_ISSUE_ERROR)
      return words->status;
    aq_time never = AQ_TIME_MAX;
    status = aq_queue_progress(queue, &never, diag);
    if (status != AQ_OK)
      return status;
  }
}
