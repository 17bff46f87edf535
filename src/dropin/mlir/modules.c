/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "dropin/mlir/core.h"
#include "gpu/codeobj/bundle.h"
#include "gpu/codeobj/codeobj.h"
#include "gpu/codeobj/hidden.h"
#include "gpu/codeobj/kernel_text.h"

struct aq_mlir_function {
  aq_mlir_function *next;
  const aq_mlir_module *module;
  const aq_code_kernel *kernel; /* of the module's code */
  aq_kernel_info info;
};

struct aq_mlir_module {
  aq_mlir_module *next;
  uint32_t device;
  uint64_t id; /* of the transport */
  aq_codeobj code;
  aq_mlir_function *functions;
};

/* ---- the code for a device ---- */

static aq_status target_refuse(const aq_mlir *m, uint32_t device,
                               const char *has, aq_diag *diag)
{
  const aq_device_info *info = &m->info.devices[device];
  return aq_diag_set(
      diag, AQ_ERR_INPUT,
      "GPU module: its code is for %s; device %" PRIu32 ", %s, is %s", has,
      device, info->name ? info->name : "unnamed", info->gfx);
}

static aq_status object_check(const aq_mlir *m, uint32_t device,
                              const aq_target *wanted, const void *bytes,
                              size_t size, aq_diag *diag)
{
  aq_codeobj code;
  char has[AQ_TARGET_TEXT_SIZE];
  aq_status status =
      aq_codeobj_read_to(bytes, size, AQ_CODEOBJ_DESCRIPTORS, &code, diag);
  if (status != AQ_OK)
    return aq_diag_prefix(diag, "GPU module");
  if (aq_target_fits(&code.target, wanted) == AQ_FIT_NONE) {
    aq_target_print(&code.target, has);
    status = target_refuse(m, device, has, diag);
  }
  aq_codeobj_fini(&code);
  return status;
}

/* The entry for the device, of bundles that are the caller's to end. */
static aq_status bundle_search(const aq_mlir *m, uint32_t device,
                               const aq_target *wanted,
                               const aq_bundles *bundles, const void **bytes,
                               size_t *size, aq_diag *diag)
{
  char has[300] = "";
  for (size_t i = 0; i < bundles->count; i++) {
    const aq_bundle *bundle = &bundles->list[i];
    const aq_bundle_entry *entry = aq_bundle_find(bundle, wanted);
    if (entry) {
      *bytes = entry->bytes;
      *size = entry->size;
      return AQ_OK;
    }
    for (size_t e = 0; e < bundle->count; e++) {
      const size_t used = strlen(has);
      char id[80];
      snprintf(has + used, sizeof has - used, "%s%s", used ? ", " : "",
               aq_code_text(bundle->entries[e].id, id, sizeof id));
    }
  }
  return target_refuse(m, device, has, diag);
}

/* ---- modules ---- */

static aq_status module_make(aq_mlir *m, uint32_t device, const void *bytes,
                             size_t size, aq_mlir_module **out, aq_diag *diag)
{
  aq_mlir_module *module = calloc(1, sizeof *module);
  if (!module)
    return aq_diag_no_memory(diag);
  module->device = device;
  aq_status status = aq_codeobj_read(bytes, size, &module->code, diag);
  if (status == AQ_OK) {
    status =
        m->t->ops->module_load(m->t, device, bytes, size, &module->id, diag);
    if (status != AQ_OK)
      aq_codeobj_fini(&module->code);
  }
  if (status != AQ_OK) {
    free(module);
    return aq_diag_prefix(diag, "GPU module");
  }
  module->next = m->modules;
  m->modules = module;
  *out = module;
  return AQ_OK;
}

/* Code of simulated devices is executed, or the module is refused: a kernel
 * that only takes its time would give wrong results. */
static aq_status executes_check(const aq_mlir *m, uint32_t device,
                                aq_diag *diag)
{
  const aq_device_info *info = &m->info.devices[device];
  return m->hardware || aq_transport_executes(info->gfx)
             ? AQ_OK
             : aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                           "GPU module: the simulator does not execute code "
                           "of %s, device %" PRIu32,
                           info->gfx, device);
}

aq_status aq_mlir_module_load(aq_mlir *m, uint32_t device, const void *bytes,
                              size_t size, aq_mlir_module **out, aq_diag *diag)
{
  const char *gfx = m->info.devices[device].gfx;
  aq_target wanted;
  aq_bundles bundles = {0};
  aq_status status = executes_check(m, device, diag);
  if (status == AQ_OK)
    status = aq_target_parse(gfx, strlen(gfx), &wanted, diag);
  if (status != AQ_OK)
    return status;
  if (aq_bundle_is(bytes, size)) {
    status = aq_bundles_read(bytes, size, &bundles, diag);
    if (status == AQ_OK)
      status = bundle_search(m, device, &wanted, &bundles, &bytes, &size, diag);
  } else if (aq_codeobj_is(bytes, size)) {
    status = object_check(m, device, &wanted, bytes, size, diag);
  } else {
    status = aq_diag_set(diag, AQ_ERR_INPUT,
                         "GPU module: %zu bytes that are neither a code object "
                         "nor an offload bundle",
                         size);
  }
  if (status == AQ_OK)
    status = module_make(m, device, bytes, size, out, diag);
  aq_bundles_fini(&bundles);
  return status;
}

static void module_free(const aq_mlir *m, aq_mlir_module *module)
{
  m->t->ops->module_unload(m->t, module->id);
  while (module->functions) {
    aq_mlir_function *f = module->functions;
    module->functions = f->next;
    free(f);
  }
  aq_codeobj_fini(&module->code);
  free(module);
}

static aq_mlir_module **module_link(aq_mlir *m, const aq_mlir_module *module)
{
  aq_mlir_module **link = &m->modules;
  while (*link && *link != module)
    link = &(*link)->next;
  return link;
}

static aq_status module_check(aq_mlir *m, const aq_mlir_module *module,
                              aq_diag *diag)
{
  return module && *module_link(m, module)
             ? AQ_OK
             : aq_diag_set(diag, AQ_ERR_INVALID,
                           "module %p is not one, or was unloaded",
                           (const void *)module);
}

aq_status aq_mlir_module_unload(aq_mlir *m, aq_mlir_module *module,
                                aq_diag *diag)
{
  aq_status status = aq_mlir_all_wait(m, diag);
  if (status == AQ_OK)
    status = module_check(m, module, diag);
  if (status != AQ_OK)
    return status;
  *module_link(m, module) = module->next;
  module_free(m, module);
  return AQ_OK;
}

void aq_mlir_modules_fini(aq_mlir *m)
{
  while (m->modules) {
    aq_mlir_module *module = m->modules;
    m->modules = module->next;
    module_free(m, module);
  }
}

/* ---- functions ---- */

static aq_status kernel_refuse(const aq_mlir_module *module, const char *name,
                               aq_diag *diag)
{
  char known[200] = "", text[64];
  for (size_t i = 0; i < module->code.kernel_count; i++) {
    const size_t used = strlen(known);
    snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "",
             aq_code_text(module->code.kernels[i].name, text, sizeof text));
  }
  return aq_diag_set(diag, AQ_ERR_INPUT,
                     "GPU module: it has no kernel '%.100s'; it has %s", name,
                     *known ? known : "none");
}

aq_status aq_mlir_function_find(aq_mlir *m, aq_mlir_module *module,
                                const char *name, aq_mlir_function **out,
                                aq_diag *diag)
{
  aq_status status = module_check(m, module, diag);
  if (status != AQ_OK)
    return status;
  const aq_code_kernel *kernel = aq_codeobj_kernel(&module->code, name);
  if (!kernel)
    return kernel_refuse(module, name, diag);
  aq_mlir_function *f = module->functions;
  while (f && f->kernel != kernel)
    f = f->next;
  *out = f;
  if (f)
    return AQ_OK;
  f = calloc(1, sizeof *f);
  if (!f)
    return aq_diag_no_memory(diag);
  f->module = module;
  f->kernel = kernel;
  status = m->t->ops->kernel_lookup(m->t, module->id, name, &f->info, diag);
  if (status != AQ_OK) {
    free(f);
    return status;
  }
  f->next = module->functions;
  module->functions = f;
  *out = f;
  return AQ_OK;
}

static aq_status function_check(const aq_mlir *m,
                                const aq_mlir_function *function, aq_diag *diag)
{
  for (const aq_mlir_module *module = m->modules; module; module = module->next)
    for (const aq_mlir_function *f = module->functions; f; f = f->next)
      if (f == function)
        return AQ_OK;
  return aq_diag_set(diag, AQ_ERR_INVALID,
                     "function %p is not one, or its module was unloaded",
                     (const void *)function);
}

/* ---- arguments ---- */

static aq_status hostcall_put(aq_mlir *m, const aq_mlir_function *f,
                              unsigned char *kernarg, aq_diag *diag)
{
  enum { WAVES_A_CU = 40 };
  const uint32_t device = f->module->device;
  return aq_hostcall_place(m->hostcall, m->t, device, f->kernel,
                           (uint64_t)WAVES_A_CU * m->info.devices[device].cus,
                           kernarg, diag);
}

static aq_status args_check(const aq_mlir_function *f,
                            const aq_mlir_launch *launch, aq_diag *diag)
{
  const aq_code_kernel *kernel = f->kernel;
  size_t wanted = 0;
  if (!kernel->has_metadata && kernel->kernarg_size > 0)
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "kernel %.100s: its code object does not describe its "
                       "arguments",
                       kernel->name);
  for (size_t i = 0; i < kernel->arg_count; i++)
    wanted += !kernel->args[i].hidden;
  return wanted == launch->param_count
             ? AQ_OK
             : aq_diag_set(diag, AQ_ERR_INVALID,
                           "kernel %.100s takes %zu arguments, and the launch "
                           "has %zu",
                           kernel->name, wanted, launch->param_count);
}

/* ---- launches ---- */

static aq_status shape_read(const aq_mlir_function *f,
                            const aq_mlir_launch *launch, aq_launch_shape *out,
                            aq_diag *diag)
{
  for (int i = 0; i < 3; i++) {
    const int64_t blocks = launch->blocks[i], threads = launch->threads[i];
    if (blocks < 1 || threads < 1 || threads > UINT16_MAX ||
        blocks > UINT32_MAX / threads)
      return aq_diag_set(diag, AQ_ERR_INVALID,
                         "kernel %.100s: axis %c has %" PRId64
                         " workgroups of %" PRId64
                         " work-items; expected at least 1 of each, at most "
                         "%u work-items, and fewer than 2^32 in all",
                         f->kernel->name, 'x' + i, blocks, threads, UINT16_MAX);
    out->grid[i] = (uint32_t)(blocks * threads);
    out->workgroup[i] = (uint16_t)threads;
  }
  if (launch->lds < 0 || launch->lds > INT32_MAX)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "kernel %.100s: %" PRId64
                       " bytes of dynamic group segment",
                       f->kernel->name, launch->lds);
  out->lds = (uint32_t)launch->lds;
  return AQ_OK;
}

static aq_record launch_row(const aq_mlir_function *f, const aq_launch *launch)
{
  const aq_code_kernel *kernel = f->kernel;
  aq_record row;
  aq_record_init(&row);
  row.kind = AQ_KIND_KERNEL;
  row.grid_x = launch->grid[0];
  row.grid_y = launch->grid[1];
  row.grid_z = launch->grid[2];
  row.wg_x = launch->workgroup[0];
  row.wg_y = launch->workgroup[1];
  row.wg_z = launch->workgroup[2];
  row.lds = launch->group_size;
  row.scratch = launch->private_size;
  row.vgpr = kernel->has_metadata ? (int64_t)kernel->vgprs : AQ_NONE;
  row.agpr = kernel->has_metadata ? (int64_t)kernel->agprs : AQ_NONE;
  row.sgpr = kernel->has_metadata ? (int64_t)kernel->sgprs : AQ_NONE;
  return row;
}

static aq_status launch_put(aq_mlir *m, const aq_mlir_function *f,
                            const aq_launch_shape *shape,
                            const unsigned char *kernarg,
                            aq_mlir_stream *stream, aq_diag *diag)
{
  aq_mlir_stream *s;
  aq_launch launch = {.object = f->info.object,
                      .group_size = f->info.group_size + shape->lds,
                      .private_size = f->info.private_size,
                      .kernargs = kernarg,
                      .kernarg_size = f->kernel->kernarg_size};
  memcpy(launch.grid, shape->grid, sizeof launch.grid);
  memcpy(launch.workgroup, shape->workgroup, sizeof launch.workgroup);
  aq_status status =
      aq_mlir_stream_enter(m, stream, f->module->device, &s, diag);
  if (status != AQ_OK)
    return status;
  if (s->device != f->module->device)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "kernel %.100s was loaded for device %" PRIu32
                       ", and the stream is of device %" PRIu32,
                       f->kernel->name, f->module->device, s->device);
  const aq_point done = aq_mlir_stream_next(s);
  const aq_sync sync = {.signals = &done, .signal_count = 1};
  const aq_record row = launch_row(f, &launch);
  aq_mlir_records_note(&s->q->records, &row, f->kernel->name);
  status = aq_queue_dispatch(s->q->queue, &sync, &launch, diag);
  if (status != AQ_OK)
    aq_mlir_records_drop(&s->q->records);
  return aq_mlir_stream_leave(m, s, stream, status, diag);
}

aq_status aq_mlir_launch_submit(aq_mlir *m, aq_mlir_function *f,
                                const aq_mlir_launch *launch,
                                aq_mlir_stream *stream, aq_diag *diag)
{
  aq_launch_shape shape;
  aq_status status = function_check(m, f, diag);
  if (status == AQ_OK)
    status = shape_read(f, launch, &shape, diag);
  if (status != AQ_OK)
    return status;
  unsigned char *kernarg = calloc(1, f->kernel->kernarg_size + 1u);
  if (!kernarg)
    return aq_diag_no_memory(diag);
  size_t next = 0;
  status = args_check(f, launch, diag);
  for (size_t i = 0; i < f->kernel->arg_count && status == AQ_OK; i++) {
    const aq_code_arg *arg = &f->kernel->args[i];
    if (arg->hidden)
      aq_launch_hidden_put(arg, &shape, kernarg);
    else
      memcpy(kernarg + arg->offset, launch->params[next++], arg->size);
  }
  if (status == AQ_OK)
    status = hostcall_put(m, f, kernarg, diag);
  if (status == AQ_OK)
    status = launch_put(m, f, &shape, kernarg, stream, diag);
  free(kernarg);
  return status;
}
