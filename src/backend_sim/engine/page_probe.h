/* SPDX-License-Identifier: MIT */
/*
 * Which pages of this process are mapped: the device checks the memory that
 * packets and copies name before it touches it.
 *
 * Pages are asked for through the kernel, which answers where touching them
 * would kill the process; nothing is read or changed by that. What another
 * thread unmaps between question and use is not noticed. A system that does
 * not allow the question counts as having all pages but page zero.
 */
#ifndef AQSIM_PAGE_PROBE_H
#define AQSIM_PAGE_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  AQSIM_PAGE = 4096, /* bytes; of the smallest kind */
  AQSIM_PAGES_AT_ONCE = 64,
};

typedef enum aqsim_access { AQSIM_READ, AQSIM_WRITE } aqsim_access;

/* Whether some of the bytes cannot be accessed; *unmapped is the first of them.
 * Costs a system call for 64 pages to read, for each page to write. */
bool aqsim_memory_unmapped(aqsim_access access, uint64_t address, uint64_t size,
                           uint64_t *unmapped);

/* Loads a word of 4 or 8 bytes, zero-extended, from memory that may be unmapped
 * at any time; false: it is not there. One system call. */
bool aqsim_memory_load(uint64_t address, uint32_t size, int64_t *out);

/* How many of `count` pages, AQSIM_PAGES_AT_ONCE at most, can be read, from
 * the first on. One system call. */
size_t aqsim_pages_readable(uint64_t page, size_t count);

#endif
