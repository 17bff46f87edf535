/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/isa/isa.h"

#include <string.h>

#include "gpu/isa/table.h"

enum {
  G900 = AQ_ISA_GFX900,
  G908 = AQ_ISA_GFX908,
  G90A = AQ_ISA_GFX90A,
  G940 = AQ_ISA_GFX940,
  G950 = AQ_ISA_GFX950,
  FROM_940 = G940 | G950,
  FROM_90A = G90A | FROM_940,
  FROM_908 = G908 | FROM_90A,
  FROM_906 = AQ_ISA_GFX906 | FROM_908,
  ALL = G900 | FROM_906,
  TO_90A = ALL & ~FROM_940,
  TO_908 = TO_90A & ~G90A,
  G1010 = AQ_ISA_GFX1010,
  G1030 = AQ_ISA_GFX1030,
  G1100 = AQ_ISA_GFX1100,
  G1150 = AQ_ISA_GFX1150,
  G1200 = AQ_ISA_GFX1200,
  G1250 = AQ_ISA_GFX1250,
  GFX12 = AQ_ISA_GFX12,
  GFX10 = AQ_ISA_GFX10,
  GFX11 = AQ_ISA_GFX11,
  RDNA = AQ_ISA_RDNA,
  FROM_1150 = G1150 | GFX12,
  FROM_1100 = G1100 | FROM_1150,
  FROM_1030 = G1030 | FROM_1100,
  TO_1150 = RDNA & ~GFX12,
  TO_1200 = RDNA & ~G1250,
  CLAMP = AQ_ISA_CLAMP,
  OMOD = AQ_ISA_OMOD,
  OPSEL = AQ_ISA_OPSEL,
  NO_E64 = AQ_ISA_NO_E64,
  NO_SDWA = AQ_ISA_NO_SDWA,
  NO_DPP = AQ_ISA_NO_DPP,
  PACKED = AQ_ISA_PACKED,
  MIX = AQ_ISA_MIX,
  DOT = AQ_ISA_DOT,
  MATRIX = AQ_ISA_MATRIX,
  RETURN = AQ_ISA_RETURN,
  OFFSET2 = AQ_ISA_OFFSET2,
  GDS = AQ_ISA_GDS,
  SWIZZLE = AQ_ISA_SWIZZLE,
  TRUTH = AQ_ISA_TRUTH,
  NO_GLC = AQ_ISA_NO_GLC,
  WHOLE = AQ_ISA_WHOLE,
  INTERP = AQ_ISA_INTERP,
  GATHER = AQ_ISA_GATHER,
  NO_DPP64 = AQ_ISA_NO_DPP64,
  WMMA = AQ_ISA_WMMA,
};

static const aq_isa_row rows[] = {
#define I(encoding, opcode, targets, name, operands, flags)                    \
  {AQ_ISA_##encoding, targets, opcode, flags, name, operands},
#define I2(encoding, opcode, targets, opcode2, targets2, ...)                  \
  I(encoding, opcode, targets, __VA_ARGS__)                                    \
  I(encoding, opcode2, targets2, __VA_ARGS__)
#define I3(encoding, opcode, targets, opcode2, targets2, opcode3, targets3,    \
           ...)                                                                \
  I2(encoding, opcode, targets, opcode2, targets2, __VA_ARGS__)                \
  I(encoding, opcode3, targets3, __VA_ARGS__)
#define COMPARE_INT(lt, targets, prefix, type, ...)                            \
  I(VOPC, lt, targets, prefix "lt" type, __VA_ARGS__)                          \
  I(VOPC, lt + 1, targets, prefix "eq" type, __VA_ARGS__)                      \
  I(VOPC, lt + 2, targets, prefix "le" type, __VA_ARGS__)                      \
  I(VOPC, lt + 3, targets, prefix "gt" type, __VA_ARGS__)                      \
  I(VOPC, lt + 4, targets, prefix "ne" type, __VA_ARGS__)                      \
  I(VOPC, lt + 5, targets, prefix "ge" type, __VA_ARGS__)
#define COMPARE_FLOAT(lt, targets, prefix, type, ...)                          \
  I(VOPC, lt, targets, prefix "lt" type, __VA_ARGS__)                          \
  I(VOPC, lt + 1, targets, prefix "eq" type, __VA_ARGS__)                      \
  I(VOPC, lt + 2, targets, prefix "le" type, __VA_ARGS__)                      \
  I(VOPC, lt + 3, targets, prefix "gt" type, __VA_ARGS__)                      \
  I(VOPC, lt + 4, targets, prefix "lg" type, __VA_ARGS__)                      \
  I(VOPC, lt + 5, targets, prefix "ge" type, __VA_ARGS__)                      \
  I(VOPC, lt + 6, targets, prefix "o" type, __VA_ARGS__)                       \
  I(VOPC, lt + 7, targets, prefix "u" type, __VA_ARGS__)                       \
  I(VOPC, lt + 8, targets, prefix "nge" type, __VA_ARGS__)                     \
  I(VOPC, lt + 9, targets, prefix "nlg" type, __VA_ARGS__)                     \
  I(VOPC, lt + 10, targets, prefix "ngt" type, __VA_ARGS__)                    \
  I(VOPC, lt + 11, targets, prefix "nle" type, __VA_ARGS__)                    \
  I(VOPC, lt + 12, targets, prefix "neq" type, __VA_ARGS__)                    \
  I(VOPC, lt + 13, targets, prefix "nlt" type, __VA_ARGS__)
#define ATOMIC(opcode, targets, name, ...)                                     \
  I(FLAT, opcode, targets, "flat_" name, __VA_ARGS__)                          \
  I(GLOBAL, opcode, targets, "global_" name, __VA_ARGS__)
#define MEMORY(opcode, targets, name, ...)                                     \
  ATOMIC(opcode, targets, name, __VA_ARGS__)                                   \
  I(SCRATCH, opcode, targets, "scratch_" name, __VA_ARGS__)
#define LDS(opcode, targets, name, type, old, operands, flags)                 \
  I(DS, opcode, targets, "ds_" name type, operands, flags)                     \
  I(DS, opcode + 0x20, targets, "ds_" name "_rtn" type, old " " operands, flags)
#include "gpu/isa/instructions.def"
#undef I
#undef I2
#undef I3
#undef COMPARE_INT
#undef COMPARE_FLOAT
#undef ATOMIC
#undef MEMORY
#undef LDS
};

enum { ROW_COUNT = sizeof rows / sizeof *rows };

/* Opcodes of an encoding; AQ_ISA_INDEX is at least their sum. */
static const uint16_t opcode_counts[AQ_ISA_ENCODINGS] = {
    [AQ_ISA_SOP2] = 128,   [AQ_ISA_SOPK] = 32,   [AQ_ISA_SOP1] = 256,
    [AQ_ISA_SOPC] = 128,   [AQ_ISA_SOPP] = 128,  [AQ_ISA_SMEM] = 256,
    [AQ_ISA_VOP2] = 64,    [AQ_ISA_VOP1] = 256,  [AQ_ISA_VOPC] = 256,
    [AQ_ISA_VOP3] = 1024,  [AQ_ISA_VOP3P] = 256, [AQ_ISA_VOP3PX2] = 256,
    [AQ_ISA_DS] = 256,     [AQ_ISA_FLAT] = 128,  [AQ_ISA_SCRATCH] = 128,
    [AQ_ISA_GLOBAL] = 128, [AQ_ISA_MUBUF] = 256, [AQ_ISA_MTBUF] = 16,
    [AQ_ISA_MIMG] = 128,   [AQ_ISA_EXP] = 1,     [AQ_ISA_VINTRP] = 4,
    [AQ_ISA_VOPD] = 32,    [AQ_ISA_VOPD3] = 64,  [AQ_ISA_TENSOR] = 32,
};

size_t aq_isa_row_count(void)
{
  return ROW_COUNT;
}

const aq_isa_row *aq_isa_row_at(size_t number)
{
  return &rows[number];
}

static size_t index_of(const aq_isa_decoder *decoder, aq_isa_encoding encoding,
                       uint32_t opcode)
{
  return (size_t)decoder->bases[encoding] + opcode;
}

const aq_isa_row *aq_isa_table_find(const aq_isa_decoder *decoder,
                                    aq_isa_encoding encoding, uint32_t opcode)
{
  uint16_t number = decoder->rows[index_of(decoder, encoding, opcode)];
  return number ? &rows[number - 1] : NULL;
}

/* Generic targets run on each processor that they cover: they have what all of
 * those have. */
static uint16_t target_bit(const char *name)
{
  static const struct {
    const char *name;
    uint16_t bit;
  } targets[] = {
      {"gfx900", AQ_ISA_GFX900},           {"gfx9-generic", AQ_ISA_GFX900},
      {"gfx902", AQ_ISA_GFX900},           {"gfx909", AQ_ISA_GFX900},
      {"gfx906", AQ_ISA_GFX906},           {"gfx908", AQ_ISA_GFX908},
      {"gfx90a", AQ_ISA_GFX90A},           {"gfx940", AQ_ISA_GFX940},
      {"gfx941", AQ_ISA_GFX940},           {"gfx942", AQ_ISA_GFX940},
      {"gfx9-4-generic", AQ_ISA_GFX940},   {"gfx950", AQ_ISA_GFX950},
      {"gfx1010", AQ_ISA_GFX1010},         {"gfx10-1-generic", AQ_ISA_GFX1010},
      {"gfx1013", AQ_ISA_GFX1010},         {"gfx1030", AQ_ISA_GFX1030},
      {"gfx10-3-generic", AQ_ISA_GFX1030}, {"gfx1031", AQ_ISA_GFX1030},
      {"gfx1032", AQ_ISA_GFX1030},         {"gfx1033", AQ_ISA_GFX1030},
      {"gfx1034", AQ_ISA_GFX1030},         {"gfx1035", AQ_ISA_GFX1030},
      {"gfx1036", AQ_ISA_GFX1030},         {"gfx1100", AQ_ISA_GFX1100},
      {"gfx11-generic", AQ_ISA_GFX1100},   {"gfx1101", AQ_ISA_GFX1100},
      {"gfx1102", AQ_ISA_GFX1100},         {"gfx1103", AQ_ISA_GFX1100},
      {"gfx1150", AQ_ISA_GFX1150},         {"gfx1151", AQ_ISA_GFX1150},
      {"gfx1152", AQ_ISA_GFX1150},         {"gfx1153", AQ_ISA_GFX1150},
      {"gfx1200", AQ_ISA_GFX1200},         {"gfx1201", AQ_ISA_GFX1200},
      {"gfx12-generic", AQ_ISA_GFX1200},   {"gfx1250", AQ_ISA_GFX1250},
  };
  for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
    if (strcmp(targets[i].name, name) == 0)
      return targets[i].bit;
  return 0;
}

aq_status aq_isa_decoder_init(aq_isa_decoder *decoder,
                              const aq_processor *processor, aq_diag *diag)
{
  const uint16_t target = target_bit(processor->name);
  if (!target)
    return aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                       "machine code of %s cannot be decoded; expected gfx900, "
                       "gfx902, gfx906, gfx908, gfx909, gfx90a, gfx940 to "
                       "gfx942, gfx950, gfx1010, gfx1013, gfx103x, gfx110x, "
                       "gfx115x, gfx120x, gfx1250 or one of their generic "
                       "targets",
                       processor->name);
  *decoder = (aq_isa_decoder){.target = target, .wave32 = target & AQ_ISA_RDNA};
  for (unsigned i = 1; i < AQ_ISA_ENCODINGS; i++)
    decoder->bases[i] =
        (uint16_t)(decoder->bases[i - 1] + opcode_counts[i - 1]);
  for (size_t i = 0; i < ROW_COUNT; i++)
    if (rows[i].targets & target)
      decoder->rows[index_of(decoder, rows[i].encoding, rows[i].opcode)] =
          (uint16_t)(i + 1);
  return AQ_OK;
}

const aq_isa_operand *aq_isa_operand_find(const aq_isa_inst *inst, char role)
{
  for (unsigned i = 0; i < inst->operand_count; i++)
    if (inst->operands[i].role == role)
      return &inst->operands[i];
  return NULL;
}
