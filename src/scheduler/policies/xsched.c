/* SPDX-License-Identifier: MIT */
/* XSched, level 1 (progressive launching): every stream keeps its queue, with
 * at most so many commands in flight; those of clients less urgent than the
 * most urgent that has jobs launch nothing. What is in flight cannot be taken
 * back, so a preemption waits for up to `threshold` commands. W. Shen and
 * others, "XSched: preemptive scheduling for diverse XPUs", OSDI 2025. */
#include "common/policy_queues.h"
#include "scheduler/policies/policies.h"

enum { THRESHOLD };

/* Jobs that have commands left to launch, of one urgency. */
typedef struct level {
  int32_t priority;
  uint32_t present; /* ready and not done */
  aq_job_list list;
} level;

struct aq_policy {
  aq_policy_host *host;
  uint32_t threshold;
  level *levels; /* the most urgent first */
  uint32_t level_count;
};

static aq_status open(const aq_policy_open *args, aq_policy **out,
                      aq_diag *diag)
{
  aq_policy *p = calloc(1, sizeof *p);
  if (!p)
    return aq_diag_set(diag, AQ_ERR_NO_MEMORY, "no memory for a policy");
  p->host = args->host;
  p->threshold = (uint32_t)args->values[THRESHOLD].count;
  *out = p;
  return AQ_OK;
}

static void start(aq_policy *p)
{
  if (p->threshold == 0)
    p->host->fail_run(p->host, "threshold=0; expected 1 or more");
}

static void close(aq_policy *p)
{
  free(p->levels);
  free(p);
}

static level *level_of(aq_policy *p, int32_t priority)
{
  uint32_t at = 0;
  while (at < p->level_count && p->levels[at].priority > priority)
    at++;
  if (at < p->level_count && p->levels[at].priority == priority)
    return &p->levels[at];
  level *grown = realloc(p->levels, (p->level_count + 1) * sizeof *grown);
  if (!grown) {
    p->host->fail_run(p->host, "out of memory");
    return NULL;
  }
  p->levels = grown;
  for (uint32_t i = p->level_count++; i > at; i--)
    grown[i] = grown[i - 1];
  grown[at] = (level){.priority = priority};
  return &grown[at];
}

/* Launches what fits below the threshold; true when commands are left. */
static bool launch(aq_policy *p, aq_policy_job *job)
{
  aq_policy_queue_view view;
  const uint32_t queue = p->host->queue_default(p->host, job);
  p->host->queue_view(p->host, queue, &view);
  const uint32_t left = job->count - job->submitted;
  const uint32_t room =
      view.commands < p->threshold ? p->threshold - view.commands : 0;
  if (room)
    p->host->submit(p->host, job, queue, room < left ? room : left);
  return room < left;
}

/* The most urgent that are present launch, in order of arrival. */
static void serve(aq_policy *p)
{
  for (uint32_t i = 0; i < p->level_count; i++) {
    level *l = &p->levels[i];
    if (l->present == 0)
      continue;
    for (uint32_t n = l->list.count; n > 0; n--) {
      aq_policy_job *job = aq_job_list_take(&l->list);
      if (launch(p, job))
        aq_job_list_put(&l->list, job);
    }
    return;
  }
}

static void ready(aq_policy *p, aq_policy_job *job)
{
  level *l = level_of(p, job->priority);
  if (!l)
    return;
  l->present++;
  aq_job_list_put(&l->list, job);
  serve(p);
}

static void part_done(aq_policy *p, aq_policy_job *job, uint32_t queue,
                      uint32_t commands)
{
  (void)queue;
  (void)commands;
  if (job->completed == job->count)
    level_of(p, job->priority)->present--;
  serve(p);
}

const aq_policy_ops aq_policy_xsched = {
    .abi = AQ_POLICY_ABI,
    .size = sizeof(aq_policy_ops),
    .name = "xsched",
    .summary = "the most urgent alone, few commands in flight in each queue",
    .source = "Shen 2025, level 1",
    .settings =
        (const aq_policy_setting[]){{"threshold", AQ_SETTING_COUNT, "8",
                                     "commands in flight in each queue"},
                                    {0}},
    .open = open,
    .close = close,
    .start = start,
    .ready = ready,
    .part_done = part_done,
};
