/* SPDX-License-Identifier: MIT */
/* Memory of the runtime's pools, and copies by the device's engines. */
#include "config.h"

#include <inttypes.h>
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
  return aq_diag_no_memory(diag);
}

/* A device's memory is the device's, and the host's where the host can be
 * allowed; the host's is every device's. */
static hsa_status_t access_allow(const aqhsa *hsa, uint32_t device,
                                 aq_memory_kind kind, const void *address)
{
  const hsa_agent_t both[] = {hsa->agents[device], hsa->host};
  if (kind != AQ_MEMORY_DEVICE)
    return hsa->api->hsa_amd_agents_allow_access(hsa->device_count, hsa->agents,
                                                 NULL, address);
  return hsa->api->hsa_amd_agents_allow_access(
      hsa->infos[device].memory_hidden ? 1 : 2, both, NULL, address);
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
  got = access_allow(hsa, device, kind, address);
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

/* Pools of the host are coherent with devices; writes to a device's memory may
 * still be on their way to it. Reading the register back waits for the flush,
 * and the doorbell that follows is ordered behind it. */
void aqhsa_mem_publish(aq_transport *t, const void *address, size_t size)
{
  const aqhsa *hsa = aqhsa_from(t);
  (void)address; /* a flush is of all of a device's memory */
  (void)size;
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  for (uint32_t i = 0; i < hsa->device_count; i++)
    if (hsa->devices[i].flush) {
      *hsa->devices[i].flush = 1;
      (void)*hsa->devices[i].flush;
    }
}

/* ---- memory of the host ---- */

static bool lock_keep(aqhsa *hsa, aqhsa_held *held, const void *address)
{
  pthread_mutex_lock(&hsa->lock);
  const bool kept = !aqhsa_table_get(&hsa->locked, (uintptr_t)address) &&
                    aqhsa_table_put(&hsa->locked, held, (uintptr_t)address);
  pthread_mutex_unlock(&hsa->lock);
  return kept;
}

aq_status aqhsa_mem_lock(aq_transport *t, void *address, size_t size,
                         void **out, aq_diag *diag)
{
  aqhsa *hsa = aqhsa_from(t);
  aqhsa_held *held = malloc(sizeof *held);
  void *there;
  if (!held)
    return aq_diag_no_memory(diag);
  if (size == 0 || !lock_keep(hsa, held, address)) {
    free(held);
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       size == 0 ? "%p: no bytes to lock"
                                 : "%p: memory that begins there is locked",
                       address);
  }
  hsa_status_t got = hsa->api->hsa_amd_memory_lock(
      address, size, hsa->agents, (int)hsa->device_count, &there);
  if (got == HSA_STATUS_SUCCESS) {
    *out = there;
    return AQ_OK;
  }
  pthread_mutex_lock(&hsa->lock);
  aqhsa_table_remove(&hsa->locked, held);
  pthread_mutex_unlock(&hsa->lock);
  free(held);
  return aqhsa_fail(hsa->api, got, diag, "hsa_amd_memory_lock");
}

void aqhsa_mem_unlock(aq_transport *t, void *address)
{
  aqhsa *hsa = aqhsa_from(t);
  pthread_mutex_lock(&hsa->lock);
  aqhsa_held *held = aqhsa_table_get(&hsa->locked, (uintptr_t)address);
  if (held)
    aqhsa_table_remove(&hsa->locked, held);
  pthread_mutex_unlock(&hsa->lock);
  if (!held)
    return;
  hsa->api->hsa_amd_memory_unlock(address);
  free(held);
}

void aqhsa_memory_close(aqhsa *hsa)
{
  while (hsa->locked.first)
    aqhsa_mem_unlock(&hsa->base, (void *)(uintptr_t)hsa->locked.first->key);
  aq_map_fini(&hsa->locked.map);
  while (hsa->memory.first)
    aqhsa_mem_free(&hsa->base, (void *)(uintptr_t)hsa->memory.first->key);
  aq_map_fini(&hsa->memory.map);
}

/* ---- copies ---- */

/* The owner of an address; memory that the runtime does not know is the host's.
 */
static hsa_agent_t owner_of(const aqhsa *hsa, const void *address)
{
  hsa_amd_pointer_info_t info = {.size = sizeof info};
  if (hsa->api->hsa_amd_pointer_info(address, &info, NULL, NULL, NULL) !=
          HSA_STATUS_SUCCESS ||
      info.type == HSA_EXT_POINTER_TYPE_UNKNOWN)
    return hsa->host;
  return info.owner;
}

bool aqhsa_mem_visible(aq_transport *t, const void *address, size_t size)
{
  const aqhsa *hsa = aqhsa_from(t);
  bool hides = false;
  for (uint32_t i = 0; i < hsa->device_count; i++)
    hides |= hsa->infos[i].memory_hidden;
  if (!hides || size == 0)
    return true;
  const hsa_agent_t first = owner_of(hsa, address),
                    last = owner_of(hsa, (const char *)address + size - 1);
  for (uint32_t i = 0; i < hsa->device_count; i++)
    if (hsa->infos[i].memory_hidden && (hsa->agents[i].handle == first.handle ||
                                        hsa->agents[i].handle == last.handle))
      return false;
  return true;
}

/* An agent as a copy names it. */
static aq_status place_find(const aqhsa *hsa, uint32_t device,
                            const void *address, hsa_agent_t *out,
                            aq_diag *diag)
{
  aq_status status = AQ_OK;
  if (device == AQ_DEVICE_OF_ADDRESS)
    *out = owner_of(hsa, address);
  else if (device == AQ_DEVICE_HOST)
    *out = hsa->host;
  else if ((status = aqhsa_device_check(hsa, device, diag)) == AQ_OK)
    *out = hsa->agents[device];
  return status;
}

/* HSA's rectangles have no engine to choose. */
static aq_status box_check(const aqhsa *hsa, const aq_copy_desc *copy,
                           aq_diag *diag)
{
  const aq_copy_box *box = copy->box;
  uint64_t size;
  if (__builtin_mul_overflow((uint64_t)box->width * box->rows, box->slices,
                             &size) ||
      size != copy->size)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "a copy of %zu bytes in %" PRIu32 " slices of %" PRIu32
                       " rows of %" PRIu32 " bytes; expected their product",
                       copy->size, box->slices, box->rows, box->width);
  if (!hsa->api->hsa_amd_memory_async_copy_rect)
    return aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                       "a copy of rows: the runtime has no "
                       "hsa_amd_memory_async_copy_rect");
  if (copy->engine != AQ_COPY_ENGINE_ANY)
    return aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                       "a copy of rows by engine %" PRIu32
                       ": HSA chooses the engine",
                       copy->engine);
  return AQ_OK;
}

static aq_status copy_check(const aqhsa *hsa, const aq_copy_desc *copy,
                            aq_diag *diag)
{
  aq_status status = aqhsa_device_check(hsa, copy->device, diag);
  if (status != AQ_OK)
    return status;
  const aq_device_info *info = &hsa->infos[copy->device];
  const uint32_t engines = info->copy_engines + info->copy_engines_peer;
  if ((copy->dependency_count == 0) != (copy->dependencies == NULL))
    return aq_diag_set(
        diag, AQ_ERR_INVALID, "a copy with %u dependencies, but the list is %s",
        copy->dependency_count, copy->dependencies ? "there" : "not there");
  if (copy->engine != AQ_COPY_ENGINE_ANY && copy->engine >= engines)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "a copy by engine %u of device %u, which has %u",
                       copy->engine, copy->device, engines);
  return copy->box ? box_check(hsa, copy, diag) : AQ_OK;
}

/* HSA's hsa_amd_copy_direction_t: bit 0, to a device; bit 1, from one. */
static hsa_status_t box_send(const aqhsa *hsa, const aq_copy_desc *copy,
                             hsa_agent_t target, hsa_agent_t source)
{
  const aq_copy_box *box = copy->box;
  const hsa_pitched_ptr_t to = {copy->to, box->to.row, box->to.slice};
  const hsa_pitched_ptr_t from = {(void *)(uintptr_t)copy->from, box->from.row,
                                  box->from.slice};
  const hsa_dim3_t origin = {0, 0, 0},
                   range = {box->width, box->rows, box->slices};
  const uint32_t direction = (uint32_t)(target.handle != hsa->host.handle) |
                             (uint32_t)(source.handle != hsa->host.handle) << 1;
  return hsa->api->hsa_amd_memory_async_copy_rect(
      &to, &origin, &from, &origin, &range, hsa->agents[copy->device],
      direction, copy->dependency_count, copy->dependencies, copy->completion);
}

static hsa_status_t copy_send(const aqhsa *hsa, const aq_copy_desc *copy,
                              hsa_agent_t target, hsa_agent_t source)
{
  if (copy->box)
    return box_send(hsa, copy, target, source);
  if (copy->engine != AQ_COPY_ENGINE_ANY)
    return hsa->api->hsa_amd_memory_async_copy_on_engine(
        copy->to, target, copy->from, source, copy->size,
        copy->dependency_count, copy->dependencies, copy->completion,
        UINT32_C(1) << copy->engine, true);
  return hsa->api->hsa_amd_memory_async_copy(
      copy->to, target, copy->from, source, copy->size, copy->dependency_count,
      copy->dependencies, copy->completion);
}

aq_status aqhsa_copy_submit(aq_transport *t, const aq_copy_desc *copy,
                            aq_diag *diag)
{
  aqhsa *hsa = aqhsa_from(t);
  hsa_agent_t target, source;
  aq_status status = copy_check(hsa, copy, diag);
  if (status == AQ_OK)
    status = place_find(hsa, copy->to_device, copy->to, &target, diag);
  if (status == AQ_OK)
    status = place_find(hsa, copy->from_device, copy->from, &source, diag);
  if (status != AQ_OK || copy->size == 0)
    return status;
  aqhsa_signal *signal = aqhsa_signal_find(hsa, copy->completion);
  if (!signal)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "a copy needs a signal to decrement");
  aqhsa_origins_note(hsa, NULL);
  __atomic_store_n(&signal->copied, true, __ATOMIC_RELAXED);
  if (target.handle == hsa->host.handle && source.handle == hsa->host.handle)
    target = hsa->agents[copy->device]; /* its engine moves them all the same */
  hsa_status_t got = copy_send(hsa, copy, target, source);
  return got == HSA_STATUS_SUCCESS
             ? AQ_OK
             : aqhsa_fail(hsa->api, got, diag,
                          copy->box ? "hsa_amd_memory_async_copy_rect"
                                    : "hsa_amd_memory_async_copy");
}

aq_status aqhsa_copy_async(aq_transport *t, uint32_t device, void *to,
                           const void *from, size_t size,
                           const aq_signal *dependencies, uint32_t count,
                           aq_signal completion, aq_diag *diag)
{
  const aq_copy_desc copy = aq_copy_by_address(device, to, from, size,
                                               dependencies, count, completion);
  return aqhsa_copy_submit(t, &copy, diag);
}

uint32_t aqhsa_copy_engines_idle(aq_transport *t, uint32_t device)
{
  const aqhsa *hsa = aqhsa_from(t);
  uint32_t idle = 0;
  if (device >= hsa->device_count ||
      !hsa->api->hsa_amd_memory_copy_engine_status ||
      hsa->api->hsa_amd_memory_copy_engine_status(
          hsa->agents[device], hsa->host, &idle) != HSA_STATUS_SUCCESS)
    return 0;
  return idle;
}
