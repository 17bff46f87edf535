/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "backend_sim/completion.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

#include "backend_sim/client.h"

enum { WORDS = 160 };

/* a / b rounded down: virtual time may be negative. */
static int64_t divide_down(__int128 a, int64_t b)
{
  int64_t quotient = (int64_t)(a / b);
  return a % b < 0 ? quotient - 1 : quotient;
}

int64_t aqsim_clock_ticks(const aqsim_device *device, aq_time time)
{
  const aqsim_model *model = device->model;
  aq_time stepped =
      divide_down(time, model->timestamp_step) * model->timestamp_step;
  return divide_down((__int128)stepped * model->timestamp_hz, AQ_S);
}

aq_time aqsim_clock_time(const aqsim_device *device, int64_t ticks)
{
  return divide_down((__int128)ticks * AQ_S, device->model->timestamp_hz);
}

bool aqsim_interrupt_is_lost(const aqsim *sim, const aqsim_signal *signal)
{
  /* Only waiting hosts watch every change of a signal. */
  if (sim->live || (!aqsim_signal_has(signal, AQ_SIGNAL_DRAIN) &&
                    signal->each.next == &signal->each))
    return false;
  return !sim->hooks->interrupt(sim->hooks->user, aqsim_signal_handle(signal));
}

void aqsim_completing_notify(const aqsim *sim, aq_signal handle, bool done)
{
  const aq_device_hooks *hooks = sim->hooks;
  if (hooks->size > offsetof(aq_device_hooks, completing) && hooks->completing)
    hooks->completing(hooks->user, handle, sim->now, done);
}

void aqsim_signal_stamp(const aqsim_device *device, aqsim_signal *signal,
                        aq_time start, aq_time end)
{
  signal->abi.start_ts = aqsim_clock_ticks(device, start);
  signal->abi.end_ts = aqsim_clock_ticks(device, end);
  signal->device = device->ordinal;
}

void aqsim_launch_report(const aqsim *sim, const char *line)
{
  if (sim->report)
    sim->report(line, sim->report_user);
  else
    fprintf(stderr, "aqueduct: %s\n", line);
}

/* A client that makes amd_signal_t itself has read them from hardware before:
 * the fields that the packet processor writes are written, no others. */
static void foreign_complete(aqsim *sim, const aqsim_device *device,
                             aq_amd_signal *abi, aq_time start, aq_time end,
                             bool profile, int64_t negative)
{
  uint64_t unmapped;
  if (profile) {
    abi->start_ts = (uint64_t)aqsim_clock_ticks(device, start);
    abi->end_ts = (uint64_t)aqsim_clock_ticks(device, end);
  }
  /* Release: a thread that acquires the value sees the packet's effects. */
  if (negative < 0)
    __atomic_store_n(&abi->value, negative, __ATOMIC_SEQ_CST);
  else
    __atomic_fetch_sub(&abi->value, 1, __ATOMIC_SEQ_CST);
  sim->touched = true;
  if (abi->mailbox && abi->mailbox % sizeof(uint64_t) == 0 &&
      (aqsim_signals_trust(&sim->signals, abi->mailbox, sizeof(uint64_t)) ||
       !aqsim_memory_unmapped(AQSIM_WRITE, abi->mailbox, sizeof(uint64_t),
                              &unmapped))) {
    __atomic_store_n((uint64_t *)(uintptr_t)abi->mailbox, abi->event_id,
                     __ATOMIC_RELEASE);
    if (sim->client)
      sim->client->interrupt(sim->client->user, abi->event_id);
  }
}

void aqsim_signal_complete_other(aqsim *sim, const aqsim_device *device,
                                 aq_signal handle, aq_time start, aq_time end,
                                 bool profile, int64_t negative)
{
  uint64_t unmapped;
  char line[WORDS];
  if (aqsim_signal_named(&sim->signals, handle, AQSIM_WRITE, &unmapped) ==
      AQSIM_NAMED_FOREIGN) {
    foreign_complete(sim, device, (aq_amd_signal *)(uintptr_t)handle.handle,
                     start, end, profile, negative);
    return;
  }
  if (sim->destroyed_completions++ > 0)
    return;
  snprintf(line, sizeof line,
           "a packet or copy completes the signal %#" PRIx64
           ", which was destroyed before: nothing is decremented (further "
           "ones are not reported)",
           handle.handle);
  aqsim_launch_report(sim, line);
}

aq_time aqsim_signal_complete_watched(aqsim *sim, const aqsim_device *device,
                                      aq_signal handle, aq_time start,
                                      aq_time end, bool profile,
                                      int64_t negative)
{
  aq_time observe = AQ_TIME_NONE;
  if (sim->hooks)
    aqsim_completing_notify(sim, handle, false);
  if (sim->live && !aqsim_signals_find(&sim->signals, handle))
    aqsim_signal_complete_other(sim, device, handle, start, end, profile,
                                negative);
  else
    observe = aqsim_signal_complete_in(sim, device, aqsim_signal_from(handle),
                                       start, end, profile, negative, false);
  if (sim->hooks)
    aqsim_completing_notify(sim, handle, true);
  return observe;
}

void aqsim_system_event_report(const aqsim *sim, const aq_system_event *event)
{
  if (sim->event && sim->event_defer && sim->event_defer(sim->live, event))
    return;
  if (sim->event)
    sim->event(event, sim->event_user);
  else
    aqsim_launch_report(sim, event->text);
}
