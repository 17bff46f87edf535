/* SPDX-License-Identifier: MIT */
/* What queues and semaphores know of their context. */
#ifndef AQ_QUEUE_SYNC_CONTEXT_PRIV_H
#define AQ_QUEUE_SYNC_CONTEXT_PRIV_H

#include "cmdbuf/builtins.h"
#include "queue/context.h"
#include "queue/sync/sync_domain.h"

typedef struct aq_pool aq_pool;
typedef struct aq_staging aq_staging;

struct aq_context {
  aq_sync_domain *sync_domain; /* shared with the others of the transport */
  aq_transport *transport;
  const aq_transport_ops *ops;
  aq_transport_info info;
  const aq_logical_device *devices; /* NULL: all of the transport */
  uint32_t
      placed[AQ_AFFINITY_BITS]; /* queues by place; the sync domain's lock */
  aq_edge_way *ways;            /* by device */
  aq_builtins *builtins;        /* by device */
  aq_pool *pools;               /* by device */
  const struct aq_submit_hooks *hooks; /* or NULL */
  aq_staging *staging;                 /* of files */
  struct file_work *writes; /* of files, pending; the sync domain's lock */
  struct aq_operation_rows *rows; /* NULL: not recorded */
  uint64_t operations;            /* that are reported, submitted; atomic */
  bool live;                      /* more than one thread may come */
  bool marked;                    /* markers of executions are rows */
  bool timed;                     /* packets of executions too */
  bool flagged; /* epochs have a signal each: some device can wait for
                   zero only */
};

#endif
