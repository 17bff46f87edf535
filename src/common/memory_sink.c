/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "common/memory_sink.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"

static aq_memory_sink *from_sink(aq_record_sink *sink)
{
  return (aq_memory_sink *)sink;
}

/* Keeps a copy of a text that was not known before. */
static bool text_fill(aq_memory_sink *m, const char **known, const char *text)
{
  if (!*known && text)
    *known = aq_arena_text(&m->arena, text, strlen(text));
  return *known || !text;
}

static aq_status memory_device(aq_record_sink *sink,
                               const aq_run_device *device, int64_t *ordinal,
                               aq_diag *diag)
{
  aq_memory_sink *m = from_sink(sink);
  size_t i = 0;
  while (i < m->device_count && m->devices[i].source_id != device->source_id)
    i++;
  if (i == m->device_count &&
      !AQ_ARRAY_PUSH(
          m->devices, m->device_count, m->device_capacity,
          (aq_run_device){.source_id = device->source_id, .cus = AQ_NONE}))
    return aq_diag_no_memory(diag);
  aq_run_device *known = &m->devices[i];
  if (!text_fill(m, &known->name, device->name) ||
      !text_fill(m, &known->gfx, device->gfx))
    return aq_diag_no_memory(diag);
  if (known->cus == AQ_NONE)
    known->cus = device->cus;
  *ordinal = (int64_t)i;
  return AQ_OK;
}

static aq_status memory_queue(aq_record_sink *sink, const aq_run_queue *queue,
                              int64_t *ordinal, aq_diag *diag)
{
  aq_memory_sink *m = from_sink(sink);
  for (size_t i = 0; i < m->queue_count; i++)
    if (m->queues[i].device == queue->device &&
        m->queues[i].source_id == queue->source_id) {
      *ordinal = (int64_t)i;
      return AQ_OK;
    }
  if (!AQ_ARRAY_PUSH(m->queues, m->queue_count, m->queue_capacity, *queue))
    return aq_diag_no_memory(diag);
  *ordinal = (int64_t)m->queue_count - 1;
  return AQ_OK;
}

static aq_status memory_name(aq_record_sink *sink, const char *text,
                             size_t length, int64_t *id, aq_diag *diag)
{
  int64_t known = aq_names_id(&from_sink(sink)->names, text, length);
  if (known < 0)
    return aq_diag_no_memory(diag);
  *id = known;
  return AQ_OK;
}

static aq_status memory_put(aq_record_sink *sink, const aq_record *rows,
                            size_t count, aq_diag *diag)
{
  aq_memory_sink *m = from_sink(sink);
  if (!AQ_ARRAY_RESERVE(m->rows, m->capacity, m->count + count))
    return aq_diag_no_memory(diag);
  if (count > 0)
    memcpy(m->rows + m->count, rows, count * sizeof *rows);
  m->count += count;
  return AQ_OK;
}

static aq_status memory_put_edges(aq_record_sink *sink, const aq_edge *edges,
                                  size_t count, aq_diag *diag)
{
  aq_memory_sink *m = from_sink(sink);
  if (!AQ_ARRAY_RESERVE(m->edges, m->edge_capacity, m->edge_count + count))
    return aq_diag_no_memory(diag);
  if (count > 0)
    memcpy(m->edges + m->edge_count, edges, count * sizeof *edges);
  m->edge_count += count;
  return AQ_OK;
}

static aq_status memory_contradict(aq_record_sink *sink, const int64_t *rows,
                                   size_t count, aq_diag *diag)
{
  aq_memory_sink *m = from_sink(sink);
  (void)diag;
  for (size_t i = 0; i < count; i++) {
    m->rows[rows[i]].end = AQ_NONE;
    aq_record_flag(&m->rows[rows[i]], AQ_FLAG_CONTRADICTED);
  }
  return AQ_OK;
}

static aq_status memory_put_counters(aq_record_sink *sink,
                                     const aq_sample *samples, size_t count,
                                     aq_diag *diag)
{
  aq_memory_sink *m = from_sink(sink);
  if (!AQ_ARRAY_RESERVE(m->samples, m->sample_capacity,
                        m->sample_count + count))
    return aq_diag_no_memory(diag);
  if (count > 0)
    memcpy(m->samples + m->sample_count, samples, count * sizeof *samples);
  m->sample_count += count;
  return AQ_OK;
}

void aq_memory_sink_init(aq_memory_sink *m)
{
  *m = (aq_memory_sink){.sink = {.device = memory_device,
                                 .queue = memory_queue,
                                 .name = memory_name,
                                 .put = memory_put,
                                 .put_edges = memory_put_edges,
                                 .contradict = memory_contradict,
                                 .put_counters = memory_put_counters}};
}

void aq_memory_sink_fini(aq_memory_sink *m)
{
  free(m->rows);
  free(m->edges);
  free(m->samples);
  free(m->devices);
  free(m->queues);
  aq_names_fini(&m->names);
  aq_arena_fini(&m->arena);
  *m = (aq_memory_sink){0};
}
