/* SPDX-License-Identifier: MIT */
/* Symbols of executables. */
#include "config.h"

#include <string.h>

#include "common/allocations.h"
#include "dropin/hsa/base/executables.h"
#include "dropin/hsa/base/protected.h"

enum { KERNARG_ALIGN = 16, PAGE_ALIGN = 4096 };

/* ---- finding ---- */

aqdrop_symbol *aqdrop_symbol_find_locked(const aqdrop_executable *executable,
                                         const char *name,
                                         const aqdrop_agent *agent)
{
  for (aqdrop_loaded *l = executable->first; l; l = l->next) {
    const aq_codeobj *code = &l->image.code;
    const aq_code_symbol *found =
        l->agent == agent ? aq_codeobj_symbol(code, name) : NULL;
    if (found && found->is_object)
      return &l->symbols[found - code->symbols];
  }
  for (aqdrop_external *x = executable->externals; x; x = x->next)
    if (x->symbol.agent == agent && strcmp(x->code.name, name) == 0)
      return &x->symbol;
  return NULL;
}

aqdrop_symbol *aqdrop_symbol_find(aqdrop *runtime,
                                  const aqdrop_executable *executable,
                                  const char *name, const aqdrop_agent *agent)
{
  pthread_mutex_lock(&runtime->lock);
  aqdrop_symbol *found = aqdrop_symbol_find_locked(executable, name, agent);
  pthread_mutex_unlock(&runtime->lock);
  return found;
}

const aqdrop_symbol *aqdrop_symbol_resolve(const aqdrop_loaded *loaded,
                                           const char *name)
{
  const aqdrop_symbol *found = aqdrop_symbol_find(
      loaded->runtime, loaded->executable, name, loaded->agent);
  return found ? found
               : aqdrop_symbol_find(loaded->runtime, loaded->executable, name,
                                    NULL);
}

void *aqdrop_scope_variable(const aq_kernel_scope *scope, const char *name,
                            uint64_t *size)
{
  const aqdrop_loaded *loaded = (const void *)scope;
  const aqdrop_symbol *found = aqdrop_symbol_resolve(loaded, name);
  if (!found || found->code->kernel)
    return NULL;
  *size = found->code->size;
  /* The client may have defined it in memory that the host has elsewhere. */
  return aqdrop_reach(loaded->runtime, (void *)(uintptr_t)found->address);
}

static hsa_status_t symbol_read(const aqdrop_symbol *found,
                                hsa_executable_symbol_t *out)
{
  if (!found)
    return HSA_STATUS_ERROR_INVALID_SYMBOL_NAME;
  out->handle = (uintptr_t)found;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_executable_get_symbol_by_name(hsa_executable_t executable,
                                               const char *symbol_name,
                                               const hsa_agent_t *agent,
                                               hsa_executable_symbol_t *symbol)
{
  AQDROP_ENTER(runtime);
  const aqdrop_executable *e = aqdrop_executable_from(runtime, executable);
  const aqdrop_agent *a = agent ? aqdrop_agent_from(runtime, *agent) : NULL;
  if (!e)
    return HSA_STATUS_ERROR_INVALID_EXECUTABLE;
  if (!symbol_name || !symbol)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  if (agent && !a)
    return HSA_STATUS_ERROR_INVALID_AGENT;
  return symbol_read(aqdrop_symbol_find(runtime, e, symbol_name, a), symbol);
}

hsa_status_t hsa_executable_get_symbol(hsa_executable_t executable,
                                       const char *module_name,
                                       const char *symbol_name,
                                       hsa_agent_t agent,
                                       int32_t call_convention,
                                       hsa_executable_symbol_t *symbol)
{
  AQDROP_ENTER(runtime);
  const aqdrop_executable *e = aqdrop_executable_from(runtime, executable);
  (void)call_convention;
  if (!e)
    return HSA_STATUS_ERROR_INVALID_EXECUTABLE;
  if (!symbol_name || !symbol)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  if (module_name && *module_name) /* symbols belong to no module */
    return HSA_STATUS_ERROR_INVALID_SYMBOL_NAME;
  const aqdrop_symbol *program =
      aqdrop_symbol_find(runtime, e, symbol_name, NULL);
  return program ? symbol_read(program, symbol)
                 : hsa_executable_get_symbol_by_name(executable, symbol_name,
                                                     &agent, symbol);
}

static const aqdrop_symbol *symbol_from(aqdrop *runtime,
                                        hsa_executable_symbol_t symbol)
{
  const aqdrop_symbol *found = NULL;
  pthread_mutex_lock(&runtime->lock);
  for (aqdrop_executable *e = runtime->first_executable; e && !found;
       e = e->next)
    for (found = e->symbols; found && (uintptr_t)found != symbol.handle;)
      found = found->next;
  pthread_mutex_unlock(&runtime->lock);
  return found;
}

/* ---- attributes ---- */

static hsa_status_t kernel_info(const aq_kernel_descriptor *d,
                                uint32_t attribute, void *value)
{
  switch (attribute) {
  case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE:
    return aqdrop_put32(value, d->kernarg_size);
  case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_ALIGNMENT:
    return aqdrop_put32(value, KERNARG_ALIGN);
  case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE:
    return aqdrop_put32(value, d->group_size);
  case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE:
    return aqdrop_put32(value, d->private_size);
  case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_DYNAMIC_CALLSTACK:
    return aqdrop_put_bool(value, d->properties & AQ_KERNEL_DYNAMIC_STACK);
  case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_CALL_CONVENTION:
    return aqdrop_put32(value, 0);
  default:
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
}

static hsa_status_t variable_info(const aq_code_symbol *symbol,
                                  uint64_t address, uint32_t attribute,
                                  void *value)
{
  switch (attribute) {
  case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ALLOCATION:
    return aqdrop_put32(value, HSA_VARIABLE_ALLOCATION_AGENT);
  case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_SEGMENT:
    return aqdrop_put32(value, HSA_VARIABLE_SEGMENT_GLOBAL);
  case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ALIGNMENT:
    address |= PAGE_ALIGN;
    return aqdrop_put32(value, (uint32_t)(address & -address));
  case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_SIZE:
    return aqdrop_put32(value, (uint32_t)symbol->size);
  case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_IS_CONST:
    return aqdrop_put_bool(value, symbol->is_const);
  default:
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
}

hsa_status_t aqdrop_symbol_info(const aq_code_symbol *symbol, uint64_t address,
                                uint32_t attribute, void *value)
{
  switch (attribute) {
  case HSA_EXECUTABLE_SYMBOL_INFO_TYPE:
    return aqdrop_put32(value, symbol->kernel ? HSA_SYMBOL_KIND_KERNEL
                                              : HSA_SYMBOL_KIND_VARIABLE);
  case HSA_EXECUTABLE_SYMBOL_INFO_NAME_LENGTH:
    return aqdrop_put32(value, (uint32_t)strlen(symbol->name));
  case HSA_EXECUTABLE_SYMBOL_INFO_NAME:
    memcpy(value, symbol->name, strlen(symbol->name)); /* no zero byte */
    return HSA_STATUS_SUCCESS;
  case HSA_EXECUTABLE_SYMBOL_INFO_MODULE_NAME_LENGTH:
    return aqdrop_put32(value, 0);
  case HSA_EXECUTABLE_SYMBOL_INFO_MODULE_NAME:
    return HSA_STATUS_SUCCESS; /* no bytes */
  case HSA_EXECUTABLE_SYMBOL_INFO_LINKAGE:
    return aqdrop_put32(value, HSA_SYMBOL_LINKAGE_PROGRAM);
  case HSA_EXECUTABLE_SYMBOL_INFO_IS_DEFINITION:
    return aqdrop_put_bool(value, true);
  default:
    return symbol->kernel
               ? kernel_info(&symbol->kernel->descriptor, attribute, value)
               : variable_info(symbol, address, attribute, value);
  }
}

/* What only a loaded symbol has: its device, its address, its place. */
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
  const bool is_kernel = s->code->kernel != NULL;
  if (attribute == HSA_EXECUTABLE_SYMBOL_INFO_AGENT) {
    *(hsa_agent_t *)value = aqdrop_agent_handle(s->agent);
    return HSA_STATUS_SUCCESS;
  }
  if (attribute ==
      (is_kernel ? (uint32_t)HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT
                 : (uint32_t)HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS))
    return aqdrop_put64(value, s->address);
  if (!is_kernel && attribute == HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_SEGMENT)
    return aqdrop_put32(value, s->segment);
  if (!is_kernel && attribute == HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ALLOCATION)
    return aqdrop_put32(value, s->agent ? HSA_VARIABLE_ALLOCATION_AGENT
                                        : HSA_VARIABLE_ALLOCATION_PROGRAM);
  return aqdrop_symbol_info(s->code, s->address, attribute, value);
}

/* ---- visiting ---- */

/* What visits symbols; the three kinds of callbacks differ in the agent. */
typedef struct visit {
  hsa_status_t (*any)(hsa_executable_t exec, hsa_executable_symbol_t symbol,
                      void *data);
  hsa_status_t (*agents)(hsa_executable_t exec, hsa_agent_t agent,
                         hsa_executable_symbol_t symbol, void *data);
  void *data;
} visit;

/* Visits the symbols of an agent (NULL: of the program), or all. The list only
 * grows at its head while the executable is there, so the part from a head on
 * may be walked without the lock. */
static hsa_status_t symbols_visit(aqdrop *runtime, hsa_executable_t executable,
                                  bool all, const aqdrop_agent *agent,
                                  const visit *v)
{
  const aqdrop_executable *e = aqdrop_executable_from(runtime, executable);
  hsa_status_t status = HSA_STATUS_SUCCESS;
  if (!e)
    return HSA_STATUS_ERROR_INVALID_EXECUTABLE;
  if (!v->any && !v->agents)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  pthread_mutex_lock(&runtime->lock);
  const aqdrop_symbol *s = e->symbols;
  pthread_mutex_unlock(&runtime->lock);
  for (; s && status == HSA_STATUS_SUCCESS; s = s->next) {
    const hsa_executable_symbol_t symbol = {(uintptr_t)s};
    if (!all && s->agent != agent)
      continue;
    status = v->any ? v->any(executable, symbol, v->data)
                    : v->agents(executable, aqdrop_agent_handle(agent), symbol,
                                v->data);
  }
  return status;
}

hsa_status_t hsa_executable_iterate_agent_symbols(
    hsa_executable_t executable, hsa_agent_t agent,
    hsa_status_t (*callback)(hsa_executable_t exec, hsa_agent_t agent,
                             hsa_executable_symbol_t symbol, void *data),
    void *data)
{
  AQDROP_ENTER(runtime);
  const aqdrop_agent *a = aqdrop_agent_from(runtime, agent);
  const visit v = {.agents = callback, .data = data};
  return a ? symbols_visit(runtime, executable, false, a, &v)
           : HSA_STATUS_ERROR_INVALID_AGENT;
}

hsa_status_t hsa_executable_iterate_symbols(
    hsa_executable_t executable,
    hsa_status_t (*callback)(hsa_executable_t exec,
                             hsa_executable_symbol_t symbol, void *data),
    void *data)
{
  AQDROP_ENTER(runtime);
  const visit v = {.any = callback, .data = data};
  return symbols_visit(runtime, executable, true, NULL, &v);
}

hsa_status_t hsa_executable_iterate_program_symbols(
    hsa_executable_t executable,
    hsa_status_t (*callback)(hsa_executable_t exec,
                             hsa_executable_symbol_t symbol, void *data),
    void *data)
{
  AQDROP_ENTER(runtime);
  const visit v = {.any = callback, .data = data};
  return symbols_visit(runtime, executable, false, NULL, &v);
}
