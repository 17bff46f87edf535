/* SPDX-License-Identifier: MIT */
/* Helpers of the tests of this folder: databases made and imported. */
#ifndef AQ_TESTS_TRACEDB_DATABASES_H
#define AQ_TESTS_TRACEDB_DATABASES_H

#include <sqlite3.h>

#include "trace/db/tracedb.h"
#include "trace/fixture.h"

/* Imports a database, or bytes under the name "in". Whatever comes of it. */
fixture database_import(const char *path, const char *format);
fixture database_import_bytes(const void *bytes, size_t size);

/* Fails unless the database is refused with a line that has this in it. */
void database_refused(const char *path, const char *what);

/* Writes the run in a format to a file of the test; a static path. */
const char *database_export(const aq_memory_sink *sink, const aq_run_info *info,
                            const char *format, const char *name);

/* A file, made where it is not there. Nothing waits for the disk. */
sqlite3 *database_open(const char *path);

/* Runs SQL on a file, made where it is not there. */
void database_sql(const char *path, const char *sql);

/* The first column of the first row: an integer, or a text that the caller
 * frees. */
int64_t database_int(const char *path, const char *sql);
char *database_text(const char *path, const char *sql);

/* The bytes of a file; the caller frees them. */
char *database_bytes(const char *path, size_t *size);

#endif
