/* SPDX-License-Identifier: MIT */
/* LAX: laxity-aware scheduling. A job is admitted when the work admitted before
 * it and its own leave time before its deadline; among those admitted the least
 * laxity goes next, command by command. On the host; with host_latency it is
 * the paper's CPU side, without its GPU side. T. Yeh, M. Sinclair, B. Beckmann,
 * T. Rogers, "Deadline-aware offloading for high-throughput accelerators",
 * HPCA 2021. */
#include "scheduler/policies/keyed.h"
#include "scheduler/policies/policies.h"

typedef struct laxity {
  aq_job_heap heap; /* first */
  aq_policy_host *host;
  aq_time admitted; /* work that is not done yet */
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

static bool put(void *state, aq_policy_job *job)
{
  return aq_keyed_put(state, job, job->deadline - aq_job_remaining(job));
}

static bool admits(void *state, const aq_policy_job *job)
{
  laxity *l = state;
  const aq_time now = l->host->now(l->host);
  if (now + l->admitted / l->slots + job->hint > job->deadline)
    return false;
  l->admitted += job->hint;
  return true;
}

/* A command is over: so much less is to be done. */
static void used(void *state, aq_policy_job *job, aq_time time)
{
  laxity *l = state;
  const aq_time before =
      (aq_time)((__int128)job->hint * (job->count - job->completed + 1) /
                job->count);
  (void)time;
  l->admitted -= before - aq_job_remaining(job);
}

static const aq_discipline lax = {.state_size = sizeof(laxity),
                                  .init = init,
                                  .fini = aq_keyed_fini,
                                  .admits = admits,
                                  .put = put,
                                  .take = aq_keyed_take,
                                  .turn = aq_keyed_turn_one,
                                  .used = used};

AQ_SERVER_POLICY(lax, lax,
                 .summary = "admits what can meet its deadline, least laxity "
                            "first",
                 .source = "Yeh 2021",
                 .flags = AQ_POLICY_HINTS | AQ_POLICY_DEADLINES,
                 AQ_KEYED_SETTINGS);
