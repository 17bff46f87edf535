/* SPDX-License-Identifier: MIT */
/* Instructions that test_opcodes.c has no form for, one at a time: pairs of
 * f32, mixed precision, steps of divisions. Expected results are C of the host,
 * after AMD's CDNA3 ISA document, chapter 12 (V_PK, V_FMA_MIX, V_DIV_SCALE). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bed.h"
#include "common/rng.h"
#include "opcodes.h"
#include "support/aqtest.h"

enum { LANES = 64, ROWS = 24, DRAWS = 8 };

/* ---- pairs of f32 and mixed precision ---- */

/* Numbers without denormals, products of which are none either; NaNs too, but
 * not in `calm` rows: one makes all lanes go one by one. */
static uint32_t some_float(aq_rng *rng, bool calm)
{
  const uint64_t x = aq_rng_bits(rng);
  return x % 16 == 0 && !calm ? 0x7fc00000 | (uint32_t)(x >> 40 & 0xffff)
                              : (uint32_t)(x >> 8 & 0x807fffff) |
                                    (uint32_t)(100 + (x >> 4) % 50) << 23;
}

/* " name:[1,0,1]" */
static void bits_append(char *text, const char *name, unsigned bits, unsigned n)
{
  char *at = text + strlen(text);
  at += sprintf(at, " %s:[", name);
  for (unsigned i = 0; i < n; i++)
    at += sprintf(at, i ? ",%u" : "%u", bits >> i & 1);
  sprintf(at, "]");
}

typedef struct pair_case {
  const char *name;
  unsigned sources, low, high, neg_low, neg_high;
} pair_case;

static uint32_t pair_expect(const pair_case *c, const uint32_t x[3])
{
  const float a = f32_from(x[0]), b = f32_from(x[1]);
  return strcmp(c->name, "v_pk_fma_f32") == 0
             ? f32_of(fmaf(a, b, f32_from(x[2])), 3, x[0], x[1], x[2])
         : strcmp(c->name, "v_pk_mul_f32") == 0
             ? f32_of(a * b, 2, x[0], x[1], 0)
             : f32_of(a + b, 2, x[0], x[1], 0);
}

static void pair_check(const pair_case *c, aq_rng *rng, bool calm)
{
  const bool move = strcmp(c->name, "v_pk_mov_b32") == 0;
  char text[BED_TEXT];
  bed b;
  snprintf(text, sizeof text, "%s v[16:17], v[4:5], v[8:9]%s", c->name,
           c->sources == 3 ? ", v[12:13]" : "");
  bits_append(text, "op_sel", c->low, c->sources);
  bits_append(text, "op_sel_hi", c->high, c->sources);
  if (!move) {
    bits_append(text, "neg_lo", c->neg_low, c->sources);
    bits_append(text, "neg_hi", c->neg_high, c->sources);
  }
  if (!bed_open_one(&b, "gfx942", text))
    return;
  b.wave->mode = 0xf0;
  for (unsigned r = 0; r < ROWS; r++)
    for (int l = 0; l < LANES; l++)
      b.wave->v[r][l] = some_float(rng, calm);
  ck_assert_msg(bed_run(&b, 0), "%s: %s", text, b.grid.fault.text);
  for (int l = 0; l < LANES; l++)
    for (unsigned word = 0; word < 2; word++) {
      uint32_t x[3];
      for (unsigned k = 0; k < 3; k++) {
        const unsigned select = word ? c->high : c->low,
                       neg = word ? c->neg_high : c->neg_low;
        x[k] = b.wave->v[4 + 4 * k + (select >> k & 1)][l] ^ (neg >> k & 1)
                                                                 << 31;
      }
      /* A move takes its low word from source 0, the high one from source 1,
       * both selected by op_sel. */
      const uint32_t expected =
          move ? b.wave->v[4 + 4 * word + (c->low >> word & 1)][l]
               : pair_expect(c, x);
      ck_assert_msg(b.wave->v[16 + word][l] == expected,
                    "%s, lane %d, word %u: 0x%x, expected 0x%x", text, l, word,
                    b.wave->v[16 + word][l], expected);
    }
  bed_close(&b);
}

START_TEST(pairs_of_floats_take_the_words_that_are_selected)
{
  static const char *const names[] = {"v_pk_fma_f32", "v_pk_mul_f32",
                                      "v_pk_add_f32", "v_pk_mov_b32"};
  aq_rng rng;
  aq_rng_init(&rng, 6, 0);
  for (unsigned draw = 0; draw < 4 * DRAWS; draw++) {
    const unsigned bits = (unsigned)aq_rng_bits(&rng);
    const pair_case c = {names[draw % 4],
                         draw % 4 ? 2 : 3,
                         bits & 7,
                         bits >> 3 & 7,
                         draw % 4 == 3 ? 0 : bits >> 6 & 7,
                         draw % 4 == 3 ? 0 : bits >> 9 & 7};
    pair_check(&c, &rng, draw / 4 % 2);
  }
}
END_TEST

/* A source: f32, or as op_sel_hi says the half that op_sel names. */
static uint32_t mix_source(uint32_t x, unsigned i, const pair_case *c)
{
  const uint16_t half = (uint16_t)(c->low >> i & 1 ? x >> 16 : x);
  return c->high >> i & 1 ? f32_bits((float)f16_from(half)) : x;
}

static void mix_check(const pair_case *c, const char *gfx, aq_rng *rng)
{
  const bool low = strstr(c->name, "mixlo"), high = strstr(c->name, "mixhi"),
             rounds_twice = strstr(c->name, "v_mad");
  char text[BED_TEXT];
  bed b;
  snprintf(text, sizeof text, "%s v16, v4, v8, v12", c->name);
  bits_append(text, "op_sel", c->low, 3);
  bits_append(text, "op_sel_hi", c->high, 3);
  if (!bed_open_one(&b, gfx, text))
    return;
  b.wave->mode = 0xf0;
  for (unsigned r = 0; r < ROWS; r++)
    for (int l = 0; l < LANES; l++) /* both halves are near 1 */
      b.wave->v[r][l] = ((uint32_t)aq_rng_bits(rng) & 0x83ff83ff) | 0x3a003a00;
  ck_assert_msg(bed_run(&b, 0), "%s: %s", text, b.grid.fault.text);
  for (int l = 0; l < LANES; l++) {
    float x[3];
    for (unsigned i = 0; i < 3; i++)
      x[i] = f32_from(mix_source(b.wave->v[4 + 4 * i][l], i, c));
    const volatile float product = x[0] * x[1];
    const float r = rounds_twice ? product + x[2] : fmaf(x[0], x[1], x[2]);
    const uint32_t half = f16_round((long double)r, 0);
    const uint32_t mask = low ? 0xffff : high ? 0xffff0000 : UINT32_MAX;
    const uint32_t expected = low ? half : high ? half << 16 : f32_bits(r);
    ck_assert_msg((b.wave->v[16][l] & mask) == expected,
                  "%s of %s, lane %d: 0x%x, expected 0x%x", text, gfx, l,
                  b.wave->v[16][l], expected);
  }
  bed_close(&b);
}

START_TEST(mixed_precision_takes_halves_and_words)
{
  static const struct {
    const char *gfx, *name;
  } cases[] = {{"gfx900", "v_mad_mix_f32"},   {"gfx900", "v_mad_mixlo_f16"},
               {"gfx900", "v_mad_mixhi_f16"}, {"gfx90a", "v_fma_mix_f32"},
               {"gfx90a", "v_fma_mixlo_f16"}, {"gfx90a", "v_fma_mixhi_f16"}};
  aq_rng rng;
  aq_rng_init(&rng, 7, 0);
  for (unsigned draw = 0; draw < 6 * DRAWS; draw++) {
    const unsigned bits = (unsigned)aq_rng_bits(&rng);
    const pair_case c = {cases[draw % 6].name, 3, bits & 7,
                         bits >> 3 & 7,        0, 0};
    mix_check(&c, cases[draw % 6].gfx, &rng);
  }
}
END_TEST

/* ---- divisions ---- */

/* Division as compilers make it of these steps is exact: of numbers of all
 * magnitudes, denormals, infinities and NaNs. LLVM's LowerFDIV32. */
static bool step_run(const char *text, uint64_t in[3], unsigned words,
                     bool *vcc, uint64_t *out)
{
  static bed beds[8];
  static const char *texts[8];
  unsigned i = 0;
  while (i < 8 && texts[i] && strcmp(texts[i], text) != 0)
    i++;
  if (!texts[i] && !bed_open_one(&beds[i], "gfx90a", text))
    return false;
  texts[i] = text;
  aq_wave *w = beds[i].wave;
  w->mode = 0xf0;
  w->s64[AQ_ISA_VCC / 2] = *vcc ? UINT64_MAX : 0;
  w->s64[AQ_ISA_EXEC / 2] = 1 << 9; /* it alone decides how lanes execute */
  for (unsigned k = 0; k < 3; k++) {
    w->v[4 + 4 * k][9] = (uint32_t)in[k];
    w->v[5 + 4 * k][9] = (uint32_t)(in[k] >> 32);
  }
  ck_assert_msg(bed_run(&beds[i], 0), "%s", text);
  *vcc = w->s64[AQ_ISA_VCC / 2] >> 9 & 1;
  *out = w->v[16][9] | (words == 2 ? (uint64_t)w->v[17][9] << 32 : 0);
  return true;
}

static uint64_t step(const char *text, uint64_t a, uint64_t b, uint64_t c,
                     unsigned words, bool *vcc)
{
  uint64_t in[] = {a, b, c}, out = 0;
  step_run(text, in, words, vcc, &out);
  return out;
}

static uint32_t fused(uint32_t a, uint32_t b, uint32_t c)
{
  return f32_bits(fmaf(f32_from(a), f32_from(b), f32_from(c)));
}

static uint32_t divided(uint32_t n, uint32_t d)
{
  static const char scale[] = "v_div_scale_f32 v16, vcc, v4, v8, v12",
                    fmas[] = "v_div_fmas_f32 v16, v4, v8, v12",
                    fixup[] = "v_div_fixup_f32 v16, v4, v8, v12";
  bool vcc = false, other = false;
  const uint32_t minus = 0x80000000,
                 ds = (uint32_t)step(scale, d, d, n, 1, &other),
                 ns = (uint32_t)step(scale, n, d, n, 1, &vcc);
  uint32_t r = f32_bits(1 / f32_from(ds));
  const uint32_t e = fused(ds ^ minus, r, f32_bits(1));
  r = fused(e, r, r);
  uint32_t q = f32_bits(f32_from(ns) * f32_from(r));
  const uint32_t rest = fused(ds ^ minus, q, ns);
  q = fused(rest, r, q);
  const uint32_t last = fused(ds ^ minus, q, ns);
  q = (uint32_t)step(fmas, last, r, q, 1, &vcc);
  return (uint32_t)step(fixup, q, d, n, 1, &other);
}

static uint64_t fused64(uint64_t a, uint64_t b, uint64_t c)
{
  return f64_bits(fma(f64_from(a), f64_from(b), f64_from(c)));
}

static uint64_t divided64(uint64_t n, uint64_t d)
{
  static const char scale[] =
      "v_div_scale_f64 v[16:17], vcc, v[4:5], v[8:9], v[12:13]",
                    fmas[] =
                        "v_div_fmas_f64 v[16:17], v[4:5], v[8:9], v[12:13]",
                    fixup[] =
                        "v_div_fixup_f64 v[16:17], v[4:5], v[8:9], v[12:13]";
  bool vcc = false, other = false;
  const uint64_t minus = UINT64_C(1) << 63, one = f64_bits(1),
                 ds = step(scale, d, d, n, 2, &other),
                 ns = step(scale, n, d, n, 2, &vcc);
  uint64_t r = f64_bits(1 / f64_from(ds));
  for (int k = 0; k < 2; k++)
    r = fused64(fused64(ds ^ minus, r, one), r, r);
  const uint64_t q = f64_bits(f64_from(ns) * f64_from(r)),
                 last = fused64(ds ^ minus, q, ns);
  return step(fixup, step(fmas, last, r, q, 2, &vcc), d, n, 2, &other);
}

START_TEST(steps_of_a_division_divide)
{
  static const uint32_t numbers[] = {
      0,          0x80000000, 1,          0x807fffff, 0x00800000, 0x3f800000,
      0xbf800001, 0x3eaaaaab, 0x7f7fffff, 0x7f800000, 0xff800000, 0x7fc00001,
      0x0b800000, 0x73000000, 0x33000001, 0x7e800000, 0x00ffffff, 0xc2f00000};
  static const uint64_t wide[] = {0,
                                  0x8000000000000000,
                                  1,
                                  0x800fffffffffffff,
                                  0x0010000000000000,
                                  0x3ff0000000000000,
                                  0xbff0000000000001,
                                  0x3fd5555555555555,
                                  0x7fefffffffffffff,
                                  0x7ff0000000000000,
                                  0xfff0000000000000,
                                  0x7ff8000000000001,
                                  0x0370000000000000,
                                  0x7f60000000000001,
                                  0x1360000000000001,
                                  0xc05e000000000000};
  enum { N = sizeof numbers / sizeof *numbers, W = sizeof wide / sizeof *wide };
  uint64_t probe[3] = {0}, out;
  bool vcc = false;
  if (!step_run("v_div_fixup_f32 v16, v4, v8, v12", probe, 1, &vcc, &out))
    return;
  for (unsigned i = 0; i < N * N; i++) {
    const uint32_t n = numbers[i / N], d = numbers[i % N], q = divided(n, d);
    const float expected = f32_from(n) / f32_from(d);
    if (expected != expected)
      ck_assert_msg((q & 0x7fffffff) > 0x7f800000, "0x%x / 0x%x: 0x%x", n, d,
                    q);
    else
      ck_assert_msg(q == f32_bits(expected), "0x%x / 0x%x: 0x%x, expected 0x%x",
                    n, d, q, f32_bits(expected));
  }
  for (unsigned i = 0; i < W * W; i++) {
    const uint64_t n = wide[i / W], d = wide[i % W], q = divided64(n, d);
    const double expected = f64_from(n) / f64_from(d);
    if (expected != expected)
      ck_assert(q << 1 > UINT64_C(0xffe0000000000000));
    else
      ck_assert_msg(
          q == f64_bits(expected), "0x%llx / 0x%llx: 0x%llx, expected 0x%llx",
          (unsigned long long)n, (unsigned long long)d, (unsigned long long)q,
          (unsigned long long)f64_bits(expected));
  }
}
END_TEST

START_TEST(sums_of_products_of_halves_round_once)
{
  /* Half of the last bit of 1 is 2^-11. ABOVE * LESS is 2^-11 + 2^-26, which
   * f32 rounds to 2^-11 next to 1; BELOW * 0x3bfe is 2^-11 - 2^-31. */
  enum { ONE = 0x3c00, ABOVE = 0x1020, BELOW = 0x1001, LESS = 0x3bc2 };
  bool vcc = false;
  uint64_t probe[3] = {0}, out;
  if (!step_run("v_fma_f16 v16, v4, v8, v12", probe, 1, &vcc, &out))
    return;
  ck_assert_uint_eq(
      step("v_fma_f16 v16, v4, v8, v12", ABOVE, LESS, ONE, 1, &vcc), 0x3c01);
  ck_assert_uint_eq(step("v_fma_f16 v16, v4, v8, v12", ABOVE | 0x8000, LESS,
                         ONE | 0x8000, 1, &vcc),
                    0xbc01);
  ck_assert_uint_eq(
      step("v_fma_f16 v16, v4, v8, v12", 0x1000, ONE, ONE, 1, &vcc), ONE);
  ck_assert_uint_eq(
      step("v_fma_f16 v16, v4, v8, v12", BELOW, 0x3bfe, ONE, 1, &vcc), ONE);
}
END_TEST

AQ_TEST_MAIN("gpu/wave/pairs", pairs_of_floats_take_the_words_that_are_selected,
             mixed_precision_takes_halves_and_words, steps_of_a_division_divide,
             sums_of_products_of_halves_round_once)
