/* SPDX-License-Identifier: MIT */
/* How the devices reach each other's memory and the host's, as the runtime
 * reports it of an agent and a pool. */
#include "config.h"

#include <stdlib.h>

#include "backend_hsa/core.h"

/* More than any path is known to have. */
enum { HOPS_MAX = 16, BYTES_MB = 1000000 };

/* The hops follow each other: latencies add up, the slowest sets the rate, and
 * a path that is not all of xGMI passes PCIe. A rate of 0 is not known. */
static aq_link_info hops_sum(const hsa_amd_memory_pool_link_info_t *rows,
                             uint32_t hops)
{
  aq_link_info link = {
      .type = AQ_LINK_XGMI, .hops = hops, .coherent = true, .atomics = true};
  for (uint32_t i = 0; i < hops; i++) {
    const uint64_t rate = (uint64_t)rows[i].max_bandwidth * BYTES_MB;
    link.latency += (aq_time)rows[i].min_latency * AQ_NS;
    if (rate > 0 && (link.bandwidth == 0 || rate < link.bandwidth))
      link.bandwidth = rate;
    if (rows[i].link_type != HSA_AMD_LINK_INFO_TYPE_XGMI)
      link.type = AQ_LINK_PCIE;
    link.numa_distance += rows[i].numa_distance;
    link.coherent &= rows[i].coherent;
    link.atomics &= rows[i].atomic_32 && rows[i].atomic_64;
  }
  return link;
}

/* False when there is no path, or none is known. */
static bool path_ask(const aqhsa_api *api, hsa_agent_t from,
                     hsa_amd_memory_pool_t pool, aq_link_info *out)
{
  hsa_amd_memory_pool_link_info_t rows[HOPS_MAX] = {{0}};
  uint32_t hops = 0;
  if (!pool.handle ||
      api->hsa_amd_agent_memory_pool_get_info(
          from, pool, HSA_AMD_AGENT_MEMORY_POOL_INFO_NUM_LINK_HOPS, &hops) !=
          HSA_STATUS_SUCCESS ||
      hops == 0 || hops > HOPS_MAX ||
      api->hsa_amd_agent_memory_pool_get_info(
          from, pool, HSA_AMD_AGENT_MEMORY_POOL_INFO_LINK_INFO, rows) !=
          HSA_STATUS_SUCCESS)
    return false;
  *out = hops_sum(rows, hops);
  return true;
}

static bool is_never_allowed(const aqhsa_api *api, hsa_agent_t agent,
                             hsa_amd_memory_pool_t pool)
{
  uint32_t access = 0;
  return !pool.handle ||
         api->hsa_amd_agent_memory_pool_get_info(
             agent, pool, HSA_AMD_AGENT_MEMORY_POOL_INFO_ACCESS, &access) !=
             HSA_STATUS_SUCCESS ||
         access == HSA_AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED;
}

static void link_add(aqhsa *hsa, uint32_t a, uint32_t b, aq_link_info link)
{
  const bool host = b == AQ_DEVICE_HOST;
  link.a = a;
  link.b = b;
  link.a_never_allowed = is_never_allowed(
      hsa->api, hsa->agents[a], host ? hsa->fine : hsa->devices[b].local);
  link.b_never_allowed = is_never_allowed(
      hsa->api, host ? hsa->host : hsa->agents[b], hsa->devices[a].local);
  hsa->links[hsa->link_count++] = link;
}

aq_status aqhsa_links_open(aqhsa *hsa, aq_diag *diag)
{
  const uint32_t n = hsa->device_count;
  aq_link_info link;
  hsa->links = calloc(n + (size_t)n * (n - 1) / 2, sizeof *hsa->links);
  if (!hsa->links)
    return aq_diag_no_memory(diag);
  for (uint32_t i = 0; i < n; i++)
    if (path_ask(hsa->api, hsa->agents[i], hsa->fine, &link))
      link_add(hsa, i, AQ_DEVICE_HOST, link);
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t j = i + 1; j < n; j++)
      if (path_ask(hsa->api, hsa->agents[i], hsa->devices[j].local, &link) ||
          path_ask(hsa->api, hsa->agents[j], hsa->devices[i].local, &link))
        link_add(hsa, i, j, link);
  return AQ_OK;
}

void aqhsa_links_close(aqhsa *hsa)
{
  free(hsa->links);
}
