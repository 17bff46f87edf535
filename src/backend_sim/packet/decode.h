/* SPDX-License-Identifier: MIT */
/*
 * Packets as text, for errors and for inspection: the type and every meaningful
 * field. Signals and kernels are named by number and name, since addresses
 * differ from run to run.
 */
#ifndef AQSIM_DECODE_H
#define AQSIM_DECODE_H

#include <stddef.h>

#include "backend_sim/core.h"

enum { AQSIM_DECODE_MAX = 400, AQSIM_SIGNAL_WORDS = 96 };

void aqsim_packet_decode(const aqsim *sim, const aq_packet *packet,
                         char text[AQSIM_DECODE_MAX]);

/* "signal 3 (user 0, value 1)". */
void aqsim_signal_words(const aqsim_signal *signal,
                        char text[AQSIM_SIGNAL_WORDS]);

/* The condition of a closed gate. */
void aqsim_gate_words(const aqsim_gate *gate, char text[AQSIM_SIGNAL_WORDS]);

#endif
