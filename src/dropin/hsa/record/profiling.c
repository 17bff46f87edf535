/* SPDX-License-Identifier: MIT */
/* Times of packets and copies on the system clock. */
#include "config.h"

#include "dropin/hsa/base/hsa.h"
#include "dropin/hsa/base/signals.h"

static hsa_status_t times_read(aqdrop *runtime, hsa_signal_t signal,
                               hsa_amd_profiling_dispatch_time_t *time)
{
  aq_time start, end;
  if (!time)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  if (!aqdrop_signal_is_live(runtime, signal))
    return HSA_STATUS_ERROR_INVALID_SIGNAL;
  aq_status status = runtime->transport->ops->dispatch_times(
      runtime->transport, signal, &start, &end);
  if (status != AQ_OK)
    return HSA_STATUS_ERROR;
  *time = (hsa_amd_profiling_dispatch_time_t){aqdrop_ns(start), aqdrop_ns(end)};
  return HSA_STATUS_SUCCESS;
}

hsa_status_t
hsa_amd_profiling_get_dispatch_time(hsa_agent_t agent, hsa_signal_t signal,
                                    hsa_amd_profiling_dispatch_time_t *time)
{
  AQDROP_ENTER(runtime);
  const aqdrop_agent *a = aqdrop_agent_from(runtime, agent);
  if (!a || !a->info)
    return HSA_STATUS_ERROR_INVALID_AGENT;
  return times_read(runtime, signal, time);
}

hsa_status_t hsa_amd_profiling_async_copy_enable(bool enable)
{
  AQDROP_ENTER(runtime);
  __atomic_store_n(&runtime->copies_timed, enable, __ATOMIC_RELAXED);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t
hsa_amd_profiling_get_async_copy_time(hsa_signal_t signal,
                                      hsa_amd_profiling_async_copy_time_t *time)
{
  AQDROP_ENTER(runtime);
  return times_read(runtime, signal, time);
}

hsa_status_t hsa_amd_profiling_convert_tick_to_system_domain(
    hsa_agent_t agent, uint64_t agent_tick, uint64_t *system_tick)
{
  AQDROP_ENTER(runtime);
  const aqdrop_agent *a = aqdrop_agent_from(runtime, agent);
  if (!a || !a->info)
    return HSA_STATUS_ERROR_INVALID_AGENT;
  if (!system_tick)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  /* Both clocks count from the same instant. */
  *system_tick = (uint64_t)((unsigned __int128)agent_tick * 1000000000 /
                            a->info->timestamp_hz);
  return HSA_STATUS_SUCCESS;
}
