/* SPDX-License-Identifier: MIT */
/* Time: that of the runtime's system clock, from where the transport was
 * opened on. */
#include "config.h"

#include <time.h>

#include "backend_hsa/core.h"

enum {
  NS = 1000000000,
  SETTLED_MS = 100, /* nothing moved for so long: nothing is going to */
  LOOK_US = 50,
};

static const aq_time slice = 100 * AQ_MS; /* between looks, of long sleeps */

static int64_t wall_ns(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * NS + now.tv_nsec;
}

/* ---- the clock ---- */

static uint64_t clock_read(const aqhsa *hsa)
{
  uint64_t tick = 0;
  hsa->api->hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, &tick);
  return tick;
}

aq_status aqhsa_clock_open(aqhsa *hsa, aq_time epoch, aq_diag *diag)
{
  hsa_status_t got = hsa->api->hsa_system_get_info(
      HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY, &hsa->clock_hz);
  if (got != HSA_STATUS_SUCCESS || hsa->clock_hz == 0)
    return aqhsa_fail(hsa->api, got, diag, "the system clock's frequency");
  hsa->clock_base = clock_read(hsa);
  hsa->epoch = epoch;
  return AQ_OK;
}

aq_time aqhsa_clock_time(const aqhsa *hsa, uint64_t tick)
{
  const __int128 since = (__int128)tick - hsa->clock_base;
  return hsa->epoch + (aq_time)(since * AQ_S / (__int128)hsa->clock_hz);
}

uint64_t aqhsa_clock_ticks(const aqhsa *hsa, aq_time span)
{
  if (span == AQ_TIME_MAX)
    return UINT64_MAX;
  if (span <= 0)
    return 0;
  return (uint64_t)(((unsigned __int128)span * hsa->clock_hz + AQ_S - 1) /
                    AQ_S);
}

aq_time aqhsa_now(aq_transport *t)
{
  const aqhsa *hsa = aqhsa_from(t);
  return aqhsa_clock_time(hsa, clock_read(hsa));
}

void aqhsa_clock_correlate(aq_transport *t, uint32_t device, aq_clock_pair *out)
{
  const aqhsa *hsa = aqhsa_from(t);
  const aqhsa_device *d = &hsa->devices[device];
  const aqhsa_tick_line *line = &d->line;
  const uint64_t now = clock_read(hsa);
  const __int128 run = (__int128)line->system[1] - line->system[0];
  __int128 tick = line->tick[0];
  if (run > 0)
    tick += ((__int128)now - line->system[0]) *
            (__int128)(line->tick[1] - line->tick[0]) / run;
  *out = (aq_clock_pair){
      .host = aqhsa_clock_time(hsa, now),
      .device = (aq_time)(tick * AQ_S / (__int128)d->info.timestamp_hz)};
}

aq_status aqhsa_dispatch_times(aq_transport *t, aq_signal handle,
                               aq_time *start, aq_time *end)
{
  aqhsa *hsa = aqhsa_from(t);
  const aqhsa_signal *signal = aqhsa_signal_find(hsa, handle);
  const aq_amd_signal *abi = (const aq_amd_signal *)(uintptr_t)handle.handle;
  hsa_amd_profiling_dispatch_time_t times;
  if (!signal || abi->end_ts == 0 ||
      (!(signal->flags & AQ_SIGNAL_PROFILE) &&
       !__atomic_load_n(&hsa->queue_profiled, __ATOMIC_RELAXED)))
    return AQ_ERR_INVALID;
  pthread_mutex_lock(&hsa->lock);
  const bool told = aqhsa_origins_times(hsa, signal, &times);
  pthread_mutex_unlock(&hsa->lock);
  if (!told)
    return AQ_ERR_INVALID;
  *start = aqhsa_clock_time(hsa, times.start);
  *end = aqhsa_clock_time(hsa, times.end);
  return AQ_OK;
}

/* ---- letting time pass ---- */

void aqhsa_nap(const aqhsa *hsa, aq_time span)
{
  hsa->api->hsa_signal_wait_scacquire(hsa->nap, HSA_SIGNAL_CONDITION_LT, 0,
                                      aqhsa_clock_ticks(hsa, span),
                                      HSA_WAIT_STATE_BLOCKED);
}

aqhsa_patience aqhsa_patience_until(const aqhsa *hsa, aq_time deadline)
{
  if (deadline == AQ_TIME_MAX)
    return (aqhsa_patience){deadline, INT64_MAX};
  const aq_time now = aqhsa_clock_time(hsa, clock_read(hsa));
  const int64_t left = deadline > now ? (deadline - now) / AQ_NS : 0;
  return (aqhsa_patience){deadline, wall_ns() + left};
}

aq_time aqhsa_patience_left(const aqhsa *hsa, const aqhsa_patience *patience)
{
  if (patience->deadline == AQ_TIME_MAX)
    return AQ_TIME_MAX;
  aq_time now = aqhsa_clock_time(hsa, clock_read(hsa));
  if (now >= patience->deadline || wall_ns() >= patience->wall_end)
    return 0;
  return patience->deadline - now;
}

/* Until the hardware has taken every packet, or seems to be stuck: it cannot
 * say that nothing is left to happen. */
static void settle(aqhsa *hsa)
{
  bool left;
  uint64_t before = aqhsa_queues_progress(hsa, &left);
  int64_t moved = wall_ns();
  while (left && wall_ns() - moved < SETTLED_MS * (int64_t)1000000) {
    aqhsa_nap(hsa, LOOK_US * AQ_US);
    uint64_t now = aqhsa_queues_progress(hsa, &left);
    if (now != before)
      moved = wall_ns();
    before = now;
  }
}

/* To a time, whatever completes meanwhile. */
static void sleep_through(aqhsa *hsa, aq_time until)
{
  if (hsa->sim.size) {
    hsa->sim.sleep_until(until == AQ_TIME_MAX
                             ? UINT64_MAX
                             : hsa->clock_base +
                                   aqhsa_clock_ticks(hsa, until - hsa->epoch));
    return;
  }
  if (until == AQ_TIME_MAX) {
    settle(hsa);
    return;
  }
  aq_time now;
  while ((now = aqhsa_now(&hsa->base)) < until)
    aqhsa_nap(hsa, until - now);
}

/* To a time, or until a drain signal completes. When nothing can and there is
 * no end, it returns once everything has settled. */
static void sleep_wake(aqhsa *hsa, aq_time until)
{
  const aqhsa_patience patience = aqhsa_patience_until(hsa, until);
  bool awaited = true;
  while (awaited && !aqhsa_drains_reap(hsa)) {
    aq_time left = aqhsa_patience_left(hsa, &patience);
    if (left == 0)
      break;
    awaited = aqhsa_drains_await(hsa, aq_time_min(left, slice));
    if (until == AQ_TIME_MAX && !aqhsa_drains_reap(hsa))
      break;
  }
  if (!aqhsa_drains_reap(hsa) &&
      (until == AQ_TIME_MAX || aqhsa_now(&hsa->base) < until))
    sleep_through(hsa, until);
}

aq_status aqhsa_sleep_until(aq_transport *t, aq_time until, bool wake,
                            aq_diag *diag)
{
  aqhsa *hsa = aqhsa_from(t);
  if (wake)
    sleep_wake(hsa, until);
  else
    sleep_through(hsa, until);
  if (__atomic_load_n(&hsa->done_lost, __ATOMIC_RELAXED))
    return aq_diag_set(diag, AQ_ERR_NO_MEMORY,
                       "hsa: completions were lost: out of memory");
  return AQ_OK;
}
