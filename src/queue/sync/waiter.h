/* SPDX-License-Identifier: MIT */
/*
 * Waiters: where a host thread sleeps until a change that no signal of an epoch
 * shows: a value promised, reached, or failed; a queue that resumed. The thread
 * that makes the change rings that waiter and no other.
 *
 * Ownership: the sync domain's; they are used again. Thread rule: any thread.
 * Ordering: a waiter that finds the value changed sees all stores before the
 * ring.
 */
#ifndef AQ_QUEUE_SYNC_WAITER_H
#define AQ_QUEUE_SYNC_WAITER_H

#include "queue/sync/context_priv.h"

struct aq_waiter {
  aq_signal signal; /* rises with each ring */
  aq_waiter *next;  /* of all */
  aq_waiter *next_free;
};

/* A waiter for the caller alone, until it is released. */
aq_status aq_waiter_acquire(aq_sync_domain *sync_domain, aq_waiter **out,
                            aq_diag *diag);

/* A later ring wakes the next user, which looks and sleeps again. NULL is
 * allowed.
 */
void aq_waiter_release(aq_sync_domain *sync_domain, aq_waiter *waiter);

/* Wakes the thread that sleeps there. */
void aq_waiter_wake(const aq_sync_domain *sync_domain, const aq_waiter *waiter);

/* The item to wait for, taken before looking at the awaited state. */
aq_wait_item aq_waiter_item(const aq_sync_domain *sync_domain,
                            const aq_waiter *waiter);

void aq_waiters_wake(aq_sync_domain *sync_domain); /* all of them */
void aq_waiters_free(aq_sync_domain *sync_domain);

#endif
