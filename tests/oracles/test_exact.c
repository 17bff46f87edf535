/* SPDX-License-Identifier: MIT */
/* What holds exactly, whatever the numbers drawn. */
#include "oracles/oracle.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/aqtest.h"

/* ---- exact ---- */

/* m(m-1) jobs of 1 and one of m, in the worst order: 2m - 1 instead of m. */
START_TEST(list_scheduling_reaches_grahams_bound)
{
  static const int machines[] = {2, 4, 8};
  for (int i = 0; i < 3; i++) {
    const int m = machines[i];
    const uint64_t count = (uint64_t)m * (uint64_t)(m - 1) + 1;
    station_job script[57];
    char policy[32];
    for (uint64_t j = 0; j < count; j++)
      script[j] = (station_job){
          .commands = 1, .command = STATION_UNIT, .deadline = AQ_TIME_NONE};
    script[count - 1].command = m * STATION_UNIT;
    snprintf(policy, sizeof policy, "fifo,slots=%d", m);
    const station_spec spec = {.policy = policy,
                               .jobs = count,
                               .script = script,
                               .servers = (uint32_t)m};
    const station_result r = oracle_run(&spec);
    oracle_exact(r.end, (2 * m - 1) * STATION_UNIT,
                 "Graham's bound, %d machines: %g times the optimum %d", m,
                 2 - 1.0 / m, m);
  }
}
END_TEST

/* Periodic tasks, one command a unit. The first command is 1 ps longer: all
 * later decisions lie 1 ps behind the arrivals they have to know of. */
static uint64_t tasks_script(station_job *script, const int (*tasks)[2],
                             int count, int until)
{
  uint64_t jobs = 0;
  for (int at = 0; at < until; at++)
    for (int i = 0; i < count; i++) {
      if (at % tasks[i][1] != 0)
        continue;
      script[jobs++] =
          (station_job){.arrival = at * STATION_UNIT,
                        .commands = (uint32_t)tasks[i][0],
                        .command = STATION_UNIT,
                        .first_longer = jobs == 0,
                        .deadline = (at + tasks[i][1]) * STATION_UNIT,
                        .client = (uint32_t)i};
    }
  return jobs;
}

START_TEST(earliest_deadline_first_never_misses_below_full_load)
{
  static const int full[][2] = {{1, 2}, {1, 4}, {2, 8}};
  static const int over[][2] = {{1, 2}, {1, 4}, {3, 8}};
  static const char *const policies[] = {"edf,turn=1", "llf"};
  station_job *script = calloc(4000, sizeof *script);
  for (int i = 0; i < 2; i++) {
    station_spec spec = {.policy = policies[i], .script = script, .servers = 1};
    spec.jobs = tasks_script(script, full, 3, 800);
    oracle_exact(aq_time_max(oracle_run(&spec).lateness - 1, 0), 0,
                 "largest lateness, %s, utilisation 1", policies[i]);
    spec.jobs = tasks_script(script, over, 3, 800);
    ck_assert_int_gt(oracle_run(&spec).lateness, 10 * STATION_UNIT);
  }
  free(script);
}
END_TEST

/* Jobs of unit commands, arrivals at whole units: a policy that decides after
 * each command, by the remaining work, has the smallest sum of responses on any
 * trace. */
START_TEST(the_least_work_first_is_best_on_every_trace)
{
  static const char *const policies[] = {
      "fifo",          "rr",  "mlfq,boost=0ns", "lottery,turn=1",
      "stride,turn=1", "sjf", "edf,turn=1",     "llf"};
  station_job script[300];
  for (uint32_t trace = 0; trace < (uint32_t)oracle_cases(100, 10); trace++) {
    uint32_t state = trace + 1;
    aq_time at = 0;
    for (uint64_t j = 0; j < 300; j++) {
      state = state * 1664525 + 1013904223;
      at += (aq_time)(state >> 29) * STATION_UNIT;
      const uint32_t commands = 1 + (state >> 16) % 7;
      script[j] = (station_job){.arrival = at,
                                .commands = commands,
                                .command = STATION_UNIT,
                                .deadline = at + 9 * STATION_UNIT,
                                .client = (state >> 8) % 3};
    }
    station_spec spec = {
        .policy = "srpt", .jobs = 300, .script = script, .servers = 1};
    const station_result best = oracle_run(&spec);
    for (size_t i = 0; i < sizeof policies / sizeof *policies; i++) {
      spec.policy = policies[i];
      const station_result r = oracle_run(&spec);
      ck_assert_msg(best.responses <= r.responses, "trace %u: %s", trace,
                    policies[i]);
      ck_assert_int_eq(best.end, r.end);
    }
  }
}
END_TEST

/* Whatever the order, one server that never idles has the same work to do at
 * any time: Σ service × response of one trace is one number. */
START_TEST(no_policy_idles_while_somebody_waits)
{
  static const char *const policies[] = {"fifo",   "rr",   "mlfq", "lottery",
                                         "stride", "drr",  "wfq",  "priority",
                                         "sjf",    "srpt", "edf",  "llf"};
  station_spec spec = oracle_classes(NULL);
  spec.jobs = 2000;
  const station_result first = oracle_run(&spec);
  for (size_t i = 0; i < sizeof policies / sizeof *policies; i++) {
    spec.policy = policies[i];
    const station_result r = oracle_run(&spec);
    ck_assert_msg(r.weighted == first.weighted, "%s", policies[i]);
    ck_assert_int_eq(r.end, first.end);
  }
}
END_TEST

/* Response times of fixed priorities, the shortest period first, from the
 * instant at which all come: R = C + sum of ceil(R / T) C of those above. */
static aq_time response_analysis(const int (*tasks)[2], int task)
{
  int response = tasks[task][0], before = 0;
  while (response != before) {
    before = response;
    response = tasks[task][0];
    for (int i = 0; i < task; i++)
      response += (before + tasks[i][1] - 1) / tasks[i][1] * tasks[i][0];
  }
  return response * STATION_UNIT;
}

START_TEST(fixed_priorities_respond_as_the_analysis_says)
{
  static const int sets[][3][2] = {{{1, 4}, {2, 6}, {3, 12}},
                                   {{3, 7}, {3, 12}, {5, 20}},
                                   {{1, 3}, {1, 5}, {2, 10}}};
  for (int set = 0; set < 3; set++) {
    station_job script[64];
    uint64_t jobs = 0;
    /* The first jobs of all, and the jobs that may delay them. */
    for (int at = 0; at < 20; at++)
      for (int i = 0; i < 3; i++)
        if (at % sets[set][i][1] == 0)
          script[jobs++] =
              (station_job){.arrival = at * STATION_UNIT,
                            .commands = 1,
                            .command = sets[set][i][0] * STATION_UNIT,
                            .deadline = AQ_TIME_NONE,
                            .client = (uint32_t)i,
                            .priority = 3 - i};
    const station_spec spec = {.policy = "preemptive",
                               .jobs = jobs,
                               .script = script,
                               .stretches = true,
                               .by = set % 2 ? STATION_UNITS : STATION_QUEUES,
                               .servers = 1};
    const station_result r = oracle_run(&spec);
    for (int i = 0; i < 3; i++)
      oracle_exact(r.longest[i], response_analysis(sets[set], i),
                   "response of task %d of set %d", i + 1, set + 1);
  }
}
END_TEST

/* N workgroups of d each, k at once on each of C compute units. */
START_TEST(workgroups_run_in_as_many_waves_as_they_need)
{
  static const uint32_t cases[][3] = {
      {1, 4, 2},     {8, 4, 2},     {9, 4, 2}, {64, 4, 2},
      {1000, 60, 1}, {1001, 8, 10}, {7, 1, 7}, {100000, 240, 8}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const uint32_t n = cases[i][0], units = cases[i][1], each = cases[i][2];
    const station_job script[] = {{.commands = 1,
                                   .command = STATION_UNIT / 10,
                                   .deadline = AQ_TIME_NONE,
                                   .workgroups = n}};
    const station_spec spec = {.policy = "fifo",
                               .jobs = 1,
                               .script = script,
                               .stretches = true,
                               .by = STATION_UNITS,
                               .cus = units,
                               .per_cu = each};
    const aq_time waves = (n + units * each - 1) / (units * each);
    oracle_exact(oracle_run(&spec).end, waves * STATION_UNIT / 10,
                 "%u workgroups of 0.1 on %u compute units, %u on each", n,
                 units, each);
  }
}
END_TEST

/* A decider with latency and cost adds exactly these to each job. */
START_TEST(latency_and_cost_of_decisions_are_added)
{
  station_job script[3] = {{.arrival = 0},
                           {.arrival = 50 * STATION_UNIT},
                           {.arrival = 50 * STATION_UNIT}};
  for (int i = 0; i < 3; i++) {
    script[i].commands = 1;
    script[i].command = STATION_UNIT;
    script[i].deadline = AQ_TIME_NONE;
  }
  station_spec spec = {.policy = "fifo,host_latency=3us,host_cost=2us",
                       .jobs = 3,
                       .script = script};
  const station_result r = oracle_run(&spec);
  /* 5 us each; the last waits for the second, gets its end 3 us later and
   * decides for 2 us. */
  oracle_exact((aq_time)r.responses, 4 * STATION_UNIT + (5 + 5 + 5 + 5) * AQ_US,
               "responses of three jobs, latency 0.3, cost 0.2");
}
END_TEST

AQ_TEST_MAIN("oracles/exact", list_scheduling_reaches_grahams_bound,
             earliest_deadline_first_never_misses_below_full_load,
             the_least_work_first_is_best_on_every_trace,
             no_policy_idles_while_somebody_waits,
             fixed_priorities_respond_as_the_analysis_says,
             workgroups_run_in_as_many_waves_as_they_need,
             latency_and_cost_of_decisions_are_added)
