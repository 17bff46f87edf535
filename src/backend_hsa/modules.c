/* SPDX-License-Identifier: MIT */
/* Code objects and their kernels, and host functions on a simulator. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend_hsa/core.h"

enum { SYMBOL_NAME = 1024 };

/* ---- modules ---- */

static void module_free(const aqhsa *hsa, aqhsa_module *module)
{
  if (module->executable.handle)
    hsa->api->hsa_executable_destroy(module->executable);
  if (module->reader.handle)
    hsa->api->hsa_code_object_reader_destroy(module->reader);
  free(module->image);
  free(module);
}

static hsa_status_t module_open(const aqhsa *hsa, aqhsa_module *module,
                                size_t size)
{
  const aqhsa_api *api = hsa->api;
  hsa_status_t got = api->hsa_code_object_reader_create_from_memory(
      module->image, size, &module->reader);
  if (got == HSA_STATUS_SUCCESS)
    got = api->hsa_executable_create_alt(
        HSA_PROFILE_FULL, HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT, NULL,
        &module->executable);
  if (got == HSA_STATUS_SUCCESS)
    got = api->hsa_executable_load_agent_code_object(
        module->executable, module->agent, module->reader, NULL, NULL);
  if (got == HSA_STATUS_SUCCESS)
    got = api->hsa_executable_freeze(module->executable, NULL);
  return got;
}

aq_status aqhsa_module_load(aq_transport *t, uint32_t device, const void *image,
                            size_t size, uint64_t *out, aq_diag *diag)
{
  aqhsa *hsa = aqhsa_from(t);
  aq_status status = aqhsa_device_check(hsa, device, diag);
  if (status != AQ_OK)
    return status;
  aqhsa_module *module = calloc(1, sizeof *module);
  if (module)
    module->image = malloc(size ? size : 1);
  if (!module || !module->image) {
    free(module);
    return aq_diag_no_memory(diag);
  }
  memcpy(module->image, image, size);
  module->agent = hsa->agents[device];
  hsa_status_t got = module_open(hsa, module, size);
  if (got != HSA_STATUS_SUCCESS) {
    module_free(hsa, module);
    /* The error, with the targets that the device takes. */
    return aq_diag_set(diag, aqhsa_status(got),
                       "hsa: code object for %s: %s (0x%x)",
                       hsa->devices[device].gfx,
                       aqhsa_status_text(hsa->api, got), (unsigned)got);
  }
  pthread_mutex_lock(&hsa->lock);
  bool kept =
      aqhsa_table_put(&hsa->modules, &module->held, module->executable.handle);
  pthread_mutex_unlock(&hsa->lock);
  if (!kept) {
    module_free(hsa, module);
    return aq_diag_no_memory(diag);
  }
  *out = module->executable.handle;
  return AQ_OK;
}

static aqhsa_module *module_find(aqhsa *hsa, uint64_t module, bool take)
{
  pthread_mutex_lock(&hsa->lock);
  aqhsa_held *held = aqhsa_table_get(&hsa->modules, module);
  if (held && take)
    aqhsa_table_remove(&hsa->modules, held);
  pthread_mutex_unlock(&hsa->lock);
  return (aqhsa_module *)held;
}

static void kernel_free(aqhsa_kernel *kernel)
{
  free(kernel->name);
  free(kernel);
}

/* The first of the list that is of a module and, unless 0, has an object; under
 * the lock. */
static aqhsa_kernel *kernel_take(aqhsa *hsa, uint64_t module, uint64_t object)
{
  aqhsa_kernel **link = &hsa->kernels, *kernel;
  uint64_t known = 0;
  while ((kernel = *link) && (kernel->module != module ||
                              (object && kernel->info.object != object)))
    link = &kernel->next;
  if (!kernel)
    return NULL;
  *link = kernel->next;
  if (aq_map_get(&hsa->objects, kernel->info.object, &known) &&
      known == (uintptr_t)kernel)
    aq_map_remove(&hsa->objects, kernel->info.object, &known);
  return kernel;
}

/* Takes the kernel in any case: one that is known stays. */
static aq_status kernel_keep(aqhsa *hsa, aqhsa_kernel *kernel, aq_diag *diag)
{
  uint64_t known;
  pthread_mutex_lock(&hsa->lock);
  const bool again = aq_map_get(&hsa->objects, kernel->info.object, &known) &&
                     ((aqhsa_kernel *)(uintptr_t)known)->module != 0 &&
                     kernel->module != 0;
  const bool kept = !again && aq_map_put(&hsa->objects, kernel->info.object,
                                         (uintptr_t)kernel);
  if (kept) {
    kernel->next = hsa->kernels;
    hsa->kernels = kernel;
  }
  pthread_mutex_unlock(&hsa->lock);
  if (!kept)
    kernel_free(kernel);
  return kept || again ? AQ_OK : aq_diag_no_memory(diag);
}

void aqhsa_module_unload(aq_transport *t, uint64_t module)
{
  aqhsa *hsa = aqhsa_from(t);
  aqhsa_module *found = module_find(hsa, module, true);
  if (!found)
    return;
  pthread_mutex_lock(&hsa->lock);
  for (aqhsa_kernel *kernel; (kernel = kernel_take(hsa, module, 0));)
    kernel_free(kernel);
  pthread_mutex_unlock(&hsa->lock);
  module_free(hsa, found);
}

/* ---- kernels ---- */

static aq_status not_found(const char *name, aq_diag *diag)
{
  return aq_diag_set(diag, AQ_ERR_NOT_FOUND, "hsa: there is no kernel %s",
                     name);
}

/* "NAME.kd", or "NAME" as it is. */
static bool symbol_find(const aqhsa *hsa, const aqhsa_module *module,
                        const char *name, hsa_executable_symbol_t *out)
{
  char symbol[SYMBOL_NAME];
  int length = snprintf(symbol, sizeof symbol, "%s.kd", name);
  return hsa->api->hsa_executable_get_symbol_by_name(module->executable, name,
                                                     &module->agent, out) ==
             HSA_STATUS_SUCCESS ||
         (length < (int)sizeof symbol &&
          hsa->api->hsa_executable_get_symbol_by_name(
              module->executable, symbol, &module->agent, out) ==
              HSA_STATUS_SUCCESS);
}

static aqhsa_kernel *kernel_make(uint64_t module, const char *name)
{
  aqhsa_kernel *kernel = calloc(1, sizeof *kernel);
  if (!kernel)
    return NULL;
  kernel->module = module;
  kernel->info.name = kernel->name = strdup(name);
  if (kernel->name)
    return kernel;
  free(kernel);
  return NULL;
}

/* So that its object describes it. */
static aq_status lookup_keep(aqhsa *hsa, uint64_t module, const char *name,
                             const aq_kernel_info *info, aq_kernel_info *out,
                             aq_diag *diag)
{
  aqhsa_kernel *kernel = kernel_make(module, name);
  if (!kernel)
    return aq_diag_no_memory(diag);
  const char *kept = kernel->info.name;
  kernel->info = *info;
  kernel->info.name = kept;
  aq_status status = kernel_keep(hsa, kernel, diag);
  if (status == AQ_OK && !aqhsa_kernel_describe(&hsa->base, info->object, out))
    status = not_found(name, diag);
  return status;
}

bool aqhsa_kernel_describe(aq_transport *t, uint64_t object,
                           aq_kernel_info *out)
{
  aqhsa *hsa = aqhsa_from(t);
  uint64_t kernel = 0;
  pthread_mutex_lock(&hsa->lock);
  const bool known = aq_map_get(&hsa->objects, object, &kernel);
  if (known)
    *out = ((const aqhsa_kernel *)(uintptr_t)kernel)->info;
  pthread_mutex_unlock(&hsa->lock);
  return known;
}

aq_status aqhsa_kernel_lookup(aq_transport *t, uint64_t module,
                              const char *name, aq_kernel_info *out,
                              aq_diag *diag)
{
  aqhsa *hsa = aqhsa_from(t);
  const aqhsa_api *api = hsa->api;
  hsa_executable_symbol_t symbol;
  aq_kernel_info info = {.code = true};
  bool dynamic = false;
  if (module == 0) {
    pthread_mutex_lock(&hsa->lock);
    const aqhsa_kernel *kernel = hsa->kernels;
    while (kernel && (kernel->module != 0 || strcmp(kernel->name, name) != 0))
      kernel = kernel->next;
    if (kernel)
      *out = kernel->info;
    pthread_mutex_unlock(&hsa->lock);
    return kernel ? AQ_OK : not_found(name, diag);
  }
  const aqhsa_module *found = module_find(hsa, module, false);
  if (!found || !symbol_find(hsa, found, name, &symbol))
    return not_found(name, diag);
  hsa_status_t got = api->hsa_executable_symbol_get_info(
      symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, &info.object);
  if (got != HSA_STATUS_SUCCESS)
    return not_found(name, diag);
  api->hsa_executable_symbol_get_info(
      symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE,
      &info.kernarg_size);
  api->hsa_executable_symbol_get_info(
      symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE,
      &info.group_size);
  api->hsa_executable_symbol_get_info(
      symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE,
      &info.private_size);
  api->hsa_executable_symbol_get_info(
      symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_DYNAMIC_CALLSTACK, &dynamic);
  if (dynamic && info.private_size < AQ_KERNEL_STACK)
    info.private_size = AQ_KERNEL_STACK;
  return lookup_keep(hsa, module, name, &info, out, diag);
}

aq_status aqhsa_kernel_register(aq_transport *t, const aq_kernel_desc *desc,
                                aq_kernel_info *out, aq_diag *diag)
{
  aqhsa *hsa = aqhsa_from(t);
  if (!(hsa->caps & AQ_CAP_HOST_KERNELS))
    return aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                       "hsa: kernel %s is a host function, which no GPU runs; "
                       "load a code object that has it",
                       desc->name);
  aqhsa_kernel *kernel = kernel_make(0, desc->name);
  if (!kernel)
    return aq_diag_no_memory(diag);
  const aq_kernel_info info = {
      .kernarg_size = desc->kernarg_size,
      .group_size = desc->group_size,
      .private_size = desc->private_size,
      .vgprs = desc->vgprs,
      .agprs = desc->agprs,
      .sgprs = desc->sgprs,
      .wave_size = desc->wave_size,
      .workgroup_max = desc->workgroup_max,
      .workgroup = {desc->workgroup[0], desc->workgroup[1], desc->workgroup[2]},
      .name = kernel->name};
  kernel->info = info;
  hsa_status_t got = hsa->sim.kernel_register(desc, &kernel->info.object);
  if (got != HSA_STATUS_SUCCESS) {
    kernel_free(kernel);
    return aqhsa_fail(hsa->api, got, diag, "registering a host function");
  }
  *out = kernel->info;
  return kernel_keep(hsa, kernel, diag);
}

void aqhsa_kernel_unregister(aq_transport *t, uint64_t object)
{
  aqhsa *hsa = aqhsa_from(t);
  pthread_mutex_lock(&hsa->lock);
  aqhsa_kernel *kernel = kernel_take(hsa, 0, object);
  pthread_mutex_unlock(&hsa->lock);
  if (!kernel)
    return;
  hsa->sim.kernel_unregister(object);
  kernel_free(kernel);
}

void aqhsa_modules_close(aqhsa *hsa)
{
  while (hsa->modules.first)
    aqhsa_module_unload(&hsa->base, hsa->modules.first->key);
  aq_map_fini(&hsa->modules.map);
  aq_map_fini(&hsa->objects);
  while (hsa->kernels) {
    aqhsa_kernel *kernel = hsa->kernels;
    hsa->kernels = kernel->next;
    kernel_free(kernel);
  }
}
