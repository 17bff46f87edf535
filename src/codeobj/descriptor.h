/* SPDX-License-Identifier: MIT */
/*
 * Kernel descriptors, as they lie in loaded code, and the registers that they
 * say a kernel has. Pure functions.
 */
#ifndef AQ_CODEOBJ_DESCRIPTOR_H
#define AQ_CODEOBJ_DESCRIPTOR_H

#include <stddef.h>
#include <stdint.h>

#include "codeobj/target.h"

/* The 64 bytes that a packet's kernel_object points to. */
typedef struct aq_kernel_descriptor {
  uint32_t group_size, private_size, kernarg_size;
  uint32_t reserved0;
  int64_t entry_offset; /* of the code, from the descriptor */
  uint32_t reserved1[5];
  uint32_t rsrc3, rsrc1, rsrc2;
  uint16_t properties; /* AQ_KERNEL_* */
  uint16_t kernarg_preload;
  uint32_t reserved2;
} aq_kernel_descriptor;

_Static_assert(sizeof(aq_kernel_descriptor) == 64, "a kernel descriptor");
_Static_assert(offsetof(aq_kernel_descriptor, entry_offset) == 16, "at 16");
_Static_assert(offsetof(aq_kernel_descriptor, rsrc3) == 44, "at 44");
_Static_assert(offsetof(aq_kernel_descriptor, properties) == 56, "at 56");

enum { AQ_KERNEL_WAVE32 = 1 << 10, AQ_KERNEL_DYNAMIC_STACK = 1 << 11 };

/* The resources of a wave, in the granules of the hardware, as profilers report
 * them: metadata counts the compiler's needs. */
typedef struct aq_kernel_registers {
  uint16_t vgprs, agprs, sgprs; /* of a work-item, of a work-item, of a wave */
  uint16_t wave_size;
} aq_kernel_registers;

/* All zero for a processor that is not known. */
aq_kernel_registers
aq_kernel_descriptor_registers(const aq_kernel_descriptor *descriptor,
                               const aq_target *target);

#endif
