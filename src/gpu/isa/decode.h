/* SPDX-License-Identifier: MIT */
/*
 * The parts of the decoder (decode.c): operands (decode_operands.c) and an
 * encoding each (decode_vector.c, decode_memory.c). Included by them only.
 */
#ifndef AQ_GPU_ISA_DECODE_H
#define AQ_GPU_ISA_DECODE_H

#include "gpu/isa/isa.h"

/* A source of nine bits from here on is a VGPR. */
enum { AQ_ISA_CODE_VGPR = 256 };

static inline uint32_t aq_isa_field(uint32_t word, unsigned low, unsigned count)
{
  return word >> low & ((1u << count) - 1);
}

static inline bool aq_isa_bit(uint32_t word, unsigned number)
{
  return word >> number & 1;
}

/* ---- operands ---- */

/* Reads one token of a row's operands and steps past it. */
aq_isa_operand aq_isa_token_read(const aq_isa_inst *inst, const char **text);

static inline void aq_isa_operand_add(aq_isa_inst *inst, aq_isa_operand operand)
{
  inst->operands[inst->operand_count++] = operand;
}

/* A register or constant as `operand`; false: it cannot be this one. */
bool aq_isa_scalar_set(const aq_isa_inst *inst, aq_isa_operand *operand,
                       uint32_t code);
bool aq_isa_vector_set(aq_isa_operand *operand, uint32_t number);

/* A source of nine bits. */
bool aq_isa_source_set(const aq_isa_inst *inst, aq_isa_operand *operand,
                       uint32_t code);

/* Whether VGPRs of the operand are halves (gfx11). */
bool aq_isa_operand_is_half(const aq_isa_inst *inst,
                            const aq_isa_operand *operand);

/* Takes the word behind the instruction's, or two. */
bool aq_isa_literal_take(aq_isa_inst *inst, size_t size);
bool aq_isa_literal_needed(aq_isa_inst *inst);

/* ---- encodings: the operands and fields of `inst`; false: it has others ----
 */

bool aq_isa_vop_decode(aq_isa_inst *inst, size_t size);
bool aq_isa_vop3_decode(aq_isa_inst *inst, size_t size);
bool aq_isa_vop3p_decode(aq_isa_inst *inst, uint32_t w, uint32_t w1,
                         size_t size);
bool aq_isa_scaled_decode(aq_isa_inst *inst);
bool aq_isa_ds_decode(aq_isa_inst *inst);
bool aq_isa_flat_decode(aq_isa_inst *inst);
bool aq_isa_buffer_decode(aq_isa_inst *inst);
bool aq_isa_image_decode(aq_isa_inst *inst);
bool aq_isa_export_decode(aq_isa_inst *inst);
bool aq_isa_vopd_decode(const aq_isa_decoder *decoder, aq_isa_inst *inst,
                        size_t size);

/* Of RDNA (decode_rdna.c): the row of the words, its size in bytes, operands of
 * memory. */
const aq_isa_row *aq_isa_rdna_row(const aq_isa_decoder *decoder,
                                  const uint32_t words[4], uint8_t *size);
bool aq_isa_rdna_smem_decode(aq_isa_inst *inst);
bool aq_isa_rdna_flat_decode(aq_isa_inst *inst);
bool aq_isa_rdna_buffer_decode(aq_isa_inst *inst);
void aq_isa_attribute_decode(aq_isa_inst *inst);

/* Temporal hint and scope of gfx12, in the word behind the first. */
void aq_isa_cache_decode(aq_isa_inst *inst, uint32_t w1);

/* ---- of gfx1250 (decode_gfx1250.c) ---- */

/* The row of words that begin as VOP3P's, and its size in bytes. */
const aq_isa_row *aq_isa_gfx1250_row(const aq_isa_decoder *decoder,
                                     const uint32_t words[4], uint8_t *size);
const aq_isa_row *aq_isa_gfx1250_tensor_row(const aq_isa_decoder *decoder,
                                            uint32_t w);
bool aq_isa_vopd3_decode(const aq_isa_decoder *decoder, aq_isa_inst *inst);
bool aq_isa_tensor_decode(aq_isa_inst *inst);

/* A matrix instruction whose sources have types of their own, without and with
 * scales, or the scales alone. */
bool aq_isa_gfx1250_mixed_decode(aq_isa_inst *inst, uint32_t w, uint32_t w1);
bool aq_isa_gfx1250_scaled_decode(aq_isa_inst *inst);

#endif
