/* SPDX-License-Identifier: MIT */
/*
 * A change moves the parts of a run that depend on it, within bounds that the
 * measured rows alone give: kernels k times as long lengthen a run by at least
 * (k - 1) times the time in which only kernels ran and every host call in
 * progress waited for them, and by at most (k - 1) times the sum of their
 * durations. Launch calls, the host's time between calls and copies likewise;
 * another device moves it by no more than the sum of the changes of durations.
 * The critical path of the recorded rows, as `explain` has it, and that of the
 * unchanged replay, as `whatif` has it, have the same parts within 2 %. Runs
 * are generated, and the published profiles, of which `make check` takes two.
 */
#include "support/aqtest.h"

#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/copy_name.h"
#include "common/rng.h"
#include "report/stats/dispatches.h"
#include "study/session/replay.h"
#include "study/whatif/recorded.h"
#include "study/whatif/whatif.h"
#include "trace/db/tracedb.h"
#include "trace/import/trace.h"

static aq_diag diag = AQ_DIAG_INIT;

#define MS(time) ((double)(time) / (double)AQ_MS)

/* ---- bounds, from measured rows ---- */

typedef struct span {
  aq_time from, to;
} span;

typedef struct spans {
  span *at;
  size_t count, capacity;
} spans;

static void span_add(spans *s, aq_time from, aq_time to)
{
  if (to > from)
    ck_assert(AQ_ARRAY_PUSH(s->at, s->count, s->capacity, (span){from, to}));
}

static int span_order(const void *left, const void *right)
{
  const span *a = left, *b = right;
  return (a->from > b->from) - (a->from < b->from);
}

/* Sorts the spans and joins overlapping ones. */
static void spans_merge(spans *s)
{
  size_t kept = 0;
  if (s->count > 0)
    qsort(s->at, s->count, sizeof *s->at, span_order);
  for (size_t i = 0; i < s->count; i++)
    if (kept > 0 && s->at[i].from <= s->at[kept - 1].to)
      s->at[kept - 1].to = aq_time_max(s->at[kept - 1].to, s->at[i].to);
    else
      s->at[kept++] = s->at[i];
  s->count = kept;
}

static aq_time spans_length(const spans *s)
{
  aq_time sum = 0;
  for (size_t i = 0; i < s->count; i++)
    sum += s->at[i].to - s->at[i].from;
  return sum;
}

/* The length of `a` that no span of `b` covers; both are merged. */
static aq_time spans_alone(const spans *a, const spans *b)
{
  aq_time sum = spans_length(a);
  size_t j = 0;
  for (size_t i = 0; i < a->count; i++) {
    while (j < b->count && b->at[j].to <= a->at[i].from)
      j++;
    for (size_t n = j; n < b->count && b->at[n].from < a->at[i].to; n++)
      sum -= aq_time_min(a->at[i].to, b->at[n].to) -
             aq_time_max(a->at[i].from, b->at[n].from);
  }
  return sum;
}

/* The bounds that the measured rows of a run set for its changes. */
typedef struct bounds {
  aq_time kernels;      /* the sum of their durations */
  aq_time only_kernels; /* ran while the host waited for them */
  aq_time launches;     /* the time in calls that launch */
  aq_time only_launch;  /* of it, while nothing was submitted and not done */
  aq_time copies;       /* copies and fills within the device's memory */
  aq_time only_copies;  /* of them, awaited by the host, without kernels */
  aq_time host;         /* between the calls of all processes */
  aq_time only_host;    /* of it, while nothing was submitted and not done */
  size_t waits, rows;
  int64_t devices;
  bool one_process;
} bounds;

static bool called(const aq_dispatch_row *row)
{
  return row->host_begin != AQ_TIME_NONE && row->host_end != AQ_TIME_NONE &&
         row->via != AQ_VIA_NONE;
}

/* The longest of the queues' kernel time in a wait: of kernels that the
 * process submitted before it, where the device ran nothing else, and the row
 * in front of each has a call too. Of a call that does not wait for the whole
 * device, only where one queue has any. */
static aq_time waited_kernels(const aq_dispatches *d, const aq_host_wait *wait,
                              int64_t queues, const spans *copies)
{
  aq_time most = 0;
  int with = 0;
  for (int64_t queue = 0; queue < queues; queue++) {
    spans own = {0};
    bool known = true;
    for (size_t i = 0; i < d->count; i++) {
      const aq_dispatch_row *row = &d->rows[i];
      if (row->queue != queue || row->end <= wait->begin ||
          row->start >= wait->end)
        continue;
      known &= called(row) && row->pid == wait->pid;
      if (row->kind == AQ_KIND_KERNEL && called(row) &&
          row->host_begin <= wait->begin)
        span_add(&own, aq_time_max(row->start, wait->begin),
                 aq_time_min(row->end, wait->end));
    }
    spans_merge(&own);
    with += own.count > 0;
    if (known)
      most = aq_time_max(most, spans_alone(&own, copies));
    free(own.at);
  }
  return with == 1 ? most : 0;
}

/* Waits that a thread made, and the calls of copies that returned when these
 * were done; none of them overlaps another. */
static aq_host_wait *waits_find(const aq_dispatches *d, size_t *count)
{
  size_t capacity = 0;
  aq_host_wait *out = NULL;
  *count = 0;
  for (size_t i = 0; i < d->wait_count; i++)
    ck_assert(AQ_ARRAY_PUSH(out, *count, capacity, d->waits[i]));
  for (size_t i = 0; i < d->count; i++) {
    const aq_dispatch_row *row = &d->rows[i];
    if (row->kind != AQ_KIND_KERNEL && called(row) &&
        row->via == AQ_VIA_DIRECT && row->host_end >= row->end)
      ck_assert(AQ_ARRAY_PUSH(
          out, *count, capacity,
          (aq_host_wait){row->host_begin, row->host_end, row->pid, row->tid}));
  }
  if (*count > 0)
    qsort(out, *count, sizeof *out, span_order);
  size_t kept = 0;
  for (size_t i = 0; i < *count; i++)
    if (kept == 0 || out[i].begin >= out[kept - 1].end)
      out[kept++] = out[i];
  *count = kept;
  return out;
}

/* The host's time between its calls, of all processes that made any. */
static void host_gaps(const aq_dispatches *d, const aq_host_wait *waits,
                      size_t wait_count, int64_t pid, spans *out)
{
  spans calls = {0};
  for (size_t i = 0; i < d->count; i++)
    if (d->rows[i].pid == pid && called(&d->rows[i]))
      span_add(&calls, d->rows[i].host_begin, d->rows[i].host_end);
  for (size_t i = 0; i < wait_count; i++)
    if (waits[i].pid == pid)
      span_add(&calls, waits[i].begin, waits[i].end);
  spans_merge(&calls);
  for (size_t i = 1; i < calls.count; i++)
    span_add(out, calls.at[i - 1].to, calls.at[i].from);
  free(calls.at);
}

/* Whether a copy or fill stays in the device's memory. */
static bool within(const aq_dispatch_row *row, aq_run_reader *reader)
{
  const char *name = aq_run_reader_name(reader, row->name);
  return row->kind == AQ_KIND_FILL || (name && aq_copy_is_on_device(name));
}

static bounds bounds_of(const aq_dispatches *d, aq_run_reader *reader)
{
  const int64_t queues = (int64_t)aq_run_reader_queue_count(reader);
  bounds b = {.one_process = true, .rows = d->count};
  spans copies = {0}, launches = {0}, busy = {0};
  spans gaps = {0}, kernels = {0}, awaited = {0};
  int64_t pids[64];
  size_t pid_count = 0;
  aq_time last_call = INT64_MIN / 2;
  /* A makespan begins with the first start. */
  if (d->count > 0)
    span_add(&busy, INT64_MIN / 2, d->rows[0].start);
  for (size_t i = 0; i < d->count; i++) {
    const aq_dispatch_row *row = &d->rows[i];
    const bool kernel = row->kind == AQ_KIND_KERNEL;
    b.one_process &= row->pid == d->rows[0].pid;
    b.devices = row->device >= b.devices ? row->device + 1 : b.devices;
    if (kernel)
      b.kernels += row->end - row->start;
    else if (within(row, reader))
      b.copies += row->end - row->start;
    if (!kernel)
      span_add(&copies, row->start, row->end);
    if (called(row) && (kernel || row->host_end < row->end))
      span_add(&launches, row->host_begin, row->host_end);
    span_add(&busy,
             called(row) ? aq_time_min(row->host_end, row->start) : row->start,
             row->end);
  }
  spans_merge(&copies);
  spans_merge(&launches);
  spans_merge(&busy);
  aq_host_wait *waits = waits_find(d, &b.waits);
  for (size_t i = 0; i < b.waits; i++)
    b.only_kernels += waited_kernels(d, &waits[i], queues, &copies);
  b.launches = spans_length(&launches);
  b.only_launch = spans_alone(&launches, &busy);
  for (size_t i = 0; i < d->count; i++) {
    const aq_dispatch_row *row = &d->rows[i];
    if (row->kind == AQ_KIND_KERNEL)
      span_add(&kernels, row->start, row->end);
    else if (called(row) && row->host_end >= row->end && within(row, reader))
      span_add(&awaited, row->start, row->end);
    bool seen = false;
    for (size_t j = 0; j < pid_count; j++)
      seen |= pids[j] == row->pid;
    if (!seen && pid_count < sizeof pids / sizeof *pids) {
      pids[pid_count++] = row->pid;
      host_gaps(d, d->waits, d->wait_count, row->pid, &gaps);
    }
    last_call =
        called(row) ? aq_time_max(last_call, row->host_begin) : last_call;
  }
  for (size_t i = 0; i < gaps.count; i++)
    b.host += gaps.at[i].to - gaps.at[i].from;
  /* The host's work behind its last launch lengthens no run. */
  span_add(&busy, last_call, INT64_MAX / 2);
  spans_merge(&busy);
  spans_merge(&gaps);
  spans_merge(&kernels);
  spans_merge(&awaited);
  b.only_host = spans_alone(&gaps, &busy);
  b.only_copies = spans_alone(&awaited, &kernels);
  free(gaps.at);
  free(kernels.at);
  free(awaited.at);
  free(waits);
  free(busy.at);
  free(launches.at);
  free(copies.at);
  return b;
}

/* ---- replays ---- */

static size_t checked; /* properties */

typedef struct change {
  double kernels, launch, host, copies; /* factors */
  bool mixed; /* kernels by a factor of their own name, 0.5 to 1.5 */
} change;

static const change none = {1, 1, 1, 1, false};

typedef struct replayed_run {
  aq_timeline timeline; /* first */
  change by;
} replayed_run;

static double factor_of(const change *by, const aq_record *row)
{
  if (row->kind != AQ_KIND_KERNEL)
    return by->copies;
  return by->mixed ? 0.5 + (double)(row->name * 7 % 11) / 10 : by->kernels;
}

static aq_time scaled(void *user, const aq_record *row, const char *name,
                      aq_time measured)
{
  (void)name;
  const change *by = &((const replayed_run *)user)->by;
  return (aq_time)((double)measured * factor_of(by, row));
}

/* The caller ends *out with aq_timeline_fini. */
static bool replay(aq_store *store, const char *run, const char *device,
                   change by, replayed_run *out)
{
  const aq_performance_options options = {.device = device};
  const aq_replay_ask ask = {.origin = run,
                             .closed = true,
                             .launch = by.launch,
                             .host = by.host,
                             .confidence = AQ_REPLAY_EDGES_DEFAULT};
  const bool scales = by.kernels != 1 || by.copies != 1 || by.mixed;
  const aq_replay_hooks hooks = {.duration = scales ? scaled : NULL,
                                 .waited = aq_timeline_waited,
                                 .user = out};
  aq_session session;
  aq_performed performed;
  aq_run_info info;
  aq_run_info_init(&info, AQ_RUN_SIMULATED);
  out->by = by;
  aq_timeline_init(&out->timeline);
  ck_assert_status(aq_session_init(&session, &options, NULL, &diag), AQ_OK,
                   &diag);
  session.instead = &out->timeline.sink;
  const aq_status status = aq_replay_once(&session, store, &ask, &hooks, &info,
                                          &performed, NULL, &diag);
  if (status == AQ_OK)
    aq_performed_fini(&performed);
  aq_session_fini(&session);
  return status == AQ_OK;
}

static bool replayed(aq_store *store, const char *run, const char *device,
                     change by, aq_time *out)
{
  replayed_run r;
  const bool done = replay(store, run, device, by, &r);
  *out = aq_timeline_makespan(&r.timeline);
  aq_timeline_fini(&r.timeline);
  return done;
}

/* The idle time before a row changes with the host, and with it the latency of
 * its launch, by 20 us at most. */
static void ck_between(const char *run, const char *what, aq_time moved,
                       aq_time least, aq_time most, const bounds *b)
{
  const aq_time slack = (aq_time)(b->waits + 2) * 20 * AQ_US + most / 100;
  ck_assert_msg(moved >= least - least / 100 - slack && moved <= most + slack,
                "%s: %s moves it by %.3f ms; expected %.3f to %.3f ms, within "
                "%.3f ms",
                run, what, MS(moved), MS(least), MS(most), MS(slack));
}

/* The parts of both critical paths, within 2 % of the makespan; launch calls
 * that take as long as they did move nothing. A run that does not name its GPU
 * is replayed on any. */
static void ck_paths(aq_store *store, const char *run,
                     const aq_critical *recorded, const bounds *of)
{
  aq_performance_options options = {.device = NULL};
  const aq_change same = {.id = AQ_CHANGE_LAUNCH, .factor = 1};
  const size_t changes = of->launches > 0; /* else they are not recorded */
  aq_whatif w;
  if (aq_whatif_make(&options, store, run, &same, changes, &w, NULL, NULL,
                     &diag) != AQ_OK) {
    options.device = "mi300x";
    ck_assert_status(aq_whatif_make(&options, store, run, &same, changes, &w,
                                    NULL, NULL, &diag),
                     AQ_OK, &diag);
  }
  ck_assert_msg(changes == 0 || !w.rows[1].depends, "%s: launch x1 moves it",
                run);
  const aq_critical *replayed = &w.rows[0].after;
  for (int i = 0; i < AQ_CRITICAL_COUNT; i++) {
    const double a = aq_critical_percent(recorded, i);
    const double b = aq_critical_percent(replayed, i);
    ck_assert_msg(fabs(a - b) <= 2,
                  "%s: %s %.2f %% of the recorded critical path, %.2f %% of "
                  "the replay's",
                  run, aq_critical_names[i], a, b);
  }
  aq_whatif_fini(&w);
}

static int origin_order(const void *left, const void *right)
{
  const aq_timeline_row *a = left, *b = right;
  return (a->origin > b->origin) - (a->origin < b->origin);
}

/* The sums of what rows became longer, and shorter. */
static void rows_differ(const aq_timeline *a, const aq_timeline *b,
                        aq_time *longer, aq_time *shorter)
{
  *longer = *shorter = 0;
  ck_assert_uint_eq(a->count, b->count);
  qsort(a->rows, a->count, sizeof *a->rows, origin_order);
  qsort(b->rows, b->count, sizeof *b->rows, origin_order);
  for (size_t i = 0; i < a->count; i++) {
    const aq_time by = (b->rows[i].end - b->rows[i].start) -
                       (a->rows[i].end - a->rows[i].start);
    ck_assert_int_eq(a->rows[i].origin, b->rows[i].origin);
    *(by > 0 ? longer : shorter) += by > 0 ? by : -by;
  }
}

/* On another device each row takes another time. Whatever the order of the
 * rows, a run becomes no longer than by all that became longer. Its models
 * differ in latencies too, by 20 us at most for each row of the path. */
static void ck_device(aq_store *store, const char *run, const char *device,
                      change by, const replayed_run *base,
                      const aq_critical *path, const bounds *b)
{
  replayed_run other;
  aq_critical after;
  aq_time longer, shorter;
  if (!replay(store, run, device, by, &other)) {
    aq_timeline_fini(&other.timeline);
    return;
  }
  ck_assert_status(aq_critical_find(&other.timeline, &after, &diag), AQ_OK,
                   &diag);
  rows_differ(&base->timeline, &other.timeline, &longer, &shorter);
  const aq_time latency = device ? (path->rows + after.rows) * 20 * AQ_US : 0;
  ck_between(run, device ? device : "kernels by their names",
             after.makespan - path->makespan, -shorter - latency,
             longer + latency, b);
  aq_timeline_fini(&other.timeline);
}

static void ck_changes(aq_store *store, const char *run, const char *device,
                       aq_time before, const bounds *b)
{
  static const struct {
    const char *name;
    change by;
  } changes[] = {
      {"kernels x2", {2, 1, 1, 1, false}},
      {"kernels x0.5", {0.5, 1, 1, 1, false}},
      {"launch x2", {1, 2, 1, 1, false}},
      {"launch x0.5", {1, 0.5, 1, 1, false}},
      {"host x2", {1, 1, 2, 1, false}},
      {"host x0.5", {1, 1, 0.5, 1, false}},
      {"copies x2", {1, 1, 1, 2, false}},
      {"copies x0.5", {1, 1, 1, 0.5, false}},
  };
  const aq_time least[] = {
      b->only_kernels, b->only_kernels / 2, b->only_launch, 0, b->only_host, 0,
      b->only_copies,  b->only_copies / 2};
  const aq_time most[] = {b->kernels,      b->kernels / 2, b->launches,
                          b->launches / 2, b->host,        b->host / 2,
                          b->copies,       b->copies / 2};
  for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
    aq_time after;
    ck_assert(replayed(store, run, device, changes[i].by, &after));
    ck_between(run, changes[i].name, i % 2 ? before - after : after - before,
               b->one_process ? least[i] : 0, most[i], b);
    checked++;
  }
}

static bool ck_moves(aq_store *store, const char *run, const char *device)
{
  aq_run_info *info;
  aq_run_reader *reader;
  aq_dispatches rows;
  aq_critical recorded, path;
  replayed_run base;
  const aq_edge *edges;
  size_t edge_count;
  ck_assert_status(aq_store_find(store, run, &info, &diag), AQ_OK, &diag);
  ck_assert_status(
      aq_run_reader_open(store, info->id, AQ_ORDER_STORED, &reader, &diag),
      AQ_OK, &diag);
  ck_assert_status(aq_dispatches_read(reader, AQ_WANT_DISPATCHES, &rows, &diag),
                   AQ_OK, &diag);
  const bounds b = bounds_of(&rows, reader);
  ck_assert_status(aq_run_reader_edges(reader, &edges, &edge_count, &diag),
                   AQ_OK, &diag);
  ck_assert_status(
      aq_critical_recorded(&rows, edges, edge_count, &recorded, &diag), AQ_OK,
      &diag);
  aq_dispatches_fini(&rows);
  aq_run_reader_close(reader);
  aq_run_info_free(info);
  if (!replay(store, run, device, none, &base)) {
    aq_timeline_fini(&base.timeline);
    return false;
  }
  ck_assert_status(aq_critical_find(&base.timeline, &path, &diag), AQ_OK,
                   &diag);
  ck_paths(store, run, &recorded, &b);
  ck_changes(store, run, device, path.makespan, &b);
  ck_device(store, run, "mi210", none, &base, &path, &b);
  ck_device(store, run, "mi350x", none, &base, &path, &b);
  ck_device(store, run, device, (change){1, 1, 1, 1, true}, &base, &path, &b);
  checked += 4 + (b.launches > 0);
  aq_timeline_fini(&base.timeline);
  printf("# %s: only kernels %.3f of %.3f ms, launches %.3f of %.3f, host %.3f "
         "of %.3f, copies %.3f of %.3f, %zu waits; %zu properties so far\n",
         run, MS(b.only_kernels), MS(b.kernels), MS(b.only_launch),
         MS(b.launches), MS(b.only_host), MS(b.host), MS(b.only_copies),
         MS(b.copies), b.waits, checked);
  return true;
}

/* ---- generated runs ---- */

/* A host that launches kernels, synchronizes and copies, on a device that runs
 * them one after another. */
typedef struct made {
  aq_record_sink *sink;
  aq_rng rng;
  aq_time host, device; /* both are at */
  int64_t slow;         /* factor of calls, gaps and copies */
  int64_t kernel, sync, copies[2], call;
} made;

static aq_time between(made *m, int64_t low_us, int64_t high_us)
{
  return (low_us +
          (int64_t)(aq_rng_bits(&m->rng) % (uint64_t)(high_us - low_us + 1))) *
         AQ_US;
}

static void put(made *m, aq_record *row, aq_time length)
{
  row->flags = 0;
  row->pid = row->tid = 1;
  row->correlation = ++m->call;
  if (row->kind != AQ_KIND_WAIT) {
    row->via = AQ_VIA_DIRECT;
    row->device = row->queue = row->stream = 0;
    row->start = aq_time_max(row->start, m->device);
    row->end = m->device = row->start + length;
  }
  ck_assert_status(m->sink->put(m->sink, row, 1, &diag), AQ_OK, &diag);
}

static void kernel_make(made *m)
{
  aq_record row;
  aq_record_init(&row);
  row.kind = AQ_KIND_KERNEL;
  row.name = m->kernel;
  row.host_begin = m->host;
  row.host_end = m->host += between(m, 2, 6 * m->slow);
  row.start = row.host_end + 5 * AQ_US;
  row.grid_x = 64 * 304;
  row.wg_x = 64;
  row.grid_y = row.grid_z = row.wg_y = row.wg_z = 1;
  put(m, &row, between(m, 5, 400));
}

static void wait_make(made *m)
{
  aq_record row;
  aq_record_init(&row);
  row.kind = AQ_KIND_WAIT;
  row.name = m->sync;
  row.host_begin = m->host;
  row.host_end = m->host = aq_time_max(m->host, m->device) + 10 * AQ_US;
  put(m, &row, 0);
}

/* Waits for the kernels, copies, returns. */
static void copy_make(made *m)
{
  aq_record row;
  aq_record_init(&row);
  row.kind = AQ_KIND_COPY;
  row.name = m->copies[aq_rng_bits(&m->rng) % 2];
  row.bytes = 4096;
  row.host_begin = m->host;
  row.start = aq_time_max(m->host, m->device) + between(m, 8, 12);
  const aq_time length = between(m, 5, 50 * m->slow);
  row.host_end = m->host = row.start + length + 10 * AQ_US;
  put(m, &row, length);
}

static void run_make(aq_store *store, const char *name, uint64_t seed)
{
  aq_store_writer *writer;
  aq_run_info info;
  /* The device is the limit, or the host. */
  made m = {.host = 100 * AQ_US, .slow = seed % 2 ? 1 : 20};
  int64_t ordinal;
  aq_run_info_init(&info, AQ_RUN_MEASURED);
  info.name = name;
  ck_assert_status(aq_store_writer_open(store, &info, &writer, &diag), AQ_OK,
                   &diag);
  m.sink = aq_store_writer_sink(writer);
  aq_rng_init(&m.rng, seed, 0);
#define NAME(text, id)                                                         \
  ck_assert_status(m.sink->name(m.sink, text, strlen(text), id, &diag), AQ_OK, \
                   &diag)
  NAME("gemm", &m.kernel);
  NAME("hipDeviceSynchronize", &m.sync);
  NAME("Memcpy DtoH (Device -> Host)", &m.copies[0]);
  NAME("Memcpy DtoD (Device -> Device)", &m.copies[1]);
#undef NAME
  const aq_run_device device = {
      .name = "AMD Instinct MI300X", .gfx = "gfx942", .cus = 304};
  ck_assert_status(m.sink->device(m.sink, &device, &ordinal, &diag), AQ_OK,
                   &diag);
  const aq_run_queue queue = {.device = ordinal};
  ck_assert_status(m.sink->queue(m.sink, &queue, &ordinal, &diag), AQ_OK,
                   &diag);
  for (int i = 0; i < 60; i++) {
    for (int64_t n = between(&m, 1, 20) / AQ_US; n > 0; n--)
      kernel_make(&m);
    m.host += between(&m, 0, 300 * m.slow);
    if (aq_rng_bits(&m.rng) % 2)
      wait_make(&m);
    else
      copy_make(&m);
  }
  ck_assert_status(aq_store_writer_finish(writer, &info, &diag), AQ_OK, &diag);
}

START_TEST(a_change_moves_generated_runs_by_what_depends_on_it)
{
  aq_store *store;
  const uint64_t runs = aqtest_is_long() ? 100 : 5;
  ck_assert_status(aq_store_open(":memory:", AQ_STORE_WRITE, &store, &diag),
                   AQ_OK, &diag);
  for (uint64_t seed = 1; seed <= runs; seed++) {
    char name[32];
    snprintf(name, sizeof name, "made-%d", (int)seed);
    run_make(store, name, seed);
    ck_assert_msg(ck_moves(store, name, NULL), "%s", diag.text);
  }
  aq_store_close(store);
}
END_TEST

/* ---- published profiles ---- */

static void profile_import(aq_store *store, const char *path, const char *name)
{
  const aq_trace_options options = {.modules = aq_tracedb_modules};
  aq_trace_result result;
  aq_store_writer *writer;
  aq_run_info info;
  aq_run_info_init(&info, AQ_RUN_MEASURED);
  info.name = name;
  ck_assert_status(aq_store_writer_open(store, &info, &writer, &diag), AQ_OK,
                   &diag);
  ck_assert_status(aq_trace_import(path, &options, aq_store_writer_sink(writer),
                                   &result, &diag),
                   AQ_OK, &diag);
  info.format = result.format;
  info.base_ns = result.base_ns;
  ck_assert_status(aq_store_writer_finish(writer, &info, &diag), AQ_OK, &diag);
}

START_TEST(a_change_moves_published_profiles_by_what_depends_on_it)
{
  static const char *const few[] = {"mi300x_flux_iter0.", "mi210_resnet_bwd."};
  const char *folder = aqtest_data("measured/raw");
  char pattern[4200];
  aq_store *store;
  glob_t files;
  size_t moved = 0;
  if (!folder) {
    aqtest_skip("no profiles in measured/raw");
    return;
  }
  ck_assert_status(aq_store_open(":memory:", AQ_STORE_WRITE, &store, &diag),
                   AQ_OK, &diag);
  snprintf(pattern, sizeof pattern, "%s/*.gz", folder);
  ck_assert_int_eq(glob(pattern, 0, NULL, &files), 0);
  for (size_t i = 0; i < files.gl_pathc; i++) {
    const char *name = strrchr(files.gl_pathv[i], '/') + 1;
    const char *only = getenv("AQ_PROFILE");
    bool wanted = aqtest_is_long();
    for (size_t n = 0; n < sizeof few / sizeof *few; n++)
      wanted |= strncmp(name, few[n], strlen(few[n])) == 0;
    if (only ? !strstr(name, only) : !wanted)
      continue;
    profile_import(store, files.gl_pathv[i], name);
    if (ck_moves(store, name, NULL))
      moved++;
    else
      printf("# %s: %s\n", name, diag.text);
  }
  ck_assert(moved > 0);
  globfree(&files);
  aq_store_close(store);
}
END_TEST

int main(void)
{
  const aqtest_case cases[] = {
      {"a_change_moves_generated_runs_by_what_depends_on_it",
       a_change_moves_generated_runs_by_what_depends_on_it, .timeout = 600},
      {"a_change_moves_published_profiles_by_what_depends_on_it",
       a_change_moves_published_profiles_by_what_depends_on_it,
       .timeout = 1200},
  };
  return aqtest_run("whatif/moves", cases, sizeof cases / sizeof *cases);
}
