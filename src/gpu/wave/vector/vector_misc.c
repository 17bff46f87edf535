/* SPDX-License-Identifier: MIT */
/*
 * Vector instructions that compilers seldom emit, a lane at a time: sums of
 * differences of bytes, faces of cube maps, conversions that saturate, integers
 * of 16 bits, tables of truth.
 */
#include "config.h"

#include "gpu/wave/core/lane_handlers.h"

#pragma GCC optimize("fp-contract=off")

/* ---- bytes ---- */

/* The sum of differences, without the bytes where b is 0. */
static uint32_t masked_sad(uint32_t a, uint32_t b)
{
  uint32_t sum = 0;
  for (int i = 0; i < 32; i += 8) {
    const int x = (int)(a >> i & 0xff), y = (int)(b >> i & 0xff);
    sum += y == 0 ? 0 : (uint32_t)(x > y ? x - y : y - x);
  }
  return sum;
}

static uint32_t plain_sad(uint32_t a, uint32_t b)
{
  uint32_t sum = 0;
  for (int i = 0; i < 32; i += 8) {
    const int x = (int)(a >> i & 0xff), y = (int)(b >> i & 0xff);
    sum += (uint32_t)(x > y ? x - y : y - x);
  }
  return sum;
}

/* Four sums of 16 bits, each a byte further in a. Clamped, they saturate. */
static uint64_t quad_sad(const aq_wave_op *o, uint64_t a, uint32_t b,
                         uint64_t c, uint32_t (*sad)(uint32_t, uint32_t))
{
  uint64_t r = 0;
  for (int i = 0; i < 4; i++) {
    uint32_t sum =
        sad((uint32_t)(a >> (8 * i)), b) + (uint32_t)(c >> (16 * i) & 0xffff);
    if (o->decoded->inst.clamp && sum > 0xffff)
      sum = 0xffff;
    r |= (uint64_t)(sum & 0xffff) << (16 * i);
  }
  return r;
}

static uint32_t saturate8(int32_t x, int32_t least, int32_t most)
{
  return (uint32_t)(x < least ? least : x > most ? most : x) & 0xff;
}

static uint32_t shifted_pair(uint32_t a, uint32_t b, uint32_t c, int32_t least,
                             int32_t most)
{
  return saturate8((int32_t)a >> (c & 31), least, most) |
         saturate8((int32_t)b >> (c & 31), least, most) << 8;
}

S3(v_msad_u8, b32, u32, u32, u32, masked_sad(a, b) + c)
S3(v_qsad_pk_u16_u8, b64, u64, u32, u64, quad_sad(o, a, b, c, plain_sad))
S3(v_mqsad_pk_u16_u8, b64, u64, u32, u64, quad_sad(o, a, b, c, masked_sad))
S3(v_ashr_pk_i8_i32, b32, u32, u32, u32, shifted_pair(a, b, c, -128, 127))
S3(v_ashr_pk_u8_i32, b32, u32, u32, u32, shifted_pair(a, b, c, 0, 255))
S1(v_sat_pk_u8_i16, b32, u32,
   saturate8((int16_t)a, 0, 255) | saturate8((int16_t)(a >> 16), 0, 255) << 8)

/* Four sums of 32 bits. */
BODY(v_mqsad_u32_u8)
{
  const uint32_t *pa = lanes_source64(w, o, 0), *pb = lanes_source(w, o, 1);
  const uint32_t *pc = w->v[o->source[2]];
  uint32_t *pd = w->v[o->dest];
  LANES(l)
  {
    const uint64_t a = lane_u64(pa, l);
    const uint32_t b = pb[l];
    uint32_t r[4];
    for (int i = 0; i < 4; i++) {
      const uint32_t c = pc[AQ_WAVE_LANES * i + l];
      r[i] = masked_sad((uint32_t)(a >> (8 * i)), b) + c;
      if (o->decoded->inst.clamp && r[i] < c)
        r[i] = UINT32_MAX;
    }
    for (int i = 0; i < 4; i++)
      pd[AQ_WAVE_LANES * i + l] = r[i];
  }
  return aq_wave_next(o);
}

/* ---- cube maps ---- */

/* The axis of x, y, z that is the largest: of those equal, the last. */
static int cube_axis(float x, float y, float z)
{
  return fabsf(z) >= fabsf(x) && fabsf(z) >= fabsf(y) ? 2
         : fabsf(y) >= fabsf(x)                       ? 1
                                                      : 0;
}

static float cube_id(float x, float y, float z)
{
  const float axes[] = {x, y, z};
  const int axis = cube_axis(x, y, z);
  return (float)(2 * axis + (axes[axis] < 0));
}

static float cube_s(float x, float y, float z)
{
  const int axis = cube_axis(x, y, z);
  return axis == 2 ? (z < 0 ? -x : x) : axis == 1 ? x : x < 0 ? z : -z;
}

static float cube_t(float x, float y, float z)
{
  return cube_axis(x, y, z) == 1 ? (y < 0 ? -z : z) : -y;
}

static float cube_major(float x, float y, float z)
{
  const float axes[] = {x, y, z};
  return axes[cube_axis(x, y, z)] * 2;
}

S3(v_cubeid_f32, b32, f32, f32, f32, lane_bits32(cube_id(a, b, c)))
S3(v_cubesc_f32, b32, f32, f32, f32, lane_bits32(cube_s(a, b, c)))
S3(v_cubetc_f32, b32, f32, f32, f32, lane_bits32(cube_t(a, b, c)))
S3(v_cubema_f32, b32, f32, f32, f32, lane_bits32(cube_major(a, b, c)))

/* ---- f32 ---- */

/* v_mad_f32 where 0 times anything is 0. */
static uint32_t mad_legacy(float a, float b, float c)
{
  const float x = each_flush(a), y = each_flush(b), z = each_flush(c);
  if (x == 0 || y == 0)
    return lane_bits32(each_flush(lane_f32(lane_nan2(0.0f + z, z, z))));
  const float p = each_flush(x * y);
  return lane_bits32(each_flush(lane_f32(lane_nan3(p + z, x, y, z))));
}

S3(v_mad_legacy_f32, b32, f32, f32, f32, mad_legacy(a, b, c))
S1(v_prng_b32, b32, u32, a << 1 ^ (a >> 31 ? 197 : 0))

/* ---- bf16 and f16 ---- */

static uint32_t quiet_half(uint32_t x)
{
  return (x >> 16 & 0x8000) | 0x7e00 | (x >> 13 & 0x1ff);
}

/* Rounded to the nearest, ties to even; the caller has entered that mode. */
static uint32_t half_of(uint32_t x)
{
  const float a = lane_f32(x);
  return a == a ? lane_bits16(a) : quiet_half(x);
}

static uint32_t brain_of(uint32_t x)
{
  const float a = lane_f32(x);
  return a == a ? (x + 0x7fff + (x >> 16 & 1)) >> 16 : x >> 16 | 0x40;
}

/* Both round so whatever MODE says. */
#define NEAREST(name, EXPR)                                                    \
  BODY(name)                                                                   \
  {                                                                            \
    const uint32_t *pa = lanes_source(w, o, 0), *pb = lanes_source(w, o, 1);   \
    uint32_t *pd = w->v[o->dest];                                              \
    aq_wave_mode_enter_nearest();                                              \
    LANES(l)                                                                   \
    {                                                                          \
      const uint32_t a = pa[l], b = pb[l];                                     \
      pd[l] = EXPR;                                                            \
    }                                                                          \
    aq_wave_mode_enter(w);                                                     \
    return aq_wave_next(o);                                                    \
  }
NEAREST(v_cvt_pk_f16_f32, half_of(a) | half_of(b) << 16)
NEAREST(v_cvt_pk_bf16_f32, brain_of(a) | brain_of(b) << 16)
S1(v_cvt_f32_bf16, b32, u16, (uint32_t)a << 16)

/* One byte of the destination. */
S3(v_cvt_pkaccum_u8_f32, b32, f32, u32, u32,
   (c & ~(0xffu << (8 * (b & 3)))) |
       (uint32_t)(a != a ? 0 : fminf(fmaxf(roundevenf(a), 0), 255))
           << (8 * (b & 3)))

/* ---- integers of 16 bits ---- */

#define MIN(a, b)     ((a) < (b) ? (a) : (b))
#define MAX(a, b)     ((a) > (b) ? (a) : (b))
#define MED3(a, b, c) MAX(MIN(a, b), MIN(MAX(a, b), c))
#define I(x)          ((int16_t)(x))
S3(v_min3_i16, b32, u16, u16, u16, (uint16_t)MIN(MIN(I(a), I(b)), I(c)))
S3(v_max3_i16, b32, u16, u16, u16, (uint16_t)MAX(MAX(I(a), I(b)), I(c)))
S3(v_med3_i16, b32, u16, u16, u16, (uint16_t)MED3(I(a), I(b), I(c)))
S3(v_med3_u16, b32, u16, u16, u16, MED3(a, b, c))

/* Bits by a table of truth. */
static uint32_t table_of(const aq_wave_op *o, uint32_t a, uint32_t b,
                         uint32_t c)
{
  uint32_t r = 0;
  for (unsigned i = 0; i < 8; i++)
    if (o->decoded->inst.imm >> i & 1)
      r |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
  return r;
}

S3(v_bitop3_b32, b32, u32, u32, u32, table_of(o, a, b, c))
S3(v_bitop3_b16, b32, u16, u16, u16, (uint16_t)table_of(o, a, b, c))

/* ---- integers of gfx1250 ---- */

S2(v_add_nc_u64, b64, u64, u64, a + b)
S2(v_sub_nc_u64, b64, u64, u64, a - b)
S2(v_mul_u64, b64, u64, u64, a *b)
S2(v_min_u64, b64, u64, u64, a < b ? a : b)
S2(v_max_u64, b64, u64, u64, a > b ? a : b)
S2(v_min_i64, b64, u64, u64, (int64_t)a < (int64_t)b ? a : b)
S2(v_max_i64, b64, u64, u64, (int64_t)a > (int64_t)b ? a : b)
S3(v_mad_u32, b32, u32, u32, u32, a *b + c)
S3(v_add_max_u32, b32, u32, u32, u32, a + b > c ? a + b : c)
S3(v_add_min_u32, b32, u32, u32, u32, a + b < c ? a + b : c)
S3(v_add_max_i32, b32, u32, u32, u32, (int32_t)(a + b) > (int32_t)c ? a + b : c)
S3(v_add_min_i32, b32, u32, u32, u32, (int32_t)(a + b) < (int32_t)c ? a + b : c)

const aq_wave_semantics aq_wave_rare[] = {
    H(v_add_nc_u64),
    H(v_sub_nc_u64),
    H(v_mul_u64),
    H(v_min_u64),
    H(v_max_u64),
    H(v_min_i64),
    H(v_max_i64),
    H(v_mad_u32),
    H(v_add_max_u32),
    H(v_add_min_u32),
    H(v_add_max_i32),
    H(v_add_min_i32),
    H(v_msad_u8),
    H(v_qsad_pk_u16_u8),
    H(v_mqsad_pk_u16_u8),
    H(v_mqsad_u32_u8),
    H(v_ashr_pk_i8_i32),
    H(v_ashr_pk_u8_i32),
    H(v_sat_pk_u8_i16),
    H(v_cubeid_f32),
    H(v_cubesc_f32),
    H(v_cubetc_f32),
    H(v_cubema_f32),
    H(v_mad_legacy_f32),
    AS(v_mac_legacy_f32, v_mad_legacy_f32),
    H(v_prng_b32),
    H(v_cvt_pk_f16_f32),
    H(v_cvt_pk_bf16_f32),
    H(v_cvt_f32_bf16),
    H(v_cvt_pkaccum_u8_f32),
    H(v_min3_i16),
    H(v_max3_i16),
    H(v_med3_i16),
    H(v_med3_u16),
    H(v_bitop3_b32),
    H(v_bitop3_b16),
    {NULL, NULL}};
