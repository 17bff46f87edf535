/* SPDX-License-Identifier: MIT */
/*
 * Readers, executables and their symbols. A handle is the address of the
 * object and is looked for in the lists of the runtime before it is used.
 */
#ifndef AQDROP_EXECUTABLES_H
#define AQDROP_EXECUTABLES_H

#include "dropin/image.h"
#include "dropin/runtime.h"

typedef struct aqdrop_reader {
  struct aqdrop_reader *next;
  const void *bytes;
  size_t size;
  void *mapped; /* what is to be unmapped, or NULL */
  size_t mapped_size;
  int file; /* -1: memory of the client */
} aqdrop_reader;

typedef struct aqdrop_executable aqdrop_executable;
typedef struct aqdrop_loaded aqdrop_loaded;

typedef struct aqdrop_symbol {
  aqdrop_loaded *loaded;
  const aqdrop_image_symbol *image;
} aqdrop_symbol;

/* A code object that is loaded for a device. */
struct aqdrop_loaded {
  aqdrop_loaded *next;
  aqdrop_executable *executable;
  aqdrop_agent *agent;
  aqdrop_image image;
  aqdrop_symbol *symbols; /* one for each of the image */
  const void *storage;    /* of its reader, borrowed: only told */
  size_t storage_size;
};

struct aqdrop_executable {
  aqdrop_executable *next;
  uint32_t profile, rounding;
  uint32_t state; /* HSA_EXECUTABLE_STATE_* */
  aqdrop_loaded *first;
};

/* Makes a reader of part of a file (size 0: up to its end). */
hsa_status_t aqdrop_reader_open(aqdrop *runtime, int file, size_t offset,
                                size_t size, hsa_code_object_reader_t *out);

/* NULL for an unknown handle. */
aqdrop_executable *aqdrop_executable_from(aqdrop *runtime,
                                          hsa_executable_t executable);

/* What is loaded where an address lies, or NULL. */
aqdrop_loaded *aqdrop_loaded_at(aqdrop *runtime, const void *address);

/* The name of the kernel whose descriptor lies at an address, or NULL. */
const char *aqdrop_kernel_name(aqdrop *runtime, uint64_t object);

/* The functions of the AMD loader extension, in the order of its table. */
typedef void (*aqdrop_any_function)(void);
extern const aqdrop_any_function aqdrop_loader_functions[7];

/* Unloads and frees everything, after the transport is closed. */
void aqdrop_executables_fini(aqdrop *runtime);

#endif
