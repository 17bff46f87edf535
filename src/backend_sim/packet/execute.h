/* SPDX-License-Identifier: MIT */
/*
 * The effects of each type of packet once launched: kernels, barriers, agent
 * dispatches and PM4 buffers, each a launch function and the steps that follow.
 */
#ifndef AQSIM_EXECUTE_H
#define AQSIM_EXECUTE_H

#include "backend_sim/packet/flight.h"

aqsim_flow aqsim_step_execute(aqsim_flight *flight);
aqsim_flow aqsim_step_look(aqsim_flight *flight);
aqsim_flow aqsim_step_seen(aqsim_flight *flight);
aqsim_flow aqsim_step_run(aqsim_flight *flight);

/* What most packets are: kernels on queues of devices. */
extern const aqsim_kind aqsim_kernel_kind;
aqsim_flow aqsim_launch_kernel(aqsim_flight *flight);

#endif
