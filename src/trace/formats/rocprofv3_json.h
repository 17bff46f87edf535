/* SPDX-License-Identifier: MIT */
/*
 * The JSON importer of rocprofv3 in two halves: rocprofv3_json.c reads the
 * JSON into records, rocprofv3_rows.c makes tables and rows of them. Only they
 * include this. Thread rule: one thread at a time per import.
 */
#ifndef AQ_TRACE_FORMATS_ROCPROFV3_JSON_H
#define AQ_TRACE_FORMATS_ROCPROFV3_JSON_H

#include "trace/formats/rocprofv3.h"
#include "trace/text/json.h"

/* The keys that say where a value belongs. KEY_NONE: of no interest. */
#define KEYS(K)                                                                \
  K(TOOL, "rocprofiler-sdk-tool")                                              \
  K(METADATA, "metadata")                                                      \
  K(PID, "pid")                                                                \
  K(AGENTS, "agents")                                                          \
  K(ID, "id")                                                                  \
  K(HANDLE, "handle")                                                          \
  K(TYPE, "type")                                                              \
  K(CUS, "cu_count")                                                           \
  K(NAME, "name")                                                              \
  K(PRODUCT, "product_name")                                                   \
  K(STRINGS, "strings")                                                        \
  K(BUFFER, "buffer_records")                                                  \
  K(CALLBACK, "callback_records")                                              \
  K(OPERATIONS, "operations")                                                  \
  K(SYMBOLS, "kernel_symbols")                                                 \
  K(KERNEL_ID, "kernel_id")                                                    \
  K(FORMATTED, "formatted_kernel_name")                                        \
  K(KERNEL_NAME, "kernel_name")                                                \
  K(VGPR, "arch_vgpr_count")                                                   \
  K(AGPR, "accum_vgpr_count")                                                  \
  K(SGPR, "sgpr_count")                                                        \
  K(KERNELS, "kernel_dispatch")                                                \
  K(HIP, "hip_api")                                                            \
  K(HSA, "hsa_api")                                                            \
  K(COPIES, "memory_copy")                                                     \
  K(ALLOCATIONS, "memory_allocation")                                          \
  K(MARKERS, "marker_api")                                                     \
  K(COUNTERS, "counter_collection")                                            \
  K(KIND, "kind")                                                              \
  K(OPERATION, "operation")                                                    \
  K(TID, "thread_id")                                                          \
  K(CORRELATION, "correlation_id")                                             \
  K(INTERNAL, "internal")                                                      \
  K(START, "start_timestamp")                                                  \
  K(END, "end_timestamp")                                                      \
  K(DISPATCH_DATA, "dispatch_data")                                            \
  K(DISPATCH, "dispatch_info")                                                 \
  K(DISPATCH_ID, "dispatch_id")                                                \
  K(RECORDS, "records")                                                        \
  K(AGENT, "agent_id")                                                         \
  K(QUEUE, "queue_id")                                                         \
  K(STREAM, "stream_id")                                                       \
  K(SOURCE, "src_agent_id")                                                    \
  K(DESTINATION, "dst_agent_id")                                               \
  K(BYTES, "bytes")                                                            \
  K(SIZE, "allocation_size")                                                   \
  K(ADDRESS, "address")                                                        \
  K(SCRATCH, "private_segment_size")                                           \
  K(LDS, "group_segment_size")                                                 \
  K(WG, "workgroup_size")                                                      \
  K(GRID, "grid_size")                                                         \
  K(KEY, "key")                                                                \
  K(VALUE, "value")                                                            \
  K(X, "x")                                                                    \
  K(Y, "y")                                                                    \
  K(Z, "z")

typedef enum key {
  KEY_NONE,
#define K(id, text) KEY_##id,
  KEYS(K)
#undef K
      KEY_COUNT
} key;

typedef enum section {
  SECTION_NONE,
  SECTION_METADATA,
  SECTION_AGENTS,
  SECTION_STRINGS,
  SECTION_SYMBOLS,
  SECTION_KERNELS,
  SECTION_CALLS,
  SECTION_COPIES,
  SECTION_ALLOCATIONS,
  SECTION_MARKERS,
  SECTION_MESSAGES, /* of markers */
  SECTION_COUNTERS,
} section;

enum { DEPTH_MAX = 16 };

/* One element of a section, whichever it is. */
typedef struct record {
  bool has_start, has_end, start_ok, end_ok;
  aq_tick start, end;
  int64_t id, type, cus, kernel_id, vgpr, agpr, sgpr;
  int64_t kind, operation, tid, correlation, agent, queue, stream;
  int64_t source, destination, bytes, address, scratch, lds;
  int64_t wg[3], grid[3];
  int64_t dispatch;
  uint64_t counters; /* values of a dispatch */
} record;

/* A range or mark of roctx, until all messages are known. */
typedef struct marker {
  aq_range range;
  int64_t correlation;
} marker;

typedef struct symbol {
  char *name;
  int64_t vgpr, agpr, sgpr;
} symbol;

/* A text of the record that is being read; borrowed texts must be kept. */
typedef struct text {
  char *bytes;
  size_t length, capacity;
} text;

typedef struct aq_rocprofv3_tool {
  aq_import *import;
  aq_correlation *join;
  const aq_trace_file *file;
  const aq_json *where;
  bool has_tool, in_process;
  uint64_t processes; /* seen so far: the current one is processes - 1 */
  int64_t pid;
  int depth; /* containers open; key[d] is the key last read in the d-th */
  key keys[DEPTH_MAX + 1];
  section section;
  int section_depth;
  record record;
  text name, product; /* of the agent, symbol or marker */
  int64_t kinds;      /* in strings, so far */
  int64_t operations; /* of the current kind, so far */
  aq_agents agents;
  aq_map symbol_by_id, operation_by_id;
  aq_map message_by_id; /* correlation → index in messages */
  aq_map started;       /* dispatches that have a row, of all processes */
  symbol *symbols;
  size_t symbol_count, symbol_capacity;
  char **operation_names;
  size_t operation_count, operation_capacity;
  char **messages;
  size_t message_count, message_capacity;
  marker *markers;
  size_t marker_count, marker_capacity;
  record *counted; /* dispatches with counters, in the file before the others */
  size_t counted_count, counted_capacity;
  aq_arena arena;
} aq_rocprofv3_tool;

/* A process begins: the ids of its kernels and operations are its own. */
void aq_rocprofv3_process_begin(aq_rocprofv3_tool *t);

/* A process ends: markers get their messages, and dispatches that have counters
 * and no row get one. */
aq_status aq_rocprofv3_process_end(aq_rocprofv3_tool *t);

/* A name in the list of operations; an element of the current section. */
aq_status aq_rocprofv3_operation_add(aq_rocprofv3_tool *t, const char *bytes,
                                     size_t length);
aq_status aq_rocprofv3_element_done(aq_rocprofv3_tool *t);

#endif
