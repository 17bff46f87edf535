/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "backend_sim/code/modules.h"

#include <stdlib.h>
#include <string.h>

#include "backend_sim/engine/allocation_publish.h"
#include "backend_sim/queue_state.h"
#include "common/host_kernels.h"
#include "gpu/codeobj/loader.h"

typedef struct aqsim_module {
  aq_kernel_scope scope;
  struct aqsim_module *next;
  aqsim *sim;
  uint32_t device;
  void *block; /* of the simulator's memory: the image lies in it */
  aq_code_image image;
} aqsim_module;

/* ---- variables ---- */

static void *variable_find(const aq_kernel_scope *scope, const char *name,
                           uint64_t *size)
{
  const aqsim_module *module = (const void *)scope;
  const aq_code_symbol *found = aq_codeobj_symbol(&module->image.code, name);
  if (!found || !found->is_object || found->kernel)
    return NULL;
  *size = found->size;
  return (void *)(uintptr_t)aq_code_image_symbol(&module->image, found);
}

/* Of the module that the object of a kernel lies in, or NULL. */
static const aq_kernel_scope *scope_find(const aqsim *sim, uint64_t object)
{
  const aqsim_module *module = sim->modules;
  while (module && !aq_code_image_has(&module->image, object))
    module = module->next;
  return module ? &module->scope : NULL;
}

/* ---- kernels ---- */

/* A policy keeps names of kernels that ended, and a host function that runs is
 * no longer referred to by its packet: both wait for a later call. */
static bool may_collect(const aqsim *sim)
{
  for (uint32_t i = 0; i < sim->device_count; i++)
    if (sim->devices[i].policy)
      return false;
  return sim->depth == 0 && !sim->destroyed;
}

/* Frees the retired kernels that no packet in flight refers to. */
static void kernels_collect(aqsim *sim)
{
  if (!sim->kernels.retired || !may_collect(sim))
    return;
  for (aqsim_queue *queue = sim->first_queue; queue; queue = queue->next) {
    if (queue->line.kernel && queue->line.kernel->retired)
      queue->line.kernel = NULL;
    for (uint32_t i = 0; i < queue->pool.fresh; i++) {
      aqsim_inflight *inflight = &queue->pool.inflights[i];
      if (!inflight->in_use)
        inflight->kernel = NULL;
      else if (inflight->kernel)
        ((aqsim_kernel *)(uintptr_t)inflight->kernel)->in_use = true;
    }
  }
  aqsim_kernels_sweep(&sim->kernels);
}

void aqsim_kernel_forget(aqsim *sim, uint64_t object)
{
  if (aqsim_kernel_unregister(&sim->kernels, object))
    kernels_collect(sim);
}

aq_status aqsim_kernel_add(aqsim *sim, const aq_kernel_desc *desc,
                           aq_kernel_info *out, aq_diag *diag)
{
  aq_record_sink *sink = sim->recorder.sink;
  aqsim_kernel *kernel;
  aq_status status = aqsim_kernel_register(&sim->kernels, desc, &kernel, diag);
  if (status == AQ_OK && !desc->scope && desc->function)
    kernel->desc.scope = scope_find(sim, desc->object);
  kernels_collect(sim); /* it may have taken the place of another */
  if (status == AQ_OK && sink)
    status = sink->name(sink, kernel->desc.name, strlen(kernel->desc.name),
                        &kernel->record_name, diag);
  if (status == AQ_OK)
    aqsim_kernel_describe(kernel, out);
  return status;
}

/* ---- modules ---- */

static void *block_allocate(void *user, size_t size, size_t align)
{
  aqsim_module *module = user;
  module->block =
      aqsim_memory_alloc(&module->sim->memory, module->device, size + align);
  if (!module->block)
    return NULL;
  return (char *)module->block + (-(uintptr_t)module->block & (align - 1));
}

static void block_release(void *user, void *base, size_t size)
{
  aqsim_module *module = user;
  (void)base, (void)size;
  aqsim_memory_free(&module->sim->memory, module->block);
}

static aqsim_module **module_link(aqsim *sim, uint64_t id)
{
  aqsim_module **link = &sim->modules;
  while (*link && (uintptr_t)*link != id)
    link = &(*link)->next;
  return link;
}

static bool text_publish(void *user, const void *base, size_t size)
{
  const aqsim_module *module = user;
  return aqsim_publish(module->sim->allocations, base, size, AQ_ALLOCATION_TEXT,
                       module->device);
}

static bool text_withdraw(void *user, const void *base, size_t size)
{
  const aqsim_module *module = user;
  (void)size;
  aqsim_withdraw(module->sim->allocations, base, AQ_ALLOCATION_TEXT);
  return true;
}

static void module_withdraw(aqsim_module *module)
{
  aq_code_image_texts(&module->image, text_withdraw, module);
  aqsim_withdraw(module->sim->allocations, module->image.base,
                 AQ_ALLOCATION_CODE);
}

aq_status aqsim_module_load(aqsim *sim, uint32_t device, const void *bytes,
                            size_t size, uint64_t *out, aq_diag *diag)
{
  const char *gfx = sim->infos[device].gfx;
  aq_target target;
  aq_status status = aq_target_parse(gfx, strlen(gfx), &target, diag);
  if (status != AQ_OK)
    return status;
  aqsim_module *module = calloc(1, sizeof *module);
  if (!module)
    return aq_diag_no_memory(diag);
  const aq_code_memory memory = {block_allocate, block_release, module};
  const aq_code_image_options options = {.memory = &memory, .device = &target};
  module->scope.variable = variable_find;
  module->sim = sim;
  module->device = device;
  status = aq_code_image_load(bytes, size, &options, &module->image, diag);
  if (status == AQ_OK &&
      !(aqsim_publish(sim->allocations, module->image.base, module->image.span,
                      AQ_ALLOCATION_CODE, device) &&
        aq_code_image_texts(&module->image, text_publish, module))) {
    module_withdraw(module);
    aq_code_image_unload(&module->image);
    status = aq_diag_no_memory(diag);
  }
  if (status != AQ_OK) {
    free(module);
    return status;
  }
  module->next = sim->modules;
  sim->modules = module;
  *out = (uintptr_t)module;
  return AQ_OK;
}

/* Its kernels were looked up, or are not known. */
static void module_free(aqsim *sim, aqsim_module *module)
{
  const aq_codeobj *code = &module->image.code;
  for (size_t i = 0; i < code->kernel_count; i++)
    aqsim_kernel_forget(
        sim, aq_code_image_object(&module->image, &code->kernels[i]));
  module_withdraw(module);
  aq_code_image_unload(&module->image);
  free(module);
}

void aqsim_module_unload(aqsim *sim, uint64_t id)
{
  aqsim_module **link = module_link(sim, id), *module = *link;
  if (!module)
    return;
  *link = module->next;
  module_free(sim, module);
}

void aqsim_modules_fini(aqsim *sim)
{
  while (sim->modules)
    aqsim_module_unload(sim, (uintptr_t)sim->modules);
}

static const aq_code_kernel *module_find(const aqsim_module *module,
                                         const char *name)
{
  const aq_codeobj *code = &module->image.code;
  const aq_code_kernel *kernel = aq_codeobj_kernel(code, name);
  const aq_code_symbol *symbol = kernel ? NULL : aq_codeobj_symbol(code, name);
  return symbol ? symbol->kernel : kernel;
}

/* Registered when it is looked up first: of a large library, few are. A host
 * function that a client has given to the object since then stays. */
aq_status aqsim_module_kernel(aqsim *sim, uint64_t id, const char *name,
                              aq_kernel_info *out, aq_diag *diag)
{
  const aqsim_module *module = *module_link(sim, id);
  const aq_code_kernel *kernel = module ? module_find(module, name) : NULL;
  if (!kernel)
    return aq_diag_set(diag, AQ_ERR_NOT_FOUND,
                       module ? "sim: the code object has no kernel '%s'"
                              : "sim: no module for kernel '%s' is loaded",
                       name);
  const aqsim_kernel *known = aqsim_kernel_from(
      &sim->kernels, aq_code_image_object(&module->image, kernel));
  if (!known) {
    aq_kernel_desc desc = aq_code_image_kernel(&module->image, kernel);
    aq_kernel_entry_describe(NULL, &desc);
    return aqsim_kernel_add(sim, &desc, out, diag);
  }
  aqsim_kernel_describe(known, out);
  return AQ_OK;
}
