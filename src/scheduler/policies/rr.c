/* SPDX-License-Identifier: MIT */
/* Round robin: every job in turn, so many commands each time. */
#include "config.h"

#include "scheduler/policies/server.h"

enum { TURN = AQ_SERVER_OWN };

typedef struct ring {
  aq_job_list list;
  uint32_t turn;
} ring;

static bool init(void *state, aq_policy_host *host,
                 const aq_policy_value *values)
{
  ring *r = state;
  r->turn = (uint32_t)values[TURN].count;
  if (r->turn == 0)
    host->fail_run(host, "turn=0; expected 1 or more");
  return true;
}

static bool put(void *state, aq_policy_job *job)
{
  aq_job_list_put(&((ring *)state)->list, job);
  return true;
}

static aq_policy_job *take(void *state)
{
  return aq_job_list_take(&((ring *)state)->list);
}

static uint32_t turn(void *state, const aq_policy_job *job)
{
  (void)job;
  return ((const ring *)state)->turn;
}

static const aq_discipline rr = {.state_size = sizeof(ring),
                                 .init = init,
                                 .put = put,
                                 .take = take,
                                 .turn = turn};

AQ_SERVER_POLICY(rr, rr, .summary = "every job in turn, some commands a time",
                 .settings = (const aq_policy_setting[]){
                     AQ_SERVER_SETTINGS,
                     {"turn", AQ_SETTING_COUNT, "1", "commands of a turn"},
                     {0}});
