/* SPDX-License-Identifier: MIT */
/*
 * The event calendar: the pending events, in virtual time.
 *
 * Order is (time, named priority and rank, sequence number), all integers, so
 * that the same schedule always runs in the same order. An event is part of the
 * object that it is about (the caller's storage) and is pending at most once;
 * the calendar keeps small entries that point to it. The owner of an event
 * reserves room for it first, so that scheduling never fails and, once warm,
 * never allocates. One thread at a time.
 */
#ifndef AQSIM_CALENDAR_H
#define AQSIM_CALENDAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/time.h"

/* Order at the same instant: effects before observers. */
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

enum {
  AQSIM_NEAR_MAX = 64, /* entries near at once */
  AQSIM_NEAR_ROOM = 2 * AQSIM_NEAR_MAX,
  AQSIM_NEAR_FRONT = 16, /* places left free before them when they move */
  AQSIM_NEAR_REFILL = AQSIM_NEAR_MAX / 2,
  AQSIM_SEQUENCE_BITS = 56,
};

/* The earliest events are near: sorted, first to last, so that most pushes and
 * pops move few entries. All others are far, in a binary heap, none of them
 * before any that is near. */
typedef struct aqsim_calendar {
  size_t first, near_count;
  aqsim_entry *far;
  size_t far_count, capacity;
  size_t reserved; /* events that may be pending at once */
  uint64_t sequence;
  aqsim_entry near[AQSIM_NEAR_ROOM];
} aqsim_calendar;

#define AQSIM_CALENDAR_INIT                                                    \
  {                                                                            \
    0                                                                          \
  }

void aqsim_calendar_fini(aqsim_calendar *calendar);

/* Makes room for `count` more events; false when out of memory. */
bool aqsim_calendar_reserve(aqsim_calendar *calendar, size_t count);

/* Releases the room reserved for `count` events that are not pending. */
void aqsim_calendar_release(aqsim_calendar *calendar, size_t count);

/* Forgets every pending event that lies in the `size` bytes at `base`. */
void aqsim_calendar_forget(aqsim_calendar *calendar, const void *base,
                           size_t size);

static inline bool aqsim_entry_before(const aqsim_entry *a,
                                      const aqsim_entry *b)
{
  return a->time < b->time || (a->time == b->time && a->order < b->order);
}

/* For entries that do not fit near, and where near ones have to move: rare,
 * unless hundreds are pending. */
void aqsim_calendar_push_far(aqsim_calendar *calendar, aqsim_entry entry);
void aqsim_calendar_refill(aqsim_calendar *calendar);

/* There is room for one more at the end of the near entries. */
static inline void aqsim_calendar_insert(aqsim_calendar *calendar,
                                         aqsim_entry entry)
{
  const size_t count = calendar->near_count++;
  aqsim_entry *first = calendar->near + calendar->first, *at = first + count;
  if (count == 0 || !aqsim_entry_before(&entry, &at[-1])) {
    *at = entry;
    return;
  }
  if (calendar->first > 0 && aqsim_entry_before(&entry, &first[count / 2])) {
    for (at = first - 1; aqsim_entry_before(&at[1], &entry); at++)
      at[0] = at[1];
    calendar->first--;
  } else {
    do {
      at[0] = at[-1];
      at--;
    } while (at > first && aqsim_entry_before(&entry, &at[-1]));
  }
  *at = entry;
}

static inline void aqsim_calendar_push_ranked(aqsim_calendar *calendar,
                                              aqsim_event *event, aq_time time,
                                              aqsim_priority priority,
                                              aqsim_rank rank)
{
  uint64_t place = (uint64_t)priority * AQSIM_RANKS + rank;
  aqsim_entry entry = {
      time, place << AQSIM_SEQUENCE_BITS | calendar->sequence++, event};
  if (__builtin_expect(
          calendar->far_count > 0 || calendar->near_count == AQSIM_NEAR_MAX ||
              calendar->first + calendar->near_count == AQSIM_NEAR_ROOM,
          false))
    aqsim_calendar_push_far(calendar, entry);
  else
    aqsim_calendar_insert(calendar, entry);
}

static inline void aqsim_calendar_push(aqsim_calendar *calendar,
                                       aqsim_event *event, aq_time time,
                                       aqsim_priority priority)
{
  aqsim_calendar_push_ranked(calendar, event, time, priority,
                             AQSIM_RANK_NORMAL);
}

/* The earliest event, which leaves the calendar, and its time; NULL when
 * nothing is due at or before `limit`. */
static inline aqsim_event *aqsim_calendar_pop(aqsim_calendar *calendar,
                                              aq_time limit, aq_time *time)
{
  if (calendar->near_count == 0) {
    if (calendar->far_count == 0)
      return NULL;
    aqsim_calendar_refill(calendar);
  }
  const aqsim_entry *entry = &calendar->near[calendar->first];
  if (entry->time > limit)
    return NULL;
  calendar->first++;
  calendar->near_count--;
  *time = entry->time;
  return entry->event;
}

/* The time of the earliest event; false when there is none. */
static inline bool aqsim_calendar_next(aqsim_calendar *calendar, aq_time *time)
{
  if (calendar->near_count == 0) {
    if (calendar->far_count == 0)
      return false;
    aqsim_calendar_refill(calendar);
  }
  *time = calendar->near[calendar->first].time;
  return true;
}

/* Events that are pending. */
static inline size_t aqsim_calendar_count(const aqsim_calendar *calendar)
{
  return calendar->near_count + calendar->far_count;
}

static inline bool aqsim_calendar_empty(const aqsim_calendar *calendar)
{
  return aqsim_calendar_count(calendar) == 0;
}

#endif
