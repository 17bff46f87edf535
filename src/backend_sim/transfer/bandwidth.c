/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "backend_sim/transfer/bandwidth.h"

#include <stdlib.h>

aq_status aqsim_bandwidth_init(aqsim_bandwidth *traffic,
                               const aqsim_links *links, aq_time now,
                               aq_diag *diag)
{
  *traffic = (aqsim_bandwidth){
      .bandwidth = links->bandwidth,
      .spare = calloc(links->direction_count, sizeof *traffic->spare),
      .users = calloc(links->direction_count, sizeof *traffic->users),
      .since = now,
  };
  if (traffic->spare && traffic->users)
    return AQ_OK;
  return aq_diag_no_memory(diag);
}

void aqsim_bandwidth_fini(aqsim_bandwidth *traffic)
{
  free(traffic->spare);
  free(traffic->users);
}

/* The bytes that transfers have moved since the last change. */
static void traffic_advance(aqsim_bandwidth *traffic, aq_time now)
{
  uint64_t passed = (uint64_t)(now - traffic->since);
  traffic->since = now;
  for (aqsim_transfer *t = traffic->first; t; t = t->next) {
    unsigned __int128 moved = (unsigned __int128)passed * (uint64_t)t->rate;
    t->left = moved < t->left ? t->left - moved : 0;
  }
}

/* The most that a transfer may have while all rise together. */
static int64_t transfer_limit(const aqsim_bandwidth *traffic,
                              const aqsim_transfer *t)
{
  int64_t limit = t->most;
  for (uint32_t i = 0; i < t->route.count; i++) {
    uint32_t at = t->route.directions[i];
    int64_t share = traffic->spare[at] / traffic->users[at];
    limit = share < limit ? share : limit;
  }
  return limit > 0 ? limit : 1;
}

/* Transfers at their limit stay there; returns whether others are left. */
static bool traffic_fill(aqsim_bandwidth *traffic)
{
  int64_t lowest = INT64_MAX;
  bool some = false;
  for (aqsim_transfer *t = traffic->first; t; t = t->next) {
    if (t->settled)
      continue;
    some = true;
    t->rate = transfer_limit(traffic, t);
    lowest = t->rate < lowest ? t->rate : lowest;
  }
  for (aqsim_transfer *t = traffic->first; t; t = t->next) {
    if (t->settled || t->rate > lowest)
      continue;
    t->settled = true;
    for (uint32_t i = 0; i < t->route.count; i++) {
      traffic->spare[t->route.directions[i]] -= lowest;
      traffic->users[t->route.directions[i]]--;
    }
  }
  return some;
}

static void traffic_share(aqsim_bandwidth *traffic)
{
  for (aqsim_transfer *t = traffic->first; t; t = t->next)
    for (uint32_t i = 0; i < t->route.count; i++) {
      uint32_t at = t->route.directions[i];
      traffic->spare[at] = traffic->bandwidth[at];
      traffic->users[at] = 0;
    }
  for (aqsim_transfer *t = traffic->first; t; t = t->next) {
    t->settled = false;
    t->rate_before = t->rate;
    for (uint32_t i = 0; i < t->route.count; i++)
      traffic->users[t->route.directions[i]]++;
  }
  while (traffic_fill(traffic))
    ;
}

void aqsim_bandwidth_join(aqsim_bandwidth *traffic, aqsim_transfer *transfer,
                          size_t size, aq_time now)
{
  traffic_advance(traffic, now);
  transfer->left = (unsigned __int128)size * (uint64_t)AQ_S;
  transfer->rate = 0;
  transfer->next = NULL;
  transfer->previous = traffic->last;
  if (traffic->last)
    traffic->last->next = transfer;
  else
    traffic->first = transfer;
  traffic->last = transfer;
  traffic_share(traffic);
}

void aqsim_bandwidth_leave(aqsim_bandwidth *traffic, aqsim_transfer *transfer,
                           aq_time now)
{
  traffic_advance(traffic, now);
  if (transfer->previous)
    transfer->previous->next = transfer->next;
  else
    traffic->first = transfer->next;
  if (transfer->next)
    transfer->next->previous = transfer->previous;
  else
    traffic->last = transfer->previous;
  traffic_share(traffic);
}

void aqsim_bandwidth_notify(const aqsim_bandwidth *traffic)
{
  for (aqsim_transfer *t = traffic->first; t; t = t->next)
    if (t->rate != t->rate_before)
      t->changed(t);
}

aq_time aqsim_transfer_end(const aqsim_bandwidth *traffic,
                           const aqsim_transfer *transfer)
{
  uint64_t rate = (uint64_t)transfer->rate;
  __int128 end =
      traffic->since + (__int128)((transfer->left + rate - 1) / rate);
  return end < AQ_TIME_MAX ? (aq_time)end : AQ_TIME_MAX - 1;
}
