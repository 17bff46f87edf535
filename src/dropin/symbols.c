/* SPDX-License-Identifier: MIT */
/* Symbols of executables. */
#include <string.h>

#include "dropin/executables.h"

enum { KERNARG_ALIGN = 16, PAGE_ALIGN = 4096 };

/* ---- finding ---- */

static hsa_status_t symbol_find(hsa_executable_t executable, const char *name,
                                const hsa_agent_t *agent,
                                hsa_executable_symbol_t *out)
{
  AQDROP_ENTER(runtime);
  const aqdrop_executable *e = aqdrop_executable_from(runtime, executable);
  if (!e)
    return HSA_STATUS_ERROR_INVALID_EXECUTABLE;
  if (!name || !out)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  const aqdrop_agent *a = agent ? aqdrop_agent_from(runtime, *agent) : NULL;
  if (agent && !a)
    return HSA_STATUS_ERROR_INVALID_AGENT;
  for (const aqdrop_loaded *l = e->first; l; l = l->next)
    for (size_t i = 0; i < l->image.symbol_count; i++)
      if ((!a || l->agent == a) &&
          strcmp(l->image.symbols[i].name, name) == 0) {
        out->handle = (uintptr_t)&l->symbols[i];
        return HSA_STATUS_SUCCESS;
      }
  return HSA_STATUS_ERROR_INVALID_SYMBOL_NAME;
}

hsa_status_t hsa_executable_get_symbol_by_name(hsa_executable_t executable,
                                               const char *symbol_name,
                                               const hsa_agent_t *agent,
                                               hsa_executable_symbol_t *symbol)
{
  AQDROP_NOTED(AQ_KIND_CALL);
  return symbol_find(executable, symbol_name, agent, symbol);
}

hsa_status_t hsa_executable_get_symbol(hsa_executable_t executable,
                                       const char *module_name,
                                       const char *symbol_name,
                                       hsa_agent_t agent,
                                       int32_t call_convention,
                                       hsa_executable_symbol_t *symbol)
{
  AQDROP_ENTER(runtime);
  (void)call_convention;
  if (module_name && *module_name) /* symbols belong to the program */
    return aqdrop_executable_from(runtime, executable)
               ? HSA_STATUS_ERROR_INVALID_SYMBOL_NAME
               : HSA_STATUS_ERROR_INVALID_EXECUTABLE;
  return symbol_find(executable, symbol_name, &agent, symbol);
}

static const aqdrop_symbol *symbol_from(aqdrop *runtime,
                                        hsa_executable_symbol_t symbol)
{
  const aqdrop_symbol *found = NULL;
  pthread_mutex_lock(&runtime->lock);
  for (aqdrop_executable *e = runtime->first_executable; e; e = e->next)
    for (aqdrop_loaded *l = e->first; l; l = l->next) {
      uint64_t offset = symbol.handle - (uintptr_t)l->symbols;
      if (offset < l->image.symbol_count * sizeof *found &&
          offset % sizeof *found == 0)
        found = (const aqdrop_symbol *)(uintptr_t)symbol.handle;
    }
  pthread_mutex_unlock(&runtime->lock);
  return found;
}

/* ---- attributes ---- */

static hsa_status_t kernel_info(const aqdrop_symbol *symbol, uint32_t attribute,
                                void *value)
{
  const aqdrop_descriptor *d = (const void *)symbol->image->address;
  switch (attribute) {
  case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT:
    return aqdrop_put64(value, (uintptr_t)d);
  case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE:
    return aqdrop_put32(value, d->kernarg_size);
  case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_ALIGNMENT:
    return aqdrop_put32(value, KERNARG_ALIGN);
  case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE:
    return aqdrop_put32(value, d->group_size);
  case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE:
    return aqdrop_put32(value, d->private_size);
  case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_DYNAMIC_CALLSTACK:
    return aqdrop_put_bool(value, d->properties & AQDROP_KERNEL_DYNAMIC_STACK);
  case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_CALL_CONVENTION:
    return aqdrop_put32(value, 0);
  default:
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
}

static hsa_status_t variable_info(const aqdrop_symbol *symbol,
                                  uint32_t attribute, void *value)
{
  switch (attribute) {
  case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS:
    return aqdrop_put64(value, (uintptr_t)symbol->image->address);
  case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ALLOCATION:
    return aqdrop_put32(value, HSA_VARIABLE_ALLOCATION_AGENT);
  case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_SEGMENT:
    return aqdrop_put32(value, HSA_VARIABLE_SEGMENT_GLOBAL);
  case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ALIGNMENT: {
    uint64_t address = (uintptr_t)symbol->image->address | PAGE_ALIGN;
    return aqdrop_put32(value, (uint32_t)(address & -address));
  }
  case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_SIZE:
    return aqdrop_put32(value, (uint32_t)symbol->image->size);
  case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_IS_CONST:
    return aqdrop_put_bool(value, false);
  default:
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
}

hsa_status_t
hsa_executable_symbol_get_info(hsa_executable_symbol_t executable_symbol,
                               uint32_t attribute, void *value)
{
  AQDROP_ENTER(runtime);
  const aqdrop_symbol *s = symbol_from(runtime, executable_symbol);
  if (!s)
    return HSA_STATUS_ERROR_INVALID_EXECUTABLE_SYMBOL;
  if (!value)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  const char *name = s->image->name;
  switch (attribute) {
  case HSA_EXECUTABLE_SYMBOL_INFO_TYPE:
    return aqdrop_put32(value, s->image->is_kernel ? HSA_SYMBOL_KIND_KERNEL
                                                   : HSA_SYMBOL_KIND_VARIABLE);
  case HSA_EXECUTABLE_SYMBOL_INFO_NAME_LENGTH:
    return aqdrop_put32(value, (uint32_t)strlen(name));
  case HSA_EXECUTABLE_SYMBOL_INFO_NAME:
    memcpy(value, name, strlen(name)); /* without the zero byte */
    return HSA_STATUS_SUCCESS;
  case HSA_EXECUTABLE_SYMBOL_INFO_MODULE_NAME_LENGTH:
    return aqdrop_put32(value, 0);
  case HSA_EXECUTABLE_SYMBOL_INFO_MODULE_NAME:
    return HSA_STATUS_SUCCESS; /* no bytes */
  case HSA_EXECUTABLE_SYMBOL_INFO_AGENT:
    *(hsa_agent_t *)value = aqdrop_agent_handle(s->loaded->agent);
    return HSA_STATUS_SUCCESS;
  case HSA_EXECUTABLE_SYMBOL_INFO_LINKAGE:
    return aqdrop_put32(value, HSA_SYMBOL_LINKAGE_PROGRAM);
  case HSA_EXECUTABLE_SYMBOL_INFO_IS_DEFINITION:
    return aqdrop_put_bool(value, true);
  default:
    return s->image->is_kernel ? kernel_info(s, attribute, value)
                               : variable_info(s, attribute, value);
  }
}

/* ---- visiting ---- */

hsa_status_t hsa_executable_iterate_agent_symbols(
    hsa_executable_t executable, hsa_agent_t agent,
    hsa_status_t (*callback)(hsa_executable_t exec, hsa_agent_t agent,
                             hsa_executable_symbol_t symbol, void *data),
    void *data)
{
  AQDROP_ENTER(runtime);
  const aqdrop_executable *e = aqdrop_executable_from(runtime, executable);
  const aqdrop_agent *a = aqdrop_agent_from(runtime, agent);
  if (!e)
    return HSA_STATUS_ERROR_INVALID_EXECUTABLE;
  if (!a)
    return HSA_STATUS_ERROR_INVALID_AGENT;
  if (!callback)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  for (const aqdrop_loaded *l = e->first; l; l = l->next)
    for (size_t i = 0; l->agent == a && i < l->image.symbol_count; i++) {
      hsa_executable_symbol_t symbol = {(uintptr_t)&l->symbols[i]};
      hsa_status_t status = callback(executable, agent, symbol, data);
      if (status != HSA_STATUS_SUCCESS)
        return status;
    }
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_executable_iterate_symbols(
    hsa_executable_t executable,
    hsa_status_t (*callback)(hsa_executable_t exec,
                             hsa_executable_symbol_t symbol, void *data),
    void *data)
{
  AQDROP_ENTER(runtime);
  const aqdrop_executable *e = aqdrop_executable_from(runtime, executable);
  if (!e)
    return HSA_STATUS_ERROR_INVALID_EXECUTABLE;
  if (!callback)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  for (const aqdrop_loaded *l = e->first; l; l = l->next)
    for (size_t i = 0; i < l->image.symbol_count; i++) {
      hsa_executable_symbol_t symbol = {(uintptr_t)&l->symbols[i]};
      hsa_status_t status = callback(executable, symbol, data);
      if (status != HSA_STATUS_SUCCESS)
        return status;
    }
  return HSA_STATUS_SUCCESS;
}

/* All symbols belong to devices, so there is none to visit. */
hsa_status_t hsa_executable_iterate_program_symbols(
    hsa_executable_t executable,
    hsa_status_t (*callback)(hsa_executable_t exec,
                             hsa_executable_symbol_t symbol, void *data),
    void *data)
{
  AQDROP_ENTER(runtime);
  (void)data;
  if (!aqdrop_executable_from(runtime, executable))
    return HSA_STATUS_ERROR_INVALID_EXECUTABLE;
  return callback ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_ARGUMENT;
}
