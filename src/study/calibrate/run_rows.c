/* SPDX-License-Identifier: MIT */
/* The rows of a run, as calibration reads them. */
#include "config.h"

#include "study/calibrate/run_rows.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/copy_name.h"
#include "common/map.h"
#include "gpu/duration/rccl_name.h"
#include "report/stats/quantile.h"
#include "report/stats/timestamp_resolution.h"
#include "store/foreach_row.h"

enum {
  BACK_TO_BACK =
      20,        /* ns: a start so close to the previous end is back-to-back */
  EARLY = 5,     /* us: a row submitted so long before was surely queued */
  NEAR = 10,     /* us: and not so long before, perhaps */
  LONGEST = 100, /* us: a launch that takes longer waited for something else */
};

bool aq_calibrate_pairs_add(aq_calibrate_pairs *pairs, aq_time key,
                            aq_time value)
{
  return AQ_ARRAY_PUSH(pairs->at, pairs->count, pairs->capacity,
                       (aq_calibrate_pair){key, value});
}

/* A row that a queue carried out. */
typedef struct work {
  int64_t number, queue;
  aq_time start, end, submit;
  aq_time before;     /* the previous end on its queue, or AQ_TIME_NONE */
  int64_t before_row; /* which row that was, or AQ_NONE */
  bool of_rccl;       /* behind it are packets that no row shows */
} work;

/* How far the rows of a queue, or of a device, were read. */
typedef struct lane {
  int64_t key;
  aq_time end;      /* AQ_TIME_NONE before the first */
  aq_time complete; /* of the last row, or AQ_TIME_NONE */
  int64_t row;      /* that ended last, or AQ_NONE */
  /* Of the last row, where it is a kernel and ended last; NULL: it is not. */
  const char *name;
  int64_t grid;
  bool host_copy; /* the last row is one */
  /* The graph launch that its last row belongs to. */
  int64_t correlation;
  aq_calibrate_graph graph; /* latency is 0 where the queue was not idle */
} lane;

typedef struct run_rows {
  aq_calibrate *calibrate;
  aq_calibrate_part part;
  bool whole;   /* all of the run */
  bool outside; /* the row is before the part: it leaves no value */
  lane *lanes;
  size_t lane_count, lane_capacity;
  work *works;
  size_t work_count, work_capacity;
  aq_calibrate_pairs waits; /* begin, end of host calls that wait */
  aq_clock_rows *clock;
  aq_timestamps *timestamps;
  bool failed; /* out of memory */
} run_rows;

static void add(run_rows *r, aq_calibrate_pairs *pairs, aq_time key,
                aq_time value)
{
  if (!r->outside && !aq_calibrate_pairs_add(pairs, key, value))
    r->failed = true;
}

static void figure(run_rows *r, aq_calibrate_figure which, aq_time value)
{
  add(r, &r->calibrate->values[which], value, 0);
}

/* The place of a lane; lanes may move. A device has but a handful in use. */
static size_t lane_find(run_rows *r, int64_t key)
{
  for (size_t i = 0; i < r->lane_count; i++)
    if (r->lanes[i].key == key)
      return i;
  if (!AQ_ARRAY_PUSH(r->lanes, r->lane_count, r->lane_capacity,
                     (lane){.key = key,
                            .end = AQ_TIME_NONE,
                            .complete = AQ_TIME_NONE,
                            .row = AQ_NONE,
                            .correlation = AQ_NONE})) {
    r->failed = true;
    return 0;
  }
  return r->lane_count - 1;
}

/* ---- one row ---- */

static bool is_back_to_back(const aq_record *row, aq_time before)
{
  return llabs(row->start - before) <= BACK_TO_BACK * AQ_NS;
}

/* A kernel that the host launched with a call of its own. */
static void direct_report(run_rows *r, const lane *queue, const aq_record *row,
                          aq_time submit, aq_time device_before)
{
  const aq_time before = queue->end;
  aq_calibrate *c = r->calibrate;
  const aq_time lead = before - submit;
  if (is_back_to_back(row, before) && lead >= EARLY * AQ_US)
    figure(r, AQ_CALIBRATE_INTERVAL, row->end - before);
  else if (lead >= EARLY * AQ_US && row->start > before) {
    figure(r, AQ_CALIBRATE_GAP, row->start - before);
    if (!r->outside && queue->name && row->start - before <= LONGEST * AQ_US)
      r->failed |= !aq_calibrate_gap_add(&c->gaps, queue->name, queue->grid,
                                         row->start - before);
  }
  if (lead >= 0 && lead < NEAR * AQ_US)
    add(r, &c->nears, lead, is_back_to_back(row, before));
  const aq_time latency = row->start - submit;
  const aq_time called =
      row->host_begin == AQ_TIME_NONE ? submit : row->host_begin;
  /* To fit one run, all launches that the model takes for warm count: also the
   * ones onto an idle queue beside a busy one. */
  const bool idle = called > (r->whole ? device_before : before);
  if (!idle || latency <= 0 || latency >= LONGEST * AQ_US)
    return;
  add(r, &c->launches, aq_time_max(submit - device_before, 0), latency);
  if (!r->whole)
    add(r, &c->launch_starts, row->start, 0);
}

static bool continues_graph(const lane *queue, const aq_record *row)
{
  return row->correlation != AQ_NONE && queue->correlation == row->correlation;
}

/* Keeps an ended launch, that of the lane's last row. */
static void graph_close(run_rows *r, lane *queue)
{
  aq_calibrate *c = r->calibrate;
  if (queue->correlation != AQ_NONE && queue->graph.latency > 0 &&
      !AQ_ARRAY_PUSH(c->graphs, c->graph_count, c->graph_capacity,
                     queue->graph))
    r->failed = true;
  queue->correlation = AQ_NONE;
}

static void graph_node(run_rows *r, lane *queue, const aq_record *row,
                       aq_time device_before)
{
  if (!continues_graph(queue, row)) {
    const aq_time idle = row->host_begin - device_before;
    const bool known =
        !r->outside && idle > 0 && row->host_end > row->host_begin;
    graph_close(r, queue);
    queue->correlation = row->correlation;
    queue->graph = (aq_calibrate_graph){
        .idle = idle,
        .latency = known ? row->start - row->host_begin : 0,
        .call = row->host_end - row->host_begin};
  }
  queue->graph.nodes++;
}

static aq_time submit_of(const aq_record *row)
{
  if (row->via == AQ_VIA_NONE || row->via == AQ_NONE)
    return AQ_TIME_NONE;
  return row->host_end != AQ_TIME_NONE ? row->host_end : row->submit;
}

static void row_report(run_rows *r, lane *queue, const aq_record *row,
                       aq_time device_before)
{
  const aq_time submit = submit_of(row), before = queue->end;
  const bool graph =
      row->via == AQ_VIA_GRAPH && row->host_begin != AQ_TIME_NONE;
  const bool after_graph =
      queue->correlation != AQ_NONE && !continues_graph(queue, row);
  const aq_time called = graph ? row->host_begin : submit;
  if (after_graph && called != AQ_TIME_NONE &&
      called <= before - EARLY * AQ_US && !is_back_to_back(row, before))
    figure(r, AQ_CALIBRATE_GRAPH_END, row->start - before);
  if (graph)
    graph_node(r, queue, row, device_before);
  else if (after_graph)
    graph_close(r, queue);
  if (queue->host_copy && submit != AQ_TIME_NONE &&
      submit <= before - EARLY * AQ_US && !is_back_to_back(row, before)) {
    /* The packet that waits for the copy may be what costs the time, or the
     * signal of the copy engine. */
    const aq_time gap = row->start - before;
    figure(r, AQ_CALIBRATE_WAIT, gap);
    figure(r, AQ_CALIBRATE_COPY, gap);
  }
  if (row->kind != AQ_KIND_KERNEL || graph || after_graph)
    return;
  if (submit != AQ_TIME_NONE && queue->complete != AQ_TIME_NONE &&
      submit > before)
    add(r, &r->calibrate->handlers, submit - queue->complete,
        row->start - queue->complete);
  if (submit != AQ_TIME_NONE)
    direct_report(r, queue, row, submit, device_before);
  else if (is_back_to_back(row, before))
    figure(r, AQ_CALIBRATE_INTERVAL, row->end - before);
}

static int64_t device_of(const aq_record *row)
{
  return row->device == AQ_NONE ? 0 : row->device;
}

static int64_t queue_of(const aq_record *row)
{
  const int64_t place = row->queue != AQ_NONE    ? row->queue
                        : row->stream != AQ_NONE ? row->stream
                                                 : 0;
  return device_of(row) << 40 | (place & 0xffffffff) << 1;
}

/* A row behind the part: a graph launch that it belongs to is not known whole.
 */
static void beyond_add(run_rows *r, const aq_record *row)
{
  lane *queue = &r->lanes[lane_find(r, queue_of(row))];
  if (!r->failed && continues_graph(queue, row))
    queue->graph.latency = 0;
}

static void work_add(run_rows *r, const aq_record *row, int64_t number,
                     const char *name)
{
  const int64_t device = device_of(row), key = queue_of(row);
  const size_t gpu_at = lane_find(r, device << 40 | 1);
  const size_t queue_at = lane_find(r, key);
  r->failed |= !AQ_ARRAY_RESERVE(r->works, r->work_capacity, r->work_count + 1);
  if (r->failed)
    return;
  lane *gpu = &r->lanes[gpu_at], *queue = &r->lanes[queue_at];
  if (queue->end != AQ_TIME_NONE && gpu->end != AQ_TIME_NONE)
    row_report(r, queue, row, gpu->end);
  if (!r->outside)
    r->works[r->work_count++] =
        (work){.number = number,
               .queue = key,
               .start = row->start,
               .end = row->end,
               .submit = submit_of(row),
               .before = queue->end,
               .before_row = queue->row,
               .of_rccl = row->kind == AQ_KIND_KERNEL && name &&
                          aq_kernel_is_of_rccl(name)};
  if (queue->end == AQ_TIME_NONE || row->end >= queue->end)
    queue->row = number;
  queue->complete = row->complete;
  queue->name =
      row->kind == AQ_KIND_KERNEL && row->end >= queue->end ? name : NULL;
  queue->host_copy = row->kind == AQ_KIND_COPY && name &&
                     (aq_copy_is_from_host(name) || aq_copy_is_to_host(name));
  queue->grid = aq_record_work_items(row);
  queue->end = aq_time_max(queue->end, row->end);
  gpu->end = aq_time_max(gpu->end, row->end);
}

/* ---- figures that need all rows ---- */

static int work_compare_end(const void *a, const void *b)
{
  const aq_time x = ((const work *)a)->end, y = ((const work *)b)->end;
  return (x > y) - (x < y);
}

static int work_compare_number(const void *a, const void *b)
{
  const int64_t x = ((const work *)a)->number, y = ((const work *)b)->number;
  return (x > y) - (x < y);
}

/* Host calls that waited: the last end before each returned, if that came while
 * it waited. */
static void waits_report(run_rows *r)
{
  if (r->work_count == 0)
    return;
  qsort(r->works, r->work_count, sizeof *r->works, work_compare_end);
  for (size_t i = 0; i < r->waits.count; i++) {
    const aq_calibrate_pair *wait = &r->waits.at[i];
    size_t low = 0, high = r->work_count;
    while (low < high) {
      const size_t half = low + (high - low) / 2;
      if (r->works[half].end <= wait->value)
        low = half + 1;
      else
        high = half;
    }
    if (low > 0 && r->works[low - 1].end > wait->key)
      figure(r, AQ_CALIBRATE_SYNC, wait->value - r->works[low - 1].end);
  }
}

static const work *work_find(const run_rows *r, int64_t number)
{
  const work wanted = {.number = number};
  return bsearch(&wanted, r->works, r->work_count, sizeof wanted,
                 work_compare_number);
}

static bool is_awaited(const aq_edge *edges, size_t count, int64_t number)
{
  for (size_t i = 0; i < count; i++)
    if (edges[i].from == number)
      return true;
  return false;
}

/* A queued row that awaited an ended row, the first of its queue to. HIP sent a
 * packet for the wait if the row had not ended by the call. Behind an awaited
 * row is the packet of its event, too, and behind one of RCCL are two. */
static void met_report(run_rows *r, const aq_edge *edges, size_t count,
                       size_t at, const work *from, const work *to)
{
  for (size_t i = 0; i < count; i++) {
    const work *other =
        edges[i].from == from->number && edges[i].to < to->number
            ? work_find(r, edges[i].to)
            : NULL;
    if (i != at && other && other->queue == to->queue)
      return;
  }
  const work *last = work_find(r, to->before_row);
  if (from->end <= to->before && to->submit <= to->before - EARLY * AQ_US &&
      to->submit < from->end && !(last && last->of_rccl) &&
      to->start > to->before + BACK_TO_BACK * AQ_NS &&
      !is_awaited(edges, count, to->before_row))
    figure(r, AQ_CALIBRATE_WAIT, to->start - to->before);
}

/* Rows that had been queued, were next, and had but the other queue to wait
 * for. */
static void edges_report(run_rows *r, const aq_edge *edges, size_t count)
{
  if (r->work_count == 0)
    return;
  qsort(r->works, r->work_count, sizeof *r->works, work_compare_number);
  for (size_t i = 0; i < count; i++) {
    const work *from = work_find(r, edges[i].from);
    const work *to = work_find(r, edges[i].to);
    if (!from || !to || from->queue == to->queue ||
        to->submit == AQ_TIME_NONE || to->before == AQ_TIME_NONE)
      continue;
    met_report(r, edges, count, i, from, to);
    const aq_time ready = aq_time_max(to->before, to->submit + EARLY * AQ_US);
    if (ready <= from->end && to->start > from->end && !from->of_rccl)
      figure(r, AQ_CALIBRATE_EDGE, to->start - from->end);
  }
}

/* ---- a run ---- */

static bool row_add(void *user, const aq_record *row, int64_t number,
                    const char *name)
{
  run_rows *r = user;
  const bool is_work = row->kind == AQ_KIND_KERNEL ||
                       row->kind == AQ_KIND_COPY || row->kind == AQ_KIND_FILL;
  const bool is_timed =
      is_work && row->start != AQ_TIME_NONE && row->end != AQ_TIME_NONE;
  const bool is_wait = row->kind == AQ_KIND_WAIT &&
                       row->host_begin != AQ_TIME_NONE &&
                       row->host_end != AQ_TIME_NONE;
  if (is_timed && row->start >= r->part.until) {
    beyond_add(r, row);
    return !r->failed;
  }
  if (is_wait &&
      (row->host_begin < r->part.from || row->host_end > r->part.until))
    return true;
  r->outside = is_timed && row->start < r->part.from;
  if (is_timed)
    work_add(r, row, number, name);
  else if (is_wait && name && strstr(name, "Synchronize"))
    add(r, &r->waits, row->host_begin, row->host_end);
  if (r->outside)
    return !r->failed;
  aq_timestamps_add(r->timestamps, row);
  return aq_clock_rows_add(r->clock, row, name) && !r->failed;
}

static aq_status run_read(run_rows *r, aq_run_reader *reader, aq_diag *diag)
{
  const aq_edge *edges;
  size_t count;
  aq_status status = aq_run_reader_each(reader, row_add, r, diag);
  r->outside = false;
  for (size_t i = 0; i < r->lane_count; i++)
    graph_close(r, &r->lanes[i]);
  if (status == AQ_OK)
    status = aq_run_reader_edges(reader, &edges, &count, diag);
  if (status != AQ_OK)
    return status;
  waits_report(r);
  edges_report(r, edges, count);
  if (r->failed)
    return aq_diag_no_memory(diag);
  return AQ_OK;
}

/* Keeps the launches of the run, from `first` on, beside its witnesses. */
static aq_status clock_report(run_rows *r, size_t first, aq_diag *diag)
{
  aq_calibrate *c = r->calibrate;
  aq_calibrate_skewed skewed = {0};
  aq_clock_offset clock;
  aq_status status = aq_clock_rows_witnesses(r->clock, &skewed.witnesses, diag);
  const aq_clock_witnesses *w = &skewed.witnesses;
  if (status == AQ_OK && aq_clock_offset_of(w, 0, 0, &clock)) {
    for (size_t i = first; i < c->launches.count; i++)
      add(r, &skewed.launches, c->launches.at[i].key, c->launches.at[i].value);
    if (!r->failed &&
        AQ_ARRAY_PUSH(c->skewed, c->skewed_count, c->skewed_capacity, skewed))
      return AQ_OK;
    r->failed = true;
  }
  for (size_t i = 0; i < w->copy_count && status == AQ_OK; i++)
    figure(r, AQ_CALIBRATE_COPY_RETURN, w->copies[i]);
  aq_clock_witnesses_fini(&skewed.witnesses);
  free(skewed.launches.at);
  return status == AQ_OK && r->failed ? aq_diag_no_memory(diag) : status;
}

static void step_report(const run_rows *r)
{
  aq_calibrate *c = r->calibrate;
  const int step = aq_timestamps_step(r->timestamps);
  c->step_differs |= c->step != 0 && step != 0 && c->step != step;
  c->step = step ? step : c->step;
}

aq_status aq_calibrate_add(aq_calibrate *c, aq_store *store,
                           const aq_run_info *run,
                           const aq_calibrate_part *part, aq_diag *diag)
{
  run_rows rows = {.calibrate = c,
                   .part = {INT64_MIN, AQ_TIME_MAX},
                   .whole = part == NULL,
                   .clock = aq_clock_rows_create(),
                   .timestamps = aq_timestamps_create()};
  const size_t launches = c->launches.count;
  aq_run_reader *reader = NULL;
  if (part)
    rows.part = *part;
  aq_status status =
      rows.clock && rows.timestamps
          ? aq_run_reader_open(store, run->id, AQ_ORDER_START, &reader, diag)
          : aq_diag_no_memory(diag);
  if (status == AQ_OK)
    status = run_read(&rows, reader, diag);
  if (status == AQ_OK)
    status = clock_report(&rows, launches, diag);
  if (status == AQ_OK)
    step_report(&rows);
  aq_run_reader_close(reader);
  aq_clock_rows_free(rows.clock);
  aq_timestamps_free(rows.timestamps);
  free(rows.lanes);
  free(rows.works);
  free(rows.waits.at);
  return status;
}
