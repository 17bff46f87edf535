/* SPDX-License-Identifier: MIT */
/*
 * Memory of a transport: zeroed host memory whatever its kind, cache-line
 * aligned, in pages that no other memory shares, freed at the latest with its
 * owner. A device's memory is kept in a
 * tree by address, so that copies know their path. One thread at a time.
 */
#ifndef AQSIM_MEMORY_H
#define AQSIM_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include "common/diag.h"

typedef struct aqsim_block aqsim_block;
typedef struct aqsim_locked aqsim_locked;

typedef struct aqsim_memory {
  aqsim_block *blocks;
  aqsim_locked *locked; /* memory of the host that devices reach */
  void *of_devices;     /* tree of those, by address */
  struct aq_allocations *allocations; /* where it is published; NULL: nowhere */
} aqsim_memory;

void aqsim_memory_fini(aqsim_memory *memory);

/* `size` zeroed bytes (0 gives a valid address too) in the memory of `device`,
 * an ordinal or AQ_DEVICE_HOST; NULL when there are none. */
void *aqsim_memory_alloc(aqsim_memory *memory, uint32_t device, size_t size);

/* The device in whose memory an address lies, or AQ_DEVICE_HOST. */
uint32_t aqsim_memory_device(const aqsim_memory *memory, const void *address);

/* Frees what alloc returned; NULL is ignored. */
void aqsim_memory_free(aqsim_memory *memory, void *address);

/* Lets devices reach memory of the host, at the host's address. AQ_ERR_INVALID:
 * no bytes, or memory locked already that begins there. */
aq_status aqsim_memory_lock(aqsim_memory *memory, void *address, size_t size,
                            aq_diag *diag);

/* An address that is not locked is ignored. */
void aqsim_memory_unlock(aqsim_memory *memory, const void *address);

#endif
