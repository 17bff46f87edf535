/* SPDX-License-Identifier: MIT */
/*
 * The steps of a program: iterations that its profiler marked (ProfilerStep#N),
 * else repetitions of one sequence of kernels. One thread at a time.
 */
#ifndef AQ_REPORT_STATS_STEPS_H
#define AQ_REPORT_STATS_STEPS_H

#include "report/stats/dispatches.h"

/* Sets the step of each row, and the kind of steps in dispatches->context.
 * False: no memory. */
bool aq_steps_assign(aq_dispatches *dispatches, aq_run_reader *reader);

/* The marked step of a process at a time (pid AQ_NONE: that of all which are in
 * one, if it is the same); AQ_NONE: none. */
int64_t aq_steps_at(const aq_dispatches *dispatches, aq_run_reader *reader,
                    int64_t pid, aq_time at);

#endif
