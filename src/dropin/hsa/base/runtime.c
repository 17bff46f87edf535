/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "dropin/hsa/base/runtime.h"

#include <string.h>

static aqdrop *open_runtime; /* atomic: NULL before the first hsa_init */

aqdrop *aqdrop_runtime(void)
{
  return __atomic_load_n(&open_runtime, __ATOMIC_ACQUIRE);
}

void aqdrop_runtime_publish(aqdrop *runtime)
{
  __atomic_store_n(&open_runtime, runtime, __ATOMIC_RELEASE);
}

/* ---- handles ---- */

aqdrop_agent *aqdrop_agent_from(aqdrop *runtime, hsa_agent_t agent)
{
  for (uint32_t i = 0; i < runtime->agent_count; i++)
    if (agent.handle == (uintptr_t)&runtime->agents[i])
      return &runtime->agents[i];
  return NULL;
}

aqdrop_pool *aqdrop_pool_from(aqdrop *runtime, uint64_t handle)
{
  for (uint32_t i = 0; i < runtime->agent_count; i++) {
    aqdrop_agent *agent = &runtime->agents[i];
    for (uint32_t j = 0; j < agent->pool_count; j++)
      if (handle == (uintptr_t)&agent->pools[j])
        return &agent->pools[j];
  }
  return NULL;
}

/* ---- values ---- */

hsa_status_t aqdrop_status(aq_status status)
{
  switch (status) {
  case AQ_OK:
    return HSA_STATUS_SUCCESS;
  case AQ_REDUCED:
    return HSA_STATUS_CU_MASK_REDUCED;
  case AQ_ERR_INVALID:
  case AQ_ERR_INPUT:
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  case AQ_ERR_NO_MEMORY:
  case AQ_ERR_RESOURCES:
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  case AQ_ERR_QUEUE:
    return HSA_STATUS_ERROR_INVALID_QUEUE;
  default:
    return HSA_STATUS_ERROR;
  }
}

hsa_status_t aqdrop_put_text(void *value, size_t size, const char *text)
{
  size_t length = strlen(text);
  memset(value, 0, size);
  memcpy(value, text, length < size ? length : size - 1);
  return HSA_STATUS_SUCCESS;
}
