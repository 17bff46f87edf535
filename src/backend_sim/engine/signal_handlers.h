/* SPDX-License-Identifier: MIT */
/*
 * Signal handlers in virtual time: functions of the host that are called when
 * a condition holds, an interrupt after the change. They run as events, on the
 * thread that drives time. (In live mode they have a thread: live_handlers.h.)
 */
#ifndef AQSIM_SIGNAL_HANDLERS_H
#define AQSIM_SIGNAL_HANDLERS_H

#include "backend_sim/engine/calendar.h"
#include "backend_sim/engine/signals.h"
#include "common/transport.h"

typedef struct aqsim_handler aqsim_handler;

typedef struct aqsim_handlers {
  aqsim_calendar *calendar;
  const aq_time *now;
  aqsim_handler *first;
} aqsim_handlers;

void aqsim_handlers_fini(aqsim_handlers *handlers);

/* `delay` lies between a change and the call. */
aq_status aqsim_handler_add(aqsim_handlers *handlers, aqsim_signal *signal,
                            const aq_wait_item *item,
                            aq_signal_function *function, void *user,
                            aq_time delay, aq_diag *diag);

/* Removes all handlers of a signal; one that runs ends first. */
void aqsim_handlers_drop(aqsim_handlers *handlers, const aqsim_signal *signal);

/* Looks at the values: a thread may have stored them to memory. */
void aqsim_handlers_poll(aqsim_handlers *handlers);

#endif
