/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "common/occupancy.h"

#include <stddef.h>

#include "common/resources.h"

static const char *const names[AQ_RESOURCE_COUNT] = {
#define R(name, text) [AQ_RESOURCE_##name] = text,
    AQ_RESOURCES(R)
#undef R
};

const char *aq_resource_name(aq_resource resource)
{
  return (unsigned)resource < AQ_RESOURCE_COUNT ? names[resource] : NULL;
}

static aq_status known_check(const aq_device_resources *d,
                             const aq_occupancy_ask *ask, aq_diag *diag)
{
  const char *unknown =
      d->simds_per_cu == 0 || d->waves_per_simd == 0 || d->wave_size == 0
          ? "the device's SIMDs"
      : d->vgprs_per_simd == 0 || d->vgpr_granule == 0 || d->sgpr_granule == 0
          ? "the device's registers"
      : d->lds_per_cu == 0 || d->lds_granule == 0
          ? "the device's group segment "
            "memory"
      : ask->vgprs == 0 ? "the kernel's registers"
                        : NULL;
  return unknown ? aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                               "occupancy: %s are not known", unknown)
                 : AQ_OK;
}

static aq_status size_check(const aq_device_resources *d,
                            const aq_occupancy_ask *ask, aq_diag *diag)
{
  const uint32_t lds =
      d->lds_per_workgroup ? d->lds_per_workgroup : d->lds_per_cu;
  if (ask->workgroup == 0 ||
      (d->workgroup_max && ask->workgroup > d->workgroup_max))
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "occupancy: workgroups of %u work-items; the device "
                       "takes 1 to %u",
                       ask->workgroup, d->workgroup_max);
  if (ask->group_size > lds)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "occupancy: %u bytes of group segment memory; a "
                       "workgroup has at most %u",
                       ask->group_size, lds);
  return AQ_OK;
}

aq_status aq_occupancy_find(const aq_device_resources *device,
                            const aq_occupancy_ask *ask, aq_occupancy *out,
                            aq_diag *diag)
{
  const aq_workgroup_shape shape = {.items = ask->workgroup,
                                    .wave_size = ask->wave_size,
                                    .vgprs = ask->vgprs,
                                    .agprs = ask->agprs,
                                    .sgprs = ask->sgprs,
                                    .lds = ask->group_size};
  aq_status status = known_check(device, ask, diag);
  if (status == AQ_OK)
    status = size_check(device, ask, diag);
  if (status != AQ_OK)
    return status;
  const aq_resources cu = aq_cu_resources(device);
  const aq_resources need = aq_workgroup_resources(device, &shape);
  aq_resource limit;
  aq_occupancy made = {.waves = aq_shape_waves(device, &shape)};
  if (!aq_workgroup_fits(device, &shape, &limit))
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "occupancy: a workgroup of %u waves has no room on a "
                       "compute unit: %s",
                       made.waves, aq_resource_name(limit));
  made.workgroups_per_cu = aq_resources_count(&cu, &need, &made.limit);
  made.waves_per_cu = made.workgroups_per_cu * made.waves;
  made.waves_per_simd =
      (made.waves_per_cu + device->simds_per_cu - 1) / device->simds_per_cu;
  made.workgroups = (uint64_t)made.workgroups_per_cu * device->cus;
  *out = made;
  return AQ_OK;
}
