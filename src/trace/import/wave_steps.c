/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "trace/import/wave_steps.h"

#include <stdlib.h>

#include "common/array.h"

static int64_t queue_find(aq_trace_source *source, const aq_traced *step)
{
  for (size_t i = 0; i < source->queue_count; i++) {
    const aq_run_queue *queue = source->queue(source, (int64_t)i);
    if (queue && queue->device == step->device &&
        queue->source_id == step->queue)
      return (int64_t)i;
  }
  return AQ_NONE;
}

static bool is_same_wave(const aq_traced *a, const aq_traced *b)
{
  return a->dispatch == b->dispatch && a->queue == b->queue &&
         a->packet == b->packet && a->workgroup == b->workgroup &&
         a->wave == b->wave && a->device == b->device;
}

aq_status aq_step_reader_open(aq_trace_source *source, aq_step_reader *out,
                              aq_diag *diag)
{
  const aq_traced *steps;
  size_t count;
  aq_step_reader made = {0};
  *out = made;
  if (!source->traced)
    return AQ_OK;
  aq_status status = source->traced(source, &steps, &count, diag);
  for (size_t i = 0; i < count && status == AQ_OK;) {
    aq_traced_wave wave = {.steps = &steps[i],
                           .queue = queue_find(source, &steps[i]),
                           .start = AQ_TIME_NONE};
    for (; i < count && is_same_wave(wave.steps, &steps[i]); i++)
      wave.count++;
    if (!AQ_ARRAY_PUSH(made.list, made.count, made.capacity, wave))
      status = aq_diag_no_memory(diag);
  }
  if (status == AQ_OK)
    *out = made;
  else
    aq_step_reader_fini(&made);
  return status;
}

void aq_step_reader_fini(aq_step_reader *waves)
{
  free(waves->list);
  *waves = (aq_step_reader){0};
}

void aq_step_reader_meet(aq_step_reader *waves, const aq_record *row)
{
  if (row->start == AQ_TIME_NONE || row->queue == AQ_NONE)
    return;
  for (size_t i = 0; i < waves->count; i++)
    if (waves->list[i].queue == row->queue &&
        waves->list[i].steps->packet == row->packet)
      waves->list[i].start = row->start;
}

aq_time aq_traced_wave_time(const aq_traced_wave *wave, size_t step)
{
  const aq_traced *last = &wave->steps[wave->count - 1];
  const int64_t cycle =
      step < wave->count ? wave->steps[step].cycle : last->cycle + last->cycles;
  if (wave->start == AQ_TIME_NONE || wave->steps->clock == AQ_NONE)
    return AQ_TIME_NONE;
  return wave->start +
         (aq_time)((double)cycle * (double)AQ_S / (double)wave->steps->clock);
}
