/* SPDX-License-Identifier: MIT */
/*
 * A change moves the parts of a run that depend on it, within bounds that the
 * measured rows alone give: kernels k times as long lengthen a run by at least
 * (k - 1) times the time in which only kernels ran and every host call in
 * progress waited for them, and by at most (k - 1) times the sum of their
 * durations. Launch calls and the host's time between calls likewise. Runs are
 * generated, and the published profiles, of which `make check` takes two.
 */
#include "support/aqtest.h"

#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/rng.h"
#include "report/stats/dispatches.h"
#include "study/session/replay.h"
#include "study/whatif/timeline.h"
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
  aq_time copies;       /* the sum of the durations of copies and fills */
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

static bounds bounds_of(const aq_dispatches *d, int64_t queues)
{
  bounds b = {.one_process = true, .rows = d->count};
  spans copies = {0}, launches = {0}, busy = {0};
  /* A makespan begins with the first start. */
  if (d->count > 0)
    span_add(&busy, INT64_MIN / 2, d->rows[0].start);
  for (size_t i = 0; i < d->count; i++) {
    const aq_dispatch_row *row = &d->rows[i];
    const bool kernel = row->kind == AQ_KIND_KERNEL;
    b.one_process &= row->pid == d->rows[0].pid;
    b.devices = row->device >= b.devices ? row->device + 1 : b.devices;
    *(kernel ? &b.kernels : &b.copies) += row->end - row->start;
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
  free(waits);
  free(busy.at);
  free(launches.at);
  free(copies.at);
  return b;
}

/* ---- replays ---- */

typedef struct change {
  double kernels, launch, host; /* factors */
} change;

static const change none = {1, 1, 1};

static aq_time scaled(void *user, const aq_record *row, const char *name,
                      aq_time measured)
{
  (void)name;
  return row->kind != AQ_KIND_KERNEL
             ? measured
             : (aq_time)((double)measured * ((const change *)user)->kernels);
}

static bool replayed(aq_store *store, const char *run, const char *device,
                     change by, aq_time *out)
{
  const aq_performance_options options = {.device = device};
  const aq_replay_ask ask = {.origin = run,
                             .closed = true,
                             .launch = by.launch,
                             .host = by.host,
                             .confidence = AQ_REPLAY_EDGES_DEFAULT};
  const aq_replay_hooks hooks = {.duration = by.kernels == 1 ? NULL : scaled,
                                 .user = &by};
  aq_performance performance;
  aq_performed performed;
  aq_timeline timeline;
  aq_run_info info;
  aq_run_info_init(&info, AQ_RUN_SIMULATED);
  ck_assert_status(aq_performance_init(&performance, &options, NULL, &diag),
                   AQ_OK, &diag);
  aq_timeline_init(&timeline);
  performance.instead = &timeline.sink;
  const aq_status status = aq_replay_once(&performance, store, &ask, &hooks,
                                          &info, &performed, NULL, &diag);
  if (status == AQ_OK) {
    *out = aq_timeline_makespan(&timeline);
    aq_performed_fini(&performed);
  }
  aq_timeline_fini(&timeline);
  aq_performance_fini(&performance);
  return status == AQ_OK;
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

static bool ck_moves(aq_store *store, const char *run, const char *device)
{
  aq_run_info *info;
  aq_run_reader *reader;
  aq_dispatches rows;
  aq_time before, after;
  ck_assert_status(aq_store_find(store, run, &info, &diag), AQ_OK, &diag);
  ck_assert_status(
      aq_run_reader_open(store, info->id, AQ_ORDER_STORED, &reader, &diag),
      AQ_OK, &diag);
  ck_assert_status(aq_dispatches_read(reader, AQ_WANT_DISPATCHES, &rows, &diag),
                   AQ_OK, &diag);
  const bounds b = bounds_of(&rows, (int64_t)aq_run_reader_queue_count(reader));
  aq_dispatches_fini(&rows);
  aq_run_reader_close(reader);
  aq_run_info_free(info);
  if (!replayed(store, run, device, none, &before))
    return false;
  const aq_time least = b.one_process ? b.only_kernels : 0;
  ck_assert(replayed(store, run, device, (change){2, 1, 1}, &after));
  ck_between(run, "kernels x2", after - before, least, b.kernels, &b);
  ck_assert(replayed(store, run, device, (change){0.5, 1, 1}, &after));
  ck_between(run, "kernels x0.5", before - after, least / 2, b.kernels / 2, &b);
  ck_assert(replayed(store, run, device, (change){1, 2, 1}, &after));
  ck_between(run, "launch x2", after - before,
             b.one_process ? b.only_launch : 0, b.launches, &b);
  ck_assert(replayed(store, run, device, (change){1, 0.5, 1}, &after));
  ck_between(run, "launch x0.5", before - after, 0, b.launches / 2, &b);
  printf("# %s: only kernels %.3f of %.3f ms, only launches %.3f of %.3f ms, "
         "%zu waits\n",
         run, MS(b.only_kernels), MS(b.kernels), MS(b.only_launch),
         MS(b.launches), b.waits);
  return true;
}

/* ---- generated runs ---- */

/* A host that launches kernels, synchronizes and copies, on a device that runs
 * them one after another. */
typedef struct made {
  aq_record_sink *sink;
  aq_rng rng;
  aq_time host, device; /* both are at */
  int64_t kernel, sync, to_host, call;
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
  row.host_end = m->host += between(m, 2, 6);
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
  row.name = m->to_host;
  row.bytes = 4096;
  row.host_begin = m->host;
  row.start = aq_time_max(m->host, m->device) + between(m, 8, 12);
  const aq_time length = between(m, 5, 50);
  row.host_end = m->host = row.start + length + 10 * AQ_US;
  put(m, &row, length);
}

static void run_make(aq_store *store, const char *name, uint64_t seed)
{
  aq_store_writer *writer;
  aq_run_info info;
  made m = {.host = 100 * AQ_US};
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
  NAME("Memcpy DtoH (Device -> Host)", &m.to_host);
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
    m.host += between(&m, 0, 300);
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
