/* SPDX-License-Identifier: MIT */
/*
 * Allocations and locked host memory: what an address belongs to.
 *
 * Memory of every pool is memory of this process, mapped page by page when it
 * is touched. Thread rule: any thread; one lock inside, never held while a
 * callback runs.
 */
#ifndef AQDROP_MEMORY_H
#define AQDROP_MEMORY_H

#include "dropin/runtime.h"

aqdrop_memory *aqdrop_memory_create(void);

/* Frees all allocations; their callbacks are not called. */
void aqdrop_memory_destroy(aqdrop_memory *memory);

/* The device whose pool an address is from, or AQ_DEVICE_HOST. */
uint32_t aqdrop_memory_device(aqdrop_memory *memory, const void *address);

#endif
