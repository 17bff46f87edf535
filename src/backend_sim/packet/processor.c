/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "backend_sim/packet/processor.h"

#include "backend_sim/completion.h"
#include "backend_sim/packet/execution.h"
#include "backend_sim/packet/fetch.h"
#include "backend_sim/packet/kinds.h"
#include "backend_sim/packet/memory_fault.h"
#include "backend_sim/packet/pipes.h"
#include "backend_sim/packet/ring.h"
#include "backend_sim/packet/waves.h"
#include "backend_sim/policy/device_policy.h"

/* ---- steps ---- */

/* The launch unit of a shared pipe is had in turn. */
__attribute__((noinline)) static bool launch_in_turn(aqsim_flight *flight)
{
  aqsim_queue *queue = flight->queue;
  aqsim_unit *unit = &queue->map.pipe->units[AQSIM_UNIT_LAUNCH];
  __builtin_prefetch(&flight->packet);
  if (!aqsim_unit_is_early(unit, flight->fetch))
    return aqsim_unit_take(unit, queue);
  aqsim_flight_sleep(flight, AQSIM_STEP_TURN, flight->fetch, AQSIM_AT_LAUNCH);
  return false;
}

static aqsim_flow stall(aqsim_flight *flight, unsigned why)
{
  flight->stalls |= (uint8_t)why;
  return AQSIM_WAIT;
}

/* Called for the first packet in line only. */
__attribute__((always_inline)) static inline aqsim_flow
turn_take(aqsim_flight *flight)
{
  aqsim_queue *queue = flight->queue;
  if (flight->sleeping)
    return AQSIM_WAIT;
  if (queue->line.hold)
    return stall(flight, queue->line.hold & AQSIM_HOLD_SLOT ? AQ_STALL_SLOT
                                                            : AQ_STALL_BLOCKED);
  if (queue->line.active > 0 && flight->barrier)
    return stall(flight, AQ_STALL_BARRIER);
  const aqsim_pipe *pipe = queue->map.pipe;
  if (__builtin_expect(aqsim_pipe_is_shared(pipe) ||
                           aqsim_policy_picks(queue->device),
                       false)) {
    if (!launch_in_turn(flight))
      return stall(flight, AQ_STALL_PIPE);
  } else {
    aq_time time =
        aq_time_max(flight->fetch, pipe->units[AQSIM_UNIT_LAUNCH].free);
    if (time > flight->fetch)
      stall(flight, AQ_STALL_PIPE);
    if (time > queue->sim->now)
      return aqsim_flight_sleep(flight, AQSIM_STEP_TURN, time, AQSIM_AT_LAUNCH);
  }
  queue->line.first = flight->next;
  if (!queue->line.first)
    queue->line.last = NULL;
  queue->line.waiting--;
  aqsim_queue_active_add(queue, 1);
  queue->line.launched++;
  flight->step = AQSIM_STEP_LAUNCH;
  return AQSIM_GO;
}

static aqsim_flow step_turn(aqsim_flight *flight)
{
  return turn_take(flight);
}

/* An unknown header may be half-written: it is read again, once. */
static aqsim_flow header_doubt(aqsim_flight *flight)
{
  aqsim_queue *queue = flight->queue;
  flight->reread = true;
  /* Nothing passes it meanwhile. */
  aq_time again = queue->sim->now + queue->device->model->packet_fetch;
  aqsim_queue_launch_until(queue, again);
  return aqsim_flight_sleep(flight, AQSIM_STEP_LAUNCH, again, AQSIM_AT_LAUNCH);
}

/* The queue stopped between its turn and its launch. */
static aqsim_flow flight_drop(aqsim_flight *flight)
{
  aqsim_queue_active_add(flight->queue, -1);
  aqsim_flight_free(flight);
  return AQSIM_GONE;
}

static aqsim_flow step_launch(aqsim_flight *flight)
{
  aqsim_queue *queue = flight->queue;
  if (queue->state != AQSIM_QUEUE_ACTIVE)
    return flight_drop(flight);
  if (flight->reread)
    aqsim_ring_read(queue, flight->id, &flight->packet);
  else if (!flight->changed &&
           aqsim_packet_is_strange(flight->packet.header_setup))
    return header_doubt(flight);
  const aqsim_kind *kind =
      aq_header_type(flight->packet.header) == AQ_PACKET_KERNEL_DISPATCH &&
              !queue->host
          ? &aqsim_kernel_kind
          : aqsim_flight_kind(flight);
  flight->kind = kind;
  flight->launch = queue->sim->now;
  flight->kernel = NULL;
  flight->negative = 0;
  if (flight->injected)
    return aqsim_flight_fail(flight, flight->injected, "injected queue error");
  if (!kind) {
    char text[AQSIM_FAULT_TEXT_MAX];
    uint32_t fault = aqsim_packet_type_fault(&flight->packet, text);
    return aqsim_flight_fail(flight, fault, text);
  }
  if (__builtin_expect(queue->sim->order != NULL, false)) {
    const aq_order_packet order = aqsim_flight_order(flight);
    queue->sim->order->launch(queue->sim->order->user, &order);
  }
  aqsim_flow next = kind == &aqsim_kernel_kind ? aqsim_launch_kernel(flight)
                                               : kind->launch(flight);
  if (next != AQSIM_GONE &&
      queue->device->model->read_index_advance == AQSIM_ADVANCE_LAUNCH)
    aqsim_ring_retire(queue, flight->id);
  return next;
}

static aqsim_flow step_fault(aqsim_flight *flight)
{
  aqsim_queue *queue = flight->queue;
  return aqsim_flight_fail(flight, queue->error.reason, queue->error.text);
}

/* Its duration is that of its executed code, or of a cost. */
static bool is_predicted(const aqsim_flight *flight)
{
  return aqsim_flight_is_predicted(flight) ||
         (flight->kernel && flight->kernel->desc.predicted);
}

static aqsim_flow step_complete(aqsim_flight *flight)
{
  aqsim_queue *queue = flight->queue;
  aqsim *sim = queue->sim;
  const aqsim_kind *kind = flight->kind;
  uint64_t unmapped;
  if (aqsim_signal_is_missing(sim, flight->packet.kernel.completion_signal,
                              &unmapped))
    return aqsim_flight_memory_fault(
        flight, AQSIM_STEP_RUN, unmapped,
        "its completion signal lies in memory that is not there");
  if (__builtin_expect(sim->order != NULL, false)) {
    const aq_order_packet order = aqsim_flight_order(flight);
    sim->order->complete(sim->order->user, &order);
  }
  aq_time observe = aqsim_signal_complete(
      sim, queue->device, flight->packet.kernel.completion_signal,
      flight->stamp, flight->end, queue->profile, flight->negative);
  if (aqsim_recorder_on(&sim->recorder))
    aqsim_flight_record(
        flight,
        (flight->back_to_back ? AQ_FLAG_BACK_TO_BACK : 0) |
            (flight->outlasts ? AQ_FLAG_EXECUTED : 0) |
            (is_predicted(flight) ? AQ_FLAG_PREDICTED : 0) |
            (flight->negative || flight->killed ? AQ_FLAG_ERROR : 0),
        sim->now, observe);
  if (queue->device->model->read_index_advance == AQSIM_ADVANCE_COMPLETION)
    aqsim_ring_retire(queue, flight->id);
  if (kind->blocks)
    queue->line.hold &= (uint8_t)~AQSIM_HOLD_PACKET;
  else if (kind->record == AQ_KIND_KERNEL)
    queue->line.last_end = aq_time_max(queue->line.last_end, flight->end);
  aqsim_queue_active_add(queue, -1);
  if (!queue->host)
    queue->device->idle_since = sim->now;
  if (__builtin_expect(flight->run != NULL, false))
    aqsim_policy_complete(flight);
  aqsim_flight_free(flight);
  if (queue->line.hold & ~AQSIM_HOLD_POLICY) {
    queue->sim->queue_ops->progress(queue);
  } else if (aqsim_queue_is_idle(queue)) {
    queue->map.idle_since = sim->now;
    if (queue->device->slots.contended)
      queue->sim->queue_ops->progress(queue);
  } else {
    aqsim_queue_pump(queue);
  }
  return AQSIM_GONE;
}

/* ---- the loop ---- */

static aqsim_flow (*const step_functions[AQSIM_STEP_COUNT])(aqsim_flight *) = {
#define S(name, function, waits, then, next) [AQSIM_STEP_##name] = function,
#include "backend_sim/packet/lifecycle.def"
#undef S
};

const aqsim_step_text aqsim_step_texts[AQSIM_STEP_COUNT] = {
#define S(name, function, waits, then, next) {#name, waits, then, next},
#include "backend_sim/packet/lifecycle.def"
#undef S
};

static void flight_run(aqsim_flight *flight)
{
  while (step_functions[flight->step](flight) == AQSIM_GO)
    ;
}

void aqsim_queue_pump(aqsim_queue *queue)
{
  if (queue->line.pumping)
    return;
  queue->line.pumping = true;
  uint64_t launched;
  do {
    aqsim_flight *head = queue->line.first;
    launched = queue->line.launched;
    if (head && turn_take(head) == AQSIM_GO && step_launch(head) == AQSIM_GO)
      flight_run(head);
  } while (queue->line.launched != launched);
  queue->line.pumping = false;
  aqsim_queue_fetch_more(queue);
}

void aqsim_flight_end_move(aqsim_flight *flight)
{
  aqsim_flow flow = flight->step == AQSIM_STEP_COMPLETE
                        ? aqsim_kernel_finish(flight)
                        : aqsim_flight_sleep(flight, AQSIM_STEP_RUN,
                                             flight->end, AQSIM_AT_END);
  if (flow == AQSIM_GO)
    flight_run(flight);
}

void aqsim_flight_restart(aqsim_flight *flight)
{
  if (aqsim_waves_begin(flight, flight->kernel, &flight->packet.kernel,
                        flight->queue->sim->now) == AQSIM_GO)
    flight_run(flight);
}

static void flight_fire(aqsim_event *event)
{
  aqsim_flight *flight = (aqsim_flight *)event;
  flight->sleeping = false;
  if (__builtin_expect(flight->step == AQSIM_STEP_COMPLETE, true))
    step_complete(flight);
  else if (flight->step == AQSIM_STEP_TURN)
    aqsim_queue_pump(flight->queue);
  else
    flight_run(flight);
}

static void gate_opened(aqsim_gate *gate)
{
  aqsim_queue *queue =
      (aqsim_queue *)(void *)((char *)gate - offsetof(aqsim_queue, wait.gate));
  if (queue->sim->queue_ops->gate_opened(queue))
    flight_run(queue->wait.flight);
}

void aqsim_queue_gate_resume(aqsim_queue *queue)
{
  flight_run(queue->wait.flight);
}

void aqsim_flight_init(aqsim_flight *flight, aqsim_queue *queue)
{
  *flight = (aqsim_flight){.event = {flight_fire}, .queue = queue};
}

void aqsim_queue_gate_init(aqsim_queue *queue)
{
  aqsim_gate_init(&queue->wait.gate, &queue->sim->gates, gate_opened);
}
