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

static aq_copy_desc order_desc(const order *o, size_t size)
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

static aq_copy_desc order_linear(const order *o, void *to, const void *from,
                                 size_t size)
{
  aq_copy_desc copy = order_desc(o, size);
  copy.to = aqdrop_memory_seen(o->runtime, to, size);
  copy.from = aqdrop_memory_seen(o->runtime, from, size);
  return copy;
}

static aq_status copy_give(const aqdrop *runtime, const aq_copy_desc *copy)
{
  aqdrop_log_copy(runtime, copy);
  return runtime->transport->ops->copy_submit(runtime->transport, copy, NULL);
}

static hsa_status_t order_give(const order *o, const aq_copy_desc *copy)
{
  completion_time(o);
  return aqdrop_status(copy_give(o->runtime, copy));
}

static hsa_status_t order_submit(const order *o, void *to, const void *from,
                                 size_t size)
{
  const aq_copy_desc copy = order_linear(o, to, from, size);
  return order_give(o, &copy);
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

static hsa_status_t box_submit(const order *o, const hsa_pitched_ptr_t *dst,
                               const hsa_dim3_t *dst_offset,
                               const hsa_pitched_ptr_t *src,
                               const hsa_dim3_t *src_offset,
                               const hsa_dim3_t *range)
{
  size_t size;
  if (__builtin_mul_overflow((size_t)range->x * range->y, range->z, &size))
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  const aq_copy_box box = {.width = range->x,
                           .rows = range->y,
                           .slices = range->z,
                           .to = {dst->pitch, dst->slice},
                           .from = {src->pitch, src->slice}};
  aq_copy_desc copy = order_desc(o, size);
  copy.to = aqdrop_memory_seen(o->runtime, box_start(dst, dst_offset),
                               box_extent(dst, range));
  copy.from = aqdrop_memory_seen(o->runtime, box_start(src, src_offset),
                                 box_extent(src, range));
  copy.box = &box;
  return order_give(o, &copy);
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
  return box_submit(&o, dst, dst_offset, src, src_offset, range);
}

/* ---- several copies, one completion ---- */

/* One of the copies of an operation; the order is a copy of its own. */
typedef struct part {
  order order;
  void *to;
  const void *from;
  size_t size;
} part;

/*
 * Each piece has a signal of its own; the last one to end decrements the
 * caller's. `holds` counts the pieces under way, and the submission. If a piece
 * could not be submitted, those before it still move their bytes, and the
 * caller's signal stays.
 */
typedef struct whole whole;

typedef struct piece {
  whole *whole;
  hsa_signal_t signal;
  uint32_t device; /* whose ticks they are */
  uint64_t start, end;
} piece;

struct whole {
  aqdrop *runtime;
  hsa_signal_t completion;
  uint32_t holds; /* atomic */
  uint32_t count; /* of pieces that were submitted */
  bool failed;
  piece pieces[];
};

/* From the first start to the last end, in ticks of the first piece's device.
 * All devices count from the same instant. */
static void whole_time(const whole *w)
{
  aqsim_signal *completion = aqsim_signal_from(w->completion);
  const aq_device_info *devices = w->runtime->info.devices;
  const uint64_t hz = devices[w->pieces[0].device].timestamp_hz;
  uint64_t start = UINT64_MAX, end = 0;
  for (uint32_t i = 0; i < w->count; i++) {
    const piece *p = &w->pieces[i];
    const uint64_t other = devices[p->device].timestamp_hz;
    const uint64_t begun = (uint64_t)((unsigned __int128)p->start * hz / other);
    const uint64_t ended = (uint64_t)((unsigned __int128)p->end * hz / other);
    start = begun < start ? begun : start;
    end = ended > end ? ended : end;
  }
  completion->abi.start_ts = start;
  completion->abi.end_ts = end;
  completion->device = w->pieces[0].device;
}

static void whole_release(whole *w)
{
  if (__atomic_sub_fetch(&w->holds, 1, __ATOMIC_ACQ_REL) > 0)
    return;
  if (w->count > 0 && !w->failed && w->completion.handle) {
    if (__atomic_load_n(&w->runtime->copies_timed, __ATOMIC_RELAXED))
      whole_time(w);
    w->runtime->transport->ops->signal_update(
        w->runtime->transport, w->completion, AQ_UPDATE_SUB, 1, 0, AQ_RELEASE);
  }
  free(w);
}

static bool piece_done(int64_t value, void *user)
{
  piece *p = user;
  aq_transport *t = p->whole->runtime->transport;
  const aqsim_signal *signal = aqsim_signal_from(p->signal);
  (void)value;
  p->start = signal->abi.start_ts;
  p->end = signal->abi.end_ts;
  p->device = signal->device;
  t->ops->signal_destroy(t, p->signal);
  whole_release(p->whole);
  return false;
}

static aq_status piece_submit(whole *w, const part *from)
{
  aq_transport *t = w->runtime->transport;
  const aq_signal_desc one = {.value = 1, .flags = AQ_SIGNAL_PROFILE};
  piece *p = &w->pieces[w->count];
  aq_copy_desc copy =
      order_linear(&from->order, from->to, from->from, from->size);
  p->whole = w;
  aq_status status = t->ops->signal_create(t, &one, &p->signal, NULL);
  if (status != AQ_OK)
    return status;
  copy.completion = p->signal;
  status = t->ops->signal_handler(t, p->signal, AQ_EQ, 0, piece_done, p, NULL);
  if (status == AQ_OK) {
    __atomic_fetch_add(&w->holds, 1, __ATOMIC_RELAXED);
    w->count++;
    status = copy_give(w->runtime, &copy);
    if (status == AQ_OK)
      return AQ_OK;
    w->count--;
    __atomic_fetch_sub(&w->holds, 1, __ATOMIC_RELAXED);
  }
  t->ops->signal_destroy(t, p->signal);
  return status;
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

static void entry_next(entries *e, part *out)
{
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

/* Entries without bytes are as nothing, as other copies of none. */
static hsa_status_t op_submit(const order *o,
                              const hsa_amd_memory_copy_op_t *op)
{
  const uint32_t count = op_count(op);
  entries e = {o->runtime, op, 0};
  aq_status status = AQ_OK;
  if (count == 1) {
    part p = {.order = *o};
    entry_next(&e, &p);
    return order_submit(&p.order, p.to, p.from, p.size);
  }
  whole *w = malloc(sizeof *w + count * sizeof w->pieces[0]);
  if (!w)
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  *w = (whole){.runtime = o->runtime, .completion = o->completion, .holds = 1};
  for (uint32_t i = 0; i < count && status == AQ_OK; i++) {
    part p = {.order = *o};
    entry_next(&e, &p);
    if (p.size > 0)
      status = piece_submit(w, &p);
  }
  w->failed = status != AQ_OK;
  whole_release(w);
  return aqdrop_status(status);
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
    o.completion = copy_ops[i].completion_signal;
    status = op_submit(&o, &copy_ops[i]);
  }
  return status;
}
