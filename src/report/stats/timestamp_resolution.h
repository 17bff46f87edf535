/* SPDX-License-Identifier: MIT */
/*
 * The step of a measured run's timestamps, which distinguishes GPUs that a run
 * does not name.
 */
#ifndef AQ_REPORT_STATS_TIMESTAMP_RESOLUTION_H
#define AQ_REPORT_STATS_TIMESTAMP_RESOLUTION_H

#include <stdbool.h>

#include "common/diag.h"
#include "store/store.h"

/* The timestamps of the first rows of a run, in the order of their starts. */
typedef struct aq_timestamps aq_timestamps;

/* NULL when out of memory. */
aq_timestamps *aq_timestamps_create(void);
/* False: enough rows were added, this one was not. */
bool aq_timestamps_add(aq_timestamps *timestamps, const aq_record *row);
/* Their unit on the GPU's own clock, in ns: 160 or 40; 0: neither, or too few
 * kernels to decide. */
int aq_timestamps_step(const aq_timestamps *timestamps);
void aq_timestamps_free(aq_timestamps *timestamps);

/* Likewise; reads the first rows of the run with a reader of its own. */
aq_status aq_timestamp_step_find(aq_store *store, int64_t run, int *step,
                                 aq_diag *diag);

#endif
