/* SPDX-License-Identifier: MIT */
/* Code objects that a loader has laid out in memory. The bytes may be anything.
 * Pure functions. */
#ifndef AQ_GPU_CODEOBJ_LOADED_H
#define AQ_GPU_CODEOBJ_LOADED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The name of the kernel whose descriptor lies at `offset` of a loaded code
 * object that begins at `image`, without ".kd"; a longer one is cut. False: no
 * code object begins there, or it has no such kernel. */
bool aq_code_loaded_kernel(const void *image, size_t size, uint64_t offset,
                           char *name, size_t capacity);

#endif
