/* SPDX-License-Identifier: MIT */
/*
 * Context switches: kernels of a queue taken off the compute units and put
 * back. A kernel goes on for as long as it still had to run; one that had not
 * started yet starts later by as much as the queue was away. Of a kernel that
 * shares the device the workgroups that run end, the others wait.
 */
#ifndef AQSIM_CONTEXT_H
#define AQSIM_CONTEXT_H

#include "backend_sim/core.h"

/* Stops the kernels of a queue that have not ended. */
void aqsim_context_save(aqsim_queue *queue);

/* They go on now. */
void aqsim_context_restore(aqsim_queue *queue);

/* What it takes to move the state of the waves that are stopped, there or
 * back. */
aq_time aqsim_context_move_time(const aqsim_queue *queue);

#endif
