/* SPDX-License-Identifier: MIT */
#include "common/record_modes.h"

#include <string.h>

#include "support/aqtest.h"

static aq_profiling profiling_read(const char *text, const char *record)
{
  aq_diag diag = AQ_DIAG_INIT;
  aq_profiling profiling;
  ck_assert_msg(aq_profiling_read(text, record, &profiling, &diag) == AQ_OK,
                "%s", diag.text);
  return profiling;
}

START_TEST(nothing_is_profiled_unless_somebody_asks)
{
  const aq_profiling none = profiling_read(NULL, "kernels");
  ck_assert_uint_eq(none.modes, 0);
  ck_assert_str_eq(none.record, "kernels");
  ck_assert(!none.code);
}
END_TEST

START_TEST(modes_of_code_leave_the_rows_alone)
{
  ck_assert(profiling_read("counters", NULL).code);
  ck_assert_ptr_null(profiling_read("counters", NULL).record);
  ck_assert_str_eq(profiling_read("executable-metadata", "none").record,
                   "none");
  ck_assert(!profiling_read("dispatch-events", NULL).code);
}
END_TEST

START_TEST(every_list_of_events_is_read_as_it_is_written)
{
  for (unsigned events = 1; events < 8; events++)
    ck_assert_uint_eq(
        aq_profiling_events_read(aq_profiling_events_text(events)), events);
  ck_assert_str_eq(profiling_read("all", NULL).record,
                   aq_profiling_events_text(7));
}
END_TEST

START_TEST(malformed_modes_are_refused_with_those_there_are)
{
  static const char *const wrong[] = {
      "",          "events",       "counters,",
      ",counters", "all,counters", "counters dispatch-events"};
  aq_profiling profiling;
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    aq_diag diag = AQ_DIAG_INIT;
    ck_assert_int_eq(aq_profiling_read(wrong[i], NULL, &profiling, &diag),
                     AQ_ERR_INPUT);
    ck_assert_ptr_nonnull(strstr(diag.text, "queue-events"));
    ck_assert_uint_eq(aq_profiling_events_read(wrong[i]), 0);
  }
  aq_diag diag = AQ_DIAG_INIT;
  ck_assert_int_eq(
      aq_profiling_read("dispatch-events", "all", &profiling, &diag),
      AQ_ERR_INVALID);
}
END_TEST

AQ_TEST_MAIN("common/profiling", nothing_is_profiled_unless_somebody_asks,
             modes_of_code_leave_the_rows_alone,
             every_list_of_events_is_read_as_it_is_written,
             malformed_modes_are_refused_with_those_there_are)
