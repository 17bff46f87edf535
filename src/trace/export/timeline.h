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
 * waited; and another one: the operators of the program, nested. Dependencies
 * are arrows between kernels.
 *
 * Times are ps from the origin of the run; each writer rounds. Rows are read
 * once; memory: the submit and complete times of the rows, for the counters,
 * and the dependencies. Thread rule: one thread at a time.
 */
#ifndef AQ_TRACE_EXPORT_TIMELINE_H
#define AQ_TRACE_EXPORT_TIMELINE_H

#include "trace/import/trace.h"

/* In the first bytes of a timeline: an import refuses it by it. */
#define AQ_TIMELINE_MARK "aqueduct timeline"

typedef enum aq_track_kind {
  AQ_TRACK_PROCESS,
  AQ_TRACK_LANE, /* slices */
  AQ_TRACK_COUNTER,
} aq_track_kind;

/* The facts of a slice about its row. */
#define AQ_TIMELINE_DETAILS(D)                                                 \
  D(packet)                                                                    \
  D(correlation)                                                               \
  D(stream)                                                                    \
  D(grid_x)                                                                    \
  D(grid_y)                                                                    \
  D(grid_z)                                                                    \
  D(wg_x)                                                                      \
  D(wg_y)                                                                      \
  D(wg_z)                                                                      \
  D(lds)                                                                       \
  D(vgpr)                                                                      \
  D(bytes)
#define AQ_TIMELINE_DETAIL(field) AQ_RECORD_FIELD_##field,

/* The fields of a record that are drawn. */
#define AQ_TIMELINE_FIELDS                                                     \
  (AQ_TIMELINE_BIT(kind) | AQ_TIMELINE_BIT(flags) | AQ_TIMELINE_BIT(name) |    \
   AQ_TIMELINE_BIT(device) | AQ_TIMELINE_BIT(queue) | AQ_TIMELINE_BIT(pid) |   \
   AQ_TIMELINE_BIT(tid) | AQ_TIMELINE_BIT(host_begin) |                        \
   AQ_TIMELINE_BIT(host_end) | AQ_TIMELINE_BIT(submit) |                       \
   AQ_TIMELINE_BIT(fetch) | AQ_TIMELINE_BIT(launch) | AQ_TIMELINE_BIT(start) | \
   AQ_TIMELINE_BIT(end) |                                                      \
   AQ_TIMELINE_BIT(complete) AQ_TIMELINE_DETAILS(AQ_TIMELINE_AND))
#define AQ_TIMELINE_AND(field) | AQ_TIMELINE_BIT(field)
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

/* Nanoseconds from the clock of a viewer to the origin of the run: `base`, or
 * more where a time of the run would be negative, which viewers drop: then
 * source->moved_ns is the difference. */
aq_status aq_timeline_base(aq_trace_source *source, int64_t base, int64_t *out,
                           aq_diag *diag);

/* The whole nanoseconds up to a time. */
static inline int64_t aq_timeline_ns(aq_time time)
{
  return time / AQ_NS - (time % AQ_NS < 0);
}

/* Draws all rows. Errors of the output are the writer's to keep and report. */
aq_status aq_timeline_draw(aq_trace_source *source,
                           const aq_timeline_writer *ops, void *writer,
                           aq_diag *diag);

#endif
