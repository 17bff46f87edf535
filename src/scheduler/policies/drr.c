/* SPDX-License-Identifier: MIT */
/* Deficit round robin: clients in turn; each may spend a quantum times its
 * weight, and keeps the rest. M. Shreedhar, G. Varghese,
 * "Efficient fair queueing using deficit round robin", SIGCOMM 1995. */
#include "config.h"

#include "scheduler/policies/per_client.h"

enum { QUANTUM = AQ_SERVER_OWN };

/* The tag of a share is its deficit. */
typedef struct rounds {
  aq_shares shares;
  uint32_t waiting; /* jobs */
  uint32_t at;      /* client whose turn it is */
  bool credited;    /* it has been given its quantum of this turn */
  aq_time quantum;
} rounds;

static bool init(void *state, aq_policy_host *host,
                 const aq_policy_value *values)
{
  rounds *r = state;
  r->quantum = values[QUANTUM].time;
  if (r->quantum == 0)
    host->fail_run(host, "quantum=0; expected a time above 0");
  return true;
}

static void fini(void *state)
{
  free(((rounds *)state)->shares.clients);
}

static bool put(void *state, aq_policy_job *job)
{
  rounds *r = state;
  aq_share *share = aq_shares_of(&r->shares, job);
  if (!share)
    return false;
  aq_job_list_put(&share->list, job);
  r->waiting++;
  return true;
}

static void turn_pass(rounds *r)
{
  aq_share *share = &r->shares.clients[r->at];
  if (!share->list.first)
    share->tag = 0;
  r->at = (r->at + 1) % r->shares.count;
  r->credited = false;
}

static aq_policy_job *take(void *state)
{
  rounds *r = state;
  if (r->waiting == 0)
    return NULL;
  for (;;) {
    aq_share *share = &r->shares.clients[r->at];
    if (share->list.first && !r->credited) {
      share->tag += r->quantum * share->weight;
      r->credited = true;
    }
    if (share->list.first && share->list.first->hint <= share->tag) {
      share->tag -= share->list.first->hint;
      r->waiting--;
      return aq_job_list_take(&share->list);
    }
    turn_pass(r);
  }
}

static const aq_discipline drr = {.state_size = sizeof(rounds),
                                  .init = init,
                                  .fini = fini,
                                  .put = put,
                                  .take = take};

AQ_SERVER_POLICY(drr, drr,
                 .summary = "clients in turn, each a quantum times its weight",
                 .source = "Shreedhar and Varghese 1995",
                 .flags = AQ_POLICY_HINTS,
                 .settings = (const aq_policy_setting[]){
                     AQ_SERVER_SETTINGS,
                     {"quantum", AQ_SETTING_TIME, "100us",
                      "device time of a turn of weight 1"},
                     {0}});
