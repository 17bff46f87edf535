/* SPDX-License-Identifier: MIT */
/*
 * The importers and exporters that the table in formats.c names, and the seam
 * between them and it. Thread rule: one thread at a time per import.
 */
#ifndef AQ_TRACE_IMPORT_IMPORTERS_H
#define AQ_TRACE_IMPORT_IMPORTERS_H

#include "common/map.h"
#include "trace/import/correlation.h"
#include "trace/import/import.h"

/* One file of a run: opened by the importer, so that files that wait hold
 * nothing. */
typedef struct aq_trace_file {
  const char *path;  /* for messages, and to open unless bytes are given */
  const void *bytes; /* in memory: borrowed; NULL: the path is a file */
  size_t size;
  unsigned process; /* 0, 1, 2…: files of one process share it */
  unsigned host;    /* 0, 1, 2…: files of one machine share it */
  unsigned pass; /* 0: the first, or only one; rocprofv3 runs the program again
                    for each group of counters */
  int64_t pid;   /* as the name has it, or AQ_NONE */
} aq_trace_file;

/* The files of one run, in the order of their paths. */
typedef struct aq_trace_files {
  const char *root; /* the user's path */
  aq_trace_file *files;
  size_t count, capacity;
  unsigned processes;
  aq_arena arena; /* owns the paths */
} aq_trace_files;

/* Lists the files below a directory whose names say JSON or CSV, plain or
 * packed, at most four folders deep. Empty files are not listed. */
aq_status aq_trace_files_list(aq_trace_files *files, const char *root,
                              aq_diag *diag);
void aq_trace_files_fini(aq_trace_files *files);

aq_status aq_trace_file_open(const aq_trace_file *file, aq_stream_reader **out,
                             aq_diag *diag);

typedef aq_status aq_trace_importer(aq_import *import, aq_correlation *join,
                                    const aq_trace_files *files);

aq_trace_importer aq_ireeperf_import;
aq_trace_importer aq_jsonl_import;
aq_trace_importer aq_kineto_import;
aq_trace_importer aq_perfetto_import;
aq_trace_importer aq_rocprof_v1_import;
aq_trace_importer aq_rocprofv3_csv_import;
aq_trace_importer aq_rocprofv3_json_import;
aq_trace_importer aq_xplane_import;

/* Whether a file is one of a rocprofv3 CSV set. */
bool aq_rocprofv3_csv_detect(const char *text, size_t length);

/* Whether a file begins with a packet of Perfetto. */
bool aq_perfetto_detect(const char *text, size_t length);

typedef aq_status aq_trace_exporter(aq_trace_source *source, FILE *out,
                                    aq_diag *diag);

aq_trace_exporter aq_chrome_export;
aq_trace_exporter aq_att_export;
aq_trace_exporter aq_csv_export;
aq_trace_exporter aq_jsonl_export;
aq_trace_exporter aq_perfetto_export;
aq_trace_exporter aq_rocprofv3_csv_export;

#endif
