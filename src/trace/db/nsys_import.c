/* SPDX-License-Identifier: MIT */
/* The SQLite export of Nsight Systems; see doc/formats/nsys.md. */
#include "config.h"

#include <string.h>

#include "trace/db/foreign_db.h"
#include "trace/formats/rocprofv3.h"

#define KERNELS "CUPTI_ACTIVITY_KIND_KERNEL"
#define COPIES  "CUPTI_ACTIVITY_KIND_MEMCPY"
#define FILLS   "CUPTI_ACTIVITY_KIND_MEMSET"
#define GRAPHS  "CUPTI_ACTIVITY_KIND_GRAPH_TRACE"
#define CALLS   "CUPTI_ACTIVITY_KIND_RUNTIME"
#define RANGES  "NVTX_EVENTS"
#define GPUS    "TARGET_INFO_CUDA_DEVICE"

typedef struct nsys {
  aq_database *database;
  aq_correlation *join;
  aq_database_strings strings;
  aq_map processes; /* pid → 0, 1, 2… */
  aq_map gpu_of;    /* process and its number of a GPU → id in the file */
  aq_map used;      /* ids of GPUs that have rows */
} nsys;

/* A column, or NULL where the version of the file has none. */
static const char *column(const nsys *n, const char *table, const char *name)
{
  return aq_database_has_column(n->database, table, name) ? name : "NULL";
}

static const char *string_at(const nsys *n, int64_t id, size_t *length)
{
  return aq_database_string(&n->strings, id, length);
}

/* A global id has the process in bits 24 to 47, the thread below. */
static void ids_read(const nsys *n, sqlite3_stmt *from, int at, int64_t *pid,
                     int64_t *tid)
{
  enum { PART = 0xffffff };
  const int64_t global = aq_database_int(n->database, from, at);
  *pid = global == AQ_NONE ? AQ_NONE : global >> 24 & PART;
  *tid = global == AQ_NONE ? AQ_NONE : global & PART;
}

static aq_status skipped(nsys *n, const char *name, size_t length)
{
  aq_import_skip(n->database->import, "times are not numbers in range", name,
                 length);
  return AQ_OK;
}

/* ---- host ---- */

enum { HOST_START, HOST_END, HOST_GLOBAL, HOST_NAME, HOST_MORE };

/* "cudaLaunchKernel_v7000" has the version of the call behind its name. */
static size_t call_length(const char *name, size_t length)
{
  size_t digits = length;
  while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9')
    digits--;
  return digits < length && digits > 2 &&
                 memcmp(name + digits - 2, "_v", 2) == 0
             ? digits - 2
             : length;
}

static aq_status call_add(nsys *n, sqlite3_stmt *from)
{
  aq_rocprofv3_call call = {.correlation =
                                aq_database_int(n->database, from, HOST_MORE)};
  call.name = string_at(n, aq_database_int(n->database, from, HOST_NAME),
                        &call.name_length);
  call.name_length = call_length(call.name, call.name_length);
  ids_read(n, from, HOST_GLOBAL, &call.pid, &call.tid);
  if (!aq_database_tick(n->database, from, HOST_START, &call.begin) ||
      !aq_database_tick(n->database, from, HOST_END, &call.end))
    return skipped(n, call.name, call.name_length);
  aq_status status = aq_import_process(n->database->import, &n->processes,
                                       call.pid, &call.process);
  return status == AQ_OK
             ? aq_rocprofv3_call_add(n->database->import, n->join, &call)
             : status;
}

/* Its text, or the id of one. */
static aq_status range_add(nsys *n, sqlite3_stmt *from)
{
  aq_range range = {.name = AQ_NONE};
  size_t length;
  const char *name = aq_database_text(from, HOST_NAME, &length);
  if (length == 0)
    name = string_at(n, aq_database_int(n->database, from, HOST_MORE), &length);
  ids_read(n, from, HOST_GLOBAL, &range.pid, &range.tid);
  if (!aq_database_tick(n->database, from, HOST_START, &range.begin) ||
      !aq_database_tick(n->database, from, HOST_END, &range.end))
    return skipped(n, name, length);
  return aq_ranges_add(n->database->import, range, name, length);
}

/* ---- device ---- */

enum {
  ROW_START,
  ROW_END,
  ROW_DEVICE,
  ROW_STREAM,
  ROW_CORRELATION,
  ROW_GLOBAL,
  ROW_WHAT, /* name, or kind of a copy */
  ROW_BYTES,
  ROW_GRID = ROW_BYTES,
  ROW_BLOCK = ROW_GRID + 3,
  ROW_LDS = ROW_BLOCK + 3,
  ROW_REGISTERS = ROW_LDS + 2,
};

enum { COPY_HOST_TO_HOST = 9 };

/* CUpti_ActivityMemcpyKind. */
static const char *copy_name(int64_t kind)
{
  static const char *const names[] = {
      [1] = "Memcpy HtoD",  [2] = "Memcpy DtoH",
      [8] = "Memcpy DtoD",  [COPY_HOST_TO_HOST] = "Memcpy HtoH",
      [10] = "Memcpy PtoP",
  };
  const int64_t count = sizeof names / sizeof *names;
  return kind >= 0 && kind < count && names[kind] ? names[kind] : "Memcpy";
}

static void shape_read(const nsys *n, sqlite3_stmt *from, aq_record *row)
{
  int64_t grid[3], block[3];
  bool whole = true;
  for (int i = 0; i < 3; i++) {
    grid[i] = aq_database_int(n->database, from, ROW_GRID + i);
    block[i] = aq_database_int(n->database, from, ROW_BLOCK + i);
    whole &= grid[i] != AQ_NONE && block[i] != AQ_NONE;
    if (whole && __builtin_mul_overflow(grid[i], block[i], &grid[i]))
      grid[i] = INT64_MAX; /* counted as out of range */
  }
  if (whole) {
    row->grid_x = grid[0];
    row->grid_y = grid[1];
    row->grid_z = grid[2];
    row->wg_x = block[0];
    row->wg_y = block[1];
    row->wg_z = block[2];
  }
  const int64_t fixed = aq_database_int(n->database, from, ROW_LDS);
  const int64_t dynamic = aq_database_int(n->database, from, ROW_LDS + 1);
  if (fixed != AQ_NONE && dynamic != AQ_NONE &&
      __builtin_add_overflow(fixed, dynamic, &row->lds))
    row->lds = INT64_MAX;
  row->vgpr = aq_database_int(n->database, from, ROW_REGISTERS);
}

static uint64_t gpu_key(int64_t pid, int64_t number)
{
  return (uint64_t)pid << 32 ^ (uint64_t)number;
}

static aq_status gpu_map(nsys *n, sqlite3_stmt *from)
{
  const int64_t pid = aq_database_int(n->database, from, 0);
  const int64_t number = aq_database_int(n->database, from, 1);
  const int64_t gpu = aq_database_int(n->database, from, 2);
  return pid == AQ_NONE || number == AQ_NONE || gpu == AQ_NONE ||
                 aq_map_put(&n->gpu_of, gpu_key(pid, number), (uint64_t)gpu)
             ? AQ_OK
             : aq_diag_no_memory(n->database->import->diag);
}

/* Each process numbers the GPUs that it may use from 0. */
static aq_status device_of(nsys *n, int64_t pid, int64_t number,
                           int64_t *ordinal)
{
  aq_import *import = n->database->import;
  uint64_t gpu;
  const bool named = number != AQ_NONE;
  number = aq_import_device_id(import, number);
  if (aq_map_get(&n->gpu_of, gpu_key(pid, number), &gpu))
    number = (int64_t)gpu;
  else if (named && n->gpu_of.count > 0)
    aq_import_fault_number(
        import, AQ_REPAIR_UNLISTED_DEVICE,
        "deviceId that " GPUS " lacks (taken for the GPU's id)", number);
  if (!aq_map_put(&n->used, (uint64_t)number, 0))
    return aq_diag_no_memory(import->diag);
  return aq_import_device(
      import, &(aq_run_device){.source_id = number, .cus = AQ_NONE}, ordinal);
}

static aq_status row_add(nsys *n, sqlite3_stmt *from, aq_record_kind kind)
{
  aq_import *import = n->database->import;
  aq_tick start, end;
  aq_record row;
  size_t length;
  uint64_t process;
  const int64_t what = aq_database_int(n->database, from, ROW_WHAT);
  const char *name = kind == AQ_KIND_KERNEL ? string_at(n, what, &length)
                     : kind == AQ_KIND_COPY ? copy_name(what)
                                            : "Memset";
  char number[48];
  if (kind != AQ_KIND_KERNEL)
    length = strlen(name);
  else if (length == 0) {
    length =
        (size_t)snprintf(number, sizeof number, "kernel %lld", (long long)what);
    name = number;
    aq_import_fault(import, AQ_REPAIR_BAD_NUMBER, "kernel without a name",
                    number, length);
  }
  aq_record_init(&row);
  row.kind = kind;
  row.flags = 0;
  row.correlation = aq_database_int(n->database, from, ROW_CORRELATION);
  row.stream = aq_database_int(n->database, from, ROW_STREAM);
  ids_read(n, from, ROW_GLOBAL, &row.pid, &row.tid);
  row.tid = AQ_NONE; /* of the process alone */
  if (kind == AQ_KIND_COPY && what == COPY_HOST_TO_HOST)
    return aq_import_host_copy_skip(import, name, length);
  if (!aq_database_tick(n->database, from, ROW_START, &start) ||
      !aq_database_tick(n->database, from, ROW_END, &end) ||
      !aq_import_between(import, start, end, &row.start, &row.end))
    return skipped(n, name, length);
  if (kind == AQ_KIND_KERNEL)
    shape_read(n, from, &row);
  else
    row.bytes = aq_database_int(n->database, from, ROW_BYTES);
  aq_status status = device_of(
      n, row.pid, aq_database_int(n->database, from, ROW_DEVICE), &row.device);
  if (status == AQ_OK)
    status = aq_import_process(n->database->import, &n->processes, row.pid,
                               &process);
  return status == AQ_OK ? aq_rocprofv3_row_add(import, n->join, &row, process,
                                                row.stream, name, length)
                         : status;
}

static aq_status kernel_add(nsys *n, sqlite3_stmt *from)
{
  return row_add(n, from, AQ_KIND_KERNEL);
}

static aq_status copy_add(nsys *n, sqlite3_stmt *from)
{
  return row_add(n, from, AQ_KIND_COPY);
}

static aq_status fill_add(nsys *n, sqlite3_stmt *from)
{
  return row_add(n, from, AQ_KIND_FILL);
}

static aq_status gpu_add(nsys *n, sqlite3_stmt *from)
{
  size_t length;
  const char *name = aq_database_text(from, 1, &length);
  int64_t ordinal;
  const aq_run_device device = {.source_id =
                                    aq_database_int(n->database, from, 0),
                                .name = length ? name : NULL,
                                .cus = aq_database_int(n->database, from, 2)};
  return device.source_id == AQ_NONE ||
                 !aq_map_get(&n->used, (uint64_t)device.source_id, NULL)
             ? AQ_OK
             : aq_import_device(n->database->import, &device, &ordinal);
}

/* One launch of a graph, which has no kernels of its own. */
static aq_status graph_skip(nsys *n, sqlite3_stmt *from)
{
  (void)from;
  aq_import_fault(n->database->import, AQ_REPAIR_SKIPPED_ROW,
                  "a CUDA graph without its kernels: record them by "
                  "nsys profile --cuda-graph-trace=node",
                  NULL, 0);
  return AQ_OK;
}

/* ---- the whole ---- */

static aq_status host_read(nsys *n)
{
  sqlite3_stmt *s = NULL;
  aq_status status = AQ_OK;
  if (aq_database_has(n->database, "StringIds", NULL))
    status = aq_database_strings_read(n->database, &n->strings, "StringIds",
                                      "value");
  if (status == AQ_OK && aq_database_has(n->database, CALLS, NULL)) {
    status = aq_database_query(n->database, &s,
                               "SELECT start, \"end\", %s, %s, correlationId"
                               " FROM " CALLS,
                               column(n, CALLS, "globalTid"),
                               column(n, CALLS, "nameId"));
    while (aq_database_next(n->database, &s, &status))
      status = call_add(n, s);
  }
  if (status == AQ_OK && aq_database_has(n->database, RANGES, NULL)) {
    /* 59 is a pushed range, 60 a started one; marks have no end. */
    status = aq_database_query(n->database, &s,
                               "SELECT start, \"end\", %s, %s, %s FROM " RANGES
                               " WHERE eventType IN (59, 60)",
                               column(n, RANGES, "globalTid"),
                               column(n, RANGES, "text"),
                               column(n, RANGES, "textId"));
    while (aq_database_next(n->database, &s, &status))
      status = range_add(n, s);
  }
  return status;
}

static aq_status moves_read(nsys *n, const char *table, const char *what,
                            aq_status (*row)(nsys *n, sqlite3_stmt *from))
{
  sqlite3_stmt *s = NULL;
  if (!aq_database_has(n->database, table, NULL))
    return AQ_OK;
  aq_status status = aq_database_query(
      n->database, &s,
      "SELECT start, \"end\", deviceId, streamId, correlationId, %s, %s, %s"
      " FROM %s",
      column(n, table, "globalPid"), column(n, table, what),
      column(n, table, "bytes"), table);
  while (aq_database_next(n->database, &s, &status))
    status = row(n, s);
  return status;
}

static aq_status kernels_read(nsys *n)
{
  static const char *const columns[] = {
      "gridX",
      "gridY",
      "gridZ",
      "blockX",
      "blockY",
      "blockZ",
      "staticSharedMemory",
      "dynamicSharedMemory",
      "registersPerThread",
  };
  sqlite3_stmt *s = NULL;
  char more[256] = "";
  if (!aq_database_has(n->database, KERNELS, NULL))
    return AQ_OK;
  for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
    snprintf(more + strlen(more), sizeof more - strlen(more), ", %s",
             column(n, KERNELS, columns[i]));
  const char *name = column(n, KERNELS, "demangledName");
  if (strcmp(name, "NULL") == 0)
    name = column(n, KERNELS, "shortName");
  aq_status status = aq_database_query(
      n->database, &s,
      "SELECT start, \"end\", deviceId, streamId, correlationId, %s, %s%s"
      " FROM " KERNELS,
      column(n, KERNELS, "globalPid"), name, more);
  while (aq_database_next(n->database, &s, &status))
    status = kernel_add(n, s);
  return status;
}

static aq_status gpus_read(nsys *n)
{
  sqlite3_stmt *s = NULL;
  if (!aq_database_has(n->database, GPUS, NULL) ||
      !aq_database_has_column(n->database, GPUS, "pid"))
    return AQ_OK;
  aq_status status = aq_database_query(n->database, &s,
                                       "SELECT pid, cudaId, gpuId FROM " GPUS);
  while (aq_database_next(n->database, &s, &status))
    status = gpu_map(n, s);
  return status;
}

static aq_status graphs_read(nsys *n)
{
  sqlite3_stmt *s = NULL;
  if (!aq_database_has(n->database, GRAPHS, NULL))
    return AQ_OK;
  aq_status status = aq_database_query(
      n->database, &s, "SELECT %s FROM " GRAPHS, column(n, GRAPHS, "graphId"));
  while (aq_database_next(n->database, &s, &status))
    status = graph_skip(n, s);
  return status;
}

aq_status aq_nsys_read(aq_database *database, aq_correlation *join)
{
  nsys n = {
      .database = database, .join = join, .strings = AQ_DATABASE_STRINGS_INIT};
  sqlite3_stmt *s = NULL;
  aq_status status = graphs_read(&n);
  if (status == AQ_OK)
    status = gpus_read(&n);
  if (status == AQ_OK)
    status = host_read(&n);
  if (status == AQ_OK)
    status = kernels_read(&n);
  if (status == AQ_OK)
    status = moves_read(&n, COPIES, "copyKind", copy_add);
  if (status == AQ_OK)
    status = moves_read(&n, FILLS, "value", fill_add);
  if (status == AQ_OK &&
      aq_database_has_column(database, "TARGET_INFO_GPU", "smCount")) {
    status = aq_database_query(database, &s,
                               "SELECT id, name, smCount FROM TARGET_INFO_GPU");
    while (aq_database_next(database, &s, &status))
      status = gpu_add(&n, s);
  }
  database->import->result->cuda = true;
  database->import->result->advice =
      "record host and device: nsys profile --trace=cuda,nvtx, then nsys "
      "export --type=sqlite";
  aq_map_fini(&n.used);
  aq_map_fini(&n.gpu_of);
  aq_map_fini(&n.processes);
  aq_database_strings_fini(&n.strings);
  return status;
}
