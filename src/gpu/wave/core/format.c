/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/wave/core/format.h"

#include <math.h>
#include <string.h>

#include "gpu/wave/core/lanes.h"

enum { LAYOUTS = 18 };

/* By gfx9's numbers. */
static const uint8_t layouts[LAYOUTS][AQ_WAVE_COMPONENTS] = {
    [1] = {8},
    [2] = {16},
    [3] = {8, 8},
    [4] = {32},
    [5] = {16, 16},
    [6] = {11, 11, 10},
    [7] = {10, 11, 11},
    [8] = {2, 10, 10, 10},
    [AQ_WAVE_LAYOUT_2101010] = {10, 10, 10, 2},
    [10] = {8, 8, 8, 8},
    [11] = {32, 32},
    [12] = {16, 16, 16, 16},
    [13] = {32, 32, 32},
    [14] = {32, 32, 32, 32},
    [AQ_WAVE_LAYOUT_565] = {5, 6, 5},
    [AQ_WAVE_LAYOUT_1555] = {5, 5, 5, 1},
};

static bool is_valid(const uint8_t *bits, unsigned number)
{
  const bool words = bits[0] == 32, halves = bits[0] == 16,
             packed = bits[0] >= 10 && bits[1] == 11;
  switch (number) {
  case AQ_WAVE_FLOAT:
    return words || halves || packed;
  case AQ_WAVE_UINT:
  case AQ_WAVE_SINT:
    return bits[0] != 5;
  case AQ_WAVE_SRGB:
    return bits[0] == 8;
  case AQ_WAVE_UNORM:
    return !words;
  default:
    return number <= AQ_WAVE_SSCALED && !words && bits[0] != 5;
  }
}

bool aq_wave_format_find(unsigned layout, unsigned number, aq_wave_format *out)
{
  const uint8_t *bits = layout < LAYOUTS ? layouts[layout] : layouts[0];
  if (!bits[0] || !is_valid(bits, number))
    return false;
  out->bits = bits;
  out->number = (aq_wave_number)number;
  out->bytes = 0;
  for (unsigned i = 0; i < AQ_WAVE_COMPONENTS; i++)
    out->bytes += bits[i];
  out->bytes /= 8;
  return true;
}

unsigned aq_wave_format_layout(unsigned components, unsigned size)
{
  for (unsigned f = 1; components && f < AQ_WAVE_LAYOUT_565; f++) {
    const uint8_t *bits = layouts[f];
    const unsigned last = components - 1;
    if (last < AQ_WAVE_COMPONENTS && bits[0] == 8 * size / components &&
        bits[last] == bits[0] &&
        (components == AQ_WAVE_COMPONENTS || !bits[components]))
      return f;
  }
  return 0;
}

/* ---- from memory ---- */

/* Floats of 10 and 11 bits: no sign, 5 bits of exponent. */
static float small_float(uint32_t x, unsigned bits)
{
  const unsigned mantissa = bits - 5, e = x >> mantissa,
                 m = x & ((1u << mantissa) - 1);
  return lane_f16((uint16_t)(e << 10 | m << (10 - mantissa)));
}

/* The curve of IEC 61966-2-1. */
static double linear_from_standard(double x)
{
  return x <= 0.04045 ? x / 12.92 : pow((x + 0.055) / 1.055, 2.4);
}

static uint32_t component_read(aq_wave_number n, uint32_t x, unsigned bits)
{
  const int32_t s = (int32_t)(x << (32 - bits)) >> (32 - bits);
  const double most = (double)((UINT64_C(1) << bits) - 1),
               most_signed = (double)((UINT64_C(1) << (bits - 1)) - 1);
  switch (n) {
  case AQ_WAVE_UNORM:
    return lane_bits32((float)((double)x / most));
  case AQ_WAVE_SNORM:
    return lane_bits32((float)fmax((double)s / fmax(most_signed, 1), -1));
  case AQ_WAVE_USCALED:
    return lane_bits32((float)x);
  case AQ_WAVE_SSCALED:
    return lane_bits32((float)s);
  case AQ_WAVE_SINT:
    return (uint32_t)s;
  case AQ_WAVE_FLOAT:
    return bits == 32   ? x
           : bits == 16 ? lane_bits32(lane_f16((uint16_t)x))
                        : lane_bits32(small_float(x, bits));
  case AQ_WAVE_SRGB:
    return lane_bits32((float)linear_from_standard((double)x / most));
  default:
    return x;
  }
}

static uint32_t bits_at(const uint8_t *from, unsigned first, unsigned bits)
{
  uint64_t x = 0;
  memcpy(&x, from + first / 8, (first % 8 + bits + 7) / 8);
  return (uint32_t)(x >> (first % 8) & ((UINT64_C(1) << bits) - 1));
}

/* The number that the i-th component has. */
static aq_wave_number number_at(const aq_wave_format *f, unsigned i)
{
  return f->number == AQ_WAVE_SRGB && i == 3 ? AQ_WAVE_UNORM : f->number;
}

/* Missing components are 0, the last one is 1. */
void aq_wave_format_read(const aq_wave_format *f, const uint8_t *from,
                         uint32_t out[AQ_WAVE_COMPONENTS])
{
  const uint32_t one = aq_wave_format_is_integer(f) ? 1 : lane_bits32(1);
  uint32_t in[AQ_WAVE_COMPONENTS] = {0, 0, 0, one};
  for (unsigned i = 0, first = 0; i < AQ_WAVE_COMPONENTS && f->bits[i]; i++) {
    in[i] = component_read(number_at(f, i), bits_at(from, first, f->bits[i]),
                           f->bits[i]);
    first += f->bits[i];
  }
  for (unsigned i = 0; i < AQ_WAVE_COMPONENTS; i++)
    out[i] = f->select[i] >= AQ_WAVE_SELECT_FIRST
                 ? in[f->select[i] - AQ_WAVE_SELECT_FIRST]
             : f->select[i] == AQ_WAVE_SELECT_1 ? one
                                                : 0;
}

/* ---- to memory ---- */

static bool component_write(aq_wave_number n, uint32_t x, unsigned bits,
                            uint32_t *out)
{
  const uint64_t ones = (UINT64_C(1) << bits) - 1;
  const double most = (double)ones, most_signed = (double)(ones >> 1);
  const double a = (double)lane_f32(x), zero = a == a ? a : 0;
  const int32_t s = (int32_t)(x << (32 - bits)) >> (32 - bits);
  switch (n) {
  case AQ_WAVE_UNORM:
    *out = (uint32_t)roundeven(fmin(fmax(zero, 0), 1) * most);
    return true;
  case AQ_WAVE_SNORM:
    *out = (uint32_t)(int32_t)roundeven(fmin(fmax(zero, -1), 1) * most_signed);
    return true;
  case AQ_WAVE_USCALED:
    *out = a >= 0 && a <= most ? (uint32_t)a : 0;
    return a == (double)*out;
  case AQ_WAVE_SSCALED:
    *out = a >= -most_signed - 1 && a <= most_signed ? (uint32_t)(int32_t)a : 0;
    return a == (double)(int32_t)*out;
  case AQ_WAVE_UINT:
    *out = x;
    return x <= ones;
  case AQ_WAVE_SINT:
    *out = x;
    return s == (int32_t)x;
  case AQ_WAVE_SRGB: /* no runtime writes such images */
    *out = 0;
    return false;
  default:
    *out = bits == 32 ? x : lane_bits16(lane_f32(x));
    return bits >= 16;
  }
}

static void bits_put(uint8_t *to, unsigned first, unsigned bits, uint32_t x)
{
  const unsigned bytes = (first % 8 + bits + 7) / 8;
  const uint64_t mask = ((UINT64_C(1) << bits) - 1) << (first % 8);
  uint64_t old = 0;
  memcpy(&old, to + first / 8, bytes);
  old = (old & ~mask) | ((uint64_t)x << (first % 8) & mask);
  memcpy(to + first / 8, &old, bytes);
}

bool aq_wave_format_write(const aq_wave_format *f,
                          const uint32_t in[AQ_WAVE_COMPONENTS], uint8_t *to)
{
  bool fits = true;
  for (unsigned i = 0, first = 0; i < AQ_WAVE_COMPONENTS && f->bits[i]; i++) {
    uint32_t x;
    fits &= component_write(f->number, in[i], f->bits[i], &x);
    bits_put(to, first, f->bits[i], x);
    first += f->bits[i];
  }
  return fits;
}
