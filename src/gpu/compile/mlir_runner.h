/* SPDX-License-Identifier: MIT */
/* mlir-runner's command line for lowered MLIR. */
#ifndef AQ_GPU_COMPILE_MLIR_RUNNER_H
#define AQ_GPU_COMPILE_MLIR_RUNNER_H

#include "gpu/compile/mlir_lower.h"

enum { AQ_RUNNER_ARGS = 12 };

typedef struct aq_runner {
  char *args[AQ_RUNNER_ARGS + 1]; /* ended by NULL */
  int count;
} aq_runner;

/* `library` is the runtime that GPU code calls; MLIR's own libraries for
 * printing and asynchronous code come with it where they are installed.
 * AQ_ERR_INPUT: the function cannot be called; AQ_ERR_NOT_FOUND: there is no
 * mlir-runner. */
aq_status aq_runner_make(const aq_lowered *lowered, const char *function,
                         const char *library, aq_runner *out, aq_diag *diag);
void aq_runner_fini(aq_runner *runner);

#endif
