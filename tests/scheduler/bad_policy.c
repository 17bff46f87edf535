/* SPDX-License-Identifier: MIT */
/* A policy that goes wrong in the way that its setting says, when job 5 is
 * ready; until then it submits each job at once. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <aqueduct/policy.h>

struct aq_policy {
  aq_policy_host *host;
  const char *how;
};

static aq_status bad_open(const aq_policy_open *args, aq_policy **out,
                          aq_diag *diag)
{
  (void)diag;
  aq_policy *p = calloc(1, sizeof *p);
  p->host = args->host;
  p->how = args->values[0].text;
  *out = p;
  if (strcmp(p->how, "open") == 0)
    abort();
  return AQ_OK;
}

static void allocate(void)
{
  for (;;)
    memset(malloc(1 << 20), 1, 1 << 20);
}

static void recurse(volatile int *more)
{
  volatile char here[4096];
  here[0] = 0;
  if (*more + here[0])
    recurse(more);
  here[1] = 0;
}

static void bad_ready(aq_policy *p, aq_policy_job *job)
{
  volatile int forever = 1;
  if (job->id == 5) {
    if (strcmp(p->how, "crash") == 0)
      *(volatile int *)8 = 1;
    if (strcmp(p->how, "killed") == 0)
      kill(getpid(), SIGKILL);
    if (strcmp(p->how, "recurse") == 0)
      recurse(&forever);
    if (strcmp(p->how, "loop") == 0)
      while (forever)
        ;
    if (strcmp(p->how, "allocate") == 0)
      allocate();
    if (strcmp(p->how, "exit") == 0)
      exit(0);
    if (strcmp(p->how, "timer") == 0)
      p->host->timer_add(p->host, p->host->now(p->host), 0);
  }
  p->host->submit(p->host, job, p->host->queue_default(p->host, job), 0);
}

static void bad_timer(aq_policy *p, uint64_t cookie)
{
  p->host->timer_add(p->host, p->host->now(p->host), cookie);
}

static void bad_attach(aq_policy *p, aq_policy_device *device)
{
  if (strcmp(p->how, "device") == 0)
    device->timer_add(device, device->now(device), 0);
}

static void bad_device_timer(aq_policy *p, aq_policy_device *device,
                             uint64_t cookie)
{
  (void)p;
  device->timer_add(device, device->now(device), cookie);
}

static void bad_close(aq_policy *p)
{
  if (strcmp(p->how, "close") == 0)
    abort();
  free(p);
}

static const aq_policy_setting settings[] = {
    {"how", AQ_SETTING_TEXT, "not", "kind of failure"}, {0}};
static const aq_policy_ops ops = {AQ_POLICY_ABI,
                                  sizeof ops,
                                  "bad",
                                  "goes wrong",
                                  .settings = settings,
                                  .open = bad_open,
                                  .close = bad_close,
                                  .ready = bad_ready,
                                  .timer = bad_timer,
                                  .attach = bad_attach,
                                  .device_timer = bad_device_timer};

const aq_policy_ops *aq_policy_plugin(void)
{
  return &ops;
}
