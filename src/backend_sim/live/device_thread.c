/* SPDX-License-Identifier: MIT */
/*
 * Live mode: the driver of the simulator, and the access of other threads.
 *
 * Modes of the driver (`free`, which only rises):
 *
 *   lockstep  the one client thread drives, inside its waits; the device thread
 *             looks every WATCH_NS for work that no thread drives
 *   free      the device thread drives. From lockstep, for good, when
 *               a second thread calls (client_note);
 *               a wait finds no event left (drive_end in live_wait.c);
 *               PATIENCE looks in a row find work and no wait (device_watch).
 *             With a pace from the beginning
 *
 * Roles, and the locks of each:
 *
 *   driver    runs events, with the lock. `driver` names it while it does, so
 *             that an operation that an event's callback calls is known
 *   host      any thread inside an operation. With the lock for most; with
 *             nothing for doorbells, changes of signals, waits and the clock
 *   handlers  one thread that calls back: live_handlers.c. Never with a lock
 *
 * Locks, in this order: `lock`, then the one of live_handlers.c, then the locks
 * of the executor (gpu/wave). No function of a client runs with any of them,
 * but for the callbacks of a report, an inspection, a record sink, a policy and
 * hooks, which have `lock`.
 *
 * Depth. A callback with the lock may call operations, which take it again:
 * `depth` counts. A condition wait and `host_functions` let go of one level, so
 * they need depth 1: the driver takes the lock once, waits from a callback are
 * refused (live_wait.c), and the end of a queue from one does not wait for its
 * host function.
 *
 * Turns. Hosts say in `wanted` that they want the lock; the driver lets go
 * between batches of events, and within one after code was executed, until as
 * many hosts were `served` as wanted it then. `device_waits` in return keeps
 * hosts from taking the lock again before the device had its turn, for
 * DEVICE_FIRST yields at most: mutexes are not fair.
 *
 * Outside. The driver lets go of the lock around the host function of a kernel.
 * Meanwhile others may use the simulator and change all of it but time: the
 * device thread waits for `back`, and another client that wants to drive ends
 * the lockstep and waits as a host. sim->depth is not 0, so destroyed queues
 * stay in memory. Destroying the queue of the function waits for it for a
 * second, then continues: the function may wait for the caller. The queue, its
 * flights, packets and ring are valid until the event of the function has ended
 * (aqsim_queues_sweep); the client's data for the function are the client's
 * affair.
 *
 * Sleep, and no lost wake-up. Each pair is a store and then a load on both
 * sides, all sequentially consistent: weaker orders would let both loads pass
 * both stores.
 *
 *   the device stores               and then looks at
 *   asleep = 1                      wanted, stop, doorbells, values of gates
 *   a host stores                   and then looks at
 *   one of these                    asleep: the thread that clears it wakes the
 *                                   device
 *
 *   a host that waits stores        and then looks at
 *   sleepers of signal, drainers    `changed` (the futex word), the condition
 *   whoever changes stores          and then looks at
 *   the value, the count to drain   sleepers, drainers: not 0 → changed + 1
 *
 * Stores to memory without a call wake no thread; every sleeping thread looks
 * again after a time (4 ms at most). The room of a ring is such a store too.
 *
 * Relaxed: `now`, which hosts read without the lock. The last unlock or turn
 * published it, so it may lag behind sim->now, and never runs ahead. With
 * a pace hosts compute it from wall time. `driver` and `owner`: a thread only
 * asks for itself. `failed`: a status, reported by the next wait.
 *
 * Owners: fields below "Under the lock" belong to it; `entries` to the client
 * that drives, `idle_since`, `patience` and `seen` to the device thread.
 *
 * Closing: `closing`, then wait for `hosts` to become 0, then the handlers end
 * (they may give the device work), then `stop`. Hosts inside of the time group
 * return AQ_ERR_QUEUE; host_end is their last touch. An operation that begins
 * after the close is the caller's error: it may find nothing.
 *
 * After a failure. A record sink that failed, or no memory for
 * completions: `failed`, and waits return it; packets run on. The device thread
 * cannot be started: open fails, close works.
 */
#include "config.h"

#include "backend_sim/live/device_thread.h"

#include <assert.h>
#include <sched.h>
#include <stdlib.h>

#include "backend_sim/engine/futex.h"
#include "backend_sim/event_loop.h"
#include "backend_sim/hwqueue/doorbell.h"
#include "backend_sim/live/live_handlers.h"
#include "backend_sim/observe/sampler.h"

enum {
  TURN_EVENTS = 64, /* between two looks at memory */
  NS_US = 1000,
  NS_MS = 1000000,
  SPIN_NS = 50 * NS_US, /* of silence that is spent polling */
  WATCH_NS = 2 * NS_MS, /* between two looks in lockstep */
  PATIENCE = 5,         /* looks that find work without a waiting client */
  DEVICE_FIRST = 64,    /* yields of a host while the device waits for a turn */
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

static void lock_owned(aqsim_live *live)
{
  __atomic_store_n(&live->owner, (uintptr_t)pthread_self(), __ATOMIC_RELAXED);
  live->depth = 1;
}

static void lock_disowned(aqsim_live *live)
{
  assert(live->depth == 1);
  live->depth = 0;
  __atomic_store_n(&live->owner, 0, __ATOMIC_RELAXED);
}

void aqsim_live_lock(aqsim_live *live)
{
  if (aqsim_live_is_locked(live)) {
    live->depth++;
    return;
  }
  /* The device thread would take the lock again at once: it looks for this. */
  __atomic_fetch_add(&live->wanted, 1, __ATOMIC_SEQ_CST);
  for (int i = 0; i < DEVICE_FIRST &&
                  __atomic_load_n(&live->device_waits, __ATOMIC_RELAXED);
       i++)
    sched_yield();
  pthread_mutex_lock(&live->lock);
  __atomic_fetch_add(&live->served, 1, __ATOMIC_RELAXED);
  __atomic_fetch_sub(&live->wanted, 1, __ATOMIC_SEQ_CST);
  lock_owned(live);
}

void aqsim_live_unlock(aqsim_live *live)
{
  __atomic_store_n(&live->now, live->sim->now, __ATOMIC_RELAXED);
  if (live->depth > 1) {
    live->depth--;
    return;
  }
  lock_disowned(live);
  pthread_mutex_unlock(&live->lock);
}

/* The device thread's. Hosts would barge in for ever. */
static void device_lock(aqsim_live *live)
{
  if (pthread_mutex_trylock(&live->lock) != 0) {
    __atomic_store_n(&live->device_waits, 1, __ATOMIC_RELAXED);
    pthread_mutex_lock(&live->lock);
    __atomic_store_n(&live->device_waits, 0, __ATOMIC_RELAXED);
  }
  lock_owned(live);
}

/* Waits for the end of a host function, or until `end` if there is one; false:
 * that came. The lock is held once. */
static bool back_wait(aqsim_live *live, const struct timespec *end)
{
  lock_disowned(live);
  const int error = end ? pthread_cond_timedwait(&live->back, &live->lock, end)
                        : pthread_cond_wait(&live->back, &live->lock);
  lock_owned(live);
  return error == 0;
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

void aqsim_live_end_lockstep(aqsim_live *live)
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
    aqsim_live_end_lockstep(live);
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
  assert(live->depth == 1); /* else others could not use the simulator */
  live->host_functions = queue;
  aqsim_live_unlock(live);
}

static void outside_end(aqsim_live *live)
{
  aqsim_live_lock(live);
  live->host_functions = NULL;
  pthread_cond_broadcast(&live->back);
}

void aqsim_live_outside_wait(aqsim_live *live, const aqsim_queue *queue)
{
  struct timespec end;
  /* A callback that has the lock, as of a report, cannot wait with it. */
  if (aqsim_live_inside(live) || live->depth > 1)
    return;
  clock_gettime(CLOCK_MONOTONIC, &end);
  end.tv_sec++;
  while (live->host_functions == queue && back_wait(live, &end))
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
    busy = aqsim_loop_run(sim, limit, TURN_EVENTS) > 0;
    if (!busy)
      aqsim_time_move(sim, aq_time_max(sim->now, limit));
  }
  busy |= aqsim_memory_poll(sim);
  busy |= aqsim_loop_run(sim, limit, TURN_EVENTS) > 0;
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

/* Lets as many host threads have the lock as want it now. Others may want it
 * by then, again and again: they come after the device's turn. */
static void device_yield(aqsim_live *live)
{
  const uint32_t count = __atomic_load_n(&live->wanted, __ATOMIC_RELAXED);
  if (count == 0)
    return;
  const uint32_t before = __atomic_load_n(&live->served, __ATOMIC_RELAXED);
  aqsim_live_unlock(live);
  while (__atomic_load_n(&live->wanted, __ATOMIC_RELAXED) > 0 &&
         __atomic_load_n(&live->served, __ATOMIC_RELAXED) - before < count)
    sched_yield();
  device_lock(live);
}

/* Sleeps without the lock, unless something came up. */
static void device_sleep(aqsim_live *live, int64_t ns)
{
  uint32_t seen = __atomic_load_n(&live->bell, __ATOMIC_SEQ_CST);
  __atomic_store_n(&live->asleep, 1, __ATOMIC_SEQ_CST);
  /* Whoever stored before it could see `asleep` is found here. */
  bool quiet = !__atomic_load_n(&live->wanted, __ATOMIC_SEQ_CST) &&
               !__atomic_load_n(&live->stop, __ATOMIC_SEQ_CST) &&
               !aqsim_memory_has_changes(live->sim);
  aqsim_live_unlock(live);
  if (quiet)
    aqsim_futex_wait(&live->bell, seen, ns, AQSIM_FUTEX_ANY);
  device_lock(live);
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
      !aqsim_calendar_empty(&sim->calendar) || aqsim_memory_has_changes(sim);
  live->patience = work && live->entries == live->seen ? live->patience + 1 : 0;
  live->seen = live->entries;
  if (live->patience == PATIENCE) {
    aqsim_live_end_lockstep(live);
    return;
  }
  uint32_t seen = __atomic_load_n(&live->bell, __ATOMIC_SEQ_CST);
  bool stop = __atomic_load_n(&live->stop, __ATOMIC_SEQ_CST);
  aqsim_live_unlock(live);
  if (!stop)
    aqsim_futex_wait(&live->bell, seen, WATCH_NS, AQSIM_FUTEX_ANY);
  device_lock(live);
}

static void *device_main(void *argument)
{
  aqsim_live *live = argument;
  device_lock(live);
  while (!__atomic_load_n(&live->stop, __ATOMIC_SEQ_CST)) {
    while (live->host_functions) /* of a client that drove */
      back_wait(live, NULL);
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

aq_status aqsim_live_start(aqsim *sim, aq_pace pace, aq_diag *diag)
{
  aqsim_live *live = calloc(1, sizeof *live);
  if (!live)
    return aq_diag_no_memory(diag);
  pthread_mutex_init(&live->lock, NULL);
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

void aqsim_live_hosts_leave(aqsim_live *live)
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
  aqsim_live_hosts_leave(live);
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
