/* SPDX-License-Identifier: MIT */
/* Strict priority, not preemptive: the most urgent job first, those alike in
 * order of arrival. A. Cobham, "Priority assignment in waiting line problems",
 * Operations Research 2(1), 1954. */
#include "config.h"

#include "scheduler/policies/priority_queue.h"

static bool put(void *state, aq_policy_job *job)
{
  return aq_keyed_put(state, job, -(int64_t)job->priority);
}

static const aq_discipline priority = {AQ_KEYED, .put = put};

AQ_SERVER_POLICY(priority, priority,
                 .summary = "the most urgent job first, without preemption",
                 .source = "Cobham 1954", AQ_KEYED_SETTINGS);
