/* SPDX-License-Identifier: MIT */
/*
 * Cohorts: equal workgroups of one kernel that have a complex to themselves.
 * When each of them starts and ends, and where, is a closed form. Pure
 * functions; doc/adr/0007-cohorts.md has the proof.
 *
 * A cohort has `count` workgroups, `slots` run at once; the first starts at
 * `begin`, later ones at least `interval` apart. The first `body` of them run
 * for `duration`, the others, at most `slots`, for `tail`; unless one of the
 * two is empty, `body` is a multiple of `slots`.
 */
#ifndef AQSIM_COHORT_H
#define AQSIM_COHORT_H

#include <stdint.h>

#include "common/time.h"

typedef struct aqsim_cohort {
  aq_time begin, interval, duration, tail;
  uint64_t body, count, slots;
} aqsim_cohort;

/* Start of workgroup `index`, of an infinite cohort; times end at
 * AQ_TIME_MAX / 2. */
aq_time aqsim_cohort_start(const aqsim_cohort *cohort, uint64_t index);

static inline aq_time aqsim_cohort_end(const aqsim_cohort *cohort,
                                       uint64_t index)
{
  return aqsim_cohort_start(cohort, index) +
         (index < cohort->body ? cohort->duration : cohort->tail);
}

/* When the last of them ends. */
aq_time aqsim_cohort_last_end(const aqsim_cohort *cohort);

/* How many start before `time`. */
uint64_t aqsim_cohort_started(const aqsim_cohort *cohort, aq_time time);

/* The first of [first, last) that ends after `time`, or `last`; all of the same
 * duration. */
uint64_t aqsim_cohort_running(const aqsim_cohort *cohort, uint64_t first,
                              uint64_t last, aq_time time);

#endif
