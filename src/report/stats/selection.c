/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "report/stats/selection.h"

#include <stdlib.h>

#include "report/stats/launch_context.h"
#include "report/stats/part_spans.h"
#include "store/foreach_row.h"

aq_status aq_part_read(aq_store *store, int64_t run, aq_run_reader *reader,
                       aq_rows_wanted wanted, aq_stats_by by,
                       const aq_run_window *window, aq_dispatches *out,
                       aq_window_counts *counts, aq_diag *diag)
{
  const bool stepped = window && window->step != AQ_NONE;
  aq_status status = aq_dispatches_read(reader, wanted, out, diag);
  if (status != AQ_OK)
    return status;
  *counts = (aq_window_counts){.rows = out->count, .all = out->count};
  if (aq_stats_by_needs_context(by) || stepped)
    status = aq_launch_context_read(store, run, reader, by, out, diag);
  if (status == AQ_OK && window)
    status = aq_dispatches_mark(out, reader, window, counts, diag);
  if (status == AQ_OK && window)
    status = aq_part_spans_make(out, reader, window, diag);
  return status;
}

/* The times of a row that may be known. */
typedef struct extent {
  aq_time from, to;
  bool known;
} extent;

static void extent_add(extent *e, aq_time time)
{
  if (time == AQ_TIME_NONE)
    return;
  e->from = e->known ? aq_time_min(e->from, time) : time;
  e->to = e->known ? aq_time_max(e->to, time) : time;
  e->known = true;
}

static extent extent_of(const aq_record *row)
{
  extent e = {0};
  extent_add(&e, row->host_begin);
  extent_add(&e, row->host_end);
  extent_add(&e, row->submit);
  extent_add(&e, row->start);
  extent_add(&e, row->end);
  extent_add(&e, row->complete);
  return e;
}

/* The window decides on the rows that statistics are of. */
typedef struct work {
  aq_selection *s;
  bool *decided; /* by row number */
} work;

static bool other_add(void *user, const aq_record *row, int64_t number,
                      const char *name)
{
  const work *w = user;
  (void)name;
  if (w->decided[number])
    return true;
  const extent e = extent_of(row);
  w->s->untimed += !e.known;
  w->s->rows[number] = e.known && aq_selection_meets(w->s, e.from, e.to);
  w->s->others += w->s->rows[number];
  return true;
}

static bool window_take(const work *w, const aq_dispatches *d)
{
  aq_selection *s = w->s;
  size_t count;
  const aq_part_span *spans = aq_part_spans(d, AQ_PART_LAUNCHES, &count);
  s->spans = calloc(count + 1, sizeof *s->spans);
  if (!s->spans)
    return false;
  for (size_t i = 0; i < count; i++)
    s->spans[i] = (aq_time_span){spans[i].from, spans[i].to};
  s->span_count = count;
  s->time = aq_dispatches_makespan(d);
  for (size_t i = 0; i < d->count; i++) {
    const aq_dispatch_row *row = &d->rows[i];
    w->decided[row->number] = true;
    s->rows[row->number] = !row->outside;
  }
  return true;
}

static aq_status others_take(aq_store *store, int64_t run, work *w,
                             aq_diag *diag)
{
  aq_run_reader *reader;
  aq_status status =
      aq_run_reader_open(store, run, AQ_ORDER_STORED, &reader, diag);
  if (status != AQ_OK)
    return status;
  status = aq_run_reader_each(reader, other_add, w, diag);
  aq_run_reader_close(reader);
  return status;
}

/* ---- beside the rows ---- */

static aq_status tracks_count(aq_run_reader *reader, size_t rows,
                              aq_selection *s, aq_diag *diag)
{
  const aq_edge *edges;
  const aq_sample *samples;
  size_t count;
  aq_status status = aq_run_reader_edges(reader, &edges, &count, diag);
  for (size_t i = 0; status == AQ_OK && i < count; i++)
    s->edges += edges[i].from < 0 || (size_t)edges[i].from >= rows ||
                edges[i].to < 0 || (size_t)edges[i].to >= rows ||
                !s->rows[edges[i].from] || !s->rows[edges[i].to];
  if (status == AQ_OK)
    status = aq_run_reader_samples(reader, &samples, &count, diag);
  for (size_t i = 0; status == AQ_OK && i < count; i++)
    s->samples += !aq_selection_meets(s, samples[i].time, samples[i].time);
  return status;
}

aq_status aq_selection_regions_count(aq_store *store, int64_t run,
                                     aq_selection *selection, aq_diag *diag)
{
  aq_selection *s = selection;
  aq_request_list requests = {0};
  aq_preempted_list preemptions = {0};
  aq_status status = aq_store_requests(store, run, &requests, diag);
  for (size_t i = 0; status == AQ_OK && i < requests.count; i++) {
    const aq_request *q = &requests.requests[i];
    s->requests += q->arrival != AQ_TIME_NONE && q->complete != AQ_TIME_NONE &&
                   !aq_selection_meets(s, q->arrival, q->complete);
  }
  if (status == AQ_OK)
    status = aq_store_preemptions(store, run, &preemptions, diag);
  for (size_t i = 0; status == AQ_OK && i < preemptions.count; i++) {
    const aq_preempted *p = &preemptions.preemptions[i];
    s->preemptions += p->asked != AQ_TIME_NONE && p->freed != AQ_TIME_NONE &&
                      !aq_selection_meets(s, p->asked, p->freed);
  }
  aq_request_list_fini(&requests);
  aq_preempted_list_fini(&preemptions);
  return status;
}

aq_status aq_selection_make(aq_store *store, int64_t run,
                            const aq_run_window *window, aq_selection *out,
                            aq_diag *diag)
{
  aq_run_reader *reader;
  aq_dispatches d = {0};
  aq_status status =
      aq_run_reader_open(store, run, AQ_ORDER_STORED, &reader, diag);
  if (status != AQ_OK)
    return status;
  const size_t count = (size_t)aq_run_reader_row_count(reader);
  aq_selection s = {.rows = calloc(count + 1, sizeof *s.rows)};
  work w = {&s, calloc(count + 1, sizeof *w.decided)};
  if (!s.rows || !w.decided)
    status = aq_diag_no_memory(diag);
  if (status == AQ_OK)
    status = aq_part_read(store, run, reader, AQ_WANT_EITHER, AQ_STATS_BY_ALL,
                          window, &d, &s.counts, diag);
  if (status == AQ_OK)
    status = window_take(&w, &d) ? others_take(store, run, &w, diag)
                                 : aq_diag_no_memory(diag);
  if (status == AQ_OK)
    status = tracks_count(reader, count, &s, diag);
  aq_dispatches_fini(&d);
  aq_run_reader_close(reader);
  free(w.decided);
  if (status == AQ_OK)
    *out = s;
  else
    aq_selection_fini(&s);
  return status;
}

void aq_selection_fini(aq_selection *selection)
{
  free(selection->rows);
  free(selection->spans);
}
