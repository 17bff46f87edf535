/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/check/core/vector_clock.h"

#include <stdlib.h>
#include <string.h>

#include "common/aql.h"
#include "common/array.h"

static bool clock_grow(aq_vector_clock *clock, size_t count)
{
  if (count <= clock->count)
    return true;
  if (!AQ_ARRAY_RESERVE(clock->at, clock->capacity, count))
    return false;
  memset(clock->at + clock->count, 0,
         (count - clock->count) * sizeof *clock->at);
  clock->count = count;
  return true;
}

bool aq_vector_clock_set(aq_vector_clock *clock, uint32_t chain, uint32_t count)
{
  if (!clock_grow(clock, (size_t)chain + 1))
    return false;
  if (clock->at[chain] < count)
    clock->at[chain] = count;
  return true;
}

bool aq_vector_clock_join(aq_vector_clock *to, const aq_vector_clock *from)
{
  if (!clock_grow(to, from->count))
    return false;
  for (size_t i = 0; i < from->count; i++)
    if (to->at[i] < from->at[i])
      to->at[i] = from->at[i];
  return true;
}

bool aq_check_join(aq_check_view *to, const aq_check_view *from)
{
  bool ok = true;
  for (int i = 0; i < AQ_CHECK_LEVELS; i++)
    ok &= aq_vector_clock_join(&to->of[i], &from->of[i]);
  return ok;
}

bool aq_check_acquire(aq_check_view *k, unsigned scope)
{
  bool ok = true;
  if (scope >= AQ_SCOPE_AGENT)
    ok &= aq_vector_clock_join(&k->of[AQ_CHECK_VISIBLE_AGENT],
                               &k->of[AQ_CHECK_RELEASED_AGENT]);
  if (scope >= AQ_SCOPE_SYSTEM)
    ok &= aq_vector_clock_join(&k->of[AQ_CHECK_VISIBLE_SYSTEM],
                               &k->of[AQ_CHECK_RELEASED_SYSTEM]);
  return ok;
}

bool aq_check_release(aq_check_view *k, unsigned scope)
{
  bool ok = true;
  if (scope >= AQ_SCOPE_AGENT)
    ok &= aq_vector_clock_join(&k->of[AQ_CHECK_RELEASED_AGENT],
                               &k->of[AQ_CHECK_ORDERED]);
  if (scope >= AQ_SCOPE_SYSTEM)
    ok &= aq_vector_clock_join(&k->of[AQ_CHECK_RELEASED_SYSTEM],
                               &k->of[AQ_CHECK_ORDERED]);
  return ok;
}

void aq_check_view_clear(aq_check_view *k)
{
  for (int i = 0; i < AQ_CHECK_LEVELS; i++)
    k->of[i].count = 0;
}

void aq_check_view_fini(aq_check_view *k)
{
  for (int i = 0; i < AQ_CHECK_LEVELS; i++)
    free(k->of[i].at);
  *k = (aq_check_view){0};
}
