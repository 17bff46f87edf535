/* SPDX-License-Identifier: MIT */
/* Instructions of RDNA that test_opcodes.c has no form for, in waves of 32 and
 * 64 lanes: moves between lanes, masks of 32 lanes, sums of products, functions
 * of scalars. Expected results are from AMD's ISA documents of RDNA 2, 3 and 4,
 * chapters on instructions. */
#include "gpu/wave/rdna.h"

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

/* The upper half of EXEC stays 0: vector instructions would execute there. */
START_TEST(masks_of_64_lanes_change_32_lanes)
{
  static const char *const ops[] = {"s_or_saveexec_b64 s[6:7], s[4:5]",
                                    "s_xor_saveexec_b64 s[6:7], s[4:5]",
                                    "s_nand_saveexec_b64 s[6:7], s[4:5]",
                                    "s_nor_saveexec_b64 s[6:7], s[4:5]"};
  enum { OPS = sizeof ops / sizeof *ops };
  bed b;
  if (!texts_begin())
    return;
  for (size_t i = 0; i < OPS; i++)
    text_add(ops[i]);
  open_all(&b, "gfx1030", 32);
  for (size_t i = 0; i < OPS; i++) {
    const uint32_t a = 0x00ff00ff, x = 0x0000ffff,
                   want[OPS] = {a | x, a ^ x, ~(a & x), ~(a | x)};
    b.wave->s[4] = a;
    b.wave->s[5] = i % 2 ? 0xff : 0;
    b.wave->s64[AQ_ISA_EXEC / 2] = x;
    run(&b, i);
    ck_assert_uint_eq(b.wave->s64[AQ_ISA_EXEC / 2], want[i]);
    ck_assert_uint_eq(b.wave->s[6], x);
    ck_assert_uint_eq(b.wave->s[7], 0);
    ck_assert_uint_eq(b.wave->scc, 1);
  }
  bed_close(&b);
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

AQ_TEST_MAIN("gpu/wave/rdna", masks_of_32_lanes_are_saved_and_combined,
             masks_of_64_lanes_change_32_lanes,
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
             functions_of_scalars_are_those_of_vectors,
             scalars_are_multiplied_by_constants)
