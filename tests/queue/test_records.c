/* SPDX-License-Identifier: MIT */
/* The work of queues, through the store: a run of its own, queried in SQL. */
#include <stdio.h>
#include <stdlib.h>

#include "cmdbuf/builder.h"
#include "queue/ground.h"
#include "queue/operations.h"

#include "store/store_test.h"

START_TEST(operations_are_kept_in_the_store)
{
  const char *path = fresh_path("operations.db");
  aq_store *store = store_open(path, AQ_STORE_WRITE);
  const aq_run_info info = run_named("operations");
  aq_store_writer *writer;
  ground g;
  ground_open(&g, &ground_kinds[0], NULL, NULL);
  ck_assert_ok(&g, aq_store_writer_open(store, &info, &writer, &g.diag));
  ground own = g;
  ck_assert_ok(
      &g, aq_context_create(
              &(aq_context_options){.size = sizeof(aq_context_options),
                                    .transport = g.t,
                                    .way = g.kind->way,
                                    .records = aq_store_writer_sink(writer)},
              &own.context, &g.diag));
  aq_queue *queues[2] = {ground_queue(&own, NULL), ground_queue(&own, NULL)};
  aq_semaphore *done = ground_semaphore(&own, 0);
  uint64_t cell = 1;
  for (uint64_t i = 0; i < 300; i++) {
    ground_sync s;
    ck_assert_ok(&g, ground_dispatch(&g, queues[i % 2],
                                     ground_sync_make(&s, done, i, done, i + 1),
                                     &cell, i));
  }
  ground_wait(&own, done, 300);
  aq_queue_destroy(queues[0]);
  aq_queue_destroy(queues[1]);
  ck_assert_ok(&g, aq_context_records_flush(own.context, &g.diag));
  aq_semaphore_release(done);
  aq_context_destroy(own.context);
  ck_assert_ok(&g, aq_store_writer_finish(writer, NULL, &g.diag));
  ground_close(&g);
  aq_store_close(store);
  ck_assert_int_eq(sql_integer(path, "SELECT count(*) FROM records JOIN names "
                                     "ON names.id = records.name "
                                     "WHERE names.text = 'dispatch' "
                                     "AND end_ps - start_ps >= 1000000 "
                                     "AND host_begin_ps <= observe_ps"),
                   300);
  ck_assert_int_eq(
      sql_integer(path, "SELECT count(DISTINCT queue) FROM records"), 2);
  /* Each but the first waits for the other queue: by one edge, unless that was
   * complete already. */
  ck_assert_int_eq(1 << AQ_WAIT_ONE_EDGE, 16);
  ck_assert_int_ge(
      sql_integer(path, "SELECT count(*) FROM records WHERE strategy = 16"),
      100);
  ck_assert_int_gt(sql_integer(path, "SELECT max(depth) FROM records"), 1);
}
END_TEST

/* The same operations on a device of any transport, in a run of its own; with
 * the rows of the transport's packets and copies where it has some. */
static void program_store(const char *path, const char *transport,
                          aq_time_mode mode)
{
  enum { BYTES = 64 << 20, FILLED = 1 << 20, STEPS = 20 };
  aq_store *store = store_open(path, AQ_STORE_WRITE);
  const aq_run_info info = run_named("operations");
  const ground_kind kind = {transport, transport, mode, AQ_EDGE_CHOOSE, NULL};
  aq_store_writer *writer;
  ground g;
  ck_assert_status(aq_store_writer_open(store, &info, &writer, &g.diag), AQ_OK,
                   &g.diag);
  ground_open_recorded(&g, &kind, aq_store_writer_sink(writer));
  aq_queue *queue = ground_queue(&g, NULL);
  aq_semaphore *done = ground_semaphore(&g, 0);
  void *device, *host;
  uint64_t cell = 1, at = 0;
  ground_sync s;
  ck_assert_ok(
      &g, g.ops->mem_alloc(g.t, 0, AQ_MEMORY_DEVICE, BYTES, &device, &g.diag));
  ck_assert_ok(&g,
               g.ops->mem_alloc(g.t, 0, AQ_MEMORY_HOST, BYTES, &host, &g.diag));
  const aq_fill fill = {.target = device,
                        .size = FILLED,
                        .pattern = 7,
                        .pattern_size = 1,
                        .way = AQ_COPY_KERNEL};
  const aq_copy copy = {
      .target = device, .source = host, .size = BYTES, .way = AQ_COPY_ENGINE};
  for (int i = 0; i < STEPS; i++, at++)
    ck_assert_ok(&g,
                 ground_dispatch(&g, queue,
                                 ground_sync_make(&s, done, at, done, at + 1),
                                 &cell, at));
  ck_assert_ok(&g, aq_queue_fill(queue,
                                 ground_sync_make(&s, done, at, done, at + 1),
                                 &fill, &g.diag));
  at++;
  ck_assert_ok(&g, aq_queue_copy(queue,
                                 ground_sync_make(&s, done, at, done, at + 1),
                                 &copy, &g.diag));
  ground_wait(&g, done, ++at);
  aq_queue_destroy(queue);
  ck_assert_ok(&g, aq_context_records_flush(g.context, &g.diag));
  aq_semaphore_release(done);
  g.ops->mem_free(g.t, device);
  g.ops->mem_free(g.t, host);
  ground_close(&g);
  ck_assert_status(aq_store_writer_finish(writer, NULL, &g.diag), AQ_OK,
                   &g.diag);
  aq_store_close(store);
}

/* Device time of the operations of a name, in ps. */
static int64_t operations_take(const char *path, const char *name)
{
  char sql[512];
  snprintf(sql, sizeof sql,
           "SELECT sum(end_ps - start_ps) FROM records JOIN names "
           "ON names.id = records.name WHERE kind = %d AND names.text = '%s'",
           AQ_KIND_OPERATION, name);
  return sql_integer(path, sql);
}

/* The oracle of the copy is the engine's own row, which the simulator writes.
 * hsa runs the same device behind the drop-in. */
START_TEST(the_same_operations_take_as_long_on_sim_and_on_hsa)
{
  static const char *const names[] = {"dispatch", "fill", "copy"};
  char sim[256], hsa[256], sql[256];
  snprintf(sim, sizeof sim, "%s", fresh_path("sim.db"));
  snprintf(hsa, sizeof hsa, "%s", fresh_path("hsa.db"));
  program_store(sim, "sim", AQ_MODE_VIRTUAL);
  program_store(hsa, "hsa", AQ_MODE_LIVE);
  snprintf(sql, sizeof sql,
           "SELECT max(end_ps - start_ps) FROM records "
           "WHERE kind = %d",
           AQ_KIND_COPY);
  const int64_t engine = sql_integer(sim, sql);
  ck_assert_int_gt(engine, 100 * AQ_US);
  ck_assert_int_ge(operations_take(sim, "copy"), engine);
  ck_assert_int_le(operations_take(sim, "copy"), engine + engine / 10);
  snprintf(sql, sizeof sql, "SELECT count(*) FROM records WHERE kind = %d",
           AQ_KIND_OPERATION);
  ck_assert_int_eq(sql_integer(sim, sql), 22);
  ck_assert_int_eq(sql_integer(hsa, sql), 22);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const int64_t a = operations_take(sim, names[i]),
                  b = operations_take(hsa, names[i]);
    ck_assert_int_gt(a, 0);
    ck_assert_msg(llabs(a - b) <= a / 20, "%s: %lld ps on sim, %lld on hsa",
                  names[i], (long long)a, (long long)b);
  }
}
END_TEST

/* A command buffer of steps that run one after the other, and a fill. */
static aq_link *steps_link(ground *g, uint64_t steps, aq_builder *builder)
{
  aq_program program;
  aq_link *link;
  uint32_t kernel;
  ck_assert_ok(
      g, aq_builder_kernel(builder, "step", g->kernel, &kernel, &g->diag));
  for (uint64_t i = 0; i < steps; i++) {
    const aq_ref cell = aq_ref_slot(0, 0);
    const aq_dispatch step = {.kernel = kernel,
                              .grid = {64, 1, 1},
                              .workgroup = {64, 1, 1},
                              .bindings = &cell,
                              .binding_count = 1,
                              .constants = &i,
                              .constant_size = sizeof i};
    aq_builder_barrier(builder, AQ_SCOPE_AGENT, AQ_SCOPE_AGENT);
    ck_assert_ok(g, aq_builder_dispatch(builder, &step, &g->diag));
  }
  aq_builder_barrier(builder, AQ_SCOPE_AGENT, AQ_SCOPE_AGENT);
  ck_assert_ok(g,
               aq_builder_fill(builder, aq_ref_slot(0, 8), 64, 1, 4, &g->diag));
  ck_assert_ok(g, aq_builder_end(builder, &program, &g->diag));
  ck_assert_ok(g,
               aq_link_create(&program, &(aq_link_options){.transport = g->t},
                              &link, &g->diag));
  return link;
}

/* Executes it twice on a queue of a context that records packets. */
static void executions_store(const char *path, uint64_t steps, uint32_t flags)
{
  aq_store *store = store_open(path, AQ_STORE_WRITE);
  const aq_run_info info = run_named("executions");
  const ground_kind kind = {"hsa", "hsa", AQ_MODE_LIVE, AQ_EDGE_CHOOSE, NULL};
  aq_store_writer *writer;
  aq_builder *builder;
  ground g;
  ground_open(&g, &kind, NULL, NULL);
  ck_assert_ok(&g, aq_store_writer_open(store, &info, &writer, &g.diag));
  ground own = g;
  ck_assert_ok(
      &g, aq_context_create(
              &(aq_context_options){.size = sizeof(aq_context_options),
                                    .transport = g.t,
                                    .way = g.kind->way,
                                    .records = aq_store_writer_sink(writer),
                                    .packets = true},
              &own.context, &g.diag));
  ck_assert_ok(&g, aq_builder_create(NULL, &builder, &g.diag));
  aq_link *link = steps_link(&g, steps, builder);
  aq_queue *queue = ground_queue(&own, NULL);
  aq_semaphore *done = ground_semaphore(&own, 0);
  void *cell;
  ck_assert_ok(&g,
               g.ops->mem_alloc(g.t, 0, AQ_MEMORY_HOST, 4096, &cell, &g.diag));
  const aq_binding binding = {cell, 4096};
  for (uint64_t i = 0; i < 2; i++) {
    ground_sync s;
    ck_assert_ok(&g, aq_queue_execute(
                         queue, ground_sync_make(&s, NULL, 0, done, i + 1),
                         &(aq_execution){link, &binding, 1, flags}, &g.diag));
  }
  ground_wait(&own, done, 2);
  aq_queue_destroy(queue);
  ck_assert_ok(&g, aq_context_records_flush(own.context, &g.diag));
  aq_semaphore_release(done);
  aq_context_destroy(own.context);
  aq_link_destroy(link);
  aq_builder_destroy(builder);
  g.ops->mem_free(g.t, cell);
  ck_assert_ok(&g, aq_store_writer_finish(writer, NULL, &g.diag));
  ground_close(&g);
  aq_store_close(store);
}

/* order: column by which the packets follow one another. */
static void times_check(uint32_t flags, const char *order)
{
  enum { STEPS = 600 }; /* three parts */
  const char *path = fresh_path("executions.db");
  char sql[512];
  executions_store(path, STEPS, flags);
  snprintf(sql, sizeof sql,
           "SELECT count(*) FROM records JOIN names ON names.id = records.name "
           "WHERE kind = %d AND names.text = 'step' AND grid_x = 64 "
           "AND end_ps - start_ps >= 1000000",
           AQ_KIND_KERNEL);
  ck_assert_int_eq(sql_integer(path, sql), 2 * STEPS);
  ck_assert_int_eq(
      sql_integer(path, "SELECT count(*) FROM records JOIN names ON names.id = "
                        "records.name WHERE names.text = 'aq_fill'"),
      2);
  /* Each lies within the operation that its number names, and begins when the
   * one before it has ended. */
  snprintf(sql, sizeof sql,
           "SELECT count(*) FROM records k JOIN records o ON o.correlation = "
           "k.correlation AND o.kind = %d AND k.start_ps >= o.start_ps AND "
           "k.end_ps <= o.end_ps WHERE k.kind = %d",
           AQ_KIND_OPERATION, AQ_KIND_KERNEL);
  ck_assert_int_eq(sql_integer(path, sql), 2 * STEPS + 2);
  snprintf(sql, sizeof sql,
           "SELECT count(*) FROM (SELECT start_ps, lag(end_ps) OVER (ORDER BY "
           "%s) AS before FROM records WHERE kind = %d) WHERE start_ps < "
           "before",
           order, AQ_KIND_KERNEL);
  ck_assert_int_eq(sql_integer(path, sql), 0);
}

START_TEST(each_packet_of_an_execution_has_its_times_on_hsa)
{
  times_check(0, "packet");
}
END_TEST

/* The packets of a buffer share the number of the one that names it. */
START_TEST(each_packet_of_an_execution_by_pm4_has_its_times_on_hsa)
{
  times_check(AQ_EXECUTE_PM4, "start_ps");
}
END_TEST

/* ---- markers ---- */

/* A point and a range without packets before all others, two nested ranges, a
 * point, an end that was not begun, a range that is not ended; and one without
 * a name. Steps follow one another and take 1 us or more. */
static aq_link *marked_link(ground *g, aq_builder *builder)
{
  static const struct {
    aq_marker_kind kind;
    uint64_t value;
    const char *name;
    uint64_t steps; /* behind it */
  } marks[] = {
      {AQ_MARKER_POINT, 1, "start", 0}, {AQ_MARKER_BEGIN, 2, "empty", 0},
      {AQ_MARKER_END, 2, NULL, 10},     {AQ_MARKER_BEGIN, 3, "outer", 300},
      {AQ_MARKER_BEGIN, 4, "inner", 5}, {AQ_MARKER_END, 4, NULL, 5},
      {AQ_MARKER_END, 3, NULL, 0},      {AQ_MARKER_POINT, 5, "middle", 5},
      {AQ_MARKER_BEGIN, 6, NULL, 5},    {AQ_MARKER_END, 6, NULL, 5},
      {AQ_MARKER_END, 7, "unbegun", 5}, {AQ_MARKER_BEGIN, 8, "unended", 5}};
  aq_program program;
  aq_link *link;
  uint32_t kernel;
  uint64_t at = 0;
  ck_assert_ok(
      g, aq_builder_kernel(builder, "step", g->kernel, &kernel, &g->diag));
  for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
    ck_assert_ok(g,
                 aq_builder_marker_named(builder, marks[i].kind, marks[i].value,
                                         marks[i].name, &g->diag));
    for (uint64_t k = 0; k < marks[i].steps; k++, at++) {
      const aq_ref cell = aq_ref_slot(0, 0);
      const aq_dispatch step = {.kernel = kernel,
                                .grid = {64, 1, 1},
                                .workgroup = {64, 1, 1},
                                .bindings = &cell,
                                .binding_count = 1,
                                .constants = &at,
                                .constant_size = sizeof at};
      ck_assert_ok(g, aq_builder_dispatch(builder, &step, &g->diag));
      aq_builder_barrier(builder, AQ_SCOPE_AGENT, AQ_SCOPE_AGENT);
    }
  }
  ck_assert_ok(g, aq_builder_end(builder, &program, &g->diag));
  ck_assert_ok(g,
               aq_link_create(&program, &(aq_link_options){.transport = g->t},
                              &link, &g->diag));
  return link;
}

static void marks_store(const char *path, const ground_kind *kind,
                        uint32_t flags)
{
  aq_store *store = store_open(path, AQ_STORE_WRITE);
  const aq_run_info info = run_named("marks");
  aq_store_writer *writer;
  aq_builder *builder;
  ground g;
  memset(&g, 0, sizeof g);
  ck_assert_status(aq_store_writer_open(store, &info, &writer, &g.diag), AQ_OK,
                   &g.diag);
  ground_open_recorded(&g, kind, aq_store_writer_sink(writer));
  ground own = g;
  ck_assert_ok(
      &g, aq_context_create(
              &(aq_context_options){.size = sizeof(aq_context_options),
                                    .transport = g.t,
                                    .way = g.kind->way,
                                    .records = aq_store_writer_sink(writer),
                                    .packets = true},
              &own.context, &g.diag));
  ck_assert_ok(&g, aq_builder_create(NULL, &builder, &g.diag));
  aq_link *link = marked_link(&g, builder);
  aq_queue *queue = ground_queue(&own, NULL);
  aq_semaphore *done = ground_semaphore(&own, 0);
  void *cell;
  ck_assert_ok(&g,
               g.ops->mem_alloc(g.t, 0, AQ_MEMORY_HOST, 4096, &cell, &g.diag));
  const aq_binding binding = {cell, 4096};
  ground_sync s;
  ck_assert_ok(
      &g, aq_queue_execute(queue, ground_sync_make(&s, NULL, 0, done, 1),
                           &(aq_execution){link, &binding, 1, flags}, &g.diag));
  ground_wait(&own, done, 1);
  aq_queue_destroy(queue);
  ck_assert_ok(&g, aq_context_records_flush(own.context, &g.diag));
  aq_semaphore_release(done);
  aq_context_destroy(own.context);
  aq_link_destroy(link);
  aq_builder_destroy(builder);
  g.ops->mem_free(g.t, cell);
  ground_close(&g);
  ck_assert_status(aq_store_writer_finish(writer, NULL, &g.diag), AQ_OK,
                   &g.diag);
  aq_store_close(store);
}

/* The nth step, counted from 0, by its start; the oracle of ranges. */
static int64_t step_time(const char *path, const char *column, int64_t n)
{
  char sql[512];
  snprintf(
      sql, sizeof sql,
      "SELECT %s FROM records JOIN names ON names.id = records.name WHERE "
      "kind = %d AND names.text = 'step' ORDER BY start_ps, records.id LIMIT 1 "
      "OFFSET %lld",
      column, AQ_KIND_KERNEL, (long long)n);
  return sql_integer(path, sql);
}

/* The simulator's rows are exact, and the times that its devices write are
 * whole steps; ranges have these. */
static const aq_time step = 40 * AQ_NS;

static void range_check(const char *path, const char *name, int64_t begin,
                        int64_t end, int64_t packets)
{
  const char *const columns[] = {"count(*)", "start_ps", "end_ps", "packets",
                                 "queue IS NOT NULL"};
  const int64_t expected[] = {1, begin, end, packets, 1};
  char sql[512];
  for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
    snprintf(sql, sizeof sql,
             "SELECT %s FROM records JOIN names ON names.id = records.name "
             "WHERE kind = %d AND names.text = '%s'",
             columns[i], AQ_KIND_RANGE, name);
    const int64_t got = sql_integer(path, sql);
    const bool timed = i == 1 || i == 2;
    ck_assert_msg(got <= expected[i] &&
                      got > expected[i] - (timed ? (int64_t)step : 1),
                  "%s of %s: %lld, expected %lld", columns[i], name,
                  (long long)got, (long long)expected[i]);
  }
}

static void marks_check(const char *transport, aq_time_mode mode,
                        uint32_t flags)
{
  const ground_kind kind = {transport, transport, mode, AQ_EDGE_CHOOSE, NULL};
  char path[256];
  snprintf(path, sizeof path, "%s", fresh_path("marks.db"));
  marks_store(path, &kind, flags);
  const int64_t first = step_time(path, "start_ps", 0);
  range_check(path, "start", first, first, 0);
  range_check(path, "empty", first, first, 0);
  range_check(path, "outer", step_time(path, "start_ps", 10),
              step_time(path, "end_ps", 319), 310);
  range_check(path, "inner", step_time(path, "start_ps", 310),
              step_time(path, "end_ps", 314), 5);
  const int64_t middle = step_time(path, "end_ps", 319);
  range_check(path, "middle", middle, middle, 0);
  range_check(path, "marker 6", step_time(path, "start_ps", 325),
              step_time(path, "end_ps", 329), 5);
  range_check(path, "unbegun", first, step_time(path, "end_ps", 334), 335);
  range_check(path, "unended", step_time(path, "start_ps", 340),
              step_time(path, "end_ps", 344), 5);
}

START_TEST(markers_are_ranges_of_the_run_on_sim)
{
  marks_check("sim", AQ_MODE_VIRTUAL, 0);
  marks_check("sim", AQ_MODE_LIVE, 0);
}
END_TEST

START_TEST(markers_are_ranges_of_the_run_on_hsa)
{
  marks_check("hsa", AQ_MODE_LIVE, 0);
}
END_TEST

START_TEST(markers_by_pm4_are_ranges_of_the_run_on_hsa)
{
  marks_check("hsa", AQ_MODE_LIVE, AQ_EXECUTE_PM4);
}
END_TEST

/* ---- a queue that stops ---- */

static aq_status device_pass(aq_record_sink *sink, const aq_run_device *device,
                             int64_t *out, aq_diag *diag)
{
  (void)sink, (void)device, (void)diag;
  *out = 0;
  return AQ_OK;
}

static aq_status queue_pass(aq_record_sink *sink, const aq_run_queue *queue,
                            int64_t *out, aq_diag *diag)
{
  (void)sink, (void)queue, (void)diag;
  *out = 0;
  return AQ_OK;
}

static aq_status name_pass(aq_record_sink *sink, const char *text,
                           size_t length, int64_t *out, aq_diag *diag)
{
  (void)sink, (void)text, (void)length, (void)diag;
  *out = 0;
  return AQ_OK;
}

static aq_status rows_pass(aq_record_sink *sink, const aq_record *rows,
                           size_t count, aq_diag *diag)
{
  (void)sink, (void)rows, (void)count, (void)diag;
  return AQ_OK;
}

static uint64_t written;

static void nothing(const aq_kernel_call *call)
{
  (void)call;
}

static void write_late(const aq_kernel_call *call)
{
  (void)call;
  written = 42;
}

static uint64_t kernel_make(ground *g, const char *name,
                            void (*function)(const aq_kernel_call *),
                            aq_time takes)
{
  aq_kernel_info info;
  ck_assert_ok(g, g->ops->kernel_register(
                      g->t,
                      &(aq_kernel_desc){.name = name,
                                        .function = function,
                                        .cost = {AQ_COST_FIXED, takes}},
                      &info, &g->diag));
  return info.object;
}

/* The third packet of a program with a marker stops its queue while the first
 * runs. That ends later, when another queue has its epochs: the oracle is the
 * value that the other queue's kernel writes. */
START_TEST(packets_that_end_after_their_queue_failed_complete_no_other_work)
{
  aq_record_sink sink = {.device = device_pass,
                         .queue = queue_pass,
                         .name = name_pass,
                         .put = rows_pass};
  ground g;
  aq_builder *builder;
  aq_program program;
  aq_link *link;
  uint32_t slow, bad;
  ground_open(&g, &ground_kinds[0], NULL, NULL);
  ground own = g;
  ck_assert_ok(&g, aq_context_create(
                       &(aq_context_options){.size = sizeof(aq_context_options),
                                             .transport = g.t,
                                             .records = &sink,
                                             .packets = true},
                       &own.context, &g.diag));
  aq_queue *stops = ground_queue(&own, NULL), *other = ground_queue(&own, NULL);
  aq_semaphore *failed = ground_semaphore(&own, 0),
               *done = ground_semaphore(&own, 0);
  ck_assert_ok(&g, aq_builder_create(NULL, &builder, &g.diag));
  ck_assert_ok(&g, aq_builder_kernel(builder, "slow",
                                     kernel_make(&g, "slow", nothing, AQ_MS),
                                     &slow, &g.diag));
  ck_assert_ok(&g, aq_builder_kernel(builder, "bad", 0x12340, &bad, &g.diag));
  ck_assert_ok(&g, aq_builder_marker_named(builder, AQ_MARKER_POINT, 1, "mark",
                                           &g.diag));
  aq_dispatch d = {.grid = {1, 1, 1}, .workgroup = {1, 1, 1}};
  for (int i = 0; i < 3; i++) {
    d.kernel = i < 2 ? slow : bad;
    ck_assert_ok(&g, aq_builder_dispatch(builder, &d, &g.diag));
  }
  ck_assert_ok(&g, aq_builder_end(builder, &program, &g.diag));
  ck_assert_ok(&g,
               aq_link_create(&program, &(aq_link_options){.transport = g.t},
                              &link, &g.diag));
  ground_sync s;
  ck_assert_ok(&g,
               aq_queue_execute(stops, ground_sync_make(&s, NULL, 0, failed, 1),
                                &(aq_execution){.link = link}, &g.diag));
  const aq_point lost = {failed, 1};
  ck_assert_int_eq(
      aq_semaphore_wait(&lost, 1, AQ_WAIT_ALL, AQ_TIME_MAX, NULL, &g.diag),
      AQ_ERR_QUEUE);
  ck_assert_int_lt(g.ops->now(g.t), AQ_MS);
  const uint64_t late = kernel_make(&g, "late", write_late, 10 * AQ_MS);
  ck_assert_ok(&g, aq_queue_barrier(other, NULL, &g.diag));
  ck_assert_ok(&g,
               aq_queue_dispatch(other, ground_sync_make(&s, NULL, 0, done, 1),
                                 &(aq_launch){.object = late,
                                              .grid = {1, 1, 1},
                                              .workgroup = {1, 1, 1}},
                                 &g.diag));
  ground_wait(&own, done, 1);
  ck_assert_uint_eq(written, 42);
  ck_assert_int_ge(g.ops->now(g.t), 10 * AQ_MS);
  aq_queue_destroy(stops);
  aq_queue_destroy(other);
  aq_semaphore_release(failed);
  aq_semaphore_release(done);
  aq_link_destroy(link);
  aq_builder_destroy(builder);
  aq_context_destroy(own.context);
  ground_close(&g);
}
END_TEST

AQ_TEST_MAIN("queue/records",
             packets_that_end_after_their_queue_failed_complete_no_other_work,
             markers_are_ranges_of_the_run_on_sim,
             markers_are_ranges_of_the_run_on_hsa,
             markers_by_pm4_are_ranges_of_the_run_on_hsa,
             each_packet_of_an_execution_has_its_times_on_hsa,
             each_packet_of_an_execution_by_pm4_has_its_times_on_hsa,
             operations_are_kept_in_the_store,
             the_same_operations_take_as_long_on_sim_and_on_hsa)
