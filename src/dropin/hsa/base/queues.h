/* SPDX-License-Identifier: MIT */
/*
 * Queues of clients: each is a real amd_queue_t of the transport, whose ring
 * and callback are looked up by its address. Index operations touch only the
 * amd_queue_t.
 */
#ifndef AQDROP_QUEUES_H
#define AQDROP_QUEUES_H

#include "dropin/hsa/base/runtime.h"

/* Why a queue stopped, "" for one that did not; NULL for an unknown one. Valid
 * in its error callback and afterwards. */
const char *aqdrop_queue_error(aqdrop *runtime, const hsa_queue_t *queue);

/* The packet at which a queue stopped, then too; false: it stopped at none. */
bool aqdrop_queue_error_packet(aqdrop *runtime, const hsa_queue_t *queue,
                               uint64_t *id, aq_packet *packet);

/* The agent of the queue whose ring begins at an address, or NULL. */
const aqdrop_agent *aqdrop_queue_ring_agent(aqdrop *runtime,
                                            const void *address);

/* Keeps the fault of the event's queue. */
void aqdrop_queue_fault_keep(aqdrop *runtime, const aq_system_event *event);

/* Passes each queue that has a packet which no doorbell announced, with the
 * first such packet. The callback runs without a lock. */
void aqdrop_queues_unrung(aqdrop *runtime,
                          void (*tell)(aqdrop *runtime, uint32_t queue,
                                       uint64_t packet));

/* The packets that are written and not completed in order, of all queues;
 * *count: the queues that have any. */
uint64_t aqdrop_queues_waiting(aqdrop *runtime, uint32_t *count);

/* Frees the remaining queues, before the transport is closed. */
void aqdrop_queues_fini(aqdrop *runtime);

#endif
