/* SPDX-License-Identifier: MIT */
#include "cmdbuf/builtins.h"

#include <string.h>

#include "common/ring.h"

static void fill_run(const aq_kernel_call *call)
{
  const aq_fill_args *args = call->kernarg;
  unsigned char *to = args->target;
  for (uint64_t at = 0; at < args->bytes; at += args->pattern_size)
    memcpy(to + at, &args->pattern, args->pattern_size);
}

static void copy_run(const aq_kernel_call *call)
{
  const aq_copy_args *args = call->kernarg;
  memmove(args->target, args->source, args->bytes);
}

static void update_run(const aq_kernel_call *call)
{
  const aq_update_args *args = call->kernarg;
  memcpy(args->target, args + 1, args->bytes);
}

static void patch_run(const aq_kernel_call *call)
{
  const aq_patch_args *args = call->kernarg;
  memcpy(args->packet->kernel.grid_size, args->params,
         sizeof args->packet->kernel.grid_size);
  aq_packet_publish(args->packet, (uint16_t)args->header_setup,
                    (uint16_t)(args->header_setup >> 16));
}

/* Costs are assumed: 4 KiB a workgroup at about 1 TB/s, and what the device
 * model says of a launch. */
static const aq_kernel_desc kernels[AQ_BUILTIN_COUNT] = {
    [AQ_BUILTIN_FILL] = {.name = "aq.fill",
                         .function = fill_run,
                         .cost = {AQ_COST_PER_WORKGROUP, 0, 4 * AQ_NS},
                         .kernarg_size = sizeof(aq_fill_args)},
    [AQ_BUILTIN_COPY] = {.name = "aq.copy",
                         .function = copy_run,
                         .cost = {AQ_COST_PER_WORKGROUP, 0, 4 * AQ_NS},
                         .kernarg_size = sizeof(aq_copy_args)},
    [AQ_BUILTIN_UPDATE] = {.name = "aq.update",
                           .function = update_run,
                           .cost = {AQ_COST_PER_WORKGROUP, 0, 4 * AQ_NS},
                           .kernarg_size = sizeof(aq_update_args)},
    [AQ_BUILTIN_PATCH] = {.name = "aq.patch",
                          .function = patch_run,
                          .kernarg_size = sizeof(aq_patch_args)},
};

aq_status aq_builtins_register(aq_transport *transport, aq_builtins *out,
                               aq_diag *diag)
{
  aq_transport_info info;
  aq_builtins builtins = {{0}};
  transport->ops->info(transport, &info);
  if (info.caps & AQ_CAP_HOST_KERNELS)
    for (int i = 0; i < AQ_BUILTIN_COUNT; i++) {
      aq_kernel_info kernel;
      aq_status status = transport->ops->kernel_register(transport, &kernels[i],
                                                         &kernel, diag);
      if (status != AQ_OK)
        return status;
      builtins.objects[i] = kernel.object;
    }
  *out = builtins;
  return AQ_OK;
}
