/* SPDX-License-Identifier: MIT */
/* A study as a JSON document. */
#ifndef AQ_STUDY_SWEEP_STUDY_JSON_H
#define AQ_STUDY_SWEEP_STUDY_JSON_H

#include <stdio.h>

#include "study/sweep/study.h"

/* The row of the baseline in the setting of another, or NULL; a policy is found
 * with and without its settings. */
const aq_study_row *aq_study_baseline(const aq_study *study,
                                      const aq_study_row *row,
                                      const char *policy);

/* The same, or NULL where the row is the baseline or of a client alone. */
const aq_study_row *aq_study_compared(const aq_study *study,
                                      const aq_study_row *row,
                                      const char *policy);

/* AQ_ERR_NOT_FOUND: the study has no rows, or none to compare with the
 * baseline, which may be NULL. */
aq_status aq_study_has(const aq_study *study, const char *baseline,
                       aq_diag *diag);

/* Every row with all figures, and with their differences to the baseline, which
 * may be NULL. */
aq_status aq_study_document(const aq_study *study, const char *baseline,
                            FILE *out, aq_diag *diag);

#endif
