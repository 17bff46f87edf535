/* SPDX-License-Identifier: MIT */
/*
 * The capture of packets: a JSON line for each that the device reads, with its
 * 64 bytes and the arguments of kernels. doc/dropin.md says what is in a line.
 *
 * Lines are appended whole, so that processes may share a file. A line that
 * cannot be written ends the capture, with a word on standard error.
 * Thread rule: the thread that drives the transport.
 */
#ifndef AQDROP_CAPTURE_H
#define AQDROP_CAPTURE_H

#include <stdbool.h>

#include "common/aql.h"
#include "common/diag.h"

/* The file to append to, made if need be; -1 with a diagnostic. */
int aqdrop_capture_open(const char *path, aq_diag *diag);

/* False: nothing more can be written. */
bool aqdrop_capture_packet(int fd, uint32_t queue, uint64_t id,
                           const aq_packet *packet);

#endif
