/* SPDX-License-Identifier: MIT */
#include "support/aqtest.h"

#include "study/whatif/whatif.h"

static aq_diag diag = AQ_DIAG_INIT;

START_TEST(factors_are_read_in_both_spellings)
{
  aq_change change;
  ck_assert_status(aq_change_read(AQ_CHANGE_HOST, "x0.5", &change, &diag),
                   AQ_OK, &diag);
  ck_assert_double_eq(change.factor, 0.5);
  ck_assert_status(aq_change_read(AQ_CHANGE_CLOCK, "1.25x", &change, &diag),
                   AQ_OK, &diag);
  ck_assert_double_eq(change.factor, 1.25);
}
END_TEST

START_TEST(values_that_mean_nothing_are_refused_with_what_was_expected)
{
  static const char *const factors[] = {"0.5",  "x",    "",    "x0",  "x-1",
                                        "xnan", "xinf", "x1x", "x1e", "x101"};
  static const char *const numbers[] = {"0", "-1", "4x", "", "1025", " 4"};
  aq_change change;
  for (size_t i = 0; i < sizeof factors / sizeof *factors; i++) {
    ck_assert_status(
        aq_change_read(AQ_CHANGE_LAUNCH, factors[i], &change, &diag),
        AQ_ERR_INPUT, &diag);
    ck_assert_ptr_nonnull(strstr(diag.text, "expected a factor"));
  }
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    ck_assert_status(
        aq_change_read(AQ_CHANGE_QUEUES, numbers[i], &change, &diag),
        AQ_ERR_INPUT, &diag);
}
END_TEST

START_TEST(flags_and_texts_are_taken_as_they_are)
{
  aq_change change;
  ck_assert_status(aq_change_read(AQ_CHANGE_GRAPHS, NULL, &change, &diag),
                   AQ_OK, &diag);
  ck_assert_int_eq(change.id, AQ_CHANGE_GRAPHS);
  ck_assert_status(aq_change_read(AQ_CHANGE_DEVICE, "mi210", &change, &diag),
                   AQ_OK, &diag);
  ck_assert_str_eq(change.text, "mi210");
}
END_TEST

AQ_TEST_MAIN("study/whatif/change", factors_are_read_in_both_spellings,
             values_that_mean_nothing_are_refused_with_what_was_expected,
             flags_and_texts_are_taken_as_they_are)
