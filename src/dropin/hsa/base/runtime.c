/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "dropin/hsa/base/runtime.h"

#include <string.h>

static aqdrop *open_runtime; /* atomic: NULL before the first hsa_init */
static uint32_t holds; /* atomic: threads that may use it while it closes */

aqdrop *aqdrop_runtime(void)
{
  return __atomic_load_n(&open_runtime, __ATOMIC_ACQUIRE);
}

void aqdrop_runtime_publish(aqdrop *runtime)
{
  __atomic_store_n(&open_runtime, runtime, __ATOMIC_SEQ_CST);
}

/* A thread that counts itself after the last look of runtime_close finds no
 * runtime: each side stores first and loads then, sequentially consistent. */
aqdrop *aqdrop_runtime_hold(void)
{
  __atomic_fetch_add(&holds, 1, __ATOMIC_SEQ_CST);
  aqdrop *runtime = __atomic_load_n(&open_runtime, __ATOMIC_SEQ_CST);
  if (!runtime)
    __atomic_fetch_sub(&holds, 1, __ATOMIC_RELEASE);
  return runtime;
}

void aqdrop_runtime_release(const aqdrop *runtime)
{
  if (runtime)
    __atomic_fetch_sub(&holds, 1, __ATOMIC_RELEASE);
}

bool aqdrop_runtime_is_held(void)
{
  return __atomic_load_n(&holds, __ATOMIC_SEQ_CST) > 0;
}

void aqdrop_runtime_forget(void)
{
  aqdrop_runtime_publish(NULL);
  __atomic_store_n(&holds, 0, __ATOMIC_RELAXED);
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
