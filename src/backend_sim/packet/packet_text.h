/* SPDX-License-Identifier: MIT */
/*
 * Packets as text, for errors and for inspection: the type and every meaningful
 * field. Signals and kernels are named by number and name, since addresses
 * differ from run to run.
 */
#ifndef AQSIM_PACKET_TEXT_H
#define AQSIM_PACKET_TEXT_H

#include <stddef.h>

#include "backend_sim/core.h"

enum { AQSIM_PACKET_TEXT_MAX = 400, AQSIM_SIGNAL_TEXT = 96 };

void aqsim_packet_decode(const aqsim *sim, const aq_packet *packet,
                         char text[AQSIM_PACKET_TEXT_MAX]);

/* "signal 3 (user 0, value 1)". */
void aqsim_signal_describe(const aqsim_signal *signal,
                           char text[AQSIM_SIGNAL_TEXT]);

/* The condition of a pending dependency wait. */
void aqsim_dep_wait_describe(const aqsim_dep_wait *dep_wait,
                             char text[AQSIM_SIGNAL_TEXT]);

#endif
