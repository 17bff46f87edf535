/* SPDX-License-Identifier: MIT */
/*
 * Code that compilers of directives (OpenMP, OpenACC) put into programs: the
 * offload binaries of LLVM, each an image with its triple and processor, in
 * the section .llvm.offloading; and the plain images of GCC among the
 * program's data.
 *
 * The bytes may be anything: they are checked. Images point into them. Within
 * codeobj only.
 */
#ifndef AQ_GPU_CODEOBJ_OFFLOAD_H
#define AQ_GPU_CODEOBJ_OFFLOAD_H

#include "gpu/codeobj/bundle.h"

/* Reads the offload binaries behind each other as one bundle: each is code for
 * another processor. AQ_ERR_INPUT: there is none, or one is damaged. */
aq_status aq_offload_read(const void *bytes, size_t size, aq_bundle *out,
                          aq_diag *diag);

/* Whether there is an image for an AMD GPU among the bytes, aligned to 8. */
bool aq_offload_has_image(const void *bytes, size_t size);

/* Reads these images as one bundle. */
aq_status aq_offload_images_read(const void *bytes, size_t size, aq_bundle *out,
                                 aq_diag *diag);

#endif
