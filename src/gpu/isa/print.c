/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/isa/isa.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "gpu/isa/print_fields.h"
#include "gpu/isa/print_text.h"

void aq_isa_put(aq_isa_text *out, const char *format, ...)
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
      aq_isa_put(out, "%s", float_texts[i]);
      return;
    }
  aq_isa_put(out, is_small((int32_t)value) ? "%d" : "0x%x", value);
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
      aq_isa_put(out, "%s", float_texts[i]);
      return;
    }
  const bool is_constant = operand->role == 'K';
  if (!is_constant && inst->literal_high == 0)
    aq_isa_put(out, "lit64(0x%x)", inst->literal);
  else if (!is_constant && value == inv_2pi)
    aq_isa_put(out, "0.15915494309189532");
  else if (!is_constant && value >= (uint64_t)-16)
    aq_isa_put(out, "%d", (int)(int64_t)value);
  else if (!is_constant && operand->type == 'f' && inst->literal == 0)
    aq_isa_put(out, "0x%x", inst->literal_high);
  else
    aq_isa_put(out, "0x%llx", (unsigned long long)value);
}

/* RDNA: constants of packed halves are halves, too. */
static bool has_half_literals(const aq_isa_inst *inst)
{
  return inst->target & AQ_ISA_RDNA && inst->row->flags & AQ_ISA_PACKED &&
         strstr(inst->row->name, "f16");
}

/* LLVM prints the packed halves of these two as integers, without lit(). */
static bool has_packed_integers(const aq_isa_inst *inst)
{
  return strcmp(inst->row->name, "v_cvt_pk_fp8_f16") == 0 ||
         strcmp(inst->row->name, "v_cvt_pk_bf8_f16") == 0;
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
        aq_isa_put(out, "%s", float_texts[i]);
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
  const bool is_constant = operand->role == 'K' && inst->target & AQ_ISA_RDNA;
  const bool is_hex = is_constant && inst->target & AQ_ISA_GFX1250 &&
                      inst->row->encoding != AQ_ISA_SOPK;
  if (has_packed_integers(inst))
    aq_isa_put(out, is_small((int32_t)value) ? "%d" : "0x%x", value);
  else if (is_constant && !is_hex)
    put_value(out, value);
  else if (!is_hex && inlinable &&
           !(inst->target & AQ_ISA_FROM_GFX11 &&
             strcmp(inst->row->name, "v_pk_fmac_f16") == 0))
    aq_isa_put(out, "lit(0x%x)", literal);
  else
    aq_isa_put(out, "0x%x", value);
}

static void put_float(aq_isa_text *out, const aq_isa_inst *inst,
                      const aq_isa_operand *operand)
{
  const unsigned number = operand->code - AQ_ISA_HALF;
  if (is_pair(inst))
    aq_isa_put(out, "0x%x", singles[number]);
  else if (operand->bits == 16 &&
           (strcmp(inst->row->name, "v_cndmask_b16") == 0 ||
            (operand->type != 'f' && inst->row->encoding >= AQ_ISA_SOPC &&
             strcmp(inst->row->name, "v_ldexp_f16") != 0 &&
             strncmp(inst->row->name, "v_cvt_pk_f32_", 13) != 0)))
    aq_isa_put(out, "0x%x", halves[number]);
  else if (operand->bits == 64 && operand->code == AQ_ISA_INV_2PI &&
           inst->row->encoding != AQ_ISA_VOP3P)
    aq_isa_put(out, "0.15915494309189532");
  else
    aq_isa_put(out, "%s", float_texts[number]);
}

/* ---- registers ---- */

static void put_range(aq_isa_text *out, const char *file, unsigned number,
                      unsigned bits)
{
  if (bits <= 32)
    aq_isa_put(out, "%s%u", file, number);
  else
    aq_isa_put(out, "%s[%u:%u]", file, number, number + bits / 32 - 1);
}

static void put_special(aq_isa_text *out, unsigned code, unsigned bits)
{
  if (code == AQ_ISA_NULL) {
    aq_isa_put(out, "null");
    return;
  }
  static const char *const pairs[] = {"flat_scratch", "xnack_mask", "vcc"};
  if (code == AQ_ISA_M0) {
    aq_isa_put(out, "m0");
    return;
  }
  const unsigned pair = (code - AQ_ISA_FLAT_SCRATCH) / 2;
  const char *name = pair < sizeof pairs / sizeof *pairs ? pairs[pair] : "exec";
  aq_isa_put(out, "%s%s", name, bits > 32 ? "" : code & 1 ? "_hi" : "_lo");
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
    aq_isa_put(out, "%u", code - AQ_ISA_INT_0);
  else if (code - AQ_ISA_SCRATCH_BASE < 2u)
    aq_isa_put(out, "src_flat_scratch_base_%s",
               code == AQ_ISA_SCRATCH_BASE ? "lo" : "hi");
  else if (code < AQ_ISA_SHARED_BASE)
    aq_isa_put(out, "-%u", code - AQ_ISA_INT_NEGATIVE + 1);
  else if (code < AQ_ISA_HALF)
    aq_isa_put(out, "%s", apertures[code - AQ_ISA_SHARED_BASE]);
  else if (code <= AQ_ISA_INV_2PI)
    put_float(out, inst, operand);
  else if (code == AQ_ISA_LITERAL)
    put_literal(out, inst, operand);
  else
    aq_isa_put(out, "%s", flags[code - AQ_ISA_VCCZ]);
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
  aq_isa_put(out, "%s%s%s",
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
    aq_isa_put(out, "off");
  if (operand->file == 'v' && inst->form != AQ_ISA_SDWA && operand->select < 6)
    aq_isa_put(out, operand->select == 5 ? ".h" : ".l");
  const unsigned end =
      256u * operand->bank + operand->code + (operand_width(operand) + 31) / 32;
  if (operand->bank && end <= 1024) { /* else there is no such register */
    aq_isa_put(out, " /*");
    put_range(out, "v", 256u * operand->bank + operand->code,
              operand_width(operand));
    aq_isa_put(out, "*/");
  }
  aq_isa_put(out, "%s%s%s", modifiers & AQ_ISA_SEXT ? ")" : "",
             modifiers & AQ_ISA_ABS ? "|" : "", named ? ")" : "");
}

/* ---- operands ---- */

/* The registers of an address that are apart. */
static void put_places(aq_isa_text *out, const aq_isa_inst *inst)
{
  for (unsigned i = 0; i < inst->place_count; i++)
    aq_isa_put(out, "%sv%u", i ? ", " : "[", inst->places[i]);
  aq_isa_put(out, "]");
}

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
    aq_isa_put(out, "%u", inst->imm);
    return true;
  case 'N':
  case 'Y':
    aq_isa_put(out, inst->imm <= 64 ? "%u" : "0x%x", inst->imm);
    return true;
  case 'Z':
    if (inst->imm)
      aq_isa_put(out, "%u", inst->imm);
    return inst->imm;
  case 'X':
    aq_isa_put(out, "0x%x", inst->imm);
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
  aq_isa_put(out, "%s", text);
  return true;
}

static void put_operands(aq_isa_text *out, const aq_isa_inst *inst,
                         unsigned first, unsigned end)
{
  /* As LLVM does. */
  const bool wide = inst->place_count && aq_isa_operand_find(inst, 'S');
  const char *separator = wide ? "  " : " ";
  for (unsigned i = first; i < end; i++) {
    const aq_isa_operand *operand = &inst->operands[i];
    const uint8_t encoding = inst->row->encoding;
    /* The address of buffer loads into LDS is not printed if it is off. */
    const size_t before = out->used;
    aq_isa_put(out, "%s", separator);
    bool printed = true;
    if (strchr("LNZXYHWMGOIPTVdwm", operand->role))
      printed = put_field(out, inst, operand);
    else if (operand->role == 'K' && !inst->wide &&
             (encoding == AQ_ISA_VOP2 || encoding == AQ_ISA_VOPD))
      aq_isa_put(out, "0x%x", inst->literal);
    else if (operand->role == 'K')
      put_literal(out, inst, operand);
    else if (operand->role == 'A' && inst->place_count)
      put_places(out, inst);
    else
      put_register(out, inst, operand);
    if (!printed) {
      out->used = before;
      out->text[before] = 0;
    }
    if (encoding == AQ_ISA_SMEM && operand->role == 'S' && inst->offen) {
      char text[AQ_ISA_FIELD_SIZE];
      offset_print(inst->offset, text);
      aq_isa_put(out, " offset:%s", text);
    }
    separator = operand->role == 'T' ? " " : ", ";
  }
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
  aq_isa_put(&out, "%s%s", inst->row->name, suffix(inst));
  if (inst->second) {
    put_operands(&out, inst, 0, inst->first_count);
    aq_isa_put(&out, " :: %s", inst->second->name);
    put_operands(&out, inst, inst->first_count, inst->operand_count);
    if (inst->second->flags & AQ_ISA_TRUTH && inst->imm)
      aq_isa_put(&out, inst->imm <= 10 ? " bitop3:%u" : " bitop3:0x%x",
                 inst->imm);
    return;
  }
  put_operands(&out, inst, 0, inst->operand_count);
  aq_isa_put_modifiers(&out, inst);
}
