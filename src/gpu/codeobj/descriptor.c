/* SPDX-License-Identifier: MIT */
/* Fields: LLVM, User Guide for AMDGPU Backend, compute_pgm_rsrc1 and 3. */
#include "config.h"

#include "gpu/codeobj/descriptor.h"

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
    {"gfx125", 16, 16, 0, 1, ACCUM_NONE},
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

/* ---- version 2 ---- */

static uint32_t word_at(const unsigned char *bytes, size_t offset)
{
  uint32_t word;
  memcpy(&word, bytes + offset, sizeof word);
  return word;
}

bool aq_kernel_code_is(const void *object)
{
  enum { MAJOR = 1, MINOR_MAX = 2, KIND_AMDGPU = 1 };
  const uint32_t machine = word_at(object, 8); /* its kind and major version */
  return word_at(object, 0) == MAJOR && word_at(object, 4) <= MINOR_MAX &&
         (machine & 0xffff) == KIND_AMDGPU && machine >> 16 != 0;
}

/* Entry, rsrc1, rsrc2 and the lower half of the properties lie where a
 * descriptor has them, for the command processor. */
aq_kernel_descriptor
aq_kernel_code_descriptor(const unsigned char code[AQ_KERNEL_CODE_SIZE])
{
  enum { DYNAMIC_STACK = 1 << 20, LOWER = 0x7ff };
  const uint32_t properties = word_at(code, 56);
  aq_kernel_descriptor out = {.group_size = word_at(code, 64),
                              .private_size = word_at(code, 60),
                              .kernarg_size = word_at(code, 72),
                              .rsrc1 = word_at(code, 48),
                              .rsrc2 = word_at(code, 52),
                              .properties = (uint16_t)(properties & LOWER)};
  if (properties & DYNAMIC_STACK)
    out.properties |= AQ_KERNEL_DYNAMIC_STACK;
  memcpy(&out.entry_offset, code + 16, sizeof out.entry_offset);
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
