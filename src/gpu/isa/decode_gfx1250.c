/* SPDX-License-Identifier: MIT */
/* Encodings that only gfx1250 has: VOPD3, matrices with scales, tensors. */
#include "config.h"

#include <string.h>

#include "gpu/isa/control_flow.h"
#include "gpu/isa/decode.h"
#include "gpu/isa/table.h"

/* ---- which encoding ---- */

/* The opcodes of halves. A row of VOP3PX2 with scales of 16 elements follows
 * that with scales of 32. */
enum {
  LOAD_SCALE = 0x35,
  LOAD_SCALE16 = 0x3a,
  MIXED = 0x33, /* v_wmma_f32_16x16x128_f8f6f4 */
  NARROW = 0x88 /* v_wmma_f32_32x16x128_f4 */
};

static bool matrix_fields_are_zero(uint32_t w, uint32_t w1)
{
  return !(aq_isa_field(w, 8, 2) | aq_isa_bit(w, 15) | aq_isa_field(w1, 29, 2));
}

/* Scales in front of a matrix instruction whose fields are as they must be. */
static const aq_isa_row *scaled_row(const aq_isa_decoder *decoder,
                                    const uint32_t words[4])
{
  enum { VOP3P = 0xcc };
  const uint32_t first = aq_isa_field(words[0], 16, 8);
  const uint32_t second = aq_isa_field(words[2], 16, 8);
  if ((first != LOAD_SCALE && first != LOAD_SCALE16) ||
      words[2] >> 24 != VOP3P || (second != MIXED && second != NARROW) ||
      !matrix_fields_are_zero(words[2], words[3]))
    return NULL;
  return aq_isa_table_find(decoder, AQ_ISA_VOP3PX2,
                           second + (first == LOAD_SCALE16));
}

/* VOP3P, alone or with scales, or VOPD3. */
const aq_isa_row *aq_isa_gfx1250_row(const aq_isa_decoder *decoder,
                                     const uint32_t words[4], uint8_t *size)
{
  enum { PACKED = 0, PAIRED = 3 };
  const uint32_t w = words[0], kind = aq_isa_field(w, 24, 2);
  if (kind == PAIRED) {
    *size = 12;
    return aq_isa_table_find(decoder, AQ_ISA_VOPD3, aq_isa_field(w, 18, 6));
  }
  if (kind != PACKED)
    return NULL;
  const aq_isa_row *scaled = scaled_row(decoder, words);
  *size = scaled ? 16 : 8;
  return scaled
             ? scaled
             : aq_isa_table_find(decoder, AQ_ISA_VOP3P, aq_isa_field(w, 16, 8));
}

const aq_isa_row *aq_isa_gfx1250_tensor_row(const aq_isa_decoder *decoder,
                                            uint32_t w)
{
  enum { FIRST = 0x1c0, COUNT = 32 };
  const uint32_t op = aq_isa_field(w, 14, 9) - FIRST;
  return op < COUNT && aq_isa_field(w, 23, 3) == 0
             ? aq_isa_table_find(decoder, AQ_ISA_TENSOR, op)
             : NULL;
}

/* ---- two instructions in one ---- */

/* A half with a place for each source, and for their signs. */
static bool long_half_decode(aq_isa_inst *inst, const aq_isa_row *row,
                             uint32_t a, uint32_t b, uint32_t c, uint32_t d,
                             uint32_t signs)
{
  for (const char *at = row->operands; *at;) {
    aq_isa_operand o = aq_isa_token_read(inst, &at);
    const unsigned number = (unsigned)(o.role - 'A');
    if ((o.role == 'D' && !aq_isa_vector_set(&o, d)) ||
        (o.role == 'A' && !aq_isa_source_set(inst, &o, a)) ||
        (o.role == 'B' && !aq_isa_vector_set(&o, b)) ||
        (o.role == 'C' && !(o.file == 's' ? aq_isa_scalar_set(inst, &o, c)
                                          : aq_isa_vector_set(&o, c))) ||
        (o.file == 's' && o.code >= AQ_ISA_LDS_DIRECT))
      return false;
    if (o.role != 'D' && o.type == 'f' && signs >> number & 1)
      o.modifiers = AQ_ISA_NEG;
    aq_isa_operand_add(inst, o);
  }
  if (row->flags & AQ_ISA_TRUTH)
    inst->imm = (uint16_t)c;
  return true;
}

bool aq_isa_vopd3_decode(const aq_isa_decoder *decoder, aq_isa_inst *inst)
{
  enum { Y_ONLY = 0x12, Y_FIRST = 0x17, WIDE = 0x20 };
  const uint32_t *w = inst->words;
  const uint32_t x = aq_isa_field(w[0], 18, 6), y = aq_isa_field(w[0], 12, 6);
  inst->second = aq_isa_table_find(decoder, AQ_ISA_VOPD3, y);
  if (!inst->second || x == Y_ONLY || (x >= Y_FIRST && x < WIDE) || y >= WIDE ||
      !long_half_decode(inst, inst->row, aq_isa_field(w[0], 0, 9),
                        aq_isa_field(w[1], 16, 8), aq_isa_field(w[1], 24, 8),
                        aq_isa_field(w[2], 0, 8), aq_isa_field(w[1], 9, 3)))
    return false;
  inst->first_count = inst->operand_count;
  return long_half_decode(inst, inst->second, aq_isa_field(w[1], 0, 9),
                          aq_isa_field(w[2], 8, 8), aq_isa_field(w[2], 16, 8),
                          aq_isa_field(w[2], 24, 8), aq_isa_field(w[1], 12, 3));
}

/* ---- matrices ---- */

/* Bits of a type's matrix: 128 elements of 8, 6 or 4 bits in each row. */
static uint16_t matrix_bits(uint32_t format)
{
  return format < 2 ? 512 : format < 4 ? 384 : 256;
}

static bool matrix_operand(aq_isa_inst *inst, aq_isa_operand *o, uint32_t w,
                           uint32_t w1)
{
  const unsigned number = (unsigned)(o->role - 'A');
  const uint32_t code = o->role == 'D'
                            ? aq_isa_field(w, 0, 8) + AQ_ISA_CODE_VGPR
                            : aq_isa_field(w1, 9 * number, 9);
  if (o->role == 'C' && aq_isa_bit(w1, 31))
    o->modifiers = AQ_ISA_NEG;
  return (o->role == 'C' || code >= AQ_ISA_CODE_VGPR) &&
         aq_isa_source_set(inst, o, code);
}

bool aq_isa_gfx1250_mixed_decode(aq_isa_inst *inst, uint32_t w, uint32_t w1)
{
  const bool narrow = aq_isa_field(w, 16, 8) == NARROW;
  if (!narrow) {
    /* Types, in the place of the selection: three bits each. */
    inst->cbsz = (uint8_t)aq_isa_field(w, 11, 3);
    inst->blgp =
        (uint8_t)(aq_isa_field(w1, 27, 2) | aq_isa_field(w, 14, 1) << 2);
  }
  if (!matrix_fields_are_zero(w, w1) || inst->cbsz > 4 || inst->blgp > 4)
    return false;
  for (const char *at = inst->row->operands; *at;) {
    aq_isa_operand o = aq_isa_token_read(inst, &at);
    if (o.role == 'Q' || o.role == 'U')
      break;
    if (!narrow && (o.role == 'A' || o.role == 'B'))
      o.bits = matrix_bits(o.role == 'A' ? inst->cbsz : inst->blgp);
    if (!matrix_operand(inst, &o, w, w1))
      return false;
    aq_isa_operand_add(inst, o);
  }
  inst->neg_hi = (uint8_t)aq_isa_field(w, 8, 3);
  inst->op_sel_hi = 7;
  return true;
}

bool aq_isa_gfx1250_scaled_decode(aq_isa_inst *inst)
{
  const uint32_t w = inst->words[0], w1 = inst->words[1];
  if (inst->row->encoding == AQ_ISA_VOP3PX2 &&
      !aq_isa_gfx1250_mixed_decode(inst, inst->words[2], inst->words[3]))
    return false;
  for (unsigned i = 0; i < 2; i++) {
    aq_isa_operand scale = {.role = i ? 'U' : 'Q',
                            .type = 'b',
                            .bits = aq_isa_field(w, 16, 8) == LOAD_SCALE16 ? 64
                                                                           : 32,
                            .select = 6};
    if (!aq_isa_source_set(inst, &scale, aq_isa_field(w1, 9 * i, 9)))
      return false;
    aq_isa_operand_add(inst, scale);
  }
  return true;
}

/* ---- tensors ---- */

/* Descriptors; null is one that is not there. */
bool aq_isa_tensor_decode(aq_isa_inst *inst)
{
  const uint32_t w2 = inst->words[2];
  const uint32_t codes[] = {aq_isa_field(w2, 0, 8), aq_isa_field(w2, 8, 8),
                            aq_isa_field(w2, 16, 8), aq_isa_field(w2, 24, 8)};
  unsigned i = 0;
  aq_isa_cache_decode(inst, inst->words[1]);
  const bool whole = codes[2] != AQ_ISA_M0 || codes[3] != AQ_ISA_M0;
  for (const char *at = inst->row->operands; *at && (i < 2 || whole);) {
    aq_isa_operand o = aq_isa_token_read(inst, &at);
    if (!aq_isa_scalar_set(inst, &o, codes[i++]))
      return false;
    aq_isa_operand_add(inst, o);
  }
  return true;
}

/* ---- banks of VGPRs ---- */

void aq_isa_banks_set(aq_isa_inst *inst, uint8_t banks)
{
  static const char sources[] = "ABC";
  enum { DESTINATION = 3 };
  bool literal = false;
  for (unsigned i = 0; i < inst->operand_count; i++) {
    aq_isa_operand *o = &inst->operands[i];
    const char *source = strchr(sources, o->role);
    if (i == inst->first_count)
      literal = false;
    literal |= o->role == 'K';
    if (o->file != 'v' || (o->role != 'D' && !source))
      continue;
    /* Behind a literal stands the addend. */
    const unsigned place = o->role == 'D' ? DESTINATION
                           : literal      ? 2
                                          : (unsigned)(source - sources);
    o->bank = banks >> (2 * place) & 3;
  }
}

uint8_t aq_isa_banks_next(const aq_isa_inst *inst, uint8_t banks)
{
  if (strcmp(inst->row->name, "s_set_vgpr_msb") == 0)
    return (uint8_t)inst->imm;
  switch (aq_isa_flow_of(inst)) {
  case AQ_ISA_FLOW_NEXT:
  case AQ_ISA_FLOW_CALL:
  case AQ_ISA_FLOW_INDIRECT_CALL:
    return banks;
  default:
    return 0;
  }
}
