/* SPDX-License-Identifier: MIT */
/*
 * The host's time, stretched or shrunk: launch calls by one factor, the time
 * between calls by another. A host that waits for the device is not stretched;
 * its wait follows the device. The host threads of a process move together, so
 * its calls and waits form one sequence: where threads overlap, an instant in a
 * launch call counts as launch, else one in a wait as wait.
 */
#include "config.h"

#include <stdlib.h>

#include "study/loop/replay_priv.h"

enum { AT_LAUNCH, AT_WAIT, AT_SORTS };

/* A call begins (+1) or ends (-1). */
typedef struct boundary {
  aq_time time;
  uint32_t process;
  int sort, step;
} boundary;

/* From here on to the next point of the process, the host takes `factor` times
 * as long; `to` is the stretched time. */
typedef struct point {
  aq_time from, to;
  uint32_t process;
  double factor;
} point;

typedef struct stretch {
  point *points; /* by process and time */
  size_t count;
} stretch;

static int order(int64_t a, int64_t b)
{
  return (a > b) - (a < b);
}

static int boundary_compare(const void *left, const void *right)
{
  const boundary *a = left, *b = right;
  int by = order(a->process, b->process);
  by = by ? by : order(a->time, b->time);
  return by ? by : order(b->step, a->step); /* calls that meet do not part */
}

static size_t boundaries_list(const aq_replay *r, boundary *out)
{
  size_t count = 0;
  for (size_t i = 0; i < r->row_count; i++) {
    const aq_replay_row *row = &r->rows[i];
    if (row->host_begin == AQ_TIME_NONE || row->host_end <= row->host_begin)
      continue;
    const uint32_t process = r->jobs[row->job].process;
    const int sort = row->blocks ? AT_WAIT : AT_LAUNCH;
    out[count++] = (boundary){row->host_begin, process, sort, 1};
    out[count++] = (boundary){row->host_end, process, sort, -1};
  }
  for (size_t i = 0; i < r->wait_count; i++) {
    const aq_replay_wait *wait = &r->waits[i];
    out[count++] = (boundary){wait->begin, wait->process, AT_WAIT, 1};
    out[count++] = (boundary){wait->end, wait->process, AT_WAIT, -1};
  }
  return count;
}

static double factor_at(const aq_replay *r, const int open[AT_SORTS])
{
  if (open[AT_LAUNCH] > 0)
    return r->options.launch_factor;
  return open[AT_WAIT] > 0 ? 1 : r->options.host_factor;
}

static aq_time stretched(const point *p, aq_time time)
{
  return p->to + (aq_time)((double)(time - p->from) * p->factor);
}

/* Before the first point of a process the host is as measured. */
static aq_time host_time(const stretch *s, uint32_t process, aq_time time)
{
  size_t low = 0, high = s->count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    const point *p = &s->points[middle];
    const int by = order(p->process, process);
    if ((by ? by : order(p->from, time)) <= 0)
      low = middle + 1;
    else
      high = middle;
  }
  if (time == AQ_TIME_NONE || low == 0 || s->points[low - 1].process != process)
    return time;
  return stretched(&s->points[low - 1], time);
}

static void times_move(aq_replay *r, const stretch *s)
{
  for (size_t i = 0; i < r->job_count; i++) {
    aq_replay_job *job = &r->jobs[i];
    const aq_time submit = host_time(s, job->process, job->submit);
    if (job->saved > 0)
      job->saved =
          host_time(s, job->process, job->submit + job->saved) - submit;
    if (job->gate != AQ_TIME_NONE)
      job->gate += submit - job->submit;
    job->submit = submit;
  }
  for (size_t i = 0; i < r->row_count; i++) {
    aq_replay_row *row = &r->rows[i];
    const uint32_t process = r->jobs[row->job].process;
    row->host_begin = host_time(s, process, row->host_begin);
    row->host_end = host_time(s, process, row->host_end);
  }
  for (size_t i = 0; i < r->wait_count; i++) {
    aq_replay_wait *wait = &r->waits[i];
    wait->host_begin = host_time(s, wait->process, wait->begin);
    wait->host_end = host_time(s, wait->process, wait->end);
  }
}

aq_status aq_replay_host_stretch(aq_replay *r, aq_diag *diag)
{
  const size_t room = 2 * (r->row_count + r->wait_count) + 1;
  for (size_t i = 0; i < r->wait_count; i++) {
    r->waits[i].host_begin = r->waits[i].begin;
    r->waits[i].host_end = r->waits[i].end;
  }
  if (r->options.launch_factor == 1 && r->options.host_factor == 1)
    return AQ_OK;
  boundary *boundaries = malloc(room * sizeof *boundaries);
  stretch s = {.points = malloc(room * sizeof *s.points)};
  aq_status status = AQ_OK;
  if (boundaries && s.points) {
    const size_t count = boundaries_list(r, boundaries);
    qsort(boundaries, count, sizeof *boundaries, boundary_compare);
    /* The points of all processes from their boundaries, which are sorted. */
    int open[AT_SORTS] = {0};
    for (size_t i = 0; i < count; i++) {
      const boundary *b = &boundaries[i];
      const bool first = i == 0 || b->process != b[-1].process;
      const point *last = first ? NULL : &s.points[s.count - 1];
      point p = {b->time, b->time, b->process, 1};
      if (first)
        open[AT_LAUNCH] = open[AT_WAIT] = 0;
      else
        p.to = stretched(last, b->time);
      open[b->sort] += b->step;
      p.factor = factor_at(r, open);
      s.points[s.count++] = p;
    }
    times_move(r, &s);
  } else {
    status = aq_diag_no_memory(diag);
  }
  free(s.points);
  free(boundaries);
  return status;
}
