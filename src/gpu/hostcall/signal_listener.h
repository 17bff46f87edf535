/* SPDX-License-Identifier: MIT */
/*
 * A thread that listens: it calls a function each time kernels change a signal.
 * For transports whose kernels run while the host does.
 */
#ifndef AQ_GPU_HOSTCALL_SIGNAL_LISTENER_H
#define AQ_GPU_HOSTCALL_SIGNAL_LISTENER_H

#include "common/transport.h"

typedef struct aq_listener aq_listener;

/* `serve` is called on the listener's thread with `user`, after one change or
 * several. The transport is borrowed until the stop, and has AQ_CAP_LIVE. */
aq_status aq_listener_start(aq_transport *t, void (*serve)(void *user),
                            void *user, aq_listener **out, aq_diag *diag);

/* The signal that kernels change, by adding to it. */
aq_signal aq_listener_doorbell(const aq_listener *listener);

/* Ends the thread, after a last call, and frees all; NULL does nothing. Nothing
 * may still change the signal. */
void aq_listener_stop(aq_listener *listener);

#endif
