/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "trace/db/rocpd_export.h"

static void bind_text(aq_rocpd_writer *w, aq_rocpd_statement which, int at,
                      const char *text)
{
  sqlite3_bind_text(w->statements[which], at, text, -1, SQLITE_STATIC);
}

static void bind(aq_rocpd_writer *w, aq_rocpd_statement which, int at,
                 int64_t value)
{
  aq_rocpd_bind(w->statements[which], at, value);
}

/* Binds what rows of the info tables begin with. */
static void bind_begin(aq_rocpd_writer *w, aq_rocpd_statement which, int64_t id,
                       int64_t pid)
{
  bind(w, which, 1, id);
  bind(w, which, 2, AQ_ROCPD_NODE_ID);
  bind(w, which, 3, pid);
}

/* ---- texts ---- */

static bool string_id(aq_rocpd_writer *w, const char *text, size_t length,
                      int64_t *id)
{
  const size_t known = w->strings.count;
  *id = aq_names_id(&w->strings, text, length) + 1;
  if (*id == 0 || w->strings.count == known)
    return *id != 0;
  bind(w, AQ_ROCPD_STRING, 1, *id);
  sqlite3_bind_text(w->statements[AQ_ROCPD_STRING], 2,
                    aq_names_text(&w->strings, *id - 1), (int)length,
                    SQLITE_STATIC);
  return aq_rocpd_insert(w, AQ_ROCPD_STRING);
}

bool aq_rocpd_string_id(aq_rocpd_writer *w, const char *text, int64_t *id)
{
  return string_id(w, text, strlen(text), id);
}

bool aq_rocpd_name_id(aq_rocpd_writer *w, int64_t name, int64_t *id)
{
  uint64_t known;
  if (aq_map_get(&w->string_of, (uint64_t)name, &known)) {
    *id = (int64_t)known;
    return true;
  }
  const char *text = w->source->name(w->source, name);
  return aq_rocpd_string_id(w, text ? text : "", id) &&
         aq_map_put(&w->string_of, (uint64_t)name, (uint64_t)*id);
}

/* ---- ids that are given in the order of need ---- */

/* The id of a key, the next one where it is new. */
static bool next_id(aq_map *map, uint64_t key, int64_t *id, bool *is_new)
{
  uint64_t known;
  *is_new = !aq_map_get(map, key, &known);
  *id = *is_new ? (int64_t)map->count + 1 : (int64_t)known;
  return !*is_new || aq_map_put(map, key, (uint64_t)*id);
}

static int64_t pid_of(const aq_rocpd_writer *w, int64_t pid)
{
  return pid == AQ_NONE ? w->own_pid : pid;
}

bool aq_rocpd_process_id(aq_rocpd_writer *w, int64_t pid, int64_t *id)
{
  bool is_new = false;
  pid = pid_of(w, pid);
  if (!next_id(&w->process_of, (uint64_t)pid, id, &is_new) || !is_new)
    return !is_new;
  bind_begin(w, AQ_ROCPD_PROCESS, *id, pid);
  bind_text(w, AQ_ROCPD_PROCESS, 4, w->source->info->source);
  return aq_rocpd_insert(w, AQ_ROCPD_PROCESS);
}

bool aq_rocpd_thread_id(aq_rocpd_writer *w, int64_t pid, int64_t tid,
                        const char *name, int64_t *id)
{
  bool is_new = false;
  int64_t process;
  pid = pid_of(w, pid);
  tid = tid == AQ_NONE ? pid : tid;
  if (!aq_rocpd_process_id(w, pid, &process) ||
      !next_id(&w->thread_of, (uint64_t)tid ^ (uint64_t)process << 44, id,
               &is_new) ||
      !is_new)
    return !is_new;
  bind_begin(w, AQ_ROCPD_THREAD, *id, process);
  bind(w, AQ_ROCPD_THREAD, 4, tid);
  bind_text(w, AQ_ROCPD_THREAD, 5, name);
  return aq_rocpd_insert(w, AQ_ROCPD_THREAD);
}

/* A stream's id is its row's; row 0 is the unknown one. */
bool aq_rocpd_stream_id(aq_rocpd_writer *w, int64_t pid, int64_t stream,
                        int64_t *id)
{
  int64_t process, count;
  bool is_new = false;
  char name[48];
  *id = stream == AQ_NONE ? 0 : stream;
  if (!next_id(&w->stream_of, (uint64_t)*id, &count, &is_new) || !is_new)
    return !is_new;
  if (!aq_rocpd_process_id(w, pid, &process))
    return false;
  snprintf(name, sizeof name, "Stream %" PRId64, *id);
  bind_begin(w, AQ_ROCPD_STREAM, *id, process);
  bind_text(w, AQ_ROCPD_STREAM, 4, name);
  return aq_rocpd_insert(w, AQ_ROCPD_STREAM);
}

/* ---- queues ---- */

/* Where the source's ids distinguish all queues they stay; or else they are
 * numbered. */
static bool number_queues(aq_rocpd_writer *w)
{
  aq_trace_source *source = w->source;
  const size_t count = source->queue_count;
  w->queue_ids = calloc(count + 1, sizeof *w->queue_ids);
  w->queue_written = calloc(count + 1, sizeof *w->queue_written);
  if (!w->queue_ids || !w->queue_written)
    return false;
  aq_map seen = AQ_MAP_INIT;
  bool distinct = true;
  for (size_t i = 0; i < count; i++) {
    const int64_t id = source->queue(source, (int64_t)i)->source_id;
    distinct = distinct && id >= INT32_MIN && id <= INT32_MAX &&
               !aq_map_get(&seen, (uint64_t)id, NULL) &&
               aq_map_put(&seen, (uint64_t)id, i);
    w->queue_ids[i] = id;
  }
  for (size_t i = 0; !distinct && i < count; i++)
    w->queue_ids[i] = (int64_t)i + 1;
  aq_map_fini(&seen);
  return true;
}

bool aq_rocpd_queue_id(aq_rocpd_writer *w, int64_t pid, int64_t queue,
                       int64_t *id)
{
  char name[48];
  int64_t process;
  *id = w->queue_ids[queue];
  if (w->queue_written[queue])
    return true;
  w->queue_written[queue] = true;
  if (!aq_rocpd_process_id(w, pid, &process))
    return false;
  snprintf(name, sizeof name, "Queue %" PRId64, *id);
  bind_begin(w, AQ_ROCPD_QUEUE, *id, process);
  bind_text(w, AQ_ROCPD_QUEUE, 4, name);
  return aq_rocpd_insert(w, AQ_ROCPD_QUEUE);
}

/* ---- kernels ---- */

/* The same kernel with other registers is another symbol. */
static uint64_t symbol_key(const aq_record *row)
{
  const uint64_t odd = UINT64_C(0x9e3779b97f4a7c15);
  uint64_t key = (uint64_t)row->name;
  key = (key ^ (uint64_t)row->vgpr) * odd;
  key = ((key ^ key >> 29) ^ (uint64_t)row->agpr) * odd;
  key = ((key ^ key >> 29) ^ (uint64_t)row->sgpr) * odd;
  return key ^ key >> 32;
}

/* The symbol of a row, a new one where there is none like it. Symbols with
 * equal keys take the following ones. */
static bool symbol_find(aq_rocpd_writer *w, const aq_record *row, int64_t *id,
                        bool *is_new)
{
  const aq_rocpd_symbol wanted = {row->name, row->vgpr, row->agpr, row->sgpr};
  uint64_t key = symbol_key(row);
  for (; next_id(&w->symbol_of, key, id, is_new); key++) {
    if (*is_new)
      return AQ_ARRAY_PUSH(w->symbols, w->symbol_count, w->symbol_capacity,
                           wanted);
    if (memcmp(&w->symbols[*id - 1], &wanted, sizeof wanted) == 0)
      return true;
  }
  return false;
}

bool aq_rocpd_kernel_id(aq_rocpd_writer *w, const aq_record *row, int64_t *id)
{
  bool is_new = false;
  int64_t process;
  if (!symbol_find(w, row, id, &is_new) || !is_new)
    return !is_new;
  const char *name = w->source->name(w->source, row->name);
  if (!aq_rocpd_process_id(w, row->pid, &process))
    return false;
  bind_begin(w, AQ_ROCPD_SYMBOL, *id, process);
  bind(w, AQ_ROCPD_SYMBOL, 4, 1); /* the code object */
  bind_text(w, AQ_ROCPD_SYMBOL, 5, name ? name : "");
  bind_text(w, AQ_ROCPD_SYMBOL, 6, name ? name : "");
  bind(w, AQ_ROCPD_SYMBOL, 7, row->sgpr);
  bind(w, AQ_ROCPD_SYMBOL, 8, row->vgpr);
  bind(w, AQ_ROCPD_SYMBOL, 9, row->agpr);
  return aq_rocpd_insert(w, AQ_ROCPD_SYMBOL);
}

/* ---- machine and agents ---- */

static bool put_agent(aq_rocpd_writer *w, int64_t process, int64_t id,
                      int64_t index, const aq_run_device *gpu)
{
  const char *product = gpu && gpu->name ? gpu->name : "";
  bind_begin(w, AQ_ROCPD_AGENT, id, process);
  bind_text(w, AQ_ROCPD_AGENT, 4, gpu ? "GPU" : "CPU");
  bind(w, AQ_ROCPD_AGENT, 5, index);
  bind(w, AQ_ROCPD_AGENT, 6, id - AQ_ROCPD_CPU);
  bind(w, AQ_ROCPD_AGENT, 7, gpu ? id - AQ_ROCPD_GPU : 0);
  bind_text(w, AQ_ROCPD_AGENT, 8, gpu ? (gpu->gfx ? gpu->gfx : "") : "CPU");
  bind_text(w, AQ_ROCPD_AGENT, 9, "");
  bind_text(w, AQ_ROCPD_AGENT, 10, gpu ? "AMD" : "CPU");
  bind_text(w, AQ_ROCPD_AGENT, 11, product);
  bind_text(w, AQ_ROCPD_AGENT, 12, product);
  return aq_rocpd_insert(w, AQ_ROCPD_AGENT);
}

static bool put_agents(aq_rocpd_writer *w, int64_t process)
{
  aq_trace_source *source = w->source;
  int64_t host = 0; /* an index that no GPU has */
  for (size_t i = 0; i < source->device_count; i++)
    if (source->device(source, (int64_t)i)->source_id == host) {
      host++;
      i = (size_t)-1;
    }
  if (!put_agent(w, process, AQ_ROCPD_CPU, host, NULL))
    return false;
  for (size_t i = 0; i < source->device_count; i++) {
    const aq_run_device *gpu = source->device(source, (int64_t)i);
    if (!put_agent(w, process, AQ_ROCPD_GPU + (int64_t)i, gpu->source_id, gpu))
      return false;
  }
  const int64_t code[] = {1, AQ_ROCPD_NODE_ID, process,
                          source->device_count ? AQ_ROCPD_GPU : AQ_ROCPD_CPU};
  for (int i = 0; i < 4; i++)
    bind(w, AQ_ROCPD_CODE, i + 1, code[i]);
  bind_text(w, AQ_ROCPD_CODE, 5, "memory://");
  bind_text(w, AQ_ROCPD_CODE, 6, "MEMORY");
  return aq_rocpd_insert(w, AQ_ROCPD_CODE);
}

bool aq_rocpd_info_begin(aq_rocpd_writer *w)
{
  int64_t process;
  aq_record first;
  aq_record_init(&first);
  bind(w, AQ_ROCPD_NODE, 1, AQ_ROCPD_NODE_ID);
  bind(w, AQ_ROCPD_NODE, 2, w->own_pid);
  bind_text(w, AQ_ROCPD_NODE, 3, w->id.guid);
  bind_text(w, AQ_ROCPD_NODE, 4,
            w->source->info->kind == AQ_RUN_SIMULATED ? "aqueduct simulation"
                                                      : "aqueduct");
  bind_text(w, AQ_ROCPD_NODE, 5, w->source->info->device_model);
  return aq_rocpd_insert(w, AQ_ROCPD_NODE) &&
         aq_rocpd_string_id(w, "", &w->empty) && number_queues(w) &&
         aq_rocpd_process_id(w, AQ_NONE, &process) && put_agents(w, process);
}

void aq_rocpd_info_fini(aq_rocpd_writer *w)
{
  aq_map *maps[] = {&w->string_of, &w->process_of, &w->thread_of, &w->stream_of,
                    &w->symbol_of, &w->track_of,   &w->call_of};
  for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
    aq_map_fini(maps[i]);
  aq_names_fini(&w->strings);
  free(w->symbols);
  free(w->queue_ids);
  free(w->queue_written);
  free(w->calls);
}
