/* SPDX-License-Identifier: MIT */
/*
 * The metadata of a code object: NT_AMDGPU_METADATA, a MessagePack map, and
 * NT_AMD_HSA_METADATA of version 2, YAML. Within codeobj only.
 */
#ifndef AQ_GPU_CODEOBJ_METADATA_H
#define AQ_GPU_CODEOBJ_METADATA_H

#include "gpu/codeobj/codeobj.h"

/* Reads the note's description into `out`: kernels (with has_metadata, without
 * descriptors) and the version. `out` owns them when it returns AQ_OK. */
aq_status aq_metadata_read(const void *bytes, size_t size, aq_codeobj *out,
                           aq_code_kernel **kernels, aq_diag *diag);

/* The same for the YAML of version 2. Kinds, address spaces and accesses are
 * spelled as in later versions; the offsets of arguments follow from their
 * sizes and alignments. */
aq_status aq_metadata_yaml_read(const void *bytes, size_t size, aq_codeobj *out,
                                aq_code_kernel **kernels, aq_diag *diag);

#endif
