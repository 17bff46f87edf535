/* SPDX-License-Identifier: MIT */
/*
 * Sets of numbers, and a small cache: which lines and pages the counted
 * workgroups of a grid have touched. One thread at a time.
 */
#ifndef AQ_WAVE_CACHES_H
#define AQ_WAVE_CACHES_H

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

/* Whether the line is there; if not and `keep`, it takes the place of another.
 */
bool aq_wave_cache_touch(aq_wave_cache *cache, uint64_t line, bool keep);

#endif
