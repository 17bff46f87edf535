/* SPDX-License-Identifier: MIT */
/*
 * The submit hooks: an observer of all submissions to the queues of a context,
 * such as capture.
 *
 * `begin` sees a call before it happens, so that all its consequences come
 * later, `end` its result. They are called on the thread that submits, without
 * any lock, and must not submit themselves. The pointers of an event are
 * borrowed for the call.
 */
#ifndef AQ_QUEUE_SUBMIT_HOOKS_H
#define AQ_QUEUE_SUBMIT_HOOKS_H

#include "queue/operations.h"

typedef enum aq_submit_event_kind {
  AQ_SUBMIT_OPERATION, /* operation, queue, sync, detail */
  AQ_SUBMIT_QUEUE,     /* made: queue, detail: aq_queue_options */
  AQ_SUBMIT_QUEUE_END, /* about to be destroyed: queue */
  AQ_SUBMIT_SEMAPHORE, /* made: points[0], flags */
  AQ_SUBMIT_SIGNAL,    /* by the host: points[0] */
  AQ_SUBMIT_WAIT,      /* of the host has ended: points, all reached */
  AQ_SUBMIT_IDLE,      /* the host has waited for the end of: queue */
} aq_submit_event_kind;

typedef struct aq_submit_event {
  aq_submit_event_kind kind;
  aq_operation operation;
  aq_queue *queue;
  const aq_sync *sync; /* or NULL */
  const void *detail;  /* the operation's structure; dealloca: address */
  const aq_point *points;
  uint32_t count;
  uint32_t flags;
} aq_submit_event;

typedef struct aq_submit_hooks {
  void *user;
  /* Its result is handed to `end`. */
  uint64_t (*begin)(const aq_submit_event *event, void *user);
  /* address: of alloca. */
  void (*end)(uint64_t token, aq_status status, void *address, void *user);
} aq_submit_hooks;

/* Borrowed until it is replaced, with nothing submitted meanwhile; NULL: none.
 */
void aq_context_submit_hooks(aq_context *context, const aq_submit_hooks *hooks);

/* Whether a write of these bytes of a file is pending in a queue of the
 * context. */
bool aq_context_file_is_written(aq_context *context,
                                const aq_file_range *range);

#endif
