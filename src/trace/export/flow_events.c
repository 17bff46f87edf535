/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "trace/export/flow_events.h"

#include <stdlib.h>

static int end_order(const void *a, const void *b)
{
  const aq_arrow_end *x = a, *y = b;
  if (x->row != y->row)
    return x->row < y->row ? -1 : 1;
  return x->arrow < y->arrow ? -1 : x->arrow > y->arrow;
}

static bool side_init(aq_arrow_side *side, const aq_edge *edges, size_t count,
                      bool leave)
{
  if (count == 0)
    return true;
  aq_arrow_end *ends = malloc(count * sizeof *ends);
  side->rows = malloc(count * sizeof *side->rows);
  side->arrows = malloc(count * sizeof *side->arrows);
  bool made = ends && side->rows && side->arrows;
  if (made) {
    for (size_t i = 0; i < count; i++)
      ends[i] = (aq_arrow_end){leave ? edges[i].from : edges[i].to, i};
    qsort(ends, count, sizeof *ends, end_order);
    for (size_t i = 0; i < count; i++) {
      side->rows[i] = ends[i].row;
      side->arrows[i] = ends[i].arrow;
    }
    side->count = count;
  }
  free(ends);
  return made;
}

bool aq_flow_events_init(aq_flow_events *arrows, const aq_edge *edges,
                         size_t count)
{
  *arrows = (aq_flow_events){0};
  return side_init(&arrows->leave, edges, count, true) &&
         side_init(&arrows->arrive, edges, count, false);
}

static void side_fini(aq_arrow_side *side)
{
  free(side->rows);
  free(side->arrows);
}

void aq_flow_events_fini(aq_flow_events *arrows)
{
  side_fini(&arrows->leave);
  side_fini(&arrows->arrive);
}

static const uint64_t *side_of(aq_arrow_side *side, int64_t row, size_t *count)
{
  while (side->at < side->count && side->rows[side->at] < row)
    side->at++;
  size_t end = side->at;
  while (end < side->count && side->rows[end] == row)
    end++;
  *count = end - side->at;
  return *count ? &side->arrows[side->at] : NULL;
}

void aq_flow_events_of(aq_flow_events *arrows, int64_t row, aq_slice *slice)
{
  slice->leave = side_of(&arrows->leave, row, &slice->leave_count);
  slice->arrive = side_of(&arrows->arrive, row, &slice->arrive_count);
}
