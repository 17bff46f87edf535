/* SPDX-License-Identifier: MIT */
/* A study as a JSON document. */
#ifndef AQ_STUDY_STUDY_JSON_H
#define AQ_STUDY_STUDY_JSON_H

#include <stdio.h>

#include "study/study.h"

/* The row of the baseline in the setting of another, or NULL; a policy is found
 * with and without its settings. */
const aq_study_row *aq_study_baseline(const aq_study *study,
                                      const aq_study_row *row,
                                      const char *policy);

/* Every row with all figures, and with their differences to the baseline, which
 * may be NULL. */
aq_status aq_study_document(const aq_study *study, const char *baseline,
                            FILE *out, aq_diag *diag);

#endif
