/* SPDX-License-Identifier: MIT */
/* Instructions of RDNA that compute no value of lanes: waits, branches, fields
 * of MODE, clocks, barriers, words of LDS, and refused ones. */
#include "gpu/wave/rdna.h"

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

AQ_TEST_MAIN("gpu/wave/rdna_control", a_global_barrier_of_one_wave_opens,
             waits_and_hints_change_nothing, waves_stop_where_they_are_told_to,
             branches_go_where_their_condition_says,
             fields_of_mode_are_read_and_written, clocks_advance,
             lanes_send_and_swizzle, words_of_lds_are_counted_and_exchanged,
             words_of_lds_are_found_by_their_lane,
             scalars_102_and_103_are_registers_and_null_is_zero,
             barriers_and_registers_that_hsa_kernels_lack_are_refused)
