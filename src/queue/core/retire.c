/* SPDX-License-Identifier: MIT */
/*
 * The retirer: ends epochs in their order, and hands on what waited for them.
 *
 * States of an epoch, in this order, each for all before it too:
 *
 *   issued      the submitter stored queue->epoch
 *   notified    its entries are visible: due.head, by aq_due_tell
 *   published   its headers are in the ring
 *   complete    the device: the counter is below aq_axis_limit(N), or its flag
 *               is 0; or aq_queue_fail, which makes all look complete
 *   retired     its entries have been handled: due.tail, then queue->retired
 *
 * So retired ≤ completed ≤ epoch, and an epoch that is seen complete has all of
 * its entries. A queue that failed retires everything that is notified, rung or
 * not: nothing else will be complete.
 *
 * The role. `polls` 0 → 1 takes it; a caller that finds it taken has asked for
 * another look and leaves. The holder gives it back by a compare and exchange
 * that fails if someone asked. Acquire and release at both ends order one
 * holder's plain stores (due.tail, retired, began, the places of flags) before
 * the next one's. It is entered with the gate of the axis, by a handler or by
 * aq_axis_poll, or with nothing, by a thread that uses the queue.
 *
 * Order of stores. Handling an entry may free memory, call back, and raise
 * semaphores; only then are the entries free (tail, release), then the
 * epoch (retired, release): a submitter that sees the epoch retired sees the
 * room. Semaphores are raised before flag_return gives the flag away, since
 * their promises borrow it (semaphore.c). `failed_from` is read after the
 * completion: a queue fails by storing cause, failed, failed_from and then the
 * signals, so an epoch that only seems complete is known to have failed.
 *
 * Outcomes. An epoch that waited for others is complete after them, but that
 * says nothing of their outcome: one whose own wait failed is complete too. So
 * it is retired only when all points that it waited for are decided, reached or
 * failed. The retirer polls the queues that bring them; where another thread
 * does that just now, or a caller of this one, it leaves a timepoint
 * (`decision`) that polls the queue again, and the queue is not idle before.
 *
 * Failure of one epoch: an axis that it waited for failed from that epoch on, a
 * semaphore failed, its action failed, its own queue failed. The first counts,
 * and goes to its `over`, its semaphores and its release. The kernel arguments
 * of an epoch that its device may still read are not returned.
 *
 * Flags. The place of an epoch has its flag from before it is issued until it
 * is retired. The retirer then leaves it there, at 1, for the epoch after next
 * lap, if it has the only reference, else it empties the place and lets go.
 * Others find the flag in its place (epoch.c, flag_of) and have to expect that
 * it is given away meanwhile: they take a reference only if there still is one,
 * and look at the place again.
 *
 * Callbacks run without the queue's lock, but perhaps with the gate: see
 * queue_priv.h for the calls that they may make. A callback that polls its own
 * queue finds the role taken, so nothing is retired from inside of it.
 */
#include "config.h"

#include <string.h>

#include "queue/core/operation_rows.h"
#include "queue/core/queue_priv.h"

/* ---- notifications ---- */

/* The epoch that is being retired, and what became of it. */
typedef struct ending {
  aq_queue *queue;
  uint64_t epoch;
  aq_status status;
  aq_diag cause;
} ending;

static void ending_fail(ending *end, aq_status status, const char *cause)
{
  if (end->status != AQ_OK)
    return;
  end->status = status;
  aq_diag_set(&end->cause, status, "%s", cause);
}

static void edge_due(ending *end, const aq_due *due)
{
  aq_axis *axis = due->object;
  if (due->value >= aq_axis_failed_from(axis))
    ending_fail(end, axis->failed, axis->cause.text);
  aq_axis_release(axis);
}

static void waited_due(ending *end, const aq_due *due)
{
  aq_semaphore *semaphore = due->object;
  const aq_status failed = aq_semaphore_failed(semaphore);
  if (failed != AQ_OK && aq_semaphore_value(semaphore) < due->value)
    ending_fail(end, failed, semaphore->cause.text);
  aq_semaphore_release(semaphore);
}

static void stop_due(ending *end)
{
  const aq_axis *axis = end->queue->axis;
  if (end->epoch >= aq_axis_failed_from(axis))
    ending_fail(end, axis->failed, axis->cause.text);
}

static void action_due(ending *end, const aq_due *due)
{
  aq_task_action *action = (aq_task_action *)(uintptr_t)due->value;
  aq_diag diag = AQ_DIAG_INIT;
  stop_due(end);
  if (end->status != AQ_OK)
    return;
  const aq_status status = action(due->object, &diag);
  if (status != AQ_OK)
    ending_fail(end, status, diag.text);
}

/* When the device executed it: from the first packet of its first part on. */
static void times_read(const ending *end, aq_operation_report *report)
{
  aq_queue *queue = end->queue;
  aq_flag **start = &queue->starts[end->epoch & (queue->due.size - 1)];
  aq_time begun, ended;
  if (end->status == AQ_OK &&
      queue->ops->dispatch_times(queue->transport,
                                 (*aq_queue_flag(queue, end->epoch))->signal,
                                 &begun, &ended) == AQ_OK) {
    report->end = ended;
    if (*start)
      queue->ops->dispatch_times(queue->transport, (*start)->signal, &begun,
                                 &ended);
    if (queue->began == AQ_TIME_NONE)
      queue->began = begun;
    report->start = queue->began;
  }
  if (*start)
    aq_flag_release(queue->hub, *start);
  *start = NULL;
}

static void report_tell(const ending *end)
{
  aq_queue *queue = end->queue;
  aq_operation_report *report =
      &queue->reports[end->epoch & (queue->due.size - 1)];
  report->start = report->end = AQ_TIME_NONE;
  if (queue->options.profile)
    times_read(end, report);
  if (report->operation == AQ_OPERATION_NONE)
    return;
  report->retired = queue->ops->now(queue->transport);
  report->status = end->status;
  queue->began = AQ_TIME_NONE;
  if (queue->options.report)
    queue->options.report(report, queue->options.user);
  if (queue->context->rows)
    aq_operation_rows_add(queue->context->rows, queue->row_device,
                          queue->row_queue, report);
}

/* The packets have ended: their resources are free. */
static void end_due(ending *end, const aq_due *due)
{
  aq_queue *queue = end->queue;
  stop_due(end);
  if (end->epoch < aq_axis_failed_from(queue->axis))
    __atomic_store_n(&queue->kernarg_free, due->value, __ATOMIC_RELEASE);
  if (end->status != AQ_OK)
    __atomic_fetch_add(&queue->failures, 1, __ATOMIC_RELAXED);
  if (queue->reports)
    report_tell(end);
}

static void signal_due(const ending *end, const aq_due *due)
{
  aq_semaphore *semaphore = due->object;
  if (end->status == AQ_OK)
    aq_semaphore_reach(semaphore, due->value);
  else
    aq_semaphore_fail(semaphore, end->status, end->cause.text);
  aq_semaphore_release(semaphore);
}

static void due_work(ending *end, const aq_due *due)
{
  switch ((aq_due_kind)due->kind) {
  case AQ_DUE_EDGE:
    edge_due(end, due);
    break;
  case AQ_DUE_FLAG:
    aq_flag_release(end->queue->hub, due->object);
    break;
  case AQ_DUE_WAITED:
    waited_due(end, due);
    break;
  case AQ_DUE_ACTION:
    action_due(end, due);
    break;
  case AQ_DUE_END:
    end_due(end, due);
    break;
  case AQ_DUE_OVER:
    ((aq_task_over *)(uintptr_t)due->value)(
        end->status, end->status == AQ_OK ? NULL : end->cause.text,
        due->object);
    break;
  case AQ_DUE_SIGNAL:
    signal_due(end, due);
    break;
  case AQ_DUE_RELEASE:
    ((void (*)(aq_status, void *))(uintptr_t)due->value)(end->status,
                                                         due->object);
    break;
  }
}

/* Its signal is ready for the next epoch of that place, unless a queue still
 * looks at it. */
static void flag_return(aq_queue *queue, uint64_t epoch)
{
  if (!queue->flags)
    return;
  aq_flag **place = aq_queue_flag(queue, epoch);
  aq_flag *flag = *place;
  if (__atomic_load_n(&flag->refs, __ATOMIC_ACQUIRE) == 1) {
    queue->ops->signal_store(queue->transport, flag->signal, 1, AQ_RELEASE);
    return;
  }
  __atomic_store_n(place, NULL, __ATOMIC_RELEASE);
  aq_flag_release(queue->hub, flag);
}

/* Handles all notifications of one epoch. */
static void epoch_retire(aq_queue *queue, uint64_t epoch)
{
  aq_due_ring *ring = &queue->due;
  const uint64_t head = __atomic_load_n(&ring->head, __ATOMIC_ACQUIRE);
  uint64_t at = ring->tail;
  ending end;
  end.queue = queue;
  end.epoch = epoch;
  end.status = AQ_OK;
  while (at < head) {
    const aq_due due = ring->entries[at & (ring->size - 1)];
    if (due.epoch != epoch)
      break;
    at++;
    due_work(&end, &due);
  }
  flag_return(queue, epoch);
  /* Release: entries may be put over these, the epoch may be asked for. */
  __atomic_store_n(&ring->tail, at, __ATOMIC_RELEASE);
  __atomic_store_n(&queue->retired, epoch, __ATOMIC_RELEASE);
}

/* ---- points that an epoch waited for ---- */

/* Its packets have ended, so every epoch that it waited for has, but its own
 * outcome is known only when those have been retired. */
static bool is_decided(const aq_due *due)
{
  const aq_semaphore *semaphore = due->object;
  return aq_semaphore_value(semaphore) >= due->value ||
         aq_semaphore_failed(semaphore) != AQ_OK;
}

/* Another thread has retired an epoch that the next one waited for. */
static void decision_come(aq_timepoint *timepoint, aq_status status,
                          const char *cause)
{
  aq_queue *queue =
      (aq_queue *)(void *)((char *)timepoint - offsetof(aq_queue, decision));
  (void)status, (void)cause; /* the retirer looks at the semaphore */
  __atomic_store_n(&queue->deciding, NULL, __ATOMIC_RELEASE);
  aq_queue_poll(queue);
  aq_lock(queue->hub, &queue->lock);
  queue->undecided--;
  aq_queue_tell(queue); /* with the lock: without it, the queue may be gone */
  aq_unlock(queue->hub, &queue->lock);
}

static void decision_await(aq_queue *queue, const aq_due *due)
{
  aq_lock(queue->hub, &queue->lock);
  queue->undecided++;
  aq_unlock(queue->hub, &queue->lock);
  queue->decision =
      (aq_timepoint){.value = due->value, .reached = decision_come};
  __atomic_store_n(&queue->deciding, due->object, __ATOMIC_RELEASE);
  aq_semaphore_watch(due->object, &queue->decision);
}

/* The queue failed: its epochs do not wait for others any more. */
static void decision_cancel(aq_queue *queue)
{
  aq_semaphore *semaphore = __atomic_load_n(&queue->deciding, __ATOMIC_ACQUIRE);
  if (!semaphore || !aq_semaphore_unwatch(semaphore, &queue->decision))
    return;
  __atomic_store_n(&queue->deciding, NULL, __ATOMIC_RELEASE);
  aq_lock(queue->hub, &queue->lock);
  queue->undecided--;
  aq_unlock(queue->hub, &queue->lock);
}

/* Retires the epochs of other queues that the next epoch waited for, unless
 * another thread does. */
static void producers_poll(const aq_queue *queue, uint64_t epoch)
{
  const aq_due_ring *ring = &queue->due;
  for (uint64_t at = ring->tail;; at++) {
    const aq_due *due = &ring->entries[at & (ring->size - 1)];
    if (due->epoch != epoch || due->kind > AQ_DUE_WAITED)
      return;
    if (due->kind == AQ_DUE_EDGE)
      aq_axis_poll(due->object);
  }
}

/* Whether all points are decided that an epoch waited for; otherwise the last
 * of them has the queue polled. */
static bool is_epoch_decided(aq_queue *queue, uint64_t epoch)
{
  const aq_due_ring *ring = &queue->due;
  if (epoch >= aq_axis_failed_from(queue->axis))
    return true;
  const uint64_t head = __atomic_load_n(&ring->head, __ATOMIC_ACQUIRE);
  if (__atomic_load_n(&queue->deciding, __ATOMIC_ACQUIRE))
    return false;
  for (uint64_t at = ring->tail; at < head; at++) {
    const aq_due *due = &ring->entries[at & (ring->size - 1)];
    if (due->epoch != epoch || due->kind > AQ_DUE_WAITED)
      break;
    if (due->kind != AQ_DUE_WAITED || is_decided(due))
      continue;
    producers_poll(queue, epoch);
    if (!is_decided(due))
      aq_hub_poll(queue->hub); /* rule 1c: whoever they are */
    if (is_decided(due))
      continue;
    decision_await(queue, due);
    return false;
  }
  return true;
}

/* The last epoch to retire now: all rung ones, if the device stopped. */
static uint64_t epochs_over(aq_queue *queue)
{
  /* In this order: a failure is stored before it makes epochs seem complete. */
  const uint64_t completed = aq_queue_completed(queue);
  if (aq_axis_failed_from(queue->axis) == AQ_EPOCH_NEVER)
    return completed;
  const aq_due_ring *ring = &queue->due;
  const uint64_t head = __atomic_load_n(&ring->head, __ATOMIC_ACQUIRE);
  return head == 0 ? 0 : ring->entries[(head - 1) & (ring->size - 1)].epoch;
}

static bool epochs_retire(aq_queue *queue)
{
  const uint64_t over = epochs_over(queue);
  const uint64_t before = queue->retired;
  if (aq_axis_failed_from(queue->axis) != AQ_EPOCH_NEVER)
    decision_cancel(queue);
  while (queue->retired < over && is_epoch_decided(queue, queue->retired + 1))
    epoch_retire(queue, queue->retired + 1);
  return queue->retired > before;
}

void aq_queue_poll(aq_queue *queue)
{
  /* Acquire and release: the stores of the last retirer are visible. */
  uint32_t asked = 1;
  if (__atomic_fetch_add(&queue->polls, 1, __ATOMIC_ACQ_REL) > 0)
    return;
  bool any = false;
  do
    any |= epochs_retire(queue);
  while (!__atomic_compare_exchange_n(&queue->polls, &asked, 0, false,
                                      __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
  if (any)
    aq_queue_tell(queue);
  if ((any || aq_axis_failed_from(queue->axis) != AQ_EPOCH_NEVER) &&
      __atomic_load_n(&queue->parked_count, __ATOMIC_RELAXED) > 0)
    aq_queue_resume(queue);
}
