/* SPDX-License-Identifier: MIT */
/*
 * Seats: where a host thread sleeps until a change that no signal of an epoch
 * shows: a value promised, reached, or failed; a queue that resumed. The thread
 * that makes the change rings that seat and no other.
 *
 * Ownership: the hub's; they are used again. Thread rule: any thread.
 * Ordering: a waiter that finds the value changed sees all stores before the
 * ring.
 */
#ifndef AQ_QUEUE_SYNC_SEAT_H
#define AQ_QUEUE_SYNC_SEAT_H

#include "queue/sync/context_priv.h"

struct aq_seat {
  aq_signal signal; /* rises with each ring */
  aq_seat *next;    /* of all */
  aq_seat *next_free;
};

/* A seat for the caller alone, until it is released. */
aq_status aq_seat_take(aq_hub *hub, aq_seat **out, aq_diag *diag);

/* A later ring wakes the next user, which looks and sleeps again. NULL is
 * allowed.
 */
void aq_seat_give(aq_hub *hub, aq_seat *seat);

/* Wakes the thread that sleeps there. */
void aq_seat_ring(const aq_hub *hub, const aq_seat *seat);

/* The item to wait for, taken before looking at the awaited state. */
aq_wait_item aq_seat_item(const aq_hub *hub, const aq_seat *seat);

void aq_seats_ring(aq_hub *hub); /* all of them */
void aq_seats_free(aq_hub *hub);

#endif
