/* SPDX-License-Identifier: MIT */
/*
 * The drop-in with clocks that differ: dispatch times are ahead by a thousand
 * seconds for each node that the agent they are asked of has before it, as raw
 * ticks taken for another device's would be.
 */
#include <dlfcn.h>

#include "dropin/hsa.h"

static const uint64_t skew = UINT64_C(1000) * 1000000000;

hsa_status_t
hsa_amd_profiling_get_dispatch_time(hsa_agent_t agent, hsa_signal_t signal,
                                    hsa_amd_profiling_dispatch_time_t *time)
{
  __typeof__(&hsa_amd_profiling_get_dispatch_time) get;
  *(void **)&get = dlsym(RTLD_NEXT, "hsa_amd_profiling_get_dispatch_time");
  uint32_t node = 0;
  hsa_agent_get_info(agent, HSA_AGENT_INFO_NODE, &node);
  hsa_status_t status = get(agent, signal, time);
  time->start += node * skew;
  time->end += node * skew;
  return status;
}
