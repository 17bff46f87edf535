/* SPDX-License-Identifier: MIT */
/*
 * Addresses of buffer instructions, by their resource (four scalar registers),
 * and of private memory, which a resource may stand for.
 */
#ifndef AQ_WAVE_BUFFER_H
#define AQ_WAVE_BUFFER_H

#include "wave/state.h"

/* Where `size` bytes of a lane lie, `first` bytes behind the instruction's
 * offset: the host's address, the wave's `nowhere` if they are out of the
 * buffer's range, or NULL with `*address` if they cannot be reached. */
void *aq_wave_buffer_at(aq_wave *w, const aq_wave_op *o, int lane,
                        unsigned first, unsigned size, bool write,
                        uint64_t *address);

/* Bytes of a lane's private memory, or NULL. */
static inline void *aq_wave_private_at(const aq_wave *w, int lane,
                                       uint64_t offset, unsigned size)
{
  if (offset > w->scratch_size || size > w->scratch_size - offset)
    return NULL;
  return w->scratch + (uint64_t)w->scratch_size * (unsigned)lane + offset;
}

#endif
