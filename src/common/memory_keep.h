/* SPDX-License-Identifier: MIT */
/*
 * For a process that does the same work again and again: the memory that one
 * turn frees is kept for the next one. Returned to the kernel, it would be
 * mapped and cleared page by page each time.
 * Thread rule: before other threads allocate; it holds for the whole process.
 */
#ifndef AQ_COMMON_MEMORY_KEEP_H
#define AQ_COMMON_MEMORY_KEEP_H

#include <limits.h>
#include <malloc.h>

/* Blocks of `mapped` bytes and more are still mapped and returned each. */
static inline void aq_memory_keep(int mapped)
{
#ifdef M_TRIM_THRESHOLD
  mallopt(M_TRIM_THRESHOLD, INT_MAX);
  mallopt(M_MMAP_THRESHOLD, mapped);
#else
  (void)mapped;
#endif
}

#endif
