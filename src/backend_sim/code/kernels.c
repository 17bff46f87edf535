/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "backend_sim/code/kernels.h"

#include <stdlib.h>
#include <string.h>

#include "backend_sim/model/device_model.h"

/* Code is aligned so: PM4 names a kernel by its address in units of 256. */
enum { KERNEL_ALIGN = 256 };

static void list_free(aqsim_kernel *first)
{
  while (first) {
    aqsim_kernel *next = first->next;
    free(first);
    first = next;
  }
}

void aqsim_kernels_fini(aqsim_kernels *kernels)
{
  aq_map_fini(&kernels->by_object);
  aq_map_fini(&kernels->by_entry);
  list_free(kernels->last);
  list_free(kernels->retired);
  *kernels = (aqsim_kernels){0};
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

/* A copy of a description, with the texts and arrays it points to behind it. */
static aqsim_kernel *kernel_copy(const aq_kernel_desc *desc)
{
  const bool detailed = desc->cost.kind >= AQ_COST_OCCUPANCY;
  const aq_cost_detail *detail = desc->cost.detail;
  const size_t latencies =
      detailed && detail->latency ? detail->latency_count * sizeof(aq_time) : 0;
  const size_t name = strlen(desc->name) + 1;
  size_t size = sizeof(aqsim_kernel) + sizeof(aq_cost_detail);
  aqsim_kernel *kernel = NULL;
  size = (size + latencies + name + KERNEL_ALIGN - 1) / KERNEL_ALIGN *
         KERNEL_ALIGN;
  kernel = aligned_alloc(KERNEL_ALIGN, size);
  if (!kernel)
    return NULL;
  aq_cost_detail *own = (aq_cost_detail *)(void *)(kernel + 1);
  *kernel = (aqsim_kernel){.desc = *desc, .record_name = AQ_NONE};
  kernel->desc.cost.detail = detailed ? own : NULL;
  if (detailed) {
    *own = *detail;
    own->latency =
        latencies ? memcpy(own + 1, detail->latency, latencies) : NULL;
  }
  kernel->desc.name = memcpy((char *)(own + 1) + latencies, desc->name, name);
  return kernel;
}

static void kernel_retire(aqsim_kernels *kernels, aqsim_kernel *kernel)
{
  if (kernel->previous)
    kernel->previous->next = kernel->next;
  else
    kernels->last = kernel->next;
  if (kernel->next)
    kernel->next->previous = kernel->previous;
  kernel->next = kernels->retired;
  kernels->retired = kernel;
  kernel->retired = true;
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
  aqsim_kernel *kernel = kernel_copy(desc);
  uint64_t old = 0;
  if (!kernel)
    return aq_diag_no_memory(diag);
  if (!kernel->desc.object)
    kernel->desc.object = (uintptr_t)kernel;
  aq_map_get(&kernels->by_object, kernel->desc.object, &old);
  if ((desc->entry &&
       !aq_map_put(&kernels->by_entry, desc->entry, kernel->desc.object)) ||
      !aq_map_put(&kernels->by_object, kernel->desc.object,
                  (uintptr_t)kernel)) {
    free(kernel);
    return aq_diag_no_memory(diag);
  }
  if (old)
    kernel_retire(kernels, (aqsim_kernel *)(uintptr_t)old);
  kernel->next = kernels->last;
  if (kernels->last)
    kernels->last->previous = kernel;
  kernels->last = kernel;
  *out = kernel;
  return AQ_OK;
}

/* Unless another kernel has taken the address. */
static void entry_forget(aqsim_kernels *kernels, const aqsim_kernel *kernel)
{
  uint64_t object = 0;
  if (aq_map_get(&kernels->by_entry, kernel->desc.entry, &object) &&
      object == kernel->desc.object)
    aq_map_remove(&kernels->by_entry, kernel->desc.entry, &object);
}

bool aqsim_kernel_unregister(aqsim_kernels *kernels, uint64_t object)
{
  uint64_t kernel = 0;
  if (!aq_map_remove(&kernels->by_object, object, &kernel))
    return false;
  entry_forget(kernels, (const aqsim_kernel *)(uintptr_t)kernel);
  kernel_retire(kernels, (aqsim_kernel *)(uintptr_t)kernel);
  return true;
}

void aqsim_kernels_sweep(aqsim_kernels *kernels)
{
  aqsim_kernel **link = &kernels->retired;
  while (*link) {
    aqsim_kernel *kernel = *link;
    if (kernel->in_use) {
      kernel->in_use = false;
      link = &kernel->next;
    } else {
      *link = kernel->next;
      free(kernel);
    }
  }
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

const aqsim_kernel *aqsim_kernel_at(const aqsim_kernels *kernels,
                                    uint64_t entry)
{
  uint64_t object = 0;
  return entry && aq_map_get(&kernels->by_entry, entry, &object)
             ? aqsim_kernel_from(kernels, object)
             : NULL;
}

void aqsim_kernel_describe(const aqsim_kernel *kernel, aq_kernel_info *out)
{
  *out = (aq_kernel_info){.object = kernel->desc.object,
                          .kernarg_size = kernel->desc.kernarg_size,
                          .group_size = kernel->desc.group_size,
                          .private_size = kernel->desc.private_size,
                          .workgroup_max = kernel->desc.workgroup_max,
                          .workgroup = {kernel->desc.workgroup[0],
                                        kernel->desc.workgroup[1],
                                        kernel->desc.workgroup[2]},
                          .name = kernel->desc.name,
                          .code = kernel->desc.code,
                          .vgprs = kernel->desc.vgprs,
                          .agprs = kernel->desc.agprs,
                          .sgprs = kernel->desc.sgprs,
                          .wave_size = kernel->desc.wave_size};
}
