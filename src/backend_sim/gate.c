/* SPDX-License-Identifier: MIT */
#include "backend_sim/gate.h"

static void gate_schedule(aqsim_gate *gate, aq_time time)
{
  gate->scheduled = true;
  aqsim_calendar_push(gate->calendar, &gate->event, time, AQSIM_AT_NOTICE);
}

/* A signal became 0: it will be seen after the poll interval. Changes come in
 * the order of time, so a pending event is never too late. */
static void leg_changed(aqsim_watcher *watcher, int64_t value)
{
  aqsim_gate_leg *leg = (aqsim_gate_leg *)watcher;
  aqsim_gate *gate = leg->gate;
  (void)value;
  if (leg->visible != AQ_TIME_NONE)
    return;
  leg->visible = *gate->now + gate->poll;
  if (!gate->scheduled)
    gate_schedule(gate, leg->visible);
}

static void leg_drop(aqsim_gate_leg *leg)
{
  aqsim_signal_unwatch(&leg->watcher);
  leg->signal = NULL;
}

/* The legs whose change is visible now; returns when the next one will be. */
static aq_time legs_look(aqsim_gate *gate)
{
  aq_time next = AQ_TIME_MAX;
  for (uint32_t i = 0; i < gate->count; i++) {
    aqsim_gate_leg *leg = &gate->legs[i];
    if (!leg->signal || leg->visible == AQ_TIME_NONE)
      continue;
    if (leg->visible > *gate->now) {
      next = aq_time_min(next, leg->visible);
    } else if (aqsim_signal_load(leg->signal) == 0) {
      leg_drop(leg);
      gate->unseen--;
    } else {
      leg->visible = AQ_TIME_NONE; /* it changed again before the look */
    }
  }
  return next;
}

static void gate_fire(aqsim_event *event)
{
  aqsim_gate *gate = (aqsim_gate *)event;
  gate->scheduled = false;
  uint32_t before = gate->unseen;
  aq_time next = legs_look(gate);
  bool open = gate->unseen == 0 || (gate->any && gate->unseen < before);
  if (open) {
    aqsim_gate_disarm(gate);
    gate->open(gate);
  } else if (next != AQ_TIME_MAX) {
    gate_schedule(gate, next);
  }
}

void aqsim_gate_init(aqsim_gate *gate, aqsim_calendar *calendar,
                     const aq_time *now, void (*open)(aqsim_gate *gate))
{
  *gate = (aqsim_gate){
      .event = {gate_fire}, .calendar = calendar, .now = now, .open = open};
}

bool aqsim_gate_arm(aqsim_gate *gate, aqsim_gate_leg *legs,
                    const aq_signal *dependencies, uint32_t count, bool any,
                    aq_time poll)
{
  bool satisfied = false;
  gate->legs = legs;
  gate->count = count;
  gate->unseen = 0;
  gate->any = any;
  gate->poll = poll;
  for (uint32_t i = 0; i < count; i++) {
    aqsim_signal *signal = aqsim_signal_from(dependencies[i]);
    legs[i] = (aqsim_gate_leg){.watcher = {.changed = leg_changed},
                               .gate = gate,
                               .visible = AQ_TIME_NONE};
    if (!signal)
      continue;
    if (aqsim_signal_load(signal) == 0) {
      satisfied = true;
      continue;
    }
    legs[i].signal = signal;
    aqsim_signal_watch(&signal->zero, &legs[i].watcher);
    gate->unseen++;
  }
  bool open = any ? satisfied : gate->unseen == 0;
  if (open)
    aqsim_gate_disarm(gate);
  return open;
}

void aqsim_gate_disarm(aqsim_gate *gate)
{
  for (uint32_t i = 0; i < gate->count; i++)
    leg_drop(&gate->legs[i]);
  gate->count = 0;
}

const aqsim_signal *aqsim_gate_blocker(const aqsim_gate *gate)
{
  for (uint32_t i = 0; i < gate->count; i++)
    if (gate->legs[i].signal)
      return gate->legs[i].signal;
  return NULL;
}
