/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "queue/sync/sync_domain.h"

#include <stdlib.h>

#include "queue/sync/queue_timeline.h"
#include "queue/sync/waiter.h"

/* A transport has no place for what its contexts share, and a table of
 * operations from outside of the tree none either: so the process knows. */
static struct {
  pthread_mutex_t lock;
  aq_sync_domain *first;
} sync_domains = {.lock = PTHREAD_MUTEX_INITIALIZER};

static aq_sync_domain *sync_domain_make(aq_transport *transport,
                                        const aq_transport_info *info)
{
  aq_sync_domain *sync_domain = calloc(1, sizeof *sync_domain);
  if (!sync_domain)
    return NULL;
  sync_domain->transport = transport;
  sync_domain->ops = transport->ops;
  sync_domain->caps = info->caps;
  sync_domain->live = info->caps & AQ_CAP_LIVE;
  pthread_mutex_init(&sync_domain->lock, NULL);
  sync_domain->next = sync_domains.first;
  sync_domains.first = sync_domain;
  return sync_domain;
}

aq_status aq_sync_domain_acquire(aq_transport *transport,
                                 const aq_transport_info *info,
                                 aq_sync_domain **out, aq_diag *diag)
{
  pthread_mutex_lock(&sync_domains.lock);
  aq_sync_domain *sync_domain = sync_domains.first;
  while (sync_domain && sync_domain->transport != transport)
    sync_domain = sync_domain->next;
  if (!sync_domain)
    sync_domain = sync_domain_make(transport, info);
  if (sync_domain)
    sync_domain->refs++;
  pthread_mutex_unlock(&sync_domains.lock);
  if (!sync_domain)
    return aq_diag_no_memory(diag);
  *out = sync_domain;
  return AQ_OK;
}

/* Gives a reference back; the last one takes it out of the list, where another
 * transport at the same address would find it. Whether to free it. */
static bool sync_domain_leave(aq_sync_domain *sync_domain, bool abandon)
{
  pthread_mutex_lock(&sync_domains.lock);
  sync_domain->abandoned |= abandon;
  const bool last = --sync_domain->refs == 0;
  if (last) {
    aq_sync_domain **link = &sync_domains.first;
    while (*link != sync_domain)
      link = &(*link)->next;
    *link = sync_domain->next;
  }
  const bool ours = last && !sync_domain->abandoned;
  pthread_mutex_unlock(&sync_domains.lock);
  return ours;
}

void aq_sync_domain_abandon(aq_sync_domain *sync_domain)
{
  sync_domain_leave(sync_domain, true);
}

void aq_sync_domain_release(aq_sync_domain *sync_domain)
{
  if (!sync_domain || !sync_domain_leave(sync_domain, false))
    return;
  aq_queue_timelines_free(sync_domain);
  aq_waiters_free(sync_domain);
  pthread_mutex_destroy(&sync_domain->lock);
  free(sync_domain);
}

void aq_sync_domain_poll(aq_sync_domain *sync_domain)
{
  for (aq_queue_timeline *timeline = aq_queue_timeline_next(sync_domain, NULL);
       timeline; timeline = aq_queue_timeline_next(sync_domain, timeline))
    aq_queue_timeline_poll(timeline);
}

enum { LOOKS_APART = 10 }; /* ms */

/* Until when a host sleeps before it looks again. */
static aq_time sleep_end(const aq_sync_domain *sync_domain, aq_time deadline)
{
  if (!sync_domain->live || aq_sync_domain_has_reliable_handlers(sync_domain))
    return deadline;
  const aq_time next =
      sync_domain->ops->now(sync_domain->transport) + LOOKS_APART * AQ_MS;
  return next < deadline ? next : deadline;
}

aq_status aq_sync_domain_sleep(aq_sync_domain *sync_domain,
                               aq_wait_request *request, aq_time *deadline,
                               aq_diag *diag)
{
  request->deadline = sleep_end(sync_domain, *deadline);
  const aq_status status =
      sync_domain->ops->wait(sync_domain->transport, request, NULL, diag);
  if (status != AQ_ERR_TIMEOUT || request->deadline == *deadline)
    return status;
  const aq_time ahead =
      request->deadline - sync_domain->ops->now(sync_domain->transport);
  if (*deadline != AQ_TIME_MAX && ahead > 0)
    *deadline -= ahead;
  return AQ_OK;
}
