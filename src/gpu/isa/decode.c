/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/isa/decode.h"

#include <string.h>

#include "gpu/isa/table.h"

/* ---- scalar encodings ---- */

static bool scalar_decode(aq_isa_inst *inst, size_t size)
{
  const uint32_t w = inst->words[0];
  const bool sopk = inst->row->encoding == AQ_ISA_SOPK;
  inst->imm = (uint16_t)w;
  for (const char *at = inst->row->operands; *at;) {
    aq_isa_operand o = aq_isa_token_read(inst, &at);
    if (o.role == 'G' && inst->row->encoding == AQ_ISA_SOPC)
      inst->imm = (uint16_t)aq_isa_field(w, 8, 8);
    if (o.role == 'm')
      inst->imm = (uint16_t)aq_isa_field(w, 0, 8);
    if ((o.role == 'D' &&
         !aq_isa_scalar_set(inst, &o, aq_isa_field(w, 16, 7))) ||
        (o.role == 'A' && !sopk &&
         !aq_isa_scalar_set(inst, &o, aq_isa_field(w, 0, 8))) ||
        (o.role == 'B' && !aq_isa_scalar_set(inst, &o, aq_isa_field(w, 8, 8))))
      return false;
    aq_isa_operand_add(inst, o);
  }
  return !aq_isa_literal_needed(inst) || aq_isa_literal_take(inst, size);
}

static bool smem_decode(aq_isa_inst *inst)
{
  const uint32_t w = inst->words[0], w1 = inst->words[1];
  const bool imm = aq_isa_bit(w, 17), soffset = aq_isa_bit(w, 14);
  inst->glc = aq_isa_bit(w, 16) && !(inst->row->flags & AQ_ISA_NO_GLC);
  inst->imm = (uint16_t)aq_isa_field(w, 6, 7);
  inst->offset = imm ? (int32_t)(w1 << 11) >> 11 : 0;
  for (const char *at = inst->row->operands; *at;) {
    aq_isa_operand o = aq_isa_token_read(inst, &at);
    if ((o.role == 'D' &&
         !aq_isa_scalar_set(inst, &o, aq_isa_field(w, 6, 7))) ||
        (o.role == 'A' &&
         !aq_isa_scalar_set(inst, &o, aq_isa_field(w, 0, 6) << 1)))
      return false;
    if (o.role == 'O' && (soffset || !imm)) {
      /* An SGPR holds the offset, or is added to the immediate one. */
      o = (aq_isa_operand){.role = 'S', .bits = 32, .select = 6};
      if (!aq_isa_scalar_set(inst, &o,
                             soffset ? aq_isa_field(w1, 25, 7)
                                     : aq_isa_field(w1, 0, 7)))
        return false;
      inst->offen = imm;
    }
    aq_isa_operand_add(inst, o);
  }
  return true;
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
    return aq_isa_table_find(decoder, AQ_ISA_SOP1, aq_isa_field(w, 8, 8));
  case 0x17e:
    return aq_isa_table_find(decoder, AQ_ISA_SOPC, aq_isa_field(w, 16, 7));
  case 0x17f:
    return aq_isa_table_find(decoder, AQ_ISA_SOPP, aq_isa_field(w, 16, 7));
  default:
    return w >> 28 == 0xb
               ? aq_isa_table_find(decoder, AQ_ISA_SOPK, aq_isa_field(w, 23, 5))
               : aq_isa_table_find(decoder, AQ_ISA_SOP2,
                                   aq_isa_field(w, 23, 7));
  }
}

static const aq_isa_row *flat_row(const aq_isa_decoder *decoder, uint32_t w)
{
  static const aq_isa_encoding segments[] = {AQ_ISA_FLAT, AQ_ISA_SCRATCH,
                                             AQ_ISA_GLOBAL};
  const uint32_t segment = aq_isa_field(w, 14, 2);
  return segment < 3 ? aq_isa_table_find(decoder, segments[segment],
                                         aq_isa_field(w, 18, 7))
                     : NULL;
}

/* Encodings of one bit or two, at the same place on each target. */
static const aq_isa_row *short_row(const aq_isa_decoder *decoder, uint32_t w)
{
  if (w >> 31 == 0) {
    const uint32_t op = aq_isa_field(w, 25, 6);
    return op == 0x3e
               ? aq_isa_table_find(decoder, AQ_ISA_VOPC, aq_isa_field(w, 17, 8))
           : op == 0x3f
               ? aq_isa_table_find(decoder, AQ_ISA_VOP1, aq_isa_field(w, 9, 8))
               : aq_isa_table_find(decoder, AQ_ISA_VOP2, op);
  }
  return scalar_row(decoder, w);
}

static bool is_short(uint32_t w)
{
  return w >> 30 != 3 || w >> 26 == 0x35;
}

/* Sets the size beside literals. */
static const aq_isa_row *row_find(const aq_isa_decoder *decoder,
                                  aq_isa_inst *inst)
{
  const uint32_t w = inst->words[0];
  if (w >> 30 != 3)
    return short_row(decoder, w);
  if (decoder->target & AQ_ISA_RDNA)
    return aq_isa_rdna_row(decoder, inst->words, &inst->size);
  inst->size = is_short(w) ? 4 : 8;
  switch (w >> 26) {
  case 0x30:
    return aq_isa_table_find(decoder, AQ_ISA_SMEM, aq_isa_field(w, 18, 8));
  case 0x34:
    return w >> 23 == 0x1a7 ? aq_isa_table_find(decoder, AQ_ISA_VOP3P,
                                                aq_isa_field(w, 16, 7))
                            : vop3_row(decoder, aq_isa_field(w, 16, 10));
  case 0x36:
    return aq_isa_table_find(decoder, AQ_ISA_DS, aq_isa_field(w, 17, 8));
  case 0x37:
    return flat_row(decoder, w);
  case 0x38:
    return aq_isa_table_find(decoder, AQ_ISA_MUBUF, aq_isa_field(w, 18, 7));
  case 0x3a:
    return aq_isa_table_find(decoder, AQ_ISA_MTBUF, aq_isa_field(w, 15, 4));
  case 0x3c:
    return aq_isa_table_find(decoder, AQ_ISA_MIMG, aq_isa_field(w, 18, 7));
  case 0x31:
    return aq_isa_table_find(decoder, AQ_ISA_EXP, 0);
  case 0x35:
    return aq_isa_table_find(decoder, AQ_ISA_VINTRP, aq_isa_field(w, 16, 2));
  default:
    return NULL;
  }
}

/* v_mfma_ld_scale_b32 with the instruction behind it, if that has scales. */
static const aq_isa_row *scaled_row(const aq_isa_decoder *decoder,
                                    const uint32_t words[4])
{
  enum { VOP3P = 0x1a7, LOAD = 0x2c, HAS_SCALES = 1 };
  if (words[0] >> 23 != VOP3P || aq_isa_field(words[0], 16, 7) != LOAD ||
      words[2] >> 23 != VOP3P || aq_isa_field(words[2], 11, 4) != HAS_SCALES)
    return NULL;
  return aq_isa_table_find(decoder, AQ_ISA_VOP3PX2,
                           aq_isa_field(words[2], 16, 7));
}

static bool operands_decode(aq_isa_inst *inst, size_t size)
{
  const bool rdna = inst->target & AQ_ISA_RDNA;
  switch (inst->row->encoding) {
  case AQ_ISA_VOP2:
  case AQ_ISA_VOP1:
  case AQ_ISA_VOPC:
    return inst->words[0] >> 30 != 3 ? aq_isa_vop_decode(inst, size)
                                     : aq_isa_vop3_decode(inst, size);
  case AQ_ISA_VOP3:
    return aq_isa_vop3_decode(inst, size);
  case AQ_ISA_VOP3P:
    return aq_isa_vop3p_decode(inst, inst->words[0], inst->words[1], size);
  case AQ_ISA_VOP3PX2:
    return rdna ? aq_isa_gfx1250_scaled_decode(inst)
                : aq_isa_scaled_decode(inst);
  case AQ_ISA_TENSOR:
    return aq_isa_tensor_decode(inst);
  case AQ_ISA_SMEM:
    return rdna ? aq_isa_rdna_smem_decode(inst) : smem_decode(inst);
  case AQ_ISA_DS:
    return aq_isa_ds_decode(inst);
  case AQ_ISA_FLAT:
  case AQ_ISA_SCRATCH:
  case AQ_ISA_GLOBAL:
    return rdna ? aq_isa_rdna_flat_decode(inst) : aq_isa_flat_decode(inst);
  case AQ_ISA_MUBUF:
  case AQ_ISA_MTBUF:
    return rdna ? aq_isa_rdna_buffer_decode(inst) : aq_isa_buffer_decode(inst);
  case AQ_ISA_MIMG:
    return aq_isa_image_decode(inst);
  case AQ_ISA_EXP:
    return aq_isa_export_decode(inst);
  case AQ_ISA_VINTRP:
    aq_isa_attribute_decode(inst);
    return true;
  default:
    return scalar_decode(inst, size);
  }
}

aq_status aq_isa_decode(const aq_isa_decoder *decoder, const void *bytes,
                        size_t size, uint64_t offset, aq_isa_inst *out,
                        aq_diag *diag)
{
  aq_isa_inst inst = {.target = decoder->target,
                      .wave32 = decoder->wave32,
                      .dst_sel = 6,
                      .size = 4};
  if (size < 4)
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "code at 0x%llx: %zu bytes are left, expected an "
                       "instruction of 4 or 8",
                       (unsigned long long)offset, size);
  memcpy(inst.words, bytes, size < 16 ? size & ~(size_t)3 : 16);
  inst.row = row_find(decoder, &inst);
  const aq_isa_row *scaled = scaled_row(decoder, inst.words);
  if (scaled) {
    inst.row = scaled;
    inst.size = 16;
  }
  if (inst.row && inst.size <= size &&
      (inst.row->encoding == AQ_ISA_VOPD
           ? aq_isa_vopd_decode(decoder, &inst, size)
       : inst.row->encoding == AQ_ISA_VOPD3
           ? aq_isa_vopd3_decode(decoder, &inst)
           : operands_decode(&inst, size))) {
    *out = inst;
    return AQ_OK;
  }
  return aq_diag_set(diag, AQ_ERR_INPUT,
                     "code at 0x%llx: no instruction begins with 0x%08x%s%s",
                     (unsigned long long)offset, inst.words[0],
                     inst.row ? "; its opcode is that of " : "",
                     inst.row ? inst.row->name : "");
}
