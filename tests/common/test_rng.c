/* SPDX-License-Identifier: MIT */
#include "support/aqtest.h"

#include "common/rng.h"

/* The known answer that Random123 publishes for a zero counter and key. */
START_TEST(the_generator_is_philox4x32_10)
{
  aq_rng rng;
  aq_rng_init(&rng, 0, 0);
  ck_assert_uint_eq(aq_rng_bits(&rng), UINT64_C(0xe169c58d6627e8d5));
  ck_assert_uint_eq(aq_rng_bits(&rng), UINT64_C(0x9b00dbd8bc57ac4c));
}
END_TEST

START_TEST(the_same_seed_and_substream_draw_the_same)
{
  aq_rng a, b;
  aq_rng_init(&a, 7, 3);
  aq_rng_init(&b, 7, 3);
  for (int i = 0; i < 100; i++)
    ck_assert_uint_eq(aq_rng_bits(&a), aq_rng_bits(&b));
}
END_TEST

START_TEST(seeds_and_substreams_differ)
{
  aq_rng rng[3];
  aq_rng_init(&rng[0], 7, 3);
  aq_rng_init(&rng[1], 7, 4);
  aq_rng_init(&rng[2], 8, 3);
  uint64_t first = aq_rng_bits(&rng[0]);
  ck_assert_uint_ne(aq_rng_bits(&rng[1]), first);
  ck_assert_uint_ne(aq_rng_bits(&rng[2]), first);
}
END_TEST

START_TEST(units_lie_between_0_and_1_around_a_half)
{
  aq_rng rng;
  double sum = 0;
  aq_rng_init(&rng, 1, 1);
  for (int i = 0; i < 10000; i++) {
    double unit = aq_rng_unit(&rng);
    ck_assert(unit > 0 && unit < 1);
    sum += unit;
  }
  ck_assert(sum > 4900 && sum < 5100);
}
END_TEST

AQ_TEST_MAIN("common/rng", the_generator_is_philox4x32_10,
             the_same_seed_and_substream_draw_the_same,
             seeds_and_substreams_differ,
             units_lie_between_0_and_1_around_a_half)
