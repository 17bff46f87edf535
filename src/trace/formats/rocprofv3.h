/* SPDX-License-Identifier: MIT */
/*
 * What all outputs of rocprofv3 have in common (CSV, JSON, databases): agents,
 * calls, copies.
 * Thread rule: one thread at a time per import.
 */
#ifndef AQ_TRACE_FORMATS_ROCPROFV3_H
#define AQ_TRACE_FORMATS_ROCPROFV3_H

#include "trace/import/importers.h"

typedef struct aq_agent {
  int64_t id; /* unique in the run */
  bool gpu;
  int64_t cus;      /* or AQ_NONE */
  const char *name; /* marketing name, or NULL */
  const char *gfx;  /* or NULL */
} aq_agent;

typedef struct aq_agents {
  aq_map by_id;
  aq_agent *agents;
  size_t count, capacity;
  aq_arena arena; /* owns the texts */
} aq_agents;

void aq_agents_fini(aq_agents *agents);

/* Adds an agent; its texts are copied (empty ones are unknown). */
aq_status aq_agents_add(aq_agents *agents, aq_import *import, aq_agent agent,
                        size_t name_length, size_t gfx_length);

/* NULL where it was not added. */
const aq_agent *aq_agents_find(const aq_agents *agents, int64_t id);

/* The device of the run that an agent is, with its known facts. */
aq_status aq_agents_device(const aq_agents *agents, aq_import *import,
                           int64_t id, int64_t *ordinal);

/* The GPU that a copy is counted for: the destination, or the source where the
 * destination is a CPU or not known. AQ_NONE where neither is known. */
int64_t aq_agents_copy_gpu(const aq_agents *agents, int64_t source,
                           int64_t destination, const char *direction,
                           size_t length);

/* Whether a copy is from host to host, by its direction. */
bool aq_rocprofv3_is_host_copy(const char *direction, size_t length);

/* A copy's queue: no AQL queue, so one a stream, with a negative id. */
static inline int64_t aq_rocprofv3_copy_queue(int64_t stream)
{
  return stream == AQ_NONE ? -1 : -1 - stream;
}

/* A host call of the runtime: puts the row of one that waits, and adds one
 * that submits to the join. */
typedef struct aq_rocprofv3_call {
  const char *name;
  size_t name_length;
  aq_tick begin, end;
  int64_t pid, tid, correlation;
  uint64_t process;
  const aq_host_call *details; /* about its rows, or NULL */
} aq_rocprofv3_call;

aq_status aq_rocprofv3_call_add(aq_import *import, aq_correlation *join,
                                const aq_rocprofv3_call *call);

/* Gives a kernel or copy its name and queue, counts it, and joins it. device
 * and the times are set; queue is the source's id. */
aq_status aq_rocprofv3_row_add(aq_import *import, aq_correlation *join,
                               aq_record *row, uint64_t process, int64_t queue,
                               const char *name, size_t name_length);

/* Notes that a dispatch has a row; `started` is the caller's. One that has
 * another start already is counted: a kernel replay runs it again for each pass
 * over its counters. An exact repeat is found with all others. */
aq_status aq_rocprofv3_dispatch_note(aq_import *import, aq_map *started,
                                     int64_t dispatch, uint64_t process,
                                     aq_time start, const char *field);

/* An allocation or free of memory. It lasts from the end of its call to the
 * begin of the call that frees it, which names its address alone. */
typedef struct aq_rocprofv3_allocation {
  const char *operation; /* "MEMORY_ALLOCATION_FREE" */
  size_t operation_length;
  bool timed; /* both times are readable */
  aq_tick begin, end;
  int64_t agent, bytes, address, pid, tid;
  uint64_t process;
} aq_rocprofv3_allocation;

aq_status aq_rocprofv3_allocation_add(aq_import *import,
                                      const aq_agents *agents,
                                      const aq_rocprofv3_allocation *a);

extern const char aq_rocprofv3_advice[];

#endif
