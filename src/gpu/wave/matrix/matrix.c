/* SPDX-License-Identifier: MIT */
/* Sums of products one after the other, with all special values; see
 * matrix.h. */
#include "config.h"

#include "gpu/wave/matrix/matrix.h"

#include <stdlib.h>

#pragma GCC optimize("fp-contract=off")

/* A sum in units of 2^(e - 24). */
typedef struct fixed {
  int64_t m;
  int e;
} fixed;

typedef struct product {
  double value;
  int64_t m;
  int e;
} product;

/* Shifts right, to minus infinity. */
static int64_t shift_floor(int64_t x, int by)
{
  return x >> (by > 63 ? 63 : by);
}

static product product_of(const matrix_terms *t, int k)
{
  const element_number a = element_split(t->a_type, t->a[k]),
                       b = element_split(t->b_type, t->b[k]);
  const int scale = t->scale[k / MATRIX_SCALED];
  if (scale == MATRIX_NAN)
    return (product){.value = NAN};
  return (product){.value = a.value * b.value * element_power(scale),
                   .m = (int64_t)a.m * b.m,
                   .e = a.e + b.e + scale};
}

/* The products of every `step`-th k, cut off below the largest exponent. */
static fixed products_add(const matrix_terms *t, const product *p, int step)
{
  const int up = 24 - element_formats[t->a_type].mantissa -
                 element_formats[t->b_type].mantissa;
  fixed sum = {0, INT32_MIN};
  for (int i = 0; i < t->group; i += step)
    sum.e = p[i].e > sum.e ? p[i].e : sum.e;
  for (int i = 0; i < t->group; i += step) {
    const int64_t size = shift_floor(llabs(p[i].m) << up, sum.e - p[i].e);
    sum.m += p[i].m < 0 ? -size : size;
  }
  return sum;
}

/* Infinite or NaN where the sum is; products beyond f32 are infinite. */
static double sum_special(int count, const product *p, double c)
{
  double sum = 0;
  bool above = false, below = false;
  for (int i = 0; i < count; i++) {
    sum += p[i].value;
    above |= p[i].value >= 0x1p128;
    below |= p[i].value <= -0x1p128;
  }
  sum += c;
  if (!isfinite(sum))
    return sum;
  return above && below ? NAN : above ? INFINITY : below ? -INFINITY : 0;
}

static float group_add(const matrix_terms *t, const product *p, float c)
{
  const double special = sum_special(t->group, p, c);
  if (!isfinite(special))
    return (float)special;
  fixed sum;
  if (t->split) {
    const fixed even = products_add(t, p, 2), odd = products_add(t, p + 1, 2);
    sum.e = even.e > odd.e ? even.e : odd.e;
    sum.m =
        shift_floor(even.m, sum.e - even.e) + shift_floor(odd.m, sum.e - odd.e);
  } else {
    sum = products_add(t, p, 1);
  }
  const uint32_t bits = lane_bits32(c);
  const int exponent = (int)(bits >> 23 & 0xff);
  const int32_t fraction = (int32_t)(bits & 0x7fffff);
  const int32_t m = exponent ? fraction | 0x800000 : fraction;
  const int ec = exponent ? exponent - 127 : -126;
  const int e = sum.e > ec ? sum.e : ec;
  /* C at 24 bits below the larger exponent, the products at 31. */
  int64_t addend = shift_floor(2 * (int64_t)(bits >> 31 ? -m : m), e - ec);
  if (t->split && ec < e - 25)
    addend = 0;
  const int64_t total = shift_floor(sum.m * 128, e - sum.e) + addend * 128;
  return (float)((double)total * element_power(e - 31));
}

uint32_t aq_wave_matrix_sum(const matrix_terms *t, uint32_t c)
{
  product p[MATRIX_K];
  float sum = lane_f32(c);
  for (int k = 0; k < t->k; k++)
    p[k] = product_of(t, k);
  for (int k = 0; k < t->k; k += t->group)
    sum = group_add(t, p + k, sum);
  return sum == sum ? lane_bits32(sum) : 0x7fc00000;
}

/* ---- which are simulated ---- */

static bool is_mixed(const aq_isa_inst *inst)
{
  const unsigned types = 5;
  return inst->cbsz < types && inst->blgp < types;
}

/* ABID selects bits of the index where they do not fill a register. */
static bool index_is_valid(const matrix_shape *s, const aq_isa_inst *inst)
{
  const unsigned each = (unsigned)s->k / 2 * s->m / AQ_WAVE_LANES;
  return inst->blgp == 0 && (inst->cbsz != 0 || inst->abid < 16 / each);
}

bool aq_wave_matrix_simulates(const matrix_shape *s, const aq_isa_inst *inst)
{
  const unsigned copies = 1u << inst->cbsz;
  if (s->kind == MIXED || s->kind == SCALED)
    return is_mixed(inst);
  if (s->kind == SPARSE)
    return index_is_valid(s, inst);
  return copies <= s->blocks && inst->abid < copies &&
         (s->a != F64 || inst->cbsz == 0) && (inst->blgp == 0 || s->blgp);
}

bool aq_wave_matrix_executes(const aq_isa_inst *inst)
{
#define S(name, ...) {#name, {__VA_ARGS__}},
  static const struct {
    const char *name;
    matrix_shape shape;
  } shapes[] = {
#include "gpu/wave/matrix/matrix_shapes.def"
  };
#undef S
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
    if (strcmp(shapes[i].name, inst->row->name) == 0)
      return aq_wave_matrix_simulates(&shapes[i].shape, inst);
  return true;
}
