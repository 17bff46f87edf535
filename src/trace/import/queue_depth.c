/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "trace/import/queue_depth.h"

#include <stdlib.h>

#include "common/array.h"

bool aq_queue_depth_add(aq_queue_depth *depth, const aq_record *row)
{
  /* Where the completion is not known, the end is the nearest to it. */
  const aq_time up = row->submit;
  const aq_time down = row->complete == AQ_TIME_NONE ? row->end : row->complete;
  if (up == AQ_TIME_NONE || down == AQ_TIME_NONE || down < up)
    return true;
  if (!AQ_ARRAY_RESERVE(depth->up, depth->up_capacity, depth->count + 1) ||
      !AQ_ARRAY_RESERVE(depth->down, depth->down_capacity, depth->count + 1))
    return false;
  const size_t i = depth->count++;
  depth->up_sorted = i == 0 || (depth->up_sorted && up >= depth->up[i - 1]);
  depth->down_sorted =
      i == 0 || (depth->down_sorted && down >= depth->down[i - 1]);
  depth->up[i] = up;
  depth->down[i] = down;
  return true;
}

static int time_order(const void *a, const void *b)
{
  const aq_time x = *(const aq_time *)a, y = *(const aq_time *)b;
  return x < y ? -1 : x > y;
}

bool aq_queue_depth_sort(aq_queue_depth *depth)
{
  if (!depth->up_sorted && depth->count)
    qsort(depth->up, depth->count, sizeof *depth->up, time_order);
  if (!depth->down_sorted && depth->count)
    qsort(depth->down, depth->count, sizeof *depth->down, time_order);
  depth->up_sorted = depth->down_sorted = true;
  return depth->count > 0;
}

bool aq_queue_depth_next(aq_queue_depth *depth, aq_time *time, int64_t *value)
{
  if (depth->next_down == depth->count)
    return false;
  aq_time now = depth->down[depth->next_down];
  if (depth->next_up < depth->count && depth->up[depth->next_up] < now)
    now = depth->up[depth->next_up];
  while (depth->next_up < depth->count && depth->up[depth->next_up] == now)
    depth->next_up++;
  while (depth->next_down < depth->count &&
         depth->down[depth->next_down] == now)
    depth->next_down++;
  *time = now;
  *value = (int64_t)(depth->next_up - depth->next_down);
  return true;
}

void aq_queue_depth_fini(aq_queue_depth *depth)
{
  free(depth->up);
  free(depth->down);
}
