/* SPDX-License-Identifier: MIT */
/* Matrix instructions in kernels compiled for gfx908, gfx90a and gfx942,
 * compared with plain loops over matrices whose sums are exact in any order,
 * and with orders of summation that are known of the devices. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/rng.h"
#include "gpu/codeobj/loader.h"
#include "gpu/wave/core/wave.h"
#include "seen.h"
#include "support/aqtest.h"

enum { LANES = 64, EACH = 8, RESULTS = 32 };
enum { G908 = 1, G90A = 2, G942 = 4, ALL = G908 | G90A | G942 };

typedef enum type { I8, FP8, BF8, F16, BF16, F32, F64 } type;

typedef struct matrix_case {
  const char *kernel;
  int targets, m, k, blocks;
  type a, b;
  int cbsz, abid, blgp;
  int constant; /* -1: C is a matrix */
  int negate;   /* bits of A, B, C */
} matrix_case;

#define CASE(kernel, targets, m, k, blocks, a, b)                              \
  {                                                                            \
    kernel, targets, m, k, blocks, a, b, 0, 0, 0, -1, 0                        \
  }
static const matrix_case cases[] = {
    CASE("m_32x32x1f32", ALL, 32, 1, 2, F32, F32),
    CASE("m_16x16x1f32", ALL, 16, 1, 4, F32, F32),
    CASE("m_4x4x1f32", ALL, 4, 1, 16, F32, F32),
    CASE("m_32x32x2f32", ALL, 32, 2, 1, F32, F32),
    CASE("m_16x16x4f32", ALL, 16, 4, 1, F32, F32),
    CASE("m_32x32x4f16", ALL, 32, 4, 2, F16, F16),
    CASE("m_16x16x4f16", ALL, 16, 4, 4, F16, F16),
    CASE("m_4x4x4f16", ALL, 4, 4, 16, F16, F16),
    CASE("m_32x32x8f16", ALL, 32, 8, 1, F16, F16),
    CASE("m_16x16x16f16", ALL, 16, 16, 1, F16, F16),
    CASE("m_32x32x4i8", ALL, 32, 4, 2, I8, I8),
    CASE("m_16x16x4i8", ALL, 16, 4, 4, I8, I8),
    CASE("m_4x4x4i8", ALL, 4, 4, 16, I8, I8),
    CASE("m_32x32x8i8", G908 | G90A, 32, 8, 1, I8, I8),
    CASE("m_16x16x16i8", G908 | G90A, 16, 16, 1, I8, I8),
    CASE("m_32x32x16_i8", G942, 32, 16, 1, I8, I8),
    CASE("m_16x16x32_i8", G942, 16, 32, 1, I8, I8),
    CASE("m_32x32x2bf16", G908 | G90A, 32, 2, 2, BF16, BF16),
    CASE("m_16x16x2bf16", G908 | G90A, 16, 2, 4, BF16, BF16),
    CASE("m_4x4x2bf16", G908 | G90A, 4, 2, 16, BF16, BF16),
    CASE("m_32x32x4bf16", G908 | G90A, 32, 4, 1, BF16, BF16),
    CASE("m_16x16x8bf16", G908 | G90A, 16, 8, 1, BF16, BF16),
    CASE("m_32x32x4bf16_1k", G90A | G942, 32, 4, 2, BF16, BF16),
    CASE("m_16x16x4bf16_1k", G90A | G942, 16, 4, 4, BF16, BF16),
    CASE("m_4x4x4bf16_1k", G90A | G942, 4, 4, 16, BF16, BF16),
    CASE("m_32x32x8bf16_1k", G90A | G942, 32, 8, 1, BF16, BF16),
    CASE("m_16x16x16bf16_1k", G90A | G942, 16, 16, 1, BF16, BF16),
    CASE("m_16x16x4f64", G90A | G942, 16, 4, 1, F64, F64),
    CASE("m_4x4x4f64", G90A | G942, 4, 4, 4, F64, F64),
    CASE("m_16x16x8_xf32", G942, 16, 8, 1, F32, F32),
    CASE("m_32x32x4_xf32", G942, 32, 4, 1, F32, F32),
    CASE("m_16x16x32_bf8_bf8", G942, 16, 32, 1, BF8, BF8),
    CASE("m_16x16x32_bf8_fp8", G942, 16, 32, 1, BF8, FP8),
    CASE("m_16x16x32_fp8_bf8", G942, 16, 32, 1, FP8, BF8),
    CASE("m_16x16x32_fp8_fp8", G942, 16, 32, 1, FP8, FP8),
    CASE("m_32x32x16_bf8_bf8", G942, 32, 16, 1, BF8, BF8),
    CASE("m_32x32x16_bf8_fp8", G942, 32, 16, 1, BF8, FP8),
    CASE("m_32x32x16_fp8_bf8", G942, 32, 16, 1, FP8, BF8),
    CASE("m_32x32x16_fp8_fp8", G942, 32, 16, 1, FP8, FP8),
    {"s_1_0_0", ALL, 4, 1, 16, F32, F32, 1, 0, 0, -1, 0},
    {"s_1_1_3", ALL, 4, 1, 16, F32, F32, 1, 1, 3, -1, 0},
    {"s_2_3_1", ALL, 4, 1, 16, F32, F32, 2, 3, 1, -1, 0},
    {"s_3_5_2", ALL, 4, 1, 16, F32, F32, 3, 5, 2, -1, 0},
    {"s_4_9_0", ALL, 4, 1, 16, F32, F32, 4, 9, 0, -1, 0},
    {"s_0_0_4", ALL, 4, 1, 16, F32, F32, 0, 0, 4, -1, 0},
    {"s_0_0_5", ALL, 4, 1, 16, F32, F32, 0, 0, 5, -1, 0},
    {"s_0_0_6", ALL, 4, 1, 16, F32, F32, 0, 0, 6, -1, 0},
    {"s_0_0_7", ALL, 4, 1, 16, F32, F32, 0, 0, 7, -1, 0},
    {"c_zero", ALL, 32, 2, 1, F32, F32, 0, 0, 0, 0, 0},
    {"c_one", ALL, 16, 4, 1, F32, F32, 0, 0, 0, 1, 0},
    {"c_zero_f64", G90A | G942, 16, 4, 1, F64, F64, 0, 0, 0, 0, 0},
    {"c_one_f64", G90A | G942, 16, 4, 1, F64, F64, 0, 0, 0, 1, 0},
    {"n_a", G942, 16, 4, 1, F64, F64, 0, 0, 0, -1, 1},
    {"n_b", G942, 4, 4, 4, F64, F64, 0, 0, 0, -1, 2},
    {"n_abc", G942, 16, 4, 1, F64, F64, 0, 0, 0, -1, 7},
};

/* The registers of all lanes, as a kernel loads and stores them. */
static unsigned char regs_a[LANES * EACH], regs_b[LANES * EACH];
static unsigned char regs_c[LANES * RESULTS * 4], regs_d[LANES * RESULTS * 4];

/* ---- running a kernel ---- */

typedef struct device {
  const char *gfx;
  int bit;
  aq_wave_machine *machine;
  aq_code_image image;
} device;

static void device_open(device *out, const char *gfx, int bit)
{
  static unsigned char bytes[1 << 20];
  char path[512], command[1024];
  aq_diag diag = AQ_DIAG_INIT;
  const aq_code_image_options options = {0};
  snprintf(path, sizeof path, "%s/matrix.co", aqtest_tmpdir());
  snprintf(command, sizeof command,
           "clang-22 -target amdgcn-amd-amdhsa -mcpu=%s -nogpulib -O2 "
           "-x c %s -o %s",
           gfx, aqtest_source("gpu/wave/matrix_kernels.c"), path);
  ck_assert(system(command) == 0); /* NOLINT: paths of ours */
  FILE *file = fopen(path, "rb");
  ck_assert_ptr_nonnull(file);
  const size_t size = fread(bytes, 1, sizeof bytes, file);
  fclose(file);
  *out = (device){.gfx = gfx, .bit = bit};
  ck_assert_status(
      aq_code_image_load(bytes, size, &options, &out->image, &diag), AQ_OK,
      &diag);
  ck_assert_status(aq_wave_machine_create(&out->machine, &diag), AQ_OK, &diag);
  seen_open(out->machine);
}

static void device_close(device *d)
{
  seen_close(d->machine);
  aq_wave_machine_destroy(d->machine);
  aq_code_image_unload(&d->image);
}

static void run(const device *d, const char *name)
{
  const aq_executor *executor = aq_wave_machine_executor(d->machine);
  const aq_code_kernel *kernel = NULL;
  for (size_t i = 0; i < d->image.code.kernel_count; i++)
    if (strcmp(d->image.code.kernels[i].name, name) == 0)
      kernel = &d->image.code.kernels[i];
  ck_assert_msg(kernel != NULL, "no kernel %s", name);
  const void *kernarg[] = {regs_a, regs_b, regs_c, regs_d};
  const aq_kernel_packet packet = {
      .setup = 1,
      .workgroup_size = {LANES, 1, 1},
      .grid_size = {LANES, 1, 1},
      .private_segment_size = kernel->private_size,
      .group_segment_size = kernel->group_size,
      .kernel_object = aq_code_image_object(&d->image, kernel),
      .kernarg_address = (uint64_t)(uintptr_t)kernarg};
  const aq_execution_desc desc = {.packet = &packet,
                                  .kernel = name,
                                  .gfx = d->gfx,
                                  .cus = 4,
                                  .wave_size = 64};
  aq_diag diag = AQ_DIAG_INIT;
  void *execution;
  aq_execution_step step;
  aq_execution_state state;
  ck_assert_status(executor->begin(executor->user, &desc, &execution, &diag),
                   AQ_OK, &diag);
  memset(regs_d, 0xee, sizeof regs_d);
  while ((state = executor->step(execution, 10000, 0, &step)) ==
         AQ_EXECUTION_MORE)
    ;
  ck_assert_msg(state == AQ_EXECUTION_DONE, "%s of %s: state %d, %s", name,
                d->gfx, state, step.fault.text);
  executor->end(execution);
}

/* ---- elements ---- */

static int type_bits(type t)
{
  return t == F64 ? 64 : t == F32 ? 32 : t == F16 || t == BF16 ? 16 : 8;
}

/* A small integer in a format of `mantissa` bits. */
static uint64_t small_float(int value, int bits, int mantissa, int bias)
{
  const unsigned size = (unsigned)abs(value);
  if (size == 0)
    return 0;
  const int e = 31 - __builtin_clz(size);
  return (uint64_t)(value < 0) << (bits - 1) |
         (uint64_t)(e + bias) << mantissa |
         ((uint64_t)size << mantissa >> e & ((1ull << mantissa) - 1));
}

static uint64_t encode(type t, int value)
{
  switch (t) {
  case I8:
    return (uint8_t)value;
  case FP8:
    return small_float(value, 8, 3, 8);
  case BF8:
    return small_float(value, 8, 2, 16);
  case F16:
    return small_float(value, 16, 10, 15);
  case BF16:
    return small_float(value, 16, 7, 127);
  case F32:
    return small_float(value, 32, 23, 127);
  default:
    return small_float(value, 64, 52, 1023);
  }
}

/* Element `at` of a lane that has `each` of them. */
static void element_put(unsigned char *regs, type t, int each, int lane, int at,
                        uint64_t bits)
{
  const int size = type_bits(t) / 8;
  memcpy(regs + (lane * each + at) * size, &bits, (size_t)size);
}

/* ---- where elements lie: AMD's matrix instruction calculator ---- */

typedef struct place {
  int lane, at;
} place;

static place place_of_source(const matrix_case *c, int block, int i, int k)
{
  const int each = c->k / (LANES / (c->m * c->blocks));
  return (place){block * c->m + k / each * c->m * c->blocks + i, k % each};
}

static place place_of_result(const matrix_case *c, int block, int i, int j)
{
  const int height = c->a == F64 ? 1 : 4, across = LANES / c->m;
  const int strip = c->m * c->m / height;
  const int side_by_side = strip >= LANES ? 1 : LANES / strip;
  return (place){block % side_by_side * c->m +
                     i / height % across * side_by_side * c->m + j,
                 block * (c->m * c->m / LANES) +
                     i / (height * across) * height + i % height};
}

/* ---- small integers: exact in any order ---- */

static int source_a[LANES][EACH], source_b[LANES][EACH];

static void sources_make(const matrix_case *c, aq_rng *rng)
{
  const int each = c->k * c->m * c->blocks / LANES;
  for (int lane = 0; lane < LANES; lane++)
    for (int at = 0; at < each; at++) {
      source_a[lane][at] = (int)(aq_rng_bits(rng) % 9) - 4;
      source_b[lane][at] = (int)(aq_rng_bits(rng) % 9) - 4;
      element_put(regs_a, c->a, each, lane, at,
                  encode(c->a, source_a[lane][at]));
      element_put(regs_b, c->b, each, lane, at,
                  encode(c->b, source_b[lane][at]));
    }
}

static int sum_expected(const matrix_case *c, int block, int i, int j)
{
  /* Which 16 lanes each 16 lanes read, by BLGP. */
  static const int lanes_of[8][4] = {{0, 1, 2, 3}, {0, 1, 0, 1}, {2, 3, 2, 3},
                                     {1, 2, 3, 0}, {0, 0, 0, 0}, {1, 1, 1, 1},
                                     {2, 2, 2, 2}, {3, 3, 3, 3}};
  const int from = (block >> c->cbsz << c->cbsz) + c->abid;
  int sum = 0;
  for (int k = 0; k < c->k; k++) {
    const place a = place_of_source(c, from, i, k),
                b = place_of_source(c, block, j, k);
    const int lane = 16 * lanes_of[c->blgp][b.lane / 16] + b.lane % 16;
    sum += source_a[a.lane][a.at] * source_b[lane][b.at];
  }
  return (c->negate & 1) != (c->negate >> 1 & 1) ? -sum : sum;
}

static void case_check(const device *d, const matrix_case *c, aq_rng *rng)
{
  static int accumulator[16][32][32];
  const int results = c->m * c->m * c->blocks / LANES;
  const type t = c->a == F64 ? F64 : F32;
  const size_t size = c->a == F64 ? 8 : 4;
  sources_make(c, rng);
  for (int block = 0; block < c->blocks; block++)
    for (int i = 0; i < c->m; i++)
      for (int j = 0; j < c->m; j++) {
        const place at = place_of_result(c, block, i, j);
        const int value = (int)(aq_rng_bits(rng) % 2001) - 1000;
        accumulator[block][i][j] = c->constant < 0      ? value
                                   : c->negate >> 2 & 1 ? -c->constant
                                                        : c->constant;
        element_put(regs_c, t, results, at.lane, at.at,
                    c->a == I8 ? (uint32_t)value : encode(t, value));
      }
  run(d, c->kernel);
  for (int block = 0; block < c->blocks; block++)
    for (int i = 0; i < c->m; i++)
      for (int j = 0; j < c->m; j++) {
        const place at = place_of_result(c, block, i, j);
        const int addend = accumulator[block][i][j];
        const int sum = sum_expected(c, block, i, j) +
                        (c->negate >> 2 & 1 ? -addend : addend);
        uint64_t got = 0;
        memcpy(&got, regs_d + (size_t)(at.lane * results + at.at) * size, size);
        const uint64_t expected = c->a == I8 ? (uint32_t)sum : encode(t, sum);
        ck_assert_msg(got == expected,
                      "%s of %s, block %d, row %d, column %d: 0x%llx, not %d",
                      c->kernel, d->gfx, block, i, j, (unsigned long long)got,
                      sum);
      }
}

/* ---- orders of summation ---- */

/* Row 0, column 0 of a product over k, with f16 or f32 sources. */
static float first_sum(const device *d, const matrix_case *c, const uint32_t *a,
                       const uint32_t *b, float addend)
{
  const int each = c->k * c->m * c->blocks / LANES;
  float sum;
  memset(regs_a, 0, sizeof regs_a);
  memset(regs_b, 0, sizeof regs_b);
  memset(regs_c, 0, sizeof regs_c);
  for (int k = 0; k < c->k; k++) {
    const place at = place_of_source(c, 0, 0, k);
    element_put(regs_a, c->a, each, at.lane, at.at, a[k]);
    element_put(regs_b, c->b, each, at.lane, at.at, b[k]);
  }
  memcpy(regs_c, &addend, sizeof addend);
  run(d, c->kernel);
  memcpy(&sum, regs_d, sizeof sum);
  return sum;
}

static void orders_check(const device *d)
{
  const matrix_case half = CASE("m_4x4x4f16", ALL, 4, 4, 16, F16, F16);
  const matrix_case single = CASE("m_16x16x4f32", ALL, 16, 4, 1, F32, F32);
  enum { ONE = 0x3c00, BIG = 0x6c00 /* 4096 */, TINY = 1 /* 2^-24 */ };
  /* 2^24 + 1 needs 25 bits: gfx942 keeps them within an instruction. */
  const uint32_t big[4] = {BIG, ONE, 0, 0};
  ck_assert_float_eq(first_sum(d, &half, big, big, -0x1p24f),
                     d->bit == G942 ? 1 : 0);
  /* f16 denormals count, but not on gfx90a. */
  const uint32_t tiny[4] = {TINY, 0, 0, 0}, one[4] = {ONE, 0, 0, 0};
  ck_assert_float_eq(first_sum(d, &half, tiny, one, 0),
                     d->bit == G90A ? 0 : 0x1p-24f);
  /* f32: C first, then k by k: 1 - 2^24 is kept, 2^24 + 1 is not. */
  const uint32_t ones[4] = {0x3f800000, 0x3f800000, 0x3f800000, 0};
  const uint32_t terms[4] = {0x4b800000, 0x3f800000, 0xcb800000, 0};
  ck_assert_float_eq(first_sum(d, &single, ones, terms, 0), 0);
  const uint32_t swapped[4] = {0x4b800000, 0xcb800000, 0x3f800000, 0};
  ck_assert_float_eq(first_sum(d, &single, ones, swapped, 0), 1);
  ck_assert_float_eq(first_sum(d, &single, ones, swapped, 1), 1);
}

START_TEST(matrix_instructions_multiply)
{
  static const struct {
    const char *gfx;
    int bit;
  } targets[] = {{"gfx908", G908}, {"gfx90a", G90A}, {"gfx942", G942}};
  device d;
  aq_rng rng;
  if (system("command -v clang-22 > /dev/null && command -v ld.lld-22 "
             "> /dev/null") != 0) { /* NOLINT: fixed names */
    aqtest_skip("no clang-22 with ld.lld-22 here");
    return;
  }
  aq_rng_init(&rng, 11, 0);
  for (size_t t = 0; t < sizeof targets / sizeof *targets; t++) {
    device_open(&d, targets[t].gfx, targets[t].bit);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
      if (cases[i].targets & d.bit)
        case_check(&d, &cases[i], &rng);
    orders_check(&d);
    device_close(&d);
  }
}
END_TEST

AQ_TEST_MAIN("gpu/wave/matrix", matrix_instructions_multiply)
