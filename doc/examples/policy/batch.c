/* SPDX-License-Identifier: MIT */
/* Batching: jobs gather for a window, or until there are enough of them, and go
 * together. It idles on purpose; a timer is pending meanwhile. */
#include <stdlib.h>

#include <aqueduct/policy.h>
#include <aqueduct/policy_queues.h>

enum { WINDOW, SIZE }; /* places in settings */

struct aq_policy {
  aq_policy_host *host;
  aq_time window;
  uint32_t size;
  aq_job_list gathered;
  uint64_t timer;
};

static aq_status batch_open(const aq_policy_open *args, aq_policy **out,
                            aq_diag *diag)
{
  (void)diag;
  aq_policy *p = calloc(1, sizeof *p);
  p->host = args->host;
  p->window = args->values[WINDOW].time;
  p->size = (uint32_t)args->values[SIZE].count;
  *out = p;
  return AQ_OK;
}

static void batch_send(aq_policy *p, uint64_t cookie)
{
  (void)cookie;
  for (aq_policy_job *job; (job = aq_job_list_take(&p->gathered));)
    p->host->submit(p->host, job, p->host->queue_default(p->host, job), 0);
}

static void batch_ready(aq_policy *p, aq_policy_job *job)
{
  aq_job_list_put(&p->gathered, job);
  if (p->gathered.count == 1)
    p->timer = p->host->timer_add(p->host, p->host->now(p->host) + p->window, 0);
  if (p->gathered.count >= p->size && p->host->timer_cancel(p->host, p->timer))
    batch_send(p, 0);
}

static void batch_close(aq_policy *p) { free(p); }

static const aq_policy_setting settings[] = {
    {"window", AQ_SETTING_TIME, "1ms", "how long jobs gather at most"},
    {"size", AQ_SETTING_COUNT, "8", "how many go at once at the latest"}, {0}};
static const aq_policy_ops ops = {
    AQ_POLICY_ABI, sizeof ops, "batch", "jobs gather and go together",
    .settings = settings, .open = batch_open, .close = batch_close,
    .ready = batch_ready, .timer = batch_send};

const aq_policy_ops *aq_policy_plugin(void) { return &ops; }
