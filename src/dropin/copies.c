/* SPDX-License-Identifier: MIT */
/* Copies by the device's engine. */
#include <stdlib.h>

#include "backend_sim/signals.h"
#include "dropin/hsa.h"
#include "dropin/signals.h"

enum {
  ENGINES = 1, /* bits: the simulator has one copy engine a device */
  DIRECTION_LAST = 3,
};

/* What the caller said about a copy, checked. */
typedef struct order {
  aqdrop *runtime;
  uint32_t device;
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

/* The device that copies: the destination, or the source if that is the host;
 * the first one between host and host. */
static hsa_status_t order_agents(order *o, hsa_agent_t to, hsa_agent_t from)
{
  const aqdrop_agent *target = aqdrop_agent_from(o->runtime, to);
  const aqdrop_agent *source = aqdrop_agent_from(o->runtime, from);
  if (!target || !source)
    return HSA_STATUS_ERROR_INVALID_AGENT;
  o->device = target->info   ? target->ordinal
              : source->info ? source->ordinal
                             : 0;
  return HSA_STATUS_SUCCESS;
}

/* While copies are timed, their signals keep start and end. */
static void completion_time(const order *o)
{
  if (__atomic_load_n(&o->runtime->copies_timed, __ATOMIC_RELAXED))
    __atomic_fetch_or(&aqsim_signal_from(o->completion)->flags,
                      AQ_SIGNAL_PROFILE, __ATOMIC_RELAXED);
}

static hsa_status_t order_submit(const order *o, void *to, const void *from,
                                 size_t size)
{
  completion_time(o);
  return aqdrop_status(o->runtime->transport->ops->copy_async(
      o->runtime->transport, o->device, to, from, size, o->dependencies,
      o->count, o->completion, NULL));
}

static hsa_status_t linear_copy(void *dst, hsa_agent_t dst_agent,
                                const void *src, hsa_agent_t src_agent,
                                size_t size, uint32_t count,
                                const hsa_signal_t *dependencies,
                                hsa_signal_t completion)
{
  AQDROP_ENTER(runtime);
  order o = {.runtime = runtime};
  if (!dst || !src)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  hsa_status_t status = order_agents(&o, dst_agent, src_agent);
  if (status == HSA_STATUS_SUCCESS)
    status = order_signals(&o, count, dependencies, completion);
  return status == HSA_STATUS_SUCCESS ? order_submit(&o, dst, src, size)
                                      : status;
}

hsa_status_t hsa_amd_memory_async_copy(void *dst, hsa_agent_t dst_agent,
                                       const void *src, hsa_agent_t src_agent,
                                       size_t size, uint32_t num_dep_signals,
                                       const hsa_signal_t *dep_signals,
                                       hsa_signal_t completion_signal)
{
  return linear_copy(dst, dst_agent, src, src_agent, size, num_dep_signals,
                     dep_signals, completion_signal);
}

hsa_status_t hsa_amd_memory_async_copy_on_engine(
    void *dst, hsa_agent_t dst_agent, const void *src, hsa_agent_t src_agent,
    size_t size, uint32_t num_dep_signals, const hsa_signal_t *dep_signals,
    hsa_signal_t completion_signal, uint32_t engine_id, bool force_copy_on_sdma)
{
  AQDROP_ENTER(runtime);
  (void)force_copy_on_sdma; /* there is no other way */
  if ((engine_id & ENGINES) == 0 || (engine_id & (engine_id - 1)) != 0)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  return linear_copy(dst, dst_agent, src, src_agent, size, num_dep_signals,
                     dep_signals, completion_signal);
}

static hsa_status_t engines_tell(hsa_agent_t dst_agent, hsa_agent_t src_agent,
                                 uint32_t *mask)
{
  AQDROP_ENTER(runtime);
  order o = {.runtime = runtime};
  hsa_status_t status = order_agents(&o, dst_agent, src_agent);
  if (status != HSA_STATUS_SUCCESS)
    return status;
  if (!mask)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  *mask = ENGINES;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_memory_copy_engine_status(hsa_agent_t dst_agent,
                                               hsa_agent_t src_agent,
                                               uint32_t *engine_ids_mask)
{
  return engines_tell(dst_agent, src_agent, engine_ids_mask);
}

hsa_status_t
hsa_amd_memory_get_preferred_copy_engine(hsa_agent_t dst_agent,
                                         hsa_agent_t src_agent,
                                         uint32_t *recommended_ids_mask)
{
  return engines_tell(dst_agent, src_agent, recommended_ids_mask);
}

/* ---- boxes ---- */

/*
 * The rows of a box. All but the last count `rows` down and wait for what the
 * caller gave; the last one waits for that too and completes `done`. Then the
 * caller's signal is decremented, and the two signals go.
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
  aqdrop *runtime = o->runtime;
  const aq_transport_ops *ops = runtime->transport->ops;
  hsa_signal_t last[] = {b->rows};
  uint64_t left = (uint64_t)r->range->y * r->range->z;
  aq_status status = AQ_OK;
  for (uint32_t z = 0; z < r->range->z; z++)
    for (uint32_t y = 0; y < r->range->y && status == AQ_OK; y++) {
      bool is_last = --left == 0;
      status = ops->copy_async(
          runtime->transport, o->device,
          (char *)r->dst->base + box_offset(r->dst, r->dst_offset, y, z),
          (const char *)r->src->base + box_offset(r->src, r->src_offset, y, z),
          r->range->x, is_last ? last : o->dependencies, is_last ? 1 : o->count,
          is_last ? b->done : b->rows, NULL);
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
