/* SPDX-License-Identifier: MIT */
/*
 * MLIR on its way to a program for mlir-runner: lowered by mlir-opt, its GPU
 * modules compiled for one chip and linked with AMD's device libraries.
 *
 * Results are cached by everything that they depend on. One thread at a time.
 */
#ifndef AQ_GPU_COMPILE_MLIR_LOWER_H
#define AQ_GPU_COMPILE_MLIR_LOWER_H

#include <stdbool.h>
#include <stddef.h>

#include "common/diag.h"

/* Texts are borrowed. */
typedef struct aq_lower_ask {
  const char *path;     /* of the MLIR */
  const char *chip;     /* "gfx90a" */
  const char *pipeline; /* passes, "%chip" stands for the chip; NULL: ours */
  const char *form;     /* of GPU objects: "fatbin", "isa" or "llvm" */
  const char *keep;     /* folder for intermediate files, made; or NULL */
} aq_lower_ask;

typedef struct aq_lowered {
  char *path; /* of the lowered MLIR */
  char *text; /* it */
  size_t size;
  char *folder; /* temporary, with `path` in it; NULL: that is cached */
  bool cached;  /* nothing had to be compiled */
} aq_lowered;

/* AQ_ERR_INPUT has mlir-opt's first error, with file and line, or names a GPU
 * module without code for the chip; AQ_ERR_NOT_FOUND a missing tool. */
aq_status aq_lower(const aq_lower_ask *ask, aq_lowered *out, aq_diag *diag);
void aq_lowered_fini(aq_lowered *lowered);

/* The pipeline for a chip and a form; the caller frees it. */
char *aq_lower_pipeline(const aq_lower_ask *ask);

/* How mlir-runner calls a function that is defined in lowered MLIR without
 * arguments: "void", "i32", "i64" or "f32"; static. AQ_ERR_INPUT names the
 * functions that can be called. */
aq_status aq_lowered_entry(const aq_lowered *lowered, const char *function,
                           const char **out, aq_diag *diag);

#endif
