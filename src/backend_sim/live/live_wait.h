/* SPDX-License-Identifier: MIT */
/*
 * Waiting in live mode: the operations of the time group for host threads.
 * While the lockstep holds, the caller drives time itself; afterwards it looks
 * at memory: it polls first, then sleeps until the device or another host says
 * that something changed, and looks again now and then, since raw stores say
 * nothing. Deadlines count in wall time from the call.
 */
#ifndef AQSIM_LIVE_WAIT_H
#define AQSIM_LIVE_WAIT_H

#include "backend_sim/live/device_thread.h"

aq_status aqsim_live_wait(aqsim_live *live, const aq_wait_request *request,
                          aq_wait_result *out, aq_diag *diag);
aq_status aqsim_live_wait_space(aqsim_live *live, aqsim_queue *queue,
                                uint32_t count, aq_time deadline,
                                aq_diag *diag);
aq_status aqsim_live_sleep(aqsim_live *live, aq_time until, bool wake,
                           aq_diag *diag);

#endif
