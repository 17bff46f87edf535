/* SPDX-License-Identifier: MIT */
/* Random bits of every opcode of gfx9 and of gfx10's images, decoded and
 * printed: LLVM's assembler takes the text, and its encoding has the same text
 * again, ours and llvm-objdump's. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assembled.h"
#include "common/rng.h"
#include "objdump.h"
#include "support/aqtest.h"

enum { ROWS = 2048, PATH = 512, QUICK = 2, ALL = 40 };

/* Where an encoding has its first bits and its opcode. */
static const struct {
  uint32_t bits;
  uint8_t shift, width; /* of the opcode */
} places[AQ_ISA_ENCODINGS] = {
    [AQ_ISA_SOP2] = {0x80000000, 23, 7},
    [AQ_ISA_SOPK] = {0xb0000000, 23, 5},
    [AQ_ISA_SOP1] = {0xbe800000, 8, 8},
    [AQ_ISA_SOPC] = {0xbf000000, 16, 7},
    [AQ_ISA_SOPP] = {0xbf800000, 16, 7},
    [AQ_ISA_SMEM] = {0xc0000000, 18, 8},
    [AQ_ISA_VOP2] = {0, 25, 6},
    [AQ_ISA_VOP1] = {0x7e000000, 9, 8},
    [AQ_ISA_VOPC] = {0x7c000000, 17, 8},
    [AQ_ISA_VOP3] = {0xd0000000, 16, 10},
    [AQ_ISA_VOP3P] = {0xd3800000, 16, 7},
    [AQ_ISA_DS] = {0xd8000000, 17, 8},
    [AQ_ISA_FLAT] = {0xdc000000, 18, 7},
    [AQ_ISA_SCRATCH] = {0xdc004000, 18, 7},
    [AQ_ISA_GLOBAL] = {0xdc008000, 18, 7},
    [AQ_ISA_MUBUF] = {0xe0000000, 18, 7},
    [AQ_ISA_MTBUF] = {0xe8000000, 15, 4},
    [AQ_ISA_MIMG] = {0xf0000000, 18, 7},
    [AQ_ISA_EXP] = {0xc4000000, 26, 0},
    [AQ_ISA_VINTRP] = {0xd4000000, 16, 2},
};

/* The bits outside of operands. */
static uint32_t fixed_bits(uint8_t encoding)
{
  switch (encoding) {
  case AQ_ISA_SOP2:
    return 0xff800000;
  case AQ_ISA_SOPK:
    return 0xff800000;
  case AQ_ISA_SOP1:
    return 0xff80ff00;
  case AQ_ISA_SOPC:
  case AQ_ISA_SOPP:
    return 0xffff0000;
  case AQ_ISA_VOP2:
    return 0xfe000000;
  case AQ_ISA_VOP1:
    return 0xfe01fe00;
  case AQ_ISA_VOPC:
    return 0xfffe0000;
  case AQ_ISA_VOP3P:
    return 0xffff0000;
  case AQ_ISA_FLAT:
  case AQ_ISA_SCRATCH:
  case AQ_ISA_GLOBAL:
    return 0xfdfcc000;
  default:
    return 0xfc000000 | ((1u << places[encoding].width) - 1)
                            << places[encoding].shift;
  }
}

/* Random operands; the second word has few ones, which most fields need. Only
 * images of RDNA have more words. */
static void words_draw(aq_rng *rng, const aq_isa_row *row, uint32_t words[4])
{
  const uint32_t fixed = fixed_bits(row->encoding);
  const uint64_t x = aq_rng_bits(rng), y = aq_rng_bits(rng);
  const uint32_t opcode = (uint32_t)row->opcode << places[row->encoding].shift;
  words[0] = places[row->encoding].bits | opcode | ((uint32_t)x & ~fixed);
  words[2] = (uint32_t)y;
  words[3] = (uint32_t)(y >> 32);
  words[1] = (uint32_t)(x >> 32) & (y & 1 ? UINT32_MAX : (uint32_t)(y >> 32));
  if (row->encoding == AQ_ISA_VOP3 || row->encoding == AQ_ISA_VOP3P)
    words[1] |= y & 2 ? 0x04020100 : 0;
  if (row->encoding >= AQ_ISA_VOP2 && row->encoding <= AQ_ISA_VOPC && y & 4)
    words[0] = (words[0] & ~0x1ffu) | (y & 8 ? 249 : 250); /* SDWA, DPP */
}

static size_t target_compare(const char *gfx, unsigned draws)
{
  objdump_comparison on = objdump_comparison_for(gfx, ASSEMBLED_STRIDE);
  assembled of = {.text = calloc(ROWS * (size_t)draws, sizeof *of.text),
                  .refused = calloc(ROWS * (size_t)draws, sizeof *of.refused)};
  const bool rdna = on.decoder.target & AQ_ISA_RDNA;
  char object[PATH];
  aq_rng rng;
  ck_assert(of.text && of.refused);
  aq_rng_init(&rng, 22, 0);
  for (size_t i = 0; i < aq_isa_row_count(); i++)
    for (unsigned k = 0; k < draws; k++) {
      const aq_isa_row *row = aq_isa_row_at(i);
      uint32_t words[4];
      aq_isa_inst inst;
      words_draw(&rng, row, words);
      if (!(row->targets & on.decoder.target) ||
          (rdna && row->encoding != AQ_ISA_MIMG) ||
          aq_isa_decode(&on.decoder, words, sizeof words, 0, &inst, NULL))
        continue;
      aq_isa_print(&inst, of.text[of.count++]);
    }
  snprintf(object, sizeof object, "%s/trip.o", aqtest_tmpdir());
  const size_t refused = assembled_make(&of, gfx, object);
  objdump_compare(&on, object);
  fprintf(stderr,
          "%s: %zu random encodings, of which the assembler refuses %zu; %zu "
          "texts are llvm-objdump's\n",
          gfx, of.count, refused, on.instructions);
  /* Of random images the assembler refuses masks that do not suit the data. */
  ck_assert_uint_gt(of.count - refused, of.count / (rdna ? 6 : 3));
  free(of.text);
  free(of.refused);
  return on.failures;
}

START_TEST(texts_of_random_encodings_assemble_to_themselves)
{
  static const char *const targets[] = {"gfx950",  "gfx90a", "gfx1030",
                                        "gfx1010", "gfx942", "gfx900",
                                        "gfx906",  "gfx908"};
  const bool all = getenv("AQ_ORACLES");
  size_t failures = 0;
  if (!objdump_is_here()) {
    aqtest_skip("no llvm-mc-22 with llvm-objdump-22 here");
    return;
  }
  for (size_t i = 0; i < (all ? sizeof targets / sizeof *targets : 3); i++)
    failures += target_compare(targets[i], all ? ALL : QUICK);
  ck_assert_uint_eq(failures, 0);
}
END_TEST

AQ_TEST_MAIN("gpu/isa/roundtrip",
             texts_of_random_encodings_assemble_to_themselves)
