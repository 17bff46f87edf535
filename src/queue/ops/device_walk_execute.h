/* SPDX-License-Identifier: MIT */
/* Executions that the device walks. Internal. */
#ifndef AQ_QUEUE_OPS_DEVICE_WALK_EXECUTE_H
#define AQ_QUEUE_OPS_DEVICE_WALK_EXECUTE_H

#include "queue/queue.h"

/* Bytes of kernel arguments that a walk needs besides the program's. */
enum { AQ_WALK_KERNARG = 2 * AQ_KERNARG_ALIGN };

/* As aq_queue_execute() of a checked execution, whose program has packets. */
aq_status aq_queue_walk(aq_queue *queue, const aq_sync *sync,
                        const aq_execution *execution, aq_diag *diag);

/* A table of bindings becomes a copy of the task's own. */
aq_status aq_bindings_keep(const aq_binding **bindings, uint32_t count,
                           aq_diag *diag);
void aq_bindings_drop(const aq_binding *bindings);

#endif
