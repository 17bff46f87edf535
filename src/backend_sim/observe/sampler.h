/* SPDX-License-Identifier: MIT */
/*
 * The sampler: what devices and queues are doing, looked at every so often of
 * virtual time, into the sink's counters (common/counters.def).
 *
 * It has no events: when time moves past an instant at which a sample is due,
 * the state is still that of the instant. So sampling changes nothing
 * the state is still that of the instant. So sampling changes none
 * of its subjects, and costs one comparison an event where it is off. While
 * nothing is active, instants are skipped. Only values that changed are put.
 *
 * On the thread that drives time.
 */
#ifndef AQSIM_SAMPLER_H
#define AQSIM_SAMPLER_H

#include "backend_sim/core.h"

/* Samples are due at epoch + interval, epoch + 2 * interval… */
aq_status aqsim_sampler_create(aqsim *sim, aq_time interval, aq_diag *diag);
void aqsim_sampler_destroy(aqsim *sim); /* none is allowed */

/* Takes the samples that are due before `until`, to which time is about to
 * move. */
void aqsim_sampler_sample(aqsim *sim, aq_time until);

/* Every move of time. */
static inline void aqsim_time_move(aqsim *sim, aq_time time)
{
  if (__builtin_expect(time > sim->sample_at, false))
    aqsim_sampler_sample(sim, time);
  sim->now = time;
}

/* Time moves no more: samples are taken until now, and one that has all
 * counters at 0. */
void aqsim_sampler_finish(aqsim *sim);

#endif
