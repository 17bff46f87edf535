/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "report/stats/range_summary.h"

#include <stdlib.h>

#include "common/array.h"
#include "common/map.h"
#include "report/stats/launch_ranges.h"

/* Of a summary: its open ranges, and the rows launched before the first of
 * them. */
typedef struct opened {
  size_t count;
  int64_t launched;
  aq_time work;
} opened;

typedef struct ranges {
  aq_range_summary *list;
  size_t count, capacity;
  aq_map places; /* by name and side */
  uint64_t *of;  /* by range: its summary */
  const aq_dispatch_row *rows;
  opened *open;     /* by summary */
  int64_t launched; /* rows so far … */
  aq_time work;     /* … and their time */
} ranges;

/* The summary of a range, by name and side: its place. */
static bool range_find(ranges *r, aq_run_reader *reader,
                       const aq_dispatch_row *row, uint64_t *at)
{
  const bool device = row->queue != AQ_NONE;
  const uint64_t key = (uint64_t)row->name << 1 | device;
  if (aq_map_get(&r->places, key, at))
    return true;
  const aq_range_summary made = {
      .name_id = row->name,
      .name =
          row->name == AQ_NONE ? NULL : aq_run_reader_name(reader, row->name),
      .device = device,
      .total = AQ_TIME_NONE,
      .least = AQ_TIME_NONE,
      .most = AQ_TIME_NONE};
  *at = r->count;
  return aq_map_put(&r->places, key, r->count) &&
         AQ_ARRAY_PUSH(r->list, r->count, r->capacity, made);
}

static void times_add(aq_range_summary *range, const aq_dispatch_row *row)
{
  const aq_time from = range->device ? row->start : row->host_begin,
                to = range->device ? row->end : row->host_end;
  range->count++;
  if (from == AQ_TIME_NONE || to == AQ_TIME_NONE) {
    range->untimed++;
    return;
  }
  const aq_time time = to - from;
  const bool first = range->total == AQ_TIME_NONE;
  range->total = first ? time : range->total + time;
  range->least = first ? time : aq_time_min(range->least, time);
  range->most = first ? time : aq_time_max(range->most, time);
}

/* A dispatch counts once for each name around it. */
static void launch_step(void *user, aq_launch_mark what, size_t place)
{
  ranges *r = user;
  if (what == AQ_LAUNCH_ROW) {
    r->launched++;
    r->work += r->rows[place].end - r->rows[place].start;
    return;
  }
  opened *open = &r->open[r->of[place]];
  if (what == AQ_LAUNCH_RANGE_BEGINS) {
    if (open->count++ == 0) {
      open->launched = r->launched;
      open->work = r->work;
    }
  } else if (--open->count == 0) {
    aq_range_summary *range = &r->list[r->of[place]];
    range->launched += r->launched - open->launched;
    range->work += r->work - open->work;
  }
}

static int total_order(const void *a, const void *b)
{
  const aq_range_summary *x = a, *y = b;
  if (x->total != y->total)
    return x->total < y->total ? 1 : -1;
  return (x->name_id > y->name_id) - (x->name_id < y->name_id);
}

aq_status aq_range_summaries_make(const aq_dispatches *dispatches,
                                  aq_run_reader *reader, aq_range_summary **out,
                                  size_t *count, aq_diag *diag)
{
  ranges r = {.places = AQ_MAP_INIT, .rows = dispatches->rows};
  r.of = calloc(dispatches->range_count + 1, sizeof *r.of);
  bool made = r.of;
  for (size_t i = 0; i < dispatches->range_count && made; i++) {
    made = range_find(&r, reader, &dispatches->ranges[i], &r.of[i]);
    if (made)
      times_add(&r.list[r.of[i]], &dispatches->ranges[i]);
  }
  r.open = calloc(r.count + 1, sizeof *r.open);
  made = made && r.open &&
         aq_launch_ranges_walk(dispatches, NULL, launch_step, &r);
  free(r.open);
  free(r.of);
  aq_map_fini(&r.places);
  if (!made) {
    free(r.list);
    return aq_diag_no_memory(diag);
  }
  if (r.count > 0)
    qsort(r.list, r.count, sizeof *r.list, total_order);
  *out = r.list;
  *count = r.count;
  return AQ_OK;
}
