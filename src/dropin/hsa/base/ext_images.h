/* SPDX-License-Identifier: MIT */
/*
 * Images and samplers of clients. A handle is the address of what kernels read
 * of them (common/kernel_image.h). Every image is linear in memory: rows begin
 * at multiples of 256 bytes, as on hardware.
 */
#ifndef AQDROP_EXT_IMAGES_H
#define AQDROP_EXT_IMAGES_H

#include "common/kernel_image.h"
#include "dropin/hsa/base/runtime.h"

typedef enum aqdrop_ext_kind {
  AQDROP_EXT_IMAGE,
  AQDROP_EXT_SAMPLER
} aqdrop_ext_kind;

/* One of either. */
typedef struct aqdrop_ext {
  union {
    uint32_t image[AQ_KERNEL_IMAGE_WORDS];
    uint32_t sampler[AQ_KERNEL_SAMPLER_WORDS];
  } words; /* first: the handle points to them */
  struct aqdrop_ext *next;
  aqdrop_ext_kind kind;
  const aqdrop_agent *agent;
} aqdrop_ext;

/* Keeps a copy and gives its handle. */
hsa_status_t aqdrop_ext_keep(aqdrop *runtime, const aqdrop_ext *from,
                             uint64_t *handle);

/* NULL for a handle that is none of this kind. */
const aqdrop_ext *aqdrop_ext_from(aqdrop *runtime, aqdrop_ext_kind kind,
                                  uint64_t handle);

hsa_status_t aqdrop_ext_destroy(aqdrop *runtime, hsa_agent_t agent,
                                aqdrop_ext_kind kind, uint64_t handle);

/* Frees the remaining images and samplers. */
void aqdrop_exts_fini(aqdrop *runtime);

/* The words of an image of a supported format, for instructions of `gfx`.
 * False: they have no place for its pitch. */
bool aqdrop_ext_image_descriptor(const char *gfx, const aq_kernel_image *image,
                                 uint32_t words[AQ_KERNEL_IMAGE_WORDS]);

void aqdrop_ext_sampler_descriptor(const aq_kernel_sampler *sampler,
                                   uint32_t words[AQ_KERNEL_SAMPLER_WORDS]);

/* Whether kernels of an agent can read images. */
bool aqdrop_agent_has_images(const aqdrop_agent *agent);

/* Whether there is the extension of images: with any device, as in AMD's
 * runtime, even if no kernel can read one. */
static inline bool aqdrop_has_devices(const aqdrop *runtime)
{
  return runtime->agent_count > 1;
}

/* Answers HSA_EXT_AGENT_INFO_*: zeros where there are no images. */
hsa_status_t aqdrop_ext_images_info(const aqdrop_agent *agent,
                                    uint32_t attribute, void *value);

/* The exported functions of the extension, in the order of its table; the first
 * ones make up version 1.0. Set by entries.c when the library is loaded. */
enum { AQDROP_IMAGE_FUNCTIONS_1_00 = 10, AQDROP_IMAGE_FUNCTIONS = 13 };
extern const aqdrop_any_function *aqdrop_image_functions;

#endif
