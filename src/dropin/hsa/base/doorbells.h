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
#ifndef AQDROP_DOORBELLS_H
#define AQDROP_DOORBELLS_H

#include "dropin/hsa/base/runtime.h"

/* Gives the queue of a ring its doorbell signal; false without memory. */
bool aqdrop_doorbell_hang(aqdrop *runtime, aq_ring *ring, aq_amd_queue *queue);

/* The queue of that doorbell is about to be destroyed. */
void aqdrop_doorbell_remove(aqdrop *runtime, hsa_signal_t doorbell);

/* Whether a handle is that of a doorbell, with a queue or without. Lock-free.
 */
bool aqdrop_doorbell_is(const aqdrop *runtime, hsa_signal_t signal);

/* Rings a doorbell. */
void aqdrop_doorbell_ring(const aqdrop *runtime, hsa_signal_t doorbell,
                          uint64_t id);

/* The packet that rang last; 0 without a queue. */
int64_t aqdrop_doorbell_load(hsa_signal_t doorbell);

void aqdrop_doorbells_fini(aqdrop *runtime);

/* At a moment of the wall clock (AQUEDUCT_REPORT_AT: shortly before the timeout
 * of exec) a thread prints which packets no doorbell announced, where the time
 * went, if exec asked, and how many packets wait. Without memory for it nothing
 * is printed. */
void aqdrop_doorbells_watch(aqdrop *runtime, int64_t at_ns);
void aqdrop_doorbells_unwatch(aqdrop *runtime);

#endif
