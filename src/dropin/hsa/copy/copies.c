/* SPDX-License-Identifier: MIT */
/* Copies by the devices' engines. */
#include "config.h"

#include "backend_sim/engine/signals.h"
#include "dropin/hsa/base/hsa.h"
#include "dropin/hsa/base/log.h"
#include "dropin/hsa/base/memory.h"
#include "dropin/hsa/base/signals.h"
#include "dropin/hsa/copy/copies.h"

enum { DIRECTION_LAST = 3 };

static hsa_status_t order_signals(aqdrop_order *o, uint32_t count,
                                  const hsa_signal_t *dependencies,
                                  hsa_signal_t completion)
{
  if ((count == 0) != (dependencies == NULL))
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  for (uint32_t i = 0; i < count; i++)
    if (!aqdrop_signal_is_live(o->runtime, dependencies[i]))
      return HSA_STATUS_ERROR_INVALID_SIGNAL;
  if (!aqdrop_signal_is_live(o->runtime, completion))
    return HSA_STATUS_ERROR_INVALID_SIGNAL;
  o->dependencies = dependencies;
  o->count = count;
  o->completion = completion;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t aqdrop_order_agents(aqdrop_order *o, hsa_agent_t to,
                                 hsa_agent_t from)
{
  const aqdrop_agent *target = aqdrop_agent_from(o->runtime, to);
  const aqdrop_agent *source = aqdrop_agent_from(o->runtime, from);
  if (!target || !source)
    return HSA_STATUS_ERROR_INVALID_AGENT;
  o->device = source->info   ? source->ordinal
              : target->info ? target->ordinal
                             : 0;
  o->engine = AQ_COPY_ENGINE_ANY;
  o->to_device = target->ordinal;
  o->from_device = source->ordinal;
  return HSA_STATUS_SUCCESS;
}

static aq_copy_desc order_desc(const aqdrop_order *o, size_t size)
{
  return (aq_copy_desc){.device = o->device,
                        .engine = o->engine,
                        .to_device = o->to_device,
                        .from_device = o->from_device,
                        .size = size,
                        .dependencies = o->dependencies,
                        .dependency_count = o->count,
                        .completion = o->completion};
}

aq_copy_desc aqdrop_order_linear(const aqdrop_order *o, void *to,
                                 const void *from, size_t size)
{
  aq_copy_desc copy = order_desc(o, size);
  copy.to = aqdrop_memory_seen(o->runtime, to, size);
  copy.from = aqdrop_memory_seen(o->runtime, from, size);
  return copy;
}

aq_status aqdrop_copy_submit(const aqdrop *runtime, const aq_copy_desc *copy)
{
  aqdrop_log_copy(runtime, copy);
  return runtime->transport->ops->copy_submit(runtime->transport, copy, NULL);
}

static hsa_status_t order_submit(const aqdrop_order *o,
                                 const aq_copy_desc *copy)
{
  /* While copies are timed, their signals keep start and end. */
  if (o->completion.handle &&
      __atomic_load_n(&o->runtime->copies_timed, __ATOMIC_RELAXED))
    __atomic_fetch_or(&aqsim_signal_from(o->completion)->flags,
                      AQ_SIGNAL_PROFILE, __ATOMIC_RELAXED);
  return aqdrop_status(aqdrop_copy_submit(o->runtime, copy));
}

hsa_status_t aqdrop_order_submit(const aqdrop_order *o, void *to,
                                 const void *from, size_t size)
{
  const aq_copy_desc copy = aqdrop_order_linear(o, to, from, size);
  return order_submit(o, &copy);
}

/* `engines`: one bit, or 0 for the engine that serves the path. */
static hsa_status_t linear_copy(void *dst, hsa_agent_t dst_agent,
                                const void *src, hsa_agent_t src_agent,
                                size_t size, uint32_t count,
                                const hsa_signal_t *dependencies,
                                hsa_signal_t completion, uint32_t engines)
{
  AQDROP_ENTER(runtime);
  aqdrop_order o = {.runtime = runtime};
  if (!dst || !src)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  hsa_status_t status = aqdrop_order_agents(&o, dst_agent, src_agent);
  if (status == HSA_STATUS_SUCCESS)
    status = order_signals(&o, count, dependencies, completion);
  if (status != HSA_STATUS_SUCCESS)
    return status;
  if (engines)
    o.engine = (uint32_t)__builtin_ctz(engines);
  return aqdrop_order_submit(&o, dst, src, size);
}

hsa_status_t hsa_amd_memory_async_copy(void *dst, hsa_agent_t dst_agent,
                                       const void *src, hsa_agent_t src_agent,
                                       size_t size, uint32_t num_dep_signals,
                                       const hsa_signal_t *dep_signals,
                                       hsa_signal_t completion_signal)
{
  AQDROP_RECORD_CALL(AQ_KIND_CALL);
  return linear_copy(dst, dst_agent, src, src_agent, size, num_dep_signals,
                     dep_signals, completion_signal, 0);
}

/* An engine that the device does not have is refused by the transport. */
hsa_status_t hsa_amd_memory_async_copy_on_engine(
    void *dst, hsa_agent_t dst_agent, const void *src, hsa_agent_t src_agent,
    size_t size, uint32_t num_dep_signals, const hsa_signal_t *dep_signals,
    hsa_signal_t completion_signal, uint32_t engine_id, bool force_copy_on_sdma)
{
  (void)force_copy_on_sdma; /* there is no other way */
  if (!aqdrop_runtime())
    return HSA_STATUS_ERROR_NOT_INITIALIZED;
  if (engine_id == 0 || (engine_id & (engine_id - 1)) != 0)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  AQDROP_RECORD_CALL(AQ_KIND_CALL);
  return linear_copy(dst, dst_agent, src, src_agent, size, num_dep_signals,
                     dep_signals, completion_signal, engine_id);
}

hsa_status_t hsa_amd_memory_copy_engine_status(hsa_agent_t dst_agent,
                                               hsa_agent_t src_agent,
                                               uint32_t *engine_ids_mask)
{
  AQDROP_ENTER(runtime);
  aqdrop_order o = {.runtime = runtime};
  hsa_status_t status = aqdrop_order_agents(&o, dst_agent, src_agent);
  if (status != HSA_STATUS_SUCCESS)
    return status;
  if (!engine_ids_mask)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  *engine_ids_mask =
      runtime->transport->ops->copy_engines_idle(runtime->transport, o.device);
  return HSA_STATUS_SUCCESS;
}

/* The engines that the device has for other devices, or for the host. */
hsa_status_t
hsa_amd_memory_get_preferred_copy_engine(hsa_agent_t dst_agent,
                                         hsa_agent_t src_agent,
                                         uint32_t *recommended_ids_mask)
{
  AQDROP_ENTER(runtime);
  aqdrop_order o = {.runtime = runtime};
  hsa_status_t status = aqdrop_order_agents(&o, dst_agent, src_agent);
  if (status != HSA_STATUS_SUCCESS)
    return status;
  if (!recommended_ids_mask)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  const aq_device_info *info = &runtime->info.devices[o.device];
  bool peers = o.to_device != AQ_DEVICE_HOST &&
               o.from_device != AQ_DEVICE_HOST && o.to_device != o.from_device;
  uint64_t own = (UINT64_C(1) << info->copy_engines) - 1;
  uint64_t peer = (UINT64_C(1) << info->copy_engines_peer) - 1;
  *recommended_ids_mask =
      (uint32_t)(peers && peer ? peer << info->copy_engines : own);
  return HSA_STATUS_SUCCESS;
}

/* ---- boxes ---- */

static char *box_start(const hsa_pitched_ptr_t *at, const hsa_dim3_t *offset)
{
  return (char *)at->base + offset->x + (size_t)offset->y * at->pitch +
         (size_t)offset->z * at->slice;
}

/* From the first byte to the end of the last row. */
static size_t box_extent(const hsa_pitched_ptr_t *at, const hsa_dim3_t *range)
{
  return (size_t)(range->z - 1) * at->slice +
         (size_t)(range->y - 1) * at->pitch + range->x;
}

hsa_status_t hsa_amd_memory_async_copy_rect(
    const hsa_pitched_ptr_t *dst, const hsa_dim3_t *dst_offset,
    const hsa_pitched_ptr_t *src, const hsa_dim3_t *src_offset,
    const hsa_dim3_t *range, hsa_agent_t copy_agent, uint32_t dir,
    uint32_t num_dep_signals, const hsa_signal_t *dep_signals,
    hsa_signal_t completion_signal)
{
  AQDROP_ENTER(runtime);
  aqdrop_order o = {.runtime = runtime};
  if (!dst || !src || !dst_offset || !src_offset || !range || !dst->base ||
      !src->base || dir > DIRECTION_LAST)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  hsa_status_t status = aqdrop_order_agents(&o, copy_agent, copy_agent);
  o.to_device = aqdrop_memory_device(runtime->memory, dst->base);
  o.from_device = aqdrop_memory_device(runtime->memory, src->base);
  if (status == HSA_STATUS_SUCCESS)
    status = order_signals(&o, num_dep_signals, dep_signals, completion_signal);
  if (status != HSA_STATUS_SUCCESS || range->x == 0 || range->y == 0 ||
      range->z == 0)
    return status;
  size_t size;
  if (__builtin_mul_overflow((size_t)range->x * range->y, range->z, &size))
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  const aq_copy_box box = {.width = range->x,
                           .rows = range->y,
                           .slices = range->z,
                           .to = {dst->pitch, dst->slice},
                           .from = {src->pitch, src->slice}};
  aq_copy_desc copy = order_desc(&o, size);
  copy.to = aqdrop_memory_seen(o.runtime, box_start(dst, dst_offset),
                               box_extent(dst, range));
  copy.from = aqdrop_memory_seen(o.runtime, box_start(src, src_offset),
                                 box_extent(src, range));
  copy.box = &box;
  return order_submit(&o, &copy);
}
