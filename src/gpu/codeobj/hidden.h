/* SPDX-License-Identifier: MIT */
/*
 * Arguments that HIP's and OpenCL's runtimes pass behind the caller's: the
 * sizes of the grid, of workgroups and of the dynamic group segment. Pure.
 */
#ifndef AQ_GPU_CODEOBJ_HIDDEN_H
#define AQ_GPU_CODEOBJ_HIDDEN_H

#include "gpu/codeobj/code_object.h"

/* A dispatch, as hidden arguments describe it. */
typedef struct aq_launch_shape {
  uint32_t grid[3];      /* work-items */
  uint16_t workgroup[3]; /* work-items, none 0 */
  uint32_t lds;          /* bytes of group segment besides the kernel's own */
} aq_launch_shape;

/* Writes a hidden argument into a kernarg segment that has it; 0 where its kind
 * has no meaning here. */
void aq_launch_hidden_put(const aq_code_arg *arg, const aq_launch_shape *shape,
                          unsigned char *kernarg);

#endif
