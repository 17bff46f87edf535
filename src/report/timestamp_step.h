/* SPDX-License-Identifier: MIT */
/*
 * The step of a measured run's timestamps, which distinguishes GPUs that a run
 * does not name.
 */
#ifndef AQ_REPORT_TIMESTAMP_STEP_H
#define AQ_REPORT_TIMESTAMP_STEP_H

#include "common/diag.h"
#include "store/store.h"

/* The unit of the timestamps on the GPU's own clock, in ns: 160 or 40; 0:
 * neither, or too few kernels to decide. Reads the first rows of the run
 * with a reader of its own. */
aq_status aq_timestamp_step_find(aq_store *store, int64_t run, int *step,
                                 aq_diag *diag);

#endif
