/* SPDX-License-Identifier: MIT */
/*
 * Which host function plays a kernel of a code object: one of a plug-in, or one
 * of those built in: the kernels that HIP's runtime fills and copies with, and
 * those of the device library.
 */
#ifndef AQDROP_KERNELS_H
#define AQDROP_KERNELS_H

#include "common/kernel_set.h"

typedef struct aqdrop_kernels {
  aq_kernel_set set;
  bool warn; /* kernels without a function take time and compute nothing */
} aqdrop_kernels;

/* Loads what AQUEDUCT_KERNELS names, separated by semicolons, and reads
 * AQUEDUCT_MISSING_KERNELS. */
aq_status aqdrop_kernels_open(aqdrop_kernels *kernels, aq_diag *diag);
void aqdrop_kernels_close(aqdrop_kernels *kernels);

/* Ended by an entry without a name (blits.c, image_blits.c). */
extern const aq_kernel_entry aqdrop_blits[];
extern const aq_kernel_entry aqdrop_image_blits[];

#endif
