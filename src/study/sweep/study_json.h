/* SPDX-License-Identifier: MIT */
/* A study as a JSON document. */
#ifndef AQ_STUDY_SWEEP_STUDY_JSON_H
#define AQ_STUDY_SWEEP_STUDY_JSON_H

#include <stdio.h>

#include "study/sweep/study.h"

/* The row of the baseline, a policy with its settings, in the setting of
 * another; NULL where there is none, or the row is the baseline or of a client
 * alone. */
const aq_study_row *aq_study_compared(const aq_study *study,
                                      const aq_study_row *row,
                                      const char *policy);

/* AQ_ERR_NOT_FOUND: the study has no rows, or none to compare with the
 * baseline, which may be NULL. *policy: the policy that it names, with its
 * settings; it may be named without where this is one policy. */
aq_status aq_study_has(const aq_study *study, const char *baseline,
                       const char **policy, aq_diag *diag);

/* Every row with all figures, and with their differences to the baseline, which
 * may be NULL. */
aq_status aq_study_document(const aq_study *study, const char *baseline,
                            FILE *out, aq_diag *diag);

#endif
