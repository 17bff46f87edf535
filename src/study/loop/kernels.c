/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "study/loop/kernels.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"

struct aq_kernel_variant {
  aq_cost cost;
  uint16_t vgprs, agprs, sgprs;
  uint32_t ordinal;
  uint32_t device; /* of loaded kernels, else 0 */
  uint32_t next;   /* variant of the same name + 1, or 0 */
};

void aq_kernels_init(aq_kernels *kernels, aq_transport *transport,
                     aq_builder *builder, aq_kernels_code *code)
{
  *kernels = (aq_kernels){
      .transport = transport, .builder = builder, .find_code = code};
  transport->ops->info(transport, &kernels->info);
  kernels->code = !(kernels->info.caps & AQ_CAP_HOST_KERNELS) &&
                  (kernels->info.caps & AQ_CAP_CODE_OBJECTS);
}

void aq_kernels_fini(aq_kernels *kernels)
{
  free(kernels->spins);
  free(kernels->heads);
  free(kernels->variants);
  *kernels = (aq_kernels){0};
}

/* Durations of spin kernels are arguments, not part of the kernel. */
static bool cost_is_same(const aq_cost *a, const aq_cost *b)
{
  if (a->kind != b->kind)
    return false;
  return aq_cost_is_spin(a->kind) ||
         (a->base == b->base && a->per_workgroup == b->per_workgroup &&
          a->detail == b->detail);
}

static bool variant_is(const struct aq_kernel_variant *variant,
                       const aq_command *command)
{
  return cost_is_same(&variant->cost, &command->cost) &&
         variant->vgprs == command->vgprs && variant->agprs == command->agprs &&
         variant->sgprs == command->sgprs;
}

/* Loads the spin kernel of a device. */
static aq_status spin_load(aq_transport *t, uint32_t device,
                           aq_kernels_code *code, aq_kernel_info *out,
                           aq_diag *diag)
{
  aq_transport_info info;
  const void *image;
  size_t size;
  uint64_t module;
  t->ops->info(t, &info);
  if (!code)
    return aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                       "%s runs no host functions, and there is no code object "
                       "with a spin kernel",
                       t->ops->name);
  aq_status status = code(info.devices[device].gfx, &image, &size, diag);
  if (status == AQ_OK)
    status = t->ops->module_load(t, device, image, size, &module, diag);
  if (status == AQ_OK)
    status = t->ops->kernel_lookup(t, module, "aq_spin", out, diag);
  return status;
}

aq_status aq_kernels_spin(aq_transport *t, uint32_t device,
                          aq_kernels_code *code, uint64_t objects[2],
                          aq_diag *diag)
{
  static const aq_kernel_desc kernels[] = {
      {.name = "aq_empty", .cost = {AQ_COST_FIXED, 0, 0}},
      {.name = "aq_spin",
       .cost = {AQ_COST_SPIN, 0, 0},
       .kernarg_size = sizeof(aq_spin_args)}};
  aq_transport_info info;
  aq_kernel_info kernel;
  aq_status status = AQ_OK;
  t->ops->info(t, &info);
  const bool host = info.caps & AQ_CAP_HOST_KERNELS;
  if (!host)
    status = spin_load(t, device, code, &kernel, diag);
  for (int i = 0; i < 2 && status == AQ_OK; i++) {
    if (host)
      status = t->ops->kernel_register(t, &kernels[i], &kernel, diag);
    if (status == AQ_OK)
      objects[i] = kernel.object;
  }
  return status;
}

/* Loaded when it is first needed. */
static aq_status spin_find(aq_kernels *kernels, uint32_t device,
                           aq_kernel_info *out, aq_diag *diag)
{
  if (!kernels->spins)
    kernels->spins = calloc(kernels->info.device_count, sizeof *kernels->spins);
  if (!kernels->spins)
    return aq_diag_no_memory(diag);
  out->object = kernels->spins[device];
  if (out->object)
    return AQ_OK;
  aq_status status =
      spin_load(kernels->transport, device, kernels->find_code, out, diag);
  if (status == AQ_OK)
    kernels->spins[device] = out->object;
  return status;
}

static aq_status kernel_make(aq_kernels *kernels, uint32_t device,
                             const char *name, const aq_command *command,
                             aq_kernel_info *out, aq_diag *diag)
{
  if (kernels->code)
    return spin_find(kernels, device, out, diag);
  const bool spin = aq_cost_is_spin(command->cost.kind);
  aq_cost cost = {.kind = command->cost.kind};
  if (!spin)
    cost = command->cost;
  return kernels->transport->ops->kernel_register(
      kernels->transport,
      &(aq_kernel_desc){.name = name,
                        .cost = cost,
                        .kernarg_size = spin ? sizeof(aq_spin_args) : 0,
                        .vgprs = command->vgprs,
                        .agprs = command->agprs,
                        .sgprs = command->sgprs},
      out, diag);
}

static aq_status variant_register(aq_kernels *kernels, uint32_t device,
                                  size_t place, const aq_command *command,
                                  const char *text, uint32_t *ordinal,
                                  aq_diag *diag)
{
  if (!AQ_ARRAY_RESERVE_ZEROED(kernels->heads, kernels->head_count,
                               place + 1) ||
      !AQ_ARRAY_RESERVE(kernels->variants, kernels->capacity,
                        kernels->count + 1))
    return aq_diag_no_memory(diag);
  const char *name = text ? text : "?";
  aq_kernel_info info;
  aq_status status = kernel_make(kernels, device, name, command, &info, diag);
  if (status == AQ_OK)
    status =
        aq_builder_kernel(kernels->builder, name, info.object, ordinal, diag);
  if (status != AQ_OK)
    return status;
  kernels->variants[kernels->count++] =
      (struct aq_kernel_variant){.cost = command->cost,
                                 .vgprs = command->vgprs,
                                 .agprs = command->agprs,
                                 .sgprs = command->sgprs,
                                 .ordinal = *ordinal,
                                 .device = device,
                                 .next = kernels->heads[place]};
  kernels->heads[place] = kernels->count;
  return AQ_OK;
}

static bool variant_fits(const aq_kernels *kernels,
                         const struct aq_kernel_variant *variant,
                         uint32_t device, const aq_command *command)
{
  return kernels->code ? variant->device == device
                       : variant_is(variant, command);
}

aq_status aq_kernels_find(aq_kernels *kernels, uint32_t device,
                          const aq_command *command, const char *text,
                          uint32_t *ordinal, aq_diag *diag)
{
  /* Kernels without a name share place 0. */
  const size_t place = command->name < 0 ? 0 : (size_t)command->name + 1;
  uint32_t at = place < kernels->head_count ? kernels->heads[place] : 0;
  for (; at != 0; at = kernels->variants[at - 1].next)
    if (variant_fits(kernels, &kernels->variants[at - 1], device, command)) {
      *ordinal = kernels->variants[at - 1].ordinal;
      return AQ_OK;
    }
  return variant_register(kernels, device, place, command, text, ordinal, diag);
}
