/* SPDX-License-Identifier: MIT */
/*
 * Addresses of buffer instructions, by their resource (four scalar registers),
 * and of private memory, which a resource may stand for.
 */
#ifndef AQ_GPU_WAVE_CORE_BUFFER_H
#define AQ_GPU_WAVE_CORE_BUFFER_H

#include "gpu/wave/core/execution_state.h"

/* Where `size` bytes of a lane lie, `first` bytes behind the instruction's
 * offset: the host's address, the wave's `nowhere` if they are out of the
 * buffer's range, or NULL with `*address` if they cannot be reached. */
void *aq_wave_buffer_at(aq_wave *w, const aq_wave_op *o, int lane,
                        unsigned first, unsigned size, bool write,
                        uint64_t *address);

/* A buffer whose lanes differ in their offsets alone: offset 0, and how many
 * bytes are in range from there. */
typedef struct aq_wave_buffer_bytes {
  uint64_t base;
  uint32_t end;
} aq_wave_buffer_bytes;

/* False: the instruction has an index, or its resource swizzles, adds the lane,
 * checks a range otherwise or stands for private memory. */
bool aq_wave_buffer_bytes_find(const aq_wave *w, const aq_wave_op *o,
                               aq_wave_buffer_bytes *out);

/* Private memory is an arena of the wave, in rows as on the hardware: the words
 * of all lanes at one offset lie next to each other. Its resource swizzles so,
 * with AQ_WAVE_PRIVATE_WORD3 as the last word; a resource's scalar offset
 * counts bytes of the arena. */
#define AQ_WAVE_PRIVATE_WORD3 (1u << 23 | 3u << 21 | 1u << 19)

static inline uint64_t aq_wave_private_place(unsigned lane, uint64_t offset)
{
  return offset / 4 * 4 * AQ_WAVE_LANES + 4 * (uint64_t)lane + offset % 4;
}

/* Bytes of a lane's private memory, `first` bytes of the arena further, or
 * NULL. Bytes of several words, at most 16, are a copy: a store to them ends
 * with aq_wave_private_put. */
void *aq_wave_private_at(aq_wave *w, unsigned lane, uint64_t first,
                         uint64_t offset, unsigned size);
void aq_wave_private_put_across(aq_wave *w);

static inline void aq_wave_private_put(aq_wave *w, const void *at)
{
  if (__builtin_expect(at == w->across.bytes, false))
    aq_wave_private_put_across(w);
}

#endif
