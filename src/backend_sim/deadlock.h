/* SPDX-License-Identifier: MIT */
/*
 * Diagnoses of deadlocks: the reason why a signal does not change (the packet
 * or copy that completes it, and what that one waits for), when nothing is left
 * to happen. Each function words the diagnostic and returns its status.
 */
#ifndef AQSIM_DEADLOCK_H
#define AQSIM_DEADLOCK_H

#include "backend_sim/core.h"

/* AQ_ERR_DEADLOCK: a wait for signals that nothing will change. */
aq_status aqsim_wait_deadlock(const aqsim *sim, const aq_wait_item *items,
                              uint32_t count, aq_diag *diag);

/* AQ_ERR_TIMEOUT, with what blocks as it looks now: work may be under way. */
aq_status aqsim_wait_guess(const aqsim *sim, const aq_wait_item *items,
                           uint32_t count, aq_diag *diag);
aq_status aqsim_space_guess(const aqsim_queue *queue, uint32_t count,
                            aq_diag *diag);

/* AQ_ERR_DEADLOCK: an item holds, but no interrupt will report it. */
aq_status aqsim_missed_deadlock(const aq_wait_item *item, aq_diag *diag);

/* AQ_ERR_DEADLOCK: slots that nothing will hand back. */
aq_status aqsim_space_deadlock(const aqsim_queue *queue, uint32_t count,
                               aq_diag *diag);

/* AQ_ERR_QUEUE: why a queue that is not active stopped. */
aq_status aqsim_queue_explain(const aqsim_queue *queue, aq_diag *diag);

#endif
