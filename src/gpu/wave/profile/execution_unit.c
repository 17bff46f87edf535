/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/wave/core/execution_unit.h"

#include <string.h>

#include "gpu/wave/core/observe.h"
#include "gpu/wave/matrix/matrix.h"

/* A wave of 64 lanes on 16 lanes of a SIMD; a quarter of the rate. */
enum { CYCLES = 4, CYCLES_QUARTER = 16 };

static bool has(const char *name, const char *part)
{
  return strstr(name, part) != NULL;
}

static unsigned cycles_of(const aq_isa_inst *inst)
{
  static const char *const slow[] = {
      "v_rcp", "v_rsq",    "v_sqrt",   "v_exp",     "v_log",     "v_sin",
      "v_cos", "v_mul_lo", "v_mul_hi", "v_mad_u64", "v_mad_i64", NULL};
  for (int i = 0; slow[i]; i++)
    if (has(inst->row->name, slow[i]))
      return CYCLES_QUARTER;
  return CYCLES;
}

typedef struct shape {
  const char *name;
  uint32_t operations; /* multiplications and additions */
  uint8_t type;        /* element_type of A */
} shape;

static const shape shapes[] = {
#define S(name, m, k, blocks, a, b, sum, group, blgp, kind)                    \
  {#name, 2u * (m) * (m) * (k) * (blocks), a},
#include "gpu/wave/matrix/matrix_shapes.def"
#undef S
};

/* How many operations of 16 bits take the time of one: of CDNA 3, and nearly of
 * the others. */
static uint32_t as_of_16(uint32_t operations, element_type type)
{
  switch (type) {
  case F16:
  case BF16:
    return operations;
  case F32:
  case F64:
    return 8 * operations;
  case XF32:
    return 2 * operations;
  default:
    return operations / 2;
  }
}

static uint32_t matrix_of(const aq_isa_inst *inst)
{
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
    if (strcmp(shapes[i].name, inst->row->name) == 0)
      return as_of_16(shapes[i].operations, (element_type)shapes[i].type);
  return 0;
}

aq_wave_unit aq_wave_unit_of(const aq_isa_inst *inst)
{
  const aq_wave_access_info_kind kind = aq_wave_access_info_kind_of(inst);
  aq_wave_unit unit = {.known = true,
                       .waits = strcmp(inst->row->name, "s_waitcnt") == 0,
                       .writes = kind == AQ_WAVE_ACCESS_WRITE,
                       .atomic = kind == AQ_WAVE_ACCESS_ATOMIC,
                       .class = (uint8_t)aq_isa_class_of(inst),
                       .cycles = CYCLES};
  if (unit.class == AQ_ISA_CLASS_VALU)
    unit.cycles = (uint8_t)cycles_of(inst);
  if (unit.class == AQ_ISA_CLASS_MATRIX)
    unit.matrix = matrix_of(inst);
  if (kind != AQ_WAVE_ACCESS_NONE && unit.class != AQ_ISA_CLASS_SMEM)
    unit.access = (uint8_t)aq_wave_access_info_bytes(inst);
  return unit;
}
