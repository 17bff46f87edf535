/* SPDX-License-Identifier: MIT */
/*
 * Policies against queueing theory. Means have to lie within 4 standard errors
 * of the formula, with fixed seeds; identities hold exactly, in picoseconds.
 *
 * AQ_ORACLES=all runs ten times as many jobs, and every case.
 */
#include "support/aqtest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "oracles/station.h"

/* ---- what every run has to fulfil ---- */

static bool runs_all(void)
{
  const char *text = getenv("AQ_ORACLES");
  return text && strcmp(text, "all") == 0;
}

static uint64_t jobs_of(uint64_t quick)
{
  return runs_all() ? 10 * quick : quick;
}

/* Little's law, utilisation, and that each job went through ring, doorbell and
 * packet processor. */
static station_result run(const station_spec *spec)
{
  const station_result r = station_run(spec);
  ck_assert_uint_eq(r.done + r.rejected, spec->jobs);
  ck_assert(r.area == r.responses);
  if (!spec->preempts)
    ck_assert_int_eq(r.served, r.asked);
  ck_assert_uint_eq(r.rows, r.packets);
  if (!spec->script) {
    ck_assert_uint_eq(r.packets, r.done);
    ck_assert_uint_eq(r.doorbells, r.done);
  }
  return r;
}

static void check_mean(const char *what, station_mean mean, double theory)
{
  ck_assert_msg(fabs(mean.value - theory) <= 4 * mean.error,
                "%s: %.5f, theory %.5f, standard error %.5f (%.1f of them)",
                what, mean.value, theory, mean.error,
                fabs(mean.value - theory) / mean.error);
  /* A comparison that cannot fail proves nothing. */
  ck_assert_msg(mean.error < .1 * theory, "%s: standard error %.5f of %.5f",
                what, mean.error, theory);
}

static station_spec open_station(const char *policy, double load,
                                 station_law law, uint64_t jobs)
{
  return (station_spec){
      .policy = policy,
      .classes = {{.rate = load, .mean = 1, .law = law, .weight = 1}},
      .class_count = 1,
      .jobs = jobs_of(jobs),
      .seed = 11};
}

/* ---- one server ---- */

START_TEST(the_mm1_queue_takes_one_over_one_minus_load)
{
  static const double loads[] = {.8, .5, .9};
  for (int i = 0; i < (runs_all() ? 3 : 1); i++) {
    const station_spec spec =
        open_station("fifo", loads[i], LAW_EXPONENTIAL, 60000);
    check_mean("M/M/1", run(&spec).response, 1 / (1 - loads[i]));
  }
}
END_TEST

START_TEST(the_same_queue_forms_in_the_ring_without_a_policy)
{
  const station_spec spec = open_station(NULL, .5, LAW_EXPONENTIAL, 30000);
  check_mean("M/M/1", run(&spec).response, 2);
}
END_TEST

START_TEST(the_mg1_queue_obeys_pollaczek_and_khinchine)
{
  const double load = .7;
  for (int law = runs_all() ? 0 : LAW_ERLANG4; law < LAW_COUNT; law++) {
    const station_spec spec =
        open_station("fifo", load, (station_law)law, 60000);
    check_mean("M/G/1", run(&spec).response,
               1 + load * station_law_second((station_law)law) /
                       (2 * (1 - load)));
  }
  const station_spec constant = open_station("fifo", load, LAW_CONSTANT, 30000);
  check_mean("M/D/1", run(&constant).response, 1 + load / (2 * (1 - load)));
}
END_TEST

/* ---- many servers ---- */

static double erlang_b(double offered, int servers)
{
  double b = 1;
  for (int i = 1; i <= servers; i++)
    b = offered * b / (i + offered * b);
  return b;
}

static double erlang_c(double offered, int servers)
{
  const double b = erlang_b(offered, servers);
  return servers * b / (servers - offered * (1 - b));
}

START_TEST(many_servers_obey_erlang_c)
{
  static const int servers[] = {8, 2, 60};
  static const double loads[] = {.8, .8, .95};
  for (int i = 0; i < (runs_all() ? 3 : 1); i++) {
    char policy[32];
    const double offered = servers[i] * loads[i];
    snprintf(policy, sizeof policy, "fifo,slots=%d", servers[i]);
    const station_spec spec =
        open_station(policy, offered, LAW_EXPONENTIAL, 60000);
    check_mean("M/M/c", run(&spec).response,
               1 + erlang_c(offered, servers[i]) / (servers[i] - offered));
  }
}
END_TEST

START_TEST(rejection_obeys_erlang_b_whatever_the_law_of_service)
{
  const double offered = 20;
  for (int law = 0; law < (runs_all() ? LAW_COUNT : 2); law++) {
    const station_spec spec = open_station("fifo,slots=24,capacity=24", offered,
                                           (station_law)law, 60000);
    const station_result r = run(&spec);
    const station_mean rejected = {r.rejected_part, r.rejected_error, 0};
    check_mean("Erlang B", rejected, erlang_b(offered, 24));
  }
}
END_TEST

/* ---- orders ---- */

/* M/M/1, shortest first: jobs of size x wait for those shorter. */
static double sjf_response(double load)
{
  double sum = 0;
  const double step = .0005;
  for (double x = step / 2; x < 60; x += step) {
    const double shorter = load * (1 - exp(-x) - x * exp(-x));
    sum += step * exp(-x) * load / ((1 - shorter) * (1 - shorter));
  }
  return 1 + sum;
}

START_TEST(shortest_first_waits_as_the_integral_says)
{
  const station_spec spec = open_station("sjf", .8, LAW_EXPONENTIAL, 60000);
  check_mean("SJF", run(&spec).response, sjf_response(.8));
}
END_TEST

static station_spec three_classes(const char *policy)
{
  return (station_spec){
      .policy = policy,
      .classes = {{.rate = .2, .mean = 1, .priority = 1, .weight = 4},
                  {.rate = .2, .mean = 1, .priority = 0, .weight = 2},
                  {.rate = .4, .mean = 1, .priority = -5, .weight = 1}},
      .class_count = 3,
      .jobs = jobs_of(60000),
      .seed = 12};
}

START_TEST(priorities_wait_as_cobham_says)
{
  const station_spec spec = three_classes("priority");
  const station_result r = run(&spec);
  const double work = .8; /* λE[S²]/2 */
  double above = 0;
  for (int i = 0; i < 3; i++) {
    const double with = above + spec.classes[i].rate;
    check_mean("Cobham", r.of_class[i], 1 + work / ((1 - above) * (1 - with)));
    above = with;
  }
}
END_TEST

/* Σ ρᵢWᵢ = ρW₀/(1-ρ) for orders that do not look at sizes. */
START_TEST(kleinrocks_law_conserves_waiting)
{
  static const char *const policies[] = {"lottery", "stride", "priority"};
  for (int i = 0; i < (runs_all() ? 3 : 1); i++) {
    const station_spec spec = three_classes(policies[i]);
    const station_result r = run(&spec);
    double sum = 0, error = 0;
    for (int c = 0; c < 3; c++) {
      sum += spec.classes[c].rate * (r.of_class[c].value - 1);
      error += spec.classes[c].rate * r.of_class[c].error;
    }
    const station_mean waiting = {sum, error, 0};
    check_mean("conserved", waiting, .8 * .8 / (1 - .8));
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
  station_spec spec = three_classes(NULL);
  spec.jobs = 2000;
  const station_result first = run(&spec);
  for (size_t i = 0; i < sizeof policies / sizeof *policies; i++) {
    spec.policy = policies[i];
    const station_result r = run(&spec);
    ck_assert_msg(r.weighted == first.weighted, "%s", policies[i]);
    ck_assert_int_eq(r.end, first.end);
  }
}
END_TEST

/* ---- closed ---- */

/* Mean value analysis of one server and thinking. */
static double closed_throughput(int population, double thinking)
{
  double queue = 0, rate = 0;
  for (int n = 1; n <= population; n++) {
    const double response = 1 + queue;
    rate = n / (thinking + response);
    queue = rate * response;
  }
  return rate;
}

START_TEST(closed_clients_get_what_mean_value_analysis_says)
{
  static const struct {
    uint32_t population;
    double throughput;
  } cases[] = {{4, .60166}, {1, .16667}, {16, .99995}};
  for (int i = 0; i < (runs_all() ? 3 : 1); i++) {
    station_spec spec = open_station("fifo", .2, LAW_EXPONENTIAL, 40000);
    spec.population = cases[i].population;
    const station_result r = run(&spec);
    const double theory = closed_throughput((int)cases[i].population, 5);
    const station_mean mean = {r.throughput, r.throughput_error, 0};
    ck_assert(fabs(theory - cases[i].throughput) < 6e-6);
    check_mean("closed", mean, theory);
  }
}
END_TEST

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
    const station_spec spec = {
        .policy = policy, .jobs = count, .script = script};
    const station_result r = run(&spec);
    ck_assert_int_eq(r.end, (2 * m - 1) * STATION_UNIT);
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
    station_spec spec = {.policy = policies[i], .script = script};
    spec.jobs = tasks_script(script, full, 3, 800);
    ck_assert_int_le(run(&spec).lateness, 1);
    spec.jobs = tasks_script(script, over, 3, 800);
    ck_assert_int_gt(run(&spec).lateness, 10 * STATION_UNIT);
  }
  free(script);
}
END_TEST

/* Jobs of unit commands, arrivals at whole units: who decides after each
 * command, by what is left, has the smallest sum of responses on any trace. */
START_TEST(the_least_work_first_is_best_on_every_trace)
{
  static const char *const policies[] = {
      "fifo",          "rr",  "mlfq,boost=0ns", "lottery,turn=1",
      "stride,turn=1", "sjf", "edf,turn=1",     "llf"};
  station_job script[300];
  for (uint32_t trace = 0; trace < (runs_all() ? 100 : 10); trace++) {
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
    station_spec spec = {.policy = "srpt", .jobs = 300, .script = script};
    const station_result best = run(&spec);
    for (size_t i = 0; i < sizeof policies / sizeof *policies; i++) {
      spec.policy = policies[i];
      const station_result r = run(&spec);
      ck_assert_msg(best.responses <= r.responses, "trace %u: %s", trace,
                    policies[i]);
      ck_assert_int_eq(best.end, r.end);
    }
  }
}
END_TEST

/* ---- preemption ---- */

static station_spec preemptive_station(const char *policy, double load,
                                       station_law law, uint64_t jobs)
{
  station_spec spec = open_station(policy, load, law, jobs);
  spec.preempts = true;
  return spec;
}

START_TEST(last_come_first_served_resuming_does_not_look_at_the_law)
{
  for (int law = 0; law < (runs_all() ? LAW_COUNT : 2); law++) {
    station_spec spec = preemptive_station("preemptive,order=lcfs", .5,
                                           (station_law)law, 20000);
    spec.in_workgroups = law % 2;
    check_mean("LCFS", run(&spec).response, 2);
  }
}
END_TEST

START_TEST(the_least_remaining_work_is_what_schrage_and_miller_say)
{
  static const double loads[] = {.8, .5, .9};
  static const double means[] = {2.3528, 1.4254, 3.5521};
  for (int i = 0; i < (runs_all() ? 3 : 1); i++) {
    station_spec spec = preemptive_station("preemptive,order=srpt", loads[i],
                                           LAW_EXPONENTIAL, 40000);
    spec.in_workgroups = i % 2 == 0;
    check_mean("SRPT", run(&spec).response, means[i]);
  }
}
END_TEST

/* M/M/1 of classes of equal mean: 1/(1-above) + R/((1-above)(1-with)), where R
 * is the work that the classes up to this one leave. */
START_TEST(preemptive_priorities_wait_as_cobham_says)
{
  station_spec spec = three_classes("preemptive");
  spec.preempts = true;
  const station_result r = run(&spec);
  double above = 0;
  for (int i = 0; i < 3; i++) {
    const double with = above + spec.classes[i].rate;
    check_mean("Cobham", r.of_class[i],
               1 / (1 - above) + with / ((1 - above) * (1 - with)));
    above = with;
  }
}
END_TEST

/* A long job that starts anew whenever an urgent one comes. The next long one
 * comes when it is done: its response is its completion time. */
START_TEST(work_that_is_reset_takes_as_long_as_the_formula_says)
{
  const double rate = .2, mean = .5, x = 2, busy = mean / (1 - rate * mean);
  const double theory = (exp(rate * x) - 1) * (1 / rate + busy);
  station_spec spec = {
      .policy = "preemptive,mode=reset",
      .classes = {{.rate = rate, .mean = mean, .priority = 1, .weight = 1},
                  {.mean = x, .law = LAW_CONSTANT, .weight = 1}},
      .class_count = 2,
      .jobs = jobs_of(20000),
      .seed = 13,
      .preempts = true,
      .one_at_a_time = true};
  ck_assert(fabs(theory - 2.7324) < 1e-4);
  for (int i = 0; i < 2; i++) {
    spec.in_workgroups = i;
    check_mean("reset", run(&spec).of_class[1], theory);
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
    /* The first jobs of all, and those that may delay them. */
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
                               .preempts = true,
                               .in_workgroups = set % 2};
    const station_result r = run(&spec);
    for (int i = 0; i < 3; i++)
      ck_assert_int_eq(r.longest[i], response_analysis(sets[set], i));
  }
}
END_TEST

/* Hardware that gives one slot in turn: M/G/1 under round robin, which becomes
 * processor sharing as the quantum shrinks. */
START_TEST(round_robin_of_slots_becomes_processor_sharing)
{
  static const struct {
    station_law law;
    const char *edit;
  } cases[] = {{LAW_EXPONENTIAL, "queue_quantum=100 ns"},
               {LAW_HYPER, "queue_quantum=100 ns"},
               {LAW_CONSTANT, "queue_quantum=100 ns"},
               {LAW_UNIFORM, "queue_quantum=100 ns"},
               {LAW_ERLANG4, "queue_quantum=100 ns"}};
  for (int i = 0; i < (runs_all() ? 5 : 1); i++) {
    station_spec spec =
        preemptive_station("fifo,slots=100", .5, cases[i].law, 3000);
    spec.one_slot = true;
    spec.edit = cases[i].edit;
    check_mean("RR", run(&spec).response, 2);
  }
}
END_TEST

/* A decider that hears late and thinks adds exactly that to each job. */
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
  const station_result r = run(&spec);
  /* 5 us each; the last waits for the second, hears of its end 3 us later and
   * thinks 2 us. */
  ck_assert_int_eq((aq_time)r.responses,
                   4 * STATION_UNIT + (5 + 5 + 5 + 5) * AQ_US);
}
END_TEST

AQ_TEST_MAIN("oracles/oracles", the_mm1_queue_takes_one_over_one_minus_load,
             the_same_queue_forms_in_the_ring_without_a_policy,
             the_mg1_queue_obeys_pollaczek_and_khinchine,
             many_servers_obey_erlang_c,
             rejection_obeys_erlang_b_whatever_the_law_of_service,
             shortest_first_waits_as_the_integral_says,
             priorities_wait_as_cobham_says, kleinrocks_law_conserves_waiting,
             no_policy_idles_while_somebody_waits,
             closed_clients_get_what_mean_value_analysis_says,
             list_scheduling_reaches_grahams_bound,
             earliest_deadline_first_never_misses_below_full_load,
             the_least_work_first_is_best_on_every_trace,
             latency_and_cost_of_decisions_are_added,
             last_come_first_served_resuming_does_not_look_at_the_law,
             the_least_remaining_work_is_what_schrage_and_miller_say,
             preemptive_priorities_wait_as_cobham_says,
             work_that_is_reset_takes_as_long_as_the_formula_says,
             fixed_priorities_respond_as_the_analysis_says,
             round_robin_of_slots_becomes_processor_sharing)
