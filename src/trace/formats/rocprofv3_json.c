/* SPDX-License-Identifier: MIT */
/* The JSON of rocprofv3; see doc/formats/rocprofv3.md. */
#include "config.h"

#include "trace/formats/rocprofv3_json.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"

/* ---- JSON events ---- */

static void record_reset(aq_rocprofv3_tool *t)
{
  static const record unknown = {
      .id = AQ_NONE,
      .type = AQ_NONE,
      .cus = AQ_NONE,
      .kernel_id = AQ_NONE,
      .vgpr = AQ_NONE,
      .agpr = AQ_NONE,
      .sgpr = AQ_NONE,
      .kind = AQ_NONE,
      .operation = AQ_NONE,
      .tid = AQ_NONE,
      .correlation = AQ_NONE,
      .agent = AQ_NONE,
      .queue = AQ_NONE,
      .stream = AQ_NONE,
      .source = AQ_NONE,
      .destination = AQ_NONE,
      .bytes = AQ_NONE,
      .address = AQ_NONE,
      .scratch = AQ_NONE,
      .lds = AQ_NONE,
      .wg = {AQ_NONE, AQ_NONE, AQ_NONE},
      .grid = {AQ_NONE, AQ_NONE, AQ_NONE},
      .dispatch = AQ_NONE,
  };
  t->record = unknown;
  t->name.length = t->product.length = 0;
  t->operations = 0;
}

/* The section that the container just opened is, by the keys above it:
 * root / tool array / process / section, or one deeper. */
static section section_of(const aq_rocprofv3_tool *t)
{
  enum { SECTION_AT = 4, BELOW_AT = 5 };
  key at = t->keys[SECTION_AT - 1];
  if (t->depth == SECTION_AT)
    return at == KEY_METADATA  ? SECTION_METADATA
           : at == KEY_AGENTS  ? SECTION_AGENTS
           : at == KEY_SYMBOLS ? SECTION_SYMBOLS
                               : SECTION_NONE;
  key below = t->keys[BELOW_AT - 1];
  if (t->depth != BELOW_AT)
    return SECTION_NONE;
  if (at == KEY_STRINGS)
    return below == KEY_BUFFER    ? SECTION_STRINGS
           : below == KEY_MARKERS ? SECTION_MESSAGES
                                  : SECTION_NONE;
  if (at == KEY_CALLBACK)
    return below == KEY_COUNTERS ? SECTION_COUNTERS : SECTION_NONE;
  if (at != KEY_BUFFER)
    return SECTION_NONE;
  return below == KEY_KERNELS                   ? SECTION_KERNELS
         : below == KEY_HIP || below == KEY_HSA ? SECTION_CALLS
         : below == KEY_COPIES                  ? SECTION_COPIES
         : below == KEY_ALLOCATIONS             ? SECTION_ALLOCATIONS
         : below == KEY_MARKERS                 ? SECTION_MARKERS
                                                : SECTION_NONE;
}

/* A process is an object in the array below the root. */
enum { PROCESS_DEPTH = 3 };

static aq_status on_open(void *client, bool array)
{
  aq_rocprofv3_tool *t = client;
  t->depth++;
  if (t->depth <= DEPTH_MAX)
    t->keys[t->depth] = KEY_NONE;
  if (t->section == SECTION_NONE) {
    if (t->depth == PROCESS_DEPTH && !array && t->keys[1] == KEY_TOOL)
      aq_rocprofv3_process_begin(t);
    if (t->processes > 0 && t->keys[1] == KEY_TOOL)
      t->section = section_of(t);
    t->section_depth = t->depth;
  } else if (t->depth == t->section_depth + 1 && !array)
    record_reset(t);
  else if (t->depth == t->section_depth + 3 && !array &&
           t->keys[t->section_depth + 1] == KEY_RECORDS)
    t->record.counters++;
  return AQ_OK;
}

static aq_status on_close(void *client)
{
  aq_rocprofv3_tool *t = client;
  aq_status status = AQ_OK;
  if (t->section != SECTION_NONE && t->depth == t->section_depth + 1)
    status = aq_rocprofv3_element_done(t);
  if (t->section != SECTION_NONE && t->depth == t->section_depth)
    t->section = SECTION_NONE;
  if (status == AQ_OK && t->depth == PROCESS_DEPTH)
    status = aq_rocprofv3_process_end(t);
  t->depth--;
  return status;
}

static const char *const key_names[] = {"",
#define K(id, text) text,
                                        KEYS(K)
#undef K
};

static aq_status on_key(void *client, const char *bytes, size_t length)
{
  aq_rocprofv3_tool *t = client;
  if (t->depth > DEPTH_MAX)
    return AQ_OK;
  key found = KEY_NONE;
  for (int i = 1; i < KEY_COUNT && found == KEY_NONE; i++)
    if (strlen(key_names[i]) == length &&
        memcmp(key_names[i], bytes, length) == 0)
      found = (key)i;
  t->keys[t->depth] = found;
  t->has_tool |= t->depth == 1 && found == KEY_TOOL;
  return AQ_OK;
}

static aq_status keep_text(aq_rocprofv3_tool *t, text *to, const char *bytes,
                           size_t length)
{
  if (!AQ_ARRAY_RESERVE(to->bytes, to->capacity, length))
    return aq_diag_no_memory(t->import->diag);
  if (length > 0)
    memcpy(to->bytes, bytes, length);
  to->length = length;
  return AQ_OK;
}

/* x, y and z of the grid and workgroup; handles of objects. */
static int64_t *nested_place(record *r, key parent, key at)
{
  if (parent == KEY_WG || parent == KEY_GRID) {
    int64_t *triple = parent == KEY_WG ? r->wg : r->grid;
    return at >= KEY_X && at <= KEY_Z ? &triple[at - KEY_X] : NULL;
  }
  if (parent == KEY_CORRELATION)
    return at == KEY_INTERNAL ? &r->correlation : NULL;
  if (at != KEY_HANDLE)
    return NULL;
  switch (parent) {
  case KEY_ID:
    return &r->id;
  case KEY_AGENT:
    return &r->agent;
  case KEY_QUEUE:
    return &r->queue;
  case KEY_STREAM:
    return &r->stream;
  case KEY_SOURCE:
    return &r->source;
  case KEY_DESTINATION:
    return &r->destination;
  default:
    return NULL;
  }
}

static int64_t *plain_place(record *r, key at)
{
  switch (at) {
  case KEY_TYPE:
    return &r->type;
  case KEY_CUS:
    return &r->cus;
  case KEY_KERNEL_ID:
    return &r->kernel_id;
  case KEY_KEY:
    return &r->id;
  case KEY_VGPR:
    return &r->vgpr;
  case KEY_AGPR:
    return &r->agpr;
  case KEY_SGPR:
    return &r->sgpr;
  case KEY_KIND:
    return &r->kind;
  case KEY_OPERATION:
    return &r->operation;
  case KEY_TID:
    return &r->tid;
  case KEY_BYTES:
  case KEY_SIZE:
    return &r->bytes;
  case KEY_SCRATCH:
    return &r->scratch;
  case KEY_LDS:
    return &r->lds;
  case KEY_DISPATCH_ID:
    return &r->dispatch;
  default:
    return NULL;
  }
}

static aq_status string_value(aq_rocprofv3_tool *t, key parent, key at,
                              const char *bytes, size_t length)
{
  if (t->section == SECTION_STRINGS)
    return parent == KEY_OPERATIONS
               ? aq_rocprofv3_operation_add(t, bytes, length)
               : AQ_OK;
  bool symbols = t->section == SECTION_SYMBOLS;
  if (t->depth != t->section_depth + 1)
    return AQ_OK;
  if (at == KEY_NAME || at == KEY_VALUE || (symbols && at == KEY_FORMATTED) ||
      (symbols && at == KEY_KERNEL_NAME && t->name.length == 0))
    return keep_text(t, &t->name, bytes, length);
  if (at == KEY_PRODUCT)
    return keep_text(t, &t->product, bytes, length);
  return AQ_OK;
}

static aq_status on_value(void *client, aq_json_type type, const char *bytes,
                          size_t length)
{
  aq_rocprofv3_tool *t = client;
  if (t->section == SECTION_NONE || t->depth > DEPTH_MAX)
    return AQ_OK;
  key at = t->keys[t->depth], parent = t->keys[t->depth - 1];
  if (t->section == SECTION_METADATA) {
    if (at == KEY_PID && t->depth == t->section_depth)
      aq_json_int(t->import, key_names[at], type, bytes, length, &t->pid);
    return AQ_OK;
  }
  if (t->section == SECTION_STRINGS)
    return type == AQ_JSON_STRING ? string_value(t, parent, at, bytes, length)
                                  : AQ_OK;
  bool own = t->depth == t->section_depth + 1 || parent == KEY_DISPATCH_DATA;
  if (own && (at == KEY_START || at == KEY_END)) {
    record *r = &t->record;
    bool start = at == KEY_START;
    bool ok = aq_json_tick(t->import, type, bytes, length, AQ_TICK_NS,
                           start ? &r->start : &r->end);
    *(start ? &r->has_start : &r->has_end) = true;
    *(start ? &r->start_ok : &r->end_ok) = ok;
    return AQ_OK;
  }
  /* An address is written as a text, or as a handle. */
  if (at == KEY_ADDRESS || (at == KEY_HANDLE && parent == KEY_ADDRESS)) {
    if (!aq_decimal_int(bytes, length, &t->record.address))
      t->record.address = AQ_NONE; /* the allocation is counted */
    return AQ_OK;
  }
  int64_t *place = own || parent == KEY_DISPATCH
                       ? plain_place(&t->record, at)
                       : nested_place(&t->record, parent, at);
  if (place) {
    aq_json_int(t->import, key_names[at], type, bytes, length, place);
    return AQ_OK;
  }
  return type == AQ_JSON_STRING ? string_value(t, parent, at, bytes, length)
                                : AQ_OK;
}

/* ---- the importer ---- */

static aq_status read_file(aq_rocprofv3_tool *t, const aq_trace_file *file)
{
  static const aq_json_events events = {on_open, on_close, on_key, on_value};
  t->file = file;
  t->depth = 0;
  t->section = SECTION_NONE;
  t->has_tool = t->in_process = false;
  memset(t->keys, 0, sizeof t->keys);
  aq_stream_reader *reader;
  aq_status status = aq_trace_file_open(file, &reader, t->import->diag);
  if (status != AQ_OK)
    return status;
  status = aq_json_read(t->import, reader, NULL, &events, t, &t->where);
  aq_stream_reader_close(reader);
  if (status == AQ_OK) /* the file may be cut inside of a process */
    status = aq_rocprofv3_process_end(t);
  if (status == AQ_OK && !t->has_tool)
    status = aq_diag_set(t->import->diag, AQ_ERR_INPUT,
                         "%s: no \"rocprofiler-sdk-tool\" array", file->path);
  return status;
}

aq_status aq_rocprofv3_json_import(aq_import *import, aq_correlation *join,
                                   const aq_trace_files *files)
{
  aq_rocprofv3_tool t = {.import = import, .join = join};
  aq_status status = AQ_OK;
  for (size_t i = 0; i < files->count && status == AQ_OK; i++)
    if (files->files[i].pass > 0)
      aq_import_fault(import, AQ_REPAIR_OTHER_PASS_FILE, files->files[i].path,
                      NULL, 0);
    else
      status = read_file(&t, &files->files[i]);
  import->result->advice = aq_rocprofv3_advice;
  aq_arena_fini(&t.arena);
  free(t.operation_names);
  free(t.symbols);
  free(t.messages);
  free(t.markers);
  free(t.counted);
  aq_map_fini(&t.message_by_id);
  aq_map_fini(&t.started);
  aq_map_fini(&t.operation_by_id);
  aq_map_fini(&t.symbol_by_id);
  aq_agents_fini(&t.agents);
  free(t.product.bytes);
  free(t.name.bytes);
  return status;
}
