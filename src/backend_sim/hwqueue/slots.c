/* SPDX-License-Identifier: MIT */
/*
 * The slots of a device: which queue has which, and how it changes hands.
 *
 * States of a queue (map.state), all changed by map_become:
 *
 *   OFF       no slot, and none is wanted: it is idle, suspended, stopped, or
 *             only waits at its dependency wait
 *   LISTED    in the run list of its priority
 *   ON        has a slot; its packets are fetched and launched
 *   LEAVING   preempted: has the slot until its active packets have ended
 *
 *   from      to       when
 *   OFF       LISTED   a doorbell, a dependency wait that opened or the end of
 *             a suspension gave it work (has_work), and no slot is free
 *   OFF       ON       the same, and a slot is free, or is taken from an idle
 *             queue; its own slot, if it is a queue of the host agent
 *   LISTED    OFF, ON  the review has a slot for it; or a policy keeps a
 *             promise
 *   LISTED    OFF      it stopped, or was suspended; or its priority changes,
 *             and it is LISTED again at once
 *   ON        OFF      it was idle, and another queue takes the slot, or it was
 *             idle for so long that it is mapped anew; it stopped
 *   ON        LEAVING  it is the victim of a waiter or of a policy
 *   LEAVING   OFF      it is drained, or stopped; LISTED at once if it has work
 *
 * map_become keeps what depends on the state: AQSIM_HOLD_SLOT is
 * set but in ON, so that nothing launches; slots.leaving and slots.contended
 * count. map.slot is set in ON and LEAVING. A queue that a packet stopped
 * (queue->state) is OFF for good: its active packets end without a slot.
 *
 * Drained: every active packet is frozen (context_switch.c), stopped by a
 * policy, or stands at the dependency wait, armed or opened. They all continue
 * after a restore.
 *
 * Restore. A queue that comes with such packets has one event, map.event, at
 * map.usable: then its frozen kernels continue, its policy is called and
 * resumes the kernels that it stopped, and the packet whose dependency wait
 * opened meanwhile continues, in this order. map.pending says that the event is
 * in the calendar; it is forgotten when the slot is lost. A queue that stops
 * has the event at once.
 *
 * Costs. A preemption costs queue_switch, from the moment the queue is drained.
 * A slot whose queue is idle changes hands without: nothing has to be saved,
 * and the processor had unmapped it in effect. Each new holder pays
 * remap_latency.
 *
 * The timer. One event a device (slots.event), at the earliest end of a quantum
 * while a queue waits in vain; slots.due is its time. Any review moves it.
 *
 * A policy that maps decides in the place of the review. Its promise of a slot
 * that is being emptied (slot->promised) holds if that queue is still LISTED
 * then. A queue that stops takes its promises along: its memory may be
 * another queue's by then, even of another device.
 *
 * Threads: the one that drives time or holds the simulator's lock. Every
 * choice depends on time, priority and order of arrival alone, so that a run in
 * virtual time is the same again. Nothing here can fail: the events were
 * reserved with the device and the queue.
 */
#include "config.h"

#include "backend_sim/hwqueue/slots.h"

#include <assert.h>
#include <stdlib.h>

#include "backend_sim/hwqueue/context_switch.h"
#include "backend_sim/packet/fetch.h"
#include "backend_sim/packet/pipes.h"
#include "backend_sim/packet/processor.h"
#include "backend_sim/policy/device_policy.h"

/* ---- states ---- */

#define TO(state) (1u << AQSIM_MAP_##state)
static const unsigned successors[AQSIM_MAP_STATES] = {
    [AQSIM_MAP_OFF] = TO(LISTED) | TO(ON),
    [AQSIM_MAP_LISTED] = TO(OFF),
    [AQSIM_MAP_ON] = TO(OFF) | TO(LEAVING),
    [AQSIM_MAP_LEAVING] = TO(OFF),
};
#undef TO

static uint32_t contends(aqsim_map_state state)
{
  return state == AQSIM_MAP_LISTED || state == AQSIM_MAP_LEAVING;
}

static void map_become(aqsim_queue *queue, aqsim_map_state to)
{
  aqsim_slots *s = &queue->device->slots;
  const aqsim_map_state from = queue->map.state;
  assert(successors[from] >> to & 1);
  s->leaving += (uint32_t)(to == AQSIM_MAP_LEAVING) -
                (uint32_t)(from == AQSIM_MAP_LEAVING);
  s->contended += contends(to) - contends(from);
  if (to == AQSIM_MAP_ON)
    queue->line.hold &= (uint8_t)~AQSIM_HOLD_SLOT;
  else
    queue->line.hold |= AQSIM_HOLD_SLOT;
  queue->map.state = to;
}

static bool is_suspended(const aqsim_queue *queue)
{
  return queue->line.hold & (AQSIM_HOLD_SUSPEND | AQSIM_HOLD_CLIENT);
}

/* ---- the run list ---- */

static void list_add(aqsim_queue *queue)
{
  aqsim_slots *s = &queue->device->slots;
  map_become(queue, AQSIM_MAP_LISTED);
  queue->map.next = NULL;
  queue->map.previous = s->last[queue->rank];
  if (queue->map.previous)
    queue->map.previous->map.next = queue;
  else
    s->first[queue->rank] = queue;
  s->last[queue->rank] = queue;
}

static void list_remove(aqsim_queue *queue)
{
  aqsim_slots *s = &queue->device->slots;
  map_become(queue, AQSIM_MAP_OFF);
  if (queue->map.previous)
    queue->map.previous->map.next = queue->map.next;
  else
    s->first[queue->rank] = queue->map.next;
  if (queue->map.next)
    queue->map.next->map.previous = queue->map.previous;
  else
    s->last[queue->rank] = queue->map.previous;
}

static aqsim_queue *list_first(const aqsim_slots *s)
{
  for (int rank = 0; rank < AQSIM_RANKS; rank++)
    if (s->first[rank])
      return s->first[rank];
  return NULL;
}

static aqsim_queue *list_next(const aqsim_slots *s, const aqsim_queue *queue)
{
  aqsim_queue *next = queue->map.next;
  for (unsigned rank = queue->rank + 1; !next && rank < AQSIM_RANKS; rank++)
    next = s->first[rank];
  return next;
}

/* ---- taking and leaving ---- */

/* Whether something active continues when it has a slot again. */
static bool has_restore(const aqsim_queue *queue)
{
  return queue->map.frozen > 0 || queue->map.opened ||
         queue->policy.stopped > 0;
}

static void slot_acquire(aqsim_slot *slot, aqsim_queue *queue)
{
  const aqsim_model *model = queue->device->model;
  aq_time now = queue->sim->now;
  slot->queue = queue;
  slot->pipe->mapped++;
  map_become(queue, AQSIM_MAP_ON);
  queue->map.slot = slot;
  queue->map.pipe = slot->pipe;
  queue->map.usable = aq_time_max(now, slot->usable) + model->remap_latency +
                      aqsim_context_move_time(queue);
  slot->since = queue->map.usable;
  slot->launched = queue->line.launched;
  slot->quantum = 0;
  slot->restored = has_restore(queue);
  if (slot->restored) {
    queue->map.pending = true;
    aqsim_queue_push(queue, &queue->map.event, queue->map.usable,
                     AQSIM_AT_NOTICE);
  }
  aqsim_queue_fetch_more(queue);
}

static void slot_leave(aqsim_queue *queue)
{
  aqsim_slot *slot = queue->map.slot;
  aqsim_pipe_leave(slot->pipe, queue);
  slot->pipe->mapped--;
  slot->queue = NULL;
  queue->map.slot = NULL;
  map_become(queue, AQSIM_MAP_OFF);
  if (queue->map.pending)
    aqsim_calendar_forget(&queue->sim->calendar, &queue->map.event,
                          sizeof queue->map.event);
  queue->map.pending = false;
}

/* Its packets in flight that were active when it lost its slot continue. */
static void map_fire(aqsim_event *event)
{
  aqsim_queue *queue =
      (aqsim_queue *)(void *)((char *)event - offsetof(aqsim_queue, map.event));
  queue->map.pending = false;
  aqsim_context_restore(queue);
  aqsim_policy_queue_mapped(queue);
  if (!queue->map.opened)
    return;
  queue->map.opened = false;
  aqsim_queue_gate_resume(queue);
}

/* Nothing but a pending dependency wait keeps it active. */
static bool only_waits(const aqsim_queue *queue)
{
  return queue->line.active == 1 && queue->wait.dep_wait.armed;
}

/* Whether it could do something on a slot. */
static bool has_work(const aqsim_queue *queue)
{
  return queue->state == AQSIM_QUEUE_ACTIVE && !aqsim_queue_is_idle(queue) &&
         !only_waits(queue) && !is_suspended(queue);
}

/* The work that a leaving queue still has to end. */
static bool is_drained(const aqsim_queue *queue)
{
  uint32_t waits = queue->wait.dep_wait.armed || queue->map.opened;
  return queue->line.active ==
         queue->map.frozen + queue->policy.stopped + waits;
}

/* A policy said whose it is next. */
static void slot_keep_promise(aqsim_slot *slot)
{
  aqsim_queue *queue = slot->promised;
  slot->promised = NULL;
  if (!queue || queue->map.state != AQSIM_MAP_LISTED)
    return;
  const aq_time quantum = slot->quantum;
  list_remove(queue);
  slot_acquire(slot, queue);
  slot->quantum = quantum;
}

static void leave_finish(aqsim_queue *queue)
{
  aqsim_slot *slot = queue->map.slot;
  const aqsim_model *model = queue->device->model;
  slot_leave(queue);
  slot->usable = aq_time_add(
      queue->sim->now, model->queue_switch + aqsim_context_move_time(queue));
  if (has_work(queue))
    list_add(queue);
  aqsim_policy_queue_left(queue);
  slot_keep_promise(slot);
}

static void leave_begin(aqsim_queue *queue, aqsim_preempt_mode mode)
{
  map_become(queue, AQSIM_MAP_LEAVING);
  aqsim_queue_unfetch(queue);
  /* A shared unit that it waits for would fetch into its empty line. */
  aqsim_pipe_leave(queue->map.pipe, queue);
  if (mode == AQSIM_PREEMPT_SWITCH) {
    /* Kernels that a policy knows of are stopped its way. */
    aqsim_policy_queue_stop(queue, AQ_PREEMPT_SWITCH);
    aqsim_context_save(queue);
  }
  if (queue->map.state == AQSIM_MAP_LEAVING && is_drained(queue))
    leave_finish(queue);
}

/* ---- which queue gets which slot ---- */

/* A free slot of the pipe with the fewest queues, or NULL. */
static aqsim_slot *slot_free(const aqsim_slots *s)
{
  const aqsim_pipe *best = NULL;
  for (uint32_t i = 0; i < s->pipe_count; i++) {
    const aqsim_pipe *pipe = &s->pipes[i];
    if (pipe->mapped < pipe->slot_count &&
        (!best || pipe->mapped < best->mapped))
      best = pipe;
  }
  if (!best)
    return NULL;
  aqsim_slot *slot = best->slots;
  while (slot->queue)
    slot++;
  return slot;
}

/* The slot whose queue has been idle the longest, or NULL. */
static aqsim_slot *slot_idle(const aqsim_slots *s)
{
  aqsim_slot *best = NULL;
  for (uint32_t i = 0; i < s->slot_count; i++) {
    aqsim_slot *slot = &s->slots[i];
    if (slot->queue && aqsim_queue_is_idle(slot->queue) &&
        (!best || slot->queue->map.idle_since < best->queue->map.idle_since))
      best = slot;
  }
  return best;
}

static aqsim_slot *slot_find(aqsim_device *device)
{
  aqsim_slot *slot = slot_free(&device->slots);
  if (slot)
    return slot;
  slot = slot_idle(&device->slots);
  if (slot)
    slot_leave(slot->queue);
  return slot;
}

/* How long the device had nothing to do; queues that wake at this instant do
 * not count as work. A queue of the host agent counts for itself. */
static aq_time idle_time(const aqsim_queue *queue)
{
  const aqsim_slots *s = &queue->device->slots;
  const aq_time now = queue->sim->now;
  if (queue->host)
    return now - queue->map.idle_since;
  if (queue->device->orphaned > 0)
    return 0;
  for (uint32_t i = 0; i < s->slot_count; i++) {
    const aqsim_queue *other = s->slots[i].queue;
    if (other && other != queue && !aqsim_queue_is_idle(other) &&
        other->map.woken < now)
      return 0;
  }
  return now - queue->device->idle_since;
}

static aq_time quantum_end(const aqsim_device *device, const aqsim_slot *slot)
{
  aq_time quantum = device->model->queue_quantum;
  if (slot->quantum)
    quantum = slot->quantum;
  else if (slot->queue && slot->queue->policy.quantum)
    quantum = slot->queue->policy.quantum;
  return slot->since + quantum;
}

/* A quantum so short that nothing came of it begins anew. */
static void quanta_extend(aqsim_device *device)
{
  const aqsim_model *model = device->model;
  aq_time now = device->sim->now;
  for (uint32_t i = 0; i < device->slots.slot_count; i++) {
    aqsim_slot *slot = &device->slots.slots[i];
    const aqsim_queue *queue = slot->queue;
    if (queue && quantum_end(device, slot) <= now && !slot->restored &&
        queue->line.launched == slot->launched && !only_waits(queue) &&
        !is_suspended(queue))
      slot->since = now + model->doorbell_to_fetch + model->packet_fetch +
                    model->packet_decode;
  }
}

static bool slot_yields(const aqsim_device *device, const aqsim_slot *slot,
                        const aqsim_queue *waiter)
{
  const aqsim_queue *queue = slot->queue;
  if (queue->map.state == AQSIM_MAP_LEAVING)
    return false;
  if (queue->rank > waiter->rank)
    return true;
  return quantum_end(device, slot) <= device->sim->now &&
         (queue->rank == waiter->rank || only_waits(queue) ||
          is_suspended(queue));
}

/* The queue that `waiter` may displace, or NULL. */
static aqsim_queue *victim_find(const aqsim_device *device,
                                const aqsim_queue *waiter)
{
  const aqsim_slot *best = NULL;
  for (uint32_t i = 0; i < device->slots.slot_count; i++) {
    const aqsim_slot *slot = &device->slots.slots[i];
    if (!slot->queue || !slot_yields(device, slot, waiter))
      continue;
    if (!best || slot->queue->rank > best->queue->rank ||
        (slot->queue->rank == best->queue->rank && slot->since < best->since))
      best = slot;
  }
  return best ? best->queue : NULL;
}

/* The quantum that ends next is looked at when it does. */
static void quantum_schedule(aqsim_device *device)
{
  aqsim_slots *s = &device->slots;
  aq_time now = device->sim->now, next = AQ_TIME_MAX;
  for (uint32_t i = 0; i < s->slot_count; i++) {
    const aqsim_slot *slot = &s->slots[i];
    if (slot->queue && slot->queue->map.state == AQSIM_MAP_ON &&
        quantum_end(device, slot) > now)
      next = aq_time_min(next, quantum_end(device, slot));
  }
  if (next == AQ_TIME_MAX || (s->pending && s->due <= next))
    return;
  if (s->pending)
    aqsim_calendar_forget(&device->sim->calendar, &s->event, sizeof s->event);
  s->pending = true;
  s->due = next;
  aqsim_calendar_push(&device->sim->calendar, &s->event, next, AQSIM_AT_NOTICE);
}

/* The waiter that no slot is being emptied for. */
static const aqsim_queue *waiter_unserved(const aqsim_slots *s)
{
  const aqsim_queue *waiter = list_first(s);
  for (uint32_t i = 0; waiter && i < s->leaving; i++)
    waiter = list_next(s, waiter);
  return waiter;
}

/* Gives slots to the queues that wait for one. */
void aqsim_slots_review(aqsim_device *device)
{
  aqsim_slots *s = &device->slots;
  const aqsim_queue *waiter;
  if (aqsim_policy_maps(device)) {
    if (list_first(s))
      aqsim_policy_map(device);
    return;
  }
  for (;;) {
    aqsim_queue *first;
    aqsim_slot *slot;
    while ((first = list_first(s)) && (slot = slot_find(device))) {
      list_remove(first);
      slot_acquire(slot, first);
    }
    aqsim_queue *victim;
    quanta_extend(device);
    waiter = waiter_unserved(s);
    if (!waiter || !(victim = victim_find(device, waiter)))
      break;
    leave_begin(victim, (aqsim_preempt_mode)device->model->preemption);
  }
  if (waiter)
    quantum_schedule(device);
  if (waiter || !s->pending)
    return;
  aqsim_calendar_forget(&device->sim->calendar, &s->event, sizeof s->event);
  s->pending = false;
}

/* The error in an answer, or NULL. */
static const char *mapping_fault(const aqsim_slots *s, const aqsim_queue *queue,
                                 const aq_mapping *m)
{
  if (!queue || queue->map.state != AQSIM_MAP_LISTED)
    return "a queue that does not wait for a slot";
  if (m->slot >= s->slot_count)
    return "a slot that is not there";
  if (s->slots[m->slot].promised ||
      (s->slots[m->slot].queue &&
       s->slots[m->slot].queue->map.state == AQSIM_MAP_LEAVING))
    return "a slot that is being emptied";
  return m->quantum < 0 ? "a quantum below 0" : NULL;
}

static void mapping_do(aqsim_slot *slot, aqsim_queue *queue,
                       const aq_mapping *m)
{
  aqsim_queue *victim = slot->queue;
  slot->promised = queue;
  slot->quantum = m->quantum;
  if (!victim) {
    slot_keep_promise(slot);
  } else if (aqsim_queue_is_idle(victim)) {
    slot_leave(victim);
    slot_keep_promise(slot);
  } else {
    if (m->mode != AQ_PREEMPT_DRAIN)
      aqsim_policy_queue_stop(victim, m->mode);
    leave_begin(victim, AQSIM_PREEMPT_DRAIN);
  }
}

void aqsim_slots_map_by(aqsim_device *device)
{
  aqsim_slots *s = &device->slots;
  aq_mapping m;
  while (list_first(s) && aqsim_policy_map_next(device, &m)) {
    aqsim_queue *queue = list_first(s);
    while (queue && queue->number != m.queue)
      queue = (aqsim_queue *)list_next(s, queue);
    const char *fault = mapping_fault(s, queue, &m);
    if (fault) {
      aqsim_policy_map_illegal(device, fault);
      return;
    }
    mapping_do(&s->slots[m.slot], queue, &m);
  }
  if (list_first(s))
    quantum_schedule(device);
}

void aqsim_queue_slot_want(aqsim_queue *queue)
{
  if (queue->host || queue->map.state != AQSIM_MAP_OFF || !has_work(queue))
    return;
  list_add(queue);
  aqsim_slots_review(queue->device);
}

void aqsim_queue_slot_decline(aqsim_queue *queue)
{
  if (queue->map.state == AQSIM_MAP_LISTED)
    list_remove(queue);
}

static void quantum_fire(aqsim_event *event)
{
  aqsim_slots *s = (aqsim_slots *)event;
  s->pending = false;
  aqsim_slots_review(
      (aqsim_device *)(void *)((char *)s - offsetof(aqsim_device, slots)));
}

void aqsim_slots_progress(aqsim_queue *queue)
{
  if (queue->map.state == AQSIM_MAP_LEAVING) {
    if (!is_drained(queue))
      return;
    leave_finish(queue);
  }
  if (queue->device->slots.contended)
    aqsim_slots_review(queue->device);
}

/* ---- queues ---- */

void aqsim_queue_slot_init(aqsim_queue *queue)
{
  queue->map.event.fire = map_fire;
  queue->map.usable = queue->map.awake = queue->sim->now;
  queue->line.hold = AQSIM_HOLD_SLOT;
  queue->map.pipe = queue->device->slots.pipes;
  if (!queue->host)
    return;
  aqsim_pipe_init(&queue->map.own_pipe, queue->device, &queue->map.own_slot, 1);
  queue->map.own_slot.pipe = &queue->map.own_pipe;
  queue->map.own_slot.usable = queue->sim->now;
}

void aqsim_queue_map(aqsim_queue *queue)
{
  const aqsim_model *model = queue->device->model;
  const aq_time idle = idle_time(queue);
  queue->map.woken = queue->sim->now;
  aqsim_slot *mine = queue->map.slot;
  if (mine) {
    if (idle < model->unmap_after) {
      queue->map.awake =
          queue->sim->now + aq_time_ramp(idle, AQ_US, model->idle_ramp);
      return;
    }
    slot_leave(queue);
  }
  aqsim_slot *slot = &queue->map.own_slot;
  if (!queue->host)
    slot = list_first(&queue->device->slots) ||
                   aqsim_policy_maps(queue->device) || is_suspended(queue)
               ? NULL
           : mine ? mine
                  : slot_find(queue->device);
  if (slot) {
    /* The longer it was idle, the slower. */
    if (queue->fetch_state.read > 0)
      queue->map.awake =
          queue->sim->now + model->remap_latency +
          aq_time_ramp(idle, model->unmap_after, model->remap_ramp);
    slot_acquire(slot, queue);
    return;
  }
  if (is_suspended(queue) || queue->map.state == AQSIM_MAP_LISTED)
    return;
  list_add(queue);
  aqsim_slots_review(queue->device);
}

static void promises_drop(const aqsim_queue *queue)
{
  aqsim_slots *s = &queue->device->slots;
  for (uint32_t i = 0; i < s->slot_count; i++)
    if (s->slots[i].promised == queue)
      s->slots[i].promised = NULL;
}

void aqsim_queue_unmap(aqsim_queue *queue)
{
  aqsim_queue_slot_decline(queue);
  promises_drop(queue);
  if (queue->map.slot)
    slot_leave(queue);
  if (has_restore(queue) && !queue->map.pending) {
    queue->map.pending = true;
    aqsim_queue_push(queue, &queue->map.event, queue->sim->now,
                     AQSIM_AT_NOTICE);
  }
  if (queue->device->slots.contended)
    aqsim_slots_review(queue->device);
}

void aqsim_queue_rank_set(aqsim_queue *queue, aqsim_rank rank)
{
  const bool listed = queue->map.state == AQSIM_MAP_LISTED;
  if (rank == queue->rank)
    return;
  if (listed)
    list_remove(queue);
  if (queue->map.slot)
    aqsim_pipe_rank(queue->map.pipe, queue, rank);
  queue->rank = rank;
  if (listed)
    list_add(queue);
  if (queue->device->slots.contended)
    aqsim_slots_review(queue->device);
}

bool aqsim_queue_preempt(aqsim_queue *queue, aqsim_preempt_mode mode)
{
  if (queue->map.state != AQSIM_MAP_ON || queue->host)
    return false;
  leave_begin(queue, mode);
  aqsim_slots_review(queue->device);
  return true;
}

void aqsim_queue_suspend(aqsim_queue *queue, bool suspended)
{
  if (!suspended) {
    queue->line.hold &= (uint8_t)~AQSIM_HOLD_CLIENT;
    if (!queue->map.slot)
      aqsim_queue_slot_want(queue);
    aqsim_queue_pump(queue);
    return;
  }
  queue->line.hold |= AQSIM_HOLD_CLIENT;
  aqsim_queue_slot_decline(queue);
  if (queue->state != AQSIM_QUEUE_ACTIVE)
    return;
  aqsim_context_save_code(queue);
  if (!aqsim_queue_preempt(queue, AQSIM_PREEMPT_SWITCH))
    aqsim_slots_progress(queue); /* it leaves already */
}

bool aqsim_slots_gate_opened(aqsim_queue *queue)
{
  if (queue->state != AQSIM_QUEUE_ACTIVE ||
      (queue->map.slot && queue->sim->now >= queue->map.usable))
    return true;
  queue->map.opened = true;
  if (queue->map.slot && !queue->map.pending) {
    queue->map.pending = true;
    aqsim_queue_push(queue, &queue->map.event, queue->map.usable,
                     AQSIM_AT_NOTICE);
  } else {
    aqsim_queue_slot_want(queue);
  }
  return false;
}

/* ---- devices ---- */

bool aqsim_slots_init(aqsim_device *device)
{
  const aqsim_model *model = device->model;
  aqsim_slots *s = &device->slots;
  uint32_t pipes = (uint32_t)model->pipes,
           slots = (uint32_t)model->slots_per_pipe;
  s->event.fire = quantum_fire;
  s->pipes = calloc(pipes, sizeof *s->pipes);
  s->slots = calloc((size_t)pipes * slots, sizeof *s->slots);
  if (!s->pipes || !s->slots ||
      !aqsim_calendar_reserve(&device->sim->calendar,
                              1 + (size_t)pipes * AQSIM_UNITS))
    return false;
  s->pipe_count = pipes;
  s->slot_count = pipes * slots;
  for (uint32_t i = 0; i < s->slot_count; i++)
    s->slots[i] = (aqsim_slot){.pipe = &s->pipes[i / slots],
                               .index = i % slots,
                               .usable = device->sim->now};
  for (uint32_t i = 0; i < pipes; i++)
    aqsim_pipe_init(&s->pipes[i], device, &s->slots[(size_t)i * slots], slots);
  return true;
}

void aqsim_slots_fini(aqsim_device *device)
{
  free(device->slots.pipes);
  free(device->slots.slots);
}
