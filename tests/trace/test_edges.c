/* SPDX-License-Identifier: MIT */
#include "support/aqtest.h"

#include "common/memory_sink.h"
#include "trace/import/dependencies.h"

static aq_diag diag = AQ_DIAG_INIT;

/* The rows: two threads, queues 0 and 1 (2 is on another device). */
typedef struct trial {
  aq_edges edges;
  int64_t rows;
  aq_memory_sink sink;
  uint64_t counts[AQ_EDGE_COUNT];
} trial;

static void trial_open(trial *t)
{
  *t = (trial){0};
  aq_memory_sink_init(&t->sink);
}

static void trial_close(trial *t)
{
  aq_memory_sink_fini(&t->sink);
  aq_edges_fini(&t->edges);
}

/* Times in us; the call takes 3 us. */
static int64_t row(trial *t, int64_t queue, double call, double start,
                   double end)
{
  aq_record row;
  aq_record_init(&row);
  row.kind = AQ_KIND_KERNEL;
  row.via = AQ_VIA_DIRECT;
  row.device = queue / 2;
  row.queue = queue;
  row.pid = 1;
  row.tid = 1;
  row.host_begin = (aq_time)(call * AQ_US);
  row.host_end = row.host_begin + 3 * AQ_US;
  row.start = (aq_time)(start * AQ_US);
  row.end = (aq_time)(end * AQ_US);
  ck_assert(aq_edges_row(&t->edges, &row, t->rows));
  return t->rows++;
}

static void call(trial *t, double begin, bool records)
{
  const aq_edge_call call = {.begin = (aq_time)(begin * AQ_US),
                             .end = (aq_time)(begin * AQ_US) + AQ_US,
                             .pid = 1,
                             .tid = 1,
                             .records = records};
  ck_assert(aq_edges_call(&t->edges, &call));
}

static size_t find(trial *t)
{
  ck_assert_status(aq_edges_find(&t->edges, &t->sink.sink, t->counts, &diag),
                   AQ_OK, &diag);
  ck_assert_uint_eq(t->counts[AQ_EDGE_CALL] + t->counts[AQ_EDGE_INFERRED],
                    t->sink.edge_count);
  return t->sink.edge_count;
}

static void ck_edge(const trial *t, size_t i, int64_t from, int64_t to,
                    aq_edge_kind kind, int64_t confidence)
{
  const aq_edge *edge = &t->sink.edges[i];
  ck_assert_int_eq(edge->from, from);
  ck_assert_int_eq(edge->to, to);
  ck_assert_int_eq(edge->kind, kind);
  ck_assert_int_eq(edge->confidence, confidence);
}

/* A producer of 200 us on queue 0, and what queue 1 does: a first kernel, and
 * one that is submitted early and starts `late` after the producer's end. */
static void producer(trial *t, int64_t queue, double late, bool with_call)
{
  row(t, 1, 0, 8, 10);
  row(t, 0, 10, 18, 218); /* row 1 */
  if (with_call)
    call(t, 20, false);
  row(t, queue, 25, 218 + late, 230 + late);
}

START_TEST(a_stream_wait_is_an_edge_from_what_was_submitted_before_it)
{
  trial t;
  trial_open(&t);
  producer(&t, 1, 12, true);
  row(&t, 0, 40, 222, 225); /* submitted after the wait */
  ck_assert_uint_eq(find(&t), 1);
  ck_edge(&t, 0, 1, 2, AQ_EDGE_CALL, 95);
  trial_close(&t);
}
END_TEST

START_TEST(calls_that_lead_to_no_edge_are_counted)
{
  trial t;
  trial_open(&t);
  call(&t, 0, false); /* nothing of another queue was submitted before */
  producer(&t, 1, 12, true);
  call(&t, 500, true);  /* records an event */
  call(&t, 600, false); /* its thread submits nothing after */
  ck_assert_uint_eq(find(&t), 1);
  ck_assert_uint_eq(t.counts[0], 2);
  trial_close(&t);
}
END_TEST

START_TEST(a_wait_that_held_nothing_back_is_less_sure)
{
  trial t;
  trial_open(&t);
  producer(&t, 1, 400, true);
  ck_assert_uint_eq(find(&t), 1);
  ck_edge(&t, 0, 1, 2, AQ_EDGE_CALL, 40);
  trial_close(&t);
}
END_TEST

START_TEST(a_row_that_ran_before_the_other_ended_did_not_await_it)
{
  trial t;
  trial_open(&t);
  producer(&t, 1, -100, true);
  ck_assert_uint_eq(find(&t), 0);
  trial_close(&t);
}
END_TEST

START_TEST(an_event_was_recorded_by_the_last_call_that_records_one)
{
  trial t;
  trial_open(&t);
  row(&t, 1, 0, 8, 10);
  row(&t, 0, 10, 18, 100); /* row 1: the event is behind it */
  call(&t, 14, true);
  row(&t, 0, 16, 100, 110); /* row 2: submitted before the wait */
  call(&t, 24, false);
  row(&t, 1, 30, 112, 120);
  ck_assert_uint_eq(find(&t), 1);
  ck_edge(&t, 0, 1, 3, AQ_EDGE_CALL, 95);
  trial_close(&t);
}
END_TEST

START_TEST(a_late_start_after_one_other_end_is_inferred)
{
  trial t;
  trial_open(&t);
  producer(&t, 1, 12, false);
  ck_assert_uint_eq(find(&t), 1);
  ck_edge(&t, 0, 1, 2, AQ_EDGE_INFERRED, 70);
  trial_close(&t);
}
END_TEST

START_TEST(several_ends_that_fit_are_less_sure)
{
  trial t;
  trial_open(&t);
  row(&t, 1, 0, 8, 10);
  row(&t, 0, 10, 18, 205);
  row(&t, 0, 14, 205, 218); /* row 2 */
  row(&t, 1, 25, 228, 240);
  ck_assert_uint_eq(find(&t), 1);
  ck_edge(&t, 0, 2, 3, AQ_EDGE_INFERRED, 60);
  trial_close(&t);
}
END_TEST

START_TEST(nothing_is_inferred_without_need_or_chance)
{
  static const struct {
    int64_t queue;
    double late;
  } cases[] = {{1, 1}, {1, 26}, {2, 12}, {0, 12}};
  for (int i = 0; i < 4; i++) {
    trial t;
    trial_open(&t);
    producer(&t, cases[i].queue, cases[i].late, false);
    ck_assert_msg(find(&t) == 0, "case %d", i);
    trial_close(&t);
  }
}
END_TEST

START_TEST(the_order_of_rows_and_calls_does_not_matter)
{
  trial a, b;
  trial_open(&a);
  trial_open(&b);
  producer(&a, 1, 12, true);
  b.rows = 2;
  row(&b, 1, 25, 230, 242);
  call(&b, 20, false);
  b.rows = 1;
  row(&b, 0, 10, 18, 218);
  b.rows = 0;
  row(&b, 1, 0, 8, 10);
  ck_assert_uint_eq(find(&a), 1);
  ck_assert_uint_eq(find(&b), 1);
  ck_edge(&b, 0, 1, 2, AQ_EDGE_CALL, 95);
  trial_close(&a);
  trial_close(&b);
}
END_TEST

START_TEST(a_run_of_one_queue_or_none_has_no_edges)
{
  trial t;
  trial_open(&t);
  ck_assert_uint_eq(find(&t), 0);
  row(&t, 0, 0, 8, 10);
  call(&t, 5, false);
  row(&t, 0, 10, 60, 70);
  ck_assert_uint_eq(find(&t), 0);
  trial_close(&t);
}
END_TEST

AQ_TEST_MAIN("trace/edges",
             a_stream_wait_is_an_edge_from_what_was_submitted_before_it,
             calls_that_lead_to_no_edge_are_counted,
             a_wait_that_held_nothing_back_is_less_sure,
             a_row_that_ran_before_the_other_ended_did_not_await_it,
             an_event_was_recorded_by_the_last_call_that_records_one,
             a_late_start_after_one_other_end_is_inferred,
             several_ends_that_fit_are_less_sure,
             nothing_is_inferred_without_need_or_chance,
             the_order_of_rows_and_calls_does_not_matter,
             a_run_of_one_queue_or_none_has_no_edges)
