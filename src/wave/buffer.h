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

/* Bytes from a lane's private memory to the next one's: one line more than is
 * needed, so that the lanes' words at one offset lie in different cache sets.
 */
static inline uint64_t aq_wave_private_stride(uint32_t size)
{
  return (uint64_t)size + 64;
}

/* Bytes of a lane's private memory, or NULL. */
static inline void *aq_wave_private_at(const aq_wave *w, int lane,
                                       uint64_t offset, unsigned size)
{
  if (offset > w->scratch_size || size > w->scratch_size - offset)
    return NULL;
  return w->scratch + aq_wave_private_stride(w->scratch_size) * (unsigned)lane +
         offset;
}

/* Moves words of private memory between the data registers and the lanes, where
 * the instruction's resource stands for it and all lanes stay inside. False:
 * nothing was moved. */
bool aq_wave_private_load(aq_wave *w, const aq_wave_op *o, unsigned words);
bool aq_wave_private_store(aq_wave *w, const aq_wave_op *o, unsigned words);

#endif
