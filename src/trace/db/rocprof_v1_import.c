/* SPDX-License-Identifier: MIT */
/* The results.db of rocprof v1 with --hip-trace; see
 * doc/formats/rocprof-v1.md. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "trace/db/foreign_db.h"
#include "trace/formats/rocprof_v1.h"
#include "trace/formats/rocprofv3.h"

typedef struct v1 {
  aq_database *database;
  aq_correlation *join;
  /* Early versions (with a column proc-id) have numbers of tracks in the places
   * of process ids; calls name no process. */
  bool early;
  int64_t process; /* of all calls then, or AQ_NONE: there are several */
} v1;

/* Runs a query and a function for each of its rows. */
static aq_status each_row(v1 *r, const char *columns, const char *more,
                          const char *table,
                          aq_status (*row)(v1 *r, sqlite3_stmt *from))
{
  sqlite3_stmt *s;
  aq_status status = aq_database_query(r->database, &s, "SELECT %s%s FROM [%s]",
                                       columns, more, table);
  while (aq_database_next(r->database, &s, &status))
    status = row(r, s);
  return status;
}

static void row_fault(const v1 *r)
{
  aq_import_skip(r->database->import, "times are not numbers in range", NULL,
                 0);
}

/* Numbers of calls count in each process. */
static uint64_t process_of(int64_t pid)
{
  return pid == AQ_NONE ? 0 : (uint64_t)pid;
}

/* ---- host calls ---- */

enum { API_INDEX, API_PID, API_TID, API_BEGIN, API_END, API_NAME };

static const char api_columns[] =
    "[Index], [pid], [tid], [BeginNs], [EndNs], [Name]";

static aq_status add_call(v1 *r, sqlite3_stmt *from)
{
  const aq_database *database = r->database;
  const int64_t pid =
      r->early ? r->process : aq_database_int(database, from, API_PID);
  aq_rocprofv3_call call = {.correlation =
                                aq_database_int(database, from, API_INDEX),
                            .pid = pid,
                            .tid = aq_database_int(database, from, API_TID),
                            .process = process_of(pid)};
  if (r->early && r->process == AQ_NONE) {
    aq_import_skip(database->import,
                   "a call of one of several processes, without its number",
                   NULL, 0);
    return AQ_OK;
  }
  call.name = aq_database_text(from, API_NAME, &call.name_length);
  if (!aq_database_tick(database, from, API_BEGIN, &call.begin) ||
      !aq_database_tick(database, from, API_END, &call.end)) {
    row_fault(r);
    return AQ_OK;
  }
  return aq_rocprofv3_call_add(database->import, r->join, &call);
}

/* ---- operations ---- */

enum {
  OP_DEVICE,
  OP_QUEUE,
  OP_BEGIN,
  OP_END,
  OP_NAME,
  OP_INDEX,
  OP_PID,
  OP_STREAM,
};

static const char op_columns[] = "[dev-id], [queue-id], [BeginNs], [EndNs], "
                                 "[Name]";

/* Names of kernels may stand in quotes. */
static const char *name_bare(const char *name, size_t *length)
{
  if (*length >= 2 && name[0] == '"' && name[*length - 1] == '"') {
    *length -= 2;
    return name + 1;
  }
  return name;
}

static bool name_has(const char *name, size_t length, const char *part)
{
  return memmem(name, length, part, strlen(part)) != NULL;
}

static aq_status add_row(v1 *r, sqlite3_stmt *from, bool copies)
{
  aq_import *import = r->database->import;
  aq_record row;
  aq_tick begin, end;
  size_t length;
  const char *name = aq_database_text(from, OP_NAME, &length);
  name = name_bare(name, &length);
  if (!copies && name_has(name, length, "<barrier packet>")) {
    aq_import_skip(import, "a barrier packet", name, length);
    return AQ_OK;
  }
  aq_record_init(&row);
  row.kind =
      !copies ? AQ_KIND_KERNEL
      : name_has(name, length, "Fill") || name_has(name, length, "Memset")
          ? AQ_KIND_FILL
          : AQ_KIND_COPY;
  row.flags = 0;
  row.correlation = aq_database_int(r->database, from, OP_INDEX);
  row.stream = aq_database_int(r->database, from, OP_STREAM);
  if (!aq_database_tick(r->database, from, OP_BEGIN, &begin) ||
      !aq_database_tick(r->database, from, OP_END, &end) ||
      !aq_import_between(import, begin, end, &row.start, &row.end)) {
    row_fault(r);
    return AQ_OK;
  }
  const int64_t gpu = aq_database_int(r->database, from, OP_DEVICE);
  const aq_run_device device = {.source_id = aq_import_device_id(import, gpu),
                                .cus = AQ_NONE};
  aq_status status = aq_import_device(import, &device, &row.device);
  if (status != AQ_OK)
    return status;
  return aq_rocprofv3_row_add(
      import, r->join, &row,
      process_of(aq_database_int(r->database, from, OP_PID)),
      copies ? aq_rocprofv3_copy_queue(row.stream)
             : aq_database_int(r->database, from, OP_QUEUE),
      name, length);
}

static aq_status add_op(v1 *r, sqlite3_stmt *from)
{
  return add_row(r, from, false);
}

static aq_status add_copy(v1 *r, sqlite3_stmt *from)
{
  return add_row(r, from, true);
}

/* Early versions have no streams. */
static aq_status each_operation(v1 *r, const char *table,
                                aq_status (*row)(v1 *r, sqlite3_stmt *from))
{
  char more[64];
  snprintf(
      more, sizeof more, ", [Index], [%s], %s", r->early ? "proc-id" : "pid",
      aq_database_has_column(r->database, table, "stream-id") ? "[stream-id]"
                                                              : "NULL");
  return each_row(r, op_columns, more, table, row);
}

static aq_status skip_copy(v1 *r, sqlite3_stmt *from)
{
  (void)from;
  aq_import_skip(r->database->import, "a copy without a device", NULL, 0);
  return AQ_OK;
}

/* Copies of --hsa-trace name no device. */
static aq_status each_copy(v1 *r)
{
  return aq_database_has_column(r->database, "COPY", "dev-id")
             ? each_operation(r, "COPY", add_copy)
             : each_row(r, "[Index]", "", "COPY", skip_copy);
}

static aq_status process_note(v1 *r, sqlite3_stmt *from)
{
  r->process = sqlite3_column_int(from, 0) == 1
                   ? aq_database_int(r->database, from, 1)
                   : AQ_NONE;
  return AQ_OK;
}

/* ---- kernels alone: the rows of results.csv as a table ---- */

typedef struct kern_row {
  aq_database *database;
  sqlite3_stmt *statement; /* its columns: aq_rocprof_v1_column, in order */
} kern_row;

static bool kern_has(void *of, int column)
{
  const kern_row *r = of;
  return sqlite3_column_type(r->statement, column) != SQLITE_NULL;
}

static int64_t kern_number(void *of, int column)
{
  const kern_row *r = of;
  return aq_database_int(r->database, r->statement, column);
}

static bool kern_tick(void *of, int column, aq_tick *out)
{
  const kern_row *r = of;
  return aq_database_tick(r->database, r->statement, column, out);
}

static const char *kern_text(void *of, int column, size_t *length)
{
  const kern_row *r = of;
  const char *text = aq_database_text(r->statement, column, length);
  return column == AQ_ROCPROF_V1_NAME ? name_bare(text, length) : text;
}

/* The name that a column has in the table; NULL: it is not there. */
static const char *kern_title(const v1 *r, int column)
{
  for (const aq_csv_column *c = aq_rocprof_v1_columns; c->name; c++)
    if (c->id == column && aq_database_has_column(r->database, "KERN", c->name))
      return c->name;
  return NULL;
}

static aq_status kernels_read(v1 *r)
{
  static const int needed[] = {AQ_ROCPROF_V1_NAME, AQ_ROCPROF_V1_BEGIN,
                               AQ_ROCPROF_V1_END};
  for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
    if (!kern_title(r, needed[i]))
      return aq_database_error(
          r->database, "results.db of rocprof v1: its table KERN has no "
                       "KernelName, BeginNs or EndNs");
  char sql[1024] = "SELECT ";
  size_t size = strlen(sql);
  for (int i = 0; i < AQ_ROCPROF_V1_COLUMNS; i++) {
    const char *title = kern_title(r, i);
    size += (size_t)snprintf(sql + size, sizeof sql - size, "%s%s%s%s",
                             i ? ", " : "", title ? "[" : "",
                             title ? title : "NULL", title ? "]" : "");
  }
  aq_map processes = AQ_MAP_INIT;
  kern_row row = {.database = r->database};
  const aq_rocprof_v1_cells cells = {&row, kern_has, kern_number, kern_tick,
                                     kern_text};
  aq_status status =
      aq_database_query(r->database, &row.statement, "%s FROM KERN", sql);
  while (aq_database_next(r->database, &row.statement, &status))
    status = aq_rocprof_v1_row_add(r->database->import, &processes, &cells);
  aq_map_fini(&processes);
  return status;
}

/* ---- the whole ---- */

aq_status aq_rocprof_v1_db_read(aq_database *database, aq_correlation *join)
{
  v1 r = {.database = database, .join = join};
  const bool traced = aq_database_has(database, "HIP", NULL) &&
                      aq_database_has(database, "OPS", NULL);
  if (!traced && aq_database_has(database, "KERN", NULL))
    return kernels_read(&r);
  if (!traced)
    return aq_database_error(
        database, "results.db of rocprof v1 without the tables HIP and OPS, "
                  "which --hip-trace makes, and without KERN: expected these, "
                  "or the results.csv of the same run (rocprof --timestamp "
                  "on)");
  /* The process of all operations, if there is but one. */
  r.process = AQ_NONE;
  r.early = aq_database_has_column(database, "OPS", "proc-id");
  aq_status status =
      r.early ? each_row(&r, "count(DISTINCT [proc-id]), min([proc-id])", "",
                         "OPS", process_note)
              : AQ_OK;
  if (status == AQ_OK)
    status = each_row(&r, api_columns, "", "HIP", add_call);
  if (status == AQ_OK)
    status = each_operation(&r, "OPS", add_op);
  if (status == AQ_OK && aq_database_has(database, "COPY", NULL))
    status = each_copy(&r);
  return status;
}
