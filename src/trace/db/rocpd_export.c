/* SPDX-License-Identifier: MIT */
/* rocpd 3.0.0; see doc/formats/rocpd.md. */
#include "config.h"

#include "trace/db/rocpd_export.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/copy_name.h"
#include "trace/db/foreign_db.h"

enum { BATCH = 1024 };

static const struct {
  const char *table, *columns;
} inserts[AQ_ROCPD_STATEMENT_COUNT] = {
#define S(id, table, columns) [AQ_ROCPD_##id] = {table, columns},
    AQ_ROCPD_STATEMENTS(S)
#undef S
};

bool aq_rocpd_insert(aq_rocpd_writer *w, aq_rocpd_statement which)
{
  sqlite3_step(w->statements[which]);
  return sqlite3_reset(w->statements[which]) == SQLITE_OK;
}

bool aq_rocpd_put(aq_rocpd_writer *w, aq_rocpd_statement which,
                  const int64_t *values, int count)
{
  for (int i = 0; i < count; i++)
    aq_rocpd_bind(w->statements[which], i + 1, values[i]);
  return aq_rocpd_insert(w, which);
}

int64_t aq_rocpd_ns(const aq_rocpd_writer *w, aq_time time)
{
  if (time == AQ_TIME_NONE)
    return AQ_NONE;
  return w->base_ns + time / AQ_NS - (time % AQ_NS < 0);
}

/* ---- rows ---- */

static int64_t or_zero(int64_t value)
{
  return value == AQ_NONE ? 0 : value;
}

/* The message of a row's event, or NULL. */
static const char *message_of(const aq_record *row)
{
  return aq_record_is(row, AQ_FLAG_PREDICTED) ? "predicted duration" : NULL;
}

static bool put_kernel(aq_rocpd_writer *w, const aq_record *row)
{
  int64_t pid, tid, kernel, queue, stream, event, stack;
  if (!aq_rocpd_process_id(w, row->pid, &pid) ||
      !aq_rocpd_thread_id(w, row->pid, row->tid, NULL, &tid) ||
      !aq_rocpd_kernel_id(w, row, &kernel) ||
      !aq_rocpd_queue_id(w, row->pid, row->queue, &queue) ||
      !aq_rocpd_stream_id(w, row->pid, row->stream, &stream) ||
      !aq_rocpd_host_call(w, row, &stack) ||
      !aq_rocpd_event(w, "KERNEL_DISPATCH", stack, message_of(row), &event))
    return false;
  const int64_t id = ++w->kernels;
  const int64_t values[] = {id,
                            AQ_ROCPD_NODE_ID,
                            pid,
                            tid,
                            AQ_ROCPD_GPU + row->device,
                            kernel,
                            id,
                            queue,
                            stream,
                            aq_rocpd_ns(w, row->start),
                            aq_rocpd_ns(w, row->end),
                            row->scratch,
                            row->lds,
                            or_zero(row->wg_x),
                            or_zero(row->wg_y),
                            or_zero(row->wg_z),
                            or_zero(row->grid_x),
                            or_zero(row->grid_y),
                            or_zero(row->grid_z),
                            w->empty,
                            event};
  return aq_rocpd_put(w, AQ_ROCPD_KERNEL, values,
                      sizeof values / sizeof *values) &&
         (!w->life || aq_rocpd_packet(w, row, event));
}

/* Which agents a copy goes between, as far as its name says. */
static void copy_agents(const aq_rocpd_writer *w, const aq_record *row,
                        int64_t *from, int64_t *to)
{
  const char *name = w->source->name(w->source, row->name);
  const int64_t gpu = AQ_ROCPD_GPU + row->device;
  *from = *to = gpu;
  if (!name || row->kind == AQ_KIND_FILL)
    return;
  if (aq_copy_is_from_host(name))
    *from = AQ_ROCPD_CPU;
  else if (aq_copy_is_to_host(name))
    *to = AQ_ROCPD_CPU;
}

static bool put_copy(aq_rocpd_writer *w, const aq_record *row)
{
  int64_t pid, tid, name, queue, stream, event, stack, from, to;
  if (!aq_rocpd_process_id(w, row->pid, &pid) ||
      !aq_rocpd_thread_id(w, row->pid, row->tid, NULL, &tid) ||
      !aq_rocpd_name_id(w, row->name, &name) ||
      !aq_rocpd_queue_id(w, row->pid, row->queue, &queue) ||
      !aq_rocpd_stream_id(w, row->pid, row->stream, &stream) ||
      !aq_rocpd_host_call(w, row, &stack) ||
      !aq_rocpd_event(w, "MEMORY_COPY", stack, message_of(row), &event))
    return false;
  copy_agents(w, row, &from, &to);
  const int64_t values[] = {++w->copies,
                            AQ_ROCPD_NODE_ID,
                            pid,
                            tid,
                            aq_rocpd_ns(w, row->start),
                            aq_rocpd_ns(w, row->end),
                            name,
                            to,
                            from,
                            or_zero(row->bytes),
                            queue,
                            stream,
                            w->empty,
                            event};
  return aq_rocpd_put(w, AQ_ROCPD_COPY, values,
                      sizeof values / sizeof *values) &&
         (!w->life || aq_rocpd_packet(w, row, event));
}

/* What never ran, or ran nowhere, has no place in the format. */
static bool ran(const aq_record *row)
{
  return row->device != AQ_NONE && row->queue != AQ_NONE &&
         row->start != AQ_TIME_NONE && row->end != AQ_TIME_NONE;
}

static bool put_row(aq_rocpd_writer *w, const aq_record *row)
{
  switch (row->kind) {
  case AQ_KIND_KERNEL:
    return !ran(row) || put_kernel(w, row);
  case AQ_KIND_COPY:
  case AQ_KIND_FILL:
    return !ran(row) || put_copy(w, row);
  case AQ_KIND_WAIT:
    return !w->life || aq_rocpd_wait(w, row);
  case AQ_KIND_RANGE:
    return !w->life || aq_rocpd_range(w, row);
  default:
    return !w->life || aq_rocpd_packet(w, row, AQ_NONE);
  }
}

/* ---- the run's own id ---- */

static uint64_t mix(uint64_t hash, uint64_t value)
{
  hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
  return hash ^ hash >> 32;
}

static uint64_t mix_text(uint64_t hash, const char *text)
{
  for (; text && *text; text++)
    hash = mix(hash, (unsigned char)*text);
  return mix(hash, 0);
}

/* A UUIDv7: milliseconds of the run's clock, then what its first rows and its
 * origin hash to. Two exports of a run have the same one. */
static void identify(aq_rocpd_writer *w, const aq_record *rows, size_t count)
{
  const aq_run_info *info = w->source->info;
  uint64_t hash = mix(0, (uint64_t)info->kind);
  hash = mix_text(hash, info->transport);
  hash = mix_text(hash, info->model_hash);
  hash = mix(hash, (uint64_t)info->seed);
  hash = mix(hash, (uint64_t)info->base_ns);
  for (size_t i = 0; i < count; i++)
    for (int k = 0; k < AQ_RECORD_FIELD_COUNT; k++)
      hash = mix(hash, (uint64_t)aq_record_values(&rows[i])[k]);
  const uint64_t low = mix(hash, 1);
  const uint64_t ms = (uint64_t)(w->base_ns / 1000000);
  snprintf(w->id.guid, sizeof w->id.guid,
           "%08" PRIx32 "-%04" PRIx32 "-7%03" PRIx32 "-%04" PRIx32
           "-%012" PRIx64,
           (uint32_t)(ms >> 16), (uint32_t)(ms & 0xffff),
           (uint32_t)(hash & 0xfff), (uint32_t)(0x8000 | (hash >> 12 & 0x3fff)),
           low & UINT64_C(0xffffffffffff));
  snprintf(w->id.suffix, sizeof w->id.suffix, "_%s", w->id.guid);
  for (char *at = w->id.suffix; *at; at++)
    *at = (char)(*at == '-' ? '_' : *at);
  w->own_pid = 1 + (int64_t)(low % 4194303); /* as Linux numbers them */
  for (size_t i = 0; i < count; i++)
    if (rows[i].pid != AQ_NONE) {
      w->own_pid = rows[i].pid;
      break;
    }
}

/* ---- the file ---- */

static aq_status failed(const aq_rocpd_writer *w, aq_diag *diag)
{
  const int code = w->db ? sqlite3_errcode(w->db) : SQLITE_NOMEM;
  if (code == SQLITE_NOMEM || code == SQLITE_OK || code == SQLITE_DONE)
    return aq_diag_no_memory(diag);
  return aq_diag_set(diag, AQ_ERR_IO, "rocpd database cannot be written: %s",
                     sqlite3_errmsg(w->db));
}

/* The file is new and no other process sees it: no journal, no locks. */
static bool open_file(aq_rocpd_writer *w, const char *path)
{
  return sqlite3_open_v2(path, &w->db,
                         SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX |
                             SQLITE_OPEN_PRIVATECACHE,
                         NULL) == SQLITE_OK &&
         sqlite3_exec(w->db,
                      "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
                      "PRAGMA locking_mode = EXCLUSIVE;"
                      "PRAGMA cache_size = -65536; PRAGMA foreign_keys = OFF;"
                      "BEGIN",
                      NULL, NULL, NULL) == SQLITE_OK;
}

static bool prepare(aq_rocpd_writer *w)
{
  for (int i = 0; i < AQ_ROCPD_STATEMENT_COUNT; i++) {
    sqlite3_str *sql = sqlite3_str_new(w->db);
    sqlite3_str_appendf(sql, "INSERT INTO \"rocpd_%s%s\" (", inserts[i].table,
                        w->id.suffix);
    int count = 0;
    for (const char *at = inserts[i].columns; *at; at += strspn(at, ", ")) {
      const int length = (int)strcspn(at, ",");
      sqlite3_str_appendf(sql, "%s\"%.*s\"", count++ ? ", " : "", length, at);
      at += length;
    }
    sqlite3_str_appendall(sql, ") VALUES (?");
    while (--count > 0)
      sqlite3_str_appendall(sql, ", ?");
    sqlite3_str_appendall(sql, ")");
    char *text = sqlite3_str_finish(sql);
    const bool made =
        text && sqlite3_prepare_v3(w->db, text, -1, SQLITE_PREPARE_PERSISTENT,
                                   &w->statements[i], NULL) == SQLITE_OK;
    sqlite3_free(text);
    if (!made)
      return false;
  }
  return true;
}

static aq_status put_rows(aq_rocpd_writer *w, const char *path, aq_record *rows,
                          int64_t *numbers, aq_diag *diag)
{
  aq_trace_source *source = w->source;
  size_t count;
  aq_status status = source->next(source, rows, numbers, BATCH, &count, diag);
  if (status != AQ_OK)
    return status;
  identify(w, rows, count);
  if (!open_file(w, path) || !aq_rocpd_schema_make(w->db, &w->id) ||
      !prepare(w) || !aq_rocpd_info_begin(w))
    return failed(w, diag);
  while (count > 0) {
    for (size_t i = 0; i < count; i++)
      if (!put_row(w, &rows[i]))
        return failed(w, diag);
    status = source->next(source, rows, numbers, BATCH, &count, diag);
    if (status != AQ_OK)
      return status;
  }
  const aq_sample *samples = NULL;
  if (w->life)
    status = aq_trace_source_samples(source, &samples, &count, diag);
  if (status != AQ_OK)
    return status;
  if (!aq_rocpd_counters(w, samples, count))
    return failed(w, diag);
  return sqlite3_exec(w->db, "COMMIT", NULL, NULL, NULL) == SQLITE_OK
             ? AQ_OK
             : failed(w, diag);
}

static aq_status export_run(aq_trace_source *source, const char *path,
                            bool life, aq_diag *diag)
{
  const int64_t base = source->info->base_ns;
  aq_rocpd_writer w = {.source = source,
                       .life = life,
                       .base_ns = base == AQ_NONE ? 0 : base,
                       .strings = AQ_NAMES_INIT};
  aq_record *rows = malloc(BATCH * sizeof *rows);
  int64_t *numbers = malloc(BATCH * sizeof *numbers);
  aq_status status = rows && numbers ? put_rows(&w, path, rows, numbers, diag)
                                     : failed(&w, diag);
  for (int i = 0; i < AQ_ROCPD_STATEMENT_COUNT; i++)
    sqlite3_finalize(w.statements[i]);
  aq_rocpd_info_fini(&w);
  sqlite3_close(w.db);
  free(numbers);
  free(rows);
  return status;
}

aq_status aq_rocpd_export(aq_trace_source *source, const char *path,
                          aq_diag *diag)
{
  return export_run(source, path, true, diag);
}

aq_status aq_rocpd_export_kernels(aq_trace_source *source, const char *path,
                                  aq_diag *diag)
{
  return export_run(source, path, false, diag);
}
