/* SPDX-License-Identifier: MIT */
/* Memory of the runtime's pools, and copies by the device's engines. */
#include <stdlib.h>

#include "backend_hsa/core.h"

/* ---- allocation ---- */

static aq_status pool_find(const aqhsa *hsa, uint32_t device,
                           aq_memory_kind kind, hsa_amd_memory_pool_t *out,
                           aq_diag *diag)
{
  *out = kind == AQ_MEMORY_KERNARG ? hsa->kernarg
         : kind == AQ_MEMORY_HOST  ? hsa->fine
                                   : hsa->devices[device].local;
  if (!out->handle)
    return aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                       "hsa: device %u has no memory of its own", device);
  return AQ_OK;
}

/* Keeps the block for close; frees it when that cannot be. */
static aq_status block_keep(aqhsa *hsa, void *address, aq_diag *diag)
{
  aqhsa_held *held = malloc(sizeof *held);
  pthread_mutex_lock(&hsa->lock);
  bool kept = held && aqhsa_table_put(&hsa->memory, held, (uintptr_t)address);
  pthread_mutex_unlock(&hsa->lock);
  if (kept)
    return AQ_OK;
  free(held);
  hsa->api->hsa_amd_memory_pool_free(address);
  return aq_diag_set(diag, AQ_ERR_NO_MEMORY, "no memory for an allocation");
}

aq_status aqhsa_mem_alloc(aq_transport *t, uint32_t device, aq_memory_kind kind,
                          size_t size, void **out, aq_diag *diag)
{
  aqhsa *hsa = aqhsa_from(t);
  hsa_amd_memory_pool_t pool;
  void *address;
  aq_status status = aqhsa_device_check(hsa, device, diag);
  if (status == AQ_OK)
    status = pool_find(hsa, device, kind, &pool, diag);
  if (status != AQ_OK)
    return status;
  hsa_status_t got =
      hsa->api->hsa_amd_memory_pool_allocate(pool, size, 0, &address);
  if (got != HSA_STATUS_SUCCESS)
    return aqhsa_fail(hsa->api, got, diag, "hsa_amd_memory_pool_allocate");
  if (kind == AQ_MEMORY_DEVICE)
    got = hsa->api->hsa_amd_agents_allow_access(1, &hsa->agents[device], NULL,
                                                address);
  else
    got = hsa->api->hsa_amd_agents_allow_access(hsa->device_count, hsa->agents,
                                                NULL, address);
  if (got != HSA_STATUS_SUCCESS) {
    hsa->api->hsa_amd_memory_pool_free(address);
    return aqhsa_fail(hsa->api, got, diag, "hsa_amd_agents_allow_access");
  }
  status = block_keep(hsa, address, diag);
  if (status == AQ_OK)
    *out = address;
  return status;
}

void aqhsa_mem_free(aq_transport *t, void *address)
{
  aqhsa *hsa = aqhsa_from(t);
  pthread_mutex_lock(&hsa->lock);
  aqhsa_held *held = aqhsa_table_get(&hsa->memory, (uintptr_t)address);
  if (held)
    aqhsa_table_remove(&hsa->memory, held);
  pthread_mutex_unlock(&hsa->lock);
  if (!held)
    return;
  hsa->api->hsa_amd_memory_pool_free(address);
  free(held);
}

/* The pools are coherent with the host; order against the doorbell that
 * follows is the doorbell's. */
void aqhsa_mem_publish(aq_transport *t, const void *address, size_t size)
{
  (void)t;
  (void)address;
  (void)size;
}

void aqhsa_memory_close(aqhsa *hsa)
{
  while (hsa->memory.first)
    aqhsa_mem_free(&hsa->base, (void *)(uintptr_t)hsa->memory.first->key);
  aq_map_fini(&hsa->memory.map);
}

/* ---- copies ---- */

/* Who owns an address; memory that the runtime does not know is the host's. */
static hsa_agent_t owner_of(const aqhsa *hsa, const void *address)
{
  hsa_amd_pointer_info_t info = {.size = sizeof info};
  if (hsa->api->hsa_amd_pointer_info(address, &info, NULL, NULL, NULL) !=
          HSA_STATUS_SUCCESS ||
      info.type == HSA_EXT_POINTER_TYPE_UNKNOWN)
    return hsa->host;
  return info.owner;
}

aq_status aqhsa_copy_async(aq_transport *t, uint32_t device, void *to,
                           const void *from, size_t size,
                           const aq_signal *dependencies, uint32_t count,
                           aq_signal completion, aq_diag *diag)
{
  aqhsa *hsa = aqhsa_from(t);
  aq_status status = aqhsa_device_check(hsa, device, diag);
  if (status != AQ_OK)
    return status;
  if ((count == 0) != (dependencies == NULL))
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "copy_async: %u dependencies, but the list is %s", count,
                       dependencies ? "there" : "not there");
  if (size == 0)
    return AQ_OK;
  aqhsa_signal *signal = aqhsa_signal_find(hsa, completion);
  if (!signal)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "copy_async: expected a signal to decrement");
  __atomic_store_n(&signal->copied, true, __ATOMIC_RELAXED);
  hsa_agent_t target = owner_of(hsa, to), source = owner_of(hsa, from);
  if (target.handle == hsa->host.handle && source.handle == hsa->host.handle)
    target = hsa->agents[device]; /* its engine moves them all the same */
  hsa_status_t got = hsa->api->hsa_amd_memory_async_copy(
      to, target, from, source, size, count, dependencies, completion);
  return got == HSA_STATUS_SUCCESS
             ? AQ_OK
             : aqhsa_fail(hsa->api, got, diag, "hsa_amd_memory_async_copy");
}
