/* SPDX-License-Identifier: MIT */
/* Text that users read and write: times, paces, near words, clean lines, JSON
 * and the names of functions. */
#include "support/aqtest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/demangle.h"
#include "common/json_in.h"
#include "common/json_out.h"
#include "common/map.h"
#include "common/record.h"
#include "common/text.h"
#include "common/time_text.h"

/* ---- times ---- */

START_TEST(a_time_is_a_number_and_its_unit)
{
  static const struct {
    const char *text;
    aq_time time;
  } cases[] = {{"7ps", 7},
               {"3.5us", 3500 * AQ_NS},
               {"3.5 us", 3500 * AQ_NS},
               {"2\xc2\xb5s", 2 * AQ_US},
               {"1ms", AQ_MS},
               {"0s", 0},
               {"1e3ns", AQ_US},
               /* Rounded to the picosecond, not cut. */
               {"0.0006ns", 1},
               {"1.9996ns", 2000}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    aq_time time = -1;
    ck_assert_int_eq(aq_time_read(cases[i].text, &time), AQ_TIME_READ);
    ck_assert_msg(time == cases[i].time, "%s: %lld", cases[i].text,
                  (long long)time);
  }
}
END_TEST

START_TEST(what_is_no_time_or_too_long_is_told_apart)
{
  static const char *const malformed[] = {"",      "us",    "3",     "-3us",
                                          "nanus", "3m",    "0x3us", "infs",
                                          "3us ",  "3 4us", ".5us"};
  aq_time time = 77;
  for (size_t i = 0; i < sizeof malformed / sizeof *malformed; i++)
    ck_assert_msg(aq_time_read(malformed[i], &time) == AQ_TIME_MALFORMED, "%s",
                  malformed[i]);
  ck_assert_int_eq(aq_time_read("1e9s", &time), AQ_TIME_TOO_LONG);
  ck_assert_int_eq(time, 77);
}
END_TEST

START_TEST(a_pace_is_a_whole_number_or_a_fraction)
{
  static const char *const malformed[] = {"",    "0",    "1/0",         "0/2",
                                          "-1",  "1/-2", "1/2/3",       "1x",
                                          "1.5", "a",    "4294967296/1"};
  aq_pace pace = {9, 9};
  ck_assert(aq_pace_read("3/4", &pace));
  ck_assert_uint_eq(pace.virtual_time, 3);
  ck_assert_uint_eq(pace.wall, 4);
  ck_assert(aq_pace_read("20", &pace));
  ck_assert_uint_eq(pace.virtual_time, 20);
  ck_assert_uint_eq(pace.wall, 1);
  for (size_t i = 0; i < sizeof malformed / sizeof *malformed; i++)
    ck_assert_msg(!aq_pace_read(malformed[i], &pace), "%s", malformed[i]);
  ck_assert_uint_eq(pace.virtual_time, 20);
}
END_TEST

/* ---- words and lines ---- */

START_TEST(the_nearest_word_is_one_or_two_slips_away)
{
  static const char *const names[] = {"replay", "report", "import", "export",
                                      NULL};
  static const char *const cases[][2] = {
      {"reprot", "report"}, {"exprot", "export"},  {"replya", "replay"},
      {"rep", "replay"},    {"imports", "import"}, {"inprt", "import"},
      {"xyzzy", NULL},      {"e", NULL},           {"sweep", NULL}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const char *near = aq_text_nearest(cases[i][0], names);
    ck_assert_msg(near == cases[i][1] ||
                      (near && cases[i][1] && !strcmp(near, cases[i][1])),
                  "%s: %s", cases[i][0], near ? near : "none");
  }
  /* A swap of neighbours is one slip, two changes are two. */
  ck_assert_str_eq(
      aq_text_nearest("ba", (const char *const[]){"xy", "ab", NULL}), "ab");
}
END_TEST

static void check_clean(char *(*clean)(const char *, size_t), const char *text,
                        size_t length, const char *expected)
{
  char *line = clean(text, length);
  ck_assert_str_eq(line, expected);
  free(line);
}

START_TEST(a_line_has_nothing_that_moves_the_cursor_or_the_direction)
{
  /* Each an escape, a control or a mark of direction between two letters. */
  static const char *const marks[] = {
      "\x1b",         "\n",           "\x7f",         "\xc2\x9b",
      "\xe2\x80\xa8", "\xe2\x80\x8e", "\xe2\x80\x8f", "\xe2\x80\xaa",
      "\xe2\x80\xae", "\xe2\x81\xa6", "\xe2\x81\xa9"};
  for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
    char text[16];
    snprintf(text, sizeof text, "a%sb", marks[i]);
    check_clean(aq_text_line, text, strlen(text), "a?b");
    check_clean(aq_text_utf8, text, strlen(text), text);
  }
  check_clean(aq_text_line, "\xc3\xa4\xff", 3, "\xc3\xa4\xef\xbf\xbd");
}
END_TEST

START_TEST(a_name_has_no_zero_byte)
{
  check_clean(aq_text_name, "a\0b", 3,
              "a\xef\xbf\xbd"
              "b");
  check_clean(aq_text_utf8, "a\0b", 3, "a");
}
END_TEST

/* ---- numbers of names ---- */

START_TEST(a_name_that_begins_another_is_not_that)
{
  aq_names names = AQ_NAMES_INIT;
  ck_assert_int_eq(aq_names_id(&names, "kernel_2", 8), 0);
  ck_assert_int_eq(aq_names_id(&names, "kernel_2", 6), 1);
  ck_assert_int_eq(aq_names_id(&names, "kernel", 6), 1);
  ck_assert_int_eq(aq_names_id(&names, "", 0), 2);
  ck_assert_uint_eq(aq_names_length(&names, 1), 6);
  aq_names_fini(&names);
}
END_TEST

/* ---- JSON ---- */

START_TEST(json_has_ns_with_their_picoseconds_and_null_for_the_unknown)
{
  aq_json_out *json = aq_json_out_begin(false);
  aq_json_out_array(json, NULL);
  aq_json_out_ns(json, NULL, 1234567);
  aq_json_out_ns(json, NULL, 7);
  aq_json_out_ns(json, NULL, -1500);
  aq_json_out_ns(json, NULL, AQ_NONE + 1);
  aq_json_out_ns(json, NULL, AQ_NONE);
  aq_json_out_int(json, NULL, 0);
  aq_json_out_int(json, NULL, AQ_NONE);
  aq_json_out_real(json, NULL, .1);
  aq_json_out_real(json, NULL, (double)INFINITY);
  aq_json_out_real(json, NULL, (double)NAN);
  aq_json_out_text(json, NULL, NULL);
  aq_json_out_close_array(json);
  char *text = aq_json_out_take(json);
  ck_assert_str_eq(text, "[1234.567,0.007,-1.500,-9223372036854775.807,null,0,"
                         "null,0.1,null,null,null]");
  free(text);
}
END_TEST

START_TEST(notes_that_are_json_stay_so_and_others_become_text)
{
  aq_json_out *json = aq_json_out_begin(false);
  aq_json_out_map(json, NULL);
  aq_json_out_raw(json, "good", "{\"a\": [1, 2.50, true, null, \"x\"]}");
  aq_json_out_raw(json, "cut", "{\"a\": [1");
  aq_json_out_raw(json, "none", NULL);
  aq_json_out_close_map(json);
  char *text = aq_json_out_take(json);
  ck_assert_str_eq(text, "{\"good\":{\"a\":[1,2.50,true,null,\"x\"]},"
                         "\"cut\":\"{\\\"a\\\": [1\",\"none\":null}");
  free(text);
}
END_TEST

START_TEST(numbers_and_lists_have_limits_on_both_sides)
{
  static const char document[] = "{\"n\": 5, \"list\": [1, 2]}";
  aq_json_doc doc;
  aq_json_node n, list;
  aq_diag diag = AQ_DIAG_INIT;
  double number = 0;
  size_t count = 0;
  ck_assert_status(aq_json_parse(&doc, document, strlen(document), "d", &diag),
                   AQ_OK, &diag);
  const aq_json_node root = aq_json_root(&doc);
  ck_assert(aq_json_member(&root, "n", &n));
  ck_assert(aq_json_member(&root, "list", &list));
  ck_assert_status(aq_json_number(&n, 5, 5, &number), AQ_OK, &diag);
  ck_assert_double_eq(number, 5);
  ck_assert_status(aq_json_number(&n, 0, 4.5, &number), AQ_ERR_INPUT, &diag);
  ck_assert_str_eq(diag.text, "d: n: 5 is out of range, 0 to 4.5 expected");
  ck_assert_status(aq_json_number(&n, 5.5, 9, &number), AQ_ERR_INPUT, &diag);
  ck_assert_status(aq_json_array(&list, 2, 2, &count), AQ_OK, &diag);
  ck_assert_uint_eq(count, 2);
  ck_assert_status(aq_json_array(&list, 3, 4, &count), AQ_ERR_INPUT, &diag);
  ck_assert_str_eq(diag.text, "d: list: 2 elements, from 3 to 4 expected");
  ck_assert_status(aq_json_array(&list, 0, 1, &count), AQ_ERR_INPUT, &diag);
  aq_json_free(&doc);
}
END_TEST

/* ---- names of functions ---- */

START_TEST(a_function_is_named_mangled_plain_or_with_its_parameters)
{
  static const char scale[] = "_Z5scaleIfEvPT_i"; /* void scale<float>(…) */
  if (!aq_demangler()) {
    aqtest_skip("no libstdc++ to demangle names");
    return;
  }
  ck_assert(aq_name_is(scale, scale));
  ck_assert(aq_name_is(scale, "scale<float>"));
  ck_assert(aq_name_is(scale, "scale<float>(float*, int)"));
  ck_assert(aq_name_is(scale, "void scale<float>(float*, int)"));
  ck_assert(!aq_name_is(scale, "scale"));
  ck_assert(!aq_name_is(scale, "scale<float>(float*)"));
  ck_assert(!aq_name_is("scale", "_Z5scalev"));
  /* The descriptor of a kernel has the name of its function. */
  char *text = aq_demangle("_Z5scalePfi.kd");
  ck_assert_str_eq(text, "scale(float*, int)");
  free(text);
}
END_TEST

AQ_TEST_MAIN("common/text", a_time_is_a_number_and_its_unit,
             what_is_no_time_or_too_long_is_told_apart,
             a_pace_is_a_whole_number_or_a_fraction,
             the_nearest_word_is_one_or_two_slips_away,
             a_line_has_nothing_that_moves_the_cursor_or_the_direction,
             a_name_has_no_zero_byte, a_name_that_begins_another_is_not_that,
             json_has_ns_with_their_picoseconds_and_null_for_the_unknown,
             notes_that_are_json_stay_so_and_others_become_text,
             numbers_and_lists_have_limits_on_both_sides,
             a_function_is_named_mangled_plain_or_with_its_parameters)
