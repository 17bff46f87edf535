/* SPDX-License-Identifier: MIT */
/*
 * A foreign database, opened read only and not trusted.
 *
 * Read only, no extensions, views and triggers of the file are off, nothing
 * that the file's schema calls may have side effects, and only ordinary tables
 * are read, by name. Values are limited in size, and a scan ends when it has
 * seen more rows than the file can hold. A packed file is unpacked to a
 * temporary file without a name.
 * Ownership: texts of a statement live until its next step.
 * Thread rule: one thread at a time per database.
 */
#ifndef AQ_TRACE_DB_FOREIGN_DB_H
#define AQ_TRACE_DB_FOREIGN_DB_H

#include <sqlite3.h>

#include "trace/import/importers.h"

typedef struct aq_database {
  sqlite3 *db;
  aq_import *import;
  const char *path; /* for messages */
  void *bytes;      /* of a database in memory */
  uint64_t size;    /* of the file, unpacked */
  uint64_t rows;    /* read so far */
  sqlite3_stmt *at; /* the row that was read last is of this query */
} aq_database;

/* Opens a file; close frees whatever came of it. */
aq_status aq_database_open(aq_database *database, aq_import *import,
                           const aq_trace_file *file);
void aq_database_close(aq_database *database);

/* Whether bytes begin a database. */
bool aq_database_detect(const char *bytes, size_t size);

/* Words an error of the input: "PATH: …". */
aq_status aq_database_error(const aq_database *database, const char *fmt, ...)
    AQ_PRINTF(2, 3);

/* Whether there is an ordinary table of this name, with an integer key `id`
 * (NULL: any) under which rows are found without a scan: the row's own id, or
 * a primary key of another integer type, which has an index. */
bool aq_database_has(const aq_database *database, const char *table,
                     const char *id);

/* Whether a table has a column of this name. */
bool aq_database_has_column(const aq_database *database, const char *table,
                            const char *column);

/* The table that a column of a table refers to; false: none is declared, or its
 * name is longer than `size`. */
bool aq_database_refers(const aq_database *database, const char *table,
                        const char *column, char *to, size_t size);

/* Prepares a query; fmt as of sqlite3_mprintf. */
aq_status aq_database_query(aq_database *database, sqlite3_stmt **out,
                            const char *fmt, ...);

/* The next row; *got is false after the last one. */
aq_status aq_database_step(aq_database *database, sqlite3_stmt *statement,
                           bool *got);

/* The next row of a query whose status is AQ_OK; false: there is none, or the
 * query or the caller's work on a row failed. Then the query is finished:
 * while (aq_database_next(database, &statement, &status)) status = ...; */
bool aq_database_next(aq_database *database, sqlite3_stmt **statement,
                      aq_status *status);

/* An integer, AQ_NONE where there is none; a text that holds one counts as a
 * repair. */
int64_t aq_database_int(const aq_database *database, sqlite3_stmt *statement,
                        int column);

/* A text and its length; "" where there is none. */
const char *aq_database_text(sqlite3_stmt *statement, int column,
                             size_t *length);

/* A time in ns; false where there is none. */
bool aq_database_tick(const aq_database *database, sqlite3_stmt *statement,
                      int column, aq_tick *out);

/* A table of texts by id. */
typedef struct aq_database_strings {
  aq_names texts;
  aq_map text_of; /* id in the file → id of the text */
} aq_database_strings;

#define AQ_DATABASE_STRINGS_INIT                                               \
  {                                                                            \
    AQ_NAMES_INIT, AQ_MAP_INIT                                                 \
  }

void aq_database_strings_fini(aq_database_strings *strings);

/* Adds the rows of a table; `column` has the texts. */
aq_status aq_database_strings_read(aq_database *database,
                                   aq_database_strings *strings,
                                   const char *table, const char *column);

/* The text of an id of the file and its length; "" where there is none. */
const char *aq_database_string(const aq_database_strings *strings, int64_t id,
                               size_t *length);

/* An id of the file under a scope (0, 1, 2…), as a key of a map. */
static inline uint64_t aq_database_key(int64_t id, uint64_t scope)
{
  return (uint64_t)id ^ scope << 44;
}

/* ---- formats ---- */

/* Reads an open database of the format. */
typedef aq_status aq_database_reader(aq_database *database,
                                     aq_correlation *join);

aq_database_reader aq_rocpd_read;
aq_database_reader aq_rpd_read;
aq_database_reader aq_rocprof_v1_db_read;
aq_database_reader aq_nsys_read;

/* The fields of a record that are written of kernels and copies. */
#define AQ_ROCPD_BIT(field) (UINT64_C(1) << AQ_RECORD_FIELD_##field)
#define AQ_ROCPD_KERNEL_FIELDS                                                 \
  (AQ_ROCPD_BIT(kind) | AQ_ROCPD_BIT(flags) | AQ_ROCPD_BIT(name) |             \
   AQ_ROCPD_BIT(correlation) | AQ_ROCPD_BIT(device) | AQ_ROCPD_BIT(queue) |    \
   AQ_ROCPD_BIT(stream) | AQ_ROCPD_BIT(pid) | AQ_ROCPD_BIT(tid) |              \
   AQ_ROCPD_BIT(grid_x) | AQ_ROCPD_BIT(grid_y) | AQ_ROCPD_BIT(grid_z) |        \
   AQ_ROCPD_BIT(wg_x) | AQ_ROCPD_BIT(wg_y) | AQ_ROCPD_BIT(wg_z) |              \
   AQ_ROCPD_BIT(lds) | AQ_ROCPD_BIT(scratch) | AQ_ROCPD_BIT(vgpr) |            \
   AQ_ROCPD_BIT(agpr) | AQ_ROCPD_BIT(sgpr) | AQ_ROCPD_BIT(bytes) |             \
   AQ_ROCPD_BIT(start) | AQ_ROCPD_BIT(end))

/* Writes a run to the file at a path, which is empty: all that is known, or
 * kernels and copies alone. */
aq_status aq_rocpd_export(aq_trace_source *source, const char *path,
                          aq_diag *diag);
aq_status aq_rocpd_export_kernels(aq_trace_source *source, const char *path,
                                  aq_diag *diag);

#endif
