/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "backend_sim/live/live_device.h"

#include <sched.h>
#include <stdlib.h>

#include "backend_sim/clock.h"
#include "backend_sim/futex.h"
#include "backend_sim/hwqueue/doorbell.h"
#include "backend_sim/live/live_handlers.h"
#include "backend_sim/sampler.h"

enum {
  TURN_EVENTS = 64, /* between two looks at memory */
  NS_US = 1000,
  NS_MS = 1000000,
  SPIN_NS = 50 * NS_US, /* of silence that is spent polling */
  WATCH_NS = 2 * NS_MS, /* between two looks in lockstep */
  PATIENCE = 5,         /* looks that find work without a waiting client */
};

/* How long the device sleeps after how much silence. */
static const struct {
  int64_t silence, sleep;
} ladder[] = {
    {10 * (int64_t)NS_MS, 4 * (int64_t)NS_MS},
    {1 * (int64_t)NS_MS, 500 * (int64_t)NS_US},
    {SPIN_NS, 50 * (int64_t)NS_US},
};

/* ---- lock and wake ---- */

void aqsim_live_lock(aqsim_live *live)
{
  /* The device thread would take the lock again at once: it looks for this. */
  __atomic_fetch_add(&live->wanted, 1, __ATOMIC_SEQ_CST);
  pthread_mutex_lock(&live->lock);
  __atomic_fetch_sub(&live->wanted, 1, __ATOMIC_SEQ_CST);
}

void aqsim_live_unlock(aqsim_live *live)
{
  __atomic_store_n(&live->now, live->sim->now, __ATOMIC_RELAXED);
  pthread_mutex_unlock(&live->lock);
}

void aqsim_live_wake_device(aqsim_live *live)
{
  aqsim_futex_wake(&live->bell, AQSIM_FUTEX_ANY);
  /* The kernel may have put it behind this thread, which is likely to spin. */
  sched_yield();
}

void aqsim_live_wake_hosts(aqsim_live *live, uint32_t what)
{
  aqsim_futex_wake(&live->changed, what);
}

void aqsim_live_hand_over(aqsim_live *live)
{
  if (live->free)
    return;
  __atomic_store_n(&live->free, 1, __ATOMIC_RELEASE);
  aqsim_live_wake_device(live);
}

/* The lock is held. */
static void client_note(aqsim_live *live)
{
  uintptr_t self = (uintptr_t)pthread_self();
  if (live->free || aqsim_live_inside(live))
    return;
  if (live->client == 0)
    live->client = self;
  else if (live->client != self)
    aqsim_live_hand_over(live);
}

void aqsim_live_enter(aqsim_live *live)
{
  aqsim_live_lock(live);
  client_note(live);
}

bool aqsim_live_drive(aqsim_live *live)
{
  if (aqsim_live_is_free(live))
    return false;
  aqsim_live_enter(live);
  if (!live->free) {
    live->entries++;
    return true;
  }
  aqsim_live_unlock(live);
  return false;
}

void aqsim_live_cond_init(pthread_cond_t *condition)
{
  pthread_condattr_t monotonic;
  pthread_condattr_init(&monotonic);
  pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
  pthread_cond_init(condition, &monotonic);
  pthread_condattr_destroy(&monotonic);
}

/* ---- host threads and host functions ---- */

bool aqsim_live_host_begin(aqsim_live *live)
{
  __atomic_fetch_add(&live->hosts, 1, __ATOMIC_SEQ_CST);
  if (!aqsim_live_is_closing(live))
    return true;
  aqsim_live_host_end(live);
  return false;
}

void aqsim_live_host_end(aqsim_live *live)
{
  __atomic_fetch_sub(&live->hosts, 1, __ATOMIC_RELEASE);
}

static void outside_begin(aqsim_live *live, const aqsim_queue *queue)
{
  live->outside = queue;
  aqsim_live_unlock(live);
}

static void outside_end(aqsim_live *live)
{
  aqsim_live_lock(live);
  live->outside = NULL;
  pthread_cond_broadcast(&live->back);
}

void aqsim_live_outside_wait(aqsim_live *live, const aqsim_queue *queue)
{
  struct timespec end;
  if (aqsim_live_inside(live))
    return;
  clock_gettime(CLOCK_MONOTONIC, &end);
  end.tv_sec++;
  while (live->outside == queue &&
         pthread_cond_timedwait(&live->back, &live->lock, &end) == 0)
    ;
}

/* ---- time ---- */

static bool is_paced(const aqsim_live *live)
{
  return live->pace.wall != 0;
}

static aq_time paced_now(const aqsim_live *live)
{
  int64_t wall = aq_wall_ns() - live->wall_origin;
  return live->origin + (aq_time)((__int128)wall * AQ_NS *
                                  live->pace.virtual_time / live->pace.wall);
}

aq_time aqsim_live_now(const aqsim_live *live)
{
  if (is_paced(live))
    return paced_now(live);
  return __atomic_load_n(&live->now, __ATOMIC_RELAXED);
}

int64_t aqsim_live_wall(const aqsim_live *live, aq_time duration)
{
  __int128 wall = duration;
  if (is_paced(live))
    wall = wall * live->pace.wall / live->pace.virtual_time;
  wall = (wall + AQ_NS - 1) / AQ_NS;
  return wall > INT64_MAX / 4 ? INT64_MAX / 4 : (int64_t)wall;
}

/* ---- one turn ---- */

/* Looks at memory and runs due events; false when there was nothing. */
static bool device_turn(aqsim_live *live)
{
  aqsim *sim = live->sim;
  aq_time limit = AQ_TIME_MAX;
  __atomic_store_n(&live->driver, (uintptr_t)pthread_self(), __ATOMIC_RELAXED);
  bool busy = false;
  if (is_paced(live)) {
    limit = paced_now(live);
    busy = aqsim_clock_run(sim, limit, TURN_EVENTS) > 0;
    if (!busy)
      aqsim_time_move(sim, aq_time_max(sim->now, limit));
  }
  busy |= aqsim_clock_look(sim);
  busy |= aqsim_clock_run(sim, limit, TURN_EVENTS) > 0;
  __atomic_store_n(&live->driver, 0, __ATOMIC_RELAXED);
  __atomic_store_n(&live->now, sim->now, __ATOMIC_RELAXED);
  return busy;
}

/* Rows go out when nothing is left to do, or a batch is full. */
static void records_flush(aqsim_live *live)
{
  aqsim *sim = live->sim;
  aq_status status = aqsim_recorder_flush(&sim->recorder);
  if (status == AQ_OK && sim->signals.failed)
    status = AQ_ERR_NO_MEMORY;
  if (status != AQ_OK)
    __atomic_store_n(&live->failed, (uint32_t)status, __ATOMIC_RELAXED);
}

/* Lets host threads have the lock that want it. */
static void device_yield(aqsim_live *live)
{
  if (__atomic_load_n(&live->wanted, __ATOMIC_RELAXED) == 0)
    return;
  aqsim_live_unlock(live);
  while (__atomic_load_n(&live->wanted, __ATOMIC_RELAXED) > 0)
    sched_yield();
  pthread_mutex_lock(&live->lock);
}

/* Sleeps without the lock, unless something came up. */
static void device_sleep(aqsim_live *live, int64_t ns)
{
  uint32_t seen = __atomic_load_n(&live->bell, __ATOMIC_SEQ_CST);
  __atomic_store_n(&live->asleep, 1, __ATOMIC_SEQ_CST);
  /* Whoever stored before it could see `asleep` is found here. */
  bool quiet = !__atomic_load_n(&live->wanted, __ATOMIC_SEQ_CST) &&
               !__atomic_load_n(&live->stop, __ATOMIC_SEQ_CST) &&
               !aqsim_clock_has_news(live->sim);
  aqsim_live_unlock(live);
  if (quiet)
    aqsim_futex_wait(&live->bell, seen, ns, AQSIM_FUTEX_ANY);
  pthread_mutex_lock(&live->lock);
  __atomic_store_n(&live->asleep, 0, __ATOMIC_SEQ_CST);
}

static int64_t ladder_sleep(int64_t silence)
{
  for (size_t i = 0; i < sizeof ladder / sizeof *ladder; i++)
    if (silence >= ladder[i].silence)
      return ladder[i].sleep;
  return 0;
}

/* Nothing was found: poll on, or sleep. */
static void device_idle(aqsim_live *live)
{
  int64_t now = aq_wall_ns(), sleep;
  aq_time next;
  if (live->idle_since == 0) {
    live->idle_since = now;
    records_flush(live);
  }
  if (aqsim_calendar_empty(&live->sim->calendar))
    __atomic_fetch_add(&live->idle_turns, 1, __ATOMIC_SEQ_CST);
  sleep = ladder_sleep(now - live->idle_since);
  if (__atomic_load_n(&live->sleepers, __ATOMIC_SEQ_CST)) {
    aqsim_live_wake_hosts(live, AQSIM_FUTEX_ANY);
    sleep = sleep > SPIN_NS ? SPIN_NS : sleep;
  }
  if (is_paced(live) && aqsim_calendar_next(&live->sim->calendar, &next)) {
    int64_t due = aqsim_live_wall(live, next - paced_now(live)) - SPIN_NS;
    sleep = due < sleep ? due : sleep;
  }
  if (sleep > 0)
    device_sleep(live, sleep);
  else
    aqsim_pause();
}

/* In lockstep: is there work that no client thread drives? */
static void device_watch(aqsim_live *live)
{
  aqsim *sim = live->sim;
  bool work =
      !aqsim_calendar_empty(&sim->calendar) || aqsim_clock_has_news(sim);
  live->patience = work && live->entries == live->seen ? live->patience + 1 : 0;
  live->seen = live->entries;
  if (live->patience == PATIENCE) {
    aqsim_live_hand_over(live);
    return;
  }
  uint32_t seen = __atomic_load_n(&live->bell, __ATOMIC_SEQ_CST);
  bool stop = __atomic_load_n(&live->stop, __ATOMIC_SEQ_CST);
  aqsim_live_unlock(live);
  if (!stop)
    aqsim_futex_wait(&live->bell, seen, WATCH_NS, AQSIM_FUTEX_ANY);
  pthread_mutex_lock(&live->lock);
}

static void *device_main(void *argument)
{
  aqsim_live *live = argument;
  pthread_mutex_lock(&live->lock);
  while (!__atomic_load_n(&live->stop, __ATOMIC_SEQ_CST)) {
    while (live->outside) /* of a client that drove */
      pthread_cond_wait(&live->back, &live->lock);
    if (!live->free) {
      device_watch(live);
      continue;
    }
    device_yield(live);
    if (device_turn(live))
      live->idle_since = 0;
    else
      device_idle(live);
  }
  aqsim_live_unlock(live);
  return NULL;
}

/* ---- life ---- */

static void signal_awake(void *user, uint32_t what)
{
  aqsim_live_wake_hosts(user, what);
}

static bool lock_init(pthread_mutex_t *lock)
{
  pthread_mutexattr_t recursive;
  if (pthread_mutexattr_init(&recursive) != 0)
    return false;
  pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
  bool made = pthread_mutex_init(lock, &recursive) == 0;
  pthread_mutexattr_destroy(&recursive);
  return made;
}

aq_status aqsim_live_start(aqsim *sim, aq_pace pace, aq_diag *diag)
{
  aqsim_live *live = calloc(1, sizeof *live);
  if (!live || !lock_init(&live->lock)) {
    free(live);
    return aq_diag_no_memory(diag);
  }
  live->sim = sim;
  live->pace = pace;
  live->wall_origin = aq_wall_ns();
  live->now = live->origin = sim->now;
  live->free = is_paced(live);
  sim->live = live;
  aqsim_live_cond_init(&live->back);
  sim->wanted = &live->wanted;
  sim->error_defer = aqsim_live_error_defer;
  sim->event_defer = aqsim_live_event_defer;
  sim->outside_begin = outside_begin;
  sim->outside_end = outside_end;
  sim->signals.awake = signal_awake;
  sim->signals.awake_user = live;
  if (pthread_create(&live->thread, NULL, device_main, live) != 0)
    return aq_diag_set(diag, AQ_ERR_RESOURCES,
                       "sim: the device thread cannot be started");
  live->started = true;
  return AQ_OK;
}

/* Sends host threads out of their waits. */
static void hosts_leave(aqsim_live *live)
{
  __atomic_store_n(&live->closing, 1, __ATOMIC_SEQ_CST);
  __atomic_fetch_add(&live->wanted, 1,
                     __ATOMIC_SEQ_CST); /* the driver yields */
  while (__atomic_load_n(&live->hosts, __ATOMIC_ACQUIRE) > 0) {
    aqsim_live_wake_hosts(live, AQSIM_FUTEX_ANY);
    sched_yield();
  }
  __atomic_fetch_sub(&live->wanted, 1, __ATOMIC_SEQ_CST);
}

void aqsim_live_stop(aqsim *sim)
{
  aqsim_live *live = sim->live;
  if (!live)
    return;
  hosts_leave(live);
  aqsim_live_handlers_stop(live);
  if (live->started) {
    __atomic_store_n(&live->stop, 1, __ATOMIC_SEQ_CST);
    aqsim_live_wake_device(live);
    pthread_join(live->thread, NULL);
  }
  sim->live = NULL;
  sim->wanted = NULL;
  sim->error_defer = NULL;
  sim->event_defer = NULL;
  sim->outside_begin = NULL;
  sim->outside_end = NULL;
  sim->signals.awake = NULL;
  pthread_cond_destroy(&live->back);
  pthread_mutex_destroy(&live->lock);
  free(live);
}
