/* SPDX-License-Identifier: MIT */
#include "trace/import/decimal.h"

#include <string.h>

#include "support/aqtest.h"

static void check_tick(const char *text, aq_tick_unit unit, int64_t ns, int ps)
{
  aq_tick tick = {-1, -1};
  ck_assert_msg(aq_decimal_tick(text, strlen(text), unit, &tick), "%s", text);
  ck_assert_msg(tick.ns == ns && tick.ps == ps, "%s: %lld ns %d ps", text,
                (long long)tick.ns, tick.ps);
}

START_TEST(microseconds_since_1970_keep_every_digit)
{
  check_tick("1775078550123456.789", AQ_TICK_US, 1775078550123456789, 0);
  check_tick("1305516338095.402", AQ_TICK_US, 1305516338095402, 0);
  check_tick("0.000001", AQ_TICK_US, 0, 1);
  check_tick("0.0000019", AQ_TICK_US, 0, 1);
}
END_TEST

START_TEST(nanoseconds_may_have_decimals)
{
  check_tick("1550151853029637", AQ_TICK_NS, 1550151853029637, 0);
  check_tick("1550151853029637.25", AQ_TICK_NS, 1550151853029637, 250);
  check_tick("9223372036854775807", AQ_TICK_NS, INT64_MAX, 0);
}
END_TEST

START_TEST(signs_and_exponents_are_read)
{
  check_tick("-3.5", AQ_TICK_US, -3500, 0);
  check_tick("-0.0005", AQ_TICK_US, 0, -500);
  check_tick("+12", AQ_TICK_NS, 12, 0);
  check_tick("1.5e3", AQ_TICK_US, 1500000, 0);
  check_tick("25E-1", AQ_TICK_US, 2500, 0);
  check_tick("5e-99999999999", AQ_TICK_US, 0, 0);
  check_tick(".5", AQ_TICK_US, 500, 0);
  check_tick("7.", AQ_TICK_NS, 7, 0);
  check_tick("0e99999", AQ_TICK_NS, 0, 0);
}
END_TEST

START_TEST(exponents_beyond_the_digits_are_rounded)
{
  static const char *const rounded[] = {"1.62068E+14", "2e1", "-8.1097e+14"};
  static const char *const exact[] = {"162068", "1.62068e5", "25E-1", "1.5",
                                      "1.775078550123456e15"};
  for (size_t i = 0; i < sizeof rounded / sizeof *rounded; i++)
    ck_assert(aq_decimal_is_rounded(rounded[i], strlen(rounded[i])));
  for (size_t i = 0; i < sizeof exact / sizeof *exact; i++)
    ck_assert(!aq_decimal_is_rounded(exact[i], strlen(exact[i])));
}
END_TEST

START_TEST(what_is_no_time_is_refused)
{
  static const char *const texts[] = {
      "",      "-",   ".",   "e5",  "1e",  "1e+",
      "0x10",  "12a", "NaN", "1 2", " 12", "9223372036854775808",
      "1e300", "1e19"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    aq_tick tick;
    ck_assert_msg(
        !aq_decimal_tick(texts[i], strlen(texts[i]), AQ_TICK_NS, &tick), "%s",
        texts[i]);
  }
}
END_TEST

static void check_int(const char *text, int64_t expected)
{
  int64_t value;
  ck_assert_msg(aq_decimal_int(text, strlen(text), &value), "%s", text);
  ck_assert_int_eq(value, expected);
}

START_TEST(integers_are_decimal_hexadecimal_or_end_in_point_zero)
{
  check_int("42", 42);
  check_int("-42", -42);
  check_int("3.000", 3);
  check_int("0x7f8573000000", 0x7f8573000000);
  check_int("18446744073709551615", -1);
}
END_TEST

START_TEST(what_is_no_integer_is_refused)
{
  static const char *const texts[] = {"",
                                      "x",
                                      "1.5",
                                      "0x",
                                      "0xg",
                                      "1e3",
                                      "12 ",
                                      "-",
                                      "18446744073709551616",
                                      "0x10000000000000000"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    int64_t value;
    ck_assert_msg(!aq_decimal_int(texts[i], strlen(texts[i]), &value), "%s",
                  texts[i]);
  }
}
END_TEST

AQ_TEST_MAIN("trace/number", microseconds_since_1970_keep_every_digit,
             nanoseconds_may_have_decimals, signs_and_exponents_are_read,
             exponents_beyond_the_digits_are_rounded,
             what_is_no_time_is_refused,
             integers_are_decimal_hexadecimal_or_end_in_point_zero,
             what_is_no_integer_is_refused)
