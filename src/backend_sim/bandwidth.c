/* SPDX-License-Identifier: MIT */
#include "backend_sim/bandwidth.h"

enum { FRACTION = 32 }; /* bits of speeds */

static const uint64_t FULL_SPEED = UINT64_C(1) << FRACTION;

/* What a flow gets at most so that all get what there is. */
static int64_t fair_share(const aqsim_bandwidth *bandwidth)
{
  int64_t share = INT64_MAX;
  for (;;) {
    /* Those who want less than the share leave more to the others. */
    int64_t rest = bandwidth->rate, others = 0;
    for (const aqsim_bytes *b = bandwidth->first; b; b = b->next) {
      if (b->rate <= share && share != INT64_MAX)
        rest -= b->rate;
      else
        others++;
    }
    if (others == 0)
      return share;
    const int64_t next = rest / others;
    if (next == share)
      return share;
    share = next;
  }
}

static void speeds_set(aqsim_bandwidth *bandwidth)
{
  const int64_t share = fair_share(bandwidth);
  for (aqsim_bytes *b = bandwidth->first; b; b = b->next) {
    b->speed = FULL_SPEED;
    if (b->rate > share)
      b->speed = (uint64_t)(((unsigned __int128)share << FRACTION) /
                            (uint64_t)b->rate);
    if (b->speed == 0)
      b->speed = 1;
  }
}

static void work_done(aqsim_bandwidth *bandwidth)
{
  const aq_time now = *bandwidth->now;
  const uint64_t passed = (uint64_t)(now - bandwidth->since);
  for (aqsim_bytes *b = bandwidth->first; b; b = b->next) {
    const unsigned __int128 done = (unsigned __int128)b->speed * passed;
    b->left = done < b->left ? b->left - done : 0;
  }
  bandwidth->since = now;
}

static aq_time next_end(const aqsim_bandwidth *bandwidth)
{
  const aq_time latest = AQ_TIME_MAX / 2;
  aq_time end = AQ_TIME_MAX;
  for (const aqsim_bytes *b = bandwidth->first; b; b = b->next) {
    const unsigned __int128 time = (b->left + b->speed - 1) / b->speed;
    const aq_time left =
        time < (unsigned __int128)latest ? (aq_time)time : latest;
    end = aq_time_min(end, aq_time_add(bandwidth->since, left));
  }
  return end;
}

/* An event that comes too early does no harm. */
static void schedule(aqsim_bandwidth *bandwidth)
{
  const aq_time end = next_end(bandwidth);
  if (end >= bandwidth->due)
    return;
  if (bandwidth->due != AQ_TIME_MAX)
    aqsim_calendar_forget(bandwidth->calendar, &bandwidth->event,
                          sizeof bandwidth->event);
  bandwidth->due = end;
  aqsim_calendar_push(bandwidth->calendar, &bandwidth->event, end,
                      AQSIM_AT_END);
}

static void bytes_remove(aqsim_bandwidth *bandwidth, aqsim_bytes *bytes)
{
  aqsim_bytes *before = NULL;
  aqsim_bytes **at = &bandwidth->first;
  while (*at != bytes) {
    before = *at;
    at = &before->next;
  }
  *at = bytes->next;
  if (bandwidth->last == bytes)
    bandwidth->last = before;
}

static aqsim_bytes *first_ended(const aqsim_bandwidth *bandwidth)
{
  aqsim_bytes *b = bandwidth->first;
  while (b && b->left > 0)
    b = b->next;
  return b;
}

/* What is called may begin and cancel flows, those that end now too. */
static void bandwidth_fire(aqsim_event *event)
{
  aqsim_bandwidth *bandwidth = (aqsim_bandwidth *)event;
  aqsim_bytes *ended;
  bandwidth->due = AQ_TIME_MAX;
  work_done(bandwidth);
  while ((ended = first_ended(bandwidth))) {
    bytes_remove(bandwidth, ended);
    ended->done(ended);
  }
  speeds_set(bandwidth);
  schedule(bandwidth);
}

void aqsim_bandwidth_init(aqsim_bandwidth *bandwidth, aqsim_calendar *calendar,
                          const aq_time *now, int64_t rate)
{
  *bandwidth = (aqsim_bandwidth){.event = {bandwidth_fire},
                                 .calendar = calendar,
                                 .now = now,
                                 .rate = rate,
                                 .due = AQ_TIME_MAX};
}

void aqsim_bytes_begin(aqsim_bandwidth *bandwidth, aqsim_bytes *bytes,
                       aq_time time)
{
  if (!bandwidth->first)
    bandwidth->since = *bandwidth->now;
  work_done(bandwidth);
  bytes->left = (unsigned __int128)(uint64_t)time << FRACTION;
  bytes->next = NULL;
  if (bandwidth->last)
    bandwidth->last->next = bytes;
  else
    bandwidth->first = bytes;
  bandwidth->last = bytes;
  speeds_set(bandwidth);
  schedule(bandwidth);
}

void aqsim_bytes_cancel(aqsim_bandwidth *bandwidth, aqsim_bytes *bytes)
{
  work_done(bandwidth);
  bytes_remove(bandwidth, bytes);
  speeds_set(bandwidth);
  schedule(bandwidth);
}
