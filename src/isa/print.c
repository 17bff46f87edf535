/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "isa/isa.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "isa/print_fields.h"

typedef struct aq_isa_text {
  char *text;
  size_t used;
} aq_isa_text;

static void put(aq_isa_text *out, const char *format, ...) AQ_PRINTF(2, 3);

static void put(aq_isa_text *out, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  int length = vsnprintf(out->text + out->used, AQ_ISA_TEXT_SIZE - out->used,
                         format, args);
  va_end(args);
  out->used += length > 0 ? (size_t)length : 0;
  if (out->used >= AQ_ISA_TEXT_SIZE)
    out->used = AQ_ISA_TEXT_SIZE - 1;
}

/* ---- constants ---- */

/* 1632 is a register of two halves. */
static unsigned operand_width(const aq_isa_operand *operand)
{
  return operand->bits == 1632 || operand->bits < 32 ? 32 : operand->bits;
}

static const char *const float_texts[] = {
    "0.5", "-0.5", "1.0", "-1.0", "2.0", "-2.0", "4.0", "-4.0", "0.15915494"};
static const uint16_t halves[] = {0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000,
                                  0xc000, 0x4400, 0xc400, 0x3118};
static const uint32_t singles[] = {0x3f000000, 0xbf000000, 0x3f800000,
                                   0xbf800000, 0x40000000, 0xc0000000,
                                   0x40800000, 0xc0800000, 0x3e22f983};
/* Upper words; the lower ones are 0, so 1/(2 pi) is not among them. */
static const uint32_t doubles[] = {0x3fe00000, 0xbfe00000, 0x3ff00000,
                                   0xbff00000, 0x40000000, 0xc0000000,
                                   0x40100000, 0xc0100000};

static bool is_small(int32_t value)
{
  return value >= -16 && value <= 64;
}

static bool is_half(uint32_t value)
{
  for (size_t i = 0; i < sizeof halves / sizeof *halves; i++)
    if (value == halves[i])
      return true;
  return false;
}

static bool is_single(uint32_t value)
{
  for (size_t i = 0; i < sizeof singles / sizeof *singles; i++)
    if (value == singles[i])
      return true;
  return false;
}

/* A word as a number or one of the named floats. */
static void put_value(aq_isa_text *out, uint32_t value)
{
  for (size_t i = 0; i < sizeof singles / sizeof *singles; i++)
    if (value == singles[i]) {
      put(out, "%s", float_texts[i]);
      return;
    }
  put(out, is_small((int32_t)value) ? "%d" : "0x%x", value);
}

/* gfx1250: v_cvt_pk_fp8_f16 and v_cvt_pk_bf8_f16, whose source is two halves.
 */
static bool is_pair(const aq_isa_inst *inst)
{
  return strncmp(inst->row->name, "v_cvt_pk_", 9) == 0 &&
         strstr(inst->row->name, "f8_f16");
}

/* gfx1250: two words. lit64() marks a value that one of them can have. */
static void put_wide(aq_isa_text *out, const aq_isa_inst *inst,
                     const aq_isa_operand *operand)
{
  const uint64_t inv_2pi = 0x3fc45f306dc9c882;
  const uint64_t value = (uint64_t)inst->literal_high << 32 | inst->literal;
  for (size_t i = 0; inst->literal == 0 && i < sizeof doubles / 4; i++)
    if (inst->literal_high == doubles[i]) {
      put(out, "%s", float_texts[i]);
      return;
    }
  if (operand->role == 'K')
    put(out, "0x%llx", (unsigned long long)value);
  else if (inst->literal_high == 0)
    put(out, "lit64(0x%x)", inst->literal);
  else if (value == inv_2pi)
    put(out, "0.15915494309189532");
  else if (value >= (uint64_t)-16)
    put(out, "%d", (int)(int64_t)value);
  else if (operand->type == 'f' && inst->literal == 0)
    put(out, "0x%x", inst->literal_high);
  else
    put(out, "0x%llx", (unsigned long long)value);
}

/* RDNA: constants of packed halves are halves, too. */
static bool has_half_literals(const aq_isa_inst *inst)
{
  return inst->target & AQ_ISA_RDNA && inst->row->flags & AQ_ISA_PACKED &&
         strstr(inst->row->name, "f16");
}

/* lit() marks a literal whose value has a shorter encoding. */
static void put_literal(aq_isa_text *out, const aq_isa_inst *inst,
                        const aq_isa_operand *operand)
{
  const uint32_t literal = inst->literal;
  bool inlinable;
  uint32_t value = literal;
  if (inst->wide) {
    put_wide(out, inst, operand);
    return;
  }
  switch (operand->bits) {
  case 16:
    value &= 0xffff;
    inlinable = is_small((int32_t)literal) ||
                (operand->type == 'f' && is_half(literal) &&
                 strcmp(inst->row->name, "v_cndmask_b16") != 0);
    break;
  case 1632:
    inlinable = is_small((int32_t)value) || is_half(value);
    break;
  case 64:
    for (size_t i = 0; operand->type == 'f' && i < sizeof doubles / 4; i++)
      if (value == doubles[i]) {
        put(out, "%s", float_texts[i]);
        return;
      }
    inlinable = operand->type != 'f' && is_small((int32_t)value) &&
                !(inst->target & AQ_ISA_GFX1250 && value > 64);
    break;
  default:
    inlinable = is_small((int32_t)value) ||
                (is_pair(inst)                      ? false
                 : !has_half_literals(inst)         ? is_single(value)
                 : strstr(inst->row->name, "_bf16") ? is_single(value << 16)
                                                    : is_half(value));
  }
  if (operand->role == 'K' && inst->target & AQ_ISA_GFX1250 &&
      inst->row->encoding != AQ_ISA_SOPK)
    put(out, "0x%x", value);
  else if (operand->role == 'K' && inst->target & AQ_ISA_RDNA)
    put_value(out, value);
  else if (inlinable && !(inst->target & AQ_ISA_FROM_GFX11 &&
                          strcmp(inst->row->name, "v_pk_fmac_f16") == 0))
    put(out, "lit(0x%x)", literal);
  else
    put(out, "0x%x", value);
}

static void put_float(aq_isa_text *out, const aq_isa_inst *inst,
                      const aq_isa_operand *operand)
{
  const unsigned number = operand->code - AQ_ISA_HALF;
  if (is_pair(inst))
    put(out, "0x%x", singles[number]);
  else if (operand->bits == 16 &&
           (strcmp(inst->row->name, "v_cndmask_b16") == 0 ||
            (operand->type != 'f' && inst->row->encoding >= AQ_ISA_SOPC &&
             strcmp(inst->row->name, "v_ldexp_f16") != 0)))
    put(out, "0x%x", halves[number]);
  else if (operand->bits == 64 && operand->code == AQ_ISA_INV_2PI &&
           inst->row->encoding != AQ_ISA_VOP3P)
    put(out, "0.15915494309189532");
  else
    put(out, "%s", float_texts[number]);
}

/* ---- registers ---- */

static void put_range(aq_isa_text *out, const char *file, unsigned number,
                      unsigned bits)
{
  if (bits <= 32)
    put(out, "%s%u", file, number);
  else
    put(out, "%s[%u:%u]", file, number, number + bits / 32 - 1);
}

static void put_special(aq_isa_text *out, unsigned code, unsigned bits)
{
  if (code == AQ_ISA_NULL) {
    put(out, "null");
    return;
  }
  static const char *const pairs[] = {"flat_scratch", "xnack_mask", "vcc"};
  if (code == AQ_ISA_M0) {
    put(out, "m0");
    return;
  }
  const unsigned pair = (code - AQ_ISA_FLAT_SCRATCH) / 2;
  const char *name = pair < sizeof pairs / sizeof *pairs ? pairs[pair] : "exec";
  put(out, "%s%s", name, bits > 32 ? "" : code & 1 ? "_hi" : "_lo");
}

static void put_scalar(aq_isa_text *out, const aq_isa_inst *inst,
                       const aq_isa_operand *operand)
{
  static const char *const apertures[] = {
      "src_shared_base", "src_shared_limit", "src_private_base",
      "src_private_limit", "src_pops_exiting_wave_id"};
  static const char *const flags[] = {"src_vccz", "src_execz", "src_scc",
                                      "src_lds_direct"};
  const unsigned code = operand->code, bits = operand_width(operand);
  if (code < AQ_ISA_FLAT_SCRATCH ||
      (code < AQ_ISA_VCC && inst->target & AQ_ISA_RDNA))
    put_range(out, "s", code, bits);
  else if (code >= AQ_ISA_TTMP0 && code < AQ_ISA_M0)
    put_range(out, "ttmp", code - AQ_ISA_TTMP0, bits);
  else if (code < AQ_ISA_INT_0)
    put_special(out, code, bits);
  else if (code < AQ_ISA_INT_NEGATIVE)
    put(out, "%u", code - AQ_ISA_INT_0);
  else if (code - AQ_ISA_SCRATCH_BASE < 2u)
    put(out, "src_flat_scratch_base_%s",
        code == AQ_ISA_SCRATCH_BASE ? "lo" : "hi");
  else if (code < AQ_ISA_SHARED_BASE)
    put(out, "-%u", code - AQ_ISA_INT_NEGATIVE + 1);
  else if (code < AQ_ISA_HALF)
    put(out, "%s", apertures[code - AQ_ISA_SHARED_BASE]);
  else if (code <= AQ_ISA_INV_2PI)
    put_float(out, inst, operand);
  else if (code == AQ_ISA_LITERAL)
    put_literal(out, inst, operand);
  else
    put(out, "%s", flags[code - AQ_ISA_VCCZ]);
}

static bool is_constant(unsigned code)
{
  return (code >= AQ_ISA_INT_0 && code < AQ_ISA_INT_NEGATIVE + 16) ||
         (code >= AQ_ISA_HALF && code <= AQ_ISA_INV_2PI) ||
         code == AQ_ISA_LITERAL;
}

static void put_register(aq_isa_text *out, const aq_isa_inst *inst,
                         const aq_isa_operand *operand)
{
  uint8_t modifiers = operand->modifiers;
  if (inst->row->flags & (AQ_ISA_PACKED | AQ_ISA_WMMA))
    modifiers = 0; /* printed as lists */
  /* The minus of a constant would be its sign. */
  const bool named = (modifiers & (AQ_ISA_NEG | AQ_ISA_ABS)) == AQ_ISA_NEG &&
                     operand->file == 's' && is_constant(operand->code);
  put(out, "%s%s%s",
      named                    ? "neg("
      : modifiers & AQ_ISA_NEG ? "-"
                               : "",
      modifiers & AQ_ISA_ABS ? "|" : "",
      modifiers & AQ_ISA_SEXT ? "sext(" : "");
  if (operand->file == 's')
    put_scalar(out, inst, operand);
  else if (operand->file)
    put_range(out, operand->file == 'v' ? "v" : "a", operand->code,
              operand_width(operand));
  else
    put(out, "off");
  if (operand->file == 'v' && inst->form != AQ_ISA_SDWA && operand->select < 6)
    put(out, operand->select == 5 ? ".h" : ".l");
  const unsigned end =
      256u * operand->bank + operand->code + (operand_width(operand) + 31) / 32;
  if (operand->bank && end <= 1024) { /* else there is no such register */
    put(out, " /*");
    put_range(out, "v", 256u * operand->bank + operand->code,
              operand_width(operand));
    put(out, "*/");
  }
  put(out, "%s%s%s", modifiers & AQ_ISA_SEXT ? ")" : "",
      modifiers & AQ_ISA_ABS ? "|" : "", named ? ")" : "");
}

/* ---- operands ---- */

static void offset_print(int32_t offset, char text[AQ_ISA_FIELD_SIZE])
{
  snprintf(text, AQ_ISA_FIELD_SIZE, "%s0x%x", offset < 0 ? "-" : "",
           offset < 0 ? 0u - (unsigned)offset : (unsigned)offset);
}

/* Operands that are no registers. False: nothing to print. */
static bool put_field(aq_isa_text *out, const aq_isa_inst *inst,
                      const aq_isa_operand *operand)
{
  char text[AQ_ISA_FIELD_SIZE];
  const bool rdna = inst->target & AQ_ISA_RDNA;
  switch (operand->role) {
  case 'L':
    put(out, "%u", inst->imm);
    return true;
  case 'N':
  case 'Y':
    put(out, inst->imm <= 64 ? "%u" : "0x%x", inst->imm);
    return true;
  case 'Z':
    if (inst->imm)
      put(out, "%u", inst->imm);
    return inst->imm;
  case 'X':
    put(out, "0x%x", inst->imm);
    return true;
  case 'H':
    aq_isa_hwreg_print(inst->imm, inst->target, text);
    break;
  case 'W':
    if (rdna)
      aq_isa_rdna_waitcnt_print(inst->imm, inst->target, text);
    else
      aq_isa_waitcnt_print(inst->imm, text);
    break;
  case 'M':
  case 'm':
    if (rdna)
      aq_isa_rdna_message_print(inst->imm, inst->target, text);
    else
      aq_isa_message_print(inst->imm, text);
    break;
  case 'G':
    aq_isa_index_mode_print(inst->imm, text);
    break;
  case 'I':
    aq_isa_attribute_print(inst->imm, text);
    break;
  case 'P':
    aq_isa_parameter_print(operand->code, text);
    break;
  case 'd':
    aq_isa_rdna_delay_print(inst->imm, text);
    break;
  case 'w':
    aq_isa_rdna_unit_waits_print(inst->imm, inst->target, text);
    break;
  case 'V':
    aq_isa_rdna_version_print(inst->imm, text);
    break;
  case 'T':
    aq_isa_target_print(inst->imm, text);
    break;
  default: /* O of scalar memory */
    offset_print(inst->offset, text);
  }
  put(out, "%s", text);
  return true;
}

static void put_operands(aq_isa_text *out, const aq_isa_inst *inst,
                         unsigned first, unsigned end)
{
  const char *separator = " ";
  for (unsigned i = first; i < end; i++) {
    const aq_isa_operand *operand = &inst->operands[i];
    const uint8_t encoding = inst->row->encoding;
    /* The address of buffer loads into LDS is not printed if it is off. */
    const size_t before = out->used;
    put(out, "%s", separator);
    bool printed = true;
    if (strchr("LNZXYHWMGOIPTVdwm", operand->role))
      printed = put_field(out, inst, operand);
    else if (operand->role == 'K' && !inst->wide &&
             (encoding == AQ_ISA_VOP2 || encoding == AQ_ISA_VOPD))
      put(out, "0x%x", inst->literal);
    else if (operand->role == 'K')
      put_literal(out, inst, operand);
    else
      put_register(out, inst, operand);
    if (!printed) {
      out->used = before;
      out->text[before] = 0;
    }
    if (encoding == AQ_ISA_SMEM && operand->role == 'S' && inst->offen) {
      char text[AQ_ISA_FIELD_SIZE];
      offset_print(inst->offset, text);
      put(out, " offset:%s", text);
    }
    separator = operand->role == 'T' ? " " : ", ";
  }
}

/* ---- modifiers ---- */

static void put_list(aq_isa_text *out, const char *name, unsigned bits,
                     unsigned count)
{
  put(out, " %s:[", name);
  for (unsigned i = 0; i < count; i++)
    put(out, "%s%u", i ? "," : "", bits >> i & 1);
  put(out, "]");
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
    put(out, "%s", text);
  } else {
    if (op_sel && strncmp(inst->row->name, "v_swmmac_", 9) == 0)
      put(out, " index_key:%u", op_sel & 3);
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
    put(out, " byte_sel:%u", byte);
}

static void put_types(aq_isa_text *out, const aq_isa_inst *inst)
{
  if (inst->cbsz)
    put(out, " cbsz:%u", inst->cbsz);
  if (inst->abid)
    put(out, " abid:%u", inst->abid);
  if (inst->blgp && negates(inst))
    put_list(out, "neg", inst->blgp, 3);
  else if (inst->blgp)
    put(out, " blgp:%u", inst->blgp);
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
    put(out, inst->imm <= 10 ? " bitop3:%u" : " bitop3:0x%x", inst->imm);
  if (inst->op_sel && inst->target & AQ_ISA_GFX1250 && names_scale(inst))
    put(out, " scale_sel:%u", inst->op_sel);
  else if (inst->op_sel &&
           strcmp(inst->row->name, "v_permlane16_swap_b32") == 0 &&
           inst->target & AQ_ISA_GFX1250)
    put(out, "%s%s", inst->op_sel & 2 ? " bound_ctrl:1" : "",
        inst->op_sel & 1 ? " fi:1" : "");
  else if (inst->op_sel && inst->target & AQ_ISA_GFX12 && names_byte(inst))
    put_byte(out, inst);
  else if (inst->op_sel && selects_byte(inst))
    put_list(out, "op_sel", inst->op_sel, 4);
  else if (inst->row->encoding != AQ_ISA_VOP3P && inst->op_sel)
    put_selection(out, inst);
  if (inst->row->flags & AQ_ISA_INTERP && inst->imm >> 8)
    put(out, " high");
  put(out, "%s%s", inst->clamp ? " clamp" : "", factors[inst->omod]);
}

static void put_sdwa(aq_isa_text *out, const aq_isa_inst *inst)
{
  static const char *const selects[] = {"BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3",
                                        "WORD_0", "WORD_1", "DWORD",  "7"};
  static const char *const unused[] = {"UNUSED_PAD", "UNUSED_SEXT",
                                       "UNUSED_PRESERVE", "UNUSED_PAD"};
  if (inst->row->encoding != AQ_ISA_VOPC && !(inst->row->flags & AQ_ISA_WHOLE))
    put(out, " dst_sel:%s dst_unused:%s", selects[inst->dst_sel],
        unused[inst->dst_unused]);
  const aq_isa_operand *a = aq_isa_operand_find(inst, 'A');
  const aq_isa_operand *b = aq_isa_operand_find(inst, 'B');
  if (a)
    put(out, " src0_sel:%s", selects[a->select]);
  if (b)
    put(out, " src1_sel:%s", selects[b->select]);
}

static void put_dpp(aq_isa_text *out, const aq_isa_inst *inst)
{
  char text[AQ_ISA_FIELD_SIZE];
  if (inst->form == AQ_ISA_DPP8 || inst->form == AQ_ISA_E64_DPP8) {
    put(out, " dpp8:[%u", inst->lanes & 7);
    for (unsigned i = 1; i < 8; i++)
      put(out, ",%u", inst->lanes >> (3 * i) & 7);
    put(out, "]%s", inst->fetch_inactive ? " fi:1" : "");
    return;
  }
  if (!(inst->target & AQ_ISA_RDNA) ||
      !aq_isa_rdna_dpp_print(inst->dpp_ctrl, text))
    aq_isa_dpp_print(inst->dpp_ctrl, text);
  put(out, " %s row_mask:0x%x bank_mask:0x%x%s%s", text, inst->row_mask,
      inst->bank_mask, inst->bound_ctrl ? " bound_ctrl:1" : "",
      inst->fetch_inactive ? " fi:1" : "");
}

static void put_cache(aq_isa_text *out, const aq_isa_inst *inst)
{
  char text[AQ_ISA_FIELD_SIZE];
  if (inst->target & AQ_ISA_GFX12) {
    aq_isa_rdna_cache_print(inst, text);
    put(out, "%s%s%s", inst->scaled ? " scale_offset" : "", text,
        inst->nv ? " nv" : "");
  } else if (inst->target & AQ_ISA_FROM_940)
    put(out, "%s%s%s", inst->glc ? " sc0" : "", inst->slc ? " nt" : "",
        inst->scc ? " sc1" : "");
  else
    put(out, "%s%s%s%s", inst->glc ? " glc" : "", inst->slc ? " slc" : "",
        inst->scc ? " scc" : "", inst->dlc ? " dlc" : "");
}

static void put_ds(aq_isa_text *out, const aq_isa_inst *inst)
{
  char text[AQ_ISA_FIELD_SIZE];
  const unsigned offset = (unsigned)inst->offset;
  if (inst->row->flags & AQ_ISA_OFFSET2) {
    if (offset & 0xff)
      put(out, " offset0:%u", offset & 0xff);
    if (offset >> 8)
      put(out, " offset1:%u", offset >> 8);
  } else if (offset && inst->row->flags & AQ_ISA_SWIZZLE) {
    aq_isa_swizzle_print(offset, text);
    put(out, " offset:%s", text);
  } else if (offset) {
    put(out, " offset:%u", offset);
  }
  if (inst->row->flags & AQ_ISA_GDS ||
      (inst->gds && !(inst->target & AQ_ISA_FROM_90A)))
    put(out, " gds");
}

static void put_memory(aq_isa_text *out, const aq_isa_inst *inst)
{
  const uint8_t encoding = inst->row->encoding;
  char text[AQ_ISA_FIELD_SIZE];
  if (encoding == AQ_ISA_MTBUF &&
      (inst->target & AQ_ISA_RDNA
           ? aq_isa_rdna_format_print(inst->format, inst->target, text)
           : aq_isa_format_print(inst->format, text)))
    put(out, " format:%s", text);
  if (aq_isa_operand_find(inst, 'R'))
    put(out, "%s%s", inst->idxen ? " idxen" : "", inst->offen ? " offen" : "");
  if (inst->offset &&
      (encoding == AQ_ISA_FLAT || encoding == AQ_ISA_SCRATCH ||
       encoding == AQ_ISA_GLOBAL || aq_isa_operand_find(inst, 'R')))
    put(out, " offset:%d", inst->offset);
  if (strcmp(inst->row->name, "tensor_stop") == 0 &&
      (inst->scope | inst->temporal | inst->nv))
    put(out, " "); /* as LLVM does */
  put_cache(out, inst);
  put(out, "%s%s", inst->tfe ? " tfe" : "", inst->lds ? " lds" : "");
}

static void put_image(aq_isa_text *out, const aq_isa_inst *inst)
{
  const uint8_t is = inst->graphics;
  if (inst->imm)
    put(out, " dmask:0x%x", inst->imm);
  put(out, "%s%s%s%s%s%s%s%s%s", is & AQ_ISA_UNORM ? " unorm" : "",
      inst->glc ? " glc" : "", inst->slc ? " slc" : "", inst->scc ? " scc" : "",
      is & AQ_ISA_A16 ? " a16" : "", inst->tfe ? " tfe" : "",
      is & AQ_ISA_LWE ? " lwe" : "", is & AQ_ISA_DA ? " da" : "",
      is & AQ_ISA_D16 ? " d16" : "");
}

static void put_export(aq_isa_text *out, const aq_isa_inst *inst)
{
  put(out, "%s%s%s", inst->graphics & AQ_ISA_DONE ? " done" : "",
      inst->graphics & AQ_ISA_COMPRESSED ? " compr" : "",
      inst->graphics & AQ_ISA_VALID_MASK ? " vm" : "");
}

static void put_modifiers(aq_isa_text *out, const aq_isa_inst *inst)
{
  switch (inst->row->encoding) {
  case AQ_ISA_SMEM:
    if (inst->target & AQ_ISA_RDNA)
      put_cache(out, inst);
    else
      put(out, "%s", inst->glc ? " glc" : "");
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

/* ---- the whole ---- */

/* VOP1 of gfx1250 whose names have no suffix in either form. */
static bool has_no_suffix(const aq_isa_inst *inst)
{
  return inst->target & AQ_ISA_GFX1250 &&
         strncmp(inst->row->name, "v_cvt_pk_f16_", 13) == 0 &&
         inst->row->encoding == AQ_ISA_VOP1 && !aq_isa_form_is_dpp(inst->form);
}

static const char *suffix(const aq_isa_inst *inst)
{
  const bool dpp = aq_isa_form_is_dpp(inst->form);
  static const char *const suffixes[] = {"_e32", "_e64",     "_sdwa",   "_dpp",
                                         "_dpp", "_e64_dpp", "_e64_dpp"};
  const uint8_t encoding = inst->row->encoding;
  if ((encoding == AQ_ISA_VOP3 || encoding == AQ_ISA_VOP3P) && dpp)
    return "_e64_dpp";
  if (encoding == AQ_ISA_VOPC && dpp && !aq_isa_form_is_e64(inst->form))
    return "";
  if (dpp && encoding == AQ_ISA_VOP2 && inst->row->flags & AQ_ISA_NO_E64)
    return "_dpp";
  if ((encoding != AQ_ISA_VOP1 && encoding != AQ_ISA_VOP2 &&
       encoding != AQ_ISA_VOPC) ||
      inst->row->flags & AQ_ISA_NO_E64 || !*inst->row->operands ||
      has_no_suffix(inst))
    return "";
  return suffixes[inst->form];
}

void aq_isa_print(const aq_isa_inst *inst, char text[AQ_ISA_TEXT_SIZE])
{
  aq_isa_text out = {.text = text};
  put(&out, "%s%s", inst->row->name, suffix(inst));
  if (inst->second) {
    put_operands(&out, inst, 0, inst->first_count);
    put(&out, " :: %s", inst->second->name);
    put_operands(&out, inst, inst->first_count, inst->operand_count);
    if (inst->second->flags & AQ_ISA_TRUTH && inst->imm)
      put(&out, inst->imm <= 10 ? " bitop3:%u" : " bitop3:0x%x", inst->imm);
    return;
  }
  put_operands(&out, inst, 0, inst->operand_count);
  put_modifiers(&out, inst);
}
