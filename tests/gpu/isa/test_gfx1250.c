/* SPDX-License-Identifier: MIT */
/* Random operands of every opcode of gfx1250, decoded and printed: LLVM's
 * assembler takes the text of each opcode, and its encoding has the same text
 * again, ours and llvm-objdump's. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assembled.h"
#include "common/rng.h"
#include "objdump.h"
#include "support/aqtest.h"

enum {
  PATH = 512,
  DRAWS = 24,
  TRIES = 400,
  ROWS = 4096,
  WORDS = 4,
};

typedef struct drawn {
  assembled texts;
  uint16_t *row; /* of each text */
} drawn;

/* ---- random words ---- */

/* Where an encoding has its first bits and its opcode, and the bits that are
 * drawn of the first word. */
static const struct {
  uint32_t bits, drawn;
  uint8_t shift;
} places[AQ_ISA_ENCODINGS] = {
    [AQ_ISA_SOP2] = {0x80000000, 0x007fffff, 23},
    [AQ_ISA_SOPK] = {0xb0000000, 0x007fffff, 23},
    [AQ_ISA_SOP1] = {0xbe800000, 0x007f00ff, 8},
    [AQ_ISA_SOPC] = {0xbf000000, 0x0000ffff, 16},
    [AQ_ISA_SOPP] = {0xbf800000, 0x0000ffff, 16},
    [AQ_ISA_SMEM] = {0xf4000000, 0x01f01fff, 13},
    [AQ_ISA_VOP2] = {0, 0x01ffffff, 25},
    [AQ_ISA_VOP1] = {0x7e000000, 0x01fe01ff, 9},
    [AQ_ISA_VOPC] = {0x7c000000, 0x0001ffff, 17},
    [AQ_ISA_VOP3] = {0xd4000000, 0x0000ffff, 16},
    [AQ_ISA_VOP3P] = {0xcc000000, 0x0000ffff, 16},
    [AQ_ISA_VOP3PX2] = {0xcc350000, 0x00006bff, 32},
    [AQ_ISA_VOPD] = {0xc8000000, 0x03c1ffff, 17},
    [AQ_ISA_VOPD3] = {0xcf000000, 0x0003f1ff, 18},
    [AQ_ISA_TENSOR] = {0xd0700001, 0x00000080, 14},
    [AQ_ISA_DS] = {0xd8000000, 0x0000ffff, 18},
    [AQ_ISA_FLAT] = {0xec000000, 0x000000ff, 14},
    [AQ_ISA_SCRATCH] = {0xed000000, 0x000000ff, 14},
    [AQ_ISA_GLOBAL] = {0xee000000, 0x000000ff, 14},
    [AQ_ISA_MUBUF] = {0xc4000000, 0x000000ff, 14},
};

/* A source of nine bits: a VGPR, mostly even, an SGPR or a constant. */
static uint32_t source_draw(aq_rng *rng)
{
  static const uint8_t codes[] = {8,   16,  104, 106, 124, 126, 128,
                                  129, 193, 240, 242, 255, 254};
  const uint64_t x = aq_rng_bits(rng);
  return x & 3 ? 256 | (uint32_t)(x >> 8 & (x & 8 ? 255 : 248))
               : codes[(x >> 8) % sizeof codes];
}

static uint32_t sources_draw(aq_rng *rng, const aq_isa_row *row)
{
  uint32_t word = 0;
  for (const char *at = row->operands; *at; at++)
    if (*at >= 'A' && *at <= 'C')
      word |= source_draw(rng) << (9 * (*at - 'A'));
  return word;
}

/* Registers where the operands of memory have theirs. */
static void memory_draw(aq_rng *rng, const aq_isa_row *row, uint32_t *w)
{
  const uint64_t x = aq_rng_bits(rng), y = aq_rng_bits(rng);
  const bool has_data = strchr(row->operands, 'B') != NULL;
  const bool returns = row->flags & AQ_ISA_RETURN;
  w[1] = (uint32_t)x & 0x003d0000;
  if (strchr(row->operands, 'D') && (!returns || w[1] >> 20 & 1))
    w[1] |= (uint32_t)(x >> 32) & 0xfe;
  w[1] |= has_data ? ((uint32_t)(x >> 40) & 0xfe) << 23 : 0;
  w[1] |= row->encoding == AQ_ISA_SCRATCH ? 0x20000 : 0;
  w[2] = ((uint32_t)y & 0xff) | ((uint32_t)y & 0x00ffff00);
  if (x >> 63)
    w[0] = (w[0] & ~0x7fu) | 0x7c;
  if (!*row->operands)
    w[0] = (w[0] & ~0xffu) | 0x7c, w[1] &= 0xc0000, w[2] = 0;
}

static void buffer_draw(aq_rng *rng, uint32_t *w)
{
  const uint64_t x = aq_rng_bits(rng);
  w[0] = (w[0] & ~0x7fu) | (x >> 62 ? 0x7c : 4);
  w[1] = ((uint32_t)x & 0xc03c00fe) | 1 << 23 | 8 << 9;
  w[2] = (uint32_t)(x >> 32) & 0x7fffffff;
}

/* Three sources, signs and the rest as it comes: the decoder and the assembler
 * say whether an instruction takes them. */
static void vector_draw(aq_rng *rng, const aq_isa_row *row, uint32_t *w)
{
  const uint64_t x = aq_rng_bits(rng);
  w[0] &= x & 3 ? ~0xff00u : ~0u;
  w[1] = sources_draw(rng, row) | (x & 12 ? 0 : (uint32_t)x & 0xf8000000);
  if (x & 16)
    w[0] &= ~1u;
  if (strncmp(row->name, "v_permlane", 10) == 0 && x & 32)
    w[1] = (w[1] & ~0x7fffe00u) | 8 << 9 | 16 << 18;
  if (row->encoding != AQ_ISA_VOP3P)
    return;
  if (row->flags & AQ_ISA_WMMA && x & 256) {
    w[0] = places[AQ_ISA_VOP3P].bits | (uint32_t)row->opcode << 16 |
           ((uint32_t)(x >> 32) & 0xf8);
    w[1] = 0x04020100 | ((uint32_t)(x >> 40) & 0xf8) | (x >> 48 & 0xf8) << 9 |
           (x >> 56 & 0xf8) << 18;
  }
  if (!(x & 3 << 5) || row->flags & AQ_ISA_WMMA)
    w[0] |= x & 128 ? 0x4000 : 0, w[1] |= 3u << 27;
  if (strncmp(row->name, "v_wmma_ld_", 10) == 0)
    w[0] &= 0xffff6b00, w[1] = (w[1] & 0x6803ffff) | 256u << 18;
}

static void scaled_draw(aq_rng *rng, const aq_isa_row *row, uint32_t *w)
{
  const uint64_t x = aq_rng_bits(rng);
  const bool by16 = row->opcode == 0x34 || row->opcode == 0x89;
  const bool narrow = row->opcode >= 0x88;
  w[0] = 0xcc350000 | ((uint32_t)x & 0x00006800) | (by16 ? 0x000f0000 : 0);
  w[0] = by16 ? (w[0] & 0xff00ffff) | 0x003a0000 : w[0];
  w[1] = 256 | ((uint32_t)(x >> 16) & 0xfe) | (256 | (x >> 24 & 0xfe)) << 9 |
         256u << 18;
  w[2] = 0xcc000000 | (row->opcode - by16) << 16 | ((uint32_t)(x >> 32) & 0xf8);
  w[3] = 0x04020100 | ((uint32_t)(x >> 40) & 0xf8) | (x >> 48 & 0xf8) << 9 |
         (x >> 56 & 0xf8) << 18;
  if (narrow)
    w[2] |= 0x4000, w[3] |= 3u << 27;
}

static void pair_draw(aq_rng *rng, const aq_isa_row *row, uint32_t *w)
{
  enum { MOV = 8, WIDE = 0x20, CNDMASK = 9 };
  const uint64_t x = aq_rng_bits(rng);
  if (row->encoding == AQ_ISA_VOPD) {
    w[1] = (source_draw(rng) & ~3u) | 1 | ((uint32_t)x & 0xfffffe00);
    return;
  }
  /* The row is X, or Y behind a move. */
  const bool second = row->opcode < WIDE && x & 1;
  const uint32_t b = (uint32_t)(x >> 8) & 0xfc, c = (uint32_t)(x >> 16) & 0x3c;
  const bool has_b = strchr(row->operands, 'B') != NULL;
  const bool has_c = strchr(row->operands, 'C') || row->flags & AQ_ISA_TRUTH;
  w[0] = 0xcf000000 | (uint32_t)(second ? MOV : row->opcode) << 18 |
         (uint32_t)(second ? row->opcode : MOV) << 12 | 256 | (x >> 24 & 0xfc);
  w[1] = 259 | ((uint32_t)(x >> 32) & 0xfc);
  w[2] = ((uint32_t)(x >> 40) & 0xfc) | (3 + ((uint32_t)(x >> 48) & 0xfc))
                                            << 24;
  if (second)
    w[2] |= (has_b ? b : 0) << 8 | (has_c ? c : 0) << 16;
  else
    w[1] |= (has_b ? b : 0) << 16 | (has_c ? c : 0) << 24;
}

static uint32_t literal_draw(aq_rng *rng)
{
  static const uint32_t literals[] = {0x12345678, 0x3fc00001, 0x7f, 0x1234};
  return literals[aq_rng_bits(rng) % 4];
}

static void words_draw(aq_rng *rng, const aq_isa_row *row, uint32_t w[WORDS])
{
  const uint64_t x = aq_rng_bits(rng), y = aq_rng_bits(rng);
  const uint8_t e = row->encoding;
  w[0] = places[e].bits | ((uint32_t)x & places[e].drawn) |
         (places[e].shift < 32 ? (uint32_t)row->opcode << places[e].shift : 0);
  for (unsigned i = 1; i < WORDS; i++)
    w[i] = literal_draw(rng);
  switch (e) {
  case AQ_ISA_SOPP:
    w[0] &= strchr(row->operands, 'M') ? 0xffff00ff : ~0u;
    break;
  case AQ_ISA_SMEM:
    w[1] = ((uint32_t)y & 0x007fffff) | (y >> 63 ? 0xf8000000 : 4u << 25);
    w[0] &= *row->operands ? y >> 62 & 1 ? ~0x01e00000u : ~0u : ~0x01f01fffu;
    break;
  case AQ_ISA_VOP2:
  case AQ_ISA_VOP1:
  case AQ_ISA_VOPC:
    w[0] = (w[0] & ~0x1ffu) | source_draw(rng);
    if (y & 8) /* of halves there are 128 in these encodings */
      w[0] &= ~(0x80u | (e != AQ_ISA_VOPC ? 1u << 24 : 0) |
                (e != AQ_ISA_VOP1 ? 1u << 16 : 0));
    if (!(y & 7))
      w[0] = (w[0] & ~0x1ffu) | 250,
      w[1] = 0xff010100 | ((uint32_t)y >> 8 & 255);
    break;
  case AQ_ISA_VOP3:
  case AQ_ISA_VOP3P:
    vector_draw(rng, row, w);
    break;
  case AQ_ISA_VOP3PX2:
    scaled_draw(rng, row, w);
    break;
  case AQ_ISA_VOPD:
  case AQ_ISA_VOPD3:
    pair_draw(rng, row, w);
    break;
  case AQ_ISA_TENSOR:
    w[1] = 0x7c000000 | ((uint32_t)y & 0x001c0000);
    w[2] = (y >> 63 ? 0x7c7c0000 : 0x14100000) | 0x0804;
    break;
  case AQ_ISA_DS:
    w[0] &= *row->operands ? ~0u : 0xffff0000;
    w[1] = 0;
    for (const char *at = row->operands; *at; at++)
      w[1] |= (uint32_t)(*at == 'D'   ? 8 << 24
                         : *at == 'A' ? 12
                         : *at == 'B' ? 16 << 8
                         : *at == 'C' ? 20 << 16
                                      : 0);
    break;
  case AQ_ISA_MUBUF:
    buffer_draw(rng, w);
    break;
  case AQ_ISA_FLAT:
  case AQ_ISA_SCRATCH:
  case AQ_ISA_GLOBAL:
    memory_draw(rng, row, w);
    break;
  default:
    break;
  }
}

/* ---- the test ---- */

static void texts_draw(drawn *of, const aq_isa_decoder *decoder)
{
  aq_rng rng;
  aq_rng_init(&rng, 1250, 0);
  for (size_t i = 0; i < aq_isa_row_count(); i++) {
    const aq_isa_row *row = aq_isa_row_at(i);
    unsigned draws = 0;
    for (unsigned k = 0;
         row->targets & AQ_ISA_GFX1250 && k < TRIES && draws < DRAWS; k++) {
      uint32_t words[WORDS];
      aq_isa_inst inst;
      words_draw(&rng, row, words);
      if (aq_isa_decode(decoder, words, sizeof words, 0, &inst, NULL) ||
          (inst.row != row && inst.second != row))
        continue;
      of->row[of->texts.count] = (uint16_t)i;
      aq_isa_print(&inst, of->texts.text[of->texts.count++]);
      draws++;
    }
  }
}

/* Rows of which the assembler took no text. */
static size_t missing_count(const drawn *of)
{
  bool *seen = calloc(aq_isa_row_count(), sizeof *seen);
  size_t missing = 0;
  ck_assert_ptr_nonnull(seen);
  for (size_t i = 0; i < of->texts.count; i++)
    seen[of->row[i]] |= !of->texts.refused[i];
  for (size_t i = 0; i < aq_isa_row_count(); i++) {
    const aq_isa_row *row = aq_isa_row_at(i);
    if (seen[i] || !(row->targets & AQ_ISA_GFX1250))
      continue;
    missing++;
    fprintf(stderr, "# no text of %s, opcode 0x%x of encoding %u\n", row->name,
            row->opcode, row->encoding);
    for (size_t k = 0; k < of->texts.count; k++)
      if (of->row[k] == i) {
        fprintf(stderr, "#   refused: %s\n", of->texts.text[k]);
        break;
      }
  }
  free(seen);
  return missing;
}

START_TEST(every_opcode_of_gfx1250_assembles_to_itself)
{
  objdump_comparison on = objdump_comparison_for("gfx1250", ASSEMBLED_STRIDE);
  drawn of = {.texts = {.text = calloc((size_t)ROWS * DRAWS, AQ_ISA_TEXT_SIZE),
                        .refused = calloc((size_t)ROWS * DRAWS, sizeof(bool))},
              .row = calloc((size_t)ROWS * DRAWS, sizeof *of.row)};
  char object[PATH];
  ck_assert(of.texts.text && of.row && of.texts.refused);
  if (!objdump_is_here()) {
    aqtest_skip("no llvm-mc-22 with llvm-objdump-22 here");
    return;
  }
  texts_draw(&of, &on.decoder);
  snprintf(object, sizeof object, "%s/trip.o", aqtest_tmpdir());
  assembled_make(&of.texts, "gfx1250", object);
  objdump_compare(&on, object);
  fprintf(stderr,
          "gfx1250: %zu random encodings, %zu texts are llvm-objdump's\n",
          of.texts.count, on.instructions);
  ck_assert_uint_eq(missing_count(&of), 0);
  ck_assert_uint_eq(on.failures, 0);
  free(of.texts.text);
  free(of.row);
  free(of.texts.refused);
}
END_TEST

/* Instructions behind an s_set_vgpr_msb, in each place of a VGPR. */
START_TEST(registers_of_other_banks_are_named_as_llvm_objdump_names_them)
{
  static const char source[] =
      "s_set_vgpr_msb 0xe4\n"
      "v_add_f32_e64 v0, -v1, |v2|\n"
      "v_fma_f32 v0, v1, v2, v3\n"
      "v_fmamk_f32 v0, v1, 0x12345678, v2\n"
      "v_fmaak_f32 v0, v1, v2, 0x12345678\n"
      "global_load_b32 v0, v1, s[2:3]\n"
      "global_store_b64 v1, v[2:3], s[2:3]\n"
      "global_atomic_cmpswap_b32 v3, v0, v[2:3], s[2:3] th:TH_ATOMIC_RETURN\n"
      "scratch_store_b32 v1, v2, off\n"
      "ds_store_2addr_b32 v0, v1, v2\n"
      "ds_cmpstore_rtn_b32 v0, v1, v2, v3\n"
      "buffer_load_b32 v0, v1, s[4:7], s3 offen\n"
      "buffer_store_b32 v0, v1, s[4:7], s3 offen\n"
      "v_dual_fma_f32 v0, v1, v2, v3 :: v_dual_fma_f32 v5, v6, v8, v12\n"
      "v_dual_fmamk_f32 v0, v1, 0x12345678, v2 :: v_dual_fmac_f32 v5, v6, v7\n"
      "v_dual_fmac_f32 v0, v1, v2 :: v_dual_fmac_f32 v5, v6, v7\n"
      "v_wmma_f32_16x16x32_f16 v[24:31], v[0:7], v[8:15], v[16:23]\n"
      "v_wmma_scale_f32_16x16x128_f8f6f4 v[0:7], v[8:23], v[24:39], v[40:47], "
      "v1, v2\n"
      "v_readlane_b32 s0, v1, 3\n"
      "v_mad_co_u64_u32 v[0:1], s2, v2, v3, v[4:5]\n"
      "s_cbranch_scc0 0\n"
      "v_mov_b32 v0, v1\n";
  char path[PATH], command[3 * PATH];
  objdump_comparison on = objdump_comparison_for("gfx1250", 4);
  if (!objdump_is_here()) {
    aqtest_skip("no llvm-mc-22 with llvm-objdump-22 here");
    return;
  }
  const char *text = aqtest_write("banks.s", source, sizeof source - 1);
  snprintf(path, sizeof path, "%s/banks.o", aqtest_tmpdir());
  snprintf(command, sizeof command,
           "llvm-mc-22 -triple=amdgcn-amd-amdhsa -mcpu=gfx1250 -filetype=obj "
           "-o %s %s",
           path, text);
  ck_assert_int_eq(system(command), 0); /* NOLINT: paths of ours */
  objdump_compare(&on, path);
  ck_assert_uint_eq(on.failures, 0);
  ck_assert_uint_eq(on.instructions, 22);
}
END_TEST

AQ_TEST_MAIN("gpu/isa/gfx1250", every_opcode_of_gfx1250_assembles_to_itself,
             registers_of_other_banks_are_named_as_llvm_objdump_names_them)
