/* SPDX-License-Identifier: MIT */
/*
 * The policies that are built in: one file each, named here.
 */
#ifndef AQ_SCHEDULER_POLICIES_POLICIES_H
#define AQ_SCHEDULER_POLICIES_POLICIES_H

#include "common/policy.h"

/* P(name): in the order in which `list policies` shows them. */
#define AQ_POLICIES(P)                                                         \
  P(immediate)                                                                 \
  P(fifo)                                                                      \
  P(rr)                                                                        \
  P(priority)                                                                  \
  P(mlfq)                                                                      \
  P(lottery)                                                                   \
  P(stride)                                                                    \
  P(drr)                                                                       \
  P(wfq)                                                                       \
  P(sjf)                                                                       \
  P(srpt)                                                                      \
  P(edf)                                                                       \
  P(llf)                                                                       \
  P(lax)                                                                       \
  P(orion)                                                                     \
  P(xsched)

#define P(name) extern const aq_policy_ops aq_policy_##name;
AQ_POLICIES(P)
#undef P

#endif
