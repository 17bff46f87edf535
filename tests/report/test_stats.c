/* SPDX-License-Identifier: MIT */
/* Groups of rows and of ranges, from rows in memory. */
#include "support/aqtest.h"

#include <stdlib.h>

#include "report/stats/compare.h"
#include "report/stats/range_summary.h"
#include "report/stats/stats.h"

#define US(x) ((aq_time)(x)*AQ_US)

/* A kernel of one queue that was handed over at `submit` and ran from `start`
 * on for 10 us; times in us. */
static aq_dispatch_row row_of(int number, int submit, int start)
{
  return (aq_dispatch_row){.number = number,
                           .kind = AQ_KIND_KERNEL,
                           .via = AQ_VIA_DIRECT,
                           .name = AQ_NONE,
                           .bytes = AQ_NONE,
                           .host_begin = US(submit - 2),
                           .host_end = US(submit),
                           .submit = AQ_TIME_NONE,
                           .submission = US(submit),
                           .start = US(start),
                           .end = US(start + 10),
                           .gap = AQ_NONE};
}

static aq_stats stats_of(aq_dispatch_row *rows, size_t count, aq_stats_by by)
{
  const aq_dispatches d = {.rows = rows, .count = count};
  aq_stats stats;
  aq_diag diag = AQ_DIAG_INIT;
  ck_assert_status(aq_stats_make(&d, NULL, by, &stats, &diag), AQ_OK, &diag);
  return stats;
}

START_TEST(rows_are_of_the_class_that_their_submission_says)
{
  /* Each row begins 1 us behind the end of the one before. */
  aq_dispatch_row r = row_of(1, 0, 100);
  r.gap = US(1);
  static const struct {
    int submit;
    int64_t via, flags;
    aq_compare_class class;
  } cases[] = {{100, AQ_VIA_DIRECT, 0, AQ_CLASS_IDLE},
               {99, AQ_VIA_DIRECT, 0, AQ_CLASS_NEAR},
               {96, AQ_VIA_DIRECT, 0, AQ_CLASS_NEAR},
               {95, AQ_VIA_DIRECT, 0, AQ_CLASS_QUEUED},
               {95, AQ_VIA_GRAPH, 0, AQ_CLASS_GRAPH},
               {95, AQ_VIA_GRAPH, AQ_FLAG_GRAPH_FIRST, AQ_CLASS_GRAPH_FIRST},
               {95, AQ_VIA_GRAPH, AQ_FLAG_EDGE, AQ_CLASS_EDGE}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    r.host_end = US(cases[i].submit);
    r.via = cases[i].via;
    r.flags = cases[i].flags;
    ck_assert_msg(aq_stats_key(&r, AQ_STATS_BY_CLASS) == cases[i].class,
                  "case %zu: %d", i, (int)aq_stats_key(&r, AQ_STATS_BY_CLASS));
  }
  r.gap = AQ_NONE;
  r.flags = 0;
  r.via = AQ_VIA_DIRECT;
  ck_assert_int_eq(aq_stats_key(&r, AQ_STATS_BY_CLASS), AQ_CLASS_IDLE);
  r.host_end = AQ_TIME_NONE;
  ck_assert_int_eq(aq_stats_key(&r, AQ_STATS_BY_CLASS), AQ_NONE);
}
END_TEST

START_TEST(a_group_has_the_spread_of_each_of_its_times)
{
  enum { ROWS = 200 };
  static aq_dispatch_row rows[ROWS];
  for (int i = 0; i < ROWS; i++) {
    rows[i] = row_of(i, 100 * i, 100 * i + 20);
    rows[i].end = rows[i].start + US(i + 1);
    rows[i].flags = i < 3 ? AQ_FLAG_PREDICTED : 0;
  }
  aq_stats stats = stats_of(rows, ROWS, AQ_STATS_BY_ALL);
  const aq_stats_group *g = &stats.groups[0];
  ck_assert_uint_eq(stats.count, 1);
  ck_assert_int_eq(g->calls, ROWS);
  ck_assert_int_eq(g->predicted, 3);
  ck_assert_int_eq(g->kernel.least, US(1));
  ck_assert_int_eq(g->kernel.p50, US(101));
  ck_assert_int_eq(g->kernel.p90, US(181));
  ck_assert_int_eq(g->kernel.p99, US(199));
  ck_assert_int_eq(g->kernel.most, US(200));
  ck_assert_int_eq(g->kernel.total, US(ROWS * (ROWS + 1) / 2));
  ck_assert_int_eq(g->api.p50, US(2));
  ck_assert_int_eq(g->queue.p50, US(20));
  ck_assert_int_eq(g->gap.count, 0);
  ck_assert_int_eq(stats.makespan, US(100 * (ROWS - 1) + ROWS));
  aq_stats_fini(&stats);
}
END_TEST

START_TEST(copies_count_the_bytes_that_they_move)
{
  aq_dispatch_row rows[] = {row_of(0, 0, 10), row_of(1, 0, 30),
                            row_of(2, 0, 50), row_of(3, 0, 70)};
  for (int i = 0; i < 4; i++)
    rows[i].bytes = 1 << i;
  rows[1].kind = AQ_KIND_COPY;
  rows[2].kind = AQ_KIND_FILL;
  rows[3].kind = AQ_KIND_COPY;
  rows[3].bytes = AQ_NONE;
  aq_stats stats = stats_of(rows, 4, AQ_STATS_BY_ALL);
  ck_assert_int_eq(stats.groups[0].bytes, 2 + 4);
  aq_stats_fini(&stats);
}
END_TEST

START_TEST(ranges_of_host_and_device_are_summed_apart)
{
  aq_dispatch_row ranges[5];
  const aq_dispatches d = {.ranges = ranges, .range_count = 5};
  aq_range_summary *list;
  size_t count;
  aq_diag diag = AQ_DIAG_INIT;
  for (int i = 0; i < 5; i++) {
    ranges[i] = row_of(i, 100 * i, 100 * i + 50);
    ranges[i].kind = AQ_KIND_RANGE;
    ranges[i].queue = i < 2 ? 0 : AQ_NONE;
  }
  /* On the device 15 and 10 us; on the host 90, 2 and one without an end. */
  ranges[0].end += US(5);
  ranges[2].host_end = ranges[2].host_begin + US(90);
  ranges[4].host_end = AQ_TIME_NONE;
  ck_assert_status(aq_range_summaries_make(&d, NULL, &list, &count, &diag),
                   AQ_OK, &diag);
  ck_assert_uint_eq(count, 2);
  const aq_range_summary *host = &list[0], *device = &list[1];
  ck_assert(!host->device && device->device);
  ck_assert_int_eq(host->count, 3);
  ck_assert_int_eq(host->untimed, 1);
  ck_assert_int_eq(host->total, US(92));
  ck_assert_int_eq(host->least, US(2));
  ck_assert_int_eq(host->most, US(90));
  ck_assert_int_eq(device->count, 2);
  ck_assert_int_eq(device->untimed, 0);
  ck_assert_int_eq(device->total, US(25));
  ck_assert_int_eq(device->least, US(10));
  ck_assert_int_eq(device->most, US(15));
  free(list);
}
END_TEST

AQ_TEST_MAIN("report/stats", rows_are_of_the_class_that_their_submission_says,
             a_group_has_the_spread_of_each_of_its_times,
             copies_count_the_bytes_that_they_move,
             ranges_of_host_and_device_are_summed_apart)
