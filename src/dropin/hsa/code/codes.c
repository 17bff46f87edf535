/* SPDX-License-Identifier: MIT */
/* The code objects of HSA 1.0, which readers took the place of. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dropin/hsa/base/executables.h"

enum { VERSION_BYTES = 64 };

/* ---- life ---- */

static aqdrop_code **code_link(aqdrop *runtime, hsa_code_object_t handle)
{
  aqdrop_code **link = &runtime->first_code;
  while (*link && (uintptr_t)*link != handle.handle)
    link = &(*link)->next;
  return link;
}

static const aqdrop_code *code_from(aqdrop *runtime, hsa_code_object_t code)
{
  pthread_mutex_lock(&runtime->lock);
  const aqdrop_code *found = *code_link(runtime, code);
  pthread_mutex_unlock(&runtime->lock);
  return found;
}

static void code_free(aqdrop_code *code)
{
  aq_codeobj_fini(&code->code);
  free(code->bytes);
  free(code);
}

void aqdrop_codes_fini(aqdrop *runtime)
{
  while (runtime->first_code) {
    aqdrop_code *code = runtime->first_code;
    runtime->first_code = code->next;
    code_free(code);
  }
}

/* Copies the bytes and looks at them. */
static hsa_status_t code_make(const void *bytes, size_t size, aqdrop_code *out)
{
  out->bytes = malloc(size);
  if (!out->bytes)
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  memcpy(out->bytes, bytes, size);
  out->size = size;
  switch (aq_codeobj_read_to(out->bytes, size, AQ_CODEOBJ_DESCRIPTORS,
                             &out->code, NULL)) {
  case AQ_OK:
    return HSA_STATUS_SUCCESS;
  case AQ_ERR_NO_MEMORY:
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  default:
    return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
  }
}

hsa_status_t hsa_code_object_deserialize(void *serialized_code_object,
                                         size_t serialized_code_object_size,
                                         const char *options,
                                         hsa_code_object_t *code_object)
{
  AQDROP_ENTER(runtime);
  (void)options;
  if (!serialized_code_object || serialized_code_object_size == 0 ||
      !code_object)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  aqdrop_code *made = calloc(1, sizeof *made);
  if (!made)
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  hsa_status_t status =
      code_make(serialized_code_object, serialized_code_object_size, made);
  if (status != HSA_STATUS_SUCCESS) {
    code_free(made);
    return status;
  }
  pthread_mutex_lock(&runtime->lock);
  made->next = runtime->first_code;
  runtime->first_code = made;
  pthread_mutex_unlock(&runtime->lock);
  code_object->handle = (uintptr_t)made;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_code_object_serialize(
    hsa_code_object_t code_object,
    hsa_status_t (*alloc_callback)(size_t size, hsa_callback_data_t data,
                                   void **address),
    hsa_callback_data_t callback_data, const char *options,
    void **serialized_code_object, size_t *serialized_code_object_size)
{
  AQDROP_ENTER(runtime);
  const aqdrop_code *code = code_from(runtime, code_object);
  void *to = NULL;
  (void)options;
  if (!code)
    return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
  if (!alloc_callback || !serialized_code_object ||
      !serialized_code_object_size)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  hsa_status_t status = alloc_callback(code->size, callback_data, &to);
  if (status != HSA_STATUS_SUCCESS)
    return status;
  if (!to)
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  memcpy(to, code->bytes, code->size);
  *serialized_code_object = to;
  *serialized_code_object_size = code->size;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_code_object_destroy(hsa_code_object_t code_object)
{
  AQDROP_ENTER(runtime);
  pthread_mutex_lock(&runtime->lock);
  aqdrop_code **link = code_link(runtime, code_object), *found = *link;
  if (found)
    *link = found->next;
  pthread_mutex_unlock(&runtime->lock);
  if (!found)
    return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
  code_free(found);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_executable_load_code_object(hsa_executable_t executable,
                                             hsa_agent_t agent,
                                             hsa_code_object_t code_object,
                                             const char *options)
{
  AQDROP_ENTER(runtime);
  aqdrop_agent *a = aqdrop_agent_from(runtime, agent);
  const aqdrop_code *code = code_from(runtime, code_object);
  (void)options;
  if (!aqdrop_executable_from(runtime, executable))
    return HSA_STATUS_ERROR_INVALID_EXECUTABLE;
  if (agent.handle && (!a || !a->info))
    return HSA_STATUS_ERROR_INVALID_AGENT;
  if (!code)
    return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
  return aqdrop_executable_load(runtime, executable, a, code->bytes, code->size,
                                NULL);
}

/* ---- attributes ---- */

/* The instruction set of a device that runs this code. */
static hsa_status_t put_isa(const aqdrop *runtime, const aqdrop_code *code,
                            void *value)
{
  for (uint32_t i = 1; i < runtime->agent_count; i++) {
    const aqdrop_isa *isa = &runtime->agents[i].isa;
    aq_target device;
    if (aq_target_parse(isa->name, strlen(isa->name), &device, NULL) == AQ_OK &&
        aq_target_fits(&code->code.target, &device) != AQ_FIT_NONE)
      return aqdrop_put64(value, (uintptr_t)isa);
  }
  return HSA_STATUS_ERROR_INVALID_ISA_NAME;
}

hsa_status_t hsa_code_object_get_info(hsa_code_object_t code_object,
                                      uint32_t attribute, void *value)
{
  AQDROP_ENTER(runtime);
  const aqdrop_code *code = code_from(runtime, code_object);
  char version[VERSION_BYTES];
  if (!code)
    return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
  if (!value)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  switch (attribute) {
  case HSA_CODE_OBJECT_INFO_VERSION:
    snprintf(version, sizeof version, "%u.0", code->code.version);
    return aqdrop_put_text(value, VERSION_BYTES, version);
  case HSA_CODE_OBJECT_INFO_TYPE:
    return aqdrop_put32(value, HSA_CODE_OBJECT_TYPE_PROGRAM);
  case HSA_CODE_OBJECT_INFO_ISA:
    return put_isa(runtime, code, value);
  case HSA_CODE_OBJECT_INFO_MACHINE_MODEL:
    return aqdrop_put32(value, HSA_MACHINE_MODEL_LARGE);
  case HSA_CODE_OBJECT_INFO_PROFILE:
    return aqdrop_put32(value, HSA_PROFILE_BASE);
  case HSA_CODE_OBJECT_INFO_DEFAULT_FLOAT_ROUNDING_MODE:
    return aqdrop_put32(value, HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR);
  default:
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
}

/* ---- symbols: handles are addresses of loaded ones ---- */

hsa_status_t hsa_code_object_get_symbol_from_name(hsa_code_object_t code_object,
                                                  const char *module_name,
                                                  const char *symbol_name,
                                                  hsa_code_symbol_t *symbol)
{
  AQDROP_ENTER(runtime);
  const aqdrop_code *code = code_from(runtime, code_object);
  if (!code)
    return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
  if (!symbol_name || !symbol)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  if (module_name && *module_name) /* symbols belong to no module */
    return HSA_STATUS_ERROR_INVALID_SYMBOL_NAME;
  const aq_code_symbol *found = aq_codeobj_symbol(&code->code, symbol_name);
  if (!found || !found->is_object)
    return HSA_STATUS_ERROR_INVALID_SYMBOL_NAME;
  symbol->handle = (uintptr_t)found;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_code_object_get_symbol(hsa_code_object_t code_object,
                                        const char *symbol_name,
                                        hsa_code_symbol_t *symbol)
{
  AQDROP_RECORD_CALL(AQ_KIND_CALL);
  return hsa_code_object_get_symbol_from_name(code_object, NULL, symbol_name,
                                              symbol);
}

hsa_status_t hsa_code_object_iterate_symbols(
    hsa_code_object_t code_object,
    hsa_status_t (*callback)(hsa_code_object_t code_object,
                             hsa_code_symbol_t symbol, void *data),
    void *data)
{
  AQDROP_ENTER(runtime);
  const aqdrop_code *code = code_from(runtime, code_object);
  hsa_status_t status = HSA_STATUS_SUCCESS;
  if (!code)
    return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
  if (!callback)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  for (size_t i = 0;
       i < code->code.symbol_count && status == HSA_STATUS_SUCCESS; i++) {
    const aq_code_symbol *symbol = &code->code.symbols[i];
    if (symbol->is_object)
      status =
          callback(code_object, (hsa_code_symbol_t){(uintptr_t)symbol}, data);
  }
  return status;
}

hsa_status_t hsa_code_symbol_get_info(hsa_code_symbol_t code_symbol,
                                      uint32_t attribute, void *value)
{
  AQDROP_ENTER(runtime);
  const aq_code_symbol *found = NULL;
  pthread_mutex_lock(&runtime->lock);
  for (const aqdrop_code *code = runtime->first_code; code && !found;
       code = code->next)
    for (size_t i = 0; i < code->code.symbol_count; i++)
      if ((uintptr_t)&code->code.symbols[i] == code_symbol.handle)
        found = &code->code.symbols[i];
  pthread_mutex_unlock(&runtime->lock);
  if (!found)
    return HSA_STATUS_ERROR_INVALID_CODE_SYMBOL;
  if (!value)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  return aqdrop_symbol_info(found, found->address, attribute, value);
}
