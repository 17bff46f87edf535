/* SPDX-License-Identifier: MIT */
/*
 * Allocations and locked host memory: the owner of an address.
 *
 * Memory of every pool is memory of this process, mapped page by page when it
 * is touched. Thread rule: any thread; one lock inside, never held while a
 * callback runs.
 */
#ifndef AQDROP_MEMORY_H
#define AQDROP_MEMORY_H

#include "dropin/hsa/base/runtime.h"

aqdrop_memory *aqdrop_memory_create(void);

/* Frees all allocations; their callbacks are not called. */
void aqdrop_memory_destroy(aqdrop_memory *memory);

/* Makes the allocation that [address, +size) lies in a mapping of a file, which
 * others can map; no thread may write to it meanwhile. The file stays its own;
 * *offset is the offset of the address. INVALID_ALLOCATION: it is in none. */
hsa_status_t aqdrop_memory_share(aqdrop *runtime, const void *address,
                                 size_t size, int *file, uint64_t *offset);

/* Maps a file of another owner, for the agents of a set of bits and the host;
 * undone by detach, which is false for an address that is no such mapping's. */
hsa_status_t aqdrop_memory_attach(aqdrop *runtime, int file, size_t size,
                                  uint64_t agents, void **out);
bool aqdrop_memory_detach(aqdrop *runtime, const void *address);

/* Whether [address, +size) lies in memory that was allocated, attached, locked
 * or mapped. */
bool aqdrop_memory_covers(aqdrop *runtime, const void *address, size_t size);

/* Where the host sees [address, +size), which a client names by an address of
 * the host or of a device; an alias of memory that is not locked stays, and no
 * memory is there. */
void *aqdrop_memory_seen(aqdrop *runtime, const void *address, size_t size);

/* Where this process reaches those bytes, which may be protected from the host:
 * to move them in a device's place. */
void *aqdrop_memory_reach(aqdrop *runtime, const void *address, size_t size);

/* Whether an address is in memory of a pool. */
bool aqdrop_memory_is_allocated(aqdrop_memory *memory, const void *address);

/* The device whose pool an address is from, or AQ_DEVICE_HOST. */
uint32_t aqdrop_memory_device(aqdrop_memory *memory, const void *address);

#endif
