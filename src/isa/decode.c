/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "isa/isa.h"

#include <string.h>

#include "isa/table.h"

/* Source codes that select another form of VOP1, VOP2 and VOPC. */
enum { CODE_SDWA = 249, CODE_DPP = 250, CODE_VGPR = 256, SADDR_OFF = 127 };

static uint32_t field(uint32_t word, unsigned low, unsigned count)
{
  return word >> low & ((1u << count) - 1);
}

static bool bit(uint32_t word, unsigned number)
{
  return word >> number & 1;
}

/* ---- operands ---- */

/* Reads one token of a row's operands and steps past it. */
static aq_isa_operand token_read(const char **text)
{
  const char *at = *text;
  aq_isa_operand out = {.role = *at++, .type = 'b', .select = 6};
  if (*at == 'v' || *at == 'a' || *at == 's')
    out.file = *at++;
  if (*at == 'f')
    out.type = *at++;
  while (*at >= '0' && *at <= '9')
    out.bits = (uint16_t)(out.bits * 10 + (*at++ - '0'));
  while (*at == ' ')
    at++;
  *text = at;
  return out;
}

static void operand_add(aq_isa_inst *inst, aq_isa_operand operand)
{
  inst->operands[inst->operand_count++] = operand;
}

static bool scalar_is_valid(uint32_t code, unsigned bits, bool destination)
{
  if (code < 128) {
    const unsigned align = bits > AQ_ISA_BITS_MAX ? 0
                           : bits >= 128          ? 3
                           : bits >= 64           ? 1
                                                  : 0;
    return code != 125 &&
           !(code & (code >= AQ_ISA_TTMP0 ? align & 1 : align)) &&
           !(code == AQ_ISA_M0 && bits > 32 && bits <= AQ_ISA_BITS_MAX);
  }
  return !destination &&
         (code <= 208 ||
          (code >= AQ_ISA_SHARED_BASE && code <= AQ_ISA_INV_2PI) ||
          code >= AQ_ISA_VCCZ);
}

/* A scalar register or constant as `operand`. */
static bool scalar_set(aq_isa_operand *operand, uint32_t code)
{
  if (operand->file == 'v' || operand->file == 'a' ||
      !scalar_is_valid(code, operand->bits,
                       operand->role == 'D' || operand->role == 'E'))
    return false;
  operand->file = 's';
  operand->code = (uint8_t)code;
  return true;
}

static bool vector_set(aq_isa_operand *operand, uint32_t number)
{
  if (operand->file == 's')
    return false;
  if (!operand->file)
    operand->file = 'v';
  operand->code = (uint8_t)number;
  return true;
}

/* A source of nine bits. What takes a VGPR only can take LDS directly. */
static bool source_set(aq_isa_operand *operand, uint32_t code)
{
  if (operand->file == 'v' && code == AQ_ISA_LDS_DIRECT)
    operand->file = 0;
  return code >= CODE_VGPR ? vector_set(operand, code - CODE_VGPR)
                           : scalar_set(operand, code);
}

/* Takes the word after the first one, of instructions of four bytes. */
static bool literal_take(aq_isa_inst *inst, size_t size)
{
  if (size < 8)
    return false;
  inst->literal = inst->words[1];
  inst->size = 8;
  return true;
}

static bool literal_needed(const aq_isa_inst *inst)
{
  for (unsigned i = 0; i < inst->operand_count; i++)
    if (inst->operands[i].role == 'K' ||
        (inst->operands[i].file == 's' &&
         inst->operands[i].code == AQ_ISA_LITERAL))
      return true;
  return false;
}

/* ---- scalar encodings ---- */

static bool scalar_decode(aq_isa_inst *inst, size_t size)
{
  const uint32_t w = inst->words[0];
  const bool sopk = inst->row->encoding == AQ_ISA_SOPK;
  inst->imm = (uint16_t)w;
  for (const char *at = inst->row->operands; *at;) {
    aq_isa_operand o = token_read(&at);
    if (o.role == 'G' && inst->row->encoding == AQ_ISA_SOPC)
      inst->imm = (uint16_t)field(w, 8, 8);
    if ((o.role == 'D' && !scalar_set(&o, field(w, 16, 7))) ||
        (o.role == 'A' && !sopk && !scalar_set(&o, field(w, 0, 8))) ||
        (o.role == 'B' && !scalar_set(&o, field(w, 8, 8))))
      return false;
    operand_add(inst, o);
  }
  return !literal_needed(inst) || literal_take(inst, size);
}

static bool smem_decode(aq_isa_inst *inst)
{
  const uint32_t w = inst->words[0], w1 = inst->words[1];
  const bool imm = bit(w, 17), soffset = bit(w, 14);
  inst->glc = bit(w, 16) && !(inst->row->flags & AQ_ISA_NO_GLC);
  inst->imm = (uint16_t)field(w, 6, 7);
  inst->offset = imm ? (int32_t)(w1 << 11) >> 11 : 0;
  for (const char *at = inst->row->operands; *at;) {
    aq_isa_operand o = token_read(&at);
    if ((o.role == 'D' && !scalar_set(&o, field(w, 6, 7))) ||
        (o.role == 'A' && !scalar_set(&o, field(w, 0, 6) << 1)))
      return false;
    if (o.role == 'O' && (soffset || !imm)) {
      /* An SGPR holds the offset, or is added to the immediate one. */
      o = (aq_isa_operand){.role = 'S', .bits = 32, .select = 6};
      if (!scalar_set(&o, soffset ? field(w1, 25, 7) : field(w1, 0, 7)))
        return false;
      inst->offen = imm;
    }
    operand_add(inst, o);
  }
  return true;
}

/* ---- vector ALU ---- */

static bool sdwa_decode(aq_isa_inst *inst)
{
  const uint32_t w = inst->words[1];
  const bool compare = inst->row->encoding == AQ_ISA_VOPC;
  if (inst->row->flags & AQ_ISA_NO_SDWA)
    return false;
  inst->form = AQ_ISA_SDWA;
  if (!compare) {
    inst->dst_sel = (uint8_t)field(w, 8, 3);
    inst->dst_unused = (uint8_t)field(w, 11, 2);
    inst->clamp = bit(w, 13);
    inst->omod = (uint8_t)field(w, 14, 2);
  }
  for (unsigned i = 0; i < inst->operand_count; i++) {
    aq_isa_operand *o = &inst->operands[i];
    if (o->role == 'D' && compare && bit(w, 15) &&
        !scalar_set(o, field(w, 8, 7)))
      return false;
    if (o->role != 'A' && o->role != 'B')
      continue;
    const uint32_t half = o->role == 'A' ? w >> 16 : w >> 24;
    const uint32_t code = o->role == 'A' ? field(w, 0, 8) : o->code;
    o->file = 0;
    if (!(bit(half, 7) ? scalar_set(o, code) : vector_set(o, code)) ||
        (o->file == 's' && code == AQ_ISA_LITERAL))
      return false;
    o->select = (uint8_t)field(half, 0, 3);
    o->modifiers = (uint8_t)((bit(half, 3) ? AQ_ISA_SEXT : 0) |
                             (bit(half, 4) ? AQ_ISA_NEG : 0) |
                             (bit(half, 5) ? AQ_ISA_ABS : 0));
    if (o->bits > AQ_ISA_BITS_MAX)
      o->modifiers = 0; /* halves have no signs here */
    if (o->modifiers & (o->type == 'f' ? AQ_ISA_SEXT : AQ_ISA_NEG | AQ_ISA_ABS))
      return false;
  }
  return true;
}

static bool dpp_decode(aq_isa_inst *inst)
{
  const uint32_t w = inst->words[1];
  if (inst->row->flags & AQ_ISA_NO_DPP)
    return false;
  inst->form = AQ_ISA_DPP;
  inst->dpp_ctrl = (uint16_t)field(w, 8, 9);
  inst->bound_ctrl = bit(w, 19);
  inst->bank_mask = (uint8_t)field(w, 24, 4);
  inst->row_mask = (uint8_t)field(w, 28, 4);
  for (unsigned i = 0; i < inst->operand_count; i++) {
    aq_isa_operand *o = &inst->operands[i];
    if (o->role != 'A' && o->role != 'B')
      continue;
    if (o->role == 'A') {
      o->file = 0;
      vector_set(o, field(w, 0, 8));
    }
    const uint32_t mods = field(w, o->role == 'A' ? 20 : 22, 2);
    if (mods && o->type != 'f')
      return false;
    o->modifiers = (uint8_t)mods; /* bit 0 neg, bit 1 abs */
  }
  return true;
}

/* VOP1, VOP2, VOPC in 32 bits, or with a second word of SDWA or DPP. */
static bool vop_decode(aq_isa_inst *inst, size_t size)
{
  const uint32_t w = inst->words[0], source = field(w, 0, 9);
  const bool form = source == CODE_SDWA || source == CODE_DPP;
  for (const char *at = inst->row->operands; *at;) {
    aq_isa_operand o = token_read(&at);
    bool valid = true;
    if (o.role == 'E' || (o.role == 'C' && o.file == 's') ||
        (o.role == 'D' && inst->row->encoding == AQ_ISA_VOPC))
      valid = scalar_set(&o, AQ_ISA_VCC);
    else if (o.role == 'D')
      valid = o.file == 's' ? scalar_set(&o, field(w, 17, 8))
                            : vector_set(&o, field(w, 17, 8));
    else if (o.role == 'A' && !form)
      valid = o.file == 'a' && source >= CODE_VGPR
                  ? vector_set(&o, source - CODE_VGPR)
                  : source_set(&o, source);
    else if (o.role == 'B')
      valid = vector_set(&o, field(w, 9, 8));
    if (!valid)
      return false;
    operand_add(inst, o);
  }
  if (form) {
    if (!literal_take(inst, size))
      return false;
    return source == CODE_SDWA ? sdwa_decode(inst) : dpp_decode(inst);
  }
  return !literal_needed(inst) || literal_take(inst, size);
}

static bool vop3_modifiers_are_valid(const aq_isa_inst *inst)
{
  const uint32_t w = inst->words[0], w1 = inst->words[1];
  const uint32_t flags = inst->row->flags;
  bool floats = false;
  for (unsigned i = 0; i < inst->operand_count; i++)
    floats |= inst->operands[i].type == 'f';
  return (floats || aq_isa_operand_find(inst, 'E') ||
          !(field(w, 8, 3) | field(w1, 29, 3))) &&
         (flags & AQ_ISA_OMOD || !field(w1, 27, 2)) &&
         (flags & AQ_ISA_CLAMP || !bit(w, 15));
}

static bool vop3_decode(aq_isa_inst *inst)
{
  const uint32_t w = inst->words[0], w1 = inst->words[1];
  const aq_isa_row *row = inst->row;
  inst->form = row->encoding == AQ_ISA_VOP3 ? AQ_ISA_E32 : AQ_ISA_E64;
  if (row->flags & AQ_ISA_NO_E64)
    return false;
  bool carry = false;
  for (const char *at = row->operands; *at;) {
    aq_isa_operand o = token_read(&at);
    bool valid = true;
    if (o.role == 'E') {
      carry = true;
      valid = scalar_set(&o, field(w, 8, 7));
    } else if (o.role == 'I') {
      inst->imm = (uint16_t)field(w1, 0, 9);
    } else if (o.role == 'P') {
      o.code = (uint8_t)field(w1, 9, 8);
    } else if (o.role == 'D') {
      valid = o.file == 's' || row->encoding == AQ_ISA_VOPC
                  ? scalar_set(&o, field(w, 0, 8))
                  : vector_set(&o, field(w, 0, 8));
    } else {
      const unsigned number = (unsigned)(o.role - 'A');
      const uint32_t code = field(w1, 9 * number, 9);
      valid = source_set(&o, code) && code != AQ_ISA_LITERAL;
      if (o.type == 'f' && bit(w1, 29 + number))
        o.modifiers |= AQ_ISA_NEG;
      if (o.type == 'f' && !carry && bit(w, 8 + number))
        o.modifiers |= AQ_ISA_ABS;
    }
    if (!valid)
      return false;
    operand_add(inst, o);
  }
  inst->clamp = bit(w, 15);
  inst->omod = (uint8_t)field(w1, 27, 2);
  inst->op_sel = row->flags & AQ_ISA_OPSEL ? (uint8_t)field(w, 11, 4) : 0;
  if (row->flags & AQ_ISA_TRUTH) { /* in the place of the modifiers */
    inst->imm = (uint16_t)(field(w1, 27, 2) << 6 | field(w, 8, 3) << 3 |
                           field(w1, 29, 3));
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

/* The words of the MATRIX instruction or another one of VOP3P. */
static bool vop3p_decode(aq_isa_inst *inst, uint32_t w, uint32_t w1)
{
  const uint32_t flags = inst->row->flags;
  const bool sparse = strncmp(inst->row->name, "v_smfmac", 8) == 0;
  const bool mixed = strstr(inst->row->name, "_f8f6f4") != NULL;
  const char results = inst->target == AQ_ISA_GFX908 || bit(w, 15) ? 'a' : 'v';
  for (const char *at = inst->row->operands; *at;) {
    aq_isa_operand o = token_read(&at);
    const unsigned number = (unsigned)(o.role - 'A');
    if (o.role == 'Q' || o.role == 'U')
      continue;
    if (mixed && (o.role == 'A' || o.role == 'B'))
      o.bits = mixed_bits(o.role == 'A' ? field(w, 8, 3) : field(w1, 29, 3));
    const uint32_t code =
        o.role == 'D' ? field(w, 0, 8) + CODE_VGPR : field(w1, 9 * number, 9);
    if (code == AQ_ISA_LITERAL ||
        (flags & AQ_ISA_MATRIX && code < CODE_VGPR &&
         (o.role != 'C' || sparse || code < AQ_ISA_INT_0)))
      return false;
    if (o.file == 'a' && code < CODE_VGPR)
      return false;
    if (flags & AQ_ISA_MATRIX && code >= CODE_VGPR)
      o.file = (char)(o.role == 'D' || (o.role == 'C' && !sparse) ? results
                      : o.role != 'C' && bit(w1, 27 + number)     ? 'a'
                                                                  : 'v');
    if (o.file == 'a' ? !vector_set(&o, code - CODE_VGPR)
                      : !source_set(&o, code))
      return false;
    if (flags & AQ_ISA_MIX)
      o.modifiers =
          (uint8_t)(o.role == 'D' ? 0
                                  : (bit(w1, 29 + number) ? AQ_ISA_NEG : 0) |
                                        (bit(w, 8 + number) ? AQ_ISA_ABS : 0));
    else if (o.role != 'D' && flags & AQ_ISA_PACKED && bit(w1, 29 + number))
      o.modifiers = AQ_ISA_NEG;
    operand_add(inst, o);
  }
  if (flags & AQ_ISA_MATRIX) {
    inst->cbsz = (uint8_t)field(w, 8, 3);
    inst->abid = (uint8_t)field(w, 11, 4);
    inst->blgp = (uint8_t)field(w1, 29, 3);
    return !mixed || inst->abid == (row_is_scaled(inst->row) ? 1 : 0);
  }
  inst->clamp = bit(w, 15) && flags & (AQ_ISA_PACKED | AQ_ISA_MIX | AQ_ISA_DOT);
  inst->op_sel = (uint8_t)field(w, 11, 3);
  inst->op_sel_hi = (uint8_t)(field(w1, 27, 2) | field(w, 14, 1) << 2);
  inst->neg_hi = (uint8_t)field(w, 8, 3);
  return true;
}

/* Scales in the first half, whose bits say which of their bytes; ABID of the
 * second half marks that it has them. */
static bool scaled_decode(aq_isa_inst *inst)
{
  const uint32_t w = inst->words[0], w1 = inst->words[1];
  if (!vop3p_decode(inst, inst->words[2], inst->words[3]))
    return false;
  inst->abid = 0;
  inst->op_sel = (uint8_t)field(w, 11, 2);
  inst->op_sel_hi = (uint8_t)field(w1, 27, 2);
  for (unsigned i = 0; i < 2; i++) {
    aq_isa_operand scale = {.role = i ? 'U' : 'Q',
                            .type = 'b',
                            .file = 'v',
                            .bits = 32,
                            .select = 6};
    const uint32_t code = field(w1, 9 * i, 9);
    if (code < CODE_VGPR || !vector_set(&scale, code - CODE_VGPR))
      return false;
    operand_add(inst, scale);
  }
  return true;
}

/* ---- vector memory ---- */

/* The register of a role in the second word of DS and FLAT. */
static uint32_t memory_register(uint32_t w1, char role)
{
  return field(w1,
               role == 'D'   ? 24
               : role == 'A' ? 0
               : role == 'B' ? 8
                             : 16,
               8);
}

static bool ds_decode(aq_isa_inst *inst)
{
  const uint32_t w = inst->words[0], w1 = inst->words[1];
  const bool acc = bit(w, 25);
  inst->gds = bit(w, 16);
  inst->offset = (int32_t)field(w, 0, 16);
  if ((acc && !(inst->target & AQ_ISA_FROM_90A)) ||
      (inst->row->flags & AQ_ISA_GDS && !inst->gds))
    return false;
  for (const char *at = inst->row->operands; *at;) {
    aq_isa_operand o = token_read(&at);
    o.file =
        acc && (o.role != 'A' || inst->row->flags & AQ_ISA_GDS) ? 'a' : 'v';
    vector_set(&o, memory_register(w1, o.role));
    operand_add(inst, o);
  }
  return true;
}

static bool flat_address(aq_isa_inst *inst, aq_isa_operand *address)
{
  const uint32_t w1 = inst->words[1], saddr = field(w1, 16, 7);
  const uint8_t encoding = inst->row->encoding;
  const bool scalar = encoding != AQ_ISA_FLAT && saddr != SADDR_OFF;
  /* Of scratch, gfx940 has a bit for "with a VGPR"; before, there is a VGPR
   * unless there is an SGPR. */
  const bool vector =
      encoding != AQ_ISA_SCRATCH ||
      (inst->target & AQ_ISA_FROM_940 ? bit(inst->words[0], 13) : !scalar);
  address->bits = encoding == AQ_ISA_SCRATCH || scalar ? 32 : 64;
  if (vector)
    vector_set(address, field(w1, 0, 8));
  return true;
}

static bool flat_decode(aq_isa_inst *inst)
{
  const uint32_t w = inst->words[0], w1 = inst->words[1];
  const aq_isa_row *row = inst->row;
  const bool from_940 = inst->target & AQ_ISA_FROM_940;
  const bool acc = bit(w1, 23);
  inst->glc = bit(w, 16);
  inst->slc = bit(w, 17);
  inst->scc = bit(w, 25);
  inst->lds = bit(w, 13) && !(from_940 && row->encoding == AQ_ISA_SCRATCH);
  inst->offset = row->encoding == AQ_ISA_FLAT ? (int32_t)field(w, 0, 12)
                                              : (int32_t)(w << 19) >> 19;
  if ((acc | inst->scc) && !(inst->target & AQ_ISA_FROM_90A))
    return false;
  if (inst->lds && (from_940 || row->encoding == AQ_ISA_FLAT))
    return false;
  for (const char *at = row->operands; *at;) {
    aq_isa_operand o = token_read(&at);
    if (o.role == 'D' &&
        (inst->lds || (row->flags & AQ_ISA_RETURN && !inst->glc)))
      continue;
    if (o.role == 'A') {
      flat_address(inst, &o);
    } else {
      o.file = acc ? 'a' : 'v';
      vector_set(&o, memory_register(w1, o.role));
    }
    operand_add(inst, o);
  }
  if (row->encoding != AQ_ISA_FLAT) {
    const uint32_t saddr = field(w1, 16, 7);
    aq_isa_operand o = {.role = 'S',
                        .bits = row->encoding == AQ_ISA_GLOBAL ? 64 : 32};
    if (saddr != SADDR_OFF && !scalar_set(&o, saddr))
      return false;
    operand_add(inst, o);
  }
  return true;
}

static bool buffer_decode(aq_isa_inst *inst)
{
  const uint32_t w = inst->words[0], w1 = inst->words[1];
  const bool typed = inst->row->encoding == AQ_ISA_MTBUF;
  const bool from_90a = inst->target & AQ_ISA_FROM_90A;
  const bool acc = from_90a && bit(w1, 23);
  inst->offset = (int32_t)field(w, 0, 12);
  inst->offen = bit(w, 12);
  inst->idxen = bit(w, 13);
  inst->glc = bit(w, 14);
  inst->scc = from_90a && (typed ? bit(w1, 21) : bit(w, 15));
  inst->lds = !typed && bit(w, 16);
  inst->slc = typed ? bit(w1, 22) : bit(w, 17);
  inst->tfe = !from_90a && bit(w1, 23);
  inst->format = typed ? (uint8_t)field(w, 19, 7) : 0;
  for (const char *at = inst->row->operands; *at;) {
    aq_isa_operand o = token_read(&at);
    if (o.role == 'D') {
      if (inst->lds)
        continue;
      o.file = acc ? 'a' : 'v';
      o.bits = (uint16_t)(o.bits + (inst->tfe ? 32 : 0));
      vector_set(&o, field(w1, 8, 8));
    } else {
      o.bits = inst->offen && inst->idxen ? 64 : 32;
      if (inst->offen || inst->idxen)
        vector_set(&o, field(w1, 0, 8));
    }
    operand_add(inst, o);
  }
  if (!aq_isa_operand_find(inst, 'A')) {
    /* Of caches; before gfx940 they have no scope. */
    const bool scoped = inst->target & AQ_ISA_FROM_940;
    inst->glc &= scoped, inst->slc &= scoped, inst->scc &= scoped;
    inst->lds = inst->tfe = false;
    return true;
  }
  aq_isa_operand resource = {.role = 'R', .bits = 128};
  aq_isa_operand offset = {.role = 'S', .bits = 32};
  if (!scalar_set(&resource, field(w1, 16, 5) << 2) ||
      !scalar_set(&offset, field(w1, 24, 8)) || offset.code == AQ_ISA_LITERAL)
    return false;
  operand_add(inst, resource);
  operand_add(inst, offset);
  return true;
}

/* ---- graphics ---- */

/* A bit of the mask is a word; a pair of halves is one too. */
static uint16_t image_bits(const aq_isa_inst *inst)
{
  const char *name = inst->row->name;
  const bool exchange = strcmp(name, "image_atomic_cmpswap") == 0;
  unsigned words = (unsigned)__builtin_popcount(inst->imm);
  if (inst->row->flags & AQ_ISA_GATHER)
    words = 4;
  if (inst->graphics & AQ_ISA_D16)
    words = (words + 1) / 2;
  words = words ? words : 1;
  if (exchange && words == 1)
    words = 2;
  return (uint16_t)(32 * (words + inst->tfe));
}

static bool image_decode(aq_isa_inst *inst)
{
  const uint32_t w = inst->words[0], w1 = inst->words[1];
  const bool acc = inst->target == AQ_ISA_GFX90A && bit(w, 16);
  inst->imm = (uint16_t)field(w, 8, 4);
  inst->glc = bit(w, 13);
  inst->slc = bit(w, 25);
  inst->scc = inst->target == AQ_ISA_GFX90A && bit(w, 7);
  inst->tfe = inst->target != AQ_ISA_GFX90A && bit(w, 16);
  inst->graphics = (uint8_t)(bit(w, 12) * AQ_ISA_UNORM |
                             bit(w, 15) * AQ_ISA_A16 | bit(w, 17) * AQ_ISA_LWE |
                             bit(w, 14) * AQ_ISA_DA | bit(w1, 31) * AQ_ISA_D16);
  for (const char *at = inst->row->operands; *at;) {
    aq_isa_operand o = token_read(&at);
    bool valid = true;
    if (o.role == 'D') {
      o.file = acc ? 'a' : 'v';
      o.bits = image_bits(inst);
      valid = vector_set(&o, field(w1, 8, 8));
    } else if (o.role == 'A') {
      o.file = 'v';
      valid = vector_set(&o, field(w1, 0, 8));
    } else {
      valid = scalar_set(&o, field(w1, o.role == 'R' ? 16 : 21, 5) << 2);
    }
    if (!valid)
      return false;
    operand_add(inst, o);
  }
  return true;
}

static bool export_decode(aq_isa_inst *inst)
{
  const uint32_t w = inst->words[0], w1 = inst->words[1];
  const bool compressed = bit(w, 10);
  unsigned number = 0;
  inst->imm = (uint16_t)field(w, 4, 6);
  inst->graphics =
      (uint8_t)(bit(w, 11) * AQ_ISA_DONE | compressed * AQ_ISA_COMPRESSED |
                bit(w, 12) * AQ_ISA_VALID_MASK);
  for (const char *at = inst->row->operands; *at;) {
    aq_isa_operand o = token_read(&at);
    if (o.role != 'T') {
      if (bit(w, number))
        vector_set(&o, field(w1, 8 * (compressed ? number / 2 : number), 8));
      number++;
    }
    operand_add(inst, o);
  }
  return true;
}

static void attribute_decode(aq_isa_inst *inst)
{
  const uint32_t w = inst->words[0];
  for (const char *at = inst->row->operands; *at;) {
    aq_isa_operand o = token_read(&at);
    if (o.role == 'D')
      vector_set(&o, field(w, 18, 8));
    else if (o.role == 'A')
      vector_set(&o, field(w, 0, 8));
    else if (o.role == 'P')
      o.code = (uint8_t)field(w, 0, 8);
    operand_add(inst, o);
  }
  inst->imm = (uint16_t)(field(w, 10, 6) | field(w, 8, 2) << 6);
}

/* ---- which encoding ---- */

static const aq_isa_row *vop3_row(const aq_isa_decoder *decoder, uint32_t op)
{
  enum { VOP2_BASE = 0x100, VOP1_BASE = 0x140, OWN_BASE = 0x1c0 };
  return op < VOP2_BASE ? aq_isa_table_find(decoder, AQ_ISA_VOPC, op)
         : op < VOP1_BASE
             ? aq_isa_table_find(decoder, AQ_ISA_VOP2, op - VOP2_BASE)
         : op < OWN_BASE
             ? aq_isa_table_find(decoder, AQ_ISA_VOP1, op - VOP1_BASE)
             : aq_isa_table_find(decoder, AQ_ISA_VOP3, op);
}

/* Encodings whose first two bits are 10: scalar ones of 32 bits. */
static const aq_isa_row *scalar_row(const aq_isa_decoder *decoder, uint32_t w)
{
  switch (w >> 23) {
  case 0x17d:
    return aq_isa_table_find(decoder, AQ_ISA_SOP1, field(w, 8, 8));
  case 0x17e:
    return aq_isa_table_find(decoder, AQ_ISA_SOPC, field(w, 16, 7));
  case 0x17f:
    return aq_isa_table_find(decoder, AQ_ISA_SOPP, field(w, 16, 7));
  default:
    return w >> 28 == 0xb
               ? aq_isa_table_find(decoder, AQ_ISA_SOPK, field(w, 23, 5))
               : aq_isa_table_find(decoder, AQ_ISA_SOP2, field(w, 23, 7));
  }
}

static const aq_isa_row *flat_row(const aq_isa_decoder *decoder, uint32_t w)
{
  static const aq_isa_encoding segments[] = {AQ_ISA_FLAT, AQ_ISA_SCRATCH,
                                             AQ_ISA_GLOBAL};
  const uint32_t segment = field(w, 14, 2);
  return segment < 3
             ? aq_isa_table_find(decoder, segments[segment], field(w, 18, 7))
             : NULL;
}

static const aq_isa_row *row_find(const aq_isa_decoder *decoder, uint32_t w)
{
  if (w >> 31 == 0) {
    const uint32_t op = field(w, 25, 6);
    return op == 0x3e ? aq_isa_table_find(decoder, AQ_ISA_VOPC, field(w, 17, 8))
           : op == 0x3f
               ? aq_isa_table_find(decoder, AQ_ISA_VOP1, field(w, 9, 8))
               : aq_isa_table_find(decoder, AQ_ISA_VOP2, op);
  }
  if (w >> 30 == 2)
    return scalar_row(decoder, w);
  switch (w >> 26) {
  case 0x30:
    return aq_isa_table_find(decoder, AQ_ISA_SMEM, field(w, 18, 8));
  case 0x34:
    return w >> 23 == 0x1a7
               ? aq_isa_table_find(decoder, AQ_ISA_VOP3P, field(w, 16, 7))
               : vop3_row(decoder, field(w, 16, 10));
  case 0x36:
    return aq_isa_table_find(decoder, AQ_ISA_DS, field(w, 17, 8));
  case 0x37:
    return flat_row(decoder, w);
  case 0x38:
    return aq_isa_table_find(decoder, AQ_ISA_MUBUF, field(w, 18, 7));
  case 0x3a:
    return aq_isa_table_find(decoder, AQ_ISA_MTBUF, field(w, 15, 4));
  case 0x3c:
    return aq_isa_table_find(decoder, AQ_ISA_MIMG, field(w, 18, 7));
  case 0x31:
    return aq_isa_table_find(decoder, AQ_ISA_EXP, 0);
  case 0x35:
    return aq_isa_table_find(decoder, AQ_ISA_VINTRP, field(w, 16, 2));
  default:
    return NULL;
  }
}

/* v_mfma_ld_scale_b32 with the instruction behind it, if that has scales. */
static const aq_isa_row *scaled_row(const aq_isa_decoder *decoder,
                                    const uint32_t words[4])
{
  enum { VOP3P = 0x1a7, LOAD = 0x2c, HAS_SCALES = 1 };
  if (words[0] >> 23 != VOP3P || field(words[0], 16, 7) != LOAD ||
      words[2] >> 23 != VOP3P || field(words[2], 11, 4) != HAS_SCALES)
    return NULL;
  return aq_isa_table_find(decoder, AQ_ISA_VOP3PX2, field(words[2], 16, 7));
}

static bool is_short(uint32_t w)
{
  return w >> 30 != 3 || w >> 26 == 0x35;
}

static bool operands_decode(aq_isa_inst *inst, size_t size)
{
  switch (inst->row->encoding) {
  case AQ_ISA_VOP2:
  case AQ_ISA_VOP1:
  case AQ_ISA_VOPC:
    return is_short(inst->words[0]) ? vop_decode(inst, size)
                                    : vop3_decode(inst);
  case AQ_ISA_VOP3:
    return vop3_decode(inst);
  case AQ_ISA_VOP3P:
    return vop3p_decode(inst, inst->words[0], inst->words[1]);
  case AQ_ISA_VOP3PX2:
    return scaled_decode(inst);
  case AQ_ISA_SMEM:
    return smem_decode(inst);
  case AQ_ISA_DS:
    return ds_decode(inst);
  case AQ_ISA_FLAT:
  case AQ_ISA_SCRATCH:
  case AQ_ISA_GLOBAL:
    return flat_decode(inst);
  case AQ_ISA_MUBUF:
  case AQ_ISA_MTBUF:
    return buffer_decode(inst);
  case AQ_ISA_MIMG:
    return image_decode(inst);
  case AQ_ISA_EXP:
    return export_decode(inst);
  case AQ_ISA_VINTRP:
    attribute_decode(inst);
    return true;
  default:
    return scalar_decode(inst, size);
  }
}

aq_status aq_isa_decode(const aq_isa_decoder *decoder, const void *bytes,
                        size_t size, uint64_t offset, aq_isa_inst *out,
                        aq_diag *diag)
{
  aq_isa_inst inst = {.target = decoder->target, .dst_sel = 6, .size = 4};
  if (size < 4)
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "code at 0x%llx: %zu bytes are left, expected an "
                       "instruction of 4 or 8",
                       (unsigned long long)offset, size);
  memcpy(inst.words, bytes, size < 8 ? 4 : size < 16 ? 8 : 16);
  inst.row = row_find(decoder, inst.words[0]);
  if (!is_short(inst.words[0]))
    inst.size = 8;
  const aq_isa_row *scaled = scaled_row(decoder, inst.words);
  if (scaled) {
    inst.row = scaled;
    inst.size = 16;
  }
  if (inst.row && inst.size <= size && operands_decode(&inst, size)) {
    *out = inst;
    return AQ_OK;
  }
  return aq_diag_set(diag, AQ_ERR_INPUT,
                     "code at 0x%llx: no instruction begins with 0x%08x%s%s",
                     (unsigned long long)offset, inst.words[0],
                     inst.row ? "; its opcode is that of " : "",
                     inst.row ? inst.row->name : "");
}
