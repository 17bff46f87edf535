/* SPDX-License-Identifier: MIT */
/*
 * Doorbell signals: the 64 bytes that a client sees, and the ring behind them.
 *
 * Ringing takes no lock and looks nothing up: a bell knows its ring. The memory
 * of a bell stays until the runtime closes, so a client that rings a destroyed
 * queue reaches a bell without a ring, and nothing happens. A later queue takes
 * the bell over.
 *
 * Thread rule: any thread; the runtime's lock guards the list of free bells.
 */
#ifndef AQDROP_BELLS_H
#define AQDROP_BELLS_H

#include "dropin/runtime.h"

/* Gives the queue of a ring its doorbell signal; false without memory. */
bool aqdrop_bell_hang(aqdrop *runtime, aq_ring *ring, aq_amd_queue *queue);

/* The queue of that doorbell is about to be destroyed. */
void aqdrop_bell_remove(aqdrop *runtime, hsa_signal_t doorbell);

/* Rings; the signal's kind is AQ_AMD_SIGNAL_DOORBELL. */
void aqdrop_bell_ring(const aqdrop *runtime, hsa_signal_t doorbell,
                      uint64_t id);

void aqdrop_bells_fini(aqdrop *runtime);

#endif
