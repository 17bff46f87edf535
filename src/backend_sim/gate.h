/* SPDX-License-Identifier: MIT */
/*
 * Gates: what a barrier packet or a copy waits at until its dependencies are
 * satisfied. A signal is satisfied when it is seen 0; a change to 0 is seen
 * `poll` later, if the signal is still 0 then. Gates and their legs are the
 * caller's storage, and must stay in place while armed; the caller reserves
 * one calendar event for each gate.
 */
#ifndef AQSIM_GATE_H
#define AQSIM_GATE_H

#include <stdbool.h>
#include <stdint.h>

#include "backend_sim/calendar.h"
#include "backend_sim/signals.h"

typedef struct aqsim_gate aqsim_gate;

typedef struct aqsim_gate_leg {
  aqsim_watcher watcher; /* first */
  aqsim_gate *gate;
  aqsim_signal *signal; /* NULL: null handle, or seen */
  aq_time visible;      /* when its 0 will be seen, AQ_TIME_NONE: is not 0 */
} aqsim_gate_leg;

struct aqsim_gate {
  aqsim_event event; /* first */
  aqsim_calendar *calendar;
  const aq_time *now;
  aq_time poll;
  void (*open)(aqsim_gate *gate); /* called once, from an event */
  aqsim_gate_leg *legs;
  uint32_t count, unseen;
  bool any;       /* one is enough, and null handles never satisfy it */
  bool scheduled; /* its event is pending */
};

/* Sets what stays the same for all uses of a gate. */
void aqsim_gate_init(aqsim_gate *gate, aqsim_calendar *calendar,
                     const aq_time *now, void (*open)(aqsim_gate *gate));

/* Looks at the dependencies and returns whether the gate is open at once;
 * otherwise open() will be called when it is. `legs` has room for `count`. */
bool aqsim_gate_arm(aqsim_gate *gate, aqsim_gate_leg *legs,
                    const aq_signal *dependencies, uint32_t count, bool any,
                    aq_time poll);

/* Stops watching; a pending event must be forgotten by the caller. */
void aqsim_gate_disarm(aqsim_gate *gate);

/* The first dependency that is not satisfied yet, or NULL. */
const aqsim_signal *aqsim_gate_blocker(const aqsim_gate *gate);

#endif
