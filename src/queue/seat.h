/* SPDX-License-Identifier: MIT */
/*
 * Seats: where a host thread sleeps until something happens that no signal of
 * an epoch tells: a value that was promised, reached, or failed; a queue that
 * went on. Whoever makes it happen rings that seat and no other.
 *
 * Ownership: the hub's; they are used again. Thread rule: any thread.
 * Ordering: what was done before a ring is seen by who finds the value changed.
 */
#ifndef AQ_QUEUE_SEAT_H
#define AQ_QUEUE_SEAT_H

#include "queue/context_priv.h"

struct aq_seat {
  aq_signal signal; /* rises with each ring */
  aq_seat *next;    /* of all */
  aq_seat *next_free;
};

/* A seat for the caller alone, until it is given back. */
aq_status aq_seat_take(aq_hub *hub, aq_seat **out, aq_diag *diag);

/* A ring that comes later is heard by the next one there, who looks and sleeps
 * again. NULL is allowed. */
void aq_seat_give(aq_hub *hub, aq_seat *seat);

/* Wakes who sleeps there. */
void aq_seat_ring(const aq_hub *hub, const aq_seat *seat);

/* What to wait for, taken before looking at what may happen. */
aq_wait_item aq_seat_item(const aq_hub *hub, const aq_seat *seat);

void aq_seats_ring(aq_hub *hub); /* all of them */
void aq_seats_free(aq_hub *hub);

#endif
