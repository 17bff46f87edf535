/* SPDX-License-Identifier: MIT */
/* Agents and their caches. */
#include "config.h"

#include <string.h>
#include <unistd.h>

#include "dropin/hsa/base/ext_images.h"
#include "dropin/hsa/base/hsa.h"
#include "dropin/hsa/base/runtime.h"

enum {
  NAME_BYTES = 64,
  UUID_BYTES = 21,
  CUID_BYTES = 16,
  CACHE_BYTES = 4, /* uint32_t[4] of the agent */
  EXTENSION_BYTES = 128,
  DIMENSION_MAX = 1024, /* of a workgroup */
  CACHE_LINE = 64,
  PCI_DOMAIN =
      0xa9d0, /* where hosts have no device that could be taken for it */
  GPU_FAMILY = 141,
};

/* The most scratch memory that a kernel gets of an XCC. */
#define SCRATCH_OF_XCC (UINT64_C(4) << 30)

hsa_status_t hsa_iterate_agents(hsa_status_t (*callback)(hsa_agent_t agent,
                                                         void *data),
                                void *data)
{
  AQDROP_ENTER(runtime);
  if (!callback)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  AQDROP_VISIT(callback, hsa_agent_t, runtime->agents, runtime->agent_count,
               data)
  return HSA_STATUS_SUCCESS;
}

static hsa_status_t put_dimensions(void *value, uint16_t x, uint16_t y,
                                   uint16_t z)
{
  memcpy(value, (uint16_t[]){x, y, z}, 3 * sizeof x);
  return HSA_STATUS_SUCCESS;
}

static hsa_status_t put_grid(void *value, uint32_t size)
{
  *(hsa_dim3_t *)value = (hsa_dim3_t){size, size, size};
  return HSA_STATUS_SUCCESS;
}

static hsa_status_t put_caches(const aqdrop_agent *agent, void *value)
{
  uint32_t sizes[CACHE_BYTES] = {0};
  for (uint32_t i = 0; i < agent->cache_count; i++)
    sizes[agent->caches[i].level - 1] = agent->caches[i].size;
  memcpy(value, sizes, sizeof sizes);
  return HSA_STATUS_SUCCESS;
}

/* hsa_amd_dim3_t */
static hsa_status_t put_dim3(void *value, uint64_t x, uint64_t y, uint64_t z)
{
  memcpy(value, (const uint64_t[]){x, y, z}, 3 * sizeof x);
  return HSA_STATUS_SUCCESS;
}

static hsa_status_t put_zeros(void *value, size_t size)
{
  memset(value, 0, size);
  return HSA_STATUS_SUCCESS;
}

/* hsa_amd_clock_counters_t */
typedef struct clock_counters {
  uint64_t gpu, cpu, system, system_hz;
} clock_counters;

/* Clients take 0 for a failure; the simulator's clock begins there. */
static hsa_status_t put_clocks(const aqdrop *runtime, const aqdrop_agent *agent,
                               clock_counters *out)
{
  const aq_time second = AQ_S;
  aq_clock_pair pair;
  runtime->transport->ops->clock_correlate(runtime->transport, agent->ordinal,
                                           &pair);
  const uint64_t device =
      (uint64_t)((__int128)pair.device * agent->info->timestamp_hz / second);
  const uint64_t host = aqdrop_ns(pair.host);
  *out = (clock_counters){.gpu = device ? device : 1,
                          .cpu = host ? host : 1,
                          .system = host ? host : 1,
                          .system_hz = (uint64_t)(second / AQ_NS)};
  return HSA_STATUS_SUCCESS;
}

/* The registers by which clients flush the host's writes to a device. */
static hsa_status_t put_flush(const aqdrop_agent *agent, void *value)
{
  uint32_t *const registers[2] = {agent->flush,
                                  agent->flush ? agent->flush + 1 : NULL};
  memcpy(value, registers, sizeof registers);
  return HSA_STATUS_SUCCESS;
}

/* Attributes that need no device. */
static hsa_status_t common_info(const aqdrop_agent *agent, uint32_t attribute,
                                void *value)
{
  switch (attribute) {
  case HSA_AGENT_INFO_MACHINE_MODEL:
    return aqdrop_put32(value, HSA_MACHINE_MODEL_LARGE);
  case HSA_AGENT_INFO_FBARRIER_MAX_SIZE:
    return aqdrop_put32(value, agent->info ? 32 : 0);
  case HSA_AGENT_INFO_NODE:
  case HSA_AMD_AGENT_INFO_DRIVER_NODE_ID:
    return aqdrop_put32(value, agent->node);
  case HSA_AGENT_INFO_CACHE_SIZE:
    return put_caches(agent, value);
  case HSA_AGENT_INFO_EXTENSIONS:
    memset(value, 0, EXTENSION_BYTES);
    if (agent->info) /* without limits, where kernels cannot read them */
      *(uint8_t *)value |= 1 << HSA_EXTENSION_IMAGES;
    return HSA_STATUS_SUCCESS;
  case HSA_AGENT_INFO_VERSION_MAJOR:
  case HSA_AGENT_INFO_VERSION_MINOR:
    return aqdrop_put16(value, 1);
  case HSA_AGENT_INFO_FAST_F16_OPERATION:
    return aqdrop_put_bool(value, agent->info != NULL);
  case HSA_AMD_AGENT_INFO_HDP_FLUSH:
    return put_flush(agent, value);
  case HSA_AMD_AGENT_INFO_MAX_ADDRESS_WATCH_POINTS: /* as ROCr has them */
    return aqdrop_put32(value, agent->info ? 4 : 1);
  case HSA_AMD_AGENT_INFO_DOMAIN:
  case HSA_AMD_AGENT_INFO_MAX_DATA_PREFETCH_REGIONS:
  case HSA_AMD_AGENT_INFO_IOMMU_SUPPORT:
    return aqdrop_put32(value, 0);
  case HSA_AMD_AGENT_INFO_SVM_DIRECT_HOST_ACCESS:
  case HSA_AMD_AGENT_INFO_HOST_ALLOC_DMABUF_SUPPORTED:
    return aqdrop_put_bool(value, true);
  case HSA_AMD_AGENT_INFO_MEMORY_PROPERTIES:
  case HSA_AMD_AGENT_INFO_AQL_EXTENSIONS:
  case HSA_AMD_AGENT_INFO_LUID: /* which another system has */
    return put_zeros(value, 8);
  case HSA_AMD_AGENT_INFO_CUID: /* which a driver gives */
    return put_zeros(value, CUID_BYTES);
  case HSA_AMD_AGENT_INFO_PM4_EMULATION:
  case HSA_AMD_AGENT_INFO_HAS_EXPERT_SCHED_MODE:
    return aqdrop_put_bool(value, false);
  case HSA_AMD_AGENT_INFO_CLUSTER_MAX_SIZE: /* no device has clusters */
    return aqdrop_put64(value, 1);
  case HSA_AMD_AGENT_INFO_CLUSTER_MAX_DIM:
    return put_dim3(value, 1, 1, 1);
  case HSA_AMD_AGENT_INFO_CLOCK_COUNTERS: /* of devices */
    return put_zeros(value, sizeof(clock_counters));
  default:
    return aqdrop_ext_images_info(agent, attribute, value);
  }
}

static hsa_status_t host_info(const aqdrop_agent *agent, uint32_t attribute,
                              void *value)
{
  switch (attribute) {
  case HSA_AGENT_INFO_NAME:
  case HSA_AMD_AGENT_INFO_PRODUCT_NAME:
    return aqdrop_put_text(value, NAME_BYTES, "Aqueduct host");
  case HSA_AGENT_INFO_VENDOR_NAME:
    return aqdrop_put_text(value, NAME_BYTES, "CPU");
  case HSA_AGENT_INFO_FEATURE:
    return aqdrop_put32(value, 0);
  case HSA_AGENT_INFO_PROFILE:
    return aqdrop_put32(value, HSA_PROFILE_FULL);
  case HSA_AGENT_INFO_DEFAULT_FLOAT_ROUNDING_MODE:
  case HSA_AGENT_INFO_BASE_PROFILE_DEFAULT_FLOAT_ROUNDING_MODES:
    return aqdrop_put32(value, HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR);
  case HSA_AGENT_INFO_WAVEFRONT_SIZE:
  case HSA_AGENT_INFO_WORKGROUP_MAX_SIZE:
  case HSA_AGENT_INFO_GRID_MAX_SIZE:
  case HSA_AGENT_INFO_QUEUES_MAX:
  case HSA_AGENT_INFO_QUEUE_MIN_SIZE:
  case HSA_AGENT_INFO_QUEUE_MAX_SIZE:
    return aqdrop_put32(value, 0);
  case HSA_AGENT_INFO_WORKGROUP_MAX_DIM:
    return put_dimensions(value, 0, 0, 0);
  case HSA_AGENT_INFO_GRID_MAX_DIM:
    return put_grid(value, 0);
  case HSA_AGENT_INFO_QUEUE_TYPE:
    return aqdrop_put32(value, HSA_QUEUE_TYPE_MULTI);
  case HSA_AGENT_INFO_DEVICE:
    return aqdrop_put32(value, HSA_DEVICE_TYPE_CPU);
  case HSA_AGENT_INFO_ISA:
    return aqdrop_put64(value, 0);
  case HSA_AMD_AGENT_INFO_UUID:
    return aqdrop_put_text(value, UUID_BYTES, "CPU-XX");
  case HSA_AMD_AGENT_INFO_COOPERATIVE_QUEUES:
    return aqdrop_put_bool(value, false);
  case HSA_AMD_AGENT_INFO_CACHELINE_SIZE:
    return aqdrop_put32(value, CACHE_LINE);
  case HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT:
    return aqdrop_put32(value, (uint32_t)sysconf(_SC_NPROCESSORS_ONLN));
  case HSA_AMD_AGENT_INFO_TIMESTAMP_FREQUENCY:
    return hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY, value);
  case HSA_AMD_AGENT_INFO_SCRATCH_LIMIT_MAX:
  case HSA_AMD_AGENT_INFO_SCRATCH_LIMIT_CURRENT:
  case HSA_AMD_AGENT_INFO_NEAREST_CPU:
    return aqdrop_put64(value, 0);
  case HSA_AMD_AGENT_INFO_CHIP_ID:
  case HSA_AMD_AGENT_INFO_ASIC_REVISION:
  case HSA_AMD_AGENT_INFO_MAX_CLOCK_FREQUENCY:
  case HSA_AMD_AGENT_INFO_ASIC_FAMILY_ID:
  case HSA_AMD_AGENT_INFO_UCODE_VERSION:
  case HSA_AMD_AGENT_INFO_SDMA_UCODE_VERSION:
  case HSA_AMD_AGENT_INFO_DRIVER_UID:
  case HSA_AMD_AGENT_INFO_BDFID:
  case HSA_AMD_AGENT_INFO_MEMORY_WIDTH:
  case HSA_AMD_AGENT_INFO_MEMORY_MAX_FREQUENCY:
  case HSA_AMD_AGENT_INFO_MAX_WAVES_PER_CU:
  case HSA_AMD_AGENT_INFO_NUM_SIMDS_PER_CU:
  case HSA_AMD_AGENT_INFO_NUM_SHADER_ENGINES:
  case HSA_AMD_AGENT_INFO_NUM_SHADER_ARRAYS_PER_SE:
  case HSA_AMD_AGENT_INFO_COOPERATIVE_COMPUTE_UNIT_COUNT:
  case HSA_AMD_AGENT_INFO_NUM_SDMA_ENG:
  case HSA_AMD_AGENT_INFO_NUM_SDMA_XGMI_ENG:
  case HSA_AMD_AGENT_INFO_NUM_XCC:
    return aqdrop_put32(value, 0);
  default:
    return common_info(agent, attribute, value);
  }
}

/* What hsa.h knows of an agent. */
static hsa_status_t device_info(const aqdrop_agent *agent, uint32_t attribute,
                                void *value)
{
  const aq_device_info *info = agent->info;
  switch (attribute) {
  case HSA_AGENT_INFO_NAME:
    return aqdrop_put_text(value, NAME_BYTES, info->gfx);
  case HSA_AGENT_INFO_VENDOR_NAME:
    return aqdrop_put_text(value, NAME_BYTES, "AMD");
  case HSA_AGENT_INFO_FEATURE:
    return aqdrop_put32(value, HSA_AGENT_FEATURE_KERNEL_DISPATCH);
  case HSA_AGENT_INFO_PROFILE:
    return aqdrop_put32(value, HSA_PROFILE_BASE);
  case HSA_AGENT_INFO_DEFAULT_FLOAT_ROUNDING_MODE:
  case HSA_AGENT_INFO_BASE_PROFILE_DEFAULT_FLOAT_ROUNDING_MODES:
    return aqdrop_put32(value, HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR);
  case HSA_AGENT_INFO_WAVEFRONT_SIZE:
    return aqdrop_put32(value, info->wave_size);
  case HSA_AGENT_INFO_WORKGROUP_MAX_DIM:
    return put_dimensions(value, DIMENSION_MAX, DIMENSION_MAX, DIMENSION_MAX);
  case HSA_AGENT_INFO_WORKGROUP_MAX_SIZE:
    return aqdrop_put32(value, (uint32_t)agent->model->workgroup_max);
  case HSA_AGENT_INFO_GRID_MAX_DIM:
    return put_grid(value, UINT32_MAX);
  case HSA_AGENT_INFO_GRID_MAX_SIZE:
    return aqdrop_put32(value, UINT32_MAX);
  case HSA_AGENT_INFO_QUEUES_MAX:
    return aqdrop_put32(value, info->queues_max);
  case HSA_AGENT_INFO_QUEUE_MIN_SIZE:
    return aqdrop_put32(value, info->queue_size_min);
  case HSA_AGENT_INFO_QUEUE_MAX_SIZE:
    return aqdrop_put32(value, info->queue_size_max);
  case HSA_AGENT_INFO_QUEUE_TYPE:
    return aqdrop_put32(value, agent->model->multi_producer_queues
                                   ? HSA_QUEUE_TYPE_MULTI
                                   : HSA_QUEUE_TYPE_SINGLE);
  case HSA_AGENT_INFO_DEVICE:
    return aqdrop_put32(value, HSA_DEVICE_TYPE_GPU);
  case HSA_AGENT_INFO_ISA:
    return aqdrop_put64(value, (uintptr_t)&agent->isa);
  default:
    return common_info(agent, attribute, value);
  }
}

static uint64_t memory_used(const aqdrop_agent *agent)
{
  uint64_t used = 0;
  for (uint32_t i = 0; i < agent->pool_count; i++)
    used += __atomic_load_n(&agent->pools[i].used, __ATOMIC_RELAXED);
  return used;
}

static uint64_t scratch_max(const aqdrop_agent *agent)
{
  return (uint64_t)agent->model->xccs * SCRATCH_OF_XCC;
}

/* What AMD's extension knows of an agent. */
static hsa_status_t device_amd_info(const aqdrop_agent *agent,
                                    uint32_t attribute, void *value)
{
  static const uint64_t groups[3] = {INT32_MAX, UINT16_MAX, UINT16_MAX};
  const aqsim_model *model = agent->model;
  const aqdrop_identity *persona = agent->persona;
  switch (attribute) {
  case HSA_AMD_AGENT_INFO_CHIP_ID:
    return aqdrop_put32(value, persona->chip);
  case HSA_AMD_AGENT_INFO_ASIC_REVISION:
    return aqdrop_put32(value, persona->revision);
  case HSA_AMD_AGENT_INFO_CACHELINE_SIZE:
    return aqdrop_put32(value, CACHE_LINE);
  case HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT:
  case HSA_AMD_AGENT_INFO_COOPERATIVE_COMPUTE_UNIT_COUNT:
    return aqdrop_put32(value, (uint32_t)model->cus);
  case HSA_AMD_AGENT_INFO_MAX_CLOCK_FREQUENCY:
    return aqdrop_put32(value, (uint32_t)(model->clock / 1000000));
  case HSA_AMD_AGENT_INFO_DOMAIN:
    return aqdrop_put32(value, PCI_DOMAIN);
  case HSA_AMD_AGENT_INFO_BDFID:
    return aqdrop_put32(value, agent->node << 8);
  case HSA_AMD_AGENT_INFO_MEMORY_WIDTH:
    return aqdrop_put32(value, persona->bus_bits);
  case HSA_AMD_AGENT_INFO_MEMORY_MAX_FREQUENCY:
    return aqdrop_put32(value, persona->memory_mhz);
  case HSA_AMD_AGENT_INFO_PRODUCT_NAME:
    return aqdrop_put_text(value, NAME_BYTES, model->product);
  case HSA_AMD_AGENT_INFO_MAX_WAVES_PER_CU:
    return aqdrop_put32(
        value, (uint32_t)(model->simds_per_cu * model->waves_per_simd));
  case HSA_AMD_AGENT_INFO_NUM_SIMDS_PER_CU:
    return aqdrop_put32(value, (uint32_t)model->simds_per_cu);
  case HSA_AMD_AGENT_INFO_NUM_SHADER_ENGINES:
    return aqdrop_put32(value, persona->engines);
  case HSA_AMD_AGENT_INFO_NUM_SHADER_ARRAYS_PER_SE:
    return aqdrop_put32(value, persona->arrays);
  case HSA_AMD_AGENT_INFO_COOPERATIVE_QUEUES:
    return aqdrop_put_bool(value, true);
  case HSA_AMD_AGENT_INFO_UUID:
    return aqdrop_put_text(value, UUID_BYTES, agent->info->uuid);
  case HSA_AMD_AGENT_INFO_MEMORY_AVAIL:
    return aqdrop_put64(value,
                        (persona->memory_gib << 30) - memory_used(agent));
  case HSA_AMD_AGENT_INFO_TIMESTAMP_FREQUENCY:
    return aqdrop_put64(value, agent->info->timestamp_hz);
  case HSA_AMD_AGENT_INFO_ASIC_FAMILY_ID:
    return aqdrop_put32(value, GPU_FAMILY);
  case HSA_AMD_AGENT_INFO_UCODE_VERSION:
  case HSA_AMD_AGENT_INFO_SDMA_UCODE_VERSION:
    return aqdrop_put32(value, 1);
  case HSA_AMD_AGENT_INFO_NUM_SDMA_ENG:
    return aqdrop_put32(value, agent->info->copy_engines);
  case HSA_AMD_AGENT_INFO_NUM_SDMA_XGMI_ENG:
    return aqdrop_put32(value, agent->info->copy_engines_peer);
  case HSA_AMD_AGENT_INFO_NUM_XCC:
    return aqdrop_put32(value, (uint32_t)model->xccs);
  case HSA_AMD_AGENT_INFO_DRIVER_UID:
    return aqdrop_put32(value, agent->node);
  case HSA_AMD_AGENT_INFO_SCRATCH_LIMIT_MAX:
    return aqdrop_put64(value, scratch_max(agent));
  case HSA_AMD_AGENT_INFO_SCRATCH_LIMIT_CURRENT:
    return aqdrop_put64(
        value, __atomic_load_n(&agent->scratch_limit, __ATOMIC_RELAXED));
  case HSA_AMD_AGENT_INFO_NEAREST_CPU:
    return aqdrop_put64(value, (uintptr_t)agent->host);
  case HSA_AMD_AGENT_INFO_KERNEL_WG_MAX_DIM: /* ROCr's, of any GPU */
  case HSA_AMD_AGENT_INFO_KERNEL_CLUSTER_MAX_DIM:
    return put_dim3(value, groups[0], groups[1], groups[2]);
  case HSA_AMD_AGENT_INFO_KERNEL_WG_MAX_SIZE:
  case HSA_AMD_AGENT_INFO_KERNEL_CLUSTER_MAX_SIZE:
    return aqdrop_put64(value, groups[0] * groups[1] * groups[2]);
  default:
    return device_info(agent, attribute, value);
  }
}

hsa_status_t hsa_agent_get_info(hsa_agent_t agent, uint32_t attribute,
                                void *value)
{
  AQDROP_ENTER(runtime);
  const aqdrop_agent *a = aqdrop_agent_from(runtime, agent);
  if (!a)
    return HSA_STATUS_ERROR_INVALID_AGENT;
  if (!value)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  if (a->info && attribute == HSA_AMD_AGENT_INFO_CLOCK_COUNTERS)
    return put_clocks(runtime, a, value);
  return a->info ? device_amd_info(a, attribute, value)
                 : host_info(a, attribute, value);
}

/* Kept and told: no scratch memory is held back between kernels here. */
hsa_status_t hsa_amd_agent_set_async_scratch_limit(hsa_agent_t agent,
                                                   size_t threshold)
{
  AQDROP_ENTER(runtime);
  aqdrop_agent *a = aqdrop_agent_from(runtime, agent);
  if (!a || !a->info)
    return HSA_STATUS_ERROR_INVALID_AGENT;
  if (threshold > scratch_max(a))
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  __atomic_store_n(&a->scratch_limit, threshold, __ATOMIC_RELAXED);
  return HSA_STATUS_SUCCESS;
}

/* A hint: devices are whole once the runtime is open. */
hsa_status_t hsa_amd_agent_preload(hsa_agent_t agent, uint64_t flags)
{
  AQDROP_ENTER(runtime);
  const aqdrop_agent *a = aqdrop_agent_from(runtime, agent);
  (void)flags;
  return a && a->info ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_AGENT;
}

hsa_status_t hsa_agent_get_exception_policies(hsa_agent_t agent,
                                              uint32_t profile, uint16_t *mask)
{
  AQDROP_ENTER(runtime);
  if (!aqdrop_agent_from(runtime, agent))
    return HSA_STATUS_ERROR_INVALID_AGENT;
  if (!mask || profile > HSA_PROFILE_FULL)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  return aqdrop_put16(mask, 0);
}

/* ---- caches ---- */

static const aqdrop_cache *cache_from(aqdrop *runtime, hsa_cache_t cache)
{
  for (uint32_t i = 0; i < runtime->agent_count; i++) {
    const aqdrop_agent *agent = &runtime->agents[i];
    for (uint32_t j = 0; j < agent->cache_count; j++)
      if (cache.handle == (uintptr_t)&agent->caches[j])
        return &agent->caches[j];
  }
  return NULL;
}

hsa_status_t hsa_agent_iterate_caches(
    hsa_agent_t agent, hsa_status_t (*callback)(hsa_cache_t cache, void *data),
    void *data)
{
  AQDROP_ENTER(runtime);
  const aqdrop_agent *a = aqdrop_agent_from(runtime, agent);
  hsa_status_t status = aqdrop_agent_check(a, callback);
  if (status == HSA_STATUS_SUCCESS)
    AQDROP_VISIT(callback, hsa_cache_t, a->caches, a->cache_count, data)
  return status;
}

hsa_status_t hsa_cache_get_info(hsa_cache_t cache, uint32_t attribute,
                                void *value)
{
  AQDROP_ENTER(runtime);
  const aqdrop_cache *c = cache_from(runtime, cache);
  char name[] = "L0";
  if (!c)
    return HSA_STATUS_ERROR_INVALID_CACHE;
  if (!value)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  name[1] = (char)('0' + c->level);
  switch (attribute) {
  case HSA_CACHE_INFO_NAME_LENGTH:
    return aqdrop_put32(value, sizeof name - 1);
  case HSA_CACHE_INFO_NAME:
    memcpy(value, name, sizeof name - 1);
    return HSA_STATUS_SUCCESS;
  case HSA_CACHE_INFO_LEVEL:
    *(uint8_t *)value = c->level;
    return HSA_STATUS_SUCCESS;
  case HSA_CACHE_INFO_SIZE:
    return aqdrop_put32(value, c->size);
  default:
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
}
