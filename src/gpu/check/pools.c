/* SPDX-License-Identifier: MIT */
/*
 * Memory of a pool that the program's runtime keeps for itself: hipFreeAsync
 * returns it in the order of a stream, and hipMallocAsync may give it out again
 * before the stream is there. A free stands for the packet that its call
 * published, a later allocation of the same memory for the moment behind it.
 */
#include "config.h"

#include <string.h>

#include "common/allocations.h"
#include "common/array.h"
#include "gpu/check/core/core.h"

/* The allocation that begins at an address, or NULL. */
static aq_check_known *known_at(aq_check *check, uint64_t base)
{
  const size_t i = aq_check_known_from(check, base);
  return i < check->known_count && check->known[i].block.base == base
             ? &check->known[i]
             : NULL;
}

/* The last change of memory that is to come, or NULL. */
static aq_check_pool_change *change_last(aq_check *check, uint64_t base)
{
  aq_check_pool_change *found = NULL;
  for (size_t i = 0; i < check->pool_count; i++)
    if (check->pool[i].base == base)
      found = &check->pool[i];
  return found;
}

static void change_add(aq_check *check, const aq_check_pool_change *change)
{
  if (!AQ_ARRAY_PUSH(check->pool, check->pool_count, check->pool_capacity,
                     *change))
    check->lost = true;
}

static void change_remove(aq_check *check, size_t i)
{
  check->pool_count--;
  memmove(&check->pool[i], &check->pool[i + 1],
          (check->pool_count - i) * sizeof *check->pool);
}

/* ---- changes ---- */

/* The memory is another block from now on, and holds nothing. Where kernels may
 * still use its old contents, it is not filled and counts as written. */
static void block_begin(aq_check *check, const aq_check_pool_change *change,
                        bool in_use)
{
  const aq_check_known *old = known_at(check, change->base);
  if (!old)
    return;
  aq_check_known made = {.block = old->block, .pooled = true};
  aq_check_block *block = &made.block;
  block->size = change->size;
  memcpy(block->stack, change->stack, sizeof block->stack);
  block->unwritten =
      !in_use && aq_check_is_fresh(check, block) &&
      aq_check_fill(check, block,
                    (void *)(uintptr_t)aq_allocations_reach(
                        check->options.allocations, block->base));
  check->pool_in_use += in_use && aq_check_is_fresh(check, block);
  made.begins_unwritten = block->unwritten;
  aq_check_known_begin(check, &made);
}

/* `act` is the packet that stands for the free; NULL: it is not known. */
static void block_end(aq_check *check, const aq_check_pool_change *change,
                      aq_hb_event *act)
{
  static const char name[] = "hipFreeAsync";
  aq_check_known *known = known_at(check, change->base);
  if (!known || known->freed)
    return;
  known->freed = true;
  memcpy(known->freed_by, change->stack, sizeof known->freed_by);
  check->known_epoch++;
  if (!act || !(check->options.checks & AQ_CHECK_RACE))
    return;
  act->kernel = aq_names_id(&check->names, name, sizeof name - 1);
  aq_check_race_range(check, act, known->block.base, known->block.size, true);
}

/* Makes a free, which is at i, and the allocation behind it, if there is one.
 */
static void change_make(aq_check *check, size_t i, aq_hb_event *act)
{
  const uint64_t base = check->pool[i].base;
  block_end(check, &check->pool[i], act);
  change_remove(check, i);
  while (i < check->pool_count && check->pool[i].base != base)
    i++;
  if (i == check->pool_count || check->pool[i].queue)
    return;
  block_begin(check, &check->pool[i], false);
  change_remove(check, i);
}

void aq_check_pool_complete(aq_check *check, const aq_order_packet *packet)
{
  for (size_t i = 0; i < check->pool_count;)
    if (check->pool[i].queue == packet->queue &&
        check->pool[i].packet == packet->id)
      change_make(check, i,
                  aq_hb_packet(check->order, packet->queue, packet->id));
    else
      i++;
}

void aq_check_pool_queue_gone(aq_check *check, const aq_amd_queue *queue)
{
  for (size_t i = 0; i < check->pool_count;)
    if (check->pool[i].queue && (!queue || check->pool[i].queue == queue))
      change_make(check, i, NULL);
    else
      i++;
}

/* ---- calls ---- */

/* All before has happened: the runtime saw it, or the packets have completed.
 */
static void changes_make(aq_check *check, uint64_t base)
{
  for (size_t i = 0; i < check->pool_count;)
    if (check->pool[i].base == base && check->pool[i].queue)
      change_make(check, i, NULL);
    else
      i++;
}

void aq_check_pool_allocated(aq_check *check, uint64_t base, uint64_t size,
                             const void *stream,
                             void *const stack[AQ_CHECK_STACK])
{
  aq_check_pool_change made = {.base = base, .size = size, .stream = stream};
  memcpy(made.stack, stack, sizeof made.stack);
  pthread_mutex_lock(&check->lock);
  const aq_check_pool_change *last = change_last(check, base);
  const bool pending = last != NULL, same = pending && last->stream == stream;
  if (pending && !same)
    changes_make(check, base); /* `last` is gone */
  aq_check_known *known = known_at(check, base);
  if (same)
    change_add(check, &made);
  else if (known && known->pooled)
    block_begin(check, &made, pending);
  else if (known)
    known->pooled = true;
  pthread_mutex_unlock(&check->lock);
}

void aq_check_pool_frees(aq_check *check, uint64_t base, const void *stream,
                         const aq_amd_queue *queue, uint64_t packet,
                         void *const stack[AQ_CHECK_STACK])
{
  aq_check_pool_change made = {
      .base = base, .queue = queue, .packet = packet, .stream = stream};
  memcpy(made.stack, stack, sizeof made.stack);
  pthread_mutex_lock(&check->lock);
  const aq_check_known *known = known_at(check, base);
  aq_check_pool_change *last = change_last(check, base);
  if (last && last->queue)
    *last = made; /* another packet of the same call */
  else if (known && known->pooled)
    change_add(check, &made);
  /* A device that polls may have been faster than the doorbell. */
  if (aq_hb_is_complete(check->order, queue, packet))
    changes_make(check, base);
  pthread_mutex_unlock(&check->lock);
}

void aq_check_pool_freed(aq_check *check, uint64_t base, bool now,
                         void *const stack[AQ_CHECK_STACK])
{
  aq_check_pool_change made = {.base = base};
  memcpy(made.stack, stack, sizeof made.stack);
  pthread_mutex_lock(&check->lock);
  const aq_check_known *known = known_at(check, base);
  if (known && known->pooled && !known->freed && !change_last(check, base)) {
    if (now)
      block_end(check, &made, NULL);
    else
      check->pool_unseen++;
  }
  pthread_mutex_unlock(&check->lock);
}
