/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/isa/decode.h"

aq_isa_operand aq_isa_token_read(const aq_isa_inst *inst, const char **text)
{
  const char *at = *text;
  aq_isa_operand out = {.role = *at++, .type = 'b', .select = 6};
  if (*at == 'v' || *at == 'a' || *at == 's')
    out.file = *at++;
  if (*at == 'f')
    out.type = *at++;
  while (*at >= '0' && *at <= '9')
    out.bits = (uint16_t)(out.bits * 10 + (*at++ - '0'));
  if (*at == 'm' && out.role != 'm') {
    out.bits = inst->wave32 ? 32 : 64;
    at++;
  }
  while (*at == ' ')
    at++;
  *text = at;
  return out;
}

static bool scalar_is_valid(uint32_t code, unsigned bits, bool destination,
                            uint16_t target)
{
  if (code == AQ_ISA_NULL && target & AQ_ISA_RDNA)
    return true;
  if (code < 128) {
    const unsigned align = bits > AQ_ISA_BITS_MAX ? 0
                           : bits >= 128          ? 3
                           : bits >= 64           ? 1
                                                  : 0;
    return code != AQ_ISA_NULL &&
           !(code & (code >= AQ_ISA_TTMP0 ? align & 1 : align)) &&
           !(code == AQ_ISA_M0 && bits > 32 && bits <= AQ_ISA_BITS_MAX);
  }
  return !destination &&
         !(code == AQ_ISA_LDS_DIRECT && target & AQ_ISA_GFX1250 &&
           bits != 64) &&
         (code <= 208 ||
          (code - AQ_ISA_SCRATCH_BASE < 2 && target & AQ_ISA_GFX1250) ||
          (code >= AQ_ISA_SHARED_BASE && code <= AQ_ISA_INV_2PI) ||
          code >= AQ_ISA_VCCZ);
}

bool aq_isa_scalar_set(const aq_isa_inst *inst, aq_isa_operand *operand,
                       uint32_t code)
{
  if (inst->target & AQ_ISA_FROM_GFX11 &&
      (code == AQ_ISA_M0 || code == AQ_ISA_NULL))
    code ^= AQ_ISA_M0 ^ AQ_ISA_NULL;
  if (operand->file == 'v' || operand->file == 'a' ||
      !scalar_is_valid(code, operand->bits,
                       operand->role == 'D' || operand->role == 'E',
                       inst->target))
    return false;
  operand->file = 's';
  operand->code = (uint8_t)code;
  return true;
}

bool aq_isa_vector_set(aq_isa_operand *operand, uint32_t number)
{
  if (operand->file == 's')
    return false;
  if (!operand->file)
    operand->file = 'v';
  operand->code = (uint8_t)number;
  return true;
}

bool aq_isa_operand_is_half(const aq_isa_inst *inst,
                            const aq_isa_operand *operand)
{
  return inst->target & AQ_ISA_GFX11 && operand->bits == 16 &&
         operand->role != 'K';
}

/* An operand for a VGPR only can take LDS directly. */
bool aq_isa_source_set(const aq_isa_inst *inst, aq_isa_operand *operand,
                       uint32_t code)
{
  if (operand->file == 'v' && code == AQ_ISA_LDS_DIRECT &&
      !(inst->target & AQ_ISA_GFX1250))
    operand->file = 0;
  return code >= AQ_ISA_CODE_VGPR
             ? aq_isa_vector_set(operand, code - AQ_ISA_CODE_VGPR)
             : aq_isa_scalar_set(inst, operand, code);
}

bool aq_isa_literal_take(aq_isa_inst *inst, size_t size)
{
  if (size < inst->size + 4u)
    return false;
  inst->literal = inst->words[inst->size / 4];
  inst->size += 4;
  if (inst->wide) {
    if (size < inst->size + 4u)
      return false;
    inst->literal_high = inst->words[inst->size / 4];
    inst->size += 4;
  }
  return true;
}

bool aq_isa_literal_needed(aq_isa_inst *inst)
{
  bool needed = false;
  for (unsigned i = 0; i < inst->operand_count; i++) {
    aq_isa_operand *o = &inst->operands[i];
    if (inst->target & AQ_ISA_GFX1250 &&
        ((o->file == 's' && o->code == AQ_ISA_LDS_DIRECT) ||
         (o->role == 'K' && o->bits == 64))) {
      inst->wide = true;
      o->code = AQ_ISA_LITERAL;
    }
    needed |= o->role == 'K' || (o->file == 's' && o->code == AQ_ISA_LITERAL);
  }
  return needed;
}
