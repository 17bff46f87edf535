/* SPDX-License-Identifier: MIT */
/* LAX: laxity-aware scheduling. The remaining time of a job is estimated from
 * the rate at which workgroups of its kernels completed so far (a kernel never
 * seen takes no time). A job is admitted if the jobs admitted before it leave
 * time for it before its deadline. The admitted job with the least laxity (its
 * deadline minus now minus its remaining time) goes next, command by command;
 * jobs that will miss their deadline come after all others, the least work
 * first. On the host; with host_latency it is the paper's CPU side, without its
 * GPU side. T. Yeh, M. Sinclair, B. Beckmann, T. Rogers, "Deadline-aware
 * offloading for high-throughput accelerators", HPCA 2021. */
#include "config.h"

#include <string.h>

#include "common/array.h"
#include "scheduler/policies/job_list.h"
#include "scheduler/policies/policies.h"
#include "scheduler/policies/priority_queue.h"

enum { NAMES_MAX = 1 << 20 };

/* Workgroups of one kernel: the completed ones with the time they took, and the
 * ones of admitted jobs. */
typedef struct rate {
  uint64_t done;
  aq_time time;
  int64_t to_do;
} rate;

typedef struct laxity {
  aq_job_heap heap; /* first: by laxity */
  aq_job_heap late; /* by work left */
  aq_policy_host *host;
  rate *rates; /* by name of the kernel */
  uint32_t names;
  int64_t slots;
} laxity;

static bool init(void *state, aq_policy_host *host,
                 const aq_policy_value *values)
{
  laxity *l = state;
  l->host = host;
  l->slots = values[AQ_SERVER_SLOTS].count;
  return true;
}

static void fini(void *state)
{
  laxity *l = state;
  aq_job_heap_fini(&l->heap);
  aq_job_heap_fini(&l->late);
  free(l->rates);
}

/* ---- how long ---- */

static rate *rate_of(laxity *l, int64_t name)
{
  if (name < 0 || name >= NAMES_MAX)
    return NULL;
  return AQ_ARRAY_RESERVE_ZEROED(l->rates, l->names, (size_t)name + 1)
             ? &l->rates[name]
             : NULL;
}

static aq_time time_of(const rate *seen, uint64_t workgroups)
{
  return seen && seen->done
             ? (aq_time)((__int128)seen->time * workgroups / seen->done)
             : 0;
}

static aq_time remaining(laxity *l, const aq_policy_job *job)
{
  aq_time sum = 0;
  for (uint32_t i = job->completed; i < job->count; i++)
    sum += time_of(rate_of(l, job->commands[i].name),
                   aq_command_workgroups(&job->commands[i]));
  return sum;
}

/* ---- hooks of the server ---- */

/* By Little's law a job waits for the work before it, divided by the rate of
 * that work. */
static bool admits(void *state, const aq_policy_job *job)
{
  laxity *l = state;
  aq_time before = 0;
  for (uint32_t i = 0; i < l->names; i++)
    before +=
        time_of(&l->rates[i],
                (uint64_t)(l->rates[i].to_do > 0 ? l->rates[i].to_do : 0));
  if (l->host->now(l->host) + before / l->slots + remaining(l, job) >
      job->deadline)
    return false;
  for (uint32_t i = 0; i < job->count; i++) {
    rate *seen = rate_of(l, job->commands[i].name);
    if (seen)
      seen->to_do += (int64_t)aq_command_workgroups(&job->commands[i]);
  }
  return true;
}

static bool put(void *state, aq_policy_job *job)
{
  laxity *l = state;
  return aq_keyed_put(&l->heap, job, job->deadline - remaining(l, job));
}

/* While jobs wait, the laxity of all of them falls alike. */
static aq_policy_job *take(void *state)
{
  laxity *l = state;
  const aq_time now = l->host->now(l->host);
  aq_policy_job *job;
  while ((job = aq_job_heap_take(&l->heap)) && job->key < now)
    if (!aq_keyed_put(&l->late, job, remaining(l, job)))
      return job;
  return job ? job : aq_job_heap_take(&l->late);
}

/* A command has ended. */
static void used(void *state, aq_policy_job *job, aq_time time)
{
  laxity *l = state;
  const aq_command *command = &job->commands[job->completed - 1];
  rate *seen = rate_of(l, command->name);
  if (!seen)
    return;
  seen->done += aq_command_workgroups(command);
  seen->to_do -= (int64_t)aq_command_workgroups(command);
  seen->time += time;
}

static const aq_discipline lax = {.state_size = sizeof(laxity),
                                  .init = init,
                                  .fini = fini,
                                  .admits = admits,
                                  .put = put,
                                  .take = take,
                                  .turn = aq_keyed_turn_one,
                                  .used = used};

AQ_SERVER_POLICY(
    lax, lax,
    .summary = "admits jobs that can meet their deadline, least laxity first",
    .source = "Yeh 2021", .flags = AQ_POLICY_DEADLINES, AQ_KEYED_SETTINGS);
