/* SPDX-License-Identifier: MIT */
/*
 * The memory behind the `malloc` of kernels: the device library asks its host
 * for blocks of it, and carves small allocations out of them itself.
 *
 * Blocks are mapped memory of this process, published in an allocation map, so
 * that they need no call of a transport; or, where kernels run on another
 * device than ours, memory of their transport. Blocks are aligned to pages, or
 * to 2 MiB from that size on, as the device library expects. One thread.
 */
#ifndef AQ_GPU_HOSTCALL_HEAP_H
#define AQ_GPU_HOSTCALL_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct aq_allocations;
struct aq_transport;

typedef struct aq_device_heap aq_device_heap;

/* At most `limit` bytes at once. `map` is borrowed and outlives the heap; NULL:
 * nothing is published. NULL: out of memory. */
aq_device_heap *aq_device_heap_create(struct aq_allocations *map,
                                      uint64_t limit);
void aq_device_heap_destroy(aq_device_heap *heap);

/* From here on, blocks are memory of the transport's devices, which is not
 * cleared. Borrowed until the heap's end; before the first block. */
void aq_device_heap_use(aq_device_heap *heap, struct aq_transport *t);

/* `size` bytes, zeros in memory of this process, that all devices may access,
 * in the memory of one of them; NULL: none are left. */
void *aq_device_heap_alloc(aq_device_heap *heap, uint32_t device,
                           uint64_t size);

/* Gives a block back; false: there is none at that address. */
bool aq_device_heap_free(aq_device_heap *heap, uint64_t address);

/* Gives all blocks back. */
void aq_device_heap_clear(aq_device_heap *heap);

#endif
