/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "backend_sim/model/occupancy.h"

aq_device_resources aqsim_device_resources(const aqsim_model *model)
{
  return (aq_device_resources){
      .cus = (uint32_t)model->cus,
      .simds_per_cu = (uint32_t)model->simds_per_cu,
      .waves_per_simd = (uint32_t)model->waves_per_simd,
      .wave_size = (uint32_t)model->wave_size,
      .vgprs_per_simd = (uint32_t)model->vgprs_per_simd,
      .vgpr_granule = (uint32_t)model->vgpr_granule,
      .agprs_per_simd = (uint32_t)model->agprs_per_simd,
      .sgprs_per_simd = (uint32_t)model->sgprs_per_simd,
      .sgpr_granule = (uint32_t)model->sgpr_granule,
      .lds_per_cu = (uint32_t)model->lds_per_cu,
      .lds_granule = (uint32_t)model->lds_granule,
      .barriers_per_cu = (uint32_t)model->barriers_per_cu,
      .workgroup_max = (uint32_t)model->workgroup_max,
      .lds_per_workgroup = (uint32_t)model->lds_per_workgroup,
  };
}

aq_resources aqsim_cu_resources(const aqsim_model *model)
{
  const aq_device_resources device = aqsim_device_resources(model);
  return aq_cu_resources(&device);
}

aq_resources aqsim_workgroup_resources(const aqsim_model *model,
                                       const aq_workgroup_shape *shape)
{
  const aq_device_resources device = aqsim_device_resources(model);
  return aq_workgroup_resources(&device, shape);
}
