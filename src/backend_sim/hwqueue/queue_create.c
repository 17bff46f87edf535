/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "backend_sim/hwqueue/queue_create.h"

#include <stdlib.h>
#include <string.h>

#include "backend_sim/deadlock.h"
#include "backend_sim/engine/allocation_publish.h"
#include "backend_sim/hwqueue/slots.h"
#include "backend_sim/packet/fetch.h"
#include "backend_sim/packet/inflight.h"
#include "backend_sim/packet/kernel_dispatch.h"
#include "backend_sim/packet/processor.h"
#include "backend_sim/policy/device_policy.h"

enum {
  QUEUES_FIRST = 8, /* of the slab */
  FEATURE_KERNEL_DISPATCH = 1,
  FEATURE_AGENT_DISPATCH = 2,
  MASK_BITS = 32,
};

/* ---- checks ---- */

/* The device reads no soft queue, so its minimum is none of theirs. */
static aq_status size_check(const aqsim *sim, const aqsim_model *model,
                            aq_queue_type type, uint32_t *size, aq_diag *diag)
{
  const long long least = type == AQ_QUEUE_SOFT ? 1 : model->queue_size_min;
  bool clamps = sim->semantics == AQ_SEMANTICS_FOUNDATION;
  if (*size == 0 || (*size & (*size - 1)) || (*size < least && !clamps))
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "queue_create: size %u; expected a power of two, at "
                       "least %lld",
                       *size, least);
  if (*size > model->queue_size_max)
    return aq_diag_set(diag, AQ_ERR_RESOURCES,
                       "queue_create: size %u; %s has at most %lld", *size,
                       model->name, (long long)model->queue_size_max);
  if (*size < least)
    *size = (uint32_t)least;
  return AQ_OK;
}

static aq_status type_check(const aqsim_device *device,
                            const aq_queue_desc *desc, aq_diag *diag)
{
  bool host = desc->device == AQ_DEVICE_HOST;
  switch (desc->type) {
  case AQ_QUEUE_SOFT:
    if (desc->doorbell.handle)
      return AQ_OK;
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "queue_create: a soft queue without a doorbell signal");
  case AQ_QUEUE_MULTI:
  case AQ_QUEUE_COOPERATIVE:
    if (!host && !device->model->multi_producer_queues)
      return aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                         "queue_create: %s has SINGLE queues only",
                         device->model->name);
    if (host && desc->type == AQ_QUEUE_COOPERATIVE)
      break;
    return AQ_OK;
  case AQ_QUEUE_SINGLE:
    return AQ_OK;
  }
  return aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                     "queue_create: type %d; expected MULTI, SINGLE, "
                     "COOPERATIVE of a device, or SOFT",
                     (int)desc->type);
}

/* Only devices, which have a place for queues, count them. queues_max is the
 * promise of a runtime; a client below one has the limits of its driver. */
static aq_status count_check(const aqsim_device *device,
                             const aq_queue_desc *desc, bool placed,
                             aq_diag *diag)
{
  const aqsim_model *model = device->model;
  if (placed || desc->type == AQ_QUEUE_SOFT ||
      (desc->type == AQ_QUEUE_COOPERATIVE && device->cooperative) ||
      device->queue_count < model->queues_max)
    return AQ_OK;
  return aq_diag_set(diag, AQ_ERR_RESOURCES,
                     "queue_create: %s has at most %lld queues", model->name,
                     (long long)model->queues_max);
}

static aq_status queue_check(const aqsim *sim, const aq_queue_desc *desc,
                             bool placed, uint32_t *size, aq_diag *diag)
{
  bool host = desc->device == AQ_DEVICE_HOST;
  if (!host && desc->device >= sim->device_count)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "queue_create: device %u; expected less than %u",
                       desc->device, sim->device_count);
  const aqsim_device *device = &sim->devices[host ? 0 : desc->device];
  aq_status status = size_check(sim, device->model, desc->type, size, diag);
  if (status == AQ_OK)
    status = type_check(device, desc, diag);
  if (status != AQ_OK)
    return status;
  if (host && desc->type != AQ_QUEUE_SOFT && !desc->agent)
    return aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                       "queue_create: the host runs no kernels; expected a "
                       "function for agent dispatches");
  if (desc->private_segment_hint != AQ_SEGMENT_NO_HINT &&
      desc->private_segment_hint > AQSIM_PRIVATE_MAX)
    return aq_diag_set(diag, AQ_ERR_RESOURCES,
                       "queue_create: private segment of %u bytes; expected "
                       "at most %d",
                       desc->private_segment_hint, AQSIM_PRIVATE_MAX);
  return host ? AQ_OK : count_check(device, desc, placed, diag);
}

/* ---- life ---- */

/* Memory for a queue: a destroyed one's, if there is one. A client that holds
 * on to a destroyed queue reads its indices; they stay where they are. */
static aqsim_queue *queue_take(aqsim *sim)
{
  aqsim_queue *queue = sim->queues_free;
  if (!queue) {
    size_t count;
    queue = aq_slab_grow(&sim->queues, sizeof *queue, _Alignof(aqsim_queue),
                         QUEUES_FIRST, &count);
    for (size_t i = count; queue && i-- > 1;) {
      queue[i].next = sim->queues_free;
      sim->queues_free = &queue[i];
    }
    return queue;
  }
  sim->queues_free = queue->next;
  return queue;
}

/* Kernels may touch the ring of a queue, and the words by which they submit
 * packets themselves. */
static bool queue_publish(const aqsim *sim, const aqsim_queue *queue)
{
  aq_allocations *map = sim->allocations;
  const aq_ring *ring = &queue->ring;
  return aqsim_publish(map, ring->packets, (size_t)ring->size * AQ_PACKET_SIZE,
                       AQ_ALLOCATION_RING, AQ_DEVICE_HOST) &&
         aqsim_publish(map, &queue->amd, sizeof queue->amd, AQ_ALLOCATION_QUEUE,
                       AQ_DEVICE_HOST) &&
         aqsim_publish(map, &queue->doorbell, sizeof queue->doorbell,
                       AQ_ALLOCATION_QUEUE, AQ_DEVICE_HOST) &&
         aqsim_publish(map, &queue->doorbell_signal,
                       sizeof queue->doorbell_signal, AQ_ALLOCATION_QUEUE,
                       AQ_DEVICE_HOST);
}

static void queue_withdraw(const aqsim *sim, const aqsim_queue *queue)
{
  aqsim_withdraw(sim->allocations, queue->ring.packets, AQ_ALLOCATION_RING);
  aqsim_withdraw(sim->allocations, &queue->amd, AQ_ALLOCATION_QUEUE);
  aqsim_withdraw(sim->allocations, &queue->doorbell, AQ_ALLOCATION_QUEUE);
  aqsim_withdraw(sim->allocations, &queue->doorbell_signal,
                 AQ_ALLOCATION_QUEUE);
}

static void queue_free(aqsim *sim, aqsim_queue *queue)
{
  if (queue->ring.packets && !queue->placed)
    queue_withdraw(sim, queue);
  if (!queue->placed)
    free(queue->ring.packets);
  free(queue->fetch_state.submitted);
  free(queue->fetch_state.completed);
  free(queue->pool.inflights);
  free(queue->pm4);
  /* A reader without the lock sees a destroyed queue. */
  __atomic_store_n(&queue->amd.hsa.base, NULL, __ATOMIC_RELAXED);
  queue->next = sim->queues_free;
  sim->queues_free = queue;
}

static uint64_t queue_events(const aqsim_queue *queue)
{
  return 3 + (uint64_t)queue->ring.size; /* fetch, map, gate, flights */
}

/* Allocates the queue, its ring unless it has one, and the processor's state
 * beside it. A client has published its own memory. */
static aqsim_queue *queue_alloc(aqsim *sim, uint32_t size,
                                const aqsim_queue_place *place)
{
  aqsim_queue *queue = queue_take(sim);
  if (!queue)
    return NULL;
  memset(queue, 0, sizeof *queue);
  queue->ring.size = size;
  queue->placed = place != NULL;
  queue->ring.packets =
      place ? place->packets
            : aligned_alloc(AQ_PACKET_SIZE, (size_t)size * AQ_PACKET_SIZE);
  queue->fetch_state.submitted =
      malloc(size * sizeof *queue->fetch_state.submitted);
  queue->fetch_state.completed =
      calloc(size, sizeof *queue->fetch_state.completed);
  /* Fresh pages of packets in flight cost nothing until that many are in
   * flight. */
  queue->pool.inflights = aligned_alloc(_Alignof(aqsim_inflight),
                                        size * sizeof *queue->pool.inflights);
  if (queue->ring.packets && queue->fetch_state.submitted &&
      queue->fetch_state.completed && queue->pool.inflights &&
      (place || queue_publish(sim, queue)) &&
      aqsim_calendar_reserve(&sim->calendar, queue_events(queue)))
    return queue;
  queue_free(sim, queue);
  return NULL;
}

/* The client has made its own. Packets before the read index are history. */
static void queue_place(aqsim_queue *queue, const aqsim_queue_place *place)
{
  queue->abi = place->abi;
  queue->ring.write_index = place->write_index;
  queue->ring.read_index = place->read_index;
  queue->ring.doorbell = place->doorbell;
  __atomic_store_n(queue->ring.doorbell, UINT64_MAX, __ATOMIC_RELEASE);
  queue->seen = UINT64_MAX;
  queue->fetch_state.read = queue->fetch_state.noticed =
      queue->fetch_state.fetched = queue->announced =
          aq_ring_read_index(&queue->ring);
}

/* The memory that clients and the processor share, as the HSA ABI has it. */
static void queue_init_abi(aqsim_queue *queue, const aq_queue_desc *desc)
{
  queue->abi = &queue->amd;
  uint32_t size = queue->ring.size;
  /* One pass: such a ring is a megabyte. */
  for (uint32_t i = 0; i < size; i++)
    queue->ring.packets[i] = (aq_packet){.qword = {AQ_PACKET_INVALID}};
  queue->ring.write_index = &queue->amd.write_dispatch_id;
  queue->ring.read_index = &queue->amd.read_dispatch_id;
  queue->ring.doorbell = &queue->doorbell;
  queue->doorbell = queue->seen = UINT64_MAX;
  queue->doorbell_signal =
      (aq_amd_signal){.kind = AQ_AMD_SIGNAL_DOORBELL,
                      .value = (int64_t)(uintptr_t)&queue->doorbell,
                      .queue = (uintptr_t)&queue->amd};
  queue->amd.hsa =
      (aq_hsa_queue){.type = desc->type,
                     .features = queue->host ? FEATURE_AGENT_DISPATCH
                                             : FEATURE_KERNEL_DISPATCH,
                     .base = queue->ring.packets,
                     .doorbell = {(uintptr_t)&queue->doorbell_signal},
                     .size = size,
                     .id = queue->ring.id};
  queue->amd.read_dispatch_id_offset = offsetof(aq_amd_queue, read_dispatch_id);
  if (queue->sim->executor) {
    queue->amd.group_segment_aperture_hi =
        queue->sim->executor->group_aperture_hi;
    queue->amd.private_segment_aperture_hi =
        queue->sim->executor->private_aperture_hi;
  }
}

static aq_status queue_announce(aqsim *sim, aqsim_queue *queue, aq_diag *diag)
{
  queue->record = AQ_NONE;
  if (!aqsim_recorder_on(&sim->recorder))
    return AQ_OK;
  aq_run_queue row = {queue->device->record, queue->ring.id};
  return sim->recorder.sink->queue(sim->recorder.sink, &row, &queue->record,
                                   diag);
}

/* Applies the description, before the processor sees the queue. */
static void queue_describe(aqsim *sim, aqsim_queue *queue,
                           const aq_queue_desc *desc,
                           const aqsim_queue_place *place)
{
  queue->sim = sim;
  queue->host = desc->device == AQ_DEVICE_HOST;
  queue->device = &sim->devices[queue->host ? 0 : desc->device];
  queue->ring.id = sim->queues_created;
  queue->type = desc->type;
  queue->error.tell = desc->error;
  queue->error.user = desc->user;
  queue->agent = desc->agent;
  queue->references = 1;
  queue->rank = AQSIM_RANK_NORMAL;
  aqsim_cu_set_fill(queue->device->model, &queue->cus);
  queue->line.last_end = AQ_TIME_NONE;
  aqsim_fetch_init(queue);
  aqsim_queue_slot_init(queue);
  aqsim_queue_gate_init(queue);
  if (place)
    queue_place(queue, place);
  else
    queue_init_abi(queue, desc);
  if (desc->type == AQ_QUEUE_SOFT) {
    aqsim_signal *doorbell = aqsim_signal_from(desc->doorbell);
    queue->state = AQSIM_QUEUE_SOFT;
    queue->bell = doorbell;
    queue->ring.doorbell = (uint64_t *)(void *)&doorbell->abi.value;
    queue->amd.hsa.doorbell = desc->doorbell;
    queue->amd.hsa.features = FEATURE_KERNEL_DISPATCH | FEATURE_AGENT_DISPATCH;
  }
}

/* Queues that take one of the device's. */
static bool queue_is_hardware(const aqsim_queue *queue)
{
  return !queue->host && queue->type != AQ_QUEUE_SOFT;
}

static void queue_link(aqsim *sim, aqsim_queue *queue)
{
  sim->queues_created++;
  queue->device->queue_count += queue_is_hardware(queue);
  if (!queue->host)
    queue->number = queue->device->queues_numbered++;
  aqsim_policy_queue_new(queue->device);
  if (queue->type == AQ_QUEUE_COOPERATIVE)
    queue->device->cooperative = queue;
  queue->previous = sim->last_queue;
  if (sim->last_queue)
    sim->last_queue->next = queue;
  else
    sim->first_queue = queue;
  sim->last_queue = queue;
}

aq_status aqsim_queue_create(aqsim *sim, const aq_queue_desc *desc,
                             const aqsim_queue_place *place, aqsim_queue **out,
                             aq_diag *diag)
{
  uint32_t size = desc->size;
  aq_status status = queue_check(sim, desc, place != NULL, &size, diag);
  if (status != AQ_OK)
    return status;
  if (desc->type == AQ_QUEUE_COOPERATIVE &&
      sim->devices[desc->device].cooperative) {
    *out = sim->devices[desc->device].cooperative;
    (*out)->references++;
    return AQ_OK;
  }
  aqsim_queue *queue = queue_alloc(sim, size, place);
  if (!queue)
    return aq_diag_set(diag, AQ_ERR_NO_MEMORY,
                       "out of memory for a queue of %u packets", size);
  queue_describe(sim, queue, desc, place);
  status = queue_announce(sim, queue, diag);
  if (status != AQ_OK) {
    aqsim_calendar_release(&sim->calendar, queue_events(queue));
    queue_free(sim, queue);
    return status;
  }
  queue_link(sim, queue);
  *out = queue;
  return AQ_OK;
}

static void queue_unlink(aqsim *sim, aqsim_queue *queue)
{
  if (queue->previous)
    queue->previous->next = queue->next;
  else
    sim->first_queue = queue->next;
  if (queue->next)
    queue->next->previous = queue->previous;
  else
    sim->last_queue = queue->previous;
}

void aqsim_queue_destroy(aqsim_queue *queue)
{
  aqsim *sim = queue->sim;
  if (--queue->references > 0)
    return;
  aqsim_queue_stop(queue, AQSIM_QUEUE_INACTIVE);
  aqsim_kernel_dispatch_cancel(queue);
  for (uint32_t i = 0; i < queue->pool.fresh; i++)
    aqsim_execution_end(&queue->pool.inflights[i]);
  aqsim_dep_wait_disarm(&queue->wait.dep_wait);
  aqsim_calendar_forget(&sim->calendar, &queue->wait.dep_wait,
                        sizeof queue->wait.dep_wait);
  aqsim_calendar_forget(&sim->calendar, &queue->map.event,
                        sizeof queue->map.event);
  aqsim_calendar_forget(&sim->calendar, queue->pool.inflights,
                        queue->pool.fresh * sizeof *queue->pool.inflights);
  queue_unlink(sim, queue);
  queue->destroyed = true;
  if (!queue->host)
    queue->device->orphaned -= queue->line.active;
  queue->device->queue_count -= queue_is_hardware(queue);
  if (queue->device->cooperative == queue)
    queue->device->cooperative = NULL;
  queue->next = sim->destroyed;
  sim->destroyed = queue;
  aqsim_queues_sweep(sim);
}

void aqsim_queues_sweep(aqsim *sim)
{
  while (sim->depth == 0 && sim->destroyed) {
    aqsim_queue *queue = sim->destroyed;
    sim->destroyed = queue->next;
    aqsim_calendar_release(&sim->calendar, queue_events(queue));
    queue_free(sim, queue);
  }
}

bool aqsim_queue_is_own(const aqsim *sim, const void *abi)
{
  return aq_slab_has(&sim->queues, (uintptr_t)abi - offsetof(aqsim_queue, amd),
                     sizeof(aqsim_queue));
}

/* ---- control ---- */

/* From gfx10 on compute units come in pairs: "gfx1100" is generation 11. */
static bool cus_come_in_pairs(const aqsim_model *model)
{
  size_t length = strlen(model->gfx);
  return length >= 7 && strncmp(model->gfx, "gfx1", 4) == 0;
}

static aq_status mask_check(const aqsim_queue *queue,
                            const aq_queue_control_args *args, aq_diag *diag)
{
  if (args->count % MASK_BITS != 0 || !args->mask)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "queue %u: CU mask of %u bits; expected a multiple of "
                       "%d and a mask",
                       queue->ring.id, args->count, MASK_BITS);
  if (!cus_come_in_pairs(queue->device->model))
    return AQ_OK;
  for (uint32_t i = 0; i < args->count / MASK_BITS; i++)
    if ((args->mask[i] ^ args->mask[i] >> 1) & 0x55555555)
      return aq_diag_set(diag, AQ_ERR_INVALID,
                         "queue %u: CU mask word %u is %#x; expected pairs of "
                         "bits on %s",
                         queue->ring.id, i, args->mask[i],
                         queue->device->model->gfx);
  return AQ_OK;
}

static void cus_set(aqsim_queue *queue, const aqsim_cu_set *cus)
{
  queue->cus = *cus;
  aqsim_queue_shape_forget(queue);
  aqsim_kernel_dispatch_mask(queue);
}

static aq_status cu_mask_set(aqsim_queue *queue,
                             const aq_queue_control_args *args, aq_diag *diag)
{
  const aqsim_model *model = queue->device->model;
  uint32_t all = (uint32_t)model->cus;
  aqsim_cu_set used = {0};
  bool dropped = false;
  if (args->count == 0) {
    aqsim_cu_set_fill(model, &used);
    cus_set(queue, &used);
    return AQ_OK;
  }
  aq_status status = mask_check(queue, args, diag);
  if (status != AQ_OK)
    return status;
  for (uint32_t i = 0; i < args->count; i++) {
    bool set = args->mask[i / MASK_BITS] >> i % MASK_BITS & 1;
    if (set && i < all)
      aqsim_cu_set_add(model, &used, i);
    dropped |= set && i >= all;
  }
  if (used.count == 0)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "queue %u: CU mask without any of the %u compute units",
                       queue->ring.id, all);
  cus_set(queue, &used);
  return dropped ? AQ_REDUCED : AQ_OK;
}

static aq_status priority_set(aqsim_queue *queue, int32_t value, aq_diag *diag)
{
  if (value < -1 || value > 1)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "queue %u: priority %d; expected -1, 0 or 1",
                       queue->ring.id, value);
  aqsim_queue_rank_set(queue, value > 0    ? AQSIM_RANK_HIGH
                              : value == 0 ? AQSIM_RANK_NORMAL
                                           : AQSIM_RANK_LOW);
  return AQ_OK;
}

aq_status aqsim_queue_control(aqsim_queue *queue, aq_queue_control control,
                              const aq_queue_control_args *args, aq_diag *diag)
{
  if (control != AQ_CONTROL_INACTIVATE && queue->state == AQSIM_QUEUE_FAILED)
    return aqsim_queue_explain(queue, diag);
  switch (control) {
  case AQ_CONTROL_INACTIVATE:
    if (queue->state == AQSIM_QUEUE_ACTIVE || queue->state == AQSIM_QUEUE_SOFT)
      aqsim_queue_stop(queue, AQSIM_QUEUE_INACTIVE);
    return AQ_OK;
  case AQ_CONTROL_PRIORITY:
    return priority_set(queue, args->value, diag);
  case AQ_CONTROL_CU_MASK:
    return cu_mask_set(queue, args, diag);
  case AQ_CONTROL_PROFILE:
    queue->profile = args->value != 0;
    return AQ_OK;
  }
  return aq_diag_set(diag, AQ_ERR_INVALID, "queue %u: unknown control %d",
                     queue->ring.id, (int)control);
}
