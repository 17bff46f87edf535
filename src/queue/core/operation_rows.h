/* SPDX-License-Identifier: MIT */
/*
 * Rows of operations: what became of each operation of a context, for a record
 * sink. A row an operation, of kind "operation", put in the order in which they
 * are retired; times are the transport's.
 *
 * Ownership: the context's; the sink is borrowed. Thread rule: any thread; the
 * sink is driven by one at a time.
 */
#ifndef AQ_QUEUE_CORE_OPERATION_ROWS_H
#define AQ_QUEUE_CORE_OPERATION_ROWS_H

#include "common/record.h"
#include "queue/queue.h"

typedef struct aq_operation_rows aq_operation_rows;

aq_status aq_operation_rows_create(aq_record_sink *sink, bool live,
                                   aq_operation_rows **out, aq_diag *diag);

/* Puts the remaining rows. NULL is allowed. */
void aq_operation_rows_destroy(aq_operation_rows *rows);

/* Reports a queue and its device to the sink; their ordinals there. */
aq_status aq_operation_rows_queue(aq_operation_rows *rows,
                                  const aq_device_info *info, uint32_t device,
                                  uint32_t ring, int64_t *device_ordinal,
                                  int64_t *queue_ordinal, aq_diag *diag);

void aq_operation_rows_add(aq_operation_rows *rows, int64_t device,
                           int64_t queue, const aq_operation_report *report);

/* The number of a name in the sink. */
aq_status aq_operation_rows_name(aq_operation_rows *rows, const char *name,
                                 int64_t *out, aq_diag *diag);

/* A row of another kind, behind the rows so far. */
void aq_operation_rows_put(aq_operation_rows *rows, const aq_record *row);

/* A row could not be made; the first failure counts. */
void aq_operation_rows_fail(aq_operation_rows *rows, const aq_diag *diag);

/* Puts what there is; the first failure of the sink, in its words. */
aq_status aq_operation_rows_flush(aq_operation_rows *rows, aq_diag *diag);

#endif
