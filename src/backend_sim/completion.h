/* SPDX-License-Identifier: MIT */
/*
 * The effects of the device's work that the host sees: timestamps, completion
 * signals with their interrupts, system events. On the driving thread.
 */
#ifndef AQSIM_COMPLETION_H
#define AQSIM_COMPLETION_H

#include "backend_sim/queue_state.h"

/* Ticks of the device's timestamp clock at `time`, in its granularity, and the
 * time of a number of ticks. */
int64_t aqsim_clock_ticks(const aqsim_device *device, aq_time time);
aq_time aqsim_clock_time(const aqsim_device *device, int64_t ticks);

/* Keeps the timestamps of a dispatch in its signal. */
void aqsim_signal_stamp(const aqsim_device *device, aqsim_signal *signal,
                        aq_time start, aq_time end);

/* Whether the device's hooks lose the interrupt of a decrement. */
bool aqsim_interrupt_is_lost(const aqsim *sim, const aqsim_signal *signal);

/* Live: whether the memory of a completion signal is not mapped
 * (*unmapped). False for handle 0. */
static inline bool aqsim_signal_is_missing(const aqsim *sim, aq_signal handle,
                                           uint64_t *unmapped)
{
  return sim->live && handle.handle &&
         aqsim_signal_named(&sim->signals, handle, AQSIM_WRITE, unmapped) ==
             AQSIM_NAMED_NOTHING;
}

/* The decrement of a signal that is not one of the simulator's: the client's
 * own amd_signal_t, or one that it destroyed, which is reported once. */
void aqsim_signal_complete_other(aqsim *sim, const aqsim_device *device,
                                 aq_signal handle, aq_time start, aq_time end,
                                 bool profile, int64_t negative);

/* Asks the device's hooks, around the change of a completion signal. */
void aqsim_completing_notify(const aqsim *sim, aq_signal handle, bool done);

/* aqsim_signal_complete of an existing signal. `plain`: without hooks or
 * other threads, as aqsim.plain says. */
__attribute__((always_inline)) static inline aq_time
aqsim_signal_complete_in(aqsim *sim, const aqsim_device *device,
                         aqsim_signal *signal, aq_time start, aq_time end,
                         bool profile, int64_t negative, bool plain)
{
  if (profile || aqsim_signal_has(signal, AQ_SIGNAL_PROFILE))
    aqsim_signal_stamp(device, signal, start, end);
  sim->observe = AQ_TIME_NONE;
  sim->interrupt = device->model->interrupt_to_host;
  if (!plain)
    sim->interrupt_lost = sim->hooks && aqsim_interrupt_is_lost(sim, signal);
  if (__builtin_expect(negative < 0, false))
    aqsim_signal_store(&sim->signals, signal, negative);
  else
    aqsim_signal_add_in(&sim->signals, signal, -1, sim->now,
                        !plain && aqsim_signals_are_live(&sim->signals));
  if (!plain && sim->interrupt_lost) {
    sim->drain_lost += aqsim_signal_has(signal, AQ_SIGNAL_DRAIN);
    sim->interrupt_lost = false;
  }
  /* Release: a reader of the event in its mailbox sees the decrement. */
  if (__builtin_expect(signal->abi.mailbox != 0, false))
    __atomic_store_n((uint64_t *)(uintptr_t)signal->abi.mailbox,
                     signal->abi.event_id, __ATOMIC_RELEASE);
  return sim->observe;
}

/* The same with hooks, other threads, or signals that are none. */
aq_time aqsim_signal_complete_watched(aqsim *sim, const aqsim_device *device,
                                      aq_signal handle, aq_time start,
                                      aq_time end, bool profile,
                                      int64_t negative);

/* Decrements a completion signal at the current time (handle 0: none) and
 * returns when a blocked host sees it, or AQ_NONE. Below 0, `negative` is
 * stored instead. Start and end are kept where the signal or, with `profile`,
 * the queue asks for it. */
static inline aq_time aqsim_signal_complete(aqsim *sim,
                                            const aqsim_device *device,
                                            aq_signal handle, aq_time start,
                                            aq_time end, bool profile,
                                            int64_t negative)
{
  aqsim_signal *signal = aqsim_signal_from(handle);
  if (!signal)
    return AQ_TIME_NONE;
  return __builtin_expect(sim->plain, true)
             ? aqsim_signal_complete_in(sim, device, signal, start, end,
                                        profile, negative, true)
             : aqsim_signal_complete_watched(sim, device, handle, start, end,
                                             profile, negative);
}

/* A line for options.report or, without one, on stderr. */
void aqsim_launch_report(const aqsim *sim, const char *line);

/* Reports the event to options.event or, without one, as a line. */
void aqsim_system_event_report(const aqsim *sim, const aq_system_event *event);

#endif
