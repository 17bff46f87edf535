/* SPDX-License-Identifier: MIT */
/* The state of the virtual memory functions. */
#ifndef AQDROP_VMEM_H
#define AQDROP_VMEM_H

#include "dropin/hsa/base/runtime.h"

/* NULL when out of memory. */
aqdrop_vmem *aqdrop_vmem_create(void);

/* Unmaps and frees everything. */
void aqdrop_vmem_destroy(aqdrop *runtime);

/* Lets agents, bits of a set, read and write the mapping that holds an address;
 * false when there is none or it cannot be. */
bool aqdrop_vmem_allow(aqdrop *runtime, const void *address, uint64_t agents);

/* Whether [address, +size) lies in one mapping. */
bool aqdrop_vmem_covers(aqdrop *runtime, const void *address, size_t size);

#endif
