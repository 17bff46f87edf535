/* SPDX-License-Identifier: MIT */
/*
 * Callbacks in live mode: one thread calls the functions of signal handlers,
 * the error callbacks of queues and the callback of system events. It holds no
 * lock meanwhile, so that they may do everything, also close the transport or
 * end the process. It starts with the first handler or error.
 *
 * A thread that removes an object a function needs (drop, stop) waits until it
 * has returned, but not for ever: it may wait for a lock of the caller's.
 */
#ifndef AQSIM_LIVE_HANDLERS_H
#define AQSIM_LIVE_HANDLERS_H

#include "backend_sim/live/device_thread.h"

aq_status aqsim_live_handler_add(aqsim_live *live, aqsim_signal *signal,
                                 const aq_wait_item *item,
                                 aq_signal_function *function, void *user,
                                 aq_diag *diag);

/* Removes all handlers of a signal. */
void aqsim_live_handlers_drop(aqsim_live *live, const aqsim_signal *signal);

/* Queues a copy of an error for the queue's callback, or drops it while the
 * simulator closes; false without memory or a thread. The simulator's lock is
 * held. */
bool aqsim_live_error_defer(aqsim_live *live, const aqsim_queue *queue,
                            const aq_queue_error *error);

/* The same for a system event. */
bool aqsim_live_event_defer(aqsim_live *live, const aq_system_event *event);

/* The callback of a queue is not called any more. */
void aqsim_live_errors_drop(aqsim_live *live, const aq_ring *queue);

/* A host's wait ended: lets due callbacks run first, for some milliseconds.
 * Programs that end right after a wait would otherwise free objects that a
 * handler of the same signal needs. */
void aqsim_live_handlers_settle(aqsim_live *live,
                                const aq_wait_request *request);

/* The same for error callbacks, after a sleep: a simulator is not idle while
 * one is due. */
void aqsim_live_errors_settle(aqsim_live *live);

/* Ends the thread. A callback may call this: its thread ends later. */
void aqsim_live_handlers_stop(aqsim_live *live);

#endif
