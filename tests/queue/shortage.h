/* SPDX-License-Identifier: MIT */
/*
 * Memory that runs out at a chosen allocation: of the host (allocators are
 * wrapped by the linker, AQ_SHORTAGE_LDFLAGS) or of the device (its hook). One
 * thread.
 */
#ifndef AQ_TESTS_QUEUE_SHORTAGE_H
#define AQ_TESTS_QUEUE_SHORTAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "common/device_hooks.h"

extern const aq_device_hooks shortage_hooks;

/* From now on allocations are counted; the one of that number fails, below 0:
 * none does. */
void shortage_begin(long host, long device);

/* Nothing fails any more; whether something had. */
bool shortage_over(void);

/* Ends the counting; returns the number of leaked allocations. */
size_t shortage_end(void);

#endif
