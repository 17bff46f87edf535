/* SPDX-License-Identifier: MIT */
/* Lane numbers, trigonometry, pairs of bf16, and the latest minimum and
 * maximum. */
#include "opcodes.h"

#define F(x) f32_from(x)

static uint32_t below_mask(int lane)
{
  return lane <= 0 ? 0 : lane >= 32 ? UINT32_MAX : (1u << lane) - 1;
}

static uint32_t ones(uint32_t x)
{
  uint32_t n = 0;
  for (; x; x &= x - 1)
    n++;
  return n;
}

/* Turns, as CDNA4 V_SIN_F32: 0.25 gives 1, -0 gives itself. */
static long double turns_sine(long double x)
{
  const long double part = fmodl(x, 1);
  return x == 0                             ? x
         : part == 0 || fabsl(part) == 0.5L ? 0
                                            : sinl(part * 2 * acosl(-1));
}

static long double turns_cosine(long double x)
{
  const long double part = fabsl(fmodl(x, 1));
  return part == 0.25L || part == 0.75L ? 0 : cosl(part * 2 * acosl(-1));
}

/* 2/pi, from the first bit after the point on; the device has 1201 bits. */
static const char digits[] =
    "a2f9836e4e441529fc2757d1f534ddc0db6295993c439041fe5163abdebbc561b7246e3a"
    "424dd2e006492eea09d1921cfe1deb1cb129a73ee88235f52ebb4484e99c7026b45f7e41"
    "3991d639835339f49c845f8bbdf9283b1ff897ffde05980fef2f118b5a0a6d1f6d367ecf"
    "27cb09b74f463f669e5fea2d7527bac7ebe5f17b3d0739f78a5292ea6bfb5fb11f8d5d08"
    "56033046fc7b6babf0cfbc209af4361d";

static int digit_bit(unsigned at)
{
  const char c = at < 1201 ? digits[at / 4] : '0';
  return (c <= '9' ? c - '0' : c - 'a' + 10) >> (3 - at % 4) & 1;
}

/* GCN3 V_TRIG_PREOP_F64. */
static uint64_t piece(uint64_t a, uint32_t b)
{
  const int exponent = (int)(a >> 52 & 0x7ff);
  const int shift =
      (int)(b & 31) * 53 + (exponent > 1077 ? exponent - 1077 : 0);
  double x = 0;
  for (unsigned i = 0; i < 53; i++)
    x = 2 * x + digit_bit((unsigned)shift + i);
  return f64_bits(ldexp(x, -53 - shift + (exponent >= 1968 ? 128 : 0)));
}

/* IEEE 754-2019 minimum and maximum: NaNs win, -0 is below +0. */
static uint16_t extreme(uint16_t x, uint16_t y, bool most)
{
  if (f16_is_nan(x) || f16_is_nan(y))
    return (f16_is_nan(x) ? x : y) | 0x200;
  const long double p = f16_from(x), q = f16_from(y);
  const bool first = p == q ? !(x & 0x8000) == most : (p > q) == most;
  return first ? x : y;
}

static uint32_t dot_brains(uint32_t a, uint32_t b, uint32_t c)
{
  for (int i = 0; i < 32; i += 16) {
    const uint32_t x = a >> i << 16, y = b >> i << 16;
    c = f32_of(fmaf(F(x), F(y), F(c)), 3, x, y, c);
  }
  return c;
}

/* clang-format off */
#define SPECIAL(X)                                                             \
  X(v_mbcnt_lo_u32_b32, 'i', ones(a & below_mask(in->lane)) + b)               \
  X(v_mbcnt_hi_u32_b32, 'i', ones(a & below_mask(in->lane - 32)) + b)          \
  X(v_trig_preop_f64, 'd', piece(A, b))                                        \
  X(v_pk_minimum3_f16, 'h', extreme(extreme(ha, hb, false), hc, false))        \
  X(v_pk_maximum3_f16, 'h', extreme(extreme(ha, hb, true), hc, true))          \
  X(v_dot2_f32_bf16, 'f', dot_brains(a, b, c))                                 \
  X(v_dot2c_f32_bf16, 'f', dot_brains(a, b, c))
#define NEAR(X)                                                                \
  X(v_sin_f32, 'f', f32_of((float)turns_sine((long double)F(a)), 1, a, 0, 0))  \
  X(v_cos_f32, 'f', f32_of((float)turns_cosine((long double)F(a)), 1, a, 0, 0))\
  X(v_sin_f16, 'h', f16_of(turns_sine(f16_from(ha)), 1, ha, 0, 0))             \
  X(v_cos_f16, 'h', f16_of(turns_cosine(f16_from(ha)), 1, ha, 0, 0))

SPECIAL(OPCODE)
NEAR(OPCODE)

#define NEAR_ROW(name, KIND, EXPR) {#name, name##_x, KIND, 1},
const opcode_case opcodes_special[] = {SPECIAL(OPCODE_ROW) NEAR(NEAR_ROW) {0}};
/* clang-format on */
