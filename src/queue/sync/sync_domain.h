/* SPDX-License-Identifier: MIT */
/*
 * A sync domain: what all contexts of one open transport share, so that a
 * semaphore of any of them orders queues of all: the timelines and flags by
 * which queues see each other's epochs, and the waiters of hosts that wait.
 *
 * Contexts find the sync domain of their transport by its address and keep it
 * by counted references; the last one takes it out of the list and frees it,
 * unless a context gave up on work that may still use it. Thread rule: any
 * thread. Where one thread drives the transport, nothing of it is locked.
 */
#ifndef AQ_QUEUE_SYNC_SYNC_DOMAIN_H
#define AQ_QUEUE_SYNC_SYNC_DOMAIN_H

#include <pthread.h>

#include "common/transport.h"

typedef struct aq_queue_timeline aq_queue_timeline;
typedef struct aq_epoch_signal aq_epoch_signal;
typedef struct aq_waiter aq_waiter;
typedef struct aq_sync_domain aq_sync_domain;

struct aq_sync_domain {
  aq_sync_domain *next; /* of all that are open */
  uint32_t refs;
  bool abandoned; /* a context gave up on work that uses it */
  aq_transport *transport;
  const aq_transport_ops *ops;
  uint32_t caps;
  bool live;            /* more than one thread may come */
  bool handlers_failed; /* atomic: one could not be made, or a queue failed */
  pthread_mutex_t lock; /* of the lists below */
  aq_queue_timeline *timelines;                /* all that live */
  aq_epoch_signal *flags, *free_epoch_signals; /* all, and those not in use */
  aq_waiter *waiters, *free_waiters;           /* all, and the unused ones */
  uint32_t timelines_made;
  uint64_t cooperative; /* by device: its cooperative queue is in use */
};

enum { AQ_COOPERATIVE_DEVICES = 64 };

/* The sync domain of a transport, made by the first caller. */
aq_status aq_sync_domain_acquire(aq_transport *transport,
                                 const aq_transport_info *info,
                                 aq_sync_domain **out, aq_diag *diag);
void aq_sync_domain_release(aq_sync_domain *sync_domain); /* NULL is allowed */

/* The same while work that never ends may still use it: stays in memory. */
void aq_sync_domain_abandon(aq_sync_domain *sync_domain);

/* One thread drives a transport that is not live: there is nothing to lock. */
static inline void aq_lock(const aq_sync_domain *sync_domain,
                           pthread_mutex_t *mutex)
{
  if (sync_domain->live)
    pthread_mutex_lock(mutex);
}

static inline void aq_unlock(const aq_sync_domain *sync_domain,
                             pthread_mutex_t *mutex)
{
  if (sync_domain->live)
    pthread_mutex_unlock(mutex);
}

/* Counted references, which one thread need not count atomically. */
static inline void aq_refs_add(const aq_sync_domain *sync_domain,
                               uint32_t *refs)
{
  if (sync_domain->live)
    __atomic_fetch_add(refs, 1, __ATOMIC_RELAXED);
  else
    ++*refs;
}

/* The rest. */
static inline uint32_t aq_refs_sub(const aq_sync_domain *sync_domain,
                                   uint32_t *refs)
{
  return sync_domain->live ? __atomic_sub_fetch(refs, 1, __ATOMIC_ACQ_REL)
                           : --*refs;
}

/* A reference to something that may have none left: false then. Acquire: pairs
 * with the store that gave a free one its first. */
static inline bool aq_refs_revive(uint32_t *refs)
{
  uint32_t count = __atomic_load_n(refs, __ATOMIC_RELAXED);
  while (count > 0)
    if (__atomic_compare_exchange_n(refs, &count, count + 1, false,
                                    __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
      return true;
  return false;
}

/* Retires complete epochs on every queue: where no handler does. Skips queues
 * that another thread is retiring. */
void aq_sync_domain_poll(aq_sync_domain *sync_domain);

static inline bool
aq_sync_domain_has_handlers(const aq_sync_domain *sync_domain)
{
  return sync_domain->caps & AQ_CAP_HANDLERS;
}

/* Whether handlers look at everything that they were armed for; else hosts that
 * wait look at all queues. */
static inline bool
aq_sync_domain_has_reliable_handlers(const aq_sync_domain *sync_domain)
{
  return aq_sync_domain_has_handlers(sync_domain) &&
         !__atomic_load_n(&sync_domain->handlers_failed, __ATOMIC_RELAXED);
}

/* Sleeps until a signal of the request changed, at most until the deadline
 * (AQ_ERR_TIMEOUT): AQ_OK, and the caller looks again. Where a live queue
 * failed it returns sooner, see aq_queue_poison. The transport's time may stand
 * still meanwhile, so the deadline then comes nearer by the length of the
 * sleep. */
aq_status aq_sync_domain_sleep(aq_sync_domain *sync_domain,
                               aq_wait_request *request, aq_time *deadline,
                               aq_diag *diag);

#endif
