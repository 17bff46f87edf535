/* SPDX-License-Identifier: MIT */
/*
 * Conversions of small floats on gfx942, gfx950 and gfx12, one instruction at a
 * time.
 * Expected: the nearest of all numbers of the format, by search; the formats
 * follow OCP's documents (OFP8, Microscaling) and, for gfx942, FNUZ. Where bits
 * lie is written from the pseudo-code of AMD's CDNA 3 and CDNA 4 ISA documents,
 * chapter 12. Nothing here is shared with src/gpu/wave.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bed.h"
#include "common/rng.h"
#include "gpu/wave/core/wave.h"
#include "support/aqtest.h"

enum { D = 0, A = 32, B = 64, SCALE = 96, RANDOM = 97 };

/* -1: the code is no number. */
typedef struct format {
  const char *name;
  int exponent, mantissa, bias;
  char specials; /* i: IEEE; n: ones are a NaN; z: 0x80 is; '-': none */
} format;

static const format ocp8 = {"fp8", 4, 3, 7, 'n'},
                    ocp_bf8 = {"bf8", 5, 2, 15, 'i'},
                    fnuz8 = {"fp8", 4, 3, 8, 'z'},
                    fnuz_bf8 = {"bf8", 5, 2, 16, 'z'},
                    fp6 = {"fp6", 2, 3, 1, '-'}, bf6 = {"bf6", 3, 2, 3, '-'},
                    fp4 = {"fp4", 2, 1, 1, '-'}, f16 = {"f16", 5, 10, 15, 'i'},
                    bf16 = {"bf16", 8, 7, 127, 'i'},
                    f32 = {"f32", 8, 23, 127, 'i'};

static int width_of(const format *f)
{
  return 1 + f->exponent + f->mantissa;
}

static long double value_of(const format *f, uint32_t bits)
{
  const uint32_t sign = 1u << (width_of(f) - 1), size = bits & (sign - 1);
  const int exponent = (int)(size >> f->mantissa);
  const int fraction = (int)(size & ((1u << f->mantissa) - 1));
  const int ones = (1 << f->exponent) - 1;
  if (f->specials == 'z' && bits == sign)
    return NAN;
  if ((f->specials == 'n' && size == sign - 1) ||
      (f->specials == 'i' && exponent == ones && fraction))
    return copysignl(NAN, bits & sign ? -1 : 1);
  const long double x =
      f->specials == 'i' && exponent == ones ? (long double)INFINITY
      : exponent ? ldexpl(fraction + (1 << f->mantissa),
                          exponent - f->bias - f->mantissa)
                 : ldexpl(fraction, 1 - f->bias - f->mantissa);
  return bits & sign ? -x : x;
}

/* Magnitudes: the code of the largest number, and one beyond. */
static uint32_t largest(const format *f)
{
  uint32_t code = (1u << (width_of(f) - 1)) - 1;
  while (!isfinite(value_of(f, code)))
    code--;
  return code;
}

/* The largest magnitude that is not above x, by halving. */
static uint32_t code_below(const format *f, long double x)
{
  uint32_t low = 0, high = largest(f);
  while (low < high) {
    const uint32_t middle = low + (high - low + 1) / 2;
    if (value_of(f, middle) <= x)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

static uint32_t narrowed(const format *f, long double x, const uint32_t *random)
{
  const uint32_t sign = signbit(x) ? 1u << (width_of(f) - 1) : 0;
  const uint32_t most = largest(f);
  const long double size = fabsl(x);
  const uint32_t inf = f->specials == 'i' ? most + 1 : most;
  if (isnan(x))
    return f->specials == 'z'   ? 0x80
           : f->specials == 'n' ? sign | 0x7f
           : f->specials == 'i' ? sign | inf | 1u << (f->mantissa - 1)
                                : sign | most;
  uint32_t code = code_below(f, size);
  /* The step above; beyond the largest number as below it. */
  const long double low = value_of(f, code),
                    step = code < most ? value_of(f, code + 1) - low
                                       : low - value_of(f, code - 1);
  const long double part = (size - low) / step;
  const bool up = part >= 1      ? true
                  : random       ? part + ldexpl(*random, -32) >= 1
                  : part == 0.5L ? code & 1
                                 : part > 0.5L;
  code += up;
  if (code > most)
    code = f->specials == 'z' ? 0x80 : f->specials == 'n' ? 0x7f : inf;
  if (f->specials == 'z')
    return code == 0x80 ? 0x80 : code ? sign | code : 0;
  return sign | code;
}

/* ---- cases ---- */

/* Elements of `a` at `begin` and so on give elements of D at `first`. */
typedef struct conversion {
  char name[40];
  const format *from, *to;
  int count;
  bool scaled, stochastic;
  int select; /* byte or half that is read or written */
} conversion;

static conversion cases[300];
static char texts[300][BED_TEXT];
static size_t case_count;

static bool narrows(const conversion *c)
{
  return width_of(c->to) < width_of(c->from);
}

/* pk of f32 has its elements in two operands, 2xpk16 every other one. */
static bool takes_two(const conversion *c)
{
  return c->from == &f32 && c->count > 1 && !c->stochastic;
}

static void registers_put(char *out, int first, int bits)
{
  if (bits <= 32)
    snprintf(out, 16, "v%d", first);
  else
    snprintf(out, 16, "v[%d:%d]", first, first + bits / 32 - 1);
}

/* The selection's bits: of the narrower side. */
static void select_put(const conversion *c, int operands, char out[64])
{
  bool bits[4] = {0};
  const int part = c->count * width_of(narrows(c) ? c->to : c->from);
  const int to = c->count * width_of(c->to);
  *out = 0;
  if (narrows(c) && part == 8)
    bits[2] = c->select & 1, bits[3] = c->select >> 1;
  else if (narrows(c) && part == 16)
    bits[3] = c->select & 1;
  else if (!narrows(c) && part == 8)
    bits[0] = c->select & 1, bits[1] = c->select >> 1;
  else if (!narrows(c) && part == 16)
    bits[0] = c->select & 1;
  if (!narrows(c) && to == 16) /* the upper half of D as well */
    bits[3] = 1;
  if (bits[0] | bits[1] | bits[2] | bits[3]) {
    if (operands == 2 && (!narrows(c) || part == 16)) /* the last: D */
      snprintf(out, 64, " op_sel:[%d,%d,%d]", bits[0], bits[1], bits[3]);
    else
      snprintf(out, 64, " op_sel:[%d,%d,%d,%d]", bits[0], bits[1], bits[2],
               bits[3]);
  }
}

static void case_add(const char *name, const format *from, const format *to,
                     int count, bool scaled, bool stochastic, int select)
{
  conversion *c = &cases[case_count];
  char d[16], a[16], b[16], selection[64];
  *c = (conversion){.from = from,
                    .to = to,
                    .count = count,
                    .scaled = scaled,
                    .stochastic = stochastic,
                    .select = select};
  snprintf(c->name, sizeof c->name, "%s", name);
  const bool two = takes_two(c);
  registers_put(d, D, count * width_of(to));
  registers_put(a, A, count * width_of(from) / (two ? 2 : 1));
  registers_put(b, two ? B : RANDOM, two ? count * width_of(from) / 2 : 32);
  const int operands = 1 + (two || stochastic) + scaled;
  select_put(c, operands, selection);
  snprintf(texts[case_count++], BED_TEXT, "%s %s, %s%s%s%s%s", name, d, a,
           two || stochastic ? ", " : "", two || stochastic ? b : "",
           scaled ? ", v96" : "", selection);
}

/* Every part that can be selected. */
static void parts_add(const char *name, const format *from, const format *to,
                      int count, bool scaled, bool stochastic)
{
  const int bits =
      count * (width_of(to) < width_of(from) ? width_of(to) : width_of(from));
  for (int i = 0; i < (bits < 32 ? 32 / bits : 1); i++)
    case_add(name, from, to, count, scaled, stochastic, i);
}

static void plain_add(const format *fp8, const format *bf8)
{
  for (int i = 0; i < 2; i++) {
    const format *f = i ? fp8 : bf8;
    char name[40];
    snprintf(name, sizeof name, "v_cvt_pk_%s_f32", f->name);
    parts_add(name, &f32, f, 2, false, false);
    snprintf(name, sizeof name, "v_cvt_sr_%s_f32", f->name);
    parts_add(name, &f32, f, 1, false, true);
    snprintf(name, sizeof name, "v_cvt_f32_%s", f->name);
    case_add(name, f, &f32, 1, false, false, 0);
    snprintf(name, sizeof name, "v_cvt_pk_f32_%s", f->name);
    case_add(name, f, &f32, 2, false, false, 0);
  }
}

/* gfx12 has a name for the byte that v_cvt_sr_fp8_f32 writes. */
static void bytes_rename(void)
{
  for (size_t i = 0; i < case_count; i++) {
    char *at = strstr(texts[i], " op_sel:");
    if (at && strstr(texts[i], "_sr_"))
      sprintf(at, " byte_sel:%d", cases[i].select);
  }
}

static void scaled_add(const char *kind, const format *from, const format *to,
                       int count)
{
  char name[40];
  snprintf(name, sizeof name, "v_cvt_scalef32_%s%s_%s", kind, to->name,
           from->name);
  parts_add(name, from, to, count, true, strncmp(kind, "sr", 2) == 0);
}

static void gfx950_add(void)
{
  const format *wide[] = {&f32, &f16, &bf16};
  const format *eight[] = {&ocp8, &ocp_bf8}, *six[] = {&fp6, &bf6};
  parts_add("v_cvt_sr_f16_f32", &f32, &f16, 1, false, true);
  parts_add("v_cvt_sr_bf16_f32", &f32, &bf16, 1, false, true);
  for (int w = 0; w < 3; w++) {
    for (int i = 0; i < 2; i++) {
      scaled_add("pk_", wide[w], eight[i], 2);
      scaled_add("sr_", wide[w], eight[i], 1);
      scaled_add("pk_", eight[i], wide[w], 2);
      if (w < 2)
        scaled_add("", eight[i], wide[w], 1);
      scaled_add(w ? "pk32_" : "2xpk16_", wide[w], six[i], 32);
      scaled_add("sr_pk32_", wide[w], six[i], 32);
      scaled_add("pk32_", six[i], wide[w], 32);
    }
    scaled_add("pk_", wide[w], &fp4, 2);
    scaled_add("sr_pk_", wide[w], &fp4, 2);
    scaled_add("pk_", &fp4, wide[w], 2);
  }
}

/* ---- executing ---- */

static uint32_t bits_at(const aq_wave *w, int row, int lane, int at, int width)
{
  uint64_t x = w->v[row + at / 32][lane];
  if (at % 32 + width > 32)
    x |= (uint64_t)w->v[row + at / 32 + 1][lane] << 32;
  return (uint32_t)(x >> (at % 32) & ((1ull << width) - 1));
}

/* Any bits, or numbers near the range of the narrower format. */
static uint32_t word_make(const conversion *c, aq_rng *rng)
{
  const uint32_t x = (uint32_t)aq_rng_bits(rng);
  if (x % 8 == 0 || !narrows(c))
    return x;
  if (c->from == &f16)
    return x & 0xc7ffc7ff & ~(x & 0x40004000 ? 0x38003800u : 0u);
  const uint32_t exponent = 127 - 12 + (x >> 23) % 24;
  return c->from == &bf16 ? (x & 0x807f807f) | exponent << 7 | exponent << 23
                          : (x & 0x807fffff) | exponent << 23;
}

static uint32_t float_bits(float x)
{
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

static uint32_t expected_of(const conversion *c, long double x, uint32_t random)
{
  if (c->to == &f32)
    return isnan(x) ? 0x7fc00000 : float_bits((float)x);
  return narrowed(c->to, x, c->stochastic ? &random : NULL);
}

static void lane_check(const bed *b, const conversion *c, const char *text,
                       const aq_wave *before, int lane)
{
  const int from = width_of(c->from), to = width_of(c->to);
  const int part = from * c->count;
  const int begin = narrows(c) || part >= 32 ? 0 : part * c->select;
  const int first = to * c->count >= 32 ? 0
                    : narrows(c)        ? to * c->count * c->select
                                        : 16;
  const int exponent = (int)(before->v[SCALE][lane] >> 23 & 0xff) - 127;
  uint32_t random = before->v[RANDOM][lane];
  for (int i = 0; i < c->count; i++) {
    const bool second = takes_two(c) && i & 1;
    const int at = begin + (takes_two(c) ? i / 2 : i) * from;
    long double x =
        value_of(c->from, bits_at(before, second ? B : A, lane, at, from));
    if (c->scaled)
      x = exponent == 128 ? copysignl(NAN, x)
                          : ldexpl(x, narrows(c) ? -exponent : exponent);
    const uint32_t expected = expected_of(c, x, random);
    const uint32_t got = bits_at(b->wave, D, lane, first + i * to, to);
    ck_assert_msg(got == expected,
                  "%s of %s, lane %d, element %d: 0x%x of %Lg, not 0x%x", text,
                  b->gfx, lane, i, got, x, expected);
    random = random << 1 ^ (random >> 31 ? 197 : 0);
  }
  /* Unwritten bits stay. */
  if (to * c->count < 32) {
    const uint32_t mask = ((1u << (to * c->count)) - 1) << first;
    ck_assert_uint_eq(b->wave->v[D][lane] & ~mask, before->v[D][lane] & ~mask);
  }
}

static void cases_check(const char *gfx)
{
  static aq_wave before;
  bed b;
  aq_rng rng;
  aq_rng_init(&rng, 7, 0);
  bed_open(&b, gfx, texts, case_count, 0);
  for (size_t i = 0; i < case_count; i++) {
    const conversion *c = &cases[i];
    ck_assert_msg(!b.refused[i], "llvm refuses %s", texts[i]);
    for (int r = 0; r < 98; r++)
      for (int lane = 0; lane < 64; lane++)
        b.wave->v[r][lane] = word_make(c, &rng);
    for (int lane = 0; lane < 64; lane++) {
      b.wave->v[SCALE][lane] =
          (uint32_t)aq_rng_bits(&rng) % (lane % 8 ? 3 << 23 : 0x80000000) +
          (lane % 8 ? 126u << 23 : 0);
      b.wave->v[RANDOM][lane] = (uint32_t)aq_rng_bits(&rng);
    }
    b.wave->mode = 0xf0;
    b.wave->s64[AQ_ISA_EXEC / 2] = ~0ull;
    memcpy(&before, b.wave, sizeof before);
    ck_assert_msg(bed_run(&b, i), "%s: %s", texts[i], b.grid.fault.text);
    for (int lane = 0; lane < 64; lane++)
      lane_check(&b, c, texts[i], &before, lane);
  }
  bed_close(&b);
}

START_TEST(conversions_give_the_nearest_number)
{
  if (!bed_tools_are_here())
    return;
  case_count = 0;
  plain_add(&fnuz8, &fnuz_bf8);
  cases_check("gfx942");
  case_count = 0;
  plain_add(&ocp8, &ocp_bf8);
  gfx950_add();
  cases_check("gfx950");
  case_count = 0;
  plain_add(&ocp8, &ocp_bf8);
  bytes_rename();
  cases_check("gfx1201");
}
END_TEST

/* Figures of the formats' documents, and what overflows become. */
START_TEST(known_numbers_convert_as_documented)
{
  static const struct {
    const char *gfx, *text;
    uint32_t mode;
    float a, b;
    uint32_t result;
  } known[] = {
      /* 1 and the largest number; twice that overflows. */
      {"gfx942", "v_cvt_pk_fp8_f32 v0, v1, v2", 0, 1, 240, 0x7f40},
      {"gfx950", "v_cvt_pk_fp8_f32 v0, v1, v2", 0, 1, 448, 0x7e38},
      {"gfx942", "v_cvt_pk_bf8_f32 v0, v1, v2", 0, 1, 57344, 0x7f40},
      {"gfx950", "v_cvt_pk_bf8_f32 v0, v1, v2", 0, 1, 57344, 0x7b3c},
      {"gfx942", "v_cvt_pk_fp8_f32 v0, v1, v2", 0, -0.0f, -480, 0x8000},
      {"gfx950", "v_cvt_pk_fp8_f32 v0, v1, v2", 0, -0.0f, -896, 0xff80},
      {"gfx950", "v_cvt_pk_bf8_f32 v0, v1, v2", 0, 0, -114688, 0xfc00},
      {"gfx942", "v_cvt_pk_fp8_f32 v0, v1, v2", 1 << 23, 480, -480, 0xff7f},
      {"gfx950", "v_cvt_pk_fp8_f32 v0, v1, v2", 1 << 23, 896, -896, 0xfe7e},
      {"gfx950", "v_cvt_pk_bf8_f32 v0, v1, v2", 1 << 23, 114688, INFINITY,
       0x7c7b},
      {"gfx950", "v_cvt_pk_fp8_f32 v0, -v1, |v2|", 0, 1, -1, 0x38b8},
      {"gfx950", "v_cvt_pk_bf16_f32 v0, v1, v2", 0, 1, 0x1.01p0f, 0x3f803f80},
      {"gfx950", "v_cvt_pk_bf16_f32 v0, v1, v2", 0, -2, 0x1.03p0f, 0x3f82c000},
      {"gfx950", "v_cvt_scalef32_pk_fp4_f32 v0, v1, v2, 2.0", 0, 12, -100,
       0xf7},
      {"gfx942", "v_cvt_f32_fp8_sdwa v0, v1 src0_sel:BYTE_2", 0, 0x38p-133f, 0,
       0x3f000000},
      {"gfx950", "v_cvt_f32_fp8_sdwa v0, v1 src0_sel:BYTE_2", 0, 0x38p-133f, 0,
       0x3f800000},
      {"gfx1201", "v_cvt_f32_fp8_e64 v0, v1 byte_sel:2", 0, 0x38p-133f, 0,
       0x3f800000},
      {"gfx1201", "v_cvt_f32_fp8_e64 v0, v1 byte_sel:1", 0, 0x38p-141f, 0,
       0x3f800000},
      {"gfx1201", "v_cvt_f32_fp8_e64 v0, v1 byte_sel:3", 0, -0x1p-15f, 0,
       0xbf800000},
      {"gfx1201", "v_cvt_f32_bf8_e32 v0, v1", 0, 0x3cp-149f, 0, 0x3f800000},
      {"gfx1201", "v_cvt_pk_fp8_f32 v0, v1, v2", 0, 1, 448, 0x7e38},
      {"gfx950", "v_prng_b32 v0, v1", 0, -0.0f, 0, 197},
      {"gfx950", "v_cvt_f32_bf16_e64 v0, -v1", 0, 0x38p-133f, 0, 0x80000000},
      {"gfx950", "v_cvt_f32_bf16_e32 v0, v1", 0, 0x7fc1p-149f, 0, 0x7fc10000},
  };
  if (!bed_tools_are_here())
    return;
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    static char text[1][BED_TEXT];
    bed b;
    snprintf(text[0], BED_TEXT, "%s", known[i].text);
    bed_open(&b, known[i].gfx, text, 1, 0);
    b.wave->mode = 0xf0 | known[i].mode;
    b.wave->s64[AQ_ISA_EXEC / 2] = 1;
    b.wave->v[1][0] = float_bits(known[i].a);
    b.wave->v[2][0] = float_bits(known[i].b);
    ck_assert(bed_run(&b, 0));
    ck_assert_msg(b.wave->v[0][0] == known[i].result,
                  "%s of %s: 0x%x, not 0x%x", known[i].text, known[i].gfx,
                  b.wave->v[0][0], known[i].result);
    bed_close(&b);
  }
}
END_TEST

AQ_TEST_MAIN("gpu/wave/convert", conversions_give_the_nearest_number,
             known_numbers_convert_as_documented)
