/* SPDX-License-Identifier: MIT */
/*
 * Matrix instructions of gfx942 and gfx950, one by one, with random elements:
 * every bit of D equals that of a plain loop.
 *
 * Where elements lie is written from AMD's matrix instruction calculator
 * (gfx942) and from AMD's example kernels of f8f6f4 and published probes of
 * sparse instructions on gfx950; how products are summed from MMA-Sim (arXiv
 * 2511.10909), section on CDNA3. Nothing here is shared with src/gpu/wave.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bed.h"
#include "common/rng.h"
#include "gpu/wave/core/wave.h"
#include "support/aqtest.h"

enum { D = 0, C = 16, A = 32, B = 40, INDEX = 48, SCALE_A = 50, SCALE_B = 51 };
enum { M_MAX = 32, K_MAX = 128 };

/* Bits of exponent and mantissa, bias; codes without a number. */
typedef struct format {
  const char *name;
  int exponent, mantissa, bias, bits;
  char specials; /* i: IEEE; n: all ones are a NaN; z: FNUZ; '-': none */
} format;

static const format f16 = {"f16", 5, 10, 15, 16, 'i'},
                    bf16 = {"bf16", 8, 7, 127, 16, 'i'},
                    xf32 = {"xf32", 8, 10, 127, 32, 'i'},
                    i8 = {"i8", 0, 0, 0, 8, '-'},
                    fnuz8 = {"fp8", 4, 3, 8, 8, 'z'},
                    fnuz_bf8 = {"bf8", 5, 2, 16, 8, 'z'},
                    ocp8 = {"fp8", 4, 3, 7, 8, 'n'},
                    ocp_bf8 = {"bf8", 5, 2, 15, 8, 'i'},
                    fp6 = {"fp6", 2, 3, 1, 6, '-'},
                    bf6 = {"bf6", 3, 2, 3, 6, '-'},
                    fp4 = {"fp4", 2, 1, 1, 4, '-'};
static const format *const mixed[] = {&ocp8, &ocp_bf8, &fp6, &bf6, &fp4};

typedef struct matrix {
  char name[48];
  int m, k; /* k of a dense A */
  const format *a, *b;
  int group;          /* products summed at once; 0: integers */
  bool sparse, split; /* split: even and odd k apart */
  bool scaled;
  int cbsz, abid, blgp, op_sel_a, op_sel_b;
  bool a_halves, b_halves;
} matrix;

/* ---- numbers ---- */

/* A number as s * 2^e with 1 <= |s| < 2, but for denormals and 0. */
typedef struct number {
  long double s;
  int e;
  long double value;
} number;

static number number_of(const format *f, uint32_t bits)
{
  if (f == &xf32)
    bits >>= 13;
  const int width = 1 + f->exponent + f->mantissa;
  const int exponent = (int)(bits >> f->mantissa) & ((1 << f->exponent) - 1);
  const int fraction = (int)bits & ((1 << f->mantissa) - 1);
  const int ones = (1 << f->exponent) - 1;
  const long double sign = bits >> (width - 1) & 1 ? -1 : 1;
  if ((f->specials == 'z' && bits == 0x80) ||
      (f->specials == 'n' && exponent == ones && fraction == 7) ||
      (f->specials == 'i' && exponent == ones && fraction))
    return (number){.value = NAN};
  if (f->specials == 'i' && exponent == ones)
    return (number){.value = sign * (long double)INFINITY};
  const long double part = ldexpl(fraction, -f->mantissa);
  number x = {.s = sign * (exponent ? 1 + part : part),
              .e = (exponent ? exponent : 1) - f->bias};
  x.value = ldexpl(x.s, x.e);
  if (x.s == 0)
    x.e = -126;
  return x;
}

static number single_of(float x)
{
  const format f32 = {"f32", 8, 23, 127, 32, 'i'};
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return number_of(&f32, bits);
}

/* ---- sums ---- */

typedef struct sum {
  long double s;
  int e;
} partial;

static partial products_sum(const number *p, int count, int step)
{
  partial out = {0, -100000};
  for (int i = 0; i < count; i += step)
    out.e = p[i].e > out.e ? p[i].e : out.e;
  for (int i = 0; i < count; i += step)
    out.s += ldexpl(truncl(ldexpl(p[i].s, 24 + p[i].e - out.e)), -24);
  return out;
}

static long double floor_at(long double s, int bits, int by)
{
  return ldexpl(floorl(ldexpl(s, bits + by)), -bits);
}

static float group_sum(const matrix *x, const number *p, float c)
{
  double exact = 0;
  bool above = false, below = false;
  for (int i = 0; i < x->group; i++) {
    exact += (double)p[i].value;
    above |= p[i].value >= 0x1p128L;
    below |= p[i].value <= -0x1p128L;
  }
  exact += (double)c;
  if (!isfinite(exact))
    return (float)exact;
  if (above || below)
    return above && below ? NAN : above ? INFINITY : -INFINITY;
  partial all = products_sum(p, x->group, 1);
  if (x->split) {
    const partial even = products_sum(p, x->group, 2),
                  odd = products_sum(p + 1, x->group - 1, 2);
    all.e = even.e > odd.e ? even.e : odd.e;
    all.s = floor_at(even.s, 24, even.e - all.e) +
            floor_at(odd.s, 24, odd.e - all.e);
  }
  const number addend = single_of(c);
  const int ce = c == 0 ? -126 : addend.e;
  const int e = all.e > ce ? all.e : ce;
  long double s = floor_at(all.s, 31, all.e - e);
  if (!x->split || ce >= e - 25)
    s += floor_at(addend.s, 24, ce - e);
  return (float)ldexpl(s, e);
}

static uint32_t float_bits(float x)
{
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return x == x ? bits : 0x7fc00000;
}

/* ---- where elements lie ---- */

static uint32_t bits_at(const aq_wave *w, int reg, int lane, int at, int bits)
{
  uint64_t two = w->v[reg + at * bits / 32][lane];
  if (at * bits % 32 + bits > 32)
    two |= (uint64_t)w->v[reg + at * bits / 32 + 1][lane] << 32;
  return (uint32_t)(two >> (at * bits % 32) & ((1ull << bits) - 1));
}

/* Element k of a row of A, or of a column of B, of `count` in all. */
static uint32_t element(const aq_wave *w, const matrix *x, int reg,
                        const format *f, bool halves, int count, int row, int k)
{
  const int groups = 64 / x->m, each = count / groups;
  if (!halves)
    return bits_at(w, reg, k / each * x->m + row, k % each, f->bits);
  const int half = each / 2, in = k % (count / 2);
  return bits_at(w, reg, in / half * x->m + row,
                 k / (count / 2) * half + in % half, f->bits);
}

/* Which k the n-th element of a row of sparse A has. */
static int sparse_k(const aq_wave *w, const matrix *x, int row, int n)
{
  const int each = x->k / 2 / (64 / x->m);
  const uint32_t index = w->v[INDEX][n / each * x->m + row];
  const int part = x->cbsz ? 0 : 2 * each * x->abid;
  return n / 2 * 4 + (int)(index >> (part + 2 * (n % each)) & 3);
}

static int scale_at(const aq_wave *w, const matrix *x, int reg, int byte,
                    int row, int k)
{
  return (int)(w->v[reg][k / 32 * x->m + row] >> (8 * byte) & 0xff);
}

/* The elements of a case: of each row of A and of each column of B. */
typedef struct cell {
  uint32_t bits;
  number number;
} cell;
static cell rows_of_a[M_MAX][K_MAX], columns_of_b[M_MAX][K_MAX];

static int count_of(const matrix *x)
{
  return x->sparse ? x->k / 2 : x->k;
}

static void cells_read(const aq_wave *w, const matrix *x)
{
  for (int i = 0; i < x->m; i++) {
    for (int n = 0; n < count_of(x); n++) {
      const uint32_t a = element(w, x, A, x->a, x->a_halves, count_of(x), i, n);
      rows_of_a[i][n] = (cell){a, number_of(x->a, a)};
    }
    for (int k = 0; k < x->k; k++) {
      const uint32_t b = element(w, x, B, x->b, x->b_halves, x->k, i, k);
      columns_of_b[i][k] = (cell){b, number_of(x->b, b)};
    }
  }
}

static uint32_t result_expected(const aq_wave *w, const matrix *x, int i, int j,
                                uint32_t c)
{
  const int count = count_of(x);
  uint32_t total = c;
  number p[K_MAX];
  for (int n = 0; n < count; n++) {
    const cell *a = &rows_of_a[i][n],
               *b = &columns_of_b[j][x->sparse ? sparse_k(w, x, i, n) : n];
    if (x->group == 0) {
      total += (uint32_t)((int8_t)a->bits * (int8_t)b->bits);
      continue;
    }
    const number y = a->number, z = b->number;
    p[n] = (number){y.s * z.s, y.e + z.e, y.value * z.value};
    if (x->scaled) {
      const int sa = scale_at(w, x, SCALE_A, x->op_sel_a, i, n),
                sb = scale_at(w, x, SCALE_B, x->op_sel_b, j, n);
      p[n].e += sa + sb - 254;
      p[n].value = sa == 255 || sb == 255 ? (long double)NAN
                                          : ldexpl(p[n].value, sa + sb - 254);
    }
  }
  if (x->group == 0)
    return total;
  float sum;
  memcpy(&sum, &c, sizeof sum);
  for (int n = 0; n < count; n += x->group)
    sum = group_sum(x, p + n, sum);
  return float_bits(sum);
}

/* ---- cases ---- */

static matrix cases[400];
static char texts[400][BED_TEXT];
static size_t case_count;

static void operand_put(char *out, int reg, int bits)
{
  if (bits == 32)
    snprintf(out, 16, "v%d", reg);
  else
    snprintf(out, 16, "v[%d:%d]", reg, reg + bits / 32 - 1);
}

static void case_add(matrix x)
{
  char d[16], a[16], b[16], c[16];
  char *text = texts[case_count];
  const int columns = x.m * x.k / 64;
  operand_put(d, D, x.m * x.m / 2);
  operand_put(c, x.sparse ? INDEX : C, x.sparse ? 32 : x.m * x.m / 2);
  operand_put(a, A, columns * x.a->bits / (x.sparse ? 2 : 1));
  operand_put(b, B, columns * x.b->bits);
  int used = snprintf(text, BED_TEXT, "%s %s, %s, %s, %s", x.name, d, a, b, c);
  if (x.scaled)
    used += snprintf(text + used, (size_t)(BED_TEXT - used),
                     ", v%d, v%d op_sel:[%d,%d,0] op_sel_hi:[%d,%d,0]", SCALE_A,
                     SCALE_B, x.op_sel_a & 1, x.op_sel_b & 1, x.op_sel_a >> 1,
                     x.op_sel_b >> 1);
  if (x.cbsz)
    used +=
        snprintf(text + used, (size_t)(BED_TEXT - used), " cbsz:%d", x.cbsz);
  if (x.abid)
    used +=
        snprintf(text + used, (size_t)(BED_TEXT - used), " abid:%d", x.abid);
  if (x.blgp)
    snprintf(text + used, (size_t)(BED_TEXT - used), " blgp:%d", x.blgp);
  cases[case_count++] = x;
}

/* 16x16 and 32x32 with half as many k. */
static void both_add(const char *kind, int k, matrix x)
{
  for (int m = 16; m <= 32; m += 16) {
    x.m = m;
    x.k = m == 16 ? k : k / 2;
    snprintf(x.name, sizeof x.name,
             x.a->bits == 8 && x.group ? "v_%s_%s_%dx%dx%d_%s_%s"
                                       : "v_%s_%s_%dx%dx%d_%s",
             kind, x.group ? "f32" : "i32", m, m, x.k, x.a->name, x.b->name);
    case_add(x);
  }
}

static void eight_bits_add(const char *kind, int k, const format *fp8,
                           const format *bf8, matrix x)
{
  for (int i = 0; i < 4; i++) {
    x.a = i & 1 ? fp8 : bf8;
    x.b = i & 2 ? fp8 : bf8;
    x.group = 16;
    x.split = true;
    both_add(kind, k, x);
  }
}

/* All parts of the index that an instruction can select. */
static void sparse_add(int k, const format *f, int group, bool halves)
{
  const int parts = f->bits == 16 ? (halves ? 2 : 4) : halves ? 1 : 2;
  for (int cbsz = 0; cbsz < 2; cbsz++)
    for (int abid = 0; abid < parts; abid++)
      both_add("smfmac", k,
               (matrix){.a = f,
                        .b = f,
                        .group = group,
                        .sparse = true,
                        .b_halves = halves,
                        .cbsz = cbsz,
                        .abid = abid});
}

static void cdna3_add(const format *fp8, const format *bf8)
{
  both_add("mfma", 16, (matrix){.a = &f16, .b = &f16, .group = 8});
  both_add("mfma", 16, (matrix){.a = &bf16, .b = &bf16, .group = 8});
  both_add("mfma", 32, (matrix){.a = &i8, .b = &i8});
  eight_bits_add("mfma", 32, fp8, bf8, (matrix){0});
  eight_bits_add("smfmac", 64, fp8, bf8, (matrix){.sparse = true});
  eight_bits_add("smfmac", 64, fp8, bf8, (matrix){.sparse = true, .abid = 1});
  sparse_add(32, &f16, 8, false);
  sparse_add(32, &bf16, 8, false);
  sparse_add(64, &i8, 0, false);
}

static void cdna4_add(void)
{
  both_add("mfma", 32, (matrix){.a = &f16, .b = &f16, .group = 8});
  both_add("mfma", 32, (matrix){.a = &bf16, .b = &bf16, .group = 8});
  both_add("mfma", 64, (matrix){.a = &i8, .b = &i8});
  eight_bits_add("smfmac", 128, &ocp8, &ocp_bf8,
                 (matrix){.sparse = true, .b_halves = true});
  sparse_add(64, &f16, 8, true);
  sparse_add(64, &bf16, 8, true);
  sparse_add(128, &i8, 0, true);
  for (int i = 0; i < 100; i++) {
    const int a = i / 2 % 5, b = i / 10 % 5, m = i & 1 ? 16 : 32;
    if (i < 50 && a != (b + 1) % 5) /* all pairs with scales, some without */
      continue;
    matrix x = {.m = m,
                .k = m == 16 ? 128 : 64,
                .a = mixed[a],
                .b = mixed[b],
                .group = 16,
                .split = true,
                .scaled = i >= 50,
                .cbsz = a,
                .blgp = b,
                .op_sel_a = i % 3,
                .op_sel_b = i % 4,
                .a_halves = mixed[a]->bits == 8,
                .b_halves = mixed[b]->bits == 8};
    snprintf(x.name, sizeof x.name, "v_mfma_%sf32_%dx%dx%d_f8f6f4",
             x.scaled ? "scale_" : "", m, m, x.k);
    case_add(x);
  }
}

/* ---- executing ---- */

/* Registers of A, B, C: any bits; or near each other, so that little is cut
 * off; or like these, without infinities and NaNs. */
static uint32_t word_make(aq_rng *rng, const format *f, int mode)
{
  const uint32_t x = (uint32_t)aq_rng_bits(rng);
  if (mode == 0 || f == &i8)
    return x;
  if (f == &f16)
    return (x & 0x8fff8fff) | 0x30003000;
  if (f == &bf16)
    return (x & 0x83ff83ff) | (mode == 1 ? 0x3e003e00 : 0x1c003c00);
  if (f == &xf32)
    return (x & 0x83ffffff) | 0x3c000000;
  return f->specials == '-' ? x : x & 0xbfbfbfbf & ~(x >> 3 & 0x01010101);
}

static void wave_make(aq_wave *w, const matrix *x, aq_rng *rng, int mode)
{
  for (int lane = 0; lane < 64; lane++) {
    for (int r = 0; r < 8; r++) {
      w->v[A + r][lane] = word_make(rng, x->a, mode);
      w->v[B + r][lane] = word_make(rng, x->b, mode);
    }
    for (int r = 0; r < 16; r++) {
      const uint32_t c = (uint32_t)aq_rng_bits(rng);
      w->v[C + r][lane] = w->v[D + r][lane] =
          mode == 0 || x->group == 0 ? c : (c & 0x83ffffff) | 0x3c000000;
    }
    for (int r = INDEX; r <= SCALE_B; r++)
      w->v[r][lane] = (uint32_t)aq_rng_bits(rng);
    if (mode)
      for (int r = SCALE_A; r <= SCALE_B; r++)
        w->v[r][lane] = (w->v[r][lane] & 0x07070707) + 0x7c7c7c7c;
  }
}

static void case_check(bed *b, size_t which, aq_rng *rng, int mode)
{
  static aq_wave before;
  const matrix *x = &cases[which];
  wave_make(b->wave, x, rng, mode);
  memcpy(&before, b->wave, sizeof before);
  cells_read(&before, x);
  ck_assert_msg(bed_run(b, which), "%s: %s", texts[which], b->grid.fault.text);
  for (int i = 0; i < x->m; i++)
    for (int j = 0; j < x->m; j++) {
      const int reg = x->m == 16 ? i % 4 : i / 8 * 4 + i % 4;
      const int lane = x->m == 16 ? i / 4 * 16 + j : i / 4 % 2 * 32 + j;
      const uint32_t expected = result_expected(
          &before, x, i, j, before.v[(x->sparse ? D : C) + reg][lane]);
      ck_assert_msg(b->wave->v[D + reg][lane] == expected,
                    "%s of %s, mode %d, row %d, column %d: 0x%08x, not 0x%08x",
                    texts[which], b->gfx, mode, i, j, b->wave->v[D + reg][lane],
                    expected);
    }
}

static void target_check(const char *gfx)
{
  bed b;
  aq_rng rng;
  case_count = 0;
  aq_rng_init(&rng, 5, 0);
  if (strcmp(gfx, "gfx942") == 0) {
    cdna3_add(&fnuz8, &fnuz_bf8);
    matrix x = {.m = 16, .k = 8, .a = &xf32, .b = &xf32, .group = 4};
    strcpy(x.name, "v_mfma_f32_16x16x8_xf32");
    case_add(x);
  } else {
    cdna3_add(&ocp8, &ocp_bf8);
    cdna4_add();
  }
  for (unsigned level = 0; level < aq_wave_level_count(); level++) {
    bed_open(&b, gfx, texts, case_count, level);
    for (size_t i = 0; i < case_count; i++) {
      ck_assert_msg(!b.refused[i], "llvm refuses %s", texts[i]);
      b.wave->mode = 0xf0;
      for (int mode = 0; mode < 3; mode++)
        if (level + 1 == aq_wave_level_count() || mode == (int)i % 3)
          case_check(&b, i, &rng, mode);
    }
    bed_close(&b);
  }
}

START_TEST(sums_of_matrix_instructions_are_those_of_devices)
{
  if (!bed_tools_are_here())
    return;
  target_check("gfx942");
  target_check("gfx950");
}
END_TEST

AQ_TEST_MAIN("gpu/wave/matrix_sums",
             sums_of_matrix_instructions_are_those_of_devices)
