/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "wave/pool.h"

#include <sys/mman.h>

enum { KEPT_MAX = 128 /* waves, of 150 KB each if all registers are used */ };

aq_wave *aq_wave_pool_take(aq_wave_pool *pool)
{
  aq_wave *w = pool->first;
  if (w) {
    pool->first = w->next;
    pool->count--;
    return w;
  }
  w = mmap(NULL, sizeof *w, PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return w == MAP_FAILED ? NULL : w;
}

void aq_wave_pool_give(aq_wave_pool *pool, aq_wave *w)
{
  if (pool->count == KEPT_MAX) {
    munmap(w, sizeof *w);
    return;
  }
  w->next = pool->first;
  pool->first = w;
  pool->count++;
}

void aq_wave_pool_fini(aq_wave_pool *pool)
{
  while (pool->first) {
    aq_wave *w = pool->first;
    pool->first = w->next;
    munmap(w, sizeof *w);
  }
  pool->count = 0;
}
