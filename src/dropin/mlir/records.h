/* SPDX-License-Identifier: MIT */
/*
 * Rows for a transport that makes none: one for each kernel, copy and fill,
 * with the times that the host queue reports. Internal.
 *
 * A queue's rows wait in the order of submission, which is that of its reports.
 * Threads: notes under the runtime's lock; reports on any thread.
 */
#ifndef AQ_DROPIN_MLIR_RECORDS_H
#define AQ_DROPIN_MLIR_RECORDS_H

#include <pthread.h>

#include "queue/queue.h"

typedef struct aq_mlir_records {
  aq_record_sink *sink; /* NULL: no rows are kept */
  pthread_mutex_t lock; /* of the rows that wait */
  aq_record *rows;
  size_t first, count, capacity;
  aq_record base; /* of a row of this queue */
  bool lost;      /* out of memory for one */
} aq_mlir_records;

/* The rows of queue number `number` of a device go to the sink, or (NULL)
 * nowhere. */
aq_status aq_mlir_records_init(aq_mlir_records *records, aq_record_sink *sink,
                               const aq_device_info *info, uint32_t device,
                               uint32_t number, aq_diag *diag);

/* AQ_ERR_NO_MEMORY: a row was lost on the way. */
aq_status aq_mlir_records_fini(aq_mlir_records *records, aq_diag *diag);

/* An operation is about to be submitted: a row with its kind and facts, and
 * its name. */
void aq_mlir_records_note(aq_mlir_records *records, const aq_record *row,
                          const char *name);

/* It was not submitted after all. */
void aq_mlir_records_drop(aq_mlir_records *records);

/* aq_queue_options.report, with the records for its user. */
void aq_mlir_records_report(const aq_operation_report *report, void *user);

#endif
