/* SPDX-License-Identifier: MIT */
/*
 * What each step of a program did on each device, and whether communication
 * was hidden behind computation: of any dispatch of the run, also of another
 * step or outside of the part. doc/stats.md defines each figure. Pure; one
 * thread.
 */
#ifndef AQ_REPORT_STATS_STEP_SUMMARY_H
#define AQ_REPORT_STATS_STEP_SUMMARY_H

#include "report/stats/confidence.h"
#include "report/stats/dispatches.h"

/* T(id, name, meaning): times of a step, each of a union of intervals. */
#define AQ_STEP_TIMES(T)                                                       \
  T(SPAN, "span", "first start to last end")                                   \
  T(BUSY, "busy", "something runs, of the step or not")                        \
  T(COMPUTE, "compute", "a kernel runs that does not communicate")             \
  T(COMMUNICATION, "communication", "a kernel of RCCL or NCCL runs")           \
  T(EXPOSED, "exposed", "communication without computation")                   \
  T(HIDDEN, "hidden", "communication behind computation")                      \
  T(COPY, "copy", "a copy or fill runs")                                       \
  T(COPY_EXPOSED, "copy_exposed", "a copy or fill runs, and no kernel")

typedef enum aq_step_time {
#define T(id, name, meaning) AQ_STEP_##id,
  AQ_STEP_TIMES(T)
#undef T
      AQ_STEP_TIME_COUNT
} aq_step_time;

/* The names, by id. */
extern const char *const aq_step_time_names[AQ_STEP_TIME_COUNT];

typedef struct aq_step_summary {
  int64_t step, device, rank; /* AQ_NONE: not known */
  int64_t dispatches;
  bool first; /* of its device: warm-up may lie in it */
  aq_time begin, end;
  aq_time times[AQ_STEP_TIME_COUNT];
} aq_step_summary;

/* One time over the steps but the first of each device, in ps; of each step
 * that of its slowest device, the one of the longest span. */
typedef struct aq_step_figure {
  aq_estimate estimate; /* mean and half of its 95 % interval */
  aq_time median;       /* AQ_TIME_NONE without steps */
} aq_step_figure;

typedef struct aq_step_summaries {
  aq_step_summary *list; /* by device and step; else one a device, of all
                            its rows */
  size_t count;
  bool communicates; /* some of them */
  bool devices;      /* there are several */
  aq_step_figure figures[AQ_STEP_TIME_COUNT];
} aq_step_summaries;

/* By device and step if that is asked for and the run has steps, else by
 * device. False: no memory. The caller frees list. The rows need their steps
 * (launch_context.h); those outside of a part are there, too. */
bool aq_step_summaries_make(const aq_dispatches *dispatches, bool by_step,
                            aq_step_summaries *out);

#endif
