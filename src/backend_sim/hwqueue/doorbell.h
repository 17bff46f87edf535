/* SPDX-License-Identifier: MIT */
/*
 * Doorbells: published packets are noticed, and an idle queue asks for a slot.
 */
#ifndef AQSIM_DOORBELL_H
#define AQSIM_DOORBELL_H

#include "backend_sim/core.h"

/* Looks for published packets: their doorbell rings now. */
void aqsim_queue_notice(aqsim_queue *queue);

/* The same for every queue: packets and doorbells stored without a call. */
void aqsim_queues_notice(aqsim *sim);

/* Whether that would find something. */
bool aqsim_queues_have_news(const aqsim *sim);

#endif
