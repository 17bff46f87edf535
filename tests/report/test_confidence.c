/* SPDX-License-Identifier: MIT */
#include "support/aqtest.h"

#include <math.h>

#include "common/rng.h"
#include "report/stats/confidence.h"

START_TEST(the_interval_of_a_few_values_is_students)
{
  const double values[] = {1, 2, 3, 4};
  const aq_estimate e = aq_estimate_of(values, 4);
  ck_assert_double_eq_tol(e.mean, 2.5, 1e-12);
  /* t(3) = 3.182, s = 1.29099. */
  ck_assert_double_eq_tol(e.half, 3.182 * 1.2909944 / 2, 1e-3);
  ck_assert(isnan(aq_estimate_of(values, 1).half));
  ck_assert(isnan(aq_estimate_of(values, 0).mean));
}
END_TEST

START_TEST(intervals_cover_the_mean_about_95_times_in_100)
{
  aq_rng rng;
  int covered = 0;
  aq_rng_init(&rng, 1, 0);
  for (int run = 0; run < 1000; run++) {
    double values[30];
    for (int i = 0; i < 30; i++)
      values[i] = aq_rng_unit(&rng);
    const aq_estimate e = aq_estimate_of(values, 30);
    covered += fabs(e.mean - .5) <= e.half;
  }
  ck_assert_int_ge(covered, 930);
  ck_assert_int_le(covered, 970);
}
END_TEST

START_TEST(batches_see_that_neighbours_are_alike)
{
  enum { COUNT = 4000 };
  double values[COUNT], at = 0;
  aq_rng rng;
  aq_rng_init(&rng, 2, 0);
  for (int i = 0; i < COUNT; i++)
    values[i] = at = .95 * at + aq_rng_unit(&rng) - .5;
  const double batches = aq_estimate_batches(values, COUNT).half;
  ck_assert_double_gt(batches, 3 * aq_estimate_of(values, COUNT).half);
}
END_TEST

START_TEST(the_warm_up_ends_where_the_level_is_reached)
{
  enum { COUNT = 1000 };
  double values[COUNT];
  aq_rng rng;
  aq_rng_init(&rng, 3, 0);
  for (int i = 0; i < COUNT; i++)
    values[i] = aq_rng_unit(&rng) + (i < 100 ? 20 - i / 5. : 0);
  const size_t cut = aq_mser5(values, COUNT);
  ck_assert_uint_ge(cut, 85);
  ck_assert_uint_le(cut, 110);
  for (int i = 0; i < COUNT; i++)
    values[i] = 7;
  ck_assert_uint_eq(aq_mser5(values, COUNT), 0);
  ck_assert_uint_eq(aq_mser5(values, 4), 0);
}
END_TEST

AQ_TEST_MAIN("report/confidence", the_interval_of_a_few_values_is_students,
             intervals_cover_the_mean_about_95_times_in_100,
             batches_see_that_neighbours_are_alike,
             the_warm_up_ends_where_the_level_is_reached)
