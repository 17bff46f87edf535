/* SPDX-License-Identifier: MIT */
#include "report/explain/explain.h"
#include "report/stats/part_spans.h"

#include <stdlib.h>
#include <string.h>

#include "support/aqtest.h"

#define US(n) ((aq_time)(n)*AQ_US)

enum { ROWS = 16 };

typedef struct run {
  aq_dispatch_row rows[ROWS];
  aq_host_wait waits[ROWS];
  aq_dispatches all;
} run;

static aq_dispatch_row *add(run *r, int64_t kind, int64_t start, int64_t end)
{
  aq_dispatch_row *row = &r->rows[r->all.count];
  r->all.rows = r->rows;
  r->all.waits = r->waits;
  *row = (aq_dispatch_row){.number = (int64_t)r->all.count++,
                           .kind = kind,
                           .via = AQ_VIA_DIRECT,
                           .pid = 1,
                           .tid = 1,
                           .workgroups = AQ_NONE,
                           .host_begin = AQ_TIME_NONE,
                           .host_end = AQ_TIME_NONE,
                           .submit = AQ_TIME_NONE,
                           .submission = AQ_TIME_NONE,
                           .fetch = AQ_TIME_NONE,
                           .launch = AQ_TIME_NONE,
                           .start = US(start),
                           .end = US(end)};
  return row;
}

static aq_explain explained(const run *r, int64_t cus, bool policy)
{
  aq_diag diag = AQ_DIAG_INIT;
  aq_explain e;
  ck_assert_status(aq_explain_make(&r->all, &cus, 1, policy, NULL, &e, &diag),
                   AQ_OK, &diag);
  aq_time sum = 0;
  for (int i = 0; i < AQ_CAUSE_COUNT; i++) {
    ck_assert_int_ge(e.shares[i].time, 0);
    sum += e.shares[i].time;
  }
  ck_assert_int_eq(sum, e.time);
  return e;
}

/* How much of the time a cause has, in microseconds. */
typedef struct share {
  aq_explain_cause cause;
  int64_t us;
} share;

#define NO_MORE                                                                \
  (share)                                                                      \
  {                                                                            \
    AQ_CAUSE_COUNT, 0                                                          \
  }

/* The first of them is one of the two largest. */
static void explained_by(const run *r, int64_t cus, bool policy, share first,
                         share second)
{
  const aq_explain e = explained(r, cus, policy);
  ck_assert(e.largest == first.cause || e.next == first.cause);
  ck_assert_int_eq(e.shares[first.cause].time, US(first.us));
  if (second.cause != AQ_CAUSE_COUNT)
    ck_assert_int_eq(e.shares[second.cause].time, US(second.us));
}

/* A kernel of 10 us, and one 90 us behind it that is returned. */
static aq_dispatch_row *late_kernel(run *r)
{
  add(r, AQ_KIND_KERNEL, 0, 10);
  return add(r, AQ_KIND_KERNEL, 100, 110);
}

static void submitted(aq_dispatch_row *row, int64_t begin, int64_t end)
{
  row->host_begin = US(begin);
  row->host_end = row->submission = US(end);
}

START_TEST(a_host_between_calls_is_told_from_one_in_a_call)
{
  run r = {0};
  submitted(add(&r, AQ_KIND_KERNEL, 0, 10), -5, -4);
  submitted(add(&r, AQ_KIND_KERNEL, 100, 110), 80, 95);
  const aq_explain e = explained(&r, 0, false);
  ck_assert_int_eq(e.largest, AQ_CAUSE_HOST);
  ck_assert(e.bound);
  ck_assert_int_eq(e.shares[AQ_CAUSE_HOST].time, US(70));
  ck_assert_int_eq(e.shares[AQ_CAUSE_LAUNCH].time, US(15));
  ck_assert_int_eq(e.shares[AQ_CAUSE_DISPATCH].time, US(5));
  ck_assert_int_eq(e.shares[AQ_CAUSE_KERNEL].time, US(20));
  ck_assert_int_eq(e.shares[AQ_CAUSE_LAUNCH].worst_row, 1);
  ck_assert_int_eq(e.time, US(110));
}
END_TEST

START_TEST(a_host_that_waits_for_the_device_is_sync_bound)
{
  run r = {0};
  submitted(add(&r, AQ_KIND_KERNEL, 0, 10), -5, -4);
  submitted(add(&r, AQ_KIND_KERNEL, 100, 110), 92, 95);
  r.waits[r.all.wait_count++] = (aq_host_wait){US(5), US(90), 1, 1};
  aq_explain e = explained(&r, 0, false);
  ck_assert_int_eq(e.largest, AQ_CAUSE_SYNC);
  ck_assert_int_eq(e.shares[AQ_CAUSE_SYNC].time, US(80));
  ck_assert_int_eq(e.shares[AQ_CAUSE_HOST].time, US(2));
  ck_assert_int_eq(e.shares[AQ_CAUSE_LAUNCH].time, US(3));
  r.waits[0].tid = 2; /* another thread's wait says nothing of it */
  e = explained(&r, 0, false);
  ck_assert_int_eq(e.shares[AQ_CAUSE_SYNC].time, 0);
}
END_TEST

/* The host works from 10 to 60 and from 64 to 80; it only looks in between. Two
 * of its waits overlap, and one began before the gap. */
START_TEST(only_the_time_in_a_wait_is_sync)
{
  run r = {0};
  submitted(add(&r, AQ_KIND_KERNEL, 0, 10), -5, -4);
  submitted(add(&r, AQ_KIND_KERNEL, 100, 110), 90, 95);
  r.waits[r.all.wait_count++] = (aq_host_wait){US(60), US(63), 1, 1};
  r.waits[r.all.wait_count++] = (aq_host_wait){US(61), US(64), 1, 1};
  r.waits[r.all.wait_count++] = (aq_host_wait){US(80), US(200), 1, 1};
  aq_explain e = explained(&r, 0, false);
  ck_assert_int_eq(e.shares[AQ_CAUSE_SYNC].time, US(4 + 10));
  ck_assert_int_eq(e.shares[AQ_CAUSE_SYNC].worst, US(14));
  ck_assert_int_eq(e.shares[AQ_CAUSE_SYNC].gaps, 1);
  ck_assert_int_eq(e.shares[AQ_CAUSE_HOST].time, US(50 + 16));
  ck_assert_int_eq(e.shares[AQ_CAUSE_HOST].gaps, 1);
  r.waits[0] = (aq_host_wait){US(5), US(12), 1, 1};
  e = explained(&r, 0, false);
  ck_assert_int_eq(e.shares[AQ_CAUSE_SYNC].time, US(2 + 3 + 10));
}
END_TEST

START_TEST(a_policy_that_holds_jobs_back_is_told_from_the_host)
{
  run r = {0};
  submitted(add(&r, AQ_KIND_KERNEL, 0, 10), -5, -4);
  aq_dispatch_row *row = add(&r, AQ_KIND_KERNEL, 100, 110);
  row->host_begin = US(20);
  row->submit = row->submission = US(96);
  explained_by(&r, 0, true, (share){AQ_CAUSE_POLICY, 76},
               (share){AQ_CAUSE_HOST, 10});
}
END_TEST

/* The call begins at 5, while the kernel runs, and returns at 120. */
START_TEST(a_blocking_copy_is_a_wait_and_then_a_copy)
{
  run r = {0};
  submitted(add(&r, AQ_KIND_KERNEL, 0, 10), -5, -4);
  submitted(add(&r, AQ_KIND_COPY, 30, 110), 5, 120);
  explained_by(&r, 0, false, (share){AQ_CAUSE_COPY, 80},
               (share){AQ_CAUSE_SYNC, 20});
  submitted(&r.rows[1], 15, 120); /* the device was idle: nothing to wait for */
  explained_by(&r, 0, false, (share){AQ_CAUSE_COPY, 80},
               (share){AQ_CAUSE_LAUNCH, 15});
  ck_assert_int_eq(explained(&r, 0, false).shares[AQ_CAUSE_HOST].time, US(5));
}
END_TEST

START_TEST(a_long_first_launch_of_a_kernel_loads_its_code)
{
  run r = {0};
  submitted(add(&r, AQ_KIND_KERNEL, 0, 10), -5, -4);
  aq_dispatch_row *first = add(&r, AQ_KIND_KERNEL, 5000, 5010);
  submitted(first, 1000, 4990);
  first->name = 1;
  aq_dispatch_row *again = add(&r, AQ_KIND_KERNEL, 9000, 9010);
  submitted(again, 6000, 8990);
  again->name = 1;
  const aq_explain e = explained(&r, 0, false);
  ck_assert_int_eq(e.shares[AQ_CAUSE_LOADING].time, US(3990));
  ck_assert_int_eq(e.shares[AQ_CAUSE_LAUNCH].time, US(2990));
  ck_assert_int_eq(e.shares[AQ_CAUSE_HOST].time, US(990 + 990));
}
END_TEST

/* Communication from 0 to 100, compute from 40 to 60, a copy from 90 to 120. */
START_TEST(communication_is_a_class_with_its_overlap)
{
  run r = {0};
  add(&r, AQ_KIND_KERNEL, 0, 100)->communicates = true;
  add(&r, AQ_KIND_KERNEL, 40, 60);
  add(&r, AQ_KIND_COPY, 90, 120);
  const aq_explain e = explained(&r, 0, false);
  ck_assert_int_eq(e.communication, US(100));
  ck_assert_int_eq(e.shares[AQ_CAUSE_COMMUNICATION].time, US(80));
  ck_assert_int_eq(e.shares[AQ_CAUSE_KERNEL].time, US(20));
  ck_assert_int_eq(e.shares[AQ_CAUSE_COPY].time, US(20));
  ck_assert_int_eq(e.largest, AQ_CAUSE_COMMUNICATION);
  ck_assert_int_eq(e.next, AQ_CAUSE_KERNEL);
}
END_TEST

START_TEST(a_fetched_packet_that_waits_is_barrier_bound)
{
  run r = {0};
  aq_dispatch_row *row = late_kernel(&r);
  row->submit = row->submission = US(5);
  row->fetch = US(8);
  row->launch = US(97);
  explained_by(&r, 0, false, (share){AQ_CAUSE_BARRIER, 87},
               (share){AQ_CAUSE_DISPATCH, 3});
}
END_TEST

START_TEST(a_measured_wait_for_another_queue_is_barrier_bound)
{
  run r = {0};
  aq_dispatch_row *row = late_kernel(&r);
  submitted(row, 1, 2);
  row->flags = AQ_FLAG_EDGE;
  explained_by(&r, 0, false, (share){AQ_CAUSE_BARRIER, 90}, NO_MORE);
}
END_TEST

/* No constant of any device model makes a launch take half a second. */
START_TEST(a_wait_that_no_launch_takes_is_unexplained)
{
  run r = {0};
  submitted(add(&r, AQ_KIND_KERNEL, 0, 10), -5, -4);
  submitted(add(&r, AQ_KIND_KERNEL, 493000, 493010), 11, 12);
  submitted(add(&r, AQ_KIND_KERNEL, 493020, 493030), 493011, 493012);
  explained_by(&r, 0, false, (share){AQ_CAUSE_UNEXPLAINED, 493000 - 12},
               (share){AQ_CAUSE_DISPATCH, 8});
  ck_assert_int_eq(
      explained(&r, 0, false).shares[AQ_CAUSE_UNEXPLAINED].worst_row, 1);
}
END_TEST

/* The measured run above, and its replay: that starts the second row at once,
 * and the host continues when it did. */
START_TEST(a_replay_does_not_blame_the_host_for_unexplained_waits)
{
  run measured = {0}, replay = {0};
  submitted(add(&measured, AQ_KIND_KERNEL, 0, 10), -5, -4);
  submitted(add(&measured, AQ_KIND_KERNEL, 493000, 493010), 11, 12);
  submitted(add(&measured, AQ_KIND_KERNEL, 493100, 493110), 493050, 493096);
  measured.waits[measured.all.wait_count++] =
      (aq_host_wait){US(493005), US(493040), 1, 1};
  submitted(add(&replay, AQ_KIND_KERNEL, 0, 10), -5, -4);
  submitted(add(&replay, AQ_KIND_KERNEL, 16, 26), 11, 12);
  submitted(add(&replay, AQ_KIND_KERNEL, 493100, 493110), 493050, 493096);
  aq_dispatches alone = replay.all, *all = &replay.all;
  *all = (aq_dispatches){.rows = alone.rows, .count = alone.count};
  aq_diag diag = AQ_DIAG_INIT;
  ck_assert_status(aq_explain_origin(all, &measured.all, true, &diag), AQ_OK,
                   &diag);
  const aq_explain was = explained(&measured, 0, false);
  const aq_explain is = explained(&replay, 0, false);
  ck_assert_int_eq(is.largest, AQ_CAUSE_UNEXPLAINED);
  ck_assert_int_eq(is.stalls, 1);
  /* Off by the launch of the second row, which is in the stall. */
  ck_assert_int_le(was.shares[AQ_CAUSE_UNEXPLAINED].time,
                   is.shares[AQ_CAUSE_UNEXPLAINED].time + US(5));
  ck_assert_int_eq(is.shares[AQ_CAUSE_SYNC].time,
                   was.shares[AQ_CAUSE_SYNC].time);
  ck_assert_int_eq(is.shares[AQ_CAUSE_LAUNCH].time,
                   was.shares[AQ_CAUSE_LAUNCH].time);
  ck_assert_int_eq(is.shares[AQ_CAUSE_HOST].time,
                   was.shares[AQ_CAUSE_HOST].time);
  free(all->waits);
  free(all->stalls);
}
END_TEST

/* The first device has two of them, the later one after the second device's. */
START_TEST(unexplained_waits_of_each_device_are_its_own)
{
  const int64_t cus[] = {0, 0};
  aq_diag diag = AQ_DIAG_INIT;
  aq_explain e;
  run r = {0};
  aq_unexplained_wait stalls[] = {{US(20), US(30), 0, 0},
                                  {US(1020), US(1030), 0, 0},
                                  {US(40), US(70), 0, 1}};
  for (int i = 0; i < 4; i++) {
    aq_dispatch_row *row =
        add(&r, AQ_KIND_KERNEL, 1000 * (i / 2), 1000 * (i / 2) + 10);
    row->device = i % 2;
    submitted(row, 1000 * (i / 2) - 5, 1000 * (i / 2));
  }
  r.all.stalls = stalls;
  r.all.stall_count = 3;
  ck_assert_status(aq_explain_make(&r.all, cus, 2, false, NULL, &e, &diag),
                   AQ_OK, &diag);
  ck_assert_int_eq(e.shares[AQ_CAUSE_UNEXPLAINED].time, US(10 + 30));
}
END_TEST

START_TEST(the_doorbell_of_a_pinned_row_explains_nothing)
{
  run r = {0};
  submitted(add(&r, AQ_KIND_KERNEL, 0, 10), -5, -4);
  aq_dispatch_row *row = add(&r, AQ_KIND_KERNEL, 100, 110);
  row->flags = AQ_FLAG_PINNED;
  row->submit = row->submission = US(95);
  row->fetch = US(96);
  row->launch = US(97);
  explained_by(&r, 0, false, (share){AQ_CAUSE_UNKNOWN, 90}, NO_MORE);
  row->host_begin = US(20); /* its call is known */
  row->host_end = US(30);
  explained_by(&r, 0, false, (share){AQ_CAUSE_DISPATCH, 70},
               (share){AQ_CAUSE_LAUNCH, 10});
}
END_TEST

START_TEST(a_device_of_unknown_size_is_counted)
{
  run r = {0};
  add(&r, AQ_KIND_KERNEL, 0, 100)->workgroups = 15;
  ck_assert_int_eq(explained(&r, 0, false).unsized, 1);
  ck_assert_int_eq(explained(&r, 10, false).unsized, 0);
}
END_TEST

START_TEST(a_packet_that_lies_in_its_ring_is_queue_oversubscribed)
{
  run r = {0};
  aq_dispatch_row *row = late_kernel(&r);
  row->submit = row->submission = US(20);
  row->fetch = US(95);
  row->launch = US(96);
  explained_by(&r, 0, false, (share){AQ_CAUSE_QUEUE, 75}, NO_MORE);
}
END_TEST

START_TEST(copies_count_only_where_no_kernel_ran)
{
  run r = {0};
  add(&r, AQ_KIND_COPY, 0, 80);
  add(&r, AQ_KIND_KERNEL, 60, 100);
  add(&r, AQ_KIND_COPY, 70, 130);
  const aq_explain e = explained(&r, 0, false);
  ck_assert_int_eq(e.shares[AQ_CAUSE_COPY].time, US(90));
  ck_assert_int_eq(e.shares[AQ_CAUSE_KERNEL].time, US(40));
  ck_assert_int_eq(e.largest, AQ_CAUSE_COPY);
}
END_TEST

/* All but the first microsecond of the first copy is behind the kernel, and all
 * of the second. */
START_TEST(the_longest_of_a_cause_has_only_time_of_the_cause)
{
  run r = {0};
  add(&r, AQ_KIND_COPY, 0, 100);
  add(&r, AQ_KIND_COPY, 1, 101);
  add(&r, AQ_KIND_KERNEL, 1, 101);
  aq_explain_share copies = explained(&r, 0, false).shares[AQ_CAUSE_COPY];
  ck_assert_int_eq(copies.time, US(1));
  ck_assert_int_eq(copies.worst, US(1));
  ck_assert_int_eq(copies.worst_row, 0);
  ck_assert_int_eq(copies.gaps, 1);
  r.rows[2].end = US(51); /* 49 us more of the first copy, 1 of the other */
  copies = explained(&r, 0, false).shares[AQ_CAUSE_COPY];
  ck_assert_int_eq(copies.time, US(51));
  ck_assert_int_eq(copies.worst, US(50));
  ck_assert_int_eq(copies.gaps, 2);
}
END_TEST

enum { CELLS = 64 };

/* The cause of a microsecond in which work runs; AQ_CAUSE_COUNT: none does. */
static aq_explain_cause cell_cause(const run *r, int64_t cell)
{
  bool runs[3][2] = {{false}};
  for (size_t i = 0; i < r->all.count; i++) {
    const aq_dispatch_row *row = &r->rows[i];
    const int kind = row->kind != AQ_KIND_KERNEL ? 2 : row->communicates;
    if (row->start <= US(cell) && row->end > US(cell))
      runs[kind][row->outside] = true;
  }
  static const aq_explain_cause own[] = {AQ_CAUSE_KERNEL,
                                         AQ_CAUSE_COMMUNICATION, AQ_CAUSE_COPY};
  for (int kind = 0; kind < 3; kind++)
    if (runs[kind][false] || runs[kind][true])
      return runs[kind][false] ? own[kind] : AQ_CAUSE_OUTSIDE;
  return AQ_CAUSE_COUNT;
}

static int start_order(const void *a, const void *b)
{
  const aq_dispatch_row *x = a, *y = b;
  return (x->start > y->start) - (x->start < y->start);
}

START_TEST(random_runs_have_the_causes_of_each_microsecond)
{
  static const aq_explain_cause busy[] = {
      AQ_CAUSE_KERNEL, AQ_CAUSE_OUTSIDE, AQ_CAUSE_COMMUNICATION, AQ_CAUSE_COPY};
  uint32_t seed = 1;
  for (int trial = 0; trial < 2000; trial++) {
    run r = {0};
    int64_t time[AQ_CAUSE_COUNT + 1] = {0};
    for (int i = 0; i < ROWS; i++) {
      uint32_t random[4];
      for (int k = 0; k < 4; k++)
        random[k] = (seed = seed * 1664525 + 1013904223) >> 16;
      const int64_t start = random[0] % (CELLS / 2);
      aq_dispatch_row *row =
          add(&r, random[1] % 3 ? AQ_KIND_KERNEL : AQ_KIND_COPY, start,
              start + random[2] % (CELLS / 2));
      row->communicates = random[1] % 3 == 2;
      row->outside = random[3] % 3 == 0;
    }
    qsort(r.rows, ROWS, sizeof *r.rows, start_order);
    for (int cell = 0; cell < CELLS; cell++)
      time[cell_cause(&r, cell)]++;
    const aq_explain e = explained(&r, 0, false);
    for (size_t i = 0; i < sizeof busy / sizeof *busy; i++) {
      const aq_explain_share *cause = &e.shares[busy[i]];
      ck_assert_int_eq(cause->time, US(time[busy[i]]));
      ck_assert_int_le(cause->worst, cause->time);
      ck_assert_int_ge(cause->worst * cause->gaps, cause->time);
    }
  }
}
END_TEST

START_TEST(too_few_workgroups_are_a_tail_effect)
{
  run r = {0};
  add(&r, AQ_KIND_KERNEL, 0, 100)->workgroups = 15;
  explained_by(&r, 10, false, (share){AQ_CAUSE_TAIL, 25},
               (share){AQ_CAUSE_KERNEL, 75});
}
END_TEST

/* Kernels of 49 us and a host of 51, then the other way round. */
START_TEST(half_of_the_time_binds_a_run)
{
  run r = {0};
  add(&r, AQ_KIND_KERNEL, 0, 24);
  submitted(add(&r, AQ_KIND_KERNEL, 75, 100), 75, 75);
  aq_explain e = explained(&r, 0, false);
  ck_assert_int_eq(e.largest, AQ_CAUSE_HOST);
  ck_assert_int_eq(e.next, AQ_CAUSE_KERNEL);
  ck_assert(e.bound);
  r.rows[0].end = US(26);
  e = explained(&r, 0, false);
  ck_assert_int_eq(e.largest, AQ_CAUSE_KERNEL);
  ck_assert_int_eq(e.next, AQ_CAUSE_HOST);
  ck_assert(e.bound);
  r.rows[0].kind = AQ_KIND_COPY; /* 26 of copies, 25 of kernels */
  e = explained(&r, 0, false);
  ck_assert_int_eq(e.largest, AQ_CAUSE_HOST);
  ck_assert(!e.bound);
}
END_TEST

START_TEST(without_host_times_idle_time_is_unknown)
{
  run r = {0};
  late_kernel(&r);
  explained_by(&r, 0, false, (share){AQ_CAUSE_UNKNOWN, 90}, NO_MORE);
}
END_TEST

START_TEST(a_run_without_dispatches_cannot_be_explained)
{
  aq_diag diag = AQ_DIAG_INIT;
  aq_dispatches none = {0};
  aq_explain e;
  ck_assert_int_eq(aq_explain_make(&none, NULL, 0, false, NULL, &e, &diag),
                   AQ_ERR_INPUT);
}
END_TEST

/* A launch per 20 us from 0 on; the launches of 20 and 40 have no record. The
 * host came late for all of them. */
START_TEST(a_gap_with_a_lost_launch_is_unknown)
{
  run r = {0};
  aq_lost_call lost[] = {{US(20), 1}, {US(40), 1}};
  for (int i = 0; i < 5; i++) {
    if (i == 1 || i == 2)
      continue;
    aq_dispatch_row *row = add(&r, AQ_KIND_KERNEL, 20 * i + 10, 20 * i + 20);
    row->host_begin = US(20 * i);
    row->host_end = row->submission = US(20 * i + 5);
  }
  aq_explain e = explained(&r, 0, false);
  ck_assert_int_eq(e.shares[AQ_CAUSE_UNKNOWN].time, 0);
  /* From 20 to 70 and from 80 to 90: until the call, and in it. */
  ck_assert_int_eq(e.shares[AQ_CAUSE_HOST].time, US(40));
  ck_assert_int_eq(e.shares[AQ_CAUSE_LAUNCH].time, US(5) + US(5));
  r.all.lost = lost;
  r.all.lost_count = 2;
  e = explained(&r, 0, false);
  ck_assert_int_eq(e.shares[AQ_CAUSE_UNKNOWN].time, US(50));
  ck_assert_int_eq(e.shares[AQ_CAUSE_LAUNCH].time, US(5));
  ck_assert_int_eq(e.largest, AQ_CAUSE_UNKNOWN);
  ck_assert_int_eq(e.lost, 2);
  ck_assert_int_eq(e.lost_time, US(50));
}
END_TEST

/* The measured run launches at 0, 20 (lost) and 40; its replay in a closed loop
 * at 100 and 190: the lost launch is one of 120. */
START_TEST(a_lost_launch_moves_with_the_launch_before_it)
{
  run measured = {0}, replay = {0};
  aq_lost_call lost = {US(20), 1, false};
  aq_diag diag = AQ_DIAG_INIT;
  for (int i = 0; i < 2; i++) {
    submitted(add(&measured, AQ_KIND_KERNEL, 40 * i + 10, 40 * i + 20), 40 * i,
              40 * i + 5);
    aq_dispatch_row *row =
        add(&replay, AQ_KIND_KERNEL, 90 * i + 110, 90 * i + 120);
    submitted(row, 90 * i + 100, 90 * i + 105);
    row->origin = measured.all.rows[i].number;
  }
  measured.all.lost = &lost;
  measured.all.lost_count = 1;
  ck_assert_status(aq_explain_origin(&replay.all, &measured.all, false, &diag),
                   AQ_OK, &diag);
  const aq_explain e = explained(&replay, 0, false);
  ck_assert_uint_eq(replay.all.lost_count, 1);
  ck_assert_int_eq(replay.all.lost[0].begin, US(120));
  ck_assert_int_eq(e.lost_time, US(80));
  ck_assert_int_eq(e.shares[AQ_CAUSE_HOST].time, 0);
  free(replay.all.lost);
}
END_TEST

/* A row starts in a gap, and its end is not known. */
START_TEST(a_gap_in_which_a_row_without_an_end_began_is_unknown)
{
  run r = {0};
  aq_lost_call lost = {US(25), 1, true};
  submitted(add(&r, AQ_KIND_KERNEL, 10, 20), 0, 5);
  submitted(add(&r, AQ_KIND_KERNEL, 60, 70), 50, 55);
  r.all.lost = &lost;
  r.all.lost_count = 1;
  const aq_explain e = explained(&r, 0, false);
  ck_assert_int_eq(e.shares[AQ_CAUSE_UNKNOWN].time, US(40));
  ck_assert_int_eq(e.endless, 1);
  ck_assert_int_eq(e.lost, 0);
}
END_TEST

/* Many launches ahead of the device: the lost one ran in a gap far behind. */
START_TEST(a_lost_launch_ran_between_the_rows_that_it_was_launched_between)
{
  run r = {0};
  aq_lost_call lost = {US(1), 1};
  for (int i = 0; i < 3; i++) {
    aq_dispatch_row *row = add(&r, AQ_KIND_KERNEL, 100 * i + 10, 100 * i + 60);
    row->host_begin = US(2 * i);
    row->host_end = row->submission = US(2 * i + 1);
  }
  r.all.lost = &lost;
  r.all.lost_count = 1;
  aq_explain e = explained(&r, 0, false);
  ck_assert_int_eq(e.shares[AQ_CAUSE_UNKNOWN].time, US(50));
  ck_assert_int_eq(e.lost_time, US(50));
}
END_TEST

/* Time of a part in microseconds, of one device: `spans` has room for three
 * times as many, of the device, the ranges and the launches. */
static void part(run *r, aq_part_span spans[], size_t count)
{
  for (size_t i = 0; i < count; i++) {
    aq_part_span one = spans[i];
    one = (aq_part_span){0, US(one.begin), US(one.from), US(one.to)};
    spans[i] = spans[count + i] = spans[2 * count + i] = one;
    spans[count + i].of = AQ_PART_RANGES;
    spans[count + i].from = one.begin;
    spans[2 * count + i].of = AQ_PART_LAUNCHES;
  }
  r->all.spans = spans;
  r->all.span_count = 3 * count;
}

START_TEST(a_part_of_a_run_is_explained_from_its_first_start_to_its_last_end)
{
  run r = {0};
  aq_lost_call lost[] = {{US(2), 1, false}, {US(49), 1, true}};
  add(&r, AQ_KIND_KERNEL, 0, 10)->outside = true;
  add(&r, AQ_KIND_KERNEL, 5, 15);
  add(&r, AQ_KIND_KERNEL, 20, 40)->outside = true;
  add(&r, AQ_KIND_COPY, 30, 50);
  add(&r, AQ_KIND_KERNEL, 45, 60)->outside = true;
  part(&r, (aq_part_span[3]){{.begin = 5, .from = 5, .to = 50}}, 1);
  aq_explain e = explained(&r, 0, false);
  ck_assert_int_eq(e.shares[AQ_CAUSE_KERNEL].time, US(10));
  ck_assert_int_eq(e.shares[AQ_CAUSE_COPY].time, US(5));
  ck_assert_int_eq(e.shares[AQ_CAUSE_OUTSIDE].time, US(25));
  ck_assert_int_eq(e.shares[AQ_CAUSE_UNKNOWN].time, US(5));
  ck_assert_int_eq(e.time, US(45));
  ck_assert_int_eq(e.dispatches, 2);
  r.all.lost = lost;
  r.all.lost_count = 2;
  e = explained(&r, 0, false);
  ck_assert_int_eq(e.lost, 0);
  ck_assert_int_eq(e.endless, 1);
}
END_TEST

/* A row outside covers the begin of the second span; one ends before the third,
 * whose range begins in between. Nothing runs before the first. */
START_TEST(time_between_the_occurrences_of_a_range_is_not_of_the_part)
{
  run r = {0};
  add(&r, AQ_KIND_KERNEL, 0, 10);
  add(&r, AQ_KIND_KERNEL, 30, 55)->outside = true;
  add(&r, AQ_KIND_COPY, 50, 60);
  add(&r, AQ_KIND_COPY, 70, 80);
  add(&r, AQ_KIND_KERNEL, 100, 120)->outside = true;
  add(&r, AQ_KIND_KERNEL, 150, 160);
  part(&r,
       (aq_part_span[9]){{.begin = -5, .from = 0, .to = 10},
                         {.begin = 5, .from = 50, .to = 80},
                         {.begin = 145, .from = 150, .to = 160}},
       3);
  const aq_explain e = explained(&r, 0, false);
  ck_assert_int_eq(e.shares[AQ_CAUSE_KERNEL].time, US(20));
  ck_assert_int_eq(e.shares[AQ_CAUSE_OUTSIDE].time, US(5));
  ck_assert_int_eq(e.shares[AQ_CAUSE_COPY].time, US(15));
  ck_assert_int_eq(e.shares[AQ_CAUSE_UNKNOWN].time, US(15));
  ck_assert_int_eq(e.time, US(55));
  ck_assert_int_eq(e.devices, 1);
}
END_TEST

START_TEST(kernels_outside_of_a_part_hide_its_communication)
{
  run r = {0};
  add(&r, AQ_KIND_KERNEL, 0, 60)->outside = true;
  add(&r, AQ_KIND_KERNEL, 10, 100)->communicates = true;
  aq_dispatch_row *other = add(&r, AQ_KIND_KERNEL, 90, 120);
  other->communicates = other->outside = true;
  add(&r, AQ_KIND_COPY, 110, 130);
  part(&r, (aq_part_span[3]){{.begin = 10, .from = 10, .to = 130}}, 1);
  const aq_explain e = explained(&r, 0, false);
  ck_assert_int_eq(e.communication, US(90));
  ck_assert_int_eq(e.shares[AQ_CAUSE_COMMUNICATION].time, US(40));
  ck_assert_int_eq(e.shares[AQ_CAUSE_OUTSIDE].time, US(70));
  ck_assert_int_eq(e.shares[AQ_CAUSE_COPY].time, US(10));
}
END_TEST

START_TEST(code_that_was_loaded_before_a_part_is_not_loaded_in_it)
{
  run r = {0};
  add(&r, AQ_KIND_KERNEL, 0, 10)->outside = true;
  add(&r, AQ_KIND_KERNEL, 20, 30);
  aq_dispatch_row *again = add(&r, AQ_KIND_KERNEL, 5000, 5010);
  again->host_begin = US(1000);
  again->host_end = again->submission = US(5000);
  part(&r, (aq_part_span[3]){{.begin = 20, .from = 20, .to = 5010}}, 1);
  const aq_explain e = explained(&r, 0, false);
  ck_assert_int_eq(e.shares[AQ_CAUSE_LOADING].time, 0);
  ck_assert_int_eq(e.shares[AQ_CAUSE_LAUNCH].time, US(4000));
}
END_TEST

START_TEST(a_device_without_rows_of_the_part_has_no_time)
{
  run r = {0};
  const int64_t cus[] = {0, 0};
  aq_diag diag = AQ_DIAG_INIT;
  aq_explain e;
  add(&r, AQ_KIND_KERNEL, 0, 10);
  aq_dispatch_row *other = add(&r, AQ_KIND_KERNEL, 5, 50);
  other->device = 1;
  other->outside = true;
  part(&r, (aq_part_span[3]){{.begin = 0, .from = 0, .to = 10}}, 1);
  ck_assert_status(aq_explain_make(&r.all, cus, 2, false, NULL, &e, &diag),
                   AQ_OK, &diag);
  ck_assert_int_eq(e.devices, 1);
  ck_assert_int_eq(e.time, US(10));
}
END_TEST

AQ_TEST_MAIN("report/explain",
             a_part_of_a_run_is_explained_from_its_first_start_to_its_last_end,
             time_between_the_occurrences_of_a_range_is_not_of_the_part,
             kernels_outside_of_a_part_hide_its_communication,
             code_that_was_loaded_before_a_part_is_not_loaded_in_it,
             a_device_without_rows_of_the_part_has_no_time,
             a_host_between_calls_is_told_from_one_in_a_call,
             a_host_that_waits_for_the_device_is_sync_bound,
             only_the_time_in_a_wait_is_sync,
             the_longest_of_a_cause_has_only_time_of_the_cause,
             random_runs_have_the_causes_of_each_microsecond,
             unexplained_waits_of_each_device_are_its_own,
             a_policy_that_holds_jobs_back_is_told_from_the_host,
             a_blocking_copy_is_a_wait_and_then_a_copy,
             a_long_first_launch_of_a_kernel_loads_its_code,
             communication_is_a_class_with_its_overlap,
             a_fetched_packet_that_waits_is_barrier_bound,
             a_measured_wait_for_another_queue_is_barrier_bound,
             a_wait_that_no_launch_takes_is_unexplained,
             a_gap_with_a_lost_launch_is_unknown,
             a_lost_launch_moves_with_the_launch_before_it,
             a_gap_in_which_a_row_without_an_end_began_is_unknown,
             a_lost_launch_ran_between_the_rows_that_it_was_launched_between,
             a_replay_does_not_blame_the_host_for_unexplained_waits,
             the_doorbell_of_a_pinned_row_explains_nothing,
             a_device_of_unknown_size_is_counted,
             a_packet_that_lies_in_its_ring_is_queue_oversubscribed,
             copies_count_only_where_no_kernel_ran,
             too_few_workgroups_are_a_tail_effect, half_of_the_time_binds_a_run,
             without_host_times_idle_time_is_unknown,
             a_run_without_dispatches_cannot_be_explained)
