/* SPDX-License-Identifier: MIT */
/* Coming items, and the hooks called for them: one calendar event for the
 * earliest of a heap. */
#include "config.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "backend_sim/policy/policy_priv.h"
#include "common/array.h"

enum { TEXT_SIZE = 512 };

/* ---- failures ---- */

aq_status aqsim_policy_fail(aqsim_policy *p, const char *fmt, ...)
{
  char text[TEXT_SIZE];
  va_list args;
  if (p->failed)
    return AQ_ERR_INVALID;
  va_start(args, fmt);
  vsnprintf(text, sizeof text, fmt, args);
  va_end(args);
  p->failed = true;
  p->device->decides = 0;
  p->ops.map = NULL;
  p->ops.pick = NULL;
  p->ops.copy_pick = NULL;
  p->watch.place = NULL;
  p->watch.notes_on = false;
  p->binding->failed(p->binding->user, text);
  p->device->sim->policy_notified = true;
  aqsim_policy_item_add(
      p, &(aqsim_item){.kind = AQSIM_ITEM_LET_GO, .time = p->device->sim->now});
  return AQ_ERR_INVALID;
}

/* ---- items ---- */

static bool item_is_before(const aqsim_item *a, const aqsim_item *b)
{
  return a->time < b->time || (a->time == b->time && a->number < b->number);
}

static void item_sift_up(aqsim_policy *p, size_t hole)
{
  const aqsim_item moved = p->items[hole];
  for (; hole > 0 && item_is_before(&moved, &p->items[(hole - 1) / 2]);
       hole = (hole - 1) / 2)
    p->items[hole] = p->items[(hole - 1) / 2];
  p->items[hole] = moved;
}

void aqsim_policy_items_schedule(aqsim_policy *p)
{
  aqsim_calendar *calendar = &p->device->sim->calendar;
  if (p->item_count == 0)
    return;
  const aq_time at = aq_time_max(p->items[0].time, p->device->sim->now);
  if (p->pending && p->pending_at <= at)
    return;
  if (p->pending)
    aqsim_calendar_forget(calendar, &p->event, sizeof p->event);
  p->pending = true;
  p->pending_at = at;
  aqsim_calendar_push(calendar, &p->event, at, AQSIM_AT_NOTICE);
}

uint64_t aqsim_policy_item_add(aqsim_policy *p, const aqsim_item *item)
{
  if (!AQ_ARRAY_RESERVE(p->items, p->item_capacity, p->item_count + 1)) {
    aqsim_policy_fail(p, "no memory for an action at a later time");
    return 0;
  }
  p->items[p->item_count] = *item;
  p->items[p->item_count].number = ++p->item_last;
  item_sift_up(p, p->item_count++);
  aqsim_policy_items_schedule(p);
  return p->item_last;
}

static aqsim_item item_take(aqsim_policy *p, size_t at)
{
  const aqsim_item item = p->items[at];
  p->item_count--;
  if (at < p->item_count) {
    size_t hole = at;
    const aqsim_item moved = p->items[p->item_count];
    for (size_t child; (child = 2 * hole + 1) < p->item_count; hole = child) {
      if (child + 1 < p->item_count &&
          item_is_before(&p->items[child + 1], &p->items[child]))
        child++;
      if (!item_is_before(&p->items[child], &moved))
        break;
      p->items[hole] = p->items[child];
    }
    p->items[hole] = moved;
    item_sift_up(p, at);
  }
  return item;
}

bool aqsim_policy_item_due(aqsim_policy *p, aqsim_item *out)
{
  if (!p->item_count || p->items[0].time > p->device->sim->now)
    return false;
  *out = item_take(p, 0);
  return true;
}

bool aqsim_policy_item_drop(aqsim_policy *p, aqsim_item_kind kind,
                            uint64_t number)
{
  for (size_t i = 0; i < p->item_count; i++)
    if (p->items[i].kind == kind && p->items[i].number == number) {
      item_take(p, i);
      return true;
    }
  return false;
}

void aqsim_policy_notify(aqsim_policy *p, aq_policy_side side, aqsim_item *item)
{
  const aq_policy_timing *timing = &p->binding->timing[side];
  if (p->failed)
    return;
  const aq_time heard = aq_time_add(p->device->sim->now, timing->latency);
  p->busy[side] = aq_time_add(aq_time_max(heard, p->busy[side]), timing->cost);
  item->time = p->busy[side];
  aqsim_policy_item_add(p, item);
}

aq_time aqsim_policy_pick_delay(const aqsim_device *device)
{
  const aq_policy_timing *timing =
      &device->policy->binding->timing[AQ_SIDE_HARDWARE];
  return timing->latency + timing->cost;
}

void aqsim_policy_charge(aqsim_policy *p, aqsim_queue *queue, aq_time amount,
                         bool wasted)
{
  queue->policy.used += amount;
  if (p->ops.charge && amount > 0)
    aqsim_policy_notify(p, AQ_SIDE_FIRMWARE,
                        &(aqsim_item){.kind = AQSIM_ITEM_CHARGE,
                                      .handle = queue->number,
                                      .amount = amount,
                                      .flag = wasted});
}

/* ---- hooks ---- */

/* A timer that goes off while its side thinks waits for it. */
static bool timer_waits(aqsim_policy *p, const aqsim_item *item)
{
  const aq_policy_timing *timing = &p->binding->timing[AQ_SIDE_FIRMWARE];
  aqsim_item late = *item;
  aq_time *busy = &p->busy[AQ_SIDE_FIRMWARE];
  if (item->flag || (timing->cost == 0 && *busy <= p->device->sim->now))
    return false;
  *busy = aq_time_add(aq_time_max(p->device->sim->now, *busy), timing->cost);
  late.time = *busy;
  late.flag = true;
  aqsim_policy_item_add(p, &late);
  return true;
}

static void map_ask(aqsim_policy *p)
{
  p->map_asked = false;
  if (p->ops.map)
    p->act->slots_map(p->device);
}

static void workgroup_told(aqsim_policy *p, const aqsim_item *item)
{
  if (item->flag && p->ops.workgroup_start)
    p->ops.workgroup_start(p->state, &p->api, &item->kernel,
                           (uint32_t)item->cookie);
  else if (!item->flag && p->ops.workgroup_done)
    p->ops.workgroup_done(p->state, &p->api, &item->kernel,
                          (uint32_t)item->cookie);
}

void aqsim_policy_item_notify(aqsim_policy *p, const aqsim_item *item)
{
  const bool hardware = item->kind == AQSIM_ITEM_READY ||
                        item->kind == AQSIM_ITEM_COMPLETE ||
                        item->kind == AQSIM_ITEM_WORKGROUP;
  if (p->failed)
    return;
  if (item->kind == AQSIM_ITEM_TIMER && timer_waits(p, item))
    return;
  const aqsim_policy_phase before = p->phase;
  p->phase = hardware ? AQSIM_PHASE_HARDWARE : AQSIM_PHASE_FIRMWARE;
  if (item->kind == AQSIM_ITEM_TIMER) {
    /* Timers that are set again at once would keep time from moving. */
    enum { MOST = 1000000 };
    const aq_time now = p->device->sim->now;
    p->instant_timers = p->instant == now ? p->instant_timers + 1 : 1;
    p->instant = now;
    if (p->instant_timers > MOST)
      aqsim_policy_fail(
          p, "it stalls: %d device timers went off at one instant", MOST);
  }
  if (item->kind == AQSIM_ITEM_TIMER && p->ops.device_timer && !p->failed)
    p->ops.device_timer(p->state, &p->api, item->cookie);
  else if (item->kind == AQSIM_ITEM_MAP)
    map_ask(p);
  else if (item->kind == AQSIM_ITEM_PREEMPTED && p->ops.preempted)
    p->ops.preempted(p->state, &p->api, &item->result);
  else if (item->kind == AQSIM_ITEM_CHARGE && p->ops.charge)
    p->ops.charge(p->state, &p->api, item->handle, item->amount, item->flag);
  else if (item->kind == AQSIM_ITEM_READY && p->ops.packet_ready)
    p->ops.packet_ready(p->state, &p->api, item->handle);
  else if (item->kind == AQSIM_ITEM_COMPLETE && p->ops.complete)
    p->ops.complete(p->state, &p->api, &item->kernel);
  else if (item->kind == AQSIM_ITEM_WORKGROUP)
    workgroup_told(p, item);
  p->phase = before;
}

/* Whether hooks of the hardware side are called where things happen. */
static bool is_immediate(const aqsim_policy *p)
{
  const aq_policy_timing *timing = &p->binding->timing[AQ_SIDE_HARDWARE];
  return timing->cost == 0 && timing->latency == 0 &&
         p->phase == AQSIM_PHASE_NONE;
}

void aqsim_policy_notify_hardware(aqsim_policy *p, aqsim_item *item)
{
  if (is_immediate(p))
    aqsim_policy_item_notify(p, item);
  else
    aqsim_policy_notify(p, AQ_SIDE_HARDWARE, item);
}
