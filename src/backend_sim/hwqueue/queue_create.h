/* SPDX-License-Identifier: MIT */
/*
 * Making, changing and destroying queues, and the memory they consist of.
 */
#ifndef AQSIM_QUEUE_CREATE_H
#define AQSIM_QUEUE_CREATE_H

#include "backend_sim/client.h"
#include "backend_sim/core.h"

/* `place`: in memory of the client; NULL: in its own. */
aq_status aqsim_queue_create(aqsim *sim, const aq_queue_desc *desc,
                             const aqsim_queue_place *place, aqsim_queue **out,
                             aq_diag *diag);

/* Drops its packets in flight; from inside an event the memory goes later. A
 * cooperative queue goes with its last reference. */
void aqsim_queue_destroy(aqsim_queue *queue);

/* Frees the queues that were destroyed from inside events. */
void aqsim_queues_sweep(aqsim *sim);

/* Whether an address is that of a queue's amd_queue_t, live or destroyed: then
 * its memory stays. Any thread, without a lock. */
bool aqsim_queue_is_own(const aqsim *sim, const void *abi);

aq_status aqsim_queue_control(aqsim_queue *queue, aq_queue_control control,
                              const aq_queue_control_args *args, aq_diag *diag);

#endif
