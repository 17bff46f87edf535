/* SPDX-License-Identifier: MIT */
/*
 * The steps of a packet in flight (lifecycle.def), and the loop that takes
 * them.
 *
 * Invariants. A packet is in one place: in line (line.first…, `waiting` of
 * them), or active (`active` of them), or free. Only the first in line
 * launches. `pumping` keeps a launch that completes at once from entering the
 * loop again. A packet that sleeps has one event in the calendar, which runs
 * `step`. After a step that returns GONE its caller may not touch the packet.
 *
 * Costs. A null kernel with the barrier bit, on a queue that is alone on its
 * pipe, in virtual time without records and hooks, is one event of its own and
 * a quarter of one of a fetch. Its completion with the next packet's turn,
 * check and launch takes half of its instructions, the fetch a sixth, doorbell,
 * wait and submission a tenth each.
 *
 * But for the client's no part locks: in virtual time one thread drives, and a
 * store that releases is a plain store on x86. The cost is the look again at
 * words that cannot have changed. So a doorbell that follows on all before it
 * is compared with four counts in place of a scan (doorbell.c), a shape is
 * compared with the last one in place of a check (kernel_launch.h),
 * `sim->plain` stands for three pointers, and completion, turn and launch are
 * one function. Only live mode announces a doorbell by a locked exchange.
 *
 * Cache lines of a packet: its slot, two of the flight for times and packet,
 * one for the state, one for the kernel; of the queue the ring, fetch, line,
 * pool and mapping; signal, doorbell and indices. Flights are used again last
 * in, first out, so a queue touches as many as it has in flight.
 */
#include "config.h"

#include "backend_sim/packet/processor.h"

#include "backend_sim/completion.h"
#include "backend_sim/packet/execution.h"
#include "backend_sim/packet/fetch.h"
#include "backend_sim/packet/kernel_dispatch.h"
#include "backend_sim/packet/kernel_launch.h"
#include "backend_sim/packet/memory_fault.h"
#include "backend_sim/packet/packet_types.h"
#include "backend_sim/packet/pipes.h"
#include "backend_sim/packet/ring.h"
#include "backend_sim/policy/device_policy.h"

/* ---- steps ---- */

/* The launch unit of a shared pipe is had in turn. */
__attribute__((noinline)) static bool launch_in_turn(aqsim_inflight *inflight)
{
  aqsim_queue *queue = inflight->queue;
  aqsim_unit *unit = &queue->map.pipe->units[AQSIM_UNIT_LAUNCH];
  __builtin_prefetch(&inflight->packet);
  if (!aqsim_unit_is_early(unit, inflight->fetch))
    return aqsim_unit_acquire(unit, queue);
  aqsim_inflight_sleep(inflight, AQSIM_STEP_TURN, inflight->fetch,
                       AQSIM_AT_LAUNCH);
  return false;
}

static aqsim_flow stall(aqsim_inflight *inflight, unsigned why)
{
  inflight->stalls |= (uint8_t)why;
  return AQSIM_WAIT;
}

/* Called for the first packet in line only. */
__attribute__((always_inline)) static inline aqsim_flow
turn_acquire(aqsim_inflight *inflight)
{
  aqsim_queue *queue = inflight->queue;
  if (inflight->sleeping)
    return AQSIM_WAIT;
  if (queue->line.hold)
    return stall(inflight, queue->line.hold & AQSIM_HOLD_SLOT
                               ? AQ_STALL_SLOT
                               : AQ_STALL_BLOCKED);
  if (queue->line.active > 0 && inflight->barrier)
    return stall(inflight, AQ_STALL_BARRIER);
  const aqsim_pipe *pipe = queue->map.pipe;
  if (__builtin_expect(aqsim_pipe_is_shared(pipe) ||
                           aqsim_policy_picks(queue->device),
                       false)) {
    if (!launch_in_turn(inflight))
      return stall(inflight, AQ_STALL_PIPE);
  } else {
    aq_time time =
        aq_time_max(inflight->fetch, pipe->units[AQSIM_UNIT_LAUNCH].free);
    if (time > inflight->fetch)
      stall(inflight, AQ_STALL_PIPE);
    if (time > queue->sim->now)
      return aqsim_inflight_sleep(inflight, AQSIM_STEP_TURN, time,
                                  AQSIM_AT_LAUNCH);
  }
  queue->line.first = inflight->next;
  if (!queue->line.first)
    queue->line.last = NULL;
  queue->line.waiting--;
  aqsim_queue_active_add(queue, 1);
  queue->line.launched++;
  inflight->step = AQSIM_STEP_LAUNCH;
  return AQSIM_GO;
}

static aqsim_flow step_turn(aqsim_inflight *inflight)
{
  return turn_acquire(inflight);
}

/* An unknown header may be half-written: it is read again, once. */
static aqsim_flow header_doubt(aqsim_inflight *inflight)
{
  aqsim_queue *queue = inflight->queue;
  inflight->reread = true;
  /* Nothing passes it meanwhile. */
  aq_time again = queue->sim->now + queue->device->model->packet_fetch;
  aqsim_queue_launch_until(queue, again);
  return aqsim_inflight_sleep(inflight, AQSIM_STEP_LAUNCH, again,
                              AQSIM_AT_LAUNCH);
}

/* The packet as hooks of the order see it is large: not on everyone's stack. */
__attribute__((noinline)) static void
order_complete(const aqsim_inflight *inflight)
{
  const aq_order_hooks *hooks = inflight->queue->sim->order;
  const aq_order_packet order = aqsim_inflight_order(inflight);
  hooks->complete(hooks->user, &order);
}

__attribute__((noinline)) static void
order_launch(const aqsim_inflight *inflight)
{
  const aq_order_hooks *hooks = inflight->queue->sim->order;
  const aq_order_packet order = aqsim_inflight_order(inflight);
  hooks->launch(hooks->user, &order);
}

__attribute__((noinline)) static aqsim_flow type_fail(aqsim_inflight *inflight)
{
  char text[AQSIM_FAULT_TEXT_MAX];
  uint32_t fault = aqsim_packet_type_fault(&inflight->packet, text);
  return aqsim_inflight_fail(inflight, fault, text);
}

__attribute__((always_inline)) static inline aqsim_flow
launch(aqsim_inflight *inflight)
{
  aqsim_queue *queue = inflight->queue;
  if (queue->state != AQSIM_QUEUE_ACTIVE) {
    /* The queue stopped between its turn and its launch. */
    aqsim_queue_active_add(inflight->queue, -1);
    aqsim_inflight_free(inflight);
    return AQSIM_GONE;
  }
  if (__builtin_expect(inflight->reread, false))
    aqsim_ring_read(queue, inflight->id, &inflight->packet);
  else if (!inflight->changed &&
           aqsim_packet_is_strange(inflight->packet.header_setup))
    return header_doubt(inflight);
  const aqsim_packet_type_ops *kind =
      aq_header_type(inflight->packet.header) == AQ_PACKET_KERNEL_DISPATCH &&
              !queue->host
          ? &aqsim_kernel_kind
          : aqsim_inflight_type(inflight);
  inflight->kind = kind;
  inflight->launch = queue->sim->now;
  inflight->kernel = NULL;
  inflight->negative = 0;
  if (__builtin_expect(inflight->hooked && inflight->injected, false))
    return aqsim_inflight_fail(inflight, inflight->injected,
                               "injected queue error");
  if (__builtin_expect(!kind, false))
    return type_fail(inflight);
  if (__builtin_expect(queue->sim->order != NULL, false))
    order_launch(inflight);
  aqsim_flow next = kind == &aqsim_kernel_kind ? aqsim_kernel_launch(inflight)
                                               : kind->launch(inflight);
  if (next != AQSIM_GONE &&
      queue->device->model->read_index_advance == AQSIM_ADVANCE_LAUNCH)
    aqsim_ring_retire(queue, inflight->id);
  return next;
}

static aqsim_flow step_launch(aqsim_inflight *inflight)
{
  return launch(inflight);
}

static aqsim_flow step_fault(aqsim_inflight *inflight)
{
  aqsim_queue *queue = inflight->queue;
  return aqsim_inflight_fail(inflight, queue->error.reason, queue->error.text);
}

/* Its duration is that of its executed code, or of a cost. */
static bool is_predicted(const aqsim_inflight *inflight)
{
  return (aqsim_inflight_is_predicted(inflight) && !inflight->told) ||
         (inflight->kernel && inflight->kernel->desc.predicted);
}

__attribute__((noinline)) static void complete_record(aqsim_inflight *inflight,
                                                      aq_time observe)
{
  aqsim_inflight_record(
      inflight,
      (inflight->back_to_back ? AQ_FLAG_BACK_TO_BACK : 0) |
          (inflight->outlasts ? AQ_FLAG_EXECUTED : 0) |
          (is_predicted(inflight) ? AQ_FLAG_PREDICTED : 0) |
          (inflight->negative || inflight->killed ? AQ_FLAG_ERROR : 0),
      inflight->queue->sim->now, observe);
}

static void flight_run(aqsim_inflight *inflight);

/* Launches packets that can launch, and fetches more if there is room. */
__attribute__((always_inline)) static inline void pump(aqsim_queue *queue)
{
  if (queue->line.pumping)
    return;
  queue->line.pumping = true;
  uint64_t launched;
  do {
    aqsim_inflight *head = queue->line.first;
    launched = queue->line.launched;
    if (head && turn_acquire(head) == AQSIM_GO && launch(head) == AQSIM_GO)
      flight_run(head);
  } while (queue->line.launched != launched);
  queue->line.pumping = false;
  aqsim_queue_fetch_more(queue);
}

static aqsim_flow step_complete(aqsim_inflight *inflight)
{
  aqsim_queue *queue = inflight->queue;
  aqsim *sim = queue->sim;
  const aqsim_packet_type_ops *kind = inflight->kind;
  uint64_t unmapped;
  if (__builtin_expect(!sim->plain, false)) {
    if (aqsim_signal_is_missing(sim, inflight->packet.kernel.completion_signal,
                                &unmapped))
      return aqsim_inflight_memory_fault(
          inflight, AQSIM_STEP_RUN, unmapped,
          "its completion signal lies in memory that is not there");
    if (sim->order)
      order_complete(inflight);
  }
  aq_time observe = aqsim_signal_complete(
      sim, queue->device, inflight->packet.kernel.completion_signal,
      inflight->stamp, inflight->end, aqsim_queue_profiles(queue),
      inflight->negative);
  if (aqsim_recorder_on(&sim->recorder))
    complete_record(inflight, observe);
  if (queue->device->model->read_index_advance == AQSIM_ADVANCE_COMPLETION)
    aqsim_ring_retire(queue, inflight->id);
  if (kind->blocks)
    queue->line.hold &= (uint8_t)~AQSIM_HOLD_PACKET;
  else if (kind->record == AQ_KIND_KERNEL)
    queue->line.last_end = aq_time_max(queue->line.last_end, inflight->end);
  aqsim_queue_active_add(queue, -1);
  if (!queue->host)
    queue->device->idle_since = sim->now;
  if (__builtin_expect(inflight->run != NULL, false))
    aqsim_policy_complete(inflight);
  aqsim_inflight_free(inflight);
  if (queue->line.hold & ~AQSIM_HOLD_POLICY) {
    queue->sim->queue_ops->progress(queue);
  } else if (aqsim_queue_is_idle(queue)) {
    queue->map.idle_since = sim->now;
    if (queue->device->slots.contended)
      queue->sim->queue_ops->progress(queue);
  } else {
    pump(queue);
  }
  return AQSIM_GONE;
}

/* ---- the loop ---- */

static aqsim_flow (*const step_functions[AQSIM_STEP_COUNT])(
    aqsim_inflight *) = {
#define S(name, function, waits, then, next) [AQSIM_STEP_##name] = function,
#include "backend_sim/packet/lifecycle.def"
#undef S
};

const aqsim_step_text aqsim_step_texts[AQSIM_STEP_COUNT] = {
#define S(name, function, waits, then, next) {#name, waits, then, next},
#include "backend_sim/packet/lifecycle.def"
#undef S
};

static void flight_run(aqsim_inflight *inflight)
{
  while (step_functions[inflight->step](inflight) == AQSIM_GO)
    ;
}

void aqsim_queue_pump(aqsim_queue *queue)
{
  pump(queue);
}

void aqsim_inflight_end_move(aqsim_inflight *inflight)
{
  aqsim_flow flow = inflight->step == AQSIM_STEP_COMPLETE
                        ? aqsim_kernel_finish(inflight)
                        : aqsim_inflight_sleep(inflight, AQSIM_STEP_RUN,
                                               inflight->end, AQSIM_AT_END);
  if (flow == AQSIM_GO)
    flight_run(inflight);
}

void aqsim_inflight_restart(aqsim_inflight *inflight)
{
  if (aqsim_kernel_dispatch_begin(inflight, inflight->kernel,
                                  &inflight->packet.kernel,
                                  inflight->queue->sim->now) == AQSIM_GO)
    flight_run(inflight);
}

static void flight_fire(aqsim_event *event)
{
  aqsim_inflight *inflight = (aqsim_inflight *)event;
  inflight->sleeping = false;
  if (__builtin_expect(inflight->step == AQSIM_STEP_COMPLETE, true))
    step_complete(inflight);
  else if (inflight->step == AQSIM_STEP_TURN)
    aqsim_queue_pump(inflight->queue);
  else
    flight_run(inflight);
}

static void gate_opened(aqsim_dep_wait *dep_wait)
{
  aqsim_queue *queue =
      (aqsim_queue *)(void *)((char *)dep_wait -
                              offsetof(aqsim_queue, wait.dep_wait));
  if (queue->sim->queue_ops->gate_opened(queue))
    flight_run(queue->wait.inflight);
}

void aqsim_queue_gate_resume(aqsim_queue *queue)
{
  flight_run(queue->wait.inflight);
}

void aqsim_inflight_init(aqsim_inflight *inflight, aqsim_queue *queue)
{
  *inflight = (aqsim_inflight){.event = {flight_fire}, .queue = queue};
}

void aqsim_queue_gate_init(aqsim_queue *queue)
{
  aqsim_dep_wait_init(&queue->wait.dep_wait, &queue->sim->dep_waits,
                      gate_opened);
}
