/* SPDX-License-Identifier: MIT */
/* Whether a store has all points of its plans. One thread. */
#ifndef AQ_STUDY_COMPLETENESS_H
#define AQ_STUDY_COMPLETENESS_H

#include "store/store.h"

/* Calls the function for each plan (or the one named) with missing points:
 * how many there are, ended or failed, and how many its last sweep had. Runs of
 * versions that did not keep the number of points are not judged. */
aq_status aq_plans_incomplete(aq_store *store, const char *plan,
                              void (*tell)(const char *plan, size_t have,
                                           size_t points, void *user),
                              void *user, aq_diag *diag);

#endif
