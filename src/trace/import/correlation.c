/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "trace/import/correlation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/fnv.h"

enum { RECENT = 4096 };

#define NOWHERE SIZE_MAX

struct aq_correlation_call {
  aq_host_call call; /* without its name */
  int64_t name;      /* in the join's names */
  uint64_t key;
  bool used;
  bool joined;    /* some row found it */
  bool refused;   /* a row of its key started before it */
  bool has_first; /* of a graph: `first` is its earliest row so far */
  size_t next;    /* in the free list */
  aq_record first;
};

struct aq_correlation_row {
  aq_record row;
  uint64_t key;
  bool used;
  size_t next; /* with the same key: a ring; or in the free list */
};

aq_status aq_correlation_init(aq_correlation *join, aq_import *import)
{
  memset(join, 0, sizeof *join);
  join->import = import;
  join->free_call = join->free_row = NOWHERE;
  join->names = (aq_names)AQ_NAMES_INIT;
  join->recent = malloc(RECENT * sizeof *join->recent);
  if (!join->recent)
    return aq_diag_no_memory(join->import->diag);
  for (size_t i = 0; i < RECENT; i++)
    join->recent[i] = NOWHERE;
  return AQ_OK;
}

void aq_correlation_fini(aq_correlation *join)
{
  aq_names_fini(&join->names);
  aq_graph_nodes_fini(&join->graph_nodes);
  free(join->inner);
  free(join->recent);
  free(join->rows);
  free(join->calls);
  aq_map_fini(&join->row_by_key);
  aq_map_fini(&join->call_by_key);
}

/* ---- slots ---- */

static bool call_slot(aq_correlation *join, size_t *slot)
{
  if (join->free_call != NOWHERE) {
    *slot = join->free_call;
    join->free_call = join->calls[*slot].next;
    return true;
  }
  if (!AQ_ARRAY_RESERVE(join->calls, join->call_capacity, join->call_count + 1))
    return false;
  *slot = join->call_count++;
  return true;
}

static void call_free(aq_correlation *join, size_t slot)
{
  join->calls[slot].used = false;
  join->calls[slot].next = join->free_call;
  join->free_call = slot;
}

static bool row_slot(aq_correlation *join, size_t *slot)
{
  if (join->free_row != NOWHERE) {
    *slot = join->free_row;
    join->free_row = join->rows[*slot].next;
    return true;
  }
  if (!AQ_ARRAY_RESERVE(join->rows, join->row_capacity, join->row_count + 1))
    return false;
  *slot = join->row_count++;
  return true;
}

static void row_free(aq_correlation *join, size_t slot)
{
  join->rows[slot].used = false;
  join->rows[slot].next = join->free_row;
  join->free_row = slot;
}

/* ---- joining ---- */

static void fill_in(int64_t *field, int64_t value)
{
  if (*field == AQ_NONE)
    *field = value;
}

static int64_t over(int64_t items, int64_t group)
{
  return items == AQ_NONE || group <= 0 ? items : items / group;
}

/* A row that came with a grid took it for workgroups; its call knows better. */
static void fill_shape(aq_record *row, const aq_host_call *call)
{
  if (row->kind != AQ_KIND_KERNEL || call->graph)
    return;
  fill_in(&row->lds, call->lds);
  if (call->has_shape) {
    row->grid_x = call->grid[0];
    row->grid_y = call->grid[1];
    row->grid_z = call->grid[2];
    row->wg_x = call->wg[0];
    row->wg_y = call->wg[1];
    row->wg_z = call->wg[2];
  } else if (call->grid_in_items) {
    row->grid_x = over(row->grid_x, row->wg_x);
    row->grid_y = over(row->grid_y, row->wg_y);
    row->grid_z = over(row->grid_z, row->wg_z);
  }
}

/* Puts a graph's row, keeping back the earliest: it may be the first. */
static aq_status put_graph_row(aq_correlation *join, aq_correlation_call *call,
                               aq_record *row)
{
  if (!aq_graph_nodes_add(&join->graph_nodes, (size_t)(call - join->calls),
                          row))
    return aq_diag_no_memory(join->import->diag);
  if (!call->has_first) {
    call->has_first = true;
    call->first = *row;
    return AQ_OK;
  }
  if (row->start < call->first.start) {
    aq_record later = call->first;
    call->first = *row;
    *row = later;
  }
  return aq_import_put(join->import, row);
}

/* A joined direct call is forgotten RECENT joins later, unless rows of its key
 * still wait. */
static void remember(aq_correlation *join, size_t slot)
{
  size_t *place = &join->recent[join->recent_next];
  join->recent_next = (join->recent_next + 1) % RECENT;
  if (*place != NOWHERE) {
    uint64_t current, key = join->calls[*place].key;
    const bool is_current =
        aq_map_get(&join->call_by_key, key, &current) && current == *place;
    if (!is_current || !aq_map_get(&join->row_by_key, key, NULL)) {
      if (is_current)
        aq_map_remove(&join->call_by_key, key, NULL);
      call_free(join, *place);
    }
  }
  *place = slot;
}

static bool is_launch(const aq_correlation *join,
                      const aq_correlation_call *call)
{
  return call->name != AQ_NONE && !call->call.graph &&
         aq_api_launches(aq_names_text(&join->names, call->name),
                         aq_names_length(&join->names, call->name));
}

static bool is_hsa(const aq_correlation *join, int64_t name)
{
  return name != AQ_NONE &&
         strncmp(aq_names_text(&join->names, name), "hsa_", 4) == 0;
}

/* Where HSA is recorded too, a row joins the call of HSA inside the launch. */
static bool inner_note(aq_correlation *join, const aq_correlation_call *call)
{
  return !is_hsa(join, call->name) ||
         AQ_ARRAY_PUSH(join->inner, join->inner_count, join->inner_capacity,
                       (aq_edge_call){.begin = call->call.begin,
                                      .end = call->call.end,
                                      .pid = call->call.pid,
                                      .tid = call->call.tid});
}

static aq_status attach(aq_correlation *join, size_t slot, aq_record *row)
{
  aq_correlation_call *call = &join->calls[slot];
  const aq_host_call *host = &call->call;
  if (row->start < host->begin) { /* the two clocks do not agree */
    call->refused = true;
    return aq_correlation_call_drop(join, row, AQ_REPAIR_CLOCK_OFFSET);
  }
  row->host_begin = host->begin;
  row->host_end = host->end;
  row->via = host->graph ? AQ_VIA_GRAPH : AQ_VIA_DIRECT;
  fill_in(&row->pid, host->pid);
  fill_in(&row->tid, host->tid);
  if (row->kind != AQ_KIND_KERNEL)
    fill_in(&row->bytes, host->bytes);
  fill_shape(row, host);
  if (host->graph)
    return put_graph_row(join, call, row);
  if (!call->joined && !inner_note(join, call))
    return aq_diag_no_memory(join->import->diag);
  if (!call->joined)
    remember(join, slot);
  call->joined = true;
  return aq_import_put(join->import, row);
}

/* A launch makes one row. Of several that waited for it, it takes the first
 * that began after it; the others are of other launches with its id, or, at the
 * end, of the last of them. `last` is of their ring. */
static aq_status attach_first(aq_correlation *join, uint64_t key, size_t slot,
                              size_t last)
{
  aq_correlation_row *rows = join->rows;
  const aq_time begin = join->calls[slot].call.begin;
  size_t found = NOWHERE, before = last;
  for (size_t i = last, next = rows[last].next;;
       i = next, next = rows[i].next) {
    const aq_record *row = &rows[next].row;
    if (row->start >= begin &&
        (found == NOWHERE || row->start < rows[found].row.start)) {
      found = next;
      before = i;
    }
    if (next == last)
      break;
  }
  if (found == NOWHERE)
    return AQ_OK;
  aq_record row = rows[found].row;
  rows[before].next = rows[found].next;
  row_free(join, found);
  if (found == last && !aq_map_put(&join->row_by_key, key, before))
    return aq_diag_no_memory(join->import->diag);
  return attach(join, slot, &row);
}

/* Joins the rows that waited for this call, in the order they came. The map
 * has the last of their ring. */
static aq_status attach_waiting(aq_correlation *join, uint64_t key, size_t slot)
{
  uint64_t last;
  if (!aq_map_get(&join->row_by_key, key, &last))
    return AQ_OK;
  if (join->rows[last].next != last && is_launch(join, &join->calls[slot]))
    return attach_first(join, key, slot, last);
  aq_map_remove(&join->row_by_key, key, NULL);
  aq_status status = AQ_OK;
  for (size_t i = NOWHERE, next = join->rows[last].next;
       i != last && status == AQ_OK;) {
    i = next;
    next = join->rows[i].next;
    aq_record row = join->rows[i].row;
    row_free(join, i);
    status = attach(join, slot, &row);
  }
  return status;
}

/* A key used again: calls still without a row give way; a launch is lost. */
static void drop_old_call(aq_correlation *join, uint64_t key)
{
  uint64_t old;
  if (!aq_map_get(&join->call_by_key, key, &old))
    return;
  aq_import_repair(join->import, AQ_REPAIR_DUPLICATE_CORRELATION);
  aq_correlation_call *call = &join->calls[old];
  if (!call->joined && !call->call.graph && !is_launch(join, call))
    call_free(join, old);
}

aq_status aq_correlation_call_add(aq_correlation *join, uint64_t key,
                                  const aq_host_call *call)
{
  drop_old_call(join, key);
  size_t slot;
  if (!call_slot(join, &slot))
    return aq_diag_no_memory(join->import->diag);
  aq_correlation_call *made = &join->calls[slot];
  made->call = *call;
  made->call.name = NULL;
  made->name = call->name
                   ? aq_names_id(&join->names, call->name, call->name_length)
                   : AQ_NONE;
  if (call->name && made->name < 0)
    return aq_diag_no_memory(join->import->diag);
  /* A call's shape is known whole, or not at all. */
  aq_import_size(join->import, "lds", &made->call.lds);
  aq_import_size(join->import, "bytes", &made->call.bytes);
  for (int i = 0; i < 3 && made->call.has_shape; i++) {
    aq_import_extent(join->import, "grid", &made->call.grid[i]);
    aq_import_extent(join->import, "workgroup", &made->call.wg[i]);
    made->call.has_shape =
        made->call.grid[i] != AQ_NONE && made->call.wg[i] != AQ_NONE;
  }
  made->key = key;
  made->used = true;
  made->joined = made->refused = made->has_first = false;
  if (!aq_map_put(&join->call_by_key, key, slot))
    return aq_diag_no_memory(join->import->diag);
  return attach_waiting(join, key, slot);
}

/* Appends to the rows that wait for the same call. */
static aq_status wait_for_call(aq_correlation *join, uint64_t key,
                               const aq_record *row)
{
  size_t slot;
  if (!row_slot(join, &slot))
    return aq_diag_no_memory(join->import->diag);
  aq_correlation_row *made = &join->rows[slot];
  made->row = *row;
  made->key = key;
  made->used = true;
  made->next = slot;
  uint64_t last;
  if (aq_map_get(&join->row_by_key, key, &last)) {
    made->next = join->rows[last].next;
    join->rows[last].next = slot;
  }
  return aq_map_put(&join->row_by_key, key, slot)
             ? AQ_OK
             : aq_diag_no_memory(join->import->diag);
}

aq_status aq_correlation_row_add(aq_correlation *join, uint64_t key,
                                 const aq_record *row)
{
  uint64_t slot;
  if (!aq_map_get(&join->call_by_key, key, &slot))
    return wait_for_call(join, key, row);
  aq_record joined = *row;
  return attach(join, slot, &joined);
}

aq_status aq_correlation_row_alone(aq_correlation *join, const aq_record *row)
{
  aq_record alone = *row;
  alone.via = AQ_VIA_NONE;
  return aq_import_put(join->import, &alone);
}

aq_status aq_correlation_call_drop(aq_correlation *join, const aq_record *row,
                                   aq_trace_repair why)
{
  aq_import *import = join->import;
  aq_import_repair(import, why);
  const aq_status status = aq_correlation_row_alone(join, row);
  if (status == AQ_OK)
    aq_edges_call_dropped(&import->edges, import->row_count - 1);
  return status;
}

aq_status aq_import_call_again(aq_import *import, const aq_host_call *call,
                               uint64_t scope, bool *again)
{
  *again = false;
  if (call->begin == call->end && call->correlation == AQ_NONE)
    return AQ_OK;
  const uint64_t name = aq_fnv_add(AQ_FNV_START, call->name, call->name_length);
  const int64_t values[] = {(int64_t)name, (int64_t)scope, call->correlation,
                            call->begin,   call->end,      call->pid,
                            call->tid};
  aq_status status =
      aq_import_again(import, values, sizeof values / sizeof *values, again);
  if (status == AQ_OK && *again)
    aq_import_fault(import, AQ_REPAIR_REPEATED, "call", call->name,
                    call->name_length);
  return status;
}

/* ---- launches that nothing joined ---- */

static int capture_order(const void *a, const void *b)
{
  const aq_import_capture *x = a, *y = b;
  return (x->time > y->time) - (x->time < y->time);
}

/* An end without a begin ends a capture that began before the trace. */
static bool is_captured(const aq_import *import, const aq_host_call *call)
{
  int depth = 0;
  bool any = false;
  for (size_t i = 0; i < import->capture_count; i++) {
    const aq_import_capture *capture = &import->captures[i];
    if (capture->pid != call->pid)
      continue;
    if (capture->time > call->begin)
      return depth > 0 || (!any && !capture->begins);
    any = true;
    depth = capture->begins ? depth + 1 : depth > 0 ? depth - 1 : 0;
  }
  return depth > 0;
}

static int inner_order(const void *a, const void *b)
{
  const aq_edge_call *x = a, *y = b;
  if (x->pid != y->pid)
    return x->pid < y->pid ? -1 : 1;
  if (x->tid != y->tid)
    return x->tid < y->tid ? -1 : 1;
  return (x->begin > y->begin) - (x->begin < y->begin);
}

/* Whether a row joined a call inside of this one. */
static bool is_joined_inside(const aq_correlation *join,
                             const aq_host_call *call)
{
  const aq_edge_call from = {
      .begin = call->begin, .pid = call->pid, .tid = call->tid};
  size_t low = 0, high = join->inner_count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (inner_order(&join->inner[middle], &from) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low < join->inner_count && join->inner[low].pid == call->pid &&
         join->inner[low].tid == call->tid &&
         join->inner[low].begin <= call->end;
}

/* Copies are lost only where the source has some. */
static bool is_lost(const aq_correlation *join, const aq_correlation_call *call)
{
  if (!call->used || call->joined || call->refused || call->has_first ||
      call->name == AQ_NONE)
    return false;
  const char *name = aq_names_text(&join->names, call->name);
  const size_t length = aq_names_length(&join->names, call->name);
  return (aq_api_launches(name, length) ||
          (aq_api_copies(name, length) && !is_hsa(join, call->name) &&
           join->import->result->copies > 0)) &&
         !is_captured(join->import, &call->call) &&
         !is_joined_inside(join, &call->call);
}

static int call_order(const void *a, const void *b, void *calls)
{
  const aq_correlation_call *x =
      (aq_correlation_call *)calls + *(const size_t *)a;
  const aq_correlation_call *y =
      (aq_correlation_call *)calls + *(const size_t *)b;
  if (x->call.begin != y->call.begin)
    return x->call.begin < y->call.begin ? -1 : 1;
  return (x->key > y->key) - (x->key < y->key);
}

static aq_status lost_put(aq_correlation *join, const aq_correlation_call *call)
{
  aq_import *import = join->import;
  const char *name = aq_names_text(&join->names, call->name);
  const size_t length = aq_names_length(&join->names, call->name);
  aq_record row;
  aq_record_init(&row);
  row.kind = AQ_KIND_CALL;
  row.flags = AQ_FLAG_LOST;
  row.host_begin = call->call.begin;
  row.host_end = call->call.end;
  row.pid = call->call.pid;
  row.tid = call->call.tid;
  row.correlation = call->call.correlation;
  aq_import_fault(import,
                  aq_api_launches(name, length) ? AQ_REPAIR_LOST_LAUNCH
                                                : AQ_REPAIR_LOST_COPY,
                  "call", name, length);
  aq_status status = aq_import_name(import, name, length, &row.name);
  return status == AQ_OK ? aq_import_put(import, &row) : status;
}

static aq_status put_lost(aq_correlation *join)
{
  size_t *lost = malloc((join->call_count + 1) * sizeof *lost), count = 0;
  aq_status status = AQ_OK;
  if (!lost)
    return aq_diag_no_memory(join->import->diag);
  aq_import *import = join->import;
  if (import->capture_count > 0)
    qsort(import->captures, import->capture_count, sizeof *import->captures,
          capture_order);
  if (join->inner_count > 0)
    qsort(join->inner, join->inner_count, sizeof *join->inner, inner_order);
  for (size_t i = 0; i < join->call_count; i++)
    if (is_lost(join, &join->calls[i]))
      lost[count++] = i;
  qsort_r(lost, count, sizeof *lost, call_order, join->calls);
  for (size_t i = 0; i < count && status == AQ_OK; i++)
    status = lost_put(join, &join->calls[lost[i]]);
  free(lost);
  return status;
}

/* Names the graph launches that lack nodes. */
static aq_status short_graphs(aq_correlation *join)
{
  aq_graph_short *list;
  size_t count, passed;
  if (!aq_graph_nodes_short(&join->graph_nodes, &list, &count, &passed))
    return aq_diag_no_memory(join->import->diag);
  for (size_t i = 0; i < count; i++) {
    const aq_correlation_call *call = &join->calls[list[i].launch];
    char text[80];
    const int length =
        snprintf(text, sizeof text, "%zu of %zu nodes, id %lld", list[i].have,
                 list[i].want, (long long)call->call.correlation);
    aq_import_fault(join->import, AQ_REPAIR_SHORT_GRAPH, "graph launch", text,
                    (size_t)length);
  }
  for (size_t i = 0; i < passed; i++)
    aq_import_repair(join->import, AQ_REPAIR_GRAPH_PASSED);
  free(list);
  return AQ_OK;
}

aq_status aq_correlation_finish(aq_correlation *join)
{
  aq_status status = AQ_OK;
  for (size_t i = 0; i < join->row_count && status == AQ_OK; i++) {
    uint64_t slot;
    aq_record row = join->rows[i].row;
    if (!join->rows[i].used)
      continue;
    status = aq_map_get(&join->call_by_key, join->rows[i].key, &slot)
                 ? attach(join, slot, &row)
                 : aq_correlation_row_alone(join, &row);
  }
  for (size_t i = 0; i < join->call_count && status == AQ_OK; i++) {
    aq_correlation_call *call = &join->calls[i];
    if (!call->used || !call->has_first)
      continue;
    aq_record_flag(&call->first, AQ_FLAG_GRAPH_FIRST);
    status = aq_import_put(join->import, &call->first);
  }
  if (status == AQ_OK)
    status = short_graphs(join);
  return status == AQ_OK ? put_lost(join) : status;
}
