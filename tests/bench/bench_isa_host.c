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

LEVELS void isa_host_hash(const uint32_t *a, uint32_t *out, uint32_t items,
                          uint32_t n)
{
  for (uint32_t first = 0; first < items; first += BLOCK) {
    uint32_t x[BLOCK], h[BLOCK];
    for (uint32_t l = 0; l < BLOCK; l++)
      x[l] = a[first + l], h[l] = first + l;
    for (uint32_t k = 0; k < n; k++)
      for (uint32_t l = 0; l < BLOCK; l++) {
        x[l] *= 0xcc9e2d51;
        x[l] = x[l] << 15 | x[l] >> 17;
        h[l] ^= x[l] * 0x1b873593;
        h[l] = h[l] << 13 | h[l] >> 19;
        h[l] = h[l] * 5 + 0xe6546b64;
        x[l] += h[l] ^ h[l] >> 16;
      }
    for (uint32_t l = 0; l < BLOCK; l++)
      out[first + l] = x[l] ^ h[l];
  }
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
