/* SPDX-License-Identifier: MIT */
/*
 * Instructions that gfx9 does not have, from the ISA documents of RDNA 3 and 4,
 * chapter 16; and the names by which gfx9 knows the others.
 */
#include "opcodes.h"

#include <stdio.h>

/* ---- numbers ---- */

/* RDNA 4 V_MIN_NUM_F32: two NaNs give the first, made quiet. */
static uint32_t num32(uint32_t a, uint32_t b, bool most)
{
  return f32_is_nan(a) && f32_is_nan(b) ? a | 0x400000
                                        : f32_extreme(a, b, false, most);
}

static uint64_t num64(uint64_t a, uint64_t b, bool most)
{
  return f64_is_nan(a) && f64_is_nan(b) ? a | UINT64_C(1) << 51
                                        : f64_extreme(a, b, false, most);
}

static uint16_t num16(uint16_t a, uint16_t b, bool most)
{
  return f16_is_nan(a) && f16_is_nan(b) ? a | 0x200
                                        : f16_extreme(a, b, false, most);
}

/* RDNA 4 V_MINIMUM_F32: any NaN, signalling ones first. */
static uint32_t limit32(uint32_t a, uint32_t b, bool most)
{
  if (f32_is_nan(a) && !(a & 0x400000))
    return a | 0x400000;
  if (f32_is_nan(b) && !(b & 0x400000))
    return b | 0x400000;
  return f32_is_nan(a) ? a : f32_is_nan(b) ? b : f32_extreme(a, b, false, most);
}

static uint64_t limit64(uint64_t a, uint64_t b, bool most)
{
  const uint64_t quiet = UINT64_C(1) << 51;
  if (f64_is_nan(a) && !(a & quiet))
    return a | quiet;
  if (f64_is_nan(b) && !(b & quiet))
    return b | quiet;
  return f64_is_nan(a) ? a : f64_is_nan(b) ? b : f64_extreme(a, b, false, most);
}

static uint16_t limit16(uint16_t a, uint16_t b, bool most)
{
  if (f16_is_nan(a) && !(a & 0x200))
    return a | 0x200;
  if (f16_is_nan(b) && !(b & 0x200))
    return b | 0x200;
  return f16_is_nan(a) ? a : f16_is_nan(b) ? b : f16_extreme(a, b, false, most);
}

static uint32_t middle_num32(uint32_t a, uint32_t b, uint32_t c)
{
  if (f32_is_nan(a) || f32_is_nan(b) || f32_is_nan(c))
    return num32(num32(a, b, false), c, false);
  const float most = f32_from(num32(num32(a, b, true), c, true));
  return most == f32_from(a)   ? num32(b, c, true)
         : most == f32_from(b) ? num32(a, c, true)
                               : num32(a, b, true);
}

static uint16_t middle_num16(uint16_t a, uint16_t b, uint16_t c)
{
  if (f16_is_nan(a) || f16_is_nan(b) || f16_is_nan(c))
    return num16(num16(a, b, false), c, false);
  const long double most = f16_from(num16(num16(a, b, true), c, true));
  return most == f16_from(a)   ? num16(b, c, true)
         : most == f16_from(b) ? num16(a, c, true)
                               : num16(a, b, true);
}

/* RDNA 3 V_FMA_DX9_ZERO_F32: 0 times anything is 0. */
static uint32_t fma_zero(uint32_t a, uint32_t b, uint32_t c)
{
  const float x = f32_from(a), y = f32_from(b), z = f32_from(c);
  if (x == 0 || y == 0)
    return f32_of(0.0f + z, 1, c, 0, 0);
  return f32_of(fmaf(x, y, z), 3, a, b, c);
}

static int32_t to_i16(float x)
{
  return x != x ? 0 : x >= 32767 ? 32767 : x <= -32768 ? -32768 : (int32_t)x;
}

static uint32_t to_u16(float x)
{
  return !(x > 0) ? 0 : x >= 65535 ? 65535 : (uint32_t)x;
}

/* f32 to f16; a NaN keeps the upper bits of its payload. */
static uint16_t half_of(uint32_t a, int round)
{
  return f32_is_nan(a)
             ? (uint16_t)((a >> 16 & 0x8000) | 0x7e00 | (a >> 13 & 0x1ff))
             : f16_round((long double)f32_from(a), round);
}

static uint32_t single_of(uint16_t a)
{
  return f16_is_nan(a) ? (uint32_t)(a & 0x8000) << 16 | 0x7fc00000 |
                             (uint32_t)(a & 0x1ff) << 13
                       : f32_bits((float)f16_from(a));
}

static uint32_t whole_i32(float x)
{
  return x != x                ? 0
         : x >= 2147483648.0f  ? INT32_MAX
         : x <= -2147483648.0f ? 0x80000000u
                               : (uint32_t)(int32_t)x;
}

static uint32_t whole_u32(float x)
{
  return !(x > 0) ? 0 : x >= 4294967296.0f ? UINT32_MAX : (uint32_t)x;
}

#define LEAST(x, y) ((x) < (y) ? (x) : (y))
#define MOST(x, y)  ((x) > (y) ? (x) : (y))
#define F(x)        f32_from(x)
#define H1(e)       f16_of(e, 1, ha, 0, 0)
#define H2(e)       f16_of(e, 2, ha, hb, 0)
#define H(x)        f16_from(x)
#define F1(e)       f32_of(e, 1, a, 0, 0)
#define F2(e)       f32_of(e, 2, a, b, 0)
#define KEEP(e)     (o->carry = in->carry, (e))
#define SCC(e)      (o->carry = (e))
#define OLD         ((uint32_t)in->d)
#define OLDH        ((uint16_t)in->d)

/* clang-format off */
#define RDNA(X)                                                                \
  X(v_xor3_b32, 'i', a ^ b ^ c)                                                \
  X(v_mov_b16, 'i', ha)                                                        \
  X(v_not_b16, 'i', (uint16_t)~ha)                                             \
  X(v_and_b16, 'i', ha & hb)                                                   \
  X(v_or_b16, 'i', ha | hb)                                                    \
  X(v_xor_b16, 'i', ha ^ hb)                                                   \
  X(v_cvt_i32_i16, 'i', (uint32_t)(int16_t)ha)                                 \
  X(v_cvt_u32_u16, 'i', ha)                                                    \
  X(v_cndmask_b16, 'i', in->carry ? hb : ha)                                   \
  X(v_maxmin_u32, 'i', LEAST(MOST(a, b), c))                                   \
  X(v_minmax_u32, 'i', MOST(LEAST(a, b), c))                                   \
  X(v_maxmin_i32, 'i', (uint32_t)LEAST(MOST(sa, sb), sc))                      \
  X(v_minmax_i32, 'i', (uint32_t)MOST(LEAST(sa, sb), sc))                      \
  X(v_fma_legacy_f32, 'F', fma_zero(a, b, c))                                  \
  X(v_maxmin_f32, 'f', f32_extreme(f32_extreme(a, b, in->ieee, true), c, in->ieee, false)) \
  X(v_minmax_f32, 'f', f32_extreme(f32_extreme(a, b, in->ieee, false), c, in->ieee, true)) \
  X(v_maxmin_f16, 'h', f16_extreme(f16_extreme(ha, hb, in->ieee, true), hc, in->ieee, false)) \
  X(v_minmax_f16, 'h', f16_extreme(f16_extreme(ha, hb, in->ieee, false), hc, in->ieee, true)) \
  X(v_min_num_f32, 'f', num32(a, b, false))                                    \
  X(v_max_num_f32, 'f', num32(a, b, true))                                     \
  X(v_min3_num_f32, 'f', num32(num32(a, b, false), c, false))                  \
  X(v_max3_num_f32, 'f', num32(num32(a, b, true), c, true))                    \
  X(v_med3_num_f32, 'f', middle_num32(a, b, c))                                \
  X(v_minmax_num_f32, 'f', num32(num32(a, b, false), c, true))                 \
  X(v_maxmin_num_f32, 'f', num32(num32(a, b, true), c, false))                 \
  X(v_minimum_f32, 'f', limit32(a, b, false))                                  \
  X(v_maximum_f32, 'f', limit32(a, b, true))                                   \
  X(v_minimum3_f32, 'f', limit32(limit32(a, b, false), c, false))              \
  X(v_maximum3_f32, 'f', limit32(limit32(a, b, true), c, true))                \
  X(v_minimummaximum_f32, 'f', limit32(limit32(a, b, false), c, true))         \
  X(v_maximumminimum_f32, 'f', limit32(limit32(a, b, true), c, false))         \
  X(v_min_num_f64, 'd', num64(A, B, false))                                    \
  X(v_max_num_f64, 'd', num64(A, B, true))                                     \
  X(v_minimum_f64, 'd', limit64(A, B, false))                                  \
  X(v_maximum_f64, 'd', limit64(A, B, true))                                   \
  X(v_min_num_f16, 'h', num16(ha, hb, false))                                  \
  X(v_max_num_f16, 'h', num16(ha, hb, true))                                   \
  X(v_min3_num_f16, 'h', num16(num16(ha, hb, false), hc, false))               \
  X(v_max3_num_f16, 'h', num16(num16(ha, hb, true), hc, true))                 \
  X(v_med3_num_f16, 'h', middle_num16(ha, hb, hc))                             \
  X(v_minmax_num_f16, 'h', num16(num16(ha, hb, false), hc, true))              \
  X(v_maxmin_num_f16, 'h', num16(num16(ha, hb, true), hc, false))              \
  X(v_minimum_f16, 'h', limit16(ha, hb, false))                                \
  X(v_maximum_f16, 'h', limit16(ha, hb, true))                                 \
  X(v_minimum3_f16, 'h', limit16(limit16(ha, hb, false), hc, false))           \
  X(v_maximum3_f16, 'h', limit16(limit16(ha, hb, true), hc, true))             \
  X(v_minimummaximum_f16, 'h', limit16(limit16(ha, hb, false), hc, true))      \
  X(v_maximumminimum_f16, 'h', limit16(limit16(ha, hb, true), hc, false))      \
  X(v_pk_min_num_f16, 'h', num16(ha, hb, false))                               \
  X(v_pk_max_num_f16, 'h', num16(ha, hb, true))                                \
  X(v_pk_minimum_f16, 'h', limit16(ha, hb, false))                             \
  X(v_pk_maximum_f16, 'h', limit16(ha, hb, true))                              \
  X(v_pk_minimum3_f16, 'h', limit16(limit16(ha, hb, false), hc, false))        \
  X(v_pk_maximum3_f16, 'h', limit16(limit16(ha, hb, true), hc, true))          \
  X(v_cvt_pk_i16_f32, 'f', (uint16_t)to_i16(F(a)) | (uint32_t)to_i16(F(b)) << 16) \
  X(v_cvt_pk_u16_f32, 'f', to_u16(F(a)) | to_u16(F(b)) << 16)                  \
  X(s_pack_hl_b32_b16, 'i', KEEP(a >> 16 | b << 16))                           \
  X(s_add_nc_u64, 'i', KEEP(A + B))                                            \
  X(s_sub_nc_u64, 'i', KEEP(A - B))                                            \
  X(s_mul_u64, 'i', KEEP(A * B))                                               \
  X(s_min_f32, 'f', KEEP(f32_extreme(a, b, in->ieee, false)))                    \
  X(s_max_f32, 'f', KEEP(f32_extreme(a, b, in->ieee, true)))                     \
  X(s_min_num_f32, 'f', KEEP(num32(a, b, false)))                              \
  X(s_max_num_f32, 'f', KEEP(num32(a, b, true)))                               \
  X(s_minimum_f32, 'f', KEEP(limit32(a, b, false)))                            \
  X(s_maximum_f32, 'f', KEEP(limit32(a, b, true)))                             \
  X(s_min_f16, 'h', KEEP(f16_extreme(ha, hb, in->ieee, false)))                  \
  X(s_max_f16, 'h', KEEP(f16_extreme(ha, hb, in->ieee, true)))                   \
  X(s_min_num_f16, 'h', KEEP(num16(ha, hb, false)))                            \
  X(s_max_num_f16, 'h', KEEP(num16(ha, hb, true)))                             \
  X(s_minimum_f16, 'h', KEEP(limit16(ha, hb, false)))                          \
  X(s_maximum_f16, 'h', KEEP(limit16(ha, hb, true)))                           \
  X(s_add_f32, 'f', KEEP(F2(F(a) + F(b))))                                     \
  X(s_sub_f32, 'f', KEEP(F2(F(a) - F(b))))                                     \
  X(s_mul_f32, 'f', KEEP(F2(F(a) * F(b))))                                     \
  X(s_fmac_f32, 'f', KEEP(f32_of(fmaf(F(a), F(b), F(OLD)), 3, a, b, OLD)))     \
  X(s_add_f16, 'h', KEEP(H2(H(ha) + H(hb))))                                   \
  X(s_sub_f16, 'h', KEEP(H2(H(ha) - H(hb))))                                   \
  X(s_mul_f16, 'h', KEEP(H2(H(ha) * H(hb))))                                   \
  X(s_fmac_f16, 'h', KEEP(f16_of(H(ha) * H(hb) + H(OLDH), 3, ha, hb, OLDH)))   \
  X(s_ceil_f32, 'f', KEEP(F1(ceilf(F(a)))))                                    \
  X(s_floor_f32, 'f', KEEP(F1(floorf(F(a)))))                                  \
  X(s_trunc_f32, 'f', KEEP(F1(truncf(F(a)))))                                  \
  X(s_rndne_f32, 'f', KEEP(F1(rintf(F(a)))))                                   \
  X(s_ceil_f16, 'h', KEEP(H1(ceill(H(ha)))))                                   \
  X(s_floor_f16, 'h', KEEP(H1(floorl(H(ha)))))                                 \
  X(s_trunc_f16, 'h', KEEP(H1(truncl(H(ha)))))                                 \
  X(s_rndne_f16, 'h', KEEP(H1(rintl(H(ha)))))                                  \
  X(s_cvt_f32_i32, 'f', KEEP(f32_bits((float)sa)))                             \
  X(s_cvt_f32_u32, 'f', KEEP(f32_bits((float)a)))                              \
  X(s_cvt_i32_f32, 'f', KEEP(whole_i32(F(a))))                                 \
  X(s_cvt_u32_f32, 'f', KEEP(whole_u32(F(a))))                                 \
  X(s_cvt_f16_f32, 'f', KEEP(half_of(a, 0)))                                   \
  X(s_cvt_f32_f16, 'h', KEEP(single_of(ha)))                                   \
  X(s_cvt_hi_f32_f16, 'h', KEEP(single_of((uint16_t)(a >> 16))))               \
  X(s_cvt_pk_rtz_f16_f32, 'f', KEEP(half_of(a, 3) | (uint32_t)half_of(b, 3) << 16)) \
  COMPARES(X, lt, x < y)                                                       \
  COMPARES(X, eq, x == y)                                                      \
  COMPARES(X, le, x <= y)                                                      \
  COMPARES(X, gt, x > y)                                                       \
  COMPARES(X, lg, x < y || x > y)                                              \
  COMPARES(X, ge, x >= y)                                                      \
  COMPARES(X, o, x == x && y == y)                                             \
  COMPARES(X, u, x != x || y != y)                                             \
  COMPARES(X, nge, !(x >= y))                                                  \
  COMPARES(X, nlg, !(x < y || x > y))                                          \
  COMPARES(X, ngt, !(x > y))                                                   \
  COMPARES(X, nle, !(x <= y))                                                  \
  COMPARES(X, neq, x != y)                                                     \
  COMPARES(X, nlt, !(x < y))
#define COMPARES(X, op, e)                                                     \
  X(s_cmp_##op##_f32, 'f', SCC(compare_##op(F(a), F(b))))                      \
  X(s_cmp_##op##_f16, 'h', SCC(compare_##op((float)H(ha), (float)H(hb))))
#define COMPARE(op, e) static bool compare_##op(float x, float y) { return e; }
COMPARE(lt, x < y)
COMPARE(eq, x == y)
COMPARE(le, x <= y)
COMPARE(gt, x > y)
COMPARE(lg, x < y || x > y)
COMPARE(ge, x >= y)
COMPARE(o, x == x && y == y)
COMPARE(u, x != x || y != y)
COMPARE(nge, !(x >= y))
COMPARE(nlg, !(x < y || x > y))
COMPARE(ngt, !(x > y))
COMPARE(nle, !(x <= y))
COMPARE(neq, x != y)
COMPARE(nlt, !(x < y))

RDNA(OPCODE)
const opcode_case opcodes_rdna[] = {RDNA(OPCODE_ROW) {0}};
/* clang-format on */

/* ---- names ---- */

const char *opcode_name(const char *name, char text[48])
{
  static const struct {
    const char *part, *gfx9;
  } parts[] = {{"_nc_", "_"},
               {"_not0_", "n1_"},
               {"_not1_", "n2_"},
               {"_dx9_zero_", "_legacy_"},
               {"_cls_i32", "_ffbh_i32"},
               {"v_clz_i32_u32", "v_ffbh_u32"},
               {"v_ctz_i32_b32", "v_ffbl_b32"},
               {"cvt_floor_", "cvt_flr_"},
               {"cvt_nearest_", "cvt_rpi_"},
               {"pk_norm_", "pknorm_"},
               {"pk_rtz_", "pkrtz_"},
               {"_t_f", "_tru_f"},
               {"dot2acc_", "dot2c_"},
               {"v_mad_co_", "v_mad_"},
               {"v_fmamk_f16", "v_fma_f16"},
               {"v_fmaak_f16", "v_fma_f16"},
               {"s_clz_i32_u", "s_flbit_i32_b"},
               {"s_ctz_i32_b", "s_ff1_i32_b"}};
  static const struct {
    const char *name, *gfx9;
  } whole[] = {{"s_add_co_u32", "s_add_u32"},
               {"s_sub_co_u32", "s_sub_u32"},
               {"s_add_co_i32", "s_add_i32"},
               {"s_sub_co_i32", "s_sub_i32"},
               {"s_addk_co_i32", "s_addk_i32"},
               {"s_add_co_ci_u32", "s_addc_u32"},
               {"s_sub_co_ci_u32", "s_subb_u32"},
               {"v_add_co_ci_u32", "v_addc_co_u32"},
               {"v_sub_co_ci_u32", "v_subb_co_u32"},
               {"v_subrev_co_ci_u32", "v_subbrev_co_u32"},
               {"s_cls_i32", "s_flbit_i32"},
               {"s_cls_i32_i64", "s_flbit_i32_i64"},
               {"v_mul_lo_i32", "v_mul_lo_u32"},
               {"v_mac_legacy_f32", "v_mad_legacy_f32"},
               {"v_fmac_legacy_f32", "v_fma_legacy_f32"},
               {"v_fmac_dx9_zero_f32", "v_fma_legacy_f32"},
               {"v_cvt_pk_rtz_f16_f32", "v_cvt_pkrtz_f16_f32"},
               {"s_add_nc_u64", "s_add_nc_u64"},
               {"s_sub_nc_u64", "s_sub_nc_u64"},
               {"s_cvt_pk_rtz_f16_f32", "s_cvt_pk_rtz_f16_f32"}};
  for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
    if (strcmp(whole[i].name, name) == 0)
      return whole[i].gfx9;
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    const char *at = strstr(name, parts[i].part);
    if (!at)
      continue;
    snprintf(text, 48, "%.*s%s%s", (int)(at - name), name, parts[i].gfx9,
             at + strlen(parts[i].part));
    return text;
  }
  return name;
}
