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

/* The repairs of importers, each counted: R(id, verb, noun, what, then,
 * damage), of "skipped 2 rows of a queue: no times" in order, the noun
 * singular. `damage`: views of the run show it, without `then`. */
#define AQ_TRACE_REPAIRS(R)                                                    \
  R(TRUNCATED, "", "truncated file", "", "data after the cut missing", false)  \
  R(LOST_LAUNCH, "", "launch call", " without a record of the launched work",  \
    "", true)                                                                  \
  R(LOST_COPY, "", "copy or fill call", " without a record of the moved data", \
    "", true)                                                                  \
  R(UNTIED_CALL, "", "launch, copy or fill call", " without a correlation id", \
    "work unknown", false)                                                     \
  R(SHORT_GRAPH, "", "launched graph", " with missing nodes",                  \
    "another launch has them", true)                                           \
  R(GRAPH_PASSED, "", "graph", " not searched for missing nodes",              \
    "searched 2,000 larger ones", false)                                       \
  R(LOST_PACKETS, "", "gap", " of the tracing buffer", "records missing",      \
    true)                                                                      \
  R(REPEATED, "skipped ", "repeated record", "", "", true)                     \
  R(STRAY, "skipped ", "record", " at a time far from all others", "", true)   \
  R(CONTRADICTED, "", "row",                                                   \
    " with an end that later rows of the queue contradict", "end dropped",     \
    true)                                                                      \
  R(OUTLASTS_WAIT, "", "row",                                                  \
    " with an end after a later wait for the device returned", "end dropped",  \
    true)                                                                      \
  R(OVERLAP, "", "row",                                                        \
    " starting over 10 us before the end of an earlier row of the queue",      \
    "both imported", true)                                                     \
  R(TRAILING_COMMA, "ignored ", "trailing comma", "", "", false)               \
  R(CONTROL_BYTE, "", "control byte", " in texts", "JSON requires an escape",  \
    false)                                                                     \
  R(STRING_NUMBER, "", "number", " in quotes (pid, id)", "", false)            \
  R(OUT_OF_ORDER, "", "row", " out of time order", "", false)                  \
  R(NEGATIVE_DURATION, "", "row", " with the end before the start",            \
    "end set to the start", true)                                              \
  R(CLOCK_OFFSET, "", "row", " starting before the host call",                 \
    "host call dropped", false)                                                \
  R(CLOCK_DOMAIN, "", "row", " of a clock unrelated to the host's",            \
    "host call dropped", false)                                                \
  R(CLOCK_ORDER, "", "row",                                                    \
    " completed before the end, by clocks that disagree",                      \
    "dispatch and completion time dropped", false)                             \
  R(DUPLICATE_CORRELATION, "", "correlation id", " used twice", "", false)     \
  R(NO_HOST_CALL, "", "row", " without a host call", "", false)                \
  R(UNCALLED, "", "row",                                                       \
    " without the host call that earlier rows of the queue have", "", true)    \
  R(NO_DURATION, "", "kernel", " with a duration of 0, and none with another", \
    "", true)                                                                  \
  R(COUNTER_ROW, "ignored ", "counter",                                        \
    " of a dispatch with a row of its own", "", false)                         \
  R(OTHER_PASS, "skipped ", "counter", " of a further pass",                   \
    "dispatch not in the first pass", false)                                   \
  R(OTHER_PASS_FILE, "skipped ", "counter file", " of a further pass",         \
    "the first pass has the run", false)                                       \
  R(DISPATCH_AGAIN, "", "row",                                                 \
    " with a repeated dispatch id (kernel replay, or several processes)",      \
    "all imported", true)                                                      \
  R(HOST_COPY, "skipped ", "host-to-host transfer", "", "no GPU takes part",   \
    false)                                                                     \
  R(SCRATCH_GROWTH, "skipped ", "change", " of scratch memory",                \
    "by the runtime, not the program", false)                                  \
  R(OTHER_EVENT, "ignored ", "event", " of other kinds",                       \
    "slices of other categories, instants, counters", false)                   \
  R(UNKNOWN_COLUMN_CASE, "", "column", " spelled in another case", "", false)  \
  R(BAD_NAME, "", "name", " with invalid UTF-8", "bytes replaced by U+FFFD",   \
    false)                                                                     \
  R(SKIPPED_ROW, "skipped ", "unreadable row", "", "", true)                   \
  R(SKIPPED_OP, "skipped ", "unreadable record",                               \
    " of an op, call frame or allocation", "", false)                          \
  R(LOST_FREE, "", "allocation", " at an address in use",                      \
    "free not recorded, set to the time of the second allocation", false)      \
  R(LONG_ARGUMENTS, "skipped ", "argument list", " of over 4096 bytes",        \
    "shapes unknown", false)                                                   \
  R(UNLISTED_DEVICE, "", "record",                                             \
    " of a device that the source does not list", "", false)                   \
  R(CLOCK_READING, "skipped ", "reading", " of a clock",                       \
    "without the trace's clock, or before that clock went back", false)        \
  R(FORWARD_UNCERTAIN, "", "backward launch call",                             \
    " with several possible forward ops", "forward call stack unknown", false) \
  R(BAD_NUMBER, "", "number", " unreadable or out of range", "left unknown",   \
    false)

typedef enum aq_trace_repair {
#define R(id, verb, noun, what, then, damage) AQ_REPAIR_##id,
  AQ_TRACE_REPAIRS(R)
#undef R
      AQ_REPAIR_COUNT
} aq_trace_repair;

/* "skipped 1 unreadable row". */
enum { AQ_TRACE_REPAIR_SIZE = 200 };
void aq_trace_repair_text(aq_trace_repair repair, uint64_t count,
                          char text[AQ_TRACE_REPAIR_SIZE]);

/* The known damage of the trace, lost, repeated or contradicted records: "90
 * launch calls without a record; skipped 3 repeated records", cut to `size`.
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
  aq_trace_run run; /* kind 0: the source does not say */
  bool cuda;        /* its host calls are CUDA's */
  bool has_rank;    /* the file is of one rank of a distributed program */
  int64_t rank, world_size; /* of so many ranks; 0: it does not say */
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
  /* The operators of its program; NULL: it has none. */
  aq_status (*ops)(struct aq_trace_source *source, const aq_host_op **ops,
                   size_t *count, aq_diag *diag);
  /* The steps of its traced waves, by dispatch; NULL: it has none. */
  aq_status (*traced)(struct aq_trace_source *source, const aq_traced **steps,
                      size_t *count, aq_diag *diag);
  /* The earliest time of its rows and samples; NULL: none is negative. */
  aq_status (*earliest)(struct aq_trace_source *source, aq_time *out,
                        aq_diag *diag);
  int64_t ops_drawn; /* set by an export that has them */
  int64_t moved_ns;  /* set by an export: its times are so much later than the
                       source's, so that none is negative */
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
