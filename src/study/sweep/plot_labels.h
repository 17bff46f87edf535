/* SPDX-License-Identifier: MIT */
/* How plots name the rows of a study: by what distinguishes them. */
#ifndef AQ_STUDY_SWEEP_PLOT_LABELS_H
#define AQ_STUDY_SWEEP_PLOT_LABELS_H

#include "study/sweep/study.h"

/* The parts that distinguish rows. */
enum {
  AQ_ROW_POLICY = 2,
  AQ_ROW_PARAMETERS = 3,
  AQ_ROW_TRANSPORT = 6, /* not said where rows have it in common */
  AQ_ROW_PARTS = 7
};

const char *aq_row_part(const aq_study_row *row, int part);

/* The parts of a row, and words of its parameters, that all rows have in
 * common, or the other ones; `but`: without this part. The caller frees it;
 * NULL: out of memory. */
char *aq_plot_labels(const aq_study *study, const aq_study_row *row,
                     bool common, int but);

#endif
