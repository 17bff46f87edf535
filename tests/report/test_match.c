/* SPDX-License-Identifier: MIT */
/* Matches of two runs, and their latencies, thresholds and GPUs. */
#include "support/aqtest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/compare/match.h"
#include "report/compare/metrics.h"
#include "report/compare/thresholds.h"
#include "report/stats/latency.h"

enum { ROWS_MAX = 16, DEVICES = 10 };

/* Of devices by ordinal, as the source has them: 9 and 8 are the first. */
static const int64_t ids[DEVICES] = {10, 11, 12, 13, 14, 15, 16, 17, 5, 3};

/* A run of one dispatch a letter, whose name it is. */
typedef struct side {
  aq_dispatch_row rows[ROWS_MAX];
  uint32_t names[ROWS_MAX];
  aq_dispatches dispatches;
} side;

static side side_of(const char *letters)
{
  side s = {.dispatches = {.count = strlen(letters)}};
  for (size_t i = 0; i < s.dispatches.count; i++) {
    s.rows[i] = (aq_dispatch_row){.number = (int64_t)i,
                                  .origin = AQ_NONE,
                                  .correlation = (int64_t)i,
                                  .via = AQ_VIA_DIRECT};
    s.names[i] = (uint32_t)(letters[i] - 'a');
  }
  return s;
}

/* "a-b" for each match, between spaces; valid until the next call. */
static const char *matched(side *a, side *b, aq_match_by by, aq_match_by *used)
{
  static char text[512];
  aq_diag diag = AQ_DIAG_INIT;
  aq_matches matches;
  aq_match_devices devices[2];
  a->dispatches.rows = a->rows;
  b->dispatches.rows = b->rows;
  ck_assert(aq_match_devices_number(&a->dispatches, ids, DEVICES, &devices[0]));
  ck_assert(aq_match_devices_number(&b->dispatches, ids, DEVICES, &devices[1]));
  ck_assert_status(
      aq_match_make(&(aq_match_side){&a->dispatches, a->names, &devices[0]},
                    &(aq_match_side){&b->dispatches, b->names, &devices[1]}, by,
                    (aq_match_replay){.possible = false}, &matches, &diag),
      AQ_OK, &diag);
  ck_assert(matches.by_device == (devices[0].count == devices[1].count));
  aq_match_devices_fini(&devices[0]);
  aq_match_devices_fini(&devices[1]);
  text[0] = 0;
  for (size_t i = 0; i < matches.count; i++)
    snprintf(text + strlen(text), sizeof text - strlen(text), "%s%zu-%zu",
             i ? " " : "", matches.pairs[i].a, matches.pairs[i].b);
  if (used)
    *used = matches.by;
  aq_matches_fini(&matches);
  return text;
}

START_TEST(the_nth_of_a_name_is_the_nth_of_that_name)
{
  side a = side_of("abaab"), b = side_of("baaac");
  ck_assert_str_eq(matched(&a, &b, AQ_MATCH_NAME, NULL), "0-1 1-0 2-2 3-3");
}
END_TEST

START_TEST(a_correlation_is_taken_once_and_not_from_graphs)
{
  side a = side_of("abcd"), b = side_of("abcd");
  /* 1 is there twice in b; 2 submitted a graph; 3 is only in a. */
  b.rows[3].correlation = 1;
  a.rows[2].via = b.rows[2].via = AQ_VIA_GRAPH;
  ck_assert_str_eq(matched(&a, &b, AQ_MATCH_CORRELATION, NULL), "0-0 1-1");
}
END_TEST

START_TEST(runs_are_matched_by_order_only_where_all_names_agree)
{
  aq_match_by by;
  side a = side_of("abcab"), b = side_of("abcab"), longer = side_of("abcabc"),
       other = side_of("xabca");
  matched(&a, &b, AQ_MATCH_AUTO, &by);
  ck_assert_int_eq(by, AQ_MATCH_ORDER);
  ck_assert_str_eq(matched(&a, &longer, AQ_MATCH_AUTO, &by),
                   "0-0 1-1 2-2 3-3 4-4");
  ck_assert_int_eq(by, AQ_MATCH_ALIGN);
  ck_assert_str_eq(matched(&a, &other, AQ_MATCH_AUTO, &by), "0-1 1-2 2-3 3-4");
  ck_assert_int_eq(by, AQ_MATCH_ALIGN);
  ck_assert_str_eq(matched(&a, &other, AQ_MATCH_ORDER, &by),
                   "0-0 1-1 2-2 3-3 4-4");
}
END_TEST

/* ---- devices ---- */

/* A dispatch a letter, on the device of the digit below it ("." for none). */
static side side_on(const char *letters, const char *devices)
{
  side s = side_of(letters);
  for (size_t i = 0; i < s.dispatches.count; i++) {
    s.rows[i].rank = AQ_NONE;
    s.rows[i].device = devices[i] == '.' ? AQ_NONE : devices[i] - '0';
  }
  return s;
}

static void ranks_set(side *s, const char *ranks)
{
  for (size_t i = 0; i < s->dispatches.count; i++)
    s->rows[i].rank = ranks[i] == '.' ? AQ_NONE : ranks[i] - '0';
}

START_TEST(a_dispatch_finds_its_partner_on_its_device)
{
  static const aq_match_by ways[] = {AQ_MATCH_AUTO, AQ_MATCH_ORDER,
                                     AQ_MATCH_NAME, AQ_MATCH_ALIGN};
  side a = side_on("aaaa", "0101"), b = side_on("aaaa", "3773");
  aq_match_by by;
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
    ck_assert_str_eq(matched(&a, &b, ways[i], NULL), "0-0 1-1 2-3 3-2");
  side turned = side_on("aaaa", "8989");
  ck_assert_str_eq(matched(&a, &turned, AQ_MATCH_AUTO, NULL),
                   "0-1 1-0 2-3 3-2");
  side other = side_on("aaba", "0101");
  ck_assert_str_eq(matched(&other, &b, AQ_MATCH_AUTO, &by), "0-0 1-1 3-2");
  ck_assert_int_eq(by, AQ_MATCH_ALIGN);
  /* Ids of calls count in each rank for themselves. */
  for (size_t i = 0; i < 4; i++)
    a.rows[i].correlation = b.rows[i].correlation = (int64_t)i / 2;
  ck_assert_str_eq(matched(&a, &b, AQ_MATCH_CORRELATION, NULL),
                   "0-0 1-1 2-3 3-2");
}
END_TEST

START_TEST(devices_correspond_by_rank_before_their_ids)
{
  side a = side_on("aaaa", "0011"), b = side_on("aaaa", "0011");
  ranks_set(&a, "0011");
  ranks_set(&b, "11.0");
  ck_assert_str_eq(matched(&a, &b, AQ_MATCH_AUTO, NULL), "0-2 1-3 2-0 3-1");
  /* Two ranks of one device. */
  side shared = side_on("aaaa", "5555");
  ranks_set(&shared, "0101");
  ck_assert_str_eq(matched(&a, &shared, AQ_MATCH_AUTO, NULL),
                   "0-0 1-2 2-1 3-3");
}
END_TEST

START_TEST(another_number_of_devices_is_matched_across_them)
{
  side a = side_on("aaaa", "0101"), b = side_on("aaaa", "0000"),
       none = side_on("aaaa", "....");
  ck_assert_str_eq(matched(&a, &b, AQ_MATCH_AUTO, NULL), "0-0 1-1 2-2 3-3");
  ck_assert_str_eq(matched(&none, &b, AQ_MATCH_AUTO, NULL), "0-0 1-1 2-2 3-3");
  side one = side_on("aaaa", "01.."), two = side_on("aaaa", "..01");
  ck_assert_str_eq(matched(&one, &two, AQ_MATCH_AUTO, NULL), "0-2 1-3 2-0 3-1");
}
END_TEST

/* ---- latencies ---- */

static aq_compare_row row_of(int64_t key, int us)
{
  return (aq_compare_row){.key = key,
                          .number = key,
                          .name = AQ_NONE,
                          .flags = 0,
                          .via = AQ_VIA_DIRECT,
                          .host_begin = AQ_TIME_NONE,
                          .host_end = AQ_TIME_NONE,
                          .submit = 100 * key * AQ_US,
                          .start = (100 * key + us) * AQ_US,
                          .end = (100 * key + us + 1) * AQ_US};
}

START_TEST(median_latencies_are_of_rows_that_both_runs_score)
{
  aq_compare_row reference[6], rows[6];
  aq_time theirs, ours;
  aq_diag diag = AQ_DIAG_INIT;
  for (int i = 0; i < 6; i++) {
    reference[i] = row_of(i, 10 + i);
    rows[i] = row_of(i, 20 + i);
  }
  /* Not scored: pinned, learned, without a partner. */
  rows[3].flags = AQ_FLAG_PINNED;
  rows[4].flags = AQ_FLAG_LEARNED;
  rows[5].key = 77;
  ck_assert_status(
      aq_latency_medians(reference, 6, rows, 6, &theirs, &ours, &diag), AQ_OK,
      &diag);
  ck_assert_int_eq(theirs, 11 * AQ_US);
  ck_assert_int_eq(ours, 21 * AQ_US);
  ck_assert_status(
      aq_latency_medians(reference, 6, rows + 3, 3, &theirs, &ours, &diag),
      AQ_OK, &diag);
  ck_assert_int_eq(ours, AQ_TIME_NONE);
}
END_TEST

START_TEST(a_figure_is_within_its_interval_on_both_sides_of_it)
{
  char text[AQ_LATENCY_TEXT];
  for (int sign = -1; sign <= 1; sign += 2)
    for (int far = 0; far < 2; far++) {
      aq_compare_runs c = {
          .latency_reference = 10 * AQ_US,
          .latency = (10 + 4 * sign) * AQ_US,
          .interval_makespan = 5 * AQ_US,
          .interval_latency = far ? 3 * AQ_US : 4 * AQ_US,
          .figures = {.makespan_reference = 100 * AQ_US,
                      .makespan = {(100 + (far ? 6 : 5) * sign) * AQ_US}}};
      aq_latency_text(&c, text);
      ck_assert_ptr_nonnull(
          strstr(text, sign < 0 ? "-4.000 us\n" : "+4.000 us\n"));
      ck_assert_ptr_nonnull(
          strstr(text, far ? "makespan +- 5.000 us (outside), median latency "
                             "+- 3.000 us (outside)"
                           : "makespan +- 5.000 us (within), median latency "
                             "+- 4.000 us (within)"));
    }
}
END_TEST

/* ---- thresholds ---- */

static aq_status judged(const char *const *texts, const aq_figures *figures,
                        aq_diag *diag)
{
  aq_threshold *limits;
  size_t count;
  *diag = (aq_diag)AQ_DIAG_INIT;
  ck_assert_status(aq_thresholds_read(texts, &limits, &count, diag), AQ_OK,
                   diag);
  aq_status status = aq_thresholds_judge(limits, count, figures, diag);
  free(limits);
  return status;
}

START_TEST(any_threshold_that_is_passed_is_told_with_the_others)
{
  const aq_versions versions = {
      .makespan = {.before = 1e6, .low = .1, .high = .3},
      .kernel = {.before = 5e5, .low = .02, .high = .4}};
  const aq_figures figures = {.versions = &versions};
  aq_diag diag;
  ck_assert_int_eq(
      judged((const char *const[]){"makespan=100us", "kernel.slower=2%",
                                   "makespan.relative=10%", NULL},
             &figures, &diag),
      AQ_OK);
  ck_assert_int_eq(
      judged((const char *const[]){"makespan=1ms", "kernel.slower=1%", NULL},
             &figures, &diag),
      AQ_ERR_DIFFERENT);
  ck_assert_str_eq(diag.text, "kernel.slower is 0.02 fraction, above 0.01");
  ck_assert_int_eq(
      judged((const char *const[]){"makespan=99us", "kernel.slower=1%", NULL},
             &figures, &diag),
      AQ_ERR_DIFFERENT);
  ck_assert_str_eq(diag.text, "makespan is 100000 ns, above 99000; "
                              "kernel.slower is 0.02 fraction, above 0.01");
  ck_assert_int_eq(
      judged((const char *const[]){"api.slower=1%", NULL}, &figures, &diag),
      AQ_ERR_INPUT);
}
END_TEST

/* ---- GPUs ---- */

START_TEST(gpus_differ_by_isa_units_or_a_name_that_begins_otherwise)
{
  static const struct {
    aq_run_device a, b;
    bool differ;
  } cases[] = {
      {{.name = "AMD Instinct MI300X", .cus = 304},
       {.name = "AMD Instinct MI300X OAM", .cus = 304},
       false},
      {{.name = "AMD Instinct MI300X"}, {.name = "AMD Instinct MI325X"}, true},
      {{.name = "AMD Radeon Graphics"}, {.name = "AMD Instinct MI210"}, false},
      {{.gfx = "gfx942"}, {.gfx = "gfx90a"}, true},
      {{.gfx = "gfx942", .cus = 304}, {.gfx = "gfx942", .cus = 228}, true},
      {{.gfx = "gfx942", .cus = 304}, {.gfx = "gfx942", .cus = AQ_NONE}, false},
      {{.name = ""}, {.name = "AMD Instinct MI210"}, false}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ck_assert(aq_compare_gpus_differ(&cases[i].a, &cases[i].b) ==
              cases[i].differ);
    ck_assert(aq_compare_gpus_differ(&cases[i].b, &cases[i].a) ==
              cases[i].differ);
  }
}
END_TEST

AQ_TEST_MAIN("report/match", the_nth_of_a_name_is_the_nth_of_that_name,
             a_correlation_is_taken_once_and_not_from_graphs,
             runs_are_matched_by_order_only_where_all_names_agree,
             a_dispatch_finds_its_partner_on_its_device,
             devices_correspond_by_rank_before_their_ids,
             another_number_of_devices_is_matched_across_them,
             median_latencies_are_of_rows_that_both_runs_score,
             a_figure_is_within_its_interval_on_both_sides_of_it,
             any_threshold_that_is_passed_is_told_with_the_others,
             gpus_differ_by_isa_units_or_a_name_that_begins_otherwise)
