/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/wave/profile/caches.h"

#include <stdlib.h>
#include <string.h>

static size_t place_of(const aq_wave_set *set, uint64_t key)
{
  size_t at = (key * UINT64_C(0x9e3779b97f4a7c15)) >> 20 & (set->capacity - 1);
  while (set->keys[at] && set->keys[at] != key + 1)
    at = (at + 1) & (set->capacity - 1);
  return at;
}

static bool set_grow(aq_wave_set *set)
{
  aq_wave_set grown = {.capacity = set->capacity ? 2 * set->capacity : 1024};
  grown.keys = calloc(grown.capacity, sizeof *grown.keys);
  if (!grown.keys)
    return false;
  for (size_t i = 0; i < set->capacity; i++)
    if (set->keys[i])
      grown.keys[place_of(&grown, set->keys[i] - 1)] = set->keys[i];
  grown.count = set->count;
  free(set->keys);
  *set = grown;
  return true;
}

bool aq_wave_set_add(aq_wave_set *set, uint64_t key)
{
  if (2 * set->count >= set->capacity && !set_grow(set))
    return true;
  const size_t at = place_of(set, key);
  if (set->keys[at])
    return false;
  set->keys[at] = key + 1;
  set->count++;
  return true;
}

bool aq_wave_set_has(const aq_wave_set *set, uint64_t key)
{
  return set->capacity && set->keys[place_of(set, key)];
}

void aq_wave_set_clear(aq_wave_set *set)
{
  if (set->count)
    memset(set->keys, 0, set->capacity * sizeof *set->keys);
  set->count = 0;
}

void aq_wave_set_fini(aq_wave_set *set)
{
  free(set->keys);
  *set = (aq_wave_set){0};
}
