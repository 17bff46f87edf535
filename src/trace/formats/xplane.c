/* SPDX-License-Identifier: MIT */
/* The profile of JAX and XLA, an XSpace (.xplane.pb); see
 * doc/formats/xplane.md.
 *
 * Names of a plane's events and stats lie behind its lines, so a plane is in
 * memory as a whole. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "trace/formats/rocprofv3.h"
#include "trace/text/protobuf_reader.h"

/* Numbers of fields in xplane.proto of tsl/profiler/protobuf. */
enum {
  SPACE_PLANE = 1,
  PLANE_NAME = 2,
  PLANE_LINE = 3,
  PLANE_EVENT_NAME = 4,
  PLANE_STAT_NAME = 5,
  PLANE_STAT = 6,
  ENTRY_KEY = 1, /* of a map */
  ENTRY_VALUE = 2,
  NAME_TEXT = 2,
  LINE_ID = 1,
  LINE_NAME = 2,
  LINE_START_NS = 3,
  LINE_EVENT = 4,
  EVENT_NAME = 1,
  EVENT_OFFSET_PS = 2,
  EVENT_DURATION_PS = 3,
  EVENT_STAT = 4,
  EVENT_COUNT = 5,
  STAT_NAME = 1,
  STAT_UINT64 = 3,
  STAT_INT64 = 4,
  STAT_TEXT = 5,
  STAT_REFERENCE = 7,
};

enum { SPACE_MAX = 1 << 30 /* bytes */ };

/* The stats that are read, by their names. */
#define STATS(S)                                                               \
  S(CORRELATION, "correlation_id")                                             \
  S(KERNEL, "kernel_details")                                                  \
  S(COPY, "memcpy_details")                                                    \
  S(FILL, "memset_details")                                                    \
  S(CORES, "core_count")

typedef enum stat_kind {
#define S(id, name) STAT_##id,
  STATS(S)
#undef S
      STAT_COUNT
} stat_kind;

typedef struct stat_value {
  bool has;
  uint64_t number;
  aq_pb_view text;
} stat_value;

typedef struct xplane {
  aq_import *import;
  aq_correlation *join;
  const char *file;
  unsigned char *bytes; /* the whole file, unpacked */
  size_t size, capacity;
  /* Of the present plane. */
  aq_pb_view name;
  aq_map event_names, stat_names; /* id → place in `texts` */
  aq_pb_view *texts;
  size_t text_count, text_capacity;
  uint64_t stat_ids[STAT_COUNT];
  bool has_stat[STAT_COUNT];
  bool on_device;
  int64_t device; /* ordinal */
} xplane;

typedef struct line {
  int64_t id;
  int64_t start_ns;
  bool is_stream;
} line;

/* ---- the encoding ---- */

static aq_status malformed(const xplane *x, const unsigned char *at)
{
  return aq_diag_set(x->import->diag, AQ_ERR_INPUT,
                     "%s: byte %zu: malformed protobuf in an XSpace", x->file,
                     (size_t)(at - x->bytes));
}

/* The next field of a message inside a plane, whose end is known. */
static aq_status field_next(const xplane *x, aq_pb_view *in, aq_pb_field *out,
                            bool *got)
{
  const unsigned char *at = in->at;
  const aq_pb_got how = aq_pb_next(in, out);
  *got = how == AQ_PB_FIELD;
  return how == AQ_PB_FIELD || how == AQ_PB_END ? AQ_OK : malformed(x, at);
}

static bool view_begins(aq_pb_view view, const char *text)
{
  const size_t length = strlen(text);
  return view.size >= length && memcmp(view.at, text, length) == 0;
}

/* ---- names ---- */

/* An entry of a map from ids to metadata. */
static aq_status name_add(xplane *x, aq_map *names, aq_pb_view entry,
                          uint64_t *id, aq_pb_view *text)
{
  aq_pb_field field, inner;
  aq_pb_view metadata = {entry.at, 0};
  bool got;
  aq_status status;
  *id = 0;
  *text = metadata;
  while ((status = field_next(x, &entry, &field, &got)) == AQ_OK && got) {
    if (field.number == ENTRY_KEY)
      *id = field.value;
    else if (field.number == ENTRY_VALUE && field.wire == AQ_PB_BYTES)
      metadata = field.bytes;
  }
  while (status == AQ_OK &&
         (status = field_next(x, &metadata, &inner, &got)) == AQ_OK && got)
    if (inner.number == NAME_TEXT && inner.wire == AQ_PB_BYTES)
      *text = inner.bytes;
  if (status != AQ_OK)
    return status;
  return aq_map_put(names, *id, x->text_count) &&
                 AQ_ARRAY_PUSH(x->texts, x->text_count, x->text_capacity, *text)
             ? AQ_OK
             : aq_diag_no_memory(x->import->diag);
}

static aq_pb_view name_find(const xplane *x, const aq_map *names, uint64_t id)
{
  uint64_t at;
  return aq_map_get(names, id, &at) ? x->texts[at]
                                    : (aq_pb_view){x->name.at, 0};
}

static aq_status stat_name_add(xplane *x, aq_pb_view entry)
{
  static const char *const names[] = {
#define S(id, name) [STAT_##id] = name,
      STATS(S)
#undef S
  };
  aq_pb_view text;
  uint64_t id;
  aq_status status = name_add(x, &x->stat_names, entry, &id, &text);
  for (int i = 0; status == AQ_OK && i < STAT_COUNT; i++)
    if (text.size == strlen(names[i]) && view_begins(text, names[i])) {
      x->has_stat[i] = true;
      x->stat_ids[i] = id;
    }
  return status;
}

/* ---- stats ---- */

static aq_status stat_read(const xplane *x, aq_pb_view stat,
                           stat_value values[STAT_COUNT])
{
  stat_value value = {.has = true, .text = {stat.at, 0}};
  uint64_t id = 0;
  aq_pb_field field;
  bool got;
  aq_status status;
  while ((status = field_next(x, &stat, &field, &got)) == AQ_OK && got) {
    if (field.number == STAT_NAME)
      id = field.value;
    else if (field.number == STAT_UINT64 || field.number == STAT_INT64)
      value.number = field.value;
    else if (field.number == STAT_TEXT && field.wire == AQ_PB_BYTES)
      value.text = field.bytes;
    else if (field.number == STAT_REFERENCE)
      value.text = name_find(x, &x->stat_names, field.value);
  }
  for (int i = 0; status == AQ_OK && i < STAT_COUNT; i++)
    if (x->has_stat[i] && x->stat_ids[i] == id)
      values[i] = value;
  return status;
}

/* "… grid:3,2,1 block:…": up to three numbers behind a key. */
static bool detail_find(aq_pb_view text, const char *key, int count,
                        int64_t *out)
{
  if (text.size == 0)
    return false;
  const char *at = memmem(text.at, text.size, key, strlen(key));
  const char *end = (const char *)text.at + text.size;
  if (!at)
    return false;
  at += strlen(key);
  for (int i = 0; i < count; i++) {
    size_t digits = 0;
    while (at + digits < end && at[digits] >= '0' && at[digits] <= '9')
      digits++;
    if (!aq_decimal_int(at, digits, &out[i]) || digits > 18)
      return false;
    at += digits;
    if (i + 1 < count && (at == end || *at++ != ','))
      return false;
  }
  return true;
}

/* XLA writes the grid in workgroups. */
static void kernel_shape(aq_pb_view details, aq_record *row)
{
  int64_t grid[3], block[3], value, more = 0;
  if (detail_find(details, "grid:", 3, grid) &&
      detail_find(details, "block:", 3, block)) {
    for (int i = 0; i < 3; i++)
      if (__builtin_mul_overflow(grid[i], block[i], &grid[i]))
        grid[i] = INT64_MAX; /* counted as out of range */
    row->grid_x = grid[0];
    row->grid_y = grid[1];
    row->grid_z = grid[2];
    row->wg_x = block[0];
    row->wg_y = block[1];
    row->wg_z = block[2];
  }
  if (detail_find(details, "group_mem:", 1, &value))
    row->lds = value;
  else if (detail_find(details, "static_shared:", 1, &value) &&
           detail_find(details, "dynamic_shared:", 1, &more))
    row->lds = value + more;
  if (detail_find(details, "private_mem:", 1, &value))
    row->scratch = value;
  if (detail_find(details, "regs:", 1, &value) && value > 0)
    row->vgpr = value;
}

/* ---- events ---- */

typedef struct event {
  aq_pb_view name;
  int64_t offset_ps, duration_ps;
  bool aggregated; /* several in one, without a time */
  stat_value stats[STAT_COUNT];
} event;

static aq_status event_read(const xplane *x, aq_pb_view from, event *out)
{
  aq_pb_field field;
  bool got;
  aq_status status;
  *out = (event){.name = {from.at, 0}};
  while ((status = field_next(x, &from, &field, &got)) == AQ_OK && got) {
    if (field.number == EVENT_NAME)
      out->name = name_find(x, &x->event_names, field.value);
    else if (field.number == EVENT_OFFSET_PS)
      out->offset_ps = (int64_t)field.value;
    else if (field.number == EVENT_DURATION_PS)
      out->duration_ps = (int64_t)field.value;
    else if (field.number == EVENT_COUNT)
      out->aggregated = true;
    else if (field.number == EVENT_STAT && field.wire == AQ_PB_BYTES)
      status = stat_read(x, field.bytes, out->stats);
    if (status != AQ_OK)
      break;
  }
  return status;
}

/* A duration below 0 is left to the caller of the ticks, which counts it. */
static bool event_ticks(const line *l, const event *e, aq_tick *begin,
                        aq_tick *end)
{
  int64_t last;
  const int64_t offset = e->offset_ps;
  if (e->aggregated || __builtin_add_overflow(offset, e->duration_ps, &last) ||
      __builtin_add_overflow(l->start_ns, offset / 1000, &begin->ns) ||
      __builtin_add_overflow(l->start_ns, last / 1000, &end->ns))
    return false;
  begin->ps = (int32_t)(offset % 1000);
  end->ps = (int32_t)(last % 1000);
  return begin->ns >= 0 && end->ns >= 0 && begin->ps >= 0 && end->ps >= 0;
}

static aq_status event_skip(xplane *x, const char *why, aq_pb_view text)
{
  aq_import_skip(x->import, why, text.size ? (const char *)text.at : NULL,
                 text.size);
  return AQ_OK;
}

static aq_status device_event(xplane *x, const line *l, const event *e)
{
  aq_import *import = x->import;
  const stat_value *correlation = &e->stats[STAT_CORRELATION];
  aq_tick begin, end;
  aq_record row;
  int64_t bytes;
  aq_record_init(&row);
  row.flags = 0;
  row.kind = e->stats[STAT_KERNEL].has ? AQ_KIND_KERNEL
             : e->stats[STAT_COPY].has ? AQ_KIND_COPY
             : e->stats[STAT_FILL].has ? AQ_KIND_FILL
                                       : AQ_NONE;
  if (row.kind == AQ_NONE)
    return event_skip(x, "neither kernel nor copy nor fill", e->name);
  if (!event_ticks(l, e, &begin, &end) ||
      !aq_import_between(import, begin, end, &row.start, &row.end))
    return event_skip(x, "times are not numbers in range", e->name);
  row.device = x->device;
  row.stream = l->id;
  if (correlation->has)
    row.correlation = (int64_t)correlation->number;
  kernel_shape(e->stats[STAT_KERNEL].text, &row);
  if (detail_find(e->stats[STAT_COPY].text, "size:", 1, &bytes) ||
      detail_find(e->stats[STAT_FILL].text, "num_bytes:", 1, &bytes))
    row.bytes = bytes;
  aq_status status = aq_import_queue(
      import, row.device,
      row.kind == AQ_KIND_KERNEL ? l->id : aq_rocprofv3_copy_queue(l->id),
      &row.queue);
  if (status == AQ_OK)
    status = aq_import_name(import, (const char *)e->name.at, e->name.size,
                            &row.name);
  if (status != AQ_OK)
    return status;
  bool again;
  status = aq_import_row_again(import, &row, &again);
  if (status != AQ_OK || again)
    return status;
  aq_import_order(import, &row);
  if (!correlation->has)
    return aq_correlation_row_alone(x->join, &row);
  return aq_correlation_row_add(x->join, correlation->number, &row);
}

/* Launches have the name of their kernel, so all calls with a correlation id
 * count as submissions, except the ones known to wait. */
static aq_status host_event(xplane *x, const line *l, const event *e)
{
  const char *name = (const char *)e->name.at;
  aq_host_call call = {
      .pid = AQ_NONE, .tid = l->id, .lds = AQ_NONE, .bytes = AQ_NONE};
  aq_tick begin, end;
  if (!e->stats[STAT_CORRELATION].has)
    return AQ_OK;
  if (!event_ticks(l, e, &begin, &end))
    return event_skip(x, "times are not numbers in range", e->name);
  if (aq_api_waits(name, e->name.size))
    return aq_rocprofv3_call_add(
        x->import, x->join,
        &(aq_rocprofv3_call){.name = name,
                             .name_length = e->name.size,
                             .begin = begin,
                             .end = end,
                             .pid = AQ_NONE,
                             .tid = l->id,
                             .correlation =
                                 (int64_t)e->stats[STAT_CORRELATION].number});
  if (!aq_import_between(x->import, begin, end, &call.begin, &call.end))
    return event_skip(x, "times are not numbers in range", e->name);
  call.graph = aq_api_graph(name, e->name.size);
  return aq_correlation_call_add(x->join, e->stats[STAT_CORRELATION].number,
                                 &call);
}

/* ---- lines and planes ---- */

/* Lines of a device that are no streams (steps, modules, ops) repeat the times
 * of the kernels below. */
static aq_status line_read(xplane *x, aq_pb_view from)
{
  aq_pb_view again = from;
  line l = {0};
  aq_pb_field field;
  bool got;
  event e;
  aq_status status;
  while ((status = field_next(x, &from, &field, &got)) == AQ_OK && got) {
    if (field.number == LINE_ID)
      l.id = (int64_t)field.value;
    else if (field.number == LINE_START_NS)
      l.start_ns = (int64_t)field.value;
    else if (field.number == LINE_NAME && field.wire == AQ_PB_BYTES)
      l.is_stream = view_begins(field.bytes, "Stream");
  }
  if (status != AQ_OK || (x->on_device && !l.is_stream))
    return status;
  while (status == AQ_OK &&
         (status = field_next(x, &again, &field, &got)) == AQ_OK && got) {
    if (field.number != LINE_EVENT || field.wire != AQ_PB_BYTES)
      continue;
    status = event_read(x, field.bytes, &e);
    if (status == AQ_OK)
      status = x->on_device ? device_event(x, &l, &e) : host_event(x, &l, &e);
  }
  return status;
}

static aq_status plane_names(xplane *x, aq_pb_view plane)
{
  aq_pb_field field;
  aq_pb_view text;
  uint64_t id;
  bool got;
  aq_status status;
  while ((status = field_next(x, &plane, &field, &got)) == AQ_OK && got) {
    if (field.wire != AQ_PB_BYTES)
      continue;
    if (field.number == PLANE_NAME)
      x->name = field.bytes;
    else if (field.number == PLANE_EVENT_NAME)
      status = name_add(x, &x->event_names, field.bytes, &id, &text);
    else if (field.number == PLANE_STAT_NAME)
      status = stat_name_add(x, field.bytes);
    if (status != AQ_OK)
      break;
  }
  return status;
}

static aq_status plane_device(xplane *x, aq_pb_view plane)
{
  static const char gpu[] = "/device:GPU:";
  aq_run_device device = {.cus = AQ_NONE};
  stat_value stats[STAT_COUNT] = {0};
  aq_pb_field field;
  bool got;
  aq_status status;
  x->on_device = view_begins(x->name, gpu);
  if (!x->on_device)
    return AQ_OK;
  if (!aq_decimal_int((const char *)x->name.at + sizeof gpu - 1,
                      x->name.size - (sizeof gpu - 1), &device.source_id))
    return malformed(x, x->name.at);
  while ((status = field_next(x, &plane, &field, &got)) == AQ_OK && got)
    if (field.number == PLANE_STAT && field.wire == AQ_PB_BYTES &&
        (status = stat_read(x, field.bytes, stats)) != AQ_OK)
      break;
  if (status != AQ_OK)
    return status;
  if (stats[STAT_CORES].has && stats[STAT_CORES].number <= INT32_MAX)
    device.cus = (int64_t)stats[STAT_CORES].number;
  return aq_import_device(x->import, &device, &x->device);
}

/* Planes of the host other than the runtime's have no correlation ids. */
static aq_status plane_read(xplane *x, aq_pb_view plane)
{
  aq_pb_field field;
  bool got;
  x->name = (aq_pb_view){plane.at, 0};
  x->text_count = 0;
  memset(x->has_stat, 0, sizeof x->has_stat);
  aq_map_fini(&x->event_names);
  aq_map_fini(&x->stat_names);
  aq_status status = plane_names(x, plane);
  if (status == AQ_OK)
    status = plane_device(x, plane);
  while (status == AQ_OK &&
         (status = field_next(x, &plane, &field, &got)) == AQ_OK && got)
    if (field.number == PLANE_LINE && field.wire == AQ_PB_BYTES)
      status = line_read(x, field.bytes);
  return status;
}

/* ---- the whole ---- */

static aq_status file_read(xplane *x, aq_stream_reader *reader)
{
  const char *bytes;
  size_t size;
  aq_status status;
  while ((status = aq_import_read(x->import, reader, &bytes, &size)) == AQ_OK &&
         size > 0) {
    if (size > SPACE_MAX - x->size)
      return aq_diag_set(x->import->diag, AQ_ERR_INPUT,
                         "%s: an XSpace of more than %d MiB", x->file,
                         SPACE_MAX >> 20);
    if (!AQ_ARRAY_RESERVE(x->bytes, x->capacity, x->size + size))
      return aq_diag_no_memory(x->import->diag);
    memcpy(x->bytes + x->size, bytes, size);
    x->size += size;
  }
  return status;
}

static aq_status space_read(xplane *x)
{
  aq_pb_view space = {x->bytes, x->size};
  aq_pb_field field;
  aq_pb_got got;
  aq_status status = AQ_OK;
  while (status == AQ_OK && (got = aq_pb_next(&space, &field)) != AQ_PB_END) {
    if (got == AQ_PB_CUT)
      return aq_import_truncated(x->import, x->file, "byte", x->size,
                                 "inside a plane, which is left out");
    if (got != AQ_PB_FIELD)
      return malformed(x, space.at);
    if (field.number == SPACE_PLANE && field.wire == AQ_PB_BYTES)
      status = plane_read(x, field.bytes);
  }
  return status;
}

aq_status aq_xplane_import(aq_import *import, aq_correlation *join,
                           const aq_trace_files *files)
{
  xplane x = {.import = import, .join = join, .file = files->files[0].path};
  aq_stream_reader *reader;
  aq_status status =
      aq_trace_file_open(&files->files[0], &reader, import->diag);
  if (status != AQ_OK)
    return status;
  status = file_read(&x, reader);
  if (status == AQ_OK)
    status = space_read(&x);
  aq_map_fini(&x.event_names);
  aq_map_fini(&x.stat_names);
  free(x.texts);
  free(x.bytes);
  aq_stream_reader_close(reader);
  import->result->advice =
      "record host and device: jax.profiler.trace with host_tracer_level and "
      "device_tracer_level of 1 or more";
  return status;
}
