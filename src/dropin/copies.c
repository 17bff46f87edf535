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
  if (o->completion.handle &&
      __atomic_load_n(&o->runtime->copies_timed, __ATOMIC_RELAXED))
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

/* ---- copies of several parts ---- */

/*
 * All parts but the last count `parts` down and wait for the caller's signals;
 * the last one waits for `parts` too and completes `done`. Then the caller's
 * signal is decremented, and the two signals go.
 */
typedef struct whole {
  aqdrop *runtime;
  hsa_signal_t parts, done, completion;
} whole;

static bool whole_done(int64_t value, void *user)
{
  whole *w = user;
  const aq_transport_ops *ops = w->runtime->transport->ops;
  aq_transport *t = w->runtime->transport;
  const aqsim_signal *done = aqsim_signal_from(w->done);
  aqsim_signal *completion = aqsim_signal_from(w->completion);
  (void)value;
  if (completion &&
      __atomic_load_n(&w->runtime->copies_timed, __ATOMIC_RELAXED)) {
    completion->abi.start_ts = done->abi.start_ts;
    completion->abi.end_ts = done->abi.end_ts;
    completion->device = done->device;
  }
  if (completion)
    ops->signal_update(t, w->completion, AQ_UPDATE_SUB, 1, 0, AQ_RELEASE);
  ops->signal_destroy(t, w->parts);
  ops->signal_destroy(t, w->done);
  free(w);
  return false;
}

/* One of the copies; the order is the caller's own copy of it, to change. */
typedef struct part {
  order order;
  void *to;
  const void *from;
  size_t size;
} part;

/* Fills to, from and size of the next part, and its devices where they differ
 * from the order's. */
typedef void part_next(void *user, part *out);

static hsa_status_t parts_submit(const order *o, const whole *w, uint64_t count,
                                 part_next *next, void *user)
{
  const hsa_signal_t last[] = {w->parts};
  aq_status status = AQ_OK;
  for (uint64_t left = count; left-- > 0 && status == AQ_OK;) {
    part p = {.order = *o};
    next(user, &p);
    aq_copy_desc copy = order_desc(&p.order, p.to, p.from, p.size);
    copy.dependencies = left == 0 ? last : o->dependencies;
    copy.dependency_count = left == 0 ? 1 : o->count;
    copy.completion = left == 0 ? w->done : w->parts;
    status = copy_give(o->runtime, &copy);
  }
  return aqdrop_status(status);
}

/* Submits at least one copy. */
static hsa_status_t whole_submit(const order *o, uint64_t count,
                                 part_next *next, void *user)
{
  const aq_transport_ops *ops = o->runtime->transport->ops;
  aq_transport *t = o->runtime->transport;
  aq_signal_desc down = {.value = (int64_t)count - 1};
  aq_signal_desc one = {.value = 1, .flags = AQ_SIGNAL_PROFILE};
  if (count == 1) {
    part p = {.order = *o};
    next(user, &p);
    return order_submit(&p.order, p.to, p.from, p.size);
  }
  whole *w = malloc(sizeof *w);
  if (!w)
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  *w = (whole){.runtime = o->runtime, .completion = o->completion};
  if (ops->signal_create(t, &down, &w->parts, NULL) == AQ_OK) {
    if (ops->signal_create(t, &one, &w->done, NULL) == AQ_OK) {
      if (ops->signal_handler(t, w->done, AQ_EQ, 0, whole_done, w, NULL) ==
          AQ_OK)
        return parts_submit(o, w, count, next, user);
      ops->signal_destroy(t, w->done);
    }
    ops->signal_destroy(t, w->parts);
  }
  free(w);
  return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
}

/* ---- boxes ---- */

static size_t box_offset(const hsa_pitched_ptr_t *at, const hsa_dim3_t *offset,
                         uint32_t y, uint32_t z)
{
  return offset->x + (size_t)(offset->y + y) * at->pitch +
         (size_t)(offset->z + z) * at->slice;
}

typedef struct rect {
  const hsa_pitched_ptr_t *dst, *src;
  const hsa_dim3_t *dst_offset, *src_offset, *range;
  uint32_t y, z; /* of the next row */
} rect;

static void row_next(void *user, part *out)
{
  rect *r = user;
  out->to =
      (char *)r->dst->base + box_offset(r->dst, r->dst_offset, r->y, r->z);
  out->from = (const char *)r->src->base +
              box_offset(r->src, r->src_offset, r->y, r->z);
  out->size = r->range->x;
  if (++r->y == r->range->y) {
    r->y = 0;
    r->z++;
  }
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
  rect r = {dst, src, dst_offset, src_offset, range, 0, 0};
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
  return whole_submit(&o, (uint64_t)range->y * range->z, row_next, &r);
}

/* ---- batches ---- */

enum { BATCH_DEPENDENCIES = 5, BATCH_ENTRIES = 1024 };

/* The entries of an operation, one after the other. */
typedef struct entries {
  aqdrop *runtime;
  const hsa_amd_memory_copy_op_t *op;
  uint32_t next;
} entries;

static uint32_t op_count(const hsa_amd_memory_copy_op_t *op)
{
  return op->num_entries > 0 ? op->num_entries : 1;
}

static bool op_is_list(const hsa_amd_memory_copy_op_t *op)
{
  return op->num_entries > 0 && op->type == HSA_AMD_MEMORY_COPY_OP_LINEAR;
}

static hsa_agent_t entry_agent(const hsa_amd_memory_copy_op_t *op, uint32_t i)
{
  return op->num_entries > 0 ? op->dst_agent_list[i] : op->dst_agent;
}

static void entry_next(void *user, part *out)
{
  entries *e = user;
  const hsa_amd_memory_copy_op_t *op = e->op;
  const uint32_t i = e->next++;
  order_agents(&out->order, entry_agent(op, i), op->src_agent);
  out->to = op->num_entries > 0 ? op->dst_list[i] : op->dst;
  out->from = op_is_list(op) ? op->src_list[i] : op->src;
  out->size = op_is_list(op) ? op->size_list[i] : op->size;
}

/* Swaps, indirect copies, and waits and writes of the engine itself need an
 * engine that no simulated device has. */
static bool op_is_served(const hsa_amd_memory_copy_op_t *op)
{
  return (op->type == HSA_AMD_MEMORY_COPY_OP_LINEAR ||
          op->type == HSA_AMD_MEMORY_COPY_OP_LINEAR_BROADCAST) &&
         op->wait.function == 0 && op->signal.operation == 0;
}

static hsa_status_t op_check(const order *batch,
                             const hsa_amd_memory_copy_op_t *op)
{
  const bool list = op->num_entries > 0,
             broadcast = op->type == HSA_AMD_MEMORY_COPY_OP_LINEAR_BROADCAST;
  if (op->version != 1 || op->num_entries > BATCH_ENTRIES ||
      !op_is_served(op) || !op->src || !op->dst || (broadcast && !list) ||
      (list && !op->dst_agent_list) || (op_is_list(op) && !op->size_list))
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  if (op->completion_signal.handle &&
      !aqdrop_signal_is_live(batch->runtime, op->completion_signal))
    return HSA_STATUS_ERROR_INVALID_SIGNAL;
  entries e = {batch->runtime, op, 0};
  for (uint32_t i = 0; i < op_count(op); i++) {
    part p = {.order = *batch};
    hsa_status_t status =
        order_agents(&p.order, entry_agent(op, i), op->src_agent);
    if (status != HSA_STATUS_SUCCESS)
      return status;
    entry_next(&e, &p);
    if (!p.to || !p.from)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
  return HSA_STATUS_SUCCESS;
}

/* Nothing is copied if one of the operations is refused. */
hsa_status_t
hsa_amd_memory_async_batch_copy(const hsa_amd_memory_copy_op_t *copy_ops,
                                uint32_t num_copy_ops, uint32_t num_dep_signals,
                                const hsa_signal_t *dep_signals)
{
  AQDROP_ENTER(runtime);
  order o = {.runtime = runtime,
             .dependencies = dep_signals,
             .count = num_dep_signals};
  if (!copy_ops || num_copy_ops == 0 || num_dep_signals > BATCH_DEPENDENCIES ||
      (num_dep_signals == 0) != (dep_signals == NULL))
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  for (uint32_t i = 0; i < num_dep_signals; i++)
    if (!aqdrop_signal_is_live(runtime, dep_signals[i]))
      return HSA_STATUS_ERROR_INVALID_SIGNAL;
  hsa_status_t status = HSA_STATUS_SUCCESS;
  for (uint32_t i = 0; i < num_copy_ops && status == HSA_STATUS_SUCCESS; i++)
    status = op_check(&o, &copy_ops[i]);
  for (uint32_t i = 0; i < num_copy_ops && status == HSA_STATUS_SUCCESS; i++) {
    entries e = {runtime, &copy_ops[i], 0};
    o.completion = copy_ops[i].completion_signal;
    status = whole_submit(&o, op_count(&copy_ops[i]), entry_next, &e);
  }
  return status;
}
