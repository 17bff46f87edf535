/* SPDX-License-Identifier: MIT */
/*
 * Accesses of words lane by lane, for what access.inc does not do at once:
 * handlers of `words` words each (1 to 4), that fault at the first lane that
 * reaches nothing.
 */
#ifndef AQ_WAVE_ACCESS_H
#define AQ_WAVE_ACCESS_H

#include "wave/state.h"

typedef const aq_wave_op *aq_wave_access(aq_wave *w, const aq_wave_op *o,
                                         unsigned words);

aq_wave_access aq_wave_global_load, aq_wave_global_store, aq_wave_flat_load,
    aq_wave_flat_store, aq_wave_scratch_load, aq_wave_scratch_store,
    aq_wave_buffer_load, aq_wave_buffer_store, aq_wave_shared_load,
    aq_wave_shared_store;
/* Two elements; their offsets count `scale` elements. */
const aq_wave_op *aq_wave_shared_load2(aq_wave *w, const aq_wave_op *o,
                                       unsigned words, unsigned scale);
const aq_wave_op *aq_wave_shared_store2(aq_wave *w, const aq_wave_op *o,
                                        unsigned words, unsigned scale);

/* The host address of a lane's bytes that an instruction of global, flat or
 * scratch memory reads; NULL: `*address` cannot be reached. */
void *aq_wave_lane_at(aq_wave *w, const aq_wave_op *o, int lane, unsigned size,
                      uint64_t *address);

#endif
