/* SPDX-License-Identifier: MIT */
/* Shortest job first, by the hinted duration; not preemptive. */
#include "config.h"

#include "scheduler/policies/priority_queue.h"

static bool put(void *state, aq_policy_job *job)
{
  return aq_keyed_put(state, job, job->hint);
}

static const aq_discipline sjf = {AQ_KEYED, .put = put};

AQ_SERVER_POLICY(sjf, sjf, .summary = "the shortest job first",
                 .flags = AQ_POLICY_HINTS, AQ_KEYED_SETTINGS);
