/* SPDX-License-Identifier: MIT */
/*
 * The GPU objects of lowered MLIR: each `gpu.binary` with its objects, found in
 * the text as mlir-opt prints it. The text may be anything. Pure functions.
 */
#ifndef AQ_GPU_COMPILE_MLIR_OBJECTS_H
#define AQ_GPU_COMPILE_MLIR_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/diag.h"

/* Places are offsets in the text. */
typedef struct aq_mlir_object {
  size_t binary;    /* number of its gpu.binary */
  char chip[32];    /* of its target; MLIR's default is gfx900 */
  size_t data, end; /* its bytes, escaped, between the quotes */
} aq_mlir_object;

typedef struct aq_mlir_binary {
  size_t name, name_end; /* without the @ */
  size_t list;           /* its list of objects begins there, at "[" */
  bool chooses;          /* it says which object is taken */
  size_t first, count;   /* of the objects */
} aq_mlir_binary;

typedef struct aq_mlir_objects {
  aq_mlir_binary *binaries;
  size_t binary_count, binary_capacity;
  aq_mlir_object *objects;
  size_t object_count, object_capacity;
} aq_mlir_objects;

/* AQ_ERR_INPUT: a gpu.binary is not as mlir-opt prints it. */
aq_status aq_mlir_objects_find(const char *text, size_t size,
                               aq_mlir_objects *out, aq_diag *diag);
void aq_mlir_objects_fini(aq_mlir_objects *objects);

/* The bytes of an object, the caller's to free; NULL: out of memory. */
unsigned char *aq_mlir_object_bytes(const char *text,
                                    const aq_mlir_object *object, size_t *size);

/* The text in which each gpu.binary of several objects takes the one for a chip
 * unless it says itself which; the caller frees *out. AQ_ERR_INPUT names a
 * module that has none for the chip, with the chips that it has. */
aq_status aq_mlir_objects_choose(const char *text, size_t size,
                                 const char *chip, char **out, size_t *out_size,
                                 aq_diag *diag);

#endif
