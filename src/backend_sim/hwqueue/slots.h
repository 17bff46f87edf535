/* SPDX-License-Identifier: MIT */
/*
 * Slots: the hardware queues of a device. A queue with work needs a slot of one
 * of the pipes; when there are more such queues than slots, the others wait in
 * the run list, by priority and then in the order they came.
 *
 * A queue gets the first of these slots, in this order:
 *  - one that is free; of the pipe with the fewest queues, the first one;
 *  - one whose queue is idle, the longest first;
 *  - one whose queue has lower priority, or whose quantum has ended and its
 *    priority is the same, or it only waits for a signal or is suspended. That
 *    queue is preempted: the one of the lowest priority, then the one that has
 *    had its slot the longest.
 * A quantum in which a queue launched nothing begins anew, so that quanta that
 * are too short do not stop everything.
 * A queue that only waits at a signal, or is suspended, is not in the run list,
 * so that a run ends when nothing can happen any more.
 *
 * Preemption. A queue that has to leave launches nothing more; its decoded
 * packets are fetched again when it is mapped anew. Drain: its slot is free
 * when all active packets are complete. Switch: kernels stop at once and later
 * run for the time they still had to run; only active packets that are not
 * kernels are awaited. In both, a packet that waits at a signal is not awaited,
 * and continues when the queue is mapped. The slot takes another queue
 * queue_switch later, plus the time to save the waves that ran; that queue is
 * served remap_latency later, plus the time to restore its own.
 *
 * Everything is decided by virtual time, priority and order of arrival.
 */
#ifndef AQSIM_SLOTS_H
#define AQSIM_SLOTS_H

#include "backend_sim/queue_state.h"

/* False: out of memory. fini also takes what init did not fill. */
bool aqsim_slots_init(aqsim_device *device);
void aqsim_slots_fini(aqsim_device *device);

/* A new queue has no slot yet; of the host agent, one of its own. */
void aqsim_queue_slot_init(aqsim_queue *queue);

/* An idle queue has something to do. */
void aqsim_queue_map(aqsim_queue *queue);

/* It stopped: no packet of it launches any more. Active packets end. */
void aqsim_queue_unmap(aqsim_queue *queue);

void aqsim_queue_rank_set(aqsim_queue *queue, aqsim_rank rank);

/* Takes the slot from a queue; it waits in the run list for the next. False:
 * it has none, or is about to lose it. */
bool aqsim_queue_preempt(aqsim_queue *queue, aqsim_preempt_mode mode);

/* Its client suspends it, whose kernels stop at once, or lets it continue.
 * Twice is no error. */
void aqsim_queue_suspend(aqsim_queue *queue, bool suspended);

/* Decides which queue gets a slot now. */
void aqsim_slots_review(aqsim_device *device);

/* A policy chooses the queue. */
void aqsim_slots_map_by(aqsim_device *device);

/* A queue without a slot has something to do again. */
void aqsim_queue_slot_want(aqsim_queue *queue);

/* A queue that waits for a slot wants none for the time being. */
void aqsim_queue_slot_decline(aqsim_queue *queue);

/* The queue is idle, only waits for a signal or, if it has to leave its slot,
 * completed a packet. */
void aqsim_slots_progress(aqsim_queue *queue);

/* Its dependency wait opened; false: no processor has it, it will continue
 * later. */
bool aqsim_slots_gate_opened(aqsim_queue *queue);

#endif
