/* SPDX-License-Identifier: MIT */
/* Plots label their axes in fitting units, and keep series apart. */
#include "support/aqtest.h"

#include <stdlib.h>
#include <string.h>

#include "report/compare/plot.h"

static char *text_of(const aq_plot *plot)
{
  char *text;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  ck_assert(aq_plot_print(plot, out));
  fclose(out);
  return text;
}

static void ck_has(const char *text, const char *part, bool wanted)
{
  ck_assert_msg((strstr(text, part) != NULL) == wanted, "\"%s\" in %s", part,
                text);
}

START_TEST(an_axis_of_time_has_the_unit_of_its_largest_value)
{
  static const struct {
    double us;
    const char *name;
  } cases[] = {
      {400, "response (us)"}, {7e4, "response (ms)"}, {3e7, "response (s)"}};
  for (int i = 0; i < 3; i++) {
    const double y = 1;
    const aq_plot_series one = {"one", &cases[i].us, &y, NULL, 1, 0};
    char *text = text_of(&(aq_plot){.x_label = "response",
                                    .y_label = "share",
                                    .x_time = true,
                                    .series = &one,
                                    .count = 1});
    ck_has(text, cases[i].name, true);
    ck_has(text, "e+", false);
    free(text);
  }
}
END_TEST

START_TEST(stairs_hold_each_value_until_the_next_one)
{
  static const double x[] = {1, 2}, y[] = {.5, 1};
  const aq_plot_series one = {"a<b", x, y, NULL, 2, 0};
  char *text = text_of(
      &(aq_plot){.x_label = "x", .y_label = "y", .series = &one, .count = 1});
  /* Up from 0 at the left edge, then right and up again. */
  ck_has(text, "M70.0 392.0H70.0V222.0H690.0V52.0", true);
  ck_has(text, "a&lt;b", true);
  free(text);
}
END_TEST

START_TEST(a_logarithmic_axis_has_ticks_at_1_2_and_5)
{
  static const double x[] = {3, 40}, y[] = {.5, 1};
  const aq_plot_series one = {"one", x, y, NULL, 2, 0};
  char *text = text_of(&(aq_plot){.x_label = "x",
                                  .y_label = "y",
                                  .log_x = true,
                                  .series = &one,
                                  .count = 1});
  static const char *const ticks[] = {">2<", ">5<", ">10<", ">20<", ">50<"};
  for (int i = 0; i < 5; i++)
    ck_has(text, ticks[i], true);
  ck_has(text, ">100<", false);
  free(text);
}
END_TEST

START_TEST(series_of_one_colour_differ_otherwise)
{
  static const double x[] = {1}, y[] = {1};
  aq_plot_series many[9];
  for (int i = 0; i < 9; i++)
    many[i] = (aq_plot_series){"s", x, y, NULL, 1, 0};
  aq_plot plot = {.x_label = "x", .y_label = "y", .series = many, .count = 8};
  char *text = text_of(&plot);
  ck_has(text, "stroke-dasharray=\"6 3\"", false);
  free(text);
  plot.count = 9;
  text = text_of(&plot);
  ck_has(text, "stroke-dasharray=\"6 3\"", true);
  free(text);
}
END_TEST

START_TEST(lines_have_bands_around_them)
{
  static const double x[] = {1, 2}, y[] = {10, 1000}, half[] = {5, 2000};
  const aq_plot_series one = {"one", x, y, half, 2, 0};
  aq_plot plot = {.x_label = "x",
                  .y_label = "y",
                  .log_y = true,
                  .form = AQ_PLOT_LINES,
                  .series = &one,
                  .count = 1};
  char *text = text_of(&plot);
  /* Three decades from 5 on 340 points: 15 is 0.477 of them up, 3000 is 2.778.
   * The band that reaches 0 ends at the axis. */
  ck_has(text, "M70.0 337.9L690.0 77.1L690.0 392.0L70.0 392.0Z", true);
  ck_has(text, "M70.0 357.9L690.0 131.2\"", true);
  ck_has(text, ">5000<", true);
  free(text);
  plot.log_y = false;
  text = text_of(&plot);
  ck_has(text, ">-1000<", true);
  free(text);
}
END_TEST

AQ_TEST_MAIN("report/plot", an_axis_of_time_has_the_unit_of_its_largest_value,
             stairs_hold_each_value_until_the_next_one,
             a_logarithmic_axis_has_ticks_at_1_2_and_5,
             series_of_one_colour_differ_otherwise,
             lines_have_bands_around_them)
