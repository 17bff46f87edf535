/* SPDX-License-Identifier: MIT */
/* Where the time went, from steps whose sums are known. */
#include <stdio.h>
#include <string.h>

#include "gpu/wave/grid/time_spent.h"
#include "support/aqtest.h"

static char lines[16][400];
static size_t line_count;

static void keep(const char *line, void *user)
{
  (void)user;
  ck_assert_uint_lt(line_count, 16);
  snprintf(lines[line_count++], sizeof lines[0], "%s", line);
}

static void step(aq_time_spent *spent, const char *kernel, const void *dispatch,
                 int64_t ms, uint64_t groups)
{
  const aq_time_step one = {dispatch, kernel, ms * 1000000, (uint64_t)ms * 2000,
                            groups,   800};
  aq_time_spent_add(spent, &one);
}

static aq_time_spent *begin(void)
{
  aq_time_spent *spent = aq_time_spent_create(INT64_C(1000000000));
  ck_assert_ptr_nonnull(spent);
  line_count = 0;
  return spent;
}

START_TEST(the_kernels_that_took_most_come_first)
{
  aq_time_spent *spent = begin();
  const char *const names[] = {"a", "b", "c", "d", "e", "f", "g"};
  const int64_t ms[] = {10, 40, 30, 70, 20, 60, 50};
  int dispatches[7];
  for (int i = 0; i < 7; i++) {
    step(spent, names[i], &dispatches[i], ms[i], 800);
    aq_time_spent_end(spent, &dispatches[i]);
  }
  aq_time_spent_tell(spent, keep, NULL);
  ck_assert_uint_eq(line_count, 7);
  ck_assert_str_eq(lines[0], "kernels executed for 0.28 of 1.00 s: 0.6 M "
                             "instructions, 2.0 M/s");
  for (int i = 0; i < 5; i++)
    ck_assert_int_eq(lines[1 + i][strlen(lines[1 + i]) - 1], "dfgbc"[i]);
  ck_assert_ptr_nonnull(
      strstr(lines[1], " 25.0 %     0.07 s        1 launches"));
  ck_assert_str_eq(lines[6], "and 2 other kernels");
  aq_time_spent_destroy(spent);
}
END_TEST

START_TEST(launches_are_counted_by_dispatch)
{
  aq_time_spent *spent = begin();
  int one, two;
  step(spent, "k", &one, 1, 1);
  step(spent, "k", &two, 1, 1);
  step(spent, "k", &one, 1, 800);
  aq_time_spent_end(spent, &one);
  step(spent, "k", &one, 1, 1); /* another one at the same address */
  aq_time_spent_tell(spent, keep, NULL);
  ck_assert_ptr_nonnull(strstr(lines[1], "3 launches"));
  aq_time_spent_destroy(spent);
}
END_TEST

/* 100 of 800 workgroups in 0.5 s: 4 s; a quarter fits into 1 s. */
START_TEST(the_running_dispatch_says_how_long_it_takes)
{
  aq_time_spent *spent = begin();
  int longer, shorter;
  step(spent, "first", &shorter, 100, 700);
  step(spent, "second", &longer, 500, 100);
  aq_time_spent_tell(spent, keep, NULL);
  ck_assert_str_eq(
      lines[3], "a dispatch of second runs for 0.50 s and has started 100 of "
                "800 workgroups; all take about 4 s, 1 of 4 would fit");
  aq_time_spent_destroy(spent);
}
END_TEST

/* Eight that begin at once say nothing of the others. */
START_TEST(few_workgroups_have_no_speed)
{
  aq_time_spent *spent = begin();
  int one;
  step(spent, "k", &one, 500, 7);
  aq_time_spent_tell(spent, keep, NULL);
  ck_assert_str_eq(
      lines[2],
      "a dispatch of k runs for 0.50 s and has started 7 of 800 workgroups");
  aq_time_spent_tell(spent, keep, NULL);
  ck_assert_uint_eq(line_count, 3);
  aq_time_spent_destroy(spent);
}
END_TEST

START_TEST(a_program_without_kernels_spent_nothing)
{
  aq_time_spent *spent = begin();
  aq_time_spent_tell(spent, keep, NULL);
  ck_assert_uint_eq(line_count, 1);
  ck_assert_str_eq(
      lines[0],
      "kernels executed for 0.00 of 1.00 s: 0.0 M instructions, 0.0 M/s");
  aq_time_spent_destroy(spent);
}
END_TEST

AQ_TEST_MAIN("gpu/wave/time_spent", the_kernels_that_took_most_come_first,
             launches_are_counted_by_dispatch,
             the_running_dispatch_says_how_long_it_takes,
             few_workgroups_have_no_speed,
             a_program_without_kernels_spent_nothing)
