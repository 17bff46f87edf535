/* SPDX-License-Identifier: MIT */
/* Least laxity first, decided anew after each command. Laxity is the time left
 * before the deadline less the work left; all of them shrink alike while jobs
 * wait, so its order is that of deadline less work left. A. Mok, "Fundamental
 * design problems of distributed systems for the hard-real-time environment",
 * MIT 1983. */
#include "config.h"

#include "scheduler/policies/priority_queue.h"

static bool put(void *state, aq_policy_job *job)
{
  return aq_keyed_put(state, job, job->deadline - aq_job_remaining(job));
}

static const aq_discipline llf = {AQ_KEYED, .put = put,
                                  .turn = aq_keyed_turn_one};

AQ_SERVER_POLICY(llf, llf,
                 .summary = "the least laxity first, command by command",
                 .source = "Mok 1983",
                 .flags = AQ_POLICY_HINTS | AQ_POLICY_DEADLINES,
                 AQ_KEYED_SETTINGS);
