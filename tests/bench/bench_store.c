/* SPDX-License-Identifier: MIT */
/*
 * Storing and reading rows. The floor of storing is a prepared INSERT into a
 * bare table of the same columns in the same transactions, under the pragmas
 * that the store uses; the floor of reading, a prepared SELECT of them.
 */
#include "bench/bench.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/store.h"

enum { ROWS = 300000, BATCH = 16384, ROUNDS = 5 };

typedef struct bench_files {
  char folder[64];
  char bare[96], store[96];
  aq_record *rows;
} bench_files;

static void check(int ok, const char *what)
{
  if (ok)
    return;
  fprintf(stderr, "bench_store: %s failed\n", what);
  exit(1);
}

/* Kernels as a trace of a model has them: a few shapes, times that grow. */
static void make_rows(aq_record *rows)
{
  for (int64_t i = 0; i < ROWS; i++) {
    aq_record *row = &rows[i];
    const int64_t t = i * 7300123;
    aq_record_init(row);
    row->kind = AQ_KIND_KERNEL;
    row->via = AQ_VIA_DIRECT;
    row->flags = i % 3 == 0;
    row->name = i % 97;
    row->correlation = i + 1000;
    row->device = 0;
    row->queue = i % 4;
    row->stream = i % 4;
    row->pid = 4711;
    row->tid = 4712;
    row->packet = i;
    row->header = 0x1503;
    row->grid_x = (i % 97 + 1) * 256;
    row->grid_y = row->grid_z = 1;
    row->wg_x = 256;
    row->wg_y = row->wg_z = 1;
    row->lds = i % 5 * 1024;
    row->host_begin = t;
    row->host_end = t + 4100000;
    row->submit = t + 3900000;
    row->fetch = t + 5000000;
    row->launch = t + 6100000;
    row->start = t + 6400000;
    row->end = t + 11000000;
    row->complete = t + 11900000;
    row->observe = t + 14000000;
  }
}

static void remove_database(const char *path)
{
  char name[128];
  unlink(path);
  snprintf(name, sizeof name, "%s-wal", path);
  unlink(name);
  snprintf(name, sizeof name, "%s-shm", path);
  unlink(name);
}

static void run_sql(sqlite3 *db, const char *sql)
{
  check(sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK, sql);
}

static sqlite3 *open_bare(const char *path)
{
  sqlite3 *db;
  const int flags =
      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
  check(sqlite3_open_v2(path, &db, flags, NULL) == SQLITE_OK, "open");
  run_sql(db, "PRAGMA page_size = 16384; PRAGMA cache_size = -16384;"
              "PRAGMA wal_autocheckpoint = 2000; PRAGMA secure_delete = OFF;"
              "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
  return db;
}

static sqlite3_stmt *make_bare_table(sqlite3 *db)
{
  sqlite3_str *table = sqlite3_str_new(db), *insert = sqlite3_str_new(db);
  sqlite3_str_appendall(table, "CREATE TABLE bare (id INTEGER PRIMARY KEY");
  sqlite3_str_appendall(insert, "INSERT INTO bare VALUES (?");
  for (int i = 0; i < AQ_RECORD_FIELD_COUNT; i++) {
    sqlite3_str_appendf(table, ", c%d INTEGER", i);
    sqlite3_str_appendall(insert, ", ?");
  }
  sqlite3_str_appendall(table, ")");
  sqlite3_str_appendall(insert, ")");
  char *text = sqlite3_str_finish(table);
  run_sql(db, text);
  sqlite3_free(text);
  sqlite3_stmt *statement;
  text = sqlite3_str_finish(insert);
  check(sqlite3_prepare_v2(db, text, -1, &statement, NULL) == SQLITE_OK, text);
  sqlite3_free(text);
  return statement;
}

static double bare_insert(void *context)
{
  const bench_files *files = context;
  remove_database(files->bare);
  sqlite3 *db = open_bare(files->bare);
  sqlite3_stmt *statement = make_bare_table(db);
  const double begin = aqbench_now();
  for (int r = 0; r < ROWS; r++) {
    if (r % BATCH == 0)
      run_sql(db, r ? "COMMIT; BEGIN IMMEDIATE" : "BEGIN IMMEDIATE");
    const int64_t *values = aq_record_values(&files->rows[r]);
    sqlite3_bind_int64(statement, 1, r);
    for (int i = 0; i < AQ_RECORD_FIELD_COUNT; i++)
      if (values[i] == AQ_NONE)
        sqlite3_bind_null(statement, i + 2);
      else
        sqlite3_bind_int64(statement, i + 2, values[i]);
    check(sqlite3_step(statement) == SQLITE_DONE, "insert");
    sqlite3_reset(statement);
  }
  run_sql(db, "COMMIT");
  const double seconds = aqbench_now() - begin;
  sqlite3_finalize(statement);
  sqlite3_close(db);
  return seconds * 1e9 / ROWS;
}

static aq_store *open_store(const char *path)
{
  aq_store *store;
  check(aq_store_open(path, AQ_STORE_WRITE, &store, NULL) == AQ_OK, path);
  return store;
}

static double store_insert(void *context)
{
  const bench_files *files = context;
  remove_database(files->store);
  aq_store *store = open_store(files->store);
  const aq_run_info info = {.kind = AQ_RUN_MEASURED, .name = "bench"};
  const double begin = aqbench_now();
  aq_store_writer *writer;
  check(aq_store_writer_open(store, &info, &writer, NULL) == AQ_OK, "writer");
  aq_record_sink *sink = aq_store_writer_sink(writer);
  for (int r = 0; r < ROWS; r++)
    check(sink->put(sink, &files->rows[r], 1, NULL) == AQ_OK, "put");
  check(aq_store_writer_finish(writer, NULL, NULL) == AQ_OK, "finish");
  const double seconds = aqbench_now() - begin;
  aq_store_close(store);
  return seconds * 1e9 / ROWS;
}

static double bare_select(void *context)
{
  const bench_files *files = context;
  sqlite3 *db = open_bare(files->bare);
  sqlite3_stmt *statement;
  check(sqlite3_prepare_v2(db, "SELECT * FROM bare", -1, &statement, NULL) ==
            SQLITE_OK,
        "select");
  int64_t sum = 0;
  int rows = 0;
  const double begin = aqbench_now();
  for (; sqlite3_step(statement) == SQLITE_ROW; rows++)
    for (int i = 0; i <= AQ_RECORD_FIELD_COUNT; i++)
      if (sqlite3_column_type(statement, i) != SQLITE_NULL)
        sum += sqlite3_column_int64(statement, i);
  const double seconds = aqbench_now() - begin;
  check(rows == ROWS && sum != 0, "select");
  sqlite3_finalize(statement);
  sqlite3_close(db);
  return seconds * 1e9 / ROWS;
}

static double read_in_order(const bench_files *files, aq_row_order order)
{
  static aq_record batch[1024];
  aq_store *store = open_store(files->store);
  aq_run_reader *reader;
  const double begin = aqbench_now();
  check(aq_run_reader_open(store, 1, order, &reader, NULL) == AQ_OK, "reader");
  size_t count = 0;
  int64_t rows = 0;
  do {
    check(aq_run_reader_next(reader, batch, NULL, 1024, &count, NULL) == AQ_OK,
          "next");
    rows += (int64_t)count;
  } while (count);
  const double seconds = aqbench_now() - begin;
  check(rows == ROWS, "read");
  aq_run_reader_close(reader);
  aq_store_close(store);
  return seconds * 1e9 / ROWS;
}

static double store_select(void *context)
{
  return read_in_order(context, AQ_ORDER_STORED);
}

static double store_select_sorted(void *context)
{
  return read_in_order(context, AQ_ORDER_SUBMIT);
}

/* Neighbours swapped, as in a trace of several queues. */
static void shuffle_rows(aq_record *rows)
{
  for (int i = 0; i + 3 < ROWS; i += 4) {
    aq_record kept = rows[i];
    rows[i] = rows[i + 3];
    rows[i + 3] = kept;
  }
}

int main(void)
{
  bench_files files;
  const char *base = getenv("TMPDIR");
  snprintf(files.folder, sizeof files.folder, "%.40s/aqbench-XXXXXX",
           base ? base : "/tmp");
  check(mkdtemp(files.folder) != NULL, files.folder);
  snprintf(files.bare, sizeof files.bare, "%s/bare.db", files.folder);
  snprintf(files.store, sizeof files.store, "%s/store.db", files.folder);
  files.rows = malloc(ROWS * sizeof *files.rows);
  check(files.rows != NULL, "malloc");
  make_rows(files.rows);
  aqbench_compare("store_insert", "ns/row", ROUNDS, bare_insert, store_insert,
                  &files);
  aqbench_compare("store_read", "ns/row", ROUNDS, bare_select, store_select,
                  &files);
  aqbench_compare("store_read_in_order", "ns/row", ROUNDS, bare_select,
                  store_select_sorted, &files);
  shuffle_rows(files.rows);
  store_insert(&files);
  aqbench_compare("store_read_sorting", "ns/row", ROUNDS, bare_select,
                  store_select_sorted, &files);
  remove_database(files.bare);
  remove_database(files.store);
  rmdir(files.folder);
  free(files.rows);
  return 0;
}
