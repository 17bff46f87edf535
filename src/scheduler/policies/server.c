/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "scheduler/policies/server.h"

/* One turn at a time. */
typedef struct slot {
  uint32_t queue; /* AQ_POLICY_NONE: not opened yet */
  bool busy;
  aq_time since;
} slot;

typedef struct station {
  void *state; /* the discipline's */
  slot *slots;
  uint32_t busy;
  uint32_t present; /* admitted and not done */
} station;

struct aq_policy {
  aq_policy_host *host;
  const aq_discipline *discipline;
  const aq_policy_value *values;
  uint32_t slots;
  int64_t capacity;
  station *stations; /* by device */
};

enum { SLOTS_MAX = 65536 };

aq_status aq_server_open(const aq_policy_open *args,
                         const aq_discipline *discipline, aq_policy **out,
                         aq_diag *diag)
{
  const int64_t slots = args->values[AQ_SERVER_SLOTS].count;
  if (slots < 1 || slots > SLOTS_MAX)
    return aq_diag_set(diag, AQ_ERR_INVALID, "slots=%lld; expected 1 to %d",
                       (long long)slots, SLOTS_MAX);
  aq_policy *p = calloc(1, sizeof *p);
  if (!p)
    return aq_diag_no_memory(diag);
  p->host = args->host;
  p->discipline = discipline;
  p->values = args->values;
  p->slots = (uint32_t)slots;
  p->capacity = args->values[AQ_SERVER_CAPACITY].count;
  *out = p;
  return AQ_OK;
}

static bool station_init(aq_policy *p, station *at)
{
  const aq_discipline *discipline = p->discipline;
  at->state = calloc(1, discipline->state_size);
  at->slots = calloc(p->slots, sizeof *at->slots);
  if (!at->state || !at->slots)
    return false;
  for (uint32_t i = 0; i < p->slots; i++)
    at->slots[i].queue = AQ_POLICY_NONE;
  return !discipline->init || discipline->init(at->state, p->host, p->values);
}

void aq_server_start(aq_policy *p)
{
  bool ok = true;
  p->stations = calloc(p->host->device_count, sizeof *p->stations);
  for (uint32_t i = 0; ok && p->stations && i < p->host->device_count; i++)
    ok = station_init(p, &p->stations[i]);
  if (!ok || !p->stations)
    p->host->fail_run(p->host, "out of memory");
}

void aq_server_close(aq_policy *p)
{
  for (uint32_t i = 0; p->stations && i < p->host->device_count; i++) {
    station *at = &p->stations[i];
    if (at->state && p->discipline->fini)
      p->discipline->fini(at->state);
    free(at->state);
    free(at->slots);
  }
  free(p->stations);
  free(p);
}

aq_admission aq_server_admit(aq_policy *p, const aq_policy_job *job,
                             aq_time *again)
{
  station *at = &p->stations[job->device];
  (void)again;
  if (p->capacity && at->present >= p->capacity)
    return AQ_ADMIT_REJECT;
  if (p->discipline->admits && !p->discipline->admits(at->state, job))
    return AQ_ADMIT_REJECT;
  at->present++;
  return AQ_ADMIT_ACCEPT;
}

static void turn_give(aq_policy *p, slot *s, aq_policy_job *job, void *state)
{
  aq_policy_host *host = p->host;
  const uint32_t left = job->count - job->submitted;
  uint32_t turn = p->discipline->turn ? p->discipline->turn(state, job) : left;
  if (turn > left)
    turn = left;
  if (s->queue == AQ_POLICY_NONE)
    s->queue = host->queue_open(
        host, &(aq_policy_queue_desc){.size = sizeof(aq_policy_queue_desc),
                                      .device = job->device});
  s->since = host->now(host);
  s->busy = true;
  host->submit(host, job, s->queue, turn);
}

/* The next job that is not dropped. */
static aq_policy_job *turn_take(aq_policy *p, station *at)
{
  const aq_discipline *discipline = p->discipline;
  aq_policy_job *job;
  while ((job = discipline->take(at->state)) && discipline->drops &&
         discipline->drops(at->state, job)) {
    at->present--;
    p->host->reject(p->host, job);
  }
  return job;
}

/* Gives turns while a job waits and a slot is free, the lowest first. */
static void serve(aq_policy *p, station *at)
{
  for (uint32_t i = 0; at->busy < p->slots; i++) {
    if (at->slots[i].busy)
      continue;
    aq_policy_job *job = turn_take(p, at);
    if (!job)
      return;
    at->busy++;
    turn_give(p, &at->slots[i], job, at->state);
  }
}

static void wait_for_turn(aq_policy *p, station *at, aq_policy_job *job)
{
  if (!p->discipline->put(at->state, job))
    p->host->fail_run(p->host, "out of memory");
}

void aq_server_ready(aq_policy *p, aq_policy_job *job)
{
  station *at = &p->stations[job->device];
  wait_for_turn(p, at, job);
  serve(p, at);
}

void aq_server_part_done(aq_policy *p, aq_policy_job *job, uint32_t queue,
                         uint32_t commands)
{
  station *at = &p->stations[job->device];
  slot *s = at->slots;
  (void)commands;
  while (s->queue != queue || !s->busy)
    s++;
  s->busy = false;
  at->busy--;
  if (p->discipline->used)
    p->discipline->used(at->state, job, p->host->now(p->host) - s->since);
  if (job->completed < job->count)
    wait_for_turn(p, at, job);
  else
    at->present--;
  serve(p, at);
}
