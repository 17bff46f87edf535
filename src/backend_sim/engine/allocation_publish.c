/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "backend_sim/engine/allocation_publish.h"

#include "common/transport.h"

bool aqsim_publish(aq_allocations *map, const void *base, size_t size,
                   aq_allocation_kind kind, uint32_t device)
{
  const uint64_t devices =
      device == AQ_DEVICE_HOST ? AQ_DEVICES_ALL : aq_device_bit(device);
  const aq_allocation allocation = {.base = (uintptr_t)base,
                                    .size = size > 0 ? size : 1,
                                    .readers = devices,
                                    .writers = devices,
                                    .device = device,
                                    .kind = (uint8_t)kind,
                                    .executable = kind == AQ_ALLOCATION_TEXT};
  return !map || aq_allocations_add(map, &allocation);
}

void aqsim_withdraw(aq_allocations *map, const void *base,
                    aq_allocation_kind kind)
{
  if (map)
    aq_allocations_remove(map, (uintptr_t)base, kind);
}
