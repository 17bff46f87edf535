/* SPDX-License-Identifier: MIT */
/*
 * The event calendar: what happens next, in virtual time.
 *
 * Order is (time, named priority and rank, sequence number), all integers, so
 * that the same schedule always runs in the same order. An event is part of the
 * object that it is about (the caller's storage) and is pending at most once;
 * the calendar keeps small entries that point to it. Whoever makes an event
 * reserves room for it first, so that scheduling never fails and, once warm,
 * never allocates. One thread at a time.
 */
#ifndef AQSIM_CALENDAR_H
#define AQSIM_CALENDAR_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/time.h"

/* What comes first at the same instant: effects before those who look. */
typedef enum aqsim_priority {
  AQSIM_AT_END,      /* kernels and copies end: their writes appear */
  AQSIM_AT_COMPLETE, /* signals are decremented, slots are handed back */
  AQSIM_AT_NOTICE,   /* pollers see dependencies */
  AQSIM_AT_FETCH,    /* packets are read */
  AQSIM_AT_LAUNCH,   /* packets are launched */
} aqsim_priority;

/* Within one priority, events of queues of high priority come first. */
typedef enum aqsim_rank {
  AQSIM_RANK_HIGH,
  AQSIM_RANK_NORMAL,
  AQSIM_RANK_LOW,
  AQSIM_RANKS,
} aqsim_rank;

typedef struct aqsim_event aqsim_event;
struct aqsim_event {
  void (*fire)(aqsim_event *event);
};

typedef struct aqsim_entry {
  aq_time time;
  uint64_t order; /* priority and sequence number */
  aqsim_event *event;
} aqsim_entry;

typedef struct aqsim_calendar {
  aqsim_entry *entries; /* a binary heap, the earliest first */
  size_t count, capacity;
  size_t reserved; /* events that may be pending at once */
  bool vacant;     /* entries[0] was popped and not filled yet */
  uint64_t sequence;
} aqsim_calendar;

#define AQSIM_CALENDAR_INIT                                                    \
  {                                                                            \
    NULL, 0, 0, 0, false, 0                                                    \
  }

void aqsim_calendar_fini(aqsim_calendar *calendar);

/* Makes room for `count` more events; false when out of memory. */
bool aqsim_calendar_reserve(aqsim_calendar *calendar, size_t count);

/* Gives back what was reserved for `count` events that are not pending. */
void aqsim_calendar_release(aqsim_calendar *calendar, size_t count);

/* Forgets every pending event that lies in the `size` bytes at `base`. */
void aqsim_calendar_forget(aqsim_calendar *calendar, const void *base,
                           size_t size);

enum {
  AQSIM_SEQUENCE_BITS = 56,
};

static inline bool aqsim_entry_before(const aqsim_entry *a,
                                      const aqsim_entry *b)
{
  return a->time < b->time || (a->time == b->time && a->order < b->order);
}

/* The same by one comparison of 128 bits: for choices that go either way, so
 * that there is nothing to mispredict. */
static inline bool aqsim_entry_sooner(const aqsim_entry *a,
                                      const aqsim_entry *b)
{
  __int128 x = (__int128)a->time << 64 | a->order;
  __int128 y = (__int128)b->time << 64 | b->order;
  return x < y;
}

/* Puts `entry` into the heap whose last place, `hole`, is vacant. */
static inline void aqsim_calendar_sift_up(aqsim_entry *heap, size_t hole,
                                          aqsim_entry entry)
{
  while (hole > 0) {
    size_t parent = (hole - 1) / 2;
    if (!aqsim_entry_before(&entry, &heap[parent]))
      break;
    heap[hole] = heap[parent];
    hole = parent;
  }
  heap[hole] = entry;
}

/* Puts `entry` where entries[0] is vacant. The hole goes down to a leaf, by the
 * sooner child each time, and the entry up from there: it is mostly among the
 * latest, and a loop of known length is not mispredicted. */
static inline void aqsim_calendar_sift_down(aqsim_calendar *calendar,
                                            aqsim_entry entry)
{
  aqsim_entry *heap = calendar->entries;
  size_t count = calendar->count, hole = 0, child;
  while ((child = 2 * hole + 2) < count) {
    child -= aqsim_entry_sooner(&heap[child - 1], &heap[child]);
    heap[hole] = heap[child];
    hole = child;
  }
  if (child == count) {
    heap[hole] = heap[child - 1];
    hole = child - 1;
  }
  aqsim_calendar_sift_up(heap, hole, entry);
}

static inline void aqsim_calendar_push_ranked(aqsim_calendar *calendar,
                                              aqsim_event *event, aq_time time,
                                              aqsim_priority priority,
                                              aqsim_rank rank)
{
  uint64_t place = (uint64_t)priority * AQSIM_RANKS + rank;
  aqsim_entry entry = {
      time, place << AQSIM_SEQUENCE_BITS | calendar->sequence++, event};
  /* Most events schedule their successor: it takes the place they left. */
  if (calendar->vacant) {
    calendar->vacant = false;
    aqsim_calendar_sift_down(calendar, entry);
    return;
  }
  assert(calendar->count < calendar->capacity);
  aqsim_calendar_sift_up(calendar->entries, calendar->count, entry);
  calendar->count++;
}

static inline void aqsim_calendar_push(aqsim_calendar *calendar,
                                       aqsim_event *event, aq_time time,
                                       aqsim_priority priority)
{
  aqsim_calendar_push_ranked(calendar, event, time, priority,
                             AQSIM_RANK_NORMAL);
}

static inline void aqsim_calendar_settle(aqsim_calendar *calendar)
{
  if (!calendar->vacant)
    return;
  calendar->vacant = false;
  if (--calendar->count > 0)
    aqsim_calendar_sift_down(calendar, calendar->entries[calendar->count]);
}

/* The earliest event, which leaves the calendar, and its time; NULL when
 * nothing is due at or before `limit`. */
static inline aqsim_event *aqsim_calendar_pop(aqsim_calendar *calendar,
                                              aq_time limit, aq_time *time)
{
  aqsim_calendar_settle(calendar);
  if (calendar->count == 0 || calendar->entries[0].time > limit)
    return NULL;
  calendar->vacant = true;
  *time = calendar->entries[0].time;
  return calendar->entries[0].event;
}

/* The time of the earliest event; false when there is none. */
static inline bool aqsim_calendar_next(aqsim_calendar *calendar, aq_time *time)
{
  aqsim_calendar_settle(calendar);
  if (calendar->count == 0)
    return false;
  *time = calendar->entries[0].time;
  return true;
}

static inline bool aqsim_calendar_empty(const aqsim_calendar *calendar)
{
  return calendar->count == (calendar->vacant ? 1 : 0);
}

#endif
