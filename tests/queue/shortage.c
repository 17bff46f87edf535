/* SPDX-License-Identifier: MIT */
#include "queue/shortage.h"

#include <stdint.h>
#include <stdlib.h>

/* ---- the host's allocator ---- */

enum { LIVE_MAX = 1 << 16 };

static struct {
  void *live[LIVE_MAX]; /* open addressing by address */
  size_t count;
  long left; /* until one fails; below 0: none does */
  bool counting, failed;
} heap;

static size_t heap_place(const void *address)
{
  size_t at = ((uintptr_t)address >> 4) * 2654435761u % LIVE_MAX;
  while (heap.live[at] && heap.live[at] != address)
    at = (at + 1) % LIVE_MAX;
  return at;
}

static void *heap_add(void *address)
{
  if (heap.counting && address) {
    heap.live[heap_place(address)] = address;
    heap.count++;
  }
  return address;
}

static void heap_remove(void *address)
{
  size_t at = heap_place(address);
  if (!address || !heap.live[at])
    return;
  heap.live[at] = NULL;
  heap.count--;
  /* Entries behind it move up. */
  for (at = (at + 1) % LIVE_MAX; heap.live[at]; at = (at + 1) % LIVE_MAX) {
    void *moved = heap.live[at];
    heap.live[at] = NULL;
    heap.live[heap_place(moved)] = moved;
  }
}

static bool heap_fails(void)
{
  if (!heap.counting || heap.left < 0 || heap.left-- > 0)
    return false;
  heap.failed = true;
  return true;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_aligned_alloc(size_t align, size_t size);
void __real_free(void *address);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_aligned_alloc(size_t align, size_t size);
void __wrap_free(void *address);

void *__wrap_malloc(size_t size)
{
  return heap_fails() ? NULL : heap_add(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
  return heap_fails() ? NULL : heap_add(__real_calloc(count, size));
}

void *__wrap_realloc(void *old, size_t size)
{
  if (heap_fails())
    return NULL;
  heap_remove(old);
  return heap_add(__real_realloc(old, size));
}

void *__wrap_aligned_alloc(size_t align, size_t size)
{
  return heap_fails() ? NULL : heap_add(__real_aligned_alloc(align, size));
}

void __wrap_free(void *address)
{
  heap_remove(address);
  __real_free(address);
}

/* ---- the device's ---- */

static long device_left = -1;

static bool device_allocation(void *user)
{
  (void)user;
  if (device_left < 0 || device_left-- > 0)
    return true;
  heap.failed = true;
  return false;
}

static bool device_interrupt(void *user, aq_signal signal)
{
  (void)user, (void)signal;
  return true;
}

static aq_time device_copy(void *user, size_t size)
{
  (void)user, (void)size;
  return 0;
}

const aq_device_hooks shortage_hooks = {.size = sizeof shortage_hooks,
                                        .interrupt = device_interrupt,
                                        .copy_start = device_copy,
                                        .allocation = device_allocation};

/* ---- shortages ---- */

void shortage_begin(long host, long device)
{
  heap.failed = false;
  heap.counting = true;
  heap.left = host;
  device_left = device;
}

bool shortage_over(void)
{
  heap.left = device_left = -1;
  return heap.failed;
}

size_t shortage_end(void)
{
  heap.counting = false;
  return heap.count;
}
