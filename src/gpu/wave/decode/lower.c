/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/wave/decode/lower.h"

#include <stdlib.h>

#include "gpu/wave/core/atomics.h"
#include "gpu/wave/core/condition_sources.h"
#include "gpu/wave/core/dpp.h"
#include "gpu/wave/core/gfx1250_addressing.h"
#include "gpu/wave/core/lds_direct_load.h"
#include "gpu/wave/core/operand_modifiers.h"
#include "gpu/wave/core/output_modifiers.h"
#include "gpu/wave/core/vopd.h"

const aq_wave_op *aq_wave_not_simulated(aq_wave *w, const aq_wave_op *o)
{
  return aq_wave_fault(w, o, AQ_EXECUTION_FAULT_ILLEGAL, 0,
                       "the instruction is not simulated");
}

enum { BRAIN = 1 }; /* in the place of a width: bf16 */

static uint64_t float_constant(unsigned code, unsigned bits)
{
  static const struct {
    uint16_t half;
    uint32_t single;
    uint64_t wide;
  } values[] = {
      {0x3800, 0x3f000000, 0x3fe0000000000000},
      {0xb800, 0xbf000000, 0xbfe0000000000000},
      {0x3c00, 0x3f800000, 0x3ff0000000000000},
      {0xbc00, 0xbf800000, 0xbff0000000000000},
      {0x4000, 0x40000000, 0x4000000000000000},
      {0xc000, 0xc0000000, 0xc000000000000000},
      {0x4400, 0x40800000, 0x4010000000000000},
      {0xc400, 0xc0800000, 0xc010000000000000},
      {0x3118, 0x3e22f983, 0x3fc45f306dc9c882},
  };
  const unsigned i = code - AQ_ISA_HALF;
  return bits == BRAIN                ? values[i].single >> 16
         : bits == 64                 ? values[i].wide
         : bits == 16 || bits == 1632 ? values[i].half
                                      : values[i].single;
}

/* How wide a constant is: packed instructions take one for each half. */
static unsigned constant_bits(const aq_isa_inst *inst,
                              const aq_isa_operand *operand)
{
  const char *name = inst->row->name;
  if (strcmp(name, "v_cvt_f32_bf16") == 0)
    return BRAIN;
  if (inst->row->encoding != AQ_ISA_VOP3P &&
      inst->row->encoding != AQ_ISA_VOP3PX2)
    return operand->bits;
  if (inst->row->flags & AQ_ISA_MATRIX)
    return strncmp(name, "v_mfma_f64_", 11) == 0 ? 64 : 32;
  if (inst->row->flags & AQ_ISA_MIX)
    return inst->op_sel_hi >> (operand->role - 'A') & 1 ? 16 : 32;
  return operand->role != 'C' && strstr(name, "_f16")             ? 16
         : strncmp(name, "v_pk_", 5) == 0 && strstr(name, "_f16") ? 16
                                                                  : 32;
}

static uint64_t literal_value(const aq_isa_inst *inst,
                              const aq_isa_operand *operand)
{
  return inst->wide ? (uint64_t)inst->literal_high << 32 | inst->literal
         : operand->bits == 64 && operand->type == 'f'
             ? (uint64_t)inst->literal << 32
             : inst->literal;
}

/* The value of a scalar code of 128 or more; false: it is not a constant. */
static bool constant_value(const aq_isa_inst *inst,
                           const aq_isa_operand *operand, uint64_t *out)
{
  const unsigned code = operand->code;
  if (code == AQ_ISA_LITERAL) {
    *out = literal_value(inst, operand);
  } else if (code >= AQ_ISA_INT_0 && code <= AQ_ISA_INT_0 + 64) {
    *out = code - AQ_ISA_INT_0;
  } else if (code >= AQ_ISA_INT_NEGATIVE && code < AQ_ISA_INT_NEGATIVE + 16) {
    *out = (uint64_t) - (int64_t)(code - AQ_ISA_INT_NEGATIVE + 1);
  } else if (code >= AQ_ISA_HALF && code <= AQ_ISA_INV_2PI) {
    *out = float_constant(code, constant_bits(inst, operand));
  } else if (code >= AQ_ISA_SHARED_BASE && code < AQ_ISA_SHARED_BASE + 4) {
    const unsigned which = code - AQ_ISA_SHARED_BASE;
    const uint64_t high = which < 2 ? AQ_WAVE_SHARED_HI : AQ_WAVE_PRIVATE_HI;
    *out =
        operand->bits == 64 ? high << 32 | (which & 1 ? UINT32_MAX : 0) : high;
  } else {
    return false;
  }
  return true;
}

/* The second bank of VGPRs lies where other targets have their AccVGPRs. */
static uint16_t row_of(const aq_isa_operand *operand)
{
  return (uint16_t)(operand->code +
                    (operand->file == 'a' || operand->bank ? AQ_WAVE_ACC : 0));
}

/* Two banks are simulated, and no tuple that leaves its bank. */
static bool banks_lower(const aq_isa_inst *inst)
{
  enum { BANK = 256, BANKS = 2 };
  for (unsigned i = 0; i < inst->operand_count; i++) {
    const aq_isa_operand *o = &inst->operands[i];
    const unsigned words =
        o->bits <= AQ_ISA_BITS_MAX ? (o->bits + 31u) / 32 : 1;
    if (o->file == 'v' &&
        (o->bank >= BANKS || (o->bank && o->code + words > BANK)))
      return false;
  }
  return true;
}

static bool source_lower(aq_wave_op *o, int i, const aq_isa_inst *inst,
                         const aq_isa_operand *operand)
{
  if (operand->role == 'K') {
    o->kind[i] = AQ_WAVE_CONSTANT;
    o->constant[i] = inst->wide ? literal_value(inst, operand) : inst->literal;
    return true;
  }
  if (operand->file == 'v' || operand->file == 'a') {
    o->kind[i] = AQ_WAVE_VGPR;
    o->source[i] = row_of(operand);
    return true;
  }
  if (operand->file != 's')
    return true; /* not a register: a number or a target */
  if (operand->code == AQ_ISA_NULL) {
    o->kind[i] = AQ_WAVE_CONSTANT;
    o->constant[i] = 0;
    return true;
  }
  if (operand->code < 128) {
    o->kind[i] = AQ_WAVE_SGPR;
    o->source[i] = operand->code;
    return true;
  }
  o->kind[i] = AQ_WAVE_CONSTANT;
  return aq_wave_flag_is(operand) ||
         constant_value(inst, operand, &o->constant[i]);
}

static bool is_source(const aq_isa_operand *operand)
{
  return operand->role == 'A' || operand->role == 'B' || operand->role == 'C' ||
         operand->role == 'K';
}

/* The scalars that a result goes to; false: it is EXEC's upper half in a wave
 * of 32 lanes. */
static bool scalar_lower(const aq_isa_inst *inst, const aq_isa_operand *operand,
                         uint16_t *out)
{
  const unsigned end = operand->code + (operand->bits + 31u) / 32;
  *out = operand->code == AQ_ISA_NULL ? AQ_WAVE_NULL_DEST : operand->code;
  return !inst->wave32 || operand->code == AQ_ISA_NULL ||
         end <= AQ_ISA_EXEC + 1;
}

/* Sources in the order of printing, destinations. */
static bool arithmetic_lower(aq_wave_op *o, const aq_isa_inst *inst)
{
  int i = 0;
  o->dest = AQ_WAVE_NULL_DEST; /* of comparisons that only write EXEC */
  if (strncmp(inst->row->name, "v_mad_nc_", 9) == 0)
    o->dest2 = AQ_WAVE_NULL_DEST; /* the carry */
  for (unsigned k = 0; k < inst->operand_count; k++) {
    const aq_isa_operand *operand = &inst->operands[k];
    if (operand->role == 'D' && operand->file != 's')
      o->dest = row_of(operand);
    else if (operand->role == 'D' || operand->role == 'E') {
      if (!scalar_lower(inst, operand,
                        operand->role == 'D' ? &o->dest : &o->dest2))
        return false;
    } else if (is_source(operand) && i < 3 &&
               !source_lower(o, i++, inst, operand))
      return false;
  }
  for (; i < 3; i++) {
    o->kind[i] = AQ_WAVE_CONSTANT;
    o->constant[i] = 0;
  }
  o->imm = (int16_t)inst->imm;
  return true;
}

/* Other numbers than the workgroup's name barriers of traps, and the named
 * barriers of gfx12.5. */
static bool barrier_lowers(const aq_isa_inst *inst)
{
  enum { WORKGROUP = -1 };
  const aq_isa_operand *number = aq_isa_operand_find(inst, 'A');
  if (strncmp(inst->row->name, "s_barrier_", 10) != 0)
    return true;
  return number ? number->code == AQ_ISA_INT_NEGATIVE
                : (int16_t)inst->imm == WORKGROUP;
}

/* Instructions that accumulate into their destination. */
static bool accumulates(const char *name)
{
  static const char *const prefixes[] = {
      "v_fmac_",  "v_mac_",   "v_pk_fmac_",    "v_dot2c_",
      "v_dot4c_", "v_dot8c_", "v_cvt_pkaccum_"};
  for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
    if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
      return true;
  return false;
}

/* Whether an instruction that can select halves selects none: its operands are
 * whole words. */
static bool halves_are_whole(const aq_isa_inst *inst)
{
  bool whole = inst->row->encoding == AQ_ISA_VOP3 && !inst->op_sel;
  for (unsigned k = 0; k < inst->operand_count; k++)
    whole &= inst->operands[k].bits == 32 && inst->operands[k].type != 'f';
  return whole;
}

static bool form_is_needed(const aq_isa_inst *inst)
{
  bool needed = inst->form == AQ_ISA_SDWA || aq_isa_form_is_dpp(inst->form) ||
                inst->clamp || inst->omod || aq_wave_form_keeps_half(inst);
  if (inst->row->encoding == AQ_ISA_VOP3P ||
      inst->row->encoding == AQ_ISA_VOP3PX2 ||
      strncmp(inst->row->name, "v_permlane", 10) == 0)
    return aq_isa_form_is_dpp(inst->form); /* handlers read the modifiers */
  if (aq_wave_convert_selects(inst) ||
      strcmp(inst->row->name, "v_swap_b16") == 0) /* it selects halves itself */
    return false;
  for (unsigned k = 0; k < inst->operand_count; k++)
    needed |= inst->operands[k].modifiers != 0 || inst->operands[k].select < 6;
  return needed || (inst->row->flags & AQ_ISA_OPSEL && !halves_are_whole(inst));
}

/* Of matrix instructions of RDNA: the modifiers, and the operand C. */
static bool wmma_lowers(const aq_isa_inst *inst)
{
  const aq_isa_operand *c = aq_isa_operand_find(inst, 'C');
  const bool integers = strstr(inst->row->name, "_i32_") != NULL;
  const bool number = c->file == 's' && c->code >= AQ_ISA_INT_0 &&
                      c->code < AQ_ISA_INT_NEGATIVE + 16;
  const bool single = strstr(inst->row->name, "mma_f32_") && c->file == 's' &&
                      c->code >= AQ_ISA_HALF && c->code <= AQ_ISA_INV_2PI;
  return (integers || !inst->clamp) && (c->file == 'v' || number || single);
}

/* What signs and halves of packed sources mean to VOP3 is not documented. */
static bool dot_is_unknown(const aq_isa_inst *inst)
{
  const aq_isa_operand *a = aq_isa_operand_find(inst, 'A'),
                       *b = aq_isa_operand_find(inst, 'B');
  return inst->row->encoding == AQ_ISA_VOP3 &&
         strncmp(inst->row->name, "v_dot2_", 7) == 0 &&
         (a->modifiers || b->modifiers || inst->op_sel & 3);
}

bool aq_wave_row_is_unproven(const aq_isa_row *row, uint16_t target)
{
  return target & AQ_ISA_GFX1250 &&
         (row->encoding == AQ_ISA_MUBUF || row->encoding == AQ_ISA_MTBUF ||
          row->flags & AQ_ISA_WMMA || strncmp(row->name, "s_buffer_", 9) == 0 ||
          strcmp(row->name, "v_permlane16_swap_b32") == 0);
}

/* The same of fields of gfx1250's. */
static bool is_unproven(const aq_isa_inst *inst)
{
  const char *name = inst->row->name;
  bool signs = false;
  for (unsigned k = 0; k < inst->operand_count; k++)
    signs |= inst->operands[k].modifiers != 0;
  return inst->target & AQ_ISA_GFX1250 &&
         ((strcmp(name, "v_cvt_f32_bf16") == 0 && (inst->op_sel || signs)) ||
          (strncmp(name, "v_add_m", 7) == 0 && inst->clamp));
}

/* False: out of memory. */
static bool form_lower(aq_wave_op *o, aq_wave_decoded *more)
{
  more->form = calloc(1, sizeof *more->form);
  if (!more->form)
    return false;
  aq_wave_form_read(o, more->form);
  if (aq_isa_form_is_dpp(more->inst.form)) {
    more->move = calloc(1, sizeof *more->move);
    if (!more->move)
      return false;
    aq_wave_move_dpp(&more->inst, more->move);
  }
  more->base = o->run;
  o->run = aq_wave_form_run;
  return true;
}

/* False: in FFT mode, or out of memory. */
static bool swizzle_lower(aq_wave_op *o, aq_wave_decoded *more)
{
  more->move = calloc(1, sizeof *more->move);
  return more->move && aq_wave_move_swizzle((uint32_t)o->imm, more->move);
}

static bool vector_lower(aq_wave_op *o, aq_wave_decoded *more)
{
  const aq_isa_inst *inst = &more->inst;
  const bool moved = aq_isa_form_is_dpp(inst->form);
  if (!arithmetic_lower(o, inst) || dot_is_unknown(inst) || is_unproven(inst) ||
      (moved && aq_wave_convert_selects(inst)) ||
      (inst->row->flags & AQ_ISA_WMMA && !wmma_lowers(inst)))
    return false;
  if (accumulates(aq_wave_name_of(inst->row->name))) {
    o->kind[2] = AQ_WAVE_VGPR;
    o->source[2] = o->dest;
  }
  if ((inst->clamp || inst->omod) && inst->row->encoding != AQ_ISA_VOP3P &&
      (!aq_wave_finish_executes(inst) ||
       strncmp(inst->row->name, "v_s_", 4) == 0))
    return false;
  return !form_is_needed(inst) || o->run == aq_wave_not_simulated ||
         form_lower(o, more);
}

static uint16_t vector_role(const aq_isa_inst *inst, char role)
{
  const aq_isa_operand *operand = aq_isa_operand_find(inst, role);
  return operand && (operand->file == 'v' || operand->file == 'a')
             ? row_of(operand)
             : AQ_WAVE_NONE;
}

static bool memory_lower(aq_wave_op *o, aq_wave_decoded *more)
{
  const aq_isa_inst *inst = &more->inst;
  const aq_isa_operand *data = aq_isa_operand_find(inst, 'D');
  const aq_isa_operand *scalar = aq_isa_operand_find(inst, 'S');
  const bool buffer = inst->row->encoding == AQ_ISA_MUBUF ||
                      inst->row->encoding == AQ_ISA_MTBUF;
  const bool smem = inst->row->encoding == AQ_ISA_SMEM;
  const aq_isa_operand *base = aq_isa_operand_find(inst, smem ? 'A' : 'R');
  const char *name = aq_wave_name_of(inst->row->name);
  more->far = strstr(name, "st64") != NULL;
  more->resource = smem && strstr(name, "_buffer_");
  o->imm = inst->offset;
  o->dest = !data ? AQ_WAVE_NONE : row_of(data);
  if (data && smem && !scalar_lower(inst, data, &o->dest))
    return false;
  o->constant[0] = aq_wave_atomic_named(name);
  more->address = vector_role(inst, 'A');
  more->data = buffer ? o->dest : vector_role(inst, 'B');
  more->data2 = vector_role(inst, 'C');
  if (strncmp(inst->row->name, "ds_cmpstore_", 12) == 0) {
    /* The new value comes first. */
    more->data2 = more->data;
    more->data = vector_role(inst, 'C');
  }
  more->scalar = AQ_WAVE_NONE;
  if (!smem) { /* access.inc reads them here */
    o->source[1] = buffer && !inst->offen ? AQ_WAVE_NONE : more->address;
    o->source[2] = more->data;
  }
  more->bytes = data ? (uint8_t)(data->bits / 8) : 0;
  if (base)
    o->source[0] = base->code;
  const bool register_used = scalar && scalar->file == 's';
  if (register_used && scalar->code < 128)
    more->scalar = scalar->code;
  else if (register_used && !constant_value(inst, scalar, &o->constant[1]))
    return false;
  o->dest2 = more->scalar;
  const bool gws = inst->row->flags & AQ_ISA_GDS;
  if (inst->gds != gws || inst->tfe)
    return false;
  if (smem && inst->scaled && more->scalar != AQ_WAVE_NONE)
    more->element_bytes = aq_wave_element_bytes(inst);
  else
    more->element_bytes = 1;
  if (aq_wave_elements_has(inst))
    return aq_wave_elements_lower(o, more, o->run != aq_wave_not_simulated);
  if (strcmp(inst->row->name, "ds_swizzle_b32") == 0)
    return swizzle_lower(o, more);
  return !aq_wave_is_direct(inst) || aq_wave_direct_lower(o, inst);
}

/* False: coordinates of 16 bits, a short resource, or a word with the lanes
 * that failed. */
static bool image_lower(aq_wave_op *o, aq_wave_decoded *more)
{
  const aq_isa_inst *inst = &more->inst;
  const aq_isa_operand *sampler = aq_isa_operand_find(inst, 'S');
  o->dest = more->data = vector_role(inst, 'D');
  o->source[0] = aq_isa_operand_find(inst, 'R')->code;
  more->address = vector_role(inst, 'A');
  more->scalar = sampler ? sampler->code : AQ_WAVE_NONE;
  return !(inst->graphics & (AQ_ISA_A16 | AQ_ISA_LWE | AQ_ISA_R128)) &&
         !inst->tfe;
}

static bool flags_lower(aq_wave_op *o, aq_wave_decoded *more)
{
  return o->run == aq_wave_not_simulated || aq_wave_flags_lower(o, more);
}

bool aq_wave_lower(aq_wave_op *o, aq_wave_decoded *more)
{
  if (aq_wave_row_is_unproven(more->inst.row, more->inst.target) ||
      !banks_lower(&more->inst))
    return false;
  switch (more->inst.row->encoding) {
  case AQ_ISA_SOP2:
  case AQ_ISA_SOPK:
  case AQ_ISA_SOP1:
  case AQ_ISA_SOPC:
  case AQ_ISA_SOPP:
    return arithmetic_lower(o, &more->inst) && barrier_lowers(&more->inst) &&
           flags_lower(o, more);
  case AQ_ISA_VOP2:
  case AQ_ISA_VOP1:
  case AQ_ISA_VOPC:
  case AQ_ISA_VOP3:
  case AQ_ISA_VOP3P:
  case AQ_ISA_VOP3PX2:
  case AQ_ISA_VOPD:
  case AQ_ISA_VOPD3:
    return vector_lower(o, more) && flags_lower(o, more);
  case AQ_ISA_MIMG:
    return image_lower(o, more);
  case AQ_ISA_TENSOR:
  case AQ_ISA_EXP:
  case AQ_ISA_VINTRP:
    return false;
  default:
    return memory_lower(o, more);
  }
}

bool aq_wave_lowers(const aq_isa_inst *inst)
{
  aq_wave_decoded more = {.inst = *inst};
  aq_wave_op op = {.run = NULL, .decoded = &more};
  const bool lowers = aq_wave_lower(&op, &more);
  aq_wave_decoded_clear(&more);
  return lowers;
}
