/* SPDX-License-Identifier: MIT */
#include "support/aqtest.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "store/store_test.h"

/* *run stays as it is until the run is finished. */
static aq_store_writer *writer_open_late(aq_store *store,
                                         const aq_run_info *info, int64_t *run)
{
  aq_diag diag = AQ_DIAG_INIT;
  aq_store_writer *writer;
  ck_assert_status(aq_store_writer_open_late(store, info, run, &writer, &diag),
                   AQ_OK, &diag);
  return writer;
}

START_TEST(every_field_of_every_row_survives_many_batches)
{
  char *path = fresh_path("runs.db");
  aq_store *store = store_open(path, AQ_STORE_WRITE);
  int64_t run = make_run(store, "m", 3, 50000);
  check_run(store, run, 3, 50000);
  aq_store_close(store);
  store = store_open(path, AQ_STORE_READ);
  check_run(store, run, 3, 50000);
  aq_store_close(store);
}
END_TEST

START_TEST(rows_that_come_many_at_a_time_are_the_same)
{
  enum { COUNT = 40000 };
  aq_store *store = store_open(":memory:", AQ_STORE_WRITE);
  aq_store_writer *writer = writer_open(store, NULL);
  aq_record_sink *sink = aq_store_writer_sink(writer);
  aq_record *rows = malloc(COUNT * sizeof *rows);
  aq_diag diag = AQ_DIAG_INIT;
  for (int64_t i = 0; i < COUNT; i++)
    rows[i] = row_of(1, i);
  ck_assert_status(sink->put(sink, rows, 10, &diag), AQ_OK, &diag);
  ck_assert_status(sink->put(sink, rows + 10, COUNT - 10, &diag), AQ_OK, &diag);
  ck_assert_status(sink->put(sink, rows, 0, &diag), AQ_OK, &diag);
  writer_finish(writer);
  check_run(store, 1, 1, COUNT);
  free(rows);
  aq_store_close(store);
}
END_TEST

START_TEST(unknown_is_null_in_sql)
{
  char *path = fresh_path("runs.db");
  aq_store *store = store_open(path, AQ_STORE_WRITE);
  aq_store_writer *writer = writer_open(store, NULL);
  aq_record_sink *sink = aq_store_writer_sink(writer);
  aq_record rows[2];
  aq_record_init(&rows[0]);
  aq_record_init(&rows[1]);
  rows[1].end = 0;
  aq_diag diag = AQ_DIAG_INIT;
  ck_assert_status(sink->put(sink, rows, 2, &diag), AQ_OK, &diag);
  writer_finish(writer);
  aq_store_close(store);
  ck_assert_int_eq(
      sql_integer(path, "SELECT count(*) FROM records WHERE kind IS NULL"), 2);
  ck_assert_int_eq(
      sql_integer(path, "SELECT count(*) FROM records WHERE end_ps = 0"), 1);
}
END_TEST

/* Of each batch, the one written long ago and the one still in the buffer, a
 * row with known flags and one with unknown flags. */
START_TEST(the_end_of_a_row_can_be_taken_back)
{
  enum { COUNT = 20000 };
  char *path = fresh_path("runs.db");
  aq_store *store = store_open(path, AQ_STORE_WRITE);
  aq_store_writer *writer = writer_open(store, NULL);
  aq_record_sink *sink = aq_store_writer_sink(writer);
  const int64_t taken[] = {7, 8, COUNT - 2, COUNT - 1};
  aq_diag diag = AQ_DIAG_INIT;
  aq_record row;
  aq_record_init(&row);
  for (row.end = 0; row.end < COUNT; row.end++) {
    row.flags = row.end % 2 ? AQ_FLAG_EDGE : AQ_NONE;
    ck_assert_status(sink->put(sink, &row, 1, &diag), AQ_OK, &diag);
  }
  ck_assert_status(sink->contradict(sink, taken, 4, &diag), AQ_OK, &diag);
  writer_finish(writer);
  aq_store_close(store);
  ck_assert_int_eq(sql_integer(path, "SELECT sum(id & 0xffffffff) FROM records "
                                     "WHERE end_ps IS NULL"),
                   7 + 8 + COUNT - 2 + COUNT - 1);
  ck_assert_int_eq(sql_integer(path, "SELECT count(*) FROM records "
                                     "WHERE end_ps IS NULL AND flags = 520"),
                   2);
  ck_assert_int_eq(sql_integer(path, "SELECT count(*) FROM records "
                                     "WHERE end_ps IS NULL AND flags = 512"),
                   2);
  ck_assert_int_eq(sql_integer(path, "SELECT count(*) FROM records "
                                     "WHERE flags = 8"),
                   COUNT / 2 - 2);
}
END_TEST

START_TEST(kernels_whose_code_told_their_end_are_counted)
{
  aq_store *store = store_open(fresh_path("durations.db"), AQ_STORE_WRITE);
  aq_store_writer *writer = writer_open(store, "executed");
  aq_record_sink *sink = aq_store_writer_sink(writer);
  char text[AQ_STORE_DURATIONS_SIZE];
  aq_diag diag = AQ_DIAG_INIT;
  aq_record row;
  aq_record_init(&row);
  row.kind = AQ_KIND_KERNEL;
  row.flags = AQ_FLAG_EXECUTED | AQ_FLAG_EDGE;
  ck_assert_str_eq(aq_store_writer_durations(writer, "assumed", text),
                   "assumed");
  ck_assert_ptr_null(aq_store_writer_durations(writer, NULL, text));
  ck_assert_status(sink->put(sink, &row, 1, &diag), AQ_OK, &diag);
  row.kind = AQ_KIND_BARRIER_AND;
  ck_assert_status(sink->put(sink, &row, 1, &diag), AQ_OK, &diag);
  ck_assert_str_eq(aq_store_writer_durations(writer, "assumed", text),
                   "executed");
  row.kind = AQ_KIND_KERNEL;
  row.flags = AQ_NONE;
  ck_assert_status(sink->put(sink, &row, 1, &diag), AQ_OK, &diag);
  ck_assert_str_eq(aq_store_writer_durations(writer, "assumed", text),
                   "assumed; executed: 1 of 2 kernels");
  aq_store_writer_abort(writer);
  aq_store_close(store);
}
END_TEST

START_TEST(names_keep_all_their_bytes)
{
  static const struct {
    const char *text;
    size_t length;
    const char *hex;
  } names[] = {
      {"gemm", 4, "67656D6D"},
      {"it's \"quoted\"; DROP TABLE runs", 30, NULL},
      {"a\nb\x01\x7f", 5, "610A62017F"},
      {"zero\0inside", 11, "7A65726F00696E73696465"},
      {"zero\0other", 10, "7A65726F006F74686572"},
      {"\xff\xfe\x80", 3, "FFFE80"},
      {"", 0, ""},
  };
  enum { COUNT = sizeof names / sizeof *names };
  char *path = fresh_path("runs.db");
  aq_store *store = store_open(path, AQ_STORE_WRITE);
  aq_store_writer *writer = writer_open(store, NULL);
  aq_record_sink *sink = aq_store_writer_sink(writer);
  aq_diag diag = AQ_DIAG_INIT;
  for (int64_t i = 0; i < 2 * COUNT; i++) {
    int64_t id;
    ck_assert_status(sink->name(sink, names[i % COUNT].text,
                                names[i % COUNT].length, &id, &diag),
                     AQ_OK, &diag);
    ck_assert_int_eq(id, i % COUNT);
  }
  writer_finish(writer);
  aq_run_reader *reader;
  ck_assert_status(
      aq_run_reader_open(store, 1, AQ_ORDER_STORED, &reader, &diag), AQ_OK,
      &diag);
  for (int64_t i = 0; i < COUNT; i++) {
    char sql[128];
    ck_assert_mem_eq(aq_run_reader_name(reader, i), names[i].text,
                     names[i].length + 1);
    snprintf(sql, sizeof sql, "SELECT hex(text) FROM names WHERE id = %d",
             (int)i);
    char *hex = sql_text(path, sql);
    if (names[i].hex)
      ck_assert_str_eq(hex, names[i].hex);
    free(hex);
  }
  ck_assert_ptr_null(aq_run_reader_name(reader, COUNT));
  ck_assert_ptr_null(aq_run_reader_name(reader, AQ_NONE));
  aq_run_reader_close(reader);
  aq_store_close(store);
}
END_TEST

START_TEST(devices_and_queues_survive_and_may_become_known_later)
{
  aq_store *store = store_open(":memory:", AQ_STORE_WRITE);
  aq_store_writer *writer = writer_open(store, NULL);
  aq_record_sink *sink = aq_store_writer_sink(writer);
  aq_diag diag = AQ_DIAG_INIT;
  int64_t ordinal;
  const aq_run_device early = {.source_id = 7, .cus = AQ_NONE};
  const aq_run_device other = {2, "it's another", NULL, 64};
  const aq_run_device late = {7, "AMD Instinct MI300X", "gfx942", 304};
  sink->device(sink, &early, &ordinal, &diag);
  sink->device(sink, &other, &ordinal, &diag);
  ck_assert_int_eq(ordinal, 1);
  sink->queue(sink, &(aq_run_queue){0, INT64_MAX}, &ordinal, &diag);
  sink->queue(sink, &(aq_run_queue){1, INT64_MAX}, &ordinal, &diag);
  ck_assert_int_eq(ordinal, 1);
  ck_assert_status(write_rows(writer, 0, 0, 20000, &diag), AQ_OK, &diag);
  sink->device(sink, &late, &ordinal, &diag);
  ck_assert_int_eq(ordinal, 0);
  sink->queue(sink, &(aq_run_queue){1, -5}, &ordinal, &diag);
  ck_assert_int_eq(ordinal, 2);
  writer_finish(writer);

  aq_run_reader *reader;
  ck_assert_status(aq_run_reader_open(store, 1, AQ_ORDER_START, &reader, &diag),
                   AQ_OK, &diag);
  ck_assert_uint_eq(aq_run_reader_device_count(reader), 2);
  ck_assert_uint_eq(aq_run_reader_queue_count(reader), 3);
  const aq_run_device *device = aq_run_reader_device(reader, 0);
  ck_assert_int_eq(device->source_id, 7);
  ck_assert_str_eq(device->name, "AMD Instinct MI300X");
  ck_assert_str_eq(device->gfx, "gfx942");
  ck_assert_int_eq(device->cus, 304);
  ck_assert_str_eq(aq_run_reader_device(reader, 1)->name, "it's another");
  ck_assert_ptr_null(aq_run_reader_device(reader, 1)->gfx);
  ck_assert_int_eq(aq_run_reader_queue(reader, 1)->device, 1);
  ck_assert_int_eq(aq_run_reader_queue(reader, 1)->source_id, INT64_MAX);
  ck_assert_int_eq(aq_run_reader_queue(reader, 2)->source_id, -5);
  ck_assert_ptr_null(aq_run_reader_device(reader, 2));
  ck_assert_ptr_null(aq_run_reader_queue(reader, -1));
  aq_run_reader_close(reader);
  aq_store_close(store);
}
END_TEST

START_TEST(abort_leaves_nothing_of_the_run)
{
  char *path = fresh_path("runs.db");
  aq_store *store = store_open(path, AQ_STORE_WRITE);
  aq_diag diag = AQ_DIAG_INIT;
  int64_t kept = make_run(store, "kept", 1, 100);
  aq_store_writer *writer = writer_open(store, "gone");
  aq_record_sink *sink = aq_store_writer_sink(writer);
  int64_t id;
  sink->name(sink, "k", 1, &id, &diag);
  sink->device(sink, &(aq_run_device){.source_id = 1}, &id, &diag);
  sink->queue(sink, &(aq_run_queue){0, 1}, &id, &diag);
  ck_assert_status(write_rows(writer, 2, 0, 40000, &diag), AQ_OK, &diag);
  ck_assert_int_gt(sql_integer(path, "SELECT count(*) FROM records"), 100);
  aq_store_writer_abort(writer);
  ck_assert_int_eq(sql_integer(path, "SELECT count(*) FROM runs"), 1);
  ck_assert_int_eq(sql_integer(path, "SELECT count(*) FROM records"), 100);
  ck_assert_int_eq(sql_integer(path, "SELECT (SELECT count(*) FROM names) + "
                                     "(SELECT count(*) FROM devices) + "
                                     "(SELECT count(*) FROM queues)"),
                   0);
  check_run(store, kept, 1, 100);
  int64_t next = make_run(store, "gone", 2, 1);
  ck_assert_int_gt(next, kept + 1); /* ids are not used again */
  aq_store_close(store);
}
END_TEST

START_TEST(run_is_incomplete_until_it_is_finished)
{
  char *path = fresh_path("runs.db");
  aq_store *store = store_open(path, AQ_STORE_WRITE);
  aq_diag diag = AQ_DIAG_INIT;
  aq_store_writer *writer = writer_open(store, "m");
  ck_assert_int_eq(sql_integer(path, "SELECT complete FROM runs"), 0);
  ck_assert_status(write_rows(writer, 2, 0, 40000, &diag), AQ_OK, &diag);
  ck_assert_int_eq(sql_integer(path, "SELECT complete FROM runs"), 0);
  writer_finish(writer);
  ck_assert_int_eq(sql_integer(path, "SELECT complete FROM runs"), 1);
  aq_store_close(store);
}
END_TEST

/* Another connection sees committed rows. */
START_TEST(a_run_that_begins_late_is_one_transaction)
{
  char *path = fresh_path("runs.db");
  aq_store *store = store_open(path, AQ_STORE_WRITE);
  aq_diag diag = AQ_DIAG_INIT;
  const aq_run_info info = run_named("m");
  int64_t run = AQ_NONE;
  aq_store_writer *writer = writer_open_late(store, &info, &run);
  ck_assert_status(write_rows(writer, 2, 0, 100, &diag), AQ_OK, &diag);
  ck_assert_int_eq(sql_integer(path, "SELECT count(*) FROM runs"), 0);
  ck_assert_int_eq(aq_store_writer_run(writer), AQ_NONE);
  writer_finish(writer);
  ck_assert_int_eq(run, 1);
  ck_assert_int_eq(sql_integer(path, "SELECT complete FROM runs"), 1);
  check_run(store, run, 2, 100);
  aq_store_close(store);
}
END_TEST

START_TEST(a_long_run_that_begins_late_is_incomplete_until_it_is_finished)
{
  char *path = fresh_path("runs.db");
  aq_store *store = store_open(path, AQ_STORE_WRITE);
  aq_diag diag = AQ_DIAG_INIT;
  const aq_run_info info = run_named("m");
  int64_t run = AQ_NONE;
  aq_store_writer *writer = writer_open_late(store, &info, &run);
  ck_assert_status(write_rows(writer, 2, 0, 40000, &diag), AQ_OK, &diag);
  ck_assert_int_eq(sql_integer(path, "SELECT count(*) FROM runs WHERE name = "
                                     "'m' AND NOT complete"),
                   1);
  writer_finish(writer);
  check_run(store, run, 2, 40000);
  aq_store_close(store);
}
END_TEST

/* The number that the run would have had may be another's by then. */
START_TEST(a_late_run_that_cannot_be_stored_takes_no_other_with_it)
{
  aq_store *store = store_open(":memory:", AQ_STORE_WRITE);
  aq_diag diag = AQ_DIAG_INIT;
  const aq_run_info info = run_named("m");
  int64_t run = AQ_NONE;
  aq_store_writer *writer = writer_open_late(store, &info, &run);
  const int64_t other = make_run(store, "m", 1, 10);
  ck_assert_status(write_rows(writer, 2, 0, 40000, &diag), AQ_ERR_EXISTS,
                   &diag);
  const int64_t later = make_run(store, "n", 3, 10);
  aq_store_writer_abort(writer);
  check_run(store, other, 1, 10);
  check_run(store, later, 3, 10);
  ck_assert_int_eq(run, AQ_NONE);
  aq_store_close(store);
}
END_TEST

START_TEST(writing_a_run_that_was_removed_meanwhile_fails_and_leaves_nothing)
{
  char *path = fresh_path("runs.db");
  aq_store *store = store_open(path, AQ_STORE_WRITE);
  aq_diag diag = AQ_DIAG_INIT;
  aq_store_writer *writer = writer_open(store, "m");
  int64_t run = aq_store_writer_run(writer);
  ck_assert_status(write_rows(writer, 2, 0, 20000, &diag), AQ_OK, &diag);
  ck_assert_status(aq_store_remove(store, run, &diag), AQ_OK, &diag);
  ck_assert_status(write_rows(writer, 2, 20000, 20000, &diag), AQ_ERR_NOT_FOUND,
                   &diag);
  diag = (aq_diag)AQ_DIAG_INIT;
  ck_assert_status(aq_store_writer_finish(writer, NULL, &diag),
                   AQ_ERR_NOT_FOUND, &diag);
  ck_assert_ptr_nonnull(strstr(diag.text, "removed"));
  ck_assert_int_eq(sql_integer(path, "SELECT count(*) FROM records"), 0);
  aq_store_close(store);
}
END_TEST

/* Under ASan: nothing is written behind a buffer that stayed full. */
START_TEST(every_put_after_a_failed_batch_fails)
{
  char *path = fresh_path("runs.db");
  aq_store *store = store_open(path, AQ_STORE_WRITE);
  aq_diag diag = AQ_DIAG_INIT;
  aq_store_writer *writer = writer_open(store, "m");
  aq_record_sink *sink = aq_store_writer_sink(writer);
  ck_assert_status(aq_store_remove(store, aq_store_writer_run(writer), &diag),
                   AQ_OK, &diag);
  aq_preempted row;
  memset(&row, 0, sizeof row);
  int put = 0;
  while (put < 200000 && sink->put_preempted(sink, &row, 1, &diag) == AQ_OK)
    put++;
  ck_assert_int_lt(put, 200000);
  for (int i = 0; i < 1000; i++)
    ck_assert_int_eq(sink->put_preempted(sink, &row, 1, &diag),
                     AQ_ERR_NOT_FOUND);
  aq_record record;
  aq_record_init(&record);
  ck_assert_int_eq(sink->put(sink, &record, 1, &diag), AQ_ERR_NOT_FOUND);
  const aq_edge edge = {.to = 1};
  ck_assert_int_eq(sink->put_edges(sink, &edge, 1, &diag), AQ_ERR_NOT_FOUND);
  const aq_sample sample = {.time = 1};
  ck_assert_int_eq(sink->put_counters(sink, &sample, 1, &diag),
                   AQ_ERR_NOT_FOUND);
  ck_assert_int_eq(aq_store_writer_finish(writer, NULL, &diag),
                   AQ_ERR_NOT_FOUND);
  aq_store_close(store);
}
END_TEST

START_TEST(taking_back_an_end_of_a_removed_run_fails_as_every_put_after_it)
{
  aq_store *store = store_open(fresh_path("runs.db"), AQ_STORE_WRITE);
  aq_diag diag = AQ_DIAG_INIT;
  aq_store_writer *writer = writer_open(store, "m");
  aq_record_sink *sink = aq_store_writer_sink(writer);
  const int64_t stored = 7;
  aq_record row;
  aq_record_init(&row);
  ck_assert_status(write_rows(writer, 2, 0, 20000, &diag), AQ_OK, &diag);
  ck_assert_status(aq_store_remove(store, aq_store_writer_run(writer), &diag),
                   AQ_OK, &diag);
  ck_assert_int_eq(sink->contradict(sink, &stored, 1, &diag), AQ_ERR_NOT_FOUND);
  ck_assert_ptr_nonnull(strstr(diag.text, "was removed while it was written"));
  ck_assert_int_eq(sink->put(sink, &row, 1, &diag), AQ_ERR_NOT_FOUND);
  ck_assert_int_eq(aq_store_writer_finish(writer, NULL, &diag),
                   AQ_ERR_NOT_FOUND);
  aq_store_close(store);
}
END_TEST

/* Two runs at once over one connection, as a replay reads while it writes. */
START_TEST(two_writers_and_a_reader_of_one_store_do_not_disturb_each_other)
{
  aq_store *store = store_open(":memory:", AQ_STORE_WRITE);
  aq_diag diag = AQ_DIAG_INIT;
  int64_t origin = make_run(store, "origin", 9, 30000);
  aq_run_reader *reader;
  ck_assert_status(
      aq_run_reader_open(store, origin, AQ_ORDER_START, &reader, &diag), AQ_OK,
      &diag);
  aq_store_writer *a = writer_open(store, "a"), *b = writer_open(store, "b");
  int64_t run_a = aq_store_writer_run(a), run_b = aq_store_writer_run(b);
  aq_record rows[500];
  int64_t seen = 0;
  size_t count;
  do {
    ck_assert_status(aq_run_reader_next(reader, rows, NULL, 500, &count, &diag),
                     AQ_OK, &diag);
    ck_assert_status(write_rows(a, 1, seen, (int64_t)count, &diag), AQ_OK,
                     &diag);
    ck_assert_status(write_rows(b, 2, seen, (int64_t)count, &diag), AQ_OK,
                     &diag);
    seen += (int64_t)count;
  } while (count);
  ck_assert_int_eq(seen, 30000);
  writer_finish(b);
  writer_finish(a);
  aq_run_reader_close(reader);
  check_run(store, run_a, 1, 30000);
  check_run(store, run_b, 2, 30000);
  aq_store_close(store);
}
END_TEST

enum { FORKED_RUNS = 3, FORKED_ROWS = 20000 };

static int write_forked_runs(const char *path, int64_t seed)
{
  aq_store *store;
  aq_diag diag = AQ_DIAG_INIT;
  int64_t run;
  aq_status status = aq_store_open(path, AQ_STORE_WRITE, &store, &diag);
  if (status) {
    fprintf(stderr, "%s\n", diag.text);
    return 1;
  }
  for (int i = 0; !status && i < FORKED_RUNS; i++) {
    char name[32];
    snprintf(name, sizeof name, "s%d-%d", (int)seed, i);
    status = write_run(store, name, seed, FORKED_ROWS, &run, &diag);
  }
  if (status)
    fprintf(stderr, "%s\n", diag.text);
  aq_store_close(store);
  return status != AQ_OK;
}

START_TEST(processes_write_to_one_new_store_at_once_while_another_reads)
{
  enum { WRITERS = 2 };
  char *path = fresh_path("runs.db");
  int pids[WRITERS];
  for (int i = 0; i < WRITERS; i++) {
    pids[i] = fork();
    if (pids[i] == 0)
      _exit(write_forked_runs(path, i));
  }
  /* Reading meanwhile: complete runs are whole. */
  aq_store *store = store_open(path, AQ_STORE_WRITE);
  aq_diag diag = AQ_DIAG_INIT;
  aq_run_info *info = NULL;
  for (int tries = 0; !info && tries < 30000; tries++)
    if (aq_store_find(store, "latest", &info, &diag))
      usleep(1000);
  ck_assert_ptr_nonnull(info);
  int64_t seed = info->name[1] - '0';
  check_run(store, info->id, seed, FORKED_ROWS);
  aq_run_info_free(info);
  for (int i = 0; i < WRITERS; i++)
    ck_assert_int_eq(child_exit(pids[i]), 0);
  aq_run_list list;
  ck_assert_status(aq_store_list(store, &list, &diag), AQ_OK, &diag);
  ck_assert_uint_eq(list.count, WRITERS * FORKED_RUNS);
  for (size_t i = 0; i < list.count; i++) {
    ck_assert(list.runs[i]->complete);
    check_run(store, list.runs[i]->id, list.runs[i]->name[1] - '0',
              FORKED_ROWS);
  }
  aq_run_list_fini(&list);
  aq_store_close(store);
}
END_TEST

/* A file-size limit stands for a full disk. Returns 0 when it went as wanted.
 */
static int write_to_full_disk(const char *path)
{
  signal(SIGXFSZ, SIG_IGN);
  const struct rlimit limit = {3 << 20, 3 << 20};
  aq_store *store;
  aq_store_writer *writer;
  aq_diag diag = AQ_DIAG_INIT;
  const aq_run_info info = run_named("too-much");
  if (setrlimit(RLIMIT_FSIZE, &limit) != 0)
    return 1;
  if (aq_store_open(path, AQ_STORE_WRITE, &store, &diag) ||
      aq_store_writer_open(store, &info, &writer, &diag))
    return 2;
  if (write_rows(writer, 1, 0, 200000, &diag) != AQ_ERR_IO)
    return 3;
  if (strchr(diag.text, '\n') || !strstr(diag.text, path))
    return 4;
  const char first = diag.text[0];
  diag = (aq_diag)AQ_DIAG_INIT;
  if (write_rows(writer, 1, 0, 1, &diag) != AQ_ERR_IO || diag.text[0] != first)
    return 5;
  if (aq_store_writer_finish(writer, NULL, &diag) != AQ_ERR_IO)
    return 6;
  aq_store_close(store);
  return 0;
}

START_TEST(full_disk_is_one_error_and_earlier_runs_stay)
{
  char *path = fresh_path("runs.db");
  aq_store *store = store_open(path, AQ_STORE_WRITE);
  int64_t kept = make_run(store, "kept", 4, 1000);
  aq_store_close(store);
  int pid = fork();
  if (pid == 0)
    _exit(write_to_full_disk(path));
  ck_assert_int_eq(child_exit(pid), 0);
  store = store_open(path, AQ_STORE_READ);
  check_run(store, kept, 4, 1000);
  aq_run_info *info;
  aq_diag diag = AQ_DIAG_INIT;
  ck_assert_status(aq_store_find(store, "too-much", &info, &diag), AQ_OK,
                   &diag);
  ck_assert(!info->complete);
  aq_run_info_free(info);
  aq_store_close(store);
  char *verdict = sql_text(path, "PRAGMA integrity_check");
  ck_assert_str_eq(verdict, "ok");
  free(verdict);
}
END_TEST

AQ_TEST_MAIN("store/writer", every_field_of_every_row_survives_many_batches,
             rows_that_come_many_at_a_time_are_the_same, unknown_is_null_in_sql,
             the_end_of_a_row_can_be_taken_back,
             kernels_whose_code_told_their_end_are_counted,
             names_keep_all_their_bytes,
             devices_and_queues_survive_and_may_become_known_later,
             abort_leaves_nothing_of_the_run,
             run_is_incomplete_until_it_is_finished,
             a_run_that_begins_late_is_one_transaction,
             a_long_run_that_begins_late_is_incomplete_until_it_is_finished,
             a_late_run_that_cannot_be_stored_takes_no_other_with_it,
             writing_a_run_that_was_removed_meanwhile_fails_and_leaves_nothing,
             every_put_after_a_failed_batch_fails,
             taking_back_an_end_of_a_removed_run_fails_as_every_put_after_it,
             two_writers_and_a_reader_of_one_store_do_not_disturb_each_other,
             processes_write_to_one_new_store_at_once_while_another_reads,
             full_disk_is_one_error_and_earlier_runs_stay)
