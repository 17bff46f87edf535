/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "study/loop/policy_jobs.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"

struct aq_policy_job_edge {
  aq_policy_job_state *to;
  aq_policy_job_edge *next;
};

void aq_policy_jobs_init(aq_policy_jobs *jobs)
{
  *jobs = (aq_policy_jobs){
      .by_id = AQ_MAP_INIT, .streams = AQ_MAP_INIT, .arena = AQ_ARENA_INIT};
}

void aq_policy_jobs_fini(aq_policy_jobs *jobs)
{
  for (aq_policy_job_state *held = jobs->first; held; held = held->after)
    free(held->commands);
  for (aq_policy_job_state *held = jobs->free; held; held = held->after)
    free(held->commands);
  aq_map_fini(&jobs->by_id);
  aq_map_fini(&jobs->streams);
  aq_arena_fini(&jobs->arena);
}

static aq_policy_job_state *place_take(aq_policy_jobs *jobs, uint32_t commands)
{
  aq_policy_job_state *held = jobs->free;
  if (held)
    jobs->free = held->after;
  else
    held = aq_arena_alloc(&jobs->arena, sizeof *held);
  if (held &&
      !AQ_ARRAY_RESERVE(held->commands, held->command_capacity, commands)) {
    held->after = jobs->free;
    jobs->free = held;
    return NULL;
  }
  return held;
}

static bool edge_add(aq_policy_jobs *jobs, aq_policy_job_state *from,
                     aq_policy_job_state *to)
{
  aq_policy_job_edge *edge = jobs->free_edges;
  if (edge)
    jobs->free_edges = edge->next;
  else
    edge = aq_arena_alloc(&jobs->arena, sizeof *edge);
  if (!edge)
    return false;
  *edge = (aq_policy_job_edge){to, from->dependents};
  from->dependents = edge;
  to->blockers++;
  return true;
}

/* It is behind `on`: blocked by it, or only by its last part. */
static bool blocker_add(aq_policy_jobs *jobs, aq_policy_job_state *on,
                        aq_policy_job_state *held)
{
  if (!on->released)
    return edge_add(jobs, on, held);
  held->waits[held->wait_count++] = on->last_part;
  return true;
}

static bool blockers_find(aq_policy_jobs *jobs, aq_policy_job_state *held)
{
  uint64_t found;
  for (uint32_t i = 0; i < held->job.dependency_count; i++)
    if (aq_map_get(&jobs->by_id, held->job.dependencies[i], &found) &&
        !blocker_add(jobs, (aq_policy_job_state *)(uintptr_t)found, held))
      return false;
  if (held->job.stream == AQ_NONE)
    return true;
  if (aq_map_get(&jobs->streams, (uint64_t)held->stream_key, &found) &&
      !blocker_add(jobs, (aq_policy_job_state *)(uintptr_t)found, held))
    return false;
  return aq_map_put(&jobs->streams, (uint64_t)held->stream_key,
                    (uint64_t)(uintptr_t)held);
}

aq_status aq_policy_jobs_add(aq_policy_jobs *jobs, const aq_job *job,
                             int64_t key, aq_policy_job_state **out,
                             aq_diag *diag)
{
  aq_policy_job_state *held = place_take(jobs, job->command_count);
  if (!held)
    return aq_diag_no_memory(diag);
  memcpy(held->commands, job->commands,
         job->command_count * sizeof *job->commands);
  held->job = *job;
  held->job.commands = held->commands;
  aq_policy_job *view = &held->view;
  *view = (aq_policy_job){
      .id = held->job.id,
      .device = held->job.device,
      .client = held->job.client,
      .stream = held->job.stream,
      .arrival = held->job.submit,
      .deadline = held->job.deadline,
      .priority = held->job.priority,
      .weight = held->job.weight ? held->job.weight : 1,
      .hint = held->job.hint > 0 ? held->job.hint : AQ_TIME_NONE,
      .hint_error = held->job.hint_error,
      .flags = held->job.job_flags,
      .count = held->job.command_count,
      .commands = held->job.commands,
  };
  held->state = AQ_POLICY_JOB_DEFERRED;
  held->asks = false;
  held->blockers = held->wait_count = 0;
  held->dependents = NULL;
  held->released = false;
  held->last_part = 0;
  held->finished = 0;
  held->stream_key = key;
  held->before = jobs->last;
  held->after = NULL;
  if (jobs->last)
    jobs->last->after = held;
  else
    jobs->first = held;
  jobs->last = held;
  jobs->count++;
  if (!blockers_find(jobs, held) ||
      !aq_map_put(&jobs->by_id, job->id, (uint64_t)(uintptr_t)held))
    return aq_diag_no_memory(diag); /* ends the run */
  *out = held;
  return AQ_OK;
}

static aq_policy_job_edge *edges_reverse(aq_policy_job_edge *edge)
{
  aq_policy_job_edge *reversed = NULL;
  while (edge) {
    aq_policy_job_edge *next = edge->next;
    edge->next = reversed;
    reversed = edge;
    edge = next;
  }
  return reversed;
}

/* Takes its dependents off, in order of arrival, before `rest`. */
static aq_policy_job_edge *dependents_take(aq_policy_job_state *held,
                                           aq_policy_job_edge *rest)
{
  aq_policy_job_edge *last = held->dependents;
  aq_policy_job_edge *edge = edges_reverse(last);
  if (last)
    last->next = rest;
  held->released = true;
  held->dependents = NULL;
  return edge ? edge : rest;
}

/* A rejected job may release the next one, and so on: a list, not recursion. */
void aq_policy_jobs_release(
    aq_policy_jobs *jobs, aq_policy_job_state *held, const uint64_t *part,
    void (*ready)(aq_policy_job_state *held, void *user), void *user)
{
  aq_policy_job_edge *edge = dependents_take(held, NULL);
  while (edge) {
    aq_policy_job_edge *next = edge->next;
    aq_policy_job_state *to = edge->to;
    edge->next = jobs->free_edges;
    jobs->free_edges = edge;
    edge = next;
    if (part)
      to->waits[to->wait_count++] = *part;
    if (--to->blockers > 0)
      continue;
    if (to->state == AQ_POLICY_JOB_BLOCKED)
      ready(to, user);
    else if (to->state == AQ_POLICY_JOB_REJECTED) {
      edge = dependents_take(to, edge);
      aq_policy_jobs_remove(jobs, to);
    }
  }
}

aq_policy_job_state *aq_policy_jobs_dependent_pop(aq_policy_jobs *jobs,
                                                  aq_policy_job_state *held)
{
  aq_policy_job_edge *edge = held->dependents;
  if (!edge)
    return NULL;
  held->dependents = edge->next;
  edge->next = jobs->free_edges;
  jobs->free_edges = edge;
  edge->to->blockers--;
  return edge->to;
}

void aq_policy_jobs_reject(aq_policy_jobs *jobs, aq_policy_job_state *held,
                           void (*ready)(aq_policy_job_state *held, void *user),
                           void *user)
{
  held->state = AQ_POLICY_JOB_REJECTED;
  if (held->blockers > 0)
    return;
  aq_policy_jobs_release(jobs, held, NULL, ready, user);
  aq_policy_jobs_remove(jobs, held);
}

void aq_policy_jobs_remove(aq_policy_jobs *jobs, aq_policy_job_state *held)
{
  uint64_t last;
  assert(!held->dependents);
  held->state = AQ_POLICY_JOB_REJECTED;
  aq_map_remove(&jobs->by_id, held->job.id, NULL);
  if (held->job.stream != AQ_NONE &&
      aq_map_get(&jobs->streams, (uint64_t)held->stream_key, &last) &&
      last == (uint64_t)(uintptr_t)held)
    aq_map_remove(&jobs->streams, (uint64_t)held->stream_key, NULL);
  if (held->before)
    held->before->after = held->after;
  else
    jobs->first = held->after;
  if (held->after)
    held->after->before = held->before;
  else
    jobs->last = held->before;
  held->after = jobs->free;
  jobs->free = held;
  jobs->count--;
  jobs->removed++;
}
