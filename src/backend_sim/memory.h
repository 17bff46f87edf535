/* SPDX-License-Identifier: MIT */
/*
 * Memory of a transport: zeroed host memory whatever its kind, cache-line
 * aligned, freed at the latest with its owner. One thread at a time.
 */
#ifndef AQSIM_MEMORY_H
#define AQSIM_MEMORY_H

#include <stddef.h>

typedef struct aqsim_block aqsim_block;

typedef struct aqsim_memory {
  aqsim_block *blocks;
} aqsim_memory;

void aqsim_memory_fini(aqsim_memory *memory);

/* `size` zeroed bytes (0 gives a valid address too), or NULL. */
void *aqsim_memory_alloc(aqsim_memory *memory, size_t size);

/* Frees what alloc returned; NULL is ignored. */
void aqsim_memory_free(aqsim_memory *memory, void *address);

#endif
