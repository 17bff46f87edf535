/* SPDX-License-Identifier: MIT */
/*
 * The drop-in with clocks that differ: dispatch times are ahead by a thousand
 * seconds for each node that the agent they are asked of has before it, as raw
 * ticks taken for another device's would be. Only the first device has
 * cooperative queues. A copy of rows whose direction is not that of its
 * addresses is refused.
 */
#include <dlfcn.h>

#include "dropin/hsa/base/hsa.h"

static const uint64_t skew = UINT64_C(1000) * 1000000000;

/* A reference, for which the linker keeps the drop-in. */
__attribute__((used)) static hsa_status_t (*const init)(void) = hsa_init;

static hsa_status_t info_get(hsa_agent_t agent, uint32_t attribute, void *value)
{
  __typeof__(&hsa_agent_get_info) get;
  *(void **)&get = dlsym(RTLD_NEXT, "hsa_agent_get_info");
  return get(agent, attribute, value);
}

hsa_status_t hsa_agent_get_info(hsa_agent_t agent, uint32_t attribute,
                                void *value)
{
  uint32_t node = 0;
  hsa_status_t status = info_get(agent, attribute, value);
  if (attribute == HSA_AMD_AGENT_INFO_COOPERATIVE_QUEUES &&
      info_get(agent, HSA_AGENT_INFO_NODE, &node) == HSA_STATUS_SUCCESS &&
      node > 1)
    *(bool *)value = false;
  return status;
}

hsa_status_t
hsa_amd_profiling_get_dispatch_time(hsa_agent_t agent, hsa_signal_t signal,
                                    hsa_amd_profiling_dispatch_time_t *time)
{
  __typeof__(&hsa_amd_profiling_get_dispatch_time) get;
  *(void **)&get = dlsym(RTLD_NEXT, "hsa_amd_profiling_get_dispatch_time");
  uint32_t node = 0;
  info_get(agent, HSA_AGENT_INFO_NODE, &node);
  hsa_status_t status = get(agent, signal, time);
  time->start += node * skew;
  time->end += node * skew;
  return status;
}

/* Memory that the runtime does not know is the host's. */
static uint32_t is_of_device(const void *address)
{
  hsa_amd_pointer_info_t info = {.size = sizeof info};
  uint32_t type = HSA_DEVICE_TYPE_CPU;
  if (hsa_amd_pointer_info(address, &info, NULL, NULL, NULL) ==
          HSA_STATUS_SUCCESS &&
      info.type != HSA_EXT_POINTER_TYPE_UNKNOWN)
    info_get(info.owner, HSA_AGENT_INFO_DEVICE, &type);
  return type == HSA_DEVICE_TYPE_GPU;
}

/* hsa_amd_copy_direction_t: 1 to a device, 2 from one, 3 both. */
hsa_status_t hsa_amd_memory_async_copy_rect(
    const hsa_pitched_ptr_t *to, const hsa_dim3_t *to_offset,
    const hsa_pitched_ptr_t *from, const hsa_dim3_t *from_offset,
    const hsa_dim3_t *range, hsa_agent_t agent, uint32_t direction,
    uint32_t count, const hsa_signal_t *dependencies, hsa_signal_t completion)
{
  __typeof__(&hsa_amd_memory_async_copy_rect) copy;
  *(void **)&copy = dlsym(RTLD_NEXT, "hsa_amd_memory_async_copy_rect");
  if (direction != (is_of_device(to->base) | is_of_device(from->base) << 1))
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  return copy(to, to_offset, from, from_offset, range, agent, direction, count,
              dependencies, completion);
}
