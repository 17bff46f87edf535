/* SPDX-License-Identifier: MIT */
/* Whether a store has all points of its plans. One thread. */
#ifndef AQ_STUDY_SWEEP_COMPLETENESS_H
#define AQ_STUDY_SWEEP_COMPLETENESS_H

#include "common/notes.h"
#include "store/store.h"

/* Notes how many points of each plan (or the one named) have ended, where its
 * last sweep had more, and how many failed. *count of lines. Runs of versions
 * that did not keep the number of points are judged by failed points alone. */
aq_status aq_plans_incomplete(aq_store *store, const char *plan,
                              const aq_notes *notes, size_t *count,
                              aq_diag *diag);

#endif
