/* SPDX-License-Identifier: MIT */
#include "kernels.h"

KERNEL(k_add_f32)
{
  ITEM;
  out[i] = bits_of_f32(f32_of((u32)a[i]) + f32_of((u32)b[i]));
}

KERNEL(k_fma_f32)
{
  ITEM;
  const float x = f32_of((u32)a[i]), y = f32_of((u32)b[i]);
  out[i] = bits_of_f32(__builtin_fmaf(x, y, f32_of((u32)(a[i] >> 32))));
}

KERNEL(k_divide_f32)
{
  ITEM;
  out[i] = bits_of_f32(f32_of((u32)a[i]) / f32_of((u32)b[i]));
}

KERNEL(k_sqrt_f32)
{
  ITEM;
  out[i] = bits_of_f32(__builtin_sqrtf(f32_of((u32)a[i])));
}

KERNEL(k_mul_add_f64)
{
  ITEM;
  out[i] = bits_of_f64(f64_of(a[i]) * f64_of(b[i]) + 1.5);
}

KERNEL(k_divide_f64)
{
  ITEM;
  out[i] = bits_of_f64(f64_of(a[i]) / f64_of(b[i]));
}

KERNEL(k_sqrt_f64)
{
  ITEM;
  out[i] = bits_of_f64(__builtin_sqrt(f64_of(a[i])));
}

KERNEL(k_round)
{
  ITEM;
  const float x = f32_of((u32)a[i]);
  const double y = f64_of(b[i]);
  out[i] = (u64)bits_of_f32(__builtin_floorf(x) - __builtin_truncf(x) +
                            __builtin_rintf(x)) ^
           bits_of_f64(__builtin_ceil(y) + __builtin_trunc(y));
}

KERNEL(k_compare_f32)
{
  ITEM;
  const float x = f32_of((u32)a[i]), y = f32_of((u32)b[i]);
  out[i] = (u64)(x < y) | (x <= y) << 1 | (x == y) << 2 | (x != y) << 3 |
           (x > y) << 4 | (x >= y) << 5 | !(x < y) << 6 | !(x >= y) << 7 |
           (u64)(__builtin_isunordered(x, y) != 0) << 8;
}

KERNEL(k_compare_f64)
{
  ITEM;
  const double x = f64_of(a[i]), y = f64_of(b[i]);
  out[i] = (u64)(x < y) | (x <= y) << 1 | (x == y) << 2 | (x != y) << 3 |
           (x > y) << 4 | (x >= y) << 5 | !(x < y) << 6 | !(x >= y) << 7;
}

KERNEL(k_convert)
{
  ITEM;
  const i32 x = (i32)a[i];
  const u32 y = (u32)b[i];
  out[i] = bits_of_f64((double)x * 3 + (double)y) ^ bits_of_f32((float)x) ^
           (u64)bits_of_f32((float)y) << 32 ^
           bits_of_f32((float)(double)(i32)(y >> 3));
}

KERNEL(k_integers)
{
  ITEM;
  const u32 x = (u32)a[i], y = (u32)b[i];
  const i32 sx = (i32)x, sy = (i32)y;
  u32 r = (x + y) ^ (x * y);
  r += (x << (y & 31)) ^ (x >> (y & 31)) ^ (u32)(sx >> (y & 31));
  r ^= x < y ? x : y;
  r += (u32)(sx > sy ? sx : sy);
  r ^= (u32)((u64)x * y >> 32) + (u32)((i64)sx * sy >> 32);
  r += (x >> 5 & 0x1ff) + (u32)((i32)(y << 9) >> 20);
  r ^= (u32)__builtin_popcount(x) + (x ? (u32)__builtin_clz(x) : 40) +
       (y ? (u32)__builtin_ctz(y) : 41);
  out[i] = r;
}

KERNEL(k_integers_64)
{
  ITEM;
  const u64 x = a[i], y = b[i];
  u64 r = (x + y) ^ (x - y) ^ x * y;
  r += x << (y & 63) ^ x >> (y & 63);
  r ^= (u64)((i64)x >> (y & 63));
  r += (x < y ? x : y) ^ (u64)((i64)x < (i64)y ? x : y);
  r ^= (u64)(x == y);
  out[i] = r;
}

KERNEL(k_divide)
{
  ITEM;
  const u32 x = (u32)a[i], y = (u32)b[i] | 1;
  const i32 sx = (i32)x, sy = (i32)(y >> 1 | 3);
  out[i] = (u64)(x / y + x % y) << 32 | (u32)(sx / sy ^ sx % sy);
}

KERNEL(k_divide_64)
{
  ITEM;
  out[i] = a[i] / (b[i] >> 20 | 1) + a[i] % (b[i] >> 40 | 1);
}

KERNEL(k_loop)
{
  ITEM;
  u64 x = a[i];
  u32 steps = 0;
  for (; x & 0xff && steps < 200; steps++)
    x = x & 1 ? x * 3 + 1 + (b[i] & 0xff) : x >> 1;
  out[i] = x + steps;
}

KERNEL(k_switch)
{
  ITEM;
  u64 r;
  switch (a[i] & 7) {
  case 0:
    r = b[i] + 7;
    break;
  case 1:
    r = b[i] * 5;
    break;
  case 2:
    r = b[i] >> 9;
    break;
  case 5:
    r = ~b[i];
    break;
  default:
    r = a[i] & 16 ? b[i] ^ 0x1234567 : a[i];
  }
  out[i] = r;
}

KERNEL(k_bytes)
{
  ITEM;
  const GLOBAL unsigned char *bytes = (const GLOBAL unsigned char *)(a + i);
  const GLOBAL short *halves = (const GLOBAL short *)(b + i);
  u64 r = 0;
  for (u32 k = 0; k < 8; k++)
    r = r * 131 + bytes[(b[i] >> k * 3) & 7];
  for (u32 k = 0; k < 4; k++)
    r ^= (u64)(i64)halves[k] << k;
  out[i] = r;
}

/* Rows, single words, and neither, of one, two and four words; with lanes that
 * are off. */
KERNEL(k_rows)
{
  ITEM;
  const GLOBAL u32 *narrow = (const GLOBAL u32 *)a;
  const u32 wave = i & ~63u, in = i & 15;
  u64 r = narrow[wave + in] * 3ull + narrow[wave + (i >> 4 & 3)] * 5ull;
  r = r * 31 + a[i - (i & 63) / 2];
  if (i % 3 == 1)
    r = r * 31 + narrow[i];
  if (i % 64 > 40)
    r = r * 31 + narrow[wave] + b[i - wave];
  if ((u32)a[i] & 1) {
    const u64 x = a[i & ~3u], y = a[(i & ~3u) + 1];
    r = r * 31 + x + y * 2;
  }
  out[i] = r;
}

KERNEL(k_gather)
{
  ITEM;
  out[i] = a[(u32)b[i] % n] + b[(u32)a[i] % n];
}

/* Every item adds to the same words, in an order that does not matter. */
KERNEL(k_atomics)
{
  ITEM;
  GLOBAL u32 *words = (GLOBAL u32 *)(out + n);
  __atomic_fetch_add(&words[0], (u32)a[i], __ATOMIC_RELAXED);
  __atomic_fetch_xor(&words[1], (u32)b[i], __ATOMIC_RELAXED);
  __atomic_fetch_or(&words[2], (u32)a[i] & 0x10101, __ATOMIC_RELAXED);
  __atomic_fetch_and(&words[3], (u32)b[i], __ATOMIC_RELAXED);
  __atomic_fetch_add(&words[4], 3, __ATOMIC_RELAXED);
  __atomic_fetch_add((GLOBAL u64 *)&words[6], a[i], __ATOMIC_RELAXED);
  __atomic_fetch_sub(&words[8], (u32)b[i], __ATOMIC_RELAXED);
  u32 old = __atomic_load_n(&words[9], __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(&words[9], &old, old * 2 + 1, 0,
                                      __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    ;
  out[i] = i;
}
