/* SPDX-License-Identifier: MIT */
/* Shared by dispatcher.c and dispatcher_policy.c. */
#ifndef AQSIM_DISPATCHER_PRIV_H
#define AQSIM_DISPATCHER_PRIV_H

#include "backend_sim/dispatch/xcc.h"

struct aqsim_dispatcher {
  uint32_t xcc_count;
  uint32_t cus;
  aq_resources cu; /* an empty one */
  bool counts;     /* workgroups by compute unit */
  aq_time used;    /* by the grid that ended last */
  uint64_t submitted;
  aqsim_grid *free;
  aqsim_xcc xccs[];
};

static inline uint32_t aqsim_cu_set_count_of(const aqsim_cu_set *set,
                                             uint32_t xcc)
{
  uint32_t count = 0;
  for (int i = 0; i < AQSIM_CU_WORDS; i++)
    count += (uint32_t)__builtin_popcountll(set->of[xcc].word[i]);
  return count;
}

static inline bool aqsim_cu_set_has(const aqsim_cu_set *set, uint32_t xcc,
                                    uint32_t cu)
{
  return set->of[xcc].word[cu / 64] >> cu % 64 & 1;
}

/* How many complexes have any of them. */
static inline uint32_t aqsim_cu_set_xccs(const aqsim_dispatcher *d,
                                         const aqsim_cu_set *set)
{
  uint32_t count = 0;
  for (uint32_t i = 0; i < d->xcc_count; i++)
    count += aqsim_cu_set_count_of(set, i) > 0;
  return count;
}

/* Deals a budget like workgroups; every complex gets some. */
static inline uint32_t aqsim_budget_share(uint32_t budget, uint32_t xccs,
                                          uint32_t place)
{
  const uint32_t share = budget / xccs + (place < budget % xccs);
  return share ? share : 1;
}

static inline void aqsim_grid_advance(aqsim_grid *grid, aq_time now)
{
  aqsim_dispatcher *d = grid->dispatcher;
  for (uint32_t i = 0; i < d->xcc_count; i++)
    if (grid->parts[i].open)
      aqsim_xcc_advance(&d->xccs[i], now);
}

#endif
