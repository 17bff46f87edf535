/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "backend_sim/policy/device_policy.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "backend_sim/hwqueue/pipes.h"
#include "backend_sim/hwqueue/queues.h"
#include "backend_sim/hwqueue/slots.h"
#include "backend_sim/policy/policy_priv.h"
#include "backend_sim/transfer/copies.h"

/* Substreams of devices; the host half has the last one. */
static const uint64_t SUBSTREAM = UINT64_MAX - 1;

const uint32_t aqsim_policy_serves =
    AQ_NEED_MAP | AQ_NEED_PICK | AQ_NEED_LAUNCH | AQ_NEED_PLACE |
    AQ_NEED_SLICE | AQ_NEED_REMASK | AQ_NEED_DRAIN | AQ_NEED_SWITCH |
    AQ_NEED_RESET | AQ_NEED_KILL | AQ_NEED_EVICT | AQ_NEED_SUSPEND |
    AQ_NEED_LIMIT | AQ_NEED_COPY_PICK;

/* ---- handles ---- */

aqsim_run *aqsim_policy_run(const aqsim_policy *p, uint32_t handle)
{
  aqsim_run *run = p->runs;
  while (run && run->handle != handle)
    run = run->next;
  return run;
}

aqsim_queue *aqsim_policy_queue(const aqsim_policy *p, uint32_t number)
{
  aqsim_queue *q = p->device->sim->first_queue;
  while (q && (q->device != p->device || q->host || q->number != number))
    q = q->next;
  return q;
}

void aqsim_policy_charge(aqsim_policy *p, aqsim_queue *queue, aq_time amount,
                         bool wasted)
{
  queue->policy.used += amount;
  if (p->ops.charge && amount > 0)
    aqsim_policy_tell(p, AQ_SIDE_FIRMWARE,
                      &(aqsim_item){.kind = AQSIM_ITEM_CHARGE,
                                    .handle = queue->number,
                                    .amount = amount,
                                    .flag = wasted});
}

/* ---- packets ---- */

void aqsim_policy_fetched(aqsim_queue *queue)
{
  aqsim_policy *p = queue->device->policy;
  if (p->ops.packet_ready && !queue->host)
    aqsim_policy_tell_hardware(
        p, &(aqsim_item){.kind = AQSIM_ITEM_READY, .handle = queue->number});
}

bool aqsim_policy_picks(const aqsim_device *device)
{
  return device->policy->ops.pick != NULL;
}

aq_time aqsim_policy_pick_delay(const aqsim_device *device)
{
  const aq_policy_timing *timing =
      &device->policy->binding->timing[AQ_SIDE_HARDWARE];
  return timing->latency + timing->cost;
}

static void packet_view(const aqsim_policy *p, const aqsim_queue *queue,
                        const aqsim_flight *flight, aq_device_packet *out)
{
  bool idempotent;
  *out = (aq_device_packet){.queue = queue->number,
                            .packet = flight->id,
                            .job = AQ_POLICY_NO_JOB,
                            .bits = &flight->packet};
  if (p->binding->identify)
    p->binding->identify(p->binding->user, queue->ring.id, flight->id,
                         &out->job, &out->command, &idempotent);
}

static bool head_may_launch(const aqsim_queue *queue)
{
  const aqsim_flight *head = queue->turn_first;
  return head && !head->sleeping && !queue->hold &&
         !(queue->active > 0 && aq_header_barrier(head->packet.header));
}

static bool packets_reserve(aqsim_policy *p, uint32_t count)
{
  if (count <= p->packet_capacity)
    return true;
  aq_device_packet *grown = realloc(p->packets, count * sizeof *grown);
  if (!grown) {
    aqsim_policy_fail(p, "no memory for packets");
    return false;
  }
  p->packets = grown;
  p->packet_capacity = count;
  return true;
}

aqsim_queue *aqsim_policy_pick(aqsim_unit *unit)
{
  aqsim_pipe *pipe = unit->pipe;
  aqsim_queue *found[64];
  uint32_t count = 0;
  aqsim_policy *p = NULL;
  for (uint32_t i = 0; i < pipe->slot_count; i++) {
    aqsim_queue *queue = pipe->slots[i].queue;
    if (!queue || !(unit->wanted[queue->rank] >> i & 1))
      continue;
    p = queue->device->policy;
    if (!head_may_launch(queue)) {
      unit->wanted[queue->rank] &= ~(UINT64_C(1) << i);
      continue;
    }
    if (!packets_reserve(p, count + 1))
      return queue;
    packet_view(p, queue, queue->turn_first, &p->packets[count]);
    found[count++] = queue;
  }
  if (count == 0)
    return NULL;
  const aqsim_policy_phase before = p->phase;
  p->phase = AQSIM_PHASE_HARDWARE;
  const uint32_t index =
      p->ops.pick(p->state, &p->api, (uint32_t)(pipe - p->device->slots.pipes),
                  p->packets, count);
  p->phase = before;
  if (index == AQ_POLICY_NONE || p->failed)
    return NULL;
  if (index < count)
    return found[index];
  aqsim_policy_fail(p, "pick answers %u of %u packets", index, count);
  return NULL;
}

aqsim_copy *aqsim_policy_copy_pick(aqsim_device *device, uint32_t engine)
{
  aqsim_policy *p = device->policy;
  aqsim_engine *line = &device->engines[engine];
  aqsim_copy **at = &line->first, *before = NULL;
  uint32_t count = 0;
  if (p->ops.copy_pick) {
    for (const aqsim_copy *c = line->first; c; c = c->next_ready) {
      if (!packets_reserve(p, count + 1))
        break;
      p->packets[count++] = (aq_device_packet){.queue = AQ_POLICY_NONE,
                                               .packet = c->number,
                                               .job = AQ_POLICY_NO_JOB};
    }
    const aqsim_policy_phase phase = p->phase;
    p->phase = AQSIM_PHASE_HARDWARE;
    uint32_t index =
        p->ops.copy_pick(p->state, &p->api, engine, p->packets, count);
    p->phase = phase;
    if (index == AQ_POLICY_NONE && !p->failed)
      return NULL;
    if (!p->failed && index >= count)
      aqsim_policy_fail(p, "copy_pick answers %u of %u copies", index, count);
    for (; !p->failed && index > 0; index--) {
      assert(*at); /* there are `count` of them */
      before = *at;
      at = &before->next_ready;
    }
  }
  aqsim_copy *copy = *at;
  assert(copy); /* the engine asks when there is one */
  *at = copy->next_ready;
  if (line->last == copy)
    line->last = before;
  return copy;
}

void aqsim_policy_ask_again(aqsim_policy *p)
{
  aqsim_slots *s = &p->device->slots;
  for (uint32_t i = 0; i < s->pipe_count; i++)
    aqsim_unit_ask(&s->pipes[i].units[AQSIM_UNIT_LAUNCH]);
  if (p->ops.copy_pick || p->failed)
    aqsim_copies_ask(p->device);
  if (p->watch.place) {
    aqsim_dispatcher_ask(p->device->dispatcher, p->device->sim->now);
    aqsim_policy_step(p);
  }
}

/* ---- slots ---- */

void aqsim_policy_queue_new(aqsim_device *device)
{
  device->policy->api.queues = device->queues_numbered;
}

bool aqsim_policy_maps(const aqsim_device *device)
{
  return device->policy->ops.map != NULL;
}

void aqsim_policy_map(aqsim_device *device)
{
  aqsim_policy *p = device->policy;
  if (p->map_asked)
    return;
  p->map_asked = true;
  aqsim_policy_tell(p, AQ_SIDE_FIRMWARE, &(aqsim_item){.kind = AQSIM_ITEM_MAP});
}

bool aqsim_policy_map_next(aqsim_device *device, aq_mapping *out)
{
  aqsim_policy *p = device->policy;
  *out = (aq_mapping){.queue = AQ_POLICY_NONE};
  if (p->ops.map)
    p->ops.map(p->state, &p->api, out);
  return !p->failed && out->queue != AQ_POLICY_NONE;
}

void aqsim_policy_map_illegal(aqsim_device *device, const char *why)
{
  aqsim_policy_fail(device->policy, "map answers %s", why);
}

/* ---- life ---- */

aq_status aqsim_policy_check(const aq_policy_binding *binding, aq_diag *diag)
{
  const uint32_t missing = binding->ops->needs & ~aqsim_policy_serves;
  if (!missing)
    return AQ_OK;
  return aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                     "sim: policy %s needs 0x%x of devices; expected bits of "
                     "0x%x",
                     binding->ops->name, missing, aqsim_policy_serves);
}

aq_status aqsim_policy_open(aqsim_device *device,
                            const aq_policy_binding *binding, aq_diag *diag)
{
  aqsim_policy *p = calloc(1, sizeof *p);
  if (!p)
    return aq_diag_set(diag, AQ_ERR_NO_MEMORY, "out of memory for a policy");
  device->policy = p;
  p->event.fire = aqsim_policy_fire;
  p->device = device;
  p->binding = binding;
  memcpy(&p->ops, binding->ops,
         binding->ops->size < sizeof p->ops ? binding->ops->size
                                            : sizeof p->ops);
  p->state = binding->policy;
  aq_rng_init(&p->rng, binding->seed, SUBSTREAM - device->ordinal);
  aqsim_policy_api_init(p);
  p->watch.place = p->ops.place ? aqsim_policy_place : NULL;
  p->watch.watcher = p;
  p->watch.notes_on = p->ops.workgroup_start || p->ops.workgroup_done;
  p->watch.single = p->watch.place || p->watch.notes_on;
  aqsim_dispatcher_watch(device->dispatcher, &p->watch);
  p->cus = calloc(p->api.cus + 1, sizeof *p->cus);
  p->rooms = calloc(p->api.cus + 1, sizeof *p->rooms);
  if (!p->cus || !p->rooms ||
      !aqsim_calendar_reserve(&device->sim->calendar, 1))
    return aq_diag_set(diag, AQ_ERR_NO_MEMORY, "out of memory for a policy");
  return AQ_OK;
}

void aqsim_policy_attach(aqsim_device *device)
{
  aqsim_policy *p = device->policy;
  if (!p->ops.attach)
    return;
  p->phase = AQSIM_PHASE_ATTACH;
  p->ops.attach(p->state, &p->api);
  p->phase = AQSIM_PHASE_NONE;
}

void aqsim_policy_close(aqsim_device *device)
{
  aqsim_policy *p = device->policy;
  if (!p)
    return;
  aqsim_run *lists[] = {p->runs, p->spare};
  for (int i = 0; i < 2; i++)
    for (aqsim_run *run = lists[i], *next; run; run = next) {
      next = run->next;
      free(run);
    }
  free(p->items);
  free(p->packets);
  free(p->watch.notes);
  free(p->cus);
  free(p->rooms);
  free(p);
  device->policy = NULL;
}
