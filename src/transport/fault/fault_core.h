/* SPDX-License-Identifier: MIT */
/*
 * State that the parts of the fault wrapper share. Included by
 * src/transport/fault only.
 */
#ifndef AQ_TRANSPORT_FAULT_FAULT_CORE_H
#define AQ_TRANSPORT_FAULT_FAULT_CORE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/arena.h"
#include "common/transport.h"
#include "transport/fault/fault_schedule.h"

typedef struct aq_faulty aq_faulty;
typedef struct aq_faulty_queue aq_faulty_queue;

/* How far a fault of the schedule has come. */
typedef enum aq_fault_stage {
  AQ_FAULT_AHEAD,  /* its place was not reached */
  AQ_FAULT_DUE,    /* something happens at `due` */
  AQ_FAULT_ACTING, /* in effect: named in reports of hangs */
  AQ_FAULT_OVER,
} aq_fault_stage;

typedef struct aq_fault_state {
  aq_fault_stage stage;
  aq_time due;
  aq_faulty_queue *queue; /* NULL where it has none */
  uint64_t id;            /* packet or doorbell value */
  aq_packet packet;       /* of the client, where another was passed on */
} aq_fault_state;

/* A slot of a shadow ring, for ids from next_id on. */
typedef enum aq_slot_state {
  AQ_SLOT_CLIENT = 0, /* passed on as soon as it is published */
  AQ_SLOT_PASSED,
  AQ_SLOT_UNTOLD, /* its doorbell was lost or is late */
  AQ_SLOT_LATE,   /* its header is */
} aq_slot_state;

struct aq_faulty_queue {
  aq_ring ring; /* first: what clients hold; the write index is the inner's */
  aq_ring *inner;
  uint64_t read_index; /* of clients: their slots are INVALID before it moves */
  aq_faulty *owner;
  aq_faulty_queue *next, *previous; /* in the order of creation */
  uint32_t number;                  /* in the order of creation */
  uint64_t next_id;                 /* all before it were passed on */
  uint8_t *slots;                   /* aq_slot_state */
  uint64_t doorbells, barriers;     /* rung; passed on */
  uint64_t doorbell;                /* the cell of clients */
  uint64_t seen;                    /* its value that was dealt with */
  uint64_t announced; /* the highest id announced to the inner, or UINT64_MAX */
  uint32_t references; /* cooperative queues are one */
  bool soft;           /* the client consumes it: nothing is passed on */
  void (*error)(const aq_queue_error *error, void *user);
  aq_agent_function *agent;
  void *user;
};

struct aq_faulty {
  aq_transport base; /* first */
  aq_transport *inner;
  const aq_transport_ops *ops; /* of the inner */
  aq_fault_schedule schedule;
  aq_fault_state *states;       /* one a fault */
  aq_device_hooks hooks;        /* for the inner */
  const aq_device_hooks *outer; /* of whoever opened this, or NULL */
  uint64_t interrupts, copies, allocations;
  aq_faulty_queue *first, *last;
  uint32_t queues_created;
  aq_signal never; /* a signal that nothing changes; made when needed */
  aq_arena arena;  /* kernels */
};

static inline aq_faulty *aq_faulty_from(aq_transport *t)
{
  return (aq_faulty *)t;
}

/* ---- fault.c ---- */

/* The fault of a kind at a place, if it was not reached before; NULL: none. */
aq_fault_state *aq_faulty_find(aq_faulty *f, aq_fault_kind kind, uint32_t queue,
                               uint64_t at);

static inline const aq_fault *aq_faulty_fault(const aq_faulty *f,
                                              const aq_fault_state *state)
{
  return &f->schedule.faults[state - f->states];
}

/* A wait came to its end: no lost interrupt holds it up any more. */
void aq_faulty_host_polled(aq_faulty *f);

/* Adds the faults that may be why to the words of an error. */
aq_status aq_faulty_explain(const aq_faulty *f, aq_status status,
                            aq_diag *diag);

/* ---- fault_queue.c ---- */

aq_status aq_faulty_queue_create(aq_transport *t, const aq_queue_desc *desc,
                                 aq_ring **out, aq_diag *diag);
void aq_faulty_queue_destroy(aq_transport *t, aq_ring *ring);
void aq_faulty_queue_doorbell(aq_transport *t, aq_ring *ring, uint64_t id);

/* Passes on what clients published or rang without a call, in every queue. */
void aq_faulty_notice(aq_faulty *f);

/* Hands the slots back that the inner transport has handed back: after every
 * operation in which it may have, and before clients are called. */
void aq_faulty_settle(aq_faulty *f);

/* A delayed fault takes effect now. */
void aq_faulty_queue_due(aq_faulty *f, aq_fault_state *state);

/* ---- fault_time.c ---- */

/* Does everything that is due by now. */
void aq_faulty_catch_up(aq_faulty *f);

aq_status aq_faulty_wait(aq_transport *t, const aq_wait_request *request,
                         aq_wait_result *out, aq_diag *diag);
aq_status aq_faulty_sleep_until(aq_transport *t, aq_time until, bool wake,
                                aq_diag *diag);
aq_status aq_faulty_queue_wait_space(aq_transport *t, aq_ring *ring,
                                     uint32_t count, aq_time deadline,
                                     aq_diag *diag);

#endif
