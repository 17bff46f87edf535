/* SPDX-License-Identifier: MIT */
/* Multi-level feedback: a job starts on the highest level; turns get twice as
 * long on each level below, and a job that needs another turn goes down one
 * level. From time to time all jobs go up again. F. Corbato and others, "An
 * experimental time-sharing system", 1962; the periodic boost as in
 * Arpaci-Dusseau, "Operating systems: three easy pieces". */
#include "config.h"

#include "scheduler/policies/server.h"

enum { LEVELS = AQ_SERVER_OWN, TURN, BOOST };
enum { LEVELS_MAX = 16 };

typedef struct feedback {
  aq_policy_host *host;
  aq_job_list levels[LEVELS_MAX];
  uint32_t count, turn;
  aq_time boost, boosted;
} feedback;

static bool init(void *state, aq_policy_host *host,
                 const aq_policy_value *values)
{
  feedback *f = state;
  f->host = host;
  f->count = (uint32_t)values[LEVELS].count;
  f->turn = (uint32_t)values[TURN].count;
  f->boost = values[BOOST].time;
  if (f->count < 1 || f->count > LEVELS_MAX || f->turn == 0)
    host->fail_run(host, "expected levels from 1 to %d, and turn above 0",
                   LEVELS_MAX);
  return true;
}

/* job->key is its level: 0 at first, one more after each turn. */
static bool put(void *state, aq_policy_job *job)
{
  feedback *f = state;
  if (job->submitted > 0 && job->key + 1 < f->count)
    job->key++;
  aq_job_list_put(&f->levels[job->key], job);
  return true;
}

static void boost(feedback *f)
{
  for (uint32_t i = 1; i < f->count; i++)
    for (aq_policy_job *job; (job = aq_job_list_take(&f->levels[i]));) {
      job->key = 0;
      aq_job_list_put(&f->levels[0], job);
    }
}

static aq_policy_job *take(void *state)
{
  feedback *f = state;
  const aq_time now = f->host->now(f->host);
  if (f->boost && now - f->boosted >= f->boost) {
    boost(f);
    f->boosted = now;
  }
  for (uint32_t i = 0; i < f->count; i++)
    if (f->levels[i].first)
      return aq_job_list_take(&f->levels[i]);
  return NULL;
}

static uint32_t turn(void *state, const aq_policy_job *job)
{
  return ((const feedback *)state)->turn << job->key;
}

static const aq_discipline mlfq = {.state_size = sizeof(feedback),
                                   .init = init,
                                   .put = put,
                                   .take = take,
                                   .turn = turn};

AQ_SERVER_POLICY(mlfq, mlfq,
                 .summary = "levels with longer turns, down after each turn",
                 .source = "Corbato 1962",
                 .settings = (const aq_policy_setting[]){
                     AQ_SERVER_SETTINGS,
                     {"levels", AQ_SETTING_COUNT, "4", "levels, at most 16"},
                     {"turn", AQ_SETTING_COUNT, "1",
                      "commands of a turn on the highest level"},
                     {"boost", AQ_SETTING_TIME, "10ms",
                      "all go up again so often; 0ns: never"},
                     {0}});
