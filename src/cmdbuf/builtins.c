/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "cmdbuf/builtins.h"

#include "cmdbuf/executables.h"
#include "common/pm4.h"
#include "gpu/devlib/devlib.h"

/* But AQ_BUILTIN_WAIT, which is code alone. */
static const aq_devlib_kernel kernels[AQ_BUILTIN_COUNT] = {
    [AQ_BUILTIN_FILL] = AQ_DEVLIB_FILL,
    [AQ_BUILTIN_COPY] = AQ_DEVLIB_COPY,
    [AQ_BUILTIN_UPDATE] = AQ_DEVLIB_UPDATE,
    [AQ_BUILTIN_PATCH] = AQ_DEVLIB_PATCH,
    [AQ_BUILTIN_ATOMIC] = AQ_DEVLIB_ATOMIC,
};

aq_value_way aq_value_wait_way(const aq_transport_info *info, uint32_t device,
                               const aq_builtins *builtins)
{
  const uint32_t caps = aq_device_caps(info, device);
  const unsigned generation = aq_pm4_generation(info->devices[device].gfx);
  const bool packet = caps & AQ_CAP_BARRIER_VALUE;
  const bool pm4 = caps & AQ_CAP_PM4 && generation > 0;
  if (packet && generation == 9)
    return AQ_VALUE_PACKET;
  if (pm4 && (generation == 10 || generation == 11))
    return AQ_VALUE_PM4;
  if (builtins->objects[AQ_BUILTIN_WAIT])
    return AQ_VALUE_KERNEL;
  return packet ? AQ_VALUE_PACKET : pm4 ? AQ_VALUE_PM4 : AQ_VALUE_CHOOSE;
}

static aq_status host_register(aq_transport *transport, aq_builtins *builtins,
                               aq_diag *diag)
{
  for (int i = 0; i < AQ_BUILTIN_COUNT; i++) {
    const aq_kernel_entry *entry = &aq_devlib_entries[kernels[i]];
    if (i == AQ_BUILTIN_WAIT)
      continue;
    const aq_kernel_desc desc = {.name = entry->name,
                                 .function = entry->function,
                                 .cost = entry->cost,
                                 .kernarg_size =
                                     aq_devlib_kernarg_sizes[kernels[i]]};
    aq_kernel_info info;
    aq_status status =
        transport->ops->kernel_register(transport, &desc, &info, diag);
    if (status != AQ_OK)
      return status;
    builtins->objects[i] = info.object;
  }
  return AQ_OK;
}

static aq_status code_load(aq_transport *transport, uint32_t device,
                           const char *target, aq_builtins *builtins,
                           aq_diag *diag)
{
  const aq_devlib_object *object;
  aq_status status = aq_devlib_find(target, &object, diag);
  if (status == AQ_OK)
    status = aq_executable_take(transport, device, object->bytes, object->size,
                                &builtins->module, diag);
  for (int i = 0; i < AQ_BUILTIN_COUNT && status == AQ_OK; i++) {
    aq_kernel_info info;
    status = transport->ops->kernel_lookup(
        transport, builtins->module,
        i == AQ_BUILTIN_WAIT ? "aq_wait" : aq_devlib_entries[kernels[i]].name,
        &info, diag);
    if (status == AQ_OK)
      builtins->objects[i] = info.object;
  }
  return status;
}

aq_status aq_builtins_register(aq_transport *transport, uint32_t device,
                               aq_builtins *out, aq_diag *diag)
{
  aq_transport_info info;
  aq_builtins builtins = {{0}};
  aq_status status = AQ_OK;
  transport->ops->info(transport, &info);
  if (info.caps & AQ_CAP_HOST_KERNELS)
    status = host_register(transport, &builtins, diag);
  else if ((info.caps & AQ_CAP_CODE_OBJECTS) && device < info.device_count)
    status =
        code_load(transport, device, info.devices[device].gfx, &builtins, diag);
  if (status == AQ_OK && device < info.device_count)
    builtins.wait = aq_value_wait_way(&info, device, &builtins);
  if (status == AQ_OK)
    *out = builtins;
  else
    aq_builtins_release(transport, &builtins);
  return status;
}

void aq_builtins_release(aq_transport *transport, aq_builtins *builtins)
{
  if (builtins->module)
    aq_executable_give(transport, builtins->module);
  else
    for (int i = 0; i < AQ_BUILTIN_COUNT; i++)
      if (builtins->objects[i])
        transport->ops->kernel_unregister(transport, builtins->objects[i]);
  *builtins = (aq_builtins){0};
}
