/* SPDX-License-Identifier: MIT */
/*
 * Kernels that two runs have under different names: of one family and shape,
 * one name only in the first run, the other only in the second.
 *
 * The shape is that of the operator where the source recorded its inputs, else
 * the number of workgroups; a kernel of neither is not compared. Two names are
 * one kernel if at least half of the calls of each have a shape that the other
 * has as often; of several candidates the one with most such calls, then with
 * the longest common beginning. Each name has at most one partner. Pure; one
 * thread.
 */
#ifndef AQ_REPORT_COMPARE_RENAMED_H
#define AQ_REPORT_COMPARE_RENAMED_H

#include "common/map.h"
#include "report/stats/dispatches.h"

typedef struct aq_renamed {
  int64_t names[2];           /* in the first run and in the second */
  const char *family, *shape; /* of most of the calls */
  int64_t calls[2];
  aq_time times[2]; /* sums of the durations */
} aq_renamed;

typedef struct aq_renamed_list {
  aq_renamed *list; /* the largest difference of time first */
  size_t count, capacity;
} aq_renamed_list;

/* One run: its dispatches with their families (launch_context.h), and of each a
 * number for its name in `names`. */
typedef struct aq_renamed_side {
  const aq_dispatches *dispatches;
  const uint32_t *numbers;
} aq_renamed_side;

/* `names` gets the texts of families and shapes. False: no memory. The caller
 * frees out->list in any case. */
bool aq_renamed_find(const aq_renamed_side sides[2], aq_names *names,
                     aq_renamed_list *out);

#endif
