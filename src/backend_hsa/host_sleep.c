/* SPDX-License-Identifier: MIT */
/* Sleeping: the host lets time pass while the queues work. */
#include "config.h"

#include "backend_hsa/core.h"
#include "common/wall_clock.h"

enum {
  SETTLED_MS = 100, /* nothing moved for so long: nothing is going to */
  LOOK_US = 50,
};

static const aq_time slice = 100 * AQ_MS; /* between looks, of long sleeps */

/* Until the hardware has taken every packet, or seems to be stuck: it cannot
 * say that nothing is left to happen. */
static void settle(aqhsa *hsa)
{
  bool left;
  uint64_t before = aqhsa_queues_progress(hsa, &left);
  int64_t moved = aq_wall_ns();
  while (left && aq_wall_ns() - moved < SETTLED_MS * (int64_t)1000000) {
    aqhsa_nap(hsa, LOOK_US * AQ_US);
    uint64_t now = aqhsa_queues_progress(hsa, &left);
    if (now != before)
      moved = aq_wall_ns();
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
  const aqhsa_patience patience = aqhsa_patience_until(hsa, until);
  aq_time left;
  while ((left = aqhsa_patience_left(hsa, &patience)) > 0)
    aqhsa_nap(hsa, left);
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
