/* SPDX-License-Identifier: MIT */
/* How operations call the submit hooks; only they include it. */
#ifndef AQ_QUEUE_CORE_SUBMIT_HOOKS_PRIV_H
#define AQ_QUEUE_CORE_SUBMIT_HOOKS_PRIV_H

#include "queue/core/queue_priv.h"
#include "queue/submit_hooks.h"

/* Before an operation; the result goes to aq_submit_hooks_end. */
static inline uint64_t aq_submit_hooks_begin(aq_queue *queue,
                                             aq_operation operation,
                                             const aq_sync *sync,
                                             const void *detail)
{
  const aq_submit_hooks *hooks = queue->context->hooks;
  if (!hooks)
    return 0;
  return hooks->begin(&(aq_submit_event){.kind = AQ_SUBMIT_OPERATION,
                                         .operation = operation,
                                         .queue = queue,
                                         .sync = sync,
                                         .detail = detail},
                      hooks->user);
}

/* Returns the status. */
static inline aq_status aq_submit_hooks_end(const aq_context *context,
                                            uint64_t token, aq_status status)
{
  if (context->hooks)
    context->hooks->end(token, status, NULL, context->hooks->user);
  return status;
}

/* For events without an end. */
static inline void aq_submit_hooks_notify(const aq_context *context,
                                          const aq_submit_event *event)
{
  if (context->hooks)
    context->hooks->begin(event, context->hooks->user);
}

#endif
