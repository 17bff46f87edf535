/* SPDX-License-Identifier: MIT */
/*
 * Objects of one size that keep their place until the slab goes, so that a
 * foreign address can be recognised as one of them without touching it. Each
 * chunk has twice the objects of the one before.
 *
 * Ownership: the slab owns the chunks; which of their objects are free is the
 * caller's to know. Thread rule: one thread at a time grows it; any thread may
 * ask whether it has an address, also meanwhile.
 */
#ifndef AQ_COMMON_SLAB_H
#define AQ_COMMON_SLAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { AQ_SLAB_CHUNKS = 32 };

typedef struct aq_slab {
  struct {
    uintptr_t first;
    size_t bytes;
  } chunks[AQ_SLAB_CHUNKS];
  uint32_t count; /* atomic */
} aq_slab;

/* A new chunk, zeroed, and how many objects of `size` bytes it has: `first` if
 * it is the first one. NULL without memory. `size` is a multiple of the
 * alignment `align`. */
void *aq_slab_grow(aq_slab *slab, size_t size, size_t align, uint32_t first,
                   size_t *objects);

/* Frees the chunks. */
void aq_slab_fini(aq_slab *slab);

/* Whether an address is that of an object, free or not. The newest chunk, which
 * has half of the objects, is looked at first. */
static inline bool aq_slab_has(const aq_slab *slab, uint64_t address,
                               size_t size)
{
  /* Acquire pairs with the release of aq_slab_grow: the chunk is described. */
  for (uint32_t i = __atomic_load_n(&slab->count, __ATOMIC_ACQUIRE); i-- > 0;) {
    const uint64_t offset = address - slab->chunks[i].first;
    if (offset < slab->chunks[i].bytes)
      return offset % size == 0;
  }
  return false;
}

/* Whether an address lies anywhere in its memory. */
static inline bool aq_slab_covers(const aq_slab *slab, uint64_t address)
{
  return aq_slab_has(slab, address, 1);
}

#endif
