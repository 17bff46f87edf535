/* SPDX-License-Identifier: MIT */
/*
 * The host function that stands for a kernel of a code object: from a plug-in,
 * or built in: the kernels that HIP's runtime fills and copies with, and
 * the kernels of the device library.
 */
#ifndef AQDROP_KERNELS_H
#define AQDROP_KERNELS_H

#include "common/host_kernels.h"
#include "gpu/codeobj/code_object.h"

typedef struct aqdrop_kernels {
  aq_host_kernels set;
  /* AUTO: a plug-in's function, then code, then built-in ones. */
  aq_kernels_from from;
  bool warn; /* kernels without a function take time and compute nothing */
} aqdrop_kernels;

/* Loads what AQUEDUCT_KERNELS names, separated by semicolons, and reads
 * AQUEDUCT_KERNELS_FROM and AQUEDUCT_MISSING_KERNELS. */
aq_status aqdrop_kernels_open(aqdrop_kernels *kernels, aq_diag *diag);
void aqdrop_kernels_close(aqdrop_kernels *kernels);

/* Whether the code of a kernel takes the place of its host function: HIP's own
 * fills and copies, but for images and GWS, which code cannot use. Kernels of
 * the device library have costs of their own, and stay. */
bool aqdrop_kernel_yields(const aq_kernel_entry *entry);

/* Whether no plug-in has brought it. */
bool aqdrop_kernel_is_built_in(const aq_kernel_entry *entry);

/* Whether one of aqdrop_blits reads these arguments of a kernel of its name; it
 * does where the metadata lack them. */
bool aqdrop_blit_fits(const aq_kernel_entry *entry, const aq_code_arg *args,
                      size_t count);

/* Ended by an entry without a name (rocclr_blits.c, image_blits.c). */
extern const aq_kernel_entry aqdrop_blits[];
extern const aq_kernel_entry aqdrop_image_blits[];

#endif
