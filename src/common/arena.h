/* SPDX-License-Identifier: MIT */
/*
 * Arena: many small allocations that live and die together.
 *
 * Memory comes in chunks and is released at once by reset (chunks are kept
 * for reuse) or fini. Pointers stay valid until then. One thread at a time.
 */
#ifndef AQ_COMMON_ARENA_H
#define AQ_COMMON_ARENA_H

#include <stddef.h>

typedef struct aq_arena_chunk aq_arena_chunk;

typedef struct aq_arena {
  aq_arena_chunk *first, *current;
} aq_arena;

#define AQ_ARENA_INIT                                                          \
  {                                                                            \
    NULL, NULL                                                                 \
  }

/* `size` zeroed bytes aligned for any type, or NULL when out of memory. */
void *aq_arena_alloc(aq_arena *arena, size_t size);

/* A terminated copy of `length` bytes, or NULL when out of memory. */
char *aq_arena_text(aq_arena *arena, const char *text, size_t length);

void aq_arena_reset(aq_arena *arena);
void aq_arena_fini(aq_arena *arena);

#endif
