/* SPDX-License-Identifier: MIT */
/*
 * Runs of another store are copied into this one, unless they are here.
 *
 * Connections. The other file is attached to this store's connection, so SQLite
 * copies and compares within itself. A second connection opened it before: it
 * refuses another kind of file, brings an old store up to date, and keeps its
 * journal while the merge runs.
 *
 * What becomes of a run, oldest first, so that the origin of a replay has its
 * id here (`ids`) before the replay comes:
 *
 *   there                  here                             fate
 *   complete               the same run                     PRESENT
 *   complete               none                             COPIED
 *   failed, with a key     a run of that point, finished    PRESENT
 *                          or failed
 *   failed, with a key     none                             FAILED: its row
 *   incomplete otherwise                                    INCOMPLETE
 *   removed since the list was read                         an error
 *
 * The same run: equal marks (a digest of time and point) choose candidates,
 * then all columns but id, name and origin are equal, then the parts and rows.
 * A point: equal digests of the key choose, then the keys are equal. So no
 * answer rests on a digest, which only keeps the work from the square of the
 * runs. The maps are read once: a run that another process adds here meanwhile
 * is not seen, and the merge may copy it a second time.
 *
 * Transactions. A run is one: it is compared and copied in it, from a snapshot
 * of both files. A merge that is cut off leaves whole runs, and a repeated one
 * finds them PRESENT. The caller's function runs between transactions.
 *
 * An origin that is not in `ids` was incomplete or is not in that store: the
 * copy has none.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/fnv.h"
#include "common/map.h"
#include "store/maintenance.h"
#include "store/schema.h"
#include "store/store_priv.h"

typedef struct merging {
  aq_store *store, *other;
  aq_map ids;   /* of runs of the other store: ids here */
  aq_map marks; /* of complete runs here (mark_of): the last such run */
  aq_map older; /* a run here: the one before it of the same mark */
  aq_map tried; /* points that ended or failed here (point_mark): a run */
  aq_map tried_before; /* of such a run: the one before it of the same mark */
  aq_merge_notify *tell;
  void *user;
  aq_diag *diag;
} merging;

/* Tables of a run besides its rows, by the columns after `run`. */
static const struct {
  const char *table, *columns;
} parts[] = {
    {"devices", "ordinal, source_id, name, gfx, cus"},
    {"queues", "ordinal, device, source_id"},
    {"names", "id, text"},
    {"edges", "to_row, from_row, kind, confidence"},
    {"counters", "counter, ordinal, time_ps, value"},
    {"requests", "number"
#define F(field, unit, meaning) ", " #field
#include "common/request.def"
#undef F
    },
    {"preemptions", "number"
#define F(field, unit, meaning) ", " #field
#include "common/preempted.def"
#undef F
    },
    {"instructions", "number"
#define F(field, unit, meaning) ", " #field
#include "common/instruction.def"
#undef F
    },
    {"counted", "number"
#define F(field, unit, meaning) ", " #field
#include "common/counted.def"
#undef F
    },
    {"traced", "number"
#define F(field, unit, meaning) ", " #field
#include "common/traced.def"
#undef F
    },
    {"ops", "number"
#define F(field, unit, meaning) ", " #field
#include "common/host_op.def"
#undef F
    },
    {"frames", "number"
#define F(field, unit, meaning) ", " #field
#include "common/frame.def"
#undef F
    },
    {"launched", "number"
#define F(field, unit, meaning) ", " #field
#include "common/launched.def"
#undef F
    },
    {"allocations", "number"
#define F(field, unit, meaning) ", " #field
#include "common/memory_block.def"
#undef F
    },
    {"findings", "number"
#define F(field, unit, meaning) ", " #field
#include "common/finding.def"
#undef F
    },
};

enum { PARTS = sizeof parts / sizeof *parts };

/* ---- the same run ---- */

/* Whether a query of a run there (?1) and one here (?2) has a row. */
static aq_status has_row(const merging *m, sqlite3_str *sql, int64_t from,
                         int64_t to, bool *out)
{
  sqlite3_stmt *statement;
  aq_status status = aq_store_prepare(m->store, sql, &statement, m->diag);
  if (status)
    return status;
  sqlite3_bind_int64(statement, 1, from);
  sqlite3_bind_int64(statement, 2, to);
  *out = sqlite3_step(statement) == SQLITE_ROW;
  if (sqlite3_finalize(statement) != SQLITE_OK)
    return aq_store_error(m->store, m->diag, "runs cannot be compared");
  return AQ_OK;
}

/* Rows of a run, but for their keys; %s: whose, and ?1 or ?2. */
static void add_rows(sqlite3_str *sql, const char *schema, const char *run)
{
  sqlite3_str_appendf(sql, "SELECT id & %lld, ", AQ_STORE_ROWS_MAX - 1);
  aq_schema_add_columns(sql, "");
  sqlite3_str_appendf(sql,
                      " FROM %s.records WHERE id BETWEEN %s << %d "
                      "AND (%s << %d) + %lld ORDER BY id",
                      schema, run, AQ_STORE_ROW_BITS, run, AQ_STORE_ROW_BITS,
                      AQ_STORE_ROWS_MAX - 1);
}

static sqlite3_stmt *prepare_rows(const merging *m, const char *schema,
                                  int64_t run)
{
  sqlite3_stmt *statement = NULL;
  sqlite3_str *sql = sqlite3_str_new(m->store->db);
  add_rows(sql, schema, "?1");
  if (aq_store_prepare(m->store, sql, &statement, m->diag) == AQ_OK)
    sqlite3_bind_int64(statement, 1, run);
  return statement;
}

static bool rows_equal(sqlite3_stmt *a, sqlite3_stmt *b)
{
  for (int i = 0; i <= AQ_RECORD_FIELD_COUNT; i++)
    if (sqlite3_column_int64(a, i) != sqlite3_column_int64(b, i) ||
        sqlite3_column_type(a, i) != sqlite3_column_type(b, i))
      return false;
  return true;
}

/* Both in step: runs of the same length that differ do so soon. */
static aq_status rows_same(const merging *m, int64_t from, int64_t to,
                           bool *same)
{
  sqlite3_stmt *there = prepare_rows(m, "other", from);
  sqlite3_stmt *here = there ? prepare_rows(m, "main", to) : NULL;
  aq_status status = there && here ? AQ_OK : m->diag->status;
  while (!status && *same) {
    const int a = sqlite3_step(there), b = sqlite3_step(here);
    if (a == SQLITE_DONE && b == SQLITE_DONE)
      break;
    if ((a != SQLITE_ROW && a != SQLITE_DONE) ||
        (b != SQLITE_ROW && b != SQLITE_DONE))
      status = aq_store_error(m->store, m->diag, "runs cannot be compared");
    else
      *same = a == b && rows_equal(there, here);
  }
  sqlite3_finalize(there);
  sqlite3_finalize(here);
  return status;
}

static aq_status part_same(const merging *m, size_t part, int64_t from,
                           int64_t to, bool *same)
{
  bool differ = false;
  for (int turn = 0; turn < 2 && !differ; turn++) {
    sqlite3_str *sql = sqlite3_str_new(m->store->db);
    sqlite3_str_appendf(sql,
                        "SELECT %s FROM %s.%s WHERE run = %s EXCEPT "
                        "SELECT %s FROM %s.%s WHERE run = %s LIMIT 1",
                        parts[part].columns, turn ? "main" : "other",
                        parts[part].table, turn ? "?2" : "?1",
                        parts[part].columns, turn ? "other" : "main",
                        parts[part].table, turn ? "?1" : "?2");
    aq_status status = has_row(m, sql, from, to, &differ);
    if (status)
      return status;
  }
  *same = !differ;
  return AQ_OK;
}

static aq_status content_same(const merging *m, int64_t from, int64_t to,
                              bool *same)
{
  aq_status status = AQ_OK;
  *same = true;
  for (size_t i = 0; !status && *same && i < PARTS; i++)
    status = part_same(m, i, from, to, same);
  return status ? status : rows_same(m, from, to, same);
}

/* Columns of `runs` that a copy keeps. */
static bool is_kept(size_t column)
{
  return strcmp(aq_run_columns[column].name, "name") != 0 &&
         strcmp(aq_run_columns[column].name, "origin") != 0;
}

/* Equal runs have equal marks; a sweep creates hundreds of runs a second. */
static uint64_t mark_of(int64_t created, const char *point)
{
  const uint64_t mark = aq_fnv_add(AQ_FNV_START, &created, sizeof created);
  return point ? aq_fnv_add(mark, point, strlen(point)) : mark;
}

/* The run becomes the last of its mark, before the runs in `before`. */
static aq_status note(const merging *m, aq_map *last, aq_map *before,
                      uint64_t mark, int64_t run)
{
  uint64_t other;
  if ((aq_map_get(last, mark, &other) &&
       !aq_map_put(before, (uint64_t)run, other)) ||
      !aq_map_put(last, mark, (uint64_t)run))
    return aq_diag_no_memory(m->diag);
  return AQ_OK;
}

static aq_status mark_note(merging *m, uint64_t mark, int64_t run)
{
  return note(m, &m->marks, &m->older, mark, run);
}

static uint64_t point_mark(const char *key)
{
  return aq_fnv_add(AQ_FNV_START, key, strlen(key));
}

/* A run here is of the point with this key; NULL: of none. */
static aq_status tried_note(merging *m, const char *key, int64_t run)
{
  return key ? note(m, &m->tried, &m->tried_before, point_mark(key), run)
             : AQ_OK;
}

/* A run here of the same point, if there is one, among the runs of its mark. */
static aq_status tried_find(const merging *m, const aq_run_info *info,
                            bool *found, uint64_t *run)
{
  aq_status status = AQ_OK;
  bool more = aq_map_get(&m->tried, point_mark(info->content_key), run);
  for (*found = false; !status && more && !*found;) {
    sqlite3_str *sql = sqlite3_str_new(m->store->db);
    sqlite3_str_appendall(sql, "SELECT 1 FROM other.runs there JOIN main.runs "
                               "here ON here.id = ?2 AND here.content_key = "
                               "there.content_key WHERE there.id = ?1");
    status = has_row(m, sql, info->id, (int64_t)*run, found);
    if (!*found)
      more = aq_map_get(&m->tried_before, *run, run);
  }
  return status;
}

/* Once a merge: to look through all runs for each one would take the square of
 * their number. */
static aq_status marks_read(merging *m)
{
  sqlite3_stmt *statement;
  sqlite3_str *sql = sqlite3_str_new(m->store->db);
  sqlite3_str_appendall(
      sql, "SELECT id, created, point, complete, content_key FROM main.runs "
           "WHERE complete OR failed IS NOT NULL ORDER BY id");
  aq_status status = aq_store_prepare(m->store, sql, &statement, m->diag);
  if (status)
    return status;
  while (!status && sqlite3_step(statement) == SQLITE_ROW) {
    const int64_t run = sqlite3_column_int64(statement, 0);
    status =
        tried_note(m, (const char *)sqlite3_column_text(statement, 4), run);
    if (!status && sqlite3_column_int(statement, 3))
      status =
          mark_note(m,
                    mark_of(sqlite3_column_int64(statement, 1),
                            (const char *)sqlite3_column_text(statement, 2)),
                    run);
  }
  if (sqlite3_finalize(statement) != SQLITE_OK && !status)
    status = aq_store_error(m->store, m->diag, "the runs cannot be read");
  return status;
}

/* Whether all is said of run ?2 here that is said of run ?1 there. */
static sqlite3_str *candidate_sql(const merging *m)
{
  sqlite3_str *sql = sqlite3_str_new(m->store->db);
  sqlite3_str_appendall(sql, "SELECT 1 FROM other.runs there JOIN "
                             "main.runs here ON here.id = ?2 "
                             "AND here.row_count = there.row_count");
  for (size_t i = 0; i < aq_run_column_count; i++)
    if (is_kept(i))
      sqlite3_str_appendf(sql, " AND here.%s IS there.%s",
                          aq_run_columns[i].name, aq_run_columns[i].name);
  sqlite3_str_appendall(sql, " WHERE there.id = ?1");
  return sql;
}

/* Among runs of the same mark, the first that is the same. */
static aq_status find_same(const merging *m, const aq_run_info *info,
                           int64_t *to)
{
  uint64_t run;
  aq_status status = AQ_OK;
  *to = AQ_NONE;
  if (!aq_map_get(&m->marks, mark_of(info->created, info->point), &run))
    return AQ_OK;
  do {
    bool same;
    status = has_row(m, candidate_sql(m), info->id, (int64_t)run, &same);
    if (!status && same)
      status = content_same(m, info->id, (int64_t)run, &same);
    if (!status && same)
      *to = (int64_t)run;
  } while (!status && aq_map_get(&m->older, run, &run));
  return status;
}

/* ---- copying ---- */

static aq_status run_copy_sql(const merging *m, sqlite3_str *sql, int64_t from,
                              int64_t third, const char *text)
{
  sqlite3_stmt *statement;
  aq_status status = aq_store_prepare(m->store, sql, &statement, m->diag);
  if (status)
    return status;
  sqlite3_bind_int64(statement, 1, from);
  if (third != AQ_NONE)
    sqlite3_bind_int64(statement, 2, third);
  if (text)
    sqlite3_bind_text(statement, 3, text, -1, SQLITE_STATIC);
  sqlite3_step(statement);
  if (sqlite3_finalize(statement) != SQLITE_OK)
    return aq_store_error(m->store, m->diag, "the run cannot be written");
  return AQ_OK;
}

/* The first of NAME, NAME-2, NAME-3… that is free here; sqlite3_free. */
static aq_status free_name(const merging *m, const char *name, char **out)
{
  char *text = NULL;
  int64_t taken = name != NULL;
  for (int64_t n = 1; taken; n++) {
    sqlite3_stmt *statement;
    sqlite3_free(text);
    text = n == 1 ? sqlite3_mprintf("%s", name)
                  : sqlite3_mprintf("%s-%lld", name, (long long)n);
    if (!text)
      return aq_diag_no_memory(m->diag);
    if (sqlite3_prepare_v2(m->store->db,
                           "SELECT 1 FROM main.runs WHERE name = ?", -1,
                           &statement, NULL) == SQLITE_OK)
      sqlite3_bind_text(statement, 1, text, -1, SQLITE_STATIC);
    taken = sqlite3_step(statement) == SQLITE_ROW;
    if (sqlite3_finalize(statement) != SQLITE_OK) {
      sqlite3_free(text);
      return aq_store_error(m->store, m->diag, "the runs cannot be read");
    }
  }
  *out = text;
  return AQ_OK;
}

static aq_status copy_info(const merging *m, int64_t from, int64_t origin,
                           const char *name, int64_t *to)
{
  sqlite3_str *sql = sqlite3_str_new(m->store->db);
  sqlite3_str_appendall(sql, "INSERT INTO main.runs (created, complete, "
                             "row_count");
  for (size_t i = 0; i < aq_run_column_count; i++)
    sqlite3_str_appendf(sql, ", %s", aq_run_columns[i].name);
  sqlite3_str_appendall(sql, ") SELECT created, complete, row_count");
  for (size_t i = 0; i < aq_run_column_count; i++)
    sqlite3_str_appendf(sql, ", %s",
                        is_kept(i) ? aq_run_columns[i].name
                        : strcmp(aq_run_columns[i].name, "name") == 0 ? "?3"
                                                                      : "?2");
  sqlite3_str_appendall(sql, " FROM other.runs WHERE id = ?1");
  aq_status status = run_copy_sql(m, sql, from, origin, name);
  if (status)
    return status;
  if (sqlite3_changes(m->store->db) != 1)
    return aq_diag_set(m->diag, AQ_ERR_NOT_FOUND,
                       "%s: run %lld was removed while it was merged",
                       m->other->path, (long long)from);
  *to = sqlite3_last_insert_rowid(m->store->db);
  return AQ_OK;
}

static aq_status copy_rows(const merging *m, int64_t from, int64_t to)
{
  sqlite3_str *sql = sqlite3_str_new(m->store->db);
  sqlite3_str_appendall(sql, "INSERT INTO main.records (id, ");
  aq_schema_add_columns(sql, "");
  sqlite3_str_appendf(sql, ") SELECT (id & %lld) + (?2 << %d), ",
                      AQ_STORE_ROWS_MAX - 1, AQ_STORE_ROW_BITS);
  aq_schema_add_columns(sql, "");
  sqlite3_str_appendf(sql,
                      " FROM other.records WHERE id BETWEEN ?1 << %d "
                      "AND (?1 << %d) + %lld ORDER BY id",
                      AQ_STORE_ROW_BITS, AQ_STORE_ROW_BITS,
                      AQ_STORE_ROWS_MAX - 1);
  return run_copy_sql(m, sql, from, to, NULL);
}

static aq_status copy_part(const merging *m, size_t part, int64_t from,
                           int64_t to)
{
  sqlite3_str *sql = sqlite3_str_new(m->store->db);
  sqlite3_str_appendf(sql,
                      "INSERT INTO main.%s (run, %s) SELECT ?2, %s "
                      "FROM other.%s WHERE run = ?1",
                      parts[part].table, parts[part].columns,
                      parts[part].columns, parts[part].table);
  return run_copy_sql(m, sql, from, to, NULL);
}

static aq_status copy_run(const merging *m, const aq_run_info *info,
                          aq_merged_run *out, char **name)
{
  uint64_t origin = 0;
  const bool has_origin = info->origin != AQ_NONE &&
                          aq_map_get(&m->ids, (uint64_t)info->origin, &origin);
  aq_status status = free_name(m, info->name, name);
  if (!status)
    status = copy_info(m, info->id, has_origin ? (int64_t)origin : AQ_NONE,
                       *name, &out->to);
  for (size_t i = 0; !status && i < PARTS; i++)
    status = copy_part(m, i, info->id, out->to);
  if (!status)
    status = copy_rows(m, info->id, out->to);
  return status;
}

static aq_status merge_complete(merging *m, const aq_run_info *info,
                                aq_merged_run *out, char **name)
{
  aq_status status = aq_store_begin(m->store, m->diag);
  if (status)
    return status;
  status = find_same(m, info, &out->to);
  if (!status && out->to != AQ_NONE) {
    out->fate = AQ_MERGE_PRESENT;
    aq_store_rollback(m->store);
    return AQ_OK;
  }
  if (!status)
    status = copy_run(m, info, out, name);
  if (!status)
    status = aq_store_commit(m->store, m->diag);
  if (status)
    aq_store_rollback(m->store);
  if (!status)
    status = mark_note(m, mark_of(info->created, info->point), out->to);
  return status ? status : tried_note(m, info->content_key, out->to);
}

/* A point that failed: its row is all that there is of it. */
static aq_status merge_failed(merging *m, const aq_run_info *info,
                              aq_merged_run *out, char **name)
{
  uint64_t here = 0;
  bool same;
  aq_status status = tried_find(m, info, &same, &here);
  out->to = same ? (int64_t)here : AQ_NONE;
  out->fate = same ? AQ_MERGE_PRESENT : AQ_MERGE_FAILED;
  if (status || same)
    return status;
  out->why = info->failed;
  status = free_name(m, info->name, name);
  if (!status)
    status = copy_info(m, info->id, AQ_NONE, *name, &out->to);
  return status ? status : tried_note(m, info->content_key, out->to);
}

static aq_status merge_run(merging *m, const aq_run_info *info)
{
  aq_merged_run run = {AQ_MERGE_COPIED, info->id, AQ_NONE, NULL, NULL};
  char *name = NULL;
  aq_status status = AQ_OK;
  if (info->complete)
    status = merge_complete(m, info, &run, &name);
  else if (info->failed && info->content_key)
    status = merge_failed(m, info, &run, &name);
  else
    run.fate = AQ_MERGE_INCOMPLETE;
  if (!status && info->complete &&
      !aq_map_put(&m->ids, (uint64_t)info->id, (uint64_t)run.to))
    status = aq_diag_no_memory(m->diag);
  run.name = name;
  if (!status)
    m->tell(&run, m->user);
  sqlite3_free(name);
  return status;
}

char *aq_merged_text(const aq_merged_run *run, const char *path)
{
  const long long from = (long long)run->from, to = (long long)run->to;
  char *text;
  const int length =
      run->fate == AQ_MERGE_PRESENT
          ? asprintf(&text, "%s: skipped run %lld: already stored as run %lld",
                     path, from, to)
      : run->fate == AQ_MERGE_FAILED
          ? asprintf(&text,
                     "%s: run %lld, stored as run %lld: its point failed: %s",
                     path, from, to, run->why)
          : asprintf(&text, "%s: skipped run %lld: incomplete", path, from);
  return length < 0 ? NULL : text;
}

/* ---- the other store ---- */

static aq_status refuse_itself(const aq_store *store, const char *path,
                               aq_diag *diag)
{
  struct stat a, b;
  if (stat(store->path, &a) != 0 || stat(path, &b) != 0 ||
      a.st_dev != b.st_dev || a.st_ino != b.st_ino)
    return AQ_OK;
  return aq_diag_set(diag, AQ_ERR_INVALID,
                     "%s: is the store itself, expected another one", path);
}

static aq_status attach(const merging *m)
{
  char *uri = aq_store_uri(m->other);
  sqlite3_stmt *statement = NULL;
  if (!uri)
    return aq_diag_no_memory(m->diag);
  int code = sqlite3_prepare_v2(m->store->db, "ATTACH ? AS other", -1,
                                &statement, NULL);
  if (code == SQLITE_OK)
    sqlite3_bind_text(statement, 1, uri, -1, SQLITE_STATIC);
  sqlite3_step(statement);
  code = sqlite3_finalize(statement);
  sqlite3_free(uri);
  if (code == SQLITE_OK)
    return AQ_OK;
  return aq_diag_set(m->diag, AQ_ERR_INPUT, "%s: cannot be merged: %s",
                     m->other->path, sqlite3_errmsg(m->store->db));
}

/* Places of points that later sweeps found there. */
static aq_status places_copy(const merging *m)
{
  return aq_store_exec(
      m->store,
      "INSERT INTO main.places SELECT content_key, plan, point, "
      "swept_us FROM other.places WHERE true ON CONFLICT DO "
      "UPDATE SET point = excluded.point, swept_us = "
      "excluded.swept_us WHERE excluded.swept_us > swept_us",
      "places cannot be copied", m->diag);
}

static aq_status merge_attached(merging *m)
{
  aq_run_list list;
  aq_status status = aq_store_list(m->other, &list, m->diag);
  if (status)
    return status;
  for (size_t i = 0; !status && i < list.count; i++)
    status = merge_run(m, list.runs[i]);
  aq_run_list_fini(&list);
  return status ? status : places_copy(m);
}

aq_status aq_store_merge(aq_store *store, const char *path,
                         aq_merge_notify *tell, void *user, aq_diag *diag)
{
  merging m = {.store = store,
               .ids = AQ_MAP_INIT,
               .marks = AQ_MAP_INIT,
               .older = AQ_MAP_INIT,
               .tried = AQ_MAP_INIT,
               .tried_before = AQ_MAP_INIT,
               .tell = tell,
               .user = user,
               .diag = diag};
  aq_status status = refuse_itself(store, path, diag);
  if (!status)
    status = aq_store_open(path, AQ_STORE_READ, &m.other, diag);
  if (status)
    return status;
  status = attach(&m);
  if (!status) {
    status = marks_read(&m);
    status = status ? status : merge_attached(&m);
    sqlite3_exec(store->db, "DETACH other", NULL, NULL, NULL);
  }
  aq_map_fini(&m.ids);
  aq_map_fini(&m.marks);
  aq_map_fini(&m.older);
  aq_map_fini(&m.tried);
  aq_map_fini(&m.tried_before);
  aq_store_close(m.other);
  return status;
}
