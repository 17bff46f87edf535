/* SPDX-License-Identifier: MIT */
/*
 * Waits of hosts. States, each of which may be the last:
 *
 *   driving   in lockstep: runs events (event_loop.c). AQ_ERR_AGAIN: another
 *             thread wants the simulator, or no event is left; then it tries to
 *             drive again, which fails once the device thread does
 *   polling   looks at memory for `spin`, unknown to all
 *   asleep    counted in `sleepers` or `drainers`; looks, sleeps until such a
 *             change or for a nap, looks again (orders: device_thread.c)
 *
 * It ends with AQ_OK when the condition holds, AQ_ERR_TIMEOUT at the deadline,
 * AQ_ERR_QUEUE when the transport closes, which it touches no more after
 * host_end. Its signals and queue are the caller's.
 *
 * A sleep until a time has an event on its stack, which leaves the calendar
 * first. One without an end waits for the second look that finds nothing: the
 * one under way may have passed the caller's store.
 */
#include "config.h"

#include "backend_sim/live/live_wait.h"

#include <sched.h>

#include "backend_sim/deadlock.h"
#include "backend_sim/engine/futex.h"
#include "backend_sim/event_loop.h"
#include "backend_sim/hwqueue/doorbell.h"
#include "backend_sim/live/live_handlers.h"
#include "backend_sim/queue_state.h"

enum {
  SPIN_BLOCKED_NS = 20000,  /* before a blocked host sleeps */
  SPIN_ACTIVE_NS = 2000000, /* before one that polls does */
  LOOK_FIRST_NS = 200000,   /* between looks for raw stores */
  LOOK_LAST_NS = 4000000,
  GUESS_AFTER_NS = 10000000, /* of a wait before it says what blocks */
  POLLS = 64,                /* between two looks at the wall clock */
};

/* A host's wait: its condition, whether it holds, and the deadline. */
typedef struct patience {
  aqsim_live *live;
  bool (*there)(struct patience *p);
  int64_t begin, end; /* wall ns; end 0: never */
  int64_t spin;
  uint32_t *sleepers, *drainers; /* counts of sleeping hosts, or NULL */
  const aq_wait_request *request;
  aq_wait_result seen;
  aqsim_queue *queue;
  uint32_t count; /* slots */
  bool stopped;   /* the queue did */
  uint32_t idle;  /* idle turns to come to */
  bool wake;
  const uint32_t *fired;
} patience;

static aq_status closing_error(aq_diag *diag)
{
  return aq_diag_set(diag, AQ_ERR_QUEUE, "sim: closed during a wait");
}

static aq_status live_failure(const aqsim_live *live, aq_diag *diag)
{
  if (aqsim_live_is_closing(live))
    return closing_error(diag);
  aq_status status =
      (aq_status)__atomic_load_n(&live->failed, __ATOMIC_RELAXED);
  if (status == AQ_OK)
    return AQ_OK;
  return aq_diag_set(diag, status, "sim: records or completions were lost");
}

static void patience_begin(patience *p, aq_time deadline)
{
  p->begin = aq_wall_ns();
  if (deadline != AQ_TIME_MAX) {
    aq_time left = deadline - aqsim_live_now(p->live);
    p->end = p->begin + (left > 0 ? aqsim_live_wall(p->live, left) : 0);
  }
}

/* Polls; false when that took too long. */
static bool patience_spin(patience *p)
{
  for (;;) {
    for (int i = 0; i < POLLS; i++) {
      if (p->there(p) || aqsim_live_is_closing(p->live))
        return true;
      aqsim_pause();
    }
    int64_t now = aq_wall_ns();
    if (now - p->begin >= p->spin || (p->end && now >= p->end))
      return p->there(p);
    sched_yield();
  }
}

/* The changes that may end it: its signals, or everything else. */
static uint32_t patience_what(const patience *p)
{
  uint32_t what = 0;
  for (uint32_t i = 0; p->request && i < p->request->count; i++)
    what |= aqsim_signal_bit(aqsim_signal_from(p->request->items[i].signal));
  return what ? what : AQSIM_FUTEX_ANY;
}

/* Whether it waits for a signal that another process may change. */
static bool patience_is_shared(const patience *p)
{
  for (uint32_t i = 0; p->request && i < p->request->count; i++)
    if (aqsim_signal_from(p->request->items[i].signal)->flags & AQ_SIGNAL_IPC)
      return true;
  return false;
}

static bool patience_sleep(patience *p)
{
  const uint32_t what = patience_what(p);
  const int64_t longest = patience_is_shared(p) ? LOOK_FIRST_NS : LOOK_LAST_NS;
  int64_t nap = LOOK_FIRST_NS;
  for (;;) {
    uint32_t seen = __atomic_load_n(&p->live->changed, __ATOMIC_SEQ_CST);
    if (p->there(p) || aqsim_live_is_closing(p->live))
      return true;
    int64_t now = aq_wall_ns(), length = nap;
    if (p->end && now >= p->end)
      return false;
    if (p->end && p->end - now < length)
      length = p->end - now;
    aqsim_futex_wait(&p->live->changed, seen, length, what);
    nap = nap * 2 < longest ? nap * 2 : longest;
  }
}

static void sleepers_add(const patience *p, int32_t by)
{
  if (p->sleepers)
    __atomic_fetch_add(p->sleepers, (uint32_t)by, __ATOMIC_SEQ_CST);
  if (p->drainers)
    __atomic_fetch_add(p->drainers, (uint32_t)by, __ATOMIC_SEQ_CST);
  for (uint32_t i = 0; p->request && i < p->request->count; i++)
    __atomic_fetch_add(
        &aqsim_signal_from(p->request->items[i].signal)->sleepers, (uint32_t)by,
        __ATOMIC_SEQ_CST);
}

/* True when it is there, false at the deadline. */
static bool patience_wait(patience *p)
{
  if (patience_spin(p))
    return true;
  if (p->end && aq_wall_ns() >= p->end)
    return false;
  sleepers_add(p, 1);
  bool there = patience_sleep(p);
  sleepers_add(p, -1);
  return there;
}

/* ---- signals ---- */

static bool items_hold(patience *p)
{
  const aq_wait_request *request = p->request;
  bool all = request->mode == AQ_WAIT_ALL;
  for (uint32_t i = 0; i < request->count; i++) {
    const aq_wait_item *item = &request->items[i];
    /* Orders with the change that asks whether a thread sleeps. */
    int64_t value = __atomic_load_n(&aqsim_signal_from(item->signal)->abi.value,
                                    __ATOMIC_SEQ_CST);
    bool holds = aq_condition_holds(item->condition, value, item->value);
    if (i == 0 || holds != all)
      p->seen = (aq_wait_result){i, value};
    if (holds != all)
      return holds;
  }
  return all;
}

/* The first item that does not hold, with its value now. */
static void items_missing(patience *p)
{
  for (uint32_t i = 0; i < p->request->count; i++) {
    const aq_wait_item *item = &p->request->items[i];
    int64_t value = aqsim_signal_load(aqsim_signal_from(item->signal));
    p->seen = (aq_wait_result){i, value};
    if (!aq_condition_holds(item->condition, value, item->value))
      return;
  }
}

static aq_status wait_block(aqsim_live *live, const aq_wait_request *request,
                            aq_wait_result *out, aq_diag *diag)
{
  bool active = request->hint == AQ_WAIT_ACTIVE;
  patience p = {.live = live,
                .there = items_hold,
                .spin = active ? SPIN_ACTIVE_NS : SPIN_BLOCKED_NS,
                .request = request};
  patience_begin(&p, request->deadline);
  bool there = patience_wait(&p);
  if (!there)
    items_missing(&p);
  if (out)
    *out = p.seen;
  aq_status status = live_failure(live, diag);
  if (status != AQ_OK || there)
    return status;
  if (aq_wall_ns() - p.begin >= GUESS_AFTER_NS) {
    aqsim_live_lock(live);
    status = aqsim_wait_guess(live->sim, request->items, request->count, diag);
    aqsim_live_unlock(live);
    return status;
  }
  return aq_diag_set(diag, AQ_ERR_TIMEOUT,
                     "wait for %u signals: the deadline passed",
                     request->count);
}

/* One try of the caller to drive time; AQ_ERR_AGAIN when others must. */
static aq_status drive_end(aqsim_live *live, aq_status status)
{
  /* No event is left: another thread has to act. */
  if (status == AQ_ERR_AGAIN && aqsim_calendar_empty(&live->sim->calendar))
    aqsim_live_end_lockstep(live);
  __atomic_store_n(&live->driver, 0, __ATOMIC_RELAXED);
  aqsim_live_unlock(live);
  return status;
}

static bool drive_begin(aqsim_live *live)
{
  if (aqsim_live_is_closing(live) || !aqsim_live_drive(live))
    return false;
  __atomic_store_n(&live->driver, (uintptr_t)pthread_self(), __ATOMIC_RELAXED);
  return true;
}

static aq_status wait_perform(aqsim_live *live, const aq_wait_request *request,
                              aq_wait_result *out, aq_diag *diag)
{
  while (drive_begin(live)) {
    aq_status status = aqsim_loop_wait(live->sim, request, out, diag);
    status = drive_end(live, status);
    if (status != AQ_ERR_AGAIN)
      return status;
  }
  return wait_block(live, request, out, diag);
}

/* A host may wait: not with the lock, as an event or a callback has it, and not
 * as the host function of a kernel. aqsim_live_host_end() comes afterwards. */
static aq_status host_begin(aqsim_live *live, aq_diag *diag)
{
  if (aqsim_live_inside(live) || aqsim_live_is_locked(live))
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "time cannot be moved from inside a kernel or a "
                       "callback");
  return aqsim_live_host_begin(live) ? AQ_OK : closing_error(diag);
}

aq_status aqsim_live_wait(aqsim_live *live, const aq_wait_request *request,
                          aq_wait_result *out, aq_diag *diag)
{
  aq_status status = aqsim_wait_check(request, diag);
  if (status == AQ_OK)
    status = host_begin(live, diag);
  if (status != AQ_OK)
    return status;
  aqsim_lead_end(&live->leads);
  status = wait_perform(live, request, out, diag);
  if (status == AQ_OK)
    aqsim_live_handlers_settle(live, request);
  aqsim_live_host_end(live);
  return status;
}

/* ---- room ---- */

static bool space_there(patience *p)
{
  return aq_ring_space(&p->queue->ring) >= p->count || p->stopped;
}

/* Looks now and then whether the queue stopped: that needs the lock. */
static bool space_there_asleep(patience *p)
{
  if (space_there(p))
    return true;
  aqsim_live_lock(p->live);
  p->stopped = p->queue->state != AQSIM_QUEUE_ACTIVE &&
               p->queue->state != AQSIM_QUEUE_SOFT;
  aqsim_live_unlock(p->live);
  return p->stopped;
}

static aq_status space_block(aqsim_live *live, aqsim_queue *queue,
                             uint32_t count, aq_time deadline, aq_diag *diag)
{
  patience p = {.live = live,
                .there = space_there,
                .spin = SPIN_BLOCKED_NS,
                .sleepers = &queue->sleepers,
                .queue = queue,
                .count = count};
  patience_begin(&p, deadline);
  bool there = patience_spin(&p);
  if (!there) {
    p.there = space_there_asleep;
    there = patience_wait(&p);
  }
  aq_status status = live_failure(live, diag);
  if (status != AQ_OK)
    return status;
  /* Another producer may have taken the room already: the caller looks. */
  if (there && !p.stopped)
    return AQ_OK;
  if (there) {
    aqsim_live_lock(live);
    status = aqsim_queue_explain(queue, diag);
    aqsim_live_unlock(live);
    return status;
  }
  if (aq_wall_ns() - p.begin >= GUESS_AFTER_NS) {
    aqsim_live_lock(live);
    status = aqsim_space_guess(queue, count, diag);
    aqsim_live_unlock(live);
    return status;
  }
  return aq_diag_set(diag, AQ_ERR_TIMEOUT,
                     "queue %u: no room for %u packets by the deadline",
                     queue->ring.id, count);
}

static aq_status space_perform(aqsim_live *live, aqsim_queue *queue,
                               uint32_t count, aq_time deadline, aq_diag *diag)
{
  while (drive_begin(live)) {
    aq_status status =
        aqsim_loop_wait_space(live->sim, queue, count, deadline, diag);
    status = drive_end(live, status);
    if (status != AQ_ERR_AGAIN)
      return status;
  }
  return space_block(live, queue, count, deadline, diag);
}

aq_status aqsim_live_wait_space(aqsim_live *live, aqsim_queue *queue,
                                uint32_t count, aq_time deadline, aq_diag *diag)
{
  if (count > queue->ring.size) /* is refused */
    return aqsim_loop_wait_space(live->sim, queue, count, deadline, diag);
  aq_status status = host_begin(live, diag);
  if (status != AQ_OK)
    return status;
  status = space_perform(live, queue, count, deadline, diag);
  aqsim_live_host_end(live);
  return status;
}

/* ---- sleep ---- */

/* An event at the end of a sleep. */
typedef struct alarm_event {
  aqsim_event event; /* first */
  aqsim_live *live;
  uint32_t fired; /* atomic */
} alarm_event;

static void alarm_fire(aqsim_event *event)
{
  alarm_event *alarm = (alarm_event *)event;
  __atomic_store_n(&alarm->fired, 1, __ATOMIC_SEQ_CST);
  aqsim_live_wake_hosts(alarm->live, AQSIM_FUTEX_ANY);
}

static bool sleep_there(patience *p)
{
  aqsim_live *live = p->live;
  if (p->wake &&
      __atomic_load_n(&live->sim->signals.drain_count, __ATOMIC_SEQ_CST) > 0)
    return true;
  if (p->fired)
    return __atomic_load_n(p->fired, __ATOMIC_SEQ_CST);
  uint32_t turns = __atomic_load_n(&live->idle_turns, __ATOMIC_SEQ_CST);
  return (int32_t)(turns - p->idle) >= 0;
}

static aq_status sleep_block(aqsim_live *live, aq_time until, bool wake,
                             aq_diag *diag)
{
  aqsim *sim = live->sim;
  alarm_event alarm = {.event = {alarm_fire}, .live = live};
  patience p = {.live = live,
                .there = sleep_there,
                .spin = SPIN_BLOCKED_NS,
                .sleepers = until == AQ_TIME_MAX ? &live->sleepers : NULL,
                .drainers = wake ? &sim->signals.drainers : NULL,
                .wake = wake};
  patience_begin(&p, AQ_TIME_MAX);
  aqsim_live_lock(live);
  bool ends = until != AQ_TIME_MAX;
  bool room = !ends || aqsim_calendar_reserve(&sim->calendar, 1);
  if (ends && room) {
    aqsim_queues_notice(sim);
    p.fired = &alarm.fired;
    aqsim_calendar_push(&sim->calendar, &alarm.event,
                        aq_time_max(until, sim->now), AQSIM_AT_LAUNCH);
  }
  /* The turn that may be under way does not count. */
  p.idle = __atomic_load_n(&live->idle_turns, __ATOMIC_SEQ_CST) + 2;
  aqsim_live_unlock(live);
  if (!room)
    return aq_diag_no_memory(diag);
  aqsim_live_ring(live);
  patience_wait(&p);
  if (ends) {
    aqsim_live_lock(live);
    aqsim_calendar_forget(&sim->calendar, &alarm, sizeof alarm);
    aqsim_calendar_release(&sim->calendar, 1);
    aqsim_live_unlock(live);
  }
  return live_failure(live, diag);
}

static aq_status sleep_perform(aqsim_live *live, aq_time until, bool wake,
                               aq_diag *diag)
{
  while (drive_begin(live)) {
    aq_status status = aqsim_loop_sleep(live->sim, until, wake, diag);
    __atomic_store_n(&live->driver, 0, __ATOMIC_RELAXED);
    aqsim_live_unlock(live);
    if (status != AQ_ERR_AGAIN)
      return status;
  }
  return sleep_block(live, until, wake, diag);
}

aq_status aqsim_live_sleep(aqsim_live *live, aq_time until, bool wake,
                           aq_diag *diag)
{
  aq_status status = host_begin(live, diag);
  if (status != AQ_OK)
    return status;
  status = sleep_perform(live, until, wake, diag);
  aqsim_live_errors_settle(live);
  aqsim_live_host_end(live);
  return status;
}
