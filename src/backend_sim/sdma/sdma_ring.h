/* SPDX-License-Identifier: MIT */
/*
 * Rings of copy engines (SDMA): a queue kind beside AQL queues, in memory of a
 * client. Packets lie one behind the other in a ring of words; indices and
 * doorbell count bytes and only rise. Only packets that the doorbell announced
 * execute. sdma_ring.c has the states.
 *
 * Thread rule: core.h. The client's memory stays mapped while the ring is.
 */
#ifndef AQSIM_SDMA_RING_H
#define AQSIM_SDMA_RING_H

#include "backend_sim/client.h"
#include "backend_sim/core.h"

enum { AQSIM_SDMA_SIZE_MIN = 256 /* bytes: more than any packet has */ };

/* As aqsim_live_sdma_create has it. */
aq_status aqsim_sdma_create(aqsim *sim, const aqsim_sdma_desc *desc,
                            aqsim_sdma **out, aq_diag *diag);

/* Its copy under way ends without its bytes. Not from inside an event. */
void aqsim_sdma_destroy(aqsim_sdma *ring);

/* Rests between two packets, or continues. */
void aqsim_sdma_suspend(aqsim_sdma *ring, bool suspended);

/* Looks at the doorbells of all rings. */
void aqsim_sdmas_notice(aqsim *sim);

/* Whether that would find something. */
bool aqsim_sdmas_have_changes(const aqsim *sim);

enum { AQSIM_SDMA_STATE_TEXT = 640 };

/* Its state as text, or the reason why it rests. */
void aqsim_sdma_describe(const aqsim_sdma *ring,
                         char text[AQSIM_SDMA_STATE_TEXT]);

/* The next ring, and whether it has packets to execute: for lists. */
const aqsim_sdma *aqsim_sdma_next(const aqsim_sdma *ring);
bool aqsim_sdma_is_busy(const aqsim_sdma *ring);

void aqsim_sdmas_fini(aqsim *sim);

#endif
