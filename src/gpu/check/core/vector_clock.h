/* SPDX-License-Identifier: MIT */
/*
 * Vector clocks. Each component is a chain: accesses by one actor after the
 * other, each ordered behind the one before (happens_before.h makes the
 * chains). An epoch is a component and a count; an event has happened before
 * another if the clock of the second has at least its count.
 *
 * A knowledge has five clocks, since order is not visibility: the events
 * before, which of them were released to the device and to the system, and
 * which of those were acquired. Plain data; all zero is empty.
 */
#ifndef AQ_GPU_CHECK_CORE_VECTOR_CLOCK_H
#define AQ_GPU_CHECK_CORE_VECTOR_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct aq_vector_clock {
  uint32_t *at;
  size_t count, capacity;
} aq_vector_clock;

typedef enum aq_check_level {
  AQ_CHECK_ORDERED,
  AQ_CHECK_RELEASED_AGENT,
  AQ_CHECK_RELEASED_SYSTEM,
  AQ_CHECK_VISIBLE_AGENT,
  AQ_CHECK_VISIBLE_SYSTEM,
  AQ_CHECK_LEVELS
} aq_check_level;

typedef struct aq_check_view {
  aq_vector_clock of[AQ_CHECK_LEVELS];
} aq_check_view;

static inline uint32_t aq_vector_clock_get(const aq_vector_clock *clock,
                                           uint32_t chain)
{
  return chain < clock->count ? clock->at[chain] : 0;
}

/* False: out of memory; the clock is as it was. */
bool aq_vector_clock_set(aq_vector_clock *clock, uint32_t chain,
                         uint32_t count);
bool aq_vector_clock_join(aq_vector_clock *to, const aq_vector_clock *from);

/* Joins all five. False: out of memory, some were not joined. */
bool aq_check_join(aq_check_view *to, const aq_check_view *from);

/* Scopes as in AQL headers: 0 none, 1 agent, 2 and 3 system. */
bool aq_check_acquire(aq_check_view *k, unsigned scope);
bool aq_check_release(aq_check_view *k, unsigned scope);

void aq_check_view_clear(aq_check_view *k);
void aq_check_view_fini(aq_check_view *k);

#endif
