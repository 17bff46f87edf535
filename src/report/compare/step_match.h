/* SPDX-License-Identifier: MIT */
/*
 * Which step of a run is which one of another run: of an equal number; of
 * marked steps without a common number, the nth with the nth. Marked steps and
 * repetitions of kernels do not correspond. One thread at a time.
 */
#ifndef AQ_REPORT_COMPARE_STEP_MATCH_H
#define AQ_REPORT_COMPARE_STEP_MATCH_H

#include "report/stats/dispatches.h"

/* The steps of a whole run. */
typedef struct aq_run_steps {
  aq_steps_kind kind;
  size_t period;    /* kernels of a repeated step; else 0 */
  int64_t *numbers; /* of steps with dispatches, ascending */
  size_t count;
} aq_run_steps;

/* Of rows with their context. False: no memory. */
bool aq_run_steps_take(const aq_dispatches *dispatches, aq_run_steps *out);
void aq_run_steps_fini(aq_run_steps *steps);

/* Whether one run's steps are marked and the other's are repetitions. */
bool aq_run_steps_differ(const aq_run_steps *a, const aq_run_steps *b);

/* The error about two such runs. */
aq_status aq_run_steps_refuse(const aq_run_steps *a, int64_t a_run,
                              const aq_run_steps *b, int64_t b_run,
                              aq_diag *diag);

/* Whether steps of both are marked, without a common number. */
bool aq_run_steps_by_order(const aq_run_steps *a, const aq_run_steps *b);

/* The nth number of `to`, where `number` is the nth of `from`; AQ_NONE: `to`
 * has fewer, or `number` is none of `from`. */
int64_t aq_run_steps_nth(const aq_run_steps *from, int64_t number,
                         const aq_run_steps *to);

/* Changes numbers of steps of `own` that are paired by order to the first
 * run's; others stay. */
void aq_run_steps_map(const aq_run_steps *first, const aq_run_steps *own,
                      int64_t *keys, size_t count);

#endif
