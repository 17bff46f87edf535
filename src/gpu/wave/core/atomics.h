/* SPDX-License-Identifier: MIT */
/*
 * Read-modify-write operations of memory instructions: what becomes of the old
 * value. Global memory changes by the host's atomics, so that host threads and
 * other waves see each change whole; LDS belongs to one thread.
 */
#ifndef AQ_GPU_WAVE_CORE_ATOMICS_H
#define AQ_GPU_WAVE_CORE_ATOMICS_H

#include "gpu/wave/core/lanes.h"

typedef enum aq_wave_atomic {
  AQ_WAVE_NO_ATOMIC,
  AQ_WAVE_SWAP,
  AQ_WAVE_CMPSWAP, /* b the new value, c the one expected */
  AQ_WAVE_ADD,
  AQ_WAVE_SUB,
  AQ_WAVE_RSUB,
  AQ_WAVE_SMIN,
  AQ_WAVE_UMIN,
  AQ_WAVE_SMAX,
  AQ_WAVE_UMAX,
  AQ_WAVE_AND,
  AQ_WAVE_OR,
  AQ_WAVE_XOR,
  AQ_WAVE_INC, /* back to 0 above b */
  AQ_WAVE_DEC, /* back to b at 0 and above b */
  AQ_WAVE_MSKOR,
  AQ_WAVE_WRAP,
  AQ_WAVE_ADD_F, /* f32 or f64, by the width */
  AQ_WAVE_MIN_F,
  AQ_WAVE_MAX_F,
  AQ_WAVE_MIN_NUM_F, /* gfx12: of two NaNs b's, made quiet; -0 is below +0 */
  AQ_WAVE_MAX_NUM_F,
  AQ_WAVE_CMPSWAP_F,
  AQ_WAVE_SUB_CLAMP, /* not below 0 */
  AQ_WAVE_COND_SUB,  /* nothing where it would be below 0 */
  AQ_WAVE_PK_ADD_F16,
  AQ_WAVE_PK_ADD_BF16,
} aq_wave_atomic;

/* The operation of an instruction such as "global_atomic_add_x2" or
 * "ds_add_rtn_u64"; NO_ATOMIC for any other. */
aq_wave_atomic aq_wave_atomic_named(const char *name);

/* Whether a target does nothing where the memory is fine-grained, and the old
 * value is 0: only its cache computes with floats, and does not keep such
 * memory. Source: AMD's page "Hardware atomics operation support", of MI100,
 * MI200, gfx10 (minima and maxima) and gfx11. */
bool aq_wave_atomic_is_dropped(aq_wave_atomic op, uint16_t target);

uint32_t aq_wave_atomic32(aq_wave_atomic op, uint32_t old, uint32_t b,
                          uint32_t c);
uint64_t aq_wave_atomic64(aq_wave_atomic op, uint64_t old, uint64_t b,
                          uint64_t c);

/* The same at an address of the host that is aligned, whole for all threads;
 * the result is the old value. By compare and swap. */
uint32_t aq_wave_compute32(aq_wave_atomic op, void *at, uint32_t b, uint32_t c);
uint64_t aq_wave_compute64(aq_wave_atomic op, void *at, uint64_t b, uint64_t c);

/* The same; by one instruction where the host has it. */
#define AQ_WAVE_EXCHANGE(bits)                                                 \
  static inline uint##bits##_t aq_wave_exchange##bits(                         \
      aq_wave_atomic op, void *at, uint##bits##_t b, uint##bits##_t c)         \
  {                                                                            \
    uint##bits##_t *p = at;                                                    \
    switch (op) {                                                              \
    case AQ_WAVE_ADD:                                                          \
      return __atomic_fetch_add(p, b, __ATOMIC_SEQ_CST);                       \
    case AQ_WAVE_SUB:                                                          \
      return __atomic_fetch_sub(p, b, __ATOMIC_SEQ_CST);                       \
    case AQ_WAVE_SWAP:                                                         \
      return __atomic_exchange_n(p, b, __ATOMIC_SEQ_CST);                      \
    default:                                                                   \
      return aq_wave_compute##bits(op, at, b, c);                              \
    }                                                                          \
  }
AQ_WAVE_EXCHANGE(32)
AQ_WAVE_EXCHANGE(64)

/* Whether memory still has the old value behind an atomic: a compare-and-swap
 * that failed, or a lock that another one holds, is a read. */
static inline bool aq_wave_atomic_is_read(const void *at, unsigned size,
                                          uint64_t old)
{
  return size == 4
             ? __atomic_load_n((const uint32_t *)at, __ATOMIC_RELAXED) == old
             : __atomic_load_n((const uint64_t *)at, __ATOMIC_RELAXED) == old;
}

#endif
