/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "trace/formats/rocprofv3.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"

const char aq_rocprofv3_advice[] =
    "record host calls too and import the whole directory: rocprofv3 "
    "--hip-runtime-trace --kernel-trace --memory-copy-trace "
    "--output-format csv -d DIR -- PROGRAM";

/* ---- agents ---- */

void aq_agents_fini(aq_agents *agents)
{
  free(agents->agents);
  aq_map_fini(&agents->by_id);
  aq_arena_fini(&agents->arena);
}

aq_status aq_agents_add(aq_agents *agents, aq_import *import, aq_agent agent,
                        size_t name_length, size_t gfx_length)
{
  if (aq_map_get(&agents->by_id, (uint64_t)agent.id, NULL))
    return AQ_OK;
  agent.name = name_length
                   ? aq_arena_text(&agents->arena, agent.name, name_length)
                   : NULL;
  agent.gfx =
      gfx_length ? aq_arena_text(&agents->arena, agent.gfx, gfx_length) : NULL;
  if ((name_length && !agent.name) || (gfx_length && !agent.gfx) ||
      !aq_map_put(&agents->by_id, (uint64_t)agent.id, agents->count) ||
      !AQ_ARRAY_PUSH(agents->agents, agents->count, agents->capacity, agent))
    return aq_diag_no_memory(import->diag);
  return AQ_OK;
}

const aq_agent *aq_agents_find(const aq_agents *agents, int64_t id)
{
  uint64_t index;
  return aq_map_get(&agents->by_id, (uint64_t)id, &index)
             ? &agents->agents[index]
             : NULL;
}

aq_status aq_agents_device(const aq_agents *agents, aq_import *import,
                           int64_t id, int64_t *ordinal)
{
  aq_run_device device = {.source_id = aq_import_device_id(import, id),
                          .cus = AQ_NONE};
  const aq_agent *agent = aq_agents_find(agents, id);
  if (agent) {
    device.name = agent->name;
    device.gfx = agent->gfx ? agent->gfx : aq_gpu_gfx(agent->name);
    device.cus = agent->cus;
  }
  return aq_import_device(import, &device, ordinal);
}

int64_t aq_agents_copy_gpu(const aq_agents *agents, int64_t source,
                           int64_t destination, const char *direction,
                           size_t length)
{
  static const char to_host[] = "DEVICE_TO_HOST";
  const aq_agent *agent = aq_agents_find(agents, destination);
  bool from_device =
      agent ? !agent->gpu
            : memmem(direction, length, to_host, strlen(to_host)) != NULL;
  return from_device || destination == AQ_NONE ? source : destination;
}

bool aq_rocprofv3_is_host_copy(const char *direction, size_t length)
{
  static const char host[] = "HOST_TO_HOST";
  return length > 0 && memmem(direction, length, host, strlen(host)) != NULL;
}

/* ---- rows ---- */

static uint64_t join_key(int64_t correlation, uint64_t process)
{
  return (uint64_t)correlation ^ process << 44;
}

static aq_status put_wait(aq_import *import, const aq_rocprofv3_call *call,
                          aq_time begin, aq_time end)
{
  aq_record row;
  aq_record_init(&row);
  row.kind = AQ_KIND_WAIT;
  row.flags = 0;
  row.host_begin = begin;
  row.host_end = end;
  row.pid = call->pid;
  row.tid = call->tid;
  row.correlation = call->correlation;
  aq_status status =
      aq_import_name(import, call->name, call->name_length, &row.name);
  return status == AQ_OK ? aq_import_put(import, &row) : status;
}

aq_status aq_rocprofv3_call_add(aq_import *import, aq_correlation *join,
                                const aq_rocprofv3_call *call)
{
  bool waits = aq_api_waits(call->name, call->name_length);
  bool submits = aq_api_submits(call->name, call->name_length);
  bool events = aq_import_is_event(call->name, call->name_length);
  if (submits && call->correlation == AQ_NONE) {
    aq_import_fault(import, AQ_REPAIR_UNTIED_CALL, "call", call->name,
                    call->name_length);
    submits = false;
  }
  if (!waits && !submits && !events)
    return AQ_OK;
  aq_host_call host = {.lds = AQ_NONE, .bytes = AQ_NONE};
  if (call->details)
    host = *call->details;
  host.name = call->name;
  host.name_length = call->name_length;
  host.correlation = call->correlation;
  host.pid = call->pid;
  host.tid = call->tid;
  host.graph = aq_api_graph(call->name, call->name_length);
  if (!aq_import_between(import, call->begin, call->end, &host.begin,
                         &host.end)) {
    aq_import_skip(import, "times are not numbers in range", NULL, 0);
    return AQ_OK;
  }
  bool again;
  aq_status status = aq_import_call_again(import, &host, call->process, &again);
  if (status != AQ_OK || again)
    return status;
  status = aq_import_event_call(import, call->name, call->name_length,
                                (aq_edge_call){.begin = host.begin,
                                               .end = host.end,
                                               .pid = call->pid,
                                               .tid = call->tid});
  if (status == AQ_OK && waits)
    status = aq_import_wait_call(import, call->name, call->name_length,
                                 call->pid, host.begin, host.end);
  if (status == AQ_OK && waits)
    status = put_wait(import, call, host.begin, host.end);
  if (status == AQ_OK && submits)
    status = aq_correlation_call_add(
        join, join_key(call->correlation, call->process), &host);
  return status;
}

aq_status aq_rocprofv3_row_add(aq_import *import, aq_correlation *join,
                               aq_record *row, uint64_t process, int64_t queue,
                               const char *name, size_t name_length)
{
  aq_status status = aq_import_queue(
      import, row->device,
      aq_import_scoped(queue == AQ_NONE ? 0 : queue, process), &row->queue);
  if (status == AQ_OK)
    status = aq_import_name(import, name, name_length, &row->name);
  if (status != AQ_OK)
    return status;
  bool again;
  status = aq_import_row_again(import, row, &again);
  if (status != AQ_OK || again)
    return status;
  aq_import_order(import, row);
  /* RDNA has 128 scalar registers for each wave, GCN and CDNA at most 112. */
  enum { SGPRS_GFX9 = 112 };
  if (row->sgpr > SGPRS_GFX9)
    import->result->wave_size = 32;
  if (row->correlation == AQ_NONE)
    return aq_correlation_row_alone(join, row);
  return aq_correlation_row_add(join, join_key(row->correlation, process), row);
}

aq_status aq_rocprofv3_dispatch_note(aq_import *import, aq_map *started,
                                     int64_t dispatch, uint64_t process,
                                     aq_time start, const char *field)
{
  const uint64_t key = (uint64_t)aq_import_scoped(dispatch, process);
  uint64_t known;
  if (dispatch == AQ_NONE || dispatch == 0)
    return AQ_OK;
  if (!aq_map_get(started, key, &known))
    return aq_map_put(started, key, (uint64_t)start)
               ? AQ_OK
               : aq_diag_no_memory(import->diag);
  if (known != (uint64_t)start)
    aq_import_fault_number(import, AQ_REPAIR_DISPATCH_AGAIN, field, dispatch);
  return AQ_OK;
}

aq_status aq_rocprofv3_allocation_add(aq_import *import,
                                      const aq_agents *agents,
                                      const aq_rocprofv3_allocation *a)
{
  const bool frees = a->operation_length > 0 &&
                     memmem(a->operation, a->operation_length, "FREE", 4);
  const aq_agent *agent = frees ? NULL : aq_agents_find(agents, a->agent);
  aq_memory_event event = {.at = frees ? a->begin : a->end,
                           .device = AQ_NONE,
                           .scope = a->process,
                           .address = a->address,
                           .bytes = frees ? 0 : a->bytes,
                           .allocated = AQ_NONE,
                           .reserved = AQ_NONE,
                           .pid = a->pid,
                           .tid = a->tid};
  if (!a->timed || a->address == AQ_NONE || (!frees && a->bytes <= 0)) {
    aq_import_fault(import, AQ_REPAIR_SKIPPED_OP,
                    "allocation without times, size or address", a->operation,
                    a->operation_length);
    return AQ_OK;
  }
  if (!frees && !agent)
    aq_import_fault_number(import, AQ_REPAIR_UNLISTED_DEVICE,
                           "allocation counted as the host's: agent", a->agent);
  aq_status status = AQ_OK;
  if (agent && agent->gpu)
    status = aq_agents_device(agents, import, a->agent, &event.device);
  return status == AQ_OK ? aq_memory_event_add(import, event) : status;
}
