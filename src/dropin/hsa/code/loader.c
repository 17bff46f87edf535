/* SPDX-License-Identifier: MIT */
/* The AMD loader extension, versions 1.00 to 1.03. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "dropin/hsa/base/executables.h"
#include "dropin/hsa/base/ext_images.h"
#include "dropin/hsa/base/sim_extension.h"

/* As the extension has it. */
typedef struct segment_descriptor {
  hsa_agent_t agent;
  hsa_executable_t executable;
  uint32_t storage_type;
  const void *storage_base;
  size_t storage_size, storage_offset;
  const void *segment_base;
  size_t segment_size;
} segment_descriptor;

static bool executable_at(aqdrop *runtime, const void *address,
                          hsa_executable_t *out)
{
  pthread_mutex_lock(&runtime->lock);
  const aqdrop_loaded *l = aqdrop_loaded_at(runtime, address);
  if (l)
    out->handle = (uintptr_t)l->executable;
  pthread_mutex_unlock(&runtime->lock);
  return l != NULL;
}

static hsa_status_t query_host_address(const void *device_address,
                                       const void **host_address)
{
  AQDROP_ENTER(runtime);
  hsa_executable_t executable;
  if (!device_address || !host_address ||
      !executable_at(runtime, device_address, &executable))
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  *host_address = device_address;
  return HSA_STATUS_SUCCESS;
}

static void segment_describe(const aqdrop_loaded *l, segment_descriptor *out)
{
  *out = (segment_descriptor){
      .agent = aqdrop_agent_handle(l->agent),
      .executable = {(uintptr_t)l->executable},
      .storage_type = HSA_VEN_AMD_LOADER_CODE_OBJECT_STORAGE_TYPE_MEMORY,
      .storage_base = l->storage,
      .storage_size = l->storage_size,
      .segment_base = l->image.base,
      .segment_size = l->image.span};
}

static hsa_status_t query_segment_descriptors(segment_descriptor *descriptors,
                                              size_t *count)
{
  AQDROP_ENTER(runtime);
  size_t total = 0;
  if (!count || (!descriptors && *count != 0) || (descriptors && *count == 0))
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  pthread_mutex_lock(&runtime->lock);
  for (aqdrop_executable *e = runtime->first_executable; e; e = e->next)
    for (aqdrop_loaded *l = e->first; l; l = l->next, total++)
      if (descriptors && total < *count)
        segment_describe(l, &descriptors[total]);
  pthread_mutex_unlock(&runtime->lock);
  if (descriptors && total != *count)
    return HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS;
  *count = total;
  return HSA_STATUS_SUCCESS;
}

static hsa_status_t query_executable(const void *device_address,
                                     hsa_executable_t *executable)
{
  AQDROP_ENTER(runtime);
  return device_address && executable &&
                 executable_at(runtime, device_address, executable)
             ? HSA_STATUS_SUCCESS
             : HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

static hsa_status_t iterate_loaded(
    hsa_executable_t executable,
    hsa_status_t (*callback)(hsa_executable_t executable,
                             hsa_loaded_code_object_t loaded, void *data),
    void *data)
{
  AQDROP_ENTER(runtime);
  const aqdrop_executable *e = aqdrop_executable_from(runtime, executable);
  if (!e)
    return HSA_STATUS_ERROR_INVALID_EXECUTABLE;
  if (!callback)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  pthread_mutex_lock(&runtime->lock);
  const aqdrop_loaded *l = e->first;
  pthread_mutex_unlock(&runtime->lock);
  for (; l; l = l->next) { /* the list only grows at its head */
    hsa_loaded_code_object_t loaded = {(uintptr_t)l};
    hsa_status_t status = callback(executable, loaded, data);
    if (status != HSA_STATUS_SUCCESS)
      return status;
  }
  return HSA_STATUS_SUCCESS;
}

static const aqdrop_loaded *loaded_from(aqdrop *runtime, uint64_t handle)
{
  const aqdrop_loaded *found = NULL;
  pthread_mutex_lock(&runtime->lock);
  for (aqdrop_executable *e = runtime->first_executable; e; e = e->next)
    for (aqdrop_loaded *l = e->first; l; l = l->next)
      if ((uintptr_t)l == handle)
        found = l;
  pthread_mutex_unlock(&runtime->lock);
  return found;
}

static hsa_status_t loaded_get_info(hsa_loaded_code_object_t loaded,
                                    uint32_t attribute, void *value)
{
  AQDROP_ENTER(runtime);
  const aqdrop_loaded *l = loaded_from(runtime, loaded.handle);
  if (!l)
    return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
  if (!value)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  switch (attribute) {
  case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_EXECUTABLE:
    return aqdrop_put64(value, (uintptr_t)l->executable);
  case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_KIND:
    return aqdrop_put32(
        value, l->agent ? HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_KIND_AGENT
                        : HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_KIND_PROGRAM);
  case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_AGENT:
    return aqdrop_put64(value, (uintptr_t)l->agent);
  case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_TYPE:
    return aqdrop_put32(value,
                        HSA_VEN_AMD_LOADER_CODE_OBJECT_STORAGE_TYPE_MEMORY);
  case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_MEMORY_BASE:
    return aqdrop_put64(value, (uintptr_t)l->storage);
  case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_MEMORY_SIZE:
    return aqdrop_put64(value, l->storage_size);
  case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_DELTA:
    return aqdrop_put64(value, l->image.bias);
  case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_BASE:
    return aqdrop_put64(value, (uintptr_t)l->image.base);
  case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_SIZE:
    return aqdrop_put64(value, l->image.span);
  default:
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
}

static hsa_status_t reader_from_part(int file, size_t offset, size_t size,
                                     hsa_code_object_reader_t *reader)
{
  AQDROP_ENTER(runtime);
  if (size == 0)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  return aqdrop_reader_open(runtime, file, offset, size, reader);
}

static hsa_status_t iterate_executables(
    hsa_status_t (*callback)(hsa_executable_t executable, void *data),
    void *data)
{
  AQDROP_ENTER(runtime);
  if (!callback)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  hsa_executable_t *all = NULL;
  size_t count = 0, capacity = 0;
  hsa_status_t status = HSA_STATUS_SUCCESS;
  pthread_mutex_lock(&runtime->lock);
  for (const aqdrop_executable *e = runtime->first_executable; e; e = e->next)
    if (!AQ_ARRAY_PUSH(all, count, capacity, (hsa_executable_t){(uintptr_t)e}))
      status = HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  pthread_mutex_unlock(&runtime->lock);
  /* The callback may destroy executables. */
  for (size_t i = 0; i < count && status == HSA_STATUS_SUCCESS; i++)
    if (aqdrop_executable_from(runtime, all[i]))
      status = callback(all[i], data);
  free(all);
  return status;
}

#define ANY(function) ((aqdrop_any_function)(function))
const aqdrop_any_function aqdrop_loader_functions[7] = {
    ANY(query_host_address), ANY(query_segment_descriptors),
    ANY(query_executable),   ANY(iterate_loaded),
    ANY(loaded_get_info),    ANY(reader_from_part),
    ANY(iterate_executables)};

/* The first `length` bytes of an extension's table. */
static hsa_status_t table_put(void *to, size_t length, const void *table,
                              size_t size)
{
  memset(to, 0, length);
  memcpy(to, table, length < size ? length : size);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_system_get_major_extension_table(uint16_t extension,
                                                  uint16_t version_major,
                                                  size_t table_length,
                                                  void *table)
{
  AQDROP_ENTER(runtime);
  if (!table || table_length == 0 || version_major != 1)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  if (extension == HSA_EXTENSION_AMD_LOADER)
    return table_put(table, table_length, aqdrop_loader_functions,
                     sizeof aqdrop_loader_functions);
  if (extension == HSA_EXTENSION_IMAGES && aqdrop_has_devices(runtime))
    return table_put(table, table_length, aqdrop_image_functions,
                     AQDROP_IMAGE_FUNCTIONS * sizeof *aqdrop_image_functions);
  if (extension != AQ_HSA_EXTENSION_SIM)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  const aq_hsa_sim sim = aqdrop_simulator(runtime);
  return table_put(table, table_length, &sim, sizeof sim);
}

hsa_status_t hsa_system_get_extension_table(uint16_t extension,
                                            uint16_t version_major,
                                            uint16_t version_minor, void *table)
{
  static const size_t loader[] = {3, 5, 6, 7}; /* functions, by minor version */
  size_t count = 0;
  AQDROP_ENTER(runtime);
  if (extension == HSA_EXTENSION_AMD_LOADER &&
      version_minor < sizeof loader / sizeof *loader)
    count = loader[version_minor];
  else if (extension == HSA_EXTENSION_IMAGES && version_minor == 0)
    count = AQDROP_IMAGE_FUNCTIONS_1_00;
  if (count == 0)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  return hsa_system_get_major_extension_table(
      extension, version_major, count * sizeof(aqdrop_any_function), table);
}
