/* SPDX-License-Identifier: MIT */
/* Lottery: each waiting job's client has its weight in tickets; one is drawn
 * for each turn. C. Waldspurger, W. Weihl, "Lottery scheduling: flexible
 * proportional-share resource management", OSDI 1994. */
#include "config.h"

#include "scheduler/policies/per_client.h"

enum { TURN = AQ_SERVER_OWN };

typedef struct drum {
  aq_shares shares;
  aq_policy_host *host;
  uint32_t turn;
} drum;

static bool init(void *state, aq_policy_host *host,
                 const aq_policy_value *values)
{
  drum *d = state;
  d->host = host;
  d->turn = (uint32_t)values[TURN].count;
  return true;
}

static void fini(void *state)
{
  free(((drum *)state)->shares.clients);
}

static bool put(void *state, aq_policy_job *job)
{
  aq_share *share = aq_shares_of(&((drum *)state)->shares, job);
  if (share)
    aq_job_list_put(&share->list, job);
  return share != NULL;
}

static aq_policy_job *take(void *state)
{
  drum *d = state;
  uint64_t tickets = 0;
  for (uint32_t i = 0; i < d->shares.count; i++)
    if (d->shares.clients[i].list.first)
      tickets += d->shares.clients[i].weight;
  if (tickets == 0)
    return NULL;
  uint64_t drawn = d->host->random(d->host) % tickets;
  for (uint32_t i = 0;; i++) {
    aq_share *share = &d->shares.clients[i];
    if (!share->list.first)
      continue;
    if (drawn < share->weight)
      return aq_job_list_take(&share->list);
    drawn -= share->weight;
  }
}

static uint32_t turn(void *state, const aq_policy_job *job)
{
  const uint32_t turn = ((const drum *)state)->turn;
  return turn ? turn : job->count;
}

static const aq_discipline lottery = {.state_size = sizeof(drum),
                                      .init = init,
                                      .fini = fini,
                                      .put = put,
                                      .take = take,
                                      .turn = turn};

AQ_SERVER_POLICY(lottery, lottery,
                 .summary = "a client is drawn by weight for each turn",
                 .source = "Waldspurger and Weihl 1994",
                 .settings = (const aq_policy_setting[]){
                     AQ_SERVER_SETTINGS,
                     {"turn", AQ_SETTING_COUNT, "0",
                      "commands of a turn; 0: whole jobs"},
                     {0}});
