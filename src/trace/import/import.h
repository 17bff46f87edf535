/* SPDX-License-Identifier: MIT */
/*
 * What every importer shares: the run's clock, its devices, queues and names,
 * the counting, and a batch of rows on its way to the sink.
 *
 * An importer reads its format and calls this; nothing here knows a format.
 * All functions return the status of the first failure, worded in the diag.
 * Thread rule: one thread at a time per import.
 */
#ifndef AQ_TRACE_IMPORT_IMPORT_H
#define AQ_TRACE_IMPORT_IMPORT_H

#include "trace/import/context.h"
#include "trace/import/decimal.h"
#include "trace/import/dependencies.h"
#include "trace/import/device_waits.h"
#include "trace/import/memory_events.h"
#include "trace/import/ranges.h"
#include "trace/import/repeats.h"
#include "trace/import/stream_reader.h"
#include "trace/import/trace.h"

/* A queue and its ordinal in the sink. */
typedef struct aq_import_queue_entry {
  bool used;
  int64_t device, source_id, ordinal;
} aq_import_queue_entry;

/* The begin or end of a time in which a process records a stream's calls into a
 * graph: launches then launch nothing. */
typedef struct aq_import_capture {
  int64_t pid;
  aq_time time;
  bool begins;
} aq_import_capture;

/* Where in its file an importer is: "line 12", "byte 4096". */
typedef struct aq_import_place {
  const char *unit; /* NULL: not known */
  uint64_t (*at)(const void *of);
  const void *of;
} aq_import_place;

typedef struct aq_import {
  aq_record_sink *sink;
  aq_trace_result *result;
  const aq_trace_options *options;
  aq_diag *diag;
  aq_import_place place;
  const char *cut_file; /* the last one that was found truncated */
  bool has_base;        /* result->base_ns is set: the first time seen */
  int64_t origin_ns;    /* added to the base when all times are read */
  uint64_t near, far;   /* times asked for, by their distance from the base */
  int64_t far_ns;       /* the last of the far ones */
  bool rebase;          /* most are far: begin again, with `far_ns` as base */
  bool flushed;         /* the sink has rows */
  bool stray;           /* the last span of times was too far to be one: */
  int64_t stray_ns;     /* of this time */
  aq_import_queue_entry queues[64]; /* met lately */
  aq_time *last_start;              /* by queue: to count rows out of order */
  size_t queue_capacity;
  aq_edges edges;
  aq_device_waits device_waits;
  aq_repeats repeats;
  aq_import_capture *captures;
  size_t capture_count, capture_capacity;
  aq_ranges ranges;
  aq_context context;
  aq_memory_events memory;
  bool edges_told;          /* the source states them: none are looked for */
  int64_t row_count;        /* put so far */
  uint64_t instants;        /* kernels with a duration of 0 */
  aq_time earliest, latest; /* of the rows of a device; AQ_TIME_NONE: none */
  uint64_t progress_at;     /* bytes read when progress was last told */
  size_t batch_count;
  aq_record batch[256];
} aq_import;

void aq_import_init(aq_import *import, aq_record_sink *sink,
                    const aq_trace_options *options, aq_trace_result *result,
                    aq_diag *diag);
void aq_import_fini(aq_import *import);

/* Hands the last rows to the sink and completes the result. */
aq_status aq_import_finish(aq_import *import);

/* The next piece of a reader, with progress told to whoever asked. */
aq_status aq_import_read(aq_import *import, aq_stream_reader *reader,
                         const char **bytes, size_t *size);

static inline void aq_import_repair(aq_import *import, aq_trace_repair repair)
{
  import->result->repairs[repair]++;
}

/* Counts a repair and keeps an example of it: the place, the field, and the
 * text that was found there (NULL: none). */
void aq_import_fault(aq_import *import, aq_trace_repair repair,
                     const char *field, const char *text, size_t length);

/* The same with a number as its text, "none" for AQ_NONE. */
void aq_import_fault_number(aq_import *import, aq_trace_repair repair,
                            const char *field, int64_t number);

/* Counts a row that is left out: because its last span of times was far from
 * all others, or for another reason, with its text (NULL: none). */
void aq_import_skip(aq_import *import, const char *why, const char *text,
                    size_t length);

/* Counts a copy from host to host, which is left out. AQ_OK. */
aq_status aq_import_host_copy_skip(aq_import *import, const char *name,
                                   size_t length);

/* Counts a record that is left out, since its time is far from all others. */
void aq_import_stray(aq_import *import, aq_trace_repair repair, int64_t ns,
                     const char *text, size_t length);

/* A file ended before its contents did: AQ_ERR_INPUT, or AQ_OK where truncated
 * files are allowed; then it is counted once. */
aq_status aq_import_truncated(aq_import *import, const char *file,
                              const char *unit, uint64_t at, const char *what);

/* A size of a row or call, AQ_NONE where it is not one: negative, or above
 * 2^40. Counted. 0 is not a size of a grid or workgroup: unknown. */
void aq_import_size(aq_import *import, const char *field, int64_t *size);
void aq_import_extent(aq_import *import, const char *field, int64_t *size);

/* An id, AQ_NONE where it is negative. Counted. */
void aq_import_id(aq_import *import, const char *field, int64_t *id);

/* The time of the run at a tick of the source's clock; the first one asked for
 * is the base. False where it is more than 106 days from there, negative, or 0
 * more than ten minutes before the base: a clock that was not read. */
bool aq_import_time(aq_import *import, aq_tick tick, aq_time *out);

/* The same of a source whose rows have been read: does not set a base. */
bool aq_import_time_is_near(const aq_import *import, aq_tick tick,
                            aq_time *out);

/* The times of a span that begins at a tick; fixes a negative length. */
bool aq_import_span(aq_import *import, aq_tick begin, aq_tick length,
                    aq_time *from, aq_time *to);

/* The same between two ticks. */
bool aq_import_between(aq_import *import, aq_tick begin, aq_tick end,
                       aq_time *from, aq_time *to);

/* An id that a process or machine of the run gives out (0, 1, 2… in the order
 * they are met): the first one's ids stay as they are, the others' ids are
 * moved out of their way. */
static inline int64_t aq_import_scoped(int64_t id, uint64_t scope)
{
  return (int64_t)((uint64_t)id ^ scope << 40);
}

/* The number of a process: 0, 1, 2… in the order in which they are met. */
aq_status aq_import_process(aq_import *import, aq_map *processes, int64_t pid,
                            uint64_t *process);

/* The id of the device of a row. One that is not recorded is counted, and is
 * 0. */
int64_t aq_import_device_id(aq_import *import, int64_t id);

aq_status aq_import_device(aq_import *import, const aq_run_device *device,
                           int64_t *ordinal);
aq_status aq_import_queue(aq_import *import, int64_t device, int64_t source_id,
                          int64_t *ordinal);
aq_status aq_import_name(aq_import *import, const char *text, size_t length,
                         int64_t *id);

/* Notes a row of the device in the order of the file: counts rows out of
 * order, and clears sizes that are none. Called once a row, before it waits
 * for its host call. */
void aq_import_order(aq_import *import, aq_record *row);

/* Whether the source had this record before: it is counted, and not put. Of
 * rows and ranges without a duration several may be equal. */
aq_status aq_import_again(aq_import *import, const int64_t *values,
                          size_t count, bool *again);
aq_status aq_import_row_again(aq_import *import, const aq_record *row,
                              bool *again);

/* Whether a call says something of dependencies or captures. */
bool aq_import_is_event(const char *name, size_t length);

/* Notes such a call; any other is ignored. */
aq_status aq_import_event_call(aq_import *import, const char *name,
                               size_t length, aq_edge_call call);

/* Notes a host call that waited for all work of a device; any other is
 * ignored. */
aq_status aq_import_wait_call(aq_import *import, const char *name,
                              size_t length, int64_t pid, aq_time begin,
                              aq_time end);

/* Hands the rows put so far to the sink. */
aq_status aq_import_flush(aq_import *import);

/* Counts a row by its kind and puts it. */
aq_status aq_import_put(aq_import *import, const aq_record *row);

/* ---- host calls, by API name ---- */

/* Whether a call can put packets on a queue; by a graph; whether it waits for
 * the device. The names of HIP, CUDA and HSA. */
bool aq_api_submits(const char *name, size_t length);
bool aq_api_graph(const char *name, size_t length);
bool aq_api_waits(const char *name, size_t length);

/* Whether it waits for all work of the device. */
bool aq_api_waits_device(const char *name, size_t length);

/* Whether a call launches kernels, alone or as a graph; copies or fills; begins
 * or ends the capture of a stream. */
bool aq_api_launches(const char *name, size_t length);
bool aq_api_copies(const char *name, size_t length);
bool aq_api_begins_capture(const char *name, size_t length);
bool aq_api_ends_capture(const char *name, size_t length);

/* Whether a call makes a stream wait for an event, or records one. */
bool aq_api_waits_event(const char *name, size_t length);
bool aq_api_records_event(const char *name, size_t length);

/* Whether the call's grid is in work-items (its block in work-items always):
 * hipExtModuleLaunchKernel takes the global size, unlike all others. */
bool aq_api_grid_in_items(const char *name, size_t length);

/* ---- GPUs ---- */

/* The ISA of a GPU by marketing name ("gfx942"), or NULL. */
const char *aq_gpu_gfx(const char *name);

#endif
