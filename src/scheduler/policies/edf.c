/* SPDX-License-Identifier: MIT */
/* Earliest deadline first; jobs without a deadline come last. C. Liu,
 * J. Layland, "Scheduling algorithms for multiprogramming in a
 * hard-real-time environment", JACM 20(1), 1973. */
#include "config.h"

#include "scheduler/policies/priority_queue.h"

enum { TURN = AQ_SERVER_OWN, DROP };

typedef struct line {
  aq_job_heap heap; /* first */
  aq_policy_host *host;
  uint32_t turn;
  bool drop;
} line;

static bool init(void *state, aq_policy_host *host,
                 const aq_policy_value *values)
{
  line *l = state;
  l->host = host;
  l->turn = values[TURN].count ? (uint32_t)values[TURN].count : UINT32_MAX;
  l->drop = values[DROP].count;
  return true;
}

static bool put(void *state, aq_policy_job *job)
{
  return aq_keyed_put(
      state, job, job->deadline == AQ_TIME_NONE ? AQ_TIME_MAX : job->deadline);
}

static bool is_late(void *state, const aq_policy_job *job)
{
  const line *l = state;
  return l->drop && job->submitted == 0 && job->key < l->host->now(l->host);
}

static uint32_t turn(void *state, const aq_policy_job *job)
{
  (void)job;
  return ((const line *)state)->turn;
}

static const aq_discipline edf = {.state_size = sizeof(line),
                                  .init = init,
                                  .fini = aq_keyed_fini,
                                  .put = put,
                                  .take = aq_keyed_pop,
                                  .drops = is_late,
                                  .turn = turn};

AQ_SERVER_POLICY(edf, edf, .summary = "the earliest deadline first",
                 .source = "Liu and Layland 1973",
                 .flags = AQ_POLICY_SOME_DEADLINES,
                 .settings = (const aq_policy_setting[]){
                     AQ_SERVER_SETTINGS,
                     {"turn", AQ_SETTING_COUNT, "0",
                      "commands until it is decided anew; 0: whole jobs"},
                     {"drop", AQ_SETTING_COUNT, "0",
                      "1: jobs whose deadline is past are rejected"},
                     {0}});
