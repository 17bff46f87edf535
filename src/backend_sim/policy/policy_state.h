/* SPDX-License-Identifier: MIT */
/*
 * The decisions that a policy takes in the place of a device, and the state
 * that it sets or reads in a queue.
 */
#ifndef AQSIM_POLICY_STATE_H
#define AQSIM_POLICY_STATE_H

#include "common/policy.h"
#include <stdbool.h>
#include <stdint.h>

/* The decisions a policy may make in the device's place: bits. */
enum {
  AQSIM_DECIDES_LAUNCH = 1, /* which packet a pipe launches */
  AQSIM_DECIDES_MAP = 2,    /* which queue gets which slot */
};

/* The state of a queue that its policy sets or reads. */
typedef struct aqsim_queue_policy {
  uint32_t limit;       /* packets active at once; 0: none */
  aq_time quantum;      /* 0: the device's */
  aq_time used;         /* device time charged */
  uint32_t stopped;     /* kernels, by the policy */
  uint32_t evicted;     /* packets not passed over yet */
  bool preempting;      /* until `preempted` */
  aq_preempt_mode mode; /* of that */
  uint64_t cookie;
  aq_time asked, wasted;
  uint32_t workgroups;
  uint32_t returned; /* packets, by a reset */
  bool worked;       /* something ran when it was asked for */
  bool suspending;   /* until nothing of it runs */
  aq_time suspended; /* since then */
} aqsim_queue_policy;

#endif
