/* SPDX-License-Identifier: MIT */
/* Instructions that test_opcodes.c has no form for, one at a time: moves of
 * registers, branches, hardware registers, global barriers, and instructions
 * without effect on a wave. Expected results are from AMD's ISA documents: GCN3
 * chapter 12, CDNA3 chapter 12. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bed.h"
#include "common/rng.h"
#include "gpu/wave/core/mode.h"
#include "gpu/wave/grid/gws.h"
#include "support/aqtest.h"

enum { LANES = 64, ROWS = 40 };

static void rows_fill(bed *b, aq_rng *rng)
{
  for (unsigned r = 0; r < ROWS; r++)
    for (int l = 0; l < LANES; l++)
      b->wave->v[r][l] = (uint32_t)aq_rng_bits(rng);
}

/* ---- nothing happens ---- */

START_TEST(instructions_without_effect_change_nothing)
{
  static const struct {
    const char *gfx, *text;
  } cases[] = {{"gfx90a", "v_nop"},
               {"gfx90a", "v_clrexcp"},
               {"gfx90a", "ds_nop"},
               {"gfx942", "buffer_inv sc1"},
               {"gfx900", "buffer_wbinvl1"},
               {"gfx900", "s_icache_inv"},
               {"gfx900", "s_incperflevel 1"},
               {"gfx900", "s_decperflevel 1"},
               {"gfx900", "s_sendmsg sendmsg(MSG_INTERRUPT)"},
               {"gfx900", "s_setprio 2"},
               {"gfx900", "s_sethalt 0"},
               {"gfx900", "s_ttracedata"},
               {"gfx900", "s_wakeup"},
               {"gfx900", "s_dcache_inv"},
               {"gfx900", "s_dcache_wb"},
               {"gfx900", "s_dcache_inv_vol"},
               {"gfx900", "s_dcache_wb_vol"},
               {"gfx900", "s_dcache_discard s[4:5], 0x0"},
               {"gfx900", "s_dcache_discard_x2 s[4:5], 0x0"},
               {"gfx900", "s_atc_probe 7, s[4:5], 0x0"},
               {"gfx900", "s_atc_probe_buffer 7, s[4:7], 0x0"},
               {"gfx900", "s_cbranch_cdbgsys 7"},
               {"gfx900", "s_cbranch_cdbguser 7"},
               {"gfx900", "s_cbranch_cdbgsys_or_user 7"},
               {"gfx900", "s_cbranch_cdbgsys_and_user 7"}};
  static aq_wave before;
  aq_rng rng;
  aq_rng_init(&rng, 3, 0);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    bed b;
    if (!bed_open_one(&b, cases[i].gfx, cases[i].text))
      return;
    rows_fill(&b, &rng);
    for (unsigned k = 0; k < 126; k++)
      b.wave->s[k] = (uint32_t)aq_rng_bits(&rng);
    b.wave->scc = 1;
    memcpy(&before, b.wave, sizeof before);
    ck_assert_msg(bed_run(&b, 0), "%s: %s", cases[i].text, b.grid.fault.text);
    ck_assert_msg(memcmp(before.v, b.wave->v, sizeof before.v) == 0, "%s",
                  cases[i].text);
    ck_assert_msg(memcmp(before.s, b.wave->s, sizeof before.s) == 0, "%s",
                  cases[i].text);
    ck_assert(b.wave->scc == 1 && b.wave->mode == before.mode);
    /* Padding behind it is skipped. */
    ck_assert_uint_le(b.next, (uint64_t)(uintptr_t)b.bytes + BED_STRIDE);
    bed_close(&b);
  }
}
END_TEST

START_TEST(waves_sleep_and_end)
{
  bed b;
  if (!bed_open_one(&b, "gfx900", "s_sleep 1"))
    return;
  ck_assert(!bed_run(&b, 0));
  ck_assert_int_eq(b.wave->state, AQ_WAVE_SLEEPS);
  bed_close(&b);
  ck_assert(bed_open_one(&b, "gfx900", "s_endpgm_saved"));
  ck_assert(!bed_run(&b, 0));
  ck_assert_int_eq(b.wave->state, AQ_WAVE_ENDED);
  bed_close(&b);
}
END_TEST

/* ---- program counter and hardware registers ---- */

START_TEST(branches_go_where_their_condition_says)
{
  static const struct {
    const char *text;
    uint64_t vcc;
    bool taken;
  } cases[] = {{"s_cbranch_vccz 7", 0, true},
               {"s_cbranch_vccz 7", 1, false},
               {"s_cbranch_vccnz 7", 0, false},
               {"s_cbranch_vccnz 7", UINT64_C(1) << 63, true},
               {"s_call_b64 s[16:17], 7", 0, true}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    bed b;
    if (!bed_open_one(&b, "gfx90a", cases[i].text))
      return;
    const uint64_t pc = (uint64_t)(uintptr_t)b.bytes;
    b.wave->s64[AQ_ISA_VCC / 2] = cases[i].vcc;
    ck_assert(bed_run(&b, 0));
    /* Padding behind it is skipped. */
    ck_assert_uint_eq(b.next, pc + (cases[i].taken ? 32 : BED_STRIDE));
    if (strstr(cases[i].text, "call"))
      ck_assert_uint_eq(b.wave->s64[8], pc + 4);
    bed_close(&b);
  }
}
END_TEST

START_TEST(fields_of_mode_are_read_and_written)
{
  for (unsigned first = 0; first < 8; first += 3)
    for (unsigned count = 1; count < 9; count += 3) {
      const uint32_t mask = ((1u << count) - 1) << first;
      char text[BED_TEXT];
      bed b;
      snprintf(text, sizeof text,
               "s_getreg_b32 s16, hwreg(HW_REG_MODE, %u, %u)", first, count);
      if (!bed_open_one(&b, "gfx90a", text))
        return;
      b.wave->mode = 0x2d5;
      ck_assert(bed_run(&b, 0));
      ck_assert_uint_eq(b.wave->s[16], (0x2d5 & mask) >> first);
      bed_close(&b);
      snprintf(text, sizeof text,
               "s_setreg_b32 hwreg(HW_REG_MODE, %u, %u), s16", first, count);
      ck_assert(bed_open_one(&b, "gfx90a", text));
      b.wave->mode = 0x2d5;
      b.wave->s[16] = 0xaaaaaaaa;
      ck_assert(bed_run(&b, 0));
      ck_assert_uint_eq(b.wave->mode,
                        (0x2d5 & ~mask) | (0xaaaaaaaau << first & mask));
      bed_close(&b);
      snprintf(text, sizeof text,
               "s_setreg_imm32_b32 hwreg(HW_REG_MODE, %u, %u), 0x155", first,
               count);
      ck_assert(bed_open_one(&b, "gfx90a", text));
      b.wave->mode = 0x2d5;
      ck_assert(bed_run(&b, 0));
      ck_assert_uint_eq(b.wave->mode,
                        (0x2d5 & ~mask) | (0x155u << first & mask));
      bed_close(&b);
    }
}
END_TEST

START_TEST(clocks_advance)
{
  static const char *const texts[] = {"s_memtime s[4:5]",
                                      "s_memrealtime s[4:5]"};
  for (size_t i = 0; i < 2; i++) {
    bed b;
    if (!bed_open_one(&b, "gfx90a", texts[i]))
      return;
    b.grid.ticks = 1000;
    uint64_t last = 0;
    for (int k = 0; k < 4; k++) {
      ck_assert(bed_run(&b, 0));
      ck_assert_uint_gt(b.wave->s64[2], last);
      ck_assert_uint_ge(b.wave->s64[2], 1000);
      last = b.wave->s64[2];
    }
    bed_close(&b);
  }
}
END_TEST

/* ---- indices ---- */

START_TEST(scalar_moves_add_m0_to_their_register)
{
  bed b;
  if (!bed_open_one(&b, "gfx90a", "s_movrels_b32 s4, s10"))
    return;
  b.wave->s[AQ_ISA_M0] = 7;
  b.wave->s[17] = 111;
  ck_assert(bed_run(&b, 0));
  ck_assert_uint_eq(b.wave->s[4], 111);
  bed_close(&b);
  ck_assert(bed_open_one(&b, "gfx90a", "s_movreld_b32 s4, s10"));
  b.wave->s[AQ_ISA_M0] = 7;
  b.wave->s[10] = 222;
  ck_assert(bed_run(&b, 0));
  ck_assert(b.wave->s[11] == 222 && b.wave->s[4] == 0);
  bed_close(&b);
}
END_TEST

/* M0 holds the index in bits 7:0, the operands that take it in bits 15:12. */
START_TEST(vector_registers_take_an_index)
{
  static const struct {
    const char *gfx, *text;
    unsigned from, to, m0; /* rows that are moved */
  } cases[] = {
      {"gfx90a",
       "s_set_gpr_idx_on s4, gpr_idx(SRC0)\nv_mov_b32 v2, v3\n"
       "s_set_gpr_idx_off",
       3 + 5, 2, 0x1005},
      {"gfx90a",
       "s_set_gpr_idx_on s4, gpr_idx(DST)\nv_mov_b32 v2, v3\n"
       "s_set_gpr_idx_off",
       3, 2 + 5, 0x8005},
      {"gfx900",
       "s_set_gpr_idx_on s4, gpr_idx(DST)\ns_set_gpr_idx_idx s5\n"
       "v_mov_b32 v2, v3\ns_set_gpr_idx_off",
       3, 2 + 9, 0x8009},
      {"gfx900",
       "s_set_gpr_idx_on s4, gpr_idx(DST)\ns_set_gpr_idx_mode gpr_idx(SRC0)\n"
       "v_mov_b32 v2, v3\ns_set_gpr_idx_off",
       3 + 5, 2, 0x1005}};
  aq_rng rng;
  aq_rng_init(&rng, 4, 0);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    static uint32_t before[ROWS][LANES];
    bed b;
    if (!bed_open_one(&b, cases[i].gfx, cases[i].text))
      return;
    rows_fill(&b, &rng);
    memcpy(before, b.wave->v, sizeof before);
    b.wave->s[4] = 5, b.wave->s[5] = 9;
    ck_assert_msg(bed_run(&b, 0), "%s", b.grid.fault.text);
    memcpy(before[cases[i].to], before[cases[i].from], sizeof *before);
    ck_assert_msg(memcmp(before, b.wave->v, sizeof before) == 0, "%s",
                  cases[i].text);
    ck_assert_uint_eq(b.wave->s[AQ_ISA_M0], cases[i].m0);
    bed_close(&b);
  }
}
END_TEST

/* ---- registers ---- */

START_TEST(registers_are_exchanged_and_moved_in_active_lanes)
{
  const uint64_t exec = 0xf0f0123456789abc;
  aq_rng rng;
  bed b;
  aq_rng_init(&rng, 5, 0);
  if (!bed_open_one(&b, "gfx90a", "v_swap_b32 v2, v3"))
    return;
  rows_fill(&b, &rng);
  uint32_t x[LANES], y[LANES];
  memcpy(x, b.wave->v[2], sizeof x);
  memcpy(y, b.wave->v[3], sizeof y);
  b.wave->s64[AQ_ISA_EXEC / 2] = exec;
  ck_assert(bed_run(&b, 0));
  for (int l = 0; l < LANES; l++) {
    ck_assert_uint_eq(b.wave->v[2][l], exec >> l & 1 ? y[l] : x[l]);
    ck_assert_uint_eq(b.wave->v[3][l], exec >> l & 1 ? x[l] : y[l]);
  }
  bed_close(&b);
  static const struct {
    const char *text;
    unsigned from, to;
  } moves[] = {{"v_accvgpr_mov_b32 a2, a3", AQ_WAVE_ACC + 3, AQ_WAVE_ACC + 2},
               {"v_accvgpr_read_b32 v2, a3", AQ_WAVE_ACC + 3, 2},
               {"v_accvgpr_write_b32 a2, v3", 3, AQ_WAVE_ACC + 2}};
  for (size_t i = 0; i < sizeof moves / sizeof *moves; i++) {
    ck_assert(bed_open_one(&b, "gfx90a", moves[i].text));
    for (uint32_t l = 0; l < LANES; l++)
      b.wave->v[moves[i].from][l] = 77 * l + 1;
    b.wave->s64[AQ_ISA_EXEC / 2] = exec;
    ck_assert(bed_run(&b, 0));
    for (uint32_t l = 0; l < LANES; l++)
      ck_assert_uint_eq(b.wave->v[moves[i].to][l],
                        exec >> l & 1 ? 77 * l + 1 : 0);
    bed_close(&b);
  }
}
END_TEST

/* ---- global wave sync ---- */

/* A barrier of one wave opens at once; each opening changes its flag. */
START_TEST(a_global_barrier_of_one_wave_opens)
{
  aq_wave_gws *gws = aq_wave_gws_create();
  bed b;
  ck_assert_ptr_nonnull(gws);
  if (!bed_open_one(&b, "gfx90a", "ds_gws_init v0 offset:3 gds")) {
    aq_wave_gws_destroy(gws);
    return;
  }
  b.grid.gws = gws;
  memset(b.wave->v[0], 0, sizeof b.wave->v[0]); /* one wave: none to come */
  ck_assert_msg(bed_run(&b, 0), "%s", b.grid.fault.text);
  ck_assert_uint_eq(gws->resources[3].counter, 0);
  bed_close(&b);
  for (int k = 0; k < 2; k++) {
    const bool flag = gws->resources[3].flag;
    ck_assert(bed_open_one(&b, "gfx90a", "ds_gws_barrier v0 offset:3 gds"));
    b.grid.gws = gws;
    ck_assert_msg(bed_run(&b, 0), "%s", b.grid.fault.text);
    ck_assert(gws->resources[3].flag != flag);
    bed_close(&b);
  }
  aq_wave_gws_destroy(gws);
}
END_TEST

AQ_TEST_MAIN("gpu/wave/moves", instructions_without_effect_change_nothing,
             waves_sleep_and_end, branches_go_where_their_condition_says,
             fields_of_mode_are_read_and_written, clocks_advance,
             scalar_moves_add_m0_to_their_register,
             vector_registers_take_an_index,
             registers_are_exchanged_and_moved_in_active_lanes,
             a_global_barrier_of_one_wave_opens)
