/* SPDX-License-Identifier: MIT */
#include "bench/bench_isa.h"

#include <string.h>

#if defined(__x86_64__)
#define LEVELS                                                                 \
  __attribute__((target_clones("avx512f", "avx2", "default"),                  \
                 optimize("O3", "fp-contract=fast")))
#else
#define LEVELS __attribute__((optimize("O3", "fp-contract=fast")))
#endif

/* Lanes that a loop computes at once. */
enum { BLOCK = 64 };

LEVELS void isa_host_vadd(const float *a, const float *b, float *c, uint32_t n)
{
  for (uint32_t i = 0; i < n; i++)
    c[i] = a[i] + b[i];
}

LEVELS void isa_host_sgemm(const float *a, const float *b, float *c, uint32_t n)
{
  for (uint32_t row = 0; row < n; row++)
    for (uint32_t first = 0; first < n; first += BLOCK) {
      float sum[BLOCK] = {0};
      for (uint32_t k = 0; k < n; k++)
        for (uint32_t l = 0; l < BLOCK; l++)
          sum[l] += a[row * n + k] * b[k * n + first + l];
      memcpy(&c[row * n + first], sum, sizeof sum);
    }
}

/* Two words of each lane, a number's and the lane's, in n steps. */
static inline __attribute__((always_inline)) void
words_run(const uint32_t *a, uint32_t *out, uint32_t items, uint32_t n,
          void (*step)(uint32_t *x, uint32_t *h))
{
  for (uint32_t first = 0; first < items; first += BLOCK) {
    uint32_t x[BLOCK], h[BLOCK];
    for (uint32_t l = 0; l < BLOCK; l++)
      x[l] = a[first + l], h[l] = first + l;
    for (uint32_t k = 0; k < n; k++)
      for (uint32_t l = 0; l < BLOCK; l++)
        step(&x[l], &h[l]);
    for (uint32_t l = 0; l < BLOCK; l++)
      out[first + l] = x[l] ^ h[l];
  }
}

static inline void hash_step(uint32_t *x, uint32_t *h)
{
  *x *= 0xcc9e2d51;
  *x = *x << 15 | *x >> 17;
  *h ^= *x * 0x1b873593;
  *h = *h << 13 | *h >> 19;
  *h = *h * 5 + 0xe6546b64;
  *x += *h ^ *h >> 16;
}

LEVELS void isa_host_hash(const uint32_t *a, uint32_t *out, uint32_t items,
                          uint32_t n)
{
  words_run(a, out, items, n, hash_step);
}

LEVELS void isa_host_gather(const uint32_t *table, uint32_t *out,
                            uint32_t items, uint32_t mask, uint32_t n)
{
  for (uint32_t first = 0; first < items; first += BLOCK) {
    uint32_t x[BLOCK];
    for (uint32_t l = 0; l < BLOCK; l++)
      x[l] = first + l;
    for (uint32_t k = 0; k < n; k++)
      for (uint32_t l = 0; l < BLOCK; l++)
        x[l] = table[(x[l] ^ k) & mask] + first + l;
    memcpy(&out[first], x, sizeof x);
  }
}

LEVELS void isa_host_f64_fma(const double *a, double *out, uint32_t items,
                             uint32_t n)
{
  for (uint32_t first = 0; first < items; first += BLOCK) {
    double s[4][BLOCK];
    for (uint32_t l = 0; l < BLOCK; l++)
      s[0][l] = 0, s[1][l] = 1, s[2][l] = 2, s[3][l] = 3;
    for (uint32_t k = 0; k < n; k++)
      for (uint32_t l = 0; l < BLOCK; l++) {
        const double x = a[first + l];
        s[0][l] = s[0][l] * x + 0.5;
        s[1][l] = s[1][l] * x + s[0][l];
        s[2][l] = s[2][l] * x + s[1][l];
        s[3][l] = s[3][l] * x + s[2][l];
      }
    for (uint32_t l = 0; l < BLOCK; l++)
      out[first + l] = s[0][l] + s[1][l] + s[2][l] + s[3][l];
  }
}

/* Normal numbers and zero only. */
static inline float f32_of_f16(uint16_t bits)
{
  const uint32_t e = bits >> 10 & 31;
  const uint32_t wide = (uint32_t)(bits & 0x8000) << 16 |
                        (e ? (e + 112) << 23 | (bits & 0x3ffu) << 13 : 0);
  float x;
  memcpy(&x, &wide, sizeof x);
  return x;
}

/* The reverse, of a number that f16 has exactly. */
static inline uint16_t f16_of_f32(float x)
{
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return (uint16_t)((bits >> 13) - (112 << 10));
}

/* To the 11 bits of f16, to nearest; normal and far from the largest. */
static inline float f16_round(double x)
{
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  bits += ((uint64_t)1 << 41) - 1 + (bits >> 42 & 1);
  bits &= ~(((uint64_t)1 << 42) - 1);
  memcpy(&x, &bits, sizeof x);
  return (float)x;
}

static inline float f16_round_f32(float x)
{
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  bits += 0xfff + (bits >> 13 & 1);
  bits &= ~(uint32_t)0x1fff;
  memcpy(&x, &bits, sizeof x);
  return x;
}

/* s = s * x + c, rounded once; t = t * x + s, rounded twice. */
static inline void f16_step(float *s, float *t, const float *x, const float *y,
                            float c)
{
  for (uint32_t l = 0; l < BLOCK; l++) {
    s[l] = f16_round((double)s[l] * (double)x[l] + (double)c);
    t[l] = f16_round_f32(f16_round_f32(t[l] * y[l]) + s[l]);
  }
}

LEVELS void isa_host_f16_poly(const uint16_t *a, uint16_t *out, uint32_t items,
                              uint32_t n)
{
  for (uint32_t first = 0; first < items; first += BLOCK) {
    float x[2][BLOCK], s[3][BLOCK] = {{0}}, t[3][BLOCK];
    for (uint32_t l = 0; l < BLOCK; l++) {
      x[0][l] = f32_of_f16(a[2 * (first + l)]);
      x[1][l] = f32_of_f16(a[2 * (first + l) + 1]);
      t[0][l] = t[1][l] = t[2][l] = 1;
    }
    for (uint32_t k = 0; k < n; k++) {
      f16_step(s[0], t[0], x[0], x[0], 0.5f);
      f16_step(s[1], t[1], x[1], x[1], 0.5f);
      f16_step(s[2], t[2], x[0], x[1], 0.25f);
    }
    for (uint32_t l = 0; l < BLOCK; l++) {
      uint16_t *r = out + 2 * (size_t)(first + l);
      r[0] = f16_of_f32(f16_round_f32(s[0][l] + t[0][l])) ^ f16_of_f32(s[2][l]);
      r[1] = f16_of_f32(f16_round_f32(s[1][l] + t[1][l])) ^ f16_of_f32(t[2][l]);
    }
  }
}

LEVELS void isa_host_f16_gemm(const uint16_t *a, const uint16_t *b, float *c,
                              uint32_t n)
{
  enum { N_MAX = 1024 };
  static float wide_a[N_MAX * N_MAX], wide_b[N_MAX * N_MAX];
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t k = 0; k < n; k++) {
      wide_a[i * n + k] = f32_of_f16(a[i * n + k]);
      wide_b[k * n + i] = f32_of_f16(b[i * n + k]);
    }
  for (uint32_t row = 0; row < n; row++)
    for (uint32_t first = 0; first < n; first += BLOCK) {
      float sum[BLOCK] = {0};
      for (uint32_t k = 0; k < n; k++)
        for (uint32_t l = 0; l < BLOCK; l++)
          sum[l] += wide_a[row * n + k] * wide_b[k * n + first + l];
      memcpy(&c[row * n + first], sum, sizeof sum);
    }
}

static inline void parts_step(uint32_t *x, uint32_t *h)
{
  *x ^= *h >> 16;
  *h -= *x & 0xff;
  *x = (*x >> 16) * (*h & 0xffff);
  *h -= *x >> 24;
  *x ^= *h >> 8 & 0xff;
  *h ^= *x << 5;
}

LEVELS void isa_host_parts(const uint32_t *a, uint32_t *out, uint32_t items,
                           uint32_t n)
{
  words_run(a, out, items, n, parts_step);
}

/* Adds to lanes whose number has the bit `by` the last lane below that bit. */
static inline void last_add(uint32_t *x, uint32_t by)
{
  for (uint32_t row = by; row < BLOCK; row += 2 * by)
    for (uint32_t l = 0; l < by; l++)
      x[row + l] += x[row - 1];
}

LEVELS void isa_host_scan(const uint32_t *a, uint32_t *out, uint32_t items,
                          uint32_t n)
{
  enum { ROW = 16 };
  for (uint32_t first = 0; first < items; first += BLOCK) {
    uint32_t x[BLOCK], from[BLOCK];
    memcpy(x, &a[first], sizeof x);
    for (uint32_t k = 0; k < n; k++) {
      for (uint32_t by = 1; by < ROW; by *= 2) {
        memcpy(from, x, sizeof from);
        for (uint32_t row = 0; row < BLOCK; row += ROW)
          for (uint32_t l = by; l < ROW; l++)
            x[row + l] += from[row + l - by];
      }
      last_add(x, 16);
      last_add(x, 32);
      for (uint32_t l = 0; l < BLOCK; l++)
        x[l] ^= k;
    }
    memcpy(&out[first], x, sizeof x);
  }
}

LEVELS void isa_host_permute(const uint32_t *a, uint32_t *out, uint32_t items,
                             uint32_t n)
{
  for (uint32_t first = 0; first < items; first += BLOCK) {
    uint32_t x[BLOCK], from[BLOCK];
    memcpy(x, &a[first], sizeof x);
    for (uint32_t k = 0; k < n; k++) {
      memcpy(from, x, sizeof from);
      for (uint32_t l = 0; l < BLOCK; l++)
        x[l] = x[l] * 5 + from[(l * 5 + k) % BLOCK];
    }
    memcpy(&out[first], x, sizeof x);
  }
}

LEVELS void isa_host_divide(const float *a, float *out, uint32_t items,
                            uint32_t n)
{
  for (uint32_t first = 0; first < items; first += BLOCK) {
    float s[BLOCK];
    for (uint32_t l = 0; l < BLOCK; l++)
      s[l] = 1;
    for (uint32_t k = 0; k < n; k++)
      for (uint32_t l = 0; l < BLOCK; l++)
        s[l] = a[first + l] / s[l] + 1;
    memcpy(&out[first], s, sizeof s);
  }
}

LEVELS void isa_host_bytes(const uint8_t *a, const uint16_t *b, uint32_t *out,
                           uint32_t items, uint32_t n)
{
  for (uint32_t first = 0; first < items; first += BLOCK) {
    uint32_t sum[BLOCK] = {0};
    for (uint32_t k = 0; k < n; k++)
      for (uint32_t l = 0; l < BLOCK; l++)
        sum[l] += (uint32_t)a[first + l + BLOCK * k] * b[first + l + BLOCK * k];
    memcpy(&out[first], sum, sizeof sum);
  }
}
