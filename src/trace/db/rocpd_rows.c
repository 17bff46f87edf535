/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "trace/db/rocpd_import.h"
#include "trace/db/rocpd_schema.h"

/* Tables read side by side, whichever starts first: host calls, so that they
 * are known when the rows they submitted come, kernels and copies. */
enum { CURSOR_CALLS, CURSOR_KERNELS, CURSOR_COPIES, CURSOR_COUNT };

/* The columns that all three begin with. */
enum {
  ROW_START,
  ROW_END,
  ROW_PID,
  ROW_TID,
  ROW_EVENT,
  ROW_STACK,
  ROW_PARENT,
  ROW_CORRELATION,
  ROW_OWN, /* the first of its own */
};

#define COMMON                                                                 \
  "SELECT r.start, r.\"end\", r.pid, r.tid, r.event_id, e.stack_id,"           \
  " e.parent_stack_id, e.correlation_id, "
#define FROM(table)                                                            \
  " FROM \"" table "%w\" r"                                                    \
  " LEFT JOIN \"rocpd_event%w\" e ON e.rowid = r.event_id"

enum { CALL_NAME = ROW_OWN, CALL_CATEGORY, CALL_MESSAGE };
enum {
  KERNEL_AGENT = ROW_OWN,
  KERNEL_ID,
  KERNEL_QUEUE,
  KERNEL_STREAM,
  KERNEL_SCRATCH,
  KERNEL_LDS,
  KERNEL_WG,
  KERNEL_GRID = KERNEL_WG + 3,
};
enum {
  COPY_NAME = ROW_OWN,
  COPY_DESTINATION,
  COPY_SOURCE,
  COPY_SIZE,
  COPY_QUEUE,
  COPY_STREAM,
};

static const char *const queries[CURSOR_COUNT] = {
    [CURSOR_CALLS] =
        COMMON "r.name_id, e.category_id,"
               " CASE WHEN json_valid(e.extdata) THEN"
               " json_extract(e.extdata, '$.message') END" FROM("rocpd_region"),
    [CURSOR_KERNELS] =
        COMMON "r.agent_id, r.kernel_id, r.queue_id, r.stream_id,"
               " r.private_segment_size, r.group_segment_size,"
               " r.workgroup_size_x, r.workgroup_size_y, r.workgroup_size_z,"
               " r.grid_size_x, r.grid_size_y,"
               " r.grid_size_z" FROM("rocpd_kernel_dispatch"),
    [CURSOR_COPIES] = COMMON "r.name_id, r.dst_agent_id, r.src_agent_id,"
                             " r.size, r.queue_id,"
                             " r.stream_id" FROM("rocpd_memory_copy"),
};

static int64_t int_at(const aq_rocpd *r, sqlite3_stmt *from, int column)
{
  return aq_database_int(r->database, from, column);
}

/* ---- host calls ---- */

/* Markers of the program may be called anything. */
static bool is_api(const aq_rocpd *r, sqlite3_stmt *from)
{
  size_t length;
  const char *category =
      aq_rocpd_string(r, int_at(r, from, CALL_CATEGORY), &length);
  return length == 0 || strncmp(category, "HIP_", 4) == 0 ||
         strncmp(category, "HSA_", 4) == 0;
}

/* The text of a marker: it is in the event; the region's name may be that of
 * the function of roctx. False: an event of another kind. */
static bool marker_text(const aq_rocpd *r, sqlite3_stmt *from,
                        const char **text, size_t *length)
{
  static const char core[] = "MARKER_CORE";
  const char *category =
      aq_rocpd_string(r, int_at(r, from, CALL_CATEGORY), length);
  if (strncmp(category, core, strlen(core)) != 0)
    return false;
  *text = aq_database_text(from, CALL_MESSAGE, length);
  if (*length == 0)
    *text = aq_rocpd_string(r, int_at(r, from, CALL_NAME), length);
  return true;
}

/* Our own export has the waits of packets as ranges of a thread of its own. */
static aq_status range_add(aq_rocpd *r, sqlite3_stmt *from, const char *text,
                           size_t length)
{
  aq_range range = {.pid = aq_rocpd_pid(r, int_at(r, from, ROW_PID)),
                    .tid = aq_rocpd_tid(r, int_at(r, from, ROW_TID))};
  aq_import *import = r->database->import;
  if (range.tid >= AQ_ROCPD_QUEUE_TID)
    return AQ_OK;
  if (aq_database_tick(r->database, from, ROW_START, &range.begin) &&
      aq_database_tick(r->database, from, ROW_END, &range.end))
    return aq_ranges_add(import, range, text, length);
  aq_import_skip(import, "times are not numbers in range", NULL, 0);
  return AQ_OK;
}

/* Calls under the same stack id are one; their event distinguishes calls
 * without one. */
static int64_t stack_of(const aq_rocpd *r, sqlite3_stmt *from)
{
  const int64_t stack = int_at(r, from, ROW_STACK);
  return stack == AQ_NONE || stack == 0 ? AQ_NONE : stack;
}

/* What HIP calls of HSA is part of the HIP call. */
static int64_t root_of(const aq_rocpd *r, int64_t stack, uint64_t scope)
{
  uint64_t root;
  return stack != AQ_NONE &&
                 aq_map_get(&r->root_of, aq_database_key(stack, scope), &root)
             ? (int64_t)root
             : stack;
}

/* Notes the outermost call for each call that submits from within one that
 * does. */
static aq_status note_root(aq_rocpd *r, sqlite3_stmt *from)
{
  size_t length;
  uint64_t scope;
  const int64_t stack = stack_of(r, from);
  const int64_t parent = int_at(r, from, ROW_PARENT);
  const char *name = aq_rocpd_string(r, int_at(r, from, CALL_NAME), &length);
  if (stack == AQ_NONE || !is_api(r, from) || !aq_api_submits(name, length))
    return AQ_OK;
  aq_status status = aq_rocpd_scope(r, int_at(r, from, ROW_PID), &scope);
  if (status != AQ_OK)
    return status;
  uint64_t root = (uint64_t)stack;
  if (parent != AQ_NONE && parent != stack)
    aq_map_get(&r->root_of, aq_database_key(parent, scope), &root);
  return aq_map_put(&r->root_of, aq_database_key(stack, scope), root)
             ? AQ_OK
             : aq_diag_no_memory(r->database->import->diag);
}

static aq_status call_add(aq_rocpd *r, sqlite3_stmt *from)
{
  aq_rocprofv3_call call = {.pid = aq_rocpd_pid(r, int_at(r, from, ROW_PID)),
                            .tid = aq_rocpd_tid(r, int_at(r, from, ROW_TID)),
                            .correlation = stack_of(r, from)};
  const char *text;
  size_t length;
  if (marker_text(r, from, &text, &length))
    return range_add(r, from, text, length);
  if (!is_api(r, from))
    return AQ_OK;
  aq_status status = aq_rocpd_scope(r, int_at(r, from, ROW_PID), &call.process);
  call.name = aq_rocpd_string(r, int_at(r, from, CALL_NAME), &call.name_length);
  if (status != AQ_OK ||
      root_of(r, call.correlation, call.process) != call.correlation)
    return status;
  if (!aq_database_tick(r->database, from, ROW_START, &call.begin) ||
      !aq_database_tick(r->database, from, ROW_END, &call.end)) {
    aq_import_skip(r->database->import, "times are not numbers in range", NULL,
                   0);
    return AQ_OK;
  }
  return aq_rocprofv3_call_add(r->database->import, r->join, &call);
}

/* ---- kernels and copies ---- */

/* Columns that may not be NULL have 0 for a size that is not known. */
static int64_t size_at(const aq_rocpd *r, sqlite3_stmt *from, int column)
{
  const int64_t size = int_at(r, from, column);
  return size > 0 && size <= INT64_C(1) << 40 ? size : AQ_NONE;
}

/* False, and counted, where it cannot be read. */
static bool row_begin(aq_rocpd *r, sqlite3_stmt *from, int kind, uint64_t scope,
                      aq_record *row)
{
  aq_import *import = r->database->import;
  aq_tick start, end;
  aq_record_init(row);
  if (!aq_database_tick(r->database, from, ROW_START, &start) ||
      !aq_database_tick(r->database, from, ROW_END, &end) ||
      !aq_import_between(import, start, end, &row->start, &row->end)) {
    aq_import_skip(import, "times are not numbers in range", NULL, 0);
    return false;
  }
  row->kind = kind;
  row->flags = 0;
  row->pid = aq_rocpd_pid(r, int_at(r, from, ROW_PID));
  row->tid = aq_rocpd_tid(r, int_at(r, from, ROW_TID));
  row->correlation = root_of(r, stack_of(r, from), scope);
  return true;
}

static aq_status kernel_add(aq_rocpd *r, sqlite3_stmt *from)
{
  aq_record row;
  uint64_t scope;
  aq_status status = aq_rocpd_scope(r, int_at(r, from, ROW_PID), &scope);
  if (status != AQ_OK || !row_begin(r, from, AQ_KIND_KERNEL, scope, &row))
    return status;
  const int64_t kernel = int_at(r, from, KERNEL_ID);
  const aq_rocpd_symbol *symbol = aq_rocpd_symbol_at(r, kernel);
  row.stream = int_at(r, from, KERNEL_STREAM);
  row.scratch = int_at(r, from, KERNEL_SCRATCH);
  row.lds = int_at(r, from, KERNEL_LDS);
  row.wg_x = size_at(r, from, KERNEL_WG);
  row.wg_y = size_at(r, from, KERNEL_WG + 1);
  row.wg_z = size_at(r, from, KERNEL_WG + 2);
  row.grid_x = size_at(r, from, KERNEL_GRID);
  row.grid_y = size_at(r, from, KERNEL_GRID + 1);
  row.grid_z = size_at(r, from, KERNEL_GRID + 2);
  char number[48];
  snprintf(number, sizeof number, "kernel %lld", (long long)kernel);
  const char *name = number;
  size_t length = strlen(number);
  if (symbol) {
    name = aq_names_text(&r->strings.texts, symbol->name);
    length = aq_names_length(&r->strings.texts, symbol->name);
    row.vgpr = symbol->vgpr;
    row.agpr = symbol->agpr;
    row.sgpr = symbol->sgpr;
  }
  aq_import *import = r->database->import;
  status = aq_agents_device(&r->agents, import,
                            aq_rocpd_agent(r, int_at(r, from, KERNEL_AGENT)),
                            &row.device);
  if (status != AQ_OK)
    return status;
  return aq_rocprofv3_row_add(import, r->join, &row, scope,
                              int_at(r, from, KERNEL_QUEUE), name, length);
}

static aq_status copy_add(aq_rocpd *r, sqlite3_stmt *from)
{
  aq_record row;
  uint64_t scope;
  size_t length;
  aq_import *import = r->database->import;
  const char *name = aq_rocpd_string(r, int_at(r, from, COPY_NAME), &length);
  /* Fills are recognised by their names: rocpd has one table for both. */
  const int kind = (strcasestr(name, "fill") || strcasestr(name, "memset"))
                       ? AQ_KIND_FILL
                       : AQ_KIND_COPY;
  aq_status status = aq_rocpd_scope(r, int_at(r, from, ROW_PID), &scope);
  if (status != AQ_OK || !row_begin(r, from, kind, scope, &row))
    return status;
  if (aq_rocprofv3_is_host_copy(name, length))
    return aq_import_host_copy_skip(import, name, length);
  row.bytes = size_at(r, from, COPY_SIZE);
  row.stream = int_at(r, from, COPY_STREAM);
  const int64_t gpu = aq_agents_copy_gpu(
      &r->agents, aq_rocpd_agent(r, int_at(r, from, COPY_SOURCE)),
      aq_rocpd_agent(r, int_at(r, from, COPY_DESTINATION)), name, length);
  status = aq_agents_device(&r->agents, import, gpu, &row.device);
  if (status != AQ_OK)
    return status;
  const int64_t queue = int_at(r, from, COPY_QUEUE);
  return aq_rocprofv3_row_add(
      import, r->join, &row, scope,
      queue == AQ_NONE ? aq_rocprofv3_copy_queue(row.stream) : queue, name,
      length);
}

/* ---- allocations ---- */

enum {
  ALLOCATION_START,
  ALLOCATION_END,
  ALLOCATION_PID,
  ALLOCATION_TID,
  ALLOCATION_AGENT,
  ALLOCATION_TYPE,
  ALLOCATION_ADDRESS,
  ALLOCATION_SIZE,
  ALLOCATION_LEVEL,
};

static aq_status allocation_add(aq_rocpd *r, sqlite3_stmt *from)
{
  aq_rocprofv3_allocation a = {
      .agent = aq_rocpd_agent(r, int_at(r, from, ALLOCATION_AGENT)),
      .bytes = int_at(r, from, ALLOCATION_SIZE),
      .address = int_at(r, from, ALLOCATION_ADDRESS),
      .pid = aq_rocpd_pid(r, int_at(r, from, ALLOCATION_PID)),
      .tid = aq_rocpd_tid(r, int_at(r, from, ALLOCATION_TID))};
  a.operation = aq_database_text(from, ALLOCATION_TYPE, &a.operation_length);
  size_t length;
  if (strcmp(aq_database_text(from, ALLOCATION_LEVEL, &length), "SCRATCH") ==
      0) {
    aq_import_fault(r->database->import, AQ_REPAIR_SCRATCH_GROWTH, "scratch",
                    a.operation, a.operation_length);
    return AQ_OK;
  }
  if (strcmp(a.operation, "ALLOC") != 0 && strcmp(a.operation, "FREE") != 0) {
    aq_import_fault(r->database->import, AQ_REPAIR_SKIPPED_OP,
                    "type of an allocation", a.operation, a.operation_length);
    return AQ_OK;
  }
  a.timed = aq_database_tick(r->database, from, ALLOCATION_START, &a.begin) &&
            aq_database_tick(r->database, from, ALLOCATION_END, &a.end);
  aq_status status =
      aq_rocpd_scope(r, int_at(r, from, ALLOCATION_PID), &a.process);
  return status == AQ_OK
             ? aq_rocprofv3_allocation_add(r->database->import, &r->agents, &a)
             : status;
}

static aq_status allocations_read(aq_rocpd *r)
{
  char table[256];
  sqlite3_stmt *s;
  snprintf(table, sizeof table, "rocpd_memory_allocate%s", r->suffix);
  if (!aq_database_has(r->database, table, NULL))
    return AQ_OK;
  aq_status status =
      aq_database_query(r->database, &s,
                        "SELECT start, \"end\", pid, tid, agent_id, type,"
                        " address, size, level FROM \"%w\"",
                        table);
  while (aq_database_next(r->database, &s, &status))
    status = allocation_add(r, s);
  return status;
}

/* ---- side by side ---- */

typedef struct cursors {
  sqlite3_stmt *statements[CURSOR_COUNT];
  bool got[CURSOR_COUNT];
} cursors;

static aq_status step(aq_rocpd *r, cursors *c, int which)
{
  return aq_database_step(r->database, c->statements[which], &c->got[which]);
}

static int next_cursor(const cursors *c)
{
  int next = CURSOR_COUNT;
  int64_t start = INT64_MAX;
  for (int i = 0; i < CURSOR_COUNT; i++) {
    if (!c->got[i])
      continue;
    const int64_t own = sqlite3_column_int64(c->statements[i], ROW_START);
    if (next == CURSOR_COUNT || own < start) {
      next = i;
      start = own;
    }
  }
  return next;
}

aq_status aq_rocpd_read_rows(aq_rocpd *r)
{
  static aq_status (*const add[CURSOR_COUNT])(aq_rocpd *, sqlite3_stmt *) = {
      [CURSOR_CALLS] = call_add,
      [CURSOR_KERNELS] = kernel_add,
      [CURSOR_COPIES] = copy_add};
  cursors c = {{NULL}, {false}};
  sqlite3_stmt *statement;
  aq_status status = aq_database_query(
      r->database, &statement, queries[CURSOR_CALLS], r->suffix, r->suffix);
  while (aq_database_next(r->database, &statement, &status))
    status = note_root(r, statement);
  for (int i = 0; i < CURSOR_COUNT && status == AQ_OK; i++) {
    status = aq_database_query(r->database, &c.statements[i], queries[i],
                               r->suffix, r->suffix);
    if (status == AQ_OK)
      status = step(r, &c, i);
  }
  int next;
  while (status == AQ_OK && (next = next_cursor(&c)) != CURSOR_COUNT) {
    status = add[next](r, c.statements[next]);
    if (status == AQ_OK)
      status = step(r, &c, next);
  }
  for (int i = 0; i < CURSOR_COUNT; i++)
    sqlite3_finalize(c.statements[i]);
  return status == AQ_OK ? allocations_read(r) : status;
}
