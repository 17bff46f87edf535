/* SPDX-License-Identifier: MIT */
#include "oracles/oracle.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/aqtest.h"

bool oracle_runs_all(void)
{
  const char *text = getenv("AQ_ORACLES");
  return text && strcmp(text, "all") == 0;
}

uint64_t oracle_jobs(uint64_t quick)
{
  return oracle_runs_all() ? 10 * quick : quick;
}

int oracle_cases(int all, int quick)
{
  return oracle_runs_all() ? all : quick;
}

/* ---- stations ---- */

station_result oracle_run(const station_spec *spec)
{
  const station_result r = station_run(spec);
  ck_assert_uint_eq(r.done + r.rejected, spec->jobs);
  /* Little: the area below the number of jobs is the sum of their responses. */
  ck_assert(r.area == r.responses);
  /* Utilisation: the served work equals the requested work. */
  if (!spec->stretches)
    ck_assert_int_eq(r.served, r.asked);
  if (spec->servers) {
    ck_assert_int_ge((aq_time)r.busy, r.asked);
    ck_assert_int_le((aq_time)r.busy,
                     r.asked + (aq_time)r.done * spec->rounding);
  }
  /* At the seam: the published packets, counted there, equal the records of the
   * packet processor, a packet a command and a doorbell a part. */
  ck_assert_uint_eq(r.rows, r.published);
  ck_assert_uint_eq(r.packets, r.published);
  ck_assert_uint_eq(r.doorbells, r.rung);
  ck_assert_uint_eq(r.published, r.commands);
  if (!spec->script)
    ck_assert_uint_eq(r.rung, r.done);
  return r;
}

station_spec oracle_station(const char *policy, double load, station_law law,
                            uint64_t jobs)
{
  return (station_spec){
      .policy = policy,
      .classes = {{.rate = load, .mean = 1, .law = law, .weight = 1}},
      .class_count = 1,
      .jobs = oracle_jobs(jobs),
      .seed = 11,
      .servers = 1};
}

station_spec oracle_preemptive(const char *policy, double load, station_law law,
                               uint64_t jobs)
{
  station_spec spec = oracle_station(policy, load, law, jobs);
  spec.stretches = true;
  return spec;
}

station_spec oracle_classes(const char *policy)
{
  return (station_spec){
      .policy = policy,
      .classes = {{.rate = .2, .mean = 1, .priority = 1, .weight = 4},
                  {.rate = .2, .mean = 1, .priority = 0, .weight = 2},
                  {.rate = .4, .mean = 1, .priority = -5, .weight = 1}},
      .class_count = 3,
      .jobs = oracle_jobs(60000),
      .seed = 12,
      .servers = 1};
}

const char *oracle_law_name(station_law law)
{
  static const char *const names[LAW_COUNT] = {
      [LAW_EXPONENTIAL] = "exponential", [LAW_CONSTANT] = "constant",
      [LAW_UNIFORM] = "uniform",         [LAW_ERLANG4] = "Erlang-4",
      [LAW_HYPER] = "hyperexponential",
  };
  return names[law];
}

/* ---- comparisons ---- */

/* A line of the table; Check calls the function of test T "T_fn". */
static void row_add(const char *test, const char *what, double theory,
                    double value, double error, uint64_t jobs)
{
  const char *path = getenv("AQ_ORACLES_TABLE");
  if (!path)
    return;
  FILE *out = fopen(path, "a");
  ck_assert_ptr_nonnull(out);
  fprintf(out, "%.*s\t%s\t%.5g\t%.5g\t", (int)strlen(test) - 3, test, what,
          theory, value);
  if (error >= 0)
    fprintf(out, "%.2g\t%" PRIu64 "\n", error, jobs);
  else
    fprintf(out, "\t\n");
  ck_assert_int_eq(fclose(out), 0);
}

#define FORMAT(text, format)                                                   \
  do {                                                                         \
    va_list args;                                                              \
    va_start(args, format);                                                    \
    vsnprintf(text, sizeof(text), format, args);                               \
    va_end(args);                                                              \
  } while (0)

void oracle_mean_check(const char *test, station_mean mean, double theory,
                       const char *what, ...)
{
  char text[160];
  FORMAT(text, what);
  ck_assert_msg(fabs(mean.value - theory) <= 4 * mean.error,
                "%s: %.5f, theory %.5f, standard error %.5f (%.1f of them)",
                text, mean.value, theory, mean.error,
                fabs(mean.value - theory) / mean.error);
  /* A comparison that cannot fail proves nothing. */
  ck_assert_msg(mean.error < .1 * theory, "%s: standard error %.5f of %.5f",
                text, mean.error, theory);
  row_add(test, text, theory, mean.value, mean.error, mean.count);
}

void oracle_exact_check(const char *test, aq_time got, aq_time expected,
                        const char *what, ...)
{
  char text[160];
  FORMAT(text, what);
  ck_assert_msg(got == expected, "%s: %" PRId64 " ps, expected %" PRId64 " ps",
                text, got, expected);
  row_add(test, text, (double)expected / (double)STATION_UNIT,
          (double)got / (double)STATION_UNIT, -1, 0);
}
