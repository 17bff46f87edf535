/* SPDX-License-Identifier: MIT */
#include "trace/import/correlation.h"

#include <string.h>

#include "common/memory_sink.h"
#include "support/aqtest.h"

typedef struct bench {
  aq_memory_sink sink;
  aq_trace_result result;
  aq_diag diag;
  aq_import import;
  aq_correlation join;
} bench;

static void bench_open(bench *b)
{
  memset(b, 0, sizeof *b);
  aq_memory_sink_init(&b->sink);
  aq_import_init(&b->import, &b->sink.sink, NULL, &b->result, &b->diag);
  ck_assert_int_eq(aq_correlation_init(&b->join, &b->import), AQ_OK);
}

static void bench_finish(bench *b)
{
  ck_assert_int_eq(aq_correlation_finish(&b->join), AQ_OK);
  ck_assert_int_eq(aq_import_finish(&b->import), AQ_OK);
}

static void bench_close(bench *b)
{
  aq_correlation_fini(&b->join);
  aq_import_fini(&b->import);
  aq_memory_sink_fini(&b->sink);
}

static void add_call(bench *b, uint64_t key, aq_time begin, bool graph)
{
  aq_host_call call = {.begin = begin,
                       .end = begin + 1,
                       .pid = AQ_NONE,
                       .tid = AQ_NONE,
                       .lds = AQ_NONE,
                       .bytes = AQ_NONE,
                       .graph = graph};
  ck_assert_int_eq(aq_correlation_call_add(&b->join, key, &call), AQ_OK);
}

static void add_row(bench *b, uint64_t key, aq_time start)
{
  aq_record row;
  aq_record_init(&row);
  row.kind = AQ_KIND_COPY;
  row.flags = 0;
  row.correlation = (int64_t)key;
  row.start = start;
  ck_assert_int_eq(aq_correlation_row_add(&b->join, key, &row), AQ_OK);
}

START_TEST(rows_that_come_before_their_call_keep_their_order)
{
  bench b;
  bench_open(&b);
  for (aq_time start = 1; start <= 5; start++)
    add_row(&b, 9, start);
  add_call(&b, 9, -100, false);
  bench_finish(&b);
  ck_assert_uint_eq(b.sink.count, 5);
  for (size_t i = 0; i < 5; i++) {
    ck_assert_int_eq(b.sink.rows[i].start, (aq_time)i + 1);
    ck_assert_int_eq(b.sink.rows[i].host_begin, -100);
  }
  bench_close(&b);
}
END_TEST

START_TEST(a_second_row_of_a_direct_call_finds_it_too)
{
  bench b;
  bench_open(&b);
  add_call(&b, 1, -100, false);
  add_row(&b, 1, 5);
  add_row(&b, 1, 6);
  bench_finish(&b);
  ck_assert_int_eq(b.sink.rows[1].host_begin, -100);
  ck_assert_uint_eq(b.result.with_host, 2);
  bench_close(&b);
}
END_TEST

START_TEST(what_is_outstanding_stays_bounded)
{
  bench b;
  bench_open(&b);
  for (uint64_t key = 0; key < 50000; key++) {
    add_call(&b, key, -100, false);
    add_row(&b, key, 5);
  }
  ck_assert_uint_lt(b.join.call_count, 5000);
  ck_assert_uint_eq(b.join.row_count, 0);
  bench_finish(&b);
  ck_assert_uint_eq(b.result.with_host, 50000);
  bench_close(&b);
}
END_TEST

START_TEST(a_key_used_again_means_the_later_call)
{
  bench b;
  bench_open(&b);
  add_call(&b, 1, -100, false);
  add_row(&b, 1, 5);
  add_call(&b, 1, -90, false);
  add_row(&b, 1, 6);
  for (uint64_t key = 10; key < 10000; key++) { /* the first is forgotten */
    add_call(&b, key, 1, false);
    add_row(&b, key, 1);
  }
  bench_finish(&b);
  ck_assert_int_eq(b.sink.rows[0].host_begin, -100);
  ck_assert_int_eq(b.sink.rows[1].host_begin, -90);
  ck_assert_uint_eq(b.result.repairs[AQ_REPAIR_DUPLICATE_CORRELATION], 1);
  bench_close(&b);
}
END_TEST

START_TEST(the_earliest_row_of_a_graph_is_marked_whatever_the_order)
{
  bench b;
  bench_open(&b);
  static const aq_time starts[] = {7, 3, 5, 1, 9};
  add_row(&b, 4, starts[0]);
  add_row(&b, 4, starts[1]);
  add_call(&b, 4, 0, true);
  for (int i = 2; i < 5; i++)
    add_row(&b, 4, starts[i]);
  bench_finish(&b);
  ck_assert_uint_eq(b.sink.count, 5);
  for (size_t i = 0; i < 5; i++)
    ck_assert_int_eq(b.sink.rows[i].flags,
                     b.sink.rows[i].start == 1 ? AQ_FLAG_GRAPH_FIRST : 0);
  bench_close(&b);
}
END_TEST

START_TEST(a_row_before_its_call_loses_it)
{
  bench b;
  bench_open(&b);
  add_call(&b, 1, 50, false);
  add_row(&b, 1, 49);
  add_row(&b, 1, 50);
  bench_finish(&b);
  ck_assert_int_eq(b.sink.rows[0].via, AQ_VIA_NONE);
  ck_assert_int_eq(b.sink.rows[0].host_begin, AQ_TIME_NONE);
  ck_assert_int_eq(b.sink.rows[1].via, AQ_VIA_DIRECT);
  ck_assert_uint_eq(b.result.repairs[AQ_REPAIR_CLOCK_OFFSET], 1);
  bench_close(&b);
}
END_TEST

START_TEST(rows_whose_call_never_comes_are_put_at_the_end)
{
  bench b;
  bench_open(&b);
  add_row(&b, 8, 1);
  add_call(&b, 1, -100, false);
  add_row(&b, 1, 2);
  bench_finish(&b);
  ck_assert_int_eq(b.sink.rows[1].correlation, 8);
  ck_assert_int_eq(b.sink.rows[1].via, AQ_VIA_NONE);
  ck_assert_uint_eq(b.result.repairs[AQ_REPAIR_NO_HOST_CALL], 1);
  bench_close(&b);
}
END_TEST

AQ_TEST_MAIN("trace/join", rows_that_come_before_their_call_keep_their_order,
             a_second_row_of_a_direct_call_finds_it_too,
             what_is_outstanding_stays_bounded,
             a_key_used_again_means_the_later_call,
             the_earliest_row_of_a_graph_is_marked_whatever_the_order,
             a_row_before_its_call_loses_it,
             rows_whose_call_never_comes_are_put_at_the_end)
