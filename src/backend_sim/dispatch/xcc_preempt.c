/* SPDX-License-Identifier: MIT */
/* Workgroups that stop before their end, and saved ones. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "backend_sim/dispatch/xcc_priv.h"
#include "common/array.h"

static int compare_times(const void *a, const void *b)
{
  const aq_time x = *(const aq_time *)a, y = *(const aq_time *)b;
  return (x > y) - (x < y);
}

/* Room for `more` saved workgroups behind those there are. */
static bool saved_reserve(aqsim_part *part, uint64_t more)
{
  const uint32_t left = (uint32_t)part->left[AQSIM_SAVED];
  if (part->saved_first > 0 && left > 0)
    memmove(part->saved, part->saved + part->saved_first,
            left * sizeof *part->saved);
  part->saved_first = 0;
  return AQ_ARRAY_RESERVE(part->saved, part->saved_capacity, left + more);
}

static void saved_add(aqsim_part *part, aq_time left)
{
  part->saved[part->left[AQSIM_SAVED]++] = left;
}

static void saved_sort(aqsim_part *part)
{
  if (part->left[AQSIM_SAVED])
    qsort(part->saved, part->left[AQSIM_SAVED], sizeof *part->saved,
          compare_times);
}

/* One that ran for as long as it did not have left starts anew: a saved one
 * counts as one of a full wave. */
static void workgroup_stop(aqsim_part *part, int class, uint32_t index,
                           bool save, aqsim_stopped *out)
{
  const aqsim_xcc *xcc = part->xcc;
  const aq_time left = xcc->workgroups[index].end - xcc->now;
  const int again = class == AQSIM_TAIL ? AQSIM_TAIL : AQSIM_BODY;
  out->workgroups++;
  part->issued -= left;
  if (save) {
    saved_add(part, left);
  } else {
    out->ran += part->duration[again] - left;
    part->left[again]++;
  }
}

/* It keeps its place until then. */
static void workgroup_leave(aqsim_part *part, uint32_t index, aq_time until)
{
  if (until <= part->xcc->now) {
    aqsim_workgroup_free(part, index);
    return;
  }
  part->xcc->workgroups[index].end = until;
  part->leaving++;
  aqsim_workgroup_append(part, AQSIM_LEAVING, index);
}

/* The end of the workgroups that still run, thus of the part. */
static void part_end_renew(aqsim_part *part)
{
  part->end = AQ_TIME_NONE;
  for (int class = 0; class < AQSIM_CLASSES; class ++)
    if (part->last[class])
      part->end =
          aq_time_max(part->end, part->xcc->workgroups[part->last[class]].end);
}

bool aqsim_part_stop(aqsim_part *part, const aqsim_cu_bits *where, bool save,
                     aq_time until, aqsim_stopped *out)
{
  const aqsim_xcc *xcc = part->xcc;
  aqsim_part_divide(part);
  if (save && !saved_reserve(part, part->running))
    return false;
  const uint64_t before = out->workgroups;
  for (int class = 0; class < AQSIM_LEAVING; class ++) {
    uint32_t index = part->first[class];
    part->first[class] = part->last[class] = 0;
    while (index) {
      const uint32_t next = xcc->workgroups[index].next;
      if (where && !aqsim_cu_bits_have(where, xcc->workgroups[index].cu)) {
        aqsim_workgroup_append(part, class, index);
      } else {
        workgroup_stop(part, class, index, save, out);
        workgroup_leave(part, index, until);
      }
      index = next;
    }
  }
  if (out->workgroups > before)
    part_end_renew(part);
  saved_sort(part);
  part->refused = false;
  return true;
}

bool aqsim_part_adopt(aqsim_part *part, aqsim_part *from)
{
  if (!saved_reserve(part, from->left[AQSIM_SAVED]))
    return false;
  for (; from->left[AQSIM_SAVED]; from->left[AQSIM_SAVED]--)
    saved_add(part, from->saved[from->saved_first++]);
  saved_sort(part);
  return true;
}

void aqsim_part_cancel(aqsim_part *part)
{
  aqsim_part_divide(part);
  part->leaving = 0;
  for (int class = 0; class < AQSIM_CLASSES; class ++) {
    part->left[class] = 0;
    while (part->first[class])
      aqsim_workgroup_remove(part, class);
  }
  aqsim_part_close(part);
}
