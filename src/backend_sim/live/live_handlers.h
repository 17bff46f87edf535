/* SPDX-License-Identifier: MIT */
/*
 * Signal handlers in live mode: one thread that waits for all of them and calls
 * their functions, holding no lock, so that they may do everything. It starts
 * with the first handler.
 */
#ifndef AQSIM_LIVE_HANDLERS_H
#define AQSIM_LIVE_HANDLERS_H

#include "backend_sim/live/live_device.h"

aq_status aqsim_live_handler_add(aqsim_live *live, aqsim_signal *signal,
                                 const aq_wait_item *item,
                                 aq_signal_function *function, void *user,
                                 aq_diag *diag);

/* Removes all handlers of a signal. One that runs on another thread has ended
 * when this returns. */
void aqsim_live_handlers_drop(aqsim_live *live, const aqsim_signal *signal);

/* Ends the thread. */
void aqsim_live_handlers_stop(aqsim_live *live);

#endif
