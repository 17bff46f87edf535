/* SPDX-License-Identifier: MIT */
#include "study/loop/replay_rows.h"

static aq_workload_source *open_rows(table *t, aq_time *first)
{
  return open_with(t, &mi300x, first);
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

static const aq_replay_options gating = {.latency_warm = 4700 * AQ_NS,
                                         .latency_cold = 9500 * AQ_NS,
                                         .unmap_after = 105 * AQ_US,
                                         .timestamp_step = 40 * AQ_NS,
                                         .gate_latency = 14 * AQ_US,
                                         .barrier_latency = 12 * AQ_US};

/* A profile that begins on a busy device: three rows in flight without a call,
 * and calls that came while they ran. */
START_TEST(rows_in_flight_move_no_doorbell)
{
  aq_record rows[] = {kernel(0, 0, 10, 500), kernel(0, 0, 600, 700),
                      kernel(0, 0, 700, 800), kernel(20, 23, 800, 810),
                      kernel(30, 33, 820, 830)};
  for (int i = 0; i < 3; i++) {
    rows[i].host_begin = rows[i].host_end = AQ_TIME_NONE;
    rows[i].via = AQ_VIA_NONE;
  }
  table t = table_of(rows, 5);
  aq_replay_facts facts;
  aq_workload_source *source;
  ck_assert_status(aq_replay_open(&t.input, &gating, &source, &facts, &diag),
                   AQ_OK, &diag);
  const aq_time submits[] = {500, 23000, 23000, 23000, 33000};
  for (int i = 0; i < 5; i++) {
    aq_job job = next(source);
    ck_assert_int_eq(job.commands->origin, 100 + i);
    ck_assert_int_eq(job.submit, submits[i] * AQ_NS);
    /* The third follows the second without a gap: it needs no gate. */
    ck_assert_int_eq(job.job_flags & AQ_JOB_GATED, i == 1 ? AQ_JOB_GATED : 0);
    if (i == 1)
      ck_assert_int_eq(job.gate, 586 * AQ_US);
  }
  ck_assert_uint_eq(facts.gates, 1);
  ck_assert_uint_eq(facts.near, 0);
  ck_assert_uint_eq(facts.moved, 0);
  ck_end(source);
}
END_TEST

START_TEST(a_gate_that_comes_too_late_is_counted)
{
  /* 5 us behind the row in front: less than half a barrier packet; 15 us:
   * more, but the gate is not seen in time. */
  aq_record rows[] = {kernel(0, 3, 12, 100), kernel(0, 0, 105, 110),
                      kernel(0, 0, 125, 140), kernel(20, 23, 140, 150)};
  rows[1].via = rows[2].via = AQ_VIA_NONE;
  table t = table_of(rows, 4);
  aq_replay_facts facts;
  aq_workload_source *source;
  ck_assert_status(aq_replay_open(&t.input, &gating, &source, &facts, &diag),
                   AQ_OK, &diag);
  ck_assert_uint_eq(facts.gates, 1);
  ck_assert_uint_eq(facts.near, 2);
  source->close(source);
}
END_TEST

START_TEST(doorbells_behind_a_later_call_are_counted)
{
  aq_record rows[] = {kernel(0, 3, 12, 20), kernel(10, 19, 21, 22),
                      kernel(10, 17, 22, 23)};
  table t = table_of(rows, 3);
  aq_replay_facts facts;
  aq_workload_source *source;
  ck_assert_status(aq_replay_open(&t.input, &gating, &source, &facts, &diag),
                   AQ_OK, &diag);
  ck_assert_uint_eq(facts.moved, 1);
  ck_assert_int_eq(facts.moved_most, 2 * AQ_US);
  source->close(source);
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

/* When the doorbell of a copy rings whose call of 60 to 99 us awaited it; the
 * device is idle since 60 us. The copy takes 20 us. */
static aq_time awaited_copy_rings(int64_t name, int64_t bytes, aq_time offset,
                                  aq_time call_returns)
{
  aq_record rows[] = {kernel(0, 3, 12, 20), kernel(20, 23, 30, 40),
                      kernel(40, 43, 50, 60), kernel(60, 99, 70, 90)};
  aq_replay_options options = mi300x;
  options.copy_return = AQ_US;
  options.clock_offset = offset;
  rows[3].kind = AQ_KIND_COPY;
  rows[3].name = name;
  rows[3].bytes = bytes;
  rows[3].host_end = call_returns;
  table t = table_of(rows, 4);
  aq_workload_source *source = open_with(&t, &options, NULL);
  next(source), next(source), next(source);
  const aq_time submit = next(source).submit;
  source->close(source);
  return submit;
}

enum { FROM_HOST = 6, TO_HOST = 7 };

START_TEST(a_small_copy_ends_copy_return_before_its_call_returns)
{
  /* 99 - 1 - 20 us, and the 4.7 us of a launch. */
  ck_assert_int_eq(awaited_copy_rings(FROM_HOST, 65536, 0, 99 * AQ_US),
                   73300 * AQ_NS);
  ck_assert_int_eq(awaited_copy_rings(FROM_HOST, 4, 6 * AQ_US, 99 * AQ_US),
                   79300 * AQ_NS);
}
END_TEST

START_TEST(the_call_of_another_copy_does_more_behind_the_end)
{
  ck_assert_int_eq(awaited_copy_rings(FROM_HOST, 65537, 0, 99 * AQ_US),
                   63 * AQ_US);
  ck_assert_int_eq(awaited_copy_rings(TO_HOST, 4, 0, 99 * AQ_US), 63 * AQ_US);
}
END_TEST

/* Calls of the run take 40 us, as long as calls that load code. */
START_TEST(an_awaited_copy_rang_early_enough_to_end)
{
  aq_record rows[] = {kernel(0, 40, 50, 60), kernel(60, 100, 110, 120),
                      kernel(120, 145, 126, 144)};
  aq_replay_options options = mi300x;
  options.copy_return = AQ_US;
  rows[2].kind = AQ_KIND_COPY;
  rows[2].name = TO_HOST;
  rows[2].bytes = 4;
  table t = table_of(rows, 3);
  aq_workload_source *source = open_with(&t, &options, NULL);
  next(source), next(source);
  ck_assert_int_eq(next(source).submit, 121300 * AQ_NS);
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

/* Checks the doorbells of the next graph launch: how many nodes each announces,
 * and when, in us. */
static void ck_doorbells(aq_workload_source *source, size_t count,
                         const uint32_t *nodes, const double *times)
{
  for (size_t i = 0; i < count; i++) {
    aq_job job = next(source);
    ck_assert_int_eq(job.submit, (aq_time)(times[i] * (double)AQ_US));
    ck_assert_uint_eq(job.command_count, nodes[i]);
    ck_assert_int_eq(job.commands[0].flags, i == 0 ? AQ_FLAG_GRAPH_FIRST : 0);
    ck_assert_int_eq(job.marker, i + 1 == count);
  }
}

/* Its call writes from 3 us on, and so takes 1.4 us for each of five nodes. */
START_TEST(a_graph_launch_rings_for_twice_as_many_nodes_each_time)
{
  aq_record rows[16];
  graph_rows(rows);
  table t = table_of(rows, 16);
  aq_replay_options options = mi300x;
  options.graph_launch = 3 * AQ_US;
  options.graph_head = 1;
  options.graph_batch = 256;
  aq_workload_source *source = open_with(&t, &options, NULL);
  next(source);
  for (int i = 0; i < 3; i++)
    ck_doorbells(source, 3, (uint32_t[]){1, 2, 2},
                 (double[]){54.4 + i * 100, 57.2 + i * 100, 60 + i * 100});
  ck_end(source);
}
END_TEST

START_TEST(a_graph_launch_rings_for_no_more_nodes_than_a_batch_has)
{
  aq_record rows[16];
  graph_rows(rows);
  table t = table_of(rows, 11);
  aq_replay_options options = mi300x;
  options.graph_launch = 3 * AQ_US;
  options.graph_head = options.graph_batch = 2;
  aq_workload_source *source = open_with(&t, &options, NULL);
  next(source);
  ck_doorbells(source, 3, (uint32_t[]){2, 2, 1}, (double[]){55.8, 58.6, 60});
  ck_doorbells(source, 3, (uint32_t[]){2, 2, 1}, (double[]){155.8, 158.6, 160});
  ck_end(source);
}
END_TEST

/* 1 + 2 + 4 + 8 + 16 nodes, of which the device cannot have read 16. */
START_TEST(a_graph_launch_far_ahead_of_the_device_rings_for_whole_batches)
{
  enum { NODES = 100 };
  aq_record rows[1 + NODES] = {kernel(0, 3, 12, 20)};
  for (int i = 1; i <= NODES; i++) {
    rows[i] = kernel(50, 150, 160 + i, 161 + i);
    rows[i].via = AQ_VIA_GRAPH;
    rows[i].correlation = 7;
  }
  table t = table_of(rows, 1 + NODES);
  aq_replay_options options = mi300x;
  options.graph_launch = 1; /* ps: a node takes 1 us, rounded down */
  options.graph_head = 1;
  options.graph_batch = 256;
  aq_workload_source *source = open_with(&t, &options, NULL);
  next(source);
  const uint32_t nodes[] = {1, 2, 4, 8, 16, 69};
  for (size_t i = 0; i < 6; i++)
    ck_assert_uint_eq(next(source).command_count, nodes[i]);
  ck_end(source);
}
END_TEST

START_TEST(a_graph_is_submitted_before_its_call_returns)
{
  aq_record rows[16];
  graph_rows(rows);
  table t = table_of(rows, 6);
  aq_replay_options options = mi300x;
  options.graph_launch = 13 * AQ_US; /* longer than the call */
  aq_workload_source *source = open_with(&t, &options, NULL);
  next(source);
  aq_job job = next(source); /* no batches: all at once */
  ck_assert_int_eq(job.submit, 60 * AQ_US);
  ck_assert_uint_eq(job.command_count, 5);
  ck_assert(job.marker);
  ck_end(source);
}
END_TEST

/* The handlers of completions run at 120, 220, 320 and 420 us; launches come 2
 * us before, 1 us before, 1 us behind and 3 us behind them. */
START_TEST(a_profilers_handler_holds_doorbells_about_when_it_runs)
{
  const double calls[] = {3, 118, 219, 321, 423};
  const double rings[] = {3, 118, 234, 334, 423};
  aq_record rows[5];
  for (int i = 0; i < 5; i++) {
    rows[i] = kernel(calls[i] - 3, calls[i], calls[i] + 9, calls[i] + 10);
    rows[i].complete = (120 + i * 100) * AQ_US;
  }
  table t = table_of(rows, 5);
  aq_replay_options options = mi300x;
  options.handler_guard = 3 * AQ_US / 2;
  options.handler_window = 2 * AQ_US;
  options.handler_hold = 14 * AQ_US;
  aq_workload_source *source = open_with(&t, &options, NULL);
  next(source);
  for (int i = 1; i < 5; i++)
    ck_assert_int_eq(next(source).submit, (aq_time)(rings[i] * (double)AQ_US));
  ck_end(source);
}
END_TEST

/* A device whose clock is 12 us ahead: host times stay, doorbells move. */
START_TEST(doorbells_move_by_the_offset_of_the_clocks)
{
  aq_record rows[] = {kernel(0, 3, 24, 30), kernel(40, 43, 60, 70),
                      kernel(80, 84, 100, 110), kernel(80, 84, 110, 120)};
  for (int i = 2; i < 4; i++) {
    rows[i].via = AQ_VIA_GRAPH;
    rows[i].correlation = 7;
  }
  table t = table_of(rows, 4);
  aq_replay_options options = mi300x;
  options.clock_shift = 12 * AQ_US;
  aq_workload_source *source = open_with(&t, &options, NULL);
  next(source);
  aq_job job = next(source);
  ck_assert_int_eq(job.submit, 55 * AQ_US);
  ck_assert_int_eq(job.host_end, 43 * AQ_US);
  ck_assert_int_eq(next(source).submit, 96 * AQ_US);
  ck_end(source);
  t = table_of(rows, 4);
  options.graph_head = options.graph_batch = 1;
  options.graph_launch = AQ_US; /* then a node in 1.5 us */
  source = open_with(&t, &options, NULL);
  next(source);
  next(source);
  ck_assert_int_eq(next(source).submit, 94500 * AQ_NS);
  ck_assert_int_eq(next(source).submit, 96 * AQ_US);
  ck_end(source);
}
END_TEST

START_TEST(rows_that_follow_without_a_gap_are_back_to_back)
{
  aq_record rows[] = {kernel(0, 3, 12, 20), kernel(4, 5, 20, 30),
                      kernel(6, 7, 30.04, 40), kernel(8, 9, 40.041, 50)};
  table t = table_of(rows, 4);
  aq_workload_source *source = open_rows(&t, NULL);
  const uint32_t starts[] = {0, AQ_SPIN_BACK_TO_BACK, AQ_SPIN_BACK_TO_BACK, 0};
  for (int i = 0; i < 4; i++)
    ck_assert_uint_eq(next(source).commands->spin_flags, starts[i]);
  ck_end(source);
}
END_TEST

/* Behind "one"; other names have none of their own. */
static aq_time gap_of(void *user, const aq_record *row, const char *name)
{
  (void)user;
  (void)row;
  return strcmp(name, "one") == 0 ? 4840 * AQ_NS : 0;
}

START_TEST(gaps_of_the_device_go_with_the_kernels_that_have_them)
{
  aq_record rows[] = {kernel(0, 3, 12, 20), kernel(4, 5, 20, 30)};
  rows[1].name = 3;
  table t = table_of(rows, 2);
  aq_replay_options options = mi300x;
  options.gap = gap_of;
  aq_workload_source *source = open_with(&t, &options, NULL);
  ck_assert_uint_eq(next(source).commands->spin_flags,
                    4840U << AQ_SPIN_GAP_SHIFT);
  ck_assert_uint_eq(next(source).commands->spin_flags, AQ_SPIN_BACK_TO_BACK);
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

START_TEST(unknown_and_odd_shapes_stay_unknown)
{
  aq_record rows[6];
  for (int i = 0; i < 6; i++) {
    rows[i] = kernel(i * 10, i * 10 + 3, i * 10 + 8, i * 10 + 9);
    rows[i].grid_x = 256;
    rows[i].wg_x = 64;
    rows[i].grid_y = rows[i].grid_z = rows[i].wg_y = rows[i].wg_z = 1;
    rows[i].lds = 128;
  }
  rows[1].grid_x = AQ_NONE;
  rows[2].grid_y = -1;
  rows[3].grid_x = INT64_C(1) << 33; /* more than a packet can say */
  rows[4].wg_x = AQ_NONE;
  rows[5].wg_x = 70000;
  table t = table_of(rows, 6);
  aq_replay_facts facts;
  aq_workload_source *source;
  ck_assert_status(aq_replay_open(&t.input, &mi300x, &source, &facts, &diag),
                   AQ_OK, &diag);
  ck_assert_uint_eq(facts.shapeless, 5);
  for (int i = 0; i < 6; i++) {
    const aq_job job = next(source);
    const uint32_t shape = i == 0  ? 0
                           : i > 3 ? AQ_UNKNOWN_WORKGROUP
                                   : AQ_UNKNOWN_GRID;
    ck_assert_uint_eq(job.commands->unknown, shape | AQ_UNKNOWN_SCRATCH);
    for (int j = 0; j < 3; j++)
      ck_assert_uint_gt(job.commands->grid[j] * job.commands->workgroup[j], 0);
  }
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

/* ---- queues ---- */

START_TEST(streams_share_four_queues_of_their_device)
{
  aq_record rows[7];
  for (int i = 0; i < 7; i++) {
    rows[i] = kernel(i, i + 0.5, 10 + i, 11 + i);
    rows[i].queue = rows[i].stream = 40 + i;
    rows[i].device = i == 6;
  }
  static const int64_t wanted[] = {0, 1, 2, 3, 0, 1, 0};
  table t = table_of(rows, 7);
  aq_workload_source *source = open_rows(&t, NULL);
  for (int i = 0; i < 7; i++) {
    aq_job job = next(source);
    ck_assert_int_eq(job.queue, wanted[i]);
    ck_assert_int_eq(job.stream, 40 + i);
  }
  ck_end(source);
}
END_TEST

START_TEST(recorded_queues_are_kept_unless_told_otherwise)
{
  aq_record rows[6];
  for (int i = 0; i < 6; i++) {
    rows[i] = kernel(i, i + 0.5, 10 + i, 11 + i);
    rows[i].queue = i;
    rows[i].stream = i / 2;
  }
  aq_replay_options options = mi300x;
  for (int queues = 0; queues < 3; queues++) {
    table t = table_of(rows, 6);
    options.queues = (uint32_t)queues;
    aq_workload_source *source = open_with(&t, &options, NULL);
    for (int i = 0; i < 6; i++)
      ck_assert_int_eq(next(source).queue, queues ? i / 2 % queues : i);
    ck_end(source);
  }
}
END_TEST

/* ---- edges ---- */

START_TEST(edges_between_rows_are_dependencies_of_jobs)
{
  aq_record rows[] = {kernel(0, 1, 12, 20), kernel(2, 3, 14, 15),
                      kernel(4, 5, 20, 60), kernel(6, 7, 75, 80)};
  rows[1].queue = rows[3].queue = 1;
  const aq_edge edges[] = {{102, 103, AQ_EDGE_CALL, 95},
                           {100, 101, AQ_EDGE_CALL, 95}, /* of a first row */
                           {103, 102, AQ_EDGE_CALL, 95}, /* to an earlier one */
                           {7, 103, AQ_EDGE_CALL, 95}};  /* from nowhere */
  aq_replay_options options = mi300x;
  options.edges = edges;
  options.edge_count = 4;
  table t = table_of(rows, 4);
  aq_workload_source *source;
  aq_replay_facts facts;
  ck_assert_status(aq_replay_open(&t.input, &options, &source, &facts, &diag),
                   AQ_OK, &diag);
  /* None of the four disappears without a count. */
  ck_assert_uint_eq(facts.edges, 2);
  ck_assert_uint_eq(facts.dropped[AQ_REPLAY_DROP_LATER], 1);
  ck_assert_uint_eq(facts.dropped[AQ_REPLAY_DROP_ROW], 1);
  uint64_t ids[4];
  for (int i = 0; i < 4; i++) {
    aq_job job = next(source);
    ids[i] = job.id;
    ck_assert_uint_eq(job.dependency_count, i % 2);
    if (i % 2)
      ck_assert_uint_eq(job.dependencies[0], ids[i - 1]);
    /* A packet of its event is behind an awaited row. */
    ck_assert_int_eq(job.marker, i % 2 == 0);
    ck_assert_int_eq(!!(job.job_flags & AQ_JOB_EVENT), i % 2 == 0);
  }
  ck_end(source);
}
END_TEST

START_TEST(a_dependency_that_ended_long_before_the_call_has_no_packet)
{
  for (int late = 0; late < 2; late++) {
    const double call = late ? 2000 : 900;
    aq_record rows[] = {kernel(0, 1, 12, 20), kernel(2, 3, 14, 3000),
                        kernel(call, call + 1, 3007, 3010)};
    rows[1].queue = rows[2].queue = 1;
    const aq_edge edge = {100, 102, AQ_EDGE_CALL, 95};
    aq_replay_options options = mi300x;
    options.edges = &edge;
    options.edge_count = 1;
    table t = table_of(rows, 3);
    aq_workload_source *source = open_with(&t, &options, NULL);
    next(source);
    next(source);
    ck_assert_int_eq(!!(next(source).job_flags & AQ_JOB_READY), late);
    ck_end(source);
  }
}
END_TEST

/* ---- collectives ---- */

enum { RCCL = 3, ALL_REDUCE, DDP };

static aq_record range(int64_t name, double begin, double end)
{
  aq_record row = kernel(begin, end, 0, 0);
  row.kind = AQ_KIND_RANGE;
  row.name = name;
  row.start = row.end = AQ_TIME_NONE;
  return row;
}

/* The packets behind two collectives, of which the second is an all-reduce. */
static void collectives_check(bool events, bool ddp, uint32_t first,
                              uint32_t second)
{
  aq_record rows[] = {kernel(0, 1, 12, 20),     kernel(5, 6, 20, 30),
                      kernel(8, 9, 48, 50),     kernel(10, 11, 50, 60),
                      range(ALL_REDUCE, 7, 10), range(DDP, 0, 11)};
  rows[1].name = rows[2].name = RCCL;
  aq_replay_options options = mi300x;
  options.collective_events = events;
  table t = table_of(rows, ddp ? 6 : 5);
  aq_workload_source *source = open_with(&t, &options, NULL);
  const uint32_t all = AQ_JOB_EVENT | AQ_JOB_EVENTS | AQ_JOB_FUTURE;
  const uint32_t flags[] = {0, first, second, 0};
  for (int i = 0; i < 4; i++) {
    const aq_job job = next(source);
    ck_assert_uint_eq(job.job_flags & all, flags[i]);
    ck_assert_int_eq(job.marker, flags[i] != 0);
  }
  ck_end(source);
}

START_TEST(two_events_follow_a_collective_of_pytorch)
{
  const uint32_t both = AQ_JOB_EVENT | AQ_JOB_EVENTS;
  collectives_check(false, true, 0, 0);
  collectives_check(true, false, both, both);
  collectives_check(true, true, both, both | AQ_JOB_FUTURE);
}
END_TEST

START_TEST(packets_of_events_are_submitted_behind_a_collective)
{
  uint64_t packets[2];
  for (int i = 0; i < 2; i++) {
    fake_reset();
    aq_record rows[] = {kernel(0, 1, 12, 20), kernel(5, 6, 20, 30)};
    rows[1].name = RCCL;
    aq_replay_options replay = mi300x;
    replay.collective_events = i == 1;
    table t = table_of(rows, 2);
    aq_time first;
    aq_workload_source *source = open_with(&t, &replay, &first);
    aq_memory_sink m;
    aq_memory_sink_init(&m);
    aq_run_options options = {.transport = &fake_transport,
                              .open = {.epoch = first}};
    aq_run_totals totals;
    ck_assert_status(aq_run(&options, source, &m.sink, &totals, &diag), AQ_OK,
                     &diag);
    packets[i] = totals.packets;
    source->close(source);
    aq_memory_sink_fini(&m);
  }
  ck_assert_uint_eq(packets[1], packets[0] + 2);
}
END_TEST

AQ_TEST_MAIN("study/loop/replay", a_host_call_is_submitted_when_it_returned,
             the_first_row_of_each_queue_is_pinned_cold,
             rows_without_host_times_are_pinned_warm_or_cold,
             rows_in_flight_move_no_doorbell,
             a_gate_that_comes_too_late_is_counted,
             doorbells_behind_a_later_call_are_counted,
             a_dispatch_time_of_the_host_serves_where_calls_are_unknown,
             a_blocking_call_rang_its_doorbell_after_a_typical_call,
             a_small_copy_ends_copy_return_before_its_call_returns,
             the_call_of_another_copy_does_more_behind_the_end,
             an_awaited_copy_rang_early_enough_to_end,
             a_kernel_launch_rings_its_doorbell_last,
             a_graph_launch_is_one_job_of_its_rows,
             a_graph_launch_rings_for_twice_as_many_nodes_each_time,
             a_graph_launch_rings_for_no_more_nodes_than_a_batch_has,
             a_graph_launch_far_ahead_of_the_device_rings_for_whole_batches,
             a_graph_is_submitted_before_its_call_returns,
             a_profilers_handler_holds_doorbells_about_when_it_runs,
             doorbells_move_by_the_offset_of_the_clocks,
             rows_that_follow_without_a_gap_are_back_to_back,
             gaps_of_the_device_go_with_the_kernels_that_have_them,
             packets_of_a_queue_keep_the_order_of_their_starts,
             unknown_and_odd_shapes_stay_unknown, odd_rows_do_no_harm,
             a_replay_runs_into_packets_and_rows_with_origins,
             streams_share_four_queues_of_their_device,
             recorded_queues_are_kept_unless_told_otherwise,
             edges_between_rows_are_dependencies_of_jobs,
             a_dependency_that_ended_long_before_the_call_has_no_packet,
             two_events_follow_a_collective_of_pytorch,
             packets_of_events_are_submitted_behind_a_collective)
