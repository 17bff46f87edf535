/* SPDX-License-Identifier: MIT */
#include "support/aqtest.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/record.h"
#include "store/schema.h"
#include "store/store_test.h"

static char *doc_text(const char *name)
{
  char path[4096];
  size_t size;
  snprintf(path, sizeof path, "%s", aqtest_source("../doc/formats/"));
  strncat(path, name, sizeof path - strlen(path) - 1);
  return file_bytes(path, &size);
}

static void check_sql(const char *path, const char *sql, const char *expected)
{
  char *text = sql_text(path, sql);
  ck_assert_msg(!strcmp(text, expected), "%s: got %s, expected %s", sql, text,
                expected);
  free(text);
}

/* A kernel and a copy of a run named "m", and a replay of it. */
static char *make_example(void)
{
  char *path = fresh_path("example.db");
  aq_store *store = store_open(path, AQ_STORE_WRITE);
  aq_diag diag = AQ_DIAG_INIT;
  make_run(store, "before", 1, 10);
  for (int replay = 0; replay < 2; replay++) {
    aq_store_writer *writer = writer_open(store, replay ? "s" : "m");
    aq_record rows[2];
    aq_record_sink *sink = aq_store_writer_sink(writer);
    for (int i = 0; i < 2; i++) {
      aq_record_init(&rows[i]);
      rows[i].kind = i ? AQ_KIND_COPY : AQ_KIND_KERNEL;
      rows[i].via = AQ_VIA_DIRECT;
      rows[i].start = 1000500 + 1000 * i + 250 * replay;
      rows[i].end = rows[i].start + 2000;
      rows[i].origin = replay ? i : AQ_NONE;
      sink->name(sink, i ? "copy" : "gemm", 4, &rows[i].name, &diag);
    }
    ck_assert_status(sink->put(sink, rows, 2, &diag), AQ_OK, &diag);
    writer_finish(writer);
  }
  make_run(store, "after", 1, 10);
  aq_store_close(store);
  return path;
}

START_TEST(views_show_names_kinds_and_nanoseconds)
{
  char *path = make_example();
  check_sql(path,
            "SELECT group_concat(run || ' ' || row || ' ' || kind || ' ' || "
            "via || ' ' || name || ' ' || start_ns, ', ') FROM events "
            "WHERE run_name = 'm'",
            "2 0 kernel direct gemm 1000.5, 2 1 copy direct copy 1001.5");
  check_sql(path,
            "SELECT group_concat(name || ' ' || row) FROM dispatches "
            "WHERE run = 3",
            "gemm 0");
  check_sql(path,
            "SELECT count(*) FROM events WHERE observe_ns IS NULL "
            "AND run IN (2, 3)",
            "4");
}
END_TEST

START_TEST(a_view_of_one_run_reads_only_that_run)
{
  char *path = make_example();
  const char *const conditions[] = {"run = 2", "run_name = 'm'"};
  sqlite3 *db;
  ck_assert_int_eq(sqlite3_open(path, &db), SQLITE_OK);
  for (size_t i = 0; i < 2; i++) {
    char sql[256];
    sqlite3_stmt *plan;
    int ranges = 0;
    snprintf(sql, sizeof sql,
             "EXPLAIN QUERY PLAN SELECT * FROM events WHERE %s", conditions[i]);
    ck_assert_int_eq(sqlite3_prepare_v2(db, sql, -1, &plan, NULL), SQLITE_OK);
    while (sqlite3_step(plan) == SQLITE_ROW) {
      const char *step = (const char *)sqlite3_column_text(plan, 3);
      ck_assert_msg(!strstr(step, "SCAN"), "%s: %s", conditions[i], step);
      ranges += strstr(step, "records USING INTEGER PRIMARY KEY (rowid>? AND "
                             "rowid<?)") != NULL;
    }
    ck_assert_int_eq(ranges, 1);
    sqlite3_finalize(plan);
  }
  sqlite3_close(db);
}
END_TEST

START_TEST(a_store_of_version_0_is_brought_up_to_date)
{
  char *path = fresh_path("v0.db");
  char sql[128];
  /* The file of an aborted first version: ours, but without tables. */
  snprintf(sql, sizeof sql, "PRAGMA application_id = %d; VACUUM",
           AQ_SCHEMA_APPLICATION_ID);
  sql_run(path, sql);
  ck_assert_int_eq(sql_integer(path, "PRAGMA user_version"), 0);
  aq_store *store = store_open(path, AQ_STORE_WRITE);
  make_run(store, "m", 1, 100);
  check_run(store, 1, 1, 100);
  aq_store_close(store);
  ck_assert_int_ge(sql_integer(path, "PRAGMA user_version"), 1);
}
END_TEST

START_TEST(a_store_of_version_1_gets_edges_and_keeps_its_rows)
{
  char *path = fresh_path("v1.db");
  aq_store *store = store_open(path, AQ_STORE_WRITE);
  make_run(store, "m", 1, 100);
  aq_store_close(store);
  sql_run(path, "DROP VIEW samples; DROP TABLE counters; DROP TABLE edges;"
                "PRAGMA user_version = 1");
  store = store_open(path, AQ_STORE_READ);
  check_run(store, 1, 1, 100);
  aq_store_close(store);
  ck_assert_int_eq(sql_integer(path, "SELECT count(*) FROM edges"), 0);
  ck_assert_int_eq(sql_integer(path, "PRAGMA user_version"), 12);
}
END_TEST

START_TEST(a_store_of_version_2_gets_counters_and_views_and_keeps_its_runs)
{
  char *path = fresh_path("v2.db");
  aq_store *store = store_open(path, AQ_STORE_WRITE);
  make_sound_run(store, "s", make_sound_run(store, "m", AQ_NONE, 50), 50);
  aq_store_close(store);
  sql_run(path, "DROP VIEW samples; DROP VIEW gaps; DROP VIEW run_pairs;"
                "DROP TABLE counters; PRAGMA user_version = 2");
  store = store_open(path, AQ_STORE_READ);
  aq_store_close(store);
  ck_assert_int_eq(sql_integer(path, "PRAGMA user_version"), 12);
  check_sql(path, "SELECT count(*) FROM samples", "0");
  check_sql(
      path,
      "SELECT count(*) || ' ' || round(sum(end_error_ns), 3) FROM run_pairs",
      "50 0.05");
  check_sql(path, "SELECT count(*) FROM edges", "2");
  store = store_open(path, AQ_STORE_WRITE);
  make_sound_run(store, "new", AQ_NONE, 5);
  aq_store_close(store);
  check_sql(path,
            "SELECT run_name || counter || unit || scope || ordinal || ' ' || "
            "time_ns || ' ' || value FROM samples",
            "newwaveswavesdevice0 0.005 6");
}
END_TEST

START_TEST(gaps_are_between_kernels_of_one_queue)
{
  char *path = fresh_path("gaps.db");
  aq_store *store = store_open(path, AQ_STORE_WRITE);
  make_sound_run(store, "m", AQ_NONE, 6);
  make_sound_run(store, "n", AQ_NONE, 6);
  aq_store_close(store);
  check_sql(path,
            "SELECT group_concat(queue || ':' || row || ' ' || "
            "coalesce(after_row || ' ' || gap_ns, '-'), ', ') FROM "
            "(SELECT * FROM gaps WHERE run = 2 ORDER BY queue, row)",
            "0:0 -, 0:2 0 1.5, 0:4 2 1.5, 1:1 -, 1:3 1 1.5, 1:5 3 1.5");
}
END_TEST

START_TEST(a_store_that_lacks_columns_gets_them_and_keeps_its_rows)
{
  char *path = fresh_path("old.db");
  aq_store *store = store_open(path, AQ_STORE_WRITE);
  make_run(store, "m", 1, 100);
  aq_store_close(store);
  /* As a store was before these fields: without them, and with views that do
   * not know them. */
  sql_run(path, "DROP VIEW gaps; DROP VIEW run_pairs; DROP VIEW events;"
                "DROP VIEW dispatches;"
                "ALTER TABLE records DROP COLUMN observe_ps;"
                "ALTER TABLE records DROP COLUMN sgpr;"
                "ALTER TABLE runs DROP COLUMN model_verdict;"
                "CREATE VIEW events AS SELECT id FROM records");
  store = store_open(path, AQ_STORE_READ); /* any opening does it */
  aq_run_reader *reader;
  aq_diag diag = AQ_DIAG_INIT;
  aq_record row;
  size_t count;
  ck_assert_status(
      aq_run_reader_open(store, 1, AQ_ORDER_STORED, &reader, &diag), AQ_OK,
      &diag);
  for (int64_t i = 0; i < 100; i++) {
    aq_record expected = row_of(1, i);
    expected.observe = expected.sgpr = AQ_NONE;
    ck_assert_status(aq_run_reader_next(reader, &row, NULL, 1, &count, &diag),
                     AQ_OK, &diag);
    ck_assert_mem_eq(&row, &expected, sizeof row);
  }
  aq_run_reader_close(reader);
  aq_store_close(store);
  store = store_open(path, AQ_STORE_WRITE);
  check_run(store, make_run(store, "new", 2, 100), 2, 100);
  aq_store_close(store);
  check_sql(path, "SELECT count(observe_ns) > 0 FROM events", "1");
}
END_TEST

START_TEST(opening_a_store_that_is_up_to_date_changes_nothing)
{
  char *path = make_example();
  int64_t before = sql_integer(path, "PRAGMA schema_version");
  aq_store_close(store_open(path, AQ_STORE_WRITE));
  aq_store_close(store_open(path, AQ_STORE_READ));
  ck_assert_int_eq(sql_integer(path, "PRAGMA schema_version"), before);
}
END_TEST

/* ---- the tables of the documentation ---- */

static void put_fields(FILE *out, size_t from, size_t to)
{
  fputs("| field | unit | meaning |\n|---|---|---|\n", out);
  for (size_t i = from; i < to; i++)
    fprintf(out, "| `%s` | %s | %s |\n", aq_record_fields[i].name,
            aq_record_fields[i].unit, aq_record_fields[i].meaning);
}

/* The groups of record.def, by their first fields. */
static void put_what(FILE *out)
{
  put_fields(out, 0, AQ_RECORD_FIELD_device);
}

static void put_where(FILE *out)
{
  put_fields(out, AQ_RECORD_FIELD_device, AQ_RECORD_FIELD_grid_x);
}

static void put_shape(FILE *out)
{
  put_fields(out, AQ_RECORD_FIELD_grid_x, AQ_RECORD_FIELD_host_begin);
}

static void put_when(FILE *out)
{
  put_fields(out, AQ_RECORD_FIELD_host_begin, AQ_RECORD_FIELD_stalls);
}

static void put_why(FILE *out)
{
  put_fields(out, AQ_RECORD_FIELD_stalls, AQ_RECORD_FIELD_operation);
}

static void put_operation(FILE *out)
{
  put_fields(out, AQ_RECORD_FIELD_operation, AQ_RECORD_FIELD_COUNT);
}

static void put_runs(FILE *out)
{
  fputs(
      "| column | meaning |\n|---|---|\n"
      "| `id` | number of the run; never used again after it was removed |\n"
      "| `created` | begin of its writing: seconds since 1970, UTC |\n"
      "| `complete` | 1 once its last row was stored; 0: it is being written, "
      "or its writer was killed |\n"
      "| `row_count` | rows stored so far |\n",
      out);
  for (size_t i = 0; i < aq_run_column_count; i++)
    fprintf(out, "| `%s` | %s |\n", aq_run_columns[i].name,
            aq_run_columns[i].meaning);
}

static void put_counters(FILE *out)
{
  fputs("| number | counter | of | unit | meaning |\n|---|---|---|---|---|\n",
        out);
  for (int i = 0; i < AQ_COUNTER_COUNT; i++) {
    const aq_counter *c = &aq_counters[i];
    fprintf(out, "| %d | `%s` | %s | %s | %s%s |\n", i, c->name,
            c->scope == AQ_COUNTER_OF_QUEUE ? "queue" : "device", c->unit,
            c->meaning,
            c->kind == AQ_COUNTER_IS_RATE ? ", since the sample before" : "");
  }
}

/* The columns of every table or view, from SQLite. */
static void put_columns(FILE *out, const char *type, const char *head)
{
  char *path = fresh_path("columns.db"), sql[256];
  aq_store_close(store_open(path, AQ_STORE_WRITE));
  sqlite3 *db;
  sqlite3_stmt *names, *columns;
  ck_assert_int_eq(sqlite3_open(path, &db), SQLITE_OK);
  snprintf(sql, sizeof sql,
           "SELECT name FROM sqlite_master WHERE type = '%s' AND name NOT LIKE "
           "'sqlite%%' AND name NOT IN ('runs', 'records') ORDER BY rowid",
           type);
  ck_assert_int_eq(sqlite3_prepare_v2(db, sql, -1, &names, NULL), SQLITE_OK);
  fprintf(out, "| %s | columns |\n|---|---|\n", head);
  while (sqlite3_step(names) == SQLITE_ROW) {
    const char *name = (const char *)sqlite3_column_text(names, 0);
    fprintf(out, "| `%s` | ", name);
    snprintf(sql, sizeof sql, "SELECT name FROM pragma_table_info('%s')", name);
    ck_assert_int_eq(sqlite3_prepare_v2(db, sql, -1, &columns, NULL),
                     SQLITE_OK);
    for (int n = 0; sqlite3_step(columns) == SQLITE_ROW; n++)
      fprintf(out, "%s`%s`", n ? ", " : "", sqlite3_column_text(columns, 0));
    fputs(" |\n", out);
    sqlite3_finalize(columns);
  }
  sqlite3_finalize(names);
  sqlite3_close(db);
}

static void put_tables(FILE *out)
{
  put_columns(out, "table", "table");
}

static void put_views(FILE *out)
{
  put_columns(out, "view", "view");
}

/* What stands between <!-- NAME:begin …--> and <!-- NAME:end --> of a page. */
static const struct {
  const char *page, *name;
  void (*put)(FILE *out);
} blocks[] = {
    {"record.md", "what", put_what},
    {"record.md", "where", put_where},
    {"record.md", "shape", put_shape},
    {"record.md", "when", put_when},
    {"record.md", "why", put_why},
    {"record.md", "operation", put_operation},
    {"store.md", "runs", put_runs},
    {"store.md", "tables", put_tables},
    {"store.md", "views", put_views},
    {"counters.md", "counters", put_counters},
};

static void write_page(const char *name, const char *text)
{
  char path[4096];
  snprintf(path, sizeof path, "%s%s", aqtest_source("../doc/formats/"), name);
  FILE *file = fopen(path, "w");
  ck_assert_ptr_nonnull(file);
  fputs(text, file);
  ck_assert_int_eq(fclose(file), 0);
}

/* The page with its block made anew; the caller's to free. */
static char *page_remade(const char *page, size_t block)
{
  char mark[64], *made = NULL;
  size_t size;
  snprintf(mark, sizeof mark, "<!-- %s:begin (make schema-docs) -->\n",
           blocks[block].name);
  const char *begin = strstr(page, mark);
  ck_assert_msg(begin != NULL, "%s lacks %s", blocks[block].page, mark);
  begin += strlen(mark);
  snprintf(mark, sizeof mark, "<!-- %s:end -->", blocks[block].name);
  const char *end = strstr(begin, mark);
  ck_assert_msg(end != NULL, "%s lacks %s", blocks[block].page, mark);
  FILE *out = open_memstream(&made, &size);
  fwrite(page, 1, (size_t)(begin - page), out);
  fputc('\n', out);
  blocks[block].put(out);
  fprintf(out, "\n%s", end);
  fclose(out);
  return made;
}

/* `make schema-docs` writes them. */
START_TEST(the_tables_of_the_documentation_are_those_of_the_code)
{
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
    char *page = doc_text(blocks[i].page), *made = page_remade(page, i);
    if (getenv("AQ_WRITE_DOCS"))
      write_page(blocks[i].page, made);
    else
      ck_assert_msg(strcmp(page, made) == 0,
                    "doc/formats/%s: the table \"%s\" is not that of the code; "
                    "run make schema-docs",
                    blocks[i].page, blocks[i].name);
    free(made);
    free(page);
  }
}
END_TEST

/* Runs what stands in ```sql blocks of the page. */
START_TEST(the_queries_in_the_documentation_work)
{
  char *path = make_example(), *text = doc_text("store.md"), *at = text;
  int queries = 0;
  while ((at = strstr(at, "```sql\n"))) {
    at += strlen("```sql\n");
    char *end = strstr(at, "```");
    ck_assert_ptr_nonnull(end);
    *end = '\0';
    sql_run(path, at);
    at = end + 1;
    queries++;
  }
  ck_assert_int_ge(queries, 3);
  free(text);
}
END_TEST

AQ_TEST_MAIN("store/schema", views_show_names_kinds_and_nanoseconds,
             a_view_of_one_run_reads_only_that_run,
             a_store_of_version_0_is_brought_up_to_date,
             a_store_of_version_1_gets_edges_and_keeps_its_rows,
             a_store_of_version_2_gets_counters_and_views_and_keeps_its_runs,
             gaps_are_between_kernels_of_one_queue,
             a_store_that_lacks_columns_gets_them_and_keeps_its_rows,
             opening_a_store_that_is_up_to_date_changes_nothing,
             the_tables_of_the_documentation_are_those_of_the_code,
             the_queries_in_the_documentation_work)
