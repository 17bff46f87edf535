/* SPDX-License-Identifier: MIT */
/* Agents, their pools, and the transport's description of its devices. */
#include "config.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend_hsa/core.h"

enum { AGENTS_MAX = 64, LISTED = 300, ATTRIBUTE_BYTES = 64 };

/* ---- pools ---- */

typedef struct pool_search {
  const aqhsa_api *api;
  hsa_amd_memory_pool_t kernarg, fine, coarse;
  uint32_t lds; /* bytes of the group segment */
} pool_search;

static hsa_status_t pool_visit(hsa_amd_memory_pool_t pool, void *user)
{
  pool_search *s = user;
  uint32_t segment = UINT32_MAX, flags = 0;
  bool allocates = false;
  s->api->hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT,
                                       &segment);
  if (segment == HSA_REGION_SEGMENT_GROUP) {
    size_t size = 0;
    s->api->hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SIZE,
                                         &size);
    s->lds = (uint32_t)size;
  }
  if (segment != HSA_REGION_SEGMENT_GLOBAL)
    return HSA_STATUS_SUCCESS;
  s->api->hsa_amd_memory_pool_get_info(
      pool, HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALLOWED, &allocates);
  s->api->hsa_amd_memory_pool_get_info(
      pool, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS, &flags);
  if (!allocates)
    return HSA_STATUS_SUCCESS;
  hsa_amd_memory_pool_t *slot =
      flags & HSA_REGION_GLOBAL_FLAG_KERNARG          ? &s->kernarg
      : flags & HSA_REGION_GLOBAL_FLAG_FINE_GRAINED   ? &s->fine
      : flags & HSA_REGION_GLOBAL_FLAG_COARSE_GRAINED ? &s->coarse
                                                      : NULL;
  if (slot && !slot->handle)
    *slot = pool;
  return HSA_STATUS_SUCCESS;
}

static pool_search pools_find(const aqhsa_api *api, hsa_agent_t agent)
{
  pool_search s = {.api = api};
  api->hsa_amd_agent_iterate_memory_pools(agent, pool_visit, &s);
  return s;
}

/* ---- attributes ---- */

static uint32_t number_of(const aqhsa *hsa, hsa_agent_t agent,
                          uint32_t attribute)
{
  uint32_t value = 0;
  return hsa->api->hsa_agent_get_info(agent, attribute, &value) ==
                 HSA_STATUS_SUCCESS
             ? value
             : 0;
}

static void text_of(const aqhsa *hsa, hsa_agent_t agent, uint32_t attribute,
                    char *to, size_t size)
{
  char text[ATTRIBUTE_BYTES + 1] = "";
  hsa->api->hsa_agent_get_info(agent, attribute, text);
  snprintf(to, size, "%s", text);
}

/* The line from ticks to the system clock, by two points of it; early runtimes
 * do not report the frequency of ticks. */
static void ticks_measure(const aqhsa *hsa, aqhsa_device *d)
{
  static const uint64_t first = UINT64_C(1) << 40, span = 1000000000;
  d->line.tick[0] = first;
  d->line.tick[1] = first + span;
  for (int i = 0; i < 2; i++)
    hsa->api->hsa_amd_profiling_convert_tick_to_system_domain(
        d->agent, d->line.tick[i], &d->line.system[i]);
  uint64_t hz = 0, moved = d->line.system[1] - d->line.system[0];
  hsa->api->hsa_agent_get_info(d->agent, HSA_AMD_AGENT_INFO_TIMESTAMP_FREQUENCY,
                               &hz);
  if (hz == 0 && moved > 0) {
    uint64_t system = 0;
    hsa->api->hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY, &system);
    hz = (uint64_t)((unsigned __int128)span * system / moved);
  }
  d->info.timestamp_hz = hz ? hz : 1;
  d->info.timestamp_step = (aq_time)(AQ_S / (aq_time)d->info.timestamp_hz);
}

/* What only a simulator knows of its device. */
static void model_take(const aqhsa *hsa, aqhsa_device *d)
{
  aq_device_info model;
  if (!hsa->sim.size || hsa->sim.device(d->agent, &model) != HSA_STATUS_SUCCESS)
    return;
  aq_device_info *info = &d->info;
  info->model = model.model;
  info->model_hash = model.model_hash;
  info->verdict = model.verdict;
  info->timestamp_step = model.timestamp_step;
  info->dispatch_latency_warm = model.dispatch_latency_warm;
  info->dispatch_latency_cold = model.dispatch_latency_cold;
  info->unmap_after = model.unmap_after;
  info->idle_ramp = model.idle_ramp;
  info->remap_ramp = model.remap_ramp;
  info->copy_return = model.copy_return;
  info->handler_guard = model.handler_guard;
  info->handler_window = model.handler_window;
  info->handler_hold = model.handler_hold;
  info->gate_latency = model.gate_latency;
  info->barrier_latency = model.barrier_latency;
  info->graph_launch = model.graph_launch;
  info->graph_per_node = model.graph_per_node;
  info->graph_head = model.graph_head;
  info->graph_batch = model.graph_batch;
  info->resources = model.resources;
}

/* The first of the two registers that the runtime maps. */
static volatile uint32_t *flush_find(const aqhsa *hsa, hsa_agent_t agent)
{
  uint32_t *registers[2] = {NULL, NULL};
  return hsa->api->hsa_agent_get_info(agent, HSA_AMD_AGENT_INFO_HDP_FLUSH,
                                      registers) == HSA_STATUS_SUCCESS
             ? registers[0]
             : NULL;
}

/* Without a large BAR the host cannot be allowed into a device's pool. */
static bool is_hidden(const aqhsa *hsa, hsa_agent_t host,
                      hsa_amd_memory_pool_t pool)
{
  uint32_t access = HSA_AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED;
  hsa->api->hsa_amd_agent_memory_pool_get_info(
      host, pool, HSA_AMD_AGENT_MEMORY_POOL_INFO_ACCESS, &access);
  return access == HSA_AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED;
}

/* HSA reports no registers: on a GPU they stay unknown, and so does the
 * occupancy of its kernels. */
static aq_device_resources resources_find(const aqhsa *hsa, hsa_agent_t agent,
                                          uint32_t lds)
{
  const uint32_t simds =
      number_of(hsa, agent, HSA_AMD_AGENT_INFO_NUM_SIMDS_PER_CU);
  const uint32_t waves =
      number_of(hsa, agent, HSA_AMD_AGENT_INFO_MAX_WAVES_PER_CU);
  return (aq_device_resources){
      .cus = number_of(hsa, agent, HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT),
      .simds_per_cu = simds,
      .waves_per_simd = simds ? waves / simds : 0,
      .wave_size = number_of(hsa, agent, HSA_AGENT_INFO_WAVEFRONT_SIZE),
      .lds_per_cu = lds,
      .workgroup_max = number_of(hsa, agent, HSA_AGENT_INFO_WORKGROUP_MAX_SIZE),
      .lds_per_workgroup = lds};
}

static void device_init(const aqhsa *hsa, hsa_agent_t host, hsa_agent_t agent,
                        aqhsa_device *d)
{
  *d = (aqhsa_device){.agent = agent};
  text_of(hsa, agent, HSA_AGENT_INFO_NAME, d->gfx, sizeof d->gfx);
  text_of(hsa, agent, HSA_AMD_AGENT_INFO_PRODUCT_NAME, d->name, sizeof d->name);
  text_of(hsa, agent, HSA_AMD_AGENT_INFO_UUID, d->uuid, sizeof d->uuid);
  if (!d->name[0])
    memcpy(d->name, d->gfx, sizeof d->name);
  d->info = (aq_device_info){
      .name = d->name,
      .gfx = d->gfx,
      .uuid = d->uuid[0] ? d->uuid : NULL,
      .cus = number_of(hsa, agent, HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT),
      .wave_size = number_of(hsa, agent, HSA_AGENT_INFO_WAVEFRONT_SIZE),
      .queues_max = number_of(hsa, agent, HSA_AGENT_INFO_QUEUES_MAX),
      .queue_size_min = number_of(hsa, agent, HSA_AGENT_INFO_QUEUE_MIN_SIZE),
      .queue_size_max = number_of(hsa, agent, HSA_AGENT_INFO_QUEUE_MAX_SIZE)};
  hsa->api->hsa_agent_get_info(agent, HSA_AMD_AGENT_INFO_COOPERATIVE_QUEUES,
                               &d->cooperative);
  if (hsa->api->hsa_amd_memory_async_copy_on_engine) {
    d->info.copy_engines =
        number_of(hsa, agent, HSA_AMD_AGENT_INFO_NUM_SDMA_ENG);
    d->info.copy_engines_peer =
        number_of(hsa, agent, HSA_AMD_AGENT_INFO_NUM_SDMA_XGMI_ENG);
  }
  const pool_search pools = pools_find(hsa->api, agent);
  d->info.resources = resources_find(hsa, agent, pools.lds);
  d->local = pools.coarse;
  d->info.memory_hidden = d->local.handle && is_hidden(hsa, host, d->local);
  d->flush = flush_find(hsa, agent);
  ticks_measure(hsa, d);
  model_take(hsa, d);
}

/* ---- finding them ---- */

typedef struct agent_search {
  const aqhsa *hsa;
  hsa_agent_t host, gpus[AGENTS_MAX];
  uint32_t count;
} agent_search;

static hsa_status_t agent_visit(hsa_agent_t agent, void *user)
{
  agent_search *s = user;
  uint32_t type = number_of(s->hsa, agent, HSA_AGENT_INFO_DEVICE);
  uint32_t feature = number_of(s->hsa, agent, HSA_AGENT_INFO_FEATURE);
  if (type == HSA_DEVICE_TYPE_CPU && !s->host.handle)
    s->host = agent;
  if (type == HSA_DEVICE_TYPE_GPU &&
      (feature & HSA_AGENT_FEATURE_KERNEL_DISPATCH) && s->count < AGENTS_MAX)
    s->gpus[s->count++] = agent;
  return HSA_STATUS_SUCCESS;
}

static bool device_is(const aqhsa_device *d, uint32_t ordinal,
                      const char *selector)
{
  char *end;
  if (isdigit((unsigned char)selector[0])) {
    unsigned long number = strtoul(selector, &end, 10);
    if (!*end)
      return number == ordinal;
  }
  /* "mi300x*4": the devices of a simulator are as they were asked for. */
  if (d->info.model && strpbrk(selector, "*,"))
    return true;
  return strcmp(selector, d->gfx) == 0 || strcmp(selector, d->name) == 0 ||
         strcmp(selector, d->uuid) == 0 ||
         (d->info.model && strcmp(selector, d->info.model) == 0);
}

static aq_status none_found(const aqhsa *hsa, const agent_search *s,
                            const char *selector, aq_diag *diag)
{
  char listed[LISTED] = "";
  if (s->count == 0)
    return aq_diag_set(diag, AQ_ERR_NOT_FOUND,
                       "hsa: %s finds no GPU agent (ROCR_VISIBLE_DEVICES may "
                       "hide them)",
                       hsa->library.path);
  for (uint32_t i = 0; i < s->count; i++) {
    aqhsa_device d;
    device_init(hsa, s->host, s->gpus[i], &d);
    size_t used = strlen(listed);
    snprintf(listed + used, sizeof listed - used, "%s%u (%s, %s, %s)",
             used ? ", " : "", i, d.gfx, d.name, d.uuid);
  }
  return aq_diag_set(diag, AQ_ERR_NOT_FOUND,
                     "hsa: no GPU agent is '%s'; there are %s", selector,
                     listed);
}

/* Which instruction sets have AMD's barrier-value packet. */
static bool has_barrier_value(const char *gfx)
{
  static const char *const with[] = {"gfx90a", "gfx942", "gfx950"};
  for (size_t i = 0; i < sizeof with / sizeof *with; i++)
    if (strcmp(gfx, with[i]) == 0)
      return true;
  return false;
}

/* Capabilities that differ from device to device. */
static uint32_t device_caps(const aqhsa *hsa, const aqhsa_device *device)
{
  uint32_t caps = device->cooperative ? AQ_CAP_COOPERATIVE : 0;
  if ((!hsa->sim.size || hsa->objects_only) && has_barrier_value(device->gfx))
    caps |= AQ_CAP_BARRIER_VALUE;
  return caps;
}

/* A transport can do what each of its devices can; each device states its
 * other capabilities. */
static uint32_t caps_share(aqhsa *hsa)
{
  uint32_t common = UINT32_MAX;
  for (uint32_t i = 0; i < hsa->device_count; i++)
    common &= device_caps(hsa, &hsa->devices[i]);
  for (uint32_t i = 0; i < hsa->device_count; i++)
    hsa->infos[i].more_caps = device_caps(hsa, &hsa->devices[i]) & ~common;
  return common;
}

static uint32_t caps_find(aqhsa *hsa)
{
  uint32_t simulated =
      AQ_CAP_HOST_KERNELS | AQ_CAP_BARRIER_VALUE | AQ_CAP_PM4 | AQ_CAP_EXECUTES;
  uint32_t caps = AQ_CAP_LIVE | AQ_CAP_TIMING | AQ_CAP_CODE_OBJECTS |
                  AQ_CAP_COPY | AQ_CAP_CU_MASK | AQ_CAP_PRIORITY |
                  AQ_CAP_HANDLERS | AQ_CAP_PROFILING | AQ_CAP_INSPECT;
  if (aqhsa_meter_offers(hsa))
    caps |= AQ_CAP_COUNTERS;
  caps |= caps_share(hsa);
  if (hsa->objects_only)
    simulated &= ~(uint32_t)(AQ_CAP_HOST_KERNELS | AQ_CAP_BARRIER_VALUE);
  return caps | (hsa->sim.size ? hsa->sim.caps & simulated : AQ_CAP_EXECUTES);
}

aq_status aqhsa_agents_open(aqhsa *hsa, const char *selector, aq_diag *diag)
{
  agent_search s = {.hsa = hsa};
  hsa_status_t got = hsa->api->hsa_iterate_agents(agent_visit, &s);
  if (got != HSA_STATUS_SUCCESS)
    return aqhsa_fail(hsa->api, got, diag, "hsa_iterate_agents");
  if (!s.host.handle)
    return aq_diag_set(diag, AQ_ERR_NOT_FOUND, "hsa: %s has no CPU agent",
                       hsa->library.path);
  const pool_search pools = pools_find(hsa->api, s.host);
  hsa->host = s.host;
  hsa->kernarg = pools.kernarg;
  hsa->fine = pools.fine.handle ? pools.fine : pools.kernarg;
  if (!pools.kernarg.handle)
    return aq_diag_set(diag, AQ_ERR_NOT_FOUND,
                       "hsa: the CPU agent has no pool for kernel arguments");
  hsa->devices = calloc(s.count + 1, sizeof *hsa->devices);
  hsa->agents = calloc(s.count + 1, sizeof *hsa->agents);
  hsa->infos = calloc(s.count + 1, sizeof *hsa->infos);
  if (!hsa->devices || !hsa->agents || !hsa->infos)
    return aq_diag_no_memory(diag);
  /* Keeps the agents that the selector names. */
  for (uint32_t i = 0; i < s.count; i++) {
    aqhsa_device *d = &hsa->devices[hsa->device_count];
    device_init(hsa, s.host, s.gpus[i], d);
    if (!selector || device_is(d, i, selector)) {
      hsa->agents[hsa->device_count] = d->agent;
      hsa->infos[hsa->device_count++] = d->info;
    }
  }
  if (hsa->device_count == 0)
    return none_found(hsa, &s, selector ? selector : "any", diag);
  hsa->caps = caps_find(hsa);
  return aqhsa_links_open(hsa, diag);
}

void aqhsa_agents_close(aqhsa *hsa)
{
  aqhsa_links_close(hsa);
  free(hsa->infos);
  free(hsa->agents);
  free(hsa->devices);
}

aq_status aqhsa_device_check(const aqhsa *hsa, uint32_t device, aq_diag *diag)
{
  if (device < hsa->device_count)
    return AQ_OK;
  return aq_diag_set(diag, AQ_ERR_INVALID,
                     "hsa: there is no device %u; expected 0 to %u", device,
                     hsa->device_count - 1);
}
