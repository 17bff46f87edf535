/* SPDX-License-Identifier: MIT */
/*
 * A run as pictures of time want it: tracks, slices that nest, counters,
 * arrows. timeline.c decides the drawing; a writer only encodes it, so that
 * Perfetto and Chrome show the same.
 *
 * A device is a process, and has for each queue
 *   kernels   what ran, from start to end; what overlaps takes another lane
 *   packets   life of each packet, with its phases nested in it
 *   wave      instructions of traced waves, from the start of their dispatch on
 *   depth     a counter: packets submitted and not complete
 * and a counter for each of counters.def that was sampled.
 * A process of the host has a track a thread: the calls that submitted or
 * waited. Dependencies are arrows between kernels.
 *
 * Times are ps from the origin of the run; each writer rounds. Rows are read
 * once; memory: the submit and complete times of the rows, for the counters,
 * and the dependencies. Thread rule: one thread at a time.
 */
#ifndef AQ_TRACE_EXPORT_TIMELINE_H
#define AQ_TRACE_EXPORT_TIMELINE_H

#include "trace/import/trace.h"

typedef enum aq_track_kind {
  AQ_TRACK_PROCESS,
  AQ_TRACK_LANE, /* slices */
  AQ_TRACK_COUNTER,
} aq_track_kind;

/* The fields of a record that are drawn. */
#define AQ_TIMELINE_FIELDS                                                     \
  (AQ_TIMELINE_BIT(kind) | AQ_TIMELINE_BIT(flags) | AQ_TIMELINE_BIT(name) |    \
   AQ_TIMELINE_BIT(correlation) | AQ_TIMELINE_BIT(device) |                    \
   AQ_TIMELINE_BIT(queue) | AQ_TIMELINE_BIT(pid) | AQ_TIMELINE_BIT(tid) |      \
   AQ_TIMELINE_BIT(host_begin) | AQ_TIMELINE_BIT(host_end) |                   \
   AQ_TIMELINE_BIT(submit) | AQ_TIMELINE_BIT(fetch) |                          \
   AQ_TIMELINE_BIT(launch) | AQ_TIMELINE_BIT(start) | AQ_TIMELINE_BIT(end) |   \
   AQ_TIMELINE_BIT(complete) | AQ_TIMELINE_BIT(packet) |                       \
   AQ_TIMELINE_BIT(grid_x) | AQ_TIMELINE_BIT(grid_y) |                         \
   AQ_TIMELINE_BIT(grid_z) | AQ_TIMELINE_BIT(wg_x) | AQ_TIMELINE_BIT(wg_y) |   \
   AQ_TIMELINE_BIT(wg_z) | AQ_TIMELINE_BIT(bytes))
#define AQ_TIMELINE_BIT(field) (UINT64_C(1) << AQ_RECORD_FIELD_##field)

/* Told once, before anything is drawn on it. */
typedef struct aq_track {
  aq_track_kind kind;
  uint32_t id;      /* from 1 */
  uint32_t process; /* number of its process, from 1 */
  const char *name; /* borrowed for the call */
} aq_track;

typedef struct aq_slice {
  uint32_t track, process;
  aq_time begin, end;
  const char *name; /* lives as long as the source */
  int64_t name_id;  /* the same for the same name, from 0 */
  /* Of the outermost slices; NULL: it has no details to show. */
  const aq_record *row;
  int64_t number; /* of the row */
  /* Arrows that leave at its end, and that arrive at its begin. */
  const uint64_t *leave, *arrive;
  size_t leave_count, arrive_count;
} aq_slice;

typedef struct aq_timeline_writer {
  void (*track)(void *writer, const aq_track *track);
  /* Slices of a track nest: an inner one comes after the outer one. */
  void (*slice)(void *writer, const aq_slice *slice);
  /* In the order of time within a track. */
  void (*counter)(void *writer, const aq_track *track, aq_time time,
                  int64_t value);
} aq_timeline_writer;

/* Draws all rows. Errors of the output are the writer's to keep and report. */
aq_status aq_timeline_draw(aq_trace_source *source,
                           const aq_timeline_writer *ops, void *writer,
                           aq_diag *diag);

#endif
