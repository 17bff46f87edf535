/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "store/schema.h"

#include <string.h>

#include "common/record.h"
#include "store/side_tables.h"
#include "store/store_priv.h"

#define COLUMN(member, type, meaning)                                          \
  {                                                                            \
#member, AQ_RUN_COLUMN_##type, offsetof(aq_run_info, member), meaning      \
  }

const aq_run_column aq_run_columns[] = {
    COLUMN(kind, KIND, "`measured` or `simulated`"),
    COLUMN(name, TEXT, "unique, or NULL"),
    COLUMN(origin, INTEGER, "id of the run that this one replays"),
    COLUMN(source, TEXT, "file or scenario it was read from"),
    COLUMN(format, TEXT, "name of that file's format"),
    COLUMN(transport, TEXT, "`sim`, `hsa`, …; NULL for imported runs"),
    COLUMN(device_model, TEXT, "name of the device model"),
    COLUMN(model_hash, TEXT, "hex digest of the constants in force"),
    COLUMN(model_verdict, TEXT, "calibrated, partly or assumed"),
    COLUMN(command, TEXT, "command line that made it"),
    COLUMN(version, TEXT, "of aqueduct"),
    COLUMN(notes, TEXT,
           "JSON: repairs, edits, mode, pace, timeout, semantics, counters"),
    COLUMN(
        summary, TEXT,
        "JSON, of scenarios: begin and end, jobs, packets, `work_ps` (sum of "
        "durations), `busy_ps` of each device (while at least one thing "
        "ran), clients, `preemptions_kept` (absent: made before they were), "
        "`figures` (kept instead of requests, of all clients and of each)"),
    COLUMN(point, TEXT,
           "JSON: its place in the plan of a sweep ([plan.md](plan.md))"),
    COLUMN(content_key, TEXT,
           "hex digest of all that a point of a plan depends on"),
    COLUMN(seed, INTEGER, "of its random numbers"),
    COLUMN(base_ns, INTEGER, "the source's clock at time 0 of the run, ns"),
    COLUMN(durations, TEXT,
           "where the durations of its rows come from: `measured here`, "
           "`measured on` a GPU, `executed`, `predicted ±` an error, "
           "`predicted by served models`, `assumed`"),
    COLUMN(recorded, TEXT,
           "which rows were kept, of it or of the run it replays; NULL: all"),
    COLUMN(left_out, INTEGER, "rows that were made, but not kept"),
    COLUMN(damage, TEXT,
           "what its trace, or that of the run it replays, lost, repeats or "
           "contradicts; NULL: nothing known"),
    COLUMN(failed, TEXT,
           "why its point of a sweep failed; such a run has no rows and is not "
           "complete"),
    COLUMN(truncated, BOOL,
           "1: its trace, or that of the run it replays, was cut"),
    COLUMN(reproducible, BOOL,
           "1: the same inputs and seed give the same rows"),
};
const size_t aq_run_column_count =
    sizeof aq_run_columns / sizeof *aq_run_columns;

/* What each version added besides the columns of runs and records. A store
 * runs the steps above its version, in order. A step is never changed once a
 * release has it. */
static const struct {
  int64_t version;
  const char *sql;
} steps[] = {
    {1, "CREATE UNIQUE INDEX runs_by_name ON runs (name);"
        "CREATE TABLE devices ("
        "  run INTEGER NOT NULL, ordinal INTEGER NOT NULL,"
        "  source_id INTEGER, name TEXT, gfx TEXT, cus INTEGER,"
        "  PRIMARY KEY (run, ordinal)) WITHOUT ROWID;"
        "CREATE TABLE queues ("
        "  run INTEGER NOT NULL, ordinal INTEGER NOT NULL,"
        "  device INTEGER, source_id INTEGER,"
        "  PRIMARY KEY (run, ordinal)) WITHOUT ROWID;"
        "CREATE TABLE names ("
        "  run INTEGER NOT NULL, id INTEGER NOT NULL, text TEXT NOT NULL,"
        "  PRIMARY KEY (run, id)) WITHOUT ROWID;"},
    {2, "CREATE TABLE edges ("
        "  run INTEGER NOT NULL, to_row INTEGER NOT NULL,"
        "  from_row INTEGER NOT NULL, kind TEXT NOT NULL,"
        "  confidence INTEGER NOT NULL,"
        "  PRIMARY KEY (run, to_row, from_row)) WITHOUT ROWID;"},
    {3, "CREATE TABLE counters ("
        "  run INTEGER NOT NULL, counter INTEGER NOT NULL,"
        "  ordinal INTEGER NOT NULL, time_ps INTEGER NOT NULL,"
        "  value INTEGER NOT NULL,"
        "  PRIMARY KEY (run, counter, ordinal, time_ps)) WITHOUT ROWID;"},
    {4, "CREATE TABLE IF NOT EXISTS requests ("
        "  run INTEGER NOT NULL, number INTEGER NOT NULL,"
        "  PRIMARY KEY (run, number)) WITHOUT ROWID;"},
    {5, "CREATE TABLE IF NOT EXISTS preemptions ("
        "  run INTEGER NOT NULL, number INTEGER NOT NULL,"
        "  PRIMARY KEY (run, number)) WITHOUT ROWID;"},
    {6, "CREATE TABLE IF NOT EXISTS instructions ("
        "  run INTEGER NOT NULL, number INTEGER NOT NULL,"
        "  PRIMARY KEY (run, number)) WITHOUT ROWID;"},
    {7, "CREATE TABLE IF NOT EXISTS findings ("
        "  run INTEGER NOT NULL, number INTEGER NOT NULL,"
        "  PRIMARY KEY (run, number)) WITHOUT ROWID;"},
    {8, "CREATE TABLE IF NOT EXISTS counted ("
        "  run INTEGER NOT NULL, number INTEGER NOT NULL,"
        "  PRIMARY KEY (run, number)) WITHOUT ROWID;"},
    {9, "CREATE TABLE IF NOT EXISTS traced ("
        "  run INTEGER NOT NULL, number INTEGER NOT NULL,"
        "  PRIMARY KEY (run, number)) WITHOUT ROWID;"},
    {10, "CREATE TABLE IF NOT EXISTS ops ("
         "  run INTEGER NOT NULL, number INTEGER NOT NULL,"
         "  PRIMARY KEY (run, number)) WITHOUT ROWID;"
         "CREATE TABLE IF NOT EXISTS frames ("
         "  run INTEGER NOT NULL, number INTEGER NOT NULL,"
         "  PRIMARY KEY (run, number)) WITHOUT ROWID;"
         "CREATE TABLE IF NOT EXISTS launched ("
         "  run INTEGER NOT NULL, number INTEGER NOT NULL,"
         "  PRIMARY KEY (run, number)) WITHOUT ROWID;"},
    {11, "CREATE TABLE IF NOT EXISTS allocations ("
         "  run INTEGER NOT NULL, number INTEGER NOT NULL,"
         "  PRIMARY KEY (run, number)) WITHOUT ROWID;"},
    {12, "CREATE TABLE IF NOT EXISTS places ("
         "  content_key TEXT NOT NULL, plan TEXT NOT NULL,"
         "  point TEXT NOT NULL, swept_us INTEGER NOT NULL,"
         "  PRIMARY KEY (content_key, plan)) WITHOUT ROWID;"},
};
static const size_t step_count = sizeof steps / sizeof *steps;

static int64_t newest_version(void)
{
  return steps[step_count - 1].version;
}

const char *aq_schema_run_kind_name(aq_run_kind kind)
{
  return kind == AQ_RUN_SIMULATED ? "simulated" : "measured";
}

static bool is_time(size_t field)
{
  return strcmp(aq_record_fields[field].unit, "ps") == 0;
}

/* Times carry their unit in the column's name: it says what one reads, and
 * keeps `end` from being a keyword. */
static const char *time_suffix(size_t field)
{
  return is_time(field) ? "_ps" : "";
}

void aq_schema_add_column(sqlite3_str *sql, size_t field)
{
  sqlite3_str_appendf(sql, "%s%s", aq_record_fields[field].name,
                      time_suffix(field));
}

void aq_schema_add_columns(sqlite3_str *sql, const char *after)
{
  for (size_t i = 0; i < AQ_RECORD_FIELD_COUNT; i++) {
    sqlite3_str_appendall(sql, i ? ", " : "");
    aq_schema_add_column(sql, i);
    sqlite3_str_appendall(sql, after);
  }
}

/* ---- judging a file ---- */

static int64_t big_endian(const unsigned char *bytes)
{
  return (int64_t)bytes[0] << 24 | bytes[1] << 16 | bytes[2] << 8 | bytes[3];
}

static aq_status check_version(const char *path, int64_t version, aq_diag *diag)
{
  if (version <= newest_version())
    return AQ_OK;
  return aq_diag_set(diag, AQ_ERR_INPUT,
                     "%s: was written by a newer aqueduct: store version %lld, "
                     "this one knows up to %lld",
                     path, (long long)version, (long long)newest_version());
}

aq_status aq_schema_check_header(const char *path, const unsigned char *bytes,
                                 size_t size, aq_diag *diag)
{
  static const char magic[] = "SQLite format 3";
  if (size < AQ_SCHEMA_HEADER_SIZE || memcmp(bytes, magic, sizeof magic) != 0)
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "%s: is not an SQLite database, expected a run store",
                       path);
  if (big_endian(bytes + 68) != AQ_SCHEMA_APPLICATION_ID)
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "%s: is the SQLite database of another application, "
                       "expected a run store",
                       path);
  return check_version(path, big_endian(bytes + 60), diag);
}

/* ---- bringing it up to date ---- */

static bool has_column(aq_store *store, const char *table, const char *column)
{
  return sqlite3_table_column_metadata(store->db, "main", table, column, NULL,
                                       NULL, NULL, NULL, NULL) == SQLITE_OK;
}

/* Column i of records, in a buffer of the caller. */
static const char *record_column(size_t i, char buffer[static 64])
{
  return sqlite3_snprintf(64, buffer, "%s%s", aq_record_fields[i].name,
                          time_suffix(i));
}

static const char *run_column_type(const aq_run_column *column)
{
  return column->type == AQ_RUN_COLUMN_TEXT ||
                 column->type == AQ_RUN_COLUMN_KIND
             ? "TEXT"
             : "INTEGER";
}

/* Appends what adds the columns that `records` and `runs` lack. */
static void add_missing_columns(aq_store *store, sqlite3_str *sql)
{
  char name[64];
  for (size_t i = 0; i < AQ_RECORD_FIELD_COUNT; i++)
    if (!has_column(store, "records", record_column(i, name)))
      sqlite3_str_appendf(sql, "ALTER TABLE records ADD COLUMN %s INTEGER;",
                          name);
  for (size_t i = 0; i < aq_run_column_count; i++)
    if (!has_column(store, "runs", aq_run_columns[i].name))
      sqlite3_str_appendf(sql, "ALTER TABLE runs ADD COLUMN %s %s;",
                          aq_run_columns[i].name,
                          run_column_type(&aq_run_columns[i]));
}

static bool has_table(aq_store *store, const char *table)
{
  return has_column(store, table, NULL);
}

/* Whole: the steps would make a table without most of its columns, and SQLite
 * reads the schema anew for each column that is added. */
static void add_fact_table(sqlite3_str *sql, const aq_fact_table *table)
{
  sqlite3_str_appendf(
      sql, "CREATE TABLE %s (run INTEGER NOT NULL, number INTEGER NOT NULL",
      table->name);
  for (size_t i = 0; i < table->count; i++)
    sqlite3_str_appendf(sql, ", %s INTEGER", table->columns[i]);
  sqlite3_str_appendall(sql, ", PRIMARY KEY (run, number)) WITHOUT ROWID;");
}

/* The tables of facts that are missing, and the columns that others lack. */
static void add_facts(aq_store *store, sqlite3_str *sql)
{
  for (size_t i = 0; i < AQ_FACT_COUNT; i++) {
    const aq_fact_table *table = &aq_fact_tables[i];
    if (!has_table(store, table->name)) {
      add_fact_table(sql, table);
      continue;
    }
    for (size_t k = 0; k < table->count; k++)
      if (!has_column(store, table->name, table->columns[k]))
        sqlite3_str_appendf(sql, "ALTER TABLE %s ADD COLUMN %s INTEGER;",
                            table->name, table->columns[k]);
  }
}

static void add_tables(sqlite3_str *sql)
{
  /* AUTOINCREMENT: the id of a removed run never comes back, so that what
   * names it as origin does not find another run. */
  sqlite3_str_appendall(sql, "CREATE TABLE runs ("
                             "id INTEGER PRIMARY KEY AUTOINCREMENT, "
                             "created INTEGER NOT NULL, "
                             "complete INTEGER NOT NULL DEFAULT 0, "
                             "row_count INTEGER NOT NULL DEFAULT 0");
  for (size_t i = 0; i < aq_run_column_count; i++)
    sqlite3_str_appendf(sql, ", %s %s", aq_run_columns[i].name,
                        run_column_type(&aq_run_columns[i]));
  sqlite3_str_appendall(sql,
                        ");CREATE TABLE records (id INTEGER PRIMARY KEY, ");
  aq_schema_add_columns(sql, " INTEGER");
  sqlite3_str_appendall(sql, ");");
}

static void add_case(sqlite3_str *sql, const char *column, int64_t count,
                     const char *(*name)(int64_t))
{
  sqlite3_str_appendf(sql, "CASE records.%s", column);
  for (int64_t i = 0; i < count; i++)
    if (name(i))
      sqlite3_str_appendf(sql, " WHEN %lld THEN %Q", (long long)i, name(i));
  sqlite3_str_appendf(sql, " END AS %s", column);
}

/* Rows as people read them. The runs come first in the join, so that a
 * condition on run or run_name reads only that run's range of records. */
static void add_view(sqlite3_str *sql, const char *view, const char *condition)
{
  sqlite3_str_appendf(
      sql,
      "CREATE VIEW %s AS SELECT runs.id AS run, runs.name AS run_name, "
      "records.id AS id, records.id & %lld AS row, ",
      view, (long long)(AQ_STORE_ROWS_MAX - 1));
  for (size_t i = 0; i < AQ_RECORD_FIELD_COUNT; i++) {
    const char *field = aq_record_fields[i].name;
    if (i)
      sqlite3_str_appendall(sql, ", ");
    if (i == AQ_RECORD_FIELD_kind)
      add_case(sql, field, AQ_KIND_COUNT, aq_record_kind_name);
    else if (i == AQ_RECORD_FIELD_via)
      add_case(sql, field, AQ_VIA_COUNT, aq_record_via_name);
    else if (i == AQ_RECORD_FIELD_name)
      sqlite3_str_appendall(sql, "names.text AS name");
    else if (is_time(i))
      sqlite3_str_appendf(sql, "records.%s_ps / 1000.0 AS %s_ns", field, field);
    else
      sqlite3_str_appendf(sql, "records.%s AS %s", field, field);
  }
  sqlite3_str_appendf(
      sql,
      " FROM runs CROSS JOIN records ON records.id "
      "BETWEEN runs.id << %d AND (runs.id << %d) + %lld"
      " LEFT JOIN names ON names.run = runs.id AND names.id = records.name%s;",
      AQ_STORE_ROW_BITS, AQ_STORE_ROW_BITS, (long long)(AQ_STORE_ROWS_MAX - 1),
      condition);
}

/* Kernels that follow one another on a queue, and the time between them. */
static const char gaps_view[] =
    "CREATE VIEW gaps AS SELECT run, run_name, device, queue, row, name,"
    " lag(row) OVER following AS after_row,"
    " lag(name) OVER following AS after_name,"
    " submit_ns, start_ns, end_ns,"
    " start_ns - lag(end_ns) OVER following AS gap_ns"
    " FROM dispatches WINDOW following AS"
    " (PARTITION BY run, device, queue ORDER BY start_ns, row);";

/* Rows of a run that replays another, beside the replayed rows. */
static const char run_pairs_view[] =
    "CREATE VIEW run_pairs AS SELECT s.run AS run, s.run_name AS run_name,"
    " s.row AS row, m.run AS origin_run, m.run_name AS origin_name,"
    " m.row AS origin_row, s.kind AS kind, s.name AS name,"
    " s.queue AS queue, s.stream AS stream, s.flags AS flags,"
    " m.submit_ns AS measured_submit_ns, s.submit_ns AS simulated_submit_ns,"
    " m.start_ns AS measured_start_ns, s.start_ns AS simulated_start_ns,"
    " m.end_ns AS measured_end_ns, s.end_ns AS simulated_end_ns,"
    " s.end_ns - m.end_ns AS end_error_ns"
    " FROM runs CROSS JOIN events s ON s.run = runs.id"
    " CROSS JOIN events m ON m.run = runs.origin"
    " AND m.id = (runs.origin << 32) + s.origin;";

/* Samples as people read them. */
static void add_samples_view(sqlite3_str *sql)
{
  sqlite3_str_appendall(
      sql, "CREATE VIEW samples AS SELECT runs.id AS run, runs.name AS "
           "run_name, CASE counters.counter");
  for (int i = 0; i < AQ_COUNTER_COUNT; i++)
    sqlite3_str_appendf(sql, " WHEN %d THEN %Q", i, aq_counters[i].name);
  sqlite3_str_appendall(sql, " END AS counter, CASE counters.counter");
  for (int i = 0; i < AQ_COUNTER_COUNT; i++)
    sqlite3_str_appendf(sql, " WHEN %d THEN %Q", i, aq_counters[i].unit);
  sqlite3_str_appendall(sql, " END AS unit, CASE WHEN counters.counter IN (");
  bool more = false;
  for (int i = 0; i < AQ_COUNTER_COUNT; i++)
    if (aq_counters[i].scope == AQ_COUNTER_OF_QUEUE) {
      sqlite3_str_appendf(sql, "%s%d", more ? ", " : "", i);
      more = true;
    }
  sqlite3_str_appendall(
      sql, ") THEN 'queue' ELSE 'device' END AS scope, counters.ordinal AS "
           "ordinal, counters.time_ps / 1000.0 AS time_ns, counters.value AS "
           "value FROM runs JOIN counters ON counters.run = runs.id;");
}

/* The views, in the order in which they are made. */
static const char *const views[] = {"events", "dispatches", "gaps", "run_pairs",
                                    "samples"};

static void add_views(sqlite3_str *sql)
{
  char kernels[64];
  sqlite3_snprintf(sizeof kernels, kernels, " WHERE records.kind = %d",
                   AQ_KIND_KERNEL);
  add_view(sql, "events", "");
  add_view(sql, "dispatches", kernels);
  sqlite3_str_appendall(sql, gaps_view);
  sqlite3_str_appendall(sql, run_pairs_view);
  add_samples_view(sql);
}

/* The query of the schema comes first: it has SQLite read anew what another
 * process changed, which has_column() would not notice. */
static aq_status version_of(aq_store *store, int64_t *version, aq_diag *diag)
{
  int64_t tables;
  aq_status status = aq_store_integer(
      store, "SELECT count(*) FROM sqlite_master", NULL, 0, &tables, diag);
  if (!status)
    status =
        aq_store_integer(store, "PRAGMA user_version", NULL, 0, version, diag);
  return status ? status : check_version(store->path, *version, diag);
}

static bool is_current(aq_store *store, int64_t version)
{
  char name[64];
  bool current = version == newest_version();
  for (size_t i = 0; i < AQ_RECORD_FIELD_COUNT && current; i++)
    current = has_column(store, "records", record_column(i, name));
  for (size_t i = 0; i < aq_run_column_count && current; i++)
    current = has_column(store, "runs", aq_run_columns[i].name);
  for (size_t i = 0; i < AQ_FACT_COUNT && current; i++)
    for (size_t k = 0; k < aq_fact_tables[i].count && current; k++)
      current = has_column(store, aq_fact_tables[i].name,
                           aq_fact_tables[i].columns[k]);
  return current;
}

/* Everything that takes a store from `version` to the newest one. Views may
 * name new columns: they are always made anew. */
static char *migration(aq_store *store, int64_t version)
{
  sqlite3_str *sql = sqlite3_str_new(store->db);
  for (size_t i = 0; i < sizeof views / sizeof *views; i++)
    sqlite3_str_appendf(sql, "DROP VIEW IF EXISTS %s;", views[i]);
  if (version == 0)
    add_tables(sql);
  else
    add_missing_columns(store, sql);
  add_facts(store, sql);
  for (size_t i = 0; i < step_count; i++)
    if (steps[i].version > version)
      sqlite3_str_appendall(sql, steps[i].sql);
  add_views(sql);
  sqlite3_str_appendf(sql,
                      "PRAGMA application_id = %d;PRAGMA user_version = "
                      "%lld;",
                      AQ_SCHEMA_APPLICATION_ID, (long long)newest_version());
  return sqlite3_str_finish(sql);
}

aq_status aq_schema_migrate(aq_store *store, aq_diag *diag)
{
  int64_t version = 0;
  aq_status status = version_of(store, &version, diag);
  if (status || is_current(store, version))
    return status;
  if (sqlite3_db_readonly(store->db, "main"))
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "%s: tables of version %lld, expected %lld, and it is "
                       "read-only; a copy that can be written is upgraded",
                       store->path, (long long)version,
                       (long long)newest_version());
  status = aq_store_begin(store, diag);
  if (status)
    return status;
  /* Another process may have done it while this one waited. */
  status = version_of(store, &version, diag);
  if (!status && !is_current(store, version)) {
    char *sql = migration(store, version);
    status = aq_store_exec(store, sql, "cannot make its tables", diag);
    sqlite3_free(sql);
  }
  if (!status)
    status = aq_store_commit(store, diag);
  if (status)
    aq_store_rollback(store);
  return status;
}
