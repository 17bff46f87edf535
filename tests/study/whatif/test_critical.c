/* SPDX-License-Identifier: MIT */
#include "support/aqtest.h"

#include "study/whatif/recorded.h"

static aq_diag diag = AQ_DIAG_INIT;

/* A kernel of a queue; the origin is its number. Times in us. */
typedef struct step {
  int64_t queue;
  double submit, start, end;
  int64_t flags;
} step;

static void take(aq_timeline *t, const step *steps, size_t count)
{
  int64_t ordinal;
  aq_timeline_init(t);
  for (int i = 0; i < 2; i++)
    t->sink.queue(&t->sink, NULL, &ordinal, &diag);
  for (size_t i = 0; i < count; i++) {
    aq_record row;
    aq_record_init(&row);
    row.kind = AQ_KIND_KERNEL;
    row.origin = (int64_t)i;
    row.pid = 7;
    row.queue = steps[i].queue;
    row.flags = steps[i].flags;
    row.submit = (aq_time)(steps[i].submit * AQ_US);
    row.start = (aq_time)(steps[i].start * AQ_US);
    row.end = (aq_time)(steps[i].end * AQ_US);
    ck_assert_status(t->sink.put(&t->sink, &row, 1, &diag), AQ_OK, &diag);
  }
}

static aq_critical find(aq_timeline *t)
{
  aq_critical found;
  aq_time sum = 0;
  ck_assert_status(aq_critical_find(t, &found, &diag), AQ_OK, &diag);
  for (int i = 0; i < AQ_CRITICAL_COUNT; i++)
    sum += found.parts[i];
  ck_assert_int_eq(sum, found.makespan);
  aq_timeline_fini(t);
  return found;
}

START_TEST(a_full_queue_is_kernels_and_dispatch)
{
  static const step steps[] = {{0, 0, 4, 10}, {0, 1, 11, 20}, {0, 2, 20, 50}};
  aq_timeline t;
  take(&t, steps, 3);
  const aq_critical c = find(&t);
  ck_assert_int_eq(c.makespan, 46 * AQ_US);
  ck_assert_int_eq(c.parts[AQ_CRITICAL_KERNELS], 45 * AQ_US);
  ck_assert_int_eq(c.parts[AQ_CRITICAL_DISPATCH], AQ_US);
  ck_assert_int_eq(c.rows, 3);
}
END_TEST

START_TEST(a_late_submission_leads_to_the_wait_before_it)
{
  static const step steps[] = {{0, 0, 4, 10}, {0, 30, 34, 40}};
  aq_timeline t;
  take(&t, steps, 2);
  aq_timeline_waited(&t, 7, 15 * AQ_US, 0);
  aq_timeline_waited(&t, 8, 29 * AQ_US, 0); /* of another process */
  const aq_critical c = find(&t);
  ck_assert_int_eq(c.parts[AQ_CRITICAL_KERNELS], 12 * AQ_US);
  ck_assert_int_eq(c.parts[AQ_CRITICAL_DISPATCH], 4 * AQ_US);
  ck_assert_int_eq(c.parts[AQ_CRITICAL_HOST], 15 * AQ_US);
  ck_assert_int_eq(c.parts[AQ_CRITICAL_RETURN], 5 * AQ_US);
}
END_TEST

/* Before the second row a launch is lost: from 10 to 34 us. */
START_TEST(time_in_which_lost_work_may_have_run_is_unknown)
{
  static const step steps[] = {{0, 0, 4, 10}, {0, 30, 34, 40}, {0, 35, 40, 50}};
  static const bool lost[] = {false, true, false};
  aq_timeline t;
  take(&t, steps, 3);
  for (int i = 0; i < 3; i++)
    t.rows[i].device = 0;
  t.lost = lost;
  t.lost_count = 3;
  aq_timeline_waited(&t, 7, 15 * AQ_US, 0);
  const aq_critical c = find(&t);
  ck_assert_int_eq(c.parts[AQ_CRITICAL_KERNELS], 22 * AQ_US);
  ck_assert_int_eq(c.parts[AQ_CRITICAL_UNKNOWN], 24 * AQ_US);
  ck_assert_int_eq(c.parts[AQ_CRITICAL_HOST], 0);
  ck_assert_int_eq(c.rows, 3);
}
END_TEST

START_TEST(without_any_wait_the_host_followed_what_ended_last)
{
  static const step steps[] = {{0, 0, 4, 10}, {0, 30, 34, 40}};
  aq_timeline t;
  take(&t, steps, 2);
  const aq_critical c = find(&t);
  ck_assert_int_eq(c.parts[AQ_CRITICAL_KERNELS], 12 * AQ_US);
  ck_assert_int_eq(c.parts[AQ_CRITICAL_DISPATCH], 4 * AQ_US);
  ck_assert_int_eq(c.parts[AQ_CRITICAL_HOST], 20 * AQ_US);
  ck_assert_int_eq(c.rows, 2);
}
END_TEST

START_TEST(what_a_row_without_a_launch_waited_for_is_unknown)
{
  static const step steps[] = {{0, 0, 4, 10}, {1, 33, 34, 40, AQ_FLAG_PINNED}};
  aq_timeline t;
  take(&t, steps, 2);
  const aq_critical c = find(&t);
  ck_assert_int_eq(c.parts[AQ_CRITICAL_KERNELS], 12 * AQ_US);
  ck_assert_int_eq(c.parts[AQ_CRITICAL_UNKNOWN], 24 * AQ_US);
  ck_assert_int_eq(c.parts[AQ_CRITICAL_HOST], 0);
}
END_TEST

START_TEST(a_host_that_waited_for_nothing_is_the_path_to_the_begin)
{
  static const step steps[] = {{0, 0, 4, 10}, {0, 30, 34, 40}};
  aq_timeline t;
  take(&t, steps, 2);
  aq_timeline_waited(&t, 7, 15 * AQ_US, AQ_NONE);
  const aq_critical c = find(&t);
  ck_assert_int_eq(c.parts[AQ_CRITICAL_HOST], 26 * AQ_US);
  ck_assert_int_eq(c.rows, 1);
}
END_TEST

START_TEST(an_edge_leads_to_the_other_queue)
{
  static const step steps[] = {
      {0, 0, 4, 10}, {1, 0, 4, 60}, {0, 5, 70, 80, AQ_FLAG_EDGE}};
  aq_timeline t;
  take(&t, steps, 3);
  const aq_critical c = find(&t);
  ck_assert_int_eq(c.parts[AQ_CRITICAL_KERNELS], 66 * AQ_US);
  ck_assert_int_eq(c.parts[AQ_CRITICAL_DISPATCH], 10 * AQ_US);
  ck_assert_int_eq(c.parts[AQ_CRITICAL_HOST], 0);
}
END_TEST

/* ---- as recorded ---- */

/* A row of a run, times in us; its number is its place. */
static aq_dispatch_row recorded(int64_t kind, int64_t queue, int64_t begin,
                                int64_t end, int64_t start, int64_t until)
{
  return (aq_dispatch_row){.kind = kind,
                           .via = AQ_VIA_DIRECT,
                           .queue = queue,
                           .pid = 7,
                           .tid = 7,
                           .correlation = AQ_NONE,
                           .host_begin = begin * AQ_US,
                           .host_end = end * AQ_US,
                           .submission = end * AQ_US,
                           .submit = AQ_TIME_NONE,
                           .launch = AQ_TIME_NONE,
                           .start = start * AQ_US,
                           .end = until * AQ_US};
}

/* The parts in us: kernels, copies, dispatch, host, return, unknown. */
static void ck_recorded(aq_dispatches d, const aq_edge *edges,
                        size_t edge_count,
                        const int64_t parts[AQ_CRITICAL_COUNT])
{
  aq_critical found;
  for (size_t i = 0; i < d.count; i++)
    d.rows[i].number = (int64_t)i;
  ck_assert_status(aq_critical_recorded(&d, edges, edge_count, &found, &diag),
                   AQ_OK, &diag);
  for (int i = 0; i < AQ_CRITICAL_COUNT; i++)
    ck_assert_msg(found.parts[i] == parts[i] * AQ_US,
                  "%s: %lld ps, expected %lld us", aq_critical_names[i],
                  (long long)found.parts[i], (long long)parts[i]);
}

START_TEST(a_recorded_wait_leads_to_the_row_that_it_followed)
{
  aq_dispatch_row rows[] = {recorded(AQ_KIND_KERNEL, 0, 0, 5, 10, 20),
                            recorded(AQ_KIND_KERNEL, 1, 7, 8, 11, 24),
                            recorded(AQ_KIND_KERNEL, 0, 30, 35, 40, 50)};
  aq_host_wait wait = {6 * AQ_US, 25 * AQ_US, 7, 7};
  /* The second row was launched when the wait had begun. */
  ck_recorded(
      (aq_dispatches){
          .rows = rows, .count = 3, .waits = &wait, .wait_count = 1},
      NULL, 0, (int64_t[]){20, 0, 5, 10, 5, 0});
}
END_TEST

START_TEST(a_recorded_blocking_copy_waits_for_the_row_in_front_of_it)
{
  aq_dispatch_row rows[] = {recorded(AQ_KIND_KERNEL, 0, 0, 5, 10, 100),
                            recorded(AQ_KIND_COPY, 0, 20, 140, 110, 130)};
  ck_recorded((aq_dispatches){.rows = rows, .count = 2}, NULL, 0,
              (int64_t[]){90, 20, 0, 0, 10, 0});
}
END_TEST

START_TEST(a_recorded_wait_that_no_launch_takes_is_unknown)
{
  aq_dispatch_row rows[] = {recorded(AQ_KIND_KERNEL, 0, 0, 5, 10, 20),
                            recorded(AQ_KIND_KERNEL, 0, 21, 25, 1000, 1010)};
  ck_recorded((aq_dispatches){.rows = rows, .count = 2}, NULL, 0,
              (int64_t[]){20, 0, 0, 5, 0, 975});
}
END_TEST

START_TEST(recorded_nodes_of_a_graph_follow_each_other)
{
  aq_dispatch_row rows[] = {recorded(AQ_KIND_KERNEL, 0, 0, 200, 10, 20),
                            recorded(AQ_KIND_KERNEL, 0, 0, 200, 25, 35)};
  rows[0].via = rows[1].via = AQ_VIA_GRAPH;
  rows[0].correlation = rows[1].correlation = 3;
  ck_recorded((aq_dispatches){.rows = rows, .count = 2}, NULL, 0,
              (int64_t[]){20, 0, 5, 0, 0, 0});
}
END_TEST

/* The second row's queue was free, and its launch had returned at 3. */
START_TEST(a_recorded_edge_leads_to_the_other_queue_if_it_is_sure_enough)
{
  aq_dispatch_row rows[] = {recorded(AQ_KIND_KERNEL, 0, 0, 1, 10, 20),
                            recorded(AQ_KIND_KERNEL, 1, 2, 3, 26, 36)};
  const aq_dispatches d = {.rows = rows, .count = 2};
  aq_edge edge = {0, 1, AQ_EDGE_INFERRED, AQ_CRITICAL_CONFIDENCE};
  ck_recorded(d, &edge, 1, (int64_t[]){20, 0, 6, 0, 0, 0});
  edge.confidence--;
  ck_recorded(d, &edge, 1, (int64_t[]){10, 0, 16, 0, 0, 0});
}
END_TEST

START_TEST(a_timeline_without_rows_has_no_path)
{
  aq_timeline t;
  aq_critical found;
  aq_timeline_init(&t);
  ck_assert_status(aq_critical_find(&t, &found, &diag), AQ_ERR_INPUT, &diag);
}
END_TEST

AQ_TEST_MAIN("study/whatif/critical", a_full_queue_is_kernels_and_dispatch,
             a_late_submission_leads_to_the_wait_before_it,
             a_host_that_waited_for_nothing_is_the_path_to_the_begin,
             time_in_which_lost_work_may_have_run_is_unknown,
             without_any_wait_the_host_followed_what_ended_last,
             what_a_row_without_a_launch_waited_for_is_unknown,
             an_edge_leads_to_the_other_queue,
             a_recorded_wait_leads_to_the_row_that_it_followed,
             a_recorded_blocking_copy_waits_for_the_row_in_front_of_it,
             a_recorded_wait_that_no_launch_takes_is_unknown,
             recorded_nodes_of_a_graph_follow_each_other,
             a_recorded_edge_leads_to_the_other_queue_if_it_is_sure_enough,
             a_timeline_without_rows_has_no_path)
