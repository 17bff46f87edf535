/* SPDX-License-Identifier: MIT */
#include "support/aqtest.h"

#include <stdlib.h>
#include <string.h>

#include "store/store_test.h"

static int64_t store_rows(aq_store *store, const aq_record *rows, size_t count)
{
  aq_diag diag = AQ_DIAG_INIT;
  aq_store_writer *writer = writer_open(store, NULL);
  int64_t run = aq_store_writer_run(writer);
  aq_record_sink *sink = aq_store_writer_sink(writer);
  ck_assert_status(sink->put(sink, rows, count, &diag), AQ_OK, &diag);
  writer_finish(writer);
  return run;
}

static aq_run_reader *reader_open(aq_store *store, int64_t run,
                                  aq_row_order order)
{
  aq_diag diag = AQ_DIAG_INIT;
  aq_run_reader *reader;
  ck_assert_status(aq_run_reader_open(store, run, order, &reader, &diag), AQ_OK,
                   &diag);
  return reader;
}

static size_t next(aq_run_reader *reader, aq_record *rows, int64_t *numbers,
                   size_t capacity)
{
  aq_diag diag = AQ_DIAG_INIT;
  size_t count;
  ck_assert_status(
      aq_run_reader_next(reader, rows, numbers, capacity, &count, &diag), AQ_OK,
      &diag);
  return count;
}

/* Rows {host begin, submit, start}, and the numbers in each order. */
static const int64_t times[][3] = {
    {50, 1, 400},
    {AQ_NONE, 40, 300},
    {AQ_NONE, AQ_NONE, 30},
    {AQ_NONE, 99, AQ_NONE},
    {50, 2, 300},
    {AQ_NONE, AQ_NONE, AQ_NONE},
    {-7, 3, -7},
};
enum { TIMES = sizeof times / sizeof *times };
static const int64_t orders[][TIMES] = {
    [AQ_ORDER_STORED] = {0, 1, 2, 3, 4, 5, 6},
    [AQ_ORDER_START] = {3, 5, 6, 2, 1, 4, 0},
    [AQ_ORDER_SUBMIT] = {5, 6, 2, 1, 0, 4, 3},
};

START_TEST(rows_come_in_the_order_that_was_asked_for)
{
  aq_store *store = store_open(":memory:", AQ_STORE_WRITE);
  aq_record rows[TIMES], got[3];
  int64_t numbers[3];
  for (int i = 0; i < TIMES; i++) {
    rows[i] = row_of(1, i);
    rows[i].host_begin = times[i][0];
    rows[i].submit = times[i][1];
    rows[i].start = times[i][2];
  }
  make_run(store, NULL, 8, 10);
  int64_t run = store_rows(store, rows, TIMES);
  make_run(store, NULL, 9, 10);
  for (int order = AQ_ORDER_STORED; order <= AQ_ORDER_SUBMIT; order++) {
    aq_run_reader *reader = reader_open(store, run, (aq_row_order)order);
    size_t seen = 0, count;
    while ((count = next(reader, got, numbers, 3)) > 0)
      for (size_t i = 0; i < count; i++, seen++) {
        ck_assert_int_eq(numbers[i], orders[order][seen]);
        ck_assert_mem_eq(&got[i], &rows[numbers[i]], sizeof *got);
      }
    ck_assert_uint_eq(seen, TIMES);
    ck_assert_uint_eq(next(reader, got, numbers, 3), 0);
    aq_run_reader_close(reader);
  }
  aq_store_close(store);
}
END_TEST

START_TEST(numbers_alone_come_in_the_same_order)
{
  aq_store *store = store_open(":memory:", AQ_STORE_WRITE);
  aq_record rows[TIMES];
  int64_t numbers[TIMES];
  for (int i = 0; i < TIMES; i++) {
    aq_record_init(&rows[i]);
    rows[i].start = times[i][2];
  }
  int64_t run = store_rows(store, rows, TIMES);
  aq_run_reader *reader = reader_open(store, run, AQ_ORDER_START);
  ck_assert_uint_eq(next(reader, NULL, numbers, TIMES), TIMES);
  ck_assert_mem_eq(numbers, orders[AQ_ORDER_START], sizeof numbers);
  aq_run_reader_close(reader);
  reader = reader_open(store, run, AQ_ORDER_START);
  ck_assert_uint_eq(next(reader, rows, NULL, TIMES), TIMES);
  ck_assert_int_eq(rows[2].start, -7);
  aq_run_reader_close(reader);
  aq_store_close(store);
}
END_TEST

/* Larger than a batch, and far from sorted. */
START_TEST(a_long_run_is_sorted_whole)
{
  enum { COUNT = 20000 };
  aq_store *store = store_open(":memory:", AQ_STORE_WRITE);
  aq_record *rows = malloc(COUNT * sizeof *rows);
  int64_t numbers[700];
  for (int64_t i = 0; i < COUNT; i++) {
    aq_record_init(&rows[i]);
    rows[i].start = i * 7919 % 1000; /* many rows at the same time */
  }
  int64_t run = store_rows(store, rows, COUNT);
  aq_run_reader *reader = reader_open(store, run, AQ_ORDER_START);
  int64_t seen = 0, before = -1, before_number = -1;
  size_t count;
  while ((count = next(reader, rows, numbers, 700)) > 0)
    for (size_t i = 0; i < count; i++, seen++) {
      ck_assert(rows[i].start > before ||
                (rows[i].start == before && numbers[i] > before_number));
      ck_assert_int_eq(rows[i].start, numbers[i] * 7919 % 1000);
      before = rows[i].start;
      before_number = numbers[i];
    }
  ck_assert_int_eq(seen, COUNT);
  aq_run_reader_close(reader);
  aq_store_close(store);
  free(rows);
}
END_TEST

START_TEST(fields_that_are_not_wanted_are_unknown)
{
  aq_diag diag = AQ_DIAG_INIT;
  aq_store *store = store_open(":memory:", AQ_STORE_WRITE);
  aq_record rows[2] = {{0}};
  for (size_t i = 0; i < 2; i++)
    for (size_t f = 0; f < AQ_RECORD_FIELD_COUNT; f++)
      (&rows[i].kind)[f] = (int64_t)(100 * i + f + 1);
  aq_run_reader *reader =
      reader_open(store, store_rows(store, rows, 2), AQ_ORDER_STORED);
  ck_assert_status(aq_run_reader_want(reader,
                                      UINT64_C(1) << AQ_RECORD_FIELD_queue |
                                          UINT64_C(1) << AQ_RECORD_FIELD_end,
                                      &diag),
                   AQ_OK, &diag);
  aq_record got[2];
  ck_assert_uint_eq(next(reader, got, NULL, 2), 2);
  for (size_t i = 0; i < 2; i++)
    for (size_t f = 0; f < AQ_RECORD_FIELD_COUNT; f++)
      ck_assert_int_eq(aq_record_values(&got[i])[f],
                       f == AQ_RECORD_FIELD_queue || f == AQ_RECORD_FIELD_end
                           ? aq_record_values(&rows[i])[f]
                           : AQ_NONE);
  aq_run_reader_close(reader);
  aq_store_close(store);
}
END_TEST

START_TEST(several_readers_go_their_own_ways)
{
  aq_store *store = store_open(":memory:", AQ_STORE_WRITE);
  int64_t a = make_run(store, "a", 1, 100), b = make_run(store, "b", 2, 50);
  aq_run_reader *first = reader_open(store, a, AQ_ORDER_STORED);
  aq_run_reader *second = reader_open(store, b, AQ_ORDER_STORED);
  aq_run_reader *third = reader_open(store, a, AQ_ORDER_START);
  aq_record row;
  int64_t number;
  for (int64_t i = 0; i < 50; i++) {
    const aq_record of_a = row_of(1, i), of_b = row_of(2, i);
    ck_assert_uint_eq(next(first, &row, &number, 1), 1);
    ck_assert_mem_eq(&row, &of_a, sizeof row);
    ck_assert_uint_eq(next(third, &row, &number, 1), 1);
    ck_assert_uint_eq(next(second, &row, &number, 1), 1);
    ck_assert_mem_eq(&row, &of_b, sizeof row);
  }
  ck_assert_uint_eq(next(second, &row, &number, 1), 0);
  ck_assert_uint_eq(next(first, &row, &number, 1), 1);
  aq_run_reader_close(first);
  aq_run_reader_close(second);
  aq_run_reader_close(third);
  aq_store_close(store);
}
END_TEST

START_TEST(a_run_without_rows_ends_at_once)
{
  aq_store *store = store_open(":memory:", AQ_STORE_WRITE);
  int64_t run = make_run(store, NULL, 1, 0);
  aq_record row;
  int64_t number;
  for (int order = AQ_ORDER_STORED; order <= AQ_ORDER_SUBMIT; order++) {
    aq_run_reader *reader = reader_open(store, run, (aq_row_order)order);
    ck_assert_uint_eq(next(reader, &row, &number, 1), 0);
    aq_run_reader_close(reader);
  }
  aq_store_close(store);
}
END_TEST

START_TEST(a_run_that_is_not_there_cannot_be_read)
{
  aq_store *store = store_open(":memory:", AQ_STORE_WRITE);
  aq_diag diag = AQ_DIAG_INIT;
  aq_run_reader *reader = NULL;
  ck_assert_status(aq_run_reader_open(store, 5, AQ_ORDER_START, &reader, &diag),
                   AQ_ERR_NOT_FOUND, &diag);
  ck_assert_ptr_null(reader);
  aq_store_close(store);
}
END_TEST

START_TEST(rows_that_vanish_under_a_reader_are_an_error)
{
  aq_store *store = store_open(":memory:", AQ_STORE_WRITE);
  int64_t run = make_run(store, NULL, 1, 100);
  aq_record rows[100];
  aq_diag diag = AQ_DIAG_INIT;
  size_t count = 77;
  aq_run_reader *reader = reader_open(store, run, AQ_ORDER_STORED);
  aq_run_reader *sorted = reader_open(store, run, AQ_ORDER_START);
  ck_assert_uint_eq(next(reader, rows, NULL, 10), 10);
  ck_assert_status(aq_store_remove(store, run, &diag), AQ_OK, &diag);
  ck_assert_status(aq_run_reader_next(reader, rows, NULL, 10, &count, &diag),
                   AQ_ERR_INPUT, &diag);
  ck_assert_ptr_nonnull(strstr(diag.text, "lacks row 10"));
  ck_assert_status(aq_run_reader_next(sorted, rows, NULL, 10, &count, &diag),
                   AQ_ERR_INPUT, &diag);
  ck_assert_uint_eq(count, 77);
  aq_run_reader_close(reader);
  aq_run_reader_close(sorted);
  aq_store_close(store);
}
END_TEST

START_TEST(a_run_that_lacks_its_last_row_is_not_sorted)
{
  char *path = fresh_path("short.db");
  aq_store *store = store_open(path, AQ_STORE_WRITE);
  const int64_t run = make_run(store, NULL, 1, 100);
  aq_diag diag = AQ_DIAG_INIT;
  aq_run_reader *reader;
  aq_store_close(store);
  sql_run(path, "DELETE FROM records WHERE id = (SELECT max(id) FROM records)");
  store = store_open(path, AQ_STORE_READ);
  ck_assert_status(
      aq_run_reader_open(store, run, AQ_ORDER_START, &reader, &diag),
      AQ_ERR_INPUT, &diag);
  ck_assert_ptr_nonnull(strstr(diag.text, "has 99 of 100 rows"));
  aq_store_close(store);
}
END_TEST

START_TEST(kept_rows_are_read_without_the_file)
{
  aq_store *store = store_open(":memory:", AQ_STORE_WRITE);
  aq_diag diag = AQ_DIAG_INIT;
  aq_record want[100], got[100];
  int64_t numbers[100];
  size_t count;
  int64_t other = make_run(store, NULL, 2, 100);
  int64_t run = make_run(store, NULL, 1, 100);
  aq_run_reader *before = reader_open(store, run, AQ_ORDER_START);
  ck_assert_uint_eq(next(before, want, NULL, 100), 100);
  ck_assert_status(aq_store_keep(store, run, &diag), AQ_OK, &diag);
  aq_run_reader *stored = reader_open(store, run, AQ_ORDER_STORED);
  aq_run_reader *sorted = reader_open(store, run, AQ_ORDER_START);
  aq_run_reader *narrow = reader_open(store, run, AQ_ORDER_STORED);
  aq_run_reader *later = reader_open(store, run, AQ_ORDER_STORED);
  ck_assert_status(
      aq_run_reader_want(narrow, UINT64_C(1) << AQ_RECORD_FIELD_end, &diag),
      AQ_OK, &diag);
  ck_assert_status(aq_store_remove(store, run, &diag), AQ_OK, &diag);
  ck_assert_uint_eq(next(stored, got, numbers, 10), 10);
  for (int64_t i = 0; i < 10; i++) {
    const aq_record row = row_of(1, i);
    ck_assert_int_eq(numbers[i], i);
    ck_assert_mem_eq(&got[i], &row, sizeof row);
  }
  ck_assert_uint_eq(next(sorted, got, NULL, 100), 100);
  ck_assert_mem_eq(got, want, sizeof want);
  ck_assert_uint_eq(next(narrow, got, NULL, 100), 100);
  for (int64_t i = 0; i < 100; i++) {
    const aq_record row = row_of(1, i);
    for (size_t f = 0; f < AQ_RECORD_FIELD_COUNT; f++)
      ck_assert_int_eq(aq_record_values(&got[i])[f],
                       f == AQ_RECORD_FIELD_end ? row.end : AQ_NONE);
  }
  check_run(store, other, 2, 100);
  aq_store_forget(store);
  ck_assert_status(aq_run_reader_next(later, got, NULL, 10, &count, &diag),
                   AQ_ERR_INPUT, &diag);
  ck_assert_status(aq_store_keep(store, run, &diag), AQ_ERR_NOT_FOUND, &diag);
  aq_run_reader_close(before);
  aq_run_reader_close(stored);
  aq_run_reader_close(sorted);
  aq_run_reader_close(narrow);
  aq_run_reader_close(later);
  aq_store_close(store);
}
END_TEST

START_TEST(edges_come_back_by_the_row_that_waits)
{
  aq_store *store = store_open(":memory:", AQ_STORE_WRITE);
  static const aq_edge edges[] = {{7, 90, AQ_EDGE_INFERRED, 60},
                                  {3, 20, AQ_EDGE_CALL, 95},
                                  {1, 20, AQ_EDGE_CALL, 100}};
  aq_store_writer *writer = writer_open(store, "e");
  aq_diag diag = AQ_DIAG_INIT;
  ck_assert_status(write_rows(writer, 1, 0, 100, &diag), AQ_OK, &diag);
  aq_record_sink *sink = aq_store_writer_sink(writer);
  ck_assert_status(sink->put_edges(sink, edges, 3, &diag), AQ_OK, &diag);
  const int64_t run = aq_store_writer_run(writer);
  writer_finish(writer);

  aq_run_reader *reader = reader_open(store, run, AQ_ORDER_START);
  const aq_edge *got;
  size_t count;
  for (int twice = 0; twice < 2; twice++) {
    ck_assert_status(aq_run_reader_edges(reader, &got, &count, &diag), AQ_OK,
                     &diag);
    ck_assert_uint_eq(count, 3);
    for (int i = 0; i < 3; i++)
      ck_assert_int_eq(memcmp(&got[i], &edges[2 - i], sizeof *got), 0);
  }
  aq_run_reader_close(reader);

  ck_assert_status(aq_store_remove(store, run, &diag), AQ_OK, &diag);
  reader = reader_open(store, make_run(store, "other", 1, 1), AQ_ORDER_STORED);
  ck_assert_status(aq_run_reader_edges(reader, &got, &count, &diag), AQ_OK,
                   &diag);
  ck_assert_uint_eq(count, 0);
  aq_run_reader_close(reader);
  aq_store_close(store);
}
END_TEST

/* Reads the part of rows 1, 2, 4 and 7 in an order. */
static void check_part(aq_store *store, int64_t run, aq_row_order order,
                       bool renumber, const int64_t expected[4])
{
  const bool rows[8] = {[1] = true, [2] = true, [4] = true, [7] = true};
  const aq_time_span spans[] = {{100, 120}, {180, 200}};
  aq_diag diag = AQ_DIAG_INIT;
  aq_run_reader *reader = reader_open(store, run, order);
  aq_record got[8];
  int64_t numbers[8];
  const aq_edge *edges;
  const aq_sample *samples;
  size_t count;
  ck_assert_status(
      aq_run_reader_select(
          reader, &(aq_row_selection){rows, spans, 2, renumber}, &diag),
      AQ_OK, &diag);
  ck_assert_int_eq(aq_run_reader_row_count(reader), 4);
  ck_assert_uint_eq(next(reader, got, numbers, 3), 3);
  ck_assert_uint_eq(next(reader, got + 3, numbers + 3, 5), 1);
  ck_assert_uint_eq(next(reader, NULL, NULL, 8), 0);
  for (int i = 0; i < 4; i++) {
    ck_assert_int_eq(numbers[i], expected[i]);
    ck_assert_int_eq(got[i].start, -got[i].correlation);
  }
  ck_assert_status(aq_run_reader_edges(reader, &edges, &count, &diag), AQ_OK,
                   &diag);
  ck_assert_uint_eq(count, 1);
  ck_assert_int_eq(edges[0].from, renumber ? 1 : 2);
  ck_assert_int_eq(edges[0].to, renumber ? 3 : 7);
  ck_assert_status(aq_run_reader_samples(reader, &samples, &count, &diag),
                   AQ_OK, &diag);
  ck_assert_uint_eq(count, 2);
  ck_assert_int_eq(samples[0].time, 100);
  ck_assert_int_eq(samples[1].time, 200);
  aq_run_reader_close(reader);
}

START_TEST(a_part_of_the_rows_has_the_edges_and_samples_of_it)
{
  static const aq_edge edges[] = {{2, 7, AQ_EDGE_INFERRED, 60},
                                  {0, 7, AQ_EDGE_INFERRED, 60},
                                  {2, 3, AQ_EDGE_INFERRED, 60}};
  static const aq_sample samples[] = {{0, 0, 99, 1},
                                      {0, 0, 100, 2},
                                      {0, 0, 150, 5},
                                      {0, 0, 200, 3},
                                      {0, 0, 201, 4}};
  aq_diag diag = AQ_DIAG_INIT;
  aq_store *store = store_open(":memory:", AQ_STORE_WRITE);
  aq_store_writer *writer = writer_open(store, NULL);
  const int64_t run = aq_store_writer_run(writer);
  aq_record_sink *sink = aq_store_writer_sink(writer);
  for (int64_t i = 0; i < 8; i++) {
    aq_record row = row_of(1, i);
    row.correlation = i;
    row.start = -i;
    ck_assert_status(sink->put(sink, &row, 1, &diag), AQ_OK, &diag);
  }
  ck_assert_status(sink->put_edges(sink, edges, 3, &diag), AQ_OK, &diag);
  ck_assert_status(sink->put_counters(sink, samples, 5, &diag), AQ_OK, &diag);
  writer_finish(writer);
  check_part(store, run, AQ_ORDER_STORED, false, (int64_t[]){1, 2, 4, 7});
  check_part(store, run, AQ_ORDER_STORED, true, (int64_t[]){0, 1, 2, 3});
  check_part(store, run, AQ_ORDER_START, false, (int64_t[]){7, 4, 2, 1});
  check_part(store, run, AQ_ORDER_START, true, (int64_t[]){3, 2, 1, 0});
  aq_store_close(store);
}
END_TEST

AQ_TEST_MAIN("store/reader", a_part_of_the_rows_has_the_edges_and_samples_of_it,
             a_run_that_lacks_its_last_row_is_not_sorted,
             edges_come_back_by_the_row_that_waits,
             kept_rows_are_read_without_the_file,
             rows_come_in_the_order_that_was_asked_for,
             numbers_alone_come_in_the_same_order, a_long_run_is_sorted_whole,
             several_readers_go_their_own_ways,
             fields_that_are_not_wanted_are_unknown,
             a_run_without_rows_ends_at_once,
             a_run_that_is_not_there_cannot_be_read,
             rows_that_vanish_under_a_reader_are_an_error)
