/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/wave/jit/code_memory.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { CHUNK = 1 << 20, CHUNKS = 64 /* "64 MiB" below */ };

typedef struct chunk {
  uint8_t *write;
  const uint8_t *execute;
} chunk;

struct aq_code_memory {
  chunk chunks[CHUNKS];
  unsigned count;
  size_t used; /* of the last */
};

static bool chunk_add(aq_code_memory *m)
{
  if (m->count == CHUNKS)
    return false;
  const int fd = memfd_create("aqueduct-code", MFD_CLOEXEC);
  if (fd < 0)
    return false;
  chunk c = {MAP_FAILED, MAP_FAILED};
  if (ftruncate(fd, CHUNK) == 0) {
    c.write = mmap(NULL, CHUNK, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    c.execute = mmap(NULL, CHUNK, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
  }
  close(fd);
  if (c.write != MAP_FAILED && c.execute != MAP_FAILED) {
    m->chunks[m->count++] = c;
    m->used = 0;
    return true;
  }
  if (c.write != MAP_FAILED)
    munmap(c.write, CHUNK);
  if (c.execute != MAP_FAILED)
    munmap((void *)(uintptr_t)c.execute, CHUNK);
  return false;
}

aq_code_memory *aq_code_memory_create(void)
{
  aq_code_memory *m = calloc(1, sizeof *m);
  if (m && chunk_add(m))
    return m;
  free(m);
  return NULL;
}

void aq_code_memory_destroy(aq_code_memory *memory)
{
  if (!memory)
    return;
  for (unsigned i = 0; i < memory->count; i++) {
    munmap(memory->chunks[i].write, CHUNK);
    munmap((void *)(uintptr_t)memory->chunks[i].execute, CHUNK);
  }
  free(memory);
}

const void *aq_code_memory_keep(aq_code_memory *memory, const void *code,
                                size_t size, const char **why)
{
  const size_t whole = (size + 63) & ~(size_t)63;
  if (whole > CHUNK - memory->used && !chunk_add(memory)) {
    *why = memory->count == CHUNKS ? "its 64 MiB of machine code are full"
                                   : "the system gives no more memory for code";
    return NULL;
  }
  const chunk *c = &memory->chunks[memory->count - 1];
  const size_t at = memory->used;
  memory->used += whole;
  memcpy(c->write + at, code, size);
  return c->execute + at;
}
