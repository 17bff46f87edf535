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
typedef struct aq_staging aq_staging;

struct aq_context {
  aq_transport *transport;
  const aq_transport_ops *ops;
  aq_transport_info info;
  aq_edge_way *ways;        /* by device */
  aq_builtins *builtins;    /* by device */
  aq_pool *pools;           /* by device */
  const struct aq_tap *tap; /* or NULL */
  aq_staging *staging;      /* of files */
  bool live;                /* more than one thread may come */
  bool flagged;         /* epochs have a signal each: some device can wait for
                           zero only */
  pthread_mutex_t lock; /* of the lists below */
  aq_axis *axes;        /* all that live */
  aq_flag *flags, *free_flags; /* all, and those not in use */
  uint32_t axes_made;
  aq_signal bell;   /* rises when something that hosts wait for has happened */
  uint32_t waiters; /* atomic: hosts that listen to it */
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

/* Something that a host may wait for has happened. */
void aq_context_ring(aq_context *context);

/* Retires what is complete on every queue: where no handler does. */
void aq_context_poll(aq_context *context);

static inline bool aq_context_has_handlers(const aq_context *context)
{
  return context->info.caps & AQ_CAP_HANDLERS;
}

#endif
