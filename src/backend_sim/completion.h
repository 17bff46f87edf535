/* SPDX-License-Identifier: MIT */
/*
 * What the host sees of the device's work: timestamps, completion signals with
 * their interrupts, and system events. The thread that drives the transport.
 */
#ifndef AQSIM_COMPLETION_H
#define AQSIM_COMPLETION_H

#include "backend_sim/core.h"

/* Ticks of the device's timestamp clock at `time`, in its granularity, and the
 * time of a number of ticks. */
int64_t aqsim_clock_ticks(const aqsim_device *device, aq_time time);
aq_time aqsim_clock_time(const aqsim_device *device, int64_t ticks);

/* Decrements a completion signal at the current time (handle 0: none) and
 * returns when a blocked host sees it, or AQ_NONE. Below 0, `negative` is
 * stored instead. Start and end are kept where the signal or, with `profile`,
 * the queue asks for it. */
aq_time aqsim_signal_complete(aqsim *sim, const aqsim_device *device,
                              aq_signal handle, aq_time start, aq_time end,
                              bool profile, int64_t negative);

/* Reports the event to options.event or, without one, as a line. */
void aqsim_system_event_report(const aqsim *sim, const aq_system_event *event);

#endif
