/* SPDX-License-Identifier: MIT */
/*
 * A hub: what all contexts of one open transport share, so that a semaphore of
 * any of them orders queues of all: the axes and flags by which queues see each
 * other's epochs, and the seats of hosts that wait.
 *
 * Contexts find the hub of their transport by its address and keep it by
 * counted references; the last one frees it. Thread rule: any thread. Where
 * one thread drives the transport, nothing of it is locked.
 */
#ifndef AQ_QUEUE_SYNC_HUB_H
#define AQ_QUEUE_SYNC_HUB_H

#include <pthread.h>

#include "common/transport.h"

typedef struct aq_axis aq_axis;
typedef struct aq_flag aq_flag;
typedef struct aq_seat aq_seat;
typedef struct aq_hub aq_hub;

struct aq_hub {
  aq_hub *next; /* of all that are open */
  uint32_t refs;
  aq_transport *transport;
  const aq_transport_ops *ops;
  uint32_t caps;
  bool live;            /* more than one thread may come */
  bool deaf;            /* atomic: a handler could not be made, or a device
                           stopped */
  pthread_mutex_t lock; /* of the lists below */
  aq_axis *axes;        /* all that live */
  aq_flag *flags, *free_flags; /* all, and those not in use */
  aq_seat *seats, *free_seats; /* all, and the unused ones */
  uint32_t axes_made;
};

/* The hub of a transport, made by the first caller. */
aq_status aq_hub_take(aq_transport *transport, const aq_transport_info *info,
                      aq_hub **out, aq_diag *diag);
void aq_hub_give(aq_hub *hub); /* NULL is allowed */

/* One thread drives a transport that is not live: there is nothing to lock. */
static inline void aq_lock(const aq_hub *hub, pthread_mutex_t *mutex)
{
  if (hub->live)
    pthread_mutex_lock(mutex);
}

static inline void aq_unlock(const aq_hub *hub, pthread_mutex_t *mutex)
{
  if (hub->live)
    pthread_mutex_unlock(mutex);
}

/* Counted references, which one thread need not count atomically. */
static inline void aq_refs_add(const aq_hub *hub, uint32_t *refs)
{
  if (hub->live)
    __atomic_fetch_add(refs, 1, __ATOMIC_RELAXED);
  else
    ++*refs;
}

/* The rest. */
static inline uint32_t aq_refs_sub(const aq_hub *hub, uint32_t *refs)
{
  return hub->live ? __atomic_sub_fetch(refs, 1, __ATOMIC_ACQ_REL) : --*refs;
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
void aq_hub_poll(aq_hub *hub);

static inline bool aq_hub_has_handlers(const aq_hub *hub)
{
  return hub->caps & AQ_CAP_HANDLERS;
}

/* Whether handlers look at everything that they were armed for; else hosts that
 * wait look at all queues. */
static inline bool aq_hub_hears(const aq_hub *hub)
{
  return aq_hub_has_handlers(hub) &&
         !__atomic_load_n(&hub->deaf, __ATOMIC_RELAXED);
}

#endif
