/* SPDX-License-Identifier: MIT */
/*
 * Addresses in LDS, for its handlers.
 */
#ifndef AQ_GPU_WAVE_MEMORY_LDS_H
#define AQ_GPU_WAVE_MEMORY_LDS_H

#include "gpu/wave/core/execution_state.h"

/* The host address of `size` bytes, or NULL: they are not in the workgroup's
 * LDS. */
static inline uint8_t *aq_wave_shared_at(const aq_wave *w, uint32_t address,
                                         unsigned size)
{
  const uint32_t end = w->grid->lds_size;
  return __builtin_expect(address <= end && size <= end - address, true)
             ? w->group->lds + address
             : NULL;
}

/* M0 as an address: 16 bits, 18 where LDS has 160 KiB. */
static inline uint32_t aq_wave_shared_base(const aq_wave *w,
                                           const aq_wave_op *o)
{
  const bool large = o->decoded->inst.target == AQ_ISA_GFX950;
  return w->s[AQ_ISA_M0] & (large ? 0x3ffff : 0xffff);
}

/* Stops the grid for an address outside of LDS. */
const aq_wave_op *aq_wave_shared_miss(aq_wave *w, const aq_wave_op *o, int lane,
                                      uint32_t address);

#endif
