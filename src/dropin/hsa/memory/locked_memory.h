/* SPDX-License-Identifier: MIT */
/*
 * Host memory that clients locked. Ranges may overlap, also with allocations:
 * each lock is undone by one unlock of the same address, and locking the same
 * range again counts. Devices know a range by its alias (allocations.h), and
 * functions that take addresses take both.
 *
 * Thread rule: any thread; the lock of the runtime protects the list.
 */
#ifndef AQDROP_LOCKED_MEMORY_H
#define AQDROP_LOCKED_MEMORY_H

#include "dropin/hsa/base/runtime.h"

/* Fills the fields of pointer_info for a locked address, and the bits of the
 * agents that reach it; false for one that is not locked. */
bool aqdrop_locked_describe(aqdrop *runtime, const void *address,
                            hsa_amd_pointer_info_t *out, uint64_t *agents);

/* Attaches a pointer to the range that begins at or holds an address; false
 * when there is none. */
bool aqdrop_locked_set_userdata(aqdrop *runtime, const void *address,
                                void *user_data);

/* Forgets the remaining ranges. */
void aqdrop_locked_fini(aqdrop *runtime);

#endif
