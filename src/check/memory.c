/* SPDX-License-Identifier: MIT */
/* The allocations of the program, and the accesses that leave them. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "check/core.h"
#include "common/array.h"

/* The index of the first allocation whose base is above an address. */
static size_t known_above(const aq_check *check, uint64_t address)
{
  size_t low = 0, high = check->known_count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (check->known[middle].block.base <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

const aq_check_known *aq_check_known_near(const aq_check *check,
                                          uint64_t address)
{
  enum { NEAR = 1 << 20 };
  const size_t above = known_above(check, address);
  const aq_check_known *best = NULL;
  uint64_t least = NEAR;
  if (above > 0) {
    const aq_check_block *b = &check->known[above - 1].block;
    const uint64_t past =
        address < b->base + b->size ? 0 : address - (b->base + b->size);
    if (past < least) {
      best = &check->known[above - 1];
      least = past;
    }
  }
  if (above < check->known_count && least > 0 &&
      check->known[above].block.base - address < least)
    best = &check->known[above];
  return best;
}

void aq_check_allocated(aq_check *check, const aq_check_block *block)
{
  pthread_mutex_lock(&check->lock);
  const size_t at = known_above(check, block->base);
  const aq_check_known made = {.block = *block};
  if (at > 0 && check->known[at - 1].block.base == block->base) {
    check->known[at - 1] = made;
  } else if (AQ_ARRAY_RESERVE(check->known, check->known_capacity,
                              check->known_count + 1)) {
    memmove(&check->known[at + 1], &check->known[at],
            (check->known_count - at) * sizeof *check->known);
    check->known[at] = made;
    check->known_count++;
  } else {
    check->lost = true;
  }
  aq_check_shadow_clear(&check->shadow, block->base, block->size);
  pthread_mutex_unlock(&check->lock);
}

bool aq_check_freed(aq_check *check, uint64_t base,
                    void *const stack[AQ_CHECK_STACK])
{
  pthread_mutex_lock(&check->lock);
  const size_t at = known_above(check, base);
  aq_check_known *known = at > 0 ? &check->known[at - 1] : NULL;
  const bool there = known && known->block.base == base && !known->freed;
  if (there) {
    known->freed = true;
    memcpy(known->freed_by, stack, sizeof known->freed_by);
  }
  pthread_mutex_unlock(&check->lock);
  return there;
}

uint64_t aq_check_memory(aq_wave *w, uint32_t site, const aq_wave_touch *touch)
{
  (void)w, (void)site, (void)touch;
  return 0;
}
