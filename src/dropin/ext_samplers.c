/* SPDX-License-Identifier: MIT */
/* Samplers: how kernels read images. */
#include "config.h"

#include "dropin/ext_images.h"
#include "dropin/hsa.h"

hsa_status_t hsa_ext_sampler_create_v2(
    hsa_agent_t agent,
    const hsa_ext_sampler_descriptor_v2_t *sampler_descriptor,
    hsa_ext_sampler_t *sampler)
{
  AQDROP_ENTER(runtime);
  const aqdrop_agent *a = aqdrop_agent_from(runtime, agent);
  const hsa_ext_sampler_descriptor_v2_t *from = sampler_descriptor;
  if (!a || !a->info)
    return HSA_STATUS_ERROR_INVALID_AGENT;
  if (!from || !sampler)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  bool known =
      aqdrop_agent_has_images(a) &&
      from->coordinate_mode <= HSA_EXT_SAMPLER_COORDINATE_MODE_NORMALIZED &&
      from->filter_mode <= HSA_EXT_SAMPLER_FILTER_MODE_LINEAR;
  for (int i = 0; i < 3; i++)
    known &= from->address_modes[i] <=
             HSA_EXT_SAMPLER_ADDRESSING_MODE_MIRRORED_REPEAT;
  if (!known)
    return HSA_EXT_STATUS_ERROR_SAMPLER_DESCRIPTOR_UNSUPPORTED;
  const aq_kernel_sampler sampled = {.coordinates = from->coordinate_mode,
                                     .filter = from->filter_mode,
                                     .addressing = {from->address_modes[0],
                                                    from->address_modes[1],
                                                    from->address_modes[2]}};
  aqdrop_ext made = {.kind = AQDROP_EXT_SAMPLER, .agent = a};
  aqdrop_ext_sampler_words(&sampled, made.words.sampler);
  return aqdrop_ext_keep(runtime, &made, &sampler->handle);
}

hsa_status_t
hsa_ext_sampler_create(hsa_agent_t agent,
                       const hsa_ext_sampler_descriptor_t *sampler_descriptor,
                       hsa_ext_sampler_t *sampler)
{
  AQDROP_ENTER(runtime);
  if (!aqdrop_agent_from(runtime, agent))
    return HSA_STATUS_ERROR_INVALID_AGENT;
  if (!sampler_descriptor)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  const uint32_t mode = sampler_descriptor->address_mode;
  const hsa_ext_sampler_descriptor_v2_t alike = {
      sampler_descriptor->coordinate_mode,
      sampler_descriptor->filter_mode,
      {mode, mode, mode}};
  return hsa_ext_sampler_create_v2(agent, &alike, sampler);
}

hsa_status_t hsa_ext_sampler_destroy(hsa_agent_t agent,
                                     hsa_ext_sampler_t sampler)
{
  AQDROP_ENTER(runtime);
  return aqdrop_ext_destroy(runtime, agent, AQDROP_EXT_SAMPLER, sampler.handle);
}
