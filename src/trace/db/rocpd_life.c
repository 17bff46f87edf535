/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/json_out.h"
#include "trace/db/rocpd_export.h"

/* ---- events ---- */

/* {"message": "…"}, to be freed; NULL: no memory. */
static char *message_json(const char *message)
{
  aq_json_out *json = aq_json_out_begin(false);
  if (!json)
    return NULL;
  aq_json_out_map(json, NULL);
  aq_json_out_text(json, "message", message);
  aq_json_out_close_map(json);
  return aq_json_out_take(json);
}

bool aq_rocpd_event(aq_rocpd_writer *w, const char *category, int64_t stack,
                    const char *message, int64_t *id)
{
  char *json = message ? message_json(message) : NULL;
  int64_t name;
  if ((message && !json) || !aq_rocpd_string_id(w, category, &name)) {
    free(json);
    return false;
  }
  *id = ++w->events;
  sqlite3_stmt *statement = w->statements[AQ_ROCPD_EVENT];
  sqlite3_bind_text(statement, 6, json ? json : "{}", -1, SQLITE_TRANSIENT);
  free(json);
  stack = stack == AQ_NONE ? 0 : stack;
  const int64_t values[] = {*id, name, stack, stack, 0};
  return aq_rocpd_put(w, AQ_ROCPD_EVENT, values,
                      sizeof values / sizeof *values);
}

/* A region of a thread, with an event of its own. */
static bool put_region(aq_rocpd_writer *w, const int64_t *where, aq_time begin,
                       aq_time end, int64_t name, int64_t event)
{
  const int64_t values[] = {
      ++w->regions,          AQ_ROCPD_NODE_ID,    where[0], where[1],
      aq_rocpd_ns(w, begin), aq_rocpd_ns(w, end), name,     event};
  return aq_rocpd_put(w, AQ_ROCPD_REGION, values,
                      sizeof values / sizeof *values);
}

static bool thread_of(aq_rocpd_writer *w, const aq_record *row, int64_t *where)
{
  return aq_rocpd_process_id(w, row->pid, &where[0]) &&
         aq_rocpd_thread_id(w, row->pid, row->tid, NULL, &where[1]);
}

/* ---- host calls ---- */

/* The record does not keep which call it was: the usual one stands for it. */
static const char *call_name(const aq_record *row)
{
  return row->via == AQ_VIA_GRAPH      ? "hipGraphLaunch"
         : row->kind == AQ_KIND_KERNEL ? "hipLaunchKernel"
         : row->kind == AQ_KIND_FILL   ? "hipMemsetAsync"
                                       : "hipMemcpyAsync";
}

static aq_rocpd_call *new_call(aq_rocpd_writer *w, uint64_t key)
{
  if (!AQ_ARRAY_RESERVE(w->calls, w->call_capacity, w->call_count + 1))
    return NULL;
  if (!aq_map_put(&w->call_of, key, w->call_count))
    return NULL;
  return &w->calls[w->call_count++];
}

/* The call of a row: known, or new with a stack id that no other has, which is
 * the row's correlation wherever that is free. *is_new is set for a new one. */
static aq_rocpd_call *find_call(aq_rocpd_writer *w, const aq_record *row,
                                bool *is_new)
{
  enum { OWN_BITS = 40 };
  int64_t process;
  uint64_t index;
  *is_new = true;
  if (!aq_rocpd_process_id(w, row->pid, &process))
    return NULL;
  const uint64_t scope = (uint64_t)process << 44;
  int64_t stack = row->correlation;
  if (stack > 0 && stack < INT64_C(1) << OWN_BITS &&
      aq_map_get(&w->call_of, (uint64_t)stack ^ scope, &index)) {
    *is_new = w->calls[index].begin != row->host_begin;
    if (!*is_new)
      return &w->calls[index];
    stack = AQ_NONE;
  }
  if (stack <= 0 || stack >= INT64_C(1) << OWN_BITS)
    stack = (INT64_C(1) << OWN_BITS) + w->stacks++;
  aq_rocpd_call *made = new_call(w, (uint64_t)stack ^ scope);
  if (made)
    *made = (aq_rocpd_call){row->host_begin, stack, 0};
  return made;
}

static bool put_call(aq_rocpd_writer *w, const aq_record *row,
                     aq_rocpd_call *call, const char *name)
{
  int64_t where[2], text, event;
  if (!thread_of(w, row, where) || !aq_rocpd_string_id(w, name, &text) ||
      !aq_rocpd_event(
          w, strncmp(name, "hsa_", 4) == 0 ? "HSA_CORE_API" : "HIP_RUNTIME_API",
          call->stack, NULL, &event) ||
      !put_region(w, where, row->host_begin, row->host_end, text, event))
    return false;
  call->region = w->regions;
  return true;
}

bool aq_rocpd_host_call(aq_rocpd_writer *w, const aq_record *row,
                        int64_t *stack)
{
  bool is_new;
  *stack = row->correlation > 0 ? row->correlation : AQ_NONE;
  if (!w->life || row->host_begin == AQ_TIME_NONE ||
      row->host_end == AQ_TIME_NONE)
    return true;
  aq_rocpd_call *call = find_call(w, row, &is_new);
  if (!call)
    return false;
  *stack = call->stack;
  return !is_new || put_call(w, row, call, call_name(row));
}

/* The same call may have submitted something, which is then known already
 * under a usual name: it gets its own. */
static bool rename_call(aq_rocpd_writer *w, const aq_rocpd_call *call,
                        const char *name)
{
  int64_t text;
  if (!aq_rocpd_string_id(w, name, &text))
    return false;
  char *sql =
      sqlite3_mprintf("UPDATE \"rocpd_region%s\" SET name_id = %lld"
                      " WHERE id = %lld",
                      w->id.suffix, (long long)text, (long long)call->region);
  const bool done =
      sql && sqlite3_exec(w->db, sql, NULL, NULL, NULL) == SQLITE_OK;
  sqlite3_free(sql);
  return done;
}

bool aq_rocpd_wait(aq_rocpd_writer *w, const aq_record *row)
{
  bool is_new;
  const char *name = w->source->name(w->source, row->name);
  if (row->host_begin == AQ_TIME_NONE || row->host_end == AQ_TIME_NONE)
    return true;
  aq_rocpd_call *call = find_call(w, row, &is_new);
  if (!call)
    return false;
  name = name ? name : "hipDeviceSynchronize";
  return is_new ? put_call(w, row, call, name) : rename_call(w, call, name);
}

/* ---- packets ---- */

/* A thread stands for a queue: the events of packets are not the host's. */
static bool queue_thread(aq_rocpd_writer *w, const aq_record *row,
                         int64_t *where)
{
  char name[48];
  snprintf(name, sizeof name, "queue %" PRId64, row->queue);
  return aq_rocpd_process_id(w, row->pid, &where[0]) &&
         aq_rocpd_thread_id(w, row->pid, AQ_ROCPD_QUEUE_TID + row->queue, name,
                            &where[1]);
}

static bool put_span(aq_rocpd_writer *w, const aq_record *row, aq_time begin,
                     aq_time end, const char *what)
{
  int64_t where[2], name, event;
  if (begin == AQ_TIME_NONE || end == AQ_TIME_NONE ||
      aq_rocpd_ns(w, begin) >= aq_rocpd_ns(w, end))
    return true;
  return queue_thread(w, row, where) && aq_rocpd_string_id(w, what, &name) &&
         aq_rocpd_event(w, "MARKER_CORE_RANGE_API", AQ_NONE, what, &event) &&
         put_region(w, where, begin, end, name, event);
}

/* A range of the device is on the thread of its queue. */
bool aq_rocpd_range(aq_rocpd_writer *w, const aq_record *row)
{
  int64_t where[2], text, event;
  const char *name = w->source->name(w->source, row->name);
  if (row->queue != AQ_NONE)
    return put_span(w, row, row->start, row->end, name ? name : "");
  if (row->host_begin == AQ_TIME_NONE || row->host_end == AQ_TIME_NONE)
    return true;
  name = name ? name : "";
  return thread_of(w, row, where) && aq_rocpd_string_id(w, name, &text) &&
         aq_rocpd_event(w, "MARKER_CORE_RANGE_API", AQ_NONE, name, &event) &&
         put_region(w, where, row->host_begin, row->host_end, text, event);
}

bool aq_rocpd_track(aq_rocpd_writer *w, int64_t process, int64_t thread,
                    int64_t name, int64_t *id)
{
  uint64_t known;
  const uint64_t key = (uint64_t)thread << 32 ^ (uint64_t)name;
  if (aq_map_get(&w->track_of, key, &known)) {
    *id = (int64_t)known;
    return true;
  }
  *id = (int64_t)w->track_of.count + 1;
  const int64_t values[] = {*id, AQ_ROCPD_NODE_ID, process, thread, name};
  return aq_map_put(&w->track_of, key, (uint64_t)*id) &&
         aq_rocpd_put(w, AQ_ROCPD_TRACK, values,
                      sizeof values / sizeof *values);
}

static bool put_moment(aq_rocpd_writer *w, const aq_record *row, aq_time time,
                       const char *what)
{
  int64_t where[2], name, event, track;
  if (time == AQ_TIME_NONE)
    return true;
  if (!queue_thread(w, row, where) || !aq_rocpd_string_id(w, what, &name) ||
      !aq_rocpd_track(w, where[0], where[1], name, &track) ||
      !aq_rocpd_event(w, "MARKER_CORE_API", AQ_NONE, what, &event))
    return false;
  const int64_t values[] = {track, aq_rocpd_ns(w, time), event};
  return aq_rocpd_put(w, AQ_ROCPD_SAMPLE, values,
                      sizeof values / sizeof *values);
}

static bool put_arg(aq_rocpd_writer *w, int64_t event, int position,
                    const char *name, int64_t value)
{
  char text[32];
  if (value == AQ_NONE)
    return true;
  sqlite3_stmt *statement = w->statements[AQ_ROCPD_ARG];
  snprintf(text, sizeof text, "%" PRId64, value);
  sqlite3_bind_int64(statement, 1, event);
  sqlite3_bind_int64(statement, 2, position);
  sqlite3_bind_text(statement, 3, "uint64_t", -1, SQLITE_STATIC);
  sqlite3_bind_text(statement, 4, name, -1, SQLITE_STATIC);
  sqlite3_bind_text(statement, 5, text, -1, SQLITE_TRANSIENT);
  return aq_rocpd_insert(w, AQ_ROCPD_ARG);
}

bool aq_rocpd_packet(aq_rocpd_writer *w, const aq_record *row, int64_t event)
{
  if (row->queue == AQ_NONE)
    return true;
  if (event == AQ_NONE)
    return put_span(w, row, row->fetch, row->complete,
                    aq_record_kind_name(row->kind));
  return put_arg(w, event, 0, "packet", row->packet) &&
         put_arg(w, event, 1, "header", row->header) &&
         put_span(w, row, row->fetch, row->launch, "barrier wait") &&
         put_moment(w, row, row->submit, "doorbell") &&
         put_moment(w, row, row->complete, "completion");
}
