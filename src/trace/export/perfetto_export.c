/* SPDX-License-Identifier: MIT */
/* Perfetto's native format; see doc/formats/perfetto.md. Field numbers follow
 * perfetto_trace.proto of google/perfetto. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/map.h"
#include "trace/export/timeline.h"
#include "trace/import/importers.h"
#include "trace/text/protobuf_writer.h"

enum {
  TRACE_PACKET = 1,

  PACKET_TIMESTAMP = 8,
  PACKET_SEQUENCE = 10,
  PACKET_EVENT = 11,
  PACKET_INTERNED = 12,
  PACKET_FLAGS = 13,
  PACKET_TRACK = 60,

  FLAG_STATE_CLEARED = 1,
  FLAG_NEEDS_STATE = 2,

  EVENT_ANNOTATION = 4,
  EVENT_TYPE = 9,
  EVENT_NAME_ID = 10,
  EVENT_TRACK = 11,
  EVENT_COUNTER = 30,
  EVENT_FLOW = 47,
  EVENT_FLOW_END = 48,

  TYPE_BEGIN = 1,
  TYPE_END = 2,
  TYPE_COUNTER = 4,

  ANNOTATION_NAME_ID = 1,
  ANNOTATION_BOOL = 2,
  ANNOTATION_INT = 4,

  INTERNED_EVENT = 2,
  INTERNED_ANNOTATION = 3,
  NAME_ID = 1,
  NAME_TEXT = 2,

  TRACK_ID = 1,
  TRACK_NAME = 2,
  TRACK_PROCESS = 3,
  TRACK_PARENT = 5,
  TRACK_COUNTER = 8,
  PROCESS_PID = 1,
  PROCESS_NAME = 6,

  SEQUENCE = 1,

  FLOWS_MEDIUM = 1000, /* at most so many fit a message of medium size */
};

/* Tracks of processes and others have numbers of their own. */
#define PROCESS_TRACK (UINT64_C(1) << 32)

typedef struct perfetto {
  aq_pb pb;
  int64_t base_ns;
  aq_map names; /* the interned ones */
  bool no_memory;
} perfetto;

static const uint8_t details[] = {AQ_TIMELINE_DETAILS(AQ_TIMELINE_DETAIL)};
enum {
  DETAIL_ROW = sizeof details + 1,
  DETAIL_PREDICTED,
  DETAIL_MARK, /* no slice has it */
};

/* Nanoseconds of the source's clock, or later ones (aq_timeline_base). */
static uint64_t stamp(const perfetto *p, aq_time time)
{
  return (uint64_t)(p->base_ns + aq_timeline_ns(time));
}

static size_t packet_begin(perfetto *p, uint64_t flags, aq_pb_size size)
{
  aq_pb *pb = &p->pb;
  size_t packet = aq_pb_begin_outer(pb, TRACE_PACKET, size);
  aq_pb_uint(pb, PACKET_SEQUENCE, SEQUENCE);
  aq_pb_uint(pb, PACKET_FLAGS, flags);
  return packet;
}

/* ---- names ---- */

static void intern(aq_pb *pb, uint32_t kind, uint64_t id, const char *text)
{
  size_t name = aq_pb_begin(pb, kind, AQ_PB_LARGE);
  aq_pb_uint(pb, NAME_ID, id);
  aq_pb_text(pb, NAME_TEXT, text);
  aq_pb_end(pb, name, AQ_PB_LARGE);
}

/* The first packet: the names of the details, for all that follow. */
static void begin(perfetto *p)
{
  aq_pb *pb = &p->pb;
  size_t packet = packet_begin(p, FLAG_STATE_CLEARED, AQ_PB_LARGE);
  size_t interned = aq_pb_begin(pb, PACKET_INTERNED, AQ_PB_LARGE);
  intern(pb, INTERNED_ANNOTATION, DETAIL_MARK, AQ_TIMELINE_MARK);
  for (size_t i = 0; i < sizeof details; i++)
    intern(pb, INTERNED_ANNOTATION, i + 1, aq_record_fields[details[i]].name);
  intern(pb, INTERNED_ANNOTATION, DETAIL_ROW, "row");
  intern(pb, INTERNED_ANNOTATION, DETAIL_PREDICTED, "predicted");
  aq_pb_end(pb, interned, AQ_PB_LARGE);
  aq_pb_end(pb, packet, AQ_PB_LARGE);
}

/* Whether the name is new. */
static bool name_is_new(perfetto *p, int64_t id)
{
  if (aq_map_get(&p->names, (uint64_t)id, NULL))
    return false;
  p->no_memory |= !aq_map_put(&p->names, (uint64_t)id, 1);
  return true;
}

/* ---- events of the timeline ---- */

static void put_track(void *writer, const aq_track *track)
{
  perfetto *p = writer;
  aq_pb *pb = &p->pb;
  const bool process = track->kind == AQ_TRACK_PROCESS;
  size_t packet = packet_begin(p, FLAG_NEEDS_STATE, AQ_PB_LARGE);
  size_t descriptor = aq_pb_begin(pb, PACKET_TRACK, AQ_PB_LARGE);
  aq_pb_uint(pb, TRACK_ID,
             process ? PROCESS_TRACK | track->process : track->id);
  if (process) {
    size_t inner = aq_pb_begin(pb, TRACK_PROCESS, AQ_PB_LARGE);
    aq_pb_uint(pb, PROCESS_PID, track->process);
    aq_pb_text(pb, PROCESS_NAME, track->name);
    aq_pb_end(pb, inner, AQ_PB_LARGE);
  } else {
    aq_pb_uint(pb, TRACK_PARENT, PROCESS_TRACK | track->process);
    aq_pb_text(pb, TRACK_NAME, track->name);
  }
  if (track->kind == AQ_TRACK_COUNTER)
    aq_pb_end(pb, aq_pb_begin(pb, TRACK_COUNTER, AQ_PB_SMALL), AQ_PB_SMALL);
  aq_pb_end(pb, descriptor, AQ_PB_LARGE);
  aq_pb_end(pb, packet, AQ_PB_LARGE);
}

static void put_details(aq_pb *pb, const aq_slice *slice)
{
  const int64_t *values = aq_record_values(slice->row);
  for (size_t i = 0; i <= sizeof details; i++) {
    const int64_t value =
        i < sizeof details ? values[details[i]] : slice->number;
    if (value == AQ_NONE)
      continue;
    size_t annotation = aq_pb_begin(pb, EVENT_ANNOTATION, AQ_PB_SMALL);
    aq_pb_uint(pb, ANNOTATION_NAME_ID, i + 1);
    aq_pb_uint(pb, ANNOTATION_INT, (uint64_t)value);
    aq_pb_end(pb, annotation, AQ_PB_SMALL);
  }
  if (aq_record_is(slice->row, AQ_FLAG_PREDICTED)) {
    size_t annotation = aq_pb_begin(pb, EVENT_ANNOTATION, AQ_PB_SMALL);
    aq_pb_uint(pb, ANNOTATION_NAME_ID, DETAIL_PREDICTED);
    aq_pb_uint(pb, ANNOTATION_BOOL, 1);
    aq_pb_end(pb, annotation, AQ_PB_SMALL);
  }
}

static void put_begin(perfetto *p, const aq_slice *slice)
{
  aq_pb *pb = &p->pb;
  const uint64_t name = (uint64_t)slice->name_id + 1;
  const bool is_new = name_is_new(p, slice->name_id);
  const aq_pb_size size =
      is_new || slice->leave_count + slice->arrive_count > FLOWS_MEDIUM
          ? AQ_PB_LARGE
          : AQ_PB_MEDIUM;
  size_t packet = packet_begin(p, FLAG_NEEDS_STATE, size);
  aq_pb_uint(pb, PACKET_TIMESTAMP, stamp(p, slice->begin));
  if (is_new) {
    size_t interned = aq_pb_begin(pb, PACKET_INTERNED, AQ_PB_LARGE);
    intern(pb, INTERNED_EVENT, name, slice->name);
    aq_pb_end(pb, interned, AQ_PB_LARGE);
  }
  size_t event = aq_pb_begin(pb, PACKET_EVENT, size);
  aq_pb_uint(pb, EVENT_TYPE, TYPE_BEGIN);
  aq_pb_uint(pb, EVENT_TRACK, slice->track);
  aq_pb_uint(pb, EVENT_NAME_ID, name);
  for (size_t i = 0; i < slice->leave_count; i++)
    aq_pb_fixed64(pb, EVENT_FLOW, slice->leave[i] + 1);
  for (size_t i = 0; i < slice->arrive_count; i++)
    aq_pb_fixed64(pb, EVENT_FLOW_END, slice->arrive[i] + 1);
  if (slice->row)
    put_details(pb, slice);
  aq_pb_end(pb, event, size);
  aq_pb_end(pb, packet, size);
}

static void put_end(perfetto *p, const aq_slice *slice)
{
  aq_pb *pb = &p->pb;
  size_t packet = packet_begin(p, FLAG_NEEDS_STATE, AQ_PB_SMALL);
  aq_pb_uint(pb, PACKET_TIMESTAMP, stamp(p, slice->end));
  size_t event = aq_pb_begin(pb, PACKET_EVENT, AQ_PB_SMALL);
  aq_pb_uint(pb, EVENT_TYPE, TYPE_END);
  aq_pb_uint(pb, EVENT_TRACK, slice->track);
  aq_pb_end(pb, event, AQ_PB_SMALL);
  aq_pb_end(pb, packet, AQ_PB_SMALL);
}

static void put_slice(void *writer, const aq_slice *slice)
{
  perfetto *p = writer;
  put_begin(p, slice);
  put_end(p, slice);
}

static void put_counter(void *writer, const aq_track *track, aq_time time,
                        int64_t value)
{
  perfetto *p = writer;
  aq_pb *pb = &p->pb;
  size_t packet = packet_begin(p, FLAG_NEEDS_STATE, AQ_PB_SMALL);
  aq_pb_uint(pb, PACKET_TIMESTAMP, stamp(p, time));
  size_t event = aq_pb_begin(pb, PACKET_EVENT, AQ_PB_SMALL);
  aq_pb_uint(pb, EVENT_TYPE, TYPE_COUNTER);
  aq_pb_uint(pb, EVENT_TRACK, track->id);
  aq_pb_uint(pb, EVENT_COUNTER, (uint64_t)value);
  aq_pb_end(pb, event, AQ_PB_SMALL);
  aq_pb_end(pb, packet, AQ_PB_SMALL);
}

aq_status aq_perfetto_export(aq_trace_source *source, FILE *out, aq_diag *diag)
{
  static const aq_timeline_writer ops = {put_track, put_slice, put_counter};
  perfetto *p = calloc(1, sizeof *p);
  if (!p)
    return aq_diag_no_memory(diag);
  p->pb.out = out;
  const int64_t base = source->info->base_ns;
  aq_status status =
      aq_timeline_base(source, base > 0 ? base : 0, &p->base_ns, diag);
  begin(p);
  if (status == AQ_OK)
    status = aq_timeline_draw(source, &ops, p, diag);
  aq_pb_flush(&p->pb);
  if (status == AQ_OK && p->no_memory)
    status = aq_diag_no_memory(diag);
  if (status == AQ_OK && p->pb.failed)
    status = aq_diag_set(diag, AQ_ERR_IO, "export: %s", strerror(p->pb.error));
  if (status == AQ_OK && fflush(out) != 0)
    status = aq_diag_set(diag, AQ_ERR_IO, "export: %s", strerror(errno));
  aq_map_fini(&p->names);
  free(p);
  return status;
}
