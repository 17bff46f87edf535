/* SPDX-License-Identifier: MIT */
/*
 * Source files into code objects, by compilers as child processes: HIP (.hip),
 * LLVM IR (.ll, .bc), assembly (.s) and MLIR (.mlir). Other files are taken for
 * code objects. One thread at a time.
 */
#ifndef AQ_GPU_COMPILE_COMPILE_H
#define AQ_GPU_COMPILE_COMPILE_H

#include <stdbool.h>

#include "common/diag.h"

/* Texts are borrowed. */
typedef struct aq_compile_ask {
  const char *path;
  const char *gfx;                /* the device's target id, "gfx90a:xnack-" */
  const char *level;              /* of optimization, "2"; NULL: 3 */
  const char *const *definitions; /* "NAME[=VALUE]", ended by NULL */
  const char *const *includes;    /* folders, ended by NULL */
  const char *keep; /* folder for intermediate files, made; or NULL */
} aq_compile_ask;

typedef struct aq_compiled {
  char *path;   /* of the code object */
  char *folder; /* temporary, with `path` in it, or NULL */
} aq_compiled;

/* Whether a file is a source, by the end of its name. */
bool aq_compile_is_source(const char *path);

/* AQ_ERR_INPUT has the compiler's first error, with file and line;
 * AQ_ERR_NOT_FOUND names a missing tool; AQ_ERR_UNSUPPORTED: an option that has
 * no meaning for the kind of source. */
aq_status aq_compile(const aq_compile_ask *ask, aq_compiled *out,
                     aq_diag *diag);

/* Whether the compiler of the source's kind compiles an empty file for the
 * device; true for MLIR, whose chips are not known. */
bool aq_compile_knows(const aq_compile_ask *ask);
void aq_compiled_fini(aq_compiled *compiled);

#endif
