/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "trace/import/dependencies.h"

#include <stdlib.h>

#include "common/array.h"

#define NOWHERE SIZE_MAX

/* The limits of the search. Cross-queue edges of MI300X traces cost 9 to 18 us
 * from the end of one row to the start of the other. */
enum {
  GAP_MIN_US = 2,  /* a change of a signal is not seen sooner */
  GAP_MAX_US = 25, /* later, the row waited for something else */
  QUEUED_US = 4,   /* how long before that end the row must be queued */
  OVERDUE_US = 25, /* how long a row without a call must be queued */
  OWN_IDLE_US = 8, /* what its own queue must have idled then */
  AGREE_NS = 1000, /* a row cannot start this much before the awaited one */
  LOOK_BACK = 256, /* rows of a queue looked at for one call */
  SURE_CALL = 95,  /* percent: a call, and times that agree */
  LOOSE_CALL = 40, /* a call, and times that do not contradict */
  SURE_TIMES = 70, /* no call, but only one end that fits */
  FAIR_TIMES = 60, /* a few ends fit */
  FEW = 4,
  LOOSE_TIMES = 30, /* many fit: chance may do it */
  CONTRADICTIONS =
      3,           /* rows one after another inside of one: its end is wrong */
  OVERLAP_US = 10, /* of two rows of a queue; seen: 2.4 us */
};

struct aq_edge_row {
  int64_t number, device, queue, pid, tid, correlation;
  aq_time start, end, begin, submit;
  aq_time previous_end; /* on its queue; AQ_TIME_NONE: it is the first */
  bool has_edge;
  bool in_order;     /* its queue executes one row after another */
  bool call_dropped; /* by the import, which counted it */
};

/* The rows of one queue, by their ends. */
typedef struct queue_rows {
  int64_t device;
  size_t first, count;
} queue_rows;

typedef struct search {
  aq_edge_row *rows; /* by device, queue and end */
  size_t row_count;
  queue_rows *queues;
  size_t queue_count;
  size_t *by_call; /* rows with a host call, by thread and call */
  size_t call_rows;
  const aq_edge_call *calls; /* by begin */
  size_t call_count;
  aq_edge *found;
  size_t found_count, found_capacity;
  uint64_t led; /* calls that led to an edge */
} search;

void aq_edges_fini(aq_edges *edges)
{
  free(edges->rows);
  free(edges->calls);
  *edges = (aq_edges){0};
}

bool aq_edges_row(aq_edges *edges, const aq_record *row, int64_t number)
{
  if ((row->kind != AQ_KIND_KERNEL && row->kind != AQ_KIND_COPY &&
       row->kind != AQ_KIND_FILL) ||
      row->start == AQ_TIME_NONE || row->end == AQ_TIME_NONE)
    return true;
  aq_time submit = row->host_end != AQ_TIME_NONE ? row->host_end : row->submit;
  if (row->via == AQ_VIA_GRAPH && row->host_begin != AQ_TIME_NONE)
    submit = row->host_begin;
  return AQ_ARRAY_PUSH(edges->rows, edges->row_count, edges->row_capacity,
                       (aq_edge_row){.number = number,
                                     .device = row->device,
                                     .queue = row->queue,
                                     .pid = row->pid,
                                     .tid = row->tid,
                                     .correlation = row->correlation,
                                     .in_order = row->kind == AQ_KIND_KERNEL ||
                                                 row->stream != AQ_NONE,
                                     .start = row->start,
                                     .end = row->end,
                                     .begin = row->host_begin,
                                     .submit = submit,
                                     .previous_end = AQ_TIME_NONE});
}

void aq_edges_call_dropped(aq_edges *edges, int64_t number)
{
  aq_edge_row *last =
      edges->row_count > 0 ? &edges->rows[edges->row_count - 1] : NULL;
  if (last && last->number == number)
    last->call_dropped = true;
}

bool aq_edges_call(aq_edges *edges, const aq_edge_call *call)
{
  return AQ_ARRAY_PUSH(edges->calls, edges->call_count, edges->call_capacity,
                       *call);
}

/* ---- orders ---- */

static int order(int64_t a, int64_t b)
{
  return (a > b) - (a < b);
}

static int order_queue(const aq_edge_row *a, const aq_edge_row *b)
{
  int by = order(a->device, b->device);
  return by ? by : order(a->queue, b->queue);
}

static int order_by_start(const void *left, const void *right)
{
  const aq_edge_row *a = left, *b = right;
  int by = order_queue(a, b);
  by = by ? by : order(a->start, b->start);
  return by ? by : order(a->number, b->number);
}

static int order_by_end(const void *left, const void *right)
{
  const aq_edge_row *a = left, *b = right;
  int by = order_queue(a, b);
  by = by ? by : order(a->end, b->end);
  return by ? by : order(a->number, b->number);
}

static int order_by_call(const void *left, const void *right, void *rows)
{
  const aq_edge_row *a = (aq_edge_row *)rows + *(const size_t *)left;
  const aq_edge_row *b = (aq_edge_row *)rows + *(const size_t *)right;
  int by = order(a->pid, b->pid);
  by = by ? by : order(a->tid, b->tid);
  by = by ? by : order(a->begin, b->begin);
  by = by ? by : order(a->start, b->start);
  return by ? by : order(a->number, b->number);
}

static int order_calls(const void *left, const void *right)
{
  const aq_edge_call *a = left, *b = right;
  int by = order(a->begin, b->begin);
  by = by ? by : order(a->end, b->end);
  by = by ? by : order(a->pid, b->pid);
  by = by ? by : order(a->tid, b->tid);
  return by ? by : order(a->records, b->records);
}

static int order_edges(const void *left, const void *right)
{
  const aq_edge *a = left, *b = right;
  int by = order(a->to, b->to);
  by = by ? by : order(a->from, b->from);
  return by ? by : order(a->kind, b->kind);
}

/* Puts the rows of each queue in the order of their ends. */
static bool queues_find(search *s)
{
  size_t count = 1;
  qsort(s->rows, s->row_count, sizeof *s->rows, order_by_end);
  for (size_t i = 1; i < s->row_count; i++)
    count += order_queue(&s->rows[i - 1], &s->rows[i]) != 0;
  s->queues = calloc(count + 1, sizeof *s->queues);
  s->by_call = malloc((s->row_count + 1) * sizeof *s->by_call);
  if (!s->queues || !s->by_call)
    return false;
  for (size_t i = 0; i < s->row_count; i++) {
    if (i == 0 || order_queue(&s->rows[i - 1], &s->rows[i]) != 0)
      s->queues[s->queue_count++] = (queue_rows){s->rows[i].device, i, 0};
    s->queues[s->queue_count - 1].count++;
    if (s->rows[i].begin != AQ_TIME_NONE)
      s->by_call[s->call_rows++] = i;
  }
  qsort_r(s->by_call, s->call_rows, sizeof *s->by_call, order_by_call, s->rows);
  return true;
}

size_t aq_edges_uncalled(aq_edges *edges)
{
  size_t count = 0;
  bool called = false;
  if (edges->row_count > 0)
    qsort(edges->rows, edges->row_count, sizeof *edges->rows, order_by_start);
  for (size_t i = 0; i < edges->row_count; i++) {
    const aq_edge_row *row = &edges->rows[i];
    if (i > 0 && order_queue(row - 1, row) != 0)
      called = false;
    const bool has_call = row->begin != AQ_TIME_NONE || row->call_dropped;
    called |= has_call;
    count += called && !has_call;
  }
  return count;
}

/* ---- ends that cannot be ---- */

/* Whether later rows of its queue began and ended, one after another, before
 * its end. The nodes of one graph may overlap. */
static bool is_contradicted(const aq_edge_row *row, const aq_edge_row *end)
{
  aq_time last = row->start;
  int inside = 0;
  if (!row->in_order)
    return false;
  for (const aq_edge_row *next = row + 1;
       next < end && next - row <= LOOK_BACK && next->start < row->end &&
       order_queue(row, next) == 0;
       next++) {
    if (!next->in_order || next->end > row->end || next->start < last ||
        next->end == next->start ||
        (next->correlation != AQ_NONE && next->correlation == row->correlation))
      continue;
    last = next->end;
    if (++inside == CONTRADICTIONS)
      return true;
  }
  return false;
}

bool aq_edges_contradicted(aq_edges *edges, int64_t **rows, size_t *count)
{
  size_t capacity = 0, kept = 0;
  *rows = NULL;
  *count = 0;
  if (edges->row_count == 0)
    return true;
  const aq_edge_row *end = edges->rows + edges->row_count;
  qsort(edges->rows, edges->row_count, sizeof *edges->rows, order_by_start);
  for (size_t i = 0; i < edges->row_count; i++) {
    const aq_edge_row row = edges->rows[i];
    if (!is_contradicted(&edges->rows[i], end))
      edges->rows[kept++] = row;
    else if (!AQ_ARRAY_PUSH(*rows, *count, capacity, row.number))
      return false;
  }
  edges->row_count = kept;
  return true;
}

static int number_compare(const void *left, const void *right)
{
  return order(*(const int64_t *)left, *(const int64_t *)right);
}

bool aq_edges_drop(aq_edges *edges, const int64_t *rows, size_t count,
                   int64_t **found, size_t *found_count)
{
  size_t capacity = 0, kept = 0;
  *found = NULL;
  *found_count = 0;
  for (size_t i = 0; i < edges->row_count && count > 0; i++) {
    const aq_edge_row row = edges->rows[i];
    if (!bsearch(&row.number, rows, count, sizeof *rows, number_compare))
      edges->rows[kept++] = row;
    else if (!AQ_ARRAY_PUSH(*found, *found_count, capacity, row.number))
      return false;
  }
  edges->row_count = count > 0 ? kept : edges->row_count;
  return true;
}

size_t aq_edges_overlaps(const aq_edges *edges, int64_t *first)
{
  const aq_edge_row *last = NULL; /* of the queue, the one that ends last */
  size_t count = 0;
  for (size_t i = 0; i < edges->row_count; i++) {
    const aq_edge_row *row = &edges->rows[i];
    if (!row->in_order)
      continue;
    if (last && order_queue(last, row) != 0)
      last = NULL;
    const bool one_call = last && row->correlation != AQ_NONE &&
                          row->correlation == last->correlation;
    if (last && !one_call && row->end > row->start &&
        last->end - row->start > OVERLAP_US * AQ_US && count++ == 0)
      *first = row->number;
    if (!last || row->end > last->end)
      last = row;
  }
  return count;
}

/* ---- looking ---- */

/* The last row of a queue that ended by `time`, or NOWHERE. */
static size_t ended_by(const search *s, const queue_rows *queue, aq_time time)
{
  size_t low = 0, high = queue->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (s->rows[queue->first + middle].end <= time)
      low = middle + 1;
    else
      high = middle;
  }
  return low == 0 ? NOWHERE : queue->first + low - 1;
}

/* The first row that a thread submitted after a time, or NULL. */
static aq_edge_row *submitted_after(const search *s, int64_t pid, int64_t tid,
                                    aq_time time)
{
  size_t low = 0, high = s->call_rows;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    const aq_edge_row *row = &s->rows[s->by_call[middle]];
    int by = order(row->pid, pid);
    by = by ? by : order(row->tid, tid);
    if ((by ? by : order(row->begin, time)) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == s->call_rows)
    return NULL;
  aq_edge_row *row = &s->rows[s->by_call[low]];
  return row->pid == pid && row->tid == tid ? row : NULL;
}

static bool edge_add(search *s, const aq_edge_row *from, aq_edge_row *to,
                     aq_edge_kind kind, int confidence)
{
  if (!AQ_ARRAY_PUSH(s->found, s->found_count, s->found_capacity,
                     (aq_edge){from->number, to->number, kind, confidence}))
    return false;
  to->has_edge = true;
  return true;
}

/* The row starts as soon after an end as an edge takes, queued long before,
 * and its own queue does not explain it. */
static bool held_back(const aq_edge_row *from, const aq_edge_row *to)
{
  const aq_time gap = to->start - from->end;
  return gap >= GAP_MIN_US * AQ_US && gap <= GAP_MAX_US * AQ_US &&
         to->submit != AQ_TIME_NONE &&
         to->submit <= from->end - QUEUED_US * AQ_US &&
         to->previous_end < from->end;
}

/* The last row of other queues that was submitted before `limit` and had ended
 * when `to` started: the last recorded one that `to` can have awaited. */
static const aq_edge_row *awaited(const search *s, const aq_edge_row *to,
                                  aq_time limit)
{
  const aq_edge_row *best = NULL;
  for (size_t q = 0; q < s->queue_count; q++) {
    const queue_rows *queue = &s->queues[q];
    if (queue->device != to->device || s->rows[queue->first].queue == to->queue)
      continue;
    size_t at = ended_by(s, queue, to->start + AGREE_NS * AQ_NS);
    for (int i = 0; at != NOWHERE && i < LOOK_BACK; i++) {
      const aq_edge_row *row = &s->rows[at];
      if (row->begin != AQ_TIME_NONE && row->begin < limit) {
        if (!best || row->end > best->end)
          best = row;
        break;
      }
      at = at == queue->first ? NOWHERE : at - 1;
    }
  }
  return best;
}

/* An event that a call waits for was recorded by the last call that records
 * one, if the trace has such calls, and before the wait in any case. */
static aq_time recorded_by(const search *s, size_t wait)
{
  for (size_t i = wait; i > 0; i--)
    if (s->calls[i - 1].records && s->calls[i - 1].pid == s->calls[wait].pid)
      return s->calls[i - 1].begin;
  return s->calls[wait].begin;
}

static bool calls_follow(search *s)
{
  for (size_t i = 0; i < s->call_count; i++) {
    const aq_edge_call *call = &s->calls[i];
    if (call->records)
      continue;
    aq_edge_row *to = submitted_after(s, call->pid, call->tid, call->end);
    const aq_edge_row *from = to ? awaited(s, to, recorded_by(s, i)) : NULL;
    if (from && !edge_add(s, from, to, AQ_EDGE_CALL,
                          held_back(from, to) ? SURE_CALL : LOOSE_CALL))
      return false;
    s->led += from != NULL;
  }
  return true;
}

/* The only row, or one of `count`, whose end explains when `to` started. */
static const aq_edge_row *explains(const search *s, const aq_edge_row *to,
                                   int *count)
{
  const aq_edge_row *best = NULL;
  *count = 0;
  for (size_t q = 0; q < s->queue_count; q++) {
    const queue_rows *queue = &s->queues[q];
    if (queue->device != to->device || s->rows[queue->first].queue == to->queue)
      continue;
    size_t at = ended_by(s, queue, to->start - GAP_MIN_US * AQ_US);
    for (; at != NOWHERE && to->start - s->rows[at].end <= GAP_MAX_US * AQ_US;
         at = at == queue->first ? NOWHERE : at - 1) {
      const aq_edge_row *row = &s->rows[at];
      if (!held_back(row, to) || row->begin == AQ_TIME_NONE ||
          row->begin > to->begin)
        continue;
      ++*count;
      if (!best || row->end > best->end)
        best = row;
    }
  }
  return best;
}

static bool times_follow(search *s)
{
  for (size_t i = 0; i < s->row_count; i++) {
    aq_edge_row *to = &s->rows[i];
    if (to->has_edge || to->begin == AQ_TIME_NONE ||
        to->submit == AQ_TIME_NONE ||
        to->start - to->submit < OVERDUE_US * AQ_US ||
        to->previous_end == AQ_TIME_NONE ||
        to->start - to->previous_end < OWN_IDLE_US * AQ_US)
      continue;
    int count;
    const aq_edge_row *from = explains(s, to, &count);
    const int confidence = count == 1     ? SURE_TIMES
                           : count <= FEW ? FAIR_TIMES
                                          : LOOSE_TIMES;
    if (from && !edge_add(s, from, to, AQ_EDGE_INFERRED, confidence))
      return false;
  }
  return true;
}

/* ---- the result ---- */

static size_t drop_doubles(aq_edge *edges, size_t count)
{
  size_t kept = 0;
  for (size_t i = 0; i < count; i++) {
    aq_edge *last = kept ? &edges[kept - 1] : NULL;
    if (!last || last->to != edges[i].to || last->from != edges[i].from)
      edges[kept++] = edges[i];
    else if (last->confidence < edges[i].confidence)
      last->confidence = edges[i].confidence;
  }
  return kept;
}

static bool search_run(search *s, aq_edges *edges)
{
  if (edges->call_count > 0)
    qsort(edges->calls, edges->call_count, sizeof *edges->calls, order_calls);
  if (s->row_count == 0)
    return true;
  qsort(s->rows, s->row_count, sizeof *s->rows, order_by_start);
  for (size_t i = 1; i < s->row_count; i++)
    if (order_queue(&s->rows[i - 1], &s->rows[i]) == 0)
      s->rows[i].previous_end =
          aq_time_max(s->rows[i - 1].end, s->rows[i - 1].previous_end);
  if (!queues_find(s))
    return false;
  if (s->queue_count < 2)
    return true;
  if (!calls_follow(s) || !times_follow(s))
    return false;
  if (s->found_count > 0)
    qsort(s->found, s->found_count, sizeof *s->found, order_edges);
  s->found_count = drop_doubles(s->found, s->found_count);
  return true;
}

aq_status aq_edges_find(aq_edges *edges, aq_record_sink *sink, uint64_t *counts,
                        aq_diag *diag)
{
  search s = {.rows = edges->rows,
              .row_count = edges->row_count,
              .calls = edges->calls,
              .call_count = edges->call_count};
  aq_status status = AQ_OK;
  if (!search_run(&s, edges))
    status = aq_diag_no_memory(diag);
  for (size_t i = 0; status == AQ_OK && i < s.found_count; i++)
    counts[s.found[i].kind]++;
  for (size_t i = 0; i < s.call_count; i++)
    counts[0] += !s.calls[i].records;
  counts[0] -= s.led;
  if (status == AQ_OK && s.found_count > 0 && sink->put_edges)
    status = sink->put_edges(sink, s.found, s.found_count, diag);
  free(s.found);
  free(s.by_call);
  free(s.queues);
  return status;
}
