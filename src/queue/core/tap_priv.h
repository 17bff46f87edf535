/* SPDX-License-Identifier: MIT */
/* How operations call the tap; only they include it. */
#ifndef AQ_QUEUE_CORE_TAP_PRIV_H
#define AQ_QUEUE_CORE_TAP_PRIV_H

#include "queue/core/queue_priv.h"
#include "queue/tap.h"

/* Before an operation; the result goes to aq_tap_end. */
static inline uint64_t aq_tap_begin(aq_queue *queue, aq_operation operation,
                                    const aq_sync *sync, const void *detail)
{
  const aq_tap *tap = queue->context->tap;
  if (!tap)
    return 0;
  return tap->begin(&(aq_tap_event){.kind = AQ_TAP_OPERATION,
                                    .operation = operation,
                                    .queue = queue,
                                    .sync = sync,
                                    .detail = detail},
                    tap->user);
}

/* Returns the status. */
static inline aq_status aq_tap_end(const aq_context *context, uint64_t token,
                                   aq_status status)
{
  if (context->tap)
    context->tap->end(token, status, NULL, context->tap->user);
  return status;
}

/* For events without an end. */
static inline void aq_tap_tell(const aq_context *context,
                               const aq_tap_event *event)
{
  if (context->tap)
    context->tap->begin(event, context->tap->user);
}

#endif
