/* SPDX-License-Identifier: MIT */
/*
 * Ends of rows that a wait of the host contradicts: hipDeviceSynchronize
 * returned long before, though the row was launched before it: 50 ms and nine
 * tenths of the row's time.
 *
 * Only of processes whose rows are all on one device: a trace does not say for
 * which device a thread waits, nor for which stream. Memory: 56 bytes a row
 * with a host call, to the end of the import. One thread at a time.
 */
#ifndef AQ_TRACE_IMPORT_DEVICE_WAITS_H
#define AQ_TRACE_IMPORT_DEVICE_WAITS_H

#include <stdbool.h>

#include "common/record.h"

typedef struct aq_device_wait_row aq_device_wait_row;
typedef struct aq_device_wait aq_device_wait;

typedef struct aq_device_waits {
  aq_device_wait_row *rows;
  size_t row_count, row_capacity;
  aq_device_wait *waits;
  size_t wait_count, wait_capacity;
} aq_device_waits;

void aq_device_waits_fini(aq_device_waits *waits);

/* Notes row `number` of the run, or a wait for all work of a device. False: out
 * of memory. */
bool aq_device_waits_row(aq_device_waits *waits, const aq_record *row,
                         int64_t number);
bool aq_device_waits_wait(aq_device_waits *waits, int64_t pid, aq_time begin,
                          aq_time end);

/* The rows whose end is contradicted, by number in ascending order. The caller
 * frees the list. False: out of memory. */
bool aq_device_waits_contradict(aq_device_waits *waits, int64_t **rows,
                                size_t *count);

#endif
