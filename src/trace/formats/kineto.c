/* SPDX-License-Identifier: MIT */
/* PyTorch's Kineto: Chrome trace JSON; see doc/formats/kineto.md. */
#include "config.h"

#include "trace/formats/kineto.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"

/* A text and its length. */
#define TEXT(text) text, sizeof(text) - 1

static const struct {
  level level;
  field field;
  const char *key;
  size_t length;
} fields[] = {
    {LEVEL_ROOT, FIELD_TRACE_EVENTS, TEXT("traceEvents")},
    {LEVEL_ROOT, FIELD_DEVICE_PROPERTIES, TEXT("deviceProperties")},
    {LEVEL_ROOT, FIELD_BASE_TIME, TEXT("baseTimeNanoseconds")},
    {LEVEL_ROOT, FIELD_HIP_VERSION, TEXT("hip_runtime_version")},
    {LEVEL_ROOT, FIELD_DISTRIBUTED, TEXT("distributedInfo")},
    {LEVEL_DISTRIBUTED, FIELD_OWN_RANK, TEXT("rank")},
    {LEVEL_DISTRIBUTED, FIELD_WORLD_SIZE, TEXT("world_size")},
    {LEVEL_EVENT, FIELD_PH, TEXT("ph")},
    {LEVEL_EVENT, FIELD_CAT, TEXT("cat")},
    {LEVEL_EVENT, FIELD_NAME, TEXT("name")},
    {LEVEL_EVENT, FIELD_PID, TEXT("pid")},
    {LEVEL_EVENT, FIELD_TID, TEXT("tid")},
    {LEVEL_EVENT, FIELD_TS, TEXT("ts")},
    {LEVEL_EVENT, FIELD_DUR, TEXT("dur")},
    {LEVEL_EVENT, FIELD_ARGS, TEXT("args")},
    {LEVEL_ARGS, FIELD_DEVICE, TEXT("device")},
    {LEVEL_ARGS, FIELD_STREAM, TEXT("stream")},
    {LEVEL_ARGS, FIELD_CORRELATION, TEXT("correlation")},
    {LEVEL_ARGS, FIELD_GRID, TEXT("grid")},
    {LEVEL_ARGS, FIELD_BLOCK, TEXT("block")},
    {LEVEL_ARGS, FIELD_SHARED, TEXT("shared memory")},
    {LEVEL_ARGS, FIELD_REGISTERS, TEXT("registers per thread")},
    {LEVEL_ARGS, FIELD_BYTES, TEXT("bytes")},
    {LEVEL_ARGS, FIELD_BYTES, TEXT("size")},
    {LEVEL_ARGS, FIELD_RANK, TEXT("rank")},
    {LEVEL_ARGS, FIELD_BYTES, TEXT("Bytes")},
    {LEVEL_ARGS, FIELD_ADDRESS, TEXT("Addr")},
    {LEVEL_ARGS, FIELD_DEVICE_ID, TEXT("Device Id")},
    {LEVEL_ARGS, FIELD_DEVICE_TYPE, TEXT("Device Type")},
    {LEVEL_ARGS, FIELD_ALLOCATED, TEXT("Total Allocated")},
    {LEVEL_ARGS, FIELD_RESERVED, TEXT("Total Reserved")},
    {LEVEL_PROP, FIELD_ID, TEXT("id")},
    {LEVEL_PROP, FIELD_NAME, TEXT("name")},
    {LEVEL_PROP, FIELD_CUS, TEXT("numSms")},
    {LEVEL_PROP, FIELD_MAJOR, TEXT("computeMajor")},
    {LEVEL_PROP, FIELD_MINOR, TEXT("computeMinor")},
};

static const struct {
  const char *name;
  size_t length;
  category category;
} categories[] = {
    {TEXT("kernel"), CATEGORY_KERNEL},
    {TEXT("gpu_memcpy"), CATEGORY_COPY},
    {TEXT("gpu_memset"), CATEGORY_FILL},
    {TEXT("cuda_runtime"), CATEGORY_CALL},
    {TEXT("cuda_driver"), CATEGORY_CALL},
    {TEXT("hip_runtime"), CATEGORY_CALL},
    {TEXT("privateuse1_runtime"), CATEGORY_CALL},
    {TEXT("user_annotation"), CATEGORY_RANGE},
    {TEXT("cpu_instant_event"), CATEGORY_INSTANT},
    /* before PyTorch 1.12 */
    {TEXT("Kernel"), CATEGORY_KERNEL},
    {TEXT("Memcpy"), CATEGORY_COPY},
    {TEXT("Memset"), CATEGORY_FILL},
    {TEXT("Runtime"), CATEGORY_CALL},
};
#undef TEXT

/* ---- JSON events ---- */

static void event_reset(aq_kineto *k)
{
  k->name_length = 0;
  k->event = (event){.category = CATEGORY_OTHER,
                     .pid = AQ_NONE,
                     .tid = AQ_NONE,
                     .device = AQ_NONE,
                     .stream = AQ_NONE,
                     .correlation = AQ_NONE,
                     .rank = AQ_NONE,
                     .shared = AQ_NONE,
                     .registers = AQ_NONE,
                     .bytes = AQ_NONE,
                     .address = AQ_NONE,
                     .device_id = AQ_NONE,
                     .device_type = AQ_NONE,
                     .allocated = AQ_NONE,
                     .reserved = AQ_NONE,
                     .grid = {AQ_NONE, AQ_NONE, AQ_NONE},
                     .block = {AQ_NONE, AQ_NONE, AQ_NONE}};
}

/* The level that a container opens, or LEVEL_TOP for an unread one. */
static level level_below(const aq_kineto *k, bool array)
{
  switch (k->level) {
  case LEVEL_TOP:
    return array ? LEVEL_EVENTS : LEVEL_ROOT;
  case LEVEL_ROOT:
    if (array && k->field == FIELD_TRACE_EVENTS)
      return LEVEL_EVENTS;
    if (!array && k->field == FIELD_DISTRIBUTED)
      return LEVEL_DISTRIBUTED;
    return array && k->field == FIELD_DEVICE_PROPERTIES ? LEVEL_PROPS
                                                        : LEVEL_TOP;
  case LEVEL_EVENTS:
    return array ? LEVEL_TOP : LEVEL_EVENT;
  case LEVEL_EVENT:
    return !array && k->field == FIELD_ARGS ? LEVEL_ARGS : LEVEL_TOP;
  case LEVEL_ARGS:
    return array && (k->field == FIELD_GRID || k->field == FIELD_BLOCK)
               ? LEVEL_TRIPLE
               : LEVEL_TOP;
  case LEVEL_PROPS:
    return array ? LEVEL_TOP : LEVEL_PROP;
  default:
    return LEVEL_TOP;
  }
}

static aq_status on_open(void *client, bool array)
{
  aq_kineto *k = client;
  level below = k->skip ? LEVEL_TOP : level_below(k, array);
  if (below == LEVEL_TOP) {
    k->skip++;
    return AQ_OK;
  }
  k->level = below;
  k->triple = 0;
  if (below == LEVEL_EVENTS)
    k->has_events = true;
  if (below == LEVEL_EVENT)
    event_reset(k);
  if (below == LEVEL_PROP) {
    k->name_length = 0;
    k->prop = (properties){AQ_NONE, AQ_NONE, AQ_NONE, AQ_NONE, NULL};
  }
  return AQ_OK;
}

static aq_status on_close(void *client)
{
  static const level above[] = {
      [LEVEL_TOP] = LEVEL_TOP,          [LEVEL_ROOT] = LEVEL_TOP,
      [LEVEL_EVENTS] = LEVEL_ROOT,      [LEVEL_EVENT] = LEVEL_EVENTS,
      [LEVEL_ARGS] = LEVEL_EVENT,       [LEVEL_TRIPLE] = LEVEL_ARGS,
      [LEVEL_PROPS] = LEVEL_ROOT,       [LEVEL_PROP] = LEVEL_PROPS,
      [LEVEL_DISTRIBUTED] = LEVEL_ROOT,
  };
  aq_kineto *k = client;
  if (k->skip) {
    k->skip--;
    return AQ_OK;
  }
  level closed = k->level;
  k->level = above[closed];
  k->field = FIELD_NONE;
  if (closed == LEVEL_EVENT)
    return aq_kineto_event_done(k);
  return closed == LEVEL_PROP ? aq_kineto_prop_done(k) : AQ_OK;
}

static aq_status on_key(void *client, const char *text, size_t length)
{
  aq_kineto *k = client;
  if (k->skip)
    return AQ_OK;
  k->field = FIELD_NONE;
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
    if (fields[i].length == length && fields[i].level == k->level &&
        memcmp(fields[i].key, text, length) == 0) {
      k->field = fields[i].field;
      break;
    }
  return AQ_OK;
}

static aq_status set_name(aq_kineto *k, aq_json_type type, const char *text,
                          size_t length)
{
  if (type != AQ_JSON_STRING)
    return AQ_OK;
  if (!AQ_ARRAY_RESERVE(k->name, k->name_capacity, length))
    return aq_diag_no_memory(k->import->diag);
  if (length > 0)
    memcpy(k->name, text, length);
  k->name_length = length;
  k->event.has_name = true;
  return AQ_OK;
}

static category category_of(const char *text, size_t length)
{
  for (size_t i = 0; i < sizeof categories / sizeof *categories; i++)
    if (categories[i].length == length &&
        memcmp(categories[i].name, text, length) == 0)
      return categories[i].category;
  return CATEGORY_OTHER;
}

static bool wanted(const char *text, size_t length)
{
  return category_of(text, length) != CATEGORY_OTHER;
}

/* Where the integer of a field goes; NULL for fields that are none. */
static int64_t *int_place(aq_kineto *k)
{
  event *e = &k->event;
  switch (k->field) {
  case FIELD_PID:
    return &e->pid;
  case FIELD_TID:
    return &e->tid;
  case FIELD_DEVICE:
    return &e->device;
  case FIELD_CORRELATION:
    return &e->correlation;
  case FIELD_RANK:
    return &e->rank;
  case FIELD_ADDRESS:
    return &e->address;
  case FIELD_DEVICE_ID:
    return &e->device_id;
  case FIELD_DEVICE_TYPE:
    return &e->device_type;
  case FIELD_ALLOCATED:
    return &e->allocated;
  case FIELD_RESERVED:
    return &e->reserved;
  case FIELD_OWN_RANK:
    return &k->import->context.rank;
  case FIELD_WORLD_SIZE:
    return &k->world_size;
  case FIELD_BASE_TIME:
    return &k->base_time;
  case FIELD_HIP_VERSION:
    return &k->hip_version;
  case FIELD_ID:
    return &k->prop.id;
  case FIELD_CUS:
    return &k->prop.cus;
  case FIELD_MAJOR:
    return &k->prop.major;
  case FIELD_MINOR:
    return &k->prop.minor;
  default:
    return NULL;
  }
}

/* Numbers that Kineto itself may write as strings: nothing to repair. */
static int64_t *text_int_place(aq_kineto *k)
{
  event *e = &k->event;
  switch (k->field) {
  case FIELD_STREAM:
    return &e->stream;
  case FIELD_SHARED:
    return &e->shared;
  case FIELD_REGISTERS:
    return &e->registers;
  case FIELD_BYTES:
    return &e->bytes;
  default:
    return NULL;
  }
}

static presence read_tick(aq_kineto *k, aq_json_type type, const char *text,
                          size_t length, aq_tick *out)
{
  return aq_json_tick(k->import, type, text, length, AQ_TICK_US, out)
             ? PRESENT
             : UNREADABLE;
}

static const char *field_name(const aq_kineto *k)
{
  const level at = k->level == LEVEL_TRIPLE ? LEVEL_ARGS : k->level;
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
    if (fields[i].level == at && fields[i].field == k->field)
      return fields[i].key;
  return "number";
}

/* An integer that may come as a string. */
static void text_int_value(aq_kineto *k, aq_json_type type, const char *text,
                           size_t length, int64_t *place)
{
  int64_t value;
  if (type != AQ_JSON_OTHER && aq_decimal_int(text, length, &value) &&
      value != AQ_NONE)
    *place = value;
  else
    aq_import_fault(k->import, AQ_REPAIR_BAD_NUMBER, field_name(k), text,
                    length);
}

static aq_status on_value(void *client, aq_json_type type, const char *text,
                          size_t length)
{
  static const char stream[] = "stream ";
  aq_kineto *k = client;
  event *e = &k->event;
  if (k->skip || k->field == FIELD_NONE)
    return AQ_OK;
  if (k->level == LEVEL_TRIPLE) {
    /* Sizes are checked here: a product of two negative ones looks right. */
    int64_t *triple = k->field == FIELD_GRID ? k->event.grid : k->event.block;
    if (k->triple < 3) {
      text_int_value(k, type, text, length, &triple[k->triple]);
      aq_import_size(k->import, field_name(k), &triple[k->triple]);
    }
    k->triple++;
    return AQ_OK;
  }
  int64_t *place;
  switch (k->field) {
  case FIELD_PH:
    e->has_phase = true;
    e->complete = length == 1 && *text == 'X';
    e->is_half = length == 1 && *text == 'B';
    return AQ_OK;
  case FIELD_CAT:
    e->category = category_of(text, length);
    return AQ_OK;
  case FIELD_NAME:
    return set_name(k, type, text, length);
  case FIELD_TID:
    /* "stream 7" of old profiles: the stream's number. */
    if (type == AQ_JSON_STRING && length > strlen(stream) &&
        memcmp(text, stream, strlen(stream)) == 0) {
      text_int_value(k, type, text + strlen(stream), length - strlen(stream),
                     &e->tid);
      return AQ_OK;
    }
    break;
  case FIELD_TS:
    e->has_ts = read_tick(k, type, text, length, &e->ts);
    return AQ_OK;
  case FIELD_DUR:
    e->has_dur = read_tick(k, type, text, length, &e->dur);
    return AQ_OK;
  default:
    break;
  }
  if ((place = int_place(k)))
    aq_json_int(k->import, field_name(k), type, text, length, place);
  else if ((place = text_int_place(k)))
    text_int_value(k, type, text, length, place);
  return AQ_OK;
}

/* ---- the importer ---- */

static aq_status read_file(aq_kineto *k, const aq_trace_file *file)
{
  static const aq_json_filter filter = {"traceEvents", "cat", wanted,
                                        aq_kineto_sets_aside, aq_kineto_aside};
  static const aq_json_events events = {on_open, on_close, on_key, on_value};
  aq_stream_reader *reader;
  aq_status status = aq_trace_file_open(file, &reader, k->import->diag);
  if (status != AQ_OK)
    return status;
  status = aq_json_read(k->import, reader, &filter, &events, k, &k->where);
  aq_stream_reader_close(reader);
  if (status == AQ_OK && !k->has_events)
    status = aq_diag_set(k->import->diag, AQ_ERR_INPUT,
                         "%s: no \"traceEvents\" array", k->file);
  return status;
}

aq_status aq_kineto_import(aq_import *import, aq_correlation *join,
                           const aq_trace_files *files)
{
  aq_kineto k = {.import = import, .join = join, .file = files->files[0].path};
  import->context.active = true;
  aq_status status = read_file(&k, &files->files[0]);
  if (status == AQ_OK)
    status = aq_kineto_describe(&k);
  import->origin_ns = k.base_time;
  import->result->hip_version = k.hip_version;
  import->result->has_rank = import->context.rank >= 0;
  import->result->rank = import->context.rank;
  import->result->world_size = k.world_size;
  import->result->advice =
      "record host and device: torch.profiler.profile(activities="
      "[ProfilerActivity.CPU, ProfilerActivity.CUDA])";
  aq_arena_fini(&k.arena);
  free(k.props);
  free(k.gpus);
  free(k.name);
  free(k.text);
  aq_map_fini(&k.gpu_by_id);
  return status;
}
