/* SPDX-License-Identifier: MIT */
/* What stands behind the operands: selections, signs, caches, DPP. */
#include "config.h"

#include "gpu/isa/print_text.h"

#include <string.h>

#include "gpu/isa/print_fields.h"

static void put_list(aq_isa_text *out, const char *name, unsigned bits,
                     unsigned count)
{
  aq_isa_put(out, " %s:[", name);
  for (unsigned i = 0; i < count; i++)
    aq_isa_put(out, "%s%u", i ? "," : "", bits >> i & 1);
  aq_isa_put(out, "]");
}

static unsigned source_count(const aq_isa_inst *inst)
{
  unsigned count = 0;
  for (unsigned i = 0; i < inst->operand_count; i++)
    count += inst->operands[i].role >= 'A' && inst->operands[i].role <= 'C';
  return count;
}

/* gfx1250's packed integers; older ones print signs that they do not use. */
static bool has_no_signs(const aq_isa_inst *inst)
{
  return inst->row->targets == AQ_ISA_GFX1250 &&
         inst->row->flags & AQ_ISA_PACKED && strstr(inst->row->name, "16") &&
         !strstr(inst->row->name, "f16");
}

static void put_packed(aq_isa_text *out, const aq_isa_inst *inst)
{
  const unsigned count = source_count(inst), all = (1u << count) - 1;
  const unsigned op_sel = inst->op_sel & all;
  const unsigned op_sel_hi = inst->op_sel_hi & all;
  const bool mix = inst->row->flags & AQ_ISA_MIX;
  unsigned neg_lo = 0;
  for (unsigned i = 0; i < inst->operand_count; i++)
    if (inst->operands[i].role != 'D' &&
        inst->operands[i].modifiers & AQ_ISA_NEG)
      neg_lo |= 1u << (inst->operands[i].role - 'A');
  if (inst->row->flags & AQ_ISA_WMMA && inst->row->targets == AQ_ISA_GFX1250) {
    char text[AQ_ISA_MATRIX_SIZE];
    aq_isa_gfx1250_matrix_print(inst, text);
    aq_isa_put(out, "%s", text);
  } else {
    if (op_sel && strncmp(inst->row->name, "v_swmmac_", 9) == 0)
      aq_isa_put(out, " index_key:%u", op_sel & 3);
    else if (op_sel)
      put_list(out, "op_sel", op_sel, count);
    if (op_sel_hi != (mix ? 0 : all))
      put_list(out, "op_sel_hi", op_sel_hi, count);
  }
  if (mix || has_no_signs(inst))
    return;
  if (neg_lo)
    put_list(out, "neg_lo", neg_lo, count);
  if (inst->neg_hi & all)
    put_list(out, "neg_hi", inst->neg_hi & all, count);
}

/* Signs that a sum of integers does not use. */
static void put_dot(aq_isa_text *out, const aq_isa_inst *inst)
{
  const unsigned neg_lo = inst->words[1] >> 29;
  if (neg_lo)
    put_list(out, "neg_lo", neg_lo, 3);
  if (inst->neg_hi)
    put_list(out, "neg_hi", inst->neg_hi, 3);
}

/* From gfx940 on, matrices of f64 have signs in the place of BLGP. */
static bool negates(const aq_isa_inst *inst)
{
  return inst->target & AQ_ISA_FROM_940 &&
         strncmp(inst->row->name, "v_mfma_f64_", 11) == 0;
}

/* Two bits of the selection say which byte is written. */
static bool selects_byte(const aq_isa_inst *inst)
{
  static const char *const names[] = {
      "v_cvt_sr_fp8_f32",          "v_cvt_sr_bf8_f32",
      "v_cvt_sr_fp8_f16",          "v_cvt_sr_bf8_f16",
      "v_cvt_scalef32_pk_fp4_f16", "v_cvt_scalef32_pk_fp4_bf16"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(inst->row->name, names[i]) == 0)
      return true;
  return false;
}

/* gfx12: a number of two bits in the place of the selection. */
static bool names_byte(const aq_isa_inst *inst)
{
  const char *name = inst->row->name;
  return (strncmp(name, "v_cvt_f32_", 10) == 0 &&
          strcmp(name, "v_cvt_f32_bf16") != 0) ||
         strncmp(name, "v_cvt_f16_fp8", 13) == 0 ||
         strncmp(name, "v_cvt_f16_bf8", 13) == 0 || selects_byte(inst);
}

/* gfx1250: a number of four bits in its place. */
static bool names_scale(const aq_isa_inst *inst)
{
  return strncmp(inst->row->name, "v_cvt_scale_pk", 14) == 0;
}

static unsigned byte_of(const aq_isa_inst *inst)
{
  return selects_byte(inst)
             ? inst->op_sel >> 2
             : (inst->op_sel & 1u) << 1 | (inst->op_sel >> 1 & 1);
}

static void put_selection(aq_isa_text *out, const aq_isa_inst *inst)
{
  const bool permutes = strncmp(inst->row->name, "v_permlane", 10) == 0;
  const bool compares =
      inst->row->encoding == AQ_ISA_VOPC &&
      (aq_isa_form_is_dpp(inst->form) || !aq_isa_operand_find(inst, 'D'));
  const bool sums = strncmp(inst->row->name, "v_dot2_", 7) == 0;
  const unsigned count = permutes ? 2 : source_count(inst);
  const unsigned bits = inst->op_sel & ((1u << count) - 1) & (sums ? 4u : 7u);
  const unsigned result =
      permutes || compares ? 0 : (inst->op_sel >> 3 & 1u) << count;
  put_list(out, "op_sel", bits | result,
           permutes || compares ? count : count + 1);
}

/* gfx1250 selects halves, too. */
static void put_byte(aq_isa_text *out, const aq_isa_inst *inst)
{
  const unsigned bits = selects_byte(inst) ? 3 : 8, byte = byte_of(inst);
  if (inst->op_sel & bits && strstr(inst->row->name, "f16"))
    put_list(out, "op_sel", bits == 3 ? inst->op_sel & 3u : 2u,
             bits == 3 ? 3 : 2);
  if (byte)
    aq_isa_put(out, " byte_sel:%u", byte);
}

static void put_types(aq_isa_text *out, const aq_isa_inst *inst)
{
  if (inst->cbsz)
    aq_isa_put(out, " cbsz:%u", inst->cbsz);
  if (inst->abid)
    aq_isa_put(out, " abid:%u", inst->abid);
  if (inst->blgp && negates(inst))
    put_list(out, "neg", inst->blgp, 3);
  else if (inst->blgp)
    aq_isa_put(out, " blgp:%u", inst->blgp);
}

/* Which bytes the scales are. */
static void put_scaled(aq_isa_text *out, const aq_isa_inst *inst)
{
  const unsigned count = 3;
  if (inst->op_sel)
    put_list(out, "op_sel", inst->op_sel, count);
  put_list(out, "op_sel_hi", inst->op_sel_hi, count);
  put_types(out, inst);
}

static void put_result(aq_isa_text *out, const aq_isa_inst *inst)
{
  static const char *const factors[] = {"", " mul:2", " mul:4", " div:2"};
  if (inst->row->flags & AQ_ISA_TRUTH && inst->imm)
    aq_isa_put(out, inst->imm <= 10 ? " bitop3:%u" : " bitop3:0x%x", inst->imm);
  if (inst->op_sel && inst->target & AQ_ISA_GFX1250 && names_scale(inst))
    aq_isa_put(out, " scale_sel:%u", inst->op_sel);
  else if (inst->op_sel &&
           strcmp(inst->row->name, "v_permlane16_swap_b32") == 0 &&
           inst->target & AQ_ISA_GFX1250)
    aq_isa_put(out, "%s%s", inst->op_sel & 2 ? " bound_ctrl:1" : "",
               inst->op_sel & 1 ? " fi:1" : "");
  else if (inst->op_sel && inst->target & AQ_ISA_GFX12 && names_byte(inst))
    put_byte(out, inst);
  else if (inst->op_sel && selects_byte(inst))
    put_list(out, "op_sel", inst->op_sel, 4);
  else if (inst->row->encoding != AQ_ISA_VOP3P && inst->op_sel)
    put_selection(out, inst);
  if (inst->row->flags & AQ_ISA_INTERP && inst->imm >> 8)
    aq_isa_put(out, " high");
  aq_isa_put(out, "%s%s", inst->clamp ? " clamp" : "", factors[inst->omod]);
}

static void put_sdwa(aq_isa_text *out, const aq_isa_inst *inst)
{
  static const char *const selects[] = {"BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3",
                                        "WORD_0", "WORD_1", "DWORD",  "7"};
  static const char *const unused[] = {"UNUSED_PAD", "UNUSED_SEXT",
                                       "UNUSED_PRESERVE", "UNUSED_PAD"};
  if (inst->row->encoding != AQ_ISA_VOPC && !(inst->row->flags & AQ_ISA_WHOLE))
    aq_isa_put(out, " dst_sel:%s dst_unused:%s", selects[inst->dst_sel],
               unused[inst->dst_unused]);
  const aq_isa_operand *a = aq_isa_operand_find(inst, 'A');
  const aq_isa_operand *b = aq_isa_operand_find(inst, 'B');
  if (a)
    aq_isa_put(out, " src0_sel:%s", selects[a->select]);
  if (b)
    aq_isa_put(out, " src1_sel:%s", selects[b->select]);
}

static void put_dpp(aq_isa_text *out, const aq_isa_inst *inst)
{
  char text[AQ_ISA_FIELD_SIZE];
  if (inst->form == AQ_ISA_DPP8 || inst->form == AQ_ISA_E64_DPP8) {
    aq_isa_put(out, " dpp8:[%u", inst->lanes & 7);
    for (unsigned i = 1; i < 8; i++)
      aq_isa_put(out, ",%u", inst->lanes >> (3 * i) & 7);
    aq_isa_put(out, "]%s", inst->fetch_inactive ? " fi:1" : "");
    return;
  }
  if (!(inst->target & AQ_ISA_RDNA) ||
      !aq_isa_rdna_dpp_print(inst->dpp_ctrl, text))
    aq_isa_dpp_print(inst->dpp_ctrl, text);
  aq_isa_put(out, " %s row_mask:0x%x bank_mask:0x%x%s%s", text, inst->row_mask,
             inst->bank_mask, inst->bound_ctrl ? " bound_ctrl:1" : "",
             inst->fetch_inactive ? " fi:1" : "");
}

static void put_cache(aq_isa_text *out, const aq_isa_inst *inst)
{
  char text[AQ_ISA_FIELD_SIZE];
  if (inst->target & AQ_ISA_GFX12) {
    aq_isa_rdna_cache_print(inst, text);
    aq_isa_put(out, "%s%s%s", inst->scaled ? " scale_offset" : "", text,
               inst->nv ? " nv" : "");
  } else if (inst->target & AQ_ISA_FROM_940)
    aq_isa_put(out, "%s%s%s", inst->glc ? " sc0" : "", inst->slc ? " nt" : "",
               inst->scc ? " sc1" : "");
  else
    aq_isa_put(out, "%s%s%s%s", inst->glc ? " glc" : "",
               inst->slc ? " slc" : "", inst->scc ? " scc" : "",
               inst->dlc ? " dlc" : "");
}

static void put_ds(aq_isa_text *out, const aq_isa_inst *inst)
{
  char text[AQ_ISA_FIELD_SIZE];
  const unsigned offset = (unsigned)inst->offset;
  if (inst->row->flags & AQ_ISA_OFFSET2) {
    if (offset & 0xff)
      aq_isa_put(out, " offset0:%u", offset & 0xff);
    if (offset >> 8)
      aq_isa_put(out, " offset1:%u", offset >> 8);
  } else if (offset && inst->row->flags & AQ_ISA_SWIZZLE) {
    aq_isa_swizzle_print(offset, text);
    aq_isa_put(out, " offset:%s", text);
  } else if (offset) {
    aq_isa_put(out, " offset:%u", offset);
  }
  if (inst->row->flags & AQ_ISA_GDS ||
      (inst->gds && !(inst->target & AQ_ISA_FROM_90A)))
    aq_isa_put(out, " gds");
}

static void put_memory(aq_isa_text *out, const aq_isa_inst *inst)
{
  const uint8_t encoding = inst->row->encoding;
  char text[AQ_ISA_FIELD_SIZE];
  if (encoding == AQ_ISA_MTBUF &&
      (inst->target & AQ_ISA_RDNA
           ? aq_isa_rdna_format_print(inst->format, inst->target, text)
           : aq_isa_format_print(inst->format, text)))
    aq_isa_put(out, " format:%s", text);
  if (aq_isa_operand_find(inst, 'R'))
    aq_isa_put(out, "%s%s", inst->idxen ? " idxen" : "",
               inst->offen ? " offen" : "");
  if (inst->offset &&
      (encoding == AQ_ISA_FLAT || encoding == AQ_ISA_SCRATCH ||
       encoding == AQ_ISA_GLOBAL || aq_isa_operand_find(inst, 'R')))
    aq_isa_put(out, " offset:%d", inst->offset);
  if (strcmp(inst->row->name, "tensor_stop") == 0 &&
      (inst->scope | inst->temporal | inst->nv))
    aq_isa_put(out, " "); /* as LLVM does */
  put_cache(out, inst);
  aq_isa_put(out, "%s%s", inst->tfe ? " tfe" : "", inst->lds ? " lds" : "");
}

static void put_image(aq_isa_text *out, const aq_isa_inst *inst)
{
  const uint8_t is = inst->graphics;
  static const char *const dims[] = {"1D",      "2D",           "3D",
                                     "CUBE",    "1D_ARRAY",     "2D_ARRAY",
                                     "2D_MSAA", "2D_MSAA_ARRAY"};
  if (inst->imm)
    aq_isa_put(out, " dmask:0x%x", inst->imm);
  if (inst->target & AQ_ISA_RDNA)
    aq_isa_put(out, " dim:SQ_RSRC_IMG_%s", dims[inst->dim]);
  aq_isa_put(out, "%s%s%s%s%s", is & AQ_ISA_UNORM ? " unorm" : "",
             inst->glc ? " glc" : "", inst->slc ? " slc" : "",
             inst->scc ? " scc" : "", inst->dlc ? " dlc" : "");
  aq_isa_put(out, "%s%s%s%s%s%s", is & AQ_ISA_R128 ? " r128" : "",
             is & AQ_ISA_A16 ? " a16" : "", inst->tfe ? " tfe" : "",
             is & AQ_ISA_LWE ? " lwe" : "", is & AQ_ISA_DA ? " da" : "",
             is & AQ_ISA_D16 ? " d16" : "");
}

static void put_export(aq_isa_text *out, const aq_isa_inst *inst)
{
  aq_isa_put(out, "%s%s%s", inst->graphics & AQ_ISA_DONE ? " done" : "",
             inst->graphics & AQ_ISA_COMPRESSED ? " compr" : "",
             inst->graphics & AQ_ISA_VALID_MASK ? " vm" : "");
}

void aq_isa_put_modifiers(aq_isa_text *out, const aq_isa_inst *inst)
{
  switch (inst->row->encoding) {
  case AQ_ISA_SMEM:
    if (inst->target & AQ_ISA_RDNA)
      put_cache(out, inst);
    else
      aq_isa_put(out, "%s", inst->glc ? " glc" : "");
    break;
  case AQ_ISA_DS:
    put_ds(out, inst);
    break;
  case AQ_ISA_MIMG:
    put_image(out, inst);
    break;
  case AQ_ISA_EXP:
    put_export(out, inst);
    break;
  case AQ_ISA_FLAT:
  case AQ_ISA_SCRATCH:
  case AQ_ISA_GLOBAL:
  case AQ_ISA_MUBUF:
  case AQ_ISA_MTBUF:
    put_memory(out, inst);
    break;
  case AQ_ISA_VOP3PX2:
    if (inst->target & AQ_ISA_GFX1250)
      put_packed(out, inst);
    else
      put_scaled(out, inst);
    break;
  case AQ_ISA_TENSOR:
    put_cache(out, inst);
    break;
  case AQ_ISA_VOP3P:
    if (inst->row->flags & AQ_ISA_MATRIX)
      put_types(out, inst);
    if (inst->row->flags & (AQ_ISA_PACKED | AQ_ISA_MIX | AQ_ISA_WMMA))
      put_packed(out, inst);
    else if (inst->row->flags & AQ_ISA_DOT)
      put_dot(out, inst);
    put_result(out, inst);
    break;
  default:
    put_result(out, inst);
  }
  if (inst->form == AQ_ISA_SDWA && inst->operand_count > 0)
    put_sdwa(out, inst);
  if (aq_isa_form_is_dpp(inst->form))
    put_dpp(out, inst);
}
