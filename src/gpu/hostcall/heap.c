/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/hostcall/heap.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "common/allocations.h"
#include "common/array.h"
#include "common/transport.h"

enum { HUGE_ALIGN = 2 * 1024 * 1024 };

typedef struct block {
  char *base;
  size_t size;
  void *owned; /* the transport's memory that has it; NULL: mapped memory */
} block;

struct aq_device_heap {
  aq_allocations *map;
  aq_transport *t; /* NULL: blocks are mapped memory */
  uint64_t limit, used;
  block *blocks;
  size_t count, capacity;
};

aq_device_heap *aq_device_heap_create(aq_allocations *map, uint64_t limit)
{
  aq_device_heap *heap = calloc(1, sizeof *heap);
  if (heap) {
    heap->map = map;
    heap->limit = limit;
  }
  return heap;
}

void aq_device_heap_use(aq_device_heap *heap, aq_transport *t)
{
  heap->t = t;
}

/* Mapped memory; NULL: there is none. */
static char *map_aligned(size_t size, size_t align)
{
  const size_t total = size + align - AQ_ALLOCATION_PAGE;
  char *base = mmap(NULL, total, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED)
    return NULL;
  const size_t before = -(uintptr_t)base & (align - 1);
  const size_t behind = total - before - size;
  if (before)
    munmap(base, before);
  if (behind)
    munmap(base + before + size, behind);
  return base + before;
}

static bool block_publish(const aq_device_heap *heap, const block *b,
                          uint32_t device)
{
  return !heap->map ||
         aq_allocations_add(heap->map,
                            &(aq_allocation){.base = (uintptr_t)b->base,
                                             .size = b->size,
                                             .readers = AQ_DEVICES_ALL,
                                             .writers = AQ_DEVICES_ALL,
                                             .device = device,
                                             .kind = AQ_ALLOCATION_HEAP});
}

static bool block_map(const aq_device_heap *heap, uint32_t device, size_t align,
                      block *out)
{
  out->base = map_aligned(out->size, align);
  if (out->base && !block_publish(heap, out, device)) {
    munmap(out->base, out->size);
    out->base = NULL;
  }
  return out->base != NULL;
}

static bool block_allocate(const aq_device_heap *heap, uint32_t device,
                           size_t align, block *out)
{
  const aq_transport_ops *ops = heap->t->ops;
  if (ops->mem_alloc(heap->t, device, AQ_MEMORY_DEVICE, out->size + align,
                     &out->owned, NULL) != AQ_OK)
    return false;
  out->base =
      (void *)(((uintptr_t)out->owned + align - 1) & ~(uintptr_t)(align - 1));
  return true;
}

void *aq_device_heap_alloc(aq_device_heap *heap, uint32_t device, uint64_t size)
{
  const uint64_t mask = AQ_ALLOCATION_PAGE - 1;
  block b = {.size = size <= heap->limit ? (size + mask) & ~mask : 0};
  const size_t align = b.size < HUGE_ALIGN ? AQ_ALLOCATION_PAGE : HUGE_ALIGN;
  if (b.size == 0 || b.size > heap->limit - heap->used)
    return NULL;
  if (!AQ_ARRAY_RESERVE(heap->blocks, heap->capacity, heap->count + 1))
    return NULL;
  if (!(heap->t ? block_allocate(heap, device, align, &b)
                : block_map(heap, device, align, &b)))
    return NULL;
  heap->used += b.size;
  heap->blocks[heap->count++] = b;
  return b.base;
}

static void block_free(aq_device_heap *heap, const block *b)
{
  heap->used -= b->size;
  if (b->owned) {
    heap->t->ops->mem_free(heap->t, b->owned);
    return;
  }
  if (heap->map)
    aq_allocations_remove(heap->map, (uintptr_t)b->base, AQ_ALLOCATION_HEAP);
  munmap(b->base, b->size);
}

bool aq_device_heap_free(aq_device_heap *heap, uint64_t address)
{
  for (size_t i = heap->count; i-- > 0;) /* the latest ones go first, mostly */
    if ((uintptr_t)heap->blocks[i].base == address) {
      block_free(heap, &heap->blocks[i]);
      heap->blocks[i] = heap->blocks[--heap->count];
      return true;
    }
  return false;
}

void aq_device_heap_clear(aq_device_heap *heap)
{
  while (heap->count > 0)
    block_free(heap, &heap->blocks[--heap->count]);
}

void aq_device_heap_destroy(aq_device_heap *heap)
{
  if (!heap)
    return;
  aq_device_heap_clear(heap);
  free(heap->blocks);
  free(heap);
}
