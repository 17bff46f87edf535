/* SPDX-License-Identifier: MIT */
/* A policy that submits each job at once. Where AQ_HOLD names a folder, its
 * open leaves a file there and never returns: a point that only a signal ends,
 * however fast the machine is. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <aqueduct/policy.h>

struct aq_policy {
  aq_policy_host *host;
};

static void hold(const char *folder)
{
  char path[4096];
  snprintf(path, sizeof path, "%s/%ld", folder, (long)getpid());
  close(open(path, O_CREAT | O_WRONLY, 0666));
  for (;;)
    pause();
}

static aq_status hold_open(const aq_policy_open *args, aq_policy **out,
                           aq_diag *diag)
{
  const char *folder = getenv("AQ_HOLD");
  (void)diag;
  if (folder)
    hold(folder);
  aq_policy *p = calloc(1, sizeof *p);
  p->host = args->host;
  *out = p;
  return AQ_OK;
}

static void hold_close(aq_policy *p)
{
  free(p);
}

static void hold_ready(aq_policy *p, aq_policy_job *job)
{
  p->host->submit(p->host, job, p->host->queue_default(p->host, job), 0);
}

static const aq_policy_ops ops = {AQ_POLICY_ABI,
                                  sizeof ops,
                                  "hold",
                                  "does not begin where AQ_HOLD is set",
                                  .open = hold_open,
                                  .close = hold_close,
                                  .ready = hold_ready};

const aq_policy_ops *aq_policy_plugin(void)
{
  return &ops;
}
