/* SPDX-License-Identifier: MIT */
/* Samplers: how kernels read images. */
#include "config.h"

#include "dropin/hsa/base/ext_images.h"
#include "dropin/hsa/base/hsa.h"

/* The descriptor of clients that know levels of detail: AMD's runtime put a
 * member into the one before (2025 and 2026) and named neither anew. The
 * functions for images with levels came with it, and clients make an image
 * first. */
typedef struct descriptor_with_levels {
  uint32_t coordinate_mode, filter_mode, level_filter_mode, address_modes[3];
} descriptor_with_levels;

static hsa_status_t sampler_make(aqdrop *runtime, hsa_agent_t agent,
                                 const aq_kernel_sampler *sampler,
                                 hsa_ext_sampler_t *out)
{
  const aqdrop_agent *a = aqdrop_agent_from(runtime, agent);
  aqdrop_ext made = {.kind = AQDROP_EXT_SAMPLER, .agent = a};
  if (!a || !a->info)
    return HSA_STATUS_ERROR_INVALID_AGENT;
  bool known =
      aqdrop_agent_has_images(a) &&
      sampler->coordinates <= HSA_EXT_SAMPLER_COORDINATE_MODE_NORMALIZED &&
      sampler->filter <= HSA_EXT_SAMPLER_FILTER_MODE_LINEAR;
  for (int i = 0; i < 3; i++)
    known &= sampler->addressing[i] <=
             HSA_EXT_SAMPLER_ADDRESSING_MODE_MIRRORED_REPEAT;
  if (!known)
    return HSA_EXT_STATUS_ERROR_SAMPLER_DESCRIPTOR_UNSUPPORTED;
  aqdrop_ext_sampler_descriptor(sampler, made.words.sampler);
  return aqdrop_ext_keep(runtime, &made, &out->handle);
}

hsa_status_t hsa_ext_sampler_create_v2(
    hsa_agent_t agent,
    const hsa_ext_sampler_descriptor_v2_t *sampler_descriptor,
    hsa_ext_sampler_t *sampler)
{
  AQDROP_ENTER(runtime);
  const hsa_ext_sampler_descriptor_v2_t *from = sampler_descriptor;
  const descriptor_with_levels *levels = (const void *)from;
  if (!aqdrop_agent_from(runtime, agent))
    return HSA_STATUS_ERROR_INVALID_AGENT;
  if (!from || !sampler)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  const uint32_t *modes =
      __atomic_load_n(&runtime->knows_levels, __ATOMIC_RELAXED)
          ? levels->address_modes
          : from->address_modes;
  const aq_kernel_sampler asked = {
      from->coordinate_mode, from->filter_mode, {modes[0], modes[1], modes[2]}};
  return sampler_make(runtime, agent, &asked, sampler);
}

hsa_status_t
hsa_ext_sampler_create(hsa_agent_t agent,
                       const hsa_ext_sampler_descriptor_t *sampler_descriptor,
                       hsa_ext_sampler_t *sampler)
{
  AQDROP_ENTER(runtime);
  if (!aqdrop_agent_from(runtime, agent))
    return HSA_STATUS_ERROR_INVALID_AGENT;
  if (!sampler_descriptor || !sampler)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  const uint32_t mode = sampler_descriptor->address_mode;
  const aq_kernel_sampler asked = {sampler_descriptor->coordinate_mode,
                                   sampler_descriptor->filter_mode,
                                   {mode, mode, mode}};
  return sampler_make(runtime, agent, &asked, sampler);
}

hsa_status_t hsa_ext_sampler_destroy(hsa_agent_t agent,
                                     hsa_ext_sampler_t sampler)
{
  AQDROP_ENTER(runtime);
  return aqdrop_ext_destroy(runtime, agent, AQDROP_EXT_SAMPLER, sampler.handle);
}
