/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "backend_sim/observe/sampler.h"

#include <stdlib.h>
#include <string.h>

#include "backend_sim/dispatch/dispatcher.h"
#include "backend_sim/queue_state.h"
#include "backend_sim/transfer/links.h"
#include "common/array.h"

enum { HZ_OF_MHZ = 1000000 };

/* The last put values, and the base of rates. */
typedef struct sampled {
  int64_t values[AQ_COUNTER_COUNT];
  uint64_t count; /* workgroups of a device, packets of a queue; launched */
  bool seen;      /* at this instant */
} sampled;

struct aqsim_sampler {
  aq_time interval;
  sampled *devices; /* by ordinal in the sink */
  sampled *queues;  /* the same */
  uint32_t device_count, queue_count;
  uint64_t *launched; /* packets since the last instant, by device */
  uint32_t *memory;   /* direction of links that is its memory, by device */
  aq_time last;       /* the instant before */
};

aq_status aqsim_sampler_create(aqsim *sim, aq_time interval, aq_diag *diag)
{
  aqsim_sampler *sampler = calloc(1, sizeof *sampler);
  sim->sampler = sampler;
  if (sampler) {
    sampler->devices = calloc(sim->device_count, sizeof *sampler->devices);
    sampler->launched = calloc(sim->device_count, sizeof *sampler->launched);
    sampler->memory = calloc(sim->device_count, sizeof *sampler->memory);
  }
  if (!sampler || !sampler->devices || !sampler->launched || !sampler->memory)
    return aq_diag_no_memory(diag);
  sampler->interval = interval;
  sampler->device_count = sim->device_count;
  sampler->last = sim->now;
  sim->sample_at = sim->now + interval;
  for (uint32_t i = 0; i < sim->device_count; i++) {
    aqsim_route route = {.count = 0};
    aqsim_links_memory(&sim->links, i, &route);
    sampler->memory[i] = route.directions[0];
  }
  return AQ_OK;
}

void aqsim_sampler_destroy(aqsim *sim)
{
  aqsim_sampler *sampler = sim->sampler;
  if (!sampler)
    return;
  free(sampler->devices);
  free(sampler->queues);
  free(sampler->launched);
  free(sampler->memory);
  free(sampler);
  sim->sampler = NULL;
}

/* ---- one instant ---- */

static void put(aqsim *sim, sampled *of, int counter, int64_t ordinal,
                aq_time time, int64_t value)
{
  if (of->values[counter] == value)
    return;
  of->values[counter] = value;
  aqsim_recorder_sample(&sim->recorder,
                        (aq_sample){counter, ordinal, time, value});
}

static int64_t rate(uint64_t count, aq_time interval)
{
  return (int64_t)((unsigned __int128)count * AQ_S / (uint64_t)interval);
}

static sampled *queue_sampled(aqsim_sampler *sampler, int64_t ordinal)
{
  return AQ_ARRAY_RESERVE_ZEROED(sampler->queues, sampler->queue_count,
                                 (size_t)ordinal + 1)
             ? &sampler->queues[ordinal]
             : NULL;
}

static void sample_queue(aqsim *sim, const aqsim_queue *queue, aq_time time)
{
  sampled *of =
      queue->record < 0 ? NULL : queue_sampled(sim->sampler, queue->record);
  if (!of)
    return;
  const int64_t in_ring =
      (int64_t)(queue->fetch_state.noticed - queue->fetch_state.fetched);
  const int64_t n = queue->record;
  of->seen = true;
  if (!queue->host)
    sim->sampler->launched[queue->device->ordinal] +=
        queue->line.launched - of->count;
  of->count = queue->line.launched;
  put(sim, of, AQ_COUNTER_in_ring, n, time, in_ring);
  put(sim, of, AQ_COUNTER_decoded, n, time, queue->line.waiting);
  put(sim, of, AQ_COUNTER_active, n, time, queue->line.active);
  put(sim, of, AQ_COUNTER_depth, n, time,
      in_ring + queue->line.waiting + queue->line.active);
}

/* Queues that are no more have nothing in them. */
static void sample_queues(aqsim *sim, aq_time time)
{
  aqsim_sampler *sampler = sim->sampler;
  for (const aqsim_queue *q = sim->first_queue; q; q = q->next)
    sample_queue(sim, q, time);
  for (uint32_t i = 0; i < sampler->queue_count; i++) {
    sampled *of = &sampler->queues[i];
    for (int c = 0; !of->seen && c < AQ_COUNTER_COUNT; c++)
      put(sim, of, c, i, time, 0);
    of->seen = false;
  }
}

static int64_t moved(const aqsim *sim, uint32_t direction)
{
  int64_t sum = 0;
  for (const aqsim_transfer *t = sim->traffic.first; t; t = t->next)
    for (uint32_t i = 0; i < t->route.count; i++)
      if (t->route.directions[i] == direction) {
        sum += t->rate;
        break;
      }
  return sum;
}

static void sample_pipes(aqsim *sim, const aqsim_device *device, aq_time time)
{
  const aqsim_slots *slots = &device->slots;
  sampled *of = &sim->sampler->devices[device->ordinal];
  int64_t busy[AQSIM_UNITS] = {0}, mapped = 0, waiting = 0;
  for (uint32_t i = 0; i < slots->pipe_count; i++) {
    mapped += slots->pipes[i].mapped;
    for (int u = 0; u < AQSIM_UNITS; u++)
      busy[u] += slots->pipes[i].units[u].free > time;
  }
  for (int rank = 0; rank < AQSIM_RANKS; rank++)
    for (const aqsim_queue *q = slots->first[rank]; q; q = q->map.next)
      waiting++;
  const int64_t n = device->record;
  put(sim, of, AQ_COUNTER_mapped_queues, n, time, mapped);
  put(sim, of, AQ_COUNTER_waiting_queues, n, time, waiting);
  put(sim, of, AQ_COUNTER_fetch_busy, n, time, busy[AQSIM_UNIT_FETCH]);
  put(sim, of, AQ_COUNTER_launch_busy, n, time, busy[AQSIM_UNIT_LAUNCH]);
}

static void sample_device(aqsim *sim, const aqsim_device *device, aq_time time)
{
  aqsim_sampler *sampler = sim->sampler;
  sampled *of = &sampler->devices[device->ordinal];
  const aqsim_model *model = device->model;
  const aq_time interval = time - sampler->last;
  const int64_t n = device->record;
  aqsim_dispatcher_sample look;
  aqsim_dispatcher_scan(device->dispatcher, time, &look);
  const uint64_t started = look.dispatched - of->count;
  of->count = look.dispatched;
  put(sim, of, AQ_COUNTER_waves, n, time, (int64_t)look.waves);
  put(sim, of, AQ_COUNTER_occupancy, n, time,
      (int64_t)look.waves * 1000 /
          (model->cus * model->simds_per_cu * model->waves_per_simd));
  put(sim, of, AQ_COUNTER_busy_cus, n, time, look.busy);
  put(sim, of, AQ_COUNTER_workgroup_rate, n, time, rate(started, interval));
  put(sim, of, AQ_COUNTER_dispatch_rate, n, time,
      rate(sampler->launched[device->ordinal], interval));
  sampler->launched[device->ordinal] = 0;
  sample_pipes(sim, device, time);
  put(sim, of, AQ_COUNTER_core_clock, n, time, model->clock / HZ_OF_MHZ);
  put(sim, of, AQ_COUNTER_bandwidth, n, time,
      moved(sim, sampler->memory[device->ordinal]));
}

static void sample_all(aqsim *sim, aq_time time)
{
  sample_queues(sim, time);
  for (uint32_t i = 0; i < sim->device_count; i++)
    sample_device(sim, &sim->devices[i], time);
  sim->sampler->last = time;
}

/* ---- instants ---- */

static bool pipes_are_still(const aqsim_slots *slots, aq_time time)
{
  for (uint32_t i = 0; i < slots->pipe_count; i++)
    for (int u = 0; u < AQSIM_UNITS; u++)
      if (slots->pipes[i].units[u].free > time)
        return false;
  return true;
}

/* Nothing changes before the next event. */
static bool is_still(const aqsim *sim)
{
  for (uint32_t i = 0; i < sim->device_count; i++)
    if (!pipes_are_still(&sim->devices[i].slots, sim->sampler->last))
      return false;
  for (const aqsim_queue *q = sim->first_queue; q; q = q->next)
    if (q->line.active > 0)
      return false;
  return true;
}

void aqsim_sampler_sample(aqsim *sim, aq_time until)
{
  const aq_time interval = sim->sampler->interval;
  while (sim->sample_at < until) {
    sample_all(sim, sim->sample_at);
    sim->sample_at += interval;
    if (sim->sample_at >= until || !is_still(sim))
      continue;
    /* Rates are 0 from the second instant on: skipped instants are the same. */
    sample_all(sim, sim->sample_at);
    sim->sample_at += interval;
    if (sim->sample_at < until) {
      sim->sample_at += (until - 1 - sim->sample_at) / interval * interval;
      sim->sampler->last = sim->sample_at - interval;
    }
  }
}

void aqsim_sampler_finish(aqsim *sim)
{
  if (!sim->sampler)
    return;
  aqsim_sampler_sample(sim, sim->now + 1);
  sample_all(sim, sim->sample_at);
  sim->sample_at = AQ_TIME_MAX;
}
