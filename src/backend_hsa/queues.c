/* SPDX-License-Identifier: MIT */
/* Queues: made by the runtime, written here. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "backend_hsa/core.h"

enum { WORDS = 400, LINE = 500, SPIN_LOOKS = 200, LOOK_US = 20 };

static aqhsa_queue *queue_from(aq_ring *ring)
{
  return (aqhsa_queue *)(void *)ring;
}

static hsa_queue_t *queue_handle(const aqhsa_queue *queue)
{
  return &queue->abi->hsa;
}

static aqhsa_queue_state queue_state(const aqhsa_queue *queue)
{
  return (aqhsa_queue_state)__atomic_load_n(&queue->state, __ATOMIC_ACQUIRE);
}

/* ---- errors ---- */

/* The bits of the inactive signal that a status stands for, where the runtime
 * does not leave them there. */
static uint32_t reason_of(hsa_status_t status)
{
  static const struct {
    hsa_status_t status;
    uint32_t bits;
  } reasons[] = {
      {HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS, 2},
      {HSA_STATUS_ERROR_INVALID_ALLOCATION, 4},
      {HSA_STATUS_ERROR_INVALID_CODE_OBJECT, 8},
      {HSA_STATUS_ERROR_INVALID_PACKET_FORMAT, 32},
      {HSA_STATUS_ERROR_INVALID_ARGUMENT, 64},
      {HSA_STATUS_ERROR_OUT_OF_REGISTERS, 128},
      {HSA_STATUS_ERROR_MEMORY_APERTURE_VIOLATION, 0x20000000},
      {HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION, 0x40000000},
      {HSA_STATUS_ERROR_EXCEPTION, 0x80000000},
  };
  for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
    if (reasons[i].status == status)
      return reasons[i].bits;
  return 0;
}

static uint32_t queue_reason(const aqhsa_queue *queue, hsa_status_t status)
{
  const aq_amd_signal *inactive =
      (const aq_amd_signal *)(uintptr_t)queue->abi->inactive_signal.handle;
  int64_t bits =
      inactive ? __atomic_load_n(&inactive->value, __ATOMIC_ACQUIRE) : 0;
  return bits ? (uint32_t)bits : reason_of(status);
}

/* Why a queue stopped: only a simulator says more than a status. */
static const char *queue_words(const aqhsa_queue *queue, hsa_status_t status,
                               char text[WORDS])
{
  const aqhsa *hsa = queue->hsa;
  if (hsa->sim.size &&
      hsa->sim.queue_words(queue_handle(queue), WORDS, text) ==
          HSA_STATUS_SUCCESS &&
      text[0])
    return text;
  return aqhsa_status_text(hsa->api, status);
}

/* The packet at which it stopped, and its id. Of hardware nothing but the read
 * index says it, which is below while packets before it are under way. */
static uint64_t stopped_at(const aqhsa_queue *queue, aq_packet *packet)
{
  const aqhsa *hsa = queue->hsa;
  uint64_t id;
  if (hsa->sim.size && hsa->sim.queue_packet(queue_handle(queue), &id,
                                             packet) == HSA_STATUS_SUCCESS)
    return id;
  id = aq_ring_read_index(&queue->ring);
  const aq_packet *slot = aq_ring_slot(&queue->ring, id);
  /* The processor may hand the slot back meanwhile. */
  for (size_t i = 0; i < sizeof packet->qword / sizeof *packet->qword; i++)
    packet->qword[i] = __atomic_load_n(&slot->qword[i], __ATOMIC_RELAXED);
  return id;
}

static void error_heard(hsa_status_t status, hsa_queue_t *source, void *user)
{
  aqhsa_queue *queue = user;
  char line[LINE], words[WORDS];
  aq_packet packet;
  const uint64_t id = stopped_at(queue, &packet);
  const aq_queue_error error = {.queue = queue->ring.id,
                                .packet_id = id,
                                .packet = &packet,
                                .reason = queue_reason(queue, status),
                                .text = queue_words(queue, status, words)};
  (void)source;
  if (__atomic_exchange_n(&queue->state, AQHSA_QUEUE_FAILED,
                          __ATOMIC_ACQ_REL) == AQHSA_QUEUE_FAILED)
    return;
  if (queue->error) {
    queue->error(&error, queue->user);
    return;
  }
  snprintf(line, sizeof line, "hsa: queue %u: packet %llu: %s, reason 0x%x",
           error.queue, (unsigned long long)id, error.text, error.reason);
  aqhsa_report(queue->hsa, line);
}

/* ---- life ---- */

static aq_status desc_check(const aqhsa *hsa, const aq_queue_desc *desc,
                            aq_diag *diag)
{
  if (desc->device == AQ_DEVICE_HOST || desc->type == AQ_QUEUE_SOFT)
    return aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                       "hsa: no queues of the host agent and no soft queues");
  aq_status status = aqhsa_device_check(hsa, desc->device, diag);
  if (status != AQ_OK)
    return status;
  const aq_device_info *info = &hsa->infos[desc->device];
  if (desc->size == 0 || (desc->size & (desc->size - 1)) != 0 ||
      desc->size < info->queue_size_min)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "hsa: a queue of %u packets; expected a power of two "
                       "from %u to %u",
                       desc->size, info->queue_size_min, info->queue_size_max);
  if (desc->size > info->queue_size_max)
    return aq_diag_set(diag, AQ_ERR_RESOURCES,
                       "hsa: a queue of %u packets; %u are the most",
                       desc->size, info->queue_size_max);
  return AQ_OK;
}

/* The cell that a doorbell signal stands for. */
static uint64_t *doorbell_cell(hsa_signal_t doorbell)
{
  aq_amd_signal *signal = (aq_amd_signal *)(uintptr_t)doorbell.handle;
  return signal->kind == AQ_AMD_SIGNAL_DOORBELL
             ? (uint64_t *)(uintptr_t)signal->value
             : (uint64_t *)(void *)&signal->value;
}

/* Puts a queue into the table, or counts a reference of its existing entry:
 * cooperative queues are one a device. NULL: out of memory. */
static aqhsa_queue *queue_keep(aqhsa *hsa, aqhsa_queue *queue, bool *fresh)
{
  const uint64_t key = (uintptr_t)queue_handle(queue);
  pthread_mutex_lock(&hsa->queues_lock);
  pthread_mutex_lock(&hsa->lock);
  aqhsa_held *held = aqhsa_table_get(&hsa->queues, key);
  aqhsa_queue *kept = held ? aqhsa_queue_of(held) : queue;
  *fresh = !held;
  if (!held && !aqhsa_table_put(&hsa->queues, &queue->held, key))
    kept = NULL;
  if (kept)
    kept->references++;
  pthread_mutex_unlock(&hsa->lock);
  if (kept && *fresh && hsa->profiled)
    hsa->api->hsa_amd_profiling_set_profiler_enabled(queue_handle(kept), 1);
  pthread_mutex_unlock(&hsa->queues_lock);
  return kept;
}

aq_status aqhsa_queue_create(aq_transport *t, const aq_queue_desc *desc,
                             aq_ring **out, aq_diag *diag)
{
  aqhsa *hsa = aqhsa_from(t);
  hsa_queue_t *made;
  bool fresh;
  aq_status status = desc_check(hsa, desc, diag);
  if (status != AQ_OK)
    return status;
  aqhsa_queue *queue = calloc(1, sizeof *queue);
  if (!queue)
    return aq_diag_no_memory(diag);
  queue->hsa = hsa;
  queue->device = desc->device;
  queue->error = desc->error;
  queue->user = desc->user;
  hsa_status_t got = hsa->api->hsa_queue_create(
      hsa->agents[desc->device], desc->size, (uint32_t)desc->type, error_heard,
      queue, desc->private_segment_hint, desc->group_segment_hint, &made);
  if (got != HSA_STATUS_SUCCESS) {
    free(queue);
    return aqhsa_fail(hsa->api, got, diag, "hsa_queue_create");
  }
  queue->abi = (aq_amd_queue *)(void *)made; /* its first member */
  queue->ring = (aq_ring){.packets = made->base,
                          .size = made->size,
                          .id = (uint32_t)made->id,
                          .write_index = &queue->abi->write_dispatch_id,
                          .read_index = &queue->abi->read_dispatch_id,
                          .doorbell = doorbell_cell(made->doorbell)};
  aqhsa_queue *kept = queue_keep(hsa, queue, &fresh);
  if (!kept)
    hsa->api->hsa_queue_destroy(made);
  if (!kept || !fresh)
    free(queue);
  if (!kept)
    return aq_diag_no_memory(diag);
  *out = &kept->ring;
  return AQ_OK;
}

void aqhsa_queue_destroy(aq_transport *t, aq_ring *ring)
{
  aqhsa *hsa = aqhsa_from(t);
  aqhsa_queue *queue = queue_from(ring);
  if (!ring)
    return;
  pthread_mutex_lock(&hsa->queues_lock);
  pthread_mutex_lock(&hsa->lock);
  /* Without the lock, another thread may free it. */
  hsa_queue_t *const handle = queue_handle(queue);
  bool last = --queue->references == 0;
  if (last)
    aqhsa_table_remove(&hsa->queues, &queue->held);
  pthread_mutex_unlock(&hsa->lock);
  pthread_mutex_unlock(&hsa->queues_lock);
  hsa->api->hsa_queue_destroy(handle);
  if (last)
    free(queue);
}

void aqhsa_queues_close(aqhsa *hsa)
{
  while (hsa->queues.first)
    aqhsa_queue_destroy(&hsa->base, &aqhsa_queue_of(hsa->queues.first)->ring);
  aq_map_fini(&hsa->queues.map);
}

/* ---- profiling ---- */

void aqhsa_profile(aqhsa *hsa)
{
  if (__atomic_load_n(&hsa->profiled, __ATOMIC_ACQUIRE))
    return;
  pthread_mutex_lock(&hsa->queues_lock);
  if (!hsa->profiled) {
    hsa->api->hsa_amd_profiling_async_copy_enable(true);
    for (aqhsa_held *held = hsa->queues.first; held; held = held->next)
      hsa->api->hsa_amd_profiling_set_profiler_enabled(
          queue_handle(aqhsa_queue_of(held)), 1);
    __atomic_store_n(&hsa->profiled, true, __ATOMIC_RELEASE);
  }
  pthread_mutex_unlock(&hsa->queues_lock);
}

/* ---- use ---- */

/* The packets are in memory before the doorbell is, which may be write
 * combined: a release store alone does not order that on x86. */
void aqhsa_queue_doorbell(aq_transport *t, aq_ring *ring, uint64_t id)
{
  aqhsa_origins_note(aqhsa_from(t), queue_from(ring));
#ifdef __x86_64__
  __builtin_ia32_sfence();
#endif
  __atomic_store_n(ring->doorbell, id, __ATOMIC_RELEASE);
}

static bool has_space(const aq_ring *ring, uint32_t count)
{
  return aq_ring_space(ring) >= count;
}

aq_status aqhsa_queue_wait_space(aq_transport *t, aq_ring *ring, uint32_t count,
                                 aq_time deadline, aq_diag *diag)
{
  const aqhsa *hsa = aqhsa_from(t);
  const aqhsa_queue *queue = queue_from(ring);
  if (count > ring->size)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "queue %u has %u slots, so never %u", ring->id,
                       ring->size, count);
  for (int i = 0; i < SPIN_LOOKS; i++)
    if (has_space(ring, count))
      return AQ_OK;
  const aqhsa_patience patience = aqhsa_patience_until(hsa, deadline);
  while (!has_space(ring, count)) {
    if (queue_state(queue) != AQHSA_QUEUE_ACTIVE)
      return aq_diag_set(diag, AQ_ERR_QUEUE, "queue %u is inactive", ring->id);
    aq_time left = aqhsa_patience_left(hsa, &patience);
    if (left == 0)
      return aq_diag_set(diag, AQ_ERR_TIMEOUT,
                         "queue %u: no room for %u packets by the deadline",
                         ring->id, count);
    aqhsa_nap(hsa, aq_time_min(left, LOOK_US * AQ_US));
  }
  return AQ_OK;
}

static bool queue_has_work(const aqhsa_queue *queue)
{
  return queue_state(queue) == AQHSA_QUEUE_ACTIVE &&
         aq_ring_read_index(&queue->ring) != aq_ring_write_index(&queue->ring);
}

uint64_t aqhsa_queues_progress(aqhsa *hsa, bool *left)
{
  uint64_t taken = 0;
  *left = false;
  pthread_mutex_lock(&hsa->lock);
  for (aqhsa_held *held = hsa->queues.first; held; held = held->next) {
    const aqhsa_queue *queue = aqhsa_queue_of(held);
    taken += aq_ring_read_index(&queue->ring);
    *left |= queue_has_work(queue);
  }
  pthread_mutex_unlock(&hsa->lock);
  return taken;
}

/* ---- control ---- */

static hsa_status_t control_send(aqhsa *hsa, aqhsa_queue *queue,
                                 aq_queue_control control,
                                 const aq_queue_control_args *args)
{
  hsa_queue_t *handle = queue_handle(queue);
  switch (control) {
  case AQ_CONTROL_INACTIVATE:
    return hsa->api->hsa_queue_inactivate(handle);
  case AQ_CONTROL_PRIORITY:
    return hsa->api->hsa_amd_queue_set_priority(
        handle, (uint32_t)(args->value + HSA_AMD_QUEUE_PRIORITY_NORMAL));
  case AQ_CONTROL_CU_MASK:
    return hsa->api->hsa_amd_queue_cu_set_mask(handle, args->count, args->mask);
  case AQ_CONTROL_PROFILE:
    __atomic_store_n(&hsa->queue_profiled, args->value != 0, __ATOMIC_RELAXED);
    return args->value || !__atomic_load_n(&hsa->profiled, __ATOMIC_ACQUIRE)
               ? hsa->api->hsa_amd_profiling_set_profiler_enabled(
                     handle, args->value != 0)
               : HSA_STATUS_SUCCESS;
  }
  return HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

aq_status aqhsa_queue_control(aq_transport *t, aq_ring *ring,
                              aq_queue_control control,
                              const aq_queue_control_args *args, aq_diag *diag)
{
  static const char *const names[] = {
      [AQ_CONTROL_INACTIVATE] = "hsa_queue_inactivate",
      [AQ_CONTROL_PRIORITY] = "hsa_amd_queue_set_priority",
      [AQ_CONTROL_CU_MASK] = "hsa_amd_queue_cu_set_mask",
      [AQ_CONTROL_PROFILE] = "hsa_amd_profiling_set_profiler_enabled"};
  aqhsa *hsa = aqhsa_from(t);
  aqhsa_queue *queue = queue_from(ring);
  if (queue_state(queue) == AQHSA_QUEUE_FAILED &&
      control != AQ_CONTROL_INACTIVATE)
    return aq_diag_set(diag, AQ_ERR_QUEUE, "queue %u stopped with an error",
                       ring->id);
  hsa_status_t got = control_send(hsa, queue, control, args);
  if (got == HSA_STATUS_CU_MASK_REDUCED)
    return AQ_REDUCED;
  if (got != HSA_STATUS_SUCCESS)
    return aqhsa_fail(hsa->api, got, diag, names[control]);
  if (control == AQ_CONTROL_INACTIVATE) {
    uint32_t active = AQHSA_QUEUE_ACTIVE;
    __atomic_compare_exchange_n(&queue->state, &active, AQHSA_QUEUE_INACTIVE,
                                false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
  }
  return AQ_OK;
}
