/* SPDX-License-Identifier: MIT */
/* Time: that of the runtime's system clock, from where the transport was
 * opened on. */
#include "config.h"

#include "backend_hsa/core.h"
#include "common/wall_clock.h"

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

/* ---- naps and patience ---- */

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
  return (aqhsa_patience){deadline, aq_wall_ns() + left};
}

aq_time aqhsa_patience_left(const aqhsa *hsa, const aqhsa_patience *patience)
{
  if (patience->deadline == AQ_TIME_MAX)
    return AQ_TIME_MAX;
  aq_time now = aqhsa_clock_time(hsa, clock_read(hsa));
  if (now >= patience->deadline || aq_wall_ns() >= patience->wall_end)
    return 0;
  return patience->deadline - now;
}
