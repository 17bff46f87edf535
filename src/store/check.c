/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <stdarg.h>
#include <string.h>

#include "store/maintenance.h"
#include "store/store_priv.h"

typedef struct checking {
  aq_store *store;
  aq_check_notify *tell;
  void *user;
  aq_diag *diag;
  bool *damaged; /* the file, not the rows of a writer of ours */
} checking;

static void AQ_PRINTF(4, 5) find(const checking *check, aq_check_level level,
                                 int64_t run, const char *fmt, ...)
{
  aq_diag text = AQ_DIAG_INIT; /* one line, of any bytes */
  va_list args;
  va_start(args, fmt);
  char *words = sqlite3_vmprintf(fmt, args);
  va_end(args);
  aq_diag_set(&text, AQ_ERR_INPUT, "%s", words ? words : fmt);
  sqlite3_free(words);
  const aq_check_finding finding = {level, run, text.text};
  check->tell(&finding, check->user);
}

/* A part that is unreadable because the file is damaged is a finding. */
static aq_status unreadable(const checking *check, int64_t run,
                            const char *what)
{
  const int code = sqlite3_errcode(check->store->db) & 0xff;
  if (code != SQLITE_CORRUPT && code != SQLITE_NOTADB)
    return aq_store_error(check->store, check->diag, "%s cannot be read", what);
  *check->damaged = true;
  find(check, AQ_CHECK_PROBLEM, run, "%s cannot be read: %s", what,
       sqlite3_errmsg(check->store->db));
  return AQ_OK;
}

/* ---- the file ---- */

/* *readable: the tables can be asked for more. */
static aq_status check_integrity(const checking *check, bool *readable)
{
  *readable = false;
  sqlite3_stmt *statement;
  if (sqlite3_prepare_v2(check->store->db, "PRAGMA integrity_check(20)", -1,
                         &statement, NULL) != SQLITE_OK)
    return unreadable(check, AQ_NONE, "the file");
  while (sqlite3_step(statement) == SQLITE_ROW) {
    const char *line = (const char *)sqlite3_column_text(statement, 0);
    if (line && strcmp(line, "ok") != 0) {
      *check->damaged = true;
      find(check, AQ_CHECK_PROBLEM, AQ_NONE, "the file is damaged: %s", line);
    }
  }
  if (sqlite3_finalize(statement) != SQLITE_OK)
    return unreadable(check, AQ_NONE, "the file");
  *readable = true;
  return AQ_OK;
}

/* ---- rules ---- */

/* A query whose every row breaks a rule: ?1 is the run, and column 0 how many
 * or which. Queries about the whole store have the run in column 1. */
typedef struct rule {
  aq_check_level level;
  const char *sql;
  const char *words; /* %lld: column 0 */
} rule;

#define ORPHANS(table)                                                         \
  {                                                                            \
    AQ_CHECK_PROBLEM,                                                          \
        "SELECT count(*), run FROM " table                                     \
        " WHERE run NOT IN (SELECT id FROM runs) GROUP BY run",                \
        "%lld of the entries of " table ": run not in the store"               \
  }

static const rule store_rules[] = {
    ORPHANS("devices"),
    ORPHANS("queues"),
    ORPHANS("names"),
    ORPHANS("edges"),
    ORPHANS("requests"),
    ORPHANS("preemptions"),
    ORPHANS("instructions"),
    ORPHANS("findings"),
    ORPHANS("counted"),
    ORPHANS("traced"),
    ORPHANS("ops"),
    ORPHANS("frames"),
    ORPHANS("launched"),
    ORPHANS("allocations"),
    ORPHANS("counters"),
    {AQ_CHECK_PROBLEM,
     "SELECT id, id FROM runs WHERE id > "
     "(SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'runs')",
     "id %lld may be given to another run"},
};

/* NUMBERED: entries have the numbers 0, 1, 2… */
#define NUMBERED(table, key)                                                   \
  {                                                                            \
    AQ_CHECK_PROBLEM,                                                          \
        "SELECT count(*) FROM " table " WHERE run = ?1 HAVING count(*) > 0 "   \
        "AND (min(" key ") <> 0 OR max(" key ") <> count(*) - 1)",             \
        "%lld entries of " table ", not numbered 0, 1, 2..."                   \
  }

static const rule run_rules[] = {
    NUMBERED("devices", "ordinal"),
    NUMBERED("queues", "ordinal"),
    NUMBERED("names", "id"),
    {AQ_CHECK_PROBLEM,
     "SELECT count(*) FROM queues WHERE run = ?1 AND device NOT IN "
     "(SELECT ordinal FROM devices WHERE run = ?1) HAVING count(*) > 0",
     "%lld of its queues: device not in the run"},
    {AQ_CHECK_PROBLEM,
     "SELECT count(*) FROM edges WHERE run = ?1 AND NOT "
     "(to_row BETWEEN 0 AND ?2 - 1 AND from_row BETWEEN 0 AND ?2 - 1) "
     "HAVING count(*) > 0",
     "%lld of its edges: row not in the run"},
    {AQ_CHECK_PROBLEM,
     "SELECT count(*) FROM edges WHERE run = ?1 AND NOT "
     "(confidence BETWEEN 1 AND 100) HAVING count(*) > 0",
     "%lld of its edges: confidence not 1 to 100"},
    NUMBERED("ops", "number"),
    NUMBERED("frames", "number"),
    {AQ_CHECK_PROBLEM,
     "SELECT count(*) FROM launched WHERE run = ?1 AND NOT "
     "(row BETWEEN 0 AND ?2 - 1 AND coalesce(op, -1) < (SELECT count(*) FROM "
     "ops WHERE run = ?1) AND coalesce(frame, -1) < (SELECT count(*) FROM "
     "frames WHERE run = ?1)) HAVING count(*) > 0",
     "%lld of its launches: row, op or frame not in the run"},
    {AQ_CHECK_PROBLEM,
     "SELECT count(*) FROM allocations WHERE run = ?1 AND NOT "
     "(coalesce(op, -1) < (SELECT count(*) FROM ops WHERE run = ?1) AND "
     "coalesce(device, -1) < (SELECT count(*) FROM devices WHERE run = ?1)) "
     "HAVING count(*) > 0",
     "%lld of its allocations: op or device not in the run"},
    {AQ_CHECK_PROBLEM,
     "SELECT id FROM runs WHERE id = ?1 AND notes IS NOT NULL "
     "AND NOT json_valid(notes)",
     "the notes of run %lld are not JSON"},
    {AQ_CHECK_PROBLEM,
     "SELECT id FROM runs WHERE id = ?1 AND (kind IS NULL OR kind NOT IN "
     "('measured', 'simulated'))",
     "run %lld is neither measured nor simulated"},
    {AQ_CHECK_REMARK,
     "SELECT row_count FROM runs WHERE id = ?1 AND NOT complete",
     "incomplete, row count %lld: its writer was killed, failed or still "
     "writes"},
    {AQ_CHECK_REMARK,
     "SELECT origin FROM runs WHERE id = ?1 AND origin NOT IN "
     "(SELECT id FROM runs)",
     "replays run %lld, which was removed"},
};

static aq_status check_rule(const checking *check, const rule *broken,
                            int64_t run, int64_t rows)
{
  sqlite3_stmt *statement;
  if (sqlite3_prepare_v2(check->store->db, broken->sql, -1, &statement, NULL) !=
      SQLITE_OK)
    return unreadable(check, run, "the rows of the runs table");
  if (run != AQ_NONE) {
    sqlite3_bind_int64(statement, 1, run);
    sqlite3_bind_int64(statement, 2, rows); /* where there is a ?2 */
  }
  while (sqlite3_step(statement) == SQLITE_ROW)
    find(check, broken->level,
         run != AQ_NONE ? run : sqlite3_column_int64(statement, 1),
         broken->words, (long long)sqlite3_column_int64(statement, 0));
  if (sqlite3_finalize(statement) != SQLITE_OK)
    return unreadable(check, run, "the rows of the runs table");
  return AQ_OK;
}

/* ---- rows ---- */

/* One pass over the rows of a run; columns as enumerated. */
enum { AT_COUNT, AT_FIRST, AT_LAST, AT_KINDS, AT_NAMES, AT_DEVICES, AT_QUEUES };
static const char rows_sql[] =
    "SELECT count(*), min(id), max(id),"
    " count(CASE WHEN kind BETWEEN 1 AND ?3 THEN NULL ELSE 1 END),"
    " count(CASE WHEN name NOT BETWEEN 0 AND"
    "  (SELECT count(*) - 1 FROM names WHERE run = ?4) THEN 1 END),"
    " count(CASE WHEN device NOT BETWEEN 0 AND"
    "  (SELECT count(*) - 1 FROM devices WHERE run = ?4) THEN 1 END),"
    " count(CASE WHEN queue NOT BETWEEN 0 AND"
    "  (SELECT count(*) - 1 FROM queues WHERE run = ?4) THEN 1 END)"
    " FROM records WHERE id BETWEEN ?1 AND ?2";

static void judge_rows(const checking *check, sqlite3_stmt *row, int64_t run,
                       int64_t rows)
{
  static const struct {
    int column;
    const char *words;
  } counts[] = {
      {AT_KINDS, "%lld of its rows: unknown kind"},
      {AT_NAMES, "%lld of its rows: name not in the run"},
      {AT_DEVICES, "%lld of its rows: device not in the run"},
      {AT_QUEUES, "%lld of its rows: queue not in the run"},
  };
  const int64_t stored = sqlite3_column_int64(row, AT_COUNT);
  const int64_t first = aq_store_row_key(run, 0);
  if (stored != rows)
    find(check, AQ_CHECK_PROBLEM, run, "row count %lld, expected %lld",
         (long long)stored, (long long)rows);
  else if (rows > 0 && (sqlite3_column_int64(row, AT_FIRST) != first ||
                        sqlite3_column_int64(row, AT_LAST) != first + rows - 1))
    find(check, AQ_CHECK_PROBLEM, run,
         "its rows are not numbered from 0 to %lld", (long long)rows - 1);
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
    if (sqlite3_column_int64(row, counts[i].column) > 0)
      find(check, AQ_CHECK_PROBLEM, run, counts[i].words,
           (long long)sqlite3_column_int64(row, counts[i].column));
}

static aq_status check_rows(const checking *check, int64_t run, int64_t rows)
{
  sqlite3_stmt *statement;
  if (sqlite3_prepare_v2(check->store->db, rows_sql, -1, &statement, NULL) !=
      SQLITE_OK)
    return unreadable(check, run, "its rows");
  sqlite3_bind_int64(statement, 1, aq_store_row_key(run, 0));
  sqlite3_bind_int64(statement, 2,
                     aq_store_row_key(run, AQ_STORE_ROWS_MAX - 1));
  sqlite3_bind_int64(statement, 3, AQ_KIND_COUNT - 1);
  sqlite3_bind_int64(statement, 4, run);
  if (sqlite3_step(statement) == SQLITE_ROW)
    judge_rows(check, statement, run, rows);
  if (sqlite3_finalize(statement) != SQLITE_OK)
    return unreadable(check, run, "its rows");
  return AQ_OK;
}

static aq_status check_run(const checking *check, int64_t run, int64_t rows)
{
  aq_status status = check_rows(check, run, rows);
  for (size_t i = 0; !status && i < sizeof run_rules / sizeof *run_rules; i++)
    status = check_rule(check, &run_rules[i], run, rows);
  return status;
}

static aq_status check_runs(const checking *check)
{
  sqlite3_stmt *statement;
  if (sqlite3_prepare_v2(check->store->db,
                         "SELECT id, row_count FROM runs ORDER BY id", -1,
                         &statement, NULL) != SQLITE_OK)
    return unreadable(check, AQ_NONE, "the runs");
  aq_status status = AQ_OK;
  while (!status && sqlite3_step(statement) == SQLITE_ROW)
    status = check_run(check, sqlite3_column_int64(statement, 0),
                       sqlite3_column_int64(statement, 1));
  if (sqlite3_finalize(statement) != SQLITE_OK && !status)
    status = unreadable(check, AQ_NONE, "the runs");
  return status;
}

/* Rows whose run is not there, a step for each run that has rows. */
static aq_status check_lost_rows(const checking *check)
{
  sqlite3_stmt *statement;
  if (sqlite3_prepare_v2(check->store->db,
                         "WITH RECURSIVE there (run) AS ("
                         "  SELECT min(id) >> 32 FROM records"
                         "  UNION ALL"
                         "  SELECT (SELECT min(id) >> 32 FROM records"
                         "          WHERE id >= (run + 1) << 32) FROM there"
                         "  WHERE run IS NOT NULL)"
                         " SELECT run FROM there WHERE run IS NOT NULL AND run "
                         "NOT IN (SELECT id FROM runs)",
                         -1, &statement, NULL) != SQLITE_OK)
    return unreadable(check, AQ_NONE, "the rows");
  while (sqlite3_step(statement) == SQLITE_ROW)
    find(check, AQ_CHECK_PROBLEM, sqlite3_column_int64(statement, 0),
         "has rows but is not there");
  if (sqlite3_finalize(statement) != SQLITE_OK)
    return unreadable(check, AQ_NONE, "the rows");
  return AQ_OK;
}

static aq_status check_tables(const checking *check)
{
  aq_status status = AQ_OK;
  for (size_t i = 0; !status && i < sizeof store_rules / sizeof *store_rules;
       i++)
    status = check_rule(check, &store_rules[i], AQ_NONE, 0);
  if (!status)
    status = check_lost_rows(check);
  return status ? status : check_runs(check);
}

/* One transaction: concurrent writes are not seen by halves. */
aq_status aq_store_check(aq_store *store, aq_check_notify *tell, void *user,
                         aq_diag *diag)
{
  bool damaged = false, readable;
  const checking check = {store, tell, user, diag, &damaged};
  aq_status status = aq_store_exec(store, "BEGIN", "cannot be read", diag);
  if (status)
    return status;
  status = check_integrity(&check, &readable);
  if (!status && readable)
    status = check_tables(&check);
  if (!status && damaged)
    find(&check, AQ_CHECK_REMARK, AQ_NONE,
         "the rest may be saved by `sqlite3 %s .recover | sqlite3 NEW`",
         aq_store_path(store));
  aq_store_rollback(store);
  return status;
}
