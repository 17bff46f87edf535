/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "backend_sim/kernels.h"

#include <string.h>

#include "backend_sim/model/device_model.h"

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

enum { LATENCIES_MAX = AQSIM_WAVES_MAX };

static aq_status cost_fail(const char *name, const char *text, aq_diag *diag)
{
  return aq_diag_set(diag, AQ_ERR_INVALID, "kernel '%s': %s", name, text);
}

static aq_status cost_check(const aq_kernel_desc *desc, aq_diag *diag)
{
  const aq_cost *cost = &desc->cost;
  const aq_cost_detail *detail = cost->detail;
  if (cost->base < 0 || cost->per_workgroup < 0)
    return cost_fail(desc->name, "negative cost; expected at least 0", diag);
  if (cost->kind > AQ_COST_ROOFLINE)
    return cost_fail(desc->name, "unknown kind of cost", diag);
  if (cost->kind < AQ_COST_OCCUPANCY)
    return AQ_OK;
  if (!detail)
    return cost_fail(desc->name, "cost without the detail it needs", diag);
  if (cost->kind == AQ_COST_ROOFLINE)
    return AQ_OK;
  if (!detail->latency || detail->latency_count == 0 ||
      detail->latency_count > LATENCIES_MAX || detail->contained < 0)
    return cost_fail(desc->name, "bad latencies; expected 1 to 256 of them",
                     diag);
  for (uint32_t i = 0; i < detail->latency_count; i++)
    if (detail->latency[i] < 0)
      return cost_fail(desc->name, "negative latency; expected at least 0",
                       diag);
  return AQ_OK;
}

/* The registry's own copy of what the cost points to. */
static bool cost_copy(aq_arena *arena, aq_cost *cost)
{
  if (!cost->detail)
    return true;
  const size_t size = cost->detail->latency_count * sizeof(aq_time);
  aq_cost_detail *detail = aq_arena_alloc(arena, sizeof *detail);
  aq_time *latency = size ? aq_arena_alloc(arena, size) : NULL;
  if (!detail || (size && !latency))
    return false;
  *detail = *cost->detail;
  if (size)
    memcpy(latency, detail->latency, size);
  detail->latency = latency;
  cost->detail = detail;
  return true;
}

aq_status aqsim_kernel_register(aqsim_kernels *kernels,
                                const aq_kernel_desc *desc, aqsim_kernel **out,
                                aq_diag *diag)
{
  if (!desc->name)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "kernel_register: no name; expected one");
  aq_status status = cost_check(desc, diag);
  if (status != AQ_OK)
    return status;
  aq_cost cost = desc->cost;
  if (cost.kind < AQ_COST_OCCUPANCY)
    cost.detail = NULL;
  aqsim_kernel *kernel = kernel_alloc(&kernels->arena);
  char *name = aq_arena_text(&kernels->arena, desc->name, strlen(desc->name));
  uint64_t old = 0;
  uint64_t object = desc->object ? desc->object : (uintptr_t)kernel;
  if (kernel)
    aq_map_get(&kernels->by_object, object, &old);
  if (!kernel || !name || !cost_copy(&kernels->arena, &cost) ||
      !aq_map_put(&kernels->by_object, object, (uintptr_t)kernel))
    return aq_diag_set(diag, AQ_ERR_NO_MEMORY, "out of memory for kernels");
  kernel->desc = *desc;
  kernel->desc.name = name;
  kernel->desc.cost = cost;
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
