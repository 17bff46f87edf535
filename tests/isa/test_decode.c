/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "common/rng.h"
#include "isa/isa.h"
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
  ck_assert_status(aq_target_parse("gfx1100", 7, &target, &diag), AQ_OK, &diag);
  ck_assert_int_eq(aq_isa_decoder_init(&decoder, target.processor, &diag),
                   AQ_ERR_UNSUPPORTED);
  ck_assert_ptr_nonnull(strstr(diag.text, "gfx1100"));
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

AQ_TEST_MAIN("isa/decode", a_processor_without_a_table_is_refused_by_name,
             an_unknown_word_is_refused_with_its_offset,
             an_instruction_that_is_cut_off_is_refused,
             an_opcode_belongs_to_its_targets,
             any_bits_decode_and_print_within_bounds)
