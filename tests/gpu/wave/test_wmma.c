/* SPDX-License-Identifier: MIT */
/*
 * Matrix instructions of RDNA 3 and 4, in waves of 32 and 64 lanes, with random
 * elements, signs, halves and indices: every element of D equals that of a
 * plain loop, and all other bits stay.
 *
 * Where elements lie is written from the tables of AMD's matrix instruction
 * calculator: which lanes hold a row's elements, run by run. Nothing here is
 * shared with src/gpu/wave.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bed.h"
#include "common/rng.h"
#include "gpu/wave/core/wave.h"
#include "support/aqtest.h"

enum { A = 0, B = 8, C = 16, D = 24, INDEX = 32, ROWS = 34, SIDE = 16 };
enum { K_MOST = 64, VARIANTS = 6 };

/* Elements: 'h' f16, 'b' bf16, 'e' fp8 (e4m3), 'm' bf8 (e5m2), 'i' integers;
 * results: 'f' f32, 'h', 'b', 'i' i32. */
typedef struct matrix {
  const char *name;
  int k, bits;
  char a, b, d;
} matrix;

static const matrix rdna3[] = {
    {"v_wmma_f32_16x16x16_f16", 16, 16, 'h', 'h', 'f'},
    {"v_wmma_f32_16x16x16_bf16", 16, 16, 'b', 'b', 'f'},
    {"v_wmma_f16_16x16x16_f16", 16, 16, 'h', 'h', 'h'},
    {"v_wmma_bf16_16x16x16_bf16", 16, 16, 'b', 'b', 'b'},
    {"v_wmma_i32_16x16x16_iu8", 16, 8, 'i', 'i', 'i'},
    {"v_wmma_i32_16x16x16_iu4", 16, 4, 'i', 'i', 'i'}};
static const matrix rdna4[] = {
    {"v_wmma_f32_16x16x16_f16", 16, 16, 'h', 'h', 'f'},
    {"v_wmma_f32_16x16x16_bf16", 16, 16, 'b', 'b', 'f'},
    {"v_wmma_f16_16x16x16_f16", 16, 16, 'h', 'h', 'h'},
    {"v_wmma_bf16_16x16x16_bf16", 16, 16, 'b', 'b', 'b'},
    {"v_wmma_i32_16x16x16_iu8", 16, 8, 'i', 'i', 'i'},
    {"v_wmma_i32_16x16x16_iu4", 16, 4, 'i', 'i', 'i'},
    {"v_wmma_i32_16x16x32_iu4", 32, 4, 'i', 'i', 'i'},
    {"v_wmma_f32_16x16x16_fp8_fp8", 16, 8, 'e', 'e', 'f'},
    {"v_wmma_f32_16x16x16_fp8_bf8", 16, 8, 'e', 'm', 'f'},
    {"v_wmma_f32_16x16x16_bf8_fp8", 16, 8, 'm', 'e', 'f'},
    {"v_wmma_f32_16x16x16_bf8_bf8", 16, 8, 'm', 'm', 'f'},
    {"v_swmmac_f32_16x16x32_f16", 32, 16, 'h', 'h', 'f'},
    {"v_swmmac_f32_16x16x32_bf16", 32, 16, 'b', 'b', 'f'},
    {"v_swmmac_f16_16x16x32_f16", 32, 16, 'h', 'h', 'h'},
    {"v_swmmac_bf16_16x16x32_bf16", 32, 16, 'b', 'b', 'b'},
    {"v_swmmac_i32_16x16x32_iu8", 32, 8, 'i', 'i', 'i'},
    {"v_swmmac_i32_16x16x32_iu4", 32, 4, 'i', 'i', 'i'},
    {"v_swmmac_i32_16x16x64_iu4", 64, 4, 'i', 'i', 'i'},
    {"v_swmmac_f32_16x16x32_fp8_fp8", 32, 8, 'e', 'e', 'f'},
    {"v_swmmac_f32_16x16x32_fp8_bf8", 32, 8, 'e', 'm', 'f'},
    {"v_swmmac_f32_16x16x32_bf8_fp8", 32, 8, 'm', 'e', 'f'},
    {"v_swmmac_f32_16x16x32_bf8_bf8", 32, 8, 'm', 'm', 'f'}};

/* Runs of elements of a row, in the order of k, and the group of 16 lanes that
 * has each; a group's second run follows its first. */
static const struct {
  int bits, lanes, elements, run;
  const char *groups;
} layouts[] = {
    {16, 32, 16, 4, "0101"}, {16, 32, 32, 8, "0101"}, {16, 64, 16, 4, "0123"},
    {16, 64, 32, 8, "0123"}, {8, 32, 16, 8, "01"},    {8, 32, 32, 16, "01"},
    {8, 64, 16, 4, "0213"},  {8, 64, 32, 8, "0213"},  {4, 32, 16, 8, "01"},
    {4, 32, 32, 16, "01"},   {4, 32, 64, 32, "01"},   {4, 64, 16, 8, "01"},
    {4, 64, 32, 8, "0213"},  {4, 64, 64, 16, "0213"}};

typedef struct variant {
  const matrix *m;
  bool is_4, sparse;
  int lanes;
  unsigned neg_lo, neg_hi, op_sel;
  bool clamp;
  int constant; /* C; -1: registers */
} variant;

/* ---- where elements lie ---- */

typedef struct place {
  int lane, bit;
} place;

static place place_of(const variant *v, int elements, int n)
{
  if (!v->is_4)
    return (place){0, n * v->m->bits};
  for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
    if (layouts[i].bits != v->m->bits || layouts[i].lanes != v->lanes ||
        layouts[i].elements != elements)
      continue;
    const int turn = n / layouts[i].run;
    const char group = layouts[i].groups[turn];
    int before = 0;
    for (int t = 0; t < turn; t++)
      before += layouts[i].groups[t] == group;
    return (place){(group - '0') * SIDE,
                   (before * layouts[i].run + n % layouts[i].run) * v->m->bits};
  }
  ck_abort_msg("no layout of %s", v->m->name);
}

/* An element of D or C: its register, lane and first bit. The calculator: "C or
 * D[i][j] GPR", "Lane". */
static void result_place(const variant *v, int i, int j, int *reg, int *lane,
                         int *bit)
{
  const bool half = v->m->d == 'h' || v->m->d == 'b';
  if (!v->is_4) {
    *reg = i / (v->lanes / 16);
    *lane = 16 * (i % (v->lanes / 16)) + j;
    *bit = half && v->op_sel & 4 ? 16 : 0;
    return;
  }
  const int each = v->lanes == 32 ? 8 : 4;
  *lane =
      v->lanes == 32 ? 16 * (i / 8) + j : 32 * (i / 4 % 2) + 16 * (i / 8) + j;
  *reg = half ? i % each / 2 : i % each;
  *bit = half ? 16 * (i % 2) : 0;
}

static uint32_t element(const aq_wave *w, const variant *v, int reg,
                        int elements, int side, int n)
{
  const place p = place_of(v, elements, n);
  return w->v[reg + p.bit / 32][p.lane + side] >> (p.bit % 32) &
         ((1u << v->m->bits) - 1);
}

/* ---- numbers ---- */

static float number(char type, uint32_t bits)
{
  const int mantissa = type == 'h' ? 10 : type == 'b' ? 7 : type == 'e' ? 3 : 2;
  const int width = type == 'h' || type == 'b' ? 16 : 8;
  const int ones = (1 << (width - 1 - mantissa)) - 1;
  const int bias = type == 'b' ? 127 : type == 'e' ? 7 : 15;
  const int e = (int)bits >> mantissa & ones;
  const int m = (int)bits & ((1 << mantissa) - 1);
  const float sign = bits >> (width - 1) & 1 ? -1 : 1;
  if (type == 'e' ? e == ones && m == 7 : e == ones && m)
    return NAN;
  if (type != 'e' && e == ones)
    return sign * INFINITY;
  return sign * ldexpf(e ? (float)(m | 1 << mantissa) : (float)m,
                       (e ? e : 1) - bias - mantissa);
}

static uint32_t bits_of(float x)
{
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

static float float_from(uint32_t bits)
{
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

/* The nearest number of a format, even where there are two: of the candidates
 * around the truncated one. */
static uint32_t rounded(char type, float x)
{
  if (x != x)
    return type == 'f' ? 0x7fc00000 : type == 'h' ? 0x7e00 : 0x7fc0;
  if (type == 'f')
    return bits_of(x);
  if (type == 'b') { /* bf16 is the upper half of f32 */
    const uint32_t bits = bits_of(x), low = bits & 0xffff;
    const uint32_t up = low > 0x8000 || (low == 0x8000 && bits >> 16 & 1);
    return (bits >> 16) + up;
  }
  const uint32_t sign = signbit(x) ? 0x8000 : 0;
  const double size = fabs((double)x);
  int e;
  if (size == 0)
    return sign;
  (void)frexp(size, &e);
  const double unit = ldexp(1, e - 11 < -24 ? -24 : e - 11);
  const double near = nearbyint(size / unit) * unit;
  if (near >= 65536)
    return sign | 0x7c00;
  if (near < 0x1p-14)
    return sign | (uint32_t)(near * 0x1p24);
  (void)frexp(near, &e);
  return sign | (uint32_t)((e + 14) << 10) |
         ((uint32_t)ldexp(near, 11 - e) & 0x3ff);
}

/* ---- results ---- */

static int64_t whole(uint32_t bits, int width, bool is_signed)
{
  return is_signed && bits >> (width - 1) ? (int64_t)bits - (1 << width)
                                          : (int64_t)bits;
}

static float signed_number(const variant *v, char type, uint32_t bits, int n,
                           int operand)
{
  const unsigned neg = n % 2 ? v->neg_hi : v->neg_lo;
  const float x = number(type, bits);
  return v->m->bits == 16 && neg >> operand & 1 ? -x : x;
}

/* k of the n-th element of row i of A. */
static int k_of(const aq_wave *w, const variant *v, int i, int n)
{
  const int count = v->m->k / 2;
  if (!v->sparse)
    return n;
  const place p = place_of(v, count, n);
  const int at = p.bit / v->m->bits;
  int most = 0; /* elements of a lane */
  for (int x = 0; x < count; x++)
    if (place_of(v, count, x).lane == p.lane)
      most++;
  const uint32_t bits = w->v[INDEX][p.lane + i];
  return n / 2 * 4 + (int)(bits >> ((int)v->op_sel * 2 * most + 2 * at) & 3);
}

static uint32_t expected(const aq_wave *w, const variant *v, int i, int j,
                         uint32_t c)
{
  const matrix *m = v->m;
  const int count = v->sparse ? m->k / 2 : m->k;
  int64_t total = (int32_t)c;
  float sum = m->d == 'f' ? float_from(c) : m->d == 'i' ? 0 : number(m->d, c);
  if (!v->sparse && v->neg_hi & 4)
    sum = fabsf(sum);
  if (!v->sparse && v->neg_lo & 4)
    sum = -sum;
  for (int n = 0; n < count; n++) {
    const int k = k_of(w, v, i, n);
    const uint32_t a = element(w, v, A, count, i, n),
                   b = element(w, v, B, m->k, j, k);
    if (m->d == 'i')
      total += whole(a, m->bits, v->neg_lo & 1) *
               whole(b, m->bits, v->neg_lo >> 1 & 1);
    else
      sum = fmaf(signed_number(v, m->a, a, n, 0),
                 signed_number(v, m->b, b, k, 1), sum);
  }
  if (m->d != 'i')
    return rounded(m->d, sum);
  if (v->clamp)
    total = total > INT32_MAX   ? INT32_MAX
            : total < INT32_MIN ? INT32_MIN
                                : total;
  return (uint32_t)total;
}

/* ---- executing ---- */

static unsigned below(aq_rng *rng, unsigned n)
{
  return (unsigned)(aq_rng_bits(rng) >> 33) % n;
}

/* Any bits, or numbers near 1 whose sums round. */
static uint32_t word(aq_rng *rng, char type, bool any)
{
  const uint32_t x = (uint32_t)aq_rng_bits(rng);
  return any || type == 'i' ? x
         : type == 'h'      ? (x & 0x8fff8fff) | 0x30003000
         : type == 'b'      ? (x & 0x83ff83ff) | 0x3e003e00
         : type == 'f'      ? (x & 0x83ffffff) | 0x3c000000
         : type == 'e'      ? (x & 0x9f9f9f9f) | 0x20202020
                            : (x & 0x8f8f8f8f) | 0x30303030;
}

static void wave_fill(aq_wave *w, const variant *v, aq_rng *rng, bool any)
{
  for (int r = 0; r < ROWS; r++)
    for (int lane = 0; lane < v->lanes; lane++) {
      const char type = r < B ? v->m->a : r < C ? v->m->b : v->m->d;
      w->v[r][lane] =
          r >= INDEX ? (uint32_t)aq_rng_bits(rng) : word(rng, type, any);
      if (!v->is_4 && r < C)
        w->v[r][lane] = lane < SIDE ? w->v[r][lane] : w->v[r][lane % SIDE];
    }
  if (v->m->d == 'i' && any) /* near an end, so that clamp saturates */
    for (int r = C; r < INDEX; r++)
      for (int lane = 0; lane < v->lanes; lane++)
        w->v[r][lane] = (w->v[r][lane] & 0x80000fff) ^ 0x7ffff000;
}

static void check(bed *b, const variant *v, const char *text, size_t number_of,
                  aq_rng *rng, bool any)
{
  static aq_wave before, want;
  aq_wave *w = b->wave;
  wave_fill(w, v, rng, any);
  w->s64[AQ_ISA_EXEC / 2] = aq_rng_bits(rng); /* does not matter */
  w->mode = (uint32_t)below(rng, 256);        /* nor does this */
  memcpy(&before, w, sizeof before);
  memcpy(&want, w, sizeof want);
  for (int i = 0; i < SIDE; i++)
    for (int j = 0; j < SIDE; j++) {
      int reg, lane, bit;
      result_place(v, i, j, &reg, &lane, &bit);
      const bool half = v->m->d == 'h' || v->m->d == 'b';
      const uint32_t old = before.v[(v->sparse ? D : C) + reg][lane];
      const uint32_t c = v->constant >= 0 ? (uint32_t)v->constant
                         : half           ? old >> bit & 0xffff
                                          : old;
      const uint32_t d = expected(&before, v, i, j, c);
      uint32_t *to = &want.v[D + reg][lane];
      *to = half ? (*to & ~(0xffffu << bit)) | d << bit : d;
    }
  ck_assert_msg(bed_run(b, number_of), "%s: %s", text, b->grid.fault.text);
  for (int r = 0; r < ROWS; r++)
    for (int lane = 0; lane < v->lanes; lane++)
      ck_assert_msg(w->v[r][lane] == want.v[r][lane],
                    "%s of %s, %d lanes: v%d of lane %d is 0x%x, not 0x%x",
                    text, b->gfx, v->lanes, r, lane, w->v[r][lane],
                    want.v[r][lane]);
}

static void registers(char *out, int first, int bits)
{
  if (bits <= 32)
    sprintf(out, "v%d", first);
  else
    sprintf(out, "v[%d:%d]", first, first + bits / 32 - 1);
}

static variant choose(aq_rng *rng, const matrix *m, bool is_4, int lanes,
                      int number_of)
{
  variant v = {.m = m,
               .is_4 = is_4,
               .sparse = strncmp(m->name, "v_swmmac", 8) == 0,
               .lanes = lanes,
               .constant = -1};
  const bool half = m->d == 'h' || m->d == 'b';
  if (number_of == 0)
    return v;
  if (m->d == 'i') {
    v.neg_lo = below(rng, 4);
    v.clamp = below(rng, 2);
  } else {
    v.neg_lo = below(rng, 8);
    v.neg_hi = below(rng, 8);
    if (v.sparse)
      v.neg_lo &= 3, v.neg_hi &= 3;
    if (m->bits == 8)
      v.neg_lo &= 4, v.neg_hi &= 4;
  }
  if (!is_4 && half)
    v.op_sel = below(rng, 2) ? 4 : 0;
  if (v.sparse) { /* parts of the index: see LLVM's index_key */
    const bool four32 = m->bits == 4 && m->k == 32;
    const int parts = four32        ? 2
                      : m->k == 64  ? (lanes == 32 ? 1 : 2)
                      : lanes == 32 ? 2
                                    : 4;
    v.op_sel = below(rng, (unsigned)parts);
  }
  if (number_of == 1 && !v.sparse)
    v.constant = 5;
  if (v.constant >= 0 && m->d == 'f')
    v.constant = 0x40000000; /* 2.0 */
  return v;
}

static void text_write(const variant *v, char text[BED_TEXT])
{
  const matrix *m = v->m;
  const int count = v->sparse ? m->k / 2 : m->k;
  const int repeats = v->is_4 ? v->lanes / 16 : 1;
  int a_bits = count * m->bits / repeats, b_bits = m->k * m->bits / repeats;
  const bool packed = v->is_4 && (m->d == 'h' || m->d == 'b');
  char d[16], a[16], b[16], c[16];
  registers(d, D, 32 * 256 / v->lanes / (packed ? 2 : 1));
  registers(a, A, a_bits);
  registers(b, B, b_bits);
  registers(c, v->sparse ? INDEX : C,
            v->sparse ? 32 : 32 * 256 / v->lanes / (packed ? 2 : 1));
  if (v->constant >= 0)
    strcpy(c, m->d == 'f' ? "2.0" : "5");
  char *at = text + sprintf(text, "%s %s, %s, %s, %s", m->name, d, a, b, c);
  if (v->op_sel && v->sparse)
    at += sprintf(at, " index_key:%u", v->op_sel);
  else if (v->op_sel)
    at += sprintf(at, " op_sel:[0,0,1]");
  if (v->neg_lo && v->sparse)
    at += sprintf(at, " neg_lo:[%u,%u,0]", v->neg_lo & 1, v->neg_lo >> 1 & 1);
  else if (v->neg_lo)
    at += sprintf(at, " neg_lo:[%u,%u,%u]", v->neg_lo & 1, v->neg_lo >> 1 & 1,
                  v->neg_lo >> 2);
  if (v->neg_hi)
    at += sprintf(at, " neg_hi:[%u,%u,%u]", v->neg_hi & 1, v->neg_hi >> 1 & 1,
                  v->neg_hi >> 2);
  if (v->clamp)
    sprintf(at, " clamp");
}

static void target_check(const char *gfx, const matrix *list, size_t count,
                         bool is_4, int lanes)
{
  static char texts[32 * VARIANTS][BED_TEXT];
  static variant variants[32 * VARIANTS];
  aq_rng rng;
  bed b;
  aq_rng_init(&rng, 7, 0);
  for (size_t i = 0; i < count * VARIANTS; i++) {
    variants[i] =
        choose(&rng, &list[i / VARIANTS], is_4, lanes, (int)(i % VARIANTS));
    text_write(&variants[i], texts[i]);
  }
  bed_open_all(&b, gfx, lanes, texts, count * VARIANTS);
  for (size_t i = 0; i < count * VARIANTS; i++) {
    check(&b, &variants[i], texts[i], i, &rng, false);
    check(&b, &variants[i], texts[i], i, &rng, true);
  }
  bed_close(&b);
}

START_TEST(matrices_of_rdna_multiply)
{
  if (!bed_tools_are_here())
    return;
  for (int lanes = 32; lanes <= 64; lanes += 32) {
    target_check("gfx1100", rdna3, sizeof rdna3 / sizeof *rdna3, false, lanes);
    target_check("gfx1151", rdna3, sizeof rdna3 / sizeof *rdna3, false, lanes);
    target_check("gfx1201", rdna4, sizeof rdna4 / sizeof *rdna4, true, lanes);
  }
}
END_TEST

/* RDNA 3 needs A and B in all groups of 16 lanes. */
START_TEST(a_matrix_that_lanes_do_not_repeat_is_refused)
{
  bed b;
  if (!bed_open_one(&b, "gfx1100",
                    "v_wmma_f32_16x16x16_f16 v[24:27], v[0:7], v[8:15], "
                    "v[16:19]"))
    return;
  ck_assert(bed_run(&b, 0));
  b.wave->v[3][40] = 1;
  ck_assert(!bed_run(&b, 0));
  ck_assert_ptr_nonnull(strstr(b.grid.fault.text, "do not repeat"));
  bed_close(&b);
}
END_TEST

AQ_TEST_MAIN("gpu/wave/wmma", matrices_of_rdna_multiply,
             a_matrix_that_lanes_do_not_repeat_is_refused)
