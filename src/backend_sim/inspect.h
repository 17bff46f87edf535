/* SPDX-License-Identifier: MIT */
/*
 * The state of the simulator in words: every queue with its indices, each slot
 * that is occupied, and what the packet processor waits for there; then the
 * copies that are under way. Reads only.
 */
#ifndef AQSIM_INSPECT_H
#define AQSIM_INSPECT_H

#include "backend_sim/core.h"

void aqsim_inspect(const aqsim *sim, void (*line)(const char *text, void *user),
                   void *user);

#endif
