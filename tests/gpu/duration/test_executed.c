/* SPDX-License-Identifier: MIT */
#include "support/aqtest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/duration/roofline.h"
#include "transport/registry/device_models.h"

/* A device whose parts are easy to compute: 10 units of 1 GHz. */
static const aq_rates plain = {.cus = 10,
                               .xccs = 1,
                               .simds_per_cu = 4,
                               .waves_per_simd = 8,
                               .vgprs_per_simd = 512,
                               .vgpr_granule = 8,
                               .lds_per_cu = 65536,
                               .barriers_per_cu = 16,
                               .clock = 1000000000,
                               .workgroup_interval = 1000,
                               .memory_bandwidth = 1000000000000,
                               .wave_issue = 2000,
                               .l1_latency = 50000,
                               .l2_latency = 100000,
                               .far_latency = 300000,
                               .memory_latency = 500000,
                               .store_latency = 200000,
                               .lds_latency = 30000,
                               .scalar_latency = 60000,
                               .l2_cycle = 2048,
                               .far_cache = 1 << 28,
                               .far_bandwidth = 4000000000000,
                               .memory_reached = 50,
                               .page_walk = 1000,
                               .page_reach = (int64_t)1 << 31,
                               .matrix = 1024};

static const aq_counted one = {.groups = 1, .counted = 1, .waves = 1};

START_TEST(a_chain_of_loads_takes_their_latencies)
{
  aq_counted work = one;
  work.issued = 100;
  work.waits_far = 10000; /* ten */
  work.footprint = 1 << 20;
  const aq_executed found = aq_executed_predict(&work, &plain);
  ck_assert_int_eq(found.limit, AQ_EXECUTED_LATENCY);
  ck_assert_int_eq(found.parts[AQ_EXECUTED_LATENCY], 100 * 2000 + 10 * 300000);
  work.footprint = (int64_t)1 << 29; /* half of it in the cache */
  ck_assert_int_eq(
      aq_executed_predict(&work, &plain).parts[AQ_EXECUTED_LATENCY],
      100 * 2000 + 10 * 400000);
}
END_TEST

START_TEST(a_copy_takes_the_bandwidth_that_kernels_reach)
{
  aq_counted work = one;
  work.groups = 1000;
  work.far_reads = 50000;
  work.far_writes = 50000; /* 12.8 MB a workgroup */
  work.footprint = (int64_t)1 << 40;
  aq_rates rates = plain;
  rates.far_cache = 0;
  const aq_executed found = aq_executed_predict(&work, &rates);
  ck_assert_int_eq(found.limit, AQ_EXECUTED_MEMORY);
  /* 12.8 GB at half of 1 TB/s */
  ck_assert_int_eq(found.parts[AQ_EXECUTED_MEMORY], 25600 * AQ_US);
  ck_assert_int_ge(found.time, found.parts[AQ_EXECUTED_MEMORY]);
}
END_TEST

START_TEST(pages_cost_only_beyond_the_reach_of_translations)
{
  aq_counted work = one;
  work.pages = 1000;
  work.footprint = (int64_t)1 << 31;
  ck_assert_int_eq(aq_executed_predict(&work, &plain).parts[AQ_EXECUTED_MEMORY],
                   0);
  work.footprint = (int64_t)1 << 32; /* half of them */
  ck_assert_int_eq(aq_executed_predict(&work, &plain).parts[AQ_EXECUTED_MEMORY],
                   500 * 1000);
}
END_TEST

START_TEST(registers_and_lds_bound_the_workgroups_at_once)
{
  aq_counted work = one;
  work.groups = 10 * 32;
  work.issued = 1000;
  const aq_time all =
      aq_executed_predict(&work, &plain).parts[AQ_EXECUTED_LATENCY];
  work.vgprs = 256; /* two waves a SIMD in place of eight */
  ck_assert_int_eq(
      aq_executed_predict(&work, &plain).parts[AQ_EXECUTED_LATENCY], 4 * all);
  work.vgprs = 8;
  work.lds = 65536; /* one workgroup a unit */
  ck_assert_int_eq(
      aq_executed_predict(&work, &plain).parts[AQ_EXECUTED_LATENCY], 32 * all);
}
END_TEST

START_TEST(the_longest_wave_of_a_workgroup_counts)
{
  aq_counted work = one;
  work.waves = 4;
  work.issued = 400;
  work.cycles = 1000;
  work.cycles_most = 700;
  ck_assert_int_eq(
      aq_executed_predict(&work, &plain).parts[AQ_EXECUTED_LATENCY],
      100 * 2000 * 28 / 10);
}
END_TEST

START_TEST(units_take_their_cycles_on_the_busiest_compute_unit)
{
  aq_counted work = one;
  work.groups = 11; /* two on one of them */
  work.valu = 4000;
  work.l1 = 500;
  work.bank_cycles = 300;
  work.matrix = 1024 * 200;
  const aq_executed found = aq_executed_predict(&work, &plain);
  ck_assert_int_eq(found.parts[AQ_EXECUTED_ISSUE], 2 * AQ_US);
  ck_assert_int_eq(found.parts[AQ_EXECUTED_L1], AQ_US);
  ck_assert_int_eq(found.parts[AQ_EXECUTED_LDS], 600 * AQ_NS);
  ck_assert_int_eq(found.parts[AQ_EXECUTED_MATRIX], 400 * AQ_NS);
  ck_assert_int_eq(found.parts[AQ_EXECUTED_WORKGROUPS], 11 * 1000);
}
END_TEST

START_TEST(the_error_of_sampling_widens_the_interval)
{
  aq_counted work = one;
  work.issued = 1000;
  const aq_executed exact = aq_executed_predict(&work, &plain);
  work.error = 100000; /* 10 % */
  const aq_executed sampled = aq_executed_predict(&work, &plain);
  ck_assert_int_lt(exact.least, exact.time);
  ck_assert_int_gt(exact.most, exact.time);
  ck_assert_int_eq(sampled.time, exact.time);
  ck_assert_int_lt(sampled.least, exact.least);
  ck_assert_int_gt(sampled.most, exact.most);
}
END_TEST

START_TEST(no_counted_work_takes_no_time)
{
  const aq_counted none = {.groups = 5, .waves = 1};
  ck_assert_int_eq(aq_executed_predict(&none, &plain).time, 0);
}
END_TEST

START_TEST(huge_counts_end_at_the_longest_time)
{
  aq_counted work = one;
  work.groups = INT64_MAX;
  work.issued = INT64_MAX;
  work.valu = INT64_MAX;
  work.waits_far = INT64_MAX;
  const aq_executed found = aq_executed_predict(&work, &plain);
  ck_assert_int_eq(found.time, AQ_TIME_MAX / 4);
  ck_assert_int_eq(found.most, AQ_TIME_MAX / 4);
}
END_TEST

/* ---- against the script that fits the constants ---- */

static int64_t model_number(const void *model, const char *key)
{
  return aq_device_model_number(model, key);
}

static int64_t *field_of(aq_counted *work, const char *name)
{
  static const char *const names[] = {
#define F(field, unit, meaning) #field,
#include "common/counted.def"
#undef F
  };
  for (int i = 0; i < AQ_COUNTED_FIELD_COUNT; i++)
    if (strcmp(names[i], name) == 0)
      return (int64_t *)work + i;
  ck_abort_msg("no field %s", name);
  return NULL;
}

enum { COLUMNS = 40 };

START_TEST(the_formula_is_that_of_the_fit)
{
  FILE *file = fopen(aqtest_source("gpu/duration/executed_vectors.tsv"), "r");
  char line[2048], *names[COLUMNS], head[2048];
  aq_diag diag = AQ_DIAG_INIT;
  aq_device_model *model;
  aq_rates rates;
  size_t columns = 0, rows = 0;
  ck_assert_ptr_nonnull(file);
  ck_assert_status(aq_device_model_load("mi300a", NULL, &model, &diag), AQ_OK,
                   &diag);
  aq_rates_read(&rates, "gfx942", model_number, model);
  ck_assert_ptr_nonnull(fgets(line, sizeof line, file)); /* a remark */
  ck_assert_ptr_nonnull(fgets(head, sizeof head, file));
  for (char *at = strtok(head, "\t\n"); at; at = strtok(NULL, "\t\n"))
    names[columns++] = at;
  for (; fgets(line, sizeof line, file); rows++) {
    aq_counted work = {.groups = 0};
    char *at = line;
    const double us = strtod(at, &at);
    for (size_t i = 1; i < columns; i++)
      *field_of(&work, names[i]) = strtoll(at, &at, 10);
    const double found =
        (double)aq_executed_predict(&work, &rates).time / (double)AQ_US;
    ck_assert_double_eq_tol(found, us, us * 1e-4 + 1e-4);
  }
  ck_assert_uint_gt(rows, 30);
  fclose(file);
  aq_device_model_free(model);
}
END_TEST

START_TEST(work_at_the_peaks_is_spread_over_the_device)
{
  aq_counted work = one;
  work.groups = 6; /* two were counted */
  work.counted = 2;
  work.valu = 80000;
  work.matrix = 20480000;
  work.far_reads = 500;
  work.far_writes = 1500;
  work.footprint = (int64_t)1 << 29; /* half of it in the cache behind L2 */
  const aq_peak_times found = aq_executed_peaks(&work, &plain);
  /* 240,000 cycles of 40 SIMDs, 61.44 million operations of 10 units of 1,024
   * a cycle, 384 kB at 4 TB/s and as many at 1 TB/s; a cycle is 1 ns. */
  ck_assert_double_eq_tol(found.vector, 6000 * AQ_NS, 1);
  ck_assert_double_eq_tol(found.matrix, 6000 * AQ_NS, 1);
  ck_assert_double_eq_tol(found.far, 96 * AQ_NS, 1);
  ck_assert_double_eq_tol(found.memory, 384 * AQ_NS, 1);
}
END_TEST

START_TEST(no_predicted_duration_is_above_a_level_s_peak)
{
  aq_rates rates = plain;
  for (int64_t mib = 1; mib < 1 << 16; mib *= 2)
    for (int64_t cache = 0; cache <= 256; cache += 64) {
      aq_counted work = one;
      work.groups = 1000;
      work.far_reads = 50000;
      work.footprint = mib << 20;
      rates.far_cache = cache << 20;
      const double time = (double)aq_executed_predict(&work, &rates).time + 1;
      const aq_peak_times peaks = aq_executed_peaks(&work, &rates);
      ck_assert_double_le(peaks.memory, time);
      ck_assert_int_eq(isnan(peaks.far), cache == 0);
      ck_assert(isnan(peaks.far) || peaks.far <= time);
      ck_assert(peaks.memory > 0 || peaks.far > 0);
    }
}
END_TEST

START_TEST(an_unknown_peak_is_no_number)
{
  aq_rates rates = plain;
  aq_counted work = one;
  rates.matrix = 0;
  ck_assert(isnan(aq_executed_peaks(&work, &rates).matrix));
  ck_assert(!isnan(aq_executed_peaks(&work, &rates).vector));
  ck_assert(!isnan(aq_executed_peaks(&work, &rates).far));
  rates.far_cache = 0;
  ck_assert(isnan(aq_executed_peaks(&work, &rates).far));
  work.counted = 0;
  ck_assert(isnan(aq_executed_peaks(&work, &plain).memory));
}
END_TEST

AQ_TEST_MAIN("gpu/duration/executed",
             work_at_the_peaks_is_spread_over_the_device,
             no_predicted_duration_is_above_a_level_s_peak,
             an_unknown_peak_is_no_number, the_formula_is_that_of_the_fit,
             a_chain_of_loads_takes_their_latencies,
             a_copy_takes_the_bandwidth_that_kernels_reach,
             pages_cost_only_beyond_the_reach_of_translations,
             registers_and_lds_bound_the_workgroups_at_once,
             the_longest_wave_of_a_workgroup_counts,
             units_take_their_cycles_on_the_busiest_compute_unit,
             the_error_of_sampling_widens_the_interval,
             no_counted_work_takes_no_time, huge_counts_end_at_the_longest_time)
