/* SPDX-License-Identifier: MIT */
/* Shortest remaining processing time, decided anew after each command.
 * L. Schrage, L. Miller, "The queue M/G/1 with the shortest remaining
 * processing time discipline", Operations Research 14(4), 1966. */
#include "config.h"

#include "scheduler/policies/priority_queue.h"

static bool put(void *state, aq_policy_job *job)
{
  return aq_keyed_put(state, job, aq_job_remaining(job));
}

static const aq_discipline srpt = {AQ_KEYED, .put = put,
                                   .turn = aq_keyed_turn_one};

AQ_SERVER_POLICY(srpt, srpt,
                 .summary = "the least work left first, command by command",
                 .source = "Schrage and Miller 1966", .flags = AQ_POLICY_HINTS,
                 AQ_KEYED_SETTINGS);
