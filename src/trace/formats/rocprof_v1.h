/* SPDX-License-Identifier: MIT */
/*
 * The dispatches of rocprof v1, which come as rows of results.csv or of a table
 * of results.db: the importer of either answers for the cells of its row.
 * Thread rule: one thread at a time per import.
 */
#ifndef AQ_TRACE_FORMATS_ROCPROF_V1_H
#define AQ_TRACE_FORMATS_ROCPROF_V1_H

#include "trace/import/importers.h"
#include "trace/text/csv_reader.h"

enum aq_rocprof_v1_column {
  AQ_ROCPROF_V1_INDEX,
  AQ_ROCPROF_V1_NAME,
  AQ_ROCPROF_V1_GPU,
  AQ_ROCPROF_V1_QUEUE,
  AQ_ROCPROF_V1_PACKET,
  AQ_ROCPROF_V1_PID,
  AQ_ROCPROF_V1_TID,
  AQ_ROCPROF_V1_GRID,
  AQ_ROCPROF_V1_WG,
  AQ_ROCPROF_V1_LDS,
  AQ_ROCPROF_V1_SCRATCH,
  AQ_ROCPROF_V1_VGPR,
  AQ_ROCPROF_V1_AGPR,
  AQ_ROCPROF_V1_SGPR,
  AQ_ROCPROF_V1_WAVE,
  AQ_ROCPROF_V1_DISPATCH,
  AQ_ROCPROF_V1_BEGIN,
  AQ_ROCPROF_V1_END,
  AQ_ROCPROF_V1_COMPLETE,
  AQ_ROCPROF_V1_COLUMNS,
};

/* The names of the columns; the last has none. */
extern const aq_csv_column aq_rocprof_v1_columns[];

/* The cells of the row that is read: numbers are AQ_NONE and texts "" where
 * there is none; texts live until the next row. */
typedef struct aq_rocprof_v1_cells {
  void *of;
  bool (*has)(void *of, int column);
  int64_t (*number)(void *of, int column);
  bool (*tick)(void *of, int column, aq_tick *out); /* ns; false: no number */
  const char *(*text)(void *of, int column, size_t *length);
} aq_rocprof_v1_cells;

/* Adds the row as a kernel; `processes` (pid → 0, 1, 2…) is the caller's. */
aq_status aq_rocprof_v1_row_add(aq_import *import, aq_map *processes,
                                const aq_rocprof_v1_cells *cells);

#endif
