/* SPDX-License-Identifier: MIT */
/*
 * Trace formats: measured runs in, stored runs out.
 *
 * One table names every format (trace/formats.c); one file implements each.
 * Importers stream: rows and calls wait only for one another; of each row some
 * 150 bytes are kept, to find dependencies, repeats and contradictions. Rows
 * are put in the order of the file, but rows that waited for the other half,
 * and the first row of a graph launch, which comes last. Exporters write a
 * reader's rows, one by one. Thread rule: one thread at a time per import or
 * export.
 */
#ifndef AQ_TRACE_IMPORT_TRACE_H
#define AQ_TRACE_IMPORT_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "common/diag.h"
#include "common/record.h"
#include "common/run_info.h"

/* The repairs of importers, each counted: R(id, text, damage). `damage` is the
 * damage of the trace, a few words behind a number, for views of the run that
 * depend on it; NULL: none does. */
#define AQ_TRACE_REPAIRS(R)                                                    \
  R(TRUNCATED, "truncated files: whatever followed the cut is missing", NULL)  \
  R(LOST_LAUNCH, "launches without a record of the launched work",             \
    "launches without a record of the launched work")                          \
  R(LOST_COPY, "copy and fill calls without a record of the moved data",       \
    "copy and fill calls without a record of the moved data")                  \
  R(UNTIED_CALL,                                                               \
    "launch, copy and fill calls without a correlation id (their work is "     \
    "unknown)",                                                                \
    NULL)                                                                      \
  R(SHORT_GRAPH,                                                               \
    "graph launches that lack nodes between theirs, which another launch has", \
    "graph launches that lack nodes which another launch has")                 \
  R(GRAPH_PASSED,                                                              \
    "graphs with which no launch was compared for lost nodes (2,000 "          \
    "larger ones were)",                                                       \
    NULL)                                                                      \
  R(LOST_PACKETS,                                                              \
    "gaps and chunks that the tracing buffer lost: their records are missing", \
    "gaps and chunks lost by the tracing buffer")                              \
  R(REPEATED, "records that the file has twice (one is kept)",                 \
    "repeated records left out")                                               \
  R(STRAY, "records at a time far from all others (left out)",                 \
    "records at a time far from all others left out")                          \
  R(CONTRADICTED,                                                              \
    "rows that later rows of their queue contradict (their end "               \
    "is dropped)",                                                             \
    "rows whose end later rows of their queue contradict")                     \
  R(OVERLAP,                                                                   \
    "rows that start over 10 us before the end of one in front of them on "    \
    "their queue (both are kept)",                                             \
    "rows that overlap one in front of them on their queue")                   \
  R(TRAILING_COMMA, "trailing commas", NULL)                                   \
  R(CONTROL_BYTE, "control bytes in texts, which JSON writes as escapes",      \
    NULL)                                                                      \
  R(STRING_NUMBER, "numbers written as strings (pids, ids)", NULL)             \
  R(OUT_OF_ORDER, "rows out of time order", NULL)                              \
  R(NEGATIVE_DURATION, "negative durations (end moved to start)",              \
    "rows whose end was before their start")                                   \
  R(CLOCK_OFFSET, "rows that start before their host call (it is dropped)",    \
    NULL)                                                                      \
  R(CLOCK_DOMAIN,                                                              \
    "rows whose clock has no relation to the host's (their "                   \
    "host calls are dropped)",                                                 \
    NULL)                                                                      \
  R(CLOCK_ORDER,                                                               \
    "rows that complete before they end: clocks that do not "                  \
    "agree (their dispatch and completion times are dropped)",                 \
    NULL)                                                                      \
  R(DUPLICATE_CORRELATION, "correlation ids used twice", NULL)                 \
  R(NO_HOST_CALL, "dispatches without a host call", NULL)                      \
  R(COUNTER_ROW,                                                               \
    "counters of a dispatch that has a row (their values are "                 \
    "not read)",                                                               \
    NULL)                                                                      \
  R(OTHER_PASS,                                                                \
    "counters of further passes whose dispatch is not the first "              \
    "pass's (left out)",                                                       \
    NULL)                                                                      \
  R(OTHER_PASS_FILE,                                                           \
    "files of further passes of counters (left out: the "                      \
    "first pass has the run)",                                                 \
    NULL)                                                                      \
  R(DISPATCH_AGAIN,                                                            \
    "dispatch ids used again, by passes of a kernel replay or by further "     \
    "processes of the file (all rows are kept)",                               \
    "rows repeat a dispatch id (passes of a kernel replay, or processes)")     \
  R(HOST_COPY, "copies from host to host (left out: no GPU takes part)", NULL) \
  R(SCRATCH_GROWTH,                                                            \
    "changes of scratch memory (left out: the runtime's, which no program "    \
    "allocates)",                                                              \
    NULL)                                                                      \
  R(UNKNOWN_COLUMN_CASE, "columns spelled in another case", NULL)              \
  R(BAD_NAME,                                                                  \
    "names with bytes that are no UTF-8 text (each is replaced by "            \
    "U+FFFD)",                                                                 \
    NULL)                                                                      \
  R(SKIPPED_ROW, "rows that could not be read and were left out",              \
    "unreadable rows left out")                                                \
  R(SKIPPED_OP,                                                                \
    "ops, call frames and allocations that could not be read and were left "   \
    "out",                                                                     \
    NULL)                                                                      \
  R(LOST_FREE,                                                                 \
    "allocations at an address in use: the free in between is not recorded "   \
    "(it is set to the time of the second)",                                   \
    NULL)                                                                      \
  R(LONG_ARGUMENTS,                                                            \
    "arguments of ops over 4096 bytes (left out: shapes unknown)", NULL)       \
  R(UNLISTED_DEVICE,                                                           \
    "rows and allocations whose device the source does not list", NULL)        \
  R(FORWARD_UNCERTAIN,                                                         \
    "launches of backward ops whose forward op may be one of several threads " \
    "(their call stack is not that of the forward op)",                        \
    NULL)                                                                      \
  R(BAD_NUMBER,                                                                \
    "numbers that are unreadable or out of range (they stay "                  \
    "unknown)",                                                                \
    NULL)

typedef enum aq_trace_repair {
#define R(id, text, damage) AQ_REPAIR_##id,
  AQ_TRACE_REPAIRS(R)
#undef R
      AQ_REPAIR_COUNT
} aq_trace_repair;

const char *aq_trace_repair_text(aq_trace_repair repair);

/* The known damage of the trace, lost, repeated or contradicted records: "90
 * launches without a record; 3 repeated records left out", cut to `size`.
 * False: none. */
struct aq_trace_result;
bool aq_trace_damage(const struct aq_trace_result *result, char *text,
                     size_t size);

/* The facts in an export of our own about its run. */
typedef struct aq_trace_run {
  aq_run_kind kind;
  char transport[64], device_model[128], model_hash[128], model_verdict[32];
  int64_t seed;
  bool reproducible, truncated;
  char durations[128];
  char recorded[512];
  char damage[512];
  int64_t left_out;
} aq_trace_run;

/* A repair by its place: "line 12: grd: \"-1\"". */
enum { AQ_TRACE_EXAMPLES = 8 };
typedef struct aq_trace_example {
  aq_trace_repair repair;
  char text[120];
} aq_trace_example;

/* The findings of an import, besides the rows. */
typedef struct aq_trace_result {
  const char *format;   /* name in the table, static storage */
  int64_t base_ns;      /* the source's clock at time 0, ns */
  uint64_t dispatches;  /* kernels */
  uint64_t copies;      /* copies and fills */
  uint64_t waits;       /* host calls that waited */
  uint64_t ranges;      /* that the program marked */
  uint64_t with_host;   /* dispatches and copies with host times */
  uint64_t ops;         /* operators and annotations that launched something */
  uint64_t frames;      /* places of call stacks that launched something */
  uint64_t allocations; /* of memory */
  uint64_t in_ops;      /* dispatches and copies that an op launched */
  uint64_t bytes;       /* read, uncompressed */
  int64_t hip_version; /* of the runtime: major × 10^7 + minor × 10^5 + patch;
                          0 where it is not told */
  uint64_t edges[AQ_EDGE_COUNT]; /* dependencies found, by aq_edge_kind; at 0
                                    calls that wait for a stream and lead to
                                    none */
  uint64_t repairs[AQ_REPAIR_COUNT];
  aq_trace_example examples[AQ_TRACE_EXAMPLES]; /* the first of them */
  size_t example_count;
  aq_trace_run run;  /* kind 0: the source does not say */
  bool cuda;         /* its host calls are CUDA's */
  int64_t wave_size; /* work-items of its kernels' waves; 0: it does not say */
  /* The GPU that it was measured on, as far as the source names one. */
  char gpu[96];
  bool more_gpus;     /* and others, of another name */
  const char *advice; /* how to record missing data, or NULL; static */
} aq_trace_result;

/* A format that another folder reads or writes (trace/import/module.h). */
typedef struct aq_trace_module aq_trace_module;

typedef struct aq_trace_options {
  const char *format; /* NULL: detect */
  /* Formats besides trace/'s own, ended by one without a name; NULL: none. */
  const aq_trace_module *modules;
  /* Imports the contents of a truncated file, counted as AQ_REPAIR_TRUNCATED;
   * otherwise such a file is AQ_ERR_INPUT. */
  bool allow_truncated;
  /* Called now and then with bytes read of bytes on disk (0: not known). */
  void (*progress)(uint64_t done, uint64_t total, void *user);
  void *user;
} aq_trace_options;

/* Reads a file or directory into a sink. Fatal input is AQ_ERR_INPUT with the
 * file and the place; the caller drops the sink's rows so far. `result` has the
 * findings up to there if the file was read at all: a refused one that has
 * AQ_REPAIR_TRUNCATED could be imported with allow_truncated. */
aq_status aq_trace_import(const char *path, const aq_trace_options *options,
                          aq_record_sink *sink, aq_trace_result *result,
                          aq_diag *diag);

/* The same from bytes in memory (one file); name is for messages. */
aq_status aq_trace_import_bytes(const char *name, const void *bytes,
                                size_t size, const aq_trace_options *options,
                                aq_record_sink *sink, aq_trace_result *result,
                                aq_diag *diag);

/* ---- the table of formats ---- */

typedef struct aq_trace_format {
  const char *name;    /* "kineto" */
  const char *summary; /* one line for `list formats` */
  bool imports, exports;
  uint64_t fields; /* that an export reads, a bit each; 0: all */
} aq_trace_format;

/* All formats, ended by one without a name. */
const aq_trace_format *aq_trace_formats(void);

/* ---- export ---- */

/* Where an exporter reads from: the cli adapts a store reader or a sink. Rows
 * come once, in the order of their numbers; results of the other functions
 * live as long as the source. */
typedef struct aq_trace_source {
  const aq_run_info *info; /* of the run */
  size_t device_count, queue_count;
  aq_status (*next)(struct aq_trace_source *source, aq_record *rows,
                    int64_t *numbers, size_t capacity, size_t *count,
                    aq_diag *diag);
  const char *(*name)(struct aq_trace_source *source, int64_t id);
  const aq_run_device *(*device)(struct aq_trace_source *source,
                                 int64_t ordinal);
  const aq_run_queue *(*queue)(struct aq_trace_source *source, int64_t ordinal);
  /* The dependencies of the run, by the row that waits. */
  aq_status (*edges)(struct aq_trace_source *source, const aq_edge **edges,
                     size_t *count, aq_diag *diag);
  /* Its samples, by counter, ordinal and time; NULL: it has none. */
  aq_status (*samples)(struct aq_trace_source *source,
                       const aq_sample **samples, size_t *count, aq_diag *diag);
  /* The steps of its traced waves, by dispatch; NULL: it has none. */
  aq_status (*traced)(struct aq_trace_source *source, const aq_traced **steps,
                      size_t *count, aq_diag *diag);
} aq_trace_source;

/* The samples of a source, whether it has that operation or not. */
aq_status aq_trace_source_samples(aq_trace_source *source,
                                  const aq_sample **samples, size_t *count,
                                  aq_diag *diag);

/* The format of that name that can be exported, here or by a module (may be
 * NULL: there are none). NULL: none, worded. */
const aq_trace_format *aq_trace_exportable(const char *name,
                                           const aq_trace_module *modules,
                                           aq_diag *diag);

/* Writes a run to a stream. The bytes depend on the rows alone. */
aq_status aq_trace_export(const char *format, aq_trace_source *source,
                          FILE *out, aq_diag *diag);

#endif
