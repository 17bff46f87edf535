/* SPDX-License-Identifier: MIT */
/*
 * The Kineto importer: kineto.c reads the JSON into events, kineto_rows.c makes
 * rows of them; kineto_ops.c reads the events of operators and call frames,
 * most of a trace, from their texts. Only they include this. Thread rule: one
 * thread at a time per import.
 */
#ifndef AQ_TRACE_FORMATS_KINETO_H
#define AQ_TRACE_FORMATS_KINETO_H

#include "trace/import/importers.h"
#include "trace/text/json.h"

typedef enum level {
  LEVEL_TOP,    /* before the root */
  LEVEL_ROOT,   /* in the root object */
  LEVEL_EVENTS, /* in traceEvents */
  LEVEL_EVENT,
  LEVEL_ARGS,
  LEVEL_TRIPLE, /* in grid or block */
  LEVEL_PROPS,  /* in deviceProperties */
  LEVEL_PROP,
  LEVEL_DISTRIBUTED, /* in distributedInfo */
} level;

typedef enum field {
  FIELD_NONE,
  FIELD_TRACE_EVENTS,
  FIELD_DEVICE_PROPERTIES,
  FIELD_BASE_TIME,
  FIELD_HIP_VERSION,
  FIELD_DISTRIBUTED,
  FIELD_OWN_RANK,
  FIELD_WORLD_SIZE,
  FIELD_PH,
  FIELD_CAT,
  FIELD_NAME,
  FIELD_PID,
  FIELD_TID,
  FIELD_TS,
  FIELD_DUR,
  FIELD_ARGS,
  FIELD_DEVICE,
  FIELD_STREAM,
  FIELD_CORRELATION,
  FIELD_GRID,
  FIELD_BLOCK,
  FIELD_SHARED,
  FIELD_REGISTERS,
  FIELD_BYTES,
  FIELD_RANK,
  FIELD_ADDRESS,
  FIELD_DEVICE_ID,
  FIELD_DEVICE_TYPE,
  FIELD_ALLOCATED,
  FIELD_RESERVED,
  FIELD_ID,
  FIELD_CUS,
  FIELD_MAJOR,
  FIELD_MINOR,
} field;

typedef enum category {
  CATEGORY_OTHER,
  CATEGORY_KERNEL,
  CATEGORY_COPY,
  CATEGORY_FILL,
  CATEGORY_CALL,
  CATEGORY_RANGE,
  CATEGORY_INSTANT,
} category;

/* A time: absent, there but not a number, or there. */
typedef enum presence { ABSENT, UNREADABLE, PRESENT } presence;

typedef struct event {
  category category;
  bool has_phase;
  bool complete; /* ph is X */
  bool is_half;  /* ph is B: its end is another event */
  presence has_ts, has_dur;
  bool has_name;
  aq_tick ts, dur;
  int64_t pid, tid, device, stream, correlation, rank;
  int64_t shared, registers, bytes;
  int64_t address, device_id, device_type, allocated, reserved;
  int64_t grid[3], block[3];
} event;

typedef struct gpu {
  int64_t source_id, device, ordinal;
} gpu;

typedef struct properties {
  int64_t id, cus, major, minor;
  char *name;
} properties;

typedef struct aq_kineto {
  aq_import *import;
  aq_correlation *join;
  const char *file;
  const aq_json *where;
  level level;
  field field;
  unsigned skip; /* unread containers that are open */
  int triple;    /* index in grid or block */
  bool has_events;
  event event;
  properties prop;
  char *name; /* of the event or properties that is being read */
  size_t name_length, name_capacity;
  int64_t base_time, hip_version, world_size;
  char *text; /* of an op: its name and arguments */
  size_t text_capacity;
  aq_map gpu_by_id;
  gpu *gpus;
  size_t gpu_count, gpu_capacity;
  properties *props;
  size_t prop_count, prop_capacity;
  aq_arena arena;
} aq_kineto;

/* Whether events of a category are read by aq_kineto_aside(), a text of an
 * event. False: no memory; nothing else fails. */
bool aq_kineto_sets_aside(const char *name, size_t length);
bool aq_kineto_aside(void *kineto, const char *text, size_t length, bool whole);

/* Adds an annotation of a span's times, thread and name, and its range. */
aq_status aq_kineto_annotation(aq_kineto *k, const aq_span *of);

/* An event or a device's properties are complete. */
aq_status aq_kineto_event_done(aq_kineto *k);
aq_status aq_kineto_prop_done(aq_kineto *k);

/* Reports the devices of the trace, with their properties, to the sink. */
aq_status aq_kineto_describe(aq_kineto *k);

#endif
