/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "queue/sync/waiter.h"

#include <stdlib.h>

static aq_status waiter_make(aq_sync_domain *sync_domain, aq_waiter **out,
                             aq_diag *diag)
{
  aq_waiter *waiter = calloc(1, sizeof *waiter);
  if (!waiter)
    return aq_diag_no_memory(diag);
  aq_status status = sync_domain->ops->signal_create(
      sync_domain->transport, &(aq_signal_desc){0}, &waiter->signal, diag);
  if (status != AQ_OK) {
    free(waiter);
    return status;
  }
  aq_lock(sync_domain, &sync_domain->lock);
  waiter->next = sync_domain->waiters;
  sync_domain->waiters = waiter;
  aq_unlock(sync_domain, &sync_domain->lock);
  *out = waiter;
  return AQ_OK;
}

aq_status aq_waiter_acquire(aq_sync_domain *sync_domain, aq_waiter **out,
                            aq_diag *diag)
{
  aq_lock(sync_domain, &sync_domain->lock);
  aq_waiter *waiter = sync_domain->free_waiters;
  if (waiter)
    sync_domain->free_waiters = waiter->next_free;
  aq_unlock(sync_domain, &sync_domain->lock);
  if (!waiter)
    return waiter_make(sync_domain, out, diag);
  *out = waiter;
  return AQ_OK;
}

void aq_waiter_release(aq_sync_domain *sync_domain, aq_waiter *waiter)
{
  if (!waiter)
    return;
  aq_lock(sync_domain, &sync_domain->lock);
  waiter->next_free = sync_domain->free_waiters;
  sync_domain->free_waiters = waiter;
  aq_unlock(sync_domain, &sync_domain->lock);
}

void aq_waiter_wake(const aq_sync_domain *sync_domain, const aq_waiter *waiter)
{
  sync_domain->ops->signal_update(sync_domain->transport, waiter->signal,
                                  AQ_UPDATE_ADD, 1, 0, AQ_RELEASE);
}

aq_wait_item aq_waiter_item(const aq_sync_domain *sync_domain,
                            const aq_waiter *waiter)
{
  return (aq_wait_item){waiter->signal, AQ_NE,
                        sync_domain->ops->signal_load(sync_domain->transport,
                                                      waiter->signal,
                                                      AQ_ACQUIRE)};
}

void aq_waiters_wake(aq_sync_domain *sync_domain)
{
  aq_lock(sync_domain, &sync_domain->lock);
  const aq_waiter *first = sync_domain->waiters;
  aq_unlock(sync_domain, &sync_domain->lock);
  /* Those behind the first stay as they are while the sync domain lives. */
  for (const aq_waiter *waiter = first; waiter; waiter = waiter->next)
    aq_waiter_wake(sync_domain, waiter);
}

void aq_waiters_free(aq_sync_domain *sync_domain)
{
  for (aq_waiter *waiter = sync_domain->waiters, *next; waiter; waiter = next) {
    next = waiter->next;
    sync_domain->ops->signal_destroy(sync_domain->transport, waiter->signal);
    free(waiter);
  }
}
