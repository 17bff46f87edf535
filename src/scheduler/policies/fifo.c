/* SPDX-License-Identifier: MIT */
/* First in, first out, whole jobs. */
#include "config.h"

#include "scheduler/policies/server.h"

static bool put(void *state, aq_policy_job *job)
{
  aq_job_list_put(state, job);
  return true;
}

static aq_policy_job *take(void *state)
{
  return aq_job_list_take(state);
}

static const aq_discipline fifo = {
    .state_size = sizeof(aq_job_list), .put = put, .take = take};

AQ_SERVER_POLICY(fifo, fifo, .summary = "first in, first out",
                 .settings = (const aq_policy_setting[]){AQ_SERVER_SETTINGS,
                                                         {0}});
