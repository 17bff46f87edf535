/* SPDX-License-Identifier: MIT */
#include "support/aqtest.h"

#include <stdlib.h>
#include <string.h>

#include "report/stats/compare.h"

#define US(x) ((aq_time)((x)*1000000))

/* A reference row: key and number are its place; times in us, < 0 unknown. */
typedef struct given {
  int64_t queue;
  double host_begin, host_end, start, end;
  int64_t via, flags;
} given;

static aq_time time_of(double us)
{
  return us < 0 ? AQ_TIME_NONE : US(us);
}

static void fill(aq_compare_row *rows, const given *from, size_t count)
{
  for (size_t i = 0; i < count; i++)
    rows[i] = (aq_compare_row){.number = (int64_t)i,
                               .key = (int64_t)i,
                               .queue = from[i].queue,
                               .name = AQ_NONE,
                               .via = from[i].via,
                               .flags = from[i].flags,
                               .host_begin = time_of(from[i].host_begin),
                               .host_end = time_of(from[i].host_end),
                               .submit = AQ_TIME_NONE,
                               .start = time_of(from[i].start),
                               .end = time_of(from[i].end)};
}

enum { D = AQ_VIA_DIRECT, G = AQ_VIA_GRAPH };

/*
 * One queue. Row by row:
 *   0 first of its queue               10 … 20
 *   1 submitted  8 before the end: queued   20 … 30
 *   2 submitted  2 before the end: near     32 … 40
 *   3 submitted 10 after the end: idle      55 … 60
 *   4 first of a graph                      70 … 80
 *   5 inside it                             80 … 90
 *   6 submitted 4 before the end: queued    90 … 95
 */
static const given line[] = {
    {0, 1, 5, 10, 20, D, 0},
    {0, 10, 12, 20, 30, D, 0},
    {0, 27, 28, 32, 40, D, 0},
    {0, 48, 50, 55, 60, D, 0},
    {0, 62, 65, 70, 80, G, AQ_FLAG_GRAPH_FIRST},
    {0, 62, 65, 80, 90, G, 0},
    {0, 84, 86, 90, 95, D, 0},
};
enum { LINE = sizeof line / sizeof *line };

/* Compares `count` rows, which must succeed; names the `worst` rows. */
static aq_compare compared(aq_compare_row *reference, aq_compare_row *rows,
                           size_t count, size_t worst)
{
  aq_compare out;
  aq_diag diag = AQ_DIAG_INIT;
  ck_assert_status(
      aq_compare_rows(reference, count, rows, count, worst, &out, &diag), AQ_OK,
      &diag);
  return out;
}

/* Compares `line` with itself after `shift` us were added to rows from `from`
 * on. */
static aq_compare compared_shifted(double shift, size_t from)
{
  aq_compare_row reference[LINE], rows[LINE];
  fill(reference, line, LINE);
  fill(rows, line, LINE);
  for (size_t i = from; i < LINE; i++) {
    rows[i].start += US(shift);
    rows[i].end += US(shift);
  }
  return compared(reference, rows, LINE, 0);
}

START_TEST(a_run_compared_with_itself_has_no_error)
{
  aq_compare c = compared_shifted(0, 0);
  ck_assert_int_eq(c.rows, LINE);
  ck_assert_int_eq(c.scored, LINE);
  for (int q = 0; q < AQ_QUANTITY_COUNT; q++)
    for (int k = 0; k < AQ_CLASS_COUNT; k++) {
      ck_assert_double_eq(c.stats[AQ_PREDICTOR_RUN][q][k].median, 0);
      ck_assert_double_eq(c.stats[AQ_PREDICTOR_RUN][q][k].p99, 0);
      ck_assert_double_eq(c.stats[AQ_PREDICTOR_RUN][q][k].mean, 0);
    }
  ck_assert_int_eq(c.makespan[AQ_PREDICTOR_RUN], US(85));
  ck_assert_int_eq(c.makespan_reference, US(85));
  aq_compare_fini(&c);
}
END_TEST

START_TEST(each_row_is_in_the_class_its_submission_says)
{
  static const int64_t expected[AQ_CLASS_COUNT] = {
      [AQ_CLASS_ALL] = 7,  [AQ_CLASS_QUEUED] = 2,      [AQ_CLASS_NEAR] = 1,
      [AQ_CLASS_IDLE] = 2, [AQ_CLASS_GRAPH_FIRST] = 1, [AQ_CLASS_GRAPH] = 1,
      [AQ_CLASS_EDGE] = 0,
  };
  aq_compare c = compared_shifted(0, 0);
  for (int k = 0; k < AQ_CLASS_COUNT; k++)
    ck_assert_int_eq(c.stats[AQ_PREDICTOR_RUN][AQ_QUANTITY_END][k].count,
                     expected[k]);
  aq_compare_fini(&c);
}
END_TEST

START_TEST(a_shift_shows_in_ends_and_once_in_intervals)
{
  aq_compare c = compared_shifted(1.5, 3);
  aq_compare_stat(*run)[AQ_CLASS_COUNT] = c.stats[AQ_PREDICTOR_RUN];
  /* 0 0 0 1.5 1.5 1.5 1.5: x[3] and x[6] of 7. */
  ck_assert_double_eq(run[AQ_QUANTITY_END][AQ_CLASS_ALL].median, 1500);
  ck_assert_double_eq(run[AQ_QUANTITY_END][AQ_CLASS_ALL].p90, 1500);
  ck_assert_double_eq_tol(run[AQ_QUANTITY_END][AQ_CLASS_ALL].mean, 6000. / 7,
                          1e-9);
  ck_assert_double_eq_tol(run[AQ_QUANTITY_WAIT][AQ_CLASS_ALL].mean, 6000. / 7,
                          1e-9);
  /* Six intervals, one of them longer by 1.5. */
  ck_assert_int_eq(run[AQ_QUANTITY_INTERVAL][AQ_CLASS_ALL].count, 6);
  ck_assert_double_eq(run[AQ_QUANTITY_INTERVAL][AQ_CLASS_ALL].median, 0);
  ck_assert_double_eq(run[AQ_QUANTITY_INTERVAL][AQ_CLASS_ALL].mean, 250);
  ck_assert_double_eq(run[AQ_QUANTITY_INTERVAL][AQ_CLASS_IDLE].mean, 1500);
  ck_assert_int_eq(c.makespan[AQ_PREDICTOR_RUN] - c.makespan_reference,
                   US(1.5));
  aq_compare_fini(&c);
}
END_TEST

START_TEST(zero_starts_at_submission_or_previous_end)
{
  aq_compare c = compared_shifted(0, 0);
  /* Submission is the call's begin where no doorbell is known:
   * starts 10 20 30 48 62 72 84, lasting 10 10 8 5 10 10 5. */
  const aq_compare_stat *end = c.stats[AQ_PREDICTOR_ZERO][AQ_QUANTITY_END];
  ck_assert_double_eq(end[AQ_CLASS_NEAR].median, 2000);
  ck_assert_double_eq(end[AQ_CLASS_GRAPH_FIRST].median, 8000);
  ck_assert_double_eq(end[AQ_CLASS_GRAPH].median, 8000);
  ck_assert_double_eq(end[AQ_CLASS_IDLE].mean, 3500);      /* 0 and 7 */
  ck_assert_double_eq(end[AQ_CLASS_QUEUED].mean, 3000);    /* 0 and 6 */
  ck_assert_int_eq(c.makespan[AQ_PREDICTOR_ZERO], US(79)); /* 10 … 89 */
  aq_compare_fini(&c);
}
END_TEST

START_TEST(e_adds_the_median_latency_of_the_run_itself)
{
  aq_compare c = compared_shifted(0, 0);
  /* Only row 3 is direct and begun after the previous end: 55 - 50. */
  ck_assert_int_eq(c.fitted_warm, 1);
  ck_assert_int_eq(c.fitted_cold, 0);
  ck_assert_int_eq(c.latency_warm, US(5));
  ck_assert_int_eq(c.latency_cold, US(5));
  const aq_compare_stat *end = c.stats[AQ_PREDICTOR_E][AQ_QUANTITY_END];
  ck_assert_double_eq(end[AQ_CLASS_IDLE].mean, 0);
  /* Its call began at 48: graphs start 7 after their call began, 69 for 70. */
  ck_assert_int_eq(c.latency_begin, US(7));
  ck_assert_double_eq(end[AQ_CLASS_GRAPH].mean, 1000);
  ck_assert_double_eq(end[AQ_CLASS_NEAR].mean, 1000); /* 33 for 32 */
  /* Row 6: max(86 + 5, 90) = 91 for 90. */
  ck_assert_double_eq(end[AQ_CLASS_QUEUED].mean, 500);
  aq_compare_fini(&c);
}
END_TEST

START_TEST(e_takes_the_cold_latency_after_105_us)
{
  static const given rows[] = {
      {0, 0, 1, 5, 10, D, 0},        {0, 20, 22, 26, 30, D, 0},
      {0, 135, 135, 139, 140, D, 0}, {0, 244, 245, 255, 260, D, 0},
      {0, 364, 365, 375, 376, D, 0},
  };
  aq_compare_row reference[5], same[5];
  fill(reference, rows, 5);
  fill(same, rows, 5);
  aq_compare c = compared(reference, same, 5, 0);
  ck_assert_int_eq(c.fitted_warm, 4); /* 4 4 10 10: three after just 105 */
  ck_assert_int_eq(c.latency_warm, US(7));
  ck_assert_int_eq(c.fitted_cold, 0);
  aq_compare_fini(&c);
  reference[3].host_end += US(0.25);
  c = compared(reference, same, 5, 0);
  ck_assert_int_eq(c.fitted_cold, 1);
  ck_assert_int_eq(c.latency_warm, US(4));
  ck_assert_int_eq(c.latency_cold, US(9.75));
  aq_compare_fini(&c);
}
END_TEST

/* Its queue is never idle: E has no latency, and no constant for the gap. */
START_TEST(b_adds_the_median_gap_of_queued_rows)
{
  static const given rows[] = {
      {0, 0, 1, 10, 20, D, 0},
      {0, 2, 3, 24.84, 30, D, 0},
      {0, 4, 5, 34.84, 40, D, 0},
      {0, 6, 7, 46, 50, D, 0},
  };
  aq_compare_row reference[4], same[4];
  fill(reference, rows, 4);
  fill(same, rows, 4);
  aq_compare c = compared(reference, same, 4, 0);
  ck_assert_int_eq(c.latency_warm, AQ_TIME_NONE);
  ck_assert_int_eq(c.stats[AQ_PREDICTOR_E][AQ_QUANTITY_END][0].count, 0);
  ck_assert_int_eq(c.fitted_gap, 3);
  ck_assert_int_eq(c.gap, US(4.84));
  /* The last row's gap is 6. */
  const aq_compare_stat *end = c.stats[AQ_PREDICTOR_B][AQ_QUANTITY_END];
  ck_assert_int_eq(end[AQ_CLASS_QUEUED].count, 3);
  ck_assert_double_eq(end[AQ_CLASS_QUEUED].median, 0);
  ck_assert_double_eq(end[AQ_CLASS_QUEUED].p99, 1160);
  ck_assert_int_eq(c.makespan_reference - c.makespan[AQ_PREDICTOR_B], US(1.16));
  aq_compare_fini(&c);
}
END_TEST

START_TEST(formulas_have_the_durations_that_a_replay_predicted)
{
  aq_compare_row reference[LINE], rows[LINE];
  fill(reference, line, LINE);
  fill(rows, line, LINE);
  rows[6].end += US(30);
  aq_compare c = compared(reference, rows, LINE, 0);
  ck_assert(!c.predicted);
  ck_assert_int_eq(c.makespan[AQ_PREDICTOR_ZERO], US(79));
  aq_compare_fini(&c);
  rows[0].flags = AQ_FLAG_LEARNED;
  c = compared(reference, rows, LINE, 0);
  ck_assert(c.predicted);
  ck_assert_int_eq(c.makespan[AQ_PREDICTOR_RUN], US(85 + 30));
  ck_assert_int_eq(c.makespan[AQ_PREDICTOR_ZERO], US(79 + 30));
  aq_compare_fini(&c);
}
END_TEST

/* Errors of queues hide in the makespan of the run. */
START_TEST(makespans_of_queues_are_apart_from_the_runs)
{
  static const given rows[] = {
      {3, 0, 1, 5, 100, D, 0},
      {3, 60, 61, 100, 110, D, 0},
      {7, 2, 3, 8, 9, D, 0},
      {7, 20, 21, 26, 27, D, 0},
  };
  aq_compare_row reference[4], off[4];
  fill(reference, rows, 4);
  fill(off, rows, 4);
  off[3].start += US(50);
  off[3].end += US(50);
  aq_compare c = compared(reference, off, 4, 0);
  ck_assert_int_eq(c.makespan[AQ_PREDICTOR_RUN], c.makespan_reference);
  ck_assert_int_eq(c.queues, 2);
  ck_assert_int_eq(c.queue_makespan[AQ_PREDICTOR_RUN].queue, 7);
  ck_assert_int_eq(c.queue_makespan[AQ_PREDICTOR_RUN].error, US(50));
  ck_assert_int_eq(c.queue_makespan[AQ_PREDICTOR_RUN].reference, US(19));
  aq_compare_fini(&c);
}
END_TEST

START_TEST(pinned_partnerless_and_silent_rows_count_nowhere)
{
  aq_compare_row reference[LINE], rows[LINE];
  fill(reference, line, LINE);
  fill(rows, line, LINE);
  rows[0].flags = AQ_FLAG_PINNED;
  rows[0].end += US(1000); /* must not show in any statistic */
  rows[1].key = AQ_NONE;
  reference[2].host_begin = reference[2].host_end = AQ_TIME_NONE;
  reference[3].end = AQ_TIME_NONE;
  aq_compare c = compared(reference, rows, LINE, 0);
  ck_assert_int_eq(c.rows, 7);
  ck_assert_int_eq(c.scored, 3);
  ck_assert_int_eq(c.left_out[AQ_LEFT_OUT_PINNED], 1);
  ck_assert_int_eq(c.left_out[AQ_LEFT_OUT_NO_PARTNER], 1);
  ck_assert_int_eq(c.left_out[AQ_LEFT_OUT_NO_SUBMISSION], 1);
  ck_assert_int_eq(c.left_out[AQ_LEFT_OUT_NO_TIMES], 1);
  ck_assert_double_eq(
      c.stats[AQ_PREDICTOR_RUN][AQ_QUANTITY_END][AQ_CLASS_ALL].p99, 0);
  aq_compare_fini(&c);
}
END_TEST

START_TEST(no_verdict_when_nothing_can_be_scored)
{
  aq_compare_row reference[LINE], rows[LINE];
  aq_compare c;
  aq_diag diag = AQ_DIAG_INIT;
  fill(reference, line, LINE);
  fill(rows, line, LINE);
  for (int i = 0; i < LINE; i++)
    reference[i].host_begin = reference[i].host_end = AQ_TIME_NONE;
  ck_assert_status(aq_compare_rows(reference, LINE, rows, LINE, 0, &c, &diag),
                   AQ_ERR_INPUT, &diag);
  ck_assert_ptr_nonnull(strstr(diag.text, "0 of 7 rows scored"));
  ck_assert_ptr_nonnull(strstr(diag.text, "rocprofv3"));
}
END_TEST

START_TEST(queues_do_not_mix)
{
  static const given rows[] = {
      {0, 0, 1, 5, 100, D, 0},
      {1, 2, 3, 8, 9, D, 0},
      {1, 20, 21, 26, 27, D, 0},
      {0, 60, 61, 100, 110, D, 0},
  };
  aq_compare_row reference[4], same[4];
  fill(reference, rows, 4);
  fill(same, rows, 4);
  aq_compare c = compared(reference, same, 4, 0);
  aq_compare_stat *end = c.stats[AQ_PREDICTOR_RUN][AQ_QUANTITY_END];
  ck_assert_int_eq(end[AQ_CLASS_IDLE].count, 3);
  ck_assert_int_eq(end[AQ_CLASS_QUEUED].count, 1);
  ck_assert_int_eq(c.latency_warm, US(5));
  aq_compare_fini(&c);
}
END_TEST

START_TEST(worst_rows_come_by_size_then_number)
{
  aq_compare_row reference[LINE], rows[LINE];
  fill(reference, line, LINE);
  fill(rows, line, LINE);
  rows[2].end += US(3);
  rows[5].end -= US(7);
  rows[6].end -= US(3);
  aq_compare c = compared(reference, rows, LINE, 3);
  ck_assert_uint_eq(c.worst_count, 3);
  ck_assert_int_eq(c.worst[0].reference.number, 5);
  ck_assert_int_eq(c.worst[0].error, US(-7));
  ck_assert_int_eq(c.worst[1].reference.number, 2);
  ck_assert_int_eq(c.worst[2].reference.number, 6);
  ck_assert_int_eq(c.worst[0].row_class, AQ_CLASS_GRAPH);
  aq_compare_fini(&c);
}
END_TEST

/* Launches onto an idle queue: of the first the latency is 5 us, of the others
 * 9; the run has 9 for all of them. */
START_TEST(rows_that_gave_constants_neither_score_nor_fit_the_formulas)
{
  enum { N = 6, GAVE = 3 };
  aq_compare_row reference[N], rows[N];
  for (int i = 0; i < N; i++) {
    const double latency = i <= GAVE ? 5 : 9;
    const given g = {
        0, 100. * i + 1, 100. * i + 3, 100. * i + 3 + latency, 100. * i + 20, D,
        0};
    fill(&reference[i], &g, 1);
    reference[i].number = reference[i].key = i;
    rows[i] = reference[i];
    rows[i].start += US(9 - latency);
    rows[i].end += US(9 - latency);
    if (i <= GAVE)
      reference[i].flags = AQ_COMPARE_FITTED;
  }
  aq_compare c = compared(reference, rows, N, 0);
  ck_assert_int_eq(c.scored, N - GAVE - 1);
  ck_assert_int_eq(c.left_out[AQ_LEFT_OUT_FITTED], GAVE + 1);
  ck_assert_double_eq(
      c.stats[AQ_PREDICTOR_RUN][AQ_QUANTITY_END][AQ_CLASS_ALL].p99, 0);
  ck_assert_int_eq(c.latency_warm, US(9));
  ck_assert_int_eq(c.fitted_warm, N - GAVE - 1);
  ck_assert(!c.fitted_to_all);
  aq_compare_fini(&c);
}
END_TEST

START_TEST(
    formulas_are_fitted_to_all_rows_where_the_scored_ones_have_no_latency)
{
  aq_compare_row reference[LINE], rows[LINE];
  fill(reference, line, LINE);
  fill(rows, line, LINE);
  for (int i = 0; i < LINE - 1; i++)
    reference[i].flags = AQ_COMPARE_FITTED;
  aq_compare c = compared(reference, rows, LINE, 0);
  ck_assert_int_eq(c.scored, 1);
  ck_assert_int_eq(c.latency_warm, US(5));
  ck_assert(c.fitted_to_all);
  aq_compare_fini(&c);
}
END_TEST

START_TEST(waits_are_measured_from_each_runs_own_submission)
{
  aq_compare_row reference[LINE], rows[LINE];
  fill(reference, line, LINE);
  fill(rows, line, LINE);
  for (int i = 0; i < LINE; i++) {
    rows[i].host_end += US(1);
    rows[i].start += US(1);
    rows[i].end += US(1);
  }
  aq_compare c = compared(reference, rows, LINE, 0);
  aq_compare_stat(*run)[AQ_CLASS_COUNT] = c.stats[AQ_PREDICTOR_RUN];
  ck_assert_double_eq(run[AQ_QUANTITY_START][AQ_CLASS_ALL].median, 1000);
  ck_assert_double_eq(run[AQ_QUANTITY_WAIT][AQ_CLASS_ALL].p99, 0);
  aq_compare_fini(&c);
}
END_TEST

START_TEST(many_rows_are_compared)
{
  enum { MANY = 200000 };
  aq_compare_row *reference = calloc(MANY, sizeof *reference);
  aq_compare_row *rows = calloc(MANY, sizeof *rows);
  for (int i = 0; i < MANY; i++) {
    given g = {i % 4, i * 10., i * 10. + 3, i * 10. + 8, i * 10. + 9, D, 0};
    fill(&reference[i], &g, 1);
    reference[i].number = reference[i].key = i;
    rows[i] = reference[i];
    rows[i].end += AQ_NS * (i % 100);
  }
  aq_compare c = compared(reference, rows, MANY, 0);
  ck_assert_int_eq(c.scored, MANY);
  const aq_compare_stat *end =
      &c.stats[AQ_PREDICTOR_RUN][AQ_QUANTITY_END][AQ_CLASS_ALL];
  ck_assert_double_eq(end->median, 50);
  ck_assert_double_eq(end->p90, 90);
  ck_assert_double_eq(end->p99, 99);
  ck_assert_double_eq_tol(end->mean, 49.5, 1e-9);
  aq_compare_fini(&c);
  free(reference);
  free(rows);
}
END_TEST

AQ_TEST_MAIN(
    "report/compare", a_run_compared_with_itself_has_no_error,
    each_row_is_in_the_class_its_submission_says,
    a_shift_shows_in_ends_and_once_in_intervals,
    zero_starts_at_submission_or_previous_end,
    e_adds_the_median_latency_of_the_run_itself,
    e_takes_the_cold_latency_after_105_us, b_adds_the_median_gap_of_queued_rows,
    formulas_have_the_durations_that_a_replay_predicted,
    makespans_of_queues_are_apart_from_the_runs,
    pinned_partnerless_and_silent_rows_count_nowhere,
    no_verdict_when_nothing_can_be_scored, queues_do_not_mix,
    worst_rows_come_by_size_then_number,
    rows_that_gave_constants_neither_score_nor_fit_the_formulas,
    formulas_are_fitted_to_all_rows_where_the_scored_ones_have_no_latency,
    waits_are_measured_from_each_runs_own_submission, many_rows_are_compared)
