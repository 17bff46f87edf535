/* SPDX-License-Identifier: MIT */
/*
 * Context switches: kernels of a queue taken off the compute units and put
 * back. A kernel runs on for the time it still had to run; one that had not
 * started starts later by as much as the queue was away. If a kernel
 * shares the device, its running workgroups end, the others wait.
 */
#ifndef AQSIM_CONTEXT_SWITCH_H
#define AQSIM_CONTEXT_SWITCH_H

#include "backend_sim/core.h"

/* Stops the kernels of a queue that have not ended. */
void aqsim_context_save(aqsim_queue *queue);

/* Stops those, too, whose code is executed just now: it takes no virtual time,
 * and a queue that another one displaces executes it to the end first. */
void aqsim_context_save_code(aqsim_queue *queue);

/* They continue now. */
void aqsim_context_restore(aqsim_queue *queue);

/* The time to move the state of the stopped waves, out or back.
 */
aq_time aqsim_context_move_time(const aqsim_queue *queue);

#endif
