/* SPDX-License-Identifier: MIT */
#include "backend_sim/kernels.h"

#include <string.h>

void aqsim_kernels_fini(aqsim_kernels *kernels)
{
  aq_map_fini(&kernels->by_object);
  aq_arena_fini(&kernels->arena);
  kernels->last = NULL;
}

/* Aligned as code is: PM4 names a kernel by its address in units of 256. */
static aqsim_kernel *kernel_alloc(aq_arena *arena)
{
  const uintptr_t align = 256;
  char *memory = aq_arena_alloc(arena, sizeof(aqsim_kernel) + align);
  if (!memory)
    return NULL;
  uintptr_t past = (uintptr_t)memory % align;
  return (aqsim_kernel *)(void *)(memory + (past ? align - past : 0));
}

aq_status aqsim_kernel_register(aqsim_kernels *kernels,
                                const aq_kernel_desc *desc, aqsim_kernel **out,
                                aq_diag *diag)
{
  if (!desc->name)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "kernel_register: no name; expected one");
  if (desc->cost.base < 0 || desc->cost.per_workgroup < 0)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "kernel '%s': negative cost; expected at least 0",
                       desc->name);
  aqsim_kernel *kernel = kernel_alloc(&kernels->arena);
  char *name = aq_arena_text(&kernels->arena, desc->name, strlen(desc->name));
  uint64_t old = 0;
  uint64_t object = desc->object ? desc->object : (uintptr_t)kernel;
  if (kernel)
    aq_map_get(&kernels->by_object, object, &old);
  if (!kernel || !name ||
      !aq_map_put(&kernels->by_object, object, (uintptr_t)kernel))
    return aq_diag_set(diag, AQ_ERR_NO_MEMORY, "out of memory for kernels");
  kernel->desc = *desc;
  kernel->desc.name = name;
  kernel->desc.object = object;
  kernel->record_name = AQ_NONE;
  kernel->next = kernels->last;
  if (old)
    ((aqsim_kernel *)(uintptr_t)old)->replaced = true;
  kernels->last = kernel;
  *out = kernel;
  return AQ_OK;
}

const aqsim_kernel *aqsim_kernel_find(const aqsim_kernels *kernels,
                                      const char *name)
{
  const aqsim_kernel *kernel = kernels->last;
  while (kernel && strcmp(kernel->desc.name, name) != 0)
    kernel = kernel->next;
  return kernel;
}

const aqsim_kernel *aqsim_kernel_from(const aqsim_kernels *kernels,
                                      uint64_t object)
{
  uint64_t kernel = 0;
  aq_map_get(&kernels->by_object, object, &kernel);
  return (const aqsim_kernel *)(uintptr_t)kernel;
}

void aqsim_kernel_describe(const aqsim_kernel *kernel, aq_kernel_info *out)
{
  *out = (aq_kernel_info){.object = kernel->desc.object,
                          .kernarg_size = kernel->desc.kernarg_size,
                          .group_size = kernel->desc.group_size,
                          .private_size = kernel->desc.private_size};
}
