/* SPDX-License-Identifier: MIT */
/* Kernels of narrow types, private memory, calls and conversions: code for
 * which the compiler uses SDWA, packed f16, scratch and indirect branches. */
#include "kernels.h"

#define NOINLINE __attribute__((noinline))

typedef _Float16 f16;
typedef unsigned short u16;
typedef short i16;
typedef unsigned char u8;
typedef signed char i8;

static inline f16 f16_at(u64 bits, int which)
{
  const u16 word = (u16)(bits >> 16 * which);
  f16 value;
  __builtin_memcpy(&value, &word, sizeof value);
  return value;
}

static u64 bits_of_f16(f16 value)
{
  u16 bits;
  if (value != value)
    return 0x7e00;
  __builtin_memcpy(&bits, &value, sizeof bits);
  return bits;
}

KERNEL(k_f16)
{
  ITEM;
  const f16 x = f16_at(a[i], 0), y = f16_at(b[i], 1);
  const f16 sum = x + y, difference = x - y, product = x * y;
  out[i] = bits_of_f16(sum) | bits_of_f16(difference) << 16 |
           bits_of_f16(product) << 32 | (u64)(x < y) << 48 |
           (u64)(x >= y) << 49 | (u64)(x != y) << 50;
}

/* Four elements: the compiler packs two of them in an instruction. */
KERNEL(k_f16_packed)
{
  ITEM;
  const u64 wide_a = a[i], wide_b = b[i];
  u64 r = 0;
  f16 x[4], y[4], z[4];
  for (int k = 0; k < 4; k++) {
    x[k] = f16_at(wide_a, k);
    y[k] = f16_at(wide_b, k);
  }
  for (int k = 0; k < 4; k++)
    z[k] = x[k] * y[3 - k];
  for (int k = 0; k < 4; k++)
    z[k] = z[k] + y[k];
  for (int k = 0; k < 4; k++)
    r |= bits_of_f16(z[k]) << 16 * k;
  out[i] = r;
}

/* Products of f16 are exact in f32. */
KERNEL(k_mixed)
{
  ITEM;
  float sum = f32_of((u32)b[i] & 0x43ffffff);
  for (int k = 0; k < 4; k++)
    sum = (float)f16_at(a[i], k) * (float)f16_at(b[i], k) + sum;
  out[i] = bits_of_f32(sum) | bits_of_f16((f16)sum) << 32;
}

KERNEL(k_f16_convert)
{
  ITEM;
  const f16 x = f16_at(a[i], 0);
  out[i] = bits_of_f32((float)x) | bits_of_f16((f16)f32_of((u32)b[i])) << 32 |
           bits_of_f16((f16)(i16)b[i]) << 48;
}

KERNEL(k_bytes_arithmetic)
{
  ITEM;
  u64 r = 0;
  for (int k = 0; k < 8; k++) {
    const u8 x = (u8)(a[i] >> 8 * k), y = (u8)(b[i] >> 8 * (7 - k));
    const i8 sx = (i8)x, sy = (i8)y;
    const u8 p = (u8)(x + y), q = (u8)(sx * sy), s = (u8)(x > y ? x - y : y);
    const u8 t = (u8)(sx >> (y & 7)), u = (u8)(sx < sy ? sx : sy);
    r = r * 257 + (u64)(p ^ q) + (u64)(s ^ t ^ u);
  }
  out[i] = r;
}

KERNEL(k_shorts_arithmetic)
{
  ITEM;
  u64 r = 0;
  for (int k = 0; k < 4; k++) {
    const u16 x = (u16)(a[i] >> 16 * k), y = (u16)(b[i] >> 16 * (3 - k));
    const i16 sx = (i16)x, sy = (i16)y;
    const u16 p = (u16)(x + y), q = (u16)(x * y), s = (u16)(x - y);
    const u16 t = (u16)(sx >> (y & 15)), u = (u16)(sx < sy ? sx : sy);
    const u16 v = (u16)(x << (y & 15)), m = x > y ? x : y;
    r = (r << 16 | r >> 48) ^ (u64)(u16)(p ^ q ^ s) ^
        (u64)(u16)(t + u + v + m) << 24 ^ (u64)((i64)sx * sy);
  }
  out[i] = r;
}

KERNEL(k_pack_bytes)
{
  ITEM;
  u32 r = 0;
  for (int k = 0; k < 4; k++) {
    const u32 x = (u32)(a[i] >> 8 * k) & 0xff, y = (u32)(b[i] >> 8 * k) & 0xff;
    r |= ((x + y + 1) >> 1 & 0xff) << 8 * k;
  }
  const float sum = (float)(u8)a[i] + (float)(u8)(a[i] >> 8) +
                    (float)(u8)(a[i] >> 16) + (float)(u8)(a[i] >> 24);
  out[i] = r | (u64)bits_of_f32(sum) << 32;
}

KERNEL(k_private)
{
  ITEM;
  u32 words[40];
  u8 bytes[24];
  u64 r = 0;
  for (u32 k = 0; k < 40; k++)
    words[k] = (u32)a[i] * (k + 1);
  for (u32 k = 0; k < 24; k++)
    bytes[k] = (u8)(b[i] >> k);
    /* Unrolled, it takes the compiler ten seconds. */
#if defined(__clang__)
#pragma clang loop unroll(disable)
#endif
  for (u32 k = 0; k < 60; k++) {
    const u32 at = (u32)(b[i] >> (k & 31)) % 40;
    words[at] ^= (words[(at + 7) % 40] >> 3) + bytes[(at + k) % 24];
    bytes[at % 24] = (u8)(words[at] + k);
  }
  for (u32 k = 0; k < 40; k++)
    r = r * 31 + words[k];
  out[i] = r;
}

static NOINLINE u64 descend(u64 x, u32 depth)
{
  u32 kept[4] = {(u32)x, (u32)(x >> 32), depth, 7};
  if (depth == 0)
    return x + 1;
  kept[x & 3] += depth;
  const u64 first = descend(x * 3 + kept[x >> 2 & 3], depth - 1);
  return x & 16 ? first ^ kept[x >> 4 & 3]
                : first + descend(x ^ first, depth >> 1) + kept[0];
}

KERNEL(k_recursion)
{
  ITEM;
  out[i] = descend(a[i], (u32)b[i] % 7);
}

static NOINLINE u64 callee_add(u64 x, u64 y)
{
  return x + y * 3;
}
static NOINLINE u64 callee_xor(u64 x, u64 y)
{
  return (x ^ y) >> (y & 15);
}
static NOINLINE u64 callee_divide(u64 x, u64 y)
{
  return x / (y | 1);
}
static NOINLINE u64 callee_loop(u64 x, u64 y)
{
  for (u32 k = 0; k < (y & 7); k++)
    x = x << 1 ^ x >> 7;
  return x;
}

typedef u64 (*callee)(u64 x, u64 y);
static const callee callees[] = {callee_add, callee_xor, callee_divide,
                                 callee_loop};

KERNEL(k_indirect)
{
  ITEM;
  out[i] = callees[a[i] & 3](a[i] >> 1, callees[b[i] & 3](b[i], a[i]));
}

KERNEL(k_jump_table)
{
  ITEM;
  u64 r = b[i];
  for (u32 k = 0; k < 6; k++)
    switch ((a[i] >> 4 * k) & 15) {
    case 0:
      r += 11;
      break;
    case 1:
      r ^= r >> 3;
      break;
    case 2:
      r *= 5;
      break;
    case 3:
      r -= a[i];
      /* fall through */
    case 4:
      r = r << 3 | r >> 61;
      break;
    case 5:
      r = ~r;
      break;
    case 6:
      r &= a[i] | 0xffff;
      break;
    case 7:
      r |= 0x8080;
      break;
    case 8:
      r += k * r;
      break;
    case 9:
      r ^= 0x123456789abcull;
      break;
    case 10:
      k++;
      break;
    default:
      r += k;
    }
  out[i] = r;
}

/* Defined on the device, undefined in C: out of range saturates, NaN is 0. */
#if defined(__AMDGCN__)
#define TO_INTEGER(T, x, least, most) ((T)(x))
#else
#define TO_INTEGER(T, x, least, most)                                          \
  ((x) != (x)              ? 0                                                 \
   : (x) < (double)(least) ? (T)(least)                                        \
   : (x) > (double)(most)  ? (T)(most)                                         \
                           : (T)(x))
#endif

KERNEL(k_float_to_integer)
{
  ITEM;
  const float x = f32_of((u32)a[i]);
  const double y = f64_of(b[i]);
  const i32 sx = TO_INTEGER(i32, x, -2147483647 - 1, 2147483647);
  const u32 ux = TO_INTEGER(u32, x, 0, 4294967295u);
  const i32 sy = TO_INTEGER(i32, y, -2147483647 - 1, 2147483647);
  const u32 uy = TO_INTEGER(u32, y, 0, 4294967295u);
  out[i] = ((u64)(u32)sx << 32 | ux) ^ ((u64)uy << 32 | (u32)sy) * 3;
}

KERNEL(k_integer_to_float)
{
  ITEM;
  out[i] = bits_of_f32((float)a[i]) ^ (u64)bits_of_f32((float)(i64)b[i]) << 32 ^
           bits_of_f64((double)a[i]) * 3 ^ bits_of_f64((double)(i64)b[i]) * 5;
}

KERNEL(k_f64_to_f32)
{
  ITEM;
  out[i] =
      bits_of_f32((float)f64_of(a[i])) ^ bits_of_f64((double)f32_of((u32)b[i]));
}

KERNEL(k_f64)
{
  ITEM;
  const double x = f64_of(a[i]), y = f64_of(b[i]);
  out[i] = bits_of_f64(__builtin_fma(x, y, x)) ^ bits_of_f64(x - y) * 3 ^
           bits_of_f64(__builtin_floor(x) + __builtin_rint(y)) * 5 ^
           bits_of_f64(__builtin_fabs(x) * -y) * 7;
}

/* -0 is less than 0; of a number and a NaN, the number. */
static float least_f32(float x, float y)
{
#if defined(__AMDGCN__)
  return __builtin_fminf(x, y);
#else
  return x != x   ? y
         : y != y ? x
         : x == y ? (bits_of_f32(x) >> 31 ? x : y)
         : x < y  ? x
                  : y;
#endif
}
static float most_f32(float x, float y)
{
#if defined(__AMDGCN__)
  return __builtin_fmaxf(x, y);
#else
  return x != x   ? y
         : y != y ? x
         : x == y ? (bits_of_f32(x) >> 31 ? y : x)
         : x > y  ? x
                  : y;
#endif
}

/* A float whose NaN is quiet: signaling ones are made so on the way. */
static float quiet_f32(u32 bits)
{
  return f32_of((bits & 0x7fffffff) > 0x7f800000 ? bits | 0x400000 : bits);
}

KERNEL(k_min_max)
{
  ITEM;
  const float x = quiet_f32((u32)a[i]), y = quiet_f32((u32)b[i]),
              z = quiet_f32((u32)(a[i] >> 32));
  const float low = least_f32(x, y), high = most_f32(x, y);
  const i32 p = (i32)a[i], q = (i32)b[i], t = (i32)(b[i] >> 32);
  const i32 least = p < q ? p : q, most = p < q ? q : p;
  const i32 middle = t < least ? least : t > most ? most : t;
  const u32 u = (u32)p < (u32)q ? (u32)p : (u32)q;
  out[i] = (bits_of_f32(low) | (u64)bits_of_f32(high) << 32) ^
           bits_of_f32(least_f32(low, z)) * 3ull ^
           bits_of_f32(most_f32(high, z)) * 5ull ^
           ((u64)(u32)middle << 32 | (u < (u32)t ? u : (u32)t)) * 7;
}

KERNEL(k_divide_64_signed)
{
  ITEM;
  const i64 x = (i64)a[i], y = (i64)b[i] >> (a[i] & 31) | 1;
  out[i] = y == -1 ? 5 : (u64)(x / y) ^ (u64)(x % y) * 3;
}

KERNEL(k_scale)
{
  ITEM;
  const int by = (int)(b[i] & 0x1ff) - 256;
#if defined(__AMDGCN__)
  const float x = __builtin_amdgcn_ldexpf(f32_of((u32)a[i]), by);
  const double y = __builtin_amdgcn_ldexp(f64_of(a[i]), by);
#else
  const float x = __builtin_ldexpf(f32_of((u32)a[i]), by);
  const double y = __builtin_ldexp(f64_of(a[i]), by);
#endif
  out[i] = bits_of_f32(x) ^ bits_of_f64(y);
}

/* Private memory and its neighbours by flat pointers. */
static NOINLINE u64 through(u64 *p, const u8 *q, u32 k)
{
  p[k & 7] += q[k & 15];
  return p[(k + 1) & 7];
}

KERNEL(k_flat_private)
{
  ITEM;
  u64 words[8], r = 0;
  u8 bytes[16];
  for (u32 k = 0; k < 8; k++)
    words[k] = a[i] ^ k;
  for (u32 k = 0; k < 16; k++)
    bytes[k] = (u8)(b[i] >> k);
  for (u32 k = 0; k < 8; k++)
    r = r * 3 + through(words, bytes, (u32)(b[i] >> 5 * k));
  out[i] = r + words[3];
}

typedef struct __attribute__((packed)) odd {
  u8 byte;
  u64 wide;
  u32 word;
  u16 half;
} odd;

/* Words at any byte of private memory, some in several of its words. */
KERNEL(k_private_odd)
{
  ITEM;
  odd all[5];
  u64 r = 0;
  for (u32 k = 0; k < 5; k++)
    all[k] = (odd){(u8)k, a[i] + k, (u32)b[i] ^ k, (u16)(b[i] >> 48)};
  for (u32 k = 0; k < 20; k++) {
    odd *one = &all[(u32)(b[i] >> k) % 5];
    const odd *other = &all[(u32)(a[i] >> k) % 5];
    one->word += (u32)other->wide + other->byte;
    one->wide ^= other->wide << 3 | other->word;
    one->half = (u16)(one->half + one->byte + k);
  }
  for (u32 k = 0; k < 5; k++)
    r = (r * 31 + all[k].wide) * 31 + all[k].word + all[k].half;
  out[i] = r;
}

static u32 reversed(u32 x)
{
#if defined(__AMDGCN__)
  return __builtin_bitreverse32(x);
#else
  u32 r = 0;
  for (int k = 0; k < 32; k++)
    r |= (x >> k & 1) << (31 - k);
  return r;
#endif
}

KERNEL(k_bit_fields)
{
  ITEM;
  const u32 x = (u32)a[i], y = (u32)b[i], z = (u32)(a[i] >> 32);
  u32 r = (x & y) | (~x & z);
  r += __builtin_bswap32(y) ^ reversed(x);
  r ^= (x << 8 | y >> 24) + (z >> (y & 31) | (x << (31 - (y & 31)) << 1));
  r += (x & 0xffffff) * (y & 0xffffff) + z;
  r ^= (u32)((i32)(x << 8) >> 8) * (u32)((i32)(y << 8) >> 8);
  out[i] = r | (u64)(u32)__builtin_popcountll(a[i] ^ b[i]) << 32 |
           (u64)(a[i] ? __builtin_clzll(a[i]) : 64) << 40 |
           (u64)(b[i] ? __builtin_ctzll(b[i]) : 64) << 48;
}
