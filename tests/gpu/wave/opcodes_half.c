/* SPDX-License-Identifier: MIT */
/* Vector instructions of 16 bits and of packed halves. */
#include "opcodes.h"

int opcodes_round;

uint16_t f16_round(long double x, int mode)
{
  const uint16_t sign = signbit(x) ? 0x8000 : 0;
  long double size = fabsl(x), unit, whole, rest;
  int e;
  if (isinf(x))
    return sign | 0x7c00;
  if (x == 0)
    return sign;
  (void)frexpl(size, &e);
  unit = ldexpl(1, e - 11 < -24 ? -24 : e - 11);
  rest = modfl(size / unit, &whole);
  const bool away = mode == 1 ? !sign : mode == 2 ? sign != 0 : false;
  if (mode == 0 ? rest > 0.5L || (rest == 0.5L && fmodl(whole, 2) == 1)
                : away && rest > 0)
    whole += 1;
  size = whole * unit;
  if (size >= 65536)
    return sign | (mode == 0 || away ? 0x7c00 : 0x7bff);
  if (size < 0x1p-14L)
    return sign | (uint16_t)(size * 0x1p24L);
  (void)frexpl(size, &e);
  return sign |
         (uint16_t)((e + 14) << 10 | ((int)ldexpl(size, 11 - e) & 0x3ff));
}

uint16_t f16_extreme(uint16_t a, uint16_t b, bool ieee, bool most)
{
  const long double x = f16_from(a), y = f16_from(b);
  if (ieee && f16_is_nan(a) && !(a & 0x200))
    return a | 0x200;
  if (ieee && f16_is_nan(b) && !(b & 0x200))
    return b | 0x200;
  if (f16_is_nan(a))
    return b;
  if (f16_is_nan(b))
    return a;
  if (x == 0 && y == 0)
    return most ? a & b : a | b;
  return (most ? x > y : x < y) ? a : b;
}

static uint16_t extreme3(const opcode_in *in, bool most)
{
  return f16_extreme(
      f16_extreme((uint16_t)in->a, (uint16_t)in->b, in->ieee, most),
      (uint16_t)in->c, in->ieee, most);
}

static uint16_t middle16(const opcode_in *in)
{
  const uint16_t a = (uint16_t)in->a, b = (uint16_t)in->b, c = (uint16_t)in->c;
  if (f16_is_nan(a) || f16_is_nan(b) || f16_is_nan(c))
    return extreme3(in, false);
  const long double most = f16_from(extreme3(in, true));
  return most == f16_from(a)   ? f16_extreme(b, c, in->ieee, true)
         : most == f16_from(b) ? f16_extreme(a, c, in->ieee, true)
                               : f16_extreme(a, b, in->ieee, true);
}

static uint16_t multiply_add(uint16_t a, uint16_t b, uint16_t c)
{
  const long double p = f16_from(a) * f16_from(b);
  const uint16_t product =
      p == p ? f16_round(p, opcodes_round) : f16_of(p, 2, a, b, 0);
  return f16_of(f16_from(product) + f16_from(c), 3, a, b, c);
}

static uint16_t fraction(uint16_t a)
{
  const long double x = f16_from(a);
  if (!isfinite(x))
    return f16_of((long double)NAN, 1, a, 0, 0);
  const uint16_t r = f16_round(x - floorl(x), opcodes_round);
  return r >= 0x3c00 && !(r & 0x8000) ? 0x3bff : r;
}

static int middle(int a, int b, int c)
{
  const int most = a > b ? (a > c ? a : c) : (b > c ? b : c);
  const int least = a < b ? (a < c ? a : c) : (b < c ? b : c);
  return a + b + c - most - least;
}

static int exponent_of(long double x)
{
  int e = 0;
  if (isfinite(x) && x != 0)
    (void)frexpl(x, &e);
  return e;
}

static uint16_t from_f32(uint32_t a, int mode)
{
  const float x = f32_from(a);
  return x != x ? (uint16_t)((a >> 16 & 0x8000) | 0x7e00 | (a >> 13 & 0x1ff))
                : f16_round((long double)x, mode);
}

static uint32_t to_f32(uint16_t a)
{
  return f16_is_nan(a) ? (uint32_t)(a & 0x8000) << 16 | 0x7fc00000 |
                             (uint32_t)(a & 0x1ff) << 13
                       : f32_bits((float)f16_from(a));
}

/* GCN3 12-92: classes of a float by bits of the mask. */
static bool in_class(uint16_t a, uint32_t mask)
{
  const bool negative = a >> 15;
  const int e = a >> 10 & 31, m = a & 0x3ff;
  const int at = e == 31 && m ? (m & 0x200 ? 1 : 0)
                 : e == 31    ? (negative ? 2 : 9)
                 : e          ? (negative ? 3 : 8)
                 : m          ? (negative ? 4 : 7)
                 : negative   ? 5
                              : 6;
  return mask >> at & 1;
}

/* CDNA4 V_DIV_FIXUP_F16. */
static uint16_t fixed_quotient(uint16_t a, uint16_t b, uint16_t c)
{
  const uint16_t sign = (b ^ c) & 0x8000;
  const bool b_zero = !(b & 0x7fff), c_zero = !(c & 0x7fff),
             b_inf = (b & 0x7fff) == 0x7c00, c_inf = (c & 0x7fff) == 0x7c00;
  if (f16_is_nan(c))
    return c | 0x200;
  if (f16_is_nan(b))
    return b | 0x200;
  if ((b_zero && c_zero) || (b_inf && c_inf))
    return 0xfe00;
  if (b_zero || c_inf)
    return sign | 0x7c00;
  if (b_inf || c_zero)
    return sign;
  return sign | (a & 0x7fff);
}

static uint16_t to_integer(uint16_t a, int least, int most)
{
  const long double x = f16_from(a);
  return x != x      ? 0
         : x < least ? (uint16_t)least
         : x > most  ? (uint16_t)most
                     : (uint16_t)(int)x;
}

static uint16_t norm_signed(uint16_t a)
{
  const double x = (double)f16_from(a);
  return x != x ? 0
                : (uint16_t)(int16_t)rint((x < -1  ? -1
                                           : x > 1 ? 1
                                                   : x) *
                                          32767);
}

static uint16_t norm_unsigned(uint16_t a)
{
  const double x = (double)f16_from(a);
  return x != x ? 0 : (uint16_t)rint((x < 0 ? 0 : x > 1 ? 1 : x) * 65535);
}

/* ---- packed: the harness calls once a half, selected and signed ---- */

static uint32_t dots(uint32_t a, uint32_t b, int width, bool is_signed,
                     uint32_t c)
{
  int64_t sum = is_signed ? (int64_t)(int32_t)c : (int64_t)c;
  for (int i = 0; i < 32; i += width) {
    const int64_t limit = INT64_C(1) << width;
    int64_t x = a >> i & (limit - 1), y = b >> i & (limit - 1);
    if (is_signed && x >= limit / 2)
      x -= limit;
    if (is_signed && y >= limit / 2)
      y -= limit;
    sum += x * y;
  }
  return (uint32_t)sum;
}

/* Exactly, with the bits of a NaN. */
static uint32_t to_f32_payload(uint16_t a)
{
  return f16_is_nan(a) ? (uint32_t)(a & 0x8000) << 16 | 0x7f800000 |
                             (uint32_t)(a & 0x3ff) << 13
                       : f32_bits((float)f16_from(a));
}

/* CDNA4 V_DOT2_F32_F16, each step fused. */
static uint32_t dot_halves(uint32_t a, uint32_t b, uint32_t c)
{
  for (int i = 0; i < 32; i += 16) {
    const uint16_t x = (uint16_t)(a >> i), y = (uint16_t)(b >> i);
    const float sum = fmaf((float)f16_from(x), (float)f16_from(y), f32_from(c));
    c = f32_of(sum, 3, to_f32_payload(x), to_f32_payload(y), c);
  }
  return c;
}

#define F(x)        f16_from(x)
#define F1(e)       f16_of(e, 1, ha, 0, 0)
#define F2(e)       f16_of(e, 2, ha, hb, 0)
#define F3(e)       f16_of(e, 3, ha, hb, hc)
#define I(x)        ((int16_t)(x))
#define LEAST(x, y) ((x) < (y) ? (x) : (y))
#define MOST(x, y)  ((x) > (y) ? (x) : (y))
#define PAIR(x, y)  ((uint32_t)(uint16_t)(x) | (uint32_t)(uint16_t)(y) << 16)

/* clang-format off */
#define HALVES(X)                                                              \
  X(v_add_f16, 'H', F2(F(ha) + F(hb)))                                         \
  X(v_sub_f16, 'H', F2(F(ha) - F(hb)))                                         \
  X(v_subrev_f16, 'H', F2(F(hb) - F(ha)))                                      \
  X(v_mul_f16, 'H', F2(F(ha) * F(hb)))                                         \
  X(v_fma_f16, 'H', F3(F(ha) * F(hb) + F(hc)))                                 \
  X(v_fmac_f16, 'H', F3(F(ha) * F(hb) + F(hc)))                                \
  X(v_fma_legacy_f16, 'H', F3(F(ha) * F(hb) + F(hc)))                          \
  X(v_mad_f16, 'h', multiply_add(ha, hb, hc))                                  \
  X(v_mac_f16, 'h', multiply_add(ha, hb, hc))                                  \
  X(v_madmk_f16, 'h', multiply_add(ha, hb, hc))                                \
  X(v_madak_f16, 'h', multiply_add(ha, hb, hc))                                \
  X(v_mad_legacy_f16, 'h', multiply_add(ha, hb, hc))                           \
  X(v_min_f16, 'h', f16_extreme(ha, hb, in->ieee, false))                        \
  X(v_max_f16, 'h', f16_extreme(ha, hb, in->ieee, true))                         \
  X(v_min3_f16, 'h', extreme3(in, false))                                      \
  X(v_max3_f16, 'h', extreme3(in, true))                                       \
  X(v_med3_f16, 'h', middle16(in))                                             \
  X(v_ldexp_f16, 'h', F1(ldexpl(F(ha), I(hb))))                                \
  X(v_div_fixup_f16, 'h', fixed_quotient(ha, hb, hc))                          \
  X(v_div_fixup_legacy_f16, 'h', fixed_quotient(ha, hb, hc))                   \
  X(v_pack_b32_f16, 'h', PAIR(ha, hb))                                         \
  X(v_floor_f16, 'h', F1(floorl(F(ha))))                                       \
  X(v_ceil_f16, 'h', F1(ceill(F(ha))))                                         \
  X(v_trunc_f16, 'h', F1(truncl(F(ha))))                                       \
  X(v_rndne_f16, 'h', F1(rintl(F(ha))))                                        \
  X(v_fract_f16, 'h', fraction(ha))                                            \
  X(v_frexp_exp_i16_f16, 'h', (uint16_t)exponent_of(F(ha)))                    \
  X(v_frexp_mant_f16, 'h', F1(isfinite(F(ha)) ?                                \
                              ldexpl(F(ha), -exponent_of(F(ha))) : F(ha)))     \
  X(v_cvt_f16_f32, 'h', from_f32(a, opcodes_round))                            \
  X(v_cvt_f32_f16, 'h', to_f32(ha))                                            \
  X(v_cvt_f16_u16, 'h', f16_round(ha, opcodes_round))                          \
  X(v_cvt_f16_i16, 'h', f16_round(I(ha), opcodes_round))                       \
  X(v_cvt_u16_f16, 'h', to_integer(ha, 0, 65535))                              \
  X(v_cvt_i16_f16, 'h', to_integer(ha, -32768, 32767))                         \
  X(v_cvt_norm_i16_f16, 'h', norm_signed(ha))                                  \
  X(v_cvt_norm_u16_f16, 'h', norm_unsigned(ha))                                \
  X(v_cvt_pknorm_i16_f16, 'h', PAIR(norm_signed(ha), norm_signed(hb)))         \
  X(v_cvt_pknorm_u16_f16, 'h', PAIR(norm_unsigned(ha), norm_unsigned(hb)))     \
  X(v_cvt_pkrtz_f16_f32, 'h', PAIR(from_f32(a, 3), from_f32(b, 3)))            \
  X(v_cvt_pk_f16_f32, 'h', PAIR(from_f32(a, 0), from_f32(b, 0)))               \
  X(v_add_u16, 'i', (uint16_t)(ha + hb))                                       \
  X(v_sub_u16, 'i', (uint16_t)(ha - hb))                                       \
  X(v_subrev_u16, 'i', (uint16_t)(hb - ha))                                    \
  X(v_add_i16, 'i', (uint16_t)(ha + hb))                                       \
  X(v_sub_i16, 'i', (uint16_t)(ha - hb))                                       \
  X(v_mul_lo_u16, 'i', (uint16_t)((uint32_t)ha * hb))                          \
  X(v_lshlrev_b16, 'i', (uint16_t)(hb << ha % 16))                             \
  X(v_lshrrev_b16, 'i', hb >> ha % 16)                                         \
  X(v_ashrrev_i16, 'i', (uint16_t)(I(hb) >> ha % 16))                          \
  X(v_max_u16, 'i', MOST(ha, hb))                                              \
  X(v_max_i16, 'i', (uint16_t)MOST(I(ha), I(hb)))                              \
  X(v_min_u16, 'i', LEAST(ha, hb))                                             \
  X(v_min_i16, 'i', (uint16_t)LEAST(I(ha), I(hb)))                             \
  X(v_mad_u16, 'i', (uint16_t)((uint32_t)ha * hb + hc))                        \
  X(v_mad_i16, 'i', (uint16_t)((uint32_t)ha * hb + hc))                        \
  X(v_mad_legacy_u16, 'i', (uint16_t)((uint32_t)ha * hb + hc))                 \
  X(v_mad_legacy_i16, 'i', (uint16_t)((uint32_t)ha * hb + hc))                 \
  X(v_mad_u32_u16, 'i', (uint32_t)ha * hb + c)                                 \
  X(v_mad_i32_i16, 'i', (uint32_t)(I(ha) * I(hb)) + c)                         \
  X(v_min3_u16, 'i', LEAST(LEAST(ha, hb), hc))                                 \
  X(v_max3_u16, 'i', MOST(MOST(ha, hb), hc))                                   \
  X(v_med3_u16, 'i', middle(ha, hb, hc))                                       \
  X(v_min3_i16, 'i', (uint16_t)LEAST(LEAST(I(ha), I(hb)), I(hc)))              \
  X(v_max3_i16, 'i', (uint16_t)MOST(MOST(I(ha), I(hb)), I(hc)))                \
  X(v_med3_i16, 'i', (uint16_t)middle(I(ha), I(hb), I(hc)))                    \
  X(v_cmp_class_f16, 'h', (o->carry = in_class(ha, b), 0))                     \
  X(v_cmpx_class_f16, 'h', (o->carry = in_class(ha, b), 0))                    \
  X(v_pk_mad_i16, 'i', (uint16_t)((uint32_t)ha * hb + hc))                     \
  X(v_pk_mul_lo_u16, 'i', (uint16_t)((uint32_t)ha * hb))                       \
  X(v_pk_add_i16, 'i', (uint16_t)(ha + hb))                                    \
  X(v_pk_sub_i16, 'i', (uint16_t)(ha - hb))                                    \
  X(v_pk_lshlrev_b16, 'i', (uint16_t)(hb << ha % 16))                          \
  X(v_pk_lshrrev_b16, 'i', hb >> ha % 16)                                      \
  X(v_pk_ashrrev_i16, 'i', (uint16_t)(I(hb) >> ha % 16))                       \
  X(v_pk_max_i16, 'i', (uint16_t)MOST(I(ha), I(hb)))                           \
  X(v_pk_min_i16, 'i', (uint16_t)LEAST(I(ha), I(hb)))                          \
  X(v_pk_mad_u16, 'i', (uint16_t)((uint32_t)ha * hb + hc))                     \
  X(v_pk_add_u16, 'i', (uint16_t)(ha + hb))                                    \
  X(v_pk_sub_u16, 'i', (uint16_t)(ha - hb))                                    \
  X(v_pk_max_u16, 'i', MOST(ha, hb))                                           \
  X(v_pk_min_u16, 'i', LEAST(ha, hb))                                          \
  X(v_pk_fma_f16, 'H', F3(F(ha) * F(hb) + F(hc)))                              \
  X(v_pk_add_f16, 'H', F2(F(ha) + F(hb)))                                      \
  X(v_pk_mul_f16, 'H', F2(F(ha) * F(hb)))                                      \
  X(v_pk_min_f16, 'h', f16_extreme(ha, hb, in->ieee, false))                     \
  X(v_pk_max_f16, 'h', f16_extreme(ha, hb, in->ieee, true))                      \
  X(v_dot2_i32_i16, 'i', dots(a, b, 16, true, c))                              \
  X(v_dot2_u32_u16, 'i', dots(a, b, 16, false, c))                             \
  X(v_dot4_i32_i8, 'i', dots(a, b, 8, true, c))                                \
  X(v_dot4_u32_u8, 'i', dots(a, b, 8, false, c))                               \
  X(v_dot8_i32_i4, 'i', dots(a, b, 4, true, c))                                \
  X(v_dot8_u32_u4, 'i', dots(a, b, 4, false, c))                               \
  X(v_dot2c_i32_i16, 'i', dots(a, b, 16, true, c))                             \
  X(v_dot4c_i32_i8, 'i', dots(a, b, 8, true, c))                               \
  X(v_dot8c_i32_i4, 'i', dots(a, b, 4, true, c))                               \
  X(v_dot2_f32_f16, 'h', dot_halves(a, b, c))                                  \
  X(v_dot2c_f32_f16, 'h', dot_halves(a, b, c))                                 \
  X(v_pk_fmac_f16, 'h', PAIR(F3(F(ha) * F(hb) + F(hc)),                        \
      f16_of(F((uint16_t)(a >> 16)) * F((uint16_t)(b >> 16)) +                 \
             F((uint16_t)(c >> 16)), 3, (uint16_t)(a >> 16),                   \
             (uint16_t)(b >> 16), (uint16_t)(c >> 16))))

#define NEAR(X)                                                                \
  X(v_rcp_f16, 'h', F1(1 / F(ha)))                                             \
  X(v_sqrt_f16, 'h', F1(sqrtl(F(ha))))                                         \
  X(v_rsq_f16, 'h', F1(1 / sqrtl(F(ha))))                                      \
  X(v_log_f16, 'h', F1(log2l(F(ha))))                                          \
  X(v_exp_f16, 'h', F1(exp2l(F(ha))))

HALVES(OPCODE)
NEAR(OPCODE)

#define NEAR_ROW(name, KIND, EXPR) {#name, name##_x, KIND, 1},
const opcode_case opcodes_half[] = {HALVES(OPCODE_ROW) NEAR(NEAR_ROW) {0}};
/* clang-format on */
