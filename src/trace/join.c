/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "trace/join.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"

enum { RECENT = 4096 };

#define NOWHERE SIZE_MAX

struct aq_join_call {
  aq_host_call call;
  uint64_t key;
  bool used;
  bool joined;    /* some row found it */
  bool has_first; /* of a graph: `first` is its earliest row so far */
  size_t next;    /* in the free list */
  aq_record first;
};

struct aq_join_row {
  aq_record row;
  bool used;
  size_t next; /* with the same key: a ring; or in the free list */
};

aq_status aq_join_init(aq_join *join, aq_import *import)
{
  memset(join, 0, sizeof *join);
  join->import = import;
  join->free_call = join->free_row = NOWHERE;
  join->recent = malloc(RECENT * sizeof *join->recent);
  if (!join->recent)
    return aq_diag_no_memory(join->import->diag);
  for (size_t i = 0; i < RECENT; i++)
    join->recent[i] = NOWHERE;
  return AQ_OK;
}

void aq_join_fini(aq_join *join)
{
  free(join->recent);
  free(join->rows);
  free(join->calls);
  aq_map_fini(&join->row_by_key);
  aq_map_fini(&join->call_by_key);
}

/* ---- slots ---- */

static bool call_slot(aq_join *join, size_t *slot)
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

static void call_free(aq_join *join, size_t slot)
{
  join->calls[slot].used = false;
  join->calls[slot].next = join->free_call;
  join->free_call = slot;
}

static bool row_slot(aq_join *join, size_t *slot)
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

static void row_free(aq_join *join, size_t slot)
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
static aq_status put_graph_row(aq_join *join, aq_join_call *call,
                               aq_record *row)
{
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

/* A joined direct call is forgotten RECENT joins later. */
static void remember(aq_join *join, size_t slot)
{
  size_t *place = &join->recent[join->recent_next];
  join->recent_next = (join->recent_next + 1) % RECENT;
  if (*place != NOWHERE) {
    uint64_t current, key = join->calls[*place].key;
    if (aq_map_get(&join->call_by_key, key, &current) && current == *place)
      aq_map_remove(&join->call_by_key, key, NULL);
    call_free(join, *place);
  }
  *place = slot;
}

static aq_status attach(aq_join *join, size_t slot, aq_record *row)
{
  aq_join_call *call = &join->calls[slot];
  const aq_host_call *host = &call->call;
  if (row->start < host->begin) { /* the two clocks do not agree */
    aq_import_repair(join->import, AQ_REPAIR_CLOCK_OFFSET);
    return aq_join_row_alone(join, row);
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
  if (!call->joined)
    remember(join, slot);
  call->joined = true;
  return aq_import_put(join->import, row);
}

/* Joins the rows that waited for this call, in the order they came. The map
 * has the last of their ring. */
static aq_status attach_waiting(aq_join *join, uint64_t key, size_t slot)
{
  uint64_t last;
  if (!aq_map_remove(&join->row_by_key, key, &last))
    return AQ_OK;
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

/* A key used again: calls still without a row give way. */
static void drop_old_call(aq_join *join, uint64_t key)
{
  uint64_t old;
  if (!aq_map_get(&join->call_by_key, key, &old))
    return;
  aq_import_repair(join->import, AQ_REPAIR_DUPLICATE_CORRELATION);
  aq_join_call *call = &join->calls[old];
  if (!call->joined && !call->call.graph)
    call_free(join, old);
}

/* A call's shape is known whole, or not at all. */
static void check_call(aq_join *join, aq_host_call *call)
{
  aq_import_size(join->import, "lds", &call->lds);
  aq_import_size(join->import, "bytes", &call->bytes);
  for (int i = 0; i < 3 && call->has_shape; i++) {
    aq_import_extent(join->import, "grid", &call->grid[i]);
    aq_import_extent(join->import, "workgroup", &call->wg[i]);
    call->has_shape = call->grid[i] != AQ_NONE && call->wg[i] != AQ_NONE;
  }
}

aq_status aq_join_call_add(aq_join *join, uint64_t key,
                           const aq_host_call *call)
{
  drop_old_call(join, key);
  size_t slot;
  if (!call_slot(join, &slot))
    return aq_diag_no_memory(join->import->diag);
  aq_join_call *made = &join->calls[slot];
  made->call = *call;
  check_call(join, &made->call);
  made->key = key;
  made->used = true;
  made->joined = made->has_first = false;
  if (!aq_map_put(&join->call_by_key, key, slot))
    return aq_diag_no_memory(join->import->diag);
  return attach_waiting(join, key, slot);
}

/* Appends to the rows that wait for the same call. */
static aq_status wait_for_call(aq_join *join, uint64_t key,
                               const aq_record *row)
{
  size_t slot;
  if (!row_slot(join, &slot))
    return aq_diag_no_memory(join->import->diag);
  aq_join_row *made = &join->rows[slot];
  made->row = *row;
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

aq_status aq_join_row_add(aq_join *join, uint64_t key, const aq_record *row)
{
  uint64_t slot;
  if (!aq_map_get(&join->call_by_key, key, &slot))
    return wait_for_call(join, key, row);
  aq_record joined = *row;
  return attach(join, slot, &joined);
}

aq_status aq_join_row_alone(aq_join *join, const aq_record *row)
{
  aq_record alone = *row;
  alone.via = AQ_VIA_NONE;
  return aq_import_put(join->import, &alone);
}

aq_status aq_join_finish(aq_join *join)
{
  aq_status status = AQ_OK;
  for (size_t i = 0; i < join->row_count && status == AQ_OK; i++)
    if (join->rows[i].used)
      status = aq_join_row_alone(join, &join->rows[i].row);
  for (size_t i = 0; i < join->call_count && status == AQ_OK; i++) {
    aq_join_call *call = &join->calls[i];
    if (!call->used || !call->has_first)
      continue;
    call->first.flags |= AQ_FLAG_GRAPH_FIRST;
    status = aq_import_put(join->import, &call->first);
  }
  return status;
}
