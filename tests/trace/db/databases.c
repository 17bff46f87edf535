/* SPDX-License-Identifier: MIT */
#include "trace/db/databases.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static fixture fixture_new(void)
{
  fixture f;
  memset(&f, 0, sizeof f);
  aq_memory_sink_init(&f.sink);
  return f;
}

fixture database_import(const char *path, const char *format)
{
  const aq_trace_options options = {.format = format,
                                    .modules = aq_tracedb_modules};
  fixture f = fixture_new();
  f.status = aq_trace_import(path, &options, &f.sink.sink, &f.result, &f.diag);
  return f;
}

fixture database_import_bytes(const void *bytes, size_t size)
{
  const aq_trace_options options = {.modules = aq_tracedb_modules};
  fixture f = fixture_new();
  f.status = aq_trace_import_bytes("in", bytes, size, &options, &f.sink.sink,
                                   &f.result, &f.diag);
  return f;
}

void database_refused(const char *path, const char *what)
{
  fixture f = database_import(path, NULL);
  ck_assert_int_eq(f.status, AQ_ERR_INPUT);
  ck_assert_msg(strncmp(f.diag.text, path, strlen(path)) == 0, "%s",
                f.diag.text);
  ck_assert_msg(strstr(f.diag.text, what) != NULL, "%s", f.diag.text);
  fixture_free(&f);
}

const char *database_export(const aq_memory_sink *sink, const aq_run_info *info,
                            const char *format, const char *name)
{
  const char *path = aqtest_write(name, "", 0);
  fixture_source from = fixture_read(sink, info);
  aq_diag diag = AQ_DIAG_INIT;
  const aq_trace_module *module =
      aq_trace_module_find(aq_tracedb_modules, format);
  ck_assert_status(module->export_file(&from.source, path, &diag), AQ_OK,
                   &diag);
  return path;
}

sqlite3 *database_open(const char *path)
{
  sqlite3 *db;
  ck_assert_int_eq(sqlite3_open(path, &db), SQLITE_OK);
  ck_assert_int_eq(
      sqlite3_exec(db, "PRAGMA synchronous = OFF", NULL, NULL, NULL),
      SQLITE_OK);
  return db;
}

void database_sql(const char *path, const char *sql)
{
  sqlite3 *db = database_open(path);
  const int code = sqlite3_exec(db, sql, NULL, NULL, NULL);
  ck_assert_msg(code == SQLITE_OK, "%s: %s", sql, sqlite3_errmsg(db));
  sqlite3_close(db);
}

char *database_text(const char *path, const char *sql)
{
  sqlite3 *db = database_open(path);
  sqlite3_stmt *statement;
  ck_assert_msg(sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK,
                "%s: %s", sql, sqlite3_errmsg(db));
  const int code = sqlite3_step(statement);
  ck_assert_msg(code == SQLITE_ROW || code == SQLITE_DONE, "%s: %s", sql,
                sqlite3_errmsg(db));
  const char *text = (const char *)sqlite3_column_text(statement, 0);
  char *copy = strdup(text ? text : "");
  sqlite3_finalize(statement);
  sqlite3_close(db);
  return copy;
}

int64_t database_int(const char *path, const char *sql)
{
  char *text = database_text(path, sql);
  const int64_t value = strtoll(text, NULL, 10);
  free(text);
  return value;
}

char *database_bytes(const char *path, size_t *size)
{
  FILE *file = fopen(path, "rb");
  ck_assert_ptr_nonnull(file);
  fseek(file, 0, SEEK_END);
  *size = (size_t)ftell(file);
  rewind(file);
  char *bytes = malloc(*size + 1);
  ck_assert_uint_eq(fread(bytes, 1, *size, file), *size);
  fclose(file);
  return bytes;
}
