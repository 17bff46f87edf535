/* SPDX-License-Identifier: MIT */
/*
 * The runs of a store by their places in plans: of which setting they are, and
 * whether they were made before an input of it changed. One thread.
 */
#ifndef AQ_STUDY_SWEEP_CANDIDATES_H
#define AQ_STUDY_SWEEP_CANDIDATES_H

#include "study/sweep/run_figures.h"

/* A run in one of its places. */
typedef struct aq_candidate {
  const aq_run_info *info; /* of the list */
  aq_study_place place;
  int64_t time_us;      /* when it was made, or a later sweep found it */
  int64_t setting, row; /* ids of its names */
  bool outdated;        /* a newer run of its setting has other inputs */
} aq_candidate;

typedef struct aq_candidates {
  aq_run_list list;
  aq_candidate *of; /* oldest run first */
  size_t count, capacity;
  size_t asked;     /* runs of the list that were asked for, */
  size_t fell_back; /* of which these continued without their policy */
} aq_candidates;

/* `runs`: ids; NULL: all. `plan`: places in it alone; NULL: in all plans, but
 * of a run only its own place, unless `shared`. Failed points are among them;
 * runs without an end, and runs that fell back, are not. */
aq_status aq_candidates_read(aq_store *store, const int64_t *runs,
                             size_t run_count, const char *plan, bool shared,
                             aq_candidates *out, aq_diag *diag);
void aq_candidates_fini(aq_candidates *candidates);

#endif
