/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "backend_sim/event_loop.h"

#include <stdlib.h>

#include "backend_sim/deadlock.h"
#include "backend_sim/hwqueue/doorbell.h"
#include "backend_sim/hwqueue/queue_create.h"
#include "backend_sim/observe/sampler.h"
#include "backend_sim/queue_state.h"
#include "backend_sim/sdma/sdma_ring.h"
#include "common/array.h"

/* ---- the event loop ---- */

void aqsim_doorbells_notice(aqsim *sim)
{
  aqsim_queues_notice(sim);
  aqsim_sdmas_notice(sim);
}

static void wait_poll(aqsim_wait *wait);
static bool wait_is_awake(const aqsim_wait *wait);

/* A plain store changed memory and notified no one: waiters look again. */
static void memory_poll(aqsim *sim)
{
  sim->touched = false;
  aqsim_dep_waits_poll(&sim->dep_waits);
  aqsim_handlers_poll(&sim->handlers);
  if (sim->wait && wait_is_awake(sim->wait))
    wait_poll(sim->wait);
}

/* Runs the next event that is due at or before `limit`. */
__attribute__((always_inline)) static inline bool clock_step(aqsim *sim,
                                                             aq_time limit)
{
  aq_time time;
  aqsim_event *event = aqsim_calendar_pop(&sim->calendar, limit, &time);
  if (!event)
    return false;
  aqsim_time_move(sim, time);
  event->fire(event);
  if (sim->touched || sim->dep_waits.memory > 0)
    memory_poll(sim);
  return true;
}

typedef enum tick {
  TICK_RAN,
  TICK_NOTHING, /* is due at or before the limit */
  TICK_YIELD,   /* live mode: another thread wants the simulator, or has to do
                   something, since nothing is left to happen at all */
} tick;

/* Live mode: whether another thread wants the simulator. */
static inline bool is_wanted(const aqsim *sim)
{
  return sim->wanted && __atomic_load_n(sim->wanted, __ATOMIC_RELAXED) > 0;
}

/* The same for an operation that may have to let others act. */
__attribute__((always_inline)) static inline tick clock_tick(aqsim *sim,
                                                             aq_time limit)
{
  if (__builtin_expect(sim->wanted != NULL, false) &&
      (is_wanted(sim) || aqsim_calendar_empty(&sim->calendar)))
    return TICK_YIELD;
  return clock_step(sim, limit) ? TICK_RAN : TICK_NOTHING;
}

/* Every operation that moves time begins and ends with these. */
static aq_status clock_enter(aqsim *sim, aq_diag *diag)
{
  if (sim->depth > 0)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "time cannot be moved from inside a kernel or a "
                       "callback");
  sim->depth++;
  aqsim_doorbells_notice(sim);
  memory_poll(sim);
  return AQ_OK;
}

static aq_status clock_leave(aqsim *sim, aq_status status, aq_diag *diag)
{
  sim->depth--;
  aqsim_queues_sweep(sim);
  aq_status failed = aqsim_recorder_flush(&sim->recorder);
  if (failed != AQ_OK)
    return aq_diag_set(diag, failed, "%s", sim->recorder.failure.text);
  if (sim->signals.failed)
    return aq_diag_set(diag, AQ_ERR_NO_MEMORY, "out of memory for completions");
  return status;
}

uint32_t aqsim_loop_run(aqsim *sim, aq_time limit, uint32_t most)
{
  uint32_t count = 0;
  sim->depth++;
  sim->executed = false;
  while (count < most && !(sim->executed && is_wanted(sim)) &&
         clock_step(sim, limit))
    count++;
  sim->depth--;
  aqsim_queues_sweep(sim);
  return count;
}

bool aqsim_memory_poll(aqsim *sim)
{
  uint64_t scheduled = sim->calendar.sequence;
  sim->depth++;
  aqsim_doorbells_notice(sim);
  aqsim_dep_waits_poll(&sim->dep_waits);
  sim->depth--;
  return sim->calendar.sequence != scheduled;
}

bool aqsim_memory_has_changes(const aqsim *sim)
{
  return aqsim_queues_have_changes(sim) || aqsim_sdmas_have_changes(sim) ||
         aqsim_dep_waits_have_changes(&sim->dep_waits);
}

/* ---- sleep and space ---- */

aq_status aqsim_loop_sleep(aqsim *sim, aq_time until, bool wake, aq_diag *diag)
{
  aq_status status = clock_enter(sim, diag);
  if (status != AQ_OK)
    return status;
  bool woken = wake && sim->signals.drain_count > 0;
  sim->drain_lost = 0;
  sim->policy_notified = false;
  tick last = TICK_RAN;
  while (!woken && (last = clock_tick(sim, until)) == TICK_RAN)
    woken = wake && (sim->signals.drain_count > sim->drain_lost ||
                     sim->policy_notified);
  if (last == TICK_YIELD && !aqsim_calendar_empty(&sim->calendar))
    return clock_leave(sim, AQ_ERR_AGAIN, diag);
  if (!woken && until != AQ_TIME_MAX)
    aqsim_time_move(sim, aq_time_max(sim->now, until));
  return clock_leave(sim, AQ_OK, diag);
}

static aq_status space_wait(aqsim *sim, aqsim_queue *queue, uint32_t count,
                            aq_time deadline, aq_diag *diag)
{
  while (aq_ring_space(&queue->ring) < count) {
    if (queue->state != AQSIM_QUEUE_ACTIVE && queue->state != AQSIM_QUEUE_SOFT)
      return aqsim_queue_explain(queue, diag);
    tick last = clock_tick(sim, deadline);
    if (last == TICK_RAN)
      continue;
    if (last == TICK_YIELD)
      return AQ_ERR_AGAIN;
    if (deadline == AQ_TIME_MAX)
      return aqsim_space_deadlock(queue, count, diag);
    aqsim_time_move(sim, aq_time_max(sim->now, deadline));
    return aq_diag_set(diag, AQ_ERR_TIMEOUT,
                       "queue %u: no room for %u packets by the deadline",
                       queue->ring.id, count);
  }
  return AQ_OK;
}

aq_status aqsim_loop_wait_space(aqsim *sim, aqsim_queue *queue, uint32_t count,
                                aq_time deadline, aq_diag *diag)
{
  if (count > queue->ring.size)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "queue %u: room for %u packets; its ring has %u",
                       queue->ring.id, count, queue->ring.size);
  aq_status status = clock_enter(sim, diag);
  if (status != AQ_OK)
    return status;
  status = space_wait(sim, queue, count, deadline, diag);
  return clock_leave(sim, status, diag);
}

/* ---- wait ---- */

typedef struct waiter waiter;

struct aqsim_wait {
  aqsim *sim;
  const aq_wait_request *request;
  uint32_t held; /* items that hold now */
  uint32_t needed;
  uint32_t last; /* the item that came to hold last */
  bool missed;   /* an interrupt was lost: items may hold unseen */
  aq_time seen;  /* when the host sees that */
  waiter *waiters;
};

struct waiter {
  aqsim_watcher watcher; /* first */
  aqsim_wait *state;
  const aq_wait_item *item;
  uint32_t index;
  bool holds;
  int64_t value; /* when it came to hold */
};

/* A blocked host is interrupted at every change, and looks at the value when
 * the interrupt has come through; one that polls sees it at once. */
static aq_time wait_return(const aqsim_wait *state, const waiter *w)
{
  const aqsim *sim = state->sim;
  if (state->request->hint == AQ_WAIT_ACTIVE ||
      aqsim_signal_from(w->item->signal)->polled)
    return sim->now;
  return aq_time_min(sim->now + sim->interrupt, state->request->deadline);
}

/* The host looks at one item. */
static void waiter_poll(waiter *w, int64_t value)
{
  bool holds = aq_condition_holds(w->item->condition, value, w->item->value);
  if (holds == w->holds)
    return;
  w->holds = holds;
  if (!holds) {
    w->state->held--;
    return;
  }
  w->value = value;
  w->state->held++;
  w->state->last = w->index;
  w->state->seen = wait_return(w->state, w);
  w->state->sim->observe = w->state->seen;
}

/* The host looks at everything: after a lost interrupt the next one makes it,
 * and so does whoever stored to memory. */
static void wait_poll(aqsim_wait *wait)
{
  wait->missed = false;
  for (uint32_t i = 0; i < wait->request->count; i++) {
    waiter *w = &wait->waiters[i];
    waiter_poll(w, aqsim_signal_load(aqsim_signal_from(w->item->signal)));
  }
}

/* A host whose interrupt was lost sleeps on. */
static bool wait_is_awake(const aqsim_wait *wait)
{
  return !wait->missed;
}

static void waiter_changed(aqsim_watcher *watcher, int64_t value)
{
  waiter *w = (waiter *)watcher;
  if (w->state->sim->interrupt_lost) {
    w->state->missed = true;
    return;
  }
  waiter_poll(w, value);
  if (w->state->missed)
    wait_poll(w->state);
}

static void waiters_end(waiter *waiters, uint32_t count)
{
  for (uint32_t i = 0; i < count; i++)
    aqsim_signal_unwatch(&waiters[i].watcher);
}

/* Runs until enough items hold; then the host needs its time to wake up. */
static aq_status wait_run(aqsim_wait *state, aq_diag *diag)
{
  aqsim *sim = state->sim;
  const aq_wait_request *request = state->request;
  if (state->held >= state->needed)
    return AQ_OK;
  tick last = TICK_RAN;
  while (state->held < state->needed &&
         (last = clock_tick(sim, request->deadline)) == TICK_RAN)
    ;
  if (state->held >= state->needed) {
    uint32_t satisfied = state->last;
    aq_time until = state->seen;
    while (clock_step(sim, until))
      ;
    aqsim_time_move(sim, aq_time_max(sim->now, until));
    state->last = satisfied;
    return AQ_OK;
  }
  if (last == TICK_YIELD)
    return AQ_ERR_AGAIN;
  if (state->missed)
    wait_poll(state);
  bool holds = state->held >= state->needed;
  if (request->deadline == AQ_TIME_MAX)
    return holds
               ? aqsim_missed_deadlock(&request->items[state->last], diag)
               : aqsim_wait_deadlock(sim, request->items, request->count, diag);
  aqsim_time_move(sim, aq_time_max(sim->now, request->deadline));
  if (holds)
    return AQ_OK;
  return aq_diag_set(diag, AQ_ERR_TIMEOUT,
                     "wait for %u signals: the deadline passed",
                     request->count);
}

aq_status aqsim_wait_check(const aq_wait_request *request, aq_diag *diag)
{
  if (request->count == 0)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "wait: no signals; expected at least one");
  for (uint32_t i = 0; i < request->count; i++)
    if (request->items[i].signal.handle == 0)
      return aq_diag_set(diag, AQ_ERR_INVALID,
                         "wait: item %u has no signal; expected a handle", i);
  return AQ_OK;
}

/* The caller's result: the item that held, or the first that does not. */
static void wait_result(const aqsim_wait *state, const waiter *waiters,
                        aq_status status, aq_wait_result *out)
{
  uint32_t index = state->last;
  if (status == AQ_ERR_TIMEOUT) {
    for (index = 0; waiters[index].holds; index++)
      ;
    aq_signal signal = waiters[index].item->signal;
    *out =
        (aq_wait_result){index, aqsim_signal_load(aqsim_signal_from(signal))};
  } else if (status == AQ_OK) {
    if (state->request->mode == AQ_WAIT_ALL)
      index = 0;
    *out = (aq_wait_result){index, waiters[index].value};
  }
}

static waiter *waiters_alloc(aqsim *sim, uint32_t count)
{
  waiter *waiters = sim->waiters;
  if (!AQ_ARRAY_RESERVE(waiters, sim->waiter_capacity, count))
    return NULL;
  sim->waiters = waiters;
  return waiters;
}

aq_status aqsim_loop_wait(aqsim *sim, const aq_wait_request *request,
                          aq_wait_result *out, aq_diag *diag)
{
  aq_status status = aqsim_wait_check(request, diag);
  if (status == AQ_OK)
    status = clock_enter(sim, diag);
  if (status != AQ_OK)
    return status;
  aqsim_wait state = {.sim = sim,
                      .request = request,
                      .needed =
                          request->mode == AQ_WAIT_ALL ? request->count : 1};
  waiter *waiters = waiters_alloc(sim, request->count);
  if (waiters) {
    state.waiters = waiters;
    const aq_wait_item *items = state.request->items;
    for (uint32_t i = state.request->count; i-- > 0;) {
      aqsim_signal *signal = aqsim_signal_from(items[i].signal);
      int64_t value = aqsim_signal_load(signal);
      bool holds =
          aq_condition_holds(items[i].condition, value, items[i].value);
      waiters[i] = (waiter){.watcher = {.changed = waiter_changed},
                            .state = &state,
                            .item = &items[i],
                            .index = i,
                            .holds = holds,
                            .value = value};
      aqsim_signal_watch(&signal->each, &waiters[i].watcher);
      if (holds) {
        state.held++;
        state.last = i; /* the first one wins */
      }
    }
    sim->wait = &state;
    status = wait_run(&state, diag);
    sim->wait = NULL;
    waiters_end(waiters, request->count);
    if (out)
      wait_result(&state, waiters, status, out);
  } else {
    status = aq_diag_set(diag, AQ_ERR_NO_MEMORY, "out of memory for %u waits",
                         request->count);
  }
  return clock_leave(sim, status, diag);
}
