/* SPDX-License-Identifier: MIT */
/* rocmProfileData (.rpd); see doc/formats/rpd.md. */
#include "config.h"

#include <string.h>

#include "trace/db/foreign_db.h"
#include "trace/formats/rocprofv3.h"

typedef struct rpd {
  aq_database *database;
  aq_correlation *join;
  aq_database_strings strings;
  aq_database_strings unique;      /* texts that hardly repeat, of schema 3 */
  const aq_database_strings *args; /* where the arguments of calls are */
  aq_map api_of;                   /* operation → the call that made it */
} rpd;

static const char *string_at(const rpd *r, int64_t id, size_t *length)
{
  return aq_database_string(&r->strings, id, length);
}

/* Runs a query and a function for each of its rows. */
static aq_status each_row(rpd *r, const char *sql,
                          aq_status (*row)(rpd *r, sqlite3_stmt *from))
{
  sqlite3_stmt *s;
  aq_status status = aq_database_query(r->database, &s, "%s", sql);
  while (aq_database_next(r->database, &s, &status))
    status = row(r, s);
  return status;
}

static aq_status add_link(rpd *r, sqlite3_stmt *from)
{
  const int64_t api = aq_database_int(r->database, from, 0);
  const int64_t op = aq_database_int(r->database, from, 1);
  if (api == AQ_NONE || op == AQ_NONE ||
      aq_map_get(&r->api_of, (uint64_t)op, NULL))
    return AQ_OK;
  return aq_map_put(&r->api_of, (uint64_t)op, (uint64_t)api)
             ? AQ_OK
             : aq_diag_no_memory(r->database->import->diag);
}

/* ---- host calls ---- */

enum {
  API_ID,
  API_PID,
  API_TID,
  API_START,
  API_END,
  API_NAME,
  API_GRID,
  API_WG = API_GRID + 3,
  API_LDS = API_WG + 3,
  API_SIZE,
  API_ARGS,
};

/* Files of early versions keep no arguments. */
#define API_QUERY(args)                                                        \
  "SELECT a.id, a.pid, a.tid, a.start, a.\"end\", a.apiName_id, k.gridX,"      \
  " k.gridY, k.gridZ, k.workgroupX, k.workgroupY, k.workgroupZ,"               \
  " k.groupSegmentSize, c.size, " args                                         \
  " FROM rocpd_api a LEFT JOIN rocpd_kernelapi k ON k.api_ptr_id = a.id"       \
  " LEFT JOIN rocpd_copyapi c ON c.api_ptr_id = a.id"

static aq_status add_call(rpd *r, sqlite3_stmt *from)
{
  const aq_database *database = r->database;
  aq_host_call details = {0};
  aq_rocprofv3_call call = {.correlation =
                                aq_database_int(database, from, API_ID),
                            .pid = aq_database_int(database, from, API_PID),
                            .tid = aq_database_int(database, from, API_TID),
                            .details = &details};
  call.name = string_at(r, aq_database_int(database, from, API_NAME),
                        &call.name_length);
  if (!aq_database_tick(database, from, API_START, &call.begin) ||
      !aq_database_tick(database, from, API_END, &call.end)) {
    aq_import_skip(database->import, "times are not numbers in range", NULL, 0);
    return AQ_OK;
  }
  if (strcmp(call.name, "UserMarker") == 0) {
    /* roctx and Python's rpdTracerControl mark ranges by calls of this name,
     * whose text is the argument. */
    size_t length;
    const char *text = aq_database_string(
        r->args, aq_database_int(r->database, from, API_ARGS), &length);
    return aq_ranges_add(
        r->database->import,
        (aq_range){call.begin, call.end, AQ_NONE, call.pid, call.tid}, text,
        length);
  }
  /* A launch's grid is in workgroups, but for the calls that take work-items.
   */
  const bool in_items = aq_api_grid_in_items(call.name, call.name_length);
  details.has_shape = true;
  for (int i = 0; i < 3; i++) {
    const int64_t grid = aq_database_int(r->database, from, API_GRID + i);
    const int64_t wg = aq_database_int(r->database, from, API_WG + i);
    details.has_shape &= grid > 0 && wg > 0;
    details.wg[i] = wg;
    if (!details.has_shape ||
        __builtin_mul_overflow(grid, in_items ? 1 : wg, &details.grid[i]))
      details.has_shape = false;
  }
  details.lds = aq_database_int(r->database, from, API_LDS);
  details.bytes = aq_database_int(r->database, from, API_SIZE);
  return aq_rocprofv3_call_add(database->import, r->join, &call);
}

/* ---- operations ---- */

enum { OP_ID, OP_GPU, OP_QUEUE, OP_START, OP_END, OP_NAME, OP_TYPE };

static const char op_query[] =
    "SELECT id, gpuId, queueId, start, \"end\", description_id, opType_id"
    " FROM rocpd_op";

/* The kernels of a graph launch are of type Task, named like any other. */
static int64_t kind_of(const char *type, bool named)
{
  return strcmp(type, "KernelExecution") == 0 ? AQ_KIND_KERNEL
         : named && strcmp(type, "Task") == 0 ? AQ_KIND_KERNEL
         : strncmp(type, "Copy", 4) == 0      ? AQ_KIND_COPY
         : strncmp(type, "Fill", 4) == 0      ? AQ_KIND_FILL
                                              : AQ_NONE;
}

static bool read_op(const rpd *r, sqlite3_stmt *from, int64_t kind,
                    aq_record *row)
{
  aq_import *import = r->database->import;
  aq_tick start, end;
  uint64_t api;
  aq_record_init(row);
  row->kind = kind;
  row->flags = 0;
  if (aq_map_get(&r->api_of, (uint64_t)sqlite3_column_int64(from, OP_ID), &api))
    row->correlation = (int64_t)api;
  return aq_database_tick(r->database, from, OP_START, &start) &&
         aq_database_tick(r->database, from, OP_END, &end) &&
         aq_import_between(import, start, end, &row->start, &row->end);
}

static aq_status add_op(rpd *r, sqlite3_stmt *from)
{
  aq_import *import = r->database->import;
  aq_record row;
  size_t length, type_length;
  const char *type =
      string_at(r, aq_database_int(r->database, from, OP_TYPE), &type_length);
  const char *name =
      string_at(r, aq_database_int(r->database, from, OP_NAME), &length);
  const int64_t kind = kind_of(type, length > 0);
  if (kind == AQ_NONE) {
    aq_import_skip(import, "opType", type, type_length);
    return AQ_OK;
  }
  if (!read_op(r, from, kind, &row)) {
    aq_import_skip(import, "times are not numbers in range", NULL, 0);
    return AQ_OK;
  }
  const int64_t gpu = aq_database_int(r->database, from, OP_GPU);
  const aq_run_device device = {.source_id = aq_import_device_id(import, gpu),
                                .cus = AQ_NONE};
  aq_status status = aq_import_device(import, &device, &row.device);
  if (status != AQ_OK)
    return status;
  return aq_rocprofv3_row_add(
      import, r->join, &row, 0, aq_database_int(r->database, from, OP_QUEUE),
      length ? name : type, length ? length : type_length);
}

/* ---- the whole ---- */

static aq_status check_tables(const rpd *r)
{
  static const struct {
    const char *name, *id;
  } tables[] = {
      {"rocpd_string", "id"},  {"rocpd_op", "id"},
      {"rocpd_api", "id"},     {"rocpd_kernelapi", "api_ptr_id"},
      {"rocpd_api_ops", NULL}, {"rocpd_copyapi", "api_ptr_id"},
  };
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
    if (!aq_database_has(r->database, tables[i].name, tables[i].id))
      return aq_database_error(r->database,
                               "no table %s%s%s, which every rpd file has",
                               tables[i].name, tables[i].id ? " with key " : "",
                               tables[i].id ? tables[i].id : "");
  return AQ_OK;
}

/* Reads the texts: since schema 3 the file declares that the arguments of calls
 * are in a table of their own. */
static aq_status read_texts(rpd *r)
{
  static const char unique[] = "rocpd_ustring";
  char table[sizeof unique];
  r->args = &r->strings;
  aq_status status = aq_database_strings_read(r->database, &r->strings,
                                              "rocpd_string", "string");
  if (status != AQ_OK ||
      !aq_database_refers(r->database, "rocpd_api", "args_id", table,
                          sizeof table) ||
      strcmp(table, unique) != 0)
    return status;
  if (!aq_database_has(r->database, unique, "id"))
    return aq_database_error(r->database,
                             "no table %s, which rocpd_api refers to", unique);
  r->args = &r->unique;
  return aq_database_strings_read(r->database, &r->unique, unique, "string");
}

aq_status aq_rpd_read(aq_database *database, aq_correlation *join)
{
  rpd r = {.database = database,
           .join = join,
           .strings = AQ_DATABASE_STRINGS_INIT,
           .unique = AQ_DATABASE_STRINGS_INIT};
  /* Calls come first: the call that an operation waits for is known when it
   * comes. */
  aq_status status = check_tables(&r);
  if (status == AQ_OK)
    status = read_texts(&r);
  if (status == AQ_OK)
    status = each_row(&r, "SELECT api_id, op_id FROM rocpd_api_ops", add_link);
  if (status == AQ_OK)
    status = each_row(&r,
                      aq_database_has_column(r.database, "rocpd_api", "args_id")
                          ? API_QUERY("a.args_id")
                          : API_QUERY("NULL"),
                      add_call);
  if (status == AQ_OK)
    status = each_row(&r, op_query, add_op);
  aq_map_fini(&r.api_of);
  aq_database_strings_fini(&r.strings);
  aq_database_strings_fini(&r.unique);
  return status;
}
