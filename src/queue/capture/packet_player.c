/* SPDX-License-Identifier: MIT */
/* Replaying packet captures. */
#include "config.h"

#include "queue/capture/packet_player.h"

#include <stdlib.h>
#include <string.h>

#include "common/spin.h"
#include "common/wall_clock.h"

enum { WAIT_WIDTH = 3 };

/* Where a failure is. */
static aq_status at_line(const aq_packet_player *p,
                         const aq_packet_event *event, aq_status status,
                         aq_diag *diag)
{
  if (status != AQ_OK)
    aq_diag_prefix(diag, "%s:%u", p->file->name, event->line);
  return status;
}

/* ---- packets ---- */

static aq_time deadline_of(const aq_packet_player *p)
{
  return p->timeout > 0 ? p->ops->now(p->t) + p->timeout : AQ_TIME_MAX;
}

/* Packets of a queue that were announced at once had one doorbell: how many
 * come with it decides how many a device reads. */
static bool doorbell_follows(const aq_packet_player *p,
                             const aq_packet_event *event)
{
  const aq_packet_event *next = event + 1;
  return next < p->file->events + p->file->count && next->kind == event->kind &&
         next->time == event->time &&
         next->n[AQ_PACKET_N_QUEUE] == event->n[AQ_PACKET_N_QUEUE];
}

/* Only announced packets are read: a full ring needs its doorbell first. */
static aq_status slot_reserve(aq_packet_player *p, aq_ring *ring, uint64_t *id,
                              aq_diag *diag)
{
  aq_status status = AQ_OK;
  while (status == AQ_OK && !aq_ring_try_reserve(ring, 1, id)) {
    if (p->doorbell_pending)
      p->ops->queue_doorbell(p->t, ring, p->last);
    p->doorbell_pending = false;
    status = p->ops->queue_wait_space(p->t, ring, 1, deadline_of(p), diag);
  }
  return status;
}

static aq_status play_packet(aq_packet_player *p, const aq_packet_event *event,
                             aq_diag *diag)
{
  aq_packet packet = event->packet;
  aq_ring *ring = NULL;
  uint64_t id;
  aq_status status =
      aq_packet_queue_find(p, event->n[AQ_PACKET_N_QUEUE], &ring, diag);
  if (status == AQ_OK)
    status = aq_packet_fit(p, event, &packet, diag);
  if (status == AQ_OK)
    status = slot_reserve(p, ring, &id, diag);
  if (status != AQ_OK)
    return status;
  if (!p->begun)
    p->first = p->ops->now(p->t);
  p->begun = true;
  aq_packet *slot = aq_ring_slot(ring, id);
  memcpy((char *)slot + sizeof slot->header_setup,
         (const char *)&packet + sizeof packet.header_setup,
         sizeof *slot - sizeof slot->header_setup);
  aq_packet_publish(slot, packet.header, packet.setup);
  p->last = id;
  p->doorbell_pending = doorbell_follows(p, event);
  if (!p->doorbell_pending)
    p->ops->queue_doorbell(p->t, ring, id);
  p->played.operations++;
  return AQ_OK;
}

/* ---- kernels and copies ---- */

/* A kernel for dispatches with a predicted duration, and one for the others. */
static aq_status kernel_keep(aq_packet_player *p, const aq_kernel_desc *desc,
                             uint64_t object, aq_map *kernels, aq_diag *diag)
{
  aq_kernel_info info;
  aq_status status = p->ops->kernel_register(p->t, desc, &info, diag);
  return status == AQ_OK && !aq_map_put(kernels, object, info.object)
             ? aq_diag_no_memory(diag)
             : status;
}

static aq_status play_kernel(aq_packet_player *p, const aq_packet_event *event,
                             aq_diag *diag)
{
  const int64_t *n = event->n;
  const uint64_t object = (uint64_t)n[AQ_PACKET_N_OBJECT];
  aq_kernel_desc desc = {.name = event->name,
                         .cost = {.kind = (aq_cost_kind)n[AQ_PACKET_N_COST],
                                  .base = n[AQ_PACKET_N_BASE],
                                  .per_workgroup = n[AQ_PACKET_N_PER_WORKGROUP],
                                  .detail = event->detail},
                         .kernarg_size = (uint32_t)n[AQ_PACKET_N_KERNARG_SIZE],
                         .group_size = (uint32_t)n[AQ_PACKET_N_GROUP_SIZE],
                         .private_size = (uint32_t)n[AQ_PACKET_N_PRIVATE_SIZE],
                         .vgprs = (uint16_t)n[AQ_PACKET_N_VGPRS],
                         .agprs = (uint16_t)n[AQ_PACKET_N_AGPRS],
                         .sgprs = (uint16_t)n[AQ_PACKET_N_SGPRS],
                         .wave_size = (uint16_t)n[AQ_PACKET_N_WAVE_SIZE]};
  aq_status status = kernel_keep(p, &desc, object, &p->kernels, diag);
  if (status != AQ_OK || !p->durations)
    return status;
  desc.cost = (aq_cost){.kind = AQ_COST_SPIN};
  desc.kernarg_size = sizeof(aq_spin_args);
  desc.predicted = true;
  return kernel_keep(p, &desc, object, &p->spins, diag);
}

/* Memory where the capture's was: no bytes are known, so that each copy has
 * its own is of no use. */
static aq_status copy_place(aq_packet_player *p, int64_t device, size_t size,
                            void **out, aq_diag *diag)
{
  const bool host = device == AQ_DEVICE_HOST || device == AQ_DEVICE_OF_ADDRESS;
  return aq_packet_memory_make(p, host ? 0 : (uint32_t)device,
                               host ? AQ_MEMORY_HOST : AQ_MEMORY_DEVICE,
                               size ? size : 1, out, diag);
}

static aq_status play_copy(aq_packet_player *p, const aq_packet_event *event,
                           aq_diag *diag)
{
  const int64_t *n = event->n;
  const size_t size = (size_t)n[AQ_PACKET_N_SIZE];
  void *to = NULL, *from = NULL;
  aq_copy_desc copy = {.device = (uint32_t)n[AQ_PACKET_N_DEVICE],
                       .engine = (uint32_t)n[AQ_PACKET_N_ENGINE],
                       .to_device = (uint32_t)n[AQ_PACKET_N_TO_DEVICE],
                       .from_device = (uint32_t)n[AQ_PACKET_N_FROM_DEVICE],
                       .size = size,
                       .dependency_count = event->list_count};
  aq_signal *after = calloc(event->list_count + 1, sizeof *after);
  aq_status status = after ? AQ_OK : aq_diag_no_memory(diag);
  for (uint32_t i = 0; i < event->list_count && status == AQ_OK; i++)
    status =
        aq_packet_signal_find(p, (uint64_t)event->list[i], &after[i], diag);
  if (status == AQ_OK)
    status = aq_packet_signal_find(p, (uint64_t)n[AQ_PACKET_N_SIGNAL],
                                   &copy.completion, diag);
  if (status == AQ_OK)
    status = copy_place(p, n[AQ_PACKET_N_TO_DEVICE], size, &to, diag);
  if (status == AQ_OK)
    status = copy_place(p, n[AQ_PACKET_N_FROM_DEVICE], size, &from, diag);
  copy.to = to;
  copy.from = from;
  copy.dependencies = event->list_count > 0 ? after : NULL;
  if (status == AQ_OK)
    status = p->ops->copy_submit(p->t, &copy, diag);
  p->played.operations += status == AQ_OK;
  free(after);
  return status;
}

/* ---- signals ---- */

static aq_status play_signal(aq_packet_player *p, const aq_packet_event *event,
                             aq_diag *diag)
{
  aq_signal made;
  const aq_signal_desc desc = {.value = event->n[AQ_PACKET_N_VALUE],
                               .flags = (uint32_t)event->n[AQ_PACKET_N_FLAGS] &
                                        ~AQ_SIGNAL_DRAIN};
  aq_status status = p->ops->signal_create(p->t, &desc, &made, diag);
  if (status == AQ_OK &&
      !aq_map_put(&p->signals, (uint64_t)event->n[AQ_PACKET_N_SIGNAL],
                  made.handle)) {
    p->ops->signal_destroy(p->t, made);
    status = aq_diag_no_memory(diag);
  }
  return status;
}

static aq_status play_update(aq_packet_player *p, const aq_packet_event *event,
                             aq_diag *diag)
{
  const int64_t *n = event->n;
  aq_signal signal;
  aq_status status =
      aq_packet_signal_find(p, (uint64_t)n[AQ_PACKET_N_SIGNAL], &signal, diag);
  if (status == AQ_OK && signal.handle)
    p->ops->signal_update(p->t, signal, (aq_signal_op)n[AQ_PACKET_N_OP],
                          n[AQ_PACKET_N_OPERAND], n[AQ_PACKET_N_EXPECTED],
                          AQ_ACQ_REL);
  return status;
}

static void signal_drop(aq_packet_player *p, const aq_packet_event *event)
{
  uint64_t handle;
  if (aq_map_remove(&p->signals, (uint64_t)event->n[AQ_PACKET_N_SIGNAL],
                    &handle))
    p->ops->signal_destroy(p->t, (aq_signal){handle});
}

/* At its deadline a host sees changes without an interrupt; without a change,
 * it is taken to wait again. */
static aq_status request_wait(const aq_packet_player *p,
                              aq_wait_request *request, aq_time deadline,
                              aq_diag *diag)
{
  aq_status status = AQ_ERR_TIMEOUT;
  if (deadline != AQ_TIME_MAX) {
    request->deadline = p->here + (deadline - p->there);
    status = p->ops->wait(p->t, request, NULL, diag);
  }
  if (status != AQ_ERR_TIMEOUT)
    return status;
  request->deadline = deadline_of(p);
  return p->ops->wait(p->t, request, NULL, diag);
}

/* The host's next call was as long after it as in the capture. */
static aq_status play_wait(aq_packet_player *p, const aq_packet_event *event,
                           aq_diag *diag)
{
  aq_wait_item *items = calloc(event->list_count, sizeof *items);
  aq_status status = items ? AQ_OK : aq_diag_no_memory(diag);
  for (uint32_t i = 0; i < event->list_count && status == AQ_OK; i++) {
    const int64_t *from = &event->list[(size_t)i * WAIT_WIDTH];
    items[i].condition = (aq_condition)from[1];
    items[i].value = from[2];
    status =
        aq_packet_signal_find(p, (uint64_t)from[0], &items[i].signal, diag);
  }
  aq_wait_request request = {.items = items,
                             .count = event->list_count,
                             .mode = AQ_WAIT_ALL,
                             .hint = (aq_wait_hint)event->n[AQ_PACKET_N_HINT]};
  if (status == AQ_OK)
    status = request_wait(p, &request, event->n[AQ_PACKET_N_DEADLINE], diag);
  free(items);
  p->here = p->ops->now(p->t);
  p->there = event->n[AQ_PACKET_N_END];
  return status;
}

/* ---- queues ---- */

/* One reference of a queue; false: there is none. */
static bool queue_drop(aq_packet_player *p, uint64_t number)
{
  uint64_t references = 0, ring = 0;
  if (!aq_map_get(&p->references, number, &references) || references == 0 ||
      !aq_map_get(&p->queues, number, &ring))
    return false;
  p->ops->queue_destroy(p->t, (aq_ring *)(uintptr_t)ring);
  aq_map_put(&p->references, number, references - 1); /* it is there */
  return true;
}

/* Some kinds are one ring for whoever asks, with a reference each. Another ring
 * of the same number is of a process that opened HSA anew: the one before went
 * when it closed it. */
static bool queue_keep(aq_packet_player *p, uint64_t number, aq_ring *ring)
{
  uint64_t references = 0, before = 0;
  if (aq_map_get(&p->queues, number, &before) && before != (uintptr_t)ring)
    while (queue_drop(p, number))
      ;
  aq_map_get(&p->references, number, &references);
  return aq_map_put(&p->references, number, references + 1) &&
         aq_map_put(&p->queues, number, (uintptr_t)ring);
}

static void error_take(const aq_queue_error *error, void *user)
{
  aq_packet_player *p = user;
  if (!__atomic_load_n(&p->failed, __ATOMIC_RELAXED))
    strncat(p->words, error->text, sizeof p->words - 1);
  __atomic_store_n(&p->failed, true, __ATOMIC_RELEASE);
}

static uint64_t agent_serve(const aq_agent_packet *packet, void *user)
{
  (void)packet, (void)user;
  return 0;
}

static aq_status play_queue(aq_packet_player *p, const aq_packet_event *event,
                            aq_diag *diag)
{
  const int64_t *n = event->n, device = n[AQ_PACKET_N_DEVICE];
  const bool host = device == AQ_DEVICE_HOST;
  aq_ring *ring = NULL;
  if (!host && device >= p->info.device_count)
    return aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                       "a queue of device %lld; %s has %u devices",
                       (long long)device, p->ops->name, p->info.device_count);
  /* The application itself serves it: there is nothing to send. */
  if (n[AQ_PACKET_N_KIND] == AQ_QUEUE_SOFT)
    return AQ_OK;
  aq_status status = p->ops->queue_create(
      p->t,
      &(aq_queue_desc){.device = (uint32_t)device,
                       .size = (uint32_t)n[AQ_PACKET_N_SIZE],
                       .type = (aq_queue_type)n[AQ_PACKET_N_KIND],
                       .error = error_take,
                       .agent = host ? agent_serve : NULL,
                       .user = p,
                       .private_segment_hint = AQ_SEGMENT_NO_HINT,
                       .group_segment_hint = AQ_SEGMENT_NO_HINT},
      &ring, diag);
  if (status == AQ_OK && !queue_keep(p, (uint64_t)n[AQ_PACKET_N_QUEUE], ring)) {
    p->ops->queue_destroy(p->t, ring);
    status = aq_diag_no_memory(diag);
  }
  return status;
}

/* Leaves out entries of which the transport has no part. */
static bool control_applies(const aq_packet_player *p, aq_queue_control control)
{
  return !(control == AQ_CONTROL_PRIORITY &&
           !(p->info.caps & AQ_CAP_PRIORITY)) &&
         !(control == AQ_CONTROL_CU_MASK && !(p->info.caps & AQ_CAP_CU_MASK)) &&
         !(control == AQ_CONTROL_PROFILE && !(p->info.caps & AQ_CAP_PROFILING));
}

static aq_status play_control(aq_packet_player *p, const aq_packet_event *event,
                              aq_diag *diag)
{
  const aq_queue_control control =
      (aq_queue_control)event->n[AQ_PACKET_N_CONTROL];
  aq_ring *ring = NULL;
  if (!control_applies(p, control))
    return AQ_OK;
  aq_status status =
      aq_packet_queue_find(p, event->n[AQ_PACKET_N_QUEUE], &ring, diag);
  uint32_t *mask = calloc(event->blob_size / 4 + 1, 4);
  if (status == AQ_OK && !mask)
    status = aq_diag_no_memory(diag);
  if (status == AQ_OK) {
    if (event->blob)
      memcpy(mask, event->blob, event->blob_size & ~3u);
    const aq_queue_control_args args = {
        .value = (int32_t)event->n[AQ_PACKET_N_VALUE],
        .count = event->blob_size / 4 * 32,
        .mask = mask};
    status = p->ops->queue_control(p->t, ring, control, &args, diag);
  }
  free(mask);
  return status == AQ_REDUCED ? AQ_OK : status;
}

/* ---- a replay ---- */

static aq_status event_play(aq_packet_player *p, const aq_packet_event *event,
                            aq_diag *diag)
{
  switch (event->kind) {
  case AQ_PACKET_E_QUEUE:
    return play_queue(p, event, diag);
  case AQ_PACKET_E_QUEUE_END:
    queue_drop(p, (uint64_t)event->n[AQ_PACKET_N_QUEUE]);
    return AQ_OK;
  case AQ_PACKET_E_CONTROL:
    return play_control(p, event, diag);
  case AQ_PACKET_E_SIGNAL:
    return play_signal(p, event, diag);
  case AQ_PACKET_E_SIGNAL_END:
    signal_drop(p, event);
    return AQ_OK;
  case AQ_PACKET_E_UPDATE:
    return play_update(p, event, diag);
  case AQ_PACKET_E_KERNEL:
    return play_kernel(p, event, diag);
  case AQ_PACKET_E_PACKET:
    return play_packet(p, event, diag);
  case AQ_PACKET_E_COPY:
    return play_copy(p, event, diag);
  case AQ_PACKET_E_WAIT:
    return play_wait(p, event, diag);
  case AQ_PACKET_E_OPEN: /* its clock need not continue the one before */
    p->here = p->ops->now(p->t);
    p->there = event->time;
    return AQ_OK;
  case AQ_PACKET_E_EXECUTE:
    p->played.idle_kernels++;
    return AQ_OK;
  default: /* contents: no kernel reads them */
    return AQ_OK;
  }
}

static aq_status events_play(aq_packet_player *p, aq_diag *diag)
{
  aq_status status = AQ_OK;
  for (size_t i = 0; i < p->file->count && status == AQ_OK; i++) {
    const aq_packet_event *event = &p->file->events[i];
    const aq_time notify_ring = p->here + (event->time - p->there);
    if (event->kind != AQ_PACKET_E_OPEN && notify_ring > p->ops->now(p->t))
      status = p->ops->sleep_until(p->t, notify_ring, false, diag);
    if (status == AQ_OK)
      status = event_play(p, event, diag);
    if (__atomic_load_n(&p->failed, __ATOMIC_ACQUIRE))
      status = aq_diag_set(diag, AQ_ERR_QUEUE, "%s", p->words);
    at_line(p, event, status, diag);
  }
  return status;
}

/* Destroys the objects that the capture's program did not. */
static void player_fini(aq_packet_player *p)
{
  const aq_packet_event *event = p->file->events;
  for (size_t i = 0; i < p->file->count; i++, event++) {
    if (event->kind == AQ_PACKET_E_QUEUE)
      while (queue_drop(p, (uint64_t)event->n[AQ_PACKET_N_QUEUE]))
        ;
  }
  event = p->file->events;
  for (size_t i = 0; i < p->file->count; i++, event++)
    if (event->kind == AQ_PACKET_E_SIGNAL)
      signal_drop(p, event);
  aq_map_fini(&p->references);
  aq_map_fini(&p->queues);
  aq_map_fini(&p->kernels);
  aq_map_fini(&p->spins);
  aq_map_fini(&p->signals);
  while (p->memory_count > 0)
    p->ops->mem_free(p->t, p->memory[--p->memory_count]);
  free(p->memory);
}

aq_status aq_packet_file_check(const aq_packet_file *file, aq_diag *diag)
{
  if (file->other)
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "%s:%u: second process; expected the lines of one "
                       "process",
                       file->name, file->other);
  return file->cut
             ? aq_diag_set(diag, AQ_ERR_INPUT,
                           "%s:%u: the capture that begins here is truncated: "
                           "it has no event close; its program was killed, or "
                           "the file was cut",
                           file->name, file->cut)
             : AQ_OK;
}

aq_status aq_packet_file_play(const aq_packet_file *file,
                              aq_transport *transport, const aq_time *durations,
                              aq_time timeout, aq_cap_played *out,
                              aq_diag *diag)
{
  aq_packet_player p = {.file = file,
                        .durations = durations,
                        .t = transport,
                        .ops = transport->ops,
                        .timeout = timeout};
  p.ops->info(transport, &p.info);
  if (!(p.info.caps & AQ_CAP_HOST_KERNELS) || p.info.device_count == 0)
    return aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                       "%s: its kernels are names and costs, which %s does not "
                       "take",
                       file->name, p.ops->name);
  aq_status status = aq_packet_file_check(file, diag);
  if (status != AQ_OK)
    return status;
  const int64_t began = aq_wall_ns();
  status = events_play(&p, diag);
  p.played.host_ns = (uint64_t)(aq_wall_ns() - began);
  /* Packets without a waiter end all the same. */
  if (status == AQ_OK)
    status = p.ops->sleep_until(transport, AQ_TIME_MAX, false, diag);
  if (status == AQ_OK && __atomic_load_n(&p.failed, __ATOMIC_ACQUIRE))
    status = aq_diag_set(diag, AQ_ERR_QUEUE, "%s: %s", file->name, p.words);
  p.played.span = p.begun ? p.ops->now(transport) - p.first : 0;
  player_fini(&p);
  if (status == AQ_OK)
    *out = p.played;
  return status;
}
