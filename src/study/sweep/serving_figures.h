/* SPDX-License-Identifier: MIT */
/* Figures of requests to language models: NaN for runs without any. */
#ifndef AQ_STUDY_SWEEP_SERVING_FIGURES_H
#define AQ_STUDY_SWEEP_SERVING_FIGURES_H

#include "study/sweep/run_figures.h"

/* Figures of one entry, or of all (-1), after the warm-up; gaps between tokens
 * are of the whole run. `seconds` from the end of the warm-up to the last
 * completion. False: out of memory. */
bool aq_serving_figures(const aq_study_run *run, int entry, double seconds,
                        double out[static AQ_FIGURE_COUNT]);

#endif
