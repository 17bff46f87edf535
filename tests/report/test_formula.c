/* SPDX-License-Identifier: MIT */
/*
 * The trivial formulas against measured/baseline.csv, which was made by other
 * code from the plain copies in measured/norm.
 */
#include "support/aqtest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "report/stats/compare.h"

enum { ROWS_MAX = 10000, FIELDS = 15 };

/* Start errors in ns, as baseline.csv has them. */
typedef struct baseline {
  long scored;
  double median, p90, p99, mean, makespan;
} baseline;

static bool read_baseline(const char *trace, const char *formula, baseline *out)
{
  const char *path = aqtest_data("measured/baseline.csv");
  char line[512], key[128];
  bool found = false;
  if (!path)
    return false;
  FILE *file = fopen(path, "r");
  snprintf(key, sizeof key, "%s,%s,", trace, formula);
  while (!found && fgets(line, sizeof line, file))
    if (strncmp(line, key, strlen(key)) == 0) {
      double end_median, end_p90;
      found = sscanf(line + strlen(key), "%ld,%lf,%lf,%lf,%lf,%lf,%lf,%lf",
                     &out->scored, &out->median, &out->p90, &out->p99,
                     &out->mean, &end_median, &end_p90, &out->makespan) == 8;
    }
  fclose(file);
  return found;
}

static aq_time field_time(const char *text)
{
  return *text ? (aq_time)(strtod(text, NULL) * 1000) : AQ_TIME_NONE;
}

static size_t read_norm(const char *trace, aq_compare_row *rows)
{
  char name[128], line[65536];
  size_t count = 0;
  snprintf(name, sizeof name, "measured/norm/%s.norm.csv.gz", trace);
  const char *path = aqtest_data(name);
  if (!path)
    return 0;
  gzFile file = gzopen(path, "rb");
  gzgets(file, line, sizeof line);
  while (count < ROWS_MAX && gzgets(file, line, sizeof line)) {
    char *f[FIELDS] = {NULL}, *rest = line;
    for (int i = 0; i < FIELDS; i++)
      f[i] = i + 1 < FIELDS ? strsep(&rest, ",") : rest;
    rows[count] = (aq_compare_row){
        .number = (int64_t)count,
        .key = (int64_t)count,
        .queue = 1000 * strtol(f[1], NULL, 10) + strtol(f[2], NULL, 10),
        .name = AQ_NONE,
        .via = strcmp(f[4], "direct") == 0  ? AQ_VIA_DIRECT
               : strcmp(f[4], "graph") == 0 ? AQ_VIA_GRAPH
                                            : AQ_VIA_NONE,
        .flags = 0,
        .host_begin = field_time(f[5]),
        .host_end = field_time(f[6]),
        .submit = field_time(f[7]),
        .start = field_time(f[8]),
        .end = field_time(f[9])};
    count++;
  }
  gzclose(file);
  return count;
}

/* Marks the first row of each queue, as replay does; rows are by start. */
static void pin_first(aq_compare_row *rows, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    bool first = true;
    for (size_t j = 0; first && j < count; j++)
      first = rows[j].queue != rows[i].queue || rows[j].start > rows[i].start ||
              (rows[j].start == rows[i].start && j >= i);
    if (first)
      rows[i].flags = AQ_FLAG_PINNED;
  }
}

static bool compare_norm(const char *trace, aq_compare *out)
{
  aq_compare_row *rows = calloc(2 * ROWS_MAX, sizeof *rows);
  aq_diag diag = AQ_DIAG_INIT;
  size_t count = read_norm(trace, rows);
  bool there = count > 0;
  if (there) {
    pin_first(rows, count);
    memcpy(rows + ROWS_MAX, rows, count * sizeof *rows);
    ck_assert_status(
        aq_compare_rows(rows, count, rows + ROWS_MAX, count, 0, out, &diag),
        AQ_OK, &diag);
  } else {
    aqtest_skip_unpublished();
  }
  free(rows);
  return there;
}

static void check_near(double got, double expected, double part,
                       const char *what)
{
  double allowed = expected * part + 0.5;
  ck_assert_msg(got - expected <= allowed && expected - got <= allowed,
                "%s: %g instead of %g", what, got, expected);
}

static void check_formula(const char *trace, aq_compare_predictor who,
                          const aq_compare *c, double part)
{
  baseline expected;
  const aq_compare_stat *start =
      &c->stats[who][AQ_QUANTITY_START][AQ_CLASS_ALL];
  ck_assert(read_baseline(trace, aq_compare_predictors[who].name, &expected));
  ck_assert_int_eq(start->count, expected.scored);
  check_near(start->median, expected.median, part, "median");
  check_near(start->p90, expected.p90, part, "p90");
  check_near(start->p99, expected.p99, part, "p99");
  check_near(start->mean, expected.mean, part, "mean");
}

/* zero has nothing fitted: it must be the very same numbers. */
START_TEST(zero_is_the_published_baseline)
{
  static const char *const traces[] = {
      "mi300x_resnet18",       "mi300x_bert",         "mi300x_norm",
      "mi300x_sglang_prefill", "mi300x_flux_capture", "mixrank3_resnet_train",
      "mi300x_gunrock"};
  aq_compare c;
  for (size_t i = 0; i < sizeof traces / sizeof *traces; i++) {
    if (!compare_norm(traces[i], &c))
      return;
    check_formula(traces[i], AQ_PREDICTOR_ZERO, &c, 0);
    aq_compare_fini(&c);
  }
}
END_TEST

/* E's two constants are fitted; the choice of their rows is our own definition.
 * */
START_TEST(e_is_the_published_baseline_within_the_fit)
{
  static const char *const traces[] = {"mi300x_resnet18",  "mi300x_bert",
                                       "mi300x_norm",      "mi210_resnet_bwd",
                                       "mi300x_flux_sage", "mi300x_flux_iter0"};
  aq_compare c;
  for (size_t i = 0; i < sizeof traces / sizeof *traces; i++) {
    if (!compare_norm(traces[i], &c))
      return;
    check_formula(traces[i], AQ_PREDICTOR_E, &c, 0.03);
    aq_compare_fini(&c);
  }
}
END_TEST

AQ_TEST_MAIN("report/formula", zero_is_the_published_baseline,
             e_is_the_published_baseline_within_the_fit)
