/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "dropin/hsa/base/published.h"

#include "dropin/hsa/base/protected.h"

static uint64_t devices_of(const aqdrop *runtime, uint64_t agents)
{
  uint64_t devices = 0;
  for (uint32_t i = 0; i < runtime->agent_count; i++)
    if (agents >> i & 1 && runtime->agents[i].info)
      devices |= aq_device_bit(runtime->agents[i].ordinal);
  return devices;
}

static bool publish(aqdrop *runtime, const void *base, size_t size,
                    aq_allocation_kind kind, const aqdrop_agent *owner,
                    uint64_t agents, unsigned facts, uint64_t shift)
{
  const uint64_t devices = devices_of(runtime, agents);
  const aq_allocation allocation = {
      .base = (uintptr_t)base,
      .size = size,
      .readers = devices,
      .writers = devices,
      .shift = shift,
      .device = owner && owner->info ? owner->ordinal : AQ_DEVICE_HOST,
      .kind = (uint8_t)kind,
      .executable = facts & AQDROP_EXECUTABLE,
      .fine = facts & AQDROP_FINE};
  return aq_allocations_add(runtime->allocations, &allocation);
}

bool aqdrop_publish(aqdrop *runtime, const void *base, size_t size,
                    aq_allocation_kind kind, const aqdrop_agent *owner,
                    uint64_t agents, unsigned facts)
{
  aq_allocation below;
  const bool protected =
      aq_allocations_protected(runtime->allocations, (uintptr_t)base, &below);
  return publish(runtime, base, size, kind, owner, agents, facts,
                 protected ? below.shift : 0);
}

bool aqdrop_publish_protected(aqdrop *runtime, const void *base, size_t size,
                              aq_allocation_kind kind,
                              const aqdrop_agent *owner, uint64_t agents,
                              unsigned facts)
{
  return publish(runtime, base, size, kind, owner, agents, facts,
                 AQDROP_PROTECTED_SHIFT);
}

void aqdrop_withdraw(aqdrop *runtime, const void *base, aq_allocation_kind kind)
{
  aq_allocations_remove(runtime->allocations, (uintptr_t)base, kind);
}

void aqdrop_publish_agents(aqdrop *runtime, const void *base,
                           aq_allocation_kind kind, uint64_t readers,
                           uint64_t writers)
{
  aq_allocations_allow(runtime->allocations, (uintptr_t)base, kind,
                       devices_of(runtime, readers),
                       devices_of(runtime, writers));
}

uint64_t aqdrop_agents_all(const aqdrop *runtime)
{
  return runtime->agent_count < 64 ? (UINT64_C(1) << runtime->agent_count) - 1
                                   : UINT64_MAX;
}
