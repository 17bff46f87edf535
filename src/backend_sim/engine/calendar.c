/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "backend_sim/engine/calendar.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"

/* ---- the heap ---- */

static void heap_sift_up(aqsim_entry *heap, size_t hole, aqsim_entry entry)
{
  for (size_t parent; hole > 0; hole = parent) {
    parent = (hole - 1) / 2;
    if (!aqsim_entry_before(&entry, &heap[parent]))
      break;
    heap[hole] = heap[parent];
  }
  heap[hole] = entry;
}

/* One comparison of 128 bits: it goes either way, so there is nothing to
 * mispredict. */
static bool entry_sooner(const aqsim_entry *a, const aqsim_entry *b)
{
  __int128 x = (__int128)a->time << 64 | a->order;
  __int128 y = (__int128)b->time << 64 | b->order;
  return x < y;
}

static void far_push(aqsim_calendar *calendar, aqsim_entry entry)
{
  assert(calendar->near_count + calendar->far_count < calendar->capacity);
  heap_sift_up(calendar->far, calendar->far_count++, entry);
}

/* Sifts the gap down to a leaf, by the sooner child each time, then the last
 * entry up from there: that entry is mostly among the latest, and the branch
 * predictor learns a loop of known length. */
static aqsim_entry far_pop(aqsim_calendar *calendar)
{
  aqsim_entry *heap = calendar->far;
  const aqsim_entry top = heap[0];
  size_t count = --calendar->far_count, hole = 0, child;
  const aqsim_entry last = heap[count];
  while ((child = 2 * hole + 2) < count) {
    child -= entry_sooner(&heap[child - 1], &heap[child]);
    heap[hole] = heap[child];
    hole = child;
  }
  if (child == count) {
    heap[hole] = heap[child - 1];
    hole = child - 1;
  }
  heap_sift_up(heap, hole, last);
  return top;
}

/* Makes room for one more at the end of the near entries. */
static void near_move(aqsim_calendar *calendar)
{
  if (calendar->first + calendar->near_count < AQSIM_NEAR_ROOM)
    return;
  memmove(calendar->near + AQSIM_NEAR_FRONT, calendar->near + calendar->first,
          calendar->near_count * sizeof *calendar->near);
  calendar->first = AQSIM_NEAR_FRONT;
}

void aqsim_calendar_push_far(aqsim_calendar *calendar, aqsim_entry entry)
{
  near_move(calendar);
  const aqsim_entry *end =
      calendar->near + calendar->first + calendar->near_count;
  if (calendar->far_count > 0 && !aqsim_entry_before(&entry, calendar->far)) {
    far_push(calendar, entry);
    return;
  }
  if (calendar->near_count == AQSIM_NEAR_MAX) {
    if (!aqsim_entry_before(&entry, &end[-1])) {
      far_push(calendar, entry);
      return;
    }
    far_push(calendar, end[-1]);
    calendar->near_count--;
  }
  aqsim_calendar_insert(calendar, entry);
}

void aqsim_calendar_refill(aqsim_calendar *calendar)
{
  size_t count = calendar->far_count < AQSIM_NEAR_REFILL ? calendar->far_count
                                                         : AQSIM_NEAR_REFILL;
  calendar->first = AQSIM_NEAR_FRONT;
  calendar->near_count = count;
  for (size_t i = 0; i < count; i++)
    calendar->near[AQSIM_NEAR_FRONT + i] = far_pop(calendar);
}

/* ---- room ---- */

void aqsim_calendar_fini(aqsim_calendar *calendar)
{
  free(calendar->far);
  *calendar = (aqsim_calendar)AQSIM_CALENDAR_INIT;
}

bool aqsim_calendar_reserve(aqsim_calendar *calendar, size_t count)
{
  size_t needed = calendar->reserved + count;
  if (!AQ_ARRAY_RESERVE(calendar->far, calendar->capacity, needed))
    return false;
  calendar->reserved += count;
  return true;
}

void aqsim_calendar_release(aqsim_calendar *calendar, size_t count)
{
  assert(count <= calendar->reserved);
  calendar->reserved -= count;
}

/* Drops the entries in a range of memory, and keeps the order of the others;
 * returns how many they are. */
static size_t entries_keep(aqsim_entry *entries, size_t count, const void *base,
                           size_t size)
{
  size_t kept = 0;
  for (size_t i = 0; i < count; i++)
    if ((uintptr_t)entries[i].event - (uintptr_t)base >= size)
      entries[kept++] = entries[i];
  return kept;
}

void aqsim_calendar_forget(aqsim_calendar *calendar, const void *base,
                           size_t size)
{
  calendar->near_count = entries_keep(calendar->near + calendar->first,
                                      calendar->near_count, base, size);
  size_t kept = entries_keep(calendar->far, calendar->far_count, base, size);
  if (kept == calendar->far_count)
    return;
  /* Putting them back one by one keeps their order numbers. */
  calendar->far_count = 0;
  for (size_t i = 0; i < kept; i++)
    far_push(calendar, calendar->far[i]);
}
