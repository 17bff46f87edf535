/* SPDX-License-Identifier: MIT */
/* The JSON of rocprofv3; see doc/formats/rocprofv3.md. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/json.h"
#include "trace/rocprofv3.h"

/* The keys that say where a value belongs. KEY_NONE: of no interest. */
#define KEYS(K)                                                                \
  K(TOOL, "rocprofiler-sdk-tool")                                              \
  K(METADATA, "metadata")                                                      \
  K(PID, "pid")                                                                \
  K(AGENTS, "agents")                                                          \
  K(ID, "id")                                                                  \
  K(HANDLE, "handle")                                                          \
  K(TYPE, "type")                                                              \
  K(CUS, "cu_count")                                                           \
  K(NAME, "name")                                                              \
  K(PRODUCT, "product_name")                                                   \
  K(STRINGS, "strings")                                                        \
  K(BUFFER, "buffer_records")                                                  \
  K(OPERATIONS, "operations")                                                  \
  K(SYMBOLS, "kernel_symbols")                                                 \
  K(KERNEL_ID, "kernel_id")                                                    \
  K(FORMATTED, "formatted_kernel_name")                                        \
  K(KERNEL_NAME, "kernel_name")                                                \
  K(VGPR, "arch_vgpr_count")                                                   \
  K(AGPR, "accum_vgpr_count")                                                  \
  K(SGPR, "sgpr_count")                                                        \
  K(KERNELS, "kernel_dispatch")                                                \
  K(HIP, "hip_api")                                                            \
  K(HSA, "hsa_api")                                                            \
  K(COPIES, "memory_copy")                                                     \
  K(KIND, "kind")                                                              \
  K(OPERATION, "operation")                                                    \
  K(TID, "thread_id")                                                          \
  K(CORRELATION, "correlation_id")                                             \
  K(INTERNAL, "internal")                                                      \
  K(START, "start_timestamp")                                                  \
  K(END, "end_timestamp")                                                      \
  K(DISPATCH, "dispatch_info")                                                 \
  K(AGENT, "agent_id")                                                         \
  K(QUEUE, "queue_id")                                                         \
  K(STREAM, "stream_id")                                                       \
  K(SOURCE, "src_agent_id")                                                    \
  K(DESTINATION, "dst_agent_id")                                               \
  K(BYTES, "bytes")                                                            \
  K(SCRATCH, "private_segment_size")                                           \
  K(LDS, "group_segment_size")                                                 \
  K(WG, "workgroup_size")                                                      \
  K(GRID, "grid_size")                                                         \
  K(X, "x")                                                                    \
  K(Y, "y")                                                                    \
  K(Z, "z")

typedef enum key {
  KEY_NONE,
#define K(id, text) KEY_##id,
  KEYS(K)
#undef K
      KEY_COUNT
} key;

typedef enum section {
  SECTION_NONE,
  SECTION_METADATA,
  SECTION_AGENTS,
  SECTION_STRINGS,
  SECTION_SYMBOLS,
  SECTION_KERNELS,
  SECTION_CALLS,
  SECTION_COPIES,
} section;

enum { DEPTH_MAX = 16 };

/* One element of a section, whichever it is. */
typedef struct record {
  bool has_start, has_end, start_ok, end_ok;
  aq_tick start, end;
  int64_t id, type, cus, kernel_id, vgpr, agpr, sgpr;
  int64_t kind, operation, tid, correlation, agent, queue, stream;
  int64_t source, destination, bytes, scratch, lds;
  int64_t wg[3], grid[3];
} record;

typedef struct symbol {
  char *name;
  int64_t vgpr, agpr, sgpr;
} symbol;

/* A text of the record that is being read; borrowed texts must be kept. */
typedef struct text {
  char *bytes;
  size_t length, capacity;
} text;

typedef struct tool {
  aq_import *import;
  aq_join *join;
  const aq_trace_file *file;
  const aq_json *where;
  bool has_tool;
  uint64_t processes; /* seen so far: the current one is processes - 1 */
  int64_t pid;
  int depth; /* containers open; key[d] is the key last read in the d-th */
  key keys[DEPTH_MAX + 1];
  section section;
  int section_depth;
  record record;
  text name, product; /* of the agent or symbol */
  int64_t kinds;      /* in strings, so far */
  int64_t operations; /* of the current kind, so far */
  aq_agents agents;
  aq_map symbol_by_id, operation_by_id;
  symbol *symbols;
  size_t symbol_count;
  char **operation_names;
  size_t operation_count;
  aq_arena arena;
} tool;

static aq_status no_memory(tool *t)
{
  return aq_diag_set(t->import->diag, AQ_ERR_NO_MEMORY, "%s: out of memory",
                     t->file->path);
}

/* ---- tables: kernel symbols and operation names of the process ---- */

static uint64_t operation_key(int64_t kind, int64_t operation)
{
  return (uint64_t)kind << 32 ^ (uint64_t)operation;
}

static void *grow(void *array, size_t count, size_t size)
{
  if ((count & (count - 1)) != 0)
    return array;
  return realloc(array, (count ? count * 2 : 1) * size);
}

static aq_status add_operation(tool *t, const char *bytes, size_t length)
{
  char **grown = grow(t->operation_names, t->operation_count, sizeof *grown);
  if (!grown)
    return no_memory(t);
  t->operation_names = grown;
  char *name = aq_arena_text(&t->arena, bytes, length);
  uint64_t place = operation_key(t->kinds, t->operations++);
  if (!name || !aq_map_put(&t->operation_by_id, place, t->operation_count))
    return no_memory(t);
  grown[t->operation_count++] = name;
  return AQ_OK;
}

static const char *operation_name(const tool *t)
{
  uint64_t index;
  return aq_map_get(&t->operation_by_id,
                    operation_key(t->record.kind, t->record.operation), &index)
             ? t->operation_names[index]
             : "";
}

static aq_status add_symbol(tool *t)
{
  symbol *grown = grow(t->symbols, t->symbol_count, sizeof *grown);
  if (!grown)
    return no_memory(t);
  t->symbols = grown;
  char *name = aq_arena_text(&t->arena, t->name.bytes ? t->name.bytes : "",
                             t->name.length);
  if (!name || !aq_map_put(&t->symbol_by_id, (uint64_t)t->record.kernel_id,
                           t->symbol_count))
    return no_memory(t);
  grown[t->symbol_count++] =
      (symbol){name, t->record.vgpr, t->record.agpr, t->record.sgpr};
  return AQ_OK;
}

static int64_t machine_agent(const tool *t, int64_t handle)
{
  return handle == AQ_NONE ? AQ_NONE : aq_import_scoped(handle, t->file->host);
}

static aq_status add_agent(tool *t)
{
  enum { TYPE_GPU = 2 };
  if (t->record.id == AQ_NONE)
    return AQ_OK;
  aq_agent agent = {.id = machine_agent(t, t->record.id),
                    .gpu = t->record.type == TYPE_GPU,
                    .cus = t->record.cus,
                    .name = t->product.bytes,
                    .gfx = t->name.bytes};
  return aq_agents_add(&t->agents, t->import, agent, t->product.length,
                       agent.gpu ? t->name.length : 0);
}

/* Ids of kernels and operations are the process's own. */
static void process_begin(tool *t)
{
  t->processes++;
  t->pid = t->file->pid;
  t->kinds = 0;
  t->symbol_count = t->operation_count = 0;
  aq_map_fini(&t->symbol_by_id);
  aq_map_fini(&t->operation_by_id);
  free(t->symbols);
  free(t->operation_names);
  t->symbols = NULL;
  t->operation_names = NULL;
  aq_arena_reset(&t->arena);
}

/* ---- rows ---- */

static aq_status absent(tool *t, const char *what)
{
  return aq_diag_set(t->import->diag, AQ_ERR_INPUT,
                     "%s: byte %llu: a record has no \"%s\"", t->file->path,
                     (unsigned long long)aq_json_byte(t->where), what);
}

static aq_status check_times(tool *t, bool *readable)
{
  const record *r = &t->record;
  if (!r->has_start)
    return absent(t, "start_timestamp");
  if (!r->has_end)
    return absent(t, "end_timestamp");
  *readable = r->start_ok && r->end_ok;
  if (!*readable)
    aq_import_repair(t->import, AQ_REPAIR_SKIPPED_ROW);
  return AQ_OK;
}

static bool read_common(tool *t, aq_record *row, int kind)
{
  const record *r = &t->record;
  aq_record_init(row);
  if (!aq_import_between(t->import, r->start, r->end, &row->start, &row->end)) {
    aq_import_repair(t->import, AQ_REPAIR_SKIPPED_ROW);
    return false;
  }
  row->kind = kind;
  row->flags = 0;
  row->correlation = r->correlation;
  row->stream = r->stream;
  row->tid = r->tid;
  row->pid = t->pid;
  return true;
}

static aq_status kernel_done(tool *t)
{
  const record *r = &t->record;
  aq_record row;
  if (r->kernel_id == AQ_NONE)
    return absent(t, "kernel_id");
  if (!read_common(t, &row, AQ_KIND_KERNEL))
    return AQ_OK;
  row.lds = r->lds;
  row.scratch = r->scratch;
  row.wg_x = r->wg[0];
  row.wg_y = r->wg[1];
  row.wg_z = r->wg[2];
  row.grid_x = r->grid[0];
  row.grid_y = r->grid[1];
  row.grid_z = r->grid[2];
  char number[48];
  const char *name = number;
  uint64_t index;
  if (aq_map_get(&t->symbol_by_id, (uint64_t)r->kernel_id, &index)) {
    name = t->symbols[index].name;
    row.vgpr = t->symbols[index].vgpr;
    row.agpr = t->symbols[index].agpr;
    row.sgpr = t->symbols[index].sgpr;
  } else
    snprintf(number, sizeof number, "kernel %lld", (long long)r->kernel_id);
  aq_status status = aq_agents_device(&t->agents, t->import,
                                      machine_agent(t, r->agent), &row.device);
  if (status != AQ_OK)
    return status;
  return aq_rocprofv3_row_add(t->import, t->join, &row, t->processes - 1,
                              r->queue, name, strlen(name));
}

static aq_status copy_done(tool *t)
{
  const record *r = &t->record;
  aq_record row;
  if (!read_common(t, &row, AQ_KIND_COPY))
    return AQ_OK;
  row.bytes = r->bytes;
  const char *name = operation_name(t);
  int64_t gpu =
      aq_agents_copy_gpu(&t->agents, machine_agent(t, r->source),
                         machine_agent(t, r->destination), name, strlen(name));
  aq_status status = aq_agents_device(&t->agents, t->import, gpu, &row.device);
  if (status != AQ_OK)
    return status;
  return aq_rocprofv3_row_add(t->import, t->join, &row, t->processes - 1,
                              aq_rocprofv3_copy_queue(row.stream), name,
                              strlen(name));
}

static aq_status call_done(tool *t)
{
  const record *r = &t->record;
  const char *name = operation_name(t);
  aq_rocprofv3_call call = {.name = name,
                            .name_length = strlen(name),
                            .begin = r->start,
                            .end = r->end,
                            .pid = t->pid,
                            .tid = r->tid,
                            .correlation = r->correlation,
                            .process = t->processes - 1};
  return aq_rocprofv3_call_add(t->import, t->join, &call);
}

static aq_status timed_done(tool *t)
{
  bool readable;
  aq_status status = check_times(t, &readable);
  if (status != AQ_OK || !readable)
    return status;
  return t->section == SECTION_KERNELS ? kernel_done(t)
         : t->section == SECTION_CALLS ? call_done(t)
                                       : copy_done(t);
}

static aq_status element_done(tool *t)
{
  switch (t->section) {
  case SECTION_AGENTS:
    return add_agent(t);
  case SECTION_SYMBOLS:
    return t->record.kernel_id == AQ_NONE ? AQ_OK : add_symbol(t);
  case SECTION_STRINGS:
    t->kinds++;
    return AQ_OK;
  case SECTION_KERNELS:
  case SECTION_CALLS:
  case SECTION_COPIES:
    return timed_done(t);
  default:
    return AQ_OK;
  }
}

/* ---- JSON events ---- */

static void record_reset(tool *t)
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
      .scratch = AQ_NONE,
      .lds = AQ_NONE,
      .wg = {AQ_NONE, AQ_NONE, AQ_NONE},
      .grid = {AQ_NONE, AQ_NONE, AQ_NONE},
  };
  t->record = unknown;
  t->name.length = t->product.length = 0;
  t->operations = 0;
}

/* The section that the container just opened is, by the keys above it:
 * root / tool array / process / section, or one deeper. */
static section section_of(const tool *t)
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
    return below == KEY_BUFFER ? SECTION_STRINGS : SECTION_NONE;
  if (at != KEY_BUFFER)
    return SECTION_NONE;
  return below == KEY_KERNELS                   ? SECTION_KERNELS
         : below == KEY_HIP || below == KEY_HSA ? SECTION_CALLS
         : below == KEY_COPIES                  ? SECTION_COPIES
                                                : SECTION_NONE;
}

static aq_status on_open(void *client, bool array)
{
  enum { PROCESS_DEPTH = 3 };
  tool *t = client;
  t->depth++;
  if (t->depth <= DEPTH_MAX)
    t->keys[t->depth] = KEY_NONE;
  if (t->section == SECTION_NONE) {
    if (t->depth == PROCESS_DEPTH && !array && t->keys[1] == KEY_TOOL)
      process_begin(t);
    if (t->processes > 0 && t->keys[1] == KEY_TOOL)
      t->section = section_of(t);
    t->section_depth = t->depth;
  } else if (t->depth == t->section_depth + 1 && !array)
    record_reset(t);
  return AQ_OK;
}

static aq_status on_close(void *client)
{
  tool *t = client;
  aq_status status = AQ_OK;
  if (t->section != SECTION_NONE && t->depth == t->section_depth + 1)
    status = element_done(t);
  if (t->section != SECTION_NONE && t->depth == t->section_depth)
    t->section = SECTION_NONE;
  t->depth--;
  return status;
}

static aq_status on_key(void *client, const char *bytes, size_t length)
{
  static const char *const names[] = {"",
#define K(id, text) text,
                                      KEYS(K)
#undef K
  };
  tool *t = client;
  if (t->depth > DEPTH_MAX)
    return AQ_OK;
  key found = KEY_NONE;
  for (int i = 1; i < KEY_COUNT && found == KEY_NONE; i++)
    if (strlen(names[i]) == length && memcmp(names[i], bytes, length) == 0)
      found = (key)i;
  t->keys[t->depth] = found;
  t->has_tool |= t->depth == 1 && found == KEY_TOOL;
  return AQ_OK;
}

static aq_status keep_text(tool *t, text *to, const char *bytes, size_t length)
{
  if (length > to->capacity) {
    char *grown = realloc(to->bytes, length * 2);
    if (!grown)
      return no_memory(t);
    to->bytes = grown;
    to->capacity = length * 2;
  }
  if (length > 0)
    memcpy(to->bytes, bytes, length);
  to->length = length;
  return AQ_OK;
}

/* x, y and z of the grid and workgroup; handles of what they identify. */
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
    return &r->bytes;
  case KEY_SCRATCH:
    return &r->scratch;
  case KEY_LDS:
    return &r->lds;
  default:
    return NULL;
  }
}

static aq_status string_value(tool *t, key parent, key at, const char *bytes,
                              size_t length)
{
  if (t->section == SECTION_STRINGS)
    return parent == KEY_OPERATIONS ? add_operation(t, bytes, length) : AQ_OK;
  bool symbols = t->section == SECTION_SYMBOLS;
  if (t->depth != t->section_depth + 1)
    return AQ_OK;
  if (at == KEY_NAME || (symbols && at == KEY_FORMATTED) ||
      (symbols && at == KEY_KERNEL_NAME && t->name.length == 0))
    return keep_text(t, &t->name, bytes, length);
  if (at == KEY_PRODUCT)
    return keep_text(t, &t->product, bytes, length);
  return AQ_OK;
}

static void time_value(tool *t, key at, aq_json_type type, const char *bytes,
                       size_t length)
{
  record *r = &t->record;
  bool start = at == KEY_START;
  bool ok = aq_json_tick(t->import, type, bytes, length, AQ_TICK_NS,
                         start ? &r->start : &r->end);
  *(start ? &r->has_start : &r->has_end) = true;
  *(start ? &r->start_ok : &r->end_ok) = ok;
}

static aq_status on_value(void *client, aq_json_type type, const char *bytes,
                          size_t length)
{
  tool *t = client;
  if (t->section == SECTION_NONE || t->depth > DEPTH_MAX)
    return AQ_OK;
  key at = t->keys[t->depth], parent = t->keys[t->depth - 1];
  if (t->section == SECTION_METADATA) {
    if (at == KEY_PID && t->depth == t->section_depth)
      aq_json_int(t->import, type, bytes, length, &t->pid);
    return AQ_OK;
  }
  bool own = t->depth == t->section_depth + 1;
  if (own && (at == KEY_START || at == KEY_END)) {
    time_value(t, at, type, bytes, length);
    return AQ_OK;
  }
  int64_t *place = own || parent == KEY_DISPATCH
                       ? plain_place(&t->record, at)
                       : nested_place(&t->record, parent, at);
  if (place) {
    aq_json_int(t->import, type, bytes, length, place);
    return AQ_OK;
  }
  return type == AQ_JSON_STRING ? string_value(t, parent, at, bytes, length)
                                : AQ_OK;
}

/* ---- the importer ---- */

static aq_status read_file(tool *t, const aq_trace_file *file)
{
  static const aq_json_events events = {on_open, on_close, on_key, on_value};
  t->file = file;
  t->depth = 0;
  t->section = SECTION_NONE;
  t->has_tool = false;
  memset(t->keys, 0, sizeof t->keys);
  aq_reader *reader;
  aq_status status = aq_trace_file_open(file, &reader, t->import->diag);
  if (status != AQ_OK)
    return status;
  status = aq_json_read(t->import, reader, NULL, &events, t, &t->where);
  aq_reader_close(reader);
  if (status == AQ_OK && !t->has_tool)
    status = aq_diag_set(t->import->diag, AQ_ERR_INPUT,
                         "%s: no \"rocprofiler-sdk-tool\" array", file->path);
  return status;
}

static void tool_fini(tool *t)
{
  aq_arena_fini(&t->arena);
  free(t->operation_names);
  free(t->symbols);
  aq_map_fini(&t->operation_by_id);
  aq_map_fini(&t->symbol_by_id);
  aq_agents_fini(&t->agents);
  free(t->product.bytes);
  free(t->name.bytes);
}

aq_status aq_rocprofv3_json_import(aq_import *import, aq_join *join,
                                   const aq_trace_files *files)
{
  tool t = {.import = import, .join = join};
  aq_status status = AQ_OK;
  for (size_t i = 0; i < files->count && status == AQ_OK; i++)
    status = read_file(&t, &files->files[i]);
  import->result->advice = aq_rocprofv3_advice;
  tool_fini(&t);
  return status;
}
