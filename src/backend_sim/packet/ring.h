/* SPDX-License-Identifier: MIT */
/*
 * The ring of a queue as its packet processor sees it: which slots hold
 * packets, their bits, and slots handed back to clients. Clients write packets,
 * indices and doorbells at any time; the processor's side is the thread that
 * drives the transport.
 */
#ifndef AQSIM_RING_H
#define AQSIM_RING_H

#include "backend_sim/core.h"

/* One past the last packet that may lie in the ring. A producer that reserves
 * by addition may be further: its slots still hold older packets. */
uint64_t aqsim_ring_end(const aqsim_queue *queue);

/* Whether the slot of `id`, which is below the end, holds a packet. A header of
 * 0 that no doorbell announced is still being written. */
bool aqsim_ring_has(const aqsim_queue *queue, uint64_t id);

/* Copies the packet out of its slot. */
void aqsim_ring_read(const aqsim_queue *queue, uint64_t id, aq_packet *out);

/* Hands the slot of `id` back to the clients once all before it are. */
void aqsim_ring_retire(aqsim_queue *queue, uint64_t id);

#endif
