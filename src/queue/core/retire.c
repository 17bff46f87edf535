/* SPDX-License-Identifier: MIT */
/*
 * The retirer: ends epochs in their order, and hands on what waited for them.
 *
 * States of an epoch, in this order, each for all before it too:
 *
 *   issued      the submitter stored queue->epoch
 *   notified    its entries are visible: notify_ring.head, by aq_notify_publish
 *   published   its headers are in the ring
 *   complete    the device: the counter is below aq_queue_timeline_limit(N), or
 *               its flag is 0; or aq_queue_fail, which makes all look complete
 *   retired     its entries have been handled: notify_ring.tail, then
 *               queue->retired
 *
 * So retired ≤ completed ≤ epoch, and an epoch that is seen complete has all of
 * its entries. A queue that failed retires everything that is notified, rung or
 * not: nothing else will be complete.
 *
 * The role. `retire_requests` 0 → 1 takes it; a caller that finds it taken has
 * asked for another look and leaves. The holder gives it back by a compare and
 * exchange that fails if someone asked. Acquire and release at both ends order
 * one holder's plain stores (notify_ring.tail, retired, began, the places of
 * flags) before the next one's. It is entered with the retire lock of the
 * timeline, by a handler or by aq_queue_timeline_poll, or with nothing, by a
 * thread that uses the queue.
 *
 * Order of stores. Handling an entry may free memory, call back, and raise
 * semaphores; only then are the entries free (tail, release), then the
 * epoch (retired, release): a submitter that sees the epoch retired sees the
 * room. Semaphores are raised before epoch_signal_return gives the flag away,
 * since their pending signals borrow it (semaphore.c). `failed_from` is read
 * after the completion: a queue fails by storing cause, failed, failed_from and
 * then the signals, so an epoch that only seems complete is known to have
 * failed.
 *
 * Outcomes. An epoch that waited for others is complete after them, but that
 * says nothing of their outcome: one whose own wait failed is complete too. So
 * it is retired only when all points that it waited for are decided, reached or
 * failed. The retirer polls the queues that bring them; where another thread
 * does that just now, or a caller of this one, it leaves a timepoint
 * (`decision`) that polls the queue again, and the queue is not idle before.
 *
 * Failure of one epoch: a timeline that it waited for failed from that epoch
 * on, a semaphore failed, its action failed, its own queue failed. The first
 * counts, and goes to its `on_done`, its semaphores and its release. The kernel
 * arguments of an epoch that its device may still read are not returned.
 *
 * Flags. The place of an epoch has its flag from before it is issued until it
 * is retired. The retirer then leaves it there, at 1, for the epoch after next
 * lap, if it has the only reference, else it empties the place and lets go.
 * Others find the flag in its place (epoch.c, epoch_signal_of) and have to
 * expect that it is given away meanwhile: they take a reference only if there
 * still is one, and look at the place again. A queue that failed keeps its
 * flags until its ring is gone, since a packet that the device began may still
 * decrement one; the retirer stores 0 again to flags that fell below it
 * (aq_queue_poison).
 *
 * Callbacks run without the queue's lock, but perhaps with the retire lock: see
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

static void dependency_handle(ending *end, const aq_notification *entry)
{
  aq_queue_timeline *timeline = entry->object;
  if (entry->value >= aq_queue_timeline_failed_from(timeline))
    ending_fail(end, timeline->failed, timeline->cause.text);
  aq_queue_timeline_release(timeline);
}

static void waited_handle(ending *end, const aq_notification *entry)
{
  aq_semaphore *semaphore = entry->object;
  const aq_status failed = aq_semaphore_failed(semaphore);
  if (failed != AQ_OK && aq_semaphore_value(semaphore) < entry->value)
    ending_fail(end, failed, semaphore->cause.text);
  aq_semaphore_release(semaphore);
}

static void stop_handle(ending *end)
{
  const aq_queue_timeline *timeline = end->queue->timeline;
  if (end->epoch >= aq_queue_timeline_failed_from(timeline))
    ending_fail(end, timeline->failed, timeline->cause.text);
}

static void action_handle(ending *end, const aq_notification *entry)
{
  aq_task_action *action = (aq_task_action *)(uintptr_t)entry->value;
  aq_diag diag = AQ_DIAG_INIT;
  stop_handle(end);
  if (end->status != AQ_OK)
    return;
  const aq_status status = action(entry->object, &diag);
  if (status != AQ_OK)
    ending_fail(end, status, diag.text);
}

/* When the device executed it: from the first packet of its first part on. */
static void times_read(const ending *end, aq_operation_report *report)
{
  aq_queue *queue = end->queue;
  aq_epoch_signal **start =
      &queue->starts[end->epoch & (queue->notify_ring.size - 1)];
  aq_time begun, ended;
  if (end->status == AQ_OK &&
      queue->ops->dispatch_times(
          queue->transport, (*aq_queue_epoch_signal(queue, end->epoch))->signal,
          &begun, &ended) == AQ_OK) {
    report->end = ended;
    if (*start)
      queue->ops->dispatch_times(queue->transport, (*start)->signal, &begun,
                                 &ended);
    if (queue->began == AQ_TIME_NONE)
      queue->began = begun;
    report->start = queue->began;
  }
  if (!*start || end->epoch >= aq_queue_timeline_failed_from(queue->timeline))
    return; /* the device may have begun its packet */
  aq_epoch_signal_release(queue->sync_domain, *start);
  *start = NULL;
}

static void report_notify(const ending *end)
{
  aq_queue *queue = end->queue;
  aq_operation_report *report =
      &queue->reports[end->epoch & (queue->notify_ring.size - 1)];
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
static void end_handle(ending *end, const aq_notification *entry)
{
  aq_queue *queue = end->queue;
  stop_handle(end);
  if (end->epoch < aq_queue_timeline_failed_from(queue->timeline))
    __atomic_store_n(&queue->kernarg_free, entry->value, __ATOMIC_RELEASE);
  if (end->status != AQ_OK)
    __atomic_fetch_add(&queue->failures, 1, __ATOMIC_RELAXED);
  if (queue->reports)
    report_notify(end);
}

static void signal_handle(const ending *end, const aq_notification *entry)
{
  aq_semaphore *semaphore = entry->object;
  if (end->status == AQ_OK)
    aq_semaphore_advance(semaphore, entry->value);
  else
    aq_semaphore_fail(semaphore, end->status, end->cause.text);
  aq_semaphore_release(semaphore);
}

static void entry_handle(ending *end, const aq_notification *entry)
{
  switch ((aq_notification_kind)entry->kind) {
  case AQ_NOTIFY_DEPENDENCY:
    dependency_handle(end, entry);
    break;
  case AQ_NOTIFY_EPOCH_SIGNAL:
    aq_epoch_signal_release(end->queue->sync_domain, entry->object);
    break;
  case AQ_NOTIFY_WAITED:
    waited_handle(end, entry);
    break;
  case AQ_NOTIFY_ACTION:
    action_handle(end, entry);
    break;
  case AQ_NOTIFY_END:
    end_handle(end, entry);
    break;
  case AQ_NOTIFY_DONE:
    ((aq_task_done *)(uintptr_t)entry->value)(
        end->status, end->status == AQ_OK ? NULL : end->cause.text,
        entry->object);
    break;
  case AQ_NOTIFY_SIGNAL:
    signal_handle(end, entry);
    break;
  case AQ_NOTIFY_RELEASE:
    ((void (*)(aq_status, void *))(uintptr_t)entry->value)(end->status,
                                                           entry->object);
    break;
  }
}

/* Its signal is ready for the next epoch of that place, unless a queue still
 * looks at it. */
static void epoch_signal_return(aq_queue *queue, uint64_t epoch)
{
  if (!queue->flags)
    return;
  if (aq_queue_timeline_failed_from(queue->timeline) != AQ_EPOCH_NEVER)
    return; /* the device may have begun a packet that has it */
  aq_epoch_signal **place = aq_queue_epoch_signal(queue, epoch);
  aq_epoch_signal *flag = *place;
  if (__atomic_load_n(&flag->refs, __ATOMIC_ACQUIRE) == 1) {
    queue->ops->signal_store(queue->transport, flag->signal, 1, AQ_RELEASE);
    return;
  }
  __atomic_store_n(place, NULL, __ATOMIC_RELEASE);
  aq_epoch_signal_release(queue->sync_domain, flag);
}

/* Handles all notifications of one epoch. */
static void epoch_retire(aq_queue *queue, uint64_t epoch)
{
  aq_notify_ring *ring = &queue->notify_ring;
  const uint64_t head = __atomic_load_n(&ring->head, __ATOMIC_ACQUIRE);
  uint64_t at = ring->tail;
  ending end;
  end.queue = queue;
  end.epoch = epoch;
  end.status = AQ_OK;
  while (at < head) {
    const aq_notification entry = ring->entries[at & (ring->size - 1)];
    if (entry.epoch != epoch)
      break;
    at++;
    entry_handle(&end, &entry);
  }
  epoch_signal_return(queue, epoch);
  /* Release: entries may be put over these, the epoch may be asked for. */
  __atomic_store_n(&ring->tail, at, __ATOMIC_RELEASE);
  __atomic_store_n(&queue->retired, epoch, __ATOMIC_RELEASE);
}

/* ---- points that an epoch waited for ---- */

/* Its packets have ended, so every epoch that it waited for has, but its own
 * outcome is known only when those have been retired. */
static bool is_decided(const aq_notification *entry)
{
  const aq_semaphore *semaphore = entry->object;
  return aq_semaphore_value(semaphore) >= entry->value ||
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
  aq_lock(queue->sync_domain, &queue->lock);
  queue->undecided--;
  aq_queue_wake_waiters(
      queue); /* with the lock: without it, the queue may be gone */
  aq_unlock(queue->sync_domain, &queue->lock);
}

static void decision_await(aq_queue *queue, const aq_notification *entry)
{
  aq_lock(queue->sync_domain, &queue->lock);
  queue->undecided++;
  aq_unlock(queue->sync_domain, &queue->lock);
  queue->decision =
      (aq_timepoint){.value = entry->value, .reached = decision_come};
  __atomic_store_n(&queue->deciding, entry->object, __ATOMIC_RELEASE);
  aq_semaphore_add_timepoint(entry->object, &queue->decision);
}

/* The queue failed: its epochs do not wait for others any more. */
static void decision_cancel(aq_queue *queue)
{
  aq_semaphore *semaphore = __atomic_load_n(&queue->deciding, __ATOMIC_ACQUIRE);
  if (!semaphore || !aq_semaphore_cancel_timepoint(semaphore, &queue->decision))
    return;
  __atomic_store_n(&queue->deciding, NULL, __ATOMIC_RELEASE);
  aq_lock(queue->sync_domain, &queue->lock);
  queue->undecided--;
  aq_unlock(queue->sync_domain, &queue->lock);
}

/* Retires the epochs of other queues that the next epoch waited for, unless
 * another thread does. */
static void producers_poll(const aq_queue *queue, uint64_t epoch)
{
  const aq_notify_ring *ring = &queue->notify_ring;
  for (uint64_t at = ring->tail;; at++) {
    const aq_notification *entry = &ring->entries[at & (ring->size - 1)];
    if (entry->epoch != epoch || entry->kind > AQ_NOTIFY_WAITED)
      return;
    if (entry->kind == AQ_NOTIFY_DEPENDENCY)
      aq_queue_timeline_poll(entry->object);
  }
}

/* Whether all points are decided that an epoch waited for; otherwise the last
 * of them has the queue polled. */
static bool is_epoch_decided(aq_queue *queue, uint64_t epoch)
{
  const aq_notify_ring *ring = &queue->notify_ring;
  if (epoch >= aq_queue_timeline_failed_from(queue->timeline))
    return true;
  const uint64_t head = __atomic_load_n(&ring->head, __ATOMIC_ACQUIRE);
  if (__atomic_load_n(&queue->deciding, __ATOMIC_ACQUIRE))
    return false;
  for (uint64_t at = ring->tail; at < head; at++) {
    const aq_notification *entry = &ring->entries[at & (ring->size - 1)];
    if (entry->epoch != epoch || entry->kind > AQ_NOTIFY_WAITED)
      break;
    if (entry->kind != AQ_NOTIFY_WAITED || is_decided(entry))
      continue;
    producers_poll(queue, epoch);
    if (!is_decided(entry))
      aq_sync_domain_poll(queue->sync_domain); /* rule 1c: whoever they are */
    if (is_decided(entry))
      continue;
    decision_await(queue, entry);
    return false;
  }
  return true;
}

/* The last epoch to retire now: all rung ones, if the device stopped. */
static uint64_t epochs_complete(aq_queue *queue)
{
  /* In this order: a failure is stored before it makes epochs seem complete. */
  const uint64_t completed = aq_queue_completed(queue);
  if (aq_queue_timeline_failed_from(queue->timeline) == AQ_EPOCH_NEVER)
    return completed;
  const aq_notify_ring *ring = &queue->notify_ring;
  const uint64_t head = __atomic_load_n(&ring->head, __ATOMIC_ACQUIRE);
  return head == 0 ? 0 : ring->entries[(head - 1) & (ring->size - 1)].epoch;
}

static bool epochs_retire(aq_queue *queue)
{
  const uint64_t on_done = epochs_complete(queue);
  const uint64_t before = queue->retired;
  if (aq_queue_timeline_failed_from(queue->timeline) != AQ_EPOCH_NEVER) {
    aq_queue_poison(queue, 0);
    decision_cancel(queue);
  }
  while (queue->retired < on_done &&
         is_epoch_decided(queue, queue->retired + 1))
    epoch_retire(queue, queue->retired + 1);
  return queue->retired > before;
}

void aq_queue_poll(aq_queue *queue)
{
  /* Acquire and release: the stores of the last retirer are visible. */
  uint32_t asked = 1;
  if (__atomic_fetch_add(&queue->retire_requests, 1, __ATOMIC_ACQ_REL) > 0)
    return;
  bool any = false;
  do
    any |= epochs_retire(queue);
  while (!__atomic_compare_exchange_n(&queue->retire_requests, &asked, 0, false,
                                      __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
  if (any)
    aq_queue_wake_waiters(queue);
  if ((any ||
       aq_queue_timeline_failed_from(queue->timeline) != AQ_EPOCH_NEVER) &&
      __atomic_load_n(&queue->pending_count, __ATOMIC_RELAXED) > 0)
    aq_queue_resume(queue);
}
