/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "common/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK_SIZE = 64 * 1024 };

struct aq_arena_chunk {
  aq_arena_chunk *next;
  size_t size, used;
  alignas(max_align_t) unsigned char bytes[];
};

static aq_arena_chunk *chunk_create(size_t size)
{
  aq_arena_chunk *chunk = malloc(sizeof *chunk + size);
  if (chunk)
    *chunk = (aq_arena_chunk){.size = size};
  return chunk;
}

/* The chunk after the current one that has room, making one if need be. */
static aq_arena_chunk *arena_advance(aq_arena *arena, size_t size)
{
  aq_arena_chunk *next = arena->current ? arena->current->next : arena->first;
  if (next && next->size >= size) {
    next->used = 0;
    return arena->current = next;
  }
  aq_arena_chunk *chunk = chunk_create(size > CHUNK_SIZE ? size : CHUNK_SIZE);
  if (!chunk)
    return NULL;
  chunk->next = next;
  if (arena->current)
    arena->current->next = chunk;
  else
    arena->first = chunk;
  return arena->current = chunk;
}

void *aq_arena_alloc(aq_arena *arena, size_t size)
{
  const size_t align = alignof(max_align_t);
  if (size > SIZE_MAX / 2)
    return NULL;
  size = (size + align - 1) & ~(align - 1);
  aq_arena_chunk *chunk = arena->current;
  if (!chunk || chunk->size - chunk->used < size) {
    chunk = arena_advance(arena, size);
    if (!chunk)
      return NULL;
  }
  void *memory = chunk->bytes + chunk->used;
  chunk->used += size;
  return memset(memory, 0, size);
}

char *aq_arena_text(aq_arena *arena, const char *text, size_t length)
{
  char *copy = aq_arena_alloc(arena, length + 1);
  if (copy)
    memcpy(copy, text, length);
  return copy;
}

void aq_arena_reset(aq_arena *arena)
{
  arena->current = arena->first;
  if (arena->first)
    arena->first->used = 0;
}

void aq_arena_fini(aq_arena *arena)
{
  for (aq_arena_chunk *chunk = arena->first, *next; chunk; chunk = next) {
    next = chunk->next;
    free(chunk);
  }
  *arena = (aq_arena)AQ_ARENA_INIT;
}
