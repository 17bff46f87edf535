/* SPDX-License-Identifier: MIT */
/* Executions as PM4 indirect buffers. Internal. */
#ifndef AQ_QUEUE_OPS_PM4_H
#define AQ_QUEUE_OPS_PM4_H

#include "queue/queue.h"

/* As aq_queue_execute() of a checked execution, whose program has packets. */
aq_status aq_queue_pm4(aq_queue *queue, const aq_sync *sync,
                       const aq_execution *execution, aq_diag *diag);

#endif
