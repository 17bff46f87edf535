/* SPDX-License-Identifier: MIT */
/*
 * NaNs and infinities that instructions make of finite values, followed through
 * registers to the memory that they reach; and denormals that MODE flushes.
 * Within check only, under its lock.
 */
#ifndef AQ_GPU_CHECK_NAN_TRACKING_H
#define AQ_GPU_CHECK_NAN_TRACKING_H

#include "gpu/check/core/core.h"

/* The floats in a register. */
typedef enum aq_check_float {
  AQ_CHECK_FLOAT_NONE, /* bits are moved */
  AQ_CHECK_FLOAT_ELSE, /* integers, or formats that are not followed */
  AQ_CHECK_FLOAT_HALF, /* f16 in the lower half */
  AQ_CHECK_FLOAT_HALVES,
  AQ_CHECK_FLOAT_BRAIN, /* bf16 in both halves */
  AQ_CHECK_FLOAT_SINGLE,
  AQ_CHECK_FLOAT_DOUBLE, /* in two registers */
  AQ_CHECK_FLOAT_MIXED,  /* f16 or f32 */
} aq_check_float;

/* A value that is no number, in one of these ways. */
typedef enum aq_check_odd_kind {
  AQ_CHECK_ODD_INFINITY,
  AQ_CHECK_ODD_NAN,
  AQ_CHECK_ODD_NAN_OF_INFINITY,
  AQ_CHECK_ODD_NAN_LATER, /* an infinity, of which a NaN was made */
} aq_check_odd_kind;

/* Where a value was made: a site, and how. 0: by no instruction that was seen.
 */
typedef uint32_t aq_check_maker;

static inline aq_check_maker aq_check_maker_of(uint32_t site,
                                               aq_check_odd_kind kind)
{
  return site << 2 | kind;
}

static inline uint32_t aq_check_maker_site(aq_check_maker maker)
{
  return maker >> 2;
}

static inline aq_check_odd_kind aq_check_maker_kind(aq_check_maker maker)
{
  return (aq_check_odd_kind)(maker & 3);
}

/* The registers of a wave that have such values: of each row the lanes, and the
 * maker of the first one; of a scalar the value that it had. */
typedef struct aq_check_odd {
  uint64_t lanes[2 * AQ_WAVE_ACC];
  aq_check_maker by[2 * AQ_WAVE_ACC], scalar_by[128];
  uint32_t scalar[128];
  uint32_t rows; /* that have lanes */
  bool scalars;  /* one of them has a maker */
} aq_check_odd;

/* Fills the facts of a site for `float`. */
void aq_check_float_site(aq_check_site *site);

/* The wave has none. */
void aq_check_float_begin(aq_check_odd *odd);

/* Runs an instruction that accesses no memory. */
const aq_wave_op *aq_check_float_run(aq_wave *w, const aq_wave_op *o,
                                     uint32_t number);

/* Before an access to memory: stores are reported, loads bring new values. */
void aq_check_float_memory(aq_wave *w, uint32_t number,
                           const aq_wave_access_info *touch);

#endif
