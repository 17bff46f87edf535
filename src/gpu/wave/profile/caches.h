/* SPDX-License-Identifier: MIT */
/*
 * Sets of numbers, and a small cache: which lines and pages the counted
 * workgroups of a grid have touched. One thread at a time.
 */
#ifndef AQ_GPU_WAVE_PROFILE_CACHES_H
#define AQ_GPU_WAVE_PROFILE_CACHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zero: empty. */
typedef struct aq_wave_set {
  uint64_t *keys; /* + 1; 0: free */
  size_t capacity, count;
} aq_wave_set;

/* Whether the key is new. Without memory it counts as new and is not kept. */
bool aq_wave_set_add(aq_wave_set *set, uint64_t key);
bool aq_wave_set_has(const aq_wave_set *set, uint64_t key);
void aq_wave_set_clear(aq_wave_set *set);
void aq_wave_set_fini(aq_wave_set *set);

enum { AQ_WAVE_WAYS = 4, AQ_WAVE_CACHE_SETS = 64 };

/* Lines by their numbers; the way that was used last is replaced last. */
typedef struct aq_wave_cache {
  unsigned sets; /* a power of two, up to AQ_WAVE_CACHE_SETS */
  uint64_t lines[AQ_WAVE_CACHE_SETS][AQ_WAVE_WAYS]; /* + 1 */
} aq_wave_cache;

/* Whether the line is there; if not, it takes the place of another. Without
 * branches: nothing predicts the way of a lane's line. */
static inline bool aq_wave_cache_touch(aq_wave_cache *cache, uint64_t line)
{
  /* Powers of two between lines spread over all sets. */
  const uint64_t mixed = line * UINT64_C(0x9e3779b97f4a7c15) >> 32;
  uint64_t *ways = cache->lines[mixed & (cache->sets - 1)];
  const uint64_t key = line + 1, a = ways[0], b = ways[1], c = ways[2],
                 d = ways[3];
  const uint64_t at_a = -(uint64_t)(a == key),
                 at_b = at_a | -(uint64_t)(b == key),
                 at_c = at_b | -(uint64_t)(c == key);
  ways[0] = key;
  ways[1] = a ^ ((a ^ b) & at_a);
  ways[2] = b ^ ((b ^ c) & at_b);
  ways[3] = c ^ ((c ^ d) & at_c);
  return at_c | (d == key);
}

#endif
