/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "study/loop/record_annotator.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"

static aq_status sink_fail(aq_record_annotator *sink, aq_status status,
                           const aq_diag *text)
{
  if (sink->status == AQ_OK) {
    sink->status = status;
    sink->diag = *text;
  }
  return status;
}

static aq_status sink_device(aq_record_sink *base, const aq_run_device *device,
                             int64_t *ordinal, aq_diag *diag)
{
  aq_record_annotator *sink = (aq_record_annotator *)base;
  return sink->to->device(sink->to, device, ordinal, diag);
}

static aq_status sink_queue(aq_record_sink *base, const aq_run_queue *queue,
                            int64_t *ordinal, aq_diag *diag)
{
  aq_record_annotator *sink = (aq_record_annotator *)base;
  aq_status status = sink->to->queue(sink->to, queue, ordinal, diag);
  if (status != AQ_OK)
    return status;
  if (!aq_map_put(&sink->by_ordinal, (uint64_t)*ordinal,
                  (uint64_t)queue->source_id))
    return aq_diag_no_memory(diag);
  return AQ_OK;
}

static aq_status sink_name(aq_record_sink *base, const char *text,
                           size_t length, int64_t *id, aq_diag *diag)
{
  aq_record_annotator *sink = (aq_record_annotator *)base;
  return sink->to->name(sink->to, text, length, id, diag);
}

/* The user's id of a name of the workload. */
static aq_status name_translate(aq_record_annotator *sink, int64_t name,
                                int64_t *id, aq_diag *diag)
{
  if (name < 0) {
    *id = AQ_NONE;
    return AQ_OK;
  }
  if (!AQ_ARRAY_RESERVE_ZEROED(sink->names, sink->name_count, (size_t)name + 1))
    return aq_diag_no_memory(diag);
  if (sink->names[name] == 0) {
    const char *text = sink->source->name(sink->source, name);
    int64_t given;
    aq_status status = sink->to->name(sink->to, text ? text : "?",
                                      text ? strlen(text) : 1, &given, diag);
    if (status != AQ_OK)
      return status;
    sink->names[name] = given + 1;
  }
  *id = sink->names[name] - 1;
  return AQ_OK;
}

void aq_record_annotator_shape_forget(aq_record *row, uint32_t unknown)
{
  if (unknown & AQ_UNKNOWN_GRID)
    row->grid_x = row->grid_y = row->grid_z = AQ_NONE;
  if (unknown & AQ_UNKNOWN_WORKGROUP)
    row->wg_x = row->wg_y = row->wg_z = AQ_NONE;
  if (unknown & AQ_UNKNOWN_LDS)
    row->lds = AQ_NONE;
  if (unknown & AQ_UNKNOWN_SCRATCH)
    row->scratch = AQ_NONE;
}

static aq_noted_queue *queue_of_row(aq_record_annotator *sink, int64_t ordinal)
{
  uint64_t ring, index;
  if (sink->last_queue && sink->last_ordinal == ordinal)
    return sink->last_queue;
  if (!aq_map_get(&sink->by_ordinal, (uint64_t)ordinal, &ring) ||
      !aq_map_get(&sink->by_ring, ring, &index))
    return NULL;
  sink->last_ordinal = ordinal;
  return sink->last_queue = &sink->queues[index];
}

/* Adds the host's knowledge to a row; rows of packets that the loop did not
 * submit (a transport's own) pass as they are. */
static aq_status row_annotate(aq_record_annotator *sink, aq_record *row,
                              aq_diag *diag)
{
  const aq_noted_queue *queue = queue_of_row(sink, row->queue);
  if (!queue || row->packet < 0)
    return AQ_OK;
  const aq_packet_note *note =
      &queue->notes[(uint64_t)row->packet & queue->mask];
  if ((uint64_t)row->packet >=
          __atomic_load_n(&queue->noted, __ATOMIC_RELAXED) ||
      note->packet != (uint64_t)row->packet)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "record of packet %lld of queue %lld came after its "
                       "slot was used again",
                       (long long)row->packet, (long long)row->queue);
  if (note->kind != AQ_NONE)
    row->kind = note->kind;
  row->via = note->via;
  row->flags = (row->flags == AQ_NONE ? 0 : row->flags) | note->flags;
  row->origin = note->origin;
  row->correlation = note->correlation;
  row->stream = note->stream;
  row->pid = note->pid;
  row->tid = note->tid;
  row->host_begin = note->host_begin;
  row->host_end = note->host_end;
  row->bytes = note->bytes;
  if (note->unknown)
    aq_record_annotator_shape_forget(row, note->unknown);
  return name_translate(sink, note->name, &row->name, diag);
}

static aq_status batch_hand_on(aq_record_annotator *sink, aq_diag *diag)
{
  size_t count = sink->batched;
  sink->batched = 0;
  return count ? sink->to->put(sink->to, sink->batch, count, diag) : AQ_OK;
}

static aq_status sink_put(aq_record_sink *base, const aq_record *rows,
                          size_t count, aq_diag *diag)
{
  aq_record_annotator *sink = (aq_record_annotator *)base;
  aq_diag text = AQ_DIAG_INIT;
  pthread_mutex_lock(&sink->lock);
  for (size_t i = 0; i < count && sink->status == AQ_OK; i++) {
    aq_record *row = &sink->batch[sink->batched++];
    *row = rows[i];
    aq_status status = row_annotate(sink, row, &text);
    if (status == AQ_OK && sink->batched == AQ_RUN_SINK_BATCH)
      status = batch_hand_on(sink, &text);
    if (status != AQ_OK)
      sink_fail(sink, status, &text);
  }
  pthread_mutex_unlock(&sink->lock);
  return aq_record_annotator_check(sink, diag);
}

static aq_status sink_put_counters(aq_record_sink *base,
                                   const aq_sample *samples, size_t count,
                                   aq_diag *diag)
{
  aq_record_annotator *sink = (aq_record_annotator *)base;
  aq_diag text = AQ_DIAG_INIT;
  pthread_mutex_lock(&sink->lock);
  if (sink->status == AQ_OK && sink->to->put_counters) {
    aq_status status = sink->to->put_counters(sink->to, samples, count, &text);
    if (status != AQ_OK)
      sink_fail(sink, status, &text);
  }
  pthread_mutex_unlock(&sink->lock);
  return aq_record_annotator_check(sink, diag);
}

aq_status aq_record_annotator_check(aq_record_annotator *sink, aq_diag *diag)
{
  pthread_mutex_lock(&sink->lock);
  aq_status status = sink->status;
  if (status != AQ_OK && diag)
    *diag = sink->diag;
  pthread_mutex_unlock(&sink->lock);
  return status;
}

void aq_record_annotator_init(aq_record_annotator *sink, aq_record_sink *to,
                              aq_workload_source *source)
{
  *sink = (aq_record_annotator){
      .sink = {.device = sink_device,
               .queue = sink_queue,
               .name = sink_name,
               .put = sink_put,
               .put_counters = sink_put_counters},
      .to = to,
      .source = source,
      .by_ring = AQ_MAP_INIT,
      .by_ordinal = AQ_MAP_INIT,
  };
  pthread_mutex_init(&sink->lock, NULL);
}

void aq_record_annotator_fini(aq_record_annotator *sink)
{
  for (size_t i = 0; i < sink->queue_count; i++)
    free(sink->queues[i].notes);
  free(sink->queues);
  free(sink->names);
  aq_map_fini(&sink->by_ring);
  aq_map_fini(&sink->by_ordinal);
  pthread_mutex_destroy(&sink->lock);
}

static bool queue_add(aq_record_annotator *sink, const aq_ring *ring)
{
  const size_t places = (size_t)ring->size * 2;
  aq_noted_queue *queues =
      realloc(sink->queues, (sink->queue_count + 1) * sizeof *queues);
  if (queues) {
    sink->queues = queues;
    sink->last_queue = NULL;
    aq_noted_queue *queue = &queues[sink->queue_count];
    *queue = (aq_noted_queue){.mask = places - 1};
    queue->notes = malloc(places * sizeof *queue->notes);
    if (queue->notes &&
        aq_map_put(&sink->by_ring, ring->id, sink->queue_count)) {
      sink->queue_count++;
      return true;
    }
    free(queue->notes);
  }
  return false;
}

/* In live mode the device puts rows of other queues meanwhile. */
aq_status aq_record_annotator_add(aq_record_annotator *sink,
                                  const aq_ring *ring, aq_diag *diag)
{
  pthread_mutex_lock(&sink->lock);
  bool added = queue_add(sink, ring);
  pthread_mutex_unlock(&sink->lock);
  return added ? AQ_OK : aq_diag_no_memory(diag);
}

aq_status aq_record_annotator_flush(aq_record_annotator *sink, aq_diag *diag)
{
  aq_diag text = AQ_DIAG_INIT;
  if (sink->status == AQ_OK) {
    aq_status status = batch_hand_on(sink, &text);
    if (status != AQ_OK)
      sink_fail(sink, status, &text);
  }
  return aq_record_annotator_check(sink, diag);
}
