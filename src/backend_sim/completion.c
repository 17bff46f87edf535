/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "backend_sim/completion.h"

#include <stdio.h>

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
  if (sim->live || (!(signal->flags & AQ_SIGNAL_DRAIN) &&
                    signal->each.next == &signal->each))
    return false;
  return !sim->hooks->interrupt(sim->hooks->user, aqsim_signal_handle(signal));
}

void aqsim_signal_stamp(const aqsim_device *device, aqsim_signal *signal,
                        aq_time start, aq_time end)
{
  signal->abi.start_ts = aqsim_clock_ticks(device, start);
  signal->abi.end_ts = aqsim_clock_ticks(device, end);
  signal->device = device->ordinal;
}

void aqsim_system_event_report(const aqsim *sim, const aq_system_event *event)
{
  if (sim->event)
    sim->event(event, sim->event_user);
  else if (sim->report)
    sim->report(event->text, sim->report_user);
  else
    fprintf(stderr, "aqueduct: %s\n", event->text);
}
