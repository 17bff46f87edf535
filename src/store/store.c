/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "store/store.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/location.h"
#include "store/maintenance.h"
#include "store/schema.h"
#include "store/store_priv.h"

/* How long to wait for another process: longer than any transaction of ours.
 * The first waits are short, as most transactions are; each doubles. */
enum {
  BUSY_FIRST_US = 100,
  BUSY_DOUBLINGS = 8,
  BUSY_TIMEOUT_US = 60000000,
  BUSY_WAITS = BUSY_TIMEOUT_US / (BUSY_FIRST_US << BUSY_DOUBLINGS)
};

/* ---- helpers of the folder ---- */

static aq_status status_of(int code)
{
  switch (code & 0xff) {
  case SQLITE_NOMEM:
    return AQ_ERR_NO_MEMORY;
  case SQLITE_BUSY:
  case SQLITE_LOCKED:
    return AQ_ERR_TIMEOUT;
  case SQLITE_NOTADB:
  case SQLITE_CORRUPT:
  case SQLITE_CANTOPEN:
  case SQLITE_READONLY:
  case SQLITE_PERM:
  case SQLITE_ERROR: /* tables that are not as we made them */
    return AQ_ERR_INPUT;
  default:
    return AQ_ERR_IO;
  }
}

aq_status aq_store_error(aq_store *store, aq_diag *diag, const char *fmt, ...)
{
  char what[AQ_DIAG_TEXT_MAX];
  va_list args;
  va_start(args, fmt);
  vsnprintf(what, sizeof what, fmt, args);
  va_end(args);
  const int code = sqlite3_errcode(store->db);
  const int cause =
      (code & 0xff) == SQLITE_IOERR || (code & 0xff) == SQLITE_CANTOPEN
          ? sqlite3_system_errno(store->db)
          : 0;
  const bool corrupt = (code & 0xff) == SQLITE_CORRUPT;
  return aq_diag_set(diag, status_of(code), "%s: %s: %s%s%s%s", store->path,
                     what, sqlite3_errmsg(store->db), cause ? ": " : "",
                     cause ? strerror(cause) : "",
                     corrupt ? " (a check of the store says more)" : "");
}

aq_status aq_store_exec(aq_store *store, const char *sql, const char *what,
                        aq_diag *diag)
{
  if (!sql)
    return aq_diag_no_memory(diag);
  if (sqlite3_exec(store->db, sql, NULL, NULL, NULL) != SQLITE_OK)
    return aq_store_error(store, diag, "%s", what);
  return AQ_OK;
}

/* An idle statement leaves the list, so no two users have the same one. */
int aq_store_prepare_text(aq_store *store, const char *sql, sqlite3_stmt **out)
{
  for (int i = store->idle_count; i-- > 0;)
    if (strcmp(sqlite3_sql(store->idle[i]), sql) == 0) {
      *out = store->idle[i];
      store->idle[i] = store->idle[--store->idle_count];
      return SQLITE_OK;
    }
  return sqlite3_prepare_v3(store->db, sql, -1, SQLITE_PREPARE_PERSISTENT, out,
                            NULL);
}

int aq_store_return(aq_store *store, sqlite3_stmt *statement)
{
  if (!statement || store->idle_count == AQ_STORE_IDLE)
    return sqlite3_finalize(statement);
  const int code = sqlite3_reset(statement);
  sqlite3_clear_bindings(statement);
  store->idle[store->idle_count++] = statement;
  return code;
}

static void idle_drop(aq_store *store)
{
  while (store->idle_count > 0)
    sqlite3_finalize(store->idle[--store->idle_count]);
}

aq_status aq_store_prepare(aq_store *store, sqlite3_str *sql,
                           sqlite3_stmt **out, aq_diag *diag)
{
  char *text = sqlite3_str_finish(sql);
  if (!text)
    return aq_diag_no_memory(diag);
  const int code = aq_store_prepare_text(store, text, out);
  sqlite3_free(text);
  return code == SQLITE_OK ? AQ_OK
                           : aq_store_error(store, diag, "cannot be used");
}

aq_status aq_store_integer(aq_store *store, const char *sql,
                           const int64_t *parameters, int count, int64_t *out,
                           aq_diag *diag)
{
  sqlite3_stmt *statement;
  if (sqlite3_prepare_v2(store->db, sql, -1, &statement, NULL) != SQLITE_OK)
    return aq_store_error(store, diag, "cannot be read");
  for (int i = 0; i < count; i++)
    sqlite3_bind_int64(statement, i + 1, parameters[i]);
  if (sqlite3_step(statement) == SQLITE_ROW)
    *out = sqlite3_column_int64(statement, 0);
  if (sqlite3_finalize(statement) != SQLITE_OK)
    return aq_store_error(store, diag, "cannot be read");
  return AQ_OK;
}

aq_status aq_store_begin(aq_store *store, aq_diag *diag)
{
  return store->grouped ? AQ_OK
                        : aq_store_exec(store, "BEGIN IMMEDIATE",
                                        "cannot be written", diag);
}

aq_status aq_store_commit(aq_store *store, aq_diag *diag)
{
  return store->grouped
             ? AQ_OK
             : aq_store_exec(store, "COMMIT", "cannot be written", diag);
}

void aq_store_rollback(aq_store *store)
{
  /* Some errors have ended the transaction already. */
  if (!store->grouped && !sqlite3_get_autocommit(store->db))
    sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
}

aq_status aq_store_group_begin(aq_store *store, aq_diag *diag)
{
  const aq_status status = aq_store_begin(store, diag);
  store->grouped = status == AQ_OK;
  return status;
}

aq_status aq_store_group_end(aq_store *store, bool keep, aq_diag *diag)
{
  store->grouped = false;
  const aq_status status = keep ? aq_store_commit(store, diag) : AQ_OK;
  if (!keep || status)
    aq_store_rollback(store);
  return status;
}

/* ---- opening ---- */

/* Reads the file's header through the connection: a descriptor of our own
 * would, when closed, drop the locks of every connection in this process. */
static aq_status check_file(aq_store *store, aq_store_mode mode, bool *is_wal,
                            aq_diag *diag)
{
  sqlite3_file *file = NULL;
  struct stat info;
  unsigned char bytes[AQ_SCHEMA_HEADER_SIZE] = {0};
  /* SQLite takes a file of one byte for an empty one: ask the system. */
  if (stat(store->path, &info) != 0)
    return aq_diag_set(diag, AQ_ERR_IO, "%s: %s", store->path, strerror(errno));
  if (info.st_size == 0 && mode == AQ_STORE_READ)
    return aq_diag_set(diag, AQ_ERR_INPUT, "%s: is empty, expected a run store",
                       store->path);
  if (info.st_size == 0)
    return AQ_OK;
  const int wanted = info.st_size < (off_t)sizeof bytes ? (int)info.st_size
                                                        : (int)sizeof bytes;
  sqlite3_file_control(store->db, "main", SQLITE_FCNTL_FILE_POINTER, &file);
  if (!file || !file->pMethods ||
      file->pMethods->xRead(file, bytes, wanted, 0) != SQLITE_OK)
    return aq_diag_set(diag, AQ_ERR_IO, "%s: cannot be read", store->path);
  *is_wal = bytes[18] == 2;
  return aq_schema_check_header(store->path, bytes, (size_t)wanted, diag);
}

static aq_status set_notice(aq_store *store, const char *text, aq_diag *diag)
{
  store->notice = strdup(text);
  return store->notice ? AQ_OK : aq_diag_no_memory(diag);
}

/* Asks for a journal mode and returns whether it is in force. That another
 * process is busy with the same change is no error: it will do. */
static bool set_journal(aq_store *store, const char *mode)
{
  char sql[64];
  snprintf(sql, sizeof sql, "PRAGMA journal_mode = %s", mode);
  sqlite3_stmt *statement;
  bool is_set = false;
  if (sqlite3_prepare_v2(store->db, sql, -1, &statement, NULL) != SQLITE_OK)
    return false;
  int code = sqlite3_step(statement);
  if (code == SQLITE_ROW)
    is_set = !strcmp((const char *)sqlite3_column_text(statement, 0), mode);
  sqlite3_finalize(statement);
  return is_set || (code & 0xff) == SQLITE_BUSY;
}

/* NORMAL may lose the last commits at a power failure in WAL mode, never the
 * database; a rollback journal needs FULL for that. */
static aq_status choose_journal(aq_store *store, aq_diag *diag)
{
  const char *network = aq_location_network(store->path);
  if (!network && set_journal(store, "wal"))
    return aq_store_exec(store, "PRAGMA synchronous = NORMAL",
                         "cannot be configured", diag);
  char text[128];
  if (network)
    snprintf(text, sizeof text,
             "the store lies on a network file system (%s): using a rollback "
             "journal, which is slower",
             network);
  else
    snprintf(text, sizeof text,
             "no WAL on this file system: using a rollback journal, which is "
             "slower");
  if (!set_journal(store, "delete"))
    return aq_store_error(store, diag, "cannot leave WAL mode");
  aq_status status = aq_store_exec(store, "PRAGMA synchronous = FULL",
                                   "cannot be configured", diag);
  return status ? status : set_notice(store, text, diag);
}

static aq_status configure(aq_store *store, aq_store_mode mode, aq_diag *diag)
{
  /* A batch of rows fits the cache, so that it reaches the file once; larger
   * pages and rarer checkpoints make storing a fifth faster. */
  aq_status status = aq_store_exec(store,
                                   "PRAGMA page_size = 16384;"
                                   "PRAGMA cache_size = -16384;"
                                   "PRAGMA wal_autocheckpoint = 2000;"
                                   "PRAGMA secure_delete = OFF",
                                   "cannot be configured", diag);
  if (!status)
    status = aq_schema_migrate(store, diag);
  if (!status && mode == AQ_STORE_READ)
    return aq_store_exec(store, "PRAGMA query_only = ON",
                         "cannot be configured", diag);
  if (!status && strcmp(store->path, ":memory:") != 0)
    status = choose_journal(store, diag);
  return status;
}

/* "file:…" would be a URI to SQLite: name it as a file. */
static char *plain_path(const char *path)
{
  char *plain = NULL;
  if (strncmp(path, "file:", 5) != 0)
    return strdup(path);
  return asprintf(&plain, "./%s", path) < 0 ? NULL : plain;
}

static aq_status resolve_path(const char *path, char **out, aq_diag *diag)
{
  if (!path)
    return aq_location_default(out, diag);
  if (!path[0])
    return aq_diag_set(diag, AQ_ERR_INVALID, "the path of the store is empty");
  *out = plain_path(path);
  return *out ? AQ_OK : aq_diag_no_memory(diag);
}

/* Sees to it that the file can be opened, or made: below folders of ours where
 * the path is the default, else in an existing one. */
static aq_status prepare_file(const char *path, aq_store_mode mode, bool chosen,
                              aq_diag *diag)
{
  bool missing;
  aq_status status = aq_location_check(path, &missing, diag);
  if (status || !missing)
    return status;
  if (mode == AQ_STORE_WRITE)
    return chosen ? aq_location_folder_check(path, diag)
                  : aq_location_make(path, diag);
  return aq_diag_set(diag, AQ_ERR_NOT_FOUND,
                     "%s: there is no store yet; importing a trace or "
                     "running a scenario makes one",
                     path);
}

/* SQLite's own waits a millisecond at least: as long as a point of a sweep. */
static int busy_wait(void *context, int waits)
{
  (void)context;
  const int doublings = waits < BUSY_DOUBLINGS ? waits : BUSY_DOUBLINGS;
  if (waits >= BUSY_WAITS)
    return 0;
  usleep(BUSY_FIRST_US << doublings);
  return 1;
}

static aq_status connect(aq_store *store, aq_store_mode mode, const char *file,
                         aq_diag *diag)
{
  /* Reading asks for writing too: only so can it clean up after a writer that
   * was killed. SQLite falls back to reading where it may not. */
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX |
                    SQLITE_OPEN_URI |
                    (mode == AQ_STORE_WRITE ? SQLITE_OPEN_CREATE : 0);
  int code = sqlite3_open_v2(file, &store->db, flags, NULL);
  if (!store->db)
    return aq_diag_no_memory(diag);
  if (code != SQLITE_OK)
    return aq_store_error(store, diag, "cannot be opened");
  if (mode == AQ_STORE_WRITE && sqlite3_db_readonly(store->db, "main"))
    return aq_diag_set(diag, AQ_ERR_INPUT, "%s: cannot be written: read-only",
                       store->path);
  sqlite3_extended_result_codes(store->db, 1);
  sqlite3_busy_handler(store->db, busy_wait, NULL);
  return AQ_OK;
}

char *aq_store_uri(aq_store *store)
{
  sqlite3_str *uri = sqlite3_str_new(store->db);
  /* Two slashes at the begin of a path would name a host. */
  sqlite3_str_appendall(uri, store->path[0] == '/' ? "file://" : "file:");
  for (const char *c = store->path; *c; c++)
    if (strchr("?#%", *c))
      sqlite3_str_appendf(uri, "%%%02x", (unsigned char)*c);
    else
      sqlite3_str_appendchar(uri, 1, *c);
  sqlite3_str_appendall(uri, store->immutable ? "?immutable=1" : "?mode=ro");
  return sqlite3_str_finish(uri);
}

/* Readers of a WAL database make files beside it. Where they cannot and no
 * process has it open (there is no -wal file), it can still be read as it lies.
 */
static aq_status reopen_read_only(aq_store *store, aq_diag *diag)
{
  char *wal = NULL;
  if (asprintf(&wal, "%s-wal", store->path) < 0)
    return aq_diag_no_memory(diag);
  const bool alone =
      access(wal, F_OK) != 0 && aq_location_is_read_only(store->path);
  free(wal);
  if (!alone)
    return AQ_OK;
  store->immutable = true;
  char *uri = aq_store_uri(store);
  if (!uri)
    return aq_diag_no_memory(diag);
  idle_drop(store);
  sqlite3_close_v2(store->db);
  aq_status status = connect(store, AQ_STORE_READ, uri, diag);
  sqlite3_free(uri);
  return status ? status
                : set_notice(
                      store,
                      "the store's folder is read-only: reading without locks",
                      diag);
}

/* Connects to a store of ours, or an empty file. */
static aq_status open_file(aq_store *store, aq_store_mode mode, bool chosen,
                           aq_diag *diag)
{
  bool is_wal = false;
  aq_status status = prepare_file(store->path, mode, chosen, diag);
  if (!status)
    status = connect(store, mode, store->path, diag);
  if (!status)
    status = check_file(store, mode, &is_wal, diag);
  if (!status && mode == AQ_STORE_READ && is_wal)
    status = reopen_read_only(store, diag);
  return status;
}

aq_status aq_store_open(const char *path, aq_store_mode mode, aq_store **out,
                        aq_diag *diag)
{
  aq_store *store = calloc(1, sizeof *store);
  if (!store)
    return aq_diag_no_memory(diag);
  store->number = AQ_NONE;
  const bool in_memory = path && strcmp(path, ":memory:") == 0;
  const bool checks = mode == AQ_STORE_CHECK;
  if (checks)
    mode = AQ_STORE_READ;
  aq_status status = resolve_path(path, &store->path, diag);
  if (!status)
    status = in_memory ? connect(store, mode, store->path, diag)
                       : open_file(store, mode, path != NULL, diag);
  if (!status)
    status = configure(store, mode, diag);
  if (status && checks && store->db &&
      (sqlite3_errcode(store->db) & 0xff) == SQLITE_CORRUPT)
    status = AQ_OK;
  if (status) {
    aq_store_close(store);
    return status;
  }
  *out = store;
  return AQ_OK;
}

void aq_store_close(aq_store *store)
{
  if (!store)
    return;
  idle_drop(store);
  sqlite3_close_v2(store->db);
  aq_store_forget(store);
  free(store->path);
  free(store->notice);
  free(store);
}

const char *aq_store_path(const aq_store *store)
{
  return store->path;
}

const char *aq_store_notice(const aq_store *store)
{
  return store->notice;
}
