/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "cmdbuf/device_walk.h"

#include <string.h>

#include "cmdbuf/executables.h"
#include "gpu/devlib/devlib.h"

void aq_device_walk_prepare(aq_device_walk *walk,
                            const aq_device_walker *walker, void *args)
{
  memcpy(args, &walk, sizeof walk);
  walk->again = (aq_packet){
      .kernel = {.header = aq_packet_header(AQ_PACKET_KERNEL_DISPATCH, 1,
                                            AQ_SCOPE_SYSTEM, AQ_SCOPE_SYSTEM),
                 .setup = 1,
                 .workgroup_size = {1, 1, 1},
                 .grid_size = {1, 1, 1},
                 .private_segment_size = walker->kernel.private_size,
                 .group_segment_size = walker->kernel.group_size,
                 .kernel_object = walker->kernel.object,
                 .kernarg_address = (uint64_t)(uintptr_t)args}};
  walk->packets = walk->runs = 0;
}

static void host_walk(const aq_kernel_call *call)
{
  aq_device_walk *walk;
  memcpy(&walk, call->kernarg, sizeof walk);
  aq_device_walk_step(walk);
}

static aq_status code_load(aq_transport *t, uint32_t device,
                           aq_device_walker *walker, aq_diag *diag)
{
  const void *image;
  size_t size;
  aq_transport_info info;
  t->ops->info(t, &info);
  aq_status status =
      aq_devlib_image(info.devices[device].gfx, &image, &size, diag);
  if (status == AQ_OK)
    status = aq_executable_take(t, device, image, size, &walker->module, diag);
  if (status == AQ_OK)
    status = t->ops->kernel_lookup(t, walker->module, "aq_blocks",
                                   &walker->kernel, diag);
  return status;
}

aq_status aq_device_walker_open(aq_transport *transport, uint32_t device,
                                aq_device_walker *out, aq_diag *diag)
{
  const aq_kernel_desc host = {.name = "aq_blocks",
                               .function = host_walk,
                               .kernarg_size = sizeof(aq_device_walk *)};
  aq_device_walker walker = {.module = 0};
  aq_transport_info info;
  aq_status status;
  transport->ops->info(transport, &info);
  if (info.caps & AQ_CAP_EXECUTES)
    status = code_load(transport, device, &walker, diag);
  else if (info.caps & AQ_CAP_HOST_KERNELS)
    status =
        transport->ops->kernel_register(transport, &host, &walker.kernel, diag);
  else
    status = aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                         "%s: no programs are walked on its devices",
                         transport->ops->name);
  if (status == AQ_OK)
    *out = walker;
  else
    aq_device_walker_close(transport, &walker);
  return status;
}

void aq_device_walker_close(aq_transport *transport, aq_device_walker *walker)
{
  if (walker->module)
    aq_executable_give(transport, walker->module);
  else if (walker->kernel.object)
    transport->ops->kernel_unregister(transport, walker->kernel.object);
  *walker = (aq_device_walker){.module = 0};
}
