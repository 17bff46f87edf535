/* SPDX-License-Identifier: MIT */
/*
 * Formats of floats of up to 19 bits, as matrix instructions and conversions
 * know them: fp8 and bf8 of gfx942 (FNUZ) and of OCP, fp6, bf6 and fp4 of OCP's
 * microscaling formats, f16, bf16, and xf32, which is f32 without its low 13
 * bits. Included by handlers only.
 */
#ifndef AQ_GPU_WAVE_CORE_SMALL_FLOATS_H
#define AQ_GPU_WAVE_CORE_SMALL_FLOATS_H

#include <math.h>

#include "gpu/wave/core/lanes.h"

typedef enum element_type {
  I8,
  FP8, /* of the target: FNUZ, on gfx950 OCP */
  BF8,
  OCP_FP8,
  OCP_BF8,
  FP6, /* e2m3 */
  BF6, /* e3m2 */
  FP4, /* e2m1 */
  F16,
  BF16,
  XF32,
  F32,
  F64
} element_type;

/* The meaning of the codes of the largest exponent. */
typedef enum element_specials {
  ALL_FINITE,
  IEEE,     /* infinities and NaNs */
  ONES_NAN, /* a NaN where all bits but the sign are set */
  FNUZ,     /* all finite; the NaN is what -0 would be */
} element_specials;

static const struct {
  uint8_t width, mantissa, bias, specials;
  uint8_t bits; /* in a register */
} element_formats[] = {
    [I8] = {8, 0, 0, ALL_FINITE, 8},     [FP8] = {8, 3, 8, FNUZ, 8},
    [BF8] = {8, 2, 16, FNUZ, 8},         [OCP_FP8] = {8, 3, 7, ONES_NAN, 8},
    [OCP_BF8] = {8, 2, 15, IEEE, 8},     [FP6] = {6, 3, 1, ALL_FINITE, 6},
    [BF6] = {6, 2, 3, ALL_FINITE, 6},    [FP4] = {4, 1, 1, ALL_FINITE, 4},
    [F16] = {16, 10, 15, IEEE, 16},      [BF16] = {16, 7, 127, IEEE, 16},
    [XF32] = {19, 10, 127, IEEE, 32},    [F32] = {32, 23, 127, IEEE, 32},
    [F64] = {64, 52, 0, ALL_FINITE, 64},
};

/* The type of a target: the 8-bit floats of gfx950 and gfx12 are OCP's. */
static inline element_type element_of_target(element_type type, uint16_t target)
{
  return !(target & (AQ_ISA_GFX950 | AQ_ISA_GFX12)) ? type
         : type == FP8                              ? OCP_FP8
         : type == BF8                              ? OCP_BF8
                                                    : type;
}

/* 2^e as a double. */
static inline double element_power(int e)
{
  return lane_f64((uint64_t)(e + 1023) << 52);
}

/* A number; finite ones are also m * 2^(e - bits of m). */
typedef struct element_number {
  double value;
  int32_t m, e;
} element_number;

static inline bool element_is_special(element_type type, uint32_t bits)
{
  const int width = element_formats[type].width;
  const int mantissa = element_formats[type].mantissa;
  const uint32_t sign = 1u << (width - 1), size = bits & (sign - 1);
  switch (element_formats[type].specials) {
  case IEEE:
    return size >> mantissa == (sign - 1) >> mantissa;
  case ONES_NAN:
    return size == sign - 1;
  case FNUZ:
    return bits == sign;
  default:
    return false;
  }
}

/* The exponent of a zero is -126, as in sums of gfx942. */
static inline element_number element_split(element_type type, uint32_t bits)
{
  const int mantissa = element_formats[type].mantissa;
  const int bias = element_formats[type].bias;
  const uint32_t sign = 1u << (element_formats[type].width - 1);
  const int exponent = (int)((bits & (sign - 1)) >> mantissa);
  const int fraction = (int)bits & ((1 << mantissa) - 1);
  const bool negative = bits & sign;
  if (element_is_special(type, bits))
    return (element_number){
        .value = element_formats[type].specials != IEEE || fraction ? NAN
                 : negative                                         ? -INFINITY
                                                                    : INFINITY};
  const int m = exponent ? fraction | 1 << mantissa : fraction;
  const int e = (exponent ? exponent : 1) - bias;
  const double value = m * element_power(e - mantissa);
  return (element_number){.value = negative ? -value : value,
                          .m = negative ? -m : m,
                          .e = m ? e : -126};
}

#endif
