/* SPDX-License-Identifier: MIT */
/* Replays whose host waits: closed loops, and launches joined into graphs. */
#include "study/loop/replay_rows.h"

/* A host call that waited; times in microseconds. */
static aq_record host_wait(double begin, double end, int64_t name)
{
  aq_record row;
  aq_record_init(&row);
  row.kind = AQ_KIND_WAIT;
  row.name = name;
  row.host_begin = (aq_time)(begin * AQ_US);
  row.host_end = (aq_time)(end * AQ_US);
  return row;
}

/* Waits have no start: they come first. */
static aq_workload_source *open_closed(table *t, aq_record rows[4],
                                       int64_t wait_name)
{
  rows[0] = host_wait(30, 58, wait_name);
  rows[1] = kernel(10, 13, 17.7, 30);
  rows[2] = kernel(20, 23, 30, 50);
  rows[3] = kernel(60, 63, 67.7, 70);
  *t = table_of(rows, 4);
  aq_replay_options options = mi300x;
  options.closed = true;
  return open_with(t, &options, NULL);
}

START_TEST(a_closed_loop_goes_on_when_what_it_waited_for_is_done)
{
  for (int all = 0; all < 2; all++)
    for (int late = -15; late <= 15; late += 15) {
      aq_record rows[4];
      table t;
      aq_workload_source *source = open_closed(&t, rows, all ? 2 : 0);
      aq_job first = next(source), second = next(source);
      ck_assert_int_eq(second.submit, 23 * AQ_US);
      ck_assert_int_eq(source->peek(source), AQ_TIME_MAX);
      source->done(source, first.id, 30 * AQ_US);
      ck_assert_int_eq(source->peek(source), AQ_TIME_MAX);
      source->done(source, second.id, (50 + late) * AQ_US);
      /* Measured: the wait returned 8 us after it, the next came 2 later. */
      aq_job third = next(source);
      ck_assert_int_eq(third.submit, (63 + late) * AQ_US);
      ck_assert_int_eq(third.host_begin, (60 + late) * AQ_US);
      ck_end(source);
    }
}
END_TEST

/* The call of the copy begins at 30, waits for the kernel until 50, rings
 * 5.3 us behind that, and returns 10 us behind the copy. */
START_TEST(a_blocking_copy_is_a_wait_and_then_a_copy)
{
  for (int early = 0; early <= 15; early += 15) {
    aq_record rows[] = {kernel(0, 3, 12, 20), kernel(20, 23, 27.7, 50),
                        kernel(30, 90, 60, 80), kernel(95, 98, 102.7, 110)};
    rows[2].kind = AQ_KIND_COPY;
    table t = table_of(rows, 4);
    aq_replay_options options = mi300x;
    options.closed = true;
    aq_workload_source *source = open_with(&t, &options, NULL);
    source->done(source, next(source).id, 20 * AQ_US);
    const aq_job second = next(source);
    ck_assert_int_eq(source->peek(source), AQ_TIME_MAX);
    source->done(source, second.id, (50 - early) * AQ_US);
    const aq_job copy = next(source);
    ck_assert_int_eq(copy.submit, 55300 * AQ_NS - early * AQ_US);
    ck_assert_int_eq(copy.commands->flags & AQ_FLAG_PINNED, 0);
    ck_assert_int_eq(source->peek(source), AQ_TIME_MAX);
    source->done(source, copy.id, (80 - 2 * early) * AQ_US);
    ck_assert_int_eq(next(source).submit, (98 - 2 * early) * AQ_US);
    ck_end(source);
  }
}
END_TEST

START_TEST(a_wait_for_what_had_been_done_takes_its_own_time)
{
  aq_record rows[] = {host_wait(80, 84, 0), kernel(10, 13, 17.7, 30),
                      kernel(90, 93, 97.7, 99)};
  table t = table_of(rows, 3);
  aq_replay_options options = mi300x;
  options.closed = true;
  aq_workload_source *source = open_with(&t, &options, NULL);
  aq_job first = next(source);
  source->done(source, first.id, 25 * AQ_US);
  ck_assert_int_eq(source->peek(source), 93 * AQ_US);
  source->close(source);

  t = table_of(rows, 3);
  source = open_with(&t, &options, NULL);
  source->done(source, next(source).id, 100 * AQ_US); /* now it does wait */
  ck_assert_int_eq(next(source).submit, 109 * AQ_US);
  ck_end(source);
}
END_TEST

START_TEST(processes_wait_on_their_own)
{
  aq_record rows[] = {host_wait(30, 58, 0), kernel(10, 13, 17.7, 50),
                      kernel(11, 14, 18.7, 52), kernel(60, 63, 67.7, 70),
                      kernel(60, 64, 68.7, 70)};
  for (int i = 0; i < 5; i++)
    rows[i].pid = 1;
  rows[2].pid = rows[4].pid = 2;
  rows[2].queue = rows[4].queue = 1;
  table t = table_of(rows, 5);
  aq_replay_options options = mi300x;
  options.closed = true;
  aq_workload_source *source = open_with(&t, &options, NULL);
  aq_job first = next(source);
  next(source);
  aq_job other = next(source);
  ck_assert_int_eq(other.pid, 2);
  ck_assert_int_eq(other.submit, 64 * AQ_US);
  ck_assert_int_eq(source->peek(source), AQ_TIME_MAX);
  source->done(source, first.id, 60 * AQ_US);
  ck_assert_int_eq(next(source).submit, 73 * AQ_US);
  ck_end(source);
}
END_TEST

START_TEST(level_2_predicts_the_second_half_from_the_first)
{
  aq_record rows[10];
  static const double lengths[] = {5, 3, 9, 20, 7, 50, 51, 52, 53, 54};
  for (int i = 0; i < 10; i++)
    rows[i] =
        kernel(100 * i, 100 * i + 3, 100 * i + 8, 100 * i + 8 + lengths[i]);
  for (int i = 0; i < 10; i++)
    rows[i].grid_x = rows[i].grid_y = rows[i].grid_z = 1;
  rows[3].grid_x = rows[6].grid_x = 4096;
  rows[7].grid_x = 77; /* not seen: the name decides */
  rows[8].name = 5;    /* not seen: the kind decides */
  static const double predicted[] = {7, 20, 7, 7, 7};
  aq_replay_options options = mi300x;
  options.predict = true;
  table t = table_of(rows, 10);
  aq_workload_source *source = open_with(&t, &options, NULL);
  for (int i = 0; i < 10; i++) {
    aq_job job = next(source);
    const aq_command *command = job.commands;
    ck_assert_int_eq(command->cost.base,
                     (aq_time)(i < 5 ? lengths[i] : predicted[i - 5]) * AQ_US);
    ck_assert_int_eq(command->flags & AQ_FLAG_LEARNED,
                     i < 5 ? AQ_FLAG_LEARNED : 0);
  }
  ck_end(source);
}
END_TEST

/* Kernels take half as long on the other GPU. */
static aq_time halve(void *user, const aq_record *row, const char *name,
                     aq_time measured)
{
  (void)user;
  (void)row;
  (void)name;
  return measured / 2;
}

START_TEST(level_2_on_another_gpu_keeps_the_durations_of_new_kernels)
{
  aq_record rows[8];
  static const double lengths[] = {10, 10, 10, 10, 90, 400, 600, 800};
  static const double expected[] = {5, 5, 10, 10, 5, 200, 10, 400};
  for (int i = 0; i < 8; i++)
    rows[i] =
        kernel(1000 * i, 1000 * i + 3, 1000 * i + 8, 1000 * i + 8 + lengths[i]);
  rows[2].kind = rows[3].kind = rows[6].kind = AQ_KIND_COPY;
  rows[6].name = 4; /* not seen, but no kernel: the kind decides */
  rows[5].name = rows[7].name = 5;
  aq_replay_options options = mi300x;
  options.predict = options.keep_new = true;
  options.duration = halve;
  table t = table_of(rows, 8);
  aq_workload_source *source;
  aq_replay_facts facts;
  ck_assert_status(aq_replay_open(&t.input, &options, &source, &facts, &diag),
                   AQ_OK, &diag);
  for (int i = 0; i < 8; i++)
    ck_assert_int_eq(next(source).commands->cost.base,
                     (aq_time)(expected[i] * AQ_US));
  ck_end(source);
  ck_assert_uint_eq(facts.predicted, 4);
  ck_assert_uint_eq(facts.unseen, 3);
  ck_assert_uint_eq(facts.kept, 2);
}
END_TEST

START_TEST(direct_launches_between_waits_become_one_graph_launch)
{
  aq_record rows[] = {host_wait(55, 70, 0),   kernel(0, 3, 12, 20),
                      kernel(20, 23, 27, 30), kernel(30, 33, 37, 40),
                      kernel(40, 43, 47, 50), kernel(80, 83, 87, 90),
                      kernel(90, 93, 97, 99)};
  rows[6].tid = 9; /* of another thread: on its own */
  table t = table_of(rows, 7);
  aq_replay_options options = mi300x;
  options.as_graph = true;
  options.graph_launch = 9 * AQ_US;
  options.graph_head = 8;
  aq_workload_source *source = open_with(&t, &options, NULL);
  next(source);
  aq_job graph = next(source);
  ck_assert_uint_eq(graph.command_count, 3);
  ck_assert_int_eq(graph.via, AQ_VIA_GRAPH);
  ck_assert_int_eq(graph.submit, 29 * AQ_US);
  ck_assert_int_eq(graph.host_end, 43 * AQ_US);
  ck_assert_int_eq(graph.commands[0].flags, AQ_FLAG_GRAPH_FIRST);
  ck_assert_int_eq(graph.commands[2].origin, 104);
  ck_assert(graph.marker);
  for (int i = 0; i < 2; i++) {
    aq_job alone = next(source);
    ck_assert_uint_eq(alone.command_count, 1);
    ck_assert_int_eq(alone.via, AQ_VIA_DIRECT);
    ck_assert(!alone.marker);
  }
  ck_end(source);
}
END_TEST

START_TEST(a_long_gap_of_the_host_ends_a_graph)
{
  /* 200 us between the calls of the third and fourth row, 201 us behind it. */
  aq_record rows[] = {kernel(0, 3, 12, 20),       kernel(20, 23, 27, 30),
                      kernel(30, 33, 37, 40),     kernel(233, 236, 240, 243),
                      kernel(437, 440, 444, 447), kernel(447, 450, 454, 457)};
  table t = table_of(rows, 6);
  aq_replay_options options = mi300x;
  options.as_graph = true;
  aq_workload_source *source = open_with(&t, &options, NULL);
  next(source);
  ck_assert_uint_eq(next(source).command_count, 3);
  ck_assert_uint_eq(next(source).command_count, 2);
  ck_end(source);
}
END_TEST

/* The third call takes 2 ms, the fourth copies and returns when that is done.
 */
START_TEST(a_call_that_loads_code_and_a_blocking_copy_are_in_no_graph)
{
  aq_record rows[] = {
      kernel(0, 3, 12, 20),           kernel(20, 23, 27, 30),
      kernel(30, 2030, 2035, 2040),   kernel(2035, 2060, 2045, 2050),
      kernel(2070, 2073, 2078, 2090), kernel(2080, 2083, 2090, 2095)};
  rows[3].kind = AQ_KIND_COPY;
  table t = table_of(rows, 6);
  aq_replay_options options = mi300x;
  options.as_graph = true;
  aq_workload_source *source = open_with(&t, &options, NULL);
  for (int i = 0; i < 4; i++)
    ck_assert_uint_eq(next(source).command_count, 1);
  ck_assert_uint_eq(next(source).command_count, 2);
  ck_end(source);
}
END_TEST

START_TEST(a_closed_loop_takes_the_time_of_merged_calls_out)
{
  aq_record rows[] = {kernel(0, 3, 12, 20), kernel(20, 23, 27, 30),
                      kernel(30, 33, 37, 40), kernel(40, 60, 64, 66),
                      kernel(100, 103, 107, 109)};
  rows[4].tid = 9;
  table t = table_of(rows, 5);
  aq_replay_options options = mi300x;
  options.as_graph = options.closed = true;
  options.graph_launch = 8 * AQ_US;
  options.graph_head = 1;
  options.graph_batch = 4;
  options.graph_per_node = AQ_US;
  aq_workload_source *source = open_with(&t, &options, NULL);
  next(source);
  ck_assert_int_eq(next(source).submit, 29 * AQ_US);
  ck_assert_int_eq(next(source).submit, 31 * AQ_US);
  /* The calls continued for another 29 us. */
  ck_assert_int_eq(next(source).submit, (103 - 29) * AQ_US);
  ck_end(source);
}
END_TEST

START_TEST(what_waits_for_another_queue_starts_a_graph)
{
  aq_record rows[] = {kernel(0, 3, 12, 20), kernel(20, 23, 27, 30),
                      kernel(30, 33, 37, 40), kernel(40, 43, 47, 50),
                      kernel(50, 53, 57, 60)};
  const aq_edge edge = {100, 103, AQ_EDGE_CALL, 95};
  table t = table_of(rows, 5);
  aq_replay_options options = mi300x;
  options.as_graph = true;
  options.edges = &edge;
  options.edge_count = 1;
  aq_workload_source *source = open_with(&t, &options, NULL);
  next(source);
  ck_assert_uint_eq(next(source).command_count, 2);
  aq_job second = next(source);
  ck_assert_uint_eq(second.command_count, 2);
  ck_assert_uint_eq(second.dependency_count, 1);
  ck_end(source);
}
END_TEST

/* Submission of the second of two kernels, the host waiting for the first in
 * between. */
static aq_time second_submit(double launch, double host)
{
  aq_record rows[] = {kernel(0, 3, 12, 22), kernel(50, 54, 60, 70), {0}};
  aq_record_init(&rows[2]);
  rows[2].kind = AQ_KIND_WAIT;
  rows[2].name = 2;
  rows[2].host_begin = 10 * AQ_US;
  rows[2].host_end = 30 * AQ_US;
  aq_replay_options options = mi300x;
  options.closed = true;
  options.launch_factor = launch;
  options.host_factor = host;
  table t = table_of(rows, 3);
  aq_workload_source *source = open_with(&t, &options, NULL);
  aq_job job = next(source);
  source->done(source, job.id, 22 * AQ_US);
  job = next(source);
  const aq_time submit = job.submit;
  source->close(source);
  return submit;
}

START_TEST(factors_scale_the_host_between_its_waits)
{
  ck_assert_int_eq(second_submit(0, 0), 54 * AQ_US);
  ck_assert_int_eq(second_submit(1, 1), 54 * AQ_US);
  /* 20 us of host and 4 us of call follow the wait, which ends 8 us after the
   * kernel. */
  ck_assert_int_eq(second_submit(1, 0.5), 44 * AQ_US);
  ck_assert_int_eq(second_submit(0.5, 1), 52 * AQ_US);
  ck_assert_int_eq(second_submit(2, 1), 58 * AQ_US);
}
END_TEST

static aq_time half(void *user, const aq_record *row, const char *name,
                    aq_time measured)
{
  ck_assert_str_eq(name, "one");
  ck_assert_int_eq(row->kind, AQ_KIND_KERNEL);
  ++*(int *)user;
  return measured / 2;
}

START_TEST(durations_may_come_from_the_caller)
{
  aq_record rows[] = {kernel(0, 3, 12, 20), kernel(10, 13.5, 20, 30)};
  int asked = 0;
  aq_replay_options options = mi300x;
  options.duration = half;
  options.user = &asked;
  table t = table_of(rows, 2);
  aq_workload_source *source = open_with(&t, &options, NULL);
  ck_assert_int_eq(next(source).commands->cost.base, 4 * AQ_US);
  ck_assert_int_eq(next(source).commands->cost.base, 5 * AQ_US);
  ck_assert_int_eq(asked, 2);
  source->close(source);
}
END_TEST

AQ_TEST_MAIN("study/loop/replay_closed",
             a_closed_loop_goes_on_when_what_it_waited_for_is_done,
             a_blocking_copy_is_a_wait_and_then_a_copy,
             a_wait_for_what_had_been_done_takes_its_own_time,
             processes_wait_on_their_own,
             level_2_predicts_the_second_half_from_the_first,
             level_2_on_another_gpu_keeps_the_durations_of_new_kernels,
             direct_launches_between_waits_become_one_graph_launch,
             a_long_gap_of_the_host_ends_a_graph,
             a_call_that_loads_code_and_a_blocking_copy_are_in_no_graph,
             a_closed_loop_takes_the_time_of_merged_calls_out,
             what_waits_for_another_queue_starts_a_graph,
             factors_scale_the_host_between_its_waits,
             durations_may_come_from_the_caller)
