/* SPDX-License-Identifier: MIT */
/*
 * Gates: a barrier packet, a PM4 wait or a copy waits at one until its
 * dependencies are satisfied. A change is seen `poll` after it happened, if the
 * dependency is still satisfied then.
 *
 * The signals that a gate watches report their changes to it; aqsim_gates_look
 * finds changes that a thread stored to memory, also to a client's own
 * amd_signal_t. Gates and their legs are the caller's storage, and must stay in
 * place while armed; the caller reserves one calendar event for each gate. One
 * thread at a time.
 */
#ifndef AQSIM_GATE_H
#define AQSIM_GATE_H

#include <stdbool.h>
#include <stdint.h>

#include "backend_sim/calendar.h"
#include "backend_sim/signals.h"
#include "common/device_hooks.h"

typedef struct aqsim_gate aqsim_gate;

/* The state that the gates of a transport share. */
typedef struct aqsim_gates {
  aqsim_calendar *calendar;
  const aqsim_signals *signals;
  const aq_time *now;
  aqsim_gate *armed; /* the closed gates, the newest first */
  uint32_t memory;   /* how many of them wait for memory, not for signals */
  const aq_device_hooks *hooks; /* NULL: none */
} aqsim_gates;

typedef bool aqsim_compare(int64_t value, int64_t reference);

/* When a dependency is satisfied: (value & mask) compared with the reference.
 */
typedef struct aqsim_gate_test {
  aqsim_compare *compare;
  int64_t mask, reference;
  bool narrow;        /* of memory: 32 bits */
  bool any;           /* one is enough, and null handles never satisfy it */
  bool negative_ends; /* a signal below 0 opens the gate, as an error */
} aqsim_gate_test;

/* All seen 0, and one seen 0. */
extern const aqsim_gate_test aqsim_gate_all_zero, aqsim_gate_any_zero;

typedef struct aqsim_gate_leg {
  aqsim_watcher watcher; /* first */
  aqsim_gate *gate;
  aqsim_signal *signal; /* NULL: memory, null handle, or seen */
  const void *address;  /* of the value, NULL: null handle, or seen */
  bool foreign; /* live: the memory is the client's, and may go at any time */
  aq_time visible; /* when it will be seen, AQ_TIME_NONE: is not satisfied */
} aqsim_gate_leg;

struct aqsim_gate {
  aqsim_event event; /* first */
  aqsim_gates *gates;
  aqsim_gate *next, *previous;    /* armed ones */
  void (*open)(aqsim_gate *gate); /* called once, from an event */
  aqsim_gate_leg *legs;
  aqsim_gate_test test;
  aq_time poll;
  uint32_t count, unseen;
  int64_t negative;  /* the value below 0 that opened it, or 0 */
  uint64_t unmapped; /* address of a dependency in unmapped memory, which opens
                    it too; or 0 */
  bool armed, memory;
  bool scheduled; /* its event is pending */
};

/* Sets what stays the same for all uses of a gate. */
void aqsim_gate_init(aqsim_gate *gate, aqsim_gates *gates,
                     void (*open)(aqsim_gate *gate));

/* Looks at the dependencies and returns whether the gate is open at once;
 * otherwise open() will be called when it is. `legs` has room for `count`. */
bool aqsim_gate_arm(aqsim_gate *gate, aqsim_gate_leg *legs,
                    const aq_signal *dependencies, uint32_t count,
                    const aqsim_gate_test *test, aq_time poll);

/* The same for one word of memory. */
bool aqsim_gate_arm_memory(aqsim_gate *gate, aqsim_gate_leg *leg,
                           const void *address, const aqsim_gate_test *test,
                           aq_time poll);

/* Stops watching; a pending event must be forgotten by the caller. */
void aqsim_gate_disarm(aqsim_gate *gate);

/* Looks at the values of all armed gates. */
void aqsim_gates_look(aqsim_gates *gates);

/* Whether that would find something. */
bool aqsim_gates_have_news(const aqsim_gates *gates);

/* The first dependency that is not satisfied yet, or NULL. */
const aqsim_gate_leg *aqsim_gate_blocker(const aqsim_gate *gate);

/* The value that a leg waits to change; false: its memory is gone. */
bool aqsim_gate_value(const aqsim_gate_leg *leg, int64_t *out);

#endif
