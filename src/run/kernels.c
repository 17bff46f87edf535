/* SPDX-License-Identifier: MIT */
#include "run/kernels.h"

#include <stdlib.h>
#include <string.h>

struct aq_kernel_variant {
  aq_cost cost;
  uint16_t vgprs, agprs, sgprs;
  uint32_t ordinal;
  uint32_t next; /* variant of the same name + 1, or 0 */
};

void aq_kernels_init(aq_kernels *kernels, aq_transport *transport,
                     aq_builder *builder)
{
  *kernels = (aq_kernels){.transport = transport, .builder = builder};
}

void aq_kernels_fini(aq_kernels *kernels)
{
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

static aq_status heads_grow(aq_kernels *kernels, size_t count, aq_diag *diag)
{
  size_t wanted = kernels->head_count ? kernels->head_count : 64;
  while (wanted < count)
    wanted *= 2;
  uint32_t *grown = realloc(kernels->heads, wanted * sizeof *grown);
  if (!grown)
    return aq_diag_set(diag, AQ_ERR_NO_MEMORY, "no memory for %zu kernels",
                       wanted);
  memset(grown + kernels->head_count, 0,
         (wanted - kernels->head_count) * sizeof *grown);
  kernels->heads = grown;
  kernels->head_count = wanted;
  return AQ_OK;
}

static aq_status variants_grow(aq_kernels *kernels, aq_diag *diag)
{
  uint32_t capacity = kernels->capacity ? kernels->capacity * 2 : 64;
  struct aq_kernel_variant *grown =
      realloc(kernels->variants, capacity * sizeof *grown);
  if (!grown)
    return aq_diag_set(diag, AQ_ERR_NO_MEMORY, "no memory for %u kernels",
                       capacity);
  kernels->variants = grown;
  kernels->capacity = capacity;
  return AQ_OK;
}

static aq_status variant_register(aq_kernels *kernels, size_t place,
                                  const aq_command *command, const char *text,
                                  uint32_t *ordinal, aq_diag *diag)
{
  const aq_cost *cost = &command->cost;
  aq_status status = AQ_OK;
  if (place >= kernels->head_count)
    status = heads_grow(kernels, place + 1, diag);
  if (status == AQ_OK && kernels->count == kernels->capacity)
    status = variants_grow(kernels, diag);
  if (status != AQ_OK)
    return status;
  const bool spin = aq_cost_is_spin(cost->kind);
  const char *name = text ? text : "?";
  aq_kernel_info info;
  status = kernels->transport->ops->kernel_register(
      kernels->transport,
      &(aq_kernel_desc){.name = name,
                        .cost = spin ? (aq_cost){.kind = cost->kind} : *cost,
                        .kernarg_size = spin ? sizeof(aq_spin_args) : 0,
                        .vgprs = command->vgprs,
                        .agprs = command->agprs,
                        .sgprs = command->sgprs},
      &info, diag);
  if (status == AQ_OK)
    status =
        aq_builder_kernel(kernels->builder, name, info.object, ordinal, diag);
  if (status != AQ_OK)
    return status;
  kernels->variants[kernels->count++] =
      (struct aq_kernel_variant){.cost = *cost,
                                 .vgprs = command->vgprs,
                                 .agprs = command->agprs,
                                 .sgprs = command->sgprs,
                                 .ordinal = *ordinal,
                                 .next = kernels->heads[place]};
  kernels->heads[place] = kernels->count;
  return AQ_OK;
}

aq_status aq_kernels_find(aq_kernels *kernels, const aq_command *command,
                          const char *text, uint32_t *ordinal, aq_diag *diag)
{
  /* What has no name shares place 0. */
  const size_t place = command->name < 0 ? 0 : (size_t)command->name + 1;
  uint32_t at = place < kernels->head_count ? kernels->heads[place] : 0;
  for (; at != 0; at = kernels->variants[at - 1].next)
    if (variant_is(&kernels->variants[at - 1], command)) {
      *ordinal = kernels->variants[at - 1].ordinal;
      return AQ_OK;
    }
  return variant_register(kernels, place, command, text, ordinal, diag);
}
