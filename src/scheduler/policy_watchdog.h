/* SPDX-License-Identifier: MIT */
/*
 * A policy under watch: a process that runs it notes in shared memory which
 * hook it is in, so that another process can name the policy's hook when the
 * first one crashes, or end it when a hook does not return.
 *
 * One process runs the policy and writes; others only read. The table of a
 * policy that is not watched stays as it is: nothing is noted then.
 */
#ifndef AQ_SCHEDULER_POLICY_WATCHDOG_H
#define AQ_SCHEDULER_POLICY_WATCHDOG_H

#include "common/policy.h"

/* H(name): where the code of a policy runs, besides its hooks `load`, the
 * loading of a plug-in. */
#define AQ_POLICY_PLACES(H)                                                    \
  H(load)                                                                      \
  H(open)                                                                      \
  H(close)                                                                     \
  H(start)                                                                     \
  H(admit)                                                                     \
  H(ready)                                                                     \
  H(part_done)                                                                 \
  H(done)                                                                      \
  H(evicted)                                                                   \
  H(timer)                                                                     \
  H(attach)                                                                    \
  H(map)                                                                       \
  H(preempted)                                                                 \
  H(device_timer)                                                              \
  H(charge)                                                                    \
  H(packet_ready)                                                              \
  H(pick)                                                                      \
  H(launch)                                                                    \
  H(place)                                                                     \
  H(workgroup_start)                                                           \
  H(workgroup_done)                                                            \
  H(complete)                                                                  \
  H(copy_pick)

typedef enum aq_policy_place {
#define H(name) AQ_POLICY_IN_##name,
  AQ_POLICY_PLACES(H)
#undef H
} aq_policy_place;

typedef struct aq_policy_watchdog {
  uint64_t calls; /* atomic; odd: inside the policy's code */
  uint32_t place; /* atomic: aq_policy_place of the last call */
  int64_t run;    /* atomic: the incomplete run in the store, or AQ_NONE */
  uint64_t task;  /* atomic: of whoever runs several, one after the other */
} aq_policy_watchdog;

/* `count` of them in memory that forked processes share; NULL: no memory. */
aq_policy_watchdog *aq_policy_watchdog_create(size_t count);
void aq_policy_watchdog_destroy(aq_policy_watchdog *watch, size_t count);

/* Name of the last place, "ready"; static. */
const char *aq_policy_watchdog_place(const aq_policy_watchdog *watch);

static inline uint64_t aq_policy_watchdog_calls(const aq_policy_watchdog *watch)
{
  return __atomic_load_n(&watch->calls, __ATOMIC_RELAXED);
}

/* The watching process decides on whole seconds: no ordering is needed. */
static inline void aq_policy_watchdog_enter(aq_policy_watchdog *watch,
                                            aq_policy_place place)
{
  if (!watch)
    return;
  __atomic_store_n(&watch->place, (uint32_t)place, __ATOMIC_RELAXED);
  __atomic_store_n(&watch->calls, watch->calls + 1, __ATOMIC_RELAXED);
}

static inline void aq_policy_watchdog_leave(aq_policy_watchdog *watch)
{
  if (watch)
    __atomic_store_n(&watch->calls, watch->calls + 1, __ATOMIC_RELAXED);
}

/* ---- for the registry ---- */

enum { AQ_POLICY_SETTINGS_MAX = 32 };

/* The values of a choice, and the table behind a watched one; `open` finds it
 * by the values that it gets. */
typedef struct aq_policy_opening {
  aq_policy_ops inner;
  aq_policy_watchdog *watch;
  aq_policy_value values[AQ_POLICY_SETTINGS_MAX];
} aq_policy_opening;

/* Moves the table to opening->inner and puts hooks in its place that note where
 * they are and call it. */
void aq_policy_watchdog_table(aq_policy_ops *ops, aq_policy_opening *opening,
                              aq_policy_watchdog *watch);

#endif
