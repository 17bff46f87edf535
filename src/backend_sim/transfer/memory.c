/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "backend_sim/transfer/memory.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "backend_sim/engine/allocation_publish.h"
#include "common/transport.h"

/* Blocks from MAPPED_MIN bytes on are mapped: the kernel clears a page of them
 * when it is first used, which of most of the room for arguments never is. */
enum { ALIGN = 64, MAPPED_MIN = 1 << 20, PAGE = AQ_ALLOCATION_PAGE };

/* In a page of its own, before the pages of its bytes: devices may touch whole
 * pages, and there nothing else lies. The bytes end with their last page, so
 * that the first one behind them, in another page of ours, is out of bounds. */
struct aqsim_block {
  uintptr_t begin, end; /* addresses, at least one */
  aqsim_block *next, *previous;
  size_t mapped; /* bytes; 0: it is of the heap */
  uint32_t device;
};

struct aqsim_locked {
  aqsim_locked *next;
  const void *address;
};

/* Blocks do not overlap: overlapping ones are the same. */
static int block_compare(const void *a, const void *b)
{
  const aqsim_block *x = a, *y = b;
  return x->end <= y->begin ? -1 : x->begin >= y->end;
}

static size_t round_up(size_t size, size_t to)
{
  return (size + to - 1) & ~(to - 1);
}

/* Cleared, with its addresses and `mapped` set; NULL: there is none. */
static aqsim_block *block_alloc(size_t size)
{
  const size_t used = PAGE + round_up(size, PAGE), total = used + PAGE;
  aqsim_block *block;
  if (total >= MAPPED_MIN) {
    block = mmap(NULL, total, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED)
      return NULL;
    block->mapped = total;
  } else {
    block = aligned_alloc(PAGE, total);
    if (!block)
      return NULL;
    memset(block, 0, total);
  }
  block->begin = (uintptr_t)block + used - round_up(size, ALIGN);
  block->end = block->begin + size;
  return block;
}

static void *bytes_of(const aqsim_block *block)
{
  return (void *)block->begin; /* NOLINT(session-no-int-to-ptr) */
}

static void block_free(aqsim_block *block)
{
  if (block->mapped)
    munmap(block, block->mapped);
  else
    free(block);
}

void aqsim_memory_fini(aqsim_memory *memory)
{
  while (memory->locked)
    aqsim_memory_unlock(memory, memory->locked->address);
  while (memory->blocks)
    aqsim_memory_free(memory, bytes_of(memory->blocks));
}

void *aqsim_memory_alloc(aqsim_memory *memory, uint32_t device, size_t size)
{
  if (size > SIZE_MAX / 2)
    return NULL;
  aqsim_block *block = block_alloc(size > 0 ? size : 1);
  if (!block)
    return NULL;
  void *const bytes = bytes_of(block);
  block->device = device;
  if (!aqsim_publish(memory->allocations, bytes, size, AQ_ALLOCATION_POOL,
                     device)) {
    block_free(block);
    return NULL;
  }
  if (device != AQ_DEVICE_HOST &&
      !tsearch(block, &memory->of_devices, block_compare)) {
    aqsim_withdraw(memory->allocations, bytes, AQ_ALLOCATION_POOL);
    block_free(block);
    return NULL;
  }
  block->next = memory->blocks;
  if (block->next)
    block->next->previous = block;
  memory->blocks = block;
  return bytes;
}

void aqsim_memory_free(aqsim_memory *memory, void *address)
{
  if (!address)
    return;
  char *page = (char *)address - (uintptr_t)address % PAGE;
  aqsim_block *block = (aqsim_block *)(void *)(page - PAGE);
  aqsim_withdraw(memory->allocations, address, AQ_ALLOCATION_POOL);
  if (block->device != AQ_DEVICE_HOST)
    tdelete(block, &memory->of_devices, block_compare);
  if (block->previous)
    block->previous->next = block->next;
  else
    memory->blocks = block->next;
  if (block->next)
    block->next->previous = block->previous;
  block_free(block);
}

uint32_t aqsim_memory_device(const aqsim_memory *memory, const void *address)
{
  const struct aqsim_block key = {.begin = (uintptr_t)address,
                                  .end = (uintptr_t)address + 1};
  void *const *found = tfind(&key, &memory->of_devices, block_compare);
  return found ? (*(aqsim_block *const *)found)->device : AQ_DEVICE_HOST;
}

/* ---- memory of the host ---- */

static aqsim_locked **locked_link(aqsim_memory *memory, const void *address)
{
  aqsim_locked **link = &memory->locked;
  while (*link && (*link)->address != address)
    link = &(*link)->next;
  return link;
}

aq_status aqsim_memory_lock(aqsim_memory *memory, void *address, size_t size,
                            aq_diag *diag)
{
  if (size == 0 || *locked_link(memory, address))
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       size == 0 ? "%p: no bytes to lock"
                                 : "%p: memory that begins there is locked",
                       address);
  aqsim_locked *locked = malloc(sizeof *locked);
  if (!locked || !aqsim_publish(memory->allocations, address, size,
                                AQ_ALLOCATION_LOCKED, AQ_DEVICE_HOST)) {
    free(locked);
    return aq_diag_no_memory(diag);
  }
  *locked = (aqsim_locked){memory->locked, address};
  memory->locked = locked;
  return AQ_OK;
}

void aqsim_memory_unlock(aqsim_memory *memory, const void *address)
{
  aqsim_locked **link = locked_link(memory, address), *locked = *link;
  if (!locked)
    return;
  *link = locked->next;
  aqsim_withdraw(memory->allocations, address, AQ_ALLOCATION_LOCKED);
  free(locked);
}
