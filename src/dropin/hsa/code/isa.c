/* SPDX-License-Identifier: MIT */
/* Instruction sets: of a device the one that its target id names, and the
 * generic one that covers it. Newer ROCr visits both; HIP before 6.4 takes no
 * device with two, so that the generic one is found by its name alone. */
#include "config.h"

#include <string.h>

#include "dropin/hsa/base/hsa.h"
#include "dropin/hsa/base/runtime.h"
#include "gpu/codeobj/target.h"

static const aqdrop_isa *isa_from(aqdrop *runtime, uint64_t handle)
{
  for (uint32_t i = 1; i < runtime->agent_count; i++) {
    const aqdrop_agent *a = &runtime->agents[i];
    if (handle == (uintptr_t)&a->isa)
      return &a->isa;
    if (handle == (uintptr_t)&a->generic_isa)
      return &a->generic_isa;
  }
  return NULL;
}

hsa_status_t hsa_agent_iterate_isas(hsa_agent_t agent,
                                    hsa_status_t (*callback)(hsa_isa_t isa,
                                                             void *data),
                                    void *data)
{
  AQDROP_ENTER(runtime);
  const aqdrop_agent *a = aqdrop_agent_from(runtime, agent);
  if (!a)
    return HSA_STATUS_ERROR_INVALID_AGENT;
  if (!callback)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  return a->info ? callback((hsa_isa_t){(uintptr_t)&a->isa}, data)
                 : HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_isa_from_name(const char *name, hsa_isa_t *isa)
{
  AQDROP_ENTER(runtime);
  if (!name || !isa)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  for (uint32_t i = 1; i < runtime->agent_count && name[0]; i++) {
    const aqdrop_agent *a = &runtime->agents[i];
    const aqdrop_isa *found = NULL;
    if (strcmp(a->isa.name, name) == 0)
      found = &a->isa;
    else if (strcmp(a->generic_isa.name, name) == 0)
      found = &a->generic_isa;
    if (found) {
      *isa = (hsa_isa_t){(uintptr_t)found};
      return HSA_STATUS_SUCCESS;
    }
  }
  return HSA_STATUS_ERROR_INVALID_ISA_NAME;
}

static hsa_status_t isa_info(const aqdrop_isa *isa, uint32_t attribute,
                             void *value)
{
  bool *flags = value;
  switch (attribute) {
  case HSA_ISA_INFO_NAME_LENGTH:
    return aqdrop_put32(value, (uint32_t)strlen(isa->name) + 1);
  case HSA_ISA_INFO_NAME:
    strcpy(value, isa->name); /* as long as the length says */
    return HSA_STATUS_SUCCESS;
  case HSA_ISA_INFO_CALL_CONVENTION_COUNT:
    return aqdrop_put32(value, 1);
  case HSA_ISA_INFO_CALL_CONVENTION_INFO_WAVEFRONT_SIZE:
    return aqdrop_put32(value, isa->agent->info->wave_size);
  case HSA_ISA_INFO_CALL_CONVENTION_INFO_WAVEFRONTS_PER_COMPUTE_UNIT:
    return aqdrop_put32(value, (uint32_t)(isa->agent->model->simds_per_cu *
                                          isa->agent->model->waves_per_simd));
  case HSA_ISA_INFO_MACHINE_MODELS:
    flags[HSA_MACHINE_MODEL_SMALL] = false;
    flags[HSA_MACHINE_MODEL_LARGE] = true;
    return HSA_STATUS_SUCCESS;
  case HSA_ISA_INFO_PROFILES:
    flags[HSA_PROFILE_BASE] = true;
    flags[HSA_PROFILE_FULL] = false;
    return HSA_STATUS_SUCCESS;
  case HSA_ISA_INFO_DEFAULT_FLOAT_ROUNDING_MODES:
  case HSA_ISA_INFO_BASE_PROFILE_DEFAULT_FLOAT_ROUNDING_MODES:
    flags[HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT] = false;
    flags[HSA_DEFAULT_FLOAT_ROUNDING_MODE_ZERO] = false;
    flags[HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR] = true;
    return HSA_STATUS_SUCCESS;
  case HSA_ISA_INFO_FAST_F16_OPERATION:
    return aqdrop_put_bool(value, true);
  case HSA_ISA_INFO_WORKGROUP_MAX_DIM:
    return hsa_agent_get_info(aqdrop_agent_handle(isa->agent),
                              HSA_AGENT_INFO_WORKGROUP_MAX_DIM, value);
  case HSA_ISA_INFO_WORKGROUP_MAX_SIZE:
    return aqdrop_put32(value, (uint32_t)isa->agent->model->workgroup_max);
  case HSA_ISA_INFO_GRID_MAX_DIM:
    return hsa_agent_get_info(aqdrop_agent_handle(isa->agent),
                              HSA_AGENT_INFO_GRID_MAX_DIM, value);
  case HSA_ISA_INFO_GRID_MAX_SIZE:
    return aqdrop_put64(value, UINT64_MAX);
  case HSA_ISA_INFO_FBARRIER_MAX_SIZE:
    return aqdrop_put32(value, 32);
  default:
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
}

hsa_status_t hsa_isa_get_info_alt(hsa_isa_t isa, uint32_t attribute,
                                  void *value)
{
  AQDROP_ENTER(runtime);
  const aqdrop_isa *i = isa_from(runtime, isa.handle);
  if (!i)
    return HSA_STATUS_ERROR_INVALID_ISA;
  if (!value)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  return isa_info(i, attribute, value);
}

hsa_status_t hsa_isa_get_info(hsa_isa_t isa, uint32_t attribute, uint32_t index,
                              void *value)
{
  AQDROP_ENTER(runtime);
  const aqdrop_isa *i = isa_from(runtime, isa.handle);
  if (!i)
    return HSA_STATUS_ERROR_INVALID_ISA;
  if (!value)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  if (index > 0) /* there is one call convention */
    return HSA_STATUS_ERROR_INVALID_INDEX;
  return isa_info(i, attribute, value);
}

hsa_status_t hsa_isa_get_exception_policies(hsa_isa_t isa, uint32_t profile,
                                            uint16_t *mask)
{
  AQDROP_ENTER(runtime);
  if (!isa_from(runtime, isa.handle))
    return HSA_STATUS_ERROR_INVALID_ISA;
  if (!mask || profile > HSA_PROFILE_FULL)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  return aqdrop_put16(mask, 0);
}

hsa_status_t hsa_isa_get_round_method(hsa_isa_t isa, uint32_t fp_type,
                                      uint32_t flush_mode,
                                      uint32_t *round_method)
{
  AQDROP_ENTER(runtime);
  if (!isa_from(runtime, isa.handle))
    return HSA_STATUS_ERROR_INVALID_ISA;
  bool type = fp_type == HSA_FP_TYPE_16 || fp_type == HSA_FP_TYPE_32 ||
              fp_type == HSA_FP_TYPE_64;
  bool flush =
      flush_mode == HSA_FLUSH_MODE_FTZ || flush_mode == HSA_FLUSH_MODE_NON_FTZ;
  if (!round_method || !type || !flush)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  return aqdrop_put32(round_method, HSA_ROUND_METHOD_SINGLE);
}

static bool target_of(const aqdrop_isa *isa, aq_target *target)
{
  return aq_target_parse(isa->name, strlen(isa->name), target, NULL) == AQ_OK;
}

hsa_status_t hsa_isa_compatible(hsa_isa_t code_object_isa, hsa_isa_t agent_isa,
                                bool *result)
{
  AQDROP_ENTER(runtime);
  const aqdrop_isa *code = isa_from(runtime, code_object_isa.handle);
  const aqdrop_isa *agent = isa_from(runtime, agent_isa.handle);
  if (!code || !agent)
    return HSA_STATUS_ERROR_INVALID_ISA;
  if (!result)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  aq_target of_code, of_agent;
  *result = strcmp(code->name, agent->name) == 0 ||
            (target_of(code, &of_code) && target_of(agent, &of_agent) &&
             aq_target_fits(&of_code, &of_agent) != AQ_FIT_NONE);
  return HSA_STATUS_SUCCESS;
}

/* An instruction set has one wavefront size, so its handle serves both. */
hsa_status_t hsa_isa_iterate_wavefronts(
    hsa_isa_t isa,
    hsa_status_t (*callback)(hsa_wavefront_t wavefront, void *data), void *data)
{
  AQDROP_ENTER(runtime);
  if (!isa_from(runtime, isa.handle))
    return HSA_STATUS_ERROR_INVALID_ISA;
  if (!callback)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  return callback((hsa_wavefront_t){isa.handle}, data);
}

hsa_status_t hsa_wavefront_get_info(hsa_wavefront_t wavefront,
                                    uint32_t attribute, void *value)
{
  AQDROP_ENTER(runtime);
  const aqdrop_isa *isa = isa_from(runtime, wavefront.handle);
  if (!isa)
    return HSA_STATUS_ERROR_INVALID_WAVEFRONT;
  if (!value || attribute != HSA_WAVEFRONT_INFO_SIZE)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  return aqdrop_put32(value, isa->agent->info->wave_size);
}
