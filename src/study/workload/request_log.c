/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "study/workload/request_log.h"

#include <stdlib.h>

#include "common/array.h"
#include "common/map.h"

enum { BATCH = 1024 };

/* A request of which something may still come. */
typedef struct open_request {
  aq_request row;
  uint64_t number;
  uint32_t flying; /* jobs that are not over */
  bool more;       /* calls follow */
  uint32_t next;   /* of the free ones */
} open_request;

struct aq_request_log {
  aq_workload_source source; /* first */
  aq_workload_source *inner;
  aq_record_sink *sink;
  aq_map jobs;   /* job → place in `open` */
  aq_map places; /* request → place in `open` */
  open_request *open;
  uint32_t count, capacity, free; /* free: one more than its place, or 0 */
  aq_request batch[BATCH];
  size_t batched;
  aq_diag failure;
};

static aq_request_log *of(aq_workload_source *source)
{
  return (aq_request_log *)source;
}

static void batch_put(aq_request_log *log)
{
  if (log->failure.status == AQ_OK)
    log->sink->put_requests(log->sink, log->batch, log->batched, &log->failure);
  log->batched = 0;
}

/* ---- places ---- */

static bool place_take(aq_request_log *log, uint32_t *out)
{
  if (log->free) {
    *out = log->free - 1;
    log->free = log->open[*out].next;
    return true;
  }
  if (!AQ_ARRAY_RESERVE(log->open, log->capacity, log->count + 1))
    return false;
  *out = log->count++;
  return true;
}

static bool place_find(aq_request_log *log, const aq_job *job, uint32_t *out)
{
  uint64_t at;
  if (aq_map_get(&log->places, job->request, &at)) {
    *out = (uint32_t)at;
    return true;
  }
  if (!place_take(log, out) || !aq_map_put(&log->places, job->request, *out))
    return false;
  log->open[*out] = (open_request){.number = job->request,
                                   .row = {.client = job->client,
                                           .entry = job->entry,
                                           .arrival = job->arrival,
                                           .begin = job->submit,
                                           .complete = AQ_NONE,
                                           .deadline = job->deadline,
                                           .hint = AQ_NONE,
                                           .rejected = 0,
                                           .prompt = AQ_NONE,
                                           .tokens = AQ_NONE,
                                           .first = AQ_NONE,
                                           .gap = AQ_NONE,
                                           .cached = AQ_NONE,
                                           .recomputed = AQ_NONE}};
  if (job->deadline == AQ_TIME_NONE)
    log->open[*out].row.deadline = AQ_NONE;
  return true;
}

static void place_close(aq_request_log *log, uint32_t at)
{
  log->batch[log->batched++] = log->open[at].row;
  log->open[at].next = log->free;
  log->free = at + 1;
  aq_map_remove(&log->places, log->open[at].number, NULL);
  if (log->batched == BATCH)
    batch_put(log);
}

/* ---- the source ---- */

static aq_time log_peek(aq_workload_source *source)
{
  aq_workload_source *inner = of(source)->inner;
  return inner->peek(inner);
}

static aq_status log_next(aq_workload_source *source, aq_job *out, bool *got,
                          aq_diag *diag)
{
  aq_request_log *log = of(source);
  aq_status status = log->inner->next(log->inner, out, got, diag);
  uint32_t at;
  if (status != AQ_OK || !*got || out->request == 0)
    return status;
  if (!place_find(log, out, &at) || !aq_map_put(&log->jobs, out->id, at))
    return aq_diag_no_memory(diag);
  open_request *request = &log->open[at];
  request->flying++;
  request->more = out->more;
  request->row.calls++;
  request->row.commands += out->command_count;
  if (out->hint != AQ_TIME_NONE)
    request->row.hint =
        (request->row.hint == AQ_NONE ? 0 : request->row.hint) + out->hint;
  return log->failure.status == AQ_OK
             ? AQ_OK
             : aq_diag_set(diag, log->failure.status, "%s", log->failure.text);
}

static void job_done(aq_request_log *log, uint64_t job, aq_time time,
                     bool rejected)
{
  uint64_t at;
  if (!aq_map_remove(&log->jobs, job, &at))
    return;
  open_request *open = &log->open[at];
  open->flying--;
  if (rejected) {
    open->row.rejected = 1;
    open->more = false;
    open->row.complete = AQ_NONE;
  } else if (!open->row.rejected) {
    open->row.complete = time;
  }
  if (open->flying == 0 && !open->more)
    place_close(log, (uint32_t)at);
}

/* Requests that the source follows itself. */
static void ended_take(aq_request_log *log)
{
  size_t count = 0;
  const aq_request *rows =
      log->inner->ended ? log->inner->ended(log->inner, &count) : NULL;
  for (size_t i = 0; i < count; i++) {
    log->batch[log->batched++] = rows[i];
    if (log->batched == BATCH)
      batch_put(log);
  }
}

static void log_done(aq_workload_source *source, uint64_t job, aq_time time)
{
  aq_request_log *log = of(source);
  job_done(log, job, time, false);
  if (log->inner->done)
    log->inner->done(log->inner, job, time);
  ended_take(log);
}

static void log_rejected(aq_workload_source *source, uint64_t job, aq_time time)
{
  aq_request_log *log = of(source);
  aq_workload_source *inner = log->inner;
  job_done(log, job, time, true);
  if (inner->rejected)
    inner->rejected(inner, job, time);
  else if (inner->done)
    inner->done(inner, job, time);
  ended_take(log);
}

static aq_status log_devices(aq_workload_source *source,
                             const aq_transport_info *info, aq_diag *diag)
{
  aq_workload_source *inner = of(source)->inner;
  return inner->devices ? inner->devices(inner, info, diag) : AQ_OK;
}

static const char *log_name(aq_workload_source *source, int64_t id)
{
  aq_workload_source *inner = of(source)->inner;
  return inner->name(inner, id);
}

static void log_close(aq_workload_source *source)
{
  (void)source;
}

aq_status aq_request_log_create(aq_workload_source *inner, aq_record_sink *sink,
                                aq_request_log **out, aq_diag *diag)
{
  aq_request_log *log = calloc(1, sizeof *log);
  if (!log)
    return aq_diag_no_memory(diag);
  log->source = (aq_workload_source){.peek = log_peek,
                                     .next = log_next,
                                     .done = log_done,
                                     .rejected = log_rejected,
                                     .devices = log_devices,
                                     .name = log_name,
                                     .close = log_close,
                                     .no_deadlines = inner->no_deadlines};
  log->inner = inner;
  log->sink = sink;
  *out = log;
  return AQ_OK;
}

void aq_request_log_destroy(aq_request_log *log)
{
  if (!log)
    return;
  aq_map_fini(&log->jobs);
  aq_map_fini(&log->places);
  free(log->open);
  free(log);
}

aq_workload_source *aq_request_log_source(aq_request_log *log)
{
  return &log->source;
}

aq_status aq_request_log_flush(aq_request_log *log, aq_diag *diag)
{
  if (log->batched)
    batch_put(log);
  return log->failure.status == AQ_OK
             ? AQ_OK
             : aq_diag_set(diag, log->failure.status, "%s", log->failure.text);
}
