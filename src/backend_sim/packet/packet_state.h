/* SPDX-License-Identifier: MIT */
/*
 * Packets of a queue, from the ring to their completion: noticed, fetched, in
 * flight, and the line of waiting ones.
 *
 * Owners: fetch.c the intake, processor.c the line, each step its flight.
 */
#ifndef AQSIM_PACKET_STATE_H
#define AQSIM_PACKET_STATE_H

#include "backend_sim/code/kernels.h"
#include "backend_sim/dispatch/dispatcher.h"
#include "backend_sim/engine/calendar.h"
#include "backend_sim/engine/dependency_wait.h"
#include "backend_sim/packet/packet_validate.h"
#include "backend_sim/types.h"
#include "common/transport.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Life of a packet between the ring and its completion: lifecycle.def. */
typedef enum aqsim_step {
#define S(name, function, waits, then, next) AQSIM_STEP_##name,
#include "backend_sim/packet/lifecycle.def"
#undef S
  AQSIM_STEP_COUNT
} aqsim_step;

/* A packet that has been fetched and is not complete. What every step needs
 * lies in its first cache line, times in the second, the packet in the third.
 */
struct aqsim_inflight {
  aqsim_event event; /* first: the step continues */
  aqsim_queue *queue;
  aqsim_inflight
      *next; /* in the order of launch, or of free packets in flight */
  const aqsim_packet_type_ops *kind; /* of its packet, once launched */
  aqsim_policy_kernel *run; /* of kernels that a policy decides about */
  aq_time fetch;            /* decoded */
  uint8_t step;             /* aqsim_step */
  uint8_t stalls;           /* AQ_STALL_… */
  bool in_use, sleeping, back_to_back;
  bool barrier; /* its barrier bit */
  bool frozen;  /* its kernel was taken off the compute units */
  bool stopped; /* the same, by a policy: not in `frozen` */
  union {       /* one store clears them when it is fetched */
    uint64_t rare;
    struct {
      bool paused;   /* frozen in the middle of its code */
      bool killed;   /* by a policy */
      bool told;     /* its code read the clock that says how long it took */
      bool outlasts; /* the code ends later than the kernel's cost says */
      bool reread;   /* its header was strange, and is read once more */
      bool hooked;   /* a hook saw it: `injected` is set */
      bool changed;  /* it changed it: the ring does not have it */
      bool executes; /* its kernel's code is executed, or was */
    };
  };

  _Alignas(64) uint64_t id;
  aq_time submit, launch, start, end;
  aq_time stamp;    /* start timestamp, as this device writes it */
  int64_t negative; /* a dependency was an error: so is the completion */

  _Alignas(64) aq_packet packet;

  /* Of kernel dispatches, once launched. */
  _Alignas(64) const aqsim_kernel *kernel;
  uint64_t workgroups;
  aqsim_grid *grid;          /* of those under dispatch, or NULL */
  aqsim_roofline_load *load; /* of dispatches with a roofline, or NULL */
  void *execution;           /* by the executor, until every wave ended */
  aq_time executed;          /* when the device is done with that, as far as the
                                executor knows */
  uint32_t injected;         /* reason of a queue error that a hook asked for */
};

_Static_assert(offsetof(aqsim_inflight, executes) <
                   offsetof(aqsim_inflight, rare) + sizeof(uint64_t),
               "the store at the fetch clears all of them");

/* Why a queue launches nothing. */
enum {
  AQSIM_HOLD_PACKET = 1,  /* a packet that blocks is active */
  AQSIM_HOLD_SLOT = 2,    /* it has no slot, or has to leave it */
  AQSIM_HOLD_SUSPEND = 4, /* a policy suspended it */
  AQSIM_HOLD_LIMIT = 8,   /* as many packets run as a policy lets run */
  AQSIM_HOLD_RESET = 16,  /* its packets are about to be taken off */
  AQSIM_HOLD_CLIENT = 32, /* its client suspended it */
  /* With a slot or without: it is no work that is left. */
  AQSIM_HOLD_POLICY = AQSIM_HOLD_SUSPEND | AQSIM_HOLD_LIMIT | AQSIM_HOLD_RESET |
                      AQSIM_HOLD_CLIENT,
};

/* Packet ids: read index <= fetched <= noticed <= write index. Of fetch.c. */
typedef struct aqsim_fetch_state {
  uint64_t read; /* the read index, which clients see, but do not change */
  uint64_t noticed, fetched;
  aq_time *submitted; /* by slot: when the packet was noticed */
  uint8_t *completed; /* by slot: complete, not handed back yet */
  aqsim_event event;  /* of the next fetch */
  bool pending;       /* the event is, or the fetch unit is wanted */
} aqsim_fetch_state;

/* A kernel dispatch that was checked: dimensions, sizes and segments, how many
 * workgroups they make, and how long those take. */
typedef struct aqsim_dispatch_shape {
  uint64_t words[4]; /* the packet's, without its header */
  uint64_t workgroups;
  aq_time duration; /* on the queue's compute units; AQ_TIME_NONE: only the
                     * dispatch can say, or there is more to do than wait */
} aqsim_dispatch_shape;

/* Packets that were decoded and launched. Of processor.c. */
typedef struct aqsim_launch_state {
  aqsim_inflight *first, *last; /* decoded, not launched, in order */
  uint32_t waiting;             /* their number */
  uint32_t active;              /* launched, not complete */
  uint64_t launched;            /* number ever launched */
  uint8_t hold;                 /* AQSIM_HOLD_… */
  bool pumping;
  bool kernel_before;         /* the packet launched last is a kernel */
  bool barrier_before;        /* it is a barrier packet */
  aq_time gap;                /* of the kernel launched last: from its end to
                               * the next start; 0: as the model has it */
  aq_time last_end;           /* of the kernels that completed */
  const aqsim_kernel *kernel; /* launched last: mostly the next one too */
  aqsim_dispatch_shape shape; /* of that, while the kernel is there */
} aqsim_launch_state;

/* The packets in flight of a queue, ring.size of them. */
typedef struct aqsim_inflight_pool {
  aqsim_inflight *free, *inflights;
  uint32_t fresh; /* flights that were never used are at the end */
} aqsim_inflight_pool;

/* The reason why a packet waits; it blocks the later packets, so one is enough.
 */
typedef struct aqsim_queue_wait {
  aqsim_dep_wait dep_wait;
  aqsim_dep deps[AQ_BARRIER_DEPENDENCIES];
  aqsim_inflight *inflight; /* the last one that did */
} aqsim_queue_wait;

/* Pages of arguments of spin kernels, seen mapped. */
typedef struct aqsim_kernargs {
  uint64_t first, end;
  uint32_t ahead; /* how many more are looked at next time */
} aqsim_kernargs;

/* The callback for a packet that stopped the queue, and the packet. */
typedef struct aqsim_queue_failure {
  void (*tell)(const aq_queue_error *error, void *user);
  void *user;
  uint64_t packet;
  uint32_t reason;
  char text[AQSIM_FAULT_TEXT_MAX];
} aqsim_queue_failure;

#endif
