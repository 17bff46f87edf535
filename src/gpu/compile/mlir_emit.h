/* SPDX-License-Identifier: MIT */
/* GPU modules of lowered MLIR as files for people and other tools. */
#ifndef AQ_GPU_COMPILE_MLIR_EMIT_H
#define AQ_GPU_COMPILE_MLIR_EMIT_H

#include <stdio.h>

#include "gpu/compile/mlir_lower.h"

/* MLIR's form of objects for "llvm", "asm" or "hsaco"; static. */
const char *aq_emit_form(const char *what);

/* Writes the objects for the chip: "llvm" as text by llvm-dis, "asm" as text,
 * "hsaco" as bytes, of which there may be one module only. */
aq_status aq_emit(const aq_lower_ask *ask, const aq_lowered *lowered,
                  const char *what, FILE *to, aq_diag *diag);

#endif
