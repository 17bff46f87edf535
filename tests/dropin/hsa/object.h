/* SPDX-License-Identifier: MIT */
/*
 * A code object of two kernels, "add" and "other", and of "variable", which
 * points to the first. Every address in it is its place in the file.
 */
#ifndef AQ_TESTS_OBJECT_H
#define AQ_TESTS_OBJECT_H

#include <elf.h>
#include <stdint.h>

enum { OBJECT_GFX942 = 0x4c, OBJECT_GFX90A = 0x3f }; /* EF_AMDGPU_MACH */

typedef struct object {
  Elf64_Ehdr head;
  Elf64_Phdr segment;
  Elf64_Shdr sections[4]; /* none, symbols, texts, relocations */
  Elf64_Sym symbols[5];
  Elf64_Rela relocations[4];
  char texts[40];
  _Alignas(64) uint32_t kernels[2][16]; /* descriptors */
  uint64_t variable;
  uint64_t outside;   /* where "outside" is */
  uint32_t halves[2]; /* the same, low and high */
} object;

/* It is overwritten by the next one. */
object *object_make(uint32_t mach);

/* One that refers to "outside", which is not in it. */
object *object_make_referring(uint32_t mach);

#endif
