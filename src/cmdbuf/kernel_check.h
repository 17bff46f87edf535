/* SPDX-License-Identifier: MIT */
/*
 * Whether a dispatch gives a kernel what its metadata ask for. The hardware
 * does not look: the kernel would read past its arguments, or share its LDS.
 */
#ifndef AQ_CMDBUF_KERNEL_CHECK_H
#define AQ_CMDBUF_KERNEL_CHECK_H

#include "common/diag.h"
#include "common/kernel_desc.h"

/* Of a dispatch; sizes in bytes. */
typedef struct aq_kernel_given {
  const uint16_t *workgroup; /* 3 */
  uint32_t kernarg_size, group_size, private_size;
} aq_kernel_given;

/* AQ_ERR_INVALID names the kernel and the field. An unknown property of the
 * kernel is 0, and passes. */
aq_status aq_kernel_check(const aq_kernel_info *kernel,
                          const aq_kernel_given *given, aq_diag *diag);

#endif
