/* SPDX-License-Identifier: MIT */
/*
 * Kernel descriptors, as they lie in loaded code, and the registers that they
 * say a kernel has. Pure functions.
 */
#ifndef AQ_GPU_CODEOBJ_DESCRIPTOR_H
#define AQ_GPU_CODEOBJ_DESCRIPTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/kernel_desc.h"
#include "gpu/codeobj/code_object.h"
#include "gpu/codeobj/target.h"

_Static_assert(sizeof(aq_kernel_descriptor) == 64, "a kernel descriptor");
_Static_assert(offsetof(aq_kernel_descriptor, entry_offset) == 16, "at 16");
_Static_assert(offsetof(aq_kernel_descriptor, rsrc3) == 44, "at 44");
_Static_assert(offsetof(aq_kernel_descriptor, properties) == 56, "at 56");

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

/* Version 2 of code objects has amd_kernel_code_t in the place of a descriptor:
 * 256 bytes, of which the first AQ_KERNEL_CODE_SIZE matter here. */
enum { AQ_KERNEL_CODE_SIZE = 128 };

/* Whether the 64 bytes that a kernel object points to begin an
 * amd_kernel_code_t: its version and kind would be a descriptor of more than
 * 64 KiB of arguments, which no kernel has. */
bool aq_kernel_code_is(const void *object);

/* The descriptor that says the same as an amd_kernel_code_t. */
aq_kernel_descriptor
aq_kernel_code_descriptor(const unsigned char code[AQ_KERNEL_CODE_SIZE]);

/* The word of a wave's user data where the address of the kernel's arguments
 * begins, or AQ_KERNEL_NO_ARGS: the kernel does not ask for it. */
uint32_t aq_kernel_descriptor_args(const aq_kernel_descriptor *descriptor);

#endif
