/* SPDX-License-Identifier: MIT */
/*
 * The hardware queues of a device, and the place of a queue on them. Of
 * slots.c; units of pipes, of pipes.c.
 */
#ifndef AQSIM_MAPPING_H
#define AQSIM_MAPPING_H

#include "backend_sim/engine/calendar.h"
#include "backend_sim/types.h"
#include <stdbool.h>
#include <stdint.h>

/* The unit of a pipe that serves one queue at a time: pipes.h. */
typedef enum aqsim_unit_kind {
  AQSIM_UNIT_FETCH,  /* reads and decodes batches of packets */
  AQSIM_UNIT_LAUNCH, /* launches packets */
  AQSIM_UNITS,
} aqsim_unit_kind;

typedef struct aqsim_unit {
  aqsim_event event; /* first: it is free, and a queue wants it */
  aqsim *sim;
  aqsim_pipe *pipe;
  aqsim_unit_kind kind;
  bool pending;                 /* the event is */
  uint32_t last;                /* slot that had it last */
  uint64_t wanted[AQSIM_RANKS]; /* slots that want it, by bit */
  aqsim_queue *offered;         /* the queue that may take it now, or NULL */
  aq_time free;                 /* when its current work ends */
} aqsim_unit;

/* A packet processor. */
struct aqsim_pipe {
  aqsim_unit units[AQSIM_UNITS];
  aqsim_device *device;
  uint32_t mapped;   /* slots that are taken */
  aqsim_slot *slots; /* `slot_count` of them */
  uint32_t slot_count;
};

/* A place of a pipe for a queue: slots.h. */
struct aqsim_slot {
  aqsim_pipe *pipe;
  uint32_t index;        /* in its pipe */
  aqsim_queue *queue;    /* its holder, or NULL */
  aq_time since;         /* from when its quantum runs */
  aq_time usable;        /* when the switch from the last queue has ended */
  uint64_t launched;     /* by its queue, when it came */
  bool restored;         /* its queue came with something active */
  aq_time quantum;       /* that a policy gave; 0: the device's */
  aqsim_queue *promised; /* its next holder, by a policy; or NULL */
};

/* The hardware queues of a device and the queues that wait: slots.h. */
typedef struct aqsim_slots {
  aqsim_event event; /* first: a quantum ends */
  bool pending;
  aqsim_pipe *pipes;
  aqsim_slot *slots;
  uint32_t pipe_count, slot_count;
  aqsim_queue *first[AQSIM_RANKS], *last[AQSIM_RANKS]; /* the run list */
  uint32_t leaving;   /* queues in that state */
  uint32_t contended; /* those, and the listed ones */
  aq_time due;        /* of the event, while it is pending */
} aqsim_slots;

/* How a queue that has to leave its slot does so. */
typedef enum aqsim_preempt_mode {
  AQSIM_PREEMPT_DRAIN,  /* running workgroups end first */
  AQSIM_PREEMPT_SWITCH, /* the waves of its kernels are saved */
} aqsim_preempt_mode;

/* The place of a queue on the device: the states of slots.c. */
typedef enum aqsim_map_state {
  AQSIM_MAP_OFF,     /* has no slot and waits for none */
  AQSIM_MAP_LISTED,  /* waits for one in the run list */
  AQSIM_MAP_ON,      /* has one */
  AQSIM_MAP_LEAVING, /* is preempted, and still has it */
  AQSIM_MAP_STATES,
} aqsim_map_state;

/* How a queue gets and loses its slot. Of slots.c. */
typedef struct aqsim_mapping {
  aqsim_map_state state;
  aqsim_pipe *pipe;          /* which serves it, or did so last */
  aqsim_slot *slot;          /* ON and LEAVING, otherwise NULL */
  aq_time usable;            /* from when the slot serves it */
  aq_time awake;             /* from when a doorbell is seen, if it was idle */
  aq_time idle_since, woken; /* when it became so last, and not so */
  aqsim_queue *next, *previous; /* in the run list */
  bool opened;  /* its dependency wait did when no processor was there to see it
                 */
  bool pending; /* the event is */
  aqsim_preempt_mode preemption; /* of the one under way */
  uint32_t frozen;               /* flights */
  aq_time frozen_at;
  aqsim_event
      event; /* it is mapped, and its active packets in flight continue */
  aqsim_pipe own_pipe; /* of a queue of the host agent */
  aqsim_slot own_slot;
} aqsim_mapping;

#endif
