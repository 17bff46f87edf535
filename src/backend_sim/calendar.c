/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "backend_sim/calendar.h"

#include <stdlib.h>

void aqsim_calendar_fini(aqsim_calendar *calendar)
{
  free(calendar->entries);
  *calendar = (aqsim_calendar)AQSIM_CALENDAR_INIT;
}

bool aqsim_calendar_reserve(aqsim_calendar *calendar, size_t count)
{
  /* One more: a popped entry keeps its place while its event runs. */
  size_t needed = calendar->reserved + count + 1;
  if (needed > calendar->capacity) {
    size_t capacity = calendar->capacity ? calendar->capacity : 64;
    while (capacity < needed)
      capacity *= 2;
    aqsim_entry *grown = realloc(calendar->entries, capacity * sizeof *grown);
    if (!grown)
      return false;
    calendar->entries = grown;
    calendar->capacity = capacity;
  }
  calendar->reserved += count;
  return true;
}

void aqsim_calendar_release(aqsim_calendar *calendar, size_t count)
{
  assert(count <= calendar->reserved);
  calendar->reserved -= count;
}

void aqsim_calendar_forget(aqsim_calendar *calendar, const void *base,
                           size_t size)
{
  aqsim_calendar_settle(calendar);
  uintptr_t first = (uintptr_t)base;
  size_t count = calendar->count, kept = 0;
  for (size_t i = 0; i < count; i++)
    if ((uintptr_t)calendar->entries[i].event - first >= size)
      calendar->entries[kept++] = calendar->entries[i];
  if (kept == count)
    return;
  /* Putting them back one by one keeps their order numbers. */
  calendar->count = 0;
  for (size_t i = 0; i < kept; i++) {
    aqsim_entry entry = calendar->entries[i];
    aqsim_calendar_sift_up(calendar->entries, calendar->count, entry);
    calendar->count++;
  }
}
