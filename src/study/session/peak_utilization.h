/* SPDX-License-Identifier: MIT */
/*
 * The shares of a device's peaks that the kernels of a run achieve, from their
 * counted work (common/counted.def) and their times. One thread.
 */
#ifndef AQ_STUDY_SESSION_PEAK_UTILIZATION_H
#define AQ_STUDY_SESSION_PEAK_UTILIZATION_H

#include "report/stats/stats.h"

/* Sets the shares of the groups, which have to be by kernel. They stay unknown
 * where the run has no counted work, this build lacks the model that it was
 * made with, or not every call of a kernel was counted. */
aq_status aq_peaks_share(aq_store *store, const aq_run_info *info,
                         aq_stats *stats, aq_diag *diag);

#endif
