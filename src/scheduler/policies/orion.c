/* SPDX-License-Identifier: MIT */
/* Orion: interference-aware sharing. Urgent jobs (priority above 0) go at once.
 * Best-effort jobs go kernel by kernel, while no urgent one is in flight, or
 * when the kernel strains another resource than the urgent job does (compute
 * against memory) and is small enough (`workgroups`, the paper's SM threshold);
 * and no more than `budget` of expected time is in flight. F. Strati, X. Ma, A.
 * Klimovic, "Orion: interference-aware, fine-grained GPU sharing for ML
 * applications", EuroSys 2024. */
#include "config.h"

#include "common/policy_queues.h"
#include "scheduler/policies/policies.h"

enum { BUDGET, WORKGROUPS };

enum { RESOURCES = AQ_JOB_COMPUTE | AQ_JOB_MEMORY };

struct aq_policy {
  aq_policy_host *host;
  aq_time budget;
  int64_t workgroups;  /* of a best-effort kernel beside an urgent one */
  aq_job_list waiting; /* best effort */
  uint32_t urgent;     /* jobs in flight */
  uint32_t strained;   /* resources that the last of them strains, AQ_JOB_* */
  aq_time in_flight;   /* best effort, expected */
};

static aq_status open(const aq_policy_open *args, aq_policy **out,
                      aq_diag *diag)
{
  aq_policy *p = calloc(1, sizeof *p);
  if (!p)
    return aq_diag_no_memory(diag);
  p->host = args->host;
  p->budget = args->values[BUDGET].time;
  p->workgroups = args->values[WORKGROUPS].count;
  *out = p;
  return AQ_OK;
}

static void close(aq_policy *p)
{
  free(p);
}

/* Commands of a job are taken to be alike. */
static aq_time kernel_time(const aq_policy_job *job)
{
  return job->hint / job->count;
}

/* Of the command that comes next. */
static int64_t workgroups_next(const aq_policy_job *job)
{
  const aq_command *command = &job->commands[job->submitted];
  int64_t count = 1;
  for (int i = 0; i < 3; i++)
    if (command->workgroup[i])
      count *= ((int64_t)command->grid[i] + command->workgroup[i] - 1) /
               command->workgroup[i];
  return count;
}

static bool may_run(const aq_policy *p, const aq_policy_job *job)
{
  if (p->urgent == 0)
    return p->in_flight == 0 || p->in_flight + kernel_time(job) <= p->budget;
  const uint32_t strains = job->flags & RESOURCES;
  if (p->workgroups && workgroups_next(job) > p->workgroups)
    return false;
  return strains && p->strained && !(strains & p->strained) &&
         p->in_flight + kernel_time(job) <= p->budget;
}

/* Clients in turn: a job that had a kernel goes behind the others. */
static void serve(aq_policy *p)
{
  for (uint32_t refused = 0; refused < p->waiting.count;) {
    aq_policy_job *job = aq_job_list_take(&p->waiting);
    if (!may_run(p, job)) {
      refused++;
      aq_job_list_put(&p->waiting, job);
      continue;
    }
    refused = 0;
    p->in_flight += kernel_time(job);
    p->host->submit(p->host, job, p->host->queue_default(p->host, job), 1);
    if (job->submitted < job->count)
      aq_job_list_put(&p->waiting, job);
  }
}

static void ready(aq_policy *p, aq_policy_job *job)
{
  if (job->priority > 0) {
    p->urgent++;
    p->strained = job->flags & RESOURCES;
    p->host->submit(p->host, job, p->host->queue_default(p->host, job), 0);
    return;
  }
  aq_job_list_put(&p->waiting, job);
  serve(p);
}

static void part_done(aq_policy *p, aq_policy_job *job, uint32_t queue,
                      uint32_t commands)
{
  (void)queue;
  (void)commands;
  if (job->priority > 0)
    p->urgent--;
  else
    p->in_flight -= kernel_time(job);
  serve(p);
}

const aq_policy_ops aq_policy_orion = {
    .abi = AQ_POLICY_ABI,
    .size = sizeof(aq_policy_ops),
    .name = "orion",
    .summary = "best effort beside urgent jobs that strain something else",
    .source = "Strati 2024",
    .settings =
        (const aq_policy_setting[]){
            {"budget", AQ_SETTING_TIME, "100us",
             "expected time of best-effort kernels in flight"},
            {"workgroups", AQ_SETTING_COUNT, "0",
             "of a best-effort kernel beside an urgent one at most; 0: no "
             "limit"},
            {0}},
    .flags = AQ_POLICY_HINTS,
    .open = open,
    .close = close,
    .ready = ready,
    .part_done = part_done,
};
