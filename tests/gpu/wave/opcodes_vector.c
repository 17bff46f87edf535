/* SPDX-License-Identifier: MIT */
/* Vector instructions of 32 and 64 bits. */
#include "opcodes.h"

/* ---- helpers ---- */

static uint32_t count_ones(uint64_t x)
{
  uint32_t n = 0;
  for (; x; x >>= 1)
    n += x & 1;
  return n;
}

/* Position of the first bit that differs from the sign, -1 if none. CDNA4
 * V_FFBH_I32. */
static int32_t first_unlike_sign(uint32_t x)
{
  for (int i = 1; i < 32; i++)
    if ((x >> (31 - i) & 1) != x >> 31)
      return i;
  return -1;
}

static int32_t highest_bit(uint32_t x)
{
  for (int i = 0; i < 32; i++)
    if (x >> (31 - i) & 1)
      return i;
  return -1;
}

static int32_t lowest_bit(uint32_t x)
{
  for (int i = 0; i < 32; i++)
    if (x >> i & 1)
      return i;
  return -1;
}

static uint32_t mirrored(uint32_t x)
{
  uint32_t r = 0;
  for (int i = 0; i < 32; i++)
    r |= (x >> i & 1) << (31 - i);
  return r;
}

static int64_t low24(uint32_t x, bool is_signed)
{
  const int64_t v = x & 0xffffff;
  return is_signed && v & 0x800000 ? v - 0x1000000 : v;
}

static unsigned byte_of(uint64_t x, int i)
{
  return (unsigned)(x >> (8 * i)) & 255;
}

static uint32_t difference(uint32_t x, uint32_t y)
{
  return x > y ? x - y : y - x;
}

/* V_SAD_U8, or V_MSAD_U8 that skips bytes of the mask b that are 0. */
static uint32_t sad_bytes(uint64_t a, uint32_t b, bool masked)
{
  uint32_t sum = 0;
  for (int i = 0; i < 4; i++)
    if (!masked || byte_of(b, i))
      sum += difference(byte_of(a, i), byte_of(b, i));
  return sum;
}

/* V_QSAD_PK_U16_U8 */
static uint64_t quad_sad(uint64_t a, uint32_t b, uint64_t c, bool masked)
{
  uint64_t r = 0;
  for (int i = 0; i < 4; i++)
    r |= (uint64_t)(uint16_t)(sad_bytes(a >> (8 * i), b, masked) +
                              (uint32_t)(c >> (16 * i) & 0xffff))
         << (16 * i);
  return r;
}

/* V_MQSAD_U32_U8: four words. */
static uint64_t quad_sad_wide(const opcode_in *in, opcode_out *o)
{
  const uint32_t add[] = {(uint32_t)in->c, (uint32_t)(in->c >> 32),
                          (uint32_t)in->c_high, (uint32_t)(in->c_high >> 32)};
  uint64_t r[4];
  for (int i = 0; i < 4; i++)
    r[i] =
        (uint32_t)(sad_bytes(in->a >> (8 * i), (uint32_t)in->b, true) + add[i]);
  o->high = r[2] | r[3] << 32;
  return r[0] | r[1] << 32;
}

/* BYTE_PERMUTE of CDNA4 V_PERM_B32. */
static uint32_t permuted(uint32_t a, uint32_t b, uint32_t c)
{
  const uint64_t data = (uint64_t)a << 32 | b;
  uint32_t r = 0;
  for (int i = 0; i < 4; i++) {
    const unsigned s = byte_of(c, i);
    const unsigned x = s >= 13   ? 255
                       : s == 12 ? 0
                       : s >= 8
                           ? (byte_of(data, 2 * ((int)s - 8) + 1) >> 7) * 255
                           : byte_of(data, (int)s);
    r |= x << (8 * i);
  }
  return r;
}

static uint32_t average_bytes(uint32_t a, uint32_t b, uint32_t c)
{
  uint32_t r = 0;
  for (int i = 0; i < 4; i++)
    r |= (byte_of(a, i) + byte_of(b, i) + (byte_of(c, i) & 1)) / 2 << (8 * i);
  return r;
}

static uint32_t field_signed(uint32_t a, uint32_t from, uint32_t count)
{
  if (!count)
    return 0;
  uint64_t v = (uint64_t)((int64_t)(int32_t)a >> from);
  v &= (UINT64_C(1) << count) - 1;
  return (uint32_t)(v >> (count - 1) ? v - (UINT64_C(1) << count) : v);
}

static int64_t middle(int64_t a, int64_t b, int64_t c)
{
  const int64_t most = a > b ? (a > c ? a : c) : (b > c ? b : c);
  const int64_t least = a < b ? (a < c ? a : c) : (b < c ? b : c);
  return a + b + c - most - least;
}

#define LEAST(x, y) ((x) < (y) ? (x) : (y))
#define MOST(x, y)  ((x) > (y) ? (x) : (y))

static bool is_signalling32(uint32_t x)
{
  return (x & 0x7fffffff) > 0x7f800000 && !(x & 0x400000);
}

uint32_t f32_extreme(uint32_t a, uint32_t b, bool ieee, bool most)
{
  const float x = f32_from(a), y = f32_from(b);
  if (ieee && is_signalling32(a))
    return a | 0x400000;
  if (ieee && is_signalling32(b))
    return b | 0x400000;
  if (f32_is_nan(a))
    return b;
  if (f32_is_nan(b))
    return a;
  if (x == 0 && y == 0)
    return most ? a & b : a | b;
  return (most ? x > y : x < y) ? a : b;
}

static uint32_t extreme3(const opcode_in *in, bool most)
{
  return f32_extreme(
      f32_extreme((uint32_t)in->a, (uint32_t)in->b, in->ieee, most),
      (uint32_t)in->c, in->ieee, most);
}

/* CDNA4 V_MED3_F32. */
static uint32_t middle32(const opcode_in *in)
{
  const uint32_t a = (uint32_t)in->a, b = (uint32_t)in->b, c = (uint32_t)in->c;
  if (f32_is_nan(a) || f32_is_nan(b) || f32_is_nan(c))
    return extreme3(in, false);
  const float most = f32_from(extreme3(in, true));
  return most == f32_from(a)   ? f32_extreme(b, c, in->ieee, true)
         : most == f32_from(b) ? f32_extreme(a, c, in->ieee, true)
                               : f32_extreme(a, b, in->ieee, true);
}

uint64_t f64_extreme(uint64_t a, uint64_t b, bool ieee, bool most)
{
  const double x = f64_from(a), y = f64_from(b);
  const uint64_t quiet = UINT64_C(1) << 51;
  if (ieee && x != x && !(a & quiet))
    return a | quiet;
  if (ieee && y != y && !(b & quiet))
    return b | quiet;
  if (x != x)
    return b;
  if (y != y)
    return a;
  if (x == 0 && y == 0)
    return most ? a & b : a | b;
  return (most ? x > y : x < y) ? a : b;
}

/* v_mad_f32: the product is rounded, denormals are 0 always. */
static uint32_t flushed32(uint32_t x)
{
  return x & 0x7f800000 ? x : x & 0x80000000;
}

static uint32_t multiply_add(uint32_t a, uint32_t b, uint32_t c)
{
  a = flushed32(a), b = flushed32(b), c = flushed32(c);
  const volatile float p = f32_from(a) * f32_from(b);
  const volatile float q = f32_from(flushed32(f32_bits(p)));
  const volatile float r = q + f32_from(c);
  return flushed32(f32_of(r, 3, a, b, c));
}

static uint32_t multiply_legacy(uint32_t a, uint32_t b)
{
  if (f32_from(a) == 0 || f32_from(b) == 0)
    return 0;
  const volatile float r = f32_from(a) * f32_from(b);
  return f32_of(r, 2, a, b, 0);
}

/* v_mad_f32 whose product follows the rules of DirectX 9. GCN3 12-102. */
static uint32_t multiply_add_legacy(uint32_t a, uint32_t b, uint32_t c)
{
  a = flushed32(a), b = flushed32(b), c = flushed32(c);
  if (f32_from(a) == 0 || f32_from(b) == 0) {
    const float r = f32_from(c) + 0.0f;
    return f32_of(r, 1, c, 0, 0);
  }
  return multiply_add(a, b, c);
}

/* The nearer of the two bf16 around x, of both the even one. */
static uint32_t brain_from(uint32_t x)
{
  if (f32_is_nan(x))
    return x >> 16 | 0x40;
  const uint32_t near = x >> 16, far = near + 1;
  const uint32_t magnitude = x & 0x7fffffff;
  const uint32_t below = magnitude - (near << 16 & 0x7fffffff);
  return below > 0x8000 || (below == 0x8000 && near & 1) ? far : near;
}

static int32_t to_i32(double x)
{
  return x != x               ? 0
         : x >= 2147483647    ? INT32_MAX
         : x <= -2147483648.0 ? INT32_MIN
                              : (int32_t)x;
}

static uint32_t to_u32(double x)
{
  return !(x > 0) ? 0 : x >= 4294967295.0 ? UINT32_MAX : (uint32_t)x;
}

static uint32_t fraction32(uint32_t a)
{
  const float x = f32_from(a);
  if (x != x || isinf(x))
    return f32_of(NAN, 1, a, 0, 0);
  const float r = x - floorf(x);
  return f32_bits(r > 0x1.fffffep-1f ? 0x1.fffffep-1f : r);
}

static uint64_t fraction64(uint64_t a)
{
  const double x = f64_from(a);
  if (x != x || isinf(x))
    return f64_of_result((double)NAN, 1, a, 0, 0);
  const double r = x - floor(x);
  return f64_bits(r > 0x1.fffffffffffffp-1 ? 0x1.fffffffffffffp-1 : r);
}

/* GCN3 12-92: classes of a float by bits of the mask. */
static bool in_class(int category, bool negative, bool quiet, uint32_t mask)
{
  return mask >> (category == FP_NAN         ? (quiet ? 1 : 0)
                  : category == FP_INFINITE  ? (negative ? 2 : 9)
                  : category == FP_NORMAL    ? (negative ? 3 : 8)
                  : category == FP_SUBNORMAL ? (negative ? 4 : 7)
                                             : (negative ? 5 : 6)) &
         1;
}

static bool class32(uint32_t a, uint32_t mask)
{
  return in_class(fpclassify(f32_from(a)), a >> 31, a >> 22 & 1, mask);
}

static bool class64(uint64_t a, uint32_t mask)
{
  return in_class(fpclassify(f64_from(a)), a >> 63, a >> 51 & 1, mask);
}

static uint32_t exponent_of(double x)
{
  int e = 0;
  if (isfinite(x))
    (void)frexp(x, &e);
  return x == 0 ? 0 : (uint32_t)e;
}

static double mantissa_of(double x)
{
  int e;
  return isfinite(x) ? frexp(x, &e) : x;
}

static double scaled(double x, int32_t e)
{
  return ldexp(x, e > 5000 ? 5000 : e < -5000 ? -5000 : e);
}

/* The face, or a coordinate, of a cube map. CDNA4 V_CUBE*_F32. */
static float cube(float x, float y, float z, char what)
{
  const int major = fabsf(z) >= fabsf(x) && fabsf(z) >= fabsf(y) ? 2
                    : fabsf(y) >= fabsf(x)                       ? 1
                                                                 : 0;
  const float along = major == 2 ? z : major == 1 ? y : x;
  const bool below = along < 0;
  switch (what) {
  case 'i':
    return (float)(2 * major + below);
  case 's':
    return major == 2 ? (below ? -x : x) : major == 1 ? x : below ? z : -z;
  case 't':
    return major == 1 ? (below ? -z : z) : -y;
  default:
    return 2 * along;
  }
}

static uint16_t norm_signed(double x)
{
  return x != x ? 0
                : (uint16_t)(int16_t)rint((x < -1  ? -1
                                           : x > 1 ? 1
                                                   : x) *
                                          32767);
}

static uint16_t norm_unsigned(double x)
{
  return x != x ? 0 : (uint16_t)rint((x < 0 ? 0 : x > 1 ? 1 : x) * 65535);
}

static uint32_t to_byte(float x)
{
  return x != x ? 0 : (uint32_t)rint(x < 0 ? 0 : x > 255 ? 255 : (double)x);
}

static uint32_t byte_replaced(uint32_t old, uint32_t at, uint32_t byte)
{
  const unsigned shift = 8 * (at & 3);
  return (old & ~(0xffu << shift)) | byte << shift;
}

static bool add_overflows(uint64_t p, uint64_t c)
{
  const __int128 sum = (__int128)(int64_t)p + (int64_t)c;
  return sum != (int64_t)sum;
}

static uint32_t saturated8(int32_t x, int32_t least, int32_t most)
{
  return (uint32_t)(x < least ? least : x > most ? most : x) & 0xff;
}

static uint32_t table_of_bits(uint32_t a, uint32_t b, uint32_t c,
                              unsigned table)
{
  uint32_t r = 0;
  for (int i = 0; i < 32; i++)
    r |= (table >> ((a >> i & 1) << 2 | (b >> i & 1) << 1 | (c >> i & 1)) & 1)
         << i;
  return r;
}

#define F(x)       f32_from(x)
#define G(x)       f64_from(x)
#define F1(e)      f32_of(e, 1, a, 0, 0)
#define F2(e)      f32_of(e, 2, a, b, 0)
#define F3(e)      f32_of(e, 3, a, b, c)
#define G1(e)      f64_of_result(e, 1, A, 0, 0)
#define G2(e)      f64_of_result(e, 2, A, B, 0)
#define G3(e)      f64_of_result(e, 3, A, B, C)
#define CARRY(e)   (o->carry = (e))
#define PAIR(x, y) ((uint32_t)(uint16_t)(x) | (uint32_t)(y) << 16)
#define CLAMP16(x) LEAST(MOST(x, -32768), 32767)

/* clang-format off */
#define INTEGERS(X)                                                            \
  X(v_mov_b32, 'i', a)                                                         \
  X(v_mov_b64, 'i', A)                                                         \
  X(v_not_b32, 'i', ~a)                                                        \
  X(v_bfrev_b32, 'i', mirrored(a))                                             \
  X(v_ffbh_u32, 'i', (uint32_t)highest_bit(a))                                 \
  X(v_ffbl_b32, 'i', (uint32_t)lowest_bit(a))                                  \
  X(v_ffbh_i32, 'i', (uint32_t)first_unlike_sign(a))                           \
  X(v_and_b32, 'i', a & b)                                                     \
  X(v_or_b32, 'i', a | b)                                                      \
  X(v_xor_b32, 'i', a ^ b)                                                     \
  X(v_xnor_b32, 'i', ~(a ^ b))                                                 \
  X(v_add_u32, 'i', a + b)                                                     \
  X(v_sub_u32, 'i', a - b)                                                     \
  X(v_subrev_u32, 'i', b - a)                                                  \
  X(v_add_i32, 'i', a + b)                                                     \
  X(v_sub_i32, 'i', a - b)                                                     \
  X(v_min_i32, 'i', LEAST(sa, sb))                                             \
  X(v_max_i32, 'i', MOST(sa, sb))                                              \
  X(v_min_u32, 'i', LEAST(a, b))                                               \
  X(v_max_u32, 'i', MOST(a, b))                                                \
  X(v_lshrrev_b32, 'i', b >> a % 32)                                           \
  X(v_ashrrev_i32, 'i', sb >> a % 32)                                          \
  X(v_lshlrev_b32, 'i', b << a % 32)                                           \
  X(v_lshlrev_b64, 'i', B << A % 64)                                           \
  X(v_lshrrev_b64, 'i', B >> A % 64)                                           \
  X(v_ashrrev_i64, 'i', (int64_t)B >> A % 64)                                  \
  X(v_mul_i32_i24, 'i', low24(a, true) * low24(b, true))                       \
  X(v_mul_hi_i32_i24, 'i', low24(a, true) * low24(b, true) >> 32)              \
  X(v_mul_u32_u24, 'i', low24(a, false) * low24(b, false))                     \
  X(v_mul_hi_u32_u24, 'i', low24(a, false) * low24(b, false) >> 32)            \
  X(v_mul_lo_u32, 'i', a * b)                                                  \
  X(v_mul_hi_u32, 'i', (unsigned __int128)a * b >> 32)                         \
  X(v_mul_hi_i32, 'i', (__int128)sa * sb >> 32)                                \
  X(v_bfm_b32, 'i', ((UINT64_C(1) << a % 32) - 1) << b % 32)           \
  X(v_bcnt_u32_b32, 'i', count_ones(a) + b)                                    \
  X(v_cvt_pk_u16_u32, 'i', PAIR(LEAST(a, 65535), LEAST(b, 65535)))             \
  X(v_cvt_pk_i16_i32, 'i', PAIR(CLAMP16(sa), CLAMP16(sb)))                     \
  X(v_mad_i32_i24, 'i', low24(a, true) * low24(b, true) + sc)                  \
  X(v_mad_u32_u24, 'i', low24(a, false) * low24(b, false) + c)                 \
  X(v_bfe_u32, 'i', a >> b % 32 & ((UINT64_C(1) << c % 32) - 1))               \
  X(v_bfe_i32, 'i', field_signed(a, b % 32, c % 32))                           \
  X(v_bfi_b32, 'i', (a & b) | (~a & c))                                        \
  X(v_lerp_u8, 'i', average_bytes(a, b, c))                                    \
  X(v_alignbit_b32, 'i', ((uint64_t)a << 32 | b) >> c % 32)                    \
  X(v_alignbyte_b32, 'i', ((uint64_t)a << 32 | b) >> 8 * (c % 4))              \
  X(v_min3_i32, 'i', LEAST(LEAST(sa, sb), sc))                                 \
  X(v_min3_u32, 'i', LEAST(LEAST(a, b), c))                                    \
  X(v_max3_i32, 'i', MOST(MOST(sa, sb), sc))                                   \
  X(v_max3_u32, 'i', MOST(MOST(a, b), c))                                      \
  X(v_med3_i32, 'i', middle(sa, sb, sc))                                       \
  X(v_med3_u32, 'i', middle(a, b, c))                                          \
  X(v_sad_u8, 'i', sad_bytes(a, b, false) + c)                                 \
  X(v_msad_u8, 'i', sad_bytes(a, b, true) + c)                                 \
  X(v_sad_hi_u8, 'i', (sad_bytes(a, b, false) << 16) + c)                      \
  X(v_sad_u16, 'i', difference(a & 0xffff, b & 0xffff) +                       \
                    difference(a >> 16, b >> 16) + c)                          \
  X(v_sad_u32, 'i', difference(a, b) + c)                                      \
  X(v_qsad_pk_u16_u8, 'i', quad_sad(A, b, C, false))                           \
  X(v_mqsad_pk_u16_u8, 'i', quad_sad(A, b, C, true))                           \
  X(v_mqsad_u32_u8, 'i', quad_sad_wide(in, o))                                 \
  X(v_perm_b32, 'i', permuted(a, b, c))                                        \
  X(v_xad_u32, 'i', (a ^ b) + c)                                               \
  X(v_lshl_add_u32, 'i', (a << b % 32) + c)                                    \
  X(v_add_lshl_u32, 'i', (a + b) << c % 32)                                    \
  X(v_add3_u32, 'i', a + b + c)                                                \
  X(v_lshl_or_b32, 'i', a << b % 32 | c)                                       \
  X(v_and_or_b32, 'i', (a & b) | c)                                            \
  X(v_or3_b32, 'i', a | b | c)                                                 \
  X(v_lshl_add_u64, 'i', (A << (b & 7)) + C)                                   \
  X(v_add_co_u32, 'i', (CARRY((uint64_t)a + b > UINT32_MAX), a + b))           \
  X(v_sub_co_u32, 'i', (CARRY(b > a), a - b))                                  \
  X(v_subrev_co_u32, 'i', (CARRY(a > b), b - a))                               \
  X(v_addc_co_u32, 'i', (CARRY((uint64_t)a + b + in->carry > UINT32_MAX),      \
                         a + b + in->carry))                                   \
  X(v_subb_co_u32, 'i', (CARRY((uint64_t)b + in->carry > a),                   \
                         a - b - in->carry))                                   \
  X(v_subbrev_co_u32, 'i', (CARRY((uint64_t)a + in->carry > b),                \
                            b - a - in->carry))                                \
  X(v_mad_u64_u32, 'i', (CARRY((unsigned __int128)a * b + C > UINT64_MAX),     \
                         (uint64_t)a * b + C))                                 \
  X(v_mad_i64_i32, 'i', (CARRY(add_overflows((uint64_t)((int64_t)sa * sb), C)),\
                         (uint64_t)((int64_t)sa * sb) + C))                    \
  X(v_cndmask_b32, 'i', in->carry ? b : a)                                     \
  X(v_ashr_pk_i8_i32, 'i', saturated8(sa >> c % 32, -128, 127) |               \
                           saturated8(sb >> c % 32, -128, 127) << 8)           \
  X(v_ashr_pk_u8_i32, 'i', saturated8(sa >> c % 32, 0, 255) |                  \
                           saturated8(sb >> c % 32, 0, 255) << 8)              \
  X(v_prng_b32, 'i', a << 1 ^ (sa < 0 ? 197 : 0))                              \
  X(v_bitop3_b32, 'i', table_of_bits(a, b, c, (uint8_t)in->imm))               \
  X(v_bitop3_b16, 'i', (uint16_t)table_of_bits(a, b, c, (uint8_t)in->imm))     \
  X(v_sat_pk_u8_i16, 'i', saturated8((int16_t)a, 0, 255) |                     \
                          saturated8(sa >> 16, 0, 255) << 8)

#define FLOATS(X)                                                              \
  X(v_add_f32, 'F', F2(F(a) + F(b)))                                           \
  X(v_sub_f32, 'F', F2(F(a) - F(b)))                                           \
  X(v_subrev_f32, 'F', F2(F(b) - F(a)))                                        \
  X(v_mul_f32, 'F', F2(F(a) * F(b)))                                           \
  X(v_mul_legacy_f32, 'f', multiply_legacy(a, b))                              \
  X(v_min_f32, 'f', f32_extreme(a, b, in->ieee, false))                          \
  X(v_max_f32, 'f', f32_extreme(a, b, in->ieee, true))                           \
  X(v_fma_f32, 'F', F3(fmaf(F(a), F(b), F(c))))                                \
  X(v_fmac_f32, 'F', F3(fmaf(F(a), F(b), F(c))))                               \
  X(v_fmamk_f32, 'F', F3(fmaf(F(a), F(b), F(c))))                              \
  X(v_fmaak_f32, 'F', F3(fmaf(F(a), F(b), F(c))))                              \
  X(v_mad_f32, 'f', multiply_add(a, b, c))                                     \
  X(v_mac_f32, 'f', multiply_add(a, b, c))                                     \
  X(v_madmk_f32, 'f', multiply_add(a, b, c))                                   \
  X(v_madak_f32, 'f', multiply_add(a, b, c))                                   \
  X(v_min3_f32, 'f', extreme3(in, false))                                      \
  X(v_max3_f32, 'f', extreme3(in, true))                                       \
  X(v_med3_f32, 'f', middle32(in))                                             \
  X(v_add_f64, 'D', G2(G(A) + G(B)))                                           \
  X(v_mul_f64, 'D', G2(G(A) * G(B)))                                           \
  X(v_min_f64, 'd', f64_extreme(A, B, in->ieee, false))                          \
  X(v_max_f64, 'd', f64_extreme(A, B, in->ieee, true))                           \
  X(v_fma_f64, 'D', G3(fma(G(A), G(B), G(C))))                                 \
  X(v_fmac_f64, 'D', G3(fma(G(A), G(B), G(C))))                                \
  X(v_cvt_f32_i32, 'f', f32_bits((float)sa))                                   \
  X(v_cvt_f32_u32, 'f', f32_bits((float)a))                                    \
  X(v_cvt_u32_f32, 'f', to_u32((double)F(a)))                                  \
  X(v_cvt_i32_f32, 'f', to_i32((double)F(a)))                                  \
  X(v_cvt_rpi_i32_f32, 'f', to_i32(floor((double)F(a) + 0.5)))                 \
  X(v_cvt_flr_i32_f32, 'f', to_i32(floor((double)F(a))))                       \
  X(v_cvt_off_f32_i4, 'f', f32_bits((float)((int)(a % 16) -                    \
                                            (a & 8 ? 16 : 0)) / 16))           \
  X(v_cvt_f32_ubyte0, 'f', f32_bits((float)byte_of(a, 0)))                     \
  X(v_cvt_f32_ubyte1, 'f', f32_bits((float)byte_of(a, 1)))                     \
  X(v_cvt_f32_ubyte2, 'f', f32_bits((float)byte_of(a, 2)))                     \
  X(v_cvt_f32_ubyte3, 'f', f32_bits((float)byte_of(a, 3)))                     \
  X(v_cvt_f64_i32, 'd', f64_bits((double)sa))                                  \
  X(v_cvt_f64_u32, 'd', f64_bits((double)a))                                   \
  X(v_cvt_f64_f32, 'd', f64_bits((double)F(a)))                                \
  X(v_cvt_f32_f64, 'f', f32_bits((float)G(A)))                                 \
  X(v_cvt_i32_f64, 'd', to_i32(G(A)))                                          \
  X(v_cvt_u32_f64, 'd', to_u32(G(A)))                                          \
  X(v_cvt_f32_bf16, 'f', a << 16)                                              \
  X(v_fract_f32, 'f', fraction32(a))                                           \
  X(v_trunc_f32, 'f', F1(truncf(F(a))))                                        \
  X(v_ceil_f32, 'f', F1(ceilf(F(a))))                                          \
  X(v_rndne_f32, 'f', F1(rintf(F(a))))                                         \
  X(v_floor_f32, 'f', F1(floorf(F(a))))                                        \
  X(v_fract_f64, 'd', fraction64(A))                                           \
  X(v_trunc_f64, 'd', G1(trunc(G(A))))                                         \
  X(v_ceil_f64, 'd', G1(ceil(G(A))))                                           \
  X(v_rndne_f64, 'd', G1(rint(G(A))))                                          \
  X(v_floor_f64, 'd', G1(floor(G(A))))                                         \
  X(v_frexp_exp_i32_f32, 'f', exponent_of((double)F(a)))                       \
  X(v_frexp_mant_f32, 'f', F1((float)mantissa_of((double)F(a))))               \
  X(v_frexp_exp_i32_f64, 'd', exponent_of(G(A)))                               \
  X(v_frexp_mant_f64, 'd', G1(mantissa_of(G(A))))                              \
  X(v_ldexp_f32, 'f', F1((float)scaled((double)F(a), sb)))                     \
  X(v_ldexp_f64, 'd', G1(scaled(G(A), sb)))                                    \
  X(v_cmp_class_f32, 'f', (CARRY(class32(a, b)), 0))                           \
  X(v_cmpx_class_f32, 'f', (CARRY(class32(a, b)), 0))                          \
  X(v_cmp_class_f64, 'd', (CARRY(class64(A, b)), 0))                           \
  X(v_cmpx_class_f64, 'd', (CARRY(class64(A, b)), 0))                          \
  X(v_cubeid_f32, 'f', f32_bits(cube(F(a), F(b), F(c), 'i')))                  \
  X(v_cubesc_f32, 'f', f32_bits(cube(F(a), F(b), F(c), 's')))                  \
  X(v_cubetc_f32, 'f', f32_bits(cube(F(a), F(b), F(c), 't')))                  \
  X(v_cubema_f32, 'f', f32_bits(cube(F(a), F(b), F(c), 'm')))                  \
  X(v_cvt_pknorm_i16_f32, 'f', PAIR(norm_signed((double)F(a)),                 \
                                    norm_signed((double)F(b))))                \
  X(v_cvt_pknorm_u16_f32, 'f', PAIR(norm_unsigned((double)F(a)),               \
                                    norm_unsigned((double)F(b))))              \
  X(v_cvt_pk_u8_f32, 'f', byte_replaced(c, b, to_byte(F(a))))                  \
  X(v_cvt_pkaccum_u8_f32, 'f', byte_replaced(c, b, to_byte(F(a))))             \
  X(v_cvt_pk_bf16_f32, 'f', PAIR(brain_from(a), brain_from(b)))                \
  X(v_mad_legacy_f32, 'f', multiply_add_legacy(a, b, c))                       \

#define NEAR(X)                                                                \
  X(v_exp_f32, 'f', F1(exp2f(F(flushed32(a)))))                                \
  X(v_log_f32, 'f', F1(log2f(F(flushed32(a)))))                                \
  X(v_exp_legacy_f32, 'f', F1(exp2f(F(flushed32(a)))))                         \
  X(v_log_legacy_f32, 'f', F1(log2f(F(flushed32(a)))))                         \
  X(v_rcp_f32, 'f', F1(1 / F(a)))                                              \
  X(v_rcp_iflag_f32, 'f', F1(1 / F(a)))                                        \
  X(v_rsq_f32, 'f', F1((float)(1 / sqrt((double)F(a)))))                       \
  X(v_sqrt_f32, 'f', F1(sqrtf(F(a))))                                          \
  X(v_rcp_f64, 'd', G1(1 / G(A)))                                              \
  X(v_rsq_f64, 'd', G1(1 / sqrt(G(A))))                                        \
  X(v_sqrt_f64, 'd', G1(sqrt(G(A))))

/* GCN3 12-84: comparisons by type. */
#define COMPARE(X, p, T, KIND, L, R)                                           \
  X(p##_f_##T, KIND, (CARRY(false), 0))                                        \
  X(p##_lt_##T, KIND, (CARRY(L < R), 0))                                       \
  X(p##_eq_##T, KIND, (CARRY(L == R), 0))                                      \
  X(p##_le_##T, KIND, (CARRY(L <= R), 0))                                      \
  X(p##_gt_##T, KIND, (CARRY(L > R), 0))                                       \
  X(p##_ge_##T, KIND, (CARRY(L >= R), 0))
#define COMPARE_INTEGERS(X, p, T, L, R)                                        \
  COMPARE(X, p, T, 'i', L, R)                                                  \
  X(p##_ne_##T, 'i', (CARRY(L != R), 0))                                       \
  X(p##_t_##T, 'i', (CARRY(true), 0))
#define COMPARE_FLOATS(X, p, T, KIND, L, R)                                    \
  COMPARE(X, p, T, KIND, L, R)                                                 \
  X(p##_lg_##T, KIND, (CARRY(islessgreater(L, R)), 0))                         \
  X(p##_o_##T, KIND, (CARRY(!isunordered(L, R)), 0))                           \
  X(p##_u_##T, KIND, (CARRY(isunordered(L, R)), 0))                            \
  X(p##_nge_##T, KIND, (CARRY(!isgreaterequal(L, R)), 0))                      \
  X(p##_nlg_##T, KIND, (CARRY(!islessgreater(L, R)), 0))                       \
  X(p##_ngt_##T, KIND, (CARRY(!isgreater(L, R)), 0))                           \
  X(p##_nle_##T, KIND, (CARRY(!islessequal(L, R)), 0))                         \
  X(p##_neq_##T, KIND, (CARRY(!(L == R)), 0))                                  \
  X(p##_nlt_##T, KIND, (CARRY(!isless(L, R)), 0))                              \
  X(p##_tru_##T, KIND, (CARRY(true), 0))
#define COMPARISONS(X, p)                                                      \
  COMPARE_INTEGERS(X, p, u32, a, b)                                            \
  COMPARE_INTEGERS(X, p, i32, sa, sb)                                          \
  COMPARE_INTEGERS(X, p, u64, A, B)                                            \
  COMPARE_INTEGERS(X, p, i64, (int64_t)A, (int64_t)B)                          \
  COMPARE_INTEGERS(X, p, u16, ha, hb)                                          \
  COMPARE_INTEGERS(X, p, i16, (int16_t)ha, (int16_t)hb)                        \
  COMPARE_FLOATS(X, p, f32, 'f', F(a), F(b))                                   \
  COMPARE_FLOATS(X, p, f64, 'd', G(A), G(B))                                   \
  COMPARE_FLOATS(X, p, f16, 'h', f16_from(ha), f16_from(hb))

INTEGERS(OPCODE)
FLOATS(OPCODE)
NEAR(OPCODE)
COMPARISONS(OPCODE, v_cmp)
COMPARISONS(OPCODE, v_cmpx)

#define NEAR_ROW(name, KIND, EXPR) {#name, name##_x, KIND, 1},
const opcode_case opcodes_vector[] = {
    INTEGERS(OPCODE_ROW) FLOATS(OPCODE_ROW) NEAR(NEAR_ROW)
    COMPARISONS(OPCODE_ROW, v_cmp) COMPARISONS(OPCODE_ROW, v_cmpx)
    {0}};
/* clang-format on */
