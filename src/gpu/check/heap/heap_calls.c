/* SPDX-License-Identifier: MIT */
/* Calls of malloc() and free() in kernels. */
#include "config.h"

#include "gpu/check/core/heap.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/allocations.h"
#include "gpu/wave/core/code.h"

/* s[30:31] has the place behind a call, v[0:1] the argument and the result. */
enum { RETURN = 30 };

/* A wave in the allocator. */
typedef struct aq_check_heap_wave {
  bool inside, allocates;
  uint64_t back;        /* where it returns to */
  uint32_t site, outer; /* the call; the last call of a wrapper */
  uint64_t sizes[AQ_WAVE_LANES];
} aq_check_heap_wave;

/* The allocation that an address lies in. */
static aq_check_known *known_of(aq_check *check, uint64_t address)
{
  const size_t i = aq_check_known_from(check, address);
  return i < check->known_count && check->known[i].block.base <= address
             ? &check->known[i]
             : NULL;
}

bool aq_check_heap_is_inside(const aq_wave *w)
{
  const aq_check_heap_wave *waves = aq_check_group_of(w)->heap;
  return waves && waves[w->number].inside;
}

static uint64_t pair_get(const aq_wave *w, int lane)
{
  return w->v[0][lane] | (uint64_t)w->v[1][lane] << 32;
}

static aq_check_heap_call call_of(const aq_wave *w, uint32_t site)
{
  const aq_check_grid *grid = aq_check_grid_of(w);
  return (aq_check_heap_call){grid->kernel, grid->entry, site};
}

static void block_allocated(aq_wave *w, uint32_t site, uint64_t device,
                            uint64_t size)
{
  aq_check *check = aq_check_grid_of(w)->check;
  const uint64_t base = aq_address_host(device);
  aq_check_known *known = known_of(check, base);
  const aq_check_heap_block made = {
      .base = base, .size = size, .made = call_of(w, site)};
  if (!known || known->freed || size == 0 || base % AQ_CHECK_HEAP_ALIGN ||
      size > known->block.base + known->block.size - base)
    return;
  check->lost |= !aq_check_heap_put(known, &made);
  check->known_epoch++;
  aq_check_shadow_clear(&check->shadow, base, size);
  void *to = check->options.checks & AQ_CHECK_INIT
                 ? aq_wave_translate(w->grid, device, size, true)
                 : NULL;
  if (!to)
    return;
  aq_check_pattern_put(to, base, size);
  aq_uninit_shadow_set(&check->unwritten, base, size, true);
}

static void free_report(aq_wave *w, uint32_t site, int lane, uint64_t address,
                        bool twice)
{
  char text[AQ_CHECK_TEXT];
  snprintf(text, sizeof text, "free of 0x%" PRIx64 " %s", address,
           twice ? "which was freed before"
                 : "which is not the begin of a block of malloc()");
  const aq_check_what what = {.check = AQ_CHECK_MEMORY,
                              .kind = twice ? "double free" : "invalid free",
                              .wave = w,
                              .act = aq_check_grid_of(w)->act,
                              .site = site,
                              .lane = lane,
                              .lanes = 1,
                              .has_address = true,
                              .has_place = true,
                              .address = address,
                              .other_kernel = -1,
                              .message = text};
  aq_check_report(aq_check_grid_of(w)->check, &what);
}

/* False: the block must not be freed. */
static bool block_freed(aq_wave *w, uint32_t site, int lane, uint64_t device)
{
  aq_check *check = aq_check_grid_of(w)->check;
  const uint64_t base = aq_address_host(device);
  aq_check_known *known = known_of(check, base);
  if (base == 0 || !known || (!known->heap && known->block.ours))
    return true; /* made before the checker saw any, or by another allocator */
  aq_check_heap_block *block = aq_check_heap_at(known, base);
  const bool begins = block && block->base == base;
  if (!begins || block->freed) {
    if (check->options.checks & AQ_CHECK_MEMORY)
      free_report(w, site, lane, base, begins);
    return !(check->options.checks & AQ_CHECK_MEMORY);
  }
  block->freed = true;
  block->gone = call_of(w, site);
  check->known_epoch++;
  if (check->options.checks & AQ_CHECK_INIT) /* the allocator may read it */
    aq_uninit_shadow_set(&check->unwritten, base, block->size, false);
  return true;
}

/* The arguments of a call. A pointer that must not be freed becomes NULL, which
 * the function leaves alone. */
static void call_begin(aq_wave *w, aq_check_heap_wave *mine, uint32_t site,
                       bool allocates)
{
  mine->inside = true;
  mine->allocates = allocates;
  mine->back = w->s64[RETURN / 2];
  mine->site = site;
  for (uint64_t rest = AQ_WAVE_EXEC(w); rest; rest &= rest - 1) {
    const int l = __builtin_ctzll(rest);
    if (allocates)
      mine->sizes[l] = pair_get(w, l);
    else if (!block_freed(w, site, l, pair_get(w, l)))
      w->v[0][l] = w->v[1][l] = 0;
  }
}

static void call_end(aq_wave *w, aq_check_heap_wave *mine)
{
  mine->inside = false;
  for (uint64_t rest = mine->allocates ? AQ_WAVE_EXEC(w) : 0; rest;
       rest &= rest - 1) {
    const int l = __builtin_ctzll(rest);
    if (pair_get(w, l))
      block_allocated(w, mine->site, pair_get(w, l), mine->sizes[l]);
  }
}

void aq_check_heap_step(aq_wave *w, const aq_wave_op *next, uint32_t site)
{
  aq_check *check = aq_check_grid_of(w)->check;
  aq_check_group *group = aq_check_group_of(w);
  if (!next || check->heap_count == 0)
    return;
  const uint64_t pc = aq_wave_code_pc(next);
  const aq_check_heap_role role = aq_check_heap_role_at(check, pc, true);
  if (!group->heap && role != AQ_CHECK_HEAP_NONE &&
      !(group->heap = calloc(w->grid->waves, sizeof *group->heap)))
    check->lost = true;
  if (!group->heap)
    return;
  aq_check_heap_wave *mine = &group->heap[w->number];
  const bool wrapped = aq_check_heap_role_at(check, check->sites[site - 1].pc,
                                             false) == AQ_CHECK_HEAP_WRAPS;
  if (mine->inside && pc == mine->back)
    call_end(w, mine);
  else if (mine->inside)
    return;
  else if (role == AQ_CHECK_HEAP_WRAPS && !wrapped)
    mine->outer = site;
  else if (role == AQ_CHECK_HEAP_ALLOCATES || role == AQ_CHECK_HEAP_FREES)
    call_begin(w, mine, wrapped && mine->outer ? mine->outer : site,
               role == AQ_CHECK_HEAP_ALLOCATES);
}

void aq_check_heap_group_clear(aq_check_group *group, const aq_wave_grid *grid)
{
  for (uint32_t i = 0; group->heap && i < grid->waves; i++)
    group->heap[i].inside = false;
}

void aq_check_heap_group_fini(aq_check_group *group)
{
  free(group->heap);
}

void aq_check_heap_leaks(aq_check *check, const aq_check_known *known)
{
  char text[AQ_CHECK_TEXT];
  const aq_check_heap_block *b;
  for (size_t i = 0; (b = aq_check_heap_each(known, &i));) {
    if (b->freed)
      continue;
    const aq_check_origin by = {.kernel = b->made.kernel,
                                .entry = b->made.entry};
    snprintf(text, sizeof text,
             "%" PRIu64 " bytes of a kernel's malloc() were never freed",
             b->size);
    const aq_check_what what = {.check = AQ_CHECK_LEAK,
                                .kind = "leak",
                                .by = &by,
                                .site = b->made.site,
                                .lane = -1,
                                .has_address = true,
                                .has_place = true,
                                .address = b->base,
                                .other_kernel = -1,
                                .message = text};
    aq_check_report(check, &what);
  }
}
