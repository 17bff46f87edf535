/* SPDX-License-Identifier: MIT */
#include "backend_sim/device_policy.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend_sim/copies.h"
#include "backend_sim/cost.h"
#include "backend_sim/pipes.h"
#include "backend_sim/policy_priv.h"
#include "backend_sim/processor.h"
#include "backend_sim/queues.h"
#include "backend_sim/slots.h"
#include "backend_sim/waves.h"

/* Substreams of devices; the host half has the last one. */
static const uint64_t SUBSTREAM = UINT64_MAX - 1;

enum { TEXT_SIZE = 512 };

const uint32_t aqsim_policy_serves =
    AQ_NEED_MAP | AQ_NEED_PICK | AQ_NEED_LAUNCH | AQ_NEED_PLACE |
    AQ_NEED_SLICE | AQ_NEED_REMASK | AQ_NEED_DRAIN | AQ_NEED_SWITCH |
    AQ_NEED_RESET | AQ_NEED_KILL | AQ_NEED_EVICT | AQ_NEED_SUSPEND |
    AQ_NEED_LIMIT | AQ_NEED_COPY_PICK;

/* ---- failures ---- */

aq_status aqsim_policy_fail(aqsim_policy *p, const char *fmt, ...)
{
  char text[TEXT_SIZE];
  va_list args;
  if (p->failed)
    return AQ_ERR_INVALID;
  va_start(args, fmt);
  vsnprintf(text, sizeof text, fmt, args);
  va_end(args);
  p->failed = true;
  p->ops.map = NULL;
  p->ops.pick = NULL;
  p->ops.copy_pick = NULL;
  p->watch.place = NULL;
  p->watch.notes_on = false;
  p->binding->failed(p->binding->user, text);
  p->device->sim->told = true;
  aqsim_policy_item_add(
      p, &(aqsim_item){.kind = AQSIM_ITEM_LET_GO, .time = p->device->sim->now});
  return AQ_ERR_INVALID;
}

/* What the policy held back goes on as if it had never been there. */
static void let_go(aqsim_policy *p)
{
  for (aqsim_run *run = p->runs; run; run = run->next)
    if (run->state == AQSIM_RUN_STOPPED)
      aqsim_policy_resume(p, run->handle);
  for (aqsim_queue *q = p->device->sim->first_queue; q; q = q->next)
    if (q->device == p->device) {
      q->policy.limit = 0;
      q->hold &= (uint8_t)~AQSIM_HOLD_LIMIT;
      aqsim_policy_suspend(q, false);
    }
  aqsim_dispatcher_ask(p->device->dispatcher, p->device->sim->now);
  aqsim_waves_relook(p->device);
  aqsim_slots_review(p->device);
  aqsim_policy_ask_again(p);
}

/* ---- items ---- */

static bool item_is_before(const aqsim_item *a, const aqsim_item *b)
{
  return a->time < b->time || (a->time == b->time && a->number < b->number);
}

static void item_sift_down(aqsim_policy *p, size_t hole)
{
  const aqsim_item moved = p->items[p->item_count];
  for (size_t child; (child = 2 * hole + 1) < p->item_count; hole = child) {
    if (child + 1 < p->item_count &&
        item_is_before(&p->items[child + 1], &p->items[child]))
      child++;
    if (!item_is_before(&p->items[child], &moved))
      break;
    p->items[hole] = p->items[child];
  }
  p->items[hole] = moved;
}

static void item_sift_up(aqsim_policy *p, size_t hole)
{
  const aqsim_item moved = p->items[hole];
  for (; hole > 0 && item_is_before(&moved, &p->items[(hole - 1) / 2]);
       hole = (hole - 1) / 2)
    p->items[hole] = p->items[(hole - 1) / 2];
  p->items[hole] = moved;
}

static void event_schedule(aqsim_policy *p)
{
  aqsim_calendar *calendar = &p->device->sim->calendar;
  if (p->item_count == 0)
    return;
  const aq_time at = aq_time_max(p->items[0].time, p->device->sim->now);
  if (p->pending && p->pending_at <= at)
    return;
  if (p->pending)
    aqsim_calendar_forget(calendar, &p->event, sizeof p->event);
  p->pending = true;
  p->pending_at = at;
  aqsim_calendar_push(calendar, &p->event, at, AQSIM_AT_NOTICE);
}

uint64_t aqsim_policy_item_add(aqsim_policy *p, const aqsim_item *item)
{
  if (p->item_count == p->item_capacity) {
    const size_t capacity = p->item_capacity ? 2 * p->item_capacity : 16;
    aqsim_item *grown = realloc(p->items, capacity * sizeof *grown);
    if (!grown) {
      aqsim_policy_fail(p, "no memory for what is to happen");
      return 0;
    }
    p->items = grown;
    p->item_capacity = capacity;
  }
  p->items[p->item_count] = *item;
  p->items[p->item_count].number = ++p->item_last;
  item_sift_up(p, p->item_count++);
  event_schedule(p);
  return p->item_last;
}

static aqsim_item item_take(aqsim_policy *p, size_t at)
{
  const aqsim_item item = p->items[at];
  p->item_count--;
  if (at < p->item_count) {
    item_sift_down(p, at);
    item_sift_up(p, at);
  }
  return item;
}

bool aqsim_policy_item_drop(aqsim_policy *p, aqsim_item_kind kind,
                            uint64_t number)
{
  for (size_t i = 0; i < p->item_count; i++)
    if (p->items[i].kind == kind && p->items[i].number == number) {
      item_take(p, i);
      return true;
    }
  return false;
}

void aqsim_policy_tell(aqsim_policy *p, aq_policy_side side, aqsim_item *item)
{
  const aq_policy_timing *timing = &p->binding->timing[side];
  if (p->failed)
    return;
  const aq_time heard = aq_time_add(p->device->sim->now, timing->latency);
  p->busy[side] = aq_time_add(aq_time_max(heard, p->busy[side]), timing->cost);
  item->time = p->busy[side];
  aqsim_policy_item_add(p, item);
}

/* ---- hooks ---- */

static void item_happen(aqsim_policy *p, const aqsim_item *item)
{
  aqsim_run *run = aqsim_policy_run(p, item->handle);
  aqsim_queue *queue;
  switch (item->kind) {
  case AQSIM_ITEM_STOPPED:
    if (run)
      aqsim_run_stopped(run);
    return;
  case AQSIM_ITEM_RESUMED:
    if (run)
      aqsim_run_resumed(run);
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

/* A timer that goes off while its side thinks waits for it. */
static bool timer_waits(aqsim_policy *p, const aqsim_item *item)
{
  const aq_policy_timing *timing = &p->binding->timing[AQ_SIDE_FIRMWARE];
  aqsim_item late = *item;
  aq_time *busy = &p->busy[AQ_SIDE_FIRMWARE];
  if (item->flag || (timing->cost == 0 && *busy <= p->device->sim->now))
    return false;
  *busy = aq_time_add(aq_time_max(p->device->sim->now, *busy), timing->cost);
  late.time = *busy;
  late.flag = true;
  aqsim_policy_item_add(p, &late);
  return true;
}

static void map_ask(aqsim_policy *p)
{
  p->map_asked = false;
  if (p->ops.map)
    aqsim_slots_map_by(p->device);
}

static void workgroup_told(aqsim_policy *p, const aqsim_item *item)
{
  if (item->flag && p->ops.workgroup_start)
    p->ops.workgroup_start(p->state, &p->api, &item->kernel,
                           (uint32_t)item->cookie);
  else if (!item->flag && p->ops.workgroup_done)
    p->ops.workgroup_done(p->state, &p->api, &item->kernel,
                          (uint32_t)item->cookie);
}

/* Calls the hook that an item is for. */
static void item_tell(aqsim_policy *p, const aqsim_item *item)
{
  const bool hardware = item->kind == AQSIM_ITEM_READY ||
                        item->kind == AQSIM_ITEM_COMPLETE ||
                        item->kind == AQSIM_ITEM_WORKGROUP;
  if (p->failed)
    return;
  if (item->kind == AQSIM_ITEM_TIMER && timer_waits(p, item))
    return;
  const aqsim_policy_phase before = p->phase;
  p->phase = hardware ? AQSIM_PHASE_HARDWARE : AQSIM_PHASE_FIRMWARE;
  if (item->kind == AQSIM_ITEM_TIMER && p->ops.device_timer)
    p->ops.device_timer(p->state, &p->api, item->cookie);
  else if (item->kind == AQSIM_ITEM_MAP)
    map_ask(p);
  else if (item->kind == AQSIM_ITEM_PREEMPTED && p->ops.preempted)
    p->ops.preempted(p->state, &p->api, &item->result);
  else if (item->kind == AQSIM_ITEM_CHARGE && p->ops.charge)
    p->ops.charge(p->state, &p->api, item->handle, item->amount, item->flag);
  else if (item->kind == AQSIM_ITEM_READY && p->ops.packet_ready)
    p->ops.packet_ready(p->state, &p->api, item->handle);
  else if (item->kind == AQSIM_ITEM_COMPLETE && p->ops.complete)
    p->ops.complete(p->state, &p->api, &item->kernel);
  else if (item->kind == AQSIM_ITEM_WORKGROUP)
    workgroup_told(p, item);
  p->phase = before;
}

static void policy_fire(aqsim_event *event)
{
  aqsim_policy *p =
      (aqsim_policy *)(void *)((char *)event - offsetof(aqsim_policy, event));
  p->pending = false;
  while (p->item_count && p->items[0].time <= p->device->sim->now) {
    const aqsim_item item = item_take(p, 0);
    item_happen(p, &item);
    item_tell(p, &item);
    if (item.kind != AQSIM_ITEM_STEP)
      aqsim_policy_ask_again(p);
  }
  event_schedule(p);
}

/* Whether hooks of the hardware side are called where things happen. */
static bool is_immediate(const aqsim_policy *p)
{
  const aq_policy_timing *timing = &p->binding->timing[AQ_SIDE_HARDWARE];
  return timing->cost == 0 && timing->latency == 0 &&
         p->phase == AQSIM_PHASE_NONE;
}

static void hardware_tell(aqsim_policy *p, aqsim_item *item)
{
  if (is_immediate(p))
    item_tell(p, item);
  else
    aqsim_policy_tell(p, AQ_SIDE_HARDWARE, item);
}

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
    hardware_tell(
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
      before = *at;
      at = &(*at)->next_ready;
    }
  }
  aqsim_copy *copy = *at;
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

/* ---- workgroups ---- */

static uint32_t watch_place(void *watcher, aqsim_grid *grid, void *user)
{
  aqsim_policy *p = watcher;
  const aqsim_flight *flight = user;
  aqsim_run *run = flight->run;
  aq_device_kernel view;
  (void)grid;
  if (!run)
    return UINT32_MAX;
  aqsim_run_view(run, &view);
  p->api.free_slots(&p->api, run->handle, p->cus);
  const aqsim_policy_phase before = p->phase;
  p->phase = AQSIM_PHASE_HARDWARE;
  const uint32_t cu =
      p->ops.place(p->state, &p->api, &view, p->cus, p->api.cus);
  p->phase = before;
  if (cu != AQ_POLICY_NONE && (cu >= p->api.cus || p->cus[cu].free == 0)) {
    aqsim_policy_fail(p, "place answers compute unit %u, without room", cu);
    return UINT32_MAX;
  }
  return cu;
}

/* Tells of workgroups that started or ended. */
static void notes_tell(aqsim_policy *p)
{
  aqsim_watch *watch = &p->watch;
  if (watch->lost)
    aqsim_policy_fail(p, "no memory for workgroups");
  for (size_t i = 0; i < watch->count; i++) {
    const aqsim_workgroup_note note = watch->notes[i];
    const aqsim_flight *flight = note.user;
    if (!flight->run)
      continue;
    aqsim_item item = {.kind = AQSIM_ITEM_WORKGROUP,
                       .handle = flight->run->handle,
                       .cookie = note.cu,
                       .flag = note.started};
    aqsim_run_view(flight->run, &item.kernel);
    hardware_tell(p, &item);
  }
  watch->count = 0;
}

void aqsim_policy_step(aqsim_policy *p)
{
  if (!p->watch.single || p->stepping)
    return;
  const aq_time next =
      aqsim_dispatcher_next(p->device->dispatcher, p->device->sim->now);
  if (p->watch.count)
    notes_tell(p);
  if (next == AQ_TIME_MAX)
    return;
  p->stepping = true;
  p->step_item = aqsim_policy_item_add(
      p, &(aqsim_item){.kind = AQSIM_ITEM_STEP,
                       .time = aq_time_max(next, p->device->sim->now + 1)});
}

/* ---- kernels ---- */

static void run_describe(aqsim_run *run)
{
  const aqsim_flight *flight = run->flight;
  const aqsim_model *model = flight->queue->device->model;
  const aq_kernel_desc *desc = &flight->kernel->desc;
  const aq_kernel_packet *packet = &flight->packet.kernel;
  const uint64_t items = (uint64_t)packet->workgroup_size[0] *
                         packet->workgroup_size[1] * packet->workgroup_size[2];
  const uint64_t size = (uint64_t)model->wave_size;
  const aqsim_resources empty = aqsim_cu_resources(model);
  run->waves = (uint32_t)((items + size - 1) / size);
  run->need = aqsim_workgroup_need(model, flight->kernel, packet);
  run->most = aqsim_occupancy(&empty, &run->need, NULL);
  const uint64_t wave = desc->vgprs > 0
                            ? ((uint64_t)desc->vgprs * size +
                               (desc->sgprs > 0 ? (uint64_t)desc->sgprs : 0)) *
                                  4
                            : (uint64_t)model->wave_state;
  run->state_size = run->waves * wave;
  run->workgroup_time = AQ_TIME_NONE;
  if (desc->cost.kind == AQ_COST_OCCUPANCY)
    run->workgroup_time =
        desc->cost.detail->latency[desc->cost.detail->latency_count - 1] -
        desc->cost.detail->contained;
  else if (aqsim_kernel_is_dispatched(flight->kernel) &&
           desc->cost.kind != AQ_COST_ROOFLINE)
    run->workgroup_time = aqsim_cost_workgroup(&desc->cost, packet);
  else if (desc->cost.kind != AQ_COST_ROOFLINE)
    run->workgroup_time = aqsim_cost_duration(
        model, flight->kernel, packet, flight->workgroups, run->cus.count);
}

static aqsim_run *run_alloc(aqsim_policy *p)
{
  aqsim_run *run = p->spare;
  if (run)
    p->spare = run->next;
  else
    run = malloc(sizeof *run);
  if (!run)
    return NULL;
  *run = (aqsim_run){
      .policy = p, .handle = p->handle_last++, .first = AQ_TIME_MAX};
  aqsim_run **at = &p->runs;
  while (*at)
    at = &(*at)->next;
  *at = run;
  return run;
}

static void run_free(aqsim_run *run)
{
  aqsim_policy *p = run->policy;
  aqsim_run **at = &p->runs;
  while (*at != run)
    at = &(*at)->next;
  *at = run->next;
  run->next = p->spare;
  p->spare = run;
}

void aqsim_run_view(aqsim_run *run, aq_device_kernel *out)
{
  const aqsim_flight *flight = run->flight;
  aqsim_grid_state state = {.workgroups = flight->workgroups};
  if (flight->grid) {
    aqsim_grid_state_get(flight->grid, flight->queue->sim->now, &state);
    const uint64_t before = flight->workgroups - run->workgroups_left;
    state.issued += before;
    state.finished += before;
  } else if (flight->end <= flight->queue->sim->now)
    state.issued = state.finished = flight->workgroups;
  *out = (aq_device_kernel){.kernel = run->handle,
                            .queue = flight->queue->number,
                            .packet = flight->id,
                            .job = run->job,
                            .command = run->command,
                            .workgroups = (uint32_t)flight->workgroups,
                            .issued = (uint32_t)state.issued,
                            .finished = (uint32_t)state.finished,
                            .waves_per_workgroup = run->waves,
                            .per_cu_max = run->most,
                            .state_size = (uint32_t)run->state_size,
                            .idempotent = run->idempotent,
                            .started = flight->start,
                            .workgroup_time = run->workgroup_time};
}

/* Asks for limits, and takes them if they are legal. */
static void launch_ask(aqsim_policy *p, aqsim_run *run)
{
  aq_device_kernel view;
  aq_device_launch launch = {0};
  aqsim_run_view(run, &view);
  view.issued = view.finished = 0;
  const aqsim_policy_phase before = p->phase;
  p->phase = AQSIM_PHASE_HARDWARE;
  p->ops.launch(p->state, &p->api, &view, &launch);
  p->phase = before;
  if (p->failed)
    return;
  if (launch.mask_count &&
      !aqsim_policy_mask(p, launch.cu_mask, launch.mask_count, &run->cus))
    aqsim_policy_fail(p, "launch answers a mask without compute units");
  else if ((launch.padding || launch.slice) && !(p->ops.needs & AQ_NEED_SLICE))
    aqsim_policy_fail(p, "launch slices or pads, which needs does not say");
  run->limits = (aqsim_grid_limits){.per_cu = launch.per_cu,
                                    .budget = launch.budget,
                                    .padding = launch.padding};
  run->slice = launch.slice;
}

bool aqsim_policy_launch(aqsim_flight *flight)
{
  aqsim_queue *queue = flight->queue;
  aqsim_policy *p = queue->device->policy;
  aqsim_run *run = run_alloc(p);
  if (!run)
    return false;
  flight->run = run;
  run->flight = flight;
  run->cus = queue->cus;
  run->job = AQ_POLICY_NO_JOB;
  flight->end = AQ_TIME_MAX;
  flight->killed = flight->stopped = false;
  if (p->binding->identify)
    p->binding->identify(p->binding->user, queue->ring.id, flight->id,
                         &run->job, &run->command, &run->idempotent);
  run_describe(run);
  run->workgroups_left = flight->workgroups;
  if (p->ops.launch && !p->failed) {
    flight->start =
        aq_time_add(flight->start, aqsim_policy_pick_delay(queue->device));
    launch_ask(p, run);
  }
  run->since = flight->start;
  run->dispatched = aqsim_kernel_is_dispatched(flight->kernel) &&
                    flight->workgroups > 0 &&
                    flight->kernel->desc.cost.kind != AQ_COST_ROOFLINE;
  if (queue->policy.limit && queue->active >= queue->policy.limit)
    queue->hold |= AQSIM_HOLD_LIMIT;
  return true;
}

aq_time aqsim_run_used(const aqsim_run *run)
{
  const aqsim_flight *flight = run->flight;
  const aq_time now = flight->queue->sim->now;
  if (flight->grid) {
    aqsim_grid_state state;
    aqsim_grid_state_get(flight->grid, now, &state);
    return run->used + state.used;
  }
  if (run->dispatched || run->state == AQSIM_RUN_STOPPED)
    return run->used;
  return run->used + aq_time_max(aq_time_min(flight->end, now) - run->since, 0);
}

const aqsim_cu_set *aqsim_policy_grid(const aqsim_flight *flight,
                                      aqsim_grid_limits *limits,
                                      uint64_t *workgroups)
{
  const aqsim_run *run = flight->run;
  *limits = run->limits;
  *workgroups = run->workgroups_left;
  if (run->slice && run->slice < *workgroups)
    *workgroups = run->slice;
  return &run->cus;
}

void aqsim_policy_grid_begun(aqsim_device *device)
{
  aqsim_policy *p = device->policy;
  if (p->stepping && p->watch.single) {
    /* It may come before what was waited for. */
    p->stepping = false;
    aqsim_policy_item_drop(p, AQSIM_ITEM_STEP, p->step_item);
  }
  aqsim_policy_step(p);
}

aq_time aqsim_policy_first(aqsim_flight *flight, aq_time start)
{
  aqsim_run *run = flight->run;
  run->first = aq_time_min(run->first, start);
  return run->first;
}

bool aqsim_policy_grid_ended(aqsim_flight *flight)
{
  aqsim_run *run = flight->run;
  aqsim_policy *p = run->policy;
  run->used += aqsim_dispatcher_used(p->device->dispatcher);
  if (p->watch.count)
    notes_tell(p);
  if (run->slice && run->slice < run->workgroups_left) {
    run->workgroups_left -= run->slice;
    return true;
  }
  run->workgroups_left = 0;
  return false;
}

static void limit_release(aqsim_queue *queue)
{
  if (queue->policy.limit == 0 || queue->active <= queue->policy.limit)
    queue->hold &= (uint8_t)~AQSIM_HOLD_LIMIT;
}

void aqsim_policy_complete(aqsim_flight *flight)
{
  aqsim_run *run = flight->run;
  aqsim_policy *p = run->policy;
  aqsim_item item = {.kind = AQSIM_ITEM_COMPLETE};
  if (p->watch.count)
    notes_tell(p);
  aqsim_run_view(run, &item.kernel);
  item.kernel.issued = item.kernel.finished = item.kernel.workgroups;
  if (run->state == AQSIM_RUN_STOPS && !run->by_queue)
    aqsim_run_preempted(run, flight->end);
  aqsim_policy_charge(p, flight->queue, aqsim_run_used(run), false);
  run_free(run);
  flight->run = NULL;
  aqsim_policy_queue_rests(flight->queue);
  limit_release(flight->queue);
  if (p->ops.complete)
    hardware_tell(p, &item);
  aqsim_policy_ask_again(p);
}

void aqsim_policy_forget(aqsim_flight *flight)
{
  if (flight->stopped)
    flight->queue->policy.stopped--;
  flight->stopped = false;
  run_free(flight->run);
  flight->run = NULL;
  aqsim_policy_queue_rests(flight->queue);
  limit_release(flight->queue);
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
  p->event.fire = policy_fire;
  p->device = device;
  p->binding = binding;
  memcpy(&p->ops, binding->ops,
         binding->ops->size < sizeof p->ops ? binding->ops->size
                                            : sizeof p->ops);
  p->state = binding->policy;
  aq_rng_init(&p->rng, binding->seed, SUBSTREAM - device->ordinal);
  aqsim_policy_api_init(p);
  p->watch.place = p->ops.place ? watch_place : NULL;
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
