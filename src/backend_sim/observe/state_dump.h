/* SPDX-License-Identifier: MIT */
/*
 * The state of the simulator as text: every queue with its indices, each
 * occupied slot and the reason why the packet processor waits there; then the
 * copies under way. Reads only.
 */
#ifndef AQSIM_STATE_DUMP_H
#define AQSIM_STATE_DUMP_H

#include "backend_sim/core.h"

void aqsim_inspect(const aqsim *sim, void (*line)(const char *text, void *user),
                   void *user);

#endif
