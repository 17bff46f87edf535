/* SPDX-License-Identifier: MIT */
/*
 * Memory for machine code that this process writes and executes: a file of
 * memory, mapped twice, once to be written and once to be executed. No mapping
 * is both.
 *
 * Grows by chunks of 1 MiB, the most that is kept at once, up to a limit;
 * nothing is freed before all is. One thread at a time, or under the caller's
 * lock.
 */
#ifndef AQ_GPU_WAVE_JIT_CODE_MEMORY_H
#define AQ_GPU_WAVE_JIT_CODE_MEMORY_H

#include <stddef.h>
#include <stdint.h>

typedef struct aq_code_memory aq_code_memory;

/* NULL: out of memory, or the system forbids such memory. */
aq_code_memory *aq_code_memory_create(void);
void aq_code_memory_destroy(aq_code_memory *memory);

/* Keeps a copy, aligned to a cache line; where it is executed, or NULL: the
 * limit is reached, or the system gives no more, as *why says (static). */
const void *aq_code_memory_keep(aq_code_memory *memory, const void *code,
                                size_t size, const char **why);

#endif
