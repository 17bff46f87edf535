/* SPDX-License-Identifier: MIT */
#include "store/store_test.h"

#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "common/arena.h"
#include "support/aqtest.h"

/* Processes that a test forks leave without freeing: the tests' texts stay
 * reachable here. */
static aq_arena texts;

char *path_of(const char *fmt, ...)
{
  char buffer[4096];
  va_list args;
  va_start(args, fmt);
  int length = vsnprintf(buffer, sizeof buffer, fmt, args);
  va_end(args);
  ck_assert(length >= 0 && length < (int)sizeof buffer);
  return aq_arena_text(&texts, buffer, (size_t)length);
}

char *fresh_path(const char *name)
{
  static int used;
  return path_of("%s/%d-%s", aqtest_tmpdir(), used++, name);
}

aq_store *store_open(const char *path, aq_store_mode mode)
{
  aq_store *store = NULL;
  aq_diag diag = AQ_DIAG_INIT;
  ck_assert_status(aq_store_open(path, mode, &store, &diag), AQ_OK, &diag);
  return store;
}

void store_open_fails(const char *path, aq_store_mode mode, aq_status status,
                      const char *words)
{
  aq_store *store = NULL;
  aq_diag diag = AQ_DIAG_INIT;
  ck_assert_status(aq_store_open(path, mode, &store, &diag), status, &diag);
  ck_assert_ptr_null(store);
  ck_assert_msg(strstr(diag.text, words) != NULL, "\"%s\" lacks \"%s\"",
                diag.text, words);
  ck_assert_ptr_null(strchr(diag.text, '\n'));
}

aq_run_info run_named(const char *name)
{
  return (aq_run_info){.kind = AQ_RUN_MEASURED,
                       .name = name,
                       .origin = AQ_NONE,
                       .seed = AQ_NONE,
                       .base_ns = AQ_NONE};
}

aq_record row_of(int64_t seed, int64_t i)
{
  static const int64_t extremes[] = {AQ_NONE, INT64_MAX, INT64_MIN + 1, 0, -1};
  aq_record row;
  int64_t *values = &row.kind;
  for (int64_t f = 0; f < AQ_RECORD_FIELD_COUNT; f++)
    values[f] = (i + f) % 7 < 5 && f % 3 == 0 ? extremes[(i + f) % 7]
                                              : (seed << 40) + i * 1000 + f;
  return row;
}

aq_status write_rows(aq_store_writer *writer, int64_t seed, int64_t first,
                     int64_t count, aq_diag *diag)
{
  aq_record_sink *sink = aq_store_writer_sink(writer);
  aq_status status = AQ_OK;
  for (int64_t i = first; !status && i < first + count; i++) {
    const aq_record row = row_of(seed, i);
    status = sink->put(sink, &row, 1, diag);
  }
  return status;
}

aq_status write_run(aq_store *store, const char *name, int64_t seed,
                    int64_t count, int64_t *run, aq_diag *diag)
{
  const aq_run_info info = run_named(name);
  aq_store_writer *writer;
  aq_status status = aq_store_writer_open(store, &info, &writer, diag);
  if (status)
    return status;
  *run = aq_store_writer_run(writer);
  status = write_rows(writer, seed, 0, count, diag);
  aq_status finished = aq_store_writer_finish(writer, NULL, diag);
  return status ? status : finished;
}

int64_t make_run(aq_store *store, const char *name, int64_t seed, int64_t count)
{
  aq_diag diag = AQ_DIAG_INIT;
  int64_t run = AQ_NONE;
  ck_assert_status(write_run(store, name, seed, count, &run, &diag), AQ_OK,
                   &diag);
  return run;
}

static void put_sound_rows(aq_record_sink *sink, int64_t origin, int64_t count,
                           int64_t queues[2], aq_diag *diag)
{
  for (int64_t i = 0; i < count; i++) {
    aq_record row;
    aq_record_init(&row);
    row.kind = AQ_KIND_KERNEL;
    row.device = 0;
    row.queue = queues[i % 2];
    row.start = 1000 * i + (origin != AQ_NONE);
    row.end = row.start + 500;
    row.origin = origin == AQ_NONE ? AQ_NONE : i;
    sink->name(sink, i % 2 ? "gemm" : "relu", 4, &row.name, diag);
    ck_assert_status(sink->put(sink, &row, 1, diag), AQ_OK, diag);
  }
}

static aq_store_writer *writer_of(aq_store *store, const aq_run_info *info)
{
  aq_diag diag = AQ_DIAG_INIT;
  aq_store_writer *writer;
  ck_assert_status(aq_store_writer_open(store, info, &writer, &diag), AQ_OK,
                   &diag);
  return writer;
}

aq_store_writer *writer_open(aq_store *store, const char *name)
{
  const aq_run_info info = run_named(name);
  return writer_of(store, &info);
}

void writer_finish(aq_store_writer *writer)
{
  aq_diag diag = AQ_DIAG_INIT;
  ck_assert_status(aq_store_writer_finish(writer, NULL, &diag), AQ_OK, &diag);
}

int64_t make_sound_run(aq_store *store, const char *name, int64_t origin,
                       int64_t count)
{
  aq_diag diag = AQ_DIAG_INIT;
  aq_run_info info = run_named(name);
  info.origin = origin;
  info.kind = origin == AQ_NONE ? AQ_RUN_MEASURED : AQ_RUN_SIMULATED;
  info.notes = "{}";
  aq_store_writer *writer = writer_of(store, &info);
  const int64_t run = aq_store_writer_run(writer);
  aq_record_sink *sink = aq_store_writer_sink(writer);
  int64_t device, queues[2];
  sink->device(sink, &(aq_run_device){7, "card", "gfx942", 304}, &device,
               &diag);
  for (int64_t i = 0; i < 2; i++)
    sink->queue(sink, &(aq_run_queue){device, i}, &queues[i], &diag);
  put_sound_rows(sink, origin, count, queues, &diag);
  sink->put_edges(sink, &(aq_edge){0, 1, AQ_EDGE_CALL, 100}, 1, &diag);
  sink->put_counters(sink, &(aq_sample){AQ_COUNTER_waves, 0, 5, 6}, 1, &diag);
  writer_finish(writer);
  return run;
}

int64_t check_rows(aq_store *store, int64_t run, int64_t seed)
{
  aq_diag diag = AQ_DIAG_INIT;
  aq_run_reader *reader;
  ck_assert_status(
      aq_run_reader_open(store, run, AQ_ORDER_STORED, &reader, &diag), AQ_OK,
      &diag);
  aq_record rows[1000];
  int64_t numbers[1000];
  int64_t next = 0;
  size_t got;
  do {
    ck_assert_status(
        aq_run_reader_next(reader, rows, numbers, 1000, &got, &diag), AQ_OK,
        &diag);
    for (size_t i = 0; i < got; i++, next++) {
      const aq_record expected = row_of(seed, next);
      ck_assert_int_eq(numbers[i], next);
      ck_assert_mem_eq(&rows[i], &expected, sizeof expected);
    }
  } while (got);
  aq_run_reader_close(reader);
  return next;
}

void check_run(aq_store *store, int64_t run, int64_t seed, int64_t count)
{
  ck_assert_int_eq(check_rows(store, run, seed), count);
}

/* ---- SQL ---- */

static sqlite3 *connect(const char *path)
{
  sqlite3 *db;
  ck_assert_int_eq(sqlite3_open(path, &db), SQLITE_OK);
  sqlite3_busy_timeout(db, 60000);
  /* Nothing waits for the disk. */
  ck_assert_int_eq(
      sqlite3_exec(db, "PRAGMA synchronous = OFF", NULL, NULL, NULL),
      SQLITE_OK);
  return db;
}

char *sql_text(const char *path, const char *sql)
{
  sqlite3 *db = connect(path);
  sqlite3_stmt *statement;
  int code = sqlite3_prepare_v2(db, sql, -1, &statement, NULL);
  ck_assert_msg(code == SQLITE_OK, "%s: %s", sql, sqlite3_errmsg(db));
  code = sqlite3_step(statement);
  ck_assert_msg(code == SQLITE_ROW, "%s: %s", sql, sqlite3_errmsg(db));
  const char *text = (const char *)sqlite3_column_text(statement, 0);
  char *copy = strdup(text ? text : "NULL");
  sqlite3_finalize(statement);
  sqlite3_close(db);
  return copy;
}

int64_t sql_integer(const char *path, const char *sql)
{
  char *text = sql_text(path, sql);
  int64_t value = strtoll(text, NULL, 10);
  free(text);
  return value;
}

void sql_run(const char *path, const char *sql)
{
  sqlite3 *db = connect(path);
  int code = sqlite3_exec(db, sql, NULL, NULL, NULL);
  ck_assert_msg(code == SQLITE_OK, "%s: %s", sql, sqlite3_errmsg(db));
  sqlite3_close(db);
}

/* ---- files and processes ---- */

char *file_bytes(const char *path, size_t *size)
{
  FILE *file = fopen(path, "rb");
  ck_assert_ptr_nonnull(file);
  fseek(file, 0, SEEK_END);
  *size = (size_t)ftell(file);
  rewind(file);
  char *bytes = malloc(*size + 1);
  ck_assert_ptr_nonnull(bytes);
  ck_assert_uint_eq(fread(bytes, 1, *size, file), *size);
  bytes[*size] = '\0';
  fclose(file);
  return bytes;
}

int child_exit(int pid)
{
  int state;
  ck_assert_int_eq(waitpid(pid, &state, 0), pid);
  return WIFEXITED(state) ? WEXITSTATUS(state) : -1;
}
