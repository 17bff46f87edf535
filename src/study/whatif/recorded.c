/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "study/whatif/recorded.h"

#include <stdlib.h>

#include "common/array.h"

enum {
  AGREE_US = 1,    /* clocks of host and device agree this well */
  LOOK_BACK = 256, /* rows searched for the one that a wait followed */
};

static int end_compare(const void *left, const void *right)
{
  const aq_dispatch_row *a = *(const aq_dispatch_row *const *)left;
  const aq_dispatch_row *b = *(const aq_dispatch_row *const *)right;
  if (a->pid != b->pid)
    return a->pid < b->pid ? -1 : 1;
  if (a->end != b->end)
    return a->end < b->end ? -1 : 1;
  return (a->number > b->number) - (a->number < b->number);
}

/* The row that a wait followed; NULL: none. `by_end` is by process and end. */
static const aq_dispatch_row *followed(const aq_dispatch_row *const *by_end,
                                       size_t count, const aq_host_wait *wait)
{
  const aq_dispatch_row last = {.pid = wait->pid,
                                .end = wait->end + AGREE_US * AQ_US,
                                .number = INT64_MAX};
  const aq_dispatch_row *wanted = &last;
  size_t low = 0, high = count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (end_compare(&by_end[middle], &wanted) <= 0)
      low = middle + 1;
    else
      high = middle;
  }
  for (int i = 0; low > 0 && i < LOOK_BACK; i++) {
    const aq_dispatch_row *row = by_end[--low];
    if (row->pid != wait->pid)
      return NULL;
    if (row->host_begin != AQ_TIME_NONE && row->host_begin <= wait->begin)
      return row->end > wait->begin ? row : NULL;
  }
  return NULL;
}

static aq_status waits_take(aq_timeline *t, const aq_dispatches *d,
                            aq_diag *diag)
{
  const aq_dispatch_row **by_end = malloc((d->count + 1) * sizeof *by_end);
  if (!by_end)
    return aq_diag_no_memory(diag);
  for (size_t i = 0; i < d->count; i++)
    by_end[i] = &d->rows[i];
  qsort(by_end, d->count, sizeof *by_end, end_compare);
  for (size_t i = 0; i < d->wait_count; i++) {
    const aq_host_wait *wait = &d->waits[i];
    const aq_dispatch_row *row = followed(by_end, d->count, wait);
    aq_timeline_waited(t, wait->pid, wait->end, row ? row->number : AQ_NONE);
  }
  free(by_end);
  return AQ_OK;
}

/* The doorbell of a row. A call that had not returned when its work started
 * rang it by then; nodes of one graph follow each other. */
static aq_time doorbell(const aq_dispatch_row *row,
                        const aq_dispatch_row *front)
{
  if (row->submission == AQ_TIME_NONE)
    return AQ_TIME_NONE;
  if (front && row->via == AQ_VIA_GRAPH && front->via == AQ_VIA_GRAPH &&
      row->correlation != AQ_NONE && row->correlation == front->correlation &&
      row->pid == front->pid && row->tid == front->tid)
    return row->host_begin;
  return aq_time_min(row->submission, row->start);
}

/* The flags of a row: it waited for another queue, whose rows ended at
 * `awaited`, or for a reason that is unknown. */
static int64_t flags_of(const aq_dispatch_row *row, aq_time rang,
                        const aq_dispatch_row *front, aq_time awaited)
{
  aq_time from = aq_time_max(rang, awaited);
  if (front)
    from = aq_time_max(from, front->end);
  const bool unknown = row->via == AQ_VIA_NONE || rang == AQ_TIME_NONE ||
                       (row->launch == AQ_TIME_NONE &&
                        row->start - from > AQ_EXPLAIN_LAUNCH_US * AQ_US);
  return (row->flags == AQ_NONE ? 0 : row->flags) |
         (unknown ? AQ_FLAG_PINNED : 0) |
         (awaited != AQ_TIME_NONE ? AQ_FLAG_EDGE : 0);
}

static aq_status row_take(aq_timeline *t, const aq_dispatch_row *row,
                          const aq_dispatch_row *front, aq_time awaited,
                          aq_diag *diag)
{
  const aq_time rang = doorbell(row, front);
  if (!AQ_ARRAY_PUSH(
          t->rows, t->count, t->capacity,
          (aq_timeline_row){.start = row->start,
                            .end = row->end,
                            .submit = rang,
                            .host_begin = row->host_begin != AQ_TIME_NONE
                                              ? row->host_begin
                                              : rang,
                            .origin = row->number,
                            .queue = row->queue,
                            .device = row->device,
                            .pid = row->pid,
                            .kind = row->kind,
                            .flags = flags_of(row, rang, front, awaited)}))
    return aq_diag_no_memory(diag);
  if (!aq_dispatch_blocks(row))
    return AQ_OK;
  aq_timeline_waited(t, row->pid, row->host_end, row->number);
  if (front && front->end > row->host_begin && rang > front->end)
    aq_timeline_waited(t, row->pid, rang, front->number);
  return AQ_OK;
}

/* By row number: the last end of the rows that it awaited, or AQ_TIME_NONE;
 * *count numbers. The caller frees it; NULL: no memory. */
static aq_time *awaited_find(const aq_dispatches *d, const aq_edge *edges,
                             size_t edge_count, int64_t *count)
{
  *count = 1;
  for (size_t i = 0; i < d->count; i++)
    if (d->rows[i].number >= *count)
      *count = d->rows[i].number + 1;
  aq_time *ends = malloc((size_t)*count * sizeof *ends);
  aq_time *awaited = malloc((size_t)*count * sizeof *awaited);
  if (ends && awaited) {
    for (int64_t i = 0; i < *count; i++)
      ends[i] = awaited[i] = AQ_TIME_NONE;
    for (size_t i = 0; i < d->count; i++)
      ends[d->rows[i].number] = d->rows[i].end;
    for (size_t i = 0; i < edge_count; i++)
      if (edges[i].from < *count && edges[i].to < *count &&
          (edges[i].kind == AQ_EDGE_CALL ||
           edges[i].confidence >= AQ_CRITICAL_CONFIDENCE))
        awaited[edges[i].to] =
            aq_time_max(awaited[edges[i].to], ends[edges[i].from]);
  } else {
    free(awaited);
    awaited = NULL;
  }
  free(ends);
  return awaited;
}

static aq_status rows_take(aq_timeline *t, const aq_dispatches *d,
                           const aq_edge *edges, size_t edge_count,
                           aq_diag *diag)
{
  aq_status status = AQ_OK;
  int64_t numbers;
  for (size_t i = 0; i < d->count; i++)
    if (d->rows[i].queue >= t->queues)
      t->queues = d->rows[i].queue + 1;
  const aq_dispatch_row **front = calloc((size_t)t->queues + 1, sizeof *front);
  aq_time *awaited = awaited_find(d, edges, edge_count, &numbers);
  if (!front || !awaited)
    status = aq_diag_no_memory(diag);
  for (size_t i = 0; i < d->count && status == AQ_OK; i++) {
    const aq_dispatch_row *row = &d->rows[i];
    const aq_dispatch_row **own =
        &front[row->queue < 0 ? t->queues : row->queue];
    status = row_take(t, row, *own, awaited[row->number], diag);
    *own = row;
  }
  free(front);
  free(awaited);
  return status;
}

aq_status aq_critical_recorded(const aq_dispatches *dispatches,
                               const aq_edge *edges, size_t edge_count,
                               aq_critical *out, aq_diag *diag)
{
  aq_timeline t;
  aq_timeline_init(&t);
  bool *lost = aq_explain_lost_gaps(dispatches, &t.lost_count);
  t.lost = lost;
  aq_status status = lost ? rows_take(&t, dispatches, edges, edge_count, diag)
                          : aq_diag_no_memory(diag);
  if (status == AQ_OK)
    status = waits_take(&t, dispatches, diag);
  if (status == AQ_OK && t.status != AQ_OK)
    status = aq_diag_no_memory(diag);
  if (status == AQ_OK)
    status = aq_critical_find(&t, out, diag);
  free(lost);
  aq_timeline_fini(&t);
  return status;
}
