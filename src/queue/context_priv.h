/* SPDX-License-Identifier: MIT */
/* What queues and semaphores know of their context. */
#ifndef AQ_QUEUE_CONTEXT_PRIV_H
#define AQ_QUEUE_CONTEXT_PRIV_H

#include <pthread.h>

#include "cmdbuf/builtins.h"
#include "queue/context.h"

typedef struct aq_axis aq_axis;
typedef struct aq_flag aq_flag;
typedef struct aq_pool aq_pool;
typedef struct aq_seat aq_seat;
typedef struct aq_staging aq_staging;

struct aq_context {
  aq_transport *transport;
  const aq_transport_ops *ops;
  aq_transport_info info;
  const aq_logical_device *devices; /* NULL: all of the transport */
  aq_edge_way *ways;                /* by device */
  aq_builtins *builtins;            /* by device */
  aq_pool *pools;                   /* by device */
  const struct aq_tap *tap;         /* or NULL */
  aq_staging *staging;              /* of files */
  struct aq_operation_rows *rows;   /* NULL: nobody records */
  bool live;                        /* more than one thread may come */
  bool flagged;         /* epochs have a signal each: some device can wait for
                           zero only */
  pthread_mutex_t lock; /* of the lists below */
  aq_axis *axes;        /* all that live */
  aq_flag *flags, *free_flags; /* all, and those not in use */
  aq_seat *seats, *free_seats; /* all, and those where nobody sits */
  uint32_t axes_made;
  bool deaf; /* atomic: a handler could not be made, or a device stopped */
};

/* One thread drives a transport that is not live: there is nothing to lock. */
static inline void aq_lock(const aq_context *context, pthread_mutex_t *mutex)
{
  if (context->live)
    pthread_mutex_lock(mutex);
}

static inline void aq_unlock(const aq_context *context, pthread_mutex_t *mutex)
{
  if (context->live)
    pthread_mutex_unlock(mutex);
}

/* Counted references, which one thread need not count atomically. */
static inline void aq_refs_add(const aq_context *context, uint32_t *refs)
{
  if (context->live)
    __atomic_fetch_add(refs, 1, __ATOMIC_RELAXED);
  else
    ++*refs;
}

/* What is left. */
static inline uint32_t aq_refs_sub(const aq_context *context, uint32_t *refs)
{
  return context->live ? __atomic_sub_fetch(refs, 1, __ATOMIC_ACQ_REL)
                       : --*refs;
}

/* Retires what is complete on every queue: where no handler does. Queues that
 * another thread is at are left to it. */
void aq_context_poll(aq_context *context);

static inline bool aq_context_has_handlers(const aq_context *context)
{
  return context->info.caps & AQ_CAP_HANDLERS;
}

/* Whether handlers look at everything that they were armed for; else hosts that
 * wait look at all queues. */
static inline bool aq_context_hears(const aq_context *context)
{
  return aq_context_has_handlers(context) &&
         !__atomic_load_n(&context->deaf, __ATOMIC_RELAXED);
}

#endif
