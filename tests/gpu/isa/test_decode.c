/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "common/rng.h"
#include "gpu/isa/isa.h"
#include "support/aqtest.h"

static aq_isa_decoder decoder_for(const char *processor)
{
  aq_diag diag = AQ_DIAG_INIT;
  aq_target target;
  aq_isa_decoder decoder;
  ck_assert_status(
      aq_target_parse(processor, strlen(processor), &target, &diag), AQ_OK,
      &diag);
  ck_assert_status(aq_isa_decoder_init(&decoder, target.processor, &diag),
                   AQ_OK, &diag);
  return decoder;
}

START_TEST(a_processor_without_a_table_is_refused_by_name)
{
  aq_diag diag = AQ_DIAG_INIT;
  aq_target target;
  aq_isa_decoder decoder;
  static const char *const names[] = {"gfx803", "gfx90c", "gfx1251"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    ck_assert_status(
        aq_target_parse(names[i], strlen(names[i]), &target, &diag), AQ_OK,
        &diag);
    ck_assert_int_eq(aq_isa_decoder_init(&decoder, target.processor, &diag),
                     AQ_ERR_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(diag.text, names[i]));
  }
}
END_TEST

START_TEST(an_unknown_word_is_refused_with_its_offset)
{
  const aq_isa_decoder decoder = decoder_for("gfx90a");
  const uint32_t words[] = {0xffffffff, 0};
  aq_diag diag = AQ_DIAG_INIT;
  aq_isa_inst inst = {.imm = 7};
  ck_assert_int_eq(
      aq_isa_decode(&decoder, words, sizeof words, 0x140, &inst, &diag),
      AQ_ERR_INPUT);
  ck_assert_ptr_nonnull(strstr(diag.text, "0x140"));
  ck_assert_ptr_nonnull(strstr(diag.text, "0xffffffff"));
  ck_assert_uint_eq(inst.imm, 7); /* written only on success */
}
END_TEST

/* global_load_dword v10, v[30:31], off; s_mov_b32 s0, literal. */
START_TEST(an_instruction_that_is_cut_off_is_refused)
{
  const aq_isa_decoder decoder = decoder_for("gfx90a");
  const uint32_t load[] = {0xdc508000, 0x0a7f001e};
  const uint32_t literal[] = {0xbe8000ff, 0x12345678};
  aq_isa_inst inst;
  ck_assert_int_eq(aq_isa_decode(&decoder, load, 8, 0, &inst, NULL), AQ_OK);
  ck_assert_int_eq(aq_isa_decode(&decoder, literal, 8, 0, &inst, NULL), AQ_OK);
  for (size_t size = 0; size < 8; size++) {
    ck_assert_int_eq(aq_isa_decode(&decoder, load, size, 0, &inst, NULL),
                     AQ_ERR_INPUT);
    ck_assert_int_eq(aq_isa_decode(&decoder, literal, size, 0, &inst, NULL),
                     AQ_ERR_INPUT);
  }
}
END_TEST

/* v_fma_mix_f32 came with gfx906, v_mad_mix_f32 left with it. */
START_TEST(an_opcode_belongs_to_its_targets)
{
  const uint32_t words[] = {0xd3a0400a, 0x1ca2291e};
  static const struct {
    const char *target, *name;
  } cases[] = {{"gfx900", "v_mad_mix_f32"},
               {"gfx906", "v_fma_mix_f32"},
               {"gfx942", "v_fma_mix_f32"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const aq_isa_decoder decoder = decoder_for(cases[i].target);
    aq_isa_inst inst;
    ck_assert_int_eq(aq_isa_decode(&decoder, words, 8, 0, &inst, NULL), AQ_OK);
    ck_assert_str_eq(inst.row->name, cases[i].name);
  }
}
END_TEST

/* Texts of llvm-objdump-22 for encodings that compilers seldom emit. */
START_TEST(rare_encodings_have_llvm_objdumps_text)
{
  static const struct {
    const char *target;
    uint32_t words[3];
    const char *text;
  } cases[] = {
      {"gfx900",
       {0x48040702, 0xffffffff},
       "v_madmk_f16 v2, v2, 0xffffffff, v3"},
      {"gfx900",
       {0x560006ff, 0xffffffff},
       "v_lshrrev_b16_e32 v0, lit(0xffffffff), v3"},
      {"gfx900", {0x560006ff, 0x00010005}, "v_lshrrev_b16_e32 v0, 0x5, v3"},
      {"gfx900", {0xc09a1902, 0x00000010}, "s_atc_probe 0x64, s[4:5], 0x10"},
      {"gfx900", {0xc085e2e6, 0xa7696d6b}, "s_dcache_wb"},
      {"gfx90a",
       {0xc22fc15e, 0x49372b65},
       "s_atomic_inc s5, s[60:61], s36 offset:-0x8d49b glc"},
      {"gfx90a",
       {0xd1370005, 0x0000ca65},
       "v_dot2c_f32_f16_e64 v5, s101, s101"},
      {"gfx908", {0x780a047c, 0}, "v_pk_fmac_f16_e32 v5, m0, v2"},
      {"gfx90a", {0xdb33ffff, 0x00000002}, "ds_gws_init a2 offset:65535 gds"},
      {"gfx900", {0xd8280000, 0}, "ds_nop"},
      {"gfx90a",
       {0xe9301d71, 0x143cdfbc},
       "tbuffer_load_format_x v223, v188, ttmp[4:7], s20 "
       "format:[BUF_DATA_FORMAT_10_11_11,BUF_NUM_FORMAT_USCALED] offen "
       "offset:3441 scc"},
      {"gfx900",
       {0x020a04f9, 0x069616f7},
       "v_add_f32_sdwa v5, neg(-4.0), v2 dst_sel:DWORD "
       "dst_unused:UNUSED_PRESERVE src0_sel:DWORD src1_sel:DWORD"},
      {"gfx942",
       {0x7e02aaf9, 0x00810603},
       "v_cvt_f32_bf8_sdwa v1, s3 src0_sel:BYTE_1"},
      {"gfx942",
       {0xd2a56001, 0x00020702},
       "v_cvt_sr_bf8_f32 v1, v2, v3 op_sel:[0,0,1,1]"},
      {"gfx942",
       {0xd3ee5ac4, 0xc4930122},
       "v_mfma_f64_16x16x4_f64 v[196:203], v[34:35], v[128:129], v[36:43] "
       "cbsz:2 abid:11 neg:[0,1,1]"},
      {"gfx90a",
       {0xd3a804f7, 0xccc29d4c},
       "v_dot4_i32_i8 v247, v76, v78, v48 neg_lo:[0,1,1] neg_hi:[0,0,1]"},
      {"gfx950",
       {0xd2340201, 0xac120702},
       "v_bitop3_b32 v1, v2, v3, v4 bitop3:0x55"},
      {"gfx950",
       {0xd2334a01, 0xd4120702},
       "v_bitop3_b16 v1, v2, v3, v4 bitop3:0x96 op_sel:[1,0,0,1]"},
      {"gfx900",
       {0xbf900593, 0},
       "s_sendmsg sendmsg(MSG_GS_DONE, GS_OP_CUT, 1)"},
      {"gfx900", {0xd1330005, 0x0001e101}, "v_ldexp_f16_e64 v5, v1, 0.5"},
      {"gfx1200", {0x7ec8def0, 0}, "v_cvt_pk_f32_bf8_e32 v[100:101], 0.5"},
      {"gfx1250", {0xd7720036, 0x000000ff, 0x40}, "v_cvt_pk_fp8_f16 v54, 64"},
      {"gfx1250", {0xd7720036, 0x000000ff, 0x41}, "v_cvt_pk_fp8_f16 v54, 0x41"},
      {"gfx900", {0xc400000f, 0}, "exp mrt0 v0, v0, v0, v0"},
      {"gfx900",
       {0xf0011f00, 0x00000005},
       "image_load v[0:4], v5, s[0:7] dmask:0xf unorm tfe"},
      {"gfx90a",
       {0xf0010100, 0x00020502},
       "image_load a5, v2, s[8:15] dmask:0x1"},
      {"gfx900",
       {0xf1140100, 0x00620501},
       "image_gather4_b v[5:8], v[1:2], s[8:15], s[12:15] dmask:0x1"},
      {"gfx908", {0xd4140001, 0}, "v_interp_p1_f32_e32 v5, v1, attr0.x"},
      {"gfx900",
       {0xd2700005, 0x40020400},
       "v_interp_p1_f32_e64 v5, -v2, attr0.x"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const aq_isa_decoder decoder = decoder_for(cases[i].target);
    char text[AQ_ISA_TEXT_SIZE];
    aq_diag diag = AQ_DIAG_INIT;
    aq_isa_inst inst;
    ck_assert_status(aq_isa_decode(&decoder, cases[i].words,
                                   sizeof cases[i].words, 0, &inst, &diag),
                     AQ_OK, &diag);
    aq_isa_print(&inst, text);
    ck_assert_str_eq(text, cases[i].text);
  }
}
END_TEST

/* The texts are llvm-mc-22's. */
START_TEST(scales_belong_to_the_matrix_instruction_behind_them)
{
  const aq_isa_decoder decoder = decoder_for("gfx950");
  static const struct {
    uint32_t words[4];
    const char *text;
  } cases[] = {
      {{0xd3ac0000, 0x00023318, 0xd3ad0800, 0x04521904},
       "v_mfma_scale_f32_16x16x128_f8f6f4 v[0:3], v[4:11], v[12:19], v[20:23], "
       "v24, v25 op_sel_hi:[0,0,0]"},
      {{0xd3ac7800, 0x18023318, 0xd3ad0800, 0x04521904},
       "v_mfma_scale_f32_16x16x128_f8f6f4 v[0:3], v[4:11], v[12:19], v[20:23], "
       "v24, v25 op_sel:[1,1,0] op_sel_hi:[1,1,0]"},
      {{0xd3ac0800, 0x10023318, 0xd3ad8a00, 0x8c521904},
       "v_mfma_scale_f32_16x16x128_f8f6f4 a[0:3], a[4:9], v[12:15], a[20:23], "
       "v24, v25 op_sel:[1,0,0] op_sel_hi:[0,1,0] cbsz:2 blgp:4"},
      {{0xd3ac0000, 0x00023318, 0xd3ae0800, 0x04521904},
       "v_mfma_scale_f32_32x32x64_f8f6f4 v[0:15], v[4:11], v[12:19], v[20:35], "
       "v24, v25 op_sel_hi:[0,0,0]"},
      {{0xd3ac0000, 0x00023318, 0xd3ad0000, 0x04521904},
       "v_mfma_ld_scale_b32 v24, v25 op_sel_hi:[0,0]"},
      {{0xd3ae0200, 0x84823110, 0, 0},
       "v_mfma_f32_32x32x64_f8f6f4 v[0:15], v[16:21], v[24:27], v[32:47] "
       "cbsz:2 blgp:4"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[AQ_ISA_TEXT_SIZE];
    aq_isa_inst inst;
    ck_assert_int_eq(
        aq_isa_decode(&decoder, cases[i].words, 16, 0, &inst, NULL), AQ_OK);
    aq_isa_print(&inst, text);
    ck_assert_str_eq(text, cases[i].text);
    ck_assert_uint_eq(inst.size, strstr(text, "_scale_f32") ? 16 : 8);
  }
  /* Without scales, the second half is no instruction. */
  aq_isa_inst inst;
  ck_assert_int_eq(
      aq_isa_decode(&decoder, cases[0].words + 2, 8, 0, &inst, NULL),
      AQ_ERR_INPUT);
}
END_TEST

START_TEST(any_bits_decode_and_print_within_bounds)
{
  static const char *const targets[] = {"gfx900", "gfx906", "gfx908",
                                        "gfx90a", "gfx942", "gfx950"};
  aq_rng rng;
  aq_rng_init(&rng, 16, 0);
  for (size_t t = 0; t < sizeof targets / sizeof *targets; t++) {
    const aq_isa_decoder decoder = decoder_for(targets[t]);
    size_t decoded = 0;
    for (unsigned i = 0; i < 200000; i++) {
      const uint64_t bits = aq_rng_bits(&rng);
      char text[AQ_ISA_TEXT_SIZE];
      aq_isa_inst inst;
      if (aq_isa_decode(&decoder, &bits, sizeof bits, 0, &inst, NULL))
        continue;
      decoded++;
      ck_assert(inst.size == 4 || inst.size == 8);
      ck_assert_uint_le(inst.operand_count, AQ_ISA_OPERANDS);
      aq_isa_print(&inst, text);
      ck_assert_uint_lt(strlen(text), AQ_ISA_TEXT_SIZE - 1);
    }
    ck_assert_uint_gt(decoded, 10000);
  }
}
END_TEST

/* Texts of llvm-objdump-22: each case is a field that gfx9 does not have. */
START_TEST(encodings_of_rdna_have_llvm_objdumps_text)
{
  static const struct {
    const char *target;
    uint32_t words[3];
    unsigned size;
    const char *text;
  } cases[] = {
      {"gfx1030",
       {0xdc304000, 0x01010000},
       8,
       "scratch_load_dword v1, off, s1"},
      {"gfx1030",
       {0x080a04fa, 0x00016f01},
       8,
       "v_sub_f32_dpp v5, v1, v2 row_xmask:15 row_mask:0x0 bank_mask:0x0"},
      {"gfx1030",
       {0x040a04ea, 0x05397701},
       8,
       "v_dot2c_f32_f16_dpp v5, v1, v2 dpp8:[7,6,5,4,3,2,1,0] fi:1"},
      {"gfx1030",
       {0x7d1304ff, 0x3800},
       8,
       "v_cmp_lt_i16_e32 vcc_lo, 0x3800, v130"},
      {"gfx1010", {0xf4040301, 0}, 8, "s_load_dwordx2 s[12:13], s[2:3], s0"},
      {"gfx1100", {0xbe80007c}, 4, "s_mov_b32 s0, null"},
      {"gfx1100", {0xbefd0080}, 4, "s_mov_b32 m0, 0"},
      {"gfx1100",
       {0xd65d0905, 0x41aa04fa, 0x01015f01},
       12,
       "v_cndmask_b16_e64_dpp v5.l, |v1.h|, -v2.l, vcc_lo row_share:15 "
       "row_mask:0x0 bank_mask:0x1"},
      {"gfx1100",
       {0xc883ff01, 0xff07ffff, 0xaf123456},
       12,
       "v_dual_fmamk_f32 v255, v1, 0xaf123456, v255 :: v_dual_fmaak_f32 v6, "
       "v255, v255, 0xaf123456"},
      {"gfx1100",
       {0xbf870211},
       4,
       "s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | "
       "instid1(VALU_DEP_4)"},
      {"gfx1150", {0xbf5102ff, 0x3800}, 8, "s_cmp_lt_f16 0x3800, s2"},
      {"gfx1200",
       {0xee158000, 0x01000000, 0x00004000},
       12,
       "global_atomic_add_f32 v0, v2, s[0:1] offset:64"},
      {"gfx1200",
       {0xf4420170, 0},
       8,
       "s_buffer_load_b32 s5, s[96:99], s0 offset:0x0 scope:SCOPE_DEV"},
      {"gfx1200",
       {0xcc54480c, 0x1c520900},
       8,
       "v_swmmac_i32_16x16x32_iu8 v[12:19], v[0:1], v[4:7], v20 index_key:1"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const aq_isa_decoder decoder = decoder_for(cases[i].target);
    char text[AQ_ISA_TEXT_SIZE];
    aq_isa_inst inst;
    ck_assert_int_eq(aq_isa_decode(&decoder, cases[i].words,
                                   sizeof cases[i].words, 0, &inst, NULL),
                     AQ_OK);
    aq_isa_print(&inst, text);
    ck_assert_str_eq(text, cases[i].text);
    ck_assert_uint_eq(inst.size, cases[i].size);
    ck_assert_int_eq(
        aq_isa_decode(&decoder, cases[i].words, inst.size - 1, 0, &inst, NULL),
        AQ_ERR_INPUT);
  }
}
END_TEST

/* 64 lanes hold a matrix in half as many registers, but A and B of gfx11. */
START_TEST(matrices_have_registers_by_the_width_of_a_wave)
{
  static const struct {
    const char *gfx, *narrow, *wide;
  } cases[] = {
      {"gfx1200", "v_wmma_f32_16x16x16_f16 v[16:23], v[0:3], v[8:11], v[16:23]",
       "v_wmma_f32_16x16x16_f16 v[16:19], v[0:1], v[8:9], v[16:19]"},
      {"gfx1100", "v_wmma_f32_16x16x16_f16 v[16:23], v[0:7], v[8:15], v[16:23]",
       "v_wmma_f32_16x16x16_f16 v[16:19], v[0:7], v[8:15], v[16:19]"}};
  const uint32_t words[] = {0xcc404010, 0x1c421100};
  char text[AQ_ISA_TEXT_SIZE];
  aq_isa_inst inst;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    aq_isa_decoder decoder = decoder_for(cases[i].gfx);
    for (int wide = 0; wide < 2; wide++) {
      decoder.wave32 = !wide;
      ck_assert_int_eq(aq_isa_decode(&decoder, words, 8, 0, &inst, NULL),
                       AQ_OK);
      aq_isa_print(&inst, text);
      ck_assert_str_eq(text, wide ? cases[i].wide : cases[i].narrow);
    }
  }
}
END_TEST

/* Masks of lanes are a register or a pair. */
START_TEST(the_width_of_a_wave_is_that_of_its_masks)
{
  aq_isa_decoder decoder = decoder_for("gfx1030");
  const uint32_t words[] = {0xd4010004, 0x00020501};
  char text[AQ_ISA_TEXT_SIZE];
  aq_isa_inst inst;
  ck_assert_int_eq(aq_isa_decode(&decoder, words, 8, 0, &inst, NULL), AQ_OK);
  aq_isa_print(&inst, text);
  ck_assert_str_eq(text, "v_cmp_lt_f32_e64 s4, v1, v2");
  decoder.wave32 = false;
  ck_assert_int_eq(aq_isa_decode(&decoder, words, 8, 0, &inst, NULL), AQ_OK);
  aq_isa_print(&inst, text);
  ck_assert_str_eq(text, "v_cmp_lt_f32_e64 s[4:5], v1, v2");
}
END_TEST

/* The words are llvm-mc-22's. */
START_TEST(words_of_graphics_on_rdna_are_named)
{
  static const struct {
    const char *processor, *kind;
    uint32_t word;
  } cases[] = {
      {"gfx1030", "an image instruction", 0xf09c0108}, /* image_sample_lz */
      {"gfx1100", "an image instruction", 0xf0000100}, /* image_load */
      {"gfx1201", "an image instruction", 0xd0400000}, /* image_load */
      {"gfx1201", "an image instruction", 0xe447c001}, /* image_sample_lz */
      {"gfx1030", "an export", 0xf800000f},
      {"gfx1201", "an export", 0xf800000f},
      {"gfx1030", "an interpolation", 0xc8000001}, /* v_interp_p1_f32 */
      {"gfx1100", NULL, 0xc8000001},               /* VOPD */
      {"gfx1201", NULL, 0xf0000100},
      {"gfx942", NULL, 0xf0000100},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const aq_isa_decoder decoder = decoder_for(cases[i].processor);
    const char *kind = aq_isa_graphics_kind(decoder.target, cases[i].word);
    ck_assert_pstr_eq(kind, cases[i].kind);
  }
}
END_TEST

/* clang 15 sets every modifier of a source for a flag of the builtin; texts of
 * llvm-mc 15 -disassemble. It takes neither clamp nor omod. */
START_TEST(permutations_of_rows_may_have_stray_modifiers)
{
  static const struct {
    const char *processor;
    uint32_t words[2];
    const char *text;
  } cases[] = {
      {"gfx1010",
       {0xd7771204, 0x42010103},
       "v_permlane16_b32 v4, v3, 0, 0 op_sel:[0,1]"},
      {"gfx1030",
       {0xd7781204, 0x42010103},
       "v_permlanex16_b32 v4, v3, 0, 0 op_sel:[0,1]"},
      {"gfx1030",
       {0xd7770804, 0x22010105},
       "v_permlane16_b32 v4, v5, 0, 0 op_sel:[1,0]"},
      {"gfx1030",
       {0xd7771f04, 0xe2010105},
       "v_permlane16_b32 v4, v5, 0, 0 op_sel:[1,1]"},
      {"gfx1030", {0xd7770704, 0x02010105}, "v_permlane16_b32 v4, v5, 0, 0"},
      {"gfx1030", {0xd7778004, 0x02010105}, NULL},
      {"gfx1030", {0xd7770004, 0x0a010105}, NULL}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const aq_isa_decoder decoder = decoder_for(cases[i].processor);
    char text[AQ_ISA_TEXT_SIZE];
    aq_isa_inst inst;
    ck_assert_int_eq(aq_isa_decode(&decoder, cases[i].words, 8, 0, &inst, NULL),
                     cases[i].text ? AQ_OK : AQ_ERR_INPUT);
    if (!cases[i].text)
      continue;
    aq_isa_print(&inst, text);
    ck_assert_str_eq(text, cases[i].text);
  }
}
END_TEST

AQ_TEST_MAIN("gpu/isa/decode", encodings_of_rdna_have_llvm_objdumps_text,
             the_width_of_a_wave_is_that_of_its_masks,
             matrices_have_registers_by_the_width_of_a_wave,
             a_processor_without_a_table_is_refused_by_name,
             an_unknown_word_is_refused_with_its_offset,
             an_instruction_that_is_cut_off_is_refused,
             an_opcode_belongs_to_its_targets,
             rare_encodings_have_llvm_objdumps_text,
             scales_belong_to_the_matrix_instruction_behind_them,
             any_bits_decode_and_print_within_bounds,
             permutations_of_rows_may_have_stray_modifiers,
             words_of_graphics_on_rdna_are_named)
