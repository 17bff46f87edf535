/* SPDX-License-Identifier: MIT */
/* LDS instructions and exchanges of lanes, one at a time. Expected results are
 * from AMD's ISA documents: CDNA4 chapter 12 (DS, VOP1), GCN3 chapter 12 where
 * CDNA has dropped them; LLVM's documentation of llvm.amdgcn.permlane*.swap. */
#include <stdlib.h>
#include <string.h>

#include "bed.h"
#include "support/aqtest.h"

enum { LANES = 64, LDS = 4096, WORDS = LDS / 4 };

static uint32_t lds[WORDS] __attribute__((aligned(16)));

/* One instruction on a wave whose registers are 0. False: no assembler. */
static bool open_one(bed *b, const char *gfx, const char *text)
{
  if (!bed_open_one(b, gfx, text))
    return false;
  b->grid.lds_size = LDS;
  b->group.lds = (uint8_t *)lds;
  for (unsigned i = 0; i < WORDS; i++)
    lds[i] = 0x01000193 * (i + 1);
  return true;
}

/* ---- every lane counts ---- */

START_TEST(additions_of_all_lanes_reach_memory)
{
  bed b;
  if (!open_one(&b, "gfx90a", "ds_add_u32 v0, v1 offset:16"))
    return;
  uint32_t sums[WORDS];
  memcpy(sums, lds, sizeof sums);
  for (uint32_t l = 0; l < LANES; l++) {
    b.wave->v[0][l] = l % 3 ? 4 * l : 0; /* every third one to one word */
    b.wave->v[1][l] = l + 1;
    sums[4 + (l % 3 ? l : 0)] += l + 1;
  }
  ck_assert(bed_run(&b, 0));
  ck_assert_mem_eq(lds, sums, sizeof sums);
  bed_close(&b);
}
END_TEST

/* bfloat16 has 7 bits behind the point: sums that lie halfway. */
START_TEST(sums_of_bf16_that_lie_halfway_become_even)
{
  static const struct {
    uint16_t a, b, sum;
  } cases[] = {{0x3f80, 0x3b80, 0x3f80}, /* 1 + 2⁻⁸: down to 1 */
               {0x3f81, 0x3b80, 0x3f82}, /* 1 + 3 × 2⁻⁸: up to 1 + 2⁻⁶ */
               {0xbf80, 0xbb80, 0xbf80},  /* the same below zero */
               {0x3f80, 0x3b81, 0x3f81}}; /* just above halfway */
  bed b;
  if (!open_one(&b, "gfx942", "ds_pk_add_bf16 v0, v1"))
    return;
  for (uint32_t l = 0; l < LANES; l++) {
    const size_t low = l % 4, high = (l + 1) % 4;
    b.wave->v[0][l] = 4 * l;
    lds[l] = (uint32_t)cases[high].a << 16 | cases[low].a;
    b.wave->v[1][l] = (uint32_t)cases[high].b << 16 | cases[low].b;
  }
  ck_assert(bed_run(&b, 0));
  for (uint32_t l = 0; l < LANES; l++)
    ck_assert_uint_eq(lds[l], (uint32_t)cases[(l + 1) % 4].sum << 16 |
                                  cases[l % 4].sum);
  bed_close(&b);
}
END_TEST

START_TEST(append_and_consume_count_active_lanes_once)
{
  static const struct {
    const char *text;
    int sign;
  } cases[] = {{"ds_append v3 offset:8", 1}, {"ds_consume v3 offset:8", -1}};
  for (size_t i = 0; i < 2; i++) {
    bed b;
    if (!open_one(&b, "gfx90a", cases[i].text))
      return;
    const uint64_t exec = 0xf00000000000ff01;
    const uint32_t old = lds[(0x40 + 8) / 4];
    b.wave->s[AQ_ISA_M0] = 0xabc00040; /* its upper half is not part of it */
    b.wave->s64[AQ_ISA_EXEC / 2] = exec;
    memset(b.wave->v[3], 0xee, sizeof b.wave->v[3]);
    ck_assert(bed_run(&b, 0));
    ck_assert_uint_eq(lds[(0x40 + 8) / 4],
                      old + (uint32_t)(13 * cases[i].sign));
    for (int l = 0; l < LANES; l++)
      ck_assert_uint_eq(b.wave->v[3][l], exec >> l & 1 ? old : 0xeeeeeeee);
    bed_close(&b);
  }
}
END_TEST

START_TEST(addresses_can_be_those_of_the_lanes_number)
{
  bed b;
  if (!open_one(&b, "gfx900", "ds_read_addtid_b32 v3 offset:12"))
    return;
  b.wave->s[AQ_ISA_M0] = 0x10100;
  ck_assert(bed_run(&b, 0));
  for (unsigned l = 0; l < LANES; l++)
    ck_assert_uint_eq(b.wave->v[3][l], lds[(0x100 + 12) / 4 + l]);
  bed_close(&b);
  ck_assert(open_one(&b, "gfx900", "ds_write_addtid_b32 v3 offset:12"));
  b.wave->s[AQ_ISA_M0] = 0x100;
  for (unsigned l = 0; l < LANES; l++)
    b.wave->v[3][l] = 7 * l;
  ck_assert(bed_run(&b, 0));
  for (unsigned l = 0; l < LANES; l++)
    ck_assert_uint_eq(lds[(0x100 + 12) / 4 + l], 7 * l);
  b.wave->s[AQ_ISA_M0] = LDS - 100; /* the last lanes are outside */
  ck_assert(!bed_run(&b, 0));
  ck_assert_ptr_nonnull(strstr(b.grid.fault.text, "LDS address 4096"));
  bed_close(&b);
}
END_TEST

/* ---- two words of memory ---- */

START_TEST(exchanges_of_two_elements_return_both)
{
  static const struct {
    const char *text;
    unsigned words, unit; /* words of an offset's step */
  } cases[] = {
      {"ds_wrxchg2_rtn_b32 v[8:9], v0, v2, v4 offset0:3 offset1:1", 1, 1},
      {"ds_wrxchg2st64_rtn_b32 v[8:9], v0, v2, v4 offset0:3 offset1:1", 1, 64},
      {"ds_wrxchg2_rtn_b64 v[8:11], v0, v[2:3], v[4:5] offset0:3 offset1:1", 2,
       2},
      {"ds_wrxchg2st64_rtn_b64 v[8:11], v0, v[2:3], v[4:5] offset0:3 offset1:1",
       2, 128}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    bed b;
    if (!open_one(&b, "gfx942", cases[i].text))
      return;
    const unsigned lane = 5, first = 2 + 3 * cases[i].unit,
                   second = 2 + cases[i].unit, n = cases[i].words;
    uint32_t before[WORDS];
    memcpy(before, lds, sizeof before);
    b.wave->s64[AQ_ISA_EXEC / 2] = 1u << lane;
    b.wave->v[0][lane] = 8;
    for (unsigned k = 0; k < n; k++) {
      b.wave->v[2 + k][lane] = 100 + k;
      b.wave->v[4 + k][lane] = 200 + k;
    }
    ck_assert(bed_run(&b, 0));
    for (unsigned k = 0; k < n; k++) {
      ck_assert_uint_eq(b.wave->v[8 + k][lane], before[first + k]);
      ck_assert_uint_eq(b.wave->v[8 + n + k][lane], before[second + k]);
      ck_assert_uint_eq(lds[first + k], 100 + k);
      ck_assert_uint_eq(lds[second + k], 200 + k);
    }
    bed_close(&b);
  }
}
END_TEST

START_TEST(conditional_exchanges_store_what_the_upper_bit_says)
{
  bed b;
  if (!open_one(&b, "gfx90a",
                "ds_condxchg32_rtn_b64 v[8:9], v0, v[2:3] offset:12"))
    return;
  b.wave->s64[AQ_ISA_EXEC / 2] = 2;
  const uint32_t old[] = {lds[2], lds[3]};
  b.wave->v[0][1] = 3; /* (3 + 12) without the lowest bits: 8 */
  b.wave->v[2][1] = 0x80000005;
  b.wave->v[3][1] = 0x7fffffff;
  ck_assert(bed_run(&b, 0));
  ck_assert_uint_eq(lds[2], 5);
  ck_assert_uint_eq(lds[3], old[1]);
  ck_assert_uint_eq(b.wave->v[8][1], old[0]);
  ck_assert_uint_eq(b.wave->v[9][1], old[1]);
  bed_close(&b);
}
END_TEST

/* ---- transposed ---- */

static void bits_set(uint32_t *words, unsigned first, unsigned bits, uint32_t x)
{
  for (unsigned i = 0; i < bits; i++) {
    words[(first + i) / 32] &= ~(1u << (first + i) % 32);
    words[(first + i) / 32] |= (x >> i & 1) << (first + i) % 32;
  }
}

/* A matrix in LDS of 16 columns; 16 lanes take parts of its rows, in order: the
 * operand of an MFMA needs, in lane n, column n. */
START_TEST(transposed_reads_give_each_lane_its_column)
{
  static const struct {
    const char *text;
    unsigned bits, words;
  } cases[] = {{"ds_read_b64_tr_b16 v[8:9], v0", 16, 2},
               {"ds_read_b64_tr_b8 v[8:9], v0", 8, 2},
               {"ds_read_b64_tr_b4 v[8:9], v0", 4, 2},
               {"ds_read_b96_tr_b6 v[8:10], v0", 6, 3}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    bed b;
    if (!open_one(&b, "gfx950", cases[i].text))
      return;
    const unsigned bits = cases[i].bits, words = cases[i].words;
    const unsigned rows = 32 * words / bits; /* of a group of 16 lanes */
    for (unsigned r = 0; r < 4 * rows; r++)
      for (unsigned c = 0; c < 16; c++)
        bits_set(lds, (16 * r + c) * bits, bits, 0x9e37u * (16 * r + c) >> 3);
    for (uint32_t l = 0; l < LANES; l++)
      b.wave->v[0][l] = l * 4 * words;
    ck_assert(bed_run(&b, 0));
    for (unsigned l = 0; l < LANES; l++) {
      uint32_t column[3] = {0};
      for (unsigned r = 0; r < rows; r++) {
        const uint32_t x = 0x9e37u * (16 * (l / 16 * rows + r) + l % 16) >> 3;
        bits_set(column, r * bits, bits, x);
      }
      for (unsigned k = 0; k < words; k++)
        ck_assert_uint_eq(b.wave->v[8 + k][l], column[k]);
    }
    b.wave->s64[AQ_ISA_EXEC / 2] = 1;
    ck_assert(!bed_run(&b, 0)); /* refused, not guessed */
    bed_close(&b);
  }
}
END_TEST

/* ---- lanes ---- */

/* Odd rows of 16 lanes of the first register with even ones of the second; rows
 * 2 and 3 with rows 0 and 1. */
START_TEST(swaps_of_rows_exchange_two_registers)
{
  static const struct {
    const char *text;
    unsigned first[LANES / 16], second[LANES / 16]; /* row, 4 and more: of v1 */
  } cases[] = {
      {"v_permlane16_swap_b32_e32 v0, v1", {0, 4, 2, 6}, {1, 5, 3, 7}},
      {"v_permlane32_swap_b32_e32 v0, v1", {0, 1, 4, 5}, {2, 3, 6, 7}}};
  for (size_t i = 0; i < 2; i++) {
    bed b;
    if (!open_one(&b, "gfx950", cases[i].text))
      return;
    for (uint32_t l = 0; l < LANES; l++) {
      b.wave->v[0][l] = l;
      b.wave->v[1][l] = 64 + l;
    }
    ck_assert(bed_run(&b, 0));
    for (unsigned l = 0; l < LANES; l++) {
      ck_assert_uint_eq(b.wave->v[0][l], 16 * cases[i].first[l / 16] + l % 16);
      ck_assert_uint_eq(b.wave->v[1][l], 16 * cases[i].second[l / 16] + l % 16);
    }
    b.wave->s64[AQ_ISA_EXEC / 2] = 0xffff;
    ck_assert(!bed_run(&b, 0)); /* refused, not guessed */
    bed_close(&b);
  }
}
END_TEST

START_TEST(scalar_moves_take_an_index_from_m0)
{
  bed b;
  if (!open_one(&b, "gfx90a", "s_movrels_b64 s[4:5], s[10:11]"))
    return;
  b.wave->s[AQ_ISA_M0] = 6;
  b.wave->s[16] = 111, b.wave->s[17] = 222;
  ck_assert(bed_run(&b, 0));
  ck_assert(b.wave->s[4] == 111 && b.wave->s[5] == 222);
  bed_close(&b);
  ck_assert(open_one(&b, "gfx90a", "s_movreld_b64 s[4:5], s[10:11]"));
  b.wave->s[AQ_ISA_M0] = 6;
  b.wave->s[10] = 333, b.wave->s[11] = 444;
  ck_assert(bed_run(&b, 0));
  ck_assert(b.wave->s[10] == 333 && b.wave->s[11] == 444);
  ck_assert(b.wave->s[4] == 0 && b.wave->s[5] == 0);
  bed_close(&b);
}
END_TEST

AQ_TEST_MAIN("gpu/wave/lds", additions_of_all_lanes_reach_memory,
             sums_of_bf16_that_lie_halfway_become_even,
             append_and_consume_count_active_lanes_once,
             addresses_can_be_those_of_the_lanes_number,
             exchanges_of_two_elements_return_both,
             conditional_exchanges_store_what_the_upper_bit_says,
             transposed_reads_give_each_lane_its_column,
             swaps_of_rows_exchange_two_registers,
             scalar_moves_take_an_index_from_m0)
