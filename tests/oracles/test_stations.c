/* SPDX-License-Identifier: MIT */
/* Stations with one order, one or many servers, and shared servers. */
#include "oracles/oracle.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/aqtest.h"

/* ---- one server ---- */

START_TEST(the_mm1_queue_takes_one_over_one_minus_load)
{
  static const double loads[] = {.8, .5, .9};
  for (int i = 0; i < oracle_cases(3, 1); i++) {
    const station_spec spec =
        oracle_station("fifo", loads[i], LAW_EXPONENTIAL, 60000);
    oracle_mean(oracle_run(&spec).response, 1 / (1 - loads[i]),
                "M/M/1, load %g", loads[i]);
  }
}
END_TEST

START_TEST(the_same_queue_forms_in_the_ring_without_a_policy)
{
  const station_spec spec = oracle_station(NULL, .5, LAW_EXPONENTIAL, 30000);
  oracle_mean(oracle_run(&spec).response, 2, "M/M/1, load 0.5");
}
END_TEST

START_TEST(the_mg1_queue_obeys_pollaczek_and_khinchine)
{
  static const station_law laws[] = {LAW_CONSTANT, LAW_HYPER, LAW_ERLANG4,
                                     LAW_UNIFORM, LAW_EXPONENTIAL};
  const double load = .7;
  for (int i = 0; i < oracle_cases(5, 3); i++) {
    const station_spec spec = oracle_station("fifo", load, laws[i], 60000);
    oracle_mean(oracle_run(&spec).response,
                1 + load * station_law_second(laws[i]) / (2 * (1 - load)),
                "M/G/1, load %g, %s", load, oracle_law_name(laws[i]));
  }
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
  for (int i = 0; i < oracle_cases(3, 1); i++) {
    char policy[32];
    const double offered = servers[i] * loads[i];
    snprintf(policy, sizeof policy, "fifo,slots=%d", servers[i]);
    station_spec spec = oracle_station(policy, offered, LAW_EXPONENTIAL, 60000);
    spec.servers = (uint32_t)servers[i];
    oracle_mean(oracle_run(&spec).response,
                1 + erlang_c(offered, servers[i]) / (servers[i] - offered),
                "M/M/%d, load %g", servers[i], loads[i]);
  }
}
END_TEST

START_TEST(rejection_obeys_erlang_b_whatever_the_law_of_service)
{
  const double offered = 20;
  for (int law = 0; law < oracle_cases(LAW_COUNT, 2); law++) {
    station_spec spec = oracle_station("fifo,slots=24,capacity=24", offered,
                                       (station_law)law, 60000);
    spec.servers = 24;
    oracle_mean(oracle_run(&spec).rejected_part, erlang_b(offered, 24),
                "part rejected, 24 slots, 20 offered, %s",
                oracle_law_name((station_law)law));
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
  for (int i = 0; i < oracle_cases(3, 1); i++) {
    station_spec spec = oracle_station("fifo", .2, LAW_EXPONENTIAL, 40000);
    spec.population = cases[i].population;
    const double theory = closed_throughput((int)cases[i].population, 5);
    ck_assert(fabs(theory - cases[i].throughput) < 6e-6);
    oracle_mean(oracle_run(&spec).throughput, theory,
                "throughput, thinking 5, population %u", cases[i].population);
  }
}
END_TEST

/* ---- sharing ---- */

/* Kernels that move bytes share the memory at every instant: M/G/1 under
 * processor sharing, which looks at nothing of the law but its mean. */
START_TEST(kernels_that_share_the_memory_obey_processor_sharing)
{
  static const station_law laws[] = {LAW_HYPER, LAW_CONSTANT, LAW_EXPONENTIAL,
                                     LAW_UNIFORM, LAW_ERLANG4};
  const double load = .7;
  for (int i = 0; i < oracle_cases(5, 2); i++) {
    station_spec spec =
        oracle_preemptive("fifo,slots=200", load, laws[i], 8000);
    spec.by = STATION_MEMORY;
    spec.rounding = 2; /* rates are whole bytes a second */
    oracle_mean(oracle_run(&spec).response, 1 / (1 - load),
                "processor sharing, load %g, %s", load,
                oracle_law_name(laws[i]));
  }
}
END_TEST

static station_spec round_robin(station_law law, aq_time quantum, uint64_t jobs)
{
  station_spec spec = oracle_preemptive("fifo,slots=100", .5, law, jobs);
  spec.one_slot = true;
  spec.quantum = quantum;
  return spec;
}

/* Hardware that gives one slot in turn: M/G/1 under round robin. */
START_TEST(round_robin_of_slots_is_processor_sharing_whatever_the_law)
{
  static const station_law laws[] = {LAW_CONSTANT, LAW_ERLANG4, LAW_EXPONENTIAL,
                                     LAW_UNIFORM, LAW_HYPER};
  for (int i = 0; i < oracle_cases(5, 2); i++) {
    const station_spec spec = round_robin(laws[i], 100 * AQ_NS, 2000);
    oracle_mean(oracle_run(&spec).response, 2,
                "round robin, quantum 0.01, load 0.5, %s",
                oracle_law_name(laws[i]));
  }
}
END_TEST

/* From first come first served, where no job is longer than a quantum, to
 * processor sharing, on the same arrivals and jobs. */
START_TEST(round_robin_nears_processor_sharing_as_the_quantum_shrinks)
{
  static const aq_time quanta[] = {10000 * STATION_UNIT, 4 * STATION_UNIT,
                                   STATION_UNIT, STATION_UNIT / 4,
                                   STATION_UNIT / 50};
  static const station_law laws[] = {LAW_CONSTANT, LAW_HYPER};
  for (int i = 0; i < oracle_cases(2, 1); i++) {
    station_spec fair = oracle_preemptive("fifo,slots=200", .5, laws[i], 3000);
    fair.by = STATION_MEMORY;
    fair.rounding = 2;
    const double sharing = oracle_run(&fair).response.value;
    double before = INFINITY;
    for (int q = 0; q < 5; q++) {
      const station_spec spec = round_robin(laws[i], quanta[q], 3000);
      const station_mean mean = oracle_run(&spec).response;
      const double apart = fabs(mean.value - sharing);
      ck_assert_msg(apart < before,
                    "%s, quantum %g: %g from sharing, %g before",
                    oracle_law_name(laws[i]),
                    (double)quanta[q] / (double)STATION_UNIT, apart, before);
      before = apart;
      if (q == 0)
        oracle_mean(mean, 1 + .5 * station_law_second(laws[i]) / (2 * .5),
                    "quantum longer than any job, load 0.5, %s",
                    oracle_law_name(laws[i]));
    }
    ck_assert_double_lt(before, .02 * sharing);
  }
}
END_TEST

AQ_TEST_MAIN("oracles/stations", the_mm1_queue_takes_one_over_one_minus_load,
             the_same_queue_forms_in_the_ring_without_a_policy,
             the_mg1_queue_obeys_pollaczek_and_khinchine,
             many_servers_obey_erlang_c,
             rejection_obeys_erlang_b_whatever_the_law_of_service,
             closed_clients_get_what_mean_value_analysis_says,
             kernels_that_share_the_memory_obey_processor_sharing,
             round_robin_of_slots_is_processor_sharing_whatever_the_law,
             round_robin_nears_processor_sharing_as_the_quantum_shrinks)
