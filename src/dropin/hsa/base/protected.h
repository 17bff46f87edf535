/* SPDX-License-Identifier: MIT */
/*
 * Strict memory: memory of devices that the host cannot touch
 * (AQUEDUCT_STRICT_MEMORY). Its pages are mapped twice, without access where
 * the client and the devices name them, and AQDROP_PROTECTED_SHIFT below for
 * the simulator, which translates by the shift of the allocation map. The
 * distance is the same everywhere, so an access may cross from an allocation
 * into the next one.
 *
 * An access of the host dies of SIGSEGV after a line that names the allocation;
 * a handler that the program had, or has set since, gets the signal.
 *
 * Threads: any, but for the opening and closing of the runtime.
 */
#ifndef AQDROP_PROTECTED_H
#define AQDROP_PROTECTED_H

#include <sys/types.h>

#include "common/allocations.h"
#include "dropin/hsa/base/runtime.h"

#define AQDROP_PROTECTED_SHIFT (UINT64_C(1) << 40)

/* Reads the environment and, where it asks for it, begins to watch accesses of
 * the host. The allocation map is there. */
aq_status aqdrop_protected_open(aqdrop *runtime, aq_diag *diag);
void aqdrop_protected_close(aqdrop *runtime);

/* Whether memory of a pool is protected from the host. */
bool aqdrop_pool_is_protected(const aqdrop *runtime, const aqdrop_pool *pool);

/* Whether the host may be allowed to reach protected memory. */
static inline bool aqdrop_protected_opens(const aqdrop *runtime)
{
  return runtime->strict == AQ_STRICT_ALLOWED;
}

/* Unused addresses without access, in both places; `alignment` is a power of
 * two of at least a page, `hint` may be NULL. NULL: there are none. */
char *aqdrop_protected_reserve(void *hint, size_t size, size_t alignment);
void aqdrop_protected_release(char *base, size_t size);

/* Maps pages of a file at taken addresses: the host may do `host` with them,
 * the devices `devices` (PROT_*). False: no memory for it. */
bool aqdrop_protected_map(char *base, size_t size, int file, off_t offset,
                          int host, int devices);
/* Back to addresses without pages. */
bool aqdrop_protected_clear(char *base, size_t size);

/* What files of protected memory that are shared are called. */
#define AQDROP_PROTECTED_FILE "aqueduct-vram"
/* Whether a descriptor is of one, of whichever process. */
bool aqdrop_protected_is_file(int file);

/* Where the simulator reaches a byte of a client, protected or not. */
static inline void *aqdrop_reach(const aqdrop *runtime, const void *address)
{
  return (void *)(uintptr_t)aq_allocations_reach(runtime->allocations,
                                                 (uintptr_t)address);
}

#endif
