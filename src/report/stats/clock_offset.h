/* SPDX-License-Identifier: MIT */
/*
 * The offset between the clocks of host and device in a measured run.
 *
 * A host call that waits cannot return before its work has ended. Where two
 * calls of a run do, its clocks differ. The time that such a return takes is
 * known from other runs. Launches are no witnesses.
 */
#ifndef AQ_REPORT_STATS_CLOCK_OFFSET_H
#define AQ_REPORT_STATS_CLOCK_OFFSET_H

#include <stdbool.h>
#include <stddef.h>

#include "common/diag.h"
#include "common/time.h"
#include "store/store.h"

/* Times from the end of the work until the return of its call, rising. */
typedef struct aq_clock_witnesses {
  /* hipDeviceSynchronize and its like that waited for long. */
  aq_time *waits;
  size_t wait_count, wait_capacity;
  /* Blocking copies of a few bytes from the host. */
  aq_time *copies;
  size_t copy_count, copy_capacity;
} aq_clock_witnesses;

/* What witnesses need of the rows of a run, which come in any order. */
typedef struct aq_clock_rows aq_clock_rows;

/* NULL when out of memory, as false is of _add. */
aq_clock_rows *aq_clock_rows_create(void);
bool aq_clock_rows_add(aq_clock_rows *rows, const aq_record *row,
                       const char *name);
void aq_clock_rows_free(aq_clock_rows *rows);

/* A run of several devices has no witnesses, for its waits do not name theirs.
 * *out is to be freed with aq_clock_witnesses_fini, also after an error. */
aq_status aq_clock_rows_witnesses(aq_clock_rows *rows, aq_clock_witnesses *out,
                                  aq_diag *diag);

/* Likewise; reads the run with a reader of its own. */
aq_status aq_clock_witnesses_find(aq_store *store, int64_t run,
                                  aq_clock_witnesses *out, aq_diag *diag);
void aq_clock_witnesses_fini(aq_clock_witnesses *witnesses);

/* How far the device's clock is ahead of the host's. */
typedef struct aq_clock_offset {
  aq_time offset;   /* as the median of the waits has it, else of the copies */
  aq_time spread;   /* half the range of the middle 80 % of them */
  aq_time proved;   /* a call returned so long before the end of its work */
  size_t witnesses; /* that gave the offset */
  size_t proofs;    /* calls that returned before the end of their work */
} aq_clock_offset;

/* False where fewer than two calls returned before the end of their work: then
 * the clocks may agree. The device model has the times of returns. */
bool aq_clock_offset_of(const aq_clock_witnesses *witnesses,
                        aq_time interrupt_to_host, aq_time copy_return,
                        aq_clock_offset *out);

#endif
