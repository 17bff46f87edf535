/* SPDX-License-Identifier: MIT */
#include "support/aqtest.h"
#include "support/fake_transport.h"

#include "common/memory_sink.h"
#include "run/replay.h"
#include "run/run.h"

static aq_diag diag = AQ_DIAG_INIT;

/* Rows as an input; row numbers are their places plus 100. */
typedef struct table {
  aq_replay_input input;
  const aq_record *rows;
  size_t count, next;
} table;

static aq_status table_next(aq_replay_input *input, aq_record *rows,
                            int64_t *numbers, size_t capacity, size_t *count,
                            aq_diag *d)
{
  table *t = (table *)input;
  (void)d;
  *count = 0;
  while (*count < capacity && *count < 2 && t->next < t->count) {
    numbers[*count] = 100 + (int64_t)t->next;
    rows[(*count)++] = t->rows[t->next++];
  }
  return AQ_OK;
}

static const char *table_name(aq_replay_input *input, int64_t id)
{
  (void)input;
  return id == 1 ? "one" : "other";
}

static table table_of(const aq_record *rows, size_t count)
{
  return (table){{table_next, table_name}, rows, count, 0};
}

static const aq_replay_options mi300x = {.latency_warm = 4700 * AQ_NS,
                                         .latency_cold = 9500 * AQ_NS,
                                         .unmap_after = 105 * AQ_US,
                                         .timestamp_step = 40 * AQ_NS};

/* A kernel on queue 0; times in microseconds. */
static aq_record kernel(double host_begin, double host_end, double start,
                        double end)
{
  aq_record row;
  aq_record_init(&row);
  row.kind = AQ_KIND_KERNEL;
  row.via = AQ_VIA_DIRECT;
  row.device = row.queue = 0;
  row.stream = 77;
  row.name = 1;
  row.host_begin = (aq_time)(host_begin * AQ_US);
  row.host_end = (aq_time)(host_end * AQ_US);
  row.start = (aq_time)(start * AQ_US);
  row.end = (aq_time)(end * AQ_US);
  return row;
}

static aq_workload_source *open_with(table *t, const aq_replay_options *options,
                                     aq_time *first)
{
  aq_workload_source *source;
  ck_assert_status(aq_replay_open(&t->input, options, &source, first, &diag),
                   AQ_OK, &diag);
  return source;
}

static aq_workload_source *open_rows(table *t, aq_time *first)
{
  return open_with(t, &mi300x, first);
}

static aq_job next(aq_workload_source *source)
{
  aq_job job;
  bool got;
  aq_time announced = source->peek(source);
  ck_assert_status(source->next(source, &job, &got, &diag), AQ_OK, &diag);
  ck_assert(got);
  ck_assert_int_eq(job.submit, announced);
  return job;
}

static void ck_end(aq_workload_source *source)
{
  aq_job job;
  bool got = true;
  ck_assert_int_eq(source->peek(source), AQ_TIME_MAX);
  ck_assert_status(source->next(source, &job, &got, &diag), AQ_OK, &diag);
  ck_assert(!got);
  source->close(source);
}

START_TEST(a_host_call_is_submitted_when_it_returned)
{
  aq_record rows[] = {kernel(0, 3, 12, 20), kernel(10, 13.5, 20, 30)};
  table t = table_of(rows, 2);
  aq_workload_source *source = open_rows(&t, NULL);
  next(source);
  aq_job job = next(source);
  ck_assert_int_eq(job.submit, 13500 * AQ_NS);
  ck_assert_int_eq(job.host_begin, 10 * AQ_US);
  ck_assert_int_eq(job.stream, 77);
  ck_assert_int_eq(job.queue, 0);
  ck_assert_uint_eq(job.command_count, 1);
  ck_assert_int_eq(job.commands->cost.kind, AQ_COST_SPIN);
  ck_assert_int_eq(job.commands->cost.base, 10 * AQ_US);
  ck_assert_int_eq(job.commands->origin, 101);
  ck_assert_int_eq(job.commands->flags, 0);
  ck_assert_uint_eq(job.commands->grid[0], 1);
  ck_assert_str_eq(source->name(source, job.commands->name), "one");
  ck_end(source);
}
END_TEST

START_TEST(the_first_row_of_each_queue_is_pinned_cold)
{
  aq_record rows[] = {kernel(0, 3, 12, 20), kernel(0, 4, 13, 20)};
  rows[1].queue = 1;
  table t = table_of(rows, 2);
  aq_time first;
  aq_workload_source *source = open_rows(&t, &first);
  for (int i = 0; i < 2; i++) {
    aq_job job = next(source);
    ck_assert_int_eq(job.submit, rows[i].start - 9500 * AQ_NS);
    ck_assert_int_eq(job.commands->flags, AQ_FLAG_PINNED);
  }
  ck_assert_int_eq(first, rows[0].start - 9500 * AQ_NS);
  ck_end(source);
}
END_TEST

START_TEST(rows_without_host_times_are_pinned_warm_or_cold)
{
  aq_record rows[] = {kernel(0, 3, 12, 20), kernel(0, 0, 20, 30),
                      kernel(0, 0, 134.6, 140), kernel(0, 0, 249.8, 250)};
  for (int i = 1; i < 4; i++) {
    rows[i].host_begin = rows[i].host_end = AQ_TIME_NONE;
    rows[i].via = i == 1 ? AQ_VIA_NONE : AQ_VIA_DIRECT;
  }
  table t = table_of(rows, 4);
  aq_workload_source *source = open_rows(&t, NULL);
  next(source);
  const aq_time latency[] = {4700, 4700, 9500};
  for (int i = 1; i < 4; i++) {
    aq_job job = next(source);
    ck_assert_int_eq(job.submit, rows[i].start - latency[i - 1] * AQ_NS);
    ck_assert_int_eq(job.commands->flags, AQ_FLAG_PINNED);
  }
  ck_end(source);
}
END_TEST

START_TEST(a_dispatch_time_of_the_host_serves_where_calls_are_unknown)
{
  aq_record rows[] = {kernel(0, 3, 12, 20), kernel(0, 0, 25, 30)};
  rows[1].host_begin = rows[1].host_end = AQ_TIME_NONE;
  rows[1].submit = 18 * AQ_US;
  table t = table_of(rows, 2);
  aq_workload_source *source = open_rows(&t, NULL);
  next(source);
  aq_job job = next(source);
  ck_assert_int_eq(job.submit, 18 * AQ_US);
  ck_assert_int_eq(job.commands->flags, 0);
  ck_end(source);
}
END_TEST

START_TEST(a_blocking_call_rang_its_doorbell_after_a_typical_call)
{
  /* Calls take 3, 3 and 4 µs; the copy's call returns after its end. */
  aq_record rows[] = {kernel(0, 3, 12, 20), kernel(20, 23, 30, 40),
                      kernel(40, 44, 50, 60), kernel(60, 99, 70, 98)};
  rows[3].kind = AQ_KIND_COPY;
  rows[3].bytes = 1 << 20;
  table t = table_of(rows, 4);
  aq_workload_source *source = open_rows(&t, NULL);
  next(source), next(source), next(source);
  aq_job job = next(source);
  ck_assert_int_eq(job.submit, 63 * AQ_US);
  ck_assert_int_eq(job.commands->kind, AQ_KIND_COPY);
  ck_assert_int_eq(job.commands->bytes, 1 << 20);
  ck_end(source);
}
END_TEST

START_TEST(a_kernel_launch_rings_its_doorbell_last)
{
  aq_record rows[] = {kernel(0, 3, 12, 20), kernel(20, 99, 95, 120)};
  table t = table_of(rows, 2);
  aq_workload_source *source = open_rows(&t, NULL);
  next(source);
  ck_assert_int_eq(next(source).submit, 99 * AQ_US);
  ck_end(source);
}
END_TEST

START_TEST(a_graph_launch_is_one_job_of_its_rows)
{
  aq_record rows[6];
  for (int i = 0; i < 6; i++) {
    rows[i] = kernel(50, 60, 70 + i, 71 + i);
    rows[i].via = AQ_VIA_GRAPH;
    rows[i].correlation = i < 3 ? 5 : 6;
  }
  rows[0] = kernel(0, 3, 12, 20);
  rows[4].queue = 1; /* the same launch on another queue */
  rows[4].host_end = rows[5].host_end = 61 * AQ_US;
  table t = table_of(rows, 6);
  aq_workload_source *source = open_rows(&t, NULL);
  next(source);
  aq_job job = next(source); /* rows 1, 2 */
  ck_assert_uint_eq(job.command_count, 2);
  ck_assert_int_eq(job.commands[0].flags, AQ_FLAG_GRAPH_FIRST);
  ck_assert_int_eq(job.commands[1].flags, 0);
  ck_assert_int_eq(job.commands[1].origin, 102);
  ck_assert_int_eq(job.via, AQ_VIA_GRAPH);
  job = next(source); /* rows 3, 5 */
  ck_assert_uint_eq(job.command_count, 2);
  ck_assert_int_eq(job.commands[1].origin, 105);
  job = next(source); /* row 4: first of its queue */
  ck_assert_int_eq(job.commands[0].flags, AQ_FLAG_PINNED | AQ_FLAG_GRAPH_FIRST);
  ck_end(source);
}
END_TEST

/* Three launches of five nodes, whose call takes 10 us from 50 us on. */
static void graph_rows(aq_record rows[16])
{
  rows[0] = kernel(0, 3, 12, 20);
  for (int i = 0; i < 15; i++) {
    rows[1 + i] = kernel(50 + i / 5 * 100, 60 + i / 5 * 100, 70 + i / 5 * 100,
                         71 + i / 5 * 100);
    rows[1 + i].via = AQ_VIA_GRAPH;
    rows[1 + i].correlation = i / 5;
  }
}

START_TEST(the_nodes_of_a_graph_are_submitted_as_the_device_says)
{
  aq_record rows[16];
  graph_rows(rows);
  table t = table_of(rows, 16);
  aq_replay_options options = mi300x;
  options.graph_launch = 3 * AQ_US;
  options.graph_head = 2;
  options.graph_per_node = AQ_US;
  aq_workload_source *source = open_with(&t, &options, NULL);
  next(source);
  for (int i = 0; i < 3; i++) {
    aq_job head = next(source);
    ck_assert_int_eq(head.submit, (53 + i * 100) * AQ_US);
    ck_assert_uint_eq(head.command_count, 2);
    ck_assert_int_eq(head.commands[0].flags, AQ_FLAG_GRAPH_FIRST);
    ck_assert(!head.marker);
    aq_job rest = next(source);
    ck_assert_int_eq(rest.submit, (56 + i * 100) * AQ_US);
    ck_assert_uint_eq(rest.command_count, 3);
    ck_assert_int_eq(rest.commands[0].origin, 103 + i * 5);
    ck_assert_int_eq(rest.commands[0].flags, 0);
    ck_assert(rest.marker);
  }
  ck_end(source);
}
END_TEST

START_TEST(a_graph_is_submitted_before_its_call_returns)
{
  aq_record rows[16];
  graph_rows(rows);
  table t = table_of(rows, 6);
  aq_replay_options options = mi300x;
  options.graph_launch = 3 * AQ_US;
  options.graph_per_node = 2 * AQ_US;
  aq_workload_source *source = open_with(&t, &options, NULL);
  next(source);
  aq_job job = next(source); /* no head: all at once, 13 us are too long */
  ck_assert_int_eq(job.submit, 60 * AQ_US);
  ck_assert_uint_eq(job.command_count, 5);
  ck_assert(job.marker);
  ck_end(source);
}
END_TEST

START_TEST(rows_that_follow_without_a_gap_are_glued)
{
  aq_record rows[] = {kernel(0, 3, 12, 20), kernel(4, 5, 20, 30),
                      kernel(6, 7, 30.04, 40), kernel(8, 9, 40.041, 50)};
  table t = table_of(rows, 4);
  aq_workload_source *source = open_rows(&t, NULL);
  const uint32_t glued[] = {0, AQ_SPIN_GLUED, AQ_SPIN_GLUED, 0};
  for (int i = 0; i < 4; i++)
    ck_assert_uint_eq(next(source).commands->spin_flags, glued[i]);
  ck_end(source);
}
END_TEST

START_TEST(packets_of_a_queue_keep_the_order_of_their_starts)
{
  aq_record rows[] = {kernel(0, 3, 12, 20), kernel(10, 19, 21, 22),
                      kernel(10, 18, 22, 23), kernel(10, 18.5, 22.5, 23)};
  rows[3].queue = 1;
  table t = table_of(rows, 4);
  aq_workload_source *source = open_rows(&t, NULL);
  const int64_t origins[] = {100, 103, 101, 102};
  aq_time last = 0;
  for (int i = 0; i < 4; i++) {
    aq_job job = next(source);
    ck_assert_int_eq(job.commands->origin, origins[i]);
    ck_assert_int_ge(job.submit, last);
    last = job.submit;
  }
  ck_assert_int_eq(last, 19 * AQ_US);
  ck_end(source);
}
END_TEST

START_TEST(odd_rows_do_no_harm)
{
  aq_record rows[] = {kernel(0, 3, 12, 20), kernel(4, 5, 20, 20),
                      kernel(6, 7, 30, 25), kernel(6, 7, 30, 31),
                      kernel(6, 7, 32, 33)};
  rows[3].kind = AQ_KIND_WAIT;
  rows[4].start = AQ_TIME_NONE;
  rows[2].name = AQ_NONE;
  table t = table_of(rows, 5);
  aq_workload_source *source = open_rows(&t, NULL);
  next(source);
  ck_assert_int_eq(next(source).commands->cost.base, 0);
  ck_assert_int_eq(next(source).commands->cost.base, 0);
  ck_end(source);
  t = table_of(rows, 0);
  aq_time first = 5;
  source = open_rows(&t, &first);
  ck_assert_int_eq(first, 0);
  ck_end(source);
}
END_TEST

START_TEST(a_replay_runs_into_packets_and_rows_with_origins)
{
  fake_reset();
  aq_record rows[200];
  for (int i = 0; i < 200; i++) {
    rows[i] = kernel(i * 10, i * 10 + 3, i * 10 + 8, i * 10 + 9);
    rows[i].queue = i % 3;
  }
  table t = table_of(rows, 200);
  aq_time first;
  aq_workload_source *source = open_rows(&t, &first);
  aq_memory_sink m;
  aq_memory_sink_init(&m);
  aq_run_options options = {.transport = &fake_transport,
                            .open = {.epoch = first}};
  aq_run_totals totals;
  ck_assert_status(aq_run(&options, source, &m.sink, &totals, &diag), AQ_OK,
                   &diag);
  ck_assert_uint_eq(totals.jobs, 200);
  ck_assert_uint_eq(m.queue_count, 3);
  for (int i = 3; i < 200; i++) {
    ck_assert_int_eq(m.rows[i].origin, 100 + i);
    ck_assert_int_eq(m.rows[i].submit, rows[i].host_end);
    ck_assert_int_eq(m.rows[i].end - m.rows[i].start, AQ_US);
    ck_assert_int_eq(m.rows[i].queue, i % 3);
  }
  source->close(source);
  aq_memory_sink_fini(&m);
}
END_TEST

AQ_TEST_MAIN("run/replay", a_host_call_is_submitted_when_it_returned,
             the_first_row_of_each_queue_is_pinned_cold,
             rows_without_host_times_are_pinned_warm_or_cold,
             a_dispatch_time_of_the_host_serves_where_calls_are_unknown,
             a_blocking_call_rang_its_doorbell_after_a_typical_call,
             a_kernel_launch_rings_its_doorbell_last,
             a_graph_launch_is_one_job_of_its_rows,
             the_nodes_of_a_graph_are_submitted_as_the_device_says,
             a_graph_is_submitted_before_its_call_returns,
             rows_that_follow_without_a_gap_are_glued,
             packets_of_a_queue_keep_the_order_of_their_starts,
             odd_rows_do_no_harm,
             a_replay_runs_into_packets_and_rows_with_origins)
