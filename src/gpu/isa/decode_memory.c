/* SPDX-License-Identifier: MIT */
/* DS, flat, buffers, and of graphics images, exports and interpolation. */
#include "config.h"

#include <string.h>

#include "gpu/isa/decode.h"

enum { SADDR_OFF = 127 };

/* ---- vector memory ---- */

/* The register of a role in the second word of DS and FLAT. */
static uint32_t memory_register(uint32_t w1, char role)
{
  return aq_isa_field(w1,
                      role == 'D'   ? 24
                      : role == 'A' ? 0
                      : role == 'B' ? 8
                                    : 16,
                      8);
}

bool aq_isa_ds_decode(aq_isa_inst *inst)
{
  const uint32_t w = inst->words[0], w1 = inst->words[1];
  const bool rdna = inst->target & AQ_ISA_RDNA;
  const bool acc = !rdna && aq_isa_bit(w, 25);
  inst->gds = aq_isa_bit(w, rdna ? 17 : 16);
  inst->offset = (int32_t)aq_isa_field(w, 0, 16);
  if ((acc && !(inst->target & AQ_ISA_FROM_90A)) ||
      (inst->row->flags & AQ_ISA_GDS && !inst->gds))
    return false;
  for (const char *at = inst->row->operands; *at;) {
    aq_isa_operand o = aq_isa_token_read(inst, &at);
    o.file =
        acc && (o.role != 'A' || inst->row->flags & AQ_ISA_GDS) ? 'a' : 'v';
    aq_isa_vector_set(&o, memory_register(w1, o.role));
    aq_isa_operand_add(inst, o);
  }
  return true;
}

static bool flat_address(aq_isa_inst *inst, aq_isa_operand *address)
{
  const uint32_t w1 = inst->words[1], saddr = aq_isa_field(w1, 16, 7);
  const uint8_t encoding = inst->row->encoding;
  const bool scalar = encoding != AQ_ISA_FLAT && saddr != SADDR_OFF;
  /* Of scratch, gfx940 has a bit for "with a VGPR"; before, there is a VGPR
   * unless there is an SGPR. */
  const bool vector =
      encoding != AQ_ISA_SCRATCH ||
      (inst->target & AQ_ISA_FROM_940 ? aq_isa_bit(inst->words[0], 13)
                                      : !scalar);
  address->bits = encoding == AQ_ISA_SCRATCH || scalar ? 32 : 64;
  if (vector)
    aq_isa_vector_set(address, aq_isa_field(w1, 0, 8));
  return true;
}

bool aq_isa_flat_decode(aq_isa_inst *inst)
{
  const uint32_t w = inst->words[0], w1 = inst->words[1];
  const aq_isa_row *row = inst->row;
  const bool from_940 = inst->target & AQ_ISA_FROM_940;
  const bool acc = aq_isa_bit(w1, 23);
  inst->glc = aq_isa_bit(w, 16);
  inst->slc = aq_isa_bit(w, 17);
  inst->scc = aq_isa_bit(w, 25);
  inst->lds =
      aq_isa_bit(w, 13) && !(from_940 && row->encoding == AQ_ISA_SCRATCH);
  inst->offset = row->encoding == AQ_ISA_FLAT ? (int32_t)aq_isa_field(w, 0, 12)
                                              : (int32_t)(w << 19) >> 19;
  if ((acc | inst->scc) && !(inst->target & AQ_ISA_FROM_90A))
    return false;
  if (inst->lds && (from_940 || row->encoding == AQ_ISA_FLAT))
    return false;
  for (const char *at = row->operands; *at;) {
    aq_isa_operand o = aq_isa_token_read(inst, &at);
    if (o.role == 'D' &&
        (inst->lds || (row->flags & AQ_ISA_RETURN && !inst->glc)))
      continue;
    if (o.role == 'A') {
      flat_address(inst, &o);
    } else {
      o.file = acc ? 'a' : 'v';
      aq_isa_vector_set(&o, memory_register(w1, o.role));
    }
    aq_isa_operand_add(inst, o);
  }
  if (row->encoding != AQ_ISA_FLAT) {
    const uint32_t saddr = aq_isa_field(w1, 16, 7);
    aq_isa_operand o = {.role = 'S',
                        .bits = row->encoding == AQ_ISA_GLOBAL ? 64 : 32};
    if (saddr != SADDR_OFF && !aq_isa_scalar_set(inst, &o, saddr))
      return false;
    aq_isa_operand_add(inst, o);
  }
  return true;
}

bool aq_isa_buffer_decode(aq_isa_inst *inst)
{
  const uint32_t w = inst->words[0], w1 = inst->words[1];
  const bool typed = inst->row->encoding == AQ_ISA_MTBUF;
  const bool from_90a = inst->target & AQ_ISA_FROM_90A;
  const bool acc = from_90a && aq_isa_bit(w1, 23);
  inst->offset = (int32_t)aq_isa_field(w, 0, 12);
  inst->offen = aq_isa_bit(w, 12);
  inst->idxen = aq_isa_bit(w, 13);
  inst->glc = aq_isa_bit(w, 14);
  inst->scc = from_90a && (typed ? aq_isa_bit(w1, 21) : aq_isa_bit(w, 15));
  inst->lds = !typed && aq_isa_bit(w, 16);
  inst->slc = typed ? aq_isa_bit(w1, 22) : aq_isa_bit(w, 17);
  inst->tfe = !from_90a && aq_isa_bit(w1, 23);
  inst->format = typed ? (uint8_t)aq_isa_field(w, 19, 7) : 0;
  for (const char *at = inst->row->operands; *at;) {
    aq_isa_operand o = aq_isa_token_read(inst, &at);
    if (o.role == 'D') {
      if (inst->lds)
        continue;
      o.file = acc ? 'a' : 'v';
      o.bits = (uint16_t)(o.bits + (inst->tfe ? 32 : 0));
      aq_isa_vector_set(&o, aq_isa_field(w1, 8, 8));
    } else {
      o.bits = inst->offen && inst->idxen ? 64 : 32;
      if (inst->offen || inst->idxen)
        aq_isa_vector_set(&o, aq_isa_field(w1, 0, 8));
    }
    aq_isa_operand_add(inst, o);
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
  if (!aq_isa_scalar_set(inst, &resource, aq_isa_field(w1, 16, 5) << 2) ||
      !aq_isa_scalar_set(inst, &offset, aq_isa_field(w1, 24, 8)) ||
      offset.code == AQ_ISA_LITERAL)
    return false;
  aq_isa_operand_add(inst, resource);
  aq_isa_operand_add(inst, offset);
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

/* Whether a part of a name between underlines is `part`. */
static bool name_has(const char *name, const char *part)
{
  const size_t size = strlen(part);
  for (const char *at = strchr(name, '_'); at; at = strchr(at + 1, '_'))
    if (strncmp(at + 1, part, size) == 0 &&
        (!at[1 + size] || at[1 + size] == '_'))
      return true;
  return false;
}

/* Words of an address, as LLVM counts them: words that the name asks for, and
 * the coordinates of the dimension; halves share words. */
static unsigned address_words(const aq_isa_inst *inst)
{
  static const struct {
    uint8_t coordinates, gradients;
  } dims[] = {[AQ_ISA_1D] = {1, 2},       [AQ_ISA_2D] = {2, 4},
              [AQ_ISA_3D] = {3, 6},       [AQ_ISA_CUBE] = {3, 4},
              [AQ_ISA_1D_ARRAY] = {2, 2}, [AQ_ISA_2D_ARRAY] = {3, 4},
              [AQ_ISA_2D_MSAA] = {3, 4},  [AQ_ISA_2D_MSAA_ARRAY] = {4, 4}};
  const char *name = inst->row->name;
  const bool sizes = strcmp(name, "image_get_resinfo") == 0;
  const bool half = inst->graphics & AQ_ISA_A16;
  unsigned gradients = name_has(name, "d") || name_has(name, "cd")
                           ? dims[inst->dim].gradients
                           : 0;
  unsigned places = (sizes ? 0u : dims[inst->dim].coordinates) +
                    (sizes || name_has(name, "l") || name_has(name, "cl") ||
                     name_has(name, "mip"));
  if (half) {
    gradients = gradients == 6 ? 4 : gradients / 2 + gradients / 2 % 2;
    places = (places + 1) / 2;
  }
  return places + gradients + name_has(name, "o") + name_has(name, "b") +
         name_has(name, "c");
}

/* The address of RDNA: VGPRs one behind the other, or each of them by number.
 * False: it lacks words. */
static bool address_decode(aq_isa_inst *inst, aq_isa_operand *o)
{
  const uint32_t *w = inst->words;
  const unsigned count = address_words(inst), more = aq_isa_field(w[0], 1, 2);
  o->bits = (uint16_t)(32 * (count > 12 ? 16 : count));
  if (!aq_isa_vector_set(o, aq_isa_field(w[1], 0, 8)))
    return false;
  if (more == 0)
    return true;
  if (count > 1 + 4 * more)
    return false;
  inst->place_count = (uint8_t)count;
  inst->places[0] = o->code;
  for (unsigned i = 1; i < count; i++)
    inst->places[i] =
        (uint8_t)aq_isa_field(w[2 + (i - 1) / 4], 8 * ((i - 1) % 4), 8);
  o->bits = 32;
  return true;
}

static void image_fields(aq_isa_inst *inst)
{
  const uint32_t w = inst->words[0], w1 = inst->words[1];
  const bool rdna = inst->target & AQ_ISA_RDNA;
  const bool half = rdna ? aq_isa_bit(w1, 30) : aq_isa_bit(w, 15);
  inst->imm = (uint16_t)aq_isa_field(w, 8, 4);
  inst->glc = aq_isa_bit(w, 13);
  inst->slc = aq_isa_bit(w, 25);
  inst->dlc = rdna && aq_isa_bit(w, 7);
  inst->dim = rdna ? (uint8_t)aq_isa_field(w, 3, 3) : 0;
  inst->scc = inst->target == AQ_ISA_GFX90A && aq_isa_bit(w, 7);
  inst->tfe = inst->target != AQ_ISA_GFX90A && aq_isa_bit(w, 16);
  inst->graphics =
      (uint8_t)(aq_isa_bit(w, 12) * AQ_ISA_UNORM | half * AQ_ISA_A16 |
                aq_isa_bit(w, 17) * AQ_ISA_LWE |
                (rdna ? aq_isa_bit(w, 15) * AQ_ISA_R128
                      : aq_isa_bit(w, 14) * AQ_ISA_DA) |
                aq_isa_bit(w1, 31) * AQ_ISA_D16);
}

bool aq_isa_image_decode(aq_isa_inst *inst)
{
  const uint32_t w1 = inst->words[1];
  const bool acc =
      inst->target == AQ_ISA_GFX90A && aq_isa_bit(inst->words[0], 16);
  image_fields(inst);
  for (const char *at = inst->row->operands; *at;) {
    aq_isa_operand o = aq_isa_token_read(inst, &at);
    bool valid = true;
    if (o.role == 'D') {
      o.file = acc ? 'a' : 'v';
      o.bits = image_bits(inst);
      valid = aq_isa_vector_set(&o, aq_isa_field(w1, 8, 8));
    } else if (o.role == 'A') {
      o.file = 'v';
      valid = inst->target & AQ_ISA_RDNA
                  ? address_decode(inst, &o)
                  : aq_isa_vector_set(&o, aq_isa_field(w1, 0, 8));
    } else {
      if (o.role == 'R' && inst->graphics & AQ_ISA_R128)
        o.bits = 128;
      valid = aq_isa_scalar_set(
          inst, &o, aq_isa_field(w1, o.role == 'R' ? 16 : 21, 5) << 2);
    }
    if (!valid)
      return false;
    aq_isa_operand_add(inst, o);
  }
  return true;
}

bool aq_isa_export_decode(aq_isa_inst *inst)
{
  const uint32_t w = inst->words[0], w1 = inst->words[1];
  const bool compressed = aq_isa_bit(w, 10);
  unsigned number = 0;
  inst->imm = (uint16_t)aq_isa_field(w, 4, 6);
  inst->graphics = (uint8_t)(aq_isa_bit(w, 11) * AQ_ISA_DONE |
                             compressed * AQ_ISA_COMPRESSED |
                             aq_isa_bit(w, 12) * AQ_ISA_VALID_MASK);
  for (const char *at = inst->row->operands; *at;) {
    aq_isa_operand o = aq_isa_token_read(inst, &at);
    if (o.role != 'T') {
      if (aq_isa_bit(w, number))
        aq_isa_vector_set(
            &o, aq_isa_field(w1, 8 * (compressed ? number / 2 : number), 8));
      number++;
    }
    aq_isa_operand_add(inst, o);
  }
  return true;
}

void aq_isa_attribute_decode(aq_isa_inst *inst)
{
  const uint32_t w = inst->words[0];
  for (const char *at = inst->row->operands; *at;) {
    aq_isa_operand o = aq_isa_token_read(inst, &at);
    if (o.role == 'D')
      aq_isa_vector_set(&o, aq_isa_field(w, 18, 8));
    else if (o.role == 'A')
      aq_isa_vector_set(&o, aq_isa_field(w, 0, 8));
    else if (o.role == 'P')
      o.code = (uint8_t)aq_isa_field(w, 0, 8);
    aq_isa_operand_add(inst, o);
  }
  inst->imm = (uint16_t)(aq_isa_field(w, 10, 6) | aq_isa_field(w, 8, 2) << 6);
}
