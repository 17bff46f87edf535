/* SPDX-License-Identifier: MIT */
/*
 * Accesses lane by lane, for what access.inc and access_subword.inc do not do
 * at once: of `words` words each (1 to 4), or of bytes and halves. They fault
 * at the first lane that reaches nothing.
 */
#ifndef AQ_GPU_WAVE_CORE_ACCESS_H
#define AQ_GPU_WAVE_CORE_ACCESS_H

#include "gpu/wave/core/execution_state.h"

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

/* A value of 1 or 2 bytes, extended to a word, or in half of the register. */
typedef enum aq_wave_part {
  AQ_WAVE_WHOLE,
  AQ_WAVE_LOW,
  AQ_WAVE_HIGH
} aq_wave_part;

typedef struct aq_wave_small {
  unsigned size; /* bytes */
  bool is_signed;
  aq_wave_part part;
} aq_wave_small;

/* A register whose part gets the value. */
static inline uint32_t aq_wave_small_place(uint32_t old, uint32_t x,
                                           aq_wave_part part)
{
  return part == AQ_WAVE_WHOLE ? x
         : part == AQ_WAVE_LOW ? (old & 0xffff0000) | (x & 0xffff)
                               : (old & 0xffff) | x << 16;
}

typedef const aq_wave_op *aq_wave_small_access(aq_wave *w, const aq_wave_op *o,
                                               aq_wave_small small);

aq_wave_small_access aq_wave_global_small_load, aq_wave_global_small_store,
    aq_wave_flat_small_load, aq_wave_flat_small_store,
    aq_wave_buffer_small_load, aq_wave_buffer_small_store,
    aq_wave_shared_small_load, aq_wave_shared_small_store;

/* Atomics lane by lane. */
aq_wave_handler aq_wave_by_lane_global_atomic, aq_wave_by_lane_global_atomic_x2,
    aq_wave_by_lane_flat_atomic, aq_wave_by_lane_flat_atomic_x2;

/* The entries of a list, by AS. */
/* clang-format off */
#define H_ATOMICS(p)                                                           \
  AS(p##_atomic_swap, p##_atomic), AS(p##_atomic_cmpswap, p##_atomic),         \
      AS(p##_atomic_add, p##_atomic), AS(p##_atomic_sub, p##_atomic),          \
      AS(p##_atomic_smin, p##_atomic), AS(p##_atomic_umin, p##_atomic),        \
      AS(p##_atomic_smax, p##_atomic), AS(p##_atomic_umax, p##_atomic),        \
      AS(p##_atomic_and, p##_atomic), AS(p##_atomic_or, p##_atomic),           \
      AS(p##_atomic_xor, p##_atomic), AS(p##_atomic_inc, p##_atomic),          \
      AS(p##_atomic_dec, p##_atomic), AS(p##_atomic_add_f32, p##_atomic),      \
      AS(p##_atomic_pk_add_f16, p##_atomic),                                   \
      AS(p##_atomic_pk_add_bf16, p##_atomic),                                  \
      AS(p##_atomic_fmin, p##_atomic), AS(p##_atomic_fmax, p##_atomic),        \
      AS(p##_atomic_fcmpswap, p##_atomic),                                     \
      AS(p##_atomic_min_num_f32, p##_atomic),                                  \
      AS(p##_atomic_max_num_f32, p##_atomic), AS(p##_atomic_csub, p##_atomic), \
      AS(p##_atomic_cond_sub_u32, p##_atomic),                                 \
      AS(p##_atomic_fmin_x2, p##_atomic_x2),                                   \
      AS(p##_atomic_fmax_x2, p##_atomic_x2),                                   \
      AS(p##_atomic_fcmpswap_x2, p##_atomic_x2),                               \
      AS(p##_atomic_add_f64, p##_atomic_x2),                                   \
      AS(p##_atomic_min_f64, p##_atomic_x2),                                   \
      AS(p##_atomic_max_f64, p##_atomic_x2),                                   \
      AS(p##_atomic_swap_x2, p##_atomic_x2),                                   \
      AS(p##_atomic_cmpswap_x2, p##_atomic_x2),                                \
      AS(p##_atomic_add_x2, p##_atomic_x2),                                    \
      AS(p##_atomic_sub_x2, p##_atomic_x2),                                    \
      AS(p##_atomic_smin_x2, p##_atomic_x2),                                   \
      AS(p##_atomic_umin_x2, p##_atomic_x2),                                   \
      AS(p##_atomic_smax_x2, p##_atomic_x2),                                   \
      AS(p##_atomic_umax_x2, p##_atomic_x2),                                   \
      AS(p##_atomic_and_x2, p##_atomic_x2),                                    \
      AS(p##_atomic_or_x2, p##_atomic_x2),                                     \
      AS(p##_atomic_xor_x2, p##_atomic_x2),                                    \
      AS(p##_atomic_inc_x2, p##_atomic_x2),                                    \
      AS(p##_atomic_dec_x2, p##_atomic_x2)
/* clang-format on */

/* The host address of a lane's bytes that an instruction of global, flat or
 * scratch memory reads; NULL: `*address` cannot be reached. */
void *aq_wave_lane_at(aq_wave *w, const aq_wave_op *o, int lane, unsigned size,
                      uint64_t *address);

#endif
