/* SPDX-License-Identifier: MIT */
#include "support/aqtest.h"

#include <string.h>

#include "report/compare/metrics.h"
#include "report/stats/quantile.h"

START_TEST(every_metric_is_found_by_its_name_and_no_name_is_used_twice)
{
  for (size_t i = 0; i < aq_metric_count(); i++) {
    aq_metric metric = aq_metric_at(i);
    ck_assert_int_eq(aq_metric_find(metric.name), (int)i);
    ck_assert_uint_gt(strlen(metric.meaning), 0);
  }
  ck_assert_int_eq(aq_metric_find("end.medain"), -1);
}
END_TEST

static aq_compare figures;

static double value_of(const char *name)
{
  double value = -1;
  int index = aq_metric_find(name);
  ck_assert_msg(index >= 0, "%s", name);
  ck_assert(aq_metric_value((size_t)index, &figures, &value));
  return value;
}

START_TEST(metrics_are_the_figures_they_name)
{
  figures = (aq_compare){.rows = 10,
                         .scored = 7,
                         .makespan_reference = 1000 * AQ_NS,
                         .makespan = {990 * AQ_NS}};
  figures.stats[AQ_PREDICTOR_RUN][AQ_QUANTITY_END][AQ_CLASS_ALL] =
      (aq_compare_stat){4, 1, 2, 3, 4};
  figures.stats[AQ_PREDICTOR_RUN][AQ_QUANTITY_INTERVAL][AQ_CLASS_QUEUED] =
      (aq_compare_stat){4, 5, 6, 7, 8};
  ck_assert_double_eq(value_of("end.median"), 1);
  ck_assert_double_eq(value_of("end.p90"), 2);
  ck_assert_double_eq(value_of("end.p99"), 3);
  ck_assert_double_eq(value_of("end.mean"), 4);
  ck_assert_double_eq(value_of("queued.interval.p99"), 7);
  ck_assert_double_eq(value_of("makespan"), 10);
  ck_assert_double_eq_tol(value_of("makespan.relative"), 0.01, 1e-12);
  ck_assert_double_eq(value_of("unscored"), 3);
}
END_TEST

START_TEST(a_class_without_rows_has_no_value)
{
  double value;
  aq_compare none = {0};
  ck_assert(
      !aq_metric_value((size_t)aq_metric_find("edge.end.mean"), &none, &value));
}
END_TEST

START_TEST(quantiles_are_observed_values)
{
  ck_assert_uint_eq(aq_quantile_index(1, 99), 0);
  ck_assert_uint_eq(aq_quantile_index(2, 50), 1);
  ck_assert_uint_eq(aq_quantile_index(7, 50), 3);
  ck_assert_uint_eq(aq_quantile_index(100, 90), 90);
  ck_assert_uint_eq(aq_quantile_index(2374, 99), 2350);
}
END_TEST

START_TEST(the_median_of_an_even_number_is_the_mean_of_two)
{
  int64_t even[] = {9, 1, 4, 2}, odd[] = {7, 1, 3};
  ck_assert_int_eq(aq_median(even, 4), 3);
  ck_assert_int_eq(aq_median(odd, 3), 3);
  ck_assert_int_eq(aq_median(odd, 0), INT64_MIN);
}
END_TEST

AQ_TEST_MAIN("report/metrics",
             every_metric_is_found_by_its_name_and_no_name_is_used_twice,
             metrics_are_the_figures_they_name,
             a_class_without_rows_has_no_value, quantiles_are_observed_values,
             the_median_of_an_even_number_is_the_mean_of_two)
