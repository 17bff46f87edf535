/* SPDX-License-Identifier: MIT */
#include "common/record_filter.h"

#include <string.h>

#include "support/aqtest.h"

static aq_record_filter choice_read(const char *record, const char *limit)
{
  aq_diag diag = AQ_DIAG_INIT;
  aq_record_filter choice;
  ck_assert_msg(aq_record_filter_read(record, limit, &choice, &diag) == AQ_OK,
                "%s", diag.text);
  return choice;
}

static const char *said(const aq_record_filter *choice)
{
  static char text[AQ_ROW_CHOICE_TEXT];
  return aq_record_filter_text(choice, text);
}

START_TEST(nothing_is_left_out_unless_somebody_asks)
{
  aq_record_filter choice = choice_read(NULL, NULL);
  ck_assert_uint_eq(choice.limit, UINT64_C(4) << 30);
  for (int64_t kind = AQ_KIND_KERNEL; kind < AQ_KIND_COUNT; kind++)
    ck_assert(aq_record_filter_take(&choice, kind));
  ck_assert_uint_eq(aq_record_filter_left_out(&choice), 0);
  ck_assert_ptr_null(said(&choice));
}
END_TEST

START_TEST(kernels_are_kept_and_the_others_counted)
{
  aq_record_filter choice = choice_read("kernels", "none");
  ck_assert(aq_record_filter_take(&choice, AQ_KIND_KERNEL));
  ck_assert(!aq_record_filter_take(&choice, AQ_KIND_COPY));
  ck_assert(aq_record_filter_skip(&choice, AQ_KIND_CALL));
  ck_assert(!aq_record_filter_skip(&choice, AQ_KIND_KERNEL));
  ck_assert_str_eq(said(&choice), "kernels only; left out: 2 other rows");
}
END_TEST

START_TEST(none_keeps_nothing)
{
  aq_record_filter choice = choice_read("none", NULL);
  ck_assert(!aq_record_filter_take(&choice, AQ_KIND_KERNEL));
  ck_assert_str_eq(said(&choice), "no rows; left out: 1 row");
}
END_TEST

START_TEST(modes_of_events_keep_the_rows_of_their_kinds)
{
  static const int64_t host[] = {AQ_KIND_WAIT, AQ_KIND_CALL, AQ_KIND_OPERATION,
                                 AQ_KIND_RANGE};
  aq_record_filter choice = choice_read("dispatch-events,queue-events", NULL);
  ck_assert(aq_record_filter_take(&choice, AQ_KIND_KERNEL));
  for (size_t i = 0; i < sizeof host / sizeof *host; i++)
    ck_assert(aq_record_filter_take(&choice, host[i]));
  for (int64_t kind = AQ_KIND_COPY; kind <= AQ_KIND_VENDOR; kind++)
    ck_assert(!aq_record_filter_take(&choice, kind));
  ck_assert_str_eq(said(&choice),
                   "queue-events,dispatch-events only; left out: 6 other rows");
}
END_TEST

START_TEST(each_kind_of_row_belongs_to_one_mode_of_events)
{
  static const char *const modes[] = {"queue-events", "device-queue-events",
                                      "dispatch-events"};
  for (int64_t kind = AQ_KIND_KERNEL; kind < AQ_KIND_COUNT; kind++) {
    unsigned keep = 0;
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
      aq_record_filter choice = choice_read(modes[i], NULL);
      keep += aq_record_filter_take(&choice, kind);
    }
    ck_assert_uint_eq(keep, 1);
  }
}
END_TEST

START_TEST(a_sample_of_a_periodic_program_has_every_part_of_its_period)
{
  enum { ROWS = 100000, PERIOD = 10 };
  aq_record_filter choice = choice_read("sample=10", "none");
  unsigned kept[PERIOD] = {0}, sum = 0;
  for (int i = 0; i < ROWS; i++)
    if (aq_record_filter_take(&choice, AQ_KIND_KERNEL))
      kept[i % PERIOD]++;
  for (int i = 0; i < PERIOD; i++) {
    ck_assert_uint_gt(kept[i], 900);
    ck_assert_uint_lt(kept[i], 1100);
    sum += kept[i];
  }
  ck_assert_uint_eq(aq_record_filter_left_out(&choice), ROWS - sum);
}
END_TEST

START_TEST(rows_after_the_limit_are_counted_even_where_one_would_fit)
{
  aq_record_filter choice = choice_read("all", "1K");
  const int fit = 1024 / AQ_ROW_CHOICE_ROW;
  for (int i = 0; i < fit; i++)
    ck_assert(aq_record_filter_take(&choice, AQ_KIND_KERNEL));
  ck_assert(!aq_record_filter_take(&choice, AQ_KIND_KERNEL));
  ck_assert(!aq_record_filter_take_bytes(&choice, 1));
  ck_assert_str_eq(said(&choice),
                   "in part; left out: 2 past the limit of 1 KiB");
}
END_TEST

START_TEST(sizes_have_a_unit_of_1024)
{
  static const struct {
    const char *text;
    uint64_t bytes;
  } sizes[] = {{"1", 1},
               {"7K", 7168},
               {"500M", UINT64_C(500) << 20},
               {"3G", UINT64_C(3) << 30},
               {"2T", UINT64_C(2) << 40},
               {"none", 0}};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    ck_assert_uint_eq(choice_read(NULL, sizes[i].text).limit, sizes[i].bytes);
}
END_TEST

START_TEST(a_limit_is_written_in_its_largest_whole_unit)
{
  static const struct {
    uint64_t limit;
    const char *words;
  } cases[] = {{1023, "of 1023 bytes"},
               {UINT64_C(1) << 10, "of 1 KiB"},
               {UINT64_C(3) << 19, "of 1536 KiB"},
               {UINT64_C(4) << 30, "of 4 GiB"},
               {UINT64_C(2) << 40, "of 2 TiB"},
               {UINT64_C(2) << 50, "of 2048 TiB"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const aq_record_filter filter = {
        .kind = AQ_ROWS_ALL, .limit = cases[i].limit, .beyond = 1};
    char text[AQ_ROW_CHOICE_TEXT];
    ck_assert_ptr_nonnull(
        strstr(aq_record_filter_text(&filter, text), cases[i].words));
  }
}
END_TEST

START_TEST(malformed_words_are_refused_with_the_option)
{
  static const char *const records[] = {
      "",          "kernel",    "sample",
      "sample=",   "sample=0",  "sample=1",
      "sample=-2", "sample=2x", "sample=99999999999999999999"};
  static const char *const limits[] = {
      "", "0", "-1", "4X", "4GB", "1.5G", "99999999999999999999", "20000000T"};
  aq_record_filter choice;
  for (size_t i = 0; i < sizeof records / sizeof *records; i++) {
    aq_diag diag = AQ_DIAG_INIT;
    ck_assert_int_eq(aq_record_filter_read(records[i], NULL, &choice, &diag),
                     AQ_ERR_INPUT);
    ck_assert_ptr_nonnull(strstr(diag.text, "rows "));
  }
  for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
    aq_diag diag = AQ_DIAG_INIT;
    ck_assert_msg(aq_record_filter_read(NULL, limits[i], &choice, &diag) ==
                      AQ_ERR_INPUT,
                  "%s", limits[i]);
    ck_assert_ptr_nonnull(strstr(diag.text, "limit of rows "));
  }
}
END_TEST

AQ_TEST_MAIN("common/row_choice", nothing_is_left_out_unless_somebody_asks,
             kernels_are_kept_and_the_others_counted, none_keeps_nothing,
             modes_of_events_keep_the_rows_of_their_kinds,
             each_kind_of_row_belongs_to_one_mode_of_events,
             a_sample_of_a_periodic_program_has_every_part_of_its_period,
             rows_after_the_limit_are_counted_even_where_one_would_fit,
             sizes_have_a_unit_of_1024,
             a_limit_is_written_in_its_largest_whole_unit,
             malformed_words_are_refused_with_the_option)
