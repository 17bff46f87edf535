/* SPDX-License-Identifier: MIT */
/*
 * Virtual time: the event loop and the operations in which time moves. None of
 * them may be called from a host function or a callback. All return a failure
 * of the simulator itself (the record sink failed, memory ran out) before
 * any other result.
 */
#ifndef AQSIM_EVENT_LOOP_H
#define AQSIM_EVENT_LOOP_H

#include "backend_sim/core.h"

/* Words the error of a request. */
aq_status aqsim_wait_check(const aq_wait_request *request, aq_diag *diag);

/* In live mode these three return AQ_ERR_AGAIN, nothing else done, when another
 * thread wants the simulator, or nothing that this one could do is left. */
aq_status aqsim_loop_wait(aqsim *sim, const aq_wait_request *request,
                          aq_wait_result *out, aq_diag *diag);

aq_status aqsim_loop_sleep(aqsim *sim, aq_time until, bool wake, aq_diag *diag);

aq_status aqsim_loop_wait_space(aqsim *sim, aqsim_queue *queue, uint32_t count,
                                aq_time deadline, aq_diag *diag);

/* For the device thread of live mode. Runs up to `most` events that are due at
 * or before `limit`, fewer if one executed a kernel's code and another thread
 * wants the simulator. Returns how many there were. */
uint32_t aqsim_loop_run(aqsim *sim, aq_time limit, uint32_t most);

/* Looks at the doorbells of all queues and rings. */
void aqsim_doorbells_notice(aqsim *sim);

/* Looks at memory: packets, doorbells and values that packets wait for. Returns
 * whether it found a change, and starts its effects; the second function only
 * returns whether there is one. */
bool aqsim_memory_poll(aqsim *sim);
bool aqsim_memory_has_changes(const aqsim *sim);

#endif
