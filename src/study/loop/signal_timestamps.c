/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "study/loop/signal_timestamps.h"

#include <stdlib.h>

#include "common/array.h"
#include "study/loop/record_annotator.h"

void aq_signal_timestamps_init(aq_signal_timestamps *measure,
                               aq_transport *transport, bool on)
{
  *measure = (aq_signal_timestamps){.on = on, .transport = transport};
}

void aq_signal_timestamps_fini(aq_signal_timestamps *measure)
{
  for (uint32_t i = 0; i < measure->job_count; i++) {
    free(measure->jobs[i].signals);
    free(measure->jobs[i].entries);
    free(measure->jobs[i].rows);
  }
  free(measure->jobs);
  *measure = (aq_signal_timestamps){0};
}

aq_status aq_signal_timestamps_queue(aq_record_sink *sink,
                                     const aq_device_info *info,
                                     uint32_t device, const aq_ring *ring,
                                     int64_t *device_row, int64_t *queue_row,
                                     aq_diag *diag)
{
  const aq_run_device row = {.source_id = device,
                             .name = info->name,
                             .gfx = info->gfx,
                             .cus = info->cus};
  aq_status status = sink->device(sink, &row, device_row, diag);
  if (status != AQ_OK)
    return status;
  return sink->queue(
      sink, &(aq_run_queue){.device = *device_row, .source_id = ring->id},
      queue_row, diag);
}

/* Arrays for `count` packets, with a signal for each. */
static aq_status measured_grow(const aq_signal_timestamps *measure,
                               aq_measured *m, uint32_t count, aq_diag *diag)
{
  aq_transport *t = measure->transport;
  aq_signal *signals = realloc(m->signals, count * sizeof *signals);
  m->signals = signals ? signals : m->signals;
  aq_walk_entry *entries = realloc(m->entries, count * sizeof *entries);
  m->entries = entries ? entries : m->entries;
  aq_record *rows = realloc(m->rows, count * sizeof *rows);
  m->rows = rows ? rows : m->rows;
  if (!signals || !entries || !rows)
    return aq_diag_no_memory(diag);
  while (m->capacity < count) {
    aq_status status = t->ops->signal_create(
        t, &(aq_signal_desc){.value = 1, .flags = AQ_SIGNAL_PROFILE},
        &m->signals[m->capacity], diag);
    if (status != AQ_OK)
      return status;
    m->capacity++;
  }
  return AQ_OK;
}

static void row_fill(aq_record *row, const aq_command *command,
                     int64_t device_row, int64_t queue_row)
{
  aq_record_init(row);
  row->kind = AQ_KIND_KERNEL;
  row->device = device_row;
  row->queue = queue_row;
  row->grid_x = command->grid[0];
  row->grid_y = command->grid[1];
  row->grid_z = command->grid[2];
  row->wg_x = command->workgroup[0];
  row->wg_y = command->workgroup[1];
  row->wg_z = command->workgroup[2];
  row->lds = command->lds;
  row->scratch = command->scratch;
  aq_record_annotator_shape_forget(row, command->unknown);
}

aq_status aq_signal_timestamps_begin(aq_signal_timestamps *measure,
                                     uint32_t job, const aq_command *commands,
                                     uint32_t count, int64_t device_row,
                                     int64_t queue_row, aq_walk_log **log,
                                     aq_diag *diag)
{
  aq_status status = AQ_OK;
  if (job >= measure->job_count)
    status = AQ_ARRAY_RESERVE_ZEROED(measure->jobs, measure->job_count,
                                     (size_t)job + 1)
                 ? AQ_OK
                 : aq_diag_no_memory(diag);
  if (status == AQ_OK && measure->jobs[job].capacity < count)
    status = measured_grow(measure, &measure->jobs[job], count, diag);
  if (status != AQ_OK)
    return status;
  aq_measured *m = &measure->jobs[job];
  m->count = count;
  m->log = (aq_walk_log){
      .signals = m->signals, .entries = m->entries, .capacity = m->capacity};
  for (uint32_t i = 0; i < count; i++)
    row_fill(&m->rows[i], &commands[i], device_row, queue_row);
  *log = &m->log;
  return AQ_OK;
}

void aq_signal_timestamps_rung(aq_signal_timestamps *measure, uint32_t job,
                               aq_time now)
{
  aq_measured *m = &measure->jobs[job];
  for (uint32_t i = 0; i < m->count; i++)
    m->rows[i].submit = now;
}

void aq_signal_timestamps_end(aq_signal_timestamps *measure, uint32_t job,
                              aq_signal completion, aq_record_sink *sink)
{
  aq_transport *t = measure->transport;
  aq_measured *m = &measure->jobs[job];
  for (uint32_t i = 0; i < m->log.used; i++) {
    const aq_walk_entry *entry = &m->log.entries[i];
    const bool shared = entry->signal == AQ_WALK_COMPLETION;
    const aq_signal signal = shared ? completion : m->signals[entry->signal];
    aq_record *row = &m->rows[i];
    row->packet = (int64_t)entry->packet;
    if (t->ops->dispatch_times(t, signal, &row->start, &row->end) != AQ_OK)
      row->start = row->end = AQ_NONE;
    if (i + 1 == m->log.used)
      row->observe = t->ops->now(t);
    if (!shared)
      t->ops->signal_store(t, signal, 1, AQ_RELEASE);
  }
  sink->put(sink, m->rows, m->log.used, NULL);
}
