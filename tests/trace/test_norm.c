/* SPDX-License-Identifier: MIT */
/*
 * Every raw file of the shared data against norm/, which another program read
 * from the same files: each dispatch, copy and fill, and each host call that
 * waited. Where the two differ on purpose:
 *
 * - norm has no grid for Kineto kernels whose own row has none; the importer
 *   takes it from the launch call, so it may know more, never less.
 * - norm's Kineto grid is the number as it stands in the file. That is
 *   workgroups, but work-items for hipExtModuleLaunchKernel (155648 for a
 *   workgroup of 512 on 304 compute units). The importer writes work-items.
 * - names in norm end after 120 characters.
 * - norm has a file for each of three ranks of the four-rank trace, with the
 *   host calls that waited of all four.
 * - norm calls a rocprof v1 row direct, though it has no host call: its
 *   doorbell time is known. So does the importer.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "common/memory_sink.h"
#include "support/aqtest.h"
#include "trace/import/trace.h"

enum { COLUMNS = 15, NAME_MAX_NORM = 120 };

typedef struct norm_row {
  int64_t gpu, queue, host_begin, host_end, submit, start, end, complete;
  int64_t grid, wg, corr;
  char kind[8], via[8];
  char name[512];
} norm_row;

typedef struct norm_file {
  norm_row *rows;
  size_t count;
} norm_file;

/* Splits a line into fields in place; quotes are taken off. */
static int split(char *line, char *fields[], int max)
{
  int count = 0;
  for (char *at = line; count < max;) {
    char *to = at;
    fields[count++] = at;
    bool quoted = *at == '"';
    if (quoted)
      at++;
    while (*at && (quoted ? !(*at == '"' && at[1] != '"') : *at != ',')) {
      if (quoted && *at == '"')
        at++;
      *to++ = *at++;
    }
    at += quoted;
    bool more = *at == ',';
    *to = '\0';
    if (!more)
      break;
    at++;
  }
  return count;
}

static int64_t number(const char *text)
{
  return *text ? strtoll(text, NULL, 10) : AQ_NONE;
}

static void *grow(void *array, size_t count, size_t size)
{
  if ((count & (count - 1)) != 0)
    return array;
  void *grown = realloc(array, (count ? count * 2 : 1) * size);
  ck_assert_ptr_nonnull(grown);
  return grown;
}

static norm_row norm_read_row(char *fields[])
{
  norm_row row = {.gpu = number(fields[1]),
                  .queue = number(fields[2]),
                  .host_begin = number(fields[5]),
                  .host_end = number(fields[6]),
                  .submit = number(fields[7]),
                  .start = number(fields[8]),
                  .end = number(fields[9]),
                  .complete = number(fields[10]),
                  .grid = number(fields[11]),
                  .wg = number(fields[12]),
                  .corr = number(fields[13])};
  snprintf(row.kind, sizeof row.kind, "%s", fields[3]);
  snprintf(row.via, sizeof row.via, "%s", fields[4]);
  snprintf(row.name, sizeof row.name, "%s", fields[14]);
  return row;
}

static norm_file norm_read(const char *path)
{
  norm_file norm = {NULL, 0};
  gzFile file = gzopen(path, "rb");
  ck_assert_msg(file != NULL, "%s", path);
  char line[2048];
  gzgets(file, line, sizeof line);
  while (gzgets(file, line, sizeof line)) {
    line[strcspn(line, "\r\n")] = '\0';
    char *fields[COLUMNS];
    ck_assert_int_eq(split(line, fields, COLUMNS), COLUMNS);
    norm.rows = grow(norm.rows, norm.count, sizeof *norm.rows);
    norm.rows[norm.count++] = norm_read_row(fields);
  }
  gzclose(file);
  return norm;
}

static int compare_int(int64_t a, int64_t b)
{
  return (a > b) - (a < b);
}

static int norm_order(const void *a, const void *b)
{
  const norm_row *x = a, *y = b;
  int order = compare_int(x->start, y->start);
  if (!order)
    order = compare_int(x->end, y->end);
  if (!order)
    order = compare_int(x->queue, y->queue);
  return order ? order : compare_int(x->corr, y->corr);
}

/* ---- the run that was imported ---- */

typedef struct run {
  aq_memory_sink sink;
  aq_trace_result result;
  const aq_record **rows; /* of the device, sorted as norm is */
  size_t count;
} run;

static const aq_memory_sink *order_sink;

static int64_t queue_id(const aq_memory_sink *sink, const aq_record *row)
{
  return sink->queues[row->queue].source_id;
}

static int64_t corr_of(const aq_record *row)
{
  return row->packet != AQ_NONE ? row->packet : row->correlation;
}

static int row_order(const void *a, const void *b)
{
  const aq_record *x = *(const aq_record *const *)a;
  const aq_record *y = *(const aq_record *const *)b;
  int order = compare_int(x->start, y->start);
  if (!order)
    order = compare_int(x->end, y->end);
  if (!order)
    order = compare_int(queue_id(order_sink, x), queue_id(order_sink, y));
  return order ? order : compare_int(corr_of(x), corr_of(y));
}

static int wait_order(const void *a, const void *b)
{
  const aq_record *x = *(const aq_record *const *)a;
  const aq_record *y = *(const aq_record *const *)b;
  int order = compare_int(x->host_begin, y->host_begin);
  return order ? order : compare_int(x->host_end, y->host_end);
}

/* Selects the waits, or the rows of a device (AQ_NONE: of all). */
static void run_select(run *r, bool waits, int64_t device)
{
  r->count = 0;
  r->rows = realloc(r->rows, (r->sink.count + 1) * sizeof *r->rows);
  for (size_t i = 0; i < r->sink.count; i++) {
    const aq_record *row = &r->sink.rows[i];
    if ((row->kind == AQ_KIND_WAIT) != waits || row->kind == AQ_KIND_RANGE ||
        row->kind == AQ_KIND_CALL)
      continue; /* norm has no ranges of the program, and no lost launches */
    if (device == AQ_NONE || r->sink.devices[row->device].source_id == device)
      r->rows[r->count++] = row;
  }
  order_sink = &r->sink;
  qsort(r->rows, r->count, sizeof *r->rows, waits ? wait_order : row_order);
}

static bool run_open(run *r, const char *raw)
{
  char name[256];
  snprintf(name, sizeof name, "measured/raw/%s", raw);
  const char *path = aqtest_data(name);
  if (!path) {
    aqtest_skip_unpublished();
    return false;
  }
  aq_diag diag = AQ_DIAG_INIT;
  memset(r, 0, sizeof *r);
  aq_memory_sink_init(&r->sink);
  ck_assert_status(
      aq_trace_import(path, NULL, &r->sink.sink, &r->result, &diag), AQ_OK,
      &diag);
  return true;
}

static void run_close(run *r)
{
  free(r->rows);
  aq_memory_sink_fini(&r->sink);
}

/* ---- comparing ---- */

#define check_eq(what, got, expected)                                          \
  ck_assert_msg((got) == (expected), "%s row %zu (%s): %s is %lld, norm %lld", \
                place, index, norm->name, what, (long long)(got),              \
                (long long)(expected))

static int64_t product(int64_t x, int64_t y, int64_t z)
{
  return x == AQ_NONE ? AQ_NONE : x * y * z;
}

static void check_time(const char *place, size_t index, const norm_row *norm,
                       const char *what, aq_time got, int64_t ns,
                       aq_time offset)
{
  check_eq(what, got, ns == AQ_NONE ? AQ_TIME_NONE : ns * AQ_NS + offset);
}

static void check_shape(const char *place, size_t index, const norm_row *norm,
                        const aq_record *row, bool kineto)
{
  if (norm->grid == AQ_NONE)
    return;
  int64_t grid = product(row->grid_x, row->grid_y, row->grid_z);
  int64_t wg = product(row->wg_x, row->wg_y, row->wg_z);
  check_eq("workgroup", wg, norm->wg);
  if (!kineto)
    check_eq("grid", grid, norm->grid);
  else if (grid != norm->grid * norm->wg) {
    check_eq("grid in work-items", grid, norm->grid);
    check_eq("remainder of a grid in work-items", norm->grid % norm->wg, 0);
  }
}

static int64_t kind_of(const norm_row *norm)
{
  return strcmp(norm->kind, "kernel") == 0 ? AQ_KIND_KERNEL
         : strcmp(norm->kind, "copy") == 0 ? AQ_KIND_COPY
                                           : AQ_KIND_FILL;
}

static void check_row(const char *place, size_t index, const norm_row *norm,
                      const run *r, aq_time offset)
{
  const aq_record *row = r->rows[index];
  bool kineto = strcmp(r->result.format, "kineto") == 0;
  check_eq("kind", row->kind, kind_of(norm));
  check_time(place, index, norm, "start", row->start, norm->start, offset);
  check_time(place, index, norm, "end", row->end, norm->end, offset);
  check_time(place, index, norm, "host begin", row->host_begin,
             norm->host_begin, offset);
  check_time(place, index, norm, "host end", row->host_end, norm->host_end,
             offset);
  /* Times of a clock that is not the device's are dropped: rocprof v1 writes
   * completions before the end. */
  const bool clocks_agree =
      norm->complete == AQ_NONE || norm->complete >= norm->end;
  if (clocks_agree) {
    check_time(place, index, norm, "submit", row->submit, norm->submit, offset);
    check_time(place, index, norm, "complete", row->complete, norm->complete,
               offset);
  } else {
    check_eq("submit of another clock", row->submit, AQ_TIME_NONE);
    check_eq("complete of another clock", row->complete, AQ_TIME_NONE);
  }
  check_eq("correlation", corr_of(row), norm->corr);
  check_eq("queue", queue_id(&r->sink, row), norm->queue);
  check_shape(place, index, norm, row, kineto);
  if (clocks_agree)
    ck_assert_str_eq(aq_record_via_name(row->via), norm->via);
  const char *name = aq_names_text(&r->sink.names, row->name);
  ck_assert_msg(strlen(norm->name) >= NAME_MAX_NORM
                    ? strncmp(name, norm->name, strlen(norm->name)) == 0
                    : strcmp(name, norm->name) == 0,
                "%s row %zu: name %s, norm %s", place, index, name, norm->name);
}

static aq_time check_rows(run *r, const char *twin, int64_t device)
{
  char path[256];
  snprintf(path, sizeof path, "measured/norm/%s.norm.csv.gz", twin);
  norm_file norm = norm_read(aqtest_data(path));
  run_select(r, false, device);
  ck_assert_msg(r->count == norm.count, "%s: %zu rows, norm %zu", twin,
                r->count, norm.count);
  qsort(norm.rows, norm.count, sizeof *norm.rows, norm_order);
  aq_time offset = r->rows[0]->start - norm.rows[0].start * AQ_NS;
  for (size_t i = 0; i < norm.count; i++)
    check_row(twin, i, &norm.rows[i], r, offset);
  free(norm.rows);
  return offset;
}

static void check_waits(run *r, const char *twin, aq_time offset)
{
  char name[256], line[512];
  snprintf(name, sizeof name, "measured/norm/%s.syncs.csv.gz", twin);
  gzFile file = gzopen(aqtest_data(name), "rb");
  ck_assert_msg(file != NULL, "%s", name);
  run_select(r, true, AQ_NONE);
  gzgets(file, line, sizeof line);
  size_t i = 0;
  for (; gzgets(file, line, sizeof line); i++) {
    line[strcspn(line, "\r\n")] = '\0';
    char *fields[3];
    ck_assert_int_eq(split(line, fields, 3), 3);
    ck_assert_msg(i < r->count, "%s: fewer waits than norm", twin);
    ck_assert_int_eq(r->rows[i]->host_begin,
                     number(fields[0]) * AQ_NS + offset);
    ck_assert_int_eq(r->rows[i]->host_end, number(fields[1]) * AQ_NS + offset);
    ck_assert_str_eq(aq_names_text(&r->sink.names, r->rows[i]->name),
                     fields[2]);
  }
  ck_assert_uint_eq(i, r->count);
  gzclose(file);
}

/* Compares "NAME.json.gz" with its twin NAME. */
static void check_file(const char *raw, bool waits)
{
  run r;
  if (!run_open(&r, raw))
    return;
  char twin[128];
  snprintf(twin, sizeof twin, "%.*s", (int)strcspn(raw, "."), raw);
  aq_time offset = check_rows(&r, twin, AQ_NONE);
  if (waits)
    check_waits(&r, twin, offset);
  run_close(&r);
}

/* In a graph launch exactly one row, the one that starts it, is marked. */
static void check_graph_first(const run *r)
{
  for (size_t i = 0; i < r->sink.count; i++) {
    const aq_record *first = &r->sink.rows[i];
    if (!(first->flags & AQ_FLAG_GRAPH_FIRST))
      continue;
    ck_assert_int_eq(first->via, AQ_VIA_GRAPH);
    for (size_t k = 0; k < r->sink.count; k++) {
      const aq_record *row = &r->sink.rows[k];
      if (k == i || row->correlation != first->correlation ||
          row->kind == AQ_KIND_WAIT)
        continue;
      ck_assert_int_ge(row->start, first->start);
      ck_assert(!(row->flags & AQ_FLAG_GRAPH_FIRST));
    }
  }
}

START_TEST(kineto_files_equal_norm)
{
  static const char *const files[] = {
      "mi210_resnet_bwd.json.gz",
      "mi250_minitoy.json.gz",
      "mi300x_bert.json.gz",
      "mi300x_flux_capture.json.gz",
      "mi300x_flux_iter0.json.gz",
      "mi300x_flux_sage.json.gz",
      "mi300x_norm.json.gz",
      "mi300x_nsfw_vit.json.gz",
      "mi300x_owlv2.json.gz",
      "mi300x_qwen05b.json.gz",
      "mi300x_resnet18.json.gz",
      "mi300x_sglang_decode_graph.json.gz",
      "mi300x_sglang_prefill.json.gz",
      "mi300x_timesformer.json.gz",
      "mi300x_vllm_pd_piecewise.json.gz",
  };
  for (size_t i = 0; i < sizeof files / sizeof *files; i++)
    check_file(files[i], true);
}
END_TEST

START_TEST(rocprofv3_json_equals_norm)
{
  check_file("mi350x_aorta_train.json.gz", false);
}
END_TEST

START_TEST(rocprof_v1_files_equal_norm)
{
  static const char *const files[] = {
      "mi250x_fd_09112023_185723_kernel1.csv.gz",
      "mi250x_fd_09112023_193941_kernel2.csv.gz",
      "mi250x_fd_all.csv.gz",
      "mi250x_seis_03052024_113034_128_64.csv.gz",
      "mi250x_seis_03052024_113434_128_64_1.csv.gz",
      "mi250x_seis_03052024_114238_128_64_1.csv.gz",
      "mi250x_seis_03052024_114907_128_64_1.csv.gz",
      "mi250x_seis_03052024_115128_128_64_1.csv.gz",
      "mi250x_seis_03052024_115302_128_64_1.csv.gz",
      "mi250x_seis_03052024_115746_128_64_1.csv.gz",
      "mi250x_seis_13122023_152058_64_64_1.csv.gz",
      "mi300x_gunrock.csv.gz",
  };
  for (size_t i = 0; i < sizeof files / sizeof *files; i++)
    check_file(files[i], false);
}
END_TEST

START_TEST(ranks_of_a_merged_kineto_file_are_kept_apart)
{
  run r;
  if (!run_open(&r, "mixrank_resnet_train_4rank.json.gz"))
    return;
  ck_assert_uint_eq(r.sink.device_count, 4);
  aq_time offset = check_rows(&r, "mixrank0_resnet_train", 2);
  check_waits(&r, "mixrank0_resnet_train", offset);
  check_rows(&r, "mixrank2_resnet_train", 200000004);
  check_rows(&r, "mixrank3_resnet_train", 300000005);
  run_close(&r);
}
END_TEST

START_TEST(the_first_row_of_each_graph_launch_is_marked)
{
  run r;
  if (!run_open(&r, "mi300x_vllm_pd_piecewise.json.gz"))
    return;
  size_t marked = 0;
  for (size_t i = 0; i < r.sink.count; i++)
    marked += (r.sink.rows[i].flags & AQ_FLAG_GRAPH_FIRST) != 0;
  ck_assert_uint_eq(marked, 25);
  check_graph_first(&r);
  run_close(&r);
}
END_TEST

AQ_TEST_MAIN("trace/norm", kineto_files_equal_norm, rocprofv3_json_equals_norm,
             rocprof_v1_files_equal_norm,
             ranks_of_a_merged_kineto_file_are_kept_apart,
             the_first_row_of_each_graph_launch_is_marked)
