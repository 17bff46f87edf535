/* SPDX-License-Identifier: MIT */
/* VOP1, VOP2, VOPC, VOP3, VOP3P and their forms. */
#include "config.h"

#include <string.h>

#include "gpu/isa/decode.h"

/* Source codes that select another form of VOP1, VOP2 and VOPC. */
enum {
  CODE_DPP8 = 233,
  CODE_DPP8_FETCH = 234, /* and reads lanes that are off */
  CODE_SDWA = 249,
  CODE_DPP = 250,
};

static bool code_is_dpp(const aq_isa_inst *inst, uint32_t code)
{
  return code == CODE_DPP || (inst->target & AQ_ISA_RDNA &&
                              (code == CODE_DPP8 || code == CODE_DPP8_FETCH));
}

static bool code_is_sdwa(const aq_isa_inst *inst, uint32_t code)
{
  return code == CODE_SDWA && !(inst->target & AQ_ISA_FROM_GFX11);
}

/* A VGPR, or on gfx11 half of one of the first 128. */
static bool short_vector_set(const aq_isa_inst *inst, aq_isa_operand *operand,
                             uint32_t number)
{
  if (!aq_isa_operand_is_half(inst, operand))
    return aq_isa_vector_set(operand, number);
  operand->select = (uint8_t)(4 + (number >> 7));
  return aq_isa_vector_set(operand, number & 127);
}

static bool sdwa_decode(aq_isa_inst *inst)
{
  const uint32_t w = inst->words[1];
  const bool compare = inst->row->encoding == AQ_ISA_VOPC;
  if (inst->row->flags & AQ_ISA_NO_SDWA)
    return false;
  inst->form = AQ_ISA_SDWA;
  if (!compare) {
    inst->dst_sel = (uint8_t)aq_isa_field(w, 8, 3);
    inst->dst_unused = (uint8_t)aq_isa_field(w, 11, 2);
    inst->clamp = aq_isa_bit(w, 13);
    inst->omod = (uint8_t)aq_isa_field(w, 14, 2);
  }
  for (unsigned i = 0; i < inst->operand_count; i++) {
    aq_isa_operand *o = &inst->operands[i];
    if (o->role == 'D' && compare && aq_isa_bit(w, 15) &&
        !aq_isa_scalar_set(inst, o, aq_isa_field(w, 8, 7)))
      return false;
    if (o->role != 'A' && o->role != 'B')
      continue;
    const uint32_t half = o->role == 'A' ? w >> 16 : w >> 24;
    const uint32_t code = o->role == 'A' ? aq_isa_field(w, 0, 8) : o->code;
    o->file = 0;
    if (!(aq_isa_bit(half, 7) ? aq_isa_scalar_set(inst, o, code)
                              : aq_isa_vector_set(o, code)) ||
        (o->file == 's' && code == AQ_ISA_LITERAL))
      return false;
    o->select = (uint8_t)aq_isa_field(half, 0, 3);
    o->modifiers = (uint8_t)((aq_isa_bit(half, 3) ? AQ_ISA_SEXT : 0) |
                             (aq_isa_bit(half, 4) ? AQ_ISA_NEG : 0) |
                             (aq_isa_bit(half, 5) ? AQ_ISA_ABS : 0));
    if (o->bits > AQ_ISA_BITS_MAX)
      o->modifiers = 0; /* halves have no signs here */
    if (o->modifiers & (o->type == 'f' ? AQ_ISA_SEXT : AQ_ISA_NEG | AQ_ISA_ABS))
      return false;
  }
  return true;
}

/* The word of DPP behind a short instruction, which has the signs too, or
 * behind VOP3. */
static bool dpp_decode(aq_isa_inst *inst, uint32_t code, uint32_t w, bool e64)
{
  const bool lanes8 = code != CODE_DPP;
  if (inst->row->flags & (e64 ? AQ_ISA_NO_DPP64 : AQ_ISA_NO_DPP))
    return false;
  inst->form = (uint8_t)(lanes8 ? (e64 ? AQ_ISA_E64_DPP8 : AQ_ISA_DPP8)
                                : (e64 ? AQ_ISA_E64_DPP : AQ_ISA_DPP));
  if (lanes8) {
    inst->lanes = w >> 8;
    inst->fetch_inactive = code == CODE_DPP8_FETCH;
  } else {
    inst->dpp_ctrl = (uint16_t)aq_isa_field(w, 8, 9);
    inst->fetch_inactive = inst->target & AQ_ISA_RDNA && aq_isa_bit(w, 18);
    inst->bound_ctrl = aq_isa_bit(w, 19);
    inst->bank_mask = (uint8_t)aq_isa_field(w, 24, 4);
    inst->row_mask = (uint8_t)aq_isa_field(w, 28, 4);
  }
  for (unsigned i = 0; i < inst->operand_count; i++) {
    aq_isa_operand *o = &inst->operands[i];
    if (o->role != 'A' && o->role != 'B')
      continue;
    if (o->role == 'A') {
      o->file = 0;
      if (e64)
        aq_isa_vector_set(o, aq_isa_field(w, 0, 8));
      else
        short_vector_set(inst, o, aq_isa_field(w, 0, 8));
    }
    if (e64 || lanes8)
      continue;
    const uint32_t mods = aq_isa_field(w, o->role == 'A' ? 20 : 22, 2);
    if (mods && o->type != 'f')
      return false;
    o->modifiers = (uint8_t)mods; /* bit 0 neg, bit 1 abs */
  }
  return true;
}

static bool vop_operand(const aq_isa_inst *inst, aq_isa_operand *o, bool form)
{
  const uint32_t w = inst->words[0], source = aq_isa_field(w, 0, 9);
  if (o->role == 'E' || (o->role == 'C' && o->file == 's') ||
      (o->role == 'D' && inst->row->encoding == AQ_ISA_VOPC))
    return aq_isa_scalar_set(inst, o, AQ_ISA_VCC);
  if (o->role == 'D')
    return o->file == 's' ? aq_isa_scalar_set(inst, o, aq_isa_field(w, 17, 8))
                          : short_vector_set(inst, o, aq_isa_field(w, 17, 8));
  if (o->role == 'A' && !form)
    return source < AQ_ISA_CODE_VGPR
               ? aq_isa_source_set(inst, o, source)
               : short_vector_set(inst, o, source - AQ_ISA_CODE_VGPR);
  if (o->role == 'B')
    return short_vector_set(inst, o, aq_isa_field(w, 9, 8));
  return true;
}

/* VOP1, VOP2, VOPC in 32 bits, or with a second word of SDWA or DPP. */
bool aq_isa_vop_decode(aq_isa_inst *inst, size_t size)
{
  const uint32_t source = aq_isa_field(inst->words[0], 0, 9);
  const bool sdwa = code_is_sdwa(inst, source), dpp = code_is_dpp(inst, source);
  for (const char *at = inst->row->operands; *at;) {
    aq_isa_operand o = aq_isa_token_read(inst, &at);
    if (!vop_operand(inst, &o, sdwa || dpp))
      return false;
    aq_isa_operand_add(inst, o);
  }
  if (sdwa || dpp)
    return aq_isa_literal_take(inst, size) &&
           (sdwa ? sdwa_decode(inst)
                 : dpp_decode(inst, source, inst->literal, false));
  return !aq_isa_literal_needed(inst) || aq_isa_literal_take(inst, size);
}

/* LLVM 15 to 19 set all modifiers of a source where a builtin has a flag, and
 * read them so: op_sel alone counts. */
static bool strays_are_ignored(const aq_isa_row *row)
{
  return strcmp(row->name, "v_permlane16_b32") == 0 ||
         strcmp(row->name, "v_permlanex16_b32") == 0;
}

static bool vop3_modifiers_are_valid(const aq_isa_inst *inst)
{
  const uint32_t w = inst->words[0], w1 = inst->words[1];
  const uint32_t flags = inst->row->flags;
  bool floats = strays_are_ignored(inst->row);
  for (unsigned i = 0; i < inst->operand_count; i++)
    floats |= inst->operands[i].type == 'f';
  return (floats || aq_isa_operand_find(inst, 'E') ||
          !(aq_isa_field(w, 8, 3) | aq_isa_field(w1, 29, 3))) &&
         (flags & AQ_ISA_OMOD || !aq_isa_field(w1, 27, 2)) &&
         (flags & AQ_ISA_CLAMP || !aq_isa_bit(w, 15));
}

/* On gfx11 the selection of halves is a part of VGPRs. */
static void half_select(const aq_isa_inst *inst, aq_isa_operand *o,
                        unsigned number)
{
  if (aq_isa_operand_is_half(inst, o) && o->file == 'v')
    o->select = (uint8_t)(4 + aq_isa_bit(inst->words[0], 11 + number));
}

static bool vop3_source(const aq_isa_inst *inst, aq_isa_operand *o, bool carry)
{
  const uint32_t w = inst->words[0], w1 = inst->words[1];
  const unsigned number = (unsigned)(o->role - 'A');
  const uint32_t code = aq_isa_field(w1, 9 * number, 9);
  if (number == 0 && inst->target & AQ_ISA_FROM_GFX11 &&
      code_is_dpp(inst, code))
    aq_isa_vector_set(o, 0); /* its number is in the word of DPP */
  else if (!aq_isa_source_set(inst, o, code) ||
           (code == AQ_ISA_LITERAL && !(inst->target & AQ_ISA_RDNA)))
    return false;
  half_select(inst, o, number);
  if (o->type == 'f' && aq_isa_bit(w1, 29 + number))
    o->modifiers |= AQ_ISA_NEG;
  if (o->type == 'f' && !carry && aq_isa_bit(w, 8 + number))
    o->modifiers |= AQ_ISA_ABS;
  return true;
}

/* The word behind the two: a literal, or of DPP. */
static bool vop3_third(aq_isa_inst *inst, size_t size)
{
  const uint32_t code = aq_isa_field(inst->words[1], 0, 9);
  if (!(inst->target & AQ_ISA_RDNA))
    return true;
  if (inst->target & AQ_ISA_FROM_GFX11 && code_is_dpp(inst, code) &&
      aq_isa_operand_find(inst, 'A'))
    return aq_isa_literal_take(inst, size) &&
           dpp_decode(inst, code, inst->literal, true);
  return !aq_isa_literal_needed(inst) || aq_isa_literal_take(inst, size);
}

static bool vop3_operands(aq_isa_inst *inst)
{
  const uint32_t w = inst->words[0], w1 = inst->words[1];
  bool carry = false;
  for (const char *at = inst->row->operands; *at;) {
    aq_isa_operand o = aq_isa_token_read(inst, &at);
    bool valid = true;
    if (o.role == 'E') {
      carry = true;
      valid = aq_isa_scalar_set(inst, &o, aq_isa_field(w, 8, 7));
    } else if (o.role == 'I') {
      inst->imm = (uint16_t)aq_isa_field(w1, 0, 9);
    } else if (o.role == 'P') {
      o.code = (uint8_t)aq_isa_field(w1, 9, 8);
    } else if (o.role == 'D') {
      valid = o.file == 's' || inst->row->encoding == AQ_ISA_VOPC
                  ? aq_isa_scalar_set(inst, &o, aq_isa_field(w, 0, 8))
                  : aq_isa_vector_set(&o, aq_isa_field(w, 0, 8));
      half_select(inst, &o, 3);
    } else {
      valid = vop3_source(inst, &o, carry);
    }
    if (!valid)
      return false;
    aq_isa_operand_add(inst, o);
  }
  return true;
}

bool aq_isa_vop3_decode(aq_isa_inst *inst, size_t size)
{
  const uint32_t w = inst->words[0], w1 = inst->words[1];
  const aq_isa_row *row = inst->row;
  inst->form = row->encoding == AQ_ISA_VOP3 ? AQ_ISA_E32 : AQ_ISA_E64;
  if (row->flags & AQ_ISA_NO_E64 || !vop3_operands(inst) ||
      !vop3_third(inst, size))
    return false;
  inst->clamp = aq_isa_bit(w, 15);
  inst->omod = (uint8_t)aq_isa_field(w1, 27, 2);
  inst->op_sel =
      row->flags & AQ_ISA_OPSEL ? (uint8_t)aq_isa_field(w, 11, 4) : 0;
  if (row->flags & AQ_ISA_TRUTH) { /* in the place of the modifiers */
    inst->imm =
        (uint16_t)(aq_isa_field(w1, 27, 2) << 6 | aq_isa_field(w, 8, 3) << 3 |
                   aq_isa_field(w1, 29, 3));
    inst->omod = 0;
    return !inst->clamp;
  }
  return vop3_modifiers_are_valid(inst);
}

static bool row_is_scaled(const aq_isa_row *row)
{
  return row->encoding == AQ_ISA_VOP3PX2;
}

/* Registers of an operand of f8f6f4, whose type is 8, 6 or 4 bits wide. */
static uint16_t mixed_bits(uint32_t type)
{
  return type == 2 || type == 3 ? 192 : type == 4 ? 128 : 256;
}

/* Waves of 64 lanes hold a matrix in half as many registers, but not A and B of
 * gfx11, which lanes repeat, and not the index of a sparse A. */
static uint16_t matrix_bits(const aq_isa_inst *inst, const aq_isa_operand *o)
{
  const bool repeats =
      inst->target & AQ_ISA_GFX11 && (o->role == 'A' || o->role == 'B');
  return inst->wave32 || repeats || o->bits == 32 ? o->bits
                                                  : (uint16_t)(o->bits / 2);
}

static bool vop3p_operands(aq_isa_inst *inst, uint32_t w, uint32_t w1)
{
  const uint32_t flags = inst->row->flags;
  const bool sparse = strncmp(inst->row->name, "v_smfmac", 8) == 0;
  const bool mixed = strstr(inst->row->name, "_f8f6f4") != NULL;
  const char results =
      inst->target == AQ_ISA_GFX908 || aq_isa_bit(w, 15) ? 'a' : 'v';
  for (const char *at = inst->row->operands; *at;) {
    aq_isa_operand o = aq_isa_token_read(inst, &at);
    const unsigned number = (unsigned)(o.role - 'A');
    if (o.role == 'Q' || o.role == 'U')
      continue;
    if (flags & AQ_ISA_WMMA)
      o.bits = matrix_bits(inst, &o);
    if (mixed && (o.role == 'A' || o.role == 'B'))
      o.bits = mixed_bits(o.role == 'A' ? aq_isa_field(w, 8, 3)
                                        : aq_isa_field(w1, 29, 3));
    const uint32_t code = o.role == 'D'
                              ? aq_isa_field(w, 0, 8) + AQ_ISA_CODE_VGPR
                              : aq_isa_field(w1, 9 * number, 9);
    if ((code == AQ_ISA_LITERAL && !(inst->target & AQ_ISA_RDNA)) ||
        (flags & AQ_ISA_WMMA && code < AQ_ISA_CODE_VGPR && o.role != 'C') ||
        (flags & AQ_ISA_MATRIX && code < AQ_ISA_CODE_VGPR &&
         (o.role != 'C' || sparse || code < AQ_ISA_INT_0)))
      return false;
    if (o.file == 'a' && code < AQ_ISA_CODE_VGPR)
      return false;
    if (flags & AQ_ISA_MATRIX && code >= AQ_ISA_CODE_VGPR)
      o.file = (char)(o.role == 'D' || (o.role == 'C' && !sparse)    ? results
                      : o.role != 'C' && aq_isa_bit(w1, 27 + number) ? 'a'
                                                                     : 'v');
    if (o.role == 'A' && inst->target & AQ_ISA_FROM_GFX11 &&
        code_is_dpp(inst, code))
      aq_isa_vector_set(&o, 0);
    else if (o.file == 'a' ? !aq_isa_vector_set(&o, code - AQ_ISA_CODE_VGPR)
                           : !aq_isa_source_set(inst, &o, code))
      return false;
    if (flags & AQ_ISA_MIX)
      o.modifiers =
          (uint8_t)(o.role == 'D'
                        ? 0
                        : (aq_isa_bit(w1, 29 + number) ? AQ_ISA_NEG : 0) |
                              (aq_isa_bit(w, 8 + number) ? AQ_ISA_ABS : 0));
    else if (o.role != 'D' && flags & (AQ_ISA_PACKED | AQ_ISA_WMMA) &&
             aq_isa_bit(w1, 29 + number))
      o.modifiers = AQ_ISA_NEG;
    aq_isa_operand_add(inst, o);
  }
  return true;
}

/* The words of the MATRIX instruction or another one of VOP3P. */
bool aq_isa_vop3p_decode(aq_isa_inst *inst, uint32_t w, uint32_t w1,
                         size_t size)
{
  const uint32_t flags = inst->row->flags;
  const bool mixed = strstr(inst->row->name, "_f8f6f4") != NULL;
  if (flags & AQ_ISA_WMMA && mixed)
    return aq_isa_gfx1250_mixed_decode(inst, w, w1);
  if (flags & AQ_ISA_WMMA && strncmp(inst->row->name, "v_wmma_ld_", 10) == 0)
    return aq_isa_gfx1250_scaled_decode(inst) &&
           (!aq_isa_literal_needed(inst) || aq_isa_literal_take(inst, size));
  if (!vop3p_operands(inst, w, w1) ||
      (inst->target & AQ_ISA_RDNA && !vop3_third(inst, size)))
    return false;
  if (flags & AQ_ISA_MATRIX) {
    inst->cbsz = (uint8_t)aq_isa_field(w, 8, 3);
    inst->abid = (uint8_t)aq_isa_field(w, 11, 4);
    inst->blgp = (uint8_t)aq_isa_field(w1, 29, 3);
    return !mixed || inst->abid == (row_is_scaled(inst->row) ? 1 : 0);
  }
  inst->clamp = aq_isa_bit(w, 15) &&
                flags & (AQ_ISA_PACKED | AQ_ISA_MIX | AQ_ISA_DOT | AQ_ISA_WMMA);
  inst->op_sel = (uint8_t)aq_isa_field(w, 11, 3);
  inst->op_sel_hi =
      (uint8_t)(aq_isa_field(w1, 27, 2) | aq_isa_field(w, 14, 1) << 2);
  inst->neg_hi = (uint8_t)aq_isa_field(w, 8, 3);
  return true;
}

/* Scales in the first half, whose bits say which of their bytes; ABID of the
 * second half marks that it has them. */
bool aq_isa_scaled_decode(aq_isa_inst *inst)
{
  const uint32_t w = inst->words[0], w1 = inst->words[1];
  if (!aq_isa_vop3p_decode(inst, inst->words[2], inst->words[3], 0))
    return false;
  inst->abid = 0;
  inst->op_sel = (uint8_t)aq_isa_field(w, 11, 2);
  inst->op_sel_hi = (uint8_t)aq_isa_field(w1, 27, 2);
  for (unsigned i = 0; i < 2; i++) {
    aq_isa_operand scale = {.role = i ? 'U' : 'Q',
                            .type = 'b',
                            .file = 'v',
                            .bits = 32,
                            .select = 6};
    const uint32_t code = aq_isa_field(w1, 9 * i, 9);
    if (code < AQ_ISA_CODE_VGPR ||
        !aq_isa_vector_set(&scale, code - AQ_ISA_CODE_VGPR))
      return false;
    aq_isa_operand_add(inst, scale);
  }
  return true;
}
