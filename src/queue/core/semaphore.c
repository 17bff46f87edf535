/* SPDX-License-Identifier: MIT */
/*
 * Semaphores: a value that rises, the epochs that will raise it, its waiters.
 *
 * States. `value` and `pending_signal` only rise, and value ≤ promised. A
 * semaphore that failed stays so: `value` stays where it was, and reached
 * values stay reached. `cause` is stored before `failed` (release), so a reader
 * of `failed` (acquire) may read the cause without the lock; likewise a reader
 * of a value sees all stores of the thread before it raised the value.
 *
 *   promise (after, value]   an epoch of a queue brings these values; the last
 *                            four are known, older ones forgotten
 *   producers                the last epoch of each queue that promised one;
 *                            an entry without a place makes it overflow, and
 *                            then nothing is concluded from it any more
 *   timepoint                waits in the list, by value → taken out, with the
 *                            lock → called, once, without it
 *
 * Owners. A pending signal borrows its timeline and flag: it has to go before
 * they do, so a retirer raises or fails the semaphores of an epoch before it
 * gives the flag back, and aq_semaphore_advance prunes with the lock. A failed
 * semaphore keeps no pending signal. Timepoints are memory of the caller, which
 * may reuse it as soon as it is called: the list is cut first, and the next one
 * read before each call. aq_semaphore_cancel_timepoint returns false if the
 * call has been or is about to be made by another thread; its owner has to wait
 * for that call.
 *
 * Locks. The semaphore's is taken with that of a queue or none, and inside of
 * it the sync domain's or the transport's: aq_epoch_arm adds a handler with it,
 * so a transport must never call a handler on the stack of its adder.
 * `pending_signal` of a timepoint is called with it too, and may only ring a
 * waiter.
 *
 * Waiting hosts (semaphore_wait.c). A host reads its waiter's value (acquire)
 * before it looks at the points, and sleeps only while that has not changed; a
 * thread that changed something rings the waiter afterwards (release). So a
 * change is seen in the look, or ends the sleep. Seats are used again: a late
 * ring wakes the next user, which looks and sleeps again. `notified` counts the
 * calls that have ended, since the timepoints lie on the host's stack.
 *
 * Failure. Without memory a handler is not armed: the sync domain is
 * `handlers_failed`, and hosts that wait look at all queues from then on. The
 * last release fails what still waits. Nothing is left behind.
 */
#include "config.h"

#include "queue/sync/semaphore_priv.h"

#include <stdlib.h>
#include <string.h>

#include "queue/core/submit_hooks_priv.h"
#include "queue/queue.h"

aq_status aq_semaphore_make(aq_context *context, uint64_t value, uint32_t flags,
                            aq_semaphore **out, aq_diag *diag)
{
  aq_semaphore *semaphore = calloc(1, sizeof *semaphore);
  if (!semaphore)
    return aq_diag_no_memory(diag);
  semaphore->context = context;
  semaphore->sync_domain = context->sync_domain;
  semaphore->refs = 1;
  semaphore->flags = flags;
  semaphore->value = semaphore->pending_signal = value;
  semaphore->failed = AQ_OK;
  pthread_mutex_init(&semaphore->lock, NULL);
  *out = semaphore;
  return AQ_OK;
}

aq_status aq_semaphore_create(aq_context *context, uint64_t value,
                              uint32_t flags, aq_semaphore **out, aq_diag *diag)
{
  aq_status status = aq_semaphore_make(context, value, flags, out, diag);
  if (status == AQ_OK)
    aq_submit_hooks_notify(
        context, &(aq_submit_event){.kind = AQ_SUBMIT_SEMAPHORE,
                                    .points = &(aq_point){*out, value},
                                    .count = 1,
                                    .flags = flags});
  return status;
}

aq_semaphore *aq_semaphore_retain(aq_semaphore *semaphore)
{
  aq_refs_add(semaphore->sync_domain, &semaphore->refs);
  return semaphore;
}

void aq_semaphore_release(aq_semaphore *semaphore)
{
  if (!semaphore || aq_refs_sub(semaphore->sync_domain, &semaphore->refs) > 0)
    return;
  /* No thread can signal its remaining waiters any more. */
  aq_semaphore_fail(semaphore, AQ_ERR_NOT_FOUND, "the semaphore is gone");
  pthread_mutex_destroy(&semaphore->lock);
  free(semaphore);
}

aq_status aq_semaphore_failure(const aq_semaphore *semaphore, aq_diag *diag)
{
  return aq_diag_set(diag, semaphore->cause.status, "%s",
                     semaphore->cause.text);
}

/* ---- promises ---- */

const aq_pending_signal *
aq_semaphore_find_pending_signal(const aq_semaphore *semaphore, uint64_t value)
{
  for (uint32_t i = 0; i < semaphore->pending_signal_count; i++) {
    const aq_pending_signal *pending =
        aq_semaphore_pending_signal_at(semaphore, i);
    if (pending->after < value && value <= pending->value)
      return pending;
  }
  return NULL;
}

static void pending_signal_arm(const aq_pending_signal *pending)
{
  /* Without a handler, the waiter looks on its own. */
  aq_epoch_arm(
      &(aq_epoch_ref){pending->timeline, pending->epoch, pending->flag});
}

void aq_semaphore_add_pending_signal(aq_semaphore *semaphore,
                                     const aq_pending_signal *pending,
                                     const aq_frontier *frontier)
{
  aq_lock(semaphore->sync_domain, &semaphore->lock);
  if (semaphore->producers.count == AQ_FRONTIER_AXES)
    aq_sync_domain_prune(semaphore->sync_domain, &semaphore->producers);
  aq_frontier_add(&semaphore->producers, pending->timeline->id, pending->epoch);
  semaphore->hosted |= pending->host;
  if (pending->value > semaphore->pending_signal &&
      aq_semaphore_failed(semaphore) == AQ_OK) {
    const uint64_t after = semaphore->pending_signal;
    aq_pending_signal *last =
        &semaphore->pending_signals[++semaphore->pending_signal_last %
                                    AQ_PENDING_SIGNALS];
    *last = *pending;
    last->after = after;
    semaphore->pending_signal_count +=
        semaphore->pending_signal_count < AQ_PENDING_SIGNALS;
    semaphore->pending_signal = pending->value;
    semaphore->frontier.count = 0;
    if (frontier)
      aq_frontier_copy(&semaphore->frontier, frontier);
    /* Waiters for one of its values now know the epoch that brings it. */
    bool armed = false;
    for (aq_timepoint *t = semaphore->waiting; t && t->value <= pending->value;
         t = t->next) {
      if (t->value <= after)
        continue;
      if (t->pending_signal) {
        t->pending_signal(t);
      } else if (!armed) {
        pending_signal_arm(pending);
        armed = true;
      }
    }
  }
  aq_unlock(semaphore->sync_domain, &semaphore->lock);
}

/* ---- values ---- */

static void timepoints_notify(aq_timepoint *first, aq_status status,
                              const char *cause)
{
  while (first) {
    aq_timepoint *next = first->next;
    first->reached(first, status, cause);
    first = next;
  }
}

void aq_semaphore_advance(aq_semaphore *semaphore, uint64_t value)
{
  aq_timepoint *notified = NULL;
  aq_lock(semaphore->sync_domain, &semaphore->lock);
  if (value > semaphore->value && aq_semaphore_failed(semaphore) == AQ_OK) {
    __atomic_store_n(&semaphore->value, value, __ATOMIC_RELEASE);
    if (value > semaphore->pending_signal)
      semaphore->pending_signal = value;
    aq_timepoint **end = &semaphore->waiting;
    while (*end && (*end)->value <= value)
      end = &(*end)->next;
    if (end != &semaphore->waiting) {
      notified = semaphore->waiting;
      semaphore->waiting = *end;
      *end = NULL;
    }
  }
  /* The last pending signals whose value is not reached stay. */
  while (semaphore->pending_signal_count > 0 &&
         aq_semaphore_pending_signal_at(semaphore,
                                        semaphore->pending_signal_count - 1)
                 ->value <= semaphore->value)
    semaphore->pending_signal_count--;
  aq_unlock(semaphore->sync_domain, &semaphore->lock);
  timepoints_notify(notified, AQ_OK, NULL);
}

void aq_semaphore_fail(aq_semaphore *semaphore, aq_status cause,
                       const char *text)
{
  aq_timepoint *notified = NULL;
  aq_lock(semaphore->sync_domain, &semaphore->lock);
  const bool first = aq_semaphore_failed(semaphore) == AQ_OK;
  if (first) {
    aq_diag_set(&semaphore->cause, cause, "%s", text);
    notified = semaphore->waiting;
    semaphore->waiting = NULL;
    semaphore->pending_signal_count = 0;
    __atomic_store_n(&semaphore->failed, (uint32_t)cause, __ATOMIC_RELEASE);
  }
  aq_unlock(semaphore->sync_domain, &semaphore->lock);
  timepoints_notify(notified, cause, semaphore->cause.text);
}

aq_status aq_semaphore_signal(aq_semaphore *semaphore, uint64_t value,
                              aq_diag *diag)
{
  aq_status status = aq_semaphore_failed(semaphore);
  if (status != AQ_OK)
    return aq_semaphore_failure(semaphore, diag);
  const uint64_t now = aq_semaphore_value(semaphore);
  if (value <= now)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "signal %llu: the semaphore is at %llu and values rise",
                       (unsigned long long)value, (unsigned long long)now);
  aq_submit_hooks_notify(
      semaphore->context,
      &(aq_submit_event){.kind = AQ_SUBMIT_SIGNAL,
                         .points = &(aq_point){semaphore, value},
                         .count = 1});
  aq_semaphore_advance(semaphore, value);
  return AQ_OK;
}

/* ---- timepoints ---- */

void aq_semaphore_add_timepoint(aq_semaphore *semaphore,
                                aq_timepoint *timepoint)
{
  aq_lock(semaphore->sync_domain, &semaphore->lock);
  const aq_status failed = aq_semaphore_failed(semaphore);
  const bool reached = timepoint->value <= semaphore->value;
  if (!reached && failed == AQ_OK) {
    aq_timepoint **link = &semaphore->waiting;
    while (*link && (*link)->value <= timepoint->value)
      link = &(*link)->next;
    timepoint->next = *link;
    *link = timepoint;
    const aq_pending_signal *pending =
        aq_semaphore_find_pending_signal(semaphore, timepoint->value);
    if (timepoint->pending_signal)
      pending = NULL;
    else if (pending)
      pending_signal_arm(pending);
    else if (semaphore->pending_signal_count > 0 &&
             timepoint->value <= semaphore->pending_signal)
      pending_signal_arm(aq_semaphore_pending_signal_at(
          semaphore, semaphore->pending_signal_count - 1));
  }
  aq_unlock(semaphore->sync_domain, &semaphore->lock);
  if (reached)
    timepoint->reached(timepoint, AQ_OK, NULL);
  else if (failed != AQ_OK)
    timepoint->reached(timepoint, failed, semaphore->cause.text);
}

bool aq_semaphore_cancel_timepoint(aq_semaphore *semaphore,
                                   aq_timepoint *timepoint)
{
  aq_lock(semaphore->sync_domain, &semaphore->lock);
  aq_timepoint **link = &semaphore->waiting;
  while (*link && *link != timepoint)
    link = &(*link)->next;
  const bool found = *link != NULL;
  if (found)
    *link = timepoint->next;
  aq_unlock(semaphore->sync_domain, &semaphore->lock);
  return found;
}
