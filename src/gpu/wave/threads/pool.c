/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/wave/threads/pool.h"

#include <sys/mman.h>

enum {
  KEPT_MAX = 128,         /* waves, of 150 KB each if all registers are used */
  SCRATCH_KEPT = 1 << 14, /* bytes of a lane: 1 MB of a wave */
  PAGE = 4096,
  APART = 9 * 64, /* the same place of two waves is in other sets of a cache */
};

/* Pages are there once they are touched. */
static void *pages_take(size_t size)
{
  void *pages = mmap(NULL, size, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return pages == MAP_FAILED ? NULL : pages;
}

static void scratch_drop(aq_wave *w)
{
  if (w->scratch)
    munmap(w->scratch, (size_t)w->scratch_room * AQ_WAVE_LANES);
  w->scratch = NULL;
  w->scratch_room = 0;
}

/* A wave lies behind the begin of its pages. */
static aq_wave *wave_take(aq_wave_pool *pool)
{
  uint8_t *pages = pages_take(sizeof(aq_wave) + PAGE);
  if (!pages)
    return NULL;
  pool->skew = (pool->skew + APART) % PAGE;
  return (aq_wave *)(void *)(pages + pool->skew);
}

static void wave_free(aq_wave *w)
{
  scratch_drop(w);
  munmap((uint8_t *)w - (uintptr_t)w % PAGE, sizeof *w + PAGE);
}

aq_wave *aq_wave_pool_acquire(aq_wave_pool *pool, uint32_t scratch)
{
  aq_wave *w = pool->first;
  if (w) {
    pool->first = w->next;
    pool->count--;
  } else {
    w = wave_take(pool);
  }
  if (!w)
    return NULL;
  w->scratch_size = scratch;
  if (w->scratch_room >= scratch)
    return w;
  scratch_drop(w);
  w->scratch = pages_take((size_t)scratch * AQ_WAVE_LANES);
  if (!w->scratch) {
    wave_free(w);
    return NULL;
  }
  w->scratch_room = scratch;
  return w;
}

void aq_wave_pool_release(aq_wave_pool *pool, aq_wave *w)
{
  if (pool->count == KEPT_MAX) {
    wave_free(w);
    return;
  }
  if (w->scratch_room > SCRATCH_KEPT)
    scratch_drop(w);
  w->next = pool->first;
  pool->first = w;
  pool->count++;
}

void aq_wave_pool_fini(aq_wave_pool *pool)
{
  while (pool->first) {
    aq_wave *w = pool->first;
    pool->first = w->next;
    wave_free(w);
  }
  pool->count = 0;
}
