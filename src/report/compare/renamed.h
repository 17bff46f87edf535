/* SPDX-License-Identifier: MIT */
/*
 * Kernels that two runs have under different names: of one known family, one
 * name only in the first run, the other only in the second.
 *
 * Calls of a family are alike if their operators have the same recorded inputs;
 * where none are recorded, if their names have the same stem: the words without
 * a number (128), a version (v2) and a tile (MT128x64x32). Among like calls,
 * two names are partners if they alone have their stem or, with inputs, if no
 * other names are left. They are one kernel if more than half of the calls of
 * each have the other as partner, so that no name has two. All else is not
 * certain, and stays two kernels. Pure; one thread.
 */
#ifndef AQ_REPORT_COMPARE_RENAMED_H
#define AQ_REPORT_COMPARE_RENAMED_H

#include "common/map.h"
#include "report/stats/dispatches.h"

typedef struct aq_renamed {
  int64_t names[2];           /* in the first run and in the second */
  const char *family, *shape; /* of most of the calls; no shape: by the stem */
  int64_t calls[2];
  aq_time times[2]; /* sums of the durations */
} aq_renamed;

typedef struct aq_renamed_list {
  aq_renamed *list; /* the largest difference of time first */
  size_t count, capacity;
} aq_renamed_list;

/* One run: its dispatches with their families (launch_context.h), of each a
 * number for its name in `names`, and the numbers of the kernels of the whole
 * run, which may have more of them. */
typedef struct aq_renamed_side {
  const aq_dispatches *dispatches;
  const uint32_t *numbers;
  const aq_map *kernels;
} aq_renamed_side;

/* `names` gets the texts of families, shapes and stems. False: no memory. The
 * caller frees out->list in any case. */
bool aq_renamed_find(const aq_renamed_side sides[2], aq_names *names,
                     aq_renamed_list *out);

#endif
