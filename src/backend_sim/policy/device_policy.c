/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "backend_sim/policy/device_policy.h"

#include <stdlib.h>
#include <string.h>

#include "backend_sim/policy/policy_priv.h"
#include "common/array.h"

/* Substreams of devices; the host half has the last one. */
static const uint64_t SUBSTREAM = UINT64_MAX - 1;

const uint32_t aqsim_policy_serves =
    AQ_NEED_MAP | AQ_NEED_PICK | AQ_NEED_LAUNCH | AQ_NEED_PLACE |
    AQ_NEED_SLICE | AQ_NEED_REMASK | AQ_NEED_DRAIN | AQ_NEED_SWITCH |
    AQ_NEED_RESET | AQ_NEED_KILL | AQ_NEED_EVICT | AQ_NEED_SUSPEND |
    AQ_NEED_LIMIT | AQ_NEED_COPY_PICK;

/* ---- packets ---- */

void aqsim_policy_fetched(aqsim_queue *queue)
{
  aqsim_policy *p = queue->device->policy;
  if (p && p->ops.packet_ready && !queue->host)
    aqsim_policy_notify_hardware(
        p, &(aqsim_item){.kind = AQSIM_ITEM_READY, .handle = queue->number});
}

static void packet_view(const aqsim_policy *p, const aqsim_queue *queue,
                        const aqsim_inflight *inflight, aq_device_packet *out)
{
  bool idempotent;
  *out = (aq_device_packet){.queue = queue->number,
                            .packet = inflight->id,
                            .job = AQ_POLICY_NO_JOB,
                            .bits = &inflight->packet};
  if (p->binding->identify)
    p->binding->identify(p->binding->user, queue->ring.id, inflight->id,
                         &out->job, &out->command, &idempotent);
}

static bool head_may_launch(const aqsim_queue *queue)
{
  const aqsim_inflight *head = queue->line.first;
  return head && !head->sleeping && !queue->line.hold &&
         !(queue->line.active > 0 && aq_header_barrier(head->packet.header));
}

static bool packets_reserve(aqsim_policy *p, uint32_t count)
{
  if (AQ_ARRAY_RESERVE(p->packets, p->packet_capacity, count))
    return true;
  aqsim_policy_fail(p, "no memory for packets");
  return false;
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
    packet_view(p, queue, queue->line.first, &p->packets[count]);
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

uint32_t aqsim_policy_copy_pick(aqsim_device *device, uint32_t engine,
                                const aqsim_ready *first)
{
  aqsim_policy *p = device->policy;
  uint32_t count = 0;
  if (!p || !p->ops.copy_pick)
    return 0;
  for (const aqsim_ready *copy = first; copy; copy = copy->next) {
    if (!packets_reserve(p, count + 1))
      break;
    p->packets[count++] = (aq_device_packet){.queue = AQ_POLICY_NONE,
                                             .packet = copy->number,
                                             .job = AQ_POLICY_NO_JOB};
  }
  const aqsim_policy_phase before = p->phase;
  p->phase = AQSIM_PHASE_HARDWARE;
  const uint32_t index =
      p->ops.copy_pick(p->state, &p->api, engine, p->packets, count);
  p->phase = before;
  if (p->failed)
    return 0;
  if (index == AQ_POLICY_NONE || index < count)
    return index;
  aqsim_policy_fail(p, "copy_pick answers %u of %u copies", index, count);
  return 0;
}

/* ---- slots ---- */

void aqsim_policy_queue_new(aqsim_device *device)
{
  if (device->policy)
    device->policy->api.queues = device->queues_numbered;
}

void aqsim_policy_map(aqsim_device *device)
{
  aqsim_policy *p = device->policy;
  if (p->map_asked)
    return;
  p->map_asked = true;
  aqsim_policy_notify(p, AQ_SIDE_FIRMWARE,
                      &(aqsim_item){.kind = AQSIM_ITEM_MAP});
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

/* ---- due items ---- */

/* Kernels and queues that the policy held continue as if it had never existed.
 */
static void let_go(aqsim_policy *p)
{
  for (aqsim_policy_kernel *run = p->runs; run; run = run->next)
    if (run->state == AQSIM_RUN_STOPPED)
      aqsim_policy_resume(p, run->handle);
  for (aqsim_queue *q = p->device->sim->first_queue; q; q = q->next)
    if (q->device == p->device) {
      q->policy.limit = 0;
      q->line.hold &= (uint8_t)~AQSIM_HOLD_LIMIT;
      aqsim_policy_suspend(q, false);
    }
  aqsim_dispatcher_ask(p->device->dispatcher, p->device->sim->now);
  p->act->rescan(p->device);
  p->act->slots_review(p->device);
  aqsim_policy_ask_again(p);
}

static void item_happen(aqsim_policy *p, const aqsim_item *item)
{
  aqsim_policy_kernel *run = aqsim_policy_run(p, item->handle);
  aqsim_queue *queue;
  switch (item->kind) {
  case AQSIM_ITEM_STOPPED:
    if (run)
      aqsim_policy_kernel_stopped(run);
    return;
  case AQSIM_ITEM_RESUMED:
    if (run)
      aqsim_policy_kernel_resumed(run);
    return;
  case AQSIM_ITEM_CLEARED:
    queue = aqsim_policy_queue(p, item->handle);
    if (queue)
      aqsim_policy_queue_cleared(queue);
    return;
  case AQSIM_ITEM_STEP:
    p->stepping = false;
    aqsim_policy_step(p);
    return;
  case AQSIM_ITEM_LET_GO:
    let_go(p);
    return;
  case AQSIM_ITEM_TIMER:
  case AQSIM_ITEM_MAP:
  case AQSIM_ITEM_PREEMPTED:
  case AQSIM_ITEM_CHARGE:
  case AQSIM_ITEM_READY:
  case AQSIM_ITEM_COMPLETE:
  case AQSIM_ITEM_WORKGROUP:
    return;
  }
}

static void policy_fire(aqsim_event *event)
{
  aqsim_policy *p =
      (aqsim_policy *)(void *)((char *)event - offsetof(aqsim_policy, event));
  p->pending = false;
  aqsim_item item;
  while (aqsim_policy_item_due(p, &item)) {
    item_happen(p, &item);
    aqsim_policy_item_notify(p, &item);
    if (item.kind != AQSIM_ITEM_STEP)
      aqsim_policy_ask_again(p);
  }
  aqsim_policy_items_schedule(p);
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
                            const aq_policy_binding *binding,
                            const aqsim_device_ops *ops, aq_diag *diag)
{
  aqsim_policy *p = calloc(1, sizeof *p);
  if (!p)
    return aq_diag_no_memory(diag);
  device->policy = p;
  p->event.fire = policy_fire;
  p->device = device;
  p->act = ops;
  p->binding = binding;
  memcpy(&p->ops, binding->ops,
         binding->ops->size < sizeof p->ops ? binding->ops->size
                                            : sizeof p->ops);
  p->state = binding->policy;
  aq_rng_init(&p->rng, binding->seed, SUBSTREAM - device->ordinal);
  device->decides = (p->ops.pick ? AQSIM_DECIDES_LAUNCH : 0) |
                    (p->ops.map ? AQSIM_DECIDES_MAP : 0);
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
    return aq_diag_no_memory(diag);
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
  aqsim_policy_kernel *lists[] = {p->runs, p->spare};
  for (int i = 0; i < 2; i++)
    for (aqsim_policy_kernel *run = lists[i], *next; run; run = next) {
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
