/* SPDX-License-Identifier: MIT */
/* Copies by the devices' engines. */
#include "config.h"

#include <stdlib.h>

#include "backend_sim/signals.h"
#include "dropin/hsa.h"
#include "dropin/log.h"
#include "dropin/memory.h"
#include "dropin/signals.h"

enum { DIRECTION_LAST = 3 };

/* The caller's description of a copy, checked. */
typedef struct order {
  aqdrop *runtime;
  uint32_t device, engine;
  uint32_t to_device, from_device;
  const hsa_signal_t *dependencies;
  uint32_t count;
  hsa_signal_t completion;
} order;

static hsa_status_t order_signals(order *o, uint32_t count,
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

/* The device that copies: the source, or the destination if that is the host;
 * the first one between host and host. */
static hsa_status_t order_agents(order *o, hsa_agent_t to, hsa_agent_t from)
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

/* While copies are timed, their signals keep start and end. */
static void completion_time(const order *o)
{
  if (__atomic_load_n(&o->runtime->copies_timed, __ATOMIC_RELAXED))
    __atomic_fetch_or(&aqsim_signal_from(o->completion)->flags,
                      AQ_SIGNAL_PROFILE, __ATOMIC_RELAXED);
}

static aq_copy_desc order_desc(const order *o, void *to, const void *from,
                               size_t size)
{
  return (aq_copy_desc){.device = o->device,
                        .engine = o->engine,
                        .to_device = o->to_device,
                        .from_device = o->from_device,
                        .to = aqdrop_memory_seen(o->runtime, to, size),
                        .from = aqdrop_memory_seen(o->runtime, from, size),
                        .size = size,
                        .dependencies = o->dependencies,
                        .dependency_count = o->count,
                        .completion = o->completion};
}

static aq_status copy_give(const aqdrop *runtime, const aq_copy_desc *copy)
{
  aqdrop_log_copy(runtime, copy);
  return runtime->transport->ops->copy_submit(runtime->transport, copy, NULL);
}

static hsa_status_t order_submit(const order *o, void *to, const void *from,
                                 size_t size)
{
  aq_copy_desc copy = order_desc(o, to, from, size);
  completion_time(o);
  return aqdrop_status(copy_give(o->runtime, &copy));
}

/* `engines`: one bit, or 0 for the engine that serves the path. */
static hsa_status_t linear_copy(void *dst, hsa_agent_t dst_agent,
                                const void *src, hsa_agent_t src_agent,
                                size_t size, uint32_t count,
                                const hsa_signal_t *dependencies,
                                hsa_signal_t completion, uint32_t engines)
{
  AQDROP_ENTER(runtime);
  order o = {.runtime = runtime};
  if (!dst || !src)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  hsa_status_t status = order_agents(&o, dst_agent, src_agent);
  if (status == HSA_STATUS_SUCCESS)
    status = order_signals(&o, count, dependencies, completion);
  if (status != HSA_STATUS_SUCCESS)
    return status;
  if (engines)
    o.engine = (uint32_t)__builtin_ctz(engines);
  return order_submit(&o, dst, src, size);
}

hsa_status_t hsa_amd_memory_async_copy(void *dst, hsa_agent_t dst_agent,
                                       const void *src, hsa_agent_t src_agent,
                                       size_t size, uint32_t num_dep_signals,
                                       const hsa_signal_t *dep_signals,
                                       hsa_signal_t completion_signal)
{
  AQDROP_NOTED(AQ_KIND_CALL);
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
  AQDROP_NOTED(AQ_KIND_CALL);
  return linear_copy(dst, dst_agent, src, src_agent, size, num_dep_signals,
                     dep_signals, completion_signal, engine_id);
}

hsa_status_t hsa_amd_memory_copy_engine_status(hsa_agent_t dst_agent,
                                               hsa_agent_t src_agent,
                                               uint32_t *engine_ids_mask)
{
  AQDROP_ENTER(runtime);
  order o = {.runtime = runtime};
  hsa_status_t status = order_agents(&o, dst_agent, src_agent);
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
  order o = {.runtime = runtime};
  hsa_status_t status = order_agents(&o, dst_agent, src_agent);
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

/*
 * The rows of a box. All but the last count `rows` down and wait for the
 * caller's signals; the last one waits for `rows` too and completes `done`.
 * Then the caller's signal is decremented, and the two signals go.
 */
typedef struct box {
  aqdrop *runtime;
  hsa_signal_t rows, done, completion;
} box;

static bool box_done(int64_t value, void *user)
{
  box *b = user;
  const aq_transport_ops *ops = b->runtime->transport->ops;
  aq_transport *t = b->runtime->transport;
  const aqsim_signal *done = aqsim_signal_from(b->done);
  aqsim_signal *completion = aqsim_signal_from(b->completion);
  (void)value;
  if (__atomic_load_n(&b->runtime->copies_timed, __ATOMIC_RELAXED)) {
    completion->abi.start_ts = done->abi.start_ts;
    completion->abi.end_ts = done->abi.end_ts;
    completion->device = done->device;
  }
  ops->signal_update(t, b->completion, AQ_UPDATE_SUB, 1, 0, AQ_RELEASE);
  ops->signal_destroy(t, b->rows);
  ops->signal_destroy(t, b->done);
  free(b);
  return false;
}

static size_t box_offset(const hsa_pitched_ptr_t *at, const hsa_dim3_t *offset,
                         uint32_t y, uint32_t z)
{
  return offset->x + (size_t)(offset->y + y) * at->pitch +
         (size_t)(offset->z + z) * at->slice;
}

typedef struct rect {
  const hsa_pitched_ptr_t *dst, *src;
  const hsa_dim3_t *dst_offset, *src_offset, *range;
} rect;

static hsa_status_t rows_submit(const order *o, box *b, const rect *r)
{
  hsa_signal_t last[] = {b->rows};
  uint64_t left = (uint64_t)r->range->y * r->range->z;
  aq_status status = AQ_OK;
  for (uint32_t z = 0; z < r->range->z; z++)
    for (uint32_t y = 0; y < r->range->y && status == AQ_OK; y++) {
      bool is_last = --left == 0;
      aq_copy_desc copy = order_desc(
          o, (char *)r->dst->base + box_offset(r->dst, r->dst_offset, y, z),
          (const char *)r->src->base + box_offset(r->src, r->src_offset, y, z),
          r->range->x);
      copy.dependencies = is_last ? last : o->dependencies;
      copy.dependency_count = is_last ? 1 : o->count;
      copy.completion = is_last ? b->done : b->rows;
      status = copy_give(o->runtime, &copy);
    }
  return aqdrop_status(status);
}

static hsa_status_t box_submit(const order *o, const rect *r)
{
  const aq_transport_ops *ops = o->runtime->transport->ops;
  aq_transport *t = o->runtime->transport;
  int64_t rows = (int64_t)r->range->y * r->range->z;
  aq_signal_desc count = {.value = rows - 1};
  aq_signal_desc one = {.value = 1, .flags = AQ_SIGNAL_PROFILE};
  box *b = malloc(sizeof *b);
  if (!b)
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  *b = (box){.runtime = o->runtime, .completion = o->completion};
  if (ops->signal_create(t, &count, &b->rows, NULL) == AQ_OK) {
    if (ops->signal_create(t, &one, &b->done, NULL) == AQ_OK) {
      if (ops->signal_handler(t, b->done, AQ_EQ, 0, box_done, b, NULL) == AQ_OK)
        return rows_submit(o, b, r);
      ops->signal_destroy(t, b->done);
    }
    ops->signal_destroy(t, b->rows);
  }
  free(b);
  return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
}

hsa_status_t hsa_amd_memory_async_copy_rect(
    const hsa_pitched_ptr_t *dst, const hsa_dim3_t *dst_offset,
    const hsa_pitched_ptr_t *src, const hsa_dim3_t *src_offset,
    const hsa_dim3_t *range, hsa_agent_t copy_agent, uint32_t dir,
    uint32_t num_dep_signals, const hsa_signal_t *dep_signals,
    hsa_signal_t completion_signal)
{
  AQDROP_ENTER(runtime);
  order o = {.runtime = runtime};
  rect r = {dst, src, dst_offset, src_offset, range};
  if (!dst || !src || !dst_offset || !src_offset || !range || !dst->base ||
      !src->base || dir > DIRECTION_LAST)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  hsa_status_t status = order_agents(&o, copy_agent, copy_agent);
  o.to_device = aqdrop_memory_device(runtime->memory, dst->base);
  o.from_device = aqdrop_memory_device(runtime->memory, src->base);
  if (status == HSA_STATUS_SUCCESS)
    status = order_signals(&o, num_dep_signals, dep_signals, completion_signal);
  if (status != HSA_STATUS_SUCCESS || range->x == 0 || range->y == 0 ||
      range->z == 0)
    return status;
  if (range->y == 1 && range->z == 1)
    return order_submit(
        &o, (char *)dst->base + box_offset(dst, dst_offset, 0, 0),
        (const char *)src->base + box_offset(src, src_offset, 0, 0), range->x);
  return box_submit(&o, &r);
}
