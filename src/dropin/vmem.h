/* SPDX-License-Identifier: MIT */
/* What the virtual memory functions keep. */
#ifndef AQDROP_VMEM_H
#define AQDROP_VMEM_H

#include "dropin/runtime.h"

/* NULL when out of memory. */
aqdrop_vmem *aqdrop_vmem_create(void);

/* Unmaps and frees everything. */
void aqdrop_vmem_destroy(aqdrop_vmem *vmem);

#endif
