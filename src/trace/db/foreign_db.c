/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "trace/db/foreign_db.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char magic[16] = "SQLite format 3";

enum {
  VALUE_SIZE_MAX = 1 << 24, /* bytes of one value */
  SQL_SIZE_MAX = 1 << 20,
  HEADER_WRITE_VERSION = 18, /* 2: a write-ahead log, 1: none */
  HEADER_READ_VERSION = 19,
};
#define UNPACKED_SIZE_MAX (UINT64_C(64) << 30)

bool aq_database_detect(const char *bytes, size_t size)
{
  return size >= sizeof magic && memcmp(bytes, magic, sizeof magic) == 0;
}

aq_status aq_database_error(const aq_database *database, const char *fmt, ...)
{
  char what[AQ_DIAG_TEXT_MAX];
  va_list args;
  va_start(args, fmt);
  vsnprintf(what, sizeof what, fmt, args);
  va_end(args);
  return aq_diag_set(database->import->diag, AQ_ERR_INPUT, "%s: %s",
                     database->path, what);
}

static aq_status sqlite_error(const aq_database *database)
{
  if (sqlite3_errcode(database->db) == SQLITE_NOMEM)
    return aq_diag_no_memory(database->import->diag);
  return aq_database_error(database, "cannot be read: %s",
                           sqlite3_errmsg(database->db));
}

/* ---- opening ---- */

/* Nothing that the file brings along is run. */
static aq_status harden(const aq_database *database)
{
  sqlite3 *db = database->db;
  static const struct {
    int option, value;
  } options[] = {
      {SQLITE_DBCONFIG_DEFENSIVE, 1},
      {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
      {SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0},
      {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
      {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
  };
  for (size_t i = 0; i < sizeof options / sizeof *options; i++)
    if (sqlite3_db_config(db, options[i].option, options[i].value, NULL) !=
        SQLITE_OK)
      return sqlite_error(database);
  sqlite3_limit(db, SQLITE_LIMIT_LENGTH, VALUE_SIZE_MAX);
  sqlite3_limit(db, SQLITE_LIMIT_SQL_LENGTH, SQL_SIZE_MAX);
  sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
  if (sqlite3_exec(db,
                   "PRAGMA query_only = ON;"
                   "PRAGMA cell_size_check = ON;"
                   "PRAGMA mmap_size = 0",
                   NULL, NULL, NULL) != SQLITE_OK)
    return sqlite_error(database);
  return AQ_OK;
}

static aq_status connect(aq_database *database, const char *name)
{
  const int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX |
                    SQLITE_OPEN_PRIVATECACHE | SQLITE_OPEN_URI;
  if (sqlite3_open_v2(name, &database->db, flags, NULL) != SQLITE_OK)
    return database->db ? sqlite_error(database)
                        : aq_diag_no_memory(database->import->diag);
  return AQ_OK;
}

/* "file:PATH?…" with the special characters of a URI escaped. */
static char *uri_of(const char *path, const char *parameters)
{
  static const char hex[] = "0123456789ABCDEF";
  char *uri = malloc(3 * strlen(path) + strlen(parameters) + 8);
  if (!uri)
    return NULL;
  char *to = stpcpy(uri, path[0] == '/' ? "file://" : "file:");
  for (const unsigned char *at = (const unsigned char *)path; *at; at++) {
    const bool plain = (*at >= '0' && *at <= '9') ||
                       (*at >= 'A' && *at <= 'Z') ||
                       (*at >= 'a' && *at <= 'z') || strchr("/._-", *at);
    if (plain) {
      *to++ = (char)*at;
    } else {
      *to++ = '%';
      *to++ = hex[*at >> 4];
      *to++ = hex[*at & 15];
    }
  }
  strcpy(to, parameters);
  return uri;
}

static uint64_t log_size(const char *path)
{
  char log[4096];
  struct stat info;
  return (size_t)snprintf(log, sizeof log, "%s-wal", path) < sizeof log &&
                 stat(log, &info) == 0
             ? (uint64_t)info.st_size
             : 0;
}

/* A file whose writer left a log beside it is opened as a live one, so that
 * the log is read; any other cannot change, and needs no locks. */
static aq_status open_path(aq_database *database, const char *path)
{
  const uint64_t log = log_size(path);
  char *uri = uri_of(path, log ? "?mode=ro" : "?mode=ro&immutable=1");
  if (!uri)
    return aq_diag_no_memory(database->import->diag);
  database->size += log;
  aq_status status = connect(database, uri);
  free(uri);
  return status;
}

static aq_status open_bytes(aq_database *database, const aq_trace_file *file)
{
  unsigned char *copy = malloc(file->size + 1);
  if (!copy)
    return aq_diag_no_memory(database->import->diag);
  memcpy(copy, file->bytes, file->size);
  database->bytes = copy;
  database->size = file->size;
  if (file->size > HEADER_READ_VERSION) /* there is no log in memory */
    copy[HEADER_WRITE_VERSION] = copy[HEADER_READ_VERSION] = 1;
  aq_status status = connect(database, ":memory:");
  if (status == AQ_OK &&
      sqlite3_deserialize(database->db, "main", copy, (sqlite3_int64)file->size,
                          (sqlite3_int64)file->size,
                          SQLITE_DESERIALIZE_READONLY) != SQLITE_OK)
    status = sqlite_error(database);
  return status;
}

/* ---- packed files ---- */

static aq_status copy_to(aq_database *database, aq_stream_reader *reader,
                         int fd)
{
  for (;;) {
    const char *bytes;
    size_t size;
    aq_status status = aq_import_read(database->import, reader, &bytes, &size);
    if (status != AQ_OK || size == 0)
      return status;
    database->size += size;
    if (database->size > UNPACKED_SIZE_MAX)
      return aq_database_error(database, "unpacks to more than 64 GiB");
    for (ssize_t written; size > 0; bytes += written, size -= (size_t)written) {
      written = write(fd, bytes, size);
      if (written < 0)
        return aq_diag_set(database->import->diag, AQ_ERR_IO,
                           "%s: cannot be unpacked to a temporary file: %s",
                           database->path, strerror(errno));
    }
  }
}

static aq_status open_packed(aq_database *database, const aq_trace_file *file)
{
  char path[4096];
  const char *folder = getenv("TMPDIR");
  if (!folder || !folder[0])
    folder = "/tmp";
  aq_stream_reader *reader;
  aq_status status = aq_trace_file_open(file, &reader, database->import->diag);
  if (status != AQ_OK)
    return status;
  int fd = -1;
  if ((size_t)snprintf(path, sizeof path, "%s/aqueduct.XXXXXX", folder) <
      sizeof path)
    fd = mkstemp(path);
  if (fd < 0) {
    status = aq_diag_set(database->import->diag, AQ_ERR_IO,
                         "%s: no temporary file in %s: %s", database->path,
                         folder, strerror(errno));
  } else {
    status = copy_to(database, reader, fd);
    if (status == AQ_OK)
      status = open_path(database, path);
    /* SQLite opens files lazily: ask for something before the name goes. */
    if (status == AQ_OK && sqlite3_exec(database->db, "PRAGMA schema_version",
                                        NULL, NULL, NULL) != SQLITE_OK)
      status = sqlite_error(database);
    unlink(path);
    close(fd);
  }
  aq_stream_reader_close(reader);
  return status;
}

/* The first `size` bytes of a file as it lies there; false: it has less. */
static bool read_header(const aq_trace_file *file, unsigned char *bytes,
                        size_t size)
{
  if (file->bytes) {
    if (file->size >= size)
      memcpy(bytes, file->bytes, size);
    return file->size >= size;
  }
  FILE *in = fopen(file->path, "rb");
  if (!in)
    return false;
  const size_t got = fread(bytes, 1, size, in);
  fclose(in);
  return got == size;
}

/* Whether a file is a database as it lies there. */
static bool is_plain(const aq_trace_file *file)
{
  unsigned char bytes[sizeof magic];
  return read_header(file, bytes, sizeof bytes) &&
         aq_database_detect((const char *)bytes, sizeof bytes);
}

static aq_status open_file(aq_database *database, const aq_trace_file *file)
{
  struct stat info;
  if (!is_plain(file))
    return open_packed(database, file);
  if (file->bytes)
    return open_bytes(database, file);
  if (stat(file->path, &info) == 0)
    database->size = (uint64_t)info.st_size;
  return open_path(database, file->path);
}

/* Queries ask for the id of a row first. */
static uint64_t id_at(const void *of)
{
  const aq_database *database = of;
  return database->at ? (uint64_t)sqlite3_column_int64(database->at, 0) : 0;
}

static uint64_t big_endian(const unsigned char *bytes, size_t count)
{
  uint64_t value = 0;
  for (size_t i = 0; i < count; i++)
    value = value << 8 | bytes[i];
  return value;
}

/* A database says how many pages it has; SQLite notices that some are missing
 * only when it wants one. A log beside it may hold the rest. */
static aq_status check_size(const aq_database *database,
                            const aq_trace_file *file)
{
  enum { PAGE_SIZE = 16, CHANGES = 24, PAGES = 28, VALID_FOR = 92, ALL = 96 };
  unsigned char header[ALL];
  if (file->bytes ? file->size < ALL : log_size(file->path) > 0)
    return AQ_OK; /* too short: worded by SQLite */
  if (!read_header(file, header, ALL) ||
      !aq_database_detect((const char *)header, ALL))
    return AQ_OK; /* packed: the stream would be cut too */
  const uint64_t page = big_endian(header + PAGE_SIZE, 2);
  const uint64_t size =
      big_endian(header + PAGES, 4) * (page == 1 ? 65536 : page);
  if (memcmp(header + CHANGES, header + VALID_FOR, 4) != 0 ||
      database->size >= size)
    return AQ_OK;
  return aq_database_error(database,
                           "truncated: %llu of %llu bytes (the rest may be "
                           "saved by `sqlite3 FILE .recover`)",
                           (unsigned long long)database->size,
                           (unsigned long long)size);
}

aq_status aq_database_open(aq_database *database, aq_import *import,
                           const aq_trace_file *file)
{
  memset(database, 0, sizeof *database);
  database->import = import;
  database->path = file->path;
  import->place = (aq_import_place){"id", id_at, database};
  aq_status status = open_file(database, file);
  if (status != AQ_OK)
    return status;
  status = check_size(database, file);
  if (status != AQ_OK)
    return status;
  import->result->bytes = database->size;
  return harden(database);
}

void aq_database_close(aq_database *database)
{
  database->import->place = (aq_import_place){NULL, NULL, NULL};
  sqlite3_close(database->db);
  free(database->bytes);
}

/* ---- reading ---- */

bool aq_database_has(const aq_database *database, const char *table,
                     const char *id)
{
  sqlite3_stmt *statement;
  /* Virtual tables have no root page. */
  if (sqlite3_prepare_v2(database->db,
                         "SELECT 1 FROM sqlite_master WHERE type = 'table' "
                         "AND rootpage > 0 AND name = ?",
                         -1, &statement, NULL) != SQLITE_OK)
    return false;
  sqlite3_bind_text(statement, 1, table, -1, SQLITE_STATIC);
  bool has = sqlite3_step(statement) == SQLITE_ROW;
  sqlite3_finalize(statement);
  if (!has || !id)
    return has;
  const char *type = NULL;
  int is_key = 0;
  return sqlite3_table_column_metadata(database->db, "main", table, id, &type,
                                       NULL, NULL, &is_key,
                                       NULL) == SQLITE_OK &&
         is_key && type &&
         (sqlite3_stricmp(type, "INTEGER") == 0 ||
          sqlite3_stricmp(type, "BIGINT") == 0);
}

bool aq_database_refers(const aq_database *database, const char *table,
                        const char *column, char *to, size_t size)
{
  sqlite3_stmt *statement;
  if (sqlite3_prepare_v2(database->db,
                         "SELECT \"table\" FROM pragma_foreign_key_list(?) "
                         "WHERE \"from\" = ?",
                         -1, &statement, NULL) != SQLITE_OK)
    return false;
  sqlite3_bind_text(statement, 1, table, -1, SQLITE_STATIC);
  sqlite3_bind_text(statement, 2, column, -1, SQLITE_STATIC);
  const char *text = sqlite3_step(statement) == SQLITE_ROW
                         ? (const char *)sqlite3_column_text(statement, 0)
                         : NULL;
  const bool known = text && (size_t)snprintf(to, size, "%s", text) < size;
  sqlite3_finalize(statement);
  return known;
}

bool aq_database_has_column(const aq_database *database, const char *table,
                            const char *column)
{
  return sqlite3_table_column_metadata(database->db, "main", table, column,
                                       NULL, NULL, NULL, NULL,
                                       NULL) == SQLITE_OK;
}

aq_status aq_database_query(aq_database *database, sqlite3_stmt **out,
                            const char *fmt, ...)
{
  va_list args;
  va_start(args, fmt);
  char *sql = sqlite3_vmprintf(fmt, args);
  va_end(args);
  *out = NULL;
  if (!sql)
    return aq_diag_no_memory(database->import->diag);
  const int code = sqlite3_prepare_v2(database->db, sql, -1, out, NULL);
  sqlite3_free(sql);
  return code == SQLITE_OK ? AQ_OK : sqlite_error(database);
}

aq_status aq_database_step(aq_database *database, sqlite3_stmt *statement,
                           bool *got)
{
  const int code = sqlite3_step(statement);
  *got = code == SQLITE_ROW;
  database->at = *got ? statement : NULL;
  if (code != SQLITE_ROW && code != SQLITE_DONE)
    return sqlite_error(database);
  /* A damaged tree may lead to the same page again and again. A row takes some
   * bytes, and none is read more than twice. */
  if (*got && ++database->rows > database->size)
    return aq_database_error(database, "damaged: more rows than it can hold");
  return AQ_OK;
}

bool aq_database_next(aq_database *database, sqlite3_stmt **statement,
                      aq_status *status)
{
  bool got = false;
  if (*status == AQ_OK)
    *status = aq_database_step(database, *statement, &got);
  if (*status == AQ_OK && got)
    return true;
  sqlite3_finalize(*statement);
  *statement = NULL;
  return false;
}

int64_t aq_database_int(const aq_database *database, sqlite3_stmt *statement,
                        int column)
{
  int64_t value = AQ_NONE;
  switch (sqlite3_column_type(statement, column)) {
  case SQLITE_INTEGER:
    value = sqlite3_column_int64(statement, column);
    if (value == AQ_NONE)
      break;
    return value;
  case SQLITE_NULL:
    return AQ_NONE;
  default:
    break;
  }
  const char *text = (const char *)sqlite3_column_text(statement, column);
  const size_t length = (size_t)sqlite3_column_bytes(statement, column);
  const bool read = text && aq_decimal_int(text, length, &value);
  if (read && value != AQ_NONE)
    aq_import_repair(database->import, AQ_REPAIR_STRING_NUMBER);
  else
    aq_import_fault(database->import, AQ_REPAIR_BAD_NUMBER,
                    sqlite3_column_name(statement, column), text, length);
  return value;
}

const char *aq_database_text(sqlite3_stmt *statement, int column,
                             size_t *length)
{
  const char *text = (const char *)sqlite3_column_text(statement, column);
  *length = text ? (size_t)sqlite3_column_bytes(statement, column) : 0;
  return text ? text : "";
}

bool aq_database_tick(const aq_database *database, sqlite3_stmt *statement,
                      int column, aq_tick *out)
{
  out->ns = aq_database_int(database, statement, column);
  out->ps = 0;
  return out->ns != AQ_NONE;
}

/* ---- texts by id ---- */

void aq_database_strings_fini(aq_database_strings *strings)
{
  aq_names_fini(&strings->texts);
  aq_map_fini(&strings->text_of);
}

aq_status aq_database_strings_read(aq_database *database,
                                   aq_database_strings *strings,
                                   const char *table, const char *column)
{
  sqlite3_stmt *s;
  aq_status status = aq_database_query(
      database, &s, "SELECT id, \"%w\" FROM \"%w\"", column, table);
  while (aq_database_next(database, &s, &status)) {
    size_t length;
    const char *text = aq_database_text(s, 1, &length);
    const int64_t id = aq_names_id(&strings->texts, text, length);
    if (id < 0 ||
        !aq_map_put(&strings->text_of,
                    (uint64_t)aq_database_int(database, s, 0), (uint64_t)id))
      status = aq_diag_no_memory(database->import->diag);
  }
  return status;
}

const char *aq_database_string(const aq_database_strings *strings, int64_t id,
                               size_t *length)
{
  uint64_t text;
  *length = 0;
  if (id == AQ_NONE || !aq_map_get(&strings->text_of, (uint64_t)id, &text))
    return "";
  *length = aq_names_length(&strings->texts, (int64_t)text);
  return aq_names_text(&strings->texts, (int64_t)text);
}
