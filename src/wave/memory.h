/* SPDX-License-Identifier: MIT */
/* Where the lanes of vector memory instructions access memory. Within wave. */
#ifndef AQ_WAVE_MEMORY_H
#define AQ_WAVE_MEMORY_H

#include "wave/state.h"

/* Of flat, global and scratch instructions. */
void aq_wave_addresses_read(const aq_wave *wave, const aq_wave_op *op,
                            uint64_t addresses[AQ_WAVE_LANES]);

/* Where a lane's bytes lie in this process, or NULL with a fault. `chunk`: how
 * many of them lie together there; scratch is swizzled. */
unsigned char *aq_wave_lane_locate(aq_wave *wave, const aq_wave_op *op,
                                   uint64_t address, unsigned bytes,
                                   unsigned lane, bool write, unsigned *chunk);

/* Where bytes of LDS lie, or NULL with a fault. */
unsigned char *aq_wave_lds_locate(aq_wave *wave, const aq_wave_op *op,
                                  uint32_t address, unsigned bytes);

#endif
