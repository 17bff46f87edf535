/* SPDX-License-Identifier: MIT */
/*
 * The coming calls of a policy, and their times: timers that it set, and
 * notices of delayed events. Timers are ordered by time, then by when they were
 * set; notices by when they happened. All zero is empty. One thread.
 */
#ifndef AQ_STUDY_LOOP_AGENDA_H
#define AQ_STUDY_LOOP_AGENDA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/time.h"

struct aq_held;

typedef struct aq_agenda_timer {
  aq_time at;
  uint64_t id;
  uint64_t cookie;          /* of a deferred job: its id */
  struct aq_held *deferred; /* ask for admission again; NULL: the policy's */
} aq_agenda_timer;

typedef struct aq_agenda_notice {
  aq_time heard;
  struct aq_held *held;
  uint64_t job;      /* its id */
  uint32_t queue;    /* of a part that completed */
  uint32_t commands; /* of it; 0: the job arrived */
} aq_agenda_notice;

typedef struct aq_agenda {
  aq_agenda_timer *timers; /* a binary heap */
  size_t timer_count, timer_capacity;
  uint64_t timer_last;       /* id */
  aq_agenda_notice *notices; /* a ring, of a power of two */
  size_t notice_capacity, notice_first, notice_count;
} aq_agenda;

void aq_agenda_fini(aq_agenda *agenda);

/* The id of the timer, 0 when out of memory. */
uint64_t aq_agenda_timer_add(aq_agenda *agenda, aq_time at, uint64_t cookie,
                             struct aq_held *deferred);
bool aq_agenda_timer_cancel(aq_agenda *agenda, uint64_t id);
aq_agenda_timer aq_agenda_timer_take(aq_agenda *agenda);

/* False when out of memory. `heard` never falls. */
bool aq_agenda_notice_add(aq_agenda *agenda, const aq_agenda_notice *notice);
aq_agenda_notice aq_agenda_notice_take(aq_agenda *agenda);

static inline aq_time aq_agenda_timer_next(const aq_agenda *agenda)
{
  return agenda->timer_count ? agenda->timers[0].at : AQ_TIME_MAX;
}

static inline aq_time aq_agenda_notice_next(const aq_agenda *agenda)
{
  return agenda->notice_count ? agenda->notices[agenda->notice_first].heard
                              : AQ_TIME_MAX;
}

#endif
