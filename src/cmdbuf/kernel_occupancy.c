/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "cmdbuf/kernel_occupancy.h"

#include <string.h>

#include "gpu/codeobj/descriptor.h"

/* From the descriptor, where the transport itself does not know them. */
static void registers_find(const aq_kernel_info *kernel,
                           const aq_device_info *device, aq_occupancy_ask *ask)
{
  aq_target target;
  if (kernel->vgprs || !kernel->code ||
      aq_target_parse(device->gfx, strlen(device->gfx), &target, NULL) != AQ_OK)
    return;
  const aq_kernel_registers found = aq_kernel_descriptor_registers(
      (const aq_kernel_descriptor *)(uintptr_t)kernel->object, &target);
  ask->vgprs = found.vgprs;
  ask->agprs = found.agprs;
  ask->sgprs = found.sgprs;
  ask->wave_size = found.wave_size;
}

aq_status aq_kernel_occupancy(aq_transport *transport, uint32_t device,
                              uint64_t object, uint32_t workgroup,
                              uint32_t dynamic_lds, aq_occupancy *out,
                              aq_diag *diag)
{
  aq_kernel_info kernel;
  aq_transport_info info;
  transport->ops->info(transport, &info);
  if (device >= info.device_count)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "occupancy: device %u; expected less than %u", device,
                       info.device_count);
  if (!transport->ops->kernel_describe(transport, object, &kernel))
    return aq_diag_set(diag, AQ_ERR_NOT_FOUND,
                       "occupancy: the transport does not know kernel 0x%llx",
                       (unsigned long long)object);
  if (kernel.workgroup_max && workgroup > kernel.workgroup_max)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "occupancy: workgroups of %u work-items; kernel %.100s "
                       "takes at most %u",
                       workgroup, kernel.name, kernel.workgroup_max);
  if (dynamic_lds > UINT32_MAX - kernel.group_size)
    dynamic_lds = UINT32_MAX - kernel.group_size; /* no device has as much */
  aq_occupancy_ask ask = {.workgroup = workgroup,
                          .wave_size = kernel.wave_size,
                          .vgprs = kernel.vgprs,
                          .agprs = kernel.agprs,
                          .sgprs = kernel.sgprs,
                          .group_size = kernel.group_size + dynamic_lds};
  registers_find(&kernel, &info.devices[device], &ask);
  aq_status status =
      aq_occupancy_find(&info.devices[device].resources, &ask, out, diag);
  return status == AQ_OK ? AQ_OK
                         : aq_diag_prefix(diag, "%s, kernel %.100s",
                                          transport->ops->name, kernel.name);
}
