/* SPDX-License-Identifier: MIT */
/*
 * The exporter of rocpd in four parts: rocpd_export.c makes the file and
 * writes its rows, rocpd_info.c the tables they refer to, rocpd_life.c the
 * other events in the life of a packet, rocpd_counters.c samples of counters.
 * Only they include this.
 *
 * Ids are given in the order things are met, so that the bytes depend on the
 * run alone. Errors of SQLite are kept in the connection: a caller that sees
 * false
 * asks it. Thread rule: one thread at a time per export.
 */
#ifndef AQ_TRACE_DB_ROCPD_EXPORT_H
#define AQ_TRACE_DB_ROCPD_EXPORT_H

#include "common/map.h"
#include "trace/db/rocpd_schema.h"
#include "trace/import/trace.h"

/* The insertions, with the columns that have no default: S(id, table,
 * columns). Each is one prepared statement. */
#define AQ_ROCPD_STATEMENTS(S)                                                 \
  S(STRING, "string", "id, string")                                            \
  S(NODE, "info_node", "id, hash, machine_id, system_name, hardware_name")     \
  S(PROCESS, "info_process", "id, nid, pid, command")                          \
  S(THREAD, "info_thread", "id, nid, pid, tid, name")                          \
  S(AGENT, "info_agent",                                                       \
    "id, nid, pid, type, absolute_index, logical_index, type_index, name, "    \
    "model_name, vendor_name, product_name, user_name")                        \
  S(QUEUE, "info_queue", "id, nid, pid, name")                                 \
  S(STREAM, "info_stream", "id, nid, pid, name")                               \
  S(CODE, "info_code_object", "id, nid, pid, agent_id, uri, storage_type")     \
  S(SYMBOL, "info_kernel_symbol",                                              \
    "id, nid, pid, code_object_id, kernel_name, display_name, sgpr_count, "    \
    "arch_vgpr_count, accum_vgpr_count")                                       \
  S(PMC, "info_pmc",                                                           \
    "id, nid, pid, agent_id, target_arch, name, symbol, description, "         \
    "component, units, value_type")                                            \
  S(PMC_EVENT, "pmc_event", "event_id, pmc_id, value")                         \
  S(TRACK, "track", "id, nid, pid, tid, name_id")                              \
  S(EVENT, "event",                                                            \
    "id, category_id, stack_id, parent_stack_id, correlation_id, extdata")     \
  S(ARG, "arg", "event_id, position, type, name, value")                       \
  S(REGION, "region", "id, nid, pid, tid, start, end, name_id, event_id")      \
  S(SAMPLE, "sample", "track_id, timestamp, event_id")                         \
  S(KERNEL, "kernel_dispatch",                                                 \
    "id, nid, pid, tid, agent_id, kernel_id, dispatch_id, queue_id, "          \
    "stream_id, start, end, private_segment_size, group_segment_size, "        \
    "workgroup_size_x, workgroup_size_y, workgroup_size_z, grid_size_x, "      \
    "grid_size_y, grid_size_z, region_name_id, event_id")                      \
  S(COPY, "memory_copy",                                                       \
    "id, nid, pid, tid, start, end, name_id, dst_agent_id, src_agent_id, "     \
    "size, queue_id, stream_id, region_name_id, event_id")

typedef enum aq_rocpd_statement {
#define S(id, table, columns) AQ_ROCPD_##id,
  AQ_ROCPD_STATEMENTS(S)
#undef S
      AQ_ROCPD_STATEMENT_COUNT
} aq_rocpd_statement;

/* The one machine of a run; its CPU, before the GPUs. */
enum { AQ_ROCPD_NODE_ID = 1, AQ_ROCPD_CPU = 1, AQ_ROCPD_GPU = 2 };

/* Host calls that were written. */
typedef struct aq_rocpd_call {
  aq_time begin; /* of the rows with the same correlation */
  int64_t stack, region;
} aq_rocpd_call;

/* A kernel symbol is a name with its registers. */
typedef struct aq_rocpd_symbol {
  int64_t name, vgpr, agpr, sgpr;
} aq_rocpd_symbol;

typedef struct aq_rocpd_writer {
  sqlite3 *db;
  aq_trace_source *source;
  aq_rocpd_id id;
  bool life; /* packets' lives too */
  int64_t base_ns;
  int64_t own_pid; /* of rows that do not say whose they are */
  sqlite3_stmt *statements[AQ_ROCPD_STATEMENT_COUNT];
  aq_names strings; /* ids are one less than in the file */
  aq_map string_of; /* name of the run → id in the file */
  aq_map process_of, thread_of, stream_of, symbol_of, track_of, call_of;
  aq_rocpd_symbol *symbols; /* by id less one */
  size_t symbol_count, symbol_capacity;
  int64_t *queue_ids; /* in the file, by ordinal */
  bool *queue_written;
  aq_rocpd_call *calls;
  size_t call_count, call_capacity;
  int64_t empty; /* id of the empty string */
  int64_t events, regions, kernels, copies, stacks;
} aq_rocpd_writer;

/* A value of a statement; AQ_NONE is NULL. Positions begin at 1. */
static inline void aq_rocpd_bind(sqlite3_stmt *statement, int at, int64_t value)
{
  if (value == AQ_NONE)
    sqlite3_bind_null(statement, at);
  else
    sqlite3_bind_int64(statement, at, value);
}

/* Inserts integers, in the order of the statement's columns; texts among them
 * are bound by the caller before. */
bool aq_rocpd_insert(aq_rocpd_writer *w, aq_rocpd_statement which);
bool aq_rocpd_put(aq_rocpd_writer *w, aq_rocpd_statement which,
                  const int64_t *values, int count);

/* Nanoseconds of the source's clock, cut; AQ_NONE stays. */
int64_t aq_rocpd_ns(const aq_rocpd_writer *w, aq_time time);

/* ---- rocpd_info.c: ids of what rows refer to; false: an error ---- */

bool aq_rocpd_string_id(aq_rocpd_writer *w, const char *text, int64_t *id);
bool aq_rocpd_name_id(aq_rocpd_writer *w, int64_t name, int64_t *id);
bool aq_rocpd_process_id(aq_rocpd_writer *w, int64_t pid, int64_t *id);
bool aq_rocpd_thread_id(aq_rocpd_writer *w, int64_t pid, int64_t tid,
                        const char *name, int64_t *id);
bool aq_rocpd_stream_id(aq_rocpd_writer *w, int64_t pid, int64_t stream,
                        int64_t *id);
bool aq_rocpd_queue_id(aq_rocpd_writer *w, int64_t pid, int64_t queue,
                       int64_t *id);
bool aq_rocpd_kernel_id(aq_rocpd_writer *w, const aq_record *row, int64_t *id);

/* The node, the first process and the agents. */
bool aq_rocpd_info_begin(aq_rocpd_writer *w);
void aq_rocpd_info_fini(aq_rocpd_writer *w);

/* ---- rocpd_life.c ---- */

/* An event under a category; message (may be NULL) is the marker's text. */
bool aq_rocpd_event(aq_rocpd_writer *w, const char *category, int64_t stack,
                    const char *message, int64_t *id);

/* One track for each thread and name. */
bool aq_rocpd_track(aq_rocpd_writer *w, int64_t process, int64_t thread,
                    int64_t name, int64_t *id);

/* The stack id that joins a row with its host call; the call is written when
 * it is met first. AQ_NONE: it has none. */
bool aq_rocpd_host_call(aq_rocpd_writer *w, const aq_record *row,
                        int64_t *stack);

/* A host call that waited. */
bool aq_rocpd_wait(aq_rocpd_writer *w, const aq_record *row);

/* A range that the program marked. */
bool aq_rocpd_range(aq_rocpd_writer *w, const aq_record *row);

/* What happened to a packet besides its run; `event` is its dispatch's, or
 * AQ_NONE for one that only orders others. */
bool aq_rocpd_packet(aq_rocpd_writer *w, const aq_record *row, int64_t event);

/* ---- rocpd_counters.c ---- */

/* Samples in the order of counter, ordinal and time. */
bool aq_rocpd_counters(aq_rocpd_writer *w, const aq_sample *samples,
                       size_t count);

#endif
