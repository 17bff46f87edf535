/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "trace/formats/rocprofv3_json.h"

/* ---- tables: kernel symbols and operation names of the process ---- */

static uint64_t operation_key(int64_t kind, int64_t operation)
{
  return (uint64_t)kind << 32 ^ (uint64_t)operation;
}

aq_status aq_rocprofv3_operation_add(aq_rocprofv3_tool *t, const char *bytes,
                                     size_t length)
{
  char *name = aq_arena_text(&t->arena, bytes, length);
  uint64_t place = operation_key(t->kinds, t->operations++);
  if (!name || !aq_map_put(&t->operation_by_id, place, t->operation_count) ||
      !AQ_ARRAY_PUSH(t->operation_names, t->operation_count,
                     t->operation_capacity, name))
    return aq_diag_no_memory(t->import->diag);
  return AQ_OK;
}

static const char *operation_name(const aq_rocprofv3_tool *t)
{
  uint64_t index;
  return aq_map_get(&t->operation_by_id,
                    operation_key(t->record.kind, t->record.operation), &index)
             ? t->operation_names[index]
             : "";
}

static aq_status add_message(aq_rocprofv3_tool *t)
{
  char *message = aq_arena_text(&t->arena, t->name.bytes ? t->name.bytes : "",
                                t->name.length);
  if (!message ||
      !aq_map_put(&t->message_by_id, (uint64_t)t->record.id,
                  t->message_count) ||
      !AQ_ARRAY_PUSH(t->messages, t->message_count, t->message_capacity,
                     message))
    return aq_diag_no_memory(t->import->diag);
  return AQ_OK;
}

static aq_status add_symbol(aq_rocprofv3_tool *t)
{
  char *name = aq_arena_text(&t->arena, t->name.bytes ? t->name.bytes : "",
                             t->name.length);
  if (!name ||
      !aq_map_put(&t->symbol_by_id, (uint64_t)t->record.kernel_id,
                  t->symbol_count) ||
      !AQ_ARRAY_PUSH(
          t->symbols, t->symbol_count, t->symbol_capacity,
          (symbol){name, t->record.vgpr, t->record.agpr, t->record.sgpr}))
    return aq_diag_no_memory(t->import->diag);
  return AQ_OK;
}

static int64_t machine_agent(const aq_rocprofv3_tool *t, int64_t handle)
{
  return handle == AQ_NONE ? AQ_NONE : aq_import_scoped(handle, t->file->host);
}

static aq_status add_agent(aq_rocprofv3_tool *t)
{
  enum { TYPE_GPU = 2 };
  if (t->record.id == AQ_NONE)
    return AQ_OK;
  aq_agent agent = {.id = machine_agent(t, t->record.id),
                    .gpu = t->record.type == TYPE_GPU,
                    .cus = t->record.cus,
                    .name = t->product.bytes,
                    .gfx = t->name.bytes};
  return aq_agents_add(&t->agents, t->import, agent, t->product.length,
                       agent.gpu ? t->name.length : 0);
}

void aq_rocprofv3_process_begin(aq_rocprofv3_tool *t)
{
  t->processes++;
  t->in_process = true;
  t->pid = t->file->pid;
  t->kinds = 0;
  t->symbol_count = t->operation_count = t->message_count = 0;
  t->counted_count = t->marker_count = 0;
  aq_map_fini(&t->message_by_id);
  aq_map_fini(&t->symbol_by_id);
  aq_map_fini(&t->operation_by_id);
  aq_arena_reset(&t->arena);
}

/* ---- rows ---- */

static aq_status absent(aq_rocprofv3_tool *t, const char *what)
{
  return aq_diag_set(t->import->diag, AQ_ERR_INPUT,
                     "%s: byte %llu: a record has no \"%s\"", t->file->path,
                     (unsigned long long)aq_json_byte(t->where), what);
}

static aq_status check_times(aq_rocprofv3_tool *t, bool *readable)
{
  const record *r = &t->record;
  if (!r->has_start)
    return absent(t, "start_timestamp");
  if (!r->has_end)
    return absent(t, "end_timestamp");
  *readable = r->start_ok && r->end_ok;
  if (!*readable)
    aq_import_skip(t->import,
                   r->start_ok ? "end_timestamp is not a number"
                               : "start_timestamp is not a number",
                   NULL, 0);
  return AQ_OK;
}

static bool read_common(aq_rocprofv3_tool *t, aq_record *row, int kind)
{
  const record *r = &t->record;
  aq_record_init(row);
  if (!aq_import_between(t->import, r->start, r->end, &row->start, &row->end)) {
    aq_import_skip(t->import, "timestamps out of range", NULL, 0);
    return false;
  }
  row->kind = kind;
  row->flags = 0;
  row->correlation = r->correlation;
  row->stream = r->stream;
  row->tid = r->tid;
  row->pid = t->pid;
  return true;
}

static aq_status kernel_done(aq_rocprofv3_tool *t)
{
  const record *r = &t->record;
  aq_record row;
  if (r->kernel_id == AQ_NONE)
    return absent(t, "kernel_id");
  if (!read_common(t, &row, AQ_KIND_KERNEL))
    return AQ_OK;
  row.lds = r->lds;
  row.scratch = r->scratch;
  row.wg_x = r->wg[0];
  row.wg_y = r->wg[1];
  row.wg_z = r->wg[2];
  row.grid_x = r->grid[0];
  row.grid_y = r->grid[1];
  row.grid_z = r->grid[2];
  char number[48];
  const char *name = number;
  uint64_t index;
  if (aq_map_get(&t->symbol_by_id, (uint64_t)r->kernel_id, &index)) {
    name = t->symbols[index].name;
    row.vgpr = t->symbols[index].vgpr;
    row.agpr = t->symbols[index].agpr;
    row.sgpr = t->symbols[index].sgpr;
  } else {
    int length =
        snprintf(number, sizeof number, "kernel %lld", (long long)r->kernel_id);
    if (t->symbol_count > 0)
      aq_import_fault(t->import, AQ_REPAIR_BAD_NUMBER,
                      "kernel_id without a symbol", number, (size_t)length);
  }
  aq_status status = aq_agents_device(&t->agents, t->import,
                                      machine_agent(t, r->agent), &row.device);
  if (status == AQ_OK)
    status =
        aq_rocprofv3_dispatch_note(t->import, &t->started, r->dispatch,
                                   t->processes - 1, row.start, "dispatch_id");
  if (status != AQ_OK)
    return status;
  return aq_rocprofv3_row_add(t->import, t->join, &row, t->processes - 1,
                              r->queue, name, strlen(name));
}

static aq_status copy_done(aq_rocprofv3_tool *t)
{
  const record *r = &t->record;
  aq_record row;
  if (!read_common(t, &row, AQ_KIND_COPY))
    return AQ_OK;
  row.bytes = r->bytes;
  const char *name = operation_name(t);
  if (aq_rocprofv3_is_host_copy(name, strlen(name)))
    return aq_import_host_copy_skip(t->import, name, strlen(name));
  int64_t gpu =
      aq_agents_copy_gpu(&t->agents, machine_agent(t, r->source),
                         machine_agent(t, r->destination), name, strlen(name));
  aq_status status = aq_agents_device(&t->agents, t->import, gpu, &row.device);
  if (status != AQ_OK)
    return status;
  return aq_rocprofv3_row_add(t->import, t->join, &row, t->processes - 1,
                              aq_rocprofv3_copy_queue(row.stream), name,
                              strlen(name));
}

static aq_status call_done(aq_rocprofv3_tool *t)
{
  const record *r = &t->record;
  const char *name = operation_name(t);
  aq_rocprofv3_call call = {.name = name,
                            .name_length = strlen(name),
                            .begin = r->start,
                            .end = r->end,
                            .pid = t->pid,
                            .tid = r->tid,
                            .correlation = r->correlation,
                            .process = t->processes - 1};
  return aq_rocprofv3_call_add(t->import, t->join, &call);
}

static aq_status allocation_done(aq_rocprofv3_tool *t)
{
  const record *r = &t->record;
  const char *name = operation_name(t);
  return aq_rocprofv3_allocation_add(
      t->import, &t->agents,
      &(aq_rocprofv3_allocation){.operation = name,
                                 .operation_length = strlen(name),
                                 .timed = r->start_ok && r->end_ok,
                                 .begin = r->start,
                                 .end = r->end,
                                 .agent = machine_agent(t, r->agent),
                                 .bytes = r->bytes,
                                 .address = r->address,
                                 .pid = t->pid,
                                 .tid = r->tid,
                                 .process = t->processes - 1});
}

/* Whether an operation of roctx makes neither ranges nor marks, by its name. */
static bool is_other_call(const char *operation)
{
  return *operation && !strstr(operation, "Range") &&
         !strstr(operation, "Mark");
}

static aq_status marker_done(aq_rocprofv3_tool *t)
{
  const record *r = &t->record;
  const marker made = {{r->start, r->end, AQ_NONE, t->pid, r->tid},
                       r->correlation};
  if (is_other_call(operation_name(t)))
    return AQ_OK;
  return AQ_ARRAY_PUSH(t->markers, t->marker_count, t->marker_capacity, made)
             ? AQ_OK
             : aq_diag_no_memory(t->import->diag);
}

/* The range of a marker, whose message may stand behind it in the file. */
static aq_status marker_put(aq_rocprofv3_tool *t, const marker *m)
{
  uint64_t index;
  if (aq_map_get(&t->message_by_id, (uint64_t)m->correlation, &index)) {
    const char *message = t->messages[index];
    return aq_ranges_add(t->import, m->range, message, strlen(message));
  }
  char number[48];
  const int length =
      snprintf(number, sizeof number, "marker %lld", (long long)m->correlation);
  aq_import_fault(t->import, AQ_REPAIR_BAD_NUMBER,
                  "correlation_id without a message", number, (size_t)length);
  return aq_ranges_add(t->import, m->range, number, (size_t)length);
}

static aq_status counters_done(aq_rocprofv3_tool *t)
{
  return AQ_ARRAY_PUSH(t->counted, t->counted_count, t->counted_capacity,
                       t->record)
             ? AQ_OK
             : aq_diag_no_memory(t->import->diag);
}

aq_status aq_rocprofv3_process_end(aq_rocprofv3_tool *t)
{
  aq_status status = AQ_OK;
  if (!t->in_process)
    return AQ_OK;
  t->in_process = false;
  for (size_t i = 0; i < t->marker_count && status == AQ_OK; i++)
    status = marker_put(t, &t->markers[i]);
  for (size_t i = 0; i < t->counted_count && status == AQ_OK; i++) {
    uint64_t start;
    t->record = t->counted[i];
    uint64_t unread = t->record.counters;
    const record *r = &t->record;
    if (r->dispatch == AQ_NONE || !r->start_ok || !r->end_ok) {
      aq_import_skip(t->import, "counters without a dispatch_id or times", NULL,
                     0);
      continue;
    }
    if (!aq_map_get(&t->started,
                    (uint64_t)aq_import_scoped(r->dispatch, t->processes - 1),
                    &start)) {
      status = kernel_done(t);
      unread -= unread > 0; /* the first one stands for the row, as in CSV */
    }
    for (uint64_t n = 0; n < unread; n++)
      aq_import_repair(t->import, AQ_REPAIR_COUNTER_ROW);
  }
  return status;
}

static aq_status timed_done(aq_rocprofv3_tool *t)
{
  bool readable = false;
  aq_status status = check_times(t, &readable);
  if (status != AQ_OK || !readable)
    return status;
  return t->section == SECTION_KERNELS   ? kernel_done(t)
         : t->section == SECTION_CALLS   ? call_done(t)
         : t->section == SECTION_MARKERS ? marker_done(t)
                                         : copy_done(t);
}

aq_status aq_rocprofv3_element_done(aq_rocprofv3_tool *t)
{
  switch (t->section) {
  case SECTION_AGENTS:
    return add_agent(t);
  case SECTION_SYMBOLS:
    return t->record.kernel_id == AQ_NONE ? AQ_OK : add_symbol(t);
  case SECTION_STRINGS:
    t->kinds++;
    return AQ_OK;
  case SECTION_KERNELS:
  case SECTION_CALLS:
  case SECTION_COPIES:
  case SECTION_MARKERS:
    return timed_done(t);
  case SECTION_MESSAGES:
    return t->record.id == AQ_NONE ? AQ_OK : add_message(t);
  case SECTION_COUNTERS:
    return counters_done(t);
  case SECTION_ALLOCATIONS:
    return allocation_done(t);
  default:
    return AQ_OK;
  }
}
