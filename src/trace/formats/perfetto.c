/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "trace/formats/perfetto.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"

enum {
  TRACE_PACKET = 1,

  PACKET_CLOCKS = 6,
  PACKET_TIMESTAMP = 8,
  PACKET_SEQUENCE = 10,
  PACKET_EVENT = 11,
  PACKET_INTERNED = 12,
  PACKET_FLAGS = 13,
  PACKET_STATS = 35,
  PACKET_CLEARED = 41,
  PACKET_DROPPED = 42,
  PACKET_ZLIB = 50,
  PACKET_CLOCK = 58,
  PACKET_DEFAULTS = 59,
  PACKET_TRACK = 60,
  PACKET_ZSTD = 133,

  FLAG_STATE_CLEARED = 1,
  FLAG_NEEDS_STATE = 2,

  DEFAULTS_EVENT = 11,
  DEFAULTS_CLOCK = 58,
  DEFAULTS_TRACK = 11, /* of the event */

  EVENT_CATEGORY_ID = 3,
  EVENT_ANNOTATION = 4,
  EVENT_TYPE = 9,
  EVENT_NAME_ID = 10,
  EVENT_TRACK = 11,
  EVENT_CATEGORY = 22,
  EVENT_NAME = 23,
  EVENT_FLOW = 47,

  TYPE_BEGIN = 1,
  TYPE_END = 2,
  TYPE_INSTANT = 3,
  TYPE_COUNTER = 4,

  ANNOTATION_NAME_ID = 1,
  ANNOTATION_UINT = 3,
  ANNOTATION_INT = 4,
  ANNOTATION_TEXT = 6,
  ANNOTATION_POINTER = 7,
  ANNOTATION_NAME = 10,
  ANNOTATION_TEXT_ID = 17,

  INTERNED_CATEGORY = 1,
  INTERNED_EVENT = 2,
  INTERNED_ANNOTATION = 3,
  INTERNED_TEXT = 29,
  NAME_ID = 1,
  NAME_TEXT = 2,

  TRACK_ID = 1,
  TRACK_NAME = 2,
  TRACK_PROCESS = 3,
  TRACK_THREAD = 4,
  TRACK_PARENT = 5,
  TRACK_STATIC_NAME = 10,
  OWNER_PID = 1, /* of a process or thread */
  THREAD_TID = 2,

  STATS_BUFFER = 1,
  BUFFER_OVERWRITTEN = 3,
  BUFFER_DISCARDED = 18,
  BUFFER_LOST = 19,

  PACKET_MAX = 64 << 20,
  UNPACKED_MAX = 256 << 20,
};

/* The fields of a packet. */
typedef struct packet {
  aq_pb_view clocks, event, interned, stats, defaults, track, packed;
  uint64_t sequence, flags, timestamp, clock, dropped;
  bool has_timestamp, zstd;
} packet;

/* ---- the encoding ---- */

bool aq_perfetto_field(aq_perfetto *p, aq_pb_view *in, aq_pb_field *out)
{
  const aq_pb_got got = aq_pb_next(in, out);
  p->malformed |= got == AQ_PB_CUT || got == AQ_PB_MALFORMED;
  return got == AQ_PB_FIELD;
}

static uint64_t offset_of(const void *of)
{
  return ((const aq_perfetto *)of)->offset;
}

static aq_status text_id(aq_perfetto *p, aq_pb_view text, int64_t *id)
{
  *id =
      aq_names_id(&p->texts, text.size ? (const char *)text.at : "", text.size);
  return *id >= 0 ? AQ_OK : aq_diag_no_memory(p->import->diag);
}

static void skip(aq_perfetto *p, const char *why, int64_t name)
{
  const char *text = aq_names_text(&p->texts, name);
  aq_import_skip(p->import, why, text, text ? strlen(text) : 0);
}

/* ---- sequences ---- */

static aq_status sequence_of(aq_perfetto *p, uint64_t id, size_t *index,
                             bool *is_new)
{
  uint64_t at;
  *is_new = !aq_map_get(&p->sequence_by_id, id, &at);
  if (*is_new) {
    at = p->sequence_count;
    if (!AQ_ARRAY_PUSH(p->sequences, p->sequence_count, p->sequence_capacity,
                       (aq_perfetto_sequence){.valid = false}) ||
        !aq_map_put(&p->sequence_by_id, id, at))
      return aq_diag_no_memory(p->import->diag);
  }
  *index = at;
  return AQ_OK;
}

static void sequence_clear(aq_perfetto_sequence *sequence)
{
  for (int i = 0; i < AQ_PERFETTO_TEXT_KINDS; i++)
    aq_map_fini(&sequence->interned[i]);
  sequence->valid = true;
  sequence->clock = 0;
  sequence->has_track = false;
}

static void slice_free(aq_perfetto *p, size_t slice)
{
  p->slices[slice].next = p->free_slice;
  p->free_slice = slice + 1;
}

/* Forgets the open slices of a sequence (of all: SIZE_MAX), whose ends are
 * lost. */
static void slices_drop(aq_perfetto *p, size_t sequence)
{
  for (size_t i = 0; i < p->track_count; i++)
    for (size_t *link = &p->tracks[i].open; *link;) {
      const size_t at = *link - 1;
      if (sequence != SIZE_MAX && p->slices[at].sequence != sequence) {
        link = &p->slices[at].next;
        continue;
      }
      *link = p->slices[at].next;
      if (p->slices[at].kind != AQ_PERFETTO_OTHER)
        skip(p, "a slice has no end", p->slices[at].name);
      slice_free(p, at);
    }
}

/* Packets in front of this one are lost, and with them texts, the time of an
 * incremental clock, and ends of slices. */
static void sequence_lose(aq_perfetto *p, size_t sequence)
{
  aq_import_fault(p->import, AQ_REPAIR_LOST_PACKETS, "packets dropped", NULL,
                  0);
  sequence_clear(&p->sequences[sequence]);
  for (int i = 0; i < AQ_PERFETTO_LOCAL_END - AQ_PERFETTO_LOCAL; i++)
    p->sequences[sequence].clocks[i].known = false;
  p->sequences[sequence].valid = false;
  p->sequences[sequence].lost = true;
  slices_drop(p, sequence);
}

static aq_status interned_read(aq_perfetto *p, size_t sequence, aq_pb_view from)
{
  aq_pb_field field, inner;
  aq_status status = AQ_OK;
  while (status == AQ_OK && aq_perfetto_field(p, &from, &field)) {
    const int kind =
        field.number == INTERNED_CATEGORY     ? AQ_PERFETTO_CATEGORY_TEXTS
        : field.number == INTERNED_EVENT      ? AQ_PERFETTO_EVENT_TEXTS
        : field.number == INTERNED_ANNOTATION ? AQ_PERFETTO_ANNOTATION_TEXTS
        : field.number == INTERNED_TEXT       ? AQ_PERFETTO_VALUE_TEXTS
                                              : AQ_PERFETTO_TEXT_KINDS;
    if (kind == AQ_PERFETTO_TEXT_KINDS || field.wire != AQ_PB_BYTES)
      continue;
    aq_pb_view entry = field.bytes, text = {entry.at, 0};
    uint64_t id = 0;
    int64_t name;
    while (aq_perfetto_field(p, &entry, &inner)) {
      if (inner.number == NAME_ID)
        id = inner.value;
      else if (inner.number == NAME_TEXT && inner.wire == AQ_PB_BYTES)
        text = inner.bytes;
    }
    status = text_id(p, text, &name);
    if (status == AQ_OK &&
        !aq_map_put(&p->sequences[sequence].interned[kind], id, (uint64_t)name))
      status = aq_diag_no_memory(p->import->diag);
  }
  return status;
}

static void defaults_read(aq_perfetto *p, aq_perfetto_sequence *sequence,
                          aq_pb_view from)
{
  aq_pb_field field, inner;
  sequence->clock = 0;
  sequence->has_track = false;
  while (aq_perfetto_field(p, &from, &field)) {
    if (field.number == DEFAULTS_CLOCK)
      sequence->clock = field.value;
    else if (field.number == DEFAULTS_EVENT && field.wire == AQ_PB_BYTES)
      while (aq_perfetto_field(p, &field.bytes, &inner))
        if (inner.number == DEFAULTS_TRACK) {
          sequence->track = inner.value;
          sequence->has_track = true;
        }
  }
}

/* ---- tracks ---- */

static aq_status track_of(aq_perfetto *p, uint64_t id, size_t *index)
{
  uint64_t at;
  if (!aq_map_get(&p->track_by_id, id, &at)) {
    at = p->track_count;
    if (!AQ_ARRAY_PUSH(p->tracks, p->track_count, p->track_capacity,
                       (aq_perfetto_track){
                           .name = AQ_NONE, .pid = AQ_NONE, .tid = AQ_NONE}) ||
        !aq_map_put(&p->track_by_id, id, at))
      return aq_diag_no_memory(p->import->diag);
  }
  *index = at;
  return AQ_OK;
}

static void owner_read(aq_perfetto *p, aq_pb_view from, int64_t *pid,
                       int64_t *tid)
{
  aq_pb_field field;
  while (aq_perfetto_field(p, &from, &field)) {
    if (field.number == OWNER_PID)
      *pid = (int64_t)field.value;
    else if (field.number == THREAD_TID && tid)
      *tid = (int64_t)field.value;
  }
}

static aq_status track_read(aq_perfetto *p, aq_pb_view from)
{
  aq_pb_view again = from, name = {from.at, 0};
  aq_pb_field field;
  uint64_t id = 0;
  size_t at;
  while (aq_perfetto_field(p, &again, &field))
    if (field.number == TRACK_ID)
      id = field.value;
  aq_status status = track_of(p, id, &at);
  if (status != AQ_OK)
    return status;
  aq_perfetto_track *track = &p->tracks[at];
  while (aq_perfetto_field(p, &from, &field)) {
    if (field.number == TRACK_PARENT) {
      track->parent = field.value;
      track->has_parent = true;
    } else if (field.wire != AQ_PB_BYTES)
      continue;
    else if (field.number == TRACK_NAME || field.number == TRACK_STATIC_NAME)
      name = field.bytes;
    else if (field.number == TRACK_PROCESS)
      owner_read(p, field.bytes, &track->pid, NULL);
    else if (field.number == TRACK_THREAD)
      owner_read(p, field.bytes, &track->pid, &track->tid);
  }
  if (name.size == 0)
    return AQ_OK;
  status = text_id(p, name, &track->name);
  if (status == AQ_OK)
    status = aq_perfetto_track_agent(p, (const char *)name.at, name.size);
  return status;
}

/* ---- events ---- */

/* The text of an interned id; false: the sequence has none. */
static bool interned_find(const aq_perfetto *p, size_t sequence, int kind,
                          uint64_t id, int64_t *name)
{
  uint64_t at;
  if (!aq_map_get(&p->sequences[sequence].interned[kind], id, &at))
    return false;
  *name = (int64_t)at;
  return true;
}

static void annotation_read(aq_perfetto *p, size_t sequence, aq_pb_view from,
                            aq_perfetto_slice *slice)
{
  aq_pb_view name = {from.at, 0};
  aq_perfetto_value value = {0};
  aq_pb_field field;
  int64_t text = AQ_NONE;
  bool known = true;
  while (aq_perfetto_field(p, &from, &field)) {
    switch (field.number) {
    case ANNOTATION_NAME_ID:
      known = interned_find(p, sequence, AQ_PERFETTO_ANNOTATION_TEXTS,
                            field.value, &text);
      if (known)
        name =
            (aq_pb_view){(const unsigned char *)aq_names_text(&p->texts, text),
                         aq_names_length(&p->texts, text)};
      break;
    case ANNOTATION_NAME:
      name = field.bytes;
      break;
    case ANNOTATION_UINT:
    case ANNOTATION_POINTER:
      value = (aq_perfetto_value){.count = field.value <= INT64_MAX,
                                  .numbers = {(int64_t)field.value},
                                  .too_big = field.value > INT64_MAX};
      break;
    case ANNOTATION_INT:
      value =
          (aq_perfetto_value){.count = 1, .numbers = {(int64_t)field.value}};
      break;
    case ANNOTATION_TEXT:
      value = aq_perfetto_numbers(
          field.bytes.size ? (const char *)field.bytes.at : "",
          field.bytes.size);
      break;
    case ANNOTATION_TEXT_ID:
      known = interned_find(p, sequence, AQ_PERFETTO_VALUE_TEXTS, field.value,
                            &text);
      if (known)
        value = aq_perfetto_numbers(aq_names_text(&p->texts, text),
                                    aq_names_length(&p->texts, text));
      break;
    default:
      break;
    }
  }
  if (!known)
    aq_import_fault(p->import, AQ_REPAIR_BAD_NUMBER,
                    "annotation whose text its sequence lacks", NULL, 0);
  const aq_perfetto_annotation at =
      aq_perfetto_annotation_find((const char *)name.at, name.size);
  if (at != AQ_PERFETTO_ANNOTATIONS && value.too_big)
    aq_import_fault(p->import, AQ_REPAIR_BAD_NUMBER, "annotation over 2^63 - 1",
                    (const char *)name.at, name.size);
  else if (at != AQ_PERFETTO_ANNOTATIONS && value.count > 0)
    slice->values[at] = value;
}

/* The fields of an event, but for the annotations. */
typedef struct event {
  aq_perfetto_kind kind;
  uint64_t type, track;
  bool has_track;
  int64_t name, flow;
  aq_pb_view category; /* the first one, borrowed */
  const char *unknown; /* what its sequence lacks, or NULL */
} event;

static aq_status event_read(aq_perfetto *p, size_t sequence, aq_pb_view from,
                            event *out)
{
  aq_pb_field field;
  aq_status status = AQ_OK;
  *out = (event){.track = p->sequences[sequence].track,
                 .has_track = p->sequences[sequence].has_track,
                 .name = AQ_NONE,
                 .flow = AQ_NONE};
  while (status == AQ_OK && aq_perfetto_field(p, &from, &field)) {
    int64_t text = AQ_NONE;
    aq_pb_view category = {from.at, 0};
    if (field.number == EVENT_TYPE)
      out->type = field.value;
    else if (field.number == EVENT_TRACK) {
      out->track = field.value;
      out->has_track = true;
    } else if (field.number == EVENT_NAME_ID) {
      if (!interned_find(p, sequence, AQ_PERFETTO_EVENT_TEXTS, field.value,
                         &out->name))
        out->unknown = "a slice whose name its sequence lacks";
    } else if (field.number == EVENT_NAME && field.wire == AQ_PB_BYTES)
      status = text_id(p, field.bytes, &out->name);
    else if (field.number == EVENT_CATEGORY_ID) {
      if (interned_find(p, sequence, AQ_PERFETTO_CATEGORY_TEXTS, field.value,
                        &text))
        category =
            (aq_pb_view){(const unsigned char *)aq_names_text(&p->texts, text),
                         aq_names_length(&p->texts, text)};
      else
        out->unknown = "a slice whose category its sequence lacks";
    } else if (field.number == EVENT_CATEGORY && field.wire == AQ_PB_BYTES)
      category = field.bytes;
    else if (field.number == EVENT_FLOW)
      out->flow = (int64_t)(field.value & INT64_MAX);
    if (category.size && !out->category.size)
      out->category = category;
    if (category.size && out->kind == AQ_PERFETTO_OTHER)
      out->kind =
          aq_perfetto_category((const char *)category.at, category.size);
  }
  return status;
}

static aq_status slice_begin(aq_perfetto *p, size_t sequence, size_t track,
                             const event *e, aq_pb_view from, int64_t time)
{
  aq_pb_field field;
  size_t at = p->free_slice - 1;
  if (p->free_slice)
    p->free_slice = p->slices[at].next;
  else {
    at = p->slice_count;
    if (!AQ_ARRAY_PUSH(p->slices, p->slice_count, p->slice_capacity,
                       (aq_perfetto_slice){0}))
      return aq_diag_no_memory(p->import->diag);
  }
  aq_perfetto_slice *slice = &p->slices[at];
  *slice = (aq_perfetto_slice){.kind = e->kind,
                               .name = e->name,
                               .begin = time,
                               .flow = e->flow,
                               .sequence = sequence,
                               .next = p->tracks[track].open};
  p->tracks[track].open = at + 1;
  if (e->kind == AQ_PERFETTO_OTHER)
    return AQ_OK;
  while (aq_perfetto_field(p, &from, &field))
    if (field.number == EVENT_ANNOTATION && field.wire == AQ_PB_BYTES)
      annotation_read(p, sequence, field.bytes, slice);
  return AQ_OK;
}

/* The innermost open slice of a track that the sequence began: 0 at the link,
 * if there is none. */
static size_t *slice_find(aq_perfetto *p, size_t sequence, size_t track)
{
  size_t *link = &p->tracks[track].open;
  while (*link && p->slices[*link - 1].sequence != sequence)
    link = &p->slices[*link - 1].next;
  return link;
}

static aq_perfetto_slice slice_take(aq_perfetto *p, size_t *link)
{
  const size_t at = *link - 1;
  const aq_perfetto_slice slice = p->slices[at];
  *link = slice.next;
  slice_free(p, at);
  return slice;
}

/* If the sequence began no open slice of the track, another one did; or it did,
 * in a packet that is lost. */
static aq_status slice_end(aq_perfetto *p, size_t sequence, size_t track,
                           int64_t time)
{
  size_t *link = slice_find(p, sequence, track);
  if (!*link && !p->sequences[sequence].lost)
    link = &p->tracks[track].open;
  if (!*link) {
    skip(p, "the end of a slice without its begin", p->tracks[track].name);
    return AQ_OK;
  }
  aq_perfetto_slice slice = slice_take(p, link);
  slice.end = time;
  return slice.kind == AQ_PERFETTO_OTHER
             ? AQ_OK
             : aq_perfetto_slice_add(p, &p->tracks[track], &slice);
}

static void event_ignore(aq_perfetto *p, const event *e)
{
  const char *what = e->type == TYPE_BEGIN     ? "slice of another category"
                     : e->type == TYPE_INSTANT ? "instant"
                     : e->type == TYPE_COUNTER ? "counter"
                                               : "event of another type";
  aq_import_fault(p->import, AQ_REPAIR_OTHER_EVENT, what,
                  e->category.size ? (const char *)e->category.at : NULL,
                  e->category.size);
}

static aq_status event_add(aq_perfetto *p, size_t sequence, const packet *in,
                           const aq_perfetto_stamp *stamp)
{
  int64_t time = 0;
  size_t track = 0;
  event e;
  aq_status status = event_read(p, sequence, in->event, &e);
  if (status != AQ_OK)
    return status;
  if (e.type != TYPE_BEGIN && e.type != TYPE_END) {
    event_ignore(p, &e);
    return AQ_OK;
  }
  const bool timed = aq_perfetto_time(p, stamp, &time);
  const char *unread =
      !p->sequences[sequence].valid && (in->flags & FLAG_NEEDS_STATE)
          ? "a slice behind lost packets, with them its names"
      : e.unknown    ? e.unknown
      : !e.has_track ? "a slice of no track"
      : !timed       ? "a slice whose clock has no relation to the trace's"
                     : NULL;
  status = e.has_track ? track_of(p, e.track, &track) : AQ_OK;
  if (status != AQ_OK)
    return status;
  if (unread && e.type == TYPE_END) {
    /* Its begin must find it: else it would end the slice around it. One that
     * was not read either has been counted. */
    size_t *link = e.has_track ? slice_find(p, sequence, track) : NULL;
    const bool counted =
        !e.has_track || /* with its begin, which has no track either */
        (link && *link && slice_take(p, link).kind == AQ_PERFETTO_OTHER);
    if (!counted)
      skip(p, unread, e.name);
    return AQ_OK;
  }
  if (unread)
    skip(p, unread, e.name);
  else if (e.type == TYPE_BEGIN && e.kind == AQ_PERFETTO_OTHER)
    event_ignore(p, &e);
  if (!e.has_track)
    return AQ_OK;
  if (unread)
    e.kind = AQ_PERFETTO_OTHER;
  return e.type == TYPE_BEGIN
             ? slice_begin(p, sequence, track, &e, in->event, time)
             : slice_end(p, sequence, track, time);
}

/* ---- packets ---- */

/* Each packet has the losses of the whole trace so far. */
static void stats_read(aq_perfetto *p, aq_pb_view from)
{
  aq_pb_field field, inner;
  uint64_t lost = 0;
  while (aq_perfetto_field(p, &from, &field))
    if (field.number == STATS_BUFFER && field.wire == AQ_PB_BYTES)
      while (aq_perfetto_field(p, &field.bytes, &inner))
        if (inner.number == BUFFER_OVERWRITTEN ||
            inner.number == BUFFER_DISCARDED || inner.number == BUFFER_LOST)
          lost += inner.value;
  p->chunks_lost = lost;
}

static void packet_read(aq_perfetto *p, aq_pb_view from, packet *out)
{
  aq_pb_field field;
  *out = (packet){0};
  while (aq_perfetto_field(p, &from, &field)) {
    switch (field.number) {
    case PACKET_CLOCKS:
      out->clocks = field.bytes;
      break;
    case PACKET_TIMESTAMP:
      out->timestamp = field.value;
      out->has_timestamp = true;
      break;
    case PACKET_SEQUENCE:
      out->sequence = field.value;
      break;
    case PACKET_EVENT:
      out->event = field.bytes;
      break;
    case PACKET_INTERNED:
      out->interned = field.bytes;
      break;
    case PACKET_FLAGS:
      out->flags |= field.value;
      break;
    case PACKET_STATS:
      out->stats = field.bytes;
      break;
    case PACKET_CLEARED:
      out->flags |= field.value ? FLAG_STATE_CLEARED : 0;
      break;
    case PACKET_DROPPED:
      out->dropped = field.value;
      break;
    case PACKET_CLOCK:
      out->clock = field.value;
      break;
    case PACKET_DEFAULTS:
      out->defaults = field.bytes;
      break;
    case PACKET_TRACK:
      out->track = field.bytes;
      break;
    case PACKET_ZLIB:
      out->packed = field.bytes;
      break;
    case PACKET_ZSTD:
      out->zstd = true;
      break;
    default:
      break;
    }
  }
}

static aq_status packets_take(aq_perfetto *p, aq_pb_view *bytes);

/* The packets that one packet has compressed. */
static aq_status packed_add(aq_perfetto *p, aq_pb_view from)
{
  unsigned char *bytes;
  size_t size;
  aq_status status = aq_stream_unpack(from.at, from.size, UNPACKED_MAX, &bytes,
                                      &size, p->import->diag);
  if (status != AQ_OK)
    return status;
  aq_pb_view rest = {bytes, size};
  p->unpacked = true;
  if (bytes)
    status = packets_take(p, &rest);
  p->unpacked = false;
  if (status == AQ_OK && (!bytes || rest.size > 0))
    status =
        aq_diag_set(p->import->diag, AQ_ERR_INPUT,
                    "%s: byte %llu: damaged compressed packets, or more "
                    "than %d MiB of them",
                    p->file, (unsigned long long)p->offset, UNPACKED_MAX >> 20);
  free(bytes);
  return status;
}

static aq_status packet_add(aq_perfetto *p, aq_pb_view from)
{
  packet in;
  aq_perfetto_stamp stamp = {.known = false};
  size_t at = 0;
  bool is_new;
  packet_read(p, from, &in);
  if (in.zstd || (in.packed.size && p->unpacked))
    return aq_diag_set(p->import->diag, AQ_ERR_INPUT,
                       "%s: byte %llu: packets compressed by zstd, or twice: "
                       "expected a trace recorded without compression_type",
                       p->file, (unsigned long long)p->offset);
  if (in.packed.size)
    return packed_add(p, in.packed);
  aq_status status = sequence_of(p, in.sequence, &at, &is_new);
  if (status != AQ_OK)
    return status;
  /* The first packet of a sequence says that packets were dropped, always; if
   * it brings no state, it is right: packets before it had begun slices. */
  if (in.dropped && !is_new)
    sequence_lose(p, at);
  else if (in.dropped && !(in.flags & FLAG_STATE_CLEARED))
    p->sequences[at].lost = true;
  if (in.flags & FLAG_STATE_CLEARED)
    sequence_clear(&p->sequences[at]);
  if (in.defaults.size)
    defaults_read(p, &p->sequences[at], in.defaults);
  if (in.interned.size)
    status = interned_read(p, at, in.interned);
  if (status == AQ_OK && in.clocks.size)
    status = aq_perfetto_clocks_read(p, &p->sequences[at], in.clocks);
  /* A snapshot sets an incremental clock: its packet's time is no difference
   * to it. Any other moves it on, whatever the packet has. */
  else if (!in.clocks.size && in.has_timestamp)
    stamp =
        aq_perfetto_stamp_read(p, &p->sequences[at], in.clock, in.timestamp);
  if (in.stats.size)
    stats_read(p, in.stats);
  if (status == AQ_OK && in.track.size)
    status = track_read(p, in.track);
  if (status == AQ_OK && !in.clocks.size && in.event.size)
    status = event_add(p, at, &in, &stamp);
  if (status == AQ_OK && p->malformed)
    status = aq_diag_set(p->import->diag, AQ_ERR_INPUT,
                         "%s: malformed protobuf in the packet at byte %llu",
                         p->file, (unsigned long long)p->offset);
  return status;
}

/* Takes all complete packets of *bytes; the rest waits for more. */
static aq_status packets_take(aq_perfetto *p, aq_pb_view *bytes)
{
  aq_pb_field field;
  aq_status status = AQ_OK;
  while (status == AQ_OK) {
    const unsigned char *from = bytes->at;
    const aq_pb_got got = aq_pb_next(bytes, &field);
    if (got == AQ_PB_END || (got == AQ_PB_CUT && bytes->size <= PACKET_MAX))
      break;
    if (got != AQ_PB_FIELD)
      return aq_diag_set(p->import->diag, AQ_ERR_INPUT, "%s: byte %llu: %s",
                         p->file, (unsigned long long)p->offset,
                         got == AQ_PB_CUT
                             ? "a packet of more than 64 MiB"
                             : "malformed protobuf instead of a packet");
    if (field.number == TRACE_PACKET && field.wire == AQ_PB_BYTES)
      status = packet_add(p, field.bytes);
    if (!p->unpacked) /* else it stays that of the packet around */
      p->offset += (uint64_t)(bytes->at - from);
  }
  return status;
}

static aq_status file_read(aq_perfetto *p, aq_stream_reader *reader)
{
  unsigned char *bytes = NULL;
  size_t size = 0, capacity = 0, piece_size;
  const char *piece;
  aq_status status;
  while ((status = aq_import_read(p->import, reader, &piece, &piece_size)) ==
             AQ_OK &&
         piece_size > 0) {
    if (!AQ_ARRAY_RESERVE(bytes, capacity, size + piece_size)) {
      status = aq_diag_no_memory(p->import->diag);
      break;
    }
    memcpy(bytes + size, piece, piece_size);
    aq_pb_view rest = {bytes, size + piece_size};
    status = packets_take(p, &rest);
    if (status != AQ_OK)
      break;
    memmove(bytes, rest.at, rest.size);
    size = rest.size;
  }
  free(bytes);
  if (status == AQ_OK && size > 0)
    status = aq_import_truncated(p->import, p->file, "byte", p->offset + size,
                                 "inside a packet, which is left out");
  return status;
}

bool aq_perfetto_detect(const char *text, size_t length)
{
  aq_pb_view in = {(const unsigned char *)text, length};
  aq_pb_field field;
  uint64_t size = 0;
  size_t at = 1;
  bool known = false;
  if (length < 3 || in.at[0] != (TRACE_PACKET << 3 | AQ_PB_BYTES))
    return false;
  for (unsigned shift = 0; at < length && shift < 32; shift += 7) {
    size |= (uint64_t)(in.at[at] & 0x7f) << shift;
    if (in.at[at++] < 0x80)
      break;
  }
  in.at += at;
  in.size = size < length - at ? (size_t)size : length - at;
  aq_pb_got got;
  while ((got = aq_pb_next(&in, &field)) == AQ_PB_FIELD)
    known |= field.number == PACKET_SEQUENCE || field.number == PACKET_TRACK;
  return known && (got == AQ_PB_END || size > length - at);
}

aq_status aq_perfetto_import(aq_import *import, aq_correlation *join,
                             const aq_trace_files *files)
{
  aq_perfetto p = {.import = import,
                   .join = join,
                   .file = files->files[0].path,
                   .texts = AQ_NAMES_INIT,
                   .trace_clock = AQ_PERFETTO_BOOT};
  aq_stream_reader *reader;
  aq_status status =
      aq_trace_file_open(&files->files[0], &reader, import->diag);
  if (status != AQ_OK)
    return status;
  import->place = (aq_import_place){"byte", offset_of, &p};
  status = file_read(&p, reader);
  if (status == AQ_OK)
    slices_drop(&p, SIZE_MAX);
  import->result->repairs[AQ_REPAIR_LOST_PACKETS] += p.chunks_lost;
  import->place = (aq_import_place){0};
  for (size_t i = 0; i < p.sequence_count; i++)
    sequence_clear(&p.sequences[i]);
  aq_map_fini(&p.sequence_by_id);
  aq_map_fini(&p.track_by_id);
  aq_map_fini(&p.processes);
  aq_names_fini(&p.texts);
  aq_agents_fini(&p.agents);
  for (int i = 0; i < AQ_PERFETTO_LOCAL; i++)
    free(p.readings[i].list);
  free(p.sequences);
  free(p.tracks);
  free(p.slices);
  aq_stream_reader_close(reader);
  import->result->advice = aq_rocprofv3_advice;
  return status;
}
