/* SPDX-License-Identifier: MIT */
#include "backend_sim/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGN = 64 };

struct aqsim_block {
  aqsim_block *next, *previous;
  _Alignas(ALIGN) unsigned char bytes[];
};

void aqsim_memory_fini(aqsim_memory *memory)
{
  while (memory->blocks)
    aqsim_memory_free(memory, memory->blocks->bytes);
}

void *aqsim_memory_alloc(aqsim_memory *memory, size_t size)
{
  if (size > SIZE_MAX / 2)
    return NULL;
  size_t total =
      (sizeof(aqsim_block) + size + ALIGN - 1) & ~(size_t)(ALIGN - 1);
  aqsim_block *block = aligned_alloc(ALIGN, total);
  if (!block)
    return NULL;
  memset(block, 0, total);
  block->next = memory->blocks;
  if (block->next)
    block->next->previous = block;
  memory->blocks = block;
  return block->bytes;
}

void aqsim_memory_free(aqsim_memory *memory, void *address)
{
  if (!address)
    return;
  aqsim_block *block =
      (aqsim_block *)(void *)((char *)address - offsetof(aqsim_block, bytes));
  if (block->previous)
    block->previous->next = block->next;
  else
    memory->blocks = block->next;
  if (block->next)
    block->next->previous = block->previous;
  free(block);
}
