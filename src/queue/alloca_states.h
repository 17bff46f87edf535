/* SPDX-License-Identifier: MIT */
/*
 * The states of a pool's memory: of an allocation, which an alloca begins and
 * a dealloca ends, and of the block that it has. Apart from alloca_pool.c, so
 * that a test walks through all orders of events with these very functions.
 *
 * A block has a chain of allocations, the newest first: an older one stays in
 * it until its dealloca is complete or its alloca has failed. Each dealloca
 * waits for that of the next older allocation, so they complete in order, and
 * one that fails fails the alloca and the dealloca of every newer one.
 *
 * Internal: alloca_pool.c and its model. Thread rule: with the pool's lock.
 */
#ifndef AQ_QUEUE_ALLOCA_STATES_H
#define AQ_QUEUE_ALLOCA_STATES_H

#include <assert.h>
#include <stddef.h>

typedef enum aq_allocation_state {
  AQ_ALLOCATION_LIVE,           /* its alloca is under way or complete */
  AQ_ALLOCATION_REQUESTED,      /* a dealloca is being submitted */
  AQ_ALLOCATION_RETIRING,       /* its dealloca is under way */
  AQ_ALLOCATION_VOID_REQUESTED, /* as these two, but its alloca has failed: */
  AQ_ALLOCATION_VOID_RETIRING,  /* nothing is left to free */
  AQ_ALLOCATION_ENDED,          /* out of the chain */
  AQ_ALLOCATION_STATES
} aq_allocation_state;

typedef enum aq_allocation_event {
  AQ_ALLOCA_FAILED,      /* also: its submission was an error */
  AQ_DEALLOCA_REQUESTED, /* before it is submitted */
  AQ_DEALLOCA_REFUSED,   /* its submission was an error */
  AQ_DEALLOCA_ACCEPTED,  /* it is under way, unless it has ended meanwhile */
  AQ_DEALLOCA_COMPLETE,
  AQ_DEALLOCA_FAILED,
  AQ_ALLOCATION_EVENTS
} aq_allocation_event;

typedef struct aq_allocation aq_allocation;
struct aq_allocation {
  aq_allocation *older, *newer; /* of the same block */
  aq_allocation_state state;
};

/* AQ_ALLOCATION_STATES: cannot come. */
static inline aq_allocation_state aq_allocation_next(aq_allocation_state state,
                                                     aq_allocation_event event)
{
  enum {
    LIVE = AQ_ALLOCATION_LIVE,
    ASKED = AQ_ALLOCATION_REQUESTED,
    LEAVING = AQ_ALLOCATION_RETIRING,
    VOID_A = AQ_ALLOCATION_VOID_REQUESTED,
    VOID_L = AQ_ALLOCATION_VOID_RETIRING,
    OVER = AQ_ALLOCATION_ENDED,
    NEVER = AQ_ALLOCATION_STATES,
  };
  static const unsigned char next[AQ_ALLOCATION_STATES][AQ_ALLOCATION_EVENTS] =
      {
          /*          alloca  dealloca
           *          failed  asked  refused accepted complete failed */
          [LIVE] = {OVER, ASKED, NEVER, NEVER, NEVER, NEVER},
          [ASKED] = {VOID_A, NEVER, LIVE, LEAVING, OVER, LIVE},
          [LEAVING] = {VOID_L, NEVER, NEVER, NEVER, OVER, LIVE},
          [VOID_A] = {NEVER, NEVER, OVER, VOID_L, OVER, OVER},
          [VOID_L] = {NEVER, NEVER, NEVER, NEVER, OVER, OVER},
          [OVER] = {OVER, NEVER, NEVER, NEVER, NEVER, NEVER},
      };
  return (aq_allocation_state)next[state][event];
}

/* Begins the newest allocation of a block. */
static inline void aq_allocation_begin(aq_allocation **newest,
                                       aq_allocation *allocation)
{
  *allocation = (aq_allocation){.older = *newest, .state = AQ_ALLOCATION_LIVE};
  if (*newest)
    (*newest)->newer = allocation;
  *newest = allocation;
}

static inline void aq_allocation_turn(aq_allocation **newest,
                                      aq_allocation *allocation,
                                      aq_allocation_event event)
{
  const aq_allocation_state before = allocation->state;
  allocation->state = aq_allocation_next(before, event);
  assert(allocation->state != AQ_ALLOCATION_STATES);
  if (allocation->state != AQ_ALLOCATION_ENDED || before == AQ_ALLOCATION_ENDED)
    return;
  if (allocation->older)
    allocation->older->newer = allocation->newer;
  if (allocation->newer)
    allocation->newer->older = allocation->older;
  else
    *newest = allocation->older;
}

/* Where its newest allocation puts a block. */
typedef enum aq_block_state {
  AQ_BLOCK_FREE,      /* for any alloca */
  AQ_BLOCK_RETIRING,  /* for an alloca that waits for the newest dealloca */
  AQ_BLOCK_ALLOCATED, /* for none */
} aq_block_state;

static inline aq_block_state aq_block_state_of(const aq_allocation *newest)
{
  if (!newest)
    return AQ_BLOCK_FREE;
  return newest->state == AQ_ALLOCATION_RETIRING ||
                 newest->state == AQ_ALLOCATION_VOID_RETIRING
             ? AQ_BLOCK_RETIRING
             : AQ_BLOCK_ALLOCATED;
}

#endif
