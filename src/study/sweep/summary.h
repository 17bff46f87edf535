/* SPDX-License-Identifier: MIT */
/*
 * Figures kept instead of requests: the summary of such a run has them, for all
 * clients and for each, with the warm-up that is a study's default.
 */
#ifndef AQ_STUDY_SWEEP_SUMMARY_H
#define AQ_STUDY_SWEEP_SUMMARY_H

#include "study/sweep/run_figures.h"

/* Replaces the requests and preemptions of a complete run by their figures. */
aq_status aq_kept_make(aq_store *store, int64_t run, aq_diag *diag);

/* Whether the summary has figures. */
bool aq_kept_has(const aq_json_node *summary);

/* AQ_ERR_INVALID: the study asks for more than the figures of the run. */
aq_status aq_kept_check(int64_t run, const aq_study_options *options,
                        aq_diag *diag);

/* The figures of one entry, or of all entries (-1). */
void aq_kept_read(const aq_json_node *summary, int entry,
                  aq_study_replica *out);

#endif
