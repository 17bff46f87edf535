/* SPDX-License-Identifier: MIT */
/*
 * The capture of a client's calls to its queues (AQUEDUCT_CAPTURE): a JSON
 * line for each packet, copy, wait, and change of a queue or signal, in the
 * host's order and with its times: doc/formats/packets.md. `aqueduct replay`
 * sends it through a transport again.
 *
 * Once it is attached, the transport's table is one of its own, which records
 * and passes on. Packets are recorded when their doorbell is rung through that,
 * or else when the device reads them. A raw store into a signal is captured at
 * the next packet, completion or wait.
 *
 * Lines are appended whole, so that processes may share a file. A line that
 * cannot be written ends the capture, with a word on standard error.
 * Thread rule: any thread; its lock is never held while the transport is
 * called.
 */
#ifndef AQDROP_CAPTURE_H
#define AQDROP_CAPTURE_H

#include "common/transport.h"

typedef struct aqdrop_capture aqdrop_capture;

/* Appends to a file, which is made if need be. */
aq_status aqdrop_capture_create(const char *path, aqdrop_capture **out,
                                aq_diag *diag);
void aqdrop_capture_destroy(aqdrop_capture *capture);

/* The transport was opened. Its table is the capture's from now on. */
void aqdrop_capture_attach(aqdrop_capture *capture, aq_transport *transport);

/* The program closes HSA, or ends: the last line. Without it the capture counts
 * as truncated. */
void aqdrop_capture_end(aqdrop_capture *capture, aq_time time);

/* The device reads a packet. On the thread that drives the transport. */
void aqdrop_capture_packet(aqdrop_capture *capture, uint32_t queue, uint64_t id,
                           const aq_packet *packet);

/* The device is about to decrement a signal, and has (`done`). On the same
 * thread. */
void aqdrop_capture_completing(aqdrop_capture *capture, aq_signal signal,
                               aq_time now, bool done);

/* A queue found a value that was stored without a call. On the same thread. */
void aqdrop_capture_noticed(aqdrop_capture *capture, aq_time now);

#endif
