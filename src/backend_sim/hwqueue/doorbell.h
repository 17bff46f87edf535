/* SPDX-License-Identifier: MIT */
/*
 * Doorbells: packets that they announce are noticed, and an idle queue asks for
 * a slot. A packet that no doorbell announced never executes, unless the
 * devices poll (aq_transport_options).
 */
#ifndef AQSIM_DOORBELL_H
#define AQSIM_DOORBELL_H

#include "backend_sim/core.h"

/* A call rang for packet `id`, and with it for those before. Any thread. */
void aqsim_queue_announce(aqsim_queue *queue, uint64_t id);

/* The same, and they are noticed. The thread that drives. */
void aqsim_queue_ring_bell(aqsim_queue *queue, uint64_t id);

/* Looks for published packets of every queue: packets and doorbells stored
 * without a call. */
void aqsim_queues_notice(aqsim *sim);

/* Whether that would find something. */
bool aqsim_queues_have_changes(const aqsim *sim);

#endif
