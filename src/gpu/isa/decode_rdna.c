/* SPDX-License-Identifier: MIT */
/* Where RDNA's encodings differ from gfx9's: which they are, and memory. */
#include "config.h"

#include <string.h>

#include "gpu/isa/decode.h"
#include "gpu/isa/table.h"

/* ---- which encoding ---- */

/* The first six bits. */
enum {
  PREFIX_VBUFFER = 0x31, /* gfx12, with the next two */
  PREFIX_VOPD = 0x32,    /* from gfx11 on */
  PREFIX_VOP3P = 0x33,   /* gfx1250: VOPD3, too */
  PREFIX_TENSOR = 0x34,  /* gfx1250 */
  PREFIX_VOP3 = 0x35,
  PREFIX_DS = 0x36,
  PREFIX_FLAT = 0x37, /* before gfx12 */
  PREFIX_MUBUF = 0x38,
  PREFIX_MTBUF = 0x3a,
  PREFIX_VFLAT = 0x3b,
  PREFIX_MIMG = 0x3c, /* before gfx12 */
  PREFIX_SMEM = 0x3d,
};

static const aq_isa_row *vop3_row(const aq_isa_decoder *decoder, uint32_t op)
{
  enum { VOP2_BASE = 0x100, OWN_BASE = 0x140, VOP1_BASE = 0x180, END = 0x200 };
  return op < VOP2_BASE ? aq_isa_table_find(decoder, AQ_ISA_VOPC, op)
         : op < OWN_BASE
             ? aq_isa_table_find(decoder, AQ_ISA_VOP2, op - VOP2_BASE)
         : op >= VOP1_BASE && op < END
             ? aq_isa_table_find(decoder, AQ_ISA_VOP1, op - VOP1_BASE)
             : aq_isa_table_find(decoder, AQ_ISA_VOP3, op);
}

static const aq_isa_encoding segments[] = {AQ_ISA_FLAT, AQ_ISA_SCRATCH,
                                           AQ_ISA_GLOBAL};

static const aq_isa_row *flat_row(const aq_isa_decoder *decoder, uint32_t w)
{
  const bool from_11 = decoder->target & AQ_ISA_FROM_GFX11;
  const uint32_t segment = aq_isa_field(w, from_11 ? 16 : 14, 2);
  return segment < 3 ? aq_isa_table_find(decoder, segments[segment],
                                         aq_isa_field(w, 18, 7))
                     : NULL;
}

static const aq_isa_row *mtbuf_row(const aq_isa_decoder *decoder,
                                   const uint32_t words[2])
{
  const uint32_t op =
      decoder->target & AQ_ISA_GFX11
          ? aq_isa_field(words[0], 15, 4)
          : aq_isa_field(words[0], 16, 3) | aq_isa_field(words[1], 21, 1) << 3;
  return aq_isa_table_find(decoder, AQ_ISA_MTBUF, op);
}

/* Encodings of three words. */
static const aq_isa_row *gfx12_row(const aq_isa_decoder *decoder, uint32_t w)
{
  enum { TYPED = 0x80, LAST = 0x90 };
  if (w >> 26 == PREFIX_VFLAT) {
    const uint32_t segment = aq_isa_field(w, 24, 2);
    return segment < 3 ? aq_isa_table_find(decoder, segments[segment],
                                           aq_isa_field(w, 14, 7))
                       : NULL;
  }
  const uint32_t op = aq_isa_field(w, 14, 8);
  return op >= TYPED && op < LAST
             ? aq_isa_table_find(decoder, AQ_ISA_MTBUF, op - TYPED)
             : aq_isa_table_find(decoder, AQ_ISA_MUBUF, op);
}

/* Up to two words with the VGPRs of an address follow; nothing is known of
 * opcodes with an eighth bit. */
static const aq_isa_row *image_row(const aq_isa_decoder *decoder, uint32_t w,
                                   uint8_t *size)
{
  const uint32_t more = aq_isa_field(w, 1, 2);
  *size = (uint8_t)(8 + 4 * more);
  return aq_isa_bit(w, 0) || more > 2
             ? NULL
             : aq_isa_table_find(decoder, AQ_ISA_MIMG, aq_isa_field(w, 18, 7));
}

const aq_isa_row *aq_isa_rdna_row(const aq_isa_decoder *decoder,
                                  const uint32_t words[4], uint8_t *size)
{
  const uint32_t w = words[0];
  const bool is_12 = decoder->target & AQ_ISA_GFX12;
  *size = 8;
  switch (w >> 26) {
  case PREFIX_VOPD:
    return decoder->target & AQ_ISA_FROM_GFX11
               ? aq_isa_table_find(decoder, AQ_ISA_VOPD, aq_isa_field(w, 22, 4))
               : NULL;
  case PREFIX_VOP3P:
    if (decoder->target & AQ_ISA_GFX1250)
      return aq_isa_gfx1250_row(decoder, words, size);
    return aq_isa_field(w, 24, 2) == 0
               ? aq_isa_table_find(decoder, AQ_ISA_VOP3P,
                                   aq_isa_field(w, 16, 7))
               : NULL;
  case PREFIX_TENSOR:
    *size = 12;
    return decoder->target & AQ_ISA_GFX1250
               ? aq_isa_gfx1250_tensor_row(decoder, w)
               : NULL;
  case PREFIX_VOP3:
    return vop3_row(decoder, aq_isa_field(w, 16, 10));
  case PREFIX_DS:
    return aq_isa_table_find(decoder, AQ_ISA_DS, aq_isa_field(w, 18, 8));
  case PREFIX_SMEM:
    return aq_isa_table_find(decoder, AQ_ISA_SMEM,
                             is_12 ? aq_isa_field(w, 13, 6)
                                   : aq_isa_field(w, 18, 8));
  case PREFIX_FLAT:
    return is_12 ? NULL : flat_row(decoder, w);
  case PREFIX_MUBUF:
    return is_12 ? NULL
                 : aq_isa_table_find(decoder, AQ_ISA_MUBUF,
                                     aq_isa_field(w, 18, 8));
  case PREFIX_MTBUF:
    return is_12 ? NULL : mtbuf_row(decoder, words);
  case PREFIX_MIMG:
    return decoder->target & AQ_ISA_GFX10 ? image_row(decoder, w, size) : NULL;
  case PREFIX_VBUFFER:
  case PREFIX_VFLAT:
    *size = 12;
    return is_12 ? gfx12_row(decoder, w) : NULL;
  default:
    return NULL;
  }
}

const char *aq_isa_graphics_kind(uint16_t target, uint32_t word)
{
  static const struct {
    uint16_t targets;
    uint8_t prefix;
    const char *kind;
  } kinds[] = {
      {AQ_ISA_GFX10 | AQ_ISA_GFX11, 0x3c, "an image instruction"},
      {AQ_ISA_GFX1200, 0x34, "an image instruction"},
      {AQ_ISA_GFX1200, 0x39, "an image instruction"},
      {AQ_ISA_RDNA & ~AQ_ISA_GFX1250, 0x3e, "an export"},
      {AQ_ISA_GFX10, 0x32, "an interpolation"},
  };
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (target & kinds[i].targets && word >> 26 == kinds[i].prefix)
      return kinds[i].kind;
  return NULL;
}

/* ---- two instructions in one ---- */

/* The operands of a half: sources, the second source's and the destination's
 * registers. The lowest bit of Y's destination is the inverse of X's. */
static bool half_decode(aq_isa_inst *inst, const aq_isa_row *row, uint32_t a,
                        uint32_t b, uint32_t d)
{
  for (const char *at = row->operands; *at;) {
    aq_isa_operand o = aq_isa_token_read(inst, &at);
    if ((o.role == 'D' && !aq_isa_vector_set(&o, d)) ||
        (o.role == 'A' && !aq_isa_source_set(inst, &o, a)) ||
        (o.role == 'B' && !aq_isa_vector_set(&o, b)))
      return false;
    aq_isa_operand_add(inst, o);
  }
  return true;
}

bool aq_isa_vopd_decode(const aq_isa_decoder *decoder, aq_isa_inst *inst,
                        size_t size)
{
  const uint32_t w = inst->words[0], w1 = inst->words[1];
  const uint32_t x = aq_isa_field(w1, 24, 8);
  const uint32_t y =
      aq_isa_field(w1, 17, 7) << 1 | (aq_isa_bit(x, 0) ? 0u : 1u);
  inst->second =
      aq_isa_table_find(decoder, AQ_ISA_VOPD, aq_isa_field(w, 17, 5));
  if (!inst->second || !half_decode(inst, inst->row, aq_isa_field(w, 0, 9),
                                    aq_isa_field(w, 9, 8), x))
    return false;
  inst->first_count = inst->operand_count;
  if (!half_decode(inst, inst->second, aq_isa_field(w1, 0, 9),
                   aq_isa_field(w1, 9, 8), y))
    return false;
  return !aq_isa_literal_needed(inst) || aq_isa_literal_take(inst, size);
}

/* ---- memory ---- */

/* gfx12: how far an access reaches, and how long its data are of use. */
void aq_isa_cache_decode(aq_isa_inst *inst, uint32_t w1)
{
  inst->scope = (uint8_t)aq_isa_field(w1, 18, 2);
  inst->temporal = (uint8_t)aq_isa_field(w1, 20, 3);
  inst->nv = inst->target & AQ_ISA_GFX1250 && aq_isa_bit(inst->words[0], 7);
  inst->glc = inst->row->flags & AQ_ISA_RETURN && aq_isa_bit(w1, 20);
}

static int32_t signed_field(uint32_t word, unsigned count)
{
  return (int32_t)(word << (32 - count)) >> (32 - count);
}

bool aq_isa_rdna_smem_decode(aq_isa_inst *inst)
{
  const uint32_t w = inst->words[0], w1 = inst->words[1];
  const bool is_12 = inst->target & AQ_ISA_GFX12;
  const bool scoped = !(inst->row->flags & AQ_ISA_NO_GLC);
  aq_isa_operand soffset = {.role = 'S', .type = 'b', .bits = 32, .select = 6};
  inst->glc =
      !is_12 && scoped && aq_isa_bit(w, inst->target & AQ_ISA_GFX11 ? 14 : 16);
  inst->dlc =
      !is_12 && scoped && aq_isa_bit(w, inst->target & AQ_ISA_GFX11 ? 13 : 14);
  inst->scope = is_12 ? (uint8_t)aq_isa_field(w, 21, 2) : 0;
  inst->temporal = is_12 ? (uint8_t)aq_isa_field(w, 23, 2) : 0;
  inst->nv = inst->target & AQ_ISA_GFX1250 && aq_isa_bit(w, 20);
  inst->scaled = inst->target & AQ_ISA_GFX1250 && aq_isa_bit(w1, 24);
  inst->imm = (uint16_t)aq_isa_field(w, 6, is_12 ? 5 : 7);
  inst->offset = is_12 ? signed_field(w1, 24) : signed_field(w1, 21);
  if (!aq_isa_scalar_set(inst, &soffset, aq_isa_field(w1, 25, 7)))
    return false;
  for (const char *at = inst->row->operands; *at;) {
    aq_isa_operand o = aq_isa_token_read(inst, &at);
    if ((o.role == 'D' &&
         !aq_isa_scalar_set(inst, &o, aq_isa_field(w, 6, 7))) ||
        (o.role == 'A' &&
         !aq_isa_scalar_set(inst, &o, aq_isa_field(w, 0, 6) << 1)))
      return false;
    /* Before gfx12 nothing is added to the register where the other is 0. */
    const bool both = is_12 || inst->offset != 0;
    if (o.role == 'S' || (o.role == 'O' && !strchr(inst->row->operands, 'S') &&
                          (soffset.code != AQ_ISA_NULL || !both))) {
      inst->offen = o.role == 'O' && both;
      o = soffset;
    }
    aq_isa_operand_add(inst, o);
  }
  return true;
}

static void flat_gfx12(aq_isa_inst *inst, uint32_t *address, uint32_t *saddr,
                       uint32_t *data, uint32_t *result)
{
  const uint32_t *w = inst->words;
  inst->offset = signed_field(w[2] >> 8, 24);
  *address = aq_isa_field(w[2], 0, 8);
  *saddr = aq_isa_field(w[0], 0, 7);
  *data = aq_isa_field(w[1], 23, 8);
  *result = aq_isa_field(w[1], 0, 8);
  inst->scaled = inst->target & AQ_ISA_GFX1250 && aq_isa_bit(w[1], 16);
  aq_isa_cache_decode(inst, w[1]);
}

static void flat_gfx10(aq_isa_inst *inst, uint32_t *address, uint32_t *saddr,
                       uint32_t *data, uint32_t *result)
{
  const uint32_t w = inst->words[0], w1 = inst->words[1];
  const bool is_11 = inst->target & AQ_ISA_GFX11;
  const bool flat = inst->row->encoding == AQ_ISA_FLAT;
  const unsigned bits = is_11 ? 13 : 12;
  inst->offset = flat && !is_11 ? (int32_t)aq_isa_field(w, 0, 11)
                 : flat         ? (int32_t)aq_isa_field(w, 0, 12)
                                : signed_field(w, bits);
  inst->glc = aq_isa_bit(w, is_11 ? 14 : 16);
  inst->slc = aq_isa_bit(w, is_11 ? 15 : 17);
  inst->dlc = aq_isa_bit(w, is_11 ? 13 : 12);
  inst->lds = !is_11 && aq_isa_bit(w, 13);
  *address = aq_isa_field(w1, 0, 8);
  *saddr = aq_isa_field(w1, 16, 7);
  *data = aq_isa_field(w1, 8, 8);
  *result = aq_isa_field(w1, 24, 8);
}

/* Of scratch, gfx11 has a bit for "with a VGPR"; before, there is one in the
 * place of an SGPR. */
static bool scratch_has_vector(const aq_isa_inst *inst, uint32_t saddr)
{
  return inst->target & AQ_ISA_GFX12   ? aq_isa_bit(inst->words[1], 17)
         : inst->target & AQ_ISA_GFX11 ? aq_isa_bit(inst->words[1], 23)
                                       : saddr == AQ_ISA_NULL;
}

/* Lanes of a wave of 64 share a transposed block: half as many registers. */
static uint16_t result_bits(const aq_isa_inst *inst, uint16_t bits)
{
  return !inst->wave32 && strncmp(inst->row->name, "global_load_tr_", 15) == 0
             ? bits / 2
             : bits;
}

bool aq_isa_rdna_flat_decode(aq_isa_inst *inst)
{
  enum { OFF = 127 };
  const aq_isa_row *row = inst->row;
  uint32_t address, saddr, data, result;
  if (inst->target & AQ_ISA_GFX12)
    flat_gfx12(inst, &address, &saddr, &data, &result);
  else
    flat_gfx10(inst, &address, &saddr, &data, &result);
  if (!*row->operands)
    return true;
  aq_isa_operand scalar = {.role = 'S',
                           .bits = row->encoding == AQ_ISA_SCRATCH ? 32 : 64};
  const bool flat = row->encoding == AQ_ISA_FLAT;
  const bool none =
      (flat && !(inst->target & AQ_ISA_GFX1250)) ||
      saddr == (inst->target & AQ_ISA_FROM_GFX11 ? AQ_ISA_M0 : AQ_ISA_NULL) ||
      (saddr == OFF && !(inst->target & AQ_ISA_FROM_GFX11));
  if (!none && !aq_isa_scalar_set(inst, &scalar, saddr))
    return false;
  for (const char *at = row->operands; *at;) {
    aq_isa_operand o = aq_isa_token_read(inst, &at);
    if (o.role == 'D' &&
        (inst->lds || (row->flags & AQ_ISA_RETURN && !inst->glc)))
      continue;
    if (o.role == 'S') /* of a tensor */
      return aq_isa_scalar_set(inst, &o, saddr) &&
             (aq_isa_operand_add(inst, o), true);
    if (o.role == 'A') {
      o.bits = row->encoding == AQ_ISA_SCRATCH || !none ? 32 : 64;
      if (row->encoding != AQ_ISA_SCRATCH || scratch_has_vector(inst, saddr))
        aq_isa_vector_set(&o, address);
    } else {
      o.file = 'v';
      if (o.role == 'D')
        o.bits = result_bits(inst, o.bits);
      aq_isa_vector_set(&o, o.role == 'D' ? result : data);
    }
    aq_isa_operand_add(inst, o);
  }
  if (!flat || !none) /* only gfx1250 has one there */
    aq_isa_operand_add(inst, scalar);
  return true;
}

static uint32_t buffer_gfx12(aq_isa_inst *inst, uint32_t *resource,
                             uint32_t *soffset)
{
  const uint32_t *w = inst->words;
  inst->offset = signed_field(w[2] >> 8, 24);
  inst->tfe = aq_isa_bit(w[0], 22);
  inst->offen = aq_isa_bit(w[1], 30);
  inst->idxen = aq_isa_bit(w[1], 31);
  inst->format = (uint8_t)aq_isa_field(w[1], 23, 7);
  *resource = aq_isa_field(w[1], 9, 9);
  *soffset = aq_isa_field(w[0], 0, 7);
  aq_isa_cache_decode(inst, w[1]);
  return aq_isa_field(w[1], 0, 8);
}

static uint32_t buffer_gfx10(aq_isa_inst *inst, uint32_t *resource,
                             uint32_t *soffset)
{
  const uint32_t w = inst->words[0], w1 = inst->words[1];
  const bool is_11 = inst->target & AQ_ISA_GFX11;
  const bool typed = inst->row->encoding == AQ_ISA_MTBUF;
  inst->offset = (int32_t)aq_isa_field(w, 0, 12);
  inst->offen = is_11 ? aq_isa_bit(w1, 22) : aq_isa_bit(w, 12);
  inst->idxen = is_11 ? aq_isa_bit(w1, 23) : aq_isa_bit(w, 13);
  inst->glc = aq_isa_bit(w, 14);
  inst->dlc = aq_isa_bit(w, is_11 ? 13 : 15);
  inst->slc = is_11 ? aq_isa_bit(w, 12) : aq_isa_bit(w1, 22);
  inst->tfe = aq_isa_bit(w1, is_11 ? 21 : 23);
  inst->lds = !typed && !is_11 && aq_isa_bit(w, 16);
  inst->format = typed ? (uint8_t)aq_isa_field(w, 19, 7) : 0;
  *resource = aq_isa_field(w1, 16, 5) << 2;
  *soffset = aq_isa_field(w1, 24, 8);
  return aq_isa_field(w1, 8, 8);
}

bool aq_isa_rdna_buffer_decode(aq_isa_inst *inst)
{
  const bool is_12 = inst->target & AQ_ISA_GFX12;
  uint32_t base, soffset;
  const uint32_t data = is_12 ? buffer_gfx12(inst, &base, &soffset)
                              : buffer_gfx10(inst, &base, &soffset);
  for (const char *at = inst->row->operands; *at;) {
    aq_isa_operand o = aq_isa_token_read(inst, &at);
    if (o.role == 'D') {
      if (inst->lds)
        continue;
      o.file = 'v';
      o.bits = (uint16_t)(o.bits + (inst->tfe ? 32 : 0));
      aq_isa_vector_set(&o, data);
    } else {
      o.bits = inst->offen && inst->idxen ? 64 : 32;
      if (inst->offen || inst->idxen)
        aq_isa_vector_set(&o, aq_isa_field(inst->words[is_12 ? 2 : 1], 0, 8));
    }
    aq_isa_operand_add(inst, o);
  }
  if (!*inst->row->operands) { /* of caches */
    inst->glc = inst->slc = inst->dlc = inst->lds = inst->tfe = false;
    return true;
  }
  aq_isa_operand resource = {.role = 'R', .bits = 128};
  aq_isa_operand offset = {.role = 'S', .bits = 32};
  if (!aq_isa_scalar_set(inst, &resource, base) ||
      !aq_isa_scalar_set(inst, &offset, soffset) ||
      offset.code == AQ_ISA_LITERAL)
    return false;
  aq_isa_operand_add(inst, resource);
  aq_isa_operand_add(inst, offset);
  return true;
}
