/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "backend_sim/engine/dependency_wait.h"

#include <stddef.h>

#include "common/allocations.h"

static bool equal(int64_t value, int64_t reference)
{
  return value == reference;
}

const aqsim_dep_wait_test aqsim_dep_wait_all_zero = {.compare = equal,
                                                     .mask = -1};
const aqsim_dep_wait_test aqsim_dep_wait_any_zero = {
    .compare = equal, .mask = -1, .any = true};

static void gate_schedule(aqsim_dep_wait *dep_wait, aq_time time)
{
  dep_wait->scheduled = true;
  aqsim_calendar_push(dep_wait->dep_waits->calendar, &dep_wait->event, time,
                      AQSIM_AT_NOTICE);
}

/* Acquire: the opened waiter sees all earlier stores of the writer.
 * Sequentially consistent, since a device that looks before it sleeps must not
 * miss a host that stores before it looks whether the device sleeps. */
bool aqsim_dep_wait_value(const aqsim_dep *dep, int64_t *out)
{
  const bool narrow = dep->dep_wait->test.narrow;
  *out = 0;
  if (dep->foreign)
    return aqsim_memory_load((uintptr_t)dep->address, narrow ? 4 : 8, out);
  *out = narrow
             ? __atomic_load_n((const uint32_t *)dep->address, __ATOMIC_SEQ_CST)
             : __atomic_load_n((const int64_t *)dep->address, __ATOMIC_SEQ_CST);
  return true;
}

static bool value_holds(const aqsim_dep_wait_test *test, int64_t value)
{
  return test->compare(value & test->mask, test->reference) ||
         (test->negative_ends && value < 0);
}

/* A dependency came to be satisfied: it will be seen after the poll interval.
 * Changes come in the order of time, so a pending event is never too late. */
static void leg_satisfied(aqsim_dep *dep)
{
  aqsim_dep_wait *dep_wait = dep->dep_wait;
  dep->visible = *dep_wait->dep_waits->now + dep_wait->poll;
  if (!dep_wait->scheduled)
    gate_schedule(dep_wait, dep->visible);
}

static void leg_changed(aqsim_watcher *watcher, int64_t value)
{
  aqsim_dep *dep = (aqsim_dep *)watcher;
  if (dep->visible == AQ_TIME_NONE && value_holds(&dep->dep_wait->test, value))
    leg_satisfied(dep);
}

static void leg_drop(aqsim_dep *dep)
{
  aqsim_signal_unwatch(&dep->watcher);
  dep->signal = NULL;
  dep->address = NULL;
}

/* The deps whose change is visible now; returns when the next one will be. */
static aq_time deps_scan(aqsim_dep_wait *dep_wait)
{
  aq_time now = *dep_wait->dep_waits->now, next = AQ_TIME_MAX;
  for (uint32_t i = 0; i < dep_wait->count; i++) {
    aqsim_dep *dep = &dep_wait->deps[i];
    if (!dep->address || dep->visible == AQ_TIME_NONE)
      continue;
    if (dep->visible > now) {
      next = aq_time_min(next, dep->visible);
      continue;
    }
    int64_t value;
    if (!aqsim_dep_wait_value(dep, &value)) {
      dep_wait->unmapped = (uintptr_t)dep->address;
      return next;
    }
    if (!value_holds(&dep_wait->test, value)) {
      dep->visible = AQ_TIME_NONE; /* it changed again before the look */
      continue;
    }
    if (dep_wait->test.negative_ends && value < 0)
      dep_wait->negative = value;
    leg_drop(dep);
    dep_wait->unseen--;
  }
  return next;
}

static bool gate_is_open(const aqsim_dep_wait *dep_wait, bool some)
{
  return dep_wait->unseen == 0 || dep_wait->negative < 0 ||
         dep_wait->unmapped || (dep_wait->test.any && some);
}

static void gate_fire(aqsim_event *event)
{
  aqsim_dep_wait *dep_wait = (aqsim_dep_wait *)event;
  dep_wait->scheduled = false;
  uint32_t before = dep_wait->unseen;
  aq_time next = deps_scan(dep_wait);
  if (gate_is_open(dep_wait, dep_wait->unseen < before)) {
    aqsim_dep_wait_disarm(dep_wait);
    dep_wait->open(dep_wait);
  } else if (next != AQ_TIME_MAX) {
    gate_schedule(dep_wait, next);
  }
}

void aqsim_dep_wait_init(aqsim_dep_wait *dep_wait, aqsim_dep_waits *dep_waits,
                         void (*open)(aqsim_dep_wait *dep_wait))
{
  *dep_wait = (aqsim_dep_wait){
      .event = {gate_fire}, .dep_waits = dep_waits, .open = open};
}

static void gate_close(aqsim_dep_wait *dep_wait)
{
  aqsim_dep_waits *dep_waits = dep_wait->dep_waits;
  dep_wait->armed = true;
  dep_wait->previous = NULL;
  dep_wait->next = dep_waits->armed;
  if (dep_wait->next)
    dep_wait->next->previous = dep_wait;
  dep_waits->armed = dep_wait;
  dep_waits->memory += dep_wait->memory;
}

static void gate_begin(aqsim_dep_wait *dep_wait, aqsim_dep *deps,
                       uint32_t count, const aqsim_dep_wait_test *test,
                       aq_time poll)
{
  dep_wait->deps = deps;
  dep_wait->count = count;
  dep_wait->unseen = 0;
  dep_wait->negative = 0;
  dep_wait->unmapped = 0;
  dep_wait->memory = false;
  dep_wait->test = *test;
  dep_wait->poll = poll;
}

/* A value that is no signal's: 8 bytes above the handle, which nothing reads.
 */
static bool leg_aim_memory(aqsim_dep *dep)
{
  const aqsim_signals *signals = dep->dep_wait->dep_waits->signals;
  const uint64_t at =
      aq_allocations_reach(signals->allocations, (uintptr_t)dep->address);
  uint64_t unmapped;
  dep->foreign = signals->awake != NULL;
  dep->address = (const void *)(uintptr_t)at;
  return at % sizeof(int64_t) == 0 && !aq_slab_covers(&signals->slab, at) &&
         !aqsim_memory_unmapped(AQSIM_READ, at, sizeof(int64_t), &unmapped);
}

/* Points a dep at the value of its dependency; false: no memory is mapped
 * there. Signals of the pool report their changes, other memory is polled. */
static bool leg_aim(aqsim_dep *dep, aq_signal handle)
{
  const aqsim_signals *signals = dep->dep_wait->dep_waits->signals;
  uint64_t unmapped;
  aqsim_signal *signal = aqsim_signal_from(handle);
  dep->address = (const char *)(uintptr_t)handle.handle +
                 offsetof(aqsim_signal, abi.value);
  if (dep->dep_wait->test.memory && !aqsim_signal_is_pooled(signals, handle) &&
      !aqsim_signals_find(signals, handle))
    return leg_aim_memory(dep);
  if (!signals->awake) {
    dep->signal = signal;
    return true;
  }
  switch (aqsim_signal_named(signals, handle, AQSIM_READ, &unmapped)) {
  case AQSIM_NAMED_SIGNAL:
    dep->signal = signal;
    dep->foreign = signal->placed;
    return true;
  case AQSIM_NAMED_FOREIGN:
    dep->foreign = true;
    return true;
  case AQSIM_NAMED_DESTROYED: /* as hardware: whatever its memory says */
    return true;
  case AQSIM_NAMED_NOTHING:
    break;
  }
  return false;
}

/* The hooks look at every signal that they know. */
static void notice_notify(const aqsim_dep_waits *dep_waits)
{
  const aq_device_hooks *hooks = dep_waits->hooks;
  if (hooks && hooks->size > offsetof(aq_device_hooks, noticed) &&
      hooks->noticed)
    hooks->noticed(hooks->user, *dep_waits->now);
}

/* A dep that is not satisfied yet. */
static void leg_watch(aqsim_dep *dep)
{
  aqsim_dep_wait *dep_wait = dep->dep_wait;
  const aqsim_dep_wait_test *test = &dep_wait->test;
  const bool zero = test->compare == equal && test->mask == -1 &&
                    test->reference == 0 && !test->negative_ends;
  dep_wait->unseen++;
  if (dep->signal)
    aqsim_signal_watch(zero ? &dep->signal->zero : &dep->signal->each,
                       &dep->watcher);
  else
    dep_wait->memory = true;
}

bool aqsim_dep_wait_arm(aqsim_dep_wait *dep_wait, aqsim_dep *deps,
                        const aq_signal *dependencies, uint32_t count,
                        const aqsim_dep_wait_test *test, aq_time poll)
{
  bool some = false;
  gate_begin(dep_wait, deps, count, test, poll);
  for (uint32_t i = 0; i < count; i++) {
    int64_t value;
    deps[i] = (aqsim_dep){.watcher = {.changed = leg_changed},
                          .dep_wait = dep_wait,
                          .visible = AQ_TIME_NONE};
    if (dependencies[i].handle == 0)
      continue;
    if (!leg_aim(&deps[i], dependencies[i]) ||
        !aqsim_dep_wait_value(&deps[i], &value)) {
      dep_wait->unmapped = dependencies[i].handle;
      deps[i].address = NULL;
      continue;
    }
    if (!value_holds(test, value)) {
      leg_watch(&deps[i]);
      continue;
    }
    some = true;
    deps[i].signal = NULL;
    deps[i].address = NULL;
    if (test->negative_ends && value < 0)
      dep_wait->negative = value;
  }
  /* Null handles satisfy all, but never any. */
  bool open = dep_wait->negative < 0 || dep_wait->unmapped ||
              (test->any ? some : dep_wait->unseen == 0);
  if (some)
    notice_notify(dep_wait->dep_waits);
  if (open)
    aqsim_dep_wait_disarm(dep_wait);
  else
    gate_close(dep_wait);
  return open;
}

bool aqsim_dep_wait_arm_memory(aqsim_dep_wait *dep_wait, aqsim_dep *dep,
                               const void *address,
                               const aqsim_dep_wait_test *test, aq_time poll)
{
  gate_begin(dep_wait, dep, 1, test, poll);
  *dep = (aqsim_dep){.dep_wait = dep_wait,
                     .address = address,
                     .foreign = dep_wait->dep_waits->signals->awake != NULL,
                     .visible = AQ_TIME_NONE};
  int64_t value;
  const bool there = aqsim_dep_wait_value(dep, &value);
  if (!there)
    dep_wait->unmapped = (uintptr_t)address;
  if (!there || value_holds(test, value)) {
    dep_wait->count = 0;
    return true;
  }
  dep_wait->unseen = 1;
  dep_wait->memory = true;
  gate_close(dep_wait);
  return false;
}

void aqsim_dep_wait_disarm(aqsim_dep_wait *dep_wait)
{
  for (uint32_t i = 0; i < dep_wait->count; i++)
    leg_drop(&dep_wait->deps[i]);
  dep_wait->count = 0;
  if (!dep_wait->armed)
    return;
  dep_wait->armed = false;
  dep_wait->dep_waits->memory -= dep_wait->memory;
  if (dep_wait->previous)
    dep_wait->previous->next = dep_wait->next;
  else
    dep_wait->dep_waits->armed = dep_wait->next;
  if (dep_wait->next)
    dep_wait->next->previous = dep_wait->previous;
}

/* A dep that is satisfied, or lost its memory, without having heard of it. */
static bool dep_has_changes(const aqsim_dep_wait *dep_wait,
                            const aqsim_dep *dep)
{
  int64_t value;
  return dep->address && dep->visible == AQ_TIME_NONE &&
         (!aqsim_dep_wait_value(dep, &value) ||
          value_holds(&dep_wait->test, value));
}

void aqsim_dep_waits_poll(aqsim_dep_waits *dep_waits)
{
  bool changes = false;
  for (aqsim_dep_wait *dep_wait = dep_waits->armed; dep_wait;
       dep_wait = dep_wait->next)
    for (uint32_t i = 0; i < dep_wait->count; i++)
      if (dep_has_changes(dep_wait, &dep_wait->deps[i])) {
        leg_satisfied(&dep_wait->deps[i]);
        changes = true;
      }
  if (changes)
    notice_notify(dep_waits);
}

bool aqsim_dep_waits_have_changes(const aqsim_dep_waits *dep_waits)
{
  for (const aqsim_dep_wait *dep_wait = dep_waits->armed; dep_wait;
       dep_wait = dep_wait->next)
    for (uint32_t i = 0; i < dep_wait->count; i++)
      if (dep_has_changes(dep_wait, &dep_wait->deps[i]))
        return true;
  return false;
}

const aqsim_dep *aqsim_dep_wait_blocker(const aqsim_dep_wait *dep_wait)
{
  for (uint32_t i = 0; i < dep_wait->count; i++)
    if (dep_wait->deps[i].address)
      return &dep_wait->deps[i];
  return NULL;
}
