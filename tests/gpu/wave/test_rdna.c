/* SPDX-License-Identifier: MIT */
/* Instructions of RDNA that test_opcodes.c has no form for, in waves of 32 and
 * 64 lanes: moves between lanes, masks of 32 lanes, sums of products, functions
 * of scalars. Expected results are from AMD's ISA documents of RDNA 2, 3 and 4,
 * chapters on instructions. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bed.h"
#include "common/rng.h"
#include "gpu/wave/core/wave.h"
#include "gpu/wave/grid/gws.h"
#include "support/aqtest.h"

enum { LANES = 64, ROWS = 40, CASES = 64 };

static char texts[CASES][BED_TEXT];
static size_t text_count;

static void text_add(const char *text)
{
  ck_assert_uint_lt(text_count, CASES);
  strcpy(texts[text_count++], text);
}

/* Begins a list of texts; false: the test is skipped. */
static bool texts_begin(void)
{
  text_count = 0;
  return bed_tools_are_here();
}

static void open_all(bed *b, const char *gfx, int lanes)
{
  bed_open_all(b, gfx, lanes, texts, text_count);
  b->wave->mode = 0xf0;
}

static void rows_fill(bed *b, aq_rng *rng)
{
  for (unsigned r = 0; r < ROWS; r++)
    for (int l = 0; l < LANES; l++)
      b->wave->v[r][l] = (uint32_t)aq_rng_bits(rng);
  for (unsigned k = 0; k < 100; k++)
    b->wave->s[k] = (uint32_t)aq_rng_bits(rng);
}

static void run(bed *b, size_t i)
{
  ck_assert_msg(bed_run(b, i), "%s: %s", texts[i], b->grid.fault.text);
}

static const char *const processors[] = {"gfx1010", "gfx1030", "gfx1100",
                                         "gfx1151", "gfx1201"};
enum { PROCESSORS = sizeof processors / sizeof *processors, GFX1100 = 2 };
#define EACH(p) for (size_t p = 0; p < PROCESSORS; p++)

/* ---- masks ---- */

/* EXEC becomes the result, the destination the old EXEC, or of wrexec the
 * result too. */
START_TEST(masks_of_32_lanes_are_saved_and_combined)
{
  static const struct {
    const char *old, *new; /* from gfx11 on */
    char kind;
  } ops[] = {{"s_and_saveexec_b32", NULL, '&'},
             {"s_or_saveexec_b32", NULL, '|'},
             {"s_xor_saveexec_b32", NULL, '^'},
             {"s_nand_saveexec_b32", NULL, 'n'},
             {"s_nor_saveexec_b32", NULL, 'o'},
             {"s_xnor_saveexec_b32", NULL, 'x'},
             {"s_andn2_saveexec_b32", "s_and_not1_saveexec_b32", '2'},
             {"s_orn2_saveexec_b32", "s_or_not1_saveexec_b32", '3'},
             {"s_andn1_saveexec_b32", "s_and_not0_saveexec_b32", '0'},
             {"s_orn1_saveexec_b32", "s_or_not0_saveexec_b32", '1'},
             {"s_andn1_wrexec_b32", "s_and_not0_wrexec_b32", '0'},
             {"s_andn2_wrexec_b32", "s_and_not1_wrexec_b32", '2'}};
  enum { OPS = sizeof ops / sizeof *ops };
  aq_rng rng;
  aq_rng_init(&rng, 9, 0);
  EACH(p)
  {
    bed b;
    if (!texts_begin())
      return;
    for (size_t i = 0; i < OPS; i++) {
      char text[BED_TEXT];
      const bool renamed = p >= GFX1100 && ops[i].new;
      snprintf(text, sizeof text, "%s s6, s4",
               renamed ? ops[i].new : ops[i].old);
      text_add(text);
    }
    open_all(&b, processors[p], 32);
    for (size_t i = 0; i < 4 * OPS; i++) {
      const char kind = ops[i % OPS].kind;
      rows_fill(&b, &rng);
      const uint32_t x = i < OPS ? 0 : (uint32_t)aq_rng_bits(&rng),
                     a = i < OPS && i % 2 ? UINT32_MAX : b.wave->s[4];
      const uint32_t want = kind == '&'   ? a & x
                            : kind == '|' ? a | x
                            : kind == '^' ? a ^ x
                            : kind == 'n' ? ~(a & x)
                            : kind == 'o' ? ~(a | x)
                            : kind == 'x' ? ~(a ^ x)
                            : kind == '2' ? a & ~x
                            : kind == '3' ? a | ~x
                            : kind == '0' ? ~a & x
                                          : ~a | x;
      b.wave->s[4] = a;
      b.wave->s64[AQ_ISA_EXEC / 2] = x;
      const uint32_t s7 = b.wave->s[7];
      run(&b, i % OPS);
      const bool writes = strstr(texts[i % OPS], "wrexec");
      ck_assert_msg(b.wave->s64[AQ_ISA_EXEC / 2] == want, "%s: EXEC 0x%x",
                    texts[i % OPS], b.wave->s[AQ_ISA_EXEC]);
      ck_assert_uint_eq(b.wave->s[6], writes ? want : x);
      ck_assert_uint_eq(b.wave->s[7], s7);
      ck_assert_uint_eq(b.wave->scc, want != 0);
    }
    bed_close(&b);
  }
}
END_TEST

/* ---- lanes ---- */

enum { ZERO = -1, KEEPS = -2 };

/* The lane that `l` reads. */
static int permuted(const char *text, const aq_wave *before, int l, int lanes,
                    bool halves, uint64_t exec)
{
  const bool other = strstr(text, "x16") != NULL, var = strstr(text, "_var");
  if (strncmp(text, "v_permlane64", 12) == 0)
    return lanes == 64 ? l ^ 32 : KEEPS;
  if (strncmp(text, "v_permlane", 10) == 0) {
    const uint64_t select = before->s[4] | (uint64_t)before->s[5] << 32;
    const int in = var ? (int)(before->v[4][l] & 15)
                       : (int)(select >> (4 * (l % 16)) & 15);
    return (l / 16 * 16 ^ (other ? 16 : 0)) + in;
  }
  const int address = (int)((before->v[4][l] + 12) / 4 & 63);
  const int from =
      halves || lanes == 32 ? (l & 32) | (address & 31) : address & 63;
  return strstr(text, "_fi_") || exec >> from & 1 ? from : ZERO;
}

static bool lanes_have(const char *gfx, const char *text)
{
  const bool is_12 = strcmp(gfx, "gfx1201") == 0;
  const bool from_11 = is_12 || strncmp(gfx, "gfx11", 5) == 0;
  return (is_12 || (!strstr(text, "_var") && !strstr(text, "_fi_"))) &&
         (from_11 || strncmp(text, "v_permlane64", 12) != 0);
}

START_TEST(lanes_read_the_lanes_that_the_instruction_names)
{
  static const char *const all[] = {
      "v_permlane16_b32 v6, v2, s4, s5 op_sel:[1,0]",
      "v_permlanex16_b32 v6, v2, s4, s5 op_sel:[1,0]",
      "v_permlane64_b32 v6, v2",
      "v_permlane16_var_b32 v6, v2, v4 op_sel:[1,0]",
      "v_permlanex16_var_b32 v6, v2, v4 op_sel:[1,0]",
      "ds_bpermute_b32 v6, v4, v2 offset:12",
      "ds_bpermute_fi_b32 v6, v4, v2 offset:12"};
  static aq_wave before;
  aq_rng rng;
  aq_rng_init(&rng, 11, 0);
  EACH(p) for (int lanes = 32; lanes <= 64; lanes += 32)
  {
    bed b;
    if (!texts_begin())
      return;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
      if (lanes_have(processors[p], all[i]))
        text_add(all[i]);
    open_all(&b, processors[p], lanes);
    for (size_t i = 0; i < text_count; i++) {
      const uint64_t all_lanes = lanes == 64 ? UINT64_MAX : UINT32_MAX;
      const uint64_t exec = aq_rng_bits(&rng) & all_lanes;
      rows_fill(&b, &rng);
      b.wave->s64[AQ_ISA_EXEC / 2] = exec;
      memcpy(&before, b.wave, sizeof before);
      run(&b, i);
      for (int l = 0; l < lanes; l++) {
        const int from = permuted(texts[i], &before, l, lanes,
                                  strcmp(processors[p], "gfx1201") != 0, exec);
        const bool keeps = !(exec >> l & 1) || from == KEEPS;
        const uint32_t want = keeps          ? before.v[6][l]
                              : from == ZERO ? 0
                                             : before.v[2][from];
        ck_assert_msg(b.wave->v[6][l] == want,
                      "%s of %s, %d lanes, lane %d: 0x%x, not 0x%x", texts[i],
                      processors[p], lanes, l, b.wave->v[6][l], want);
      }
    }
    bed_close(&b);
  }
}
END_TEST

/* op_sel 0,1: an inactive lane reads as 0; without, its reader keeps its old
 * value. */
START_TEST(permutations_of_rows_heed_inactive_lanes)
{
  EACH(p)
  {
    bed b;
    if (!texts_begin())
      return;
    text_add("v_permlane16_b32 v6, v2, s4, s5");
    text_add("v_permlane16_b32 v6, v2, s4, s5 op_sel:[0,1]");
    open_all(&b, processors[p], 32);
    for (size_t i = 0; i < 2; i++) {
      b.wave->s[4] = b.wave->s[5] = 0; /* all read lane 0 of their row */
      for (uint32_t l = 0; l < LANES; l++)
        b.wave->v[2][l] = 100 + l, b.wave->v[6][l] = 7;
      b.wave->s64[AQ_ISA_EXEC / 2] = 0xfffffffe;
      run(&b, i);
      for (uint32_t l = 0; l < 32; l++)
        ck_assert_uint_eq(b.wave->v[6][l], l >= 16  ? 116
                                           : l == 0 ? 7
                                                    : (i ? 0 : 7));
    }
    bed_close(&b);
  }
}
END_TEST

START_TEST(scalars_are_read_from_lanes_and_written_to_them)
{
  aq_rng rng;
  aq_rng_init(&rng, 12, 0);
  EACH(p) for (int lanes = 32; lanes <= 64; lanes += 32)
  {
    bed b;
    if (!texts_begin())
      return;
    text_add("v_readfirstlane_b32 s6, v2");
    text_add("v_readlane_b32 s6, v2, s4");
    text_add("v_writelane_b32 v6, s5, s4");
    text_add("v_swap_b32 v2, v3");
    open_all(&b, processors[p], lanes);
    for (int turn = 0; turn < 8; turn++) {
      static aq_wave before;
      const uint64_t all = lanes == 64 ? UINT64_MAX : UINT32_MAX;
      const uint64_t exec = aq_rng_bits(&rng) & all & (UINT64_MAX << turn);
      rows_fill(&b, &rng);
      b.wave->s64[AQ_ISA_EXEC / 2] = exec;
      memcpy(&before, b.wave, sizeof before);
      const unsigned lane = before.s[4] % (unsigned)lanes;
      run(&b, 0);
      ck_assert_uint_eq(b.wave->s[6], before.v[2][__builtin_ctzll(exec)]);
      run(&b, 1);
      ck_assert_uint_eq(b.wave->s[6], before.v[2][lane]);
      run(&b, 2);
      for (unsigned l = 0; l < (unsigned)lanes; l++)
        ck_assert_uint_eq(b.wave->v[6][l],
                          l == lane ? before.s[5] : before.v[6][l]);
      run(&b, 3);
      for (int l = 0; l < lanes; l++) {
        const bool on = exec >> l & 1;
        ck_assert_uint_eq(b.wave->v[2][l], before.v[on ? 3 : 2][l]);
        ck_assert_uint_eq(b.wave->v[3][l], before.v[on ? 2 : 3][l]);
      }
    }
    bed_close(&b);
  }
}
END_TEST

START_TEST(halves_of_registers_change_places)
{
  aq_rng rng;
  bed b;
  aq_rng_init(&rng, 13, 0);
  if (!texts_begin())
    return;
  text_add("v_swap_b16 v2.l, v3.l");
  text_add("v_swap_b16 v2.h, v3.l");
  text_add("v_swap_b16 v2.l, v3.h");
  text_add("v_swap_b16 v2.l, v2.h");
  open_all(&b, "gfx1100", 64);
  for (size_t i = 0; i < text_count; i++) {
    const uint64_t exec = aq_rng_bits(&rng);
    uint16_t x[LANES][4], y[LANES][4]; /* the halves of v2 and v3 */
    const int d = i == 1 ? 1 : 0, s = i == 3 ? 1 : i == 2 ? 3 : 2;
    rows_fill(&b, &rng);
    b.wave->s64[AQ_ISA_EXEC / 2] = exec;
    for (int l = 0; l < LANES; l++)
      for (int h = 0; h < 4; h++)
        x[l][h] = y[l][h] = (uint16_t)(b.wave->v[2 + h / 2][l] >> (h % 2 * 16));
    run(&b, i);
    for (int l = 0; l < LANES; l++) {
      if (exec >> l & 1)
        y[l][d] = x[l][s], y[l][s] = x[l][d];
      for (int h = 0; h < 4; h++)
        ck_assert_uint_eq((uint16_t)(b.wave->v[2 + h / 2][l] >> (h % 2 * 16)),
                          y[l][h]);
    }
  }
  bed_close(&b);
}
END_TEST

/* M0 is added to the source's register, the destination's or both; the last
 * one has ten bits for each. */
START_TEST(registers_are_found_by_m0)
{
  EACH(p)
  {
    static const struct {
      const char *text;
      unsigned m0, from, to;
    } cases[] = {{"v_movrels_b32 v2, v3", 5, 8, 2},
                 {"v_movreld_b32 v2, v3", 5, 3, 7},
                 {"v_movrelsd_b32 v2, v3", 5, 8, 7},
                 {"v_movrelsd_2_b32 v2, v3", 4 | 9 << 16, 7, 11},
                 {"s_movrels_b32 s2, s3", 5, 8, 2},
                 {"s_movreld_b32 s2, s3", 5, 3, 7},
                 {"s_movrels_b64 s[2:3], s[4:5]", 4, 8, 2},
                 {"s_movreld_b64 s[2:3], s[4:5]", 4, 4, 6},
                 {"s_movrelsd_2_b32 s2, s3", 4 | 9 << 16, 7, 11},
                 {"v_swaprel_b32 v2, v3", 4 | 9 << 16, 7, 11}};
    bed b;
    if (!texts_begin())
      return;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
      text_add(cases[i].text);
    open_all(&b, processors[p], 64);
    for (size_t i = 0; i < text_count; i++) {
      for (uint32_t r = 0; r < ROWS; r++) {
        b.wave->s[r] = 1000 + r;
        for (uint32_t l = 0; l < LANES; l++)
          b.wave->v[r][l] = 100 * r + l;
      }
      b.wave->s[AQ_ISA_M0] = cases[i].m0;
      b.wave->s64[AQ_ISA_EXEC / 2] = 0xf0f0f0f0f0f0f0f0;
      run(&b, i);
      const bool wide = strstr(cases[i].text, "_b64"),
                 swaps = strstr(cases[i].text, "swap");
      for (uint32_t r = 0; r < ROWS; r++) {
        const bool moved = *cases[i].text == 's' &&
                           (r == cases[i].to || (wide && r == cases[i].to + 1));
        const bool row = *cases[i].text == 'v' && r == cases[i].to,
                   other = swaps && r == cases[i].from;
        ck_assert_uint_eq(b.wave->s[r],
                          1000 + (moved ? r - cases[i].to + cases[i].from : r));
        for (uint32_t l = 0; l < LANES; l++)
          ck_assert_uint_eq(b.wave->v[r][l], 100 * (!(l & 4) ? r
                                                    : row    ? cases[i].from
                                                    : other  ? cases[i].to
                                                             : r) +
                                                 l);
      }
    }
    bed_close(&b);
  }
}
END_TEST

/* ---- sums of products ---- */

static int64_t field(uint32_t x, int at, int width, bool is_signed)
{
  const int64_t v = x >> at & ((1u << width) - 1);
  return is_signed && v >> (width - 1) ? v - (1 << width) : v;
}

START_TEST(small_integers_have_the_signs_that_neg_says)
{
  aq_rng rng;
  aq_rng_init(&rng, 14, 0);
  for (size_t p = GFX1100; p < PROCESSORS; p++) {
    bed b;
    if (!texts_begin())
      return;
    for (unsigned i = 0; i < 16; i++) {
      char text[BED_TEXT];
      snprintf(text, sizeof text, "%s v6, v2, v3, v4 neg_lo:[%u,%u,0]%s",
               i & 8 ? "v_dot8_i32_iu4" : "v_dot4_i32_iu8", i & 1, i >> 1 & 1,
               i & 4 ? " clamp" : "");
      text_add(text);
    }
    open_all(&b, processors[p], 64);
    b.wave->s64[AQ_ISA_EXEC / 2] = UINT64_MAX;
    for (size_t i = 0; i < 16; i++) {
      const int width = i & 8 ? 4 : 8;
      rows_fill(&b, &rng);
      for (int l = 0; l < LANES; l += 2) /* near the ends */
        b.wave->v[4][l] = (b.wave->v[4][l] & 0x80000fff) ^ 0x7ffff000;
      run(&b, i);
      for (int l = 0; l < LANES; l++) {
        int64_t sum = (int32_t)b.wave->v[4][l];
        for (int at = 0; at < 32; at += width)
          sum += field(b.wave->v[2][l], at, width, i & 1) *
                 field(b.wave->v[3][l], at, width, i & 2);
        if (i & 4)
          sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
        ck_assert_msg(b.wave->v[6][l] == (uint32_t)sum, "%s", texts[i]);
      }
    }
    bed_close(&b);
  }
}
END_TEST

static float float_from(uint32_t bits)
{
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

static uint32_t bits_of(float x)
{
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

/* OCP's fp8 (4 bits of exponent) and bf8 (5). */
static float small_float(uint32_t x, bool brain)
{
  const int m = brain ? 2 : 3, bias = brain ? 15 : 7;
  const int e = (int)(x & 127) >> m, f = (int)x & ((1 << m) - 1);
  const float sign = x & 128 ? -1 : 1;
  if (brain ? e == 31 : (x & 127) == 127)
    return brain && !f ? sign * INFINITY : NAN;
  return sign * ldexpf((float)(e ? f | 1 << m : f), (e ? e : 1) - bias - m);
}

START_TEST(small_floats_are_multiplied_and_added)
{
  static const char *const names[] = {"fp8_fp8", "bf8_fp8", "fp8_bf8",
                                      "bf8_bf8"};
  aq_rng rng;
  bed b;
  aq_rng_init(&rng, 15, 0);
  if (!texts_begin())
    return;
  for (unsigned i = 0; i < 16; i++) {
    char text[BED_TEXT];
    snprintf(text, sizeof text,
             "v_dot4_f32_%s v6, v2, v3, v4 neg_lo:[0,0,%u] neg_hi:[0,0,%u]",
             names[i & 3], i >> 2 & 1, i >> 3);
    text_add(text);
  }
  open_all(&b, "gfx1201", 64);
  b.wave->s64[AQ_ISA_EXEC / 2] = UINT64_MAX;
  for (size_t i = 0; i < 16; i++) {
    rows_fill(&b, &rng);
    for (int l = 0; l < LANES; l++)
      b.wave->v[4][l] =
          bits_of((float)((int)(b.wave->v[4][l] & 255) - 128) / 8);
    run(&b, i);
    for (int l = 0; l < LANES; l++) {
      float sum = float_from(b.wave->v[4][l]);
      sum = i & 8 ? fabsf(sum) : sum;
      sum = i & 4 ? -sum : sum;
      for (int at = 0; at < 32; at += 8)
        sum = fmaf(small_float(b.wave->v[2][l] >> at & 255, i & 1),
                   small_float(b.wave->v[3][l] >> at & 255, i & 2), sum);
      ck_assert_msg(b.wave->v[6][l] == (sum == sum ? bits_of(sum) : 0x7fc00000),
                    "%s, lane %d", texts[i], l);
    }
  }
  bed_close(&b);
}
END_TEST

/* Small whole numbers: sums are exact, whatever rounds them. */
static uint32_t whole(bool brain, int x)
{
  const _Float16 h = (_Float16)x;
  uint16_t bits;
  memcpy(&bits, &h, sizeof bits);
  return brain ? bits_of((float)x) >> 16 : bits;
}

START_TEST(pairs_of_halves_give_a_half)
{
  static const char *const sets[][2] = {
      {"v_dot2_f16_f16 v6.h, v2, v3, v4.l",
       "v_dot2_bf16_bf16 v6.h, v2, v3, v4.l"},
      {"v_dot2_f16_f16 v6, v2, v3, v4 op_sel:[0,0,0,1]",
       "v_dot2_bf16_bf16 v6, v2, v3, v4 op_sel:[0,0,0,1]"}};
  aq_rng rng;
  aq_rng_init(&rng, 16, 0);
  for (size_t p = GFX1100; p < PROCESSORS; p++) {
    bed b;
    if (!texts_begin())
      return;
    for (int k = 0; k < 2; k++)
      text_add(sets[p == PROCESSORS - 1][k]);
    open_all(&b, processors[p], 32);
    b.wave->s64[AQ_ISA_EXEC / 2] = UINT32_MAX;
    for (size_t i = 0; i < 2; i++) {
      uint32_t want[32];
      for (int l = 0; l < 32; l++) {
        int x[5];
        for (int k = 0; k < 5; k++)
          x[k] = (int)(aq_rng_bits(&rng) % 11) - 5;
        b.wave->v[2][l] = whole(i, x[0]) | whole(i, x[1]) << 16;
        b.wave->v[3][l] = whole(i, x[2]) | whole(i, x[3]) << 16;
        b.wave->v[4][l] = whole(i, x[4]) | 0xabcd0000;
        b.wave->v[6][l] = 0x12345678;
        want[l] = whole(i, x[0] * x[2] + x[1] * x[3] + x[4]) << 16 | 0x5678;
      }
      run(&b, i);
      for (int l = 0; l < 32; l++)
        ck_assert_msg(b.wave->v[6][l] == want[l], "%s of %s: 0x%x, not 0x%x",
                      texts[i], processors[p], b.wave->v[6][l], want[l]);
    }
    bed_close(&b);
  }
}
END_TEST

/* The third source and the result are f32, or halves of a register; source 0
 * comes from the next lane. */
START_TEST(packed_instructions_take_a_source_from_another_lane)
{
  static const char *const forms[] = {
      "v_fma_mix_f32_e64_dpp v6, -v2, v3, v4 op_sel:[1,0,0] "
      "op_sel_hi:[1,1,0] row_shl:1 row_mask:0xf bank_mask:0xf",
      "v_fma_mixlo_f16_e64_dpp v6, -v2, v3, v4 op_sel:[1,0,0] "
      "op_sel_hi:[1,1,0] row_shl:1 row_mask:0xf bank_mask:0xf",
      "v_fma_mixhi_f16_e64_dpp v6, -v2, v3, v4 op_sel:[1,0,0] "
      "op_sel_hi:[1,1,0] row_shl:1 row_mask:0xf bank_mask:0xf",
      "v_dot2_f32_f16_e64_dpp v6, v2, v3, v4 neg_lo:[1,0,0] neg_hi:[1,0,0] "
      "row_shl:1 row_mask:0xf bank_mask:0xf"};
  aq_rng rng;
  aq_rng_init(&rng, 17, 0);
  for (size_t p = GFX1100; p < PROCESSORS; p++) {
    bed b;
    if (!texts_begin())
      return;
    for (size_t i = 0; i < 4; i++)
      text_add(forms[i]);
    open_all(&b, processors[p], 32);
    for (size_t i = 0; i < text_count; i++) {
      int x[LANES][5];
      const uint32_t exec = (uint32_t)aq_rng_bits(&rng) | 3;
      for (int l = 0; l < LANES; l++) {
        for (int k = 0; k < 5; k++)
          x[l][k] = (int)(aq_rng_bits(&rng) % 11) - 5;
        b.wave->v[2][l] = whole(false, x[l][0]) | whole(false, x[l][1]) << 16;
        b.wave->v[3][l] = whole(false, x[l][2]) | whole(false, x[l][3]) << 16;
        b.wave->v[4][l] = bits_of((float)x[l][4]);
        b.wave->v[6][l] = 0x12345678;
      }
      b.wave->s64[AQ_ISA_EXEC / 2] = exec;
      run(&b, i);
      for (int l = 0; l < 32; l++) {
        const bool writes = exec >> l & 1 && l % 16 < 15 && exec >> (l + 1) & 1;
        const int *n = x[l + 1];
        const int sum = i < 3 ? -n[1] * x[l][2] + x[l][4]
                              : -n[0] * x[l][2] - n[1] * x[l][3] + x[l][4];
        const uint32_t half = whole(false, sum);
        const uint32_t want = !writes  ? 0x12345678
                              : i == 1 ? 0x12340000 | half
                              : i == 2 ? half << 16 | 0x5678
                                       : bits_of((float)sum);
        ck_assert_msg(b.wave->v[6][l] == want,
                      "%s of %s, lane %d: 0x%x, not 0x%x", texts[i],
                      processors[p], l, b.wave->v[6][l], want);
      }
    }
    bed_close(&b);
  }
}
END_TEST

/* With all lanes on, and 0 from beyond the row; ends in the lower half of VCC,
 * in s6, in EXEC. */
START_TEST(comparisons_take_a_source_from_another_lane)
{
  static const struct {
    const char *text;
    uint16_t to; /* scalar code */
    int lane;    /* exclusive or; -1: the one below, or 0 */
  } cases[] = {
      {"v_cmp_lt_u32_dpp vcc_lo, v2, v3 row_shr:1 row_mask:0xf bank_mask:0xf "
       "bound_ctrl:1",
       AQ_ISA_VCC, -1},
      {"v_cmp_lt_u32_dpp vcc_lo, v2, v3 dpp8:[7,6,5,4,3,2,1,0]", AQ_ISA_VCC, 7},
      {"v_cmp_lt_u32_e64_dpp s6, v2, v3 row_shr:1 row_mask:0xf bank_mask:0xf "
       "bound_ctrl:1",
       6, -1},
      {"v_cmp_lt_u32_e64_dpp s6, v2, v3 quad_perm:[1,0,3,2] row_mask:0xf "
       "bank_mask:0xf",
       6, 1},
      {"v_cmp_lt_u32_e64_dpp s6, v2, v3 dpp8:[2,3,0,1,6,7,4,5]", 6, 2},
      {"v_cmpx_lt_u32_e64_dpp v2, v3 row_xmask:9 row_mask:0xf bank_mask:0xf",
       AQ_ISA_EXEC, 9}};
  enum { COUNT = sizeof cases / sizeof *cases };
  aq_rng rng;
  aq_rng_init(&rng, 18, 0);
  for (size_t p = GFX1100; p < PROCESSORS; p++) {
    bed b;
    if (!texts_begin())
      return;
    for (size_t i = 0; i < COUNT; i++)
      text_add(cases[i].text);
    open_all(&b, processors[p], 32);
    for (size_t i = 0; i < COUNT; i++) {
      uint32_t want = 0;
      rows_fill(&b, &rng);
      b.wave->s64[AQ_ISA_EXEC / 2] = UINT32_MAX;
      for (int l = 0; l < 32; l++) {
        const int from = cases[i].lane < 0 ? l - 1 : l ^ cases[i].lane;
        const bool beyond = cases[i].lane < 0 && l % 16 == 0;
        want |= (uint32_t)((beyond ? 0 : b.wave->v[2][from]) < b.wave->v[3][l])
                << l;
      }
      run(&b, i);
      ck_assert_msg(b.wave->s[cases[i].to] == want, "%s of %s: 0x%x, not 0x%x",
                    texts[i], processors[p], b.wave->s[cases[i].to], want);
    }
    bed_close(&b);
  }
}
END_TEST

START_TEST(products_for_lighting_are_least_without_light)
{
  static const float rows[][4] = {/* a, b, c, the result */
                                  {2, 3, 1, 6},
                                  {2, 3, 0, -FLT_MAX},
                                  {2, 3, -1, -FLT_MAX},
                                  {2, 3, NAN, -FLT_MAX},
                                  {2, -FLT_MAX, 1, -FLT_MAX},
                                  {2, -INFINITY, 1, -FLT_MAX},
                                  {2, NAN, 1, -FLT_MAX},
                                  {-2.5f, 0.5f, INFINITY, -1.25f},
                                  {INFINITY, 2, 1, INFINITY}};
  enum { COUNT = sizeof rows / sizeof *rows };
  EACH(p)
  {
    bed b;
    if (!texts_begin())
      return;
    text_add("v_mullit_f32 v6, v2, v3, v4");
    open_all(&b, processors[p], 32);
    for (size_t l = 0; l < COUNT; l++)
      for (int k = 0; k < 3; k++)
        b.wave->v[2 + k][l] = bits_of(rows[l][k]);
    b.wave->s64[AQ_ISA_EXEC / 2] = (1u << COUNT) - 1;
    run(&b, 0);
    for (size_t l = 0; l < COUNT; l++)
      ck_assert_msg(b.wave->v[6][l] == bits_of(rows[l][3]),
                    "row %zu of %s: 0x%x", l, processors[p], b.wave->v[6][l]);
    b.wave->v[2][0] = 0;
    b.wave->v[3][0] = bits_of(INFINITY);
    ck_assert(!bed_run(&b, 0));
    bed_close(&b);
  }
}
END_TEST

/* Two instructions in one: v6 from v2 and v3, v7 from v4 and v5. */
START_TEST(pairs_of_instructions_compute_both_results)
{
  static const char *const least[] = {"min", "min", "min_num"};
  aq_rng rng;
  aq_rng_init(&rng, 19, 0);
  for (size_t p = GFX1100; p < PROCESSORS; p++) {
    bed b;
    char text[BED_TEXT];
    if (!texts_begin())
      return;
    text_add("v_dual_sub_f32 v6, v2, v3 :: v_dual_subrev_f32 v7, v4, v5");
    snprintf(text, sizeof text,
             "v_dual_mul_dx9_zero_f32 v6, v2, v3 :: v_dual_%s_f32 v7, v4, v5",
             least[p - GFX1100]);
    text_add(text);
    text_add("v_dual_dot2acc_f32_f16 v6, v2, v3 :: v_dual_mov_b32 v7, v4");
    text_add("v_dual_dot2acc_f32_bf16 v6, v2, v3 :: v_dual_mov_b32 v7, v4");
    /* The number is 3.0, and both have it. */
    text_add("v_dual_fmaak_f32 v6, v2, v3, 0x40400000 :: "
             "v_dual_fmamk_f32 v7, v4, 0x40400000, v5");
    open_all(&b, processors[p], 32);
    b.wave->s64[AQ_ISA_EXEC / 2] = UINT32_MAX;
    for (size_t i = 0; i < text_count; i++) {
      int x[32][6];
      for (int l = 0; l < 32; l++) {
        for (int k = 0; k < 6; k++)
          x[l][k] = (int)(aq_rng_bits(&rng) % 11) - 5;
        for (int r = 2; r < 6; r++)
          b.wave->v[r][l] = bits_of((float)x[l][r]);
        b.wave->v[6][l] = bits_of((float)x[l][0]);
        if (i < 2 || i == 4)
          continue;
        b.wave->v[2][l] = whole(i == 3, x[l][2]) | whole(i == 3, x[l][4]) << 16;
        b.wave->v[3][l] = whole(i == 3, x[l][3]) | whole(i == 3, x[l][5]) << 16;
      }
      run(&b, i);
      for (int l = 0; l < 32; l++) {
        const int *n = x[l];
        const int first = i == 0   ? n[2] - n[3]
                          : i == 1 ? n[2] * n[3]
                          : i == 4 ? n[2] * n[3] + 3
                                   : n[0] + n[2] * n[3] + n[4] * n[5];
        const int second = i == 0   ? n[5] - n[4]
                           : i == 1 ? (n[4] < n[5] ? n[4] : n[5])
                           : i == 4 ? n[4] * 3 + n[5]
                                    : n[4];
        ck_assert_msg(float_from(b.wave->v[6][l]) == (float)first &&
                          float_from(b.wave->v[7][l]) == (float)second,
                      "%s of %s, lane %d", texts[i], processors[p], l);
      }
    }
    bed_close(&b);
  }
}
END_TEST

/* ---- scalars ---- */

START_TEST(functions_of_scalars_are_those_of_vectors)
{
  static const struct {
    const char *name;
    double (*of)(double);
  } functions[] = {{"exp", exp2},
                   {"log", log2},
                   {"sqrt", sqrt},
                   {"rcp", NULL},
                   {"rsq", NULL}};
  bed b;
  if (!texts_begin())
    return;
  for (size_t i = 0; i < 10; i++) {
    char text[BED_TEXT];
    snprintf(text, sizeof text, "v_s_%s_f%s s6, %s", functions[i / 2].name,
             i % 2 ? "16" : "32", i / 2 == 0 ? "-|s4|" : "s4");
    text_add(text);
  }
  open_all(&b, "gfx1201", 32);
  for (size_t i = 0; i < 10; i++)
    for (int k = 1; k < 60; k++) {
      const double x = k / 8.0, a = i / 2 == 0 ? -x : x;
      const _Float16 h = (_Float16)x;
      uint16_t half;
      memcpy(&half, &h, sizeof half);
      b.wave->s[4] = i % 2 ? half : bits_of((float)x);
      b.wave->s64[AQ_ISA_EXEC / 2] = 0; /* does not matter */
      run(&b, i);
      const double want = i / 2 == 3   ? 1 / a
                          : i / 2 == 4 ? 1 / sqrt(a)
                                       : functions[i / 2].of(a);
      const _Float16 near = (_Float16)want;
      memcpy(&half, &near, sizeof half);
      const uint32_t bits = i % 2 ? half : bits_of((float)want);
      const int64_t apart = (int64_t)b.wave->s[6] - bits;
      ck_assert_msg(apart >= -1 && apart <= 1, "%s of %g: 0x%x, not 0x%x",
                    texts[i], x, b.wave->s[6], bits);
      ck_assert_uint_eq(b.wave->s64[AQ_ISA_EXEC / 2], 0);
    }
  bed_close(&b);
}
END_TEST

START_TEST(scalars_are_multiplied_by_constants)
{
  static const char *const targets[] = {"gfx1151", "gfx1201"};
  for (size_t p = 0; p < 2; p++) {
    bed b;
    if (!texts_begin())
      return;
    text_add("s_fmaak_f32 s6, s4, s5, 0x40490fdb");
    text_add("s_fmamk_f32 s6, s4, 0x40490fdb, s5");
    open_all(&b, targets[p], 32);
    const float x = 1.7f, y = -0.3f, k = float_from(0x40490fdb);
    b.wave->s[4] = bits_of(x);
    b.wave->s[5] = bits_of(y);
    run(&b, 0);
    ck_assert_uint_eq(b.wave->s[6], bits_of(fmaf(x, y, k)));
    run(&b, 1);
    ck_assert_uint_eq(b.wave->s[6], bits_of(fmaf(x, k, y)));
    bed_close(&b);
  }
}
END_TEST

/* ---- waits, hints, control ---- */

/* Texts that a target does not have are left out: check-vectors counts. */
static void open_known(bed *b, const char *gfx, const char *const *list,
                       size_t count)
{
  for (size_t i = 0; i < count; i++)
    text_add(list[i]);
  bed_open(b, gfx, texts, text_count, 0);
  b->wave->mode = 0xf0;
}

START_TEST(waits_and_hints_change_nothing)
{
  static const char *const list[] = {
      "s_nop 1",
      "s_waitcnt 0x0",
      "s_waitcnt_vscnt null, 0x0",
      "s_waitcnt_vmcnt null, 0x0",
      "s_waitcnt_expcnt null, 0x0",
      "s_waitcnt_lgkmcnt null, 0x0",
      "s_waitcnt_depctr 0xfffe",
      "s_wait_idle",
      "s_wait_event 0x1",
      "s_wait_loadcnt 0x0",
      "s_wait_storecnt 0x0",
      "s_wait_samplecnt 0x0",
      "s_wait_bvhcnt 0x0",
      "s_wait_expcnt 0x0",
      "s_wait_dscnt 0x0",
      "s_wait_kmcnt 0x0",
      "s_wait_loadcnt_dscnt 0x0",
      "s_wait_storecnt_dscnt 0x0",
      "s_wait_alu 0xfffe",
      "s_clause 0x1",
      "s_delay_alu instid0(VALU_DEP_1)",
      "s_version 0x1",
      "s_wakeup",
      "s_setprio 2",
      "s_sethalt 0",
      "s_trap 3",
      "s_sendmsg sendmsg(MSG_INTERRUPT)",
      "s_incperflevel 1",
      "s_decperflevel 1",
      "s_ttracedata",
      "s_ttracedata_imm 0x5",
      "s_icache_inv",
      "s_inst_prefetch 0x3",
      "s_set_inst_prefetch_distance 0x3",
      "s_cbranch_cdbgsys 7",
      "s_cbranch_cdbguser 7",
      "s_cbranch_cdbgsys_or_user 7",
      "s_cbranch_cdbgsys_and_user 7",
      "s_gl1_inv",
      "s_dcache_inv",
      "s_dcache_wb",
      "s_atc_probe 7, s[4:5], 0x0",
      "s_atc_probe_buffer 7, s[4:7], 0x0",
      "s_dcache_discard s[4:5], 0x0",
      "s_dcache_discard_x2 s[4:5], 0x0",
      "s_prefetch_inst s[4:5], 0x0, s6, 1",
      "s_prefetch_inst_pc_rel 0x0, s6, 1",
      "s_prefetch_data s[4:5], 0x0, s6, 1",
      "s_prefetch_data_pc_rel 0x0, s6, 1",
      "s_buffer_prefetch_data s[4:7], 0x0, s8, 1",
      "s_barrier_signal -1",
      "v_nop",
      "v_pipeflush",
      "v_clrexcp",
      "ds_nop",
      "buffer_gl0_inv",
      "buffer_gl1_inv",
      "global_inv scope:SCOPE_DEV",
      "global_wb scope:SCOPE_DEV",
      "global_wbinv scope:SCOPE_DEV"};
  static aq_wave before;
  aq_rng rng;
  aq_rng_init(&rng, 18, 0);
  EACH(p)
  {
    bed b;
    size_t known = 0;
    if (!texts_begin())
      return;
    open_known(&b, processors[p], list, sizeof list / sizeof *list);
    for (size_t i = 0; i < text_count; i++) {
      if (b.refused[i])
        continue;
      known++;
      rows_fill(&b, &rng);
      b.wave->scc = 1;
      b.wave->s64[AQ_ISA_EXEC / 2] = aq_rng_bits(&rng);
      memcpy(&before, b.wave, sizeof before);
      run(&b, i);
      ck_assert_msg(memcmp(before.v, b.wave->v, sizeof before.v) == 0, "%s",
                    texts[i]);
      ck_assert_msg(memcmp(before.s, b.wave->s, sizeof before.s) == 0, "%s",
                    texts[i]);
      ck_assert(b.wave->scc == 1 && b.wave->mode == before.mode);
      const uint64_t pc = (uint64_t)(uintptr_t)b.bytes + BED_STRIDE * i;
      ck_assert_uint_gt(b.next, pc); /* waits behind it are skipped */
    }
    ck_assert_uint_gt(known, 20);
    bed_close(&b);
  }
}
END_TEST

START_TEST(waves_stop_where_they_are_told_to)
{
  static const char *const list[] = {"s_sleep 1", "s_sleep_var s4",
                                     "s_barrier", "s_barrier_wait -1",
                                     "s_endpgm",  "s_endpgm_saved"};
  static const aq_wave_state states[] = {AQ_WAVE_SLEEPS,  AQ_WAVE_SLEEPS,
                                         AQ_WAVE_BARRIER, AQ_WAVE_BARRIER,
                                         AQ_WAVE_ENDED,   AQ_WAVE_ENDED};
  EACH(p)
  {
    bed b;
    if (!texts_begin())
      return;
    open_known(&b, processors[p], list, sizeof list / sizeof *list);
    for (size_t i = 0; i < text_count; i++) {
      if (b.refused[i])
        continue;
      ck_assert(!bed_run(&b, i));
      ck_assert_int_eq(b.wave->state, states[i]);
    }
    bed_close(&b);
  }
}
END_TEST

START_TEST(branches_go_where_their_condition_says)
{
  static const struct {
    const char *text;
    uint64_t vcc, exec;
    uint32_t scc;
    bool taken;
  } cases[] = {{"s_branch 7", 0, 0, 0, true},
               {"s_cbranch_scc0 7", 0, 0, 0, true},
               {"s_cbranch_scc0 7", 0, 0, 1, false},
               {"s_cbranch_scc1 7", 0, 0, 1, true},
               {"s_cbranch_scc1 7", 0, 0, 0, false},
               {"s_cbranch_vccz 7", 0, 0, 0, true},
               {"s_cbranch_vccz 7", 1, 0, 0, false},
               {"s_cbranch_vccnz 7", 0, 0, 0, false},
               {"s_cbranch_vccnz 7", UINT64_C(1) << 63, 0, 0, true},
               {"s_cbranch_execz 7", 0, 0, 0, true},
               {"s_cbranch_execz 7", 0, 2, 0, false},
               {"s_cbranch_execnz 7", 0, 0, 0, false},
               {"s_cbranch_execnz 7", 0, UINT64_C(1) << 40, 0, true},
               {"s_call_b64 s[16:17], 7", 0, 0, 0, true},
               {"s_setpc_b64 s[8:9]", 0, 0, 0, true},
               {"s_swappc_b64 s[16:17], s[8:9]", 0, 0, 0, true},
               {"s_getpc_b64 s[16:17]", 0, 0, 0, false}};
  EACH(p)
  {
    bed b;
    if (!texts_begin())
      return;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
      text_add(cases[i].text);
    open_all(&b, processors[p], 64);
    for (size_t i = 0; i < text_count; i++) {
      const uint64_t pc = (uint64_t)(uintptr_t)b.bytes + BED_STRIDE * i;
      b.wave->s64[AQ_ISA_VCC / 2] = cases[i].vcc;
      b.wave->s64[AQ_ISA_EXEC / 2] = cases[i].exec;
      b.wave->scc = cases[i].scc;
      b.wave->s64[4] = pc + 32; /* where the offset of 7 words leads, too */
      run(&b, i);
      if (cases[i].taken)
        ck_assert_uint_eq(b.next, pc + 32);
      else
        ck_assert_uint_le(b.next, pc + BED_STRIDE);
      if (strstr(cases[i].text, "s[16:17]"))
        ck_assert_uint_eq(b.wave->s64[8], pc + 4);
    }
    bed_close(&b);
  }
}
END_TEST

START_TEST(fields_of_mode_are_read_and_written)
{
  EACH(p)
  {
    bed b;
    if (!texts_begin())
      return;
    text_add("s_getreg_b32 s16, hwreg(HW_REG_MODE, 4, 4)");
    text_add("s_setreg_b32 hwreg(HW_REG_MODE, 2, 3), s16");
    text_add("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 0x1");
    text_add("s_round_mode 0x6");
    text_add("s_denorm_mode 0x9");
    open_all(&b, processors[p], 64);
    b.wave->mode = 0x1b3;
    run(&b, 0);
    ck_assert_uint_eq(b.wave->s[16], 0xb);
    b.wave->s[16] = 0xfffffff5;
    run(&b, 1);
    ck_assert_uint_eq(b.wave->mode, 0x1b7);
    run(&b, 2);
    ck_assert_uint_eq(b.wave->mode, 0x1b5);
    run(&b, 3);
    ck_assert_uint_eq(b.wave->mode, 0x1b6);
    run(&b, 4);
    ck_assert_uint_eq(b.wave->mode, 0x196);
    bed_close(&b);
  }
}
END_TEST

START_TEST(clocks_advance)
{
  static const char *const list[] = {
      "s_memtime s[4:5]", "s_memrealtime s[4:5]",
      "s_sendmsg_rtn_b64 s[4:5], sendmsg(MSG_RTN_GET_REALTIME)"};
  EACH(p)
  {
    bed b;
    if (!texts_begin())
      return;
    open_known(&b, processors[p], list, sizeof list / sizeof *list);
    b.grid.ticks = 1000;
    for (size_t i = 0; i < text_count; i++)
      for (uint64_t k = 0, last = 0; k < 4 && !b.refused[i]; k++) {
        run(&b, i);
        ck_assert(b.wave->s64[2] > last && b.wave->s64[2] >= 1000);
        last = b.wave->s64[2];
      }
    bed_close(&b);
  }
}
END_TEST

/* A barrier of one wave opens at once. */
START_TEST(a_global_barrier_of_one_wave_opens)
{
  for (size_t p = 0; p <= GFX1100; p++) {
    aq_wave_gws *gws = aq_wave_gws_create();
    bed b;
    ck_assert_ptr_nonnull(gws);
    if (!texts_begin()) {
      aq_wave_gws_destroy(gws);
      return;
    }
    text_add("ds_gws_init v0 offset:3 gds");
    text_add("ds_gws_barrier v0 offset:3 gds");
    open_all(&b, processors[p], 64);
    b.grid.gws = gws;
    b.wave->s64[AQ_ISA_EXEC / 2] = UINT64_MAX;
    const bool flag = gws->resources[3].flag;
    run(&b, 0);
    run(&b, 1);
    ck_assert(gws->resources[3].flag != flag);
    bed_close(&b);
    aq_wave_gws_destroy(gws);
  }
}
END_TEST

/* ---- LDS ---- */

enum { LDS = 4096, WORDS = LDS / 4 };
static uint32_t lds[WORDS] __attribute__((aligned(16)));

static void lds_fill(bed *b)
{
  b->grid.lds_size = LDS;
  b->group.lds = (uint8_t *)lds;
  for (unsigned i = 0; i < WORDS; i++)
    lds[i] = 0x01000193 * (i + 1);
}

START_TEST(lanes_send_and_swizzle)
{
  static uint32_t from[LANES];
  EACH(p)
  {
    bed b;
    if (!texts_begin())
      return;
    text_add("ds_permute_b32 v6, v4, v2");
    text_add("ds_swizzle_b32 v6, v2 offset:swizzle(SWAP,4)");
    open_all(&b, processors[p], 32);
    b.wave->s64[AQ_ISA_EXEC / 2] = UINT32_MAX;
    for (uint32_t l = 0; l < LANES; l++) {
      from[l] = 1000 + l;
      b.wave->v[4][l] = 4 * (31 - l);
    }
    memcpy(b.wave->v[2], from, sizeof from);
    run(&b, 0);
    for (int l = 0; l < 32; l++)
      ck_assert_uint_eq(b.wave->v[6][l], from[31 - l]);
    run(&b, 1);
    for (int l = 0; l < 32; l++)
      ck_assert_uint_eq(b.wave->v[6][l], from[l ^ 4]);
    bed_close(&b);
  }
}
END_TEST

START_TEST(words_of_lds_are_counted_and_exchanged)
{
  static const struct {
    const char *old, *new;
    unsigned words, unit;
  } pairs[] = {{"ds_wrxchg2_rtn_b32 v[8:9], v0, v2, v4 offset0:3 offset1:1",
                "ds_storexchg_2addr_rtn_b32 v[8:9], v0, v2, v4 offset0:3 "
                "offset1:1",
                1, 1},
               {"ds_wrxchg2st64_rtn_b32 v[8:9], v0, v2, v4 offset0:3 offset1:1",
                "ds_storexchg_2addr_stride64_rtn_b32 v[8:9], v0, v2, v4 "
                "offset0:3 offset1:1",
                1, 64},
               {"ds_wrxchg2_rtn_b64 v[8:11], v0, v[2:3], v[4:5] offset0:3 "
                "offset1:1",
                "ds_storexchg_2addr_rtn_b64 v[8:11], v0, v[2:3], v[4:5] "
                "offset0:3 offset1:1",
                2, 2},
               {"ds_wrxchg2st64_rtn_b64 v[8:11], v0, v[2:3], v[4:5] offset0:3 "
                "offset1:1",
                "ds_storexchg_2addr_stride64_rtn_b64 v[8:11], v0, v[2:3], "
                "v[4:5] offset0:3 offset1:1",
                2, 128}};
  enum { LANE = 5, PAIRS = sizeof pairs / sizeof *pairs };
  EACH(p)
  {
    bed b;
    if (!texts_begin())
      return;
    for (size_t i = 0; i < PAIRS; i++)
      text_add(p < GFX1100 ? pairs[i].old : pairs[i].new);
    text_add("ds_append v3 offset:8");
    text_add("ds_consume v3 offset:8");
    open_all(&b, processors[p], 64);
    for (size_t i = 0; i < PAIRS; i++) {
      const unsigned first = 2 + 3 * pairs[i].unit, second = 2 + pairs[i].unit,
                     n = pairs[i].words;
      uint32_t before[WORDS];
      lds_fill(&b);
      memcpy(before, lds, sizeof before);
      b.wave->s64[AQ_ISA_EXEC / 2] = 1u << LANE;
      b.wave->v[0][LANE] = 8;
      for (unsigned k = 0; k < n; k++) {
        b.wave->v[2 + k][LANE] = 100 + k;
        b.wave->v[4 + k][LANE] = 200 + k;
      }
      run(&b, i);
      for (unsigned k = 0; k < n; k++) {
        ck_assert_uint_eq(b.wave->v[8 + k][LANE], before[first + k]);
        ck_assert_uint_eq(b.wave->v[8 + n + k][LANE], before[second + k]);
        ck_assert_uint_eq(lds[first + k], 100 + k);
        ck_assert_uint_eq(lds[second + k], 200 + k);
      }
    }
    b.wave->s[AQ_ISA_M0] = 0x40;
    b.wave->s64[AQ_ISA_EXEC / 2] = 0xff01;
    for (size_t i = PAIRS; i < text_count; i++) {
      const uint32_t old = lds[(0x40 + 8) / 4];
      run(&b, i);
      ck_assert_uint_eq(b.wave->v[3][9], old);
      ck_assert_uint_eq(lds[(0x40 + 8) / 4], i == PAIRS ? old + 9 : old - 9);
    }
    bed_close(&b);
  }
}
END_TEST

START_TEST(words_of_lds_are_found_by_their_lane)
{
  EACH(p)
  {
    bed b;
    if (!texts_begin())
      return;
    text_add(p < GFX1100 ? "ds_read_addtid_b32 v3 offset:12"
                         : "ds_load_addtid_b32 v3 offset:12");
    text_add(p < GFX1100 ? "ds_write_addtid_b32 v3 offset:12"
                         : "ds_store_addtid_b32 v3 offset:12");
    text_add("ds_condxchg32_rtn_b64 v[8:9], v0, v[4:5] offset:16");
    open_all(&b, processors[p], 64);
    lds_fill(&b);
    b.wave->s[AQ_ISA_M0] = 0x100;
    b.wave->s64[AQ_ISA_EXEC / 2] = UINT64_MAX;
    run(&b, 0);
    for (unsigned l = 0; l < LANES; l++)
      ck_assert_uint_eq(b.wave->v[3][l], lds[(0x100 + 12) / 4 + l]);
    for (unsigned l = 0; l < LANES; l++)
      b.wave->v[3][l] = 7 * l;
    run(&b, 1);
    for (unsigned l = 0; l < LANES; l++)
      ck_assert_uint_eq(lds[(0x100 + 12) / 4 + l], 7 * l);
    lds_fill(&b); /* stored where the upper bit of a word is set */
    const uint32_t low = lds[4], high = lds[5];
    b.wave->s64[AQ_ISA_EXEC / 2] = 1;
    b.wave->v[0][0] = 0;
    b.wave->v[4][0] = 0x80000005;
    b.wave->v[5][0] = 6;
    run(&b, 2);
    ck_assert(b.wave->v[8][0] == low && b.wave->v[9][0] == high);
    ck_assert(lds[4] == 5 && lds[5] == high);
    bed_close(&b);
  }
}
END_TEST

/* Of gfx9 the codes 102 and 103 are FLAT_SCRATCH. Null reads as 0, and writes
 * to it are dropped, but for SCC. */
START_TEST(scalars_102_and_103_are_registers_and_null_is_zero)
{
  EACH(p)
  {
    bed b;
    if (!texts_begin())
      return;
    text_add("s_or_b64 s[102:103], s[4:5], s[6:7]");
    text_add("s_mov_b64 s[8:9], s[102:103]");
    text_add("v_mov_b32 v1, s103");
    text_add("s_or_b32 null, s4, s5");
    text_add("s_or_b64 s[10:11], null, s[6:7]");
    text_add("v_add3_u32 v2, null, v3, s102");
    open_all(&b, processors[p], 32);
    for (uint32_t k = 0; k < 128; k++)
      b.wave->s[k] = 0x1000 * k;
    b.wave->s64[AQ_ISA_EXEC / 2] = UINT32_MAX;
    b.wave->v[3][7] = 9;
    b.wave->scc = 0;
    for (size_t i = 0; i < text_count; i++)
      run(&b, i);
    ck_assert_uint_eq(b.wave->s[102], 0x4000 | 0x6000);
    ck_assert_uint_eq(b.wave->s[103], 0x5000 | 0x7000);
    ck_assert_uint_eq(b.wave->s[8], b.wave->s[102]);
    ck_assert_uint_eq(b.wave->s[9], b.wave->s[103]);
    ck_assert_uint_eq(b.wave->v[1][31], b.wave->s[103]);
    ck_assert_uint_eq(b.wave->scc, 1);
    ck_assert_uint_eq(b.wave->s[10], 0x6000);
    ck_assert_uint_eq(b.wave->s[11], 0x7000);
    ck_assert_uint_eq(b.wave->v[2][7], 9 + b.wave->s[102]);
    ck_assert_uint_eq(b.wave->s[AQ_ISA_NULL], 0x1000 * AQ_ISA_NULL);
    bed_close(&b);
  }
}
END_TEST

/* A kernel that can reach one of them is refused before it runs. */
START_TEST(barriers_and_registers_that_hsa_kernels_lack_are_refused)
{
  static const char *const refused[] = {
      "s_barrier_signal -2", "s_barrier_signal m0",
      "s_barrier_wait 1",    "s_barrier_signal_isfirst m0",
      "s_barrier_init m0",   "s_barrier_join m0",
      "s_barrier_leave",     "s_get_barrier_state s4, -1",
      "s_alloc_vgpr s4"};
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
    bed b;
    aq_diag diag = AQ_DIAG_INIT;
    aq_isa_inst inst;
    if (!bed_open_one(&b, "gfx1200", refused[i]))
      return;
    ck_assert_status(aq_isa_decode(aq_wave_code_decoder(b.code), b.bytes, 16, 0,
                                   &inst, &diag),
                     AQ_OK, &diag);
    ck_assert_msg(!aq_wave_row_executes(inst.row, inst.target) ||
                      !aq_wave_instruction_executes(&inst),
                  "%s", refused[i]);
    bed_close(&b);
  }
}
END_TEST

AQ_TEST_MAIN("gpu/wave/rdna", masks_of_32_lanes_are_saved_and_combined,
             lanes_read_the_lanes_that_the_instruction_names,
             permutations_of_rows_heed_inactive_lanes,
             scalars_are_read_from_lanes_and_written_to_them,
             halves_of_registers_change_places, registers_are_found_by_m0,
             small_integers_have_the_signs_that_neg_says,
             small_floats_are_multiplied_and_added, pairs_of_halves_give_a_half,
             packed_instructions_take_a_source_from_another_lane,
             comparisons_take_a_source_from_another_lane,
             products_for_lighting_are_least_without_light,
             pairs_of_instructions_compute_both_results,
             a_global_barrier_of_one_wave_opens,
             functions_of_scalars_are_those_of_vectors,
             scalars_are_multiplied_by_constants,
             waits_and_hints_change_nothing, waves_stop_where_they_are_told_to,
             branches_go_where_their_condition_says,
             fields_of_mode_are_read_and_written, clocks_advance,
             lanes_send_and_swizzle, words_of_lds_are_counted_and_exchanged,
             words_of_lds_are_found_by_their_lane,
             scalars_102_and_103_are_registers_and_null_is_zero,
             barriers_and_registers_that_hsa_kernels_lack_are_refused)
