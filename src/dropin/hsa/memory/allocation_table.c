/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "dropin/hsa/memory/allocation_table.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "backend_sim/live/live.h"
#include "common/array.h"
#include "dropin/hsa/base/protected.h"
#include "dropin/hsa/base/published.h"

size_t aqdrop_allocation_bytes(size_t size)
{
  return (size + AQDROP_PAGE - 1) & ~(size_t)(AQDROP_PAGE - 1);
}

void aqdrop_allocation_unmap(const aqdrop_allocation *b)
{
  const size_t size = aqdrop_allocation_bytes(b->size) + 2 * b->room;
  if (b->protected)
    aqdrop_protected_release(b->base - b->room, size);
  else
    munmap(b->base - b->room, size);
  if (b->file >= 0)
    close(b->file);
}

void aqdrop_allocation_punch(const aqdrop *runtime, const aqdrop_allocation *b)
{
  if (b->protected && b->pool && b->file < 0)
    fallocate(runtime->memory_file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
              b->at, (off_t)aqdrop_allocation_bytes(b->size));
}

/* The device looks whether memory is there, and then touches it. */
void aqdrop_allocation_unmap_live(aqdrop *runtime, const aqdrop_allocation *b)
{
  aqsim_live_unmap_begin(runtime->transport, b->base,
                         aqdrop_allocation_bytes(b->size));
  aqdrop_allocation_unmap(b);
  aqdrop_allocation_punch(runtime, b);
  aqsim_live_unmap_end(runtime->transport);
}

void aqdrop_allocation_calls_free(aqdrop_freed_call *call)
{
  while (call) {
    aqdrop_freed_call *next = call->next;
    free(call);
    call = next;
  }
}

/* The index of the first block that ends behind an address. */
static size_t block_index(const aqdrop_memory *memory, const void *address)
{
  size_t low = 0, high = memory->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    const aqdrop_allocation *b = &memory->allocations[middle];
    if ((uintptr_t)b->base + b->size <= (uintptr_t)address)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

aqdrop_allocation *aqdrop_allocation_find(aqdrop_memory *memory,
                                          const void *address)
{
  size_t at = block_index(memory, address);
  aqdrop_allocation *b = &memory->allocations[at];
  return at < memory->count && (uintptr_t)b->base <= (uintptr_t)address ? b
                                                                        : NULL;
}

bool aqdrop_allocation_touches(const aqdrop_memory *memory, const void *base,
                               size_t size)
{
  const size_t at = block_index(memory, base);
  return at < memory->count &&
         (uintptr_t)memory->allocations[at].base < (uintptr_t)base + size;
}

bool aqdrop_allocation_insert(aqdrop_memory *memory,
                              const aqdrop_allocation *new)
{
  size_t at = block_index(memory, new->base);
  if (aqdrop_allocation_touches(memory, new->base, new->size))
    return false;
  if (!AQ_ARRAY_RESERVE(memory->allocations, memory->capacity,
                        memory->count + 1))
    return false;
  memmove(&memory->allocations[at + 1], &memory->allocations[at],
          (memory->count - at) * sizeof *memory->allocations);
  memory->allocations[at] = *new;
  memory->count++;
  return true;
}

bool aqdrop_allocation_remove(aqdrop_memory *memory, const void *address,
                              bool ours, aqdrop_allocation *out)
{
  aqdrop_allocation *b = aqdrop_allocation_find(memory, address);
  if (!b || b->base != address || (b->pool != NULL) != ours)
    return false;
  *out = *b;
  memory->count--;
  memmove(b, b + 1,
          (size_t)(&memory->allocations[memory->count] - b) * sizeof *b);
  return true;
}

/* Memory of the host is there for all agents, whoever else is allowed. */
uint64_t aqdrop_allocation_pool_agents(const aqdrop *runtime,
                                       const aqdrop_pool *pool)
{
  return pool->agent->info ? aqdrop_agent_bit(runtime, pool->agent)
                           : aqdrop_agents_all(runtime);
}
