/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <stdlib.h>

#include "dropin/mlir/core.h"

/* ---- queues ---- */

static aq_status queue_make(aq_mlir *m, uint32_t device, uint32_t number,
                            aq_mlir_queue *out, aq_diag *diag)
{
  const aq_queue_options options = {.size_of = sizeof options,
                                    .device = device,
                                    .profile = m->hardware,
                                    .report = aq_mlir_records_report,
                                    .user = &out->records};
  aq_status status =
      aq_mlir_records_init(&out->records, aq_mlir_rows(m),
                           &m->info.devices[device], device, number, diag);
  if (status == AQ_OK)
    status = aq_queue_create(m->context, &options, &out->queue, diag);
  if (status != AQ_OK)
    aq_mlir_records_fini(&out->records, NULL);
  return status;
}

/* Streams share a few queues of their device: a stream that waits may hold back
 * another one, and never blocks it for ever, since it waits only for operations
 * that were submitted before. */
static aq_status queue_choose(aq_mlir *m, uint32_t device, aq_mlir_queue **out,
                              aq_diag *diag)
{
  aq_mlir_device *d = &m->devices[device];
  if (d->queue_count < AQ_MLIR_QUEUES) {
    aq_status status =
        queue_make(m, device, d->queue_count, &d->queues[d->queue_count], diag);
    if (status == AQ_OK)
      d->queue_count++;
    else if (status != AQ_ERR_RESOURCES || d->queue_count == 0)
      return status;
  }
  *out = &d->queues[d->next_queue++ % d->queue_count];
  return AQ_OK;
}

/* ---- streams ---- */

static aq_status stream_make(aq_mlir *m, uint32_t device, aq_mlir_stream **out,
                             aq_diag *diag)
{
  aq_mlir_stream *s = calloc(1, sizeof *s);
  if (!s)
    return aq_diag_no_memory(diag);
  s->device = device;
  s->used = true;
  aq_status status = queue_choose(m, device, &s->q, diag);
  if (status == AQ_OK)
    status = aq_semaphore_create(m->context, 0, 0, &s->done, diag);
  if (status != AQ_OK) {
    free(s);
    return status;
  }
  s->next = m->streams;
  m->streams = s;
  *out = s;
  return AQ_OK;
}

aq_status aq_mlir_stream_create(aq_mlir *m, uint32_t device,
                                aq_mlir_stream **out, aq_diag *diag)
{
  for (aq_mlir_stream *s = m->streams; s; s = s->next)
    if (!s->used && s->device == device) {
      s->used = true;
      *out = s;
      return AQ_OK;
    }
  return stream_make(m, device, out, diag);
}

static aq_status stream_check(const aq_mlir *m, const aq_mlir_stream *stream,
                              aq_diag *diag)
{
  const aq_mlir_stream *s = m->streams;
  while (s && s != stream)
    s = s->next;
  return s && s->used ? AQ_OK
                      : aq_diag_set(diag, AQ_ERR_INVALID,
                                    "stream %p is not one, or was destroyed",
                                    (const void *)stream);
}

aq_status aq_mlir_stream_destroy(aq_mlir *m, aq_mlir_stream *stream,
                                 aq_diag *diag)
{
  aq_status status = stream ? stream_check(m, stream, diag) : AQ_OK;
  if (stream && status == AQ_OK)
    stream->used = false;
  return status;
}

/* ---- waits ---- */

aq_status aq_mlir_mark_wait(aq_mlir *m, aq_mlir_mark mark, aq_diag *diag)
{
  if (!mark.stream || mark.value == 0)
    return AQ_OK;
  const aq_point point = {mark.stream->done, mark.value};
  if (m->live)
    aq_mlir_unlock(m);
  aq_status status =
      aq_semaphore_wait(&point, 1, AQ_WAIT_ALL, AQ_TIME_MAX, NULL, diag);
  if (m->live)
    aq_mlir_lock(m);
  return status;
}

aq_status aq_mlir_all_wait(aq_mlir *m, aq_diag *diag)
{
  aq_status status = AQ_OK;
  for (aq_mlir_stream *s = m->streams; s && status == AQ_OK; s = s->next)
    status = aq_mlir_mark_wait(m, (aq_mlir_mark){s, s->value}, diag);
  return status;
}

aq_status aq_mlir_stream_wait(aq_mlir *m, aq_mlir_stream *stream, aq_diag *diag)
{
  if (!stream)
    return aq_mlir_all_wait(m, diag);
  aq_status status = stream_check(m, stream, diag);
  return status == AQ_OK
             ? aq_mlir_mark_wait(m, (aq_mlir_mark){stream, stream->value}, diag)
             : status;
}

/* ---- operations ---- */

aq_status aq_mlir_stream_enter(aq_mlir *m, aq_mlir_stream *stream,
                               uint32_t device, aq_mlir_stream **out,
                               aq_diag *diag)
{
  aq_status status = AQ_OK;
  aq_mlir_stream **own = &m->devices[device].own;
  *out = stream;
  if (stream)
    return stream_check(m, stream, diag);
  if (!*own)
    status = stream_make(m, device, own, diag);
  if (status == AQ_OK)
    status = aq_mlir_all_wait(m, diag);
  *out = *own;
  return status;
}

aq_point aq_mlir_stream_next(const aq_mlir_stream *stream)
{
  return (aq_point){stream->done, stream->value + 1};
}

aq_status aq_mlir_stream_leave(aq_mlir *m, aq_mlir_stream *stream,
                               const aq_mlir_stream *asked, aq_status status,
                               aq_diag *diag)
{
  if (status != AQ_OK)
    return status;
  stream->value++;
  return asked ? AQ_OK
               : aq_mlir_mark_wait(m, (aq_mlir_mark){stream, stream->value},
                                   diag);
}

/* ---- events ---- */

static aq_mlir_event **event_link(aq_mlir *m, const aq_mlir_event *event)
{
  aq_mlir_event **link = &m->events;
  while (*link && *link != event)
    link = &(*link)->next;
  return link;
}

static aq_status event_check(aq_mlir *m, const aq_mlir_event *event,
                             aq_diag *diag)
{
  return *event_link(m, event) && event
             ? AQ_OK
             : aq_diag_set(diag, AQ_ERR_INVALID,
                           "event %p is not one, or was destroyed",
                           (const void *)event);
}

aq_status aq_mlir_event_create(aq_mlir *m, aq_mlir_event **out, aq_diag *diag)
{
  aq_mlir_event *e = calloc(1, sizeof *e);
  if (!e)
    return aq_diag_no_memory(diag);
  e->next = m->events;
  m->events = e;
  *out = e;
  return AQ_OK;
}

aq_status aq_mlir_event_destroy(aq_mlir *m, aq_mlir_event *event, aq_diag *diag)
{
  aq_status status = event_check(m, event, diag);
  if (status != AQ_OK)
    return status;
  *event_link(m, event) = event->next;
  free(event);
  return AQ_OK;
}

aq_status aq_mlir_event_record(aq_mlir *m, aq_mlir_event *event,
                               aq_mlir_stream *stream, aq_diag *diag)
{
  aq_status status = event_check(m, event, diag);
  if (status == AQ_OK && stream)
    status = stream_check(m, stream, diag);
  else if (status == AQ_OK)
    status = aq_mlir_all_wait(m, diag);
  if (status == AQ_OK)
    event->mark = (aq_mlir_mark){stream, stream ? stream->value : 0};
  return status;
}

aq_status aq_mlir_event_wait(aq_mlir *m, aq_mlir_event *event, aq_diag *diag)
{
  aq_status status = event_check(m, event, diag);
  return status == AQ_OK ? aq_mlir_mark_wait(m, event->mark, diag) : status;
}

/* An operation of the stream, so that waits for the stream include it. */
aq_status aq_mlir_stream_wait_event(aq_mlir *m, aq_mlir_stream *stream,
                                    aq_mlir_event *event, aq_diag *diag)
{
  aq_status status = event_check(m, event, diag);
  if (status != AQ_OK || !stream)
    return status == AQ_OK ? aq_mlir_event_wait(m, event, diag) : status;
  status = stream_check(m, stream, diag);
  if (status != AQ_OK || event->mark.value == 0)
    return status;
  const aq_point before = {event->mark.stream->done, event->mark.value};
  const aq_point after = aq_mlir_stream_next(stream);
  const aq_sync sync = {
      .waits = &before, .wait_count = 1, .signals = &after, .signal_count = 1};
  status = aq_queue_barrier(stream->q->queue, &sync, diag);
  return aq_mlir_stream_leave(m, stream, stream, status, diag);
}

/* ---- the end ---- */

aq_status aq_mlir_streams_fini(aq_mlir *m, aq_diag *diag)
{
  aq_status status = AQ_OK;
  for (uint32_t i = 0; i < m->info.device_count; i++)
    for (uint32_t q = 0; q < m->devices[i].queue_count; q++) {
      aq_mlir_queue *queue = &m->devices[i].queues[q];
      aq_queue_destroy(queue->queue);
      const aq_status ended = aq_mlir_records_fini(&queue->records, diag);
      status = status == AQ_OK ? ended : status;
    }
  while (m->streams) {
    aq_mlir_stream *s = m->streams;
    m->streams = s->next;
    aq_semaphore_release(s->done);
    free(s);
  }
  while (m->events) {
    aq_mlir_event *e = m->events;
    m->events = e->next;
    free(e);
  }
  return status;
}
