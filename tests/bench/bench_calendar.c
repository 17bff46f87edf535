/* SPDX-License-Identifier: MIT */
/*
 * The hold operation at 64 pending events: take the earliest, schedule one at
 * a random time after it. Floor: a bare binary heap of time and payload.
 */
#include "bench/bench.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "backend_sim/engine/calendar.h"

enum { PENDING = 64, HOLDS = 2000000, ROUNDS = 7, DELAYS = 4096 };

typedef struct hold_context {
  aq_time delays[DELAYS];
  aqsim_calendar calendar;
  aqsim_event events[PENDING];
  uint64_t sink;
} hold_context;

typedef struct bare_entry {
  int64_t time;
  void *payload;
} bare_entry;

static void bare_push(bare_entry *heap, size_t *count, bare_entry entry)
{
  size_t i = (*count)++;
  while (i > 0 && heap[(i - 1) / 2].time > entry.time) {
    heap[i] = heap[(i - 1) / 2];
    i = (i - 1) / 2;
  }
  heap[i] = entry;
}

static bare_entry bare_pop(bare_entry *heap, size_t *count)
{
  bare_entry top = heap[0], last = heap[--*count];
  size_t i = 0, child;
  while ((child = 2 * i + 1) < *count) {
    if (child + 1 < *count && heap[child + 1].time < heap[child].time)
      child++;
    if (heap[child].time >= last.time)
      break;
    heap[i] = heap[child];
    i = child;
  }
  heap[i] = last;
  return top;
}

static double bare_hold(void *context)
{
  hold_context *c = context;
  bare_entry heap[PENDING + 1];
  size_t count = 0;
  for (size_t i = 0; i < PENDING; i++)
    bare_push(heap, &count, (bare_entry){c->delays[i], &c->events[i]});
  double begin = aqbench_now();
  for (size_t i = 0; i < HOLDS; i++) {
    bare_entry top = bare_pop(heap, &count);
    c->sink += (uintptr_t)top.payload;
    top.time += c->delays[i % DELAYS];
    bare_push(heap, &count, top);
  }
  return (aqbench_now() - begin) / HOLDS * 1e9;
}

static double calendar_hold(void *context)
{
  hold_context *c = context;
  aqsim_calendar *calendar = &c->calendar;
  aq_time now = 0;
  while (aqsim_calendar_pop(calendar, AQ_TIME_MAX, &now))
    ;
  for (size_t i = 0; i < PENDING; i++)
    aqsim_calendar_push(calendar, &c->events[i], c->delays[i], AQSIM_AT_END);
  double begin = aqbench_now();
  for (size_t i = 0; i < HOLDS; i++) {
    aqsim_event *event = aqsim_calendar_pop(calendar, AQ_TIME_MAX, &now);
    c->sink += (uintptr_t)event;
    aqsim_calendar_push(calendar, event, now + c->delays[i % DELAYS],
                        (aqsim_priority)(i % 5));
  }
  return (aqbench_now() - begin) / HOLDS * 1e9;
}

int main(void)
{
  hold_context *c = calloc(1, sizeof *c);
  if (!c || !aqsim_calendar_reserve(&c->calendar, PENDING))
    return 1;
  uint64_t state = 1;
  for (size_t i = 0; i < DELAYS; i++) {
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    c->delays[i] = (aq_time)(state >> 40);
  }
  aqbench_compare("calendar_hold_64", "ns", ROUNDS, bare_hold, calendar_hold,
                  c);
  int unused = c->sink == 0;
  aqsim_calendar_fini(&c->calendar);
  free(c);
  return unused;
}
