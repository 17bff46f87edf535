/* SPDX-License-Identifier: MIT */
/* PyTorch's Kineto: Chrome trace JSON; see doc/formats/kineto.md. */
#include <stdlib.h>
#include <string.h>

#include "trace/importers.h"
#include "trace/json.h"

typedef enum level {
  LEVEL_TOP,    /* before the root */
  LEVEL_ROOT,   /* in the root object */
  LEVEL_EVENTS, /* in traceEvents */
  LEVEL_EVENT,
  LEVEL_ARGS,
  LEVEL_TRIPLE, /* in grid or block */
  LEVEL_PROPS,  /* in deviceProperties */
  LEVEL_PROP,
} level;

typedef enum field {
  FIELD_NONE,
  FIELD_TRACE_EVENTS,
  FIELD_DEVICE_PROPERTIES,
  FIELD_BASE_TIME,
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
  FIELD_ID,
  FIELD_CUS,
  FIELD_MAJOR,
  FIELD_MINOR,
} field;

static const struct {
  level level;
  field field;
  const char *key;
} fields[] = {
    {LEVEL_ROOT, FIELD_TRACE_EVENTS, "traceEvents"},
    {LEVEL_ROOT, FIELD_DEVICE_PROPERTIES, "deviceProperties"},
    {LEVEL_ROOT, FIELD_BASE_TIME, "baseTimeNanoseconds"},
    {LEVEL_EVENT, FIELD_PH, "ph"},
    {LEVEL_EVENT, FIELD_CAT, "cat"},
    {LEVEL_EVENT, FIELD_NAME, "name"},
    {LEVEL_EVENT, FIELD_PID, "pid"},
    {LEVEL_EVENT, FIELD_TID, "tid"},
    {LEVEL_EVENT, FIELD_TS, "ts"},
    {LEVEL_EVENT, FIELD_DUR, "dur"},
    {LEVEL_EVENT, FIELD_ARGS, "args"},
    {LEVEL_ARGS, FIELD_DEVICE, "device"},
    {LEVEL_ARGS, FIELD_STREAM, "stream"},
    {LEVEL_ARGS, FIELD_CORRELATION, "correlation"},
    {LEVEL_ARGS, FIELD_GRID, "grid"},
    {LEVEL_ARGS, FIELD_BLOCK, "block"},
    {LEVEL_ARGS, FIELD_SHARED, "shared memory"},
    {LEVEL_ARGS, FIELD_REGISTERS, "registers per thread"},
    {LEVEL_ARGS, FIELD_BYTES, "bytes"},
    {LEVEL_ARGS, FIELD_BYTES, "size"},
    {LEVEL_ARGS, FIELD_RANK, "rank"},
    {LEVEL_PROP, FIELD_ID, "id"},
    {LEVEL_PROP, FIELD_NAME, "name"},
    {LEVEL_PROP, FIELD_CUS, "numSms"},
    {LEVEL_PROP, FIELD_MAJOR, "computeMajor"},
    {LEVEL_PROP, FIELD_MINOR, "computeMinor"},
};

typedef enum category {
  CATEGORY_OTHER,
  CATEGORY_KERNEL,
  CATEGORY_COPY,
  CATEGORY_FILL,
  CATEGORY_CALL,
} category;

static const struct {
  const char *name;
  category category;
} categories[] = {
    {"kernel", CATEGORY_KERNEL},
    {"gpu_memcpy", CATEGORY_COPY},
    {"gpu_memset", CATEGORY_FILL},
    {"cuda_runtime", CATEGORY_CALL},
    {"cuda_driver", CATEGORY_CALL},
    {"hip_runtime", CATEGORY_CALL},
    {"privateuse1_runtime", CATEGORY_CALL},
};

/* A time: absent, there but not a number, or there. */
typedef enum presence { ABSENT, UNREADABLE, PRESENT } presence;

typedef struct event {
  category category;
  bool complete; /* ph is X */
  presence has_ts, has_dur;
  bool has_name;
  aq_tick ts, dur;
  int64_t pid, tid, device, stream, correlation, rank;
  int64_t shared, registers, bytes;
  int64_t grid[3], block[3];
} event;

typedef struct gpu {
  int64_t source_id, device, ordinal;
} gpu;

typedef struct properties {
  int64_t id, cus, major, minor;
  char *name;
} properties;

typedef struct kineto {
  aq_import *import;
  aq_join *join;
  const char *file;
  const aq_json *where;
  level level;
  field field;
  unsigned skip; /* containers open that nobody reads */
  int triple;    /* index in grid or block */
  bool has_events;
  event event;
  properties prop;
  char *name; /* of the event or properties that is being read */
  size_t name_length, name_capacity;
  int64_t base_time;
  aq_map gpu_by_id;
  gpu *gpus;
  size_t gpu_count;
  properties *props;
  size_t prop_count;
  aq_arena arena;
} kineto;

static aq_status no_memory(kineto *k)
{
  return aq_diag_set(k->import->diag, AQ_ERR_NO_MEMORY, "%s: out of memory",
                     k->file);
}

/* ---- rows ---- */

static aq_status gpu_of(kineto *k, const event *e, int64_t *ordinal)
{
  /* GPU rows have the device as their pid; where files of several ranks were
   * merged the pid was made unique, or a rank was noted. */
  int64_t id = e->pid != AQ_NONE ? e->pid : e->device;
  if (id == AQ_NONE)
    id = 0;
  if (id == e->device && e->rank != AQ_NONE)
    id ^= (int64_t)((uint64_t)e->rank << 32);
  uint64_t known;
  if (aq_map_get(&k->gpu_by_id, (uint64_t)id, &known)) {
    *ordinal = k->gpus[known].ordinal;
    return AQ_OK;
  }
  aq_run_device device = {.source_id = id, .cus = AQ_NONE};
  aq_status status = aq_import_device(k->import, &device, ordinal);
  if (status != AQ_OK)
    return status;
  gpu *grown = realloc(k->gpus, (k->gpu_count + 1) * sizeof *grown);
  if (!grown)
    return no_memory(k);
  k->gpus = grown;
  k->gpus[k->gpu_count] = (gpu){id, e->device, *ordinal};
  if (!aq_map_put(&k->gpu_by_id, (uint64_t)id, k->gpu_count))
    return no_memory(k);
  k->gpu_count++;
  return AQ_OK;
}

static bool has_triple(const int64_t triple[3])
{
  return triple[0] != AQ_NONE && triple[1] != AQ_NONE && triple[2] != AQ_NONE;
}

/* Blocks of a grid times the block: work-items, or unknown. */
static int64_t items(int64_t blocks, int64_t block)
{
  int64_t product;
  if (__builtin_mul_overflow(blocks, block, &product))
    return AQ_NONE;
  return product;
}

static uint64_t join_key(const event *e)
{
  uint64_t rank = e->rank == AQ_NONE ? 0 : (uint64_t)e->rank + 1;
  return (uint64_t)e->correlation ^ rank << 44;
}

/* The grid of a kernel row is what its launch call was given: workgroups, but
 * for the calls that take work-items, which the join puts right. */
static void device_shape(const event *e, aq_record *row)
{
  row->lds = e->shared;
  row->vgpr = e->registers;
  row->bytes = e->bytes;
  if (e->category != CATEGORY_KERNEL || !has_triple(e->grid) ||
      !has_triple(e->block))
    return;
  row->grid_x = items(e->grid[0], e->block[0]);
  row->grid_y = items(e->grid[1], e->block[1]);
  row->grid_z = items(e->grid[2], e->block[2]);
  row->wg_x = e->block[0];
  row->wg_y = e->block[1];
  row->wg_z = e->block[2];
}

static aq_status device_row(kineto *k, const event *e)
{
  static const aq_record_kind kinds[] = {
      [CATEGORY_KERNEL] = AQ_KIND_KERNEL,
      [CATEGORY_COPY] = AQ_KIND_COPY,
      [CATEGORY_FILL] = AQ_KIND_FILL,
  };
  aq_record row;
  aq_record_init(&row);
  if (!aq_import_span(k->import, e->ts, e->dur, &row.start, &row.end)) {
    aq_import_repair(k->import, AQ_REPAIR_SKIPPED_ROW);
    return AQ_OK;
  }
  row.kind = kinds[e->category];
  row.flags = 0;
  row.stream = e->stream != AQ_NONE ? e->stream : e->tid;
  row.correlation = e->correlation;
  device_shape(e, &row);
  aq_status status = gpu_of(k, e, &row.device);
  if (status == AQ_OK)
    status =
        aq_import_queue(k->import, row.device,
                        row.stream != AQ_NONE ? row.stream : 0, &row.queue);
  if (status == AQ_OK)
    status = aq_import_name(k->import, k->name, k->name_length, &row.name);
  if (status != AQ_OK)
    return status;
  aq_import_order(k->import, &row);
  if (e->correlation == AQ_NONE)
    return aq_join_row_alone(k->join, &row);
  return aq_join_row_add(k->join, join_key(e), &row);
}

static aq_status wait_row(kineto *k, const event *e, aq_time begin, aq_time end)
{
  aq_record row;
  aq_record_init(&row);
  row.kind = AQ_KIND_WAIT;
  row.flags = 0;
  row.host_begin = begin;
  row.host_end = end;
  row.pid = e->pid;
  row.tid = e->tid;
  row.correlation = e->correlation;
  aq_status status =
      aq_import_name(k->import, k->name, k->name_length, &row.name);
  return status == AQ_OK ? aq_import_put(k->import, &row) : status;
}

static void call_shape(kineto *k, const event *e, aq_host_call *call)
{
  call->lds = e->shared;
  call->bytes = e->bytes;
  call->grid_in_items = aq_api_grid_in_items(k->name, k->name_length);
  call->has_shape = has_triple(e->grid) && has_triple(e->block);
  if (!call->has_shape)
    return;
  for (int i = 0; i < 3; i++) {
    call->wg[i] = e->block[i];
    call->grid[i] =
        call->grid_in_items ? e->grid[i] : items(e->grid[i], e->block[i]);
  }
}

static aq_status host_row(kineto *k, const event *e)
{
  aq_host_call call = {.pid = e->pid, .tid = e->tid};
  bool waits = aq_api_waits(k->name, k->name_length);
  bool submits =
      e->correlation != AQ_NONE && aq_api_submits(k->name, k->name_length);
  if (!waits && !submits)
    return AQ_OK;
  if (!aq_import_span(k->import, e->ts, e->dur, &call.begin, &call.end)) {
    aq_import_repair(k->import, AQ_REPAIR_SKIPPED_ROW);
    return AQ_OK;
  }
  aq_status status = AQ_OK;
  if (waits)
    status = wait_row(k, e, call.begin, call.end);
  if (status != AQ_OK || !submits)
    return status;
  call.graph = aq_api_graph(k->name, k->name_length);
  call_shape(k, e, &call);
  return aq_join_call_add(k->join, join_key(e), &call);
}

static aq_status absent(kineto *k, const char *what)
{
  return aq_diag_set(k->import->diag, AQ_ERR_INPUT,
                     "%s: byte %llu: an event of a kernel, copy or call has "
                     "no \"%s\"",
                     k->file, (unsigned long long)aq_json_byte(k->where), what);
}

static aq_status event_done(kineto *k)
{
  const event *e = &k->event;
  if (e->category == CATEGORY_OTHER || !e->complete)
    return AQ_OK;
  if (e->has_ts == ABSENT)
    return absent(k, "ts");
  if (e->has_dur == ABSENT)
    return absent(k, "dur");
  if (!e->has_name)
    return absent(k, "name");
  if (e->has_ts == UNREADABLE || e->has_dur == UNREADABLE) {
    aq_import_repair(k->import, AQ_REPAIR_SKIPPED_ROW);
    return AQ_OK;
  }
  return e->category == CATEGORY_CALL ? host_row(k, e) : device_row(k, e);
}

/* ---- devices ---- */

static aq_status prop_done(kineto *k)
{
  properties *grown = realloc(k->props, (k->prop_count + 1) * sizeof *grown);
  if (!grown)
    return no_memory(k);
  k->props = grown;
  if (k->name_length > 0) {
    k->prop.name = aq_arena_text(&k->arena, k->name, k->name_length);
    if (!k->prop.name)
      return no_memory(k);
  }
  k->props[k->prop_count++] = k->prop;
  return AQ_OK;
}

static bool same_gpu(const properties *a, const properties *b)
{
  return a->cus == b->cus && a->major == b->major && a->minor == b->minor &&
         (a->name && b->name ? strcmp(a->name, b->name) == 0
                             : a->name == b->name);
}

/* The properties' ids count visible GPUs, a row's device counts agents, CPUs
 * first: only where all GPUs are equal is it certain which is meant. */
static const properties *props_of(const kineto *k, const gpu *g)
{
  const properties *by_id = NULL;
  bool all_same = k->prop_count > 0;
  for (size_t i = 0; i < k->prop_count; i++) {
    all_same &= same_gpu(&k->props[0], &k->props[i]);
    if (k->props[i].id == g->device)
      by_id = &k->props[i];
  }
  return all_same ? &k->props[0] : by_id;
}

static const char *gfx_of(const properties *p)
{
  const char *gfx = aq_gpu_gfx(p->name);
  if (gfx || p->major != 9)
    return gfx;
  return p->minor == 4 ? "gfx942" : p->minor == 5 ? "gfx950" : NULL;
}

static aq_status describe_gpus(kineto *k)
{
  aq_status status = AQ_OK;
  for (size_t i = 0; i < k->gpu_count && status == AQ_OK; i++) {
    const properties *p = props_of(k, &k->gpus[i]);
    if (!p)
      continue;
    aq_run_device device = {.source_id = k->gpus[i].source_id,
                            .name = p->name,
                            .gfx = gfx_of(p),
                            .cus = p->cus};
    int64_t ordinal;
    status = aq_import_device(k->import, &device, &ordinal);
  }
  return status;
}

/* ---- JSON events ---- */

static void event_reset(kineto *k)
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
                     .grid = {AQ_NONE, AQ_NONE, AQ_NONE},
                     .block = {AQ_NONE, AQ_NONE, AQ_NONE}};
}

static void prop_reset(kineto *k)
{
  k->name_length = 0;
  k->prop = (properties){AQ_NONE, AQ_NONE, AQ_NONE, AQ_NONE, NULL};
}

/* The level that a container opens, or LEVEL_TOP for one nobody reads. */
static level level_below(const kineto *k, bool array)
{
  switch (k->level) {
  case LEVEL_TOP:
    return array ? LEVEL_EVENTS : LEVEL_ROOT;
  case LEVEL_ROOT:
    if (array && k->field == FIELD_TRACE_EVENTS)
      return LEVEL_EVENTS;
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
  kineto *k = client;
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
  if (below == LEVEL_PROP)
    prop_reset(k);
  return AQ_OK;
}

static aq_status on_close(void *client)
{
  static const level above[] = {
      [LEVEL_TOP] = LEVEL_TOP,     [LEVEL_ROOT] = LEVEL_TOP,
      [LEVEL_EVENTS] = LEVEL_ROOT, [LEVEL_EVENT] = LEVEL_EVENTS,
      [LEVEL_ARGS] = LEVEL_EVENT,  [LEVEL_TRIPLE] = LEVEL_ARGS,
      [LEVEL_PROPS] = LEVEL_ROOT,  [LEVEL_PROP] = LEVEL_PROPS,
  };
  kineto *k = client;
  if (k->skip) {
    k->skip--;
    return AQ_OK;
  }
  level closed = k->level;
  k->level = above[closed];
  k->field = FIELD_NONE;
  if (closed == LEVEL_EVENT)
    return event_done(k);
  return closed == LEVEL_PROP ? prop_done(k) : AQ_OK;
}

static aq_status on_key(void *client, const char *text, size_t length)
{
  kineto *k = client;
  if (k->skip)
    return AQ_OK;
  k->field = FIELD_NONE;
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
    if (fields[i].level == k->level && strlen(fields[i].key) == length &&
        memcmp(fields[i].key, text, length) == 0) {
      k->field = fields[i].field;
      break;
    }
  return AQ_OK;
}

static aq_status set_name(kineto *k, aq_json_type type, const char *text,
                          size_t length)
{
  if (type != AQ_JSON_STRING)
    return AQ_OK;
  if (length > k->name_capacity) {
    char *grown = realloc(k->name, length * 2);
    if (!grown)
      return no_memory(k);
    k->name = grown;
    k->name_capacity = length * 2;
  }
  if (length > 0)
    memcpy(k->name, text, length);
  k->name_length = length;
  k->event.has_name = true;
  return AQ_OK;
}

static category category_of(const char *text, size_t length)
{
  for (size_t i = 0; i < sizeof categories / sizeof *categories; i++)
    if (strlen(categories[i].name) == length &&
        memcmp(categories[i].name, text, length) == 0)
      return categories[i].category;
  return CATEGORY_OTHER;
}

static bool wanted(const char *text, size_t length)
{
  return category_of(text, length) != CATEGORY_OTHER;
}

/* Where the integer of a field goes; NULL for fields that are none. */
static int64_t *int_place(kineto *k)
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
  case FIELD_BASE_TIME:
    return &k->base_time;
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

/* Those that Kineto itself may write as strings: nothing to mend. */
static int64_t *text_int_place(kineto *k)
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

static presence read_tick(kineto *k, aq_json_type type, const char *text,
                          size_t length, aq_tick *out)
{
  return aq_json_tick(k->import, type, text, length, AQ_TICK_US, out)
             ? PRESENT
             : UNREADABLE;
}

static void triple_value(kineto *k, aq_json_type type, const char *text,
                         size_t length)
{
  int64_t *triple = k->field == FIELD_GRID ? k->event.grid : k->event.block;
  if (k->triple < 3 && type != AQ_JSON_OTHER)
    aq_number_int(text, length, &triple[k->triple]);
  k->triple++;
}

static aq_status on_value(void *client, aq_json_type type, const char *text,
                          size_t length)
{
  kineto *k = client;
  event *e = &k->event;
  if (k->skip || k->field == FIELD_NONE)
    return AQ_OK;
  if (k->level == LEVEL_TRIPLE) {
    triple_value(k, type, text, length);
    return AQ_OK;
  }
  int64_t *place;
  switch (k->field) {
  case FIELD_PH:
    e->complete = length == 1 && *text == 'X';
    return AQ_OK;
  case FIELD_CAT:
    e->category = category_of(text, length);
    return AQ_OK;
  case FIELD_NAME:
    return set_name(k, type, text, length);
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
    aq_json_int(k->import, type, text, length, place);
  else if ((place = text_int_place(k)) && type != AQ_JSON_OTHER)
    aq_number_int(text, length, place);
  return AQ_OK;
}

/* ---- the importer ---- */

static aq_status read_file(kineto *k, const aq_trace_file *file)
{
  static const aq_json_filter filter = {"traceEvents", "cat", wanted};
  static const aq_json_events events = {on_open, on_close, on_key, on_value};
  aq_reader *reader;
  aq_status status = aq_trace_file_open(file, &reader, k->import->diag);
  if (status != AQ_OK)
    return status;
  status = aq_json_read(k->import, reader, &filter, &events, k, &k->where);
  aq_reader_close(reader);
  if (status == AQ_OK && !k->has_events)
    status = aq_diag_set(k->import->diag, AQ_ERR_INPUT,
                         "%s: no \"traceEvents\" array", k->file);
  return status;
}

aq_status aq_kineto_import(aq_import *import, aq_join *join,
                           const aq_trace_files *files)
{
  kineto k = {.import = import, .join = join, .file = files->files[0].path};
  aq_status status = read_file(&k, &files->files[0]);
  if (status == AQ_OK)
    status = describe_gpus(&k);
  if (status == AQ_OK)
    __builtin_add_overflow(import->result->base_ns, k.base_time,
                           &import->result->base_ns);
  import->result->advice =
      "record host and device: torch.profiler.profile(activities="
      "[ProfilerActivity.CPU, ProfilerActivity.CUDA])";
  aq_arena_fini(&k.arena);
  free(k.props);
  free(k.gpus);
  free(k.name);
  aq_map_fini(&k.gpu_by_id);
  return status;
}
