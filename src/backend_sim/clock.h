/* SPDX-License-Identifier: MIT */
/*
 * Virtual time: the event loop and the operations in which time moves. None of
 * them may be called from a host function or a callback. All return what went
 * wrong in the simulator itself (the record sink failed, memory ran out) before
 * anything else.
 */
#ifndef AQSIM_CLOCK_H
#define AQSIM_CLOCK_H

#include "backend_sim/core.h"

aq_status aqsim_clock_wait(aqsim *sim, const aq_wait_request *request,
                           aq_wait_result *out, aq_diag *diag);

aq_status aqsim_clock_sleep(aqsim *sim, aq_time until, bool wake,
                            aq_diag *diag);

aq_status aqsim_clock_wait_space(aqsim *sim, aqsim_queue *queue, uint32_t count,
                                 aq_time deadline, aq_diag *diag);

/* Ticks of the device's timestamp clock at `time`, in its granularity, and the
 * time of a number of ticks. */
int64_t aqsim_clock_ticks(const aqsim_device *device, aq_time time);
aq_time aqsim_clock_time(const aqsim_device *device, int64_t ticks);

#endif
