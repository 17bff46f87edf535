/* SPDX-License-Identifier: MIT */
/*
 * The coming calls of a policy, and their times: timers that it set, and
 * notices of delayed events. Timers are ordered by time, then by when they were
 * set; notices by when they happened. All zero is empty. One thread.
 */
#ifndef AQ_STUDY_LOOP_POLICY_TIMERS_H
#define AQ_STUDY_LOOP_POLICY_TIMERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/time.h"

struct aq_policy_job_state;

typedef struct aq_policy_timer {
  aq_time at;
  uint64_t id;
  uint64_t cookie; /* of a deferred job: its id */
  struct aq_policy_job_state
      *deferred; /* ask for admission again; NULL: the policy's */
} aq_policy_timer;

typedef struct aq_policy_notice {
  aq_time heard;
  struct aq_policy_job_state *held;
  uint64_t job;      /* its id */
  uint32_t queue;    /* of a part that completed */
  uint32_t commands; /* of it; 0: the job arrived */
} aq_policy_notice;

typedef struct aq_policy_timers {
  aq_policy_timer *timers; /* a binary heap */
  size_t timer_count, timer_capacity;
  uint64_t timer_last;       /* id */
  aq_policy_notice *notices; /* a ring, of a power of two */
  size_t notice_capacity, notice_first, notice_count;
} aq_policy_timers;

void aq_policy_timers_fini(aq_policy_timers *agenda);

/* The id of the timer, 0 when out of memory. */
uint64_t aq_policy_timer_add(aq_policy_timers *agenda, aq_time at,
                             uint64_t cookie,
                             struct aq_policy_job_state *deferred);
bool aq_policy_timer_cancel(aq_policy_timers *agenda, uint64_t id);
aq_policy_timer aq_policy_timer_pop(aq_policy_timers *agenda);

/* False when out of memory. `heard` never falls. */
bool aq_policy_notice_add(aq_policy_timers *agenda,
                          const aq_policy_notice *notice);
aq_policy_notice aq_policy_notice_pop(aq_policy_timers *agenda);

static inline aq_time aq_policy_timer_next(const aq_policy_timers *agenda)
{
  return agenda->timer_count ? agenda->timers[0].at : AQ_TIME_MAX;
}

static inline aq_time aq_policy_notice_next(const aq_policy_timers *agenda)
{
  return agenda->notice_count ? agenda->notices[agenda->notice_first].heard
                              : AQ_TIME_MAX;
}

#endif
