/* SPDX-License-Identifier: MIT */
/*
 * Dependency waits: a barrier packet, a PM4 wait or a copy waits in one until
 * its dependencies are satisfied. A change is seen `poll` after it happened, if
 * the dependency is still satisfied then.
 *
 * The signals that a dependency wait watches report their changes to it;
 * aqsim_dep_waits_poll finds changes that a thread stored to memory, also to a
 * client's own amd_signal_t. Dependency waits and their deps are the caller's
 * storage, and must stay in place while armed; the caller reserves one calendar
 * event for each dependency wait. One thread at a time.
 */
#ifndef AQSIM_DEPENDENCY_WAIT_H
#define AQSIM_DEPENDENCY_WAIT_H

#include <stdbool.h>
#include <stdint.h>

#include "backend_sim/engine/calendar.h"
#include "backend_sim/engine/signals.h"
#include "common/device_hooks.h"

typedef struct aqsim_dep_wait aqsim_dep_wait;

/* The state that the dependency waits of a transport share. */
typedef struct aqsim_dep_waits {
  aqsim_calendar *calendar;
  const aqsim_signals *signals;
  const aq_time *now;
  aqsim_dep_wait *armed; /* the pending dependency waits, the newest first */
  uint32_t memory;       /* how many of them wait for memory, not for signals */
  const aq_device_hooks *hooks; /* NULL: none */
} aqsim_dep_waits;

typedef bool aqsim_compare(int64_t value, int64_t reference);

/* When a dependency is satisfied: (value & mask) compared with the reference.
 */
typedef struct aqsim_dep_wait_test {
  aqsim_compare *compare;
  int64_t mask, reference;
  bool narrow;        /* of memory: 32 bits */
  bool any;           /* one is enough, and null handles never satisfy it */
  bool memory;        /* handles may name any memory 8 bytes below a value */
  bool negative_ends; /* a signal below 0 opens the dependency wait, as an error
                       */
} aqsim_dep_wait_test;

/* All seen 0, and one seen 0. */
extern const aqsim_dep_wait_test aqsim_dep_wait_all_zero,
    aqsim_dep_wait_any_zero;

typedef struct aqsim_dep {
  aqsim_watcher watcher; /* first */
  aqsim_dep_wait *dep_wait;
  aqsim_signal *signal; /* NULL: memory, null handle, or seen */
  const void *address;  /* of the value, NULL: null handle, or seen */
  bool foreign; /* live: the memory is the client's, and may go at any time */
  aq_time visible; /* when it will be seen, AQ_TIME_NONE: is not satisfied */
} aqsim_dep;

struct aqsim_dep_wait {
  aqsim_event event; /* first */
  aqsim_dep_waits *dep_waits;
  aqsim_dep_wait *next, *previous;        /* armed ones */
  void (*open)(aqsim_dep_wait *dep_wait); /* called once, from an event */
  aqsim_dep *deps;
  aqsim_dep_wait_test test;
  aq_time poll;
  uint32_t count, unseen;
  int64_t negative;  /* the value below 0 that opened it, or 0 */
  uint64_t unmapped; /* address of a dependency in unmapped memory, which opens
                        it too; or 0 */
  bool armed, memory;
  bool scheduled; /* its event is pending */
};

/* Sets what stays the same for all uses of a dependency wait. */
void aqsim_dep_wait_init(aqsim_dep_wait *dep_wait, aqsim_dep_waits *dep_waits,
                         void (*open)(aqsim_dep_wait *dep_wait));

/* Looks at the dependencies and returns whether the dependency wait is open at
 * once; otherwise open() will be called when it is. `deps` has room for
 * `count`. */
bool aqsim_dep_wait_arm(aqsim_dep_wait *dep_wait, aqsim_dep *deps,
                        const aq_signal *dependencies, uint32_t count,
                        const aqsim_dep_wait_test *test, aq_time poll);

/* The same for one word of memory. */
bool aqsim_dep_wait_arm_memory(aqsim_dep_wait *dep_wait, aqsim_dep *dep,
                               const void *address,
                               const aqsim_dep_wait_test *test, aq_time poll);

/* Stops watching; a pending event must be forgotten by the caller. */
void aqsim_dep_wait_disarm(aqsim_dep_wait *dep_wait);

/* Looks at the values of all armed dependency waits. */
void aqsim_dep_waits_poll(aqsim_dep_waits *dep_waits);

/* Whether that would find something. */
bool aqsim_dep_waits_have_changes(const aqsim_dep_waits *dep_waits);

/* The first dependency that is not satisfied yet, or NULL. */
const aqsim_dep *aqsim_dep_wait_blocker(const aqsim_dep_wait *dep_wait);

/* The value that a dep waits to change; false: its memory is gone. */
bool aqsim_dep_wait_value(const aqsim_dep *dep, int64_t *out);

#endif
