/* SPDX-License-Identifier: MIT */
/*
 * Publishes memory of the simulator in the executor's allocation map, if it has
 * one: the code of kernels may access only published memory.
 *
 * A map of NULL accepts every call and stores nothing. Any thread.
 */
#ifndef AQSIM_ALLOCATION_PUBLISH_H
#define AQSIM_ALLOCATION_PUBLISH_H

#include "common/allocations.h"

/* Memory of a device, which it alone touches, or of the host (AQ_DEVICE_HOST),
 * which all do. TEXT is executable. False: out of memory. */
bool aqsim_publish(aq_allocations *map, const void *base, size_t size,
                   aq_allocation_kind kind, uint32_t device);

void aqsim_withdraw(aq_allocations *map, const void *base,
                    aq_allocation_kind kind);

#endif
