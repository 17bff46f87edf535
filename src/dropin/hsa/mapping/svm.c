/* SPDX-License-Identifier: MIT */
/*
 * Attributes of address ranges (shared virtual memory). They are kept and told;
 * memory is the process's, and nothing migrates by them.
 */
#include "config.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "dropin/hsa/base/hsa.h"
#include "dropin/hsa/base/published.h"
#include "dropin/hsa/base/signals.h"
#include "dropin/hsa/memory/allocation_table.h"

/* One attribute of a range; the newest comes first. */
typedef struct aqdrop_range {
  struct aqdrop_range *next;
  uintptr_t base;
  size_t size;
  uint64_t attribute, value;
} range;

static bool is_access(uint64_t attribute)
{
  return attribute == HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE ||
         attribute == HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE_IN_PLACE ||
         attribute == HSA_AMD_SVM_ATTRIB_AGENT_NO_ACCESS;
}

static bool is_place(uint64_t attribute)
{
  return attribute == HSA_AMD_SVM_ATTRIB_PREFERRED_LOCATION ||
         attribute == HSA_AMD_SVM_ATTRIB_PREFETCH_LOCATION;
}

static bool gives_access(uint64_t attribute)
{
  return is_access(attribute) &&
         attribute != HSA_AMD_SVM_ATTRIB_AGENT_NO_ACCESS;
}

/* The agent of an access, if it gives one: what to publish. */
static const aqdrop_agent *range_agent(aqdrop *runtime, const range *r)
{
  return gives_access(r->attribute)
             ? aqdrop_agent_from(runtime, (hsa_agent_t){r->value})
             : NULL;
}

static bool range_publish(aqdrop *runtime, const range *r)
{
  const aqdrop_agent *agent = range_agent(runtime, r);
  return !agent || aqdrop_publish(runtime, (const void *)r->base, r->size,
                                  AQ_ALLOCATION_SVM, NULL,
                                  aqdrop_agent_bit(runtime, agent), 0);
}

static void range_free(aqdrop *runtime, range *r)
{
  if (range_agent(runtime, r))
    aqdrop_withdraw(runtime, (const void *)r->base, AQ_ALLOCATION_SVM);
  free(r);
}

void aqdrop_ranges_fini(aqdrop *runtime)
{
  while (runtime->first_range) {
    range *r = runtime->first_range;
    runtime->first_range = r->next;
    range_free(runtime, r);
  }
}

/* Whether two settings are about the same: an access is of one agent. */
static bool is_same(const range *r, uint64_t attribute, uint64_t value)
{
  return is_access(attribute) ? is_access(r->attribute) && r->value == value
                              : r->attribute == attribute;
}

static bool covers(const range *r, uintptr_t base, size_t size)
{
  return r->base <= base && base - r->base <= r->size &&
         size <= r->size - (base - r->base);
}

static bool touches(const range *r, uintptr_t base, size_t size)
{
  return r->base < base + size && base < r->base + r->size;
}

/* Whether the pages of a range can have attributes: the kernel driver refuses
 * addresses without memory and memory that a pool allocated. msync() looks for
 * unmapped pages, and writes nothing back. */
static bool range_is_shared(aqdrop *runtime, const void *ptr, size_t size)
{
  const uintptr_t page = AQDROP_PAGE;
  const uintptr_t begin = (uintptr_t)ptr & ~(page - 1);
  const uintptr_t end = ((uintptr_t)ptr + size + page - 1) & ~(page - 1);
  if (begin >= end || msync((void *)begin, end - begin, MS_ASYNC) != 0)
    return false;
  pthread_mutex_lock(&runtime->memory->lock);
  const bool pooled = aqdrop_allocation_touches(
      runtime->memory, (const void *)begin, end - begin);
  pthread_mutex_unlock(&runtime->memory->lock);
  return !pooled;
}

/* ---- setting ---- */

/* The lock is held. The records under the new range are forgotten. */
static hsa_status_t range_set(aqdrop *runtime, const range *new)
{
  range **link = &runtime->first_range;
  while (*link) {
    range *old = *link;
    if (is_same(old, new->attribute, new->value) && new->base <= old->base &&
        old->base + old->size <= new->base + new->size) {
      *link = old->next;
      range_free(runtime, old);
    } else {
      link = &old->next;
    }
  }
  range *kept = malloc(sizeof *kept);
  if (!kept || !range_publish(runtime, new)) {
    free(kept);
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  }
  *kept = *new;
  kept->next = runtime->first_range;
  runtime->first_range = kept;
  return HSA_STATUS_SUCCESS;
}

static hsa_status_t pair_check(aqdrop *runtime,
                               const hsa_amd_svm_attribute_pair_t *pair)
{
  uint64_t attribute = pair->attribute;
  hsa_agent_t agent = {pair->value};
  if (attribute == HSA_AMD_SVM_ATTRIB_PREFETCH_LOCATION)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT; /* of prefetches only */
  if (is_access(attribute) || (is_place(attribute) && pair->value != 0))
    return aqdrop_agent_from(runtime, agent) ? HSA_STATUS_SUCCESS
                                             : HSA_STATUS_ERROR_INVALID_AGENT;
  return attribute <= HSA_AMD_SVM_ATTRIB_GPU_EXEC
             ? HSA_STATUS_SUCCESS
             : HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

hsa_status_t
hsa_amd_svm_attributes_set(void *ptr, size_t size,
                           hsa_amd_svm_attribute_pair_t *attribute_list,
                           size_t attribute_count)
{
  AQDROP_ENTER(runtime);
  hsa_status_t status = HSA_STATUS_SUCCESS;
  if (!ptr || size == 0 || (!attribute_list && attribute_count > 0))
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  for (size_t i = 0; i < attribute_count && status == HSA_STATUS_SUCCESS; i++)
    status = pair_check(runtime, &attribute_list[i]);
  if (status == HSA_STATUS_SUCCESS && !range_is_shared(runtime, ptr, size))
    return HSA_STATUS_ERROR;
  pthread_mutex_lock(&runtime->lock);
  for (size_t i = 0; i < attribute_count && status == HSA_STATUS_SUCCESS; i++) {
    range new = {.base = (uintptr_t)ptr,
                 .size = size,
                 .attribute = attribute_list[i].attribute,
                 .value = attribute_list[i].value};
    status = range_set(runtime, &new);
  }
  pthread_mutex_unlock(&runtime->lock);
  return status;
}

/* ---- asking ---- */

/* The value of the whole range: as set, as it is when unset, or that its
 * parts differ. */
static uint64_t value_get(const aqdrop *runtime, uintptr_t base, size_t size,
                          uint64_t attribute)
{
  for (const range *r = runtime->first_range; r; r = r->next)
    if (r->attribute == attribute && touches(r, base, size)) {
      if (covers(r, base, size))
        return r->value;
      return attribute == HSA_AMD_SVM_ATTRIB_GLOBAL_FLAG
                 ? HSA_AMD_SVM_GLOBAL_FLAG_INDETERMINATE
                 : 0;
    }
  return 0;
}

/* How an agent reaches the range: in place, unless it was said otherwise. */
static uint64_t access_get(const aqdrop *runtime, uintptr_t base, size_t size,
                           uint64_t agent)
{
  for (const range *r = runtime->first_range; r; r = r->next)
    if (is_access(r->attribute) && r->value == agent && touches(r, base, size))
      return r->attribute;
  return HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE_IN_PLACE;
}

/* Prefetches are known to ROCr; it asks the driver for the rest. HIP asks for
 * nothing, of memory of a pool, and expects no error. */
static bool asks_driver(const hsa_amd_svm_attribute_pair_t *list, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (list[i].attribute != HSA_AMD_SVM_ATTRIB_PREFETCH_LOCATION)
      return true;
  return false;
}

hsa_status_t
hsa_amd_svm_attributes_get(void *ptr, size_t size,
                           hsa_amd_svm_attribute_pair_t *attribute_list,
                           size_t attribute_count)
{
  AQDROP_ENTER(runtime);
  hsa_status_t status = HSA_STATUS_SUCCESS;
  if (!ptr || size == 0 || (!attribute_list && attribute_count > 0))
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  if (asks_driver(attribute_list, attribute_count) &&
      !range_is_shared(runtime, ptr, size))
    return HSA_STATUS_ERROR;
  pthread_mutex_lock(&runtime->lock);
  for (size_t i = 0; i < attribute_count && status == HSA_STATUS_SUCCESS; i++) {
    hsa_amd_svm_attribute_pair_t *pair = &attribute_list[i];
    if (pair->attribute == HSA_AMD_SVM_ATTRIB_ACCESS_QUERY) {
      if (aqdrop_agent_from(runtime, (hsa_agent_t){pair->value}))
        pair->attribute =
            access_get(runtime, (uintptr_t)ptr, size, pair->value);
      else
        status = HSA_STATUS_ERROR_INVALID_AGENT;
    } else if (pair->attribute <= HSA_AMD_SVM_ATTRIB_GPU_EXEC) {
      pair->value = value_get(runtime, (uintptr_t)ptr, size, pair->attribute);
    } else {
      status = HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
  }
  pthread_mutex_unlock(&runtime->lock);
  return status;
}

/* ---- prefetching ---- */

/* The copy engine moves one unused byte after the dependencies;
 * the range's own bytes stay where they are. */
static hsa_status_t scratch_copy(aqdrop *runtime, uint32_t device,
                                 uint32_t count,
                                 const hsa_signal_t *dependencies,
                                 hsa_signal_t completion)
{
  return aqdrop_status(runtime->transport->ops->copy_async(
      runtime->transport, device, &runtime->scratch, &runtime->scratch, 1,
      dependencies, count, completion, NULL));
}

static hsa_status_t signals_check(aqdrop *runtime, uint32_t count,
                                  const hsa_signal_t *dependencies,
                                  hsa_signal_t completion)
{
  if ((count == 0) != (dependencies == NULL))
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  for (uint32_t i = 0; i < count; i++)
    if (!aqdrop_signal_is_live(runtime, dependencies[i]))
      return HSA_STATUS_ERROR_INVALID_SIGNAL;
  return !completion.handle || aqdrop_signal_is_live(runtime, completion)
             ? HSA_STATUS_SUCCESS
             : HSA_STATUS_ERROR_INVALID_SIGNAL;
}

hsa_status_t hsa_amd_svm_prefetch_async(void *ptr, size_t size,
                                        hsa_agent_t agent,
                                        uint32_t num_dep_signals,
                                        const hsa_signal_t *dep_signals,
                                        hsa_signal_t completion_signal)
{
  AQDROP_ENTER(runtime);
  const aqdrop_agent *a = aqdrop_agent_from(runtime, agent);
  if (!a)
    return HSA_STATUS_ERROR_INVALID_AGENT;
  if (!ptr || size == 0)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  hsa_status_t status =
      signals_check(runtime, num_dep_signals, dep_signals, completion_signal);
  if (status != HSA_STATUS_SUCCESS)
    return status;
  range new = {.base = (uintptr_t)ptr,
               .size = size,
               .attribute = HSA_AMD_SVM_ATTRIB_PREFETCH_LOCATION,
               .value = agent.handle};
  pthread_mutex_lock(&runtime->lock);
  status = range_set(runtime, &new);
  pthread_mutex_unlock(&runtime->lock);
  if (status != HSA_STATUS_SUCCESS)
    return status;
  return scratch_copy(runtime, a->info ? a->ordinal : 0, num_dep_signals,
                      dep_signals, completion_signal);
}

/* The contents of a range are undefined afterwards: they stay. */
hsa_status_t hsa_amd_svm_discard_batch_async(void **ptrs, size_t *sizes,
                                             uint32_t count,
                                             uint32_t num_dep_signals,
                                             const hsa_signal_t *dep_signals,
                                             hsa_signal_t completion_signal)
{
  AQDROP_ENTER(runtime);
  if (!ptrs || !sizes || count == 0)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  for (uint32_t i = 0; i < count; i++)
    if (!ptrs[i] || sizes[i] == 0)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  hsa_status_t status =
      signals_check(runtime, num_dep_signals, dep_signals, completion_signal);
  return status == HSA_STATUS_SUCCESS
             ? scratch_copy(runtime, 0, num_dep_signals, dep_signals,
                            completion_signal)
             : status;
}
