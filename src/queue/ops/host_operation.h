/* SPDX-License-Identifier: MIT */
/*
 * Work of the host in the order of a queue: what read, write and host calls
 * have in common. Internal.
 *
 * Two tasks, the second right behind the first. The first is complete when the
 * work's turn has come, and starts it; the second is a packet that holds the
 * queue until the done signal, a signal, is 0, and carries the operation's
 * signals:
 *
 *   before ─▶ [barrier] ──▶ [wait for gate] ─▶ behind
 *                 │               ▲
 *                 └─▶ start … end ┘
 *
 * Ownership: counted references: one for each task, one while the work is
 * under way; the last one frees. Embedded first in the struct of the operation.
 */
#ifndef AQ_QUEUE_OPS_HOST_OPERATION_H
#define AQ_QUEUE_OPS_HOST_OPERATION_H

#include "queue/core/task.h"
#include "queue/operations.h"
#include "queue/sync/queue_timeline.h"

typedef struct aq_host_operation aq_host_operation;
struct aq_host_operation {
  aq_queue *queue;
  aq_context *context;
  aq_operation kind;
  uint64_t bytes;  /* for the statistics: bytes that it moves, and the way */
  aq_copy_way way; /* CHOOSE: it is no copy */
  /* Does it; AQ_ERR_AGAIN: it runs on until aq_host_operation_end. Must not
   * wait. The running work must not use the queue: that may stop and be
   * destroyed. */
  aq_status (*start)(aq_host_operation *work, aq_diag *diag);
  void (*free)(aq_host_operation *work);

  /* Its own. */
  aq_epoch_signal *done_signal;
  uint32_t published; /* before the done signal opens */
  uint32_t refs;      /* atomic */
  bool refused;       /* atomic: the second task was */
  aq_status status;   /* set before the done signal opens */
  aq_diag cause;
};

/* Submits it. Anything but AQ_OK: nothing happened, and it is the caller's. */
aq_status aq_host_operation_submit(aq_host_operation *work, const aq_sync *sync,
                                   aq_diag *diag);

/* It has written to memory of the device, before it ends. */
void aq_host_operation_publish(aq_host_operation *work, const void *address,
                               size_t size);

/* The work has ended: once, when `start` has returned AQ_ERR_AGAIN. Frees it
 * unless a task refers to it. */
void aq_host_operation_end(aq_host_operation *work, aq_status status,
                           const char *cause);

#endif
