/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "study/loop/policy_timers.h"

#include <stdlib.h>

#include "common/array.h"

void aq_policy_timers_fini(aq_policy_timers *agenda)
{
  free(agenda->timers);
  free(agenda->notices);
  *agenda = (aq_policy_timers){0};
}

/* ---- timers ---- */

static bool timer_is_before(const aq_policy_timer *a, const aq_policy_timer *b)
{
  return a->at != b->at ? a->at < b->at : a->id < b->id;
}

static void timer_up(aq_policy_timers *agenda, size_t at, aq_policy_timer timer)
{
  aq_policy_timer *timers = agenda->timers;
  for (; at > 0 && timer_is_before(&timer, &timers[(at - 1) / 2]);
       at = (at - 1) / 2)
    timers[at] = timers[(at - 1) / 2];
  timers[at] = timer;
}

static void timer_down(aq_policy_timers *agenda, size_t at,
                       aq_policy_timer timer)
{
  aq_policy_timer *timers = agenda->timers;
  for (size_t child; (child = 2 * at + 1) < agenda->timer_count; at = child) {
    if (child + 1 < agenda->timer_count &&
        timer_is_before(&timers[child + 1], &timers[child]))
      child++;
    if (!timer_is_before(&timers[child], &timer))
      break;
    timers[at] = timers[child];
  }
  timers[at] = timer;
}

uint64_t aq_policy_timer_add(aq_policy_timers *agenda, aq_time at,
                             uint64_t cookie,
                             struct aq_policy_job_state *deferred)
{
  if (!AQ_ARRAY_RESERVE(agenda->timers, agenda->timer_capacity,
                        agenda->timer_count + 1))
    return 0;
  const uint64_t id = ++agenda->timer_last;
  timer_up(agenda, agenda->timer_count++,
           (aq_policy_timer){at, id, cookie, deferred});
  return id;
}

static void timer_remove(aq_policy_timers *agenda, size_t at)
{
  const aq_policy_timer moved = agenda->timers[--agenda->timer_count];
  if (at == agenda->timer_count)
    return;
  if (at > 0 && timer_is_before(&moved, &agenda->timers[(at - 1) / 2]))
    timer_up(agenda, at, moved);
  else
    timer_down(agenda, at, moved);
}

bool aq_policy_timer_cancel(aq_policy_timers *agenda, uint64_t id)
{
  for (size_t i = 0; i < agenda->timer_count; i++)
    if (agenda->timers[i].id == id && !agenda->timers[i].deferred) {
      timer_remove(agenda, i);
      return true;
    }
  return false;
}

aq_policy_timer aq_policy_timer_pop(aq_policy_timers *agenda)
{
  const aq_policy_timer first = agenda->timers[0];
  timer_remove(agenda, 0);
  return first;
}

/* ---- notices ---- */

static bool notices_grow(aq_policy_timers *agenda)
{
  const size_t old = agenda->notice_capacity, capacity = old ? 2 * old : 64;
  aq_policy_notice *grown = malloc(capacity * sizeof *grown);
  if (!grown)
    return false;
  for (size_t i = 0; i < agenda->notice_count; i++)
    grown[i] = agenda->notices[(agenda->notice_first + i) & (old - 1)];
  free(agenda->notices);
  agenda->notices = grown;
  agenda->notice_capacity = capacity;
  agenda->notice_first = 0;
  return true;
}

bool aq_policy_notice_add(aq_policy_timers *agenda,
                          const aq_policy_notice *notice)
{
  if (agenda->notice_count == agenda->notice_capacity && !notices_grow(agenda))
    return false;
  const size_t at = agenda->notice_first + agenda->notice_count++;
  agenda->notices[at & (agenda->notice_capacity - 1)] = *notice;
  return true;
}

aq_policy_notice aq_policy_notice_pop(aq_policy_timers *agenda)
{
  const aq_policy_notice first = agenda->notices[agenda->notice_first];
  agenda->notice_first =
      (agenda->notice_first + 1) & (agenda->notice_capacity - 1);
  agenda->notice_count--;
  return first;
}
