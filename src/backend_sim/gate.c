/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "backend_sim/gate.h"

#include <stddef.h>

static bool equal(int64_t value, int64_t reference)
{
  return value == reference;
}

const aqsim_gate_test aqsim_gate_all_zero = {.compare = equal, .mask = -1};
const aqsim_gate_test aqsim_gate_any_zero = {
    .compare = equal, .mask = -1, .any = true};

static void gate_schedule(aqsim_gate *gate, aq_time time)
{
  gate->scheduled = true;
  aqsim_calendar_push(gate->gates->calendar, &gate->event, time,
                      AQSIM_AT_NOTICE);
}

/* Acquire: the opened waiter sees all earlier stores of the writer.
 * Sequentially consistent, since a device that looks before it sleeps must not
 * miss a host that stores before it looks whether the device sleeps. */
bool aqsim_gate_value(const aqsim_gate_leg *leg, int64_t *out)
{
  const bool narrow = leg->gate->test.narrow;
  *out = 0;
  if (leg->foreign)
    return aqsim_memory_load((uintptr_t)leg->address, narrow ? 4 : 8, out);
  *out = narrow
             ? __atomic_load_n((const uint32_t *)leg->address, __ATOMIC_SEQ_CST)
             : __atomic_load_n((const int64_t *)leg->address, __ATOMIC_SEQ_CST);
  return true;
}

static bool value_holds(const aqsim_gate_test *test, int64_t value)
{
  return test->compare(value & test->mask, test->reference) ||
         (test->negative_ends && value < 0);
}

/* A dependency came to be satisfied: it will be seen after the poll interval.
 * Changes come in the order of time, so a pending event is never too late. */
static void leg_satisfied(aqsim_gate_leg *leg)
{
  aqsim_gate *gate = leg->gate;
  leg->visible = *gate->gates->now + gate->poll;
  if (!gate->scheduled)
    gate_schedule(gate, leg->visible);
}

static void leg_changed(aqsim_watcher *watcher, int64_t value)
{
  aqsim_gate_leg *leg = (aqsim_gate_leg *)watcher;
  if (leg->visible == AQ_TIME_NONE && value_holds(&leg->gate->test, value))
    leg_satisfied(leg);
}

static void leg_drop(aqsim_gate_leg *leg)
{
  aqsim_signal_unwatch(&leg->watcher);
  leg->signal = NULL;
  leg->address = NULL;
}

/* The legs whose change is visible now; returns when the next one will be. */
static aq_time legs_look(aqsim_gate *gate)
{
  aq_time now = *gate->gates->now, next = AQ_TIME_MAX;
  for (uint32_t i = 0; i < gate->count; i++) {
    aqsim_gate_leg *leg = &gate->legs[i];
    if (!leg->address || leg->visible == AQ_TIME_NONE)
      continue;
    if (leg->visible > now) {
      next = aq_time_min(next, leg->visible);
      continue;
    }
    int64_t value;
    if (!aqsim_gate_value(leg, &value)) {
      gate->unmapped = (uintptr_t)leg->address;
      return next;
    }
    if (!value_holds(&gate->test, value)) {
      leg->visible = AQ_TIME_NONE; /* it changed again before the look */
      continue;
    }
    if (gate->test.negative_ends && value < 0)
      gate->negative = value;
    leg_drop(leg);
    gate->unseen--;
  }
  return next;
}

static bool gate_is_open(const aqsim_gate *gate, bool some)
{
  return gate->unseen == 0 || gate->negative < 0 || gate->unmapped ||
         (gate->test.any && some);
}

static void gate_fire(aqsim_event *event)
{
  aqsim_gate *gate = (aqsim_gate *)event;
  gate->scheduled = false;
  uint32_t before = gate->unseen;
  aq_time next = legs_look(gate);
  if (gate_is_open(gate, gate->unseen < before)) {
    aqsim_gate_disarm(gate);
    gate->open(gate);
  } else if (next != AQ_TIME_MAX) {
    gate_schedule(gate, next);
  }
}

void aqsim_gate_init(aqsim_gate *gate, aqsim_gates *gates,
                     void (*open)(aqsim_gate *gate))
{
  *gate = (aqsim_gate){.event = {gate_fire}, .gates = gates, .open = open};
}

static void gate_close(aqsim_gate *gate)
{
  aqsim_gates *gates = gate->gates;
  gate->armed = true;
  gate->previous = NULL;
  gate->next = gates->armed;
  if (gate->next)
    gate->next->previous = gate;
  gates->armed = gate;
  gates->memory += gate->memory;
}

static void gate_begin(aqsim_gate *gate, aqsim_gate_leg *legs, uint32_t count,
                       const aqsim_gate_test *test, aq_time poll)
{
  gate->legs = legs;
  gate->count = count;
  gate->unseen = 0;
  gate->negative = 0;
  gate->unmapped = 0;
  gate->memory = false;
  gate->test = *test;
  gate->poll = poll;
}

/* Points a leg at the value of its dependency; false: no memory is mapped
 * there. Signals of the pool report their changes, other memory is polled. */
static bool leg_aim(aqsim_gate_leg *leg, aq_signal handle)
{
  const aqsim_signals *signals = leg->gate->gates->signals;
  uint64_t unmapped;
  aqsim_signal *signal = aqsim_signal_from(handle);
  leg->address = (const char *)(uintptr_t)handle.handle +
                 offsetof(aqsim_signal, abi.value);
  if (!signals->awake) {
    leg->signal = signal;
    return true;
  }
  switch (aqsim_signal_named(signals, handle, AQSIM_READ, &unmapped)) {
  case AQSIM_NAMED_SIGNAL:
    leg->signal = signal;
    leg->foreign = signal->placed;
    return true;
  case AQSIM_NAMED_FOREIGN:
    leg->foreign = true;
    return true;
  case AQSIM_NAMED_DESTROYED: /* as hardware: whatever its memory says */
    return true;
  case AQSIM_NAMED_NOTHING:
    break;
  }
  return false;
}

/* The hooks look at every signal that they know. */
static void notice_tell(const aqsim_gates *gates)
{
  const aq_device_hooks *hooks = gates->hooks;
  if (hooks && hooks->size > offsetof(aq_device_hooks, noticed) &&
      hooks->noticed)
    hooks->noticed(hooks->user, *gates->now);
}

/* A leg that is not satisfied yet. */
static void leg_watch(aqsim_gate_leg *leg)
{
  aqsim_gate *gate = leg->gate;
  const aqsim_gate_test *test = &gate->test;
  const bool zero = test->compare == equal && test->mask == -1 &&
                    test->reference == 0 && !test->negative_ends;
  gate->unseen++;
  if (leg->signal)
    aqsim_signal_watch(zero ? &leg->signal->zero : &leg->signal->each,
                       &leg->watcher);
  else
    gate->memory = true;
}

bool aqsim_gate_arm(aqsim_gate *gate, aqsim_gate_leg *legs,
                    const aq_signal *dependencies, uint32_t count,
                    const aqsim_gate_test *test, aq_time poll)
{
  bool some = false;
  gate_begin(gate, legs, count, test, poll);
  for (uint32_t i = 0; i < count; i++) {
    int64_t value;
    legs[i] = (aqsim_gate_leg){.watcher = {.changed = leg_changed},
                               .gate = gate,
                               .visible = AQ_TIME_NONE};
    if (dependencies[i].handle == 0)
      continue;
    if (!leg_aim(&legs[i], dependencies[i]) ||
        !aqsim_gate_value(&legs[i], &value)) {
      gate->unmapped = dependencies[i].handle;
      legs[i].address = NULL;
      continue;
    }
    if (!value_holds(test, value)) {
      leg_watch(&legs[i]);
      continue;
    }
    some = true;
    legs[i].signal = NULL;
    legs[i].address = NULL;
    if (test->negative_ends && value < 0)
      gate->negative = value;
  }
  /* Null handles satisfy all, but never any. */
  bool open = gate->negative < 0 || gate->unmapped ||
              (test->any ? some : gate->unseen == 0);
  if (some)
    notice_tell(gate->gates);
  if (open)
    aqsim_gate_disarm(gate);
  else
    gate_close(gate);
  return open;
}

bool aqsim_gate_arm_memory(aqsim_gate *gate, aqsim_gate_leg *leg,
                           const void *address, const aqsim_gate_test *test,
                           aq_time poll)
{
  gate_begin(gate, leg, 1, test, poll);
  *leg = (aqsim_gate_leg){.gate = gate,
                          .address = address,
                          .foreign = gate->gates->signals->awake != NULL,
                          .visible = AQ_TIME_NONE};
  int64_t value;
  const bool there = aqsim_gate_value(leg, &value);
  if (!there)
    gate->unmapped = (uintptr_t)address;
  if (!there || value_holds(test, value)) {
    gate->count = 0;
    return true;
  }
  gate->unseen = 1;
  gate->memory = true;
  gate_close(gate);
  return false;
}

void aqsim_gate_disarm(aqsim_gate *gate)
{
  for (uint32_t i = 0; i < gate->count; i++)
    leg_drop(&gate->legs[i]);
  gate->count = 0;
  if (!gate->armed)
    return;
  gate->armed = false;
  gate->gates->memory -= gate->memory;
  if (gate->previous)
    gate->previous->next = gate->next;
  else
    gate->gates->armed = gate->next;
  if (gate->next)
    gate->next->previous = gate->previous;
}

/* A leg that is satisfied, or lost its memory, without having heard of it. */
static bool leg_has_news(const aqsim_gate *gate, const aqsim_gate_leg *leg)
{
  int64_t value;
  return leg->address && leg->visible == AQ_TIME_NONE &&
         (!aqsim_gate_value(leg, &value) || value_holds(&gate->test, value));
}

void aqsim_gates_look(aqsim_gates *gates)
{
  bool news = false;
  for (aqsim_gate *gate = gates->armed; gate; gate = gate->next)
    for (uint32_t i = 0; i < gate->count; i++)
      if (leg_has_news(gate, &gate->legs[i])) {
        leg_satisfied(&gate->legs[i]);
        news = true;
      }
  if (news)
    notice_tell(gates);
}

bool aqsim_gates_have_news(const aqsim_gates *gates)
{
  for (const aqsim_gate *gate = gates->armed; gate; gate = gate->next)
    for (uint32_t i = 0; i < gate->count; i++)
      if (leg_has_news(gate, &gate->legs[i]))
        return true;
  return false;
}

const aqsim_gate_leg *aqsim_gate_blocker(const aqsim_gate *gate)
{
  for (uint32_t i = 0; i < gate->count; i++)
    if (gate->legs[i].address)
      return &gate->legs[i];
  return NULL;
}
