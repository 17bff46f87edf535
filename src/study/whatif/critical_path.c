/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "study/whatif/critical_path.h"

#include <stdio.h>
#include <stdlib.h>

#include "common/array.h"

const char *const aq_critical_names[AQ_CRITICAL_COUNT] = {
#define P(id, name, meaning) [AQ_CRITICAL_##id] = name,
    AQ_CRITICAL_PARTS(P)
#undef P
};

typedef struct ended {
  aq_time end;
  uint32_t row;
} ended;

/* A gap of a device in which lost work may have run. */
typedef struct lost_gap {
  int64_t device;
  aq_time from, to;
} lost_gap;

/* The rows of a timeline in the orders that the path is found by. */
typedef struct paths {
  const aq_timeline *t;
  uint32_t *front;  /* of each row: the one in front of it on its queue + 1 */
  uint32_t *by_row; /* of each origin: its row + 1 */
  int64_t origins;  /* entries of by_row */
  ended *by_end;    /* the last end first */
  size_t next_end;  /* those before end or start too late for the path */
  aq_time begin;    /* of the run */
  aq_time at;       /* the path is known from here on */
  int64_t device;   /* of the row that the path is at */
  lost_gap *gaps;   /* by device and time */
  size_t gap_count, gap_capacity;
} paths;

static int row_compare(const void *left, const void *right)
{
  const aq_timeline_row *a = left, *b = right;
  if (a->start != b->start)
    return a->start < b->start ? -1 : 1;
  if (a->end != b->end)
    return a->end < b->end ? -1 : 1;
  return (a->origin > b->origin) - (a->origin < b->origin);
}

static int ended_compare(const void *left, const void *right)
{
  const ended *a = left, *b = right;
  if (a->end != b->end)
    return a->end > b->end ? -1 : 1;
  return a->row > b->row ? -1 : a->row < b->row;
}

static int wait_compare(const void *left, const void *right)
{
  const aq_timeline_wait *a = left, *b = right;
  if (a->pid != b->pid)
    return a->pid < b->pid ? -1 : 1;
  return (a->time > b->time) - (a->time < b->time);
}

static void rows_link(paths *p, uint32_t *last_of_queue)
{
  const aq_timeline *t = p->t;
  for (uint32_t i = 0; i < t->count; i++) {
    const aq_timeline_row *row = &t->rows[i];
    p->by_end[i] = (ended){row->end, i};
    if (row->origin >= 0 && row->origin < p->origins)
      p->by_row[row->origin] = i + 1;
    if (row->queue < 0 || row->queue >= t->queues)
      continue;
    p->front[i] = last_of_queue[row->queue];
    last_of_queue[row->queue] = i + 1;
  }
  qsort(p->by_end, t->count, sizeof *p->by_end, ended_compare);
}

static int gap_compare(const void *left, const void *right)
{
  const lost_gap *a = left, *b = right;
  if (a->device != b->device)
    return a->device < b->device ? -1 : 1;
  return (a->from > b->from) - (a->from < b->from);
}

static bool is_behind_lost(const aq_timeline *t, const aq_timeline_row *row)
{
  return row->origin >= 0 && row->origin < t->lost_count &&
         t->lost[row->origin];
}

/* False: no memory. */
static bool gaps_find(paths *p)
{
  const aq_timeline *t = p->t;
  int64_t devices = 0;
  bool good = true;
  if (!t->lost)
    return true;
  for (size_t i = 0; i < t->count; i++)
    if (t->rows[i].device >= devices)
      devices = t->rows[i].device + 1;
  aq_time *until = malloc((size_t)(devices + 1) * sizeof *until);
  if (!until)
    return false;
  for (int64_t i = 0; i < devices; i++)
    until[i] = AQ_TIME_NONE;
  for (size_t i = 0; i < t->count && good; i++) {
    const aq_timeline_row *row = &t->rows[i];
    if (row->device < 0)
      continue;
    aq_time *last = &until[row->device];
    if (*last != AQ_TIME_NONE && row->start > *last && is_behind_lost(t, row))
      good = AQ_ARRAY_PUSH(p->gaps, p->gap_count, p->gap_capacity,
                           (lost_gap){row->device, *last, row->start});
    *last = aq_time_max(*last, row->end);
  }
  free(until);
  if (good && p->gap_count > 0)
    qsort(p->gaps, p->gap_count, sizeof *p->gaps, gap_compare);
  return good;
}

/* The time of the device's gaps between two times. */
static aq_time lost_between(const paths *p, aq_time from, aq_time to)
{
  const lost_gap wanted = {.device = p->device, .from = to};
  aq_time lost = 0;
  size_t low = 0, high = p->gap_count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (gap_compare(&p->gaps[middle], &wanted) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  for (; low > 0 && p->gaps[low - 1].device == p->device &&
         p->gaps[low - 1].to > from;
       low--)
    lost += aq_time_min(p->gaps[low - 1].to, to) -
            aq_time_max(p->gaps[low - 1].from, from);
  return lost;
}

static aq_status paths_init(paths *p, aq_diag *diag)
{
  const aq_timeline *t = p->t;
  for (size_t i = 0; i < t->count; i++)
    if (t->rows[i].origin >= p->origins)
      p->origins = t->rows[i].origin + 1;
  p->front = calloc(t->count, sizeof *p->front);
  p->by_end = calloc(t->count, sizeof *p->by_end);
  p->by_row = calloc((size_t)p->origins + 1, sizeof *p->by_row);
  uint32_t *last = calloc((size_t)t->queues + 1, sizeof *last);
  if (!p->front || !p->by_end || !p->by_row || !last || !gaps_find(p)) {
    free(last);
    return aq_diag_no_memory(diag);
  }
  rows_link(p, last);
  free(last);
  return AQ_OK;
}

static void paths_fini(paths *p)
{
  free(p->front);
  free(p->by_end);
  free(p->by_row);
  free(p->gaps);
}

/* Moves back to `to`, never before the begin of the run nor forward. What held
 * up a row while lost work may have run is unknown. */
static void path_go(paths *p, aq_critical *out, aq_critical_part part,
                    aq_time to)
{
  to = aq_time_max(to, p->begin);
  if (to >= p->at)
    return;
  const aq_time lost = part == AQ_CRITICAL_KERNELS || part == AQ_CRITICAL_COPIES
                           ? 0
                           : lost_between(p, to, p->at);
  out->parts[part] += p->at - to - lost;
  out->parts[AQ_CRITICAL_UNKNOWN] += lost;
  p->at = to;
}

/* The last wait of a process that returned by `time`, or NULL. */
static const aq_timeline_wait *wait_before(const aq_timeline *t, int64_t pid,
                                           aq_time time)
{
  const aq_timeline_wait wanted = {.time = time, .pid = pid};
  size_t low = 0, high = t->wait_count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (wait_compare(&t->waits[middle], &wanted) <= 0)
      low = middle + 1;
    else
      high = middle;
  }
  for (; low > 0 && t->waits[low - 1].pid == pid; low--)
    if (t->waits[low - 1].origin != AQ_NONE)
      return &t->waits[low - 1];
  return NULL;
}

/* Whether any host wait of a process is recorded. */
static bool waits_known(const aq_timeline *t, int64_t pid)
{
  const aq_timeline_wait wanted = {.time = AQ_TIME_MAX, .pid = pid};
  size_t low = 0, high = t->wait_count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (wait_compare(&t->waits[middle], &wanted) <= 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low > 0 && t->waits[low - 1].pid == pid;
}

/* The row that ended last by `time` of the rows that started before row `i`,
 * whatever its queue, + 1. Both only fall along the path. */
static uint32_t ended_by(paths *p, uint32_t i, aq_time time)
{
  for (; p->next_end < p->t->count; p->next_end++) {
    const ended *row = &p->by_end[p->next_end];
    if (row->end <= time && row->row < i)
      return row->row + 1;
  }
  return 0;
}

/* Back to the row that ended last by now, over a part that is not its own; 0 at
 * the begin of the run. */
static uint32_t device_pass(paths *p, aq_critical *out, uint32_t i,
                            aq_critical_part part)
{
  const uint32_t before = ended_by(p, i, p->at);
  path_go(p, out, part, before ? p->t->rows[before - 1].end : p->begin);
  return before;
}

/* From a submission back over the host; the row that its last wait followed,
 * + 1, or 0 at the begin of the run. */
static uint32_t host_pass(paths *p, aq_critical *out, uint32_t i)
{
  const aq_timeline_row *row = &p->t->rows[i];
  if (!waits_known(p->t, row->pid))
    return device_pass(p, out, i, AQ_CRITICAL_HOST);
  const aq_timeline_wait *wait = wait_before(p->t, row->pid, row->submit);
  const uint32_t after = wait && wait->origin < p->origins && wait->origin >= 0
                             ? p->by_row[wait->origin]
                             : 0;
  if (after == 0 || after > i || p->t->rows[after - 1].end > p->at) {
    path_go(p, out, AQ_CRITICAL_HOST, p->begin);
    return 0;
  }
  path_go(p, out, AQ_CRITICAL_HOST, wait->time);
  path_go(p, out, AQ_CRITICAL_RETURN, p->t->rows[after - 1].end);
  return after;
}

/* What row `i` waited for last, + 1; 0 at the begin of the run. */
static uint32_t row_pass(paths *p, aq_critical *out, uint32_t i)
{
  const aq_timeline_row *row = &p->t->rows[i];
  const int64_t flags = row->flags == AQ_NONE ? 0 : row->flags;
  const bool pinned = flags & AQ_FLAG_PINNED;
  const aq_critical_part wait =
      pinned ? AQ_CRITICAL_UNKNOWN : AQ_CRITICAL_DISPATCH;
  p->device = row->device;
  path_go(p, out,
          row->kind == AQ_KIND_KERNEL ? AQ_CRITICAL_KERNELS
                                      : AQ_CRITICAL_COPIES,
          row->start);
  if (row->submit == AQ_TIME_NONE ||
      (pinned && row->host_begin == AQ_TIME_NONE))
    return device_pass(p, out, i, AQ_CRITICAL_UNKNOWN);
  const uint32_t before =
      flags & AQ_FLAG_EDGE ? ended_by(p, i, row->start) : p->front[i];
  if (before && p->t->rows[before - 1].end >= row->submit) {
    path_go(p, out, wait, p->t->rows[before - 1].end);
    return before;
  }
  path_go(p, out, wait, row->submit);
  return host_pass(p, out, i);
}

aq_status aq_critical_find(aq_timeline *timeline, aq_critical *out,
                           aq_diag *diag)
{
  aq_critical found = {.makespan = aq_timeline_makespan(timeline)};
  paths p = {.t = timeline};
  if (timeline->count == 0 || timeline->count >= UINT32_MAX)
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "critical path: %zu rows; expected 1 to %u",
                       timeline->count, UINT32_MAX - 1);
  qsort(timeline->rows, timeline->count, sizeof *timeline->rows, row_compare);
  if (timeline->wait_count > 0)
    qsort(timeline->waits, timeline->wait_count, sizeof *timeline->waits,
          wait_compare);
  aq_status status = paths_init(&p, diag);
  if (status == AQ_OK) {
    uint32_t i = p.by_end[0].row;
    p.begin = timeline->rows[0].start;
    p.at = timeline->rows[i].end;
    for (uint32_t next = i + 1; next != 0; found.rows++)
      next = row_pass(&p, &found, next - 1);
    *out = found;
  }
  paths_fini(&p);
  return status;
}

double aq_critical_percent(const aq_critical *path, aq_critical_part part)
{
  return path->makespan > 0
             ? 100.0 * (double)path->parts[part] / (double)path->makespan
             : 0;
}

void aq_critical_put(aq_json_out *json, const char *key,
                     const aq_critical *path)
{
  aq_json_out_map(json, key);
  aq_json_out_ns(json, "makespan_ns", path->makespan);
  aq_json_out_int(json, "rows", path->rows);
  for (int i = 0; i < AQ_CRITICAL_COUNT; i++) {
    char name[32];
    snprintf(name, sizeof name, "%s_ns", aq_critical_names[i]);
    aq_json_out_ns(json, name, path->parts[i]);
  }
  aq_json_out_close_map(json);
}
