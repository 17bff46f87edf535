/* SPDX-License-Identifier: MIT */
/*
 * The packet processor: takes packets from decode to completion, step by step
 * (lifecycle.def). It never reads the ring; fetch.h hands it the packets.
 */
#ifndef AQSIM_PROCESSOR_H
#define AQSIM_PROCESSOR_H

#include "backend_sim/queue_state.h"

/* Sets up a packet in flight that is used for the first time. */
void aqsim_inflight_init(aqsim_inflight *inflight, aqsim_queue *queue);

/* Sets up the dependency wait of a queue, at which one packet at a time may
 * wait. */
void aqsim_queue_gate_init(aqsim_queue *queue);

/* A kernel's end moved to flight->end: its COMPLETE or RUN step moves too. */
void aqsim_inflight_end_move(aqsim_inflight *inflight);

/* A kernel under dispatch starts over now. */
void aqsim_inflight_restart(aqsim_inflight *inflight);

/* Launches packets that can launch, and fetches more if there is room. */
void aqsim_queue_pump(aqsim_queue *queue);

/* The packet that waits at the dependency wait continues. */
void aqsim_queue_gate_resume(aqsim_queue *queue);

/* One row of the step table, for documentation and its test. */
typedef struct aqsim_step_text {
  const char *name, *waits, *then;
  const char *next; /* steps that follow, DONE, or ERROR: the queue stops */
} aqsim_step_text;

extern const aqsim_step_text aqsim_step_texts[AQSIM_STEP_COUNT];

#endif
