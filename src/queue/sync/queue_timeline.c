/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "queue/sync/queue_timeline.h"

#include <sched.h>
#include <stdlib.h>

#include "queue/sync/waiter.h"

/* ---- flags ---- */

static aq_status epoch_signal_make(aq_sync_domain *sync_domain,
                                   aq_epoch_signal **out, aq_diag *diag)
{
  const bool timed = sync_domain->caps & AQ_CAP_PROFILING;
  aq_epoch_signal *flag = calloc(1, sizeof *flag);
  if (!flag)
    return aq_diag_no_memory(diag);
  aq_status status = sync_domain->ops->signal_create(
      sync_domain->transport,
      &(aq_signal_desc){.value = 1, .flags = timed ? AQ_SIGNAL_PROFILE : 0},
      &flag->signal, diag);
  if (status != AQ_OK) {
    free(flag);
    return status;
  }
  aq_lock(sync_domain, &sync_domain->lock);
  flag->next = sync_domain->flags;
  sync_domain->flags = flag;
  aq_unlock(sync_domain, &sync_domain->lock);
  *out = flag;
  return AQ_OK;
}

aq_status aq_epoch_signal_acquire(aq_sync_domain *sync_domain,
                                  aq_epoch_signal **out, aq_diag *diag)
{
  aq_lock(sync_domain, &sync_domain->lock);
  aq_epoch_signal *flag = sync_domain->free_epoch_signals;
  if (flag)
    sync_domain->free_epoch_signals = flag->next_free;
  aq_unlock(sync_domain, &sync_domain->lock);
  if (!flag) {
    aq_status status = epoch_signal_make(sync_domain, &flag, diag);
    if (status != AQ_OK)
      return status;
  } else {
    /* Not at its release: a queue that stops may still store 0. */
    sync_domain->ops->signal_store(sync_domain->transport, flag->signal, 1,
                                   AQ_RELEASE);
  }
  /* Release: a thread that finds the flag in its former place finds that place
   * empty next. */
  __atomic_store_n(&flag->refs, 1, __ATOMIC_RELEASE);
  *out = flag;
  return AQ_OK;
}

void aq_epoch_signal_release(aq_sync_domain *sync_domain, aq_epoch_signal *flag)
{
  if (aq_refs_sub(sync_domain, &flag->refs) > 0)
    return;
  aq_lock(sync_domain, &sync_domain->lock);
  flag->next_free = sync_domain->free_epoch_signals;
  sync_domain->free_epoch_signals = flag;
  aq_unlock(sync_domain, &sync_domain->lock);
}

/* ---- timelines ---- */

aq_status aq_queue_timeline_create(aq_sync_domain *sync_domain, aq_queue *queue,
                                   aq_queue_timeline_retire *retire,
                                   bool counted, aq_queue_timeline **out,
                                   aq_diag *diag)
{
  aq_queue_timeline *timeline = calloc(1, sizeof *timeline);
  if (!timeline)
    return aq_diag_no_memory(diag);
  timeline->sync_domain = sync_domain;
  timeline->queue = queue;
  timeline->retire = retire;
  timeline->refs = 1;
  timeline->failed_from = AQ_EPOCH_NEVER;
  if (counted) {
    aq_status status = sync_domain->ops->signal_create(
        sync_domain->transport, &(aq_signal_desc){.value = AQ_TIMELINE_START},
        &timeline->counter, diag);
    if (status != AQ_OK) {
      free(timeline);
      return status;
    }
  }
  pthread_mutex_init(&timeline->retire_lock, NULL);
  *out = timeline; /* before others find it, and its queue by it */
  aq_lock(sync_domain, &sync_domain->lock);
  timeline->id = sync_domain->timelines_made++;
  timeline->next = sync_domain->timelines;
  timeline->link = &sync_domain->timelines;
  if (timeline->next)
    timeline->next->link = &timeline->next;
  sync_domain->timelines = timeline;
  aq_unlock(sync_domain, &sync_domain->lock);
  return AQ_OK;
}

/* The sync domain may be gone as soon as the timeline is out of its list, so
 * this is the last use of it. */
static void timeline_free(aq_queue_timeline *timeline)
{
  aq_sync_domain *sync_domain = timeline->sync_domain;
  if (timeline->counter.handle)
    sync_domain->ops->signal_destroy(sync_domain->transport, timeline->counter);
  aq_lock(sync_domain, &sync_domain->lock);
  *timeline->link = timeline->next;
  if (timeline->next)
    timeline->next->link = timeline->link;
  aq_unlock(sync_domain, &sync_domain->lock);
  pthread_mutex_destroy(&timeline->retire_lock);
  free(timeline);
}

void aq_queue_timeline_release(aq_queue_timeline *timeline)
{
  if (aq_refs_sub(timeline->sync_domain, &timeline->refs) == 0)
    timeline_free(timeline);
}

aq_queue_timeline *aq_queue_timeline_next(aq_sync_domain *sync_domain,
                                          aq_queue_timeline *timeline)
{
  aq_lock(sync_domain, &sync_domain->lock);
  aq_queue_timeline *next = timeline ? timeline->next : sync_domain->timelines;
  while (next && !aq_refs_revive(&next->refs)) /* it is being freed */
    next = next->next;
  aq_unlock(sync_domain, &sync_domain->lock);
  if (timeline)
    aq_queue_timeline_release(timeline);
  return next;
}

void aq_queue_timeline_poll(aq_queue_timeline *timeline)
{
  if (timeline->sync_domain->live &&
      pthread_mutex_trylock(&timeline->retire_lock) != 0)
    return;
  if (timeline->queue)
    timeline->retire(timeline->queue);
  aq_unlock(timeline->sync_domain, &timeline->retire_lock);
}

void aq_queue_timeline_look(aq_queue_timeline *timeline)
{
  aq_lock(timeline->sync_domain, &timeline->retire_lock);
  if (timeline->queue)
    timeline->retire(timeline->queue);
  aq_unlock(timeline->sync_domain, &timeline->retire_lock);
}

void aq_queue_timelines_free(aq_sync_domain *sync_domain)
{
  for (aq_epoch_signal *flag = sync_domain->flags, *next; flag; flag = next) {
    next = flag->next;
    sync_domain->ops->signal_destroy(sync_domain->transport, flag->signal);
    free(flag);
  }
  /* Handlers that were never called have left references. One that runs just
   * now gives its own back before its signal can be destroyed: the timeline has
   * to outlive that. */
  for (;;) {
    aq_lock(sync_domain, &sync_domain->lock);
    aq_queue_timeline *timeline = sync_domain->timelines;
    const bool ours = timeline && aq_refs_revive(&timeline->refs);
    aq_unlock(sync_domain, &sync_domain->lock);
    if (!timeline)
      break;
    if (ours)
      timeline_free(timeline);
    else
      sched_yield(); /* it is being freed */
  }
}

/* ---- edges ---- */

void aq_epoch_release(const aq_epoch_ref *edge)
{
  if (edge->flag)
    aq_epoch_signal_release(edge->timeline->sync_domain, edge->flag);
  aq_queue_timeline_release(edge->timeline);
}

/* The epoch that it was armed for is complete. */
static bool timeline_changed(int64_t value, void *user)
{
  aq_queue_timeline *timeline = user;
  (void)value;
  aq_queue_timeline_look(timeline);
  aq_queue_timeline_release(timeline);
  return false;
}

void aq_epoch_arm(const aq_epoch_ref *edge)
{
  aq_sync_domain *sync_domain = edge->timeline->sync_domain;
  if (!aq_sync_domain_has_handlers(sync_domain))
    return;
  const aq_wait_item item = aq_epoch_item(edge);
  aq_queue_timeline_retain(edge->timeline);
  if (sync_domain->ops->signal_handler(
          sync_domain->transport, item.signal, item.condition, item.value,
          timeline_changed, edge->timeline, NULL) == AQ_OK)
    return;
  aq_queue_timeline_release(edge->timeline);
  __atomic_store_n(&sync_domain->handlers_failed, true, __ATOMIC_RELAXED);
  aq_waiters_wake(sync_domain); /* sleeping hosts look again */
}
