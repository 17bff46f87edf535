/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "common/slab.h"

#include <stdlib.h>
#include <string.h>

void *aq_slab_grow(aq_slab *slab, size_t size, size_t align, uint32_t first,
                   size_t *objects)
{
  if (slab->count == AQ_SLAB_CHUNKS || first > SIZE_MAX / size >> slab->count)
    return NULL;
  const size_t count = (size_t)first << slab->count;
  void *chunk = aligned_alloc(align, count * size);
  if (!chunk)
    return NULL;
  memset(chunk, 0, count * size);
  slab->chunks[slab->count].first = (uintptr_t)chunk;
  slab->chunks[slab->count].bytes = count * size;
  __atomic_store_n(&slab->count, slab->count + 1, __ATOMIC_RELEASE);
  *objects = count;
  return chunk;
}

void aq_slab_fini(aq_slab *slab)
{
  for (uint32_t i = 0; i < slab->count; i++)
    free((void *)slab->chunks[i].first);
  *slab = (aq_slab){.count = 0};
}
