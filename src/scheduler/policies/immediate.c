/* SPDX-License-Identifier: MIT */
/* No hook at all: each job goes at once, whole, to the queue of its stream, as
 * HIP does. The same as no policy. */
#include "config.h"

#include "scheduler/policies/policies.h"

static aq_status open(const aq_policy_open *args, aq_policy **out,
                      aq_diag *diag)
{
  (void)args;
  (void)diag;
  *out = NULL;
  return AQ_OK;
}

static void close(aq_policy *policy)
{
  (void)policy;
}

const aq_policy_ops aq_policy_immediate = {
    .abi = AQ_POLICY_ABI,
    .size = sizeof(aq_policy_ops),
    .name = "immediate",
    .summary = "each job at once, to the queue of its stream: as without a "
               "policy",
    .flags = AQ_POLICY_AHEAD,
    .open = open,
    .close = close,
};
