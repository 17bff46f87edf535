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

#include "codeobj/descriptor.h"
#include "codeobj/target.h"

typedef struct aqdrop_image_symbol {
  char *name;    /* "vadd.kd" of kernels; owned by the image */
  char *address; /* the descriptor, or the variable */
  uint64_t size; /* bytes */
  bool is_kernel;
  bool is_const; /* it lies in a section that is not written to */
} aqdrop_image_symbol;

typedef struct aqdrop_image {
  uint32_t version; /* of code objects, from 3 on */
  aq_target target; /* what it was compiled for */
  char *base;       /* where it is loaded */
  size_t span;      /* bytes from base */
  uint64_t bias;    /* base less the lowest address of the file */
  aqdrop_image_symbol *symbols;
  size_t symbol_count;
} aqdrop_image;

typedef enum aqdrop_image_status {
  AQDROP_IMAGE_OK,
  AQDROP_IMAGE_BAD,       /* no code object, or a damaged one */
  AQDROP_IMAGE_FOREIGN,   /* for another instruction set */
  AQDROP_IMAGE_UNDEFINED, /* it needs a variable that nobody defines */
  AQDROP_IMAGE_NO_MEMORY,
} aqdrop_image_status;

/* What an image is loaded for. */
typedef struct aqdrop_image_target {
  const char *gfx; /* the processor; NULL: any */
  /* Where the variable of a name is that the code object does not define, or 0.
   * NULL: the image is only looked at, and not relocated. */
  uint64_t (*resolve)(void *user, const char *name);
  void *user;
} aqdrop_image_target;

aqdrop_image_status aqdrop_image_load(const void *bytes, size_t size,
                                      const aqdrop_image_target *target,
                                      aqdrop_image *out);

void aqdrop_image_unload(aqdrop_image *image);

#endif
