/* SPDX-License-Identifier: MIT */
/* Which blocks of malloc() in kernels lie in an allocation, and where. */
#include "config.h"

#include "gpu/check/core/heap.h"

#include <stdlib.h>

#include "common/array.h"

enum { GRANULE = AQ_CHECK_HEAP_ALIGN };

/* Blocks of an allocation. */
struct aq_check_heap {
  uint32_t *granules; /* number of the block there + 1, or 0 */
  aq_check_heap_block *list;
  size_t count, capacity;
  uint32_t unused; /* number + 1 of the first, and so on by list[].made.site */
};

static uint64_t granule_of(const aq_check_known *known, uint64_t address)
{
  return (address - known->block.base) / GRANULE;
}

/* The block that has a granule, or NULL. */
static aq_check_heap_block *block_at(const aq_check_known *known,
                                     uint64_t granule)
{
  const struct aq_check_heap *heap = known->heap;
  const uint32_t number = heap->granules[granule];
  return number ? &heap->list[number - 1] : NULL;
}

static void block_mark(const aq_check_known *known,
                       const aq_check_heap_block *block, uint32_t number)
{
  const uint64_t first = granule_of(known, block->base),
                 end = granule_of(known, block->base + block->size - 1) + 1;
  for (uint64_t g = first; g < end; g++)
    known->heap->granules[g] = number;
}

/* A later block has its place. */
static void block_remove(const aq_check_known *known,
                         aq_check_heap_block *block)
{
  struct aq_check_heap *heap = known->heap;
  block_mark(known, block, 0);
  block->size = 0;
  block->made.site = heap->unused;
  heap->unused = (uint32_t)(block - heap->list) + 1;
}

static bool heap_make(aq_check_known *known)
{
  const uint64_t granules =
      granule_of(known, known->block.base + known->block.size + GRANULE - 1);
  struct aq_check_heap *heap = calloc(1, sizeof *heap);
  if (!heap || !(heap->granules = calloc(granules, sizeof *heap->granules))) {
    free(heap);
    return false;
  }
  known->heap = heap;
  return true;
}

bool aq_check_heap_put(aq_check_known *known, const aq_check_heap_block *block)
{
  if (!known->heap && !heap_make(known))
    return false;
  const uint64_t end = granule_of(known, block->base + block->size - 1) + 1;
  for (uint64_t g = granule_of(known, block->base); g < end; g++) {
    aq_check_heap_block *old = block_at(known, g);
    if (old)
      block_remove(known, old);
  }
  struct aq_check_heap *heap = known->heap;
  uint32_t number = heap->unused;
  if (number == 0) {
    if (!AQ_ARRAY_PUSH(heap->list, heap->count, heap->capacity, *block))
      return false;
    number = (uint32_t)heap->count;
  } else {
    heap->unused = heap->list[number - 1].made.site;
    heap->list[number - 1] = *block;
  }
  block_mark(known, block, number);
  return true;
}

void aq_check_heap_drop(aq_check_known *known)
{
  if (!known->heap)
    return;
  free(known->heap->granules);
  free(known->heap->list);
  free(known->heap);
  known->heap = NULL;
}

const aq_check_heap_block *aq_check_heap_near(const aq_check_known *known,
                                              uint64_t address)
{
  enum { NEAR = 4096 /* granules */ };
  const uint64_t at = granule_of(known, address),
                 all = granule_of(known,
                                  known->block.base + known->block.size - 1) +
                       1;
  const aq_check_heap_block *found = NULL;
  for (uint64_t d = 0; d < NEAR && !found; d++) {
    if (d <= at && at - d < all)
      found = block_at(known, at - d);
    if (!found && at + d < all)
      found = block_at(known, at + d);
  }
  return found;
}

aq_check_heap_block *aq_check_heap_at(const aq_check_known *known,
                                      uint64_t address)
{
  return known->heap ? block_at(known, granule_of(known, address)) : NULL;
}

const aq_check_heap_block *aq_check_heap_has(const aq_check_known *known,
                                             uint64_t first, uint64_t end)
{
  const aq_check_heap_block *block = block_at(known, granule_of(known, first));
  return block && !block->freed && first >= block->base &&
                 end <= block->base + block->size
             ? block
             : NULL;
}

const aq_check_heap_block *aq_check_heap_each(const aq_check_known *known,
                                              size_t *at)
{
  const struct aq_check_heap *heap = known->heap;
  while (heap && *at < heap->count) {
    const aq_check_heap_block *block = &heap->list[(*at)++];
    if (block->size > 0)
      return block;
  }
  return NULL;
}
