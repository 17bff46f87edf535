/* SPDX-License-Identifier: MIT */
/*
 * The NT_AMDGPU_METADATA note of a code object: a MessagePack map. Within
 * codeobj only.
 */
#ifndef AQ_CODEOBJ_METADATA_H
#define AQ_CODEOBJ_METADATA_H

#include "codeobj/codeobj.h"

/* Reads the note's description into `out`: kernels (with has_metadata, without
 * descriptors) and the version. `out` owns them when it returns AQ_OK. */
aq_status aq_metadata_read(const void *bytes, size_t size, aq_codeobj *out,
                           aq_code_kernel **kernels, aq_diag *diag);

#endif
