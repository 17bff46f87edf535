/* SPDX-License-Identifier: MIT */
/*
 * The steps of a program: iterations that its profiler marked (ProfilerStep#N),
 * else repetitions of one sequence of kernels. One thread at a time.
 */
#ifndef AQ_REPORT_STATS_STEPS_H
#define AQ_REPORT_STATS_STEPS_H

#include "report/stats/dispatches.h"

/* By kind; NULL: no steps. Static. */
extern const char *const aq_steps_kind_names[];

/* Sets the step of each row, and the kind of steps in dispatches->context.
 * False: no memory. */
bool aq_steps_assign(aq_dispatches *dispatches, aq_run_reader *reader);

/* By row, which of the run's marked steps is around its launch; 0 where none
 * is. False: no memory. */
bool aq_steps_marks(const aq_dispatches *dispatches, aq_run_reader *reader,
                    size_t *marks);

/* The marked step of a process at a time: the last that has begun, if it still
 * lasts (pid AQ_NONE: of all that are in one, if it is the same). AQ_NONE:
 * none. False: no memory. */
bool aq_steps_at(const aq_dispatches *dispatches, aq_run_reader *reader,
                 int64_t pid, aq_time at, int64_t *step);

#endif
