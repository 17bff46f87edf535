/* SPDX-License-Identifier: MIT */
/* Random programs under random faults; soak_faults runs many more. */
#include "transport/fault/seeds.h"

#include <inttypes.h>
#include <stdio.h>

#include "support/aqtest.h"

START_TEST(seeded_faults_end_well_or_named_and_the_same_again)
{
  uint64_t ended, failed = seeds_check(0, 500, &ended);
  fflush(stdout); /* what failed, before the test process ends */
  ck_assert_uint_eq(failed, 0);
  /* Faults that never come to anything would test nothing. */
  ck_assert_uint_gt(ended, 100);
  ck_assert_uint_lt(ended, 450);
}
END_TEST

START_TEST(another_seed_gives_other_faults)
{
  seed_outcome a, b;
  unsigned different = 0;
  for (uint64_t seed = 0; seed < 20; seed++) {
    char names[64];
    snprintf(names, sizeof names, "fault,seed=%" PRIu64 "+sim", 1000 + seed);
    seed_run(7, "fault,seed=999+sim", &a);
    seed_run(7, names, &b);
    different += a.digest != b.digest;
  }
  ck_assert_uint_gt(different, 5);
}
END_TEST

AQ_TEST_MAIN("transport/fault/fault_seeds",
             seeded_faults_end_well_or_named_and_the_same_again,
             another_seed_gives_other_faults)
