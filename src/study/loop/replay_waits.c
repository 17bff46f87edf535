/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <stdlib.h>

#include "common/array.h"
#include "study/loop/replay_priv.h"

enum {
  AGREE_NS = 1000, /* clocks of host and device agree this well */
  LOOK_BACK = 256, /* rows searched for the target of a host call's wait */
  /* HIP (clr, Event::ready) learns that a kernel's event is ready from its
   * handler, not from the signal. Seen: not 176 us after the end, but after
   * 6.2 ms. */
  HANDLED_US = 1000,
};

static int order(int64_t a, int64_t b)
{
  return (a > b) - (a < b);
}

/* ---- blocking copies ---- */

static int wait_compare(const void *left, const void *right)
{
  const aq_replay_wait *a = left, *b = right;
  int by = order(a->end, b->end);
  by = by ? by : order(a->begin, b->begin);
  return by ? by : order(a->pid, b->pid);
}

static void waits_sort(aq_replay *r)
{
  if (r->wait_count > 0)
    qsort(r->waits, r->wait_count, sizeof *r->waits, wait_compare);
}

/* A copy that returned when it was done waited for it, whatever its name; and
 * one whose call counts as a wait by its name, whatever the clocks say. */
aq_status aq_replay_copies_wait(aq_replay *r, aq_diag *diag)
{
  const bool wanted = r->options.closed || r->options.as_graph;
  const size_t known = r->wait_count;
  waits_sort(r);
  for (uint32_t i = 0; i < r->row_count && wanted; i++) {
    aq_replay_row *row = &r->rows[i];
    const aq_replay_wait own = {
        .begin = row->host_begin,
        .end = row->host_end,
        .pid = row->pid,
        .row = i,
    };
    if (row->kind == AQ_KIND_KERNEL || row->via != AQ_VIA_DIRECT ||
        row->host_begin == AQ_TIME_NONE)
      continue;
    aq_replay_wait *named =
        known ? bsearch(&own, r->waits, known, sizeof own, wait_compare) : NULL;
    if (named) {
      named->row = i;
      row->blocks = true;
    } else if (row->blocks &&
               !AQ_ARRAY_PUSH(r->waits, r->wait_count, r->wait_capacity, own)) {
      return aq_diag_no_memory(diag);
    }
  }
  waits_sort(r);
  return AQ_OK;
}

/* ---- edges ---- */

/* Edges between rows that are replayed. */
aq_status aq_replay_edges_find(aq_replay *r, aq_diag *diag)
{
  aq_map rows = AQ_MAP_INIT;
  const aq_replay_options *o = &r->options;
  r->edges = malloc((o->edge_count + 1) * sizeof *r->edges);
  bool good = r->edges != NULL;
  for (size_t i = 0; good && o->edge_count > 0 && i < r->row_count; i++)
    good = aq_map_put(&rows, (uint64_t)r->rows[i].number, i);
  for (size_t i = 0; good && i < o->edge_count; i++) {
    uint64_t from, to;
    if (!aq_map_get(&rows, (uint64_t)o->edges[i].from, &from) ||
        !aq_map_get(&rows, (uint64_t)o->edges[i].to, &to)) {
      r->facts.dropped[AQ_REPLAY_DROP_ROW]++;
      continue;
    }
    r->rows[to].awaits = true;
    r->edges[r->edge_count++] = (aq_replay_edge){(uint32_t)from, (uint32_t)to};
  }
  aq_map_fini(&rows);
  return good ? AQ_OK : aq_diag_no_memory(diag);
}

static int edge_compare(const void *left, const void *right)
{
  const aq_replay_edge *a = left, *b = right;
  return a->to != b->to ? order(a->to, b->to) : order(a->from, b->from);
}

/* Turns edges between rows into edges between jobs, the waiting one being
 * submitted later. Only a job's first packet can wait. */
static void edges_settle(aq_replay *r)
{
  size_t kept = 0;
  for (size_t i = 0; i < r->edge_count; i++) {
    const aq_replay_row *to = &r->rows[r->edges[i].to];
    const aq_replay_edge edge = {r->rows[r->edges[i].from].job, to->job};
    if (r->jobs[edge.to].first != r->edges[i].to)
      r->facts.dropped[AQ_REPLAY_DROP_INNER]++;
    else if (edge.from >= edge.to)
      r->facts.dropped[AQ_REPLAY_DROP_LATER]++;
    else
      r->edges[kept++] = edge;
  }
  r->edge_count = kept;
  if (kept > 0)
    qsort(r->edges, kept, sizeof *r->edges, edge_compare);
  for (size_t i = 0; i < kept; i++) {
    aq_replay_job *job = &r->jobs[r->edges[i].to];
    aq_replay_job *from = &r->jobs[r->edges[i].from];
    const bool ready =
        r->rows[from->last].end + HANDLED_US * AQ_US <= job->submit;
    if (job->edge_count == 0)
      job->edge_first = (uint32_t)i;
    job->ready = ready && (job->edge_count == 0 || job->ready);
    if (job->edge_count < AQ_JOB_DEPENDENCIES) {
      job->edge_count++;
      from->awaited |= r->rows[from->first].queue != r->rows[job->first].queue;
    } else {
      r->facts.dropped[AQ_REPLAY_DROP_MANY]++;
    }
  }
  r->facts.edges = kept - r->facts.dropped[AQ_REPLAY_DROP_MANY];
}

/* ---- processes ---- */

/* Rows of no known process go with the first. */
static aq_status process_of(aq_replay *r, int64_t pid, uint32_t *out,
                            aq_diag *diag)
{
  *out = 0;
  for (size_t i = 0; i < r->process_count; i++)
    if (!r->options.closed || pid == AQ_NONE || r->processes[i].pid == pid) {
      *out = (uint32_t)i;
      return AQ_OK;
    }
  if (!AQ_ARRAY_PUSH(
          r->processes, r->process_count, r->process_capacity,
          (aq_replay_process){.pid = pid, .last_done = AQ_TIME_NONE}))
    return aq_diag_no_memory(diag);
  *out = (uint32_t)r->process_count - 1;
  return AQ_OK;
}

/* ---- waits of the host ---- */

typedef struct row_end {
  aq_time end;
  uint32_t process, row;
} row_end;

static int end_compare(const void *left, const void *right)
{
  const row_end *a = left, *b = right;
  int by = order(a->process, b->process);
  by = by ? by : order(a->end, b->end);
  return by ? by : order(a->row, b->row);
}

/* The row of the wait's process that was submitted before it, or by it, and
 * ended last before it returned. */
static uint32_t waited_for(const aq_replay *r, const row_end *by_end,
                           const aq_replay_wait *wait)
{
  const row_end last = {wait->end + AGREE_NS * AQ_NS, wait->process,
                        UINT32_MAX};
  size_t low = 0, high = r->row_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (end_compare(&by_end[middle], &last) <= 0)
      low = middle + 1;
    else
      high = middle;
  }
  for (int i = 0; low > 0 && i < LOOK_BACK; i++) {
    const row_end *at = &by_end[--low];
    const aq_time host_begin = r->rows[at->row].host_begin;
    if (at->process != wait->process)
      break;
    if (host_begin != AQ_TIME_NONE && host_begin <= wait->begin)
      return at->row;
  }
  return AQ_REPLAY_NOWHERE;
}

static aq_status waits_settle(aq_replay *r, aq_diag *diag)
{
  if (!r->options.closed || r->wait_count == 0)
    return AQ_OK;
  row_end *by_end = malloc((r->row_count + 1) * sizeof *by_end);
  if (!by_end)
    return aq_diag_no_memory(diag);
  for (size_t i = 0; i < r->row_count; i++)
    by_end[i] =
        (row_end){r->rows[i].end, r->jobs[r->rows[i].job].process, (uint32_t)i};
  qsort(by_end, r->row_count, sizeof *by_end, end_compare);
  for (size_t i = 0; i < r->wait_count; i++)
    if (r->waits[i].row == AQ_REPLAY_NOWHERE)
      r->waits[i].row = waited_for(r, by_end, &r->waits[i]);
  free(by_end);
  r->facts.waits = r->wait_count;
  return AQ_OK;
}

/* ---- steps ---- */

static int item_compare(const void *left, const void *right)
{
  const aq_replay_item *a = left, *b = right;
  int by = order(a->process, b->process);
  by = by ? by : order(a->time, b->time);
  by = by ? by : order(a->step, b->step);
  return by ? by : order(a->index, b->index);
}

static size_t jobs_list(aq_replay *r)
{
  size_t count = 0;
  for (size_t i = 0; i < r->job_count; i++) {
    aq_replay_job *job = &r->jobs[i];
    job->id = UINT64_MAX;
    job->done = AQ_TIME_NONE;
    r->items[count++] = (aq_replay_item){job->submit, job->process, (uint32_t)i,
                                         AQ_REPLAY_SUBMIT};
    if (job->drains)
      r->items[count++] = (aq_replay_item){job->submit, job->process,
                                           (uint32_t)i, AQ_REPLAY_DRAIN};
    /* Calls are skipped when the last of them would have returned. */
    if (r->options.closed && job->stretch && job->saved > 0)
      r->items[count++] = (aq_replay_item){
          job->submit + job->saved, job->process, (uint32_t)i, AQ_REPLAY_SKIP};
  }
  return count;
}

static aq_status items_make(aq_replay *r, aq_diag *diag)
{
  const size_t waits = r->options.closed ? r->wait_count : 0;
  r->items = malloc((3 * r->job_count + waits + 1) * sizeof *r->items);
  r->handed = malloc((r->job_count + 1) * sizeof *r->handed);
  if (!r->items || !r->handed)
    return aq_diag_no_memory(diag);
  size_t count = jobs_list(r);
  for (size_t i = 0; i < waits; i++)
    r->items[count++] = (aq_replay_item){
        r->waits[i].host_end, r->waits[i].process, (uint32_t)i, AQ_REPLAY_WAIT};
  if (count > 0)
    qsort(r->items, count, sizeof *r->items, item_compare);
  /* Calls for several queues that took turns are skipped once. */
  aq_time skipped = AQ_TIME_NONE;
  for (size_t i = 0; i < count; i++) {
    const aq_replay_item *item = &r->items[i];
    if (i > 0 && item->process != item[-1].process)
      skipped = AQ_TIME_NONE;
    if (item->step != AQ_REPLAY_SKIP)
      continue;
    aq_replay_job *job = &r->jobs[item->index];
    if (skipped != AQ_TIME_NONE)
      job->saved = aq_time_min(job->saved, item->time - skipped);
    skipped = item->time;
  }
  for (size_t i = count; i-- > 0;) {
    aq_replay_process *process = &r->processes[r->items[i].process];
    process->next = i;
    if (process->end == 0)
      process->end = i + 1;
  }
  return AQ_OK;
}

aq_status aq_replay_steps_make(aq_replay *r, aq_diag *diag)
{
  edges_settle(r);
  aq_status status = AQ_OK;
  for (size_t i = 0; i < r->job_count && status == AQ_OK; i++)
    status =
        process_of(r, r->rows[r->jobs[i].first].pid, &r->jobs[i].process, diag);
  for (size_t i = 0; i < r->wait_count && status == AQ_OK; i++)
    status = process_of(r, r->waits[i].pid, &r->waits[i].process, diag);
  if (status == AQ_OK)
    status = waits_settle(r, diag);
  if (status == AQ_OK)
    status = aq_replay_host_stretch(r, diag);
  return status == AQ_OK ? items_make(r, diag) : status;
}
