/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "store/runs.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/array.h"
#include "store/maintenance.h"
#include "store/schema.h"
#include "store/store_priv.h"

enum { LISTED_MAX = 8 }; /* runs that an error names */

/* ---- aq_run_info to and from SQL ---- */

static void bind_member(sqlite3_stmt *statement, int at,
                        const aq_run_info *info, size_t column)
{
  const void *value = (const char *)info + aq_run_columns[column].offset;
  switch (aq_run_columns[column].type) {
  case AQ_RUN_COLUMN_TEXT:
    sqlite3_bind_text(statement, at, *(const char *const *)value, -1,
                      SQLITE_STATIC);
    break;
  case AQ_RUN_COLUMN_INTEGER:
    if (*(const int64_t *)value == AQ_NONE)
      sqlite3_bind_null(statement, at);
    else
      sqlite3_bind_int64(statement, at, *(const int64_t *)value);
    break;
  case AQ_RUN_COLUMN_BOOL:
    sqlite3_bind_int(statement, at, *(const bool *)value);
    break;
  case AQ_RUN_COLUMN_KIND:
    sqlite3_bind_text(statement, at,
                      aq_schema_run_kind_name(*(const aq_run_kind *)value), -1,
                      SQLITE_STATIC);
    break;
  }
}

/* Column `at` of the row as text, copied to *room, which moves past it. */
static const char *take_text(sqlite3_stmt *row, int at, char **room)
{
  const unsigned char *text = sqlite3_column_text(row, at);
  if (!text)
    return NULL;
  char *copy = *room;
  size_t size = (size_t)sqlite3_column_bytes(row, at);
  memcpy(copy, text, size);
  copy[size] = '\0';
  *room += size + 1;
  return copy;
}

static int64_t integer_or_none(sqlite3_stmt *row, int at)
{
  return sqlite3_column_type(row, at) == SQLITE_NULL
             ? AQ_NONE
             : sqlite3_column_int64(row, at);
}

static void take_member(sqlite3_stmt *row, int at, aq_run_info *info,
                        size_t column, char **room)
{
  void *value = (char *)info + aq_run_columns[column].offset;
  switch (aq_run_columns[column].type) {
  case AQ_RUN_COLUMN_TEXT:
    *(const char **)value = take_text(row, at, room);
    break;
  case AQ_RUN_COLUMN_INTEGER:
    *(int64_t *)value = integer_or_none(row, at);
    break;
  case AQ_RUN_COLUMN_BOOL:
    *(bool *)value = sqlite3_column_int(row, at) != 0;
    break;
  case AQ_RUN_COLUMN_KIND: {
    const unsigned char *name = sqlite3_column_text(row, at);
    const char *simulated = aq_schema_run_kind_name(AQ_RUN_SIMULATED);
    *(aq_run_kind *)value = name && !strcmp((const char *)name, simulated)
                                ? AQ_RUN_SIMULATED
                                : AQ_RUN_MEASURED;
    break;
  }
  }
}

/* The text of a column; NULL: it has another type. */
static const char *const *member_text(const aq_run_info *info, size_t column)
{
  return aq_run_columns[column].type == AQ_RUN_COLUMN_TEXT
             ? (const char *const *)((const char *)info +
                                     aq_run_columns[column].offset)
             : NULL;
}

/* The columns that select_runs() asks for before aq_run_columns. */
enum { AT_ID, AT_CREATED, AT_COMPLETE, AT_COLUMNS };

static sqlite3_str *select_runs(aq_store *store)
{
  sqlite3_str *sql = sqlite3_str_new(store->db);
  sqlite3_str_appendall(sql, "SELECT id, created, complete");
  for (size_t i = 0; i < aq_run_column_count; i++)
    sqlite3_str_appendf(sql, ", %s", aq_run_columns[i].name);
  sqlite3_str_appendall(sql, " FROM runs");
  return sql;
}

aq_run_info *aq_runs_copy(const aq_run_info *info)
{
  size_t size = sizeof *info;
  for (size_t i = 0; i < aq_run_column_count; i++) {
    const char *const *text = member_text(info, i);
    size += text && *text ? strlen(*text) + 1 : 0;
  }
  aq_run_info *copy = malloc(size);
  if (!copy)
    return NULL;
  char *room = (char *)(copy + 1);
  *copy = *info;
  for (size_t i = 0; i < aq_run_column_count; i++) {
    const char *const *text = member_text(info, i);
    if (!text || !*text)
      continue;
    *(const char **)((char *)copy + aq_run_columns[i].offset) = room;
    room = stpcpy(room, *text) + 1;
  }
  return copy;
}

/* The run of a result row, in one block with its texts; NULL: no memory. */
static aq_run_info *take_run(sqlite3_stmt *row)
{
  size_t size = sizeof(aq_run_info);
  for (size_t i = 0; i < aq_run_column_count; i++)
    if (aq_run_columns[i].type == AQ_RUN_COLUMN_TEXT)
      size += (size_t)sqlite3_column_bytes(row, AT_COLUMNS + (int)i) + 1;
  aq_run_info *info = calloc(1, size);
  if (!info)
    return NULL;
  char *room = (char *)(info + 1);
  info->id = sqlite3_column_int64(row, AT_ID);
  info->created = sqlite3_column_int64(row, AT_CREATED);
  info->complete = sqlite3_column_int(row, AT_COMPLETE) != 0;
  for (size_t i = 0; i < aq_run_column_count; i++)
    take_member(row, AT_COLUMNS + (int)i, info, i, &room);
  return info;
}

/* The first run of a query that ends with `condition`, whose ?1 is `id`, or
 * `name` where that is given. *out is NULL when there is none. */
static aq_status find_run(aq_store *store, const char *condition, int64_t id,
                          const char *name, aq_run_info **out, aq_diag *diag)
{
  sqlite3_str *sql = select_runs(store);
  sqlite3_stmt *statement;
  sqlite3_str_appendall(sql, condition);
  aq_status status = aq_store_prepare(store, sql, &statement, diag);
  if (status)
    return status;
  if (name)
    sqlite3_bind_text(statement, 1, name, -1, SQLITE_STATIC);
  else
    sqlite3_bind_int64(statement, 1, id);
  aq_run_info *info = NULL;
  int code = sqlite3_step(statement);
  if (code == SQLITE_ROW && !(info = take_run(statement)))
    status = aq_diag_no_memory(diag);
  else if (code != SQLITE_ROW && code != SQLITE_DONE)
    status = aq_store_error(store, diag, "the runs cannot be read");
  sqlite3_finalize(statement);
  if (!status)
    *out = info;
  return status;
}

static aq_status delete_run(aq_store *store, int64_t run, aq_diag *diag)
{
  sqlite3_str *sql = sqlite3_str_new(store->db);
  sqlite3_str_appendf(sql,
                      "DELETE FROM records WHERE id BETWEEN %lld AND %lld;"
                      "DELETE FROM names WHERE run = %lld;"
                      "DELETE FROM edges WHERE run = %lld;"
                      "DELETE FROM requests WHERE run = %lld;"
                      "DELETE FROM preemptions WHERE run = %lld;"
                      "DELETE FROM instructions WHERE run = %lld;"
                      "DELETE FROM findings WHERE run = %lld;"
                      "DELETE FROM counted WHERE run = %lld;"
                      "DELETE FROM traced WHERE run = %lld;"
                      "DELETE FROM ops WHERE run = %lld;"
                      "DELETE FROM frames WHERE run = %lld;"
                      "DELETE FROM launched WHERE run = %lld;"
                      "DELETE FROM allocations WHERE run = %lld;"
                      "DELETE FROM counters WHERE run = %lld;"
                      "DELETE FROM queues WHERE run = %lld;"
                      "DELETE FROM devices WHERE run = %lld;"
                      "DELETE FROM runs WHERE id = %lld;",
                      aq_store_row_key(run, 0),
                      aq_store_row_key(run, AQ_STORE_ROWS_MAX - 1), run, run,
                      run, run, run, run, run, run, run, run, run, run, run,
                      run, run, run);
  char *text = sqlite3_str_finish(sql);
  aq_status status =
      aq_store_exec(store, text, "the run cannot be removed", diag);
  sqlite3_free(text);
  return status;
}

/* ---- writing ---- */

static bool is_number(const char *text)
{
  return text[0] && text[strspn(text, "0123456789")] == '\0';
}

/* A name that find() would take for something else could not be found. */
static aq_status check_name(const char *name, aq_diag *diag)
{
  if (!name || (name[0] && !is_number(name) && strcmp(name, "latest") != 0))
    return AQ_OK;
  return aq_diag_set(diag, AQ_ERR_INVALID,
                     "\"%s\" cannot be the name of a run: expected a text that "
                     "is neither empty, a number nor \"latest\"",
                     name);
}

/* Prepares `sql`, binds ?1, the members of `info` from ?2 on and, if it is
 * known, `last` behind them, runs it. */
static aq_status write_run(aq_store *store, sqlite3_str *sql, int64_t first,
                           const aq_run_info *info, int64_t last, aq_diag *diag)
{
  sqlite3_stmt *statement;
  aq_status status = check_name(info->name, diag);
  if (status) {
    sqlite3_free(sqlite3_str_finish(sql));
    return status;
  }
  status = aq_store_prepare(store, sql, &statement, diag);
  if (status)
    return status;
  sqlite3_bind_int64(statement, 1, first);
  for (size_t i = 0; i < aq_run_column_count; i++)
    bind_member(statement, (int)i + 2, info, i);
  if (last != AQ_NONE)
    sqlite3_bind_int64(statement, (int)aq_run_column_count + 2, last);
  if (sqlite3_step(statement) != SQLITE_DONE) {
    const int code = sqlite3_extended_errcode(store->db);
    if (code != SQLITE_CONSTRAINT_UNIQUE || !info->name)
      status = aq_store_error(store, diag, "the run cannot be written");
    else
      status =
          aq_diag_set(diag, AQ_ERR_EXISTS,
                      "%s: there is a run named \"%s\" already; choose another "
                      "name, or replace it",
                      store->path, info->name);
  }
  aq_store_return(store, statement);
  return status;
}

void aq_store_replace(aq_store *store, bool yes)
{
  store->replaces = yes;
}

/* The run that a name is taken from; `id` takes it. */
static aq_status name_take(aq_store *store, const char *name, int64_t id,
                           aq_diag *diag)
{
  aq_run_info *other = NULL;
  aq_status status = find_run(store, " WHERE name = ?1", 0, name, &other, diag);
  if (!status && other && other->id != id)
    status = delete_run(store, other->id, diag);
  aq_run_info_free(other);
  return status;
}

aq_status aq_runs_insert(aq_store *store, const aq_run_info *info, int64_t *id,
                         aq_diag *diag)
{
  aq_run_info own = *info;
  aq_status status = check_name(info->name, diag);
  if (status)
    return status;
  if (store->replaces)
    own.name = NULL;
  sqlite3_str *sql = sqlite3_str_new(store->db);
  sqlite3_str_appendall(sql, "INSERT INTO runs (created");
  for (size_t i = 0; i < aq_run_column_count; i++)
    sqlite3_str_appendf(sql, ", %s", aq_run_columns[i].name);
  sqlite3_str_appendall(sql, ", id) VALUES (?");
  for (size_t i = 0; i <= aq_run_column_count; i++)
    sqlite3_str_appendall(sql, ", ?");
  sqlite3_str_appendall(sql, ")");
  status =
      write_run(store, sql, (int64_t)time(NULL), &own, store->number, diag);
  store->number = AQ_NONE;
  if (!status)
    *id = sqlite3_last_insert_rowid(store->db);
  return status;
}

aq_status aq_store_reserve(aq_store *store, int64_t count, int64_t *first,
                           aq_diag *diag)
{
  int64_t last = 0;
  aq_status status = aq_store_begin(store, diag);
  if (!status)
    status = aq_store_integer(
        store, "SELECT seq FROM sqlite_sequence WHERE name = 'runs'", NULL, 0,
        &last, diag);
  if (!status) {
    char *sql = sqlite3_mprintf(
        "DELETE FROM sqlite_sequence WHERE name = 'runs';"
        "INSERT INTO sqlite_sequence (name, seq) VALUES ('runs', %lld)",
        (long long)last + count);
    status = aq_store_exec(store, sql, "cannot be written", diag);
    sqlite3_free(sql);
  }
  if (!status)
    status = aq_store_commit(store, diag);
  if (status)
    aq_store_rollback(store);
  else
    *first = last + 1;
  return status;
}

void aq_store_number(aq_store *store, int64_t id)
{
  store->number = id;
}

aq_status aq_runs_update(aq_store *store, int64_t id, const aq_run_info *info,
                         aq_diag *diag)
{
  aq_status status = store->replaces && info->name
                         ? name_take(store, info->name, id, diag)
                         : AQ_OK;
  if (status)
    return status;
  sqlite3_str *sql = sqlite3_str_new(store->db);
  sqlite3_str_appendall(sql, "UPDATE runs SET ");
  for (size_t i = 0; i < aq_run_column_count; i++)
    sqlite3_str_appendf(sql, "%s%s = ?%d", i ? ", " : "",
                        aq_run_columns[i].name, (int)i + 2);
  sqlite3_str_appendall(sql, " WHERE id = ?1");
  return write_run(store, sql, id, info, AQ_NONE, diag);
}

/* ---- finding ---- */

/* Appends which runs there are: the newest few. */
static void add_known_runs(sqlite3_str *text, const aq_run_list *list)
{
  const size_t first = list->count > LISTED_MAX ? list->count - LISTED_MAX : 0;
  if (list->count == 0)
    sqlite3_str_appendall(text, "it holds no runs yet");
  else
    sqlite3_str_appendall(text, first ? "the newest are: " : "there are: ");
  for (size_t i = first; i < list->count; i++) {
    const aq_run_info *run = list->runs[i];
    sqlite3_str_appendf(text, "%s%lld", i > first ? ", " : "", run->id);
    if (run->name)
      sqlite3_str_appendf(text, " (%s)", run->name);
    if (!run->complete)
      sqlite3_str_appendall(text, " incomplete");
  }
}

/* Words that the object in `fmt` ("run 5") is missing, and lists the runs. */
static aq_status AQ_PRINTF(3, 4)
    not_found(aq_store *store, aq_diag *diag, const char *fmt, ...)
{
  aq_run_list list;
  aq_status status = aq_store_list(store, &list, diag);
  if (status)
    return status;
  va_list args;
  va_start(args, fmt);
  sqlite3_str *text = sqlite3_str_new(store->db);
  sqlite3_str_appendf(text, "%s: there is no ", store->path);
  sqlite3_str_vappendf(text, fmt, args);
  sqlite3_str_appendall(text, "; ");
  va_end(args);
  add_known_runs(text, &list);
  char *line = sqlite3_str_finish(text);
  aq_diag_set(diag, AQ_ERR_NOT_FOUND, "%s", line ? line : "no such run");
  sqlite3_free(line);
  aq_run_list_fini(&list);
  return AQ_ERR_NOT_FOUND;
}

aq_status aq_store_find(aq_store *store, const char *text, aq_run_info **out,
                        aq_diag *diag)
{
  aq_run_info *info = NULL;
  aq_status status;
  const bool latest = strcmp(text, "latest") == 0;
  if (latest)
    status = find_run(store, " WHERE complete ORDER BY id DESC LIMIT ?1", 1,
                      NULL, &info, diag);
  else if (is_number(text))
    status = find_run(store, " WHERE id = ?1", strtoll(text, NULL, 10), NULL,
                      &info, diag);
  else
    status = find_run(store, " WHERE name = ?1", 0, text, &info, diag);
  if (!status && !info)
    status = latest ? not_found(store, diag, "complete run")
                    : not_found(store, diag, "run \"%s\"", text);
  if (!status)
    *out = info;
  return status;
}

aq_status aq_store_find_id(aq_store *store, const char *text,
                           char id[AQ_RUN_ID_TEXT], aq_diag *diag)
{
  aq_run_info *info;
  const aq_status status = aq_store_find(store, text, &info, diag);
  if (status != AQ_OK)
    return status;
  snprintf(id, AQ_RUN_ID_TEXT, "%lld", (long long)info->id);
  aq_run_info_free(info);
  return AQ_OK;
}

aq_status aq_store_run(aq_store *store, int64_t id, aq_run_info **out,
                       aq_diag *diag)
{
  aq_run_info *info = NULL;
  aq_status status = find_run(store, " WHERE id = ?1", id, NULL, &info, diag);
  if (!status && !info)
    status = not_found(store, diag, "run %lld", (long long)id);
  if (!status)
    *out = info;
  return status;
}

void aq_run_info_free(aq_run_info *info)
{
  free(info);
}

static bool list_append(aq_run_list *list, aq_run_info *info)
{
  if (info && AQ_ARRAY_PUSH(list->runs, list->count, list->capacity, info))
    return true;
  aq_run_info_free(info);
  return false;
}

aq_status aq_store_list(aq_store *store, aq_run_list *out, aq_diag *diag)
{
  sqlite3_str *sql = select_runs(store);
  sqlite3_stmt *statement;
  sqlite3_str_appendall(sql, " ORDER BY id");
  aq_status status = aq_store_prepare(store, sql, &statement, diag);
  if (status)
    return status;
  aq_run_list list = {0};
  int code;
  while (!status && (code = sqlite3_step(statement)) == SQLITE_ROW)
    if (!list_append(&list, take_run(statement)))
      status = aq_diag_no_memory(diag);
  if (!status && code != SQLITE_DONE)
    status = aq_store_error(store, diag, "the runs cannot be read");
  sqlite3_finalize(statement);
  if (status)
    aq_run_list_fini(&list);
  else
    *out = list;
  return status;
}

void aq_run_list_fini(aq_run_list *list)
{
  for (size_t i = 0; i < list->count; i++)
    aq_run_info_free(list->runs[i]);
  free(list->runs);
  *list = (aq_run_list){0};
}

/* ---- removing ---- */

aq_status aq_store_remove(aq_store *store, int64_t run, aq_diag *diag)
{
  int64_t known = 0;
  aq_status status = aq_store_begin(store, diag);
  if (status)
    return status;
  status = aq_store_integer(store, "SELECT count(*) FROM runs WHERE id = ?",
                            &run, 1, &known, diag);
  if (!status && !known)
    status = not_found(store, diag, "run %lld", (long long)run);
  if (!status)
    status = delete_run(store, run, diag);
  if (!status)
    status = aq_store_commit(store, diag);
  if (status)
    aq_store_rollback(store);
  return status;
}
