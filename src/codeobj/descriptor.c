/* SPDX-License-Identifier: MIT */
/* Fields: LLVM, User Guide for AMDGPU Backend, compute_pgm_rsrc1 and 3. */
#include "config.h"

#include "codeobj/descriptor.h"

#include <string.h>

enum {
  VGPR_MASK = 0x3f, /* of rsrc1: granules less 1 */
  SGPR_SHIFT = 6,   /* the same for scalar registers */
  SGPR_MASK = 0xf,
  ACCUM_MASK = 0x3f,  /* of rsrc3: where accumulation registers begin, in… */
  ACCUM_GRANULE = 4,  /* … granules, less 1 */
  SGPRS_OF_WAVE = 128 /* where every wave has all of them */
};

/* Where the registers for matrices are. */
typedef enum accumulation {
  ACCUM_NONE,
  ACCUM_ALIKE,  /* in a file of their own, as many as vector registers */
  ACCUM_BEHIND, /* behind the vector registers, in the same file */
} accumulation;

/* By the begin of a processor's name, the first that fits. */
static const struct family {
  const char *prefix;
  uint8_t vgprs64, vgprs32; /* granules of waves of 64 and of 32 */
  uint8_t sgprs;            /* granule; 0: every wave has all of them */
  uint8_t sgpr_step;        /* by which the field counts */
  accumulation accum;
} families[] = {
    {"gfx7", 4, 0, 8, 1, ACCUM_NONE},
    {"gfx8", 4, 0, 8, 1, ACCUM_NONE},
    {"gfx908", 4, 0, 16, 2, ACCUM_ALIKE},
    {"gfx90a", 8, 0, 16, 2, ACCUM_BEHIND},
    {"gfx9-4", 8, 0, 16, 2, ACCUM_BEHIND},
    {"gfx94", 8, 0, 16, 2, ACCUM_BEHIND},
    {"gfx95", 8, 0, 16, 2, ACCUM_BEHIND},
    {"gfx9", 4, 0, 16, 2, ACCUM_NONE},
    {"gfx1", 4, 8, 0, 1, ACCUM_NONE},
};

static const struct family *family_find(const aq_target *target)
{
  const char *name = target->processor ? target->processor->name : "";
  for (size_t i = 0; i < sizeof families / sizeof *families; i++)
    if (strncmp(name, families[i].prefix, strlen(families[i].prefix)) == 0)
      return &families[i];
  return NULL;
}

aq_kernel_registers
aq_kernel_descriptor_registers(const aq_kernel_descriptor *descriptor,
                               const aq_target *target)
{
  const struct family *f = family_find(target);
  aq_kernel_registers out = {0};
  if (!f)
    return out;
  const bool narrow =
      f->vgprs32 > 0 && descriptor->properties & AQ_KERNEL_WAVE32;
  const uint32_t vgprs = ((descriptor->rsrc1 & VGPR_MASK) + 1) *
                         (narrow ? f->vgprs32 : f->vgprs64);
  const uint32_t sgprs =
      (descriptor->rsrc1 >> SGPR_SHIFT & SGPR_MASK) / f->sgpr_step + 1;
  const uint32_t before =
      ((descriptor->rsrc3 & ACCUM_MASK) + 1) * ACCUM_GRANULE;
  out.wave_size = narrow ? 32 : 64;
  out.vgprs = (uint16_t)vgprs;
  out.sgprs = f->sgprs ? (uint16_t)(sgprs * f->sgprs) : SGPRS_OF_WAVE;
  if (f->accum == ACCUM_ALIKE) {
    out.agprs = out.vgprs;
  } else if (f->accum == ACCUM_BEHIND && before < vgprs) {
    out.vgprs = (uint16_t)before;
    out.agprs = (uint16_t)(vgprs - before);
  }
  return out;
}

/* LLVM: initial kernel execution state. Before the address come the resource
 * of private memory (4 words), the packet's and the queue's address. */
uint32_t aq_kernel_descriptor_args(const aq_kernel_descriptor *descriptor)
{
  const uint32_t asks = descriptor->properties;
  if (!(asks >> 3 & 1))
    return AQ_KERNEL_NO_ARGS;
  return 4 * (asks & 1) + 2 * (asks >> 1 & 1) + 2 * (asks >> 2 & 1);
}
