/* SPDX-License-Identifier: MIT */
#include "support/aqtest.h"

#include "study/whatif/critical.h"

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
             an_edge_leads_to_the_other_queue,
             a_timeline_without_rows_has_no_path)
