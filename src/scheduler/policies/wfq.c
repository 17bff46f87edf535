/* SPDX-License-Identifier: MIT */
/* Weighted fair queueing, self-clocked: a job's finish tag is the later of its
 * client's last one and the tag in service, plus its size over its weight; the
 * smallest tag goes next. A. Demers, S. Keshav, S. Shenker, SIGCOMM 1989;
 * S. Golestani, "A self-clocked fair queueing scheme", INFOCOM 1994. */
#include "config.h"

#include "scheduler/policies/per_client.h"

typedef struct fair {
  aq_shares shares;
  aq_job_heap heap;
  int64_t clock; /* the tag in service */
} fair;

static void fini(void *state)
{
  fair *f = state;
  free(f->shares.clients);
  aq_job_heap_fini(&f->heap);
}

static bool put(void *state, aq_policy_job *job)
{
  fair *f = state;
  aq_share *share = aq_shares_of(&f->shares, job);
  if (!share)
    return false;
  const int64_t from = share->tag > f->clock ? share->tag : f->clock;
  job->key = share->tag = from + aq_share_units(job->hint, job->weight);
  return aq_job_heap_put(&f->heap, job);
}

static aq_policy_job *take(void *state)
{
  fair *f = state;
  aq_policy_job *job = aq_job_heap_take(&f->heap);
  if (job)
    f->clock = job->key;
  return job;
}

static const aq_discipline wfq = {
    .state_size = sizeof(fair), .fini = fini, .put = put, .take = take};

AQ_SERVER_POLICY(wfq, wfq, .summary = "clients by weight, self-clocked",
                 .source = "Demers 1989, Golestani 1994",
                 .flags = AQ_POLICY_HINTS,
                 .settings = (const aq_policy_setting[]){AQ_SERVER_SETTINGS,
                                                         {0}});
