/* SPDX-License-Identifier: MIT */
/* Batches of copies: several copies with one completion. */
#include "config.h"

#include <stdlib.h>

#include "backend_sim/engine/signals.h"
#include "dropin/hsa/base/hsa.h"
#include "dropin/hsa/base/signals.h"
#include "dropin/hsa/copy/copies.h"

/* ---- several copies, one completion ---- */

/* One of the copies of an operation; the order is a copy of its own. */
typedef struct part {
  aqdrop_order order;
  void *to;
  const void *from;
  size_t size;
} part;

/*
 * Each piece has a signal of its own; the last one to end decrements the
 * caller's. `holds` counts the pieces under way, and the submission. If a piece
 * could not be submitted, those before it still move their bytes, and the
 * caller's signal stays. A whole is in the runtime's list while pieces of it
 * are under way: a client may close the runtime then.
 */
typedef struct aqdrop_copy_batch whole;

typedef struct piece {
  whole *whole;
  hsa_signal_t signal;
  uint32_t device; /* whose ticks they are */
  uint64_t start, end;
} piece;

struct aqdrop_copy_batch {
  aqdrop *runtime;
  whole *next, **link; /* in the list of the runtime, under `batches` */
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

static void whole_link(whole *w)
{
  aqdrop *runtime = w->runtime;
  pthread_mutex_lock(&runtime->batches);
  w->next = runtime->first_whole;
  w->link = &runtime->first_whole;
  if (w->next)
    w->next->link = &w->next;
  runtime->first_whole = w;
  pthread_mutex_unlock(&runtime->batches);
}

static void whole_unlink(whole *w)
{
  aqdrop *runtime = w->runtime;
  pthread_mutex_lock(&runtime->batches);
  *w->link = w->next;
  if (w->next)
    w->next->link = w->link;
  pthread_mutex_unlock(&runtime->batches);
}

void aqdrop_batches_fini(aqdrop *runtime)
{
  while (runtime->first_whole) {
    whole *w = runtime->first_whole;
    runtime->first_whole = w->next;
    free(w);
  }
}

static void whole_release(whole *w)
{
  if (__atomic_sub_fetch(&w->holds, 1, __ATOMIC_ACQ_REL) > 0)
    return;
  whole_unlink(w);
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
      aqdrop_order_linear(&from->order, from->to, from->from, from->size);
  p->whole = w;
  aq_status status = t->ops->signal_create(t, &one, &p->signal, NULL);
  if (status != AQ_OK)
    return status;
  copy.completion = p->signal;
  status = t->ops->signal_handler(t, p->signal, AQ_EQ, 0, piece_done, p, NULL);
  if (status == AQ_OK) {
    __atomic_fetch_add(&w->holds, 1, __ATOMIC_RELAXED);
    w->count++;
    status = aqdrop_copy_submit(w->runtime, &copy);
    if (status == AQ_OK)
      return AQ_OK;
    w->count--;
    __atomic_fetch_sub(&w->holds, 1, __ATOMIC_RELAXED);
  }
  t->ops->signal_destroy(t, p->signal);
  return status;
}

/* ---- batches ---- */

enum { BATCH_DEPENDENCIES = 5 };

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
  aqdrop_order_agents(&out->order, entry_agent(op, i), op->src_agent);
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

static hsa_status_t op_check(const aqdrop_order *batch,
                             const hsa_amd_memory_copy_op_t *op)
{
  const bool list = op->num_entries > 0,
             broadcast = op->type == HSA_AMD_MEMORY_COPY_OP_LINEAR_BROADCAST;
  if (op->version != 1 || !op_is_served(op) || !op->src || !op->dst ||
      (broadcast && !list) || (list && !op->dst_agent_list) ||
      (op_is_list(op) && !op->size_list))
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  if (op->completion_signal.handle &&
      !aqdrop_signal_is_live(batch->runtime, op->completion_signal))
    return HSA_STATUS_ERROR_INVALID_SIGNAL;
  entries e = {batch->runtime, op, 0};
  for (uint32_t i = 0; i < op_count(op); i++) {
    part p = {.order = *batch};
    hsa_status_t status =
        aqdrop_order_agents(&p.order, entry_agent(op, i), op->src_agent);
    if (status != HSA_STATUS_SUCCESS)
      return status;
    entry_next(&e, &p);
    if (!p.to || !p.from)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
  return HSA_STATUS_SUCCESS;
}

/* Entries without bytes are as nothing, as other copies of none. */
static hsa_status_t op_submit(const aqdrop_order *o,
                              const hsa_amd_memory_copy_op_t *op)
{
  const uint32_t count = op_count(op);
  entries e = {o->runtime, op, 0};
  aq_status status = AQ_OK;
  if (count == 1) {
    part p = {.order = *o};
    entry_next(&e, &p);
    return aqdrop_order_submit(&p.order, p.to, p.from, p.size);
  }
  whole *w = malloc(sizeof *w + count * sizeof w->pieces[0]);
  if (!w)
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  *w = (whole){.runtime = o->runtime, .completion = o->completion, .holds = 1};
  whole_link(w);
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
  aqdrop_order o = {.runtime = runtime,
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
