/* SPDX-License-Identifier: MIT */
/* Orders of service, and what stops what. */
#include "oracles/oracle.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/aqtest.h"

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
  const station_spec spec = oracle_station("sjf", .8, LAW_EXPONENTIAL, 60000);
  oracle_mean(oracle_run(&spec).response, sjf_response(.8),
              "shortest job first, load 0.8");
}
END_TEST

START_TEST(priorities_wait_as_cobham_says)
{
  const station_spec spec = oracle_classes("priority");
  const station_result r = oracle_run(&spec);
  const double work = .8; /* λE[S²]/2 */
  double above = 0;
  for (int i = 0; i < 3; i++) {
    const double with = above + spec.classes[i].rate;
    oracle_mean(r.of_class[i], 1 + work / ((1 - above) * (1 - with)),
                "priorities, not preemptive, class %d", i + 1);
    above = with;
  }
}
END_TEST

/* Σ ρᵢWᵢ = ρW₀/(1-ρ) for orders that do not look at sizes. */
START_TEST(kleinrocks_law_conserves_waiting)
{
  static const char *const policies[] = {"priority", "lottery", "stride",
                                         "fifo", "rr"};
  station_spec spec = oracle_classes(NULL);
  double load = 0, work = 0;
  for (int c = 0; c < 3; c++) {
    spec.classes[c].mean = c == 2 ? .5 : 1.5;
    load += spec.classes[c].rate * spec.classes[c].mean;
    work += spec.classes[c].rate * pow(spec.classes[c].mean, 2);
  }
  for (int i = 0; i < oracle_cases(5, 1); i++) {
    spec.policy = policies[i];
    oracle_mean(oracle_run(&spec).conserved, load * work / (1 - load),
                "load times waiting, %s", policies[i]);
  }
}
END_TEST

/* ---- preemption ---- */

START_TEST(last_come_first_served_resuming_does_not_look_at_the_law)
{
  for (int law = 0; law < oracle_cases(LAW_COUNT, 2); law++) {
    station_spec spec =
        oracle_preemptive("preemptive,order=lcfs", .5, (station_law)law, 20000);
    spec.by = law % 2 ? STATION_UNITS : STATION_QUEUES;
    oracle_mean(oracle_run(&spec).response, 2,
                "last come first served, resumed, load 0.5, %s",
                oracle_law_name((station_law)law));
  }
}
END_TEST

START_TEST(the_least_remaining_work_is_what_schrage_and_miller_say)
{
  static const double loads[] = {.8, .5, .9};
  static const double means[] = {2.3528, 1.4254, 3.5521};
  for (int i = 0; i < oracle_cases(3, 1); i++) {
    station_spec spec = oracle_preemptive("preemptive,order=srpt", loads[i],
                                          LAW_EXPONENTIAL, 40000);
    spec.by = i % 2 ? STATION_QUEUES : STATION_UNITS;
    oracle_mean(oracle_run(&spec).response, means[i],
                "least remaining work, load %g", loads[i]);
  }
}
END_TEST

/* M/M/1 of classes of equal mean: 1/(1-above) + R/((1-above)(1-with)), where R
 * is the work that the classes up to this one leave. */
START_TEST(preemptive_priorities_wait_as_cobham_says)
{
  station_spec spec = oracle_classes("preemptive");
  spec.stretches = true;
  const station_result r = oracle_run(&spec);
  double above = 0;
  for (int i = 0; i < 3; i++) {
    const double with = above + spec.classes[i].rate;
    oracle_mean(r.of_class[i],
                1 / (1 - above) + with / ((1 - above) * (1 - with)),
                "priorities, preemptive, class %d", i + 1);
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
      .jobs = oracle_jobs(20000),
      .seed = 13,
      .stretches = true,
      .one_at_a_time = true};
  ck_assert(fabs(theory - 2.7324) < 1e-4);
  for (int i = 0; i < 2; i++) {
    spec.by = i ? STATION_UNITS : STATION_QUEUES;
    oracle_mean(oracle_run(&spec).of_class[1], theory, "work that is reset, %s",
                i ? "workgroups" : "kernels as a whole");
  }
}
END_TEST

AQ_TEST_MAIN("oracles/orders", shortest_first_waits_as_the_integral_says,
             priorities_wait_as_cobham_says, kleinrocks_law_conserves_waiting,
             last_come_first_served_resuming_does_not_look_at_the_law,
             the_least_remaining_work_is_what_schrage_and_miller_say,
             preemptive_priorities_wait_as_cobham_says,
             work_that_is_reset_takes_as_long_as_the_formula_says)
