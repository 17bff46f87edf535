/* SPDX-License-Identifier: MIT */
/*
 * A code object in memory: an ELF file of AMDGPU, its segments loaded and
 * relocated where the host can read them, and its symbols.
 *
 * The bytes of the file may be anything: they are checked before use, and are
 * not needed after loading. Thread rule: one thread at a time.
 */
#ifndef AQDROP_IMAGE_H
#define AQDROP_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a kernel descriptor says that is used here. Lies in the image. */
typedef struct aqdrop_descriptor {
  uint32_t group_size, private_size, kernarg_size;
  uint8_t reserved[44];
  uint16_t properties; /* AQDROP_KERNEL_* */
  uint8_t reserved1[6];
} aqdrop_descriptor;

_Static_assert(sizeof(aqdrop_descriptor) == 64, "a kernel descriptor");
_Static_assert(offsetof(aqdrop_descriptor, properties) == 56, "at 56");

enum { AQDROP_KERNEL_DYNAMIC_STACK = 1 << 11 };

typedef struct aqdrop_image_symbol {
  char *name;    /* "vadd.kd" of kernels; owned by the image */
  char *address; /* the descriptor, or the variable */
  uint64_t size; /* bytes */
  bool is_kernel;
} aqdrop_image_symbol;

typedef struct aqdrop_image {
  char *base;    /* where it is loaded */
  size_t span;   /* bytes from base */
  uint64_t bias; /* base less the lowest address of the file */
  aqdrop_image_symbol *symbols;
  size_t symbol_count;
} aqdrop_image;

typedef enum aqdrop_image_status {
  AQDROP_IMAGE_OK,
  AQDROP_IMAGE_BAD,     /* no code object, or a damaged one */
  AQDROP_IMAGE_FOREIGN, /* for another instruction set */
  AQDROP_IMAGE_NO_MEMORY,
} aqdrop_image_status;

/* Loads a code object for the processor `gfx`. */
aqdrop_image_status aqdrop_image_load(const void *bytes, size_t size,
                                      const char *gfx, aqdrop_image *out);

void aqdrop_image_unload(aqdrop_image *image);

#endif
