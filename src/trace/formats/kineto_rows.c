/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "trace/formats/kineto.h"

/* ---- rows ---- */

static aq_status gpu_of(aq_kineto *k, const event *e, int64_t *ordinal)
{
  /* GPU rows have the device as their pid; where files of several ranks were
   * merged the pid was made unique, or a rank was noted. */
  int64_t id = e->pid != AQ_NONE ? e->pid : e->device;
  id = aq_import_device_id(k->import, id);
  if (id == e->device && e->rank != AQ_NONE)
    id ^= (int64_t)((uint64_t)e->rank << 32);
  uint64_t known;
  if (aq_map_get(&k->gpu_by_id, (uint64_t)id, &known)) {
    *ordinal = k->gpus[known].ordinal;
    return AQ_OK;
  }
  aq_run_device device = {.source_id = id, .cus = AQ_NONE};
  aq_status status = aq_import_device(k->import, &device, ordinal);
  if (status != AQ_OK)
    return status;
  if (!aq_map_put(&k->gpu_by_id, (uint64_t)id, k->gpu_count) ||
      !AQ_ARRAY_PUSH(k->gpus, k->gpu_count, k->gpu_capacity,
                     (gpu){id, e->device, *ordinal}))
    return aq_diag_no_memory(k->import->diag);
  return AQ_OK;
}

static bool has_triple(const int64_t triple[3])
{
  return triple[0] != AQ_NONE && triple[1] != AQ_NONE && triple[2] != AQ_NONE;
}

/* Blocks of a grid times the block, each at most 2^40: work-items. A value out
 * of range stays so, for the caller to count. */
static int64_t items(int64_t blocks, int64_t block)
{
  int64_t product;
  return __builtin_mul_overflow(blocks, block, &product) ? INT64_MAX : product;
}

/* Kineto writes 0 for an id that it does not know. */
static bool has_correlation(const event *e)
{
  return e->correlation != AQ_NONE && e->correlation != 0;
}

static uint64_t join_key(const event *e)
{
  uint64_t rank = e->rank == AQ_NONE ? 0 : (uint64_t)e->rank + 1;
  return (uint64_t)e->correlation ^ rank << 44;
}

/* The grid of a kernel row is what its launch call was given: workgroups, but
 * for the calls that take work-items, which the join puts right. */
static void device_shape(const event *e, aq_record *row)
{
  row->lds = e->shared;
  row->vgpr = e->registers;
  row->bytes = e->bytes;
  if (e->category != CATEGORY_KERNEL || !has_triple(e->grid) ||
      !has_triple(e->block))
    return;
  row->grid_x = items(e->grid[0], e->block[0]);
  row->grid_y = items(e->grid[1], e->block[1]);
  row->grid_z = items(e->grid[2], e->block[2]);
  row->wg_x = e->block[0];
  row->wg_y = e->block[1];
  row->wg_z = e->block[2];
}

static aq_status skipped(aq_kineto *k, const char *why)
{
  aq_import_skip(k->import, why, NULL, 0);
  return AQ_OK;
}

static aq_status device_row(aq_kineto *k, const event *e)
{
  static const aq_record_kind kinds[] = {
      [CATEGORY_KERNEL] = AQ_KIND_KERNEL,
      [CATEGORY_COPY] = AQ_KIND_COPY,
      [CATEGORY_FILL] = AQ_KIND_FILL,
  };
  aq_record row;
  aq_record_init(&row);
  if (!aq_import_span(k->import, e->ts, e->dur, &row.start, &row.end))
    return skipped(k, "ts or dur out of range");
  row.kind = kinds[e->category];
  row.flags = 0;
  row.stream = e->stream != AQ_NONE ? e->stream : e->tid;
  row.correlation = e->correlation;
  device_shape(e, &row);
  aq_status status = gpu_of(k, e, &row.device);
  if (status == AQ_OK)
    status =
        aq_import_queue(k->import, row.device,
                        row.stream != AQ_NONE ? row.stream : 0, &row.queue);
  if (status == AQ_OK)
    status = aq_import_name(k->import, k->name, k->name_length, &row.name);
  if (status == AQ_OK && e->rank != AQ_NONE)
    status = aq_context_rank_set(k->import, row.device, e->rank);
  if (status != AQ_OK)
    return status;
  bool again;
  status = aq_import_row_again(k->import, &row, &again);
  if (status != AQ_OK || again)
    return status;
  aq_import_order(k->import, &row);
  if (!has_correlation(e))
    return aq_correlation_row_alone(k->join, &row);
  return aq_correlation_row_add(k->join, join_key(e), &row);
}

static aq_status wait_row(aq_kineto *k, const event *e, aq_time begin,
                          aq_time end)
{
  aq_record row;
  aq_record_init(&row);
  row.kind = AQ_KIND_WAIT;
  row.flags = 0;
  row.host_begin = begin;
  row.host_end = end;
  row.pid = e->pid;
  row.tid = e->tid;
  row.correlation = e->correlation;
  aq_status status =
      aq_import_name(k->import, k->name, k->name_length, &row.name);
  return status == AQ_OK ? aq_import_put(k->import, &row) : status;
}

static void call_shape(aq_kineto *k, const event *e, aq_host_call *call)
{
  call->lds = e->shared;
  call->bytes = e->bytes;
  call->grid_in_items = aq_api_grid_in_items(k->name, k->name_length);
  call->has_shape = has_triple(e->grid) && has_triple(e->block);
  if (!call->has_shape)
    return;
  for (int i = 0; i < 3; i++) {
    call->wg[i] = e->block[i];
    call->grid[i] =
        call->grid_in_items ? e->grid[i] : items(e->grid[i], e->block[i]);
  }
}

static aq_status host_row(aq_kineto *k, const event *e)
{
  aq_host_call call = {.name = k->name,
                       .name_length = k->name_length,
                       .correlation = e->correlation,
                       .pid = e->pid,
                       .tid = e->tid};
  bool waits = aq_api_waits(k->name, k->name_length);
  bool submits = aq_api_submits(k->name, k->name_length);
  bool events = aq_import_is_event(k->name, k->name_length);
  k->import->result->cuda |=
      k->name_length > 4 && memcmp(k->name, "cuda", 4) == 0;
  if (submits && !has_correlation(e)) {
    aq_import_fault(k->import, AQ_REPAIR_UNTIED_CALL, "call", k->name,
                    k->name_length);
    submits = false;
  }
  if (!waits && !submits && !events)
    return AQ_OK;
  if (!aq_import_span(k->import, e->ts, e->dur, &call.begin, &call.end))
    return skipped(k, "ts or dur out of range");
  bool again;
  aq_status status =
      aq_import_call_again(k->import, &call, join_key(e), &again);
  if (status != AQ_OK || again)
    return status;
  status = aq_import_event_call(
      k->import, k->name, k->name_length,
      (aq_edge_call){
          .begin = call.begin, .end = call.end, .pid = e->pid, .tid = e->tid});
  if (status == AQ_OK && waits)
    status = aq_import_wait_call(k->import, k->name, k->name_length, e->pid,
                                 call.begin, call.end);
  if (status == AQ_OK && waits)
    status = wait_row(k, e, call.begin, call.end);
  if (status != AQ_OK || !submits)
    return status;
  call.graph = aq_api_graph(k->name, k->name_length);
  call_shape(k, e, &call);
  return aq_correlation_call_add(k->join, join_key(e), &call);
}

/* Threads may have negative ids; GPUs, streams and correlations have none. */
static void check_ids(aq_kineto *k)
{
  event *e = &k->event;
  aq_import_id(k->import, "pid", &e->pid);
  aq_import_id(k->import, "device", &e->device);
  aq_import_id(k->import, "stream", &e->stream);
  aq_import_id(k->import, "correlation", &e->correlation);
  aq_import_id(k->import, "rank", &e->rank);
}

static aq_status absent(aq_kineto *k, const char *what)
{
  return aq_diag_set(k->import->diag, AQ_ERR_INPUT,
                     "%s: byte %llu: an event of a kernel, copy or call has "
                     "no \"%s\"",
                     k->file, (unsigned long long)aq_json_byte(k->where), what);
}

/* An event of PyTorch's allocator (profile_memory=True); others of its category
 * are not read. Its device is the source's id until all rows are known. */
static aq_status instant_done(aq_kineto *k)
{
  enum { DEVICE_TYPE_CPU = 0 };
  const event *e = &k->event;
  static const char memory[] = "[memory]";
  if (k->name_length != strlen(memory) ||
      memcmp(k->name, memory, strlen(memory)) != 0)
    return AQ_OK;
  if (e->has_ts != PRESENT || e->bytes == AQ_NONE || e->address == AQ_NONE ||
      e->device_type == AQ_NONE || e->device_id == AQ_NONE) {
    aq_import_fault(k->import, AQ_REPAIR_SKIPPED_OP,
                    "allocation without ts, Bytes, Addr or device", NULL, 0);
    return AQ_OK;
  }
  const bool host = e->device_type == DEVICE_TYPE_CPU;
  return aq_memory_event_add(
      k->import,
      (aq_memory_event){.at = e->ts,
                        .device = host ? AQ_NONE : e->device_id,
                        .scope = host ? 0 : (uint64_t)e->device_id + 1,
                        .address = e->address,
                        .bytes = e->bytes,
                        .allocated = e->allocated,
                        .reserved = e->reserved,
                        .pid = e->pid,
                        .tid = e->tid});
}

aq_status aq_kineto_annotation(aq_kineto *k, const aq_span *of)
{
  aq_range range = {.begin = of->begin, .pid = of->pid, .tid = of->tid};
  aq_span span = *of;
  span.kind = AQ_SPAN_ANNOTATION;
  span.external = span.sequence = span.forward_thread = AQ_NONE;
  if (__builtin_add_overflow(of->begin.ns, of->length.ns, &range.end.ns))
    return skipped(k, "ts or dur out of range");
  range.end.ps = of->begin.ps + of->length.ps;
  aq_status status = aq_context_span_add(k->import, &span);
  return status == AQ_OK
             ? aq_ranges_add(k->import, range, of->name, of->name_length)
             : status;
}

aq_status aq_kineto_event_done(aq_kineto *k)
{
  event *e = &k->event;
  if (e->category == CATEGORY_OTHER)
    return AQ_OK;
  if (e->category == CATEGORY_INSTANT)
    return instant_done(k);
  if (!e->has_phase)
    return skipped(k, "an event without ph");
  if (e->is_half)
    return skipped(k, "an event in halves (phases B and E): expected phase X");
  if (!e->complete)
    return AQ_OK;
  if (e->category == CATEGORY_RANGE) {
    aq_import_id(k->import, "pid", &e->pid);
    /* Unlike a packet, a range that lacks something is not worth the trace. */
    if (e->has_ts != PRESENT || e->has_dur != PRESENT || !e->has_name)
      return skipped(k, "user_annotation without ts, dur or name");
    return aq_kineto_annotation(k, &(aq_span){.begin = e->ts,
                                              .length = e->dur,
                                              .pid = e->pid,
                                              .tid = e->tid,
                                              .name = k->name,
                                              .name_length = k->name_length});
  }
  if (e->has_ts == ABSENT)
    return absent(k, "ts");
  if (e->has_dur == ABSENT)
    return absent(k, "dur");
  if (!e->has_name)
    return absent(k, "name");
  if (e->has_ts == UNREADABLE || e->has_dur == UNREADABLE)
    return skipped(k, e->has_ts == UNREADABLE ? "ts is not a number"
                                              : "dur is not a number");
  check_ids(k);
  return e->category == CATEGORY_CALL ? host_row(k, e) : device_row(k, e);
}

/* ---- devices ---- */

aq_status aq_kineto_prop_done(aq_kineto *k)
{
  if (k->name_length > 0) {
    k->prop.name = aq_arena_text(&k->arena, k->name, k->name_length);
    if (!k->prop.name)
      return aq_diag_no_memory(k->import->diag);
  }
  if (!AQ_ARRAY_PUSH(k->props, k->prop_count, k->prop_capacity, k->prop))
    return aq_diag_no_memory(k->import->diag);
  return AQ_OK;
}

static bool same_gpu(const properties *a, const properties *b)
{
  return a->cus == b->cus && a->major == b->major && a->minor == b->minor &&
         (a->name && b->name ? strcmp(a->name, b->name) == 0
                             : a->name == b->name);
}

static const properties *props_find(const aq_kineto *k, int64_t id)
{
  const properties *found = NULL;
  for (size_t i = 0; i < k->prop_count; i++)
    if (k->props[i].id == id)
      found = &k->props[i];
  return found;
}

/* The properties' ids count visible GPUs, a row's device counts agents, CPUs
 * first: only where all GPUs are equal is it certain which is meant. */
static const properties *props_of(const aq_kineto *k, const gpu *g)
{
  bool all_same = k->prop_count > 0;
  for (size_t i = 0; i < k->prop_count; i++)
    all_same &= same_gpu(&k->props[0], &k->props[i]);
  return all_same ? &k->props[0] : props_find(k, g->device);
}

static const char *gfx_of(const properties *p)
{
  const char *gfx = aq_gpu_gfx(p->name);
  if (gfx || p->major != 9)
    return gfx;
  return p->minor == 4 ? "gfx942" : p->minor == 5 ? "gfx950" : NULL;
}

/* The device of an id of PyTorch's allocator, which counts visible GPUs. Rows
 * of older profiles count agents, CPUs first: then only one GPU is certain. */
static aq_status allocator_device(aq_kineto *k, bool only, int64_t id,
                                  int64_t *ordinal)
{
  const bool rows_count_gpus = aq_map_get(&k->gpu_by_id, 0, NULL);
  uint64_t known;
  if (only && k->gpu_count == 1) {
    *ordinal = k->gpus[0].ordinal;
    return AQ_OK;
  }
  if (rows_count_gpus && aq_map_get(&k->gpu_by_id, (uint64_t)id, &known)) {
    *ordinal = k->gpus[known].ordinal;
    return AQ_OK;
  }
  if (!rows_count_gpus || !props_find(k, id))
    aq_import_fault_number(
        k->import, AQ_REPAIR_UNLISTED_DEVICE,
        "allocation counted on a device of its own: Device Id", id);
  return aq_import_device(
      k->import, &(aq_run_device){.source_id = id, .cus = AQ_NONE}, ordinal);
}

static aq_status allocations_describe(aq_kineto *k)
{
  aq_memory_events *a = &k->import->memory;
  int64_t first = AQ_NONE;
  bool only = true;
  for (size_t i = 0; i < a->event_count; i++) {
    const int64_t id = a->events[i].device;
    only &= id == AQ_NONE || first == AQ_NONE || id == first;
    first = first == AQ_NONE ? id : first;
  }
  aq_status status = AQ_OK;
  for (size_t i = 0; i < a->event_count && status == AQ_OK; i++)
    if (a->events[i].device != AQ_NONE)
      status =
          allocator_device(k, only, a->events[i].device, &a->events[i].device);
  return status;
}

aq_status aq_kineto_describe(aq_kineto *k)
{
  aq_status status = allocations_describe(k);
  for (size_t i = 0; i < k->gpu_count && status == AQ_OK; i++) {
    const properties *p = props_of(k, &k->gpus[i]);
    if (!p)
      continue;
    aq_run_device device = {.source_id = k->gpus[i].source_id,
                            .name = p->name,
                            .gfx = gfx_of(p),
                            .cus = p->cus};
    int64_t ordinal;
    status = aq_import_device(k->import, &device, &ordinal);
  }
  return status;
}
