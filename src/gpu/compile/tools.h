/* SPDX-License-Identifier: MIT */
/*
 * Compilers and runners that are installed beside Aqueduct: found by name, with
 * or without a version ("mlir-opt", "mlir-opt-22"), never linked.
 *
 * $AQUEDUCT_LLVM names the folder of all of them, or its parent; without it
 * they are looked for in PATH, the newest version first and the plain name
 * last, then in /usr/lib/llvm-N/bin.
 * Ownership: paths are the caller's to free. One thread at a time.
 */
#ifndef AQ_GPU_COMPILE_TOOLS_H
#define AQ_GPU_COMPILE_TOOLS_H

#include "common/diag.h"

typedef enum aq_tool_id {
#define T(id, name, package, use) AQ_TOOL_##id,
#include "gpu/compile/tools.def"
#undef T
  AQ_TOOL_COUNT
} aq_tool_id;

typedef struct aq_tool {
  const char *name, *package, *use;
} aq_tool;

extern const aq_tool aq_tools[AQ_TOOL_COUNT];

/* The path of a tool. AQ_ERR_NOT_FOUND names it and its package. */
aq_status aq_tool_find(aq_tool_id id, char **out, aq_diag *diag);

/* The same, but one that lies beside another tool is preferred: both are of one
 * version then. */
aq_status aq_tool_find_beside(aq_tool_id id, const char *tool, char **out,
                              aq_diag *diag);

/* The folder of AMD's device libraries (ocml.bc, ockl.bc).
 * $HIP_DEVICE_LIB_PATH and $ROCM_PATH name it first. AQ_ERR_NOT_FOUND names
 * their package. */
aq_status aq_device_libraries_find(char **out, aq_diag *diag);

/* A library NAME.so or NAME.so.VERSION that lies in ../lib beside a tool, for
 * example of mlir-runner; NULL: there is none. */
char *aq_tool_library(const char *tool, const char *name);

#endif
