/* SPDX-License-Identifier: MIT */
/* Stride scheduling: each client has a pass that rises by the time it used,
 * divided by its weight; the lowest pass goes next. Turns are charged with the
 * time they really took. C. Waldspurger, W. Weihl, "Stride scheduling:
 * deterministic proportional-share resource management", MIT 1995. */
#include "config.h"

#include "scheduler/policies/per_client.h"

enum { TURN = AQ_SERVER_OWN };

typedef struct strides {
  aq_shares shares;
  int64_t pass; /* of the client that had the last turn */
  uint32_t turn;
} strides;

static bool init(void *state, aq_policy_host *host,
                 const aq_policy_value *values)
{
  (void)host;
  ((strides *)state)->turn = (uint32_t)values[TURN].count;
  return true;
}

static void fini(void *state)
{
  free(((strides *)state)->shares.clients);
}

/* A client that returns after a pause starts at the pass of the others. */
static bool put(void *state, aq_policy_job *job)
{
  strides *s = state;
  aq_share *share = aq_shares_of(&s->shares, job);
  if (!share)
    return false;
  if (!share->list.first && share->tag < s->pass)
    share->tag = s->pass;
  aq_job_list_put(&share->list, job);
  return true;
}

static aq_policy_job *take(void *state)
{
  strides *s = state;
  aq_share *best = NULL;
  for (uint32_t i = 0; i < s->shares.count; i++) {
    aq_share *share = &s->shares.clients[i];
    if (share->list.first && (!best || share->tag < best->tag))
      best = share;
  }
  if (!best)
    return NULL;
  s->pass = best->tag;
  return aq_job_list_take(&best->list);
}

static uint32_t turn(void *state, const aq_policy_job *job)
{
  const uint32_t turn = ((const strides *)state)->turn;
  return turn ? turn : job->count;
}

static void used(void *state, aq_policy_job *job, aq_time time)
{
  strides *s = state;
  aq_share *share = &s->shares.clients[job->client];
  share->tag += aq_share_units(time, job->weight);
}

static const aq_discipline stride = {.state_size = sizeof(strides),
                                     .init = init,
                                     .fini = fini,
                                     .put = put,
                                     .take = take,
                                     .turn = turn,
                                     .used = used};

AQ_SERVER_POLICY(
    stride, stride,
    .summary = "clients by weight and by the time they used so far",
    .source = "Waldspurger and Weihl 1995",
    .settings = (const aq_policy_setting[]){
        AQ_SERVER_SETTINGS,
        {"turn", AQ_SETTING_COUNT, "0", "commands of a turn; 0: whole jobs"},
        {0}});
