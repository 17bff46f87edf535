/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "study/launch/launcher.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/transports.h"
#include "gpu/codeobj/kernel_text.h"
#include "gpu/devlib/devlib.h"
#include "study/launch/watchdog.h"
#include "study/session/cost.h"
#include "transport/registry/device_models.h"

/* ---- the device ---- */

static bool file_fits(const aq_launcher *l, const char *gfx)
{
  return l->is_dispatch ? strcmp(l->dispatch.gfx, gfx) == 0
                        : aq_code_file_fits(&l->file, gfx);
}

/* The first device model that the file has code for. */
static aq_status model_choose(aq_launcher *l, aq_diag *diag)
{
  const char *name;
  if (l->session->options.device || l->session->hardware)
    return AQ_OK;
  for (size_t i = 0; (name = aq_device_model_name(i)); i++) {
    aq_device_model *model;
    aq_status status = aq_device_model_load(name, NULL, &model, diag);
    if (status != AQ_OK)
      return status;
    const char *gfx = aq_device_model_text(model, "gfx");
    const bool fits = file_fits(l, gfx);
    if (fits) {
      char targets[400];
      if (l->is_dispatch)
        snprintf(targets, sizeof targets, "%s", l->dispatch.gfx);
      else
        aq_code_file_targets(&l->file, targets, sizeof targets);
      aq_note(
          l->notes,
          "device %s (%s), the first model that %s has code for (%s); another "
          "may be chosen",
          name, gfx, l->file.path, targets);
    }
    aq_device_model_free(model);
    if (fits) {
      l->session->options.device = name;
      return AQ_OK;
    }
  }
  return aq_diag_set(diag, AQ_ERR_INPUT,
                     "%s: no device model has its instruction set; name "
                     "a device",
                     l->file.path);
}

/* The first device of the transport that the file has code for; if there is
 * none, the error names the first one's instruction set. */
static aq_status device_find(aq_launcher *l, aq_diag *diag)
{
  const void *bytes;
  size_t size;
  uint32_t at = 0;
  l->t->ops->info(l->t, &l->info);
  if (l->info.device_count == 0)
    return aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                       "launch: transport %s has no device", l->t->ops->name);
  while (at < l->info.device_count && !file_fits(l, l->info.devices[at].gfx))
    at++;
  l->launch.device = at < l->info.device_count ? at : 0;
  l->device = &l->info.devices[l->launch.device];
  if (l->is_dispatch)
    return at < l->info.device_count
               ? AQ_OK
               : aq_diag_set(diag, AQ_ERR_INPUT,
                             "%s: it is a dispatch on %s, not on %s",
                             l->ask.path, l->dispatch.gfx, l->device->gfx);
  aq_status status = aq_code_file_find(&l->file, l->device->gfx, l->ask.kernel,
                                       &bytes, &size, diag);
  if (status == AQ_OK)
    status = aq_code_file_read(&l->file, bytes, size, &l->code, diag);
  l->code_is_read = status == AQ_OK;
  return status;
}

/* ---- the kernel ---- */

static void line_note(const char *line, void *user)
{
  aq_note(user, "%s", line);
}

static aq_status kernel_find(aq_launcher *l, const aq_code_kernel **out,
                             aq_diag *diag)
{
  char known[200] = "", name[64];
  size_t count;
  *out = aq_codeobj_kernel_named(&l->code, l->ask.kernel, &count);
  if (*out) {
    l->ask.kernel = (*out)->name;
    return AQ_OK;
  }
  if (count > 1)
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "%s: '%s' names %zu kernels; expected one, with its "
                       "parameters, as its code object has it",
                       l->file.path, l->ask.kernel, count);
  for (size_t i = 0; i < l->code.kernel_count; i++) {
    const size_t used = strlen(known);
    snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "",
             aq_code_text(l->code.kernels[i].name, name, sizeof name));
  }
  return aq_diag_set(diag, AQ_ERR_INPUT, "%s: it has no kernel '%s'; it has %s",
                     l->file.path, l->ask.kernel, known);
}

/* A host function runs in place of the code; without one, the executor runs the
 * code, where it knows the processor, unless the caller chooses one of them. */
static aq_status kernel_register(aq_launcher *l, const aq_code_kernel *kernel,
                                 aq_diag *diag)
{
  const aq_kernel_entry *entry =
      l->ask.from == AQ_KERNELS_FROM_ISA
          ? NULL
          : aq_host_kernels_find(&l->kernels, kernel->name,
                                 strlen(kernel->name));
  aq_kernel_desc desc = {.name = kernel->name,
                         .kernarg_size = kernel->kernarg_size,
                         .group_size = kernel->group_size,
                         .private_size = aq_code_kernel_private(kernel),
                         .vgprs = (uint16_t)kernel->vgprs,
                         .agprs = (uint16_t)kernel->agprs,
                         .sgprs = (uint16_t)kernel->sgprs,
                         .wave_size = (uint16_t)kernel->wave_size,
                         .object = l->launch.kernel.object,
                         .code = l->launch.kernel.object != 0,
                         .workgroup_max = kernel->workgroup_max,
                         .workgroup = {kernel->workgroup[0],
                                       kernel->workgroup[1],
                                       kernel->workgroup[2]}};
  const bool executes = desc.code && l->ask.from != AQ_KERNELS_FROM_HOST &&
                        aq_transport_executes(l->device->gfx);
  if (!entry && (!executes || l->ask.may_miss)) {
    desc.code = false;
    aq_code_kernel_print(kernel, line_note, (void *)(uintptr_t)l->notes);
    if (!l->ask.may_miss)
      return aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                         "kernel %s has no host function; name a plug-in that "
                         "has it, or let missing functions only warn, for "
                         "timing only",
                         l->ask.kernel);
    aq_note(l->notes, "kernel %s has no host function: it computes nothing",
            l->ask.kernel);
  }
  l->executes = !entry && executes && !l->ask.may_miss;
  aq_kernel_entry_describe(entry, &desc);
  return l->t->ops->kernel_register(l->t, &desc, &l->launch.kernel, diag);
}

static aq_status kernel_load(aq_launcher *l, aq_diag *diag)
{
  const void *bytes;
  size_t size;
  uint64_t module;
  aq_status status = aq_code_file_find(&l->file, l->device->gfx, l->ask.kernel,
                                       &bytes, &size, diag);
  if (status == AQ_OK)
    status = l->t->ops->module_load(l->t, l->launch.device, bytes, size,
                                    &module, diag);
  return status == AQ_OK ? l->t->ops->kernel_lookup(l->t, module, l->ask.kernel,
                                                    &l->launch.kernel, diag)
                         : status;
}

/* The requested size, else the kernel's own, else 256 or the grid. */
static aq_status workgroup_choose(aq_launcher *l, const aq_code_kernel *kernel,
                                  aq_diag *diag)
{
  uint32_t *size = l->ask.workgroup;
  uint64_t items = 1;
  const uint32_t most = kernel->workgroup_max ? kernel->workgroup_max : 1024;
  if (size[0] == 0) {
    memcpy(size, kernel->workgroup, sizeof kernel->workgroup);
    if (size[0] == 0) {
      size[0] = l->ask.grid[0] < 256 ? l->ask.grid[0] : 256;
      size[0] = size[0] < most ? size[0] : most;
      size[1] = size[2] = 1;
    }
  }
  for (int i = 0; i < 3; i++) {
    l->launch.grid[i] = l->ask.grid[i];
    l->launch.workgroup[i] = (uint16_t)size[i];
    items *= size[i];
  }
  if (kernel->workgroup[0] &&
      memcmp(size, kernel->workgroup, sizeof kernel->workgroup) != 0)
    return aq_diag_set(
        diag, AQ_ERR_INPUT,
        "workgroup of %ux%ux%u work-items; kernel %s requires %ux%ux%u",
        size[0], size[1], size[2], l->ask.kernel, kernel->workgroup[0],
        kernel->workgroup[1], kernel->workgroup[2]);
  if (items > most)
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "workgroup of %llu work-items; kernel %s takes at most "
                       "%u",
                       (unsigned long long)items, l->ask.kernel, most);
  return AQ_OK;
}

/* Waves of the dispatch that the device holds at once, at most. */
static uint64_t waves_at_once(const aq_launcher *l)
{
  enum { LANES = 64, WAVES_A_CU = 40 };
  const uint64_t most = (uint64_t)WAVES_A_CU * l->device->cus;
  uint64_t groups = 1, items = 1;
  for (int i = 0; i < 3; i++) {
    const uint32_t size = l->launch.workgroup[i];
    groups *= (l->launch.grid[i] + (uint64_t)size - 1) / size;
    items *= size;
    groups = groups < most ? groups : most;
  }
  const uint64_t waves = groups * ((items + LANES - 1) / LANES);
  return waves < most ? waves : most;
}

static aq_status kernel_prepare(aq_launcher *l, aq_diag *diag)
{
  const aq_code_kernel *kernel;
  aq_status status = kernel_find(l, &kernel, diag);
  if (status == AQ_OK)
    status = workgroup_choose(l, kernel, diag);
  if (status == AQ_OK)
    status = l->info.caps & AQ_CAP_CODE_OBJECTS ? kernel_load(l, diag) : AQ_OK;
  if (status == AQ_OK && l->info.caps & AQ_CAP_VIRTUAL_TIME)
    status = kernel_register(l, kernel, diag);
  l->launch.name = l->ask.kernel;
  if (status == AQ_OK && l->session->cost && !l->executes &&
      !aq_session_cost_is_auto(l->session->cost))
    status = aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                         "kernel %s runs a host function; only code "
                         "that is executed has work to count",
                         l->ask.kernel);
  if (status == AQ_OK)
    status = aq_launch_args_place(l->t, kernel, &l->launch, l->ask.args,
                                  l->ask.arg_count, diag);
  if (status == AQ_OK)
    status = aq_hostcall_place(l->hostcall, l->t, l->launch.device, kernel,
                               waves_at_once(l), l->launch.kernarg, diag);
  return status;
}

/* ---- a dispatch file ---- */

/* All of the dispatch is in the file but the queue. */
static aq_status dispatch_prepare(aq_launcher *l, aq_diag *diag)
{
  const aq_kernel_packet *packet = &l->dispatch.packet;
  const aq_executor *executor =
      aq_transport_stack_executor(l->session->transport);
  if (!(l->info.caps & AQ_CAP_VIRTUAL_TIME) ||
      !aq_transport_executes(l->device->gfx) || !executor->allocations)
    return aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                       "%s: a dispatch is repeated on the simulator, by its "
                       "code",
                       l->ask.path);
  aq_status status =
      aq_dispatched_map(&l->dispatch, executor->allocations, diag);
  if (status != AQ_OK)
    return aq_diag_prefix(diag, "%s", l->ask.path);
  l->is_mapped = true;
  aq_kernel_desc desc = {.name = l->dispatch.kernel,
                         .group_size = packet->group_segment_size,
                         .private_size = packet->private_segment_size,
                         .object = packet->kernel_object,
                         .code = true};
  aq_kernel_entry_describe(NULL, &desc);
  status = l->t->ops->kernel_register(l->t, &desc, &l->launch.kernel, diag);
  l->launch.name = l->dispatch.kernel;
  l->launch.kernel.object = packet->kernel_object;
  l->launch.kernel.group_size = packet->group_segment_size;
  l->launch.kernel.private_size = packet->private_segment_size;
  l->launch.kernarg = (void *)(uintptr_t)packet->kernarg_address;
  for (int i = 0; i < 3; i++) {
    l->launch.grid[i] = packet->grid_size[i];
    l->launch.workgroup[i] = packet->workgroup_size[i];
  }
  l->executes = true;
  return status;
}

/* Each begins with the memory of the file. */
static aq_status dispatches_run(aq_launcher *l, aq_record_sink *sink,
                                aq_diag *diag)
{
  const aq_time timeout = l->session->options.timeout;
  aq_status status = dispatch_prepare(l, diag);
  for (uint32_t i = 0; i < l->ask.repeats && status == AQ_OK; i++) {
    if (i > 0)
      status = aq_dispatched_fill(&l->dispatch, diag);
    if (status == AQ_OK)
      status = aq_launch_watch(l->session->transport, l->t, &l->launch, 1, sink,
                               &l->times[i], timeout, "its code", diag);
  }
  l->hangs = status == AQ_ERR_TIMEOUT && timeout > 0;
  return status;
}

/* ---- the run ---- */

static aq_status kernel_run(aq_launcher *l, aq_record_sink *sink, aq_diag *diag)
{
  const aq_time timeout = l->session->options.timeout;
  aq_status status = device_find(l, diag);
  if (status == AQ_OK && l->is_dispatch)
    return dispatches_run(l, sink, diag);
  if (status == AQ_OK)
    status = kernel_prepare(l, diag);
  if (status != AQ_OK)
    return status;
  status = aq_launch_watch(l->session->transport, l->t, &l->launch,
                           l->ask.repeats, sink, l->times, timeout,
                           !l->device->model ? l->device->name
                           : l->executes     ? "its code"
                                             : "its host function",
                           diag);
  l->hangs = status == AQ_ERR_TIMEOUT && timeout > 0;
  for (size_t i = 0; i < l->ask.arg_count && status == AQ_OK; i++)
    status = aq_launch_arg_write(&l->ask.args[i], diag);
  return status;
}

/* Serves what kernels ask of the host. */
static aq_status hostcall_open(aq_launcher *l, aq_diag *diag)
{
  const aq_executor *inner = aq_transport_stack_executor(l->session->transport);
  l->print_to = open_memstream(&l->printed, &l->printed_size);
  l->hostcall = l->print_to ? aq_hostcall_create(inner, l->print_to) : NULL;
  if (!l->hostcall)
    return aq_diag_no_memory(diag);
  l->session->executor = aq_hostcall_executor(l->hostcall);
  l->session->event = aq_launch_fault_read;
  l->session->event_user = &l->faults;
  l->launch.faults = &l->faults;
  return AQ_OK;
}

/* After the transport, which uses the executor. */
static void hostcall_close(aq_launcher *l)
{
  if (l->print_to)
    fclose(l->print_to);
  free(l->printed);
  l->session->executor = NULL;
  l->session->event = NULL;
  aq_hostcall_destroy(l->hostcall);
}

static void transport_close(aq_launcher *l)
{
  aq_hostcall_stop(l->hostcall);
  if (l->t)
    l->t->ops->close(l->t);
  l->t = NULL;
}

static aq_status run_finish(aq_launcher *l, aq_store_writer *writer,
                            aq_run_info *info, aq_diag *diag)
{
  l->t->ops->info(l->t, &l->info);
  l->device = &l->info.devices[l->launch.device];
  info->reproducible = l->info.reproducible;
  info->device_model = l->device->model;
  info->model_hash = l->device->model_hash;
  info->model_verdict = l->device->verdict;
  if (info->kind == AQ_RUN_MEASURED && l->device->model)
    info->notes = "{\"measured_on\":\"simulator\"}";
  info->durations =
      aq_session_cost_durations(writer, info->durations, l->durations);
  free(l->recorded);
  aq_status status = aq_session_recorded(&l->rows, info, &l->recorded, diag);
  return status == AQ_OK ? aq_store_writer_finish(writer, info, diag) : status;
}

static aq_status launcher_run(aq_launcher *l, aq_store *store,
                              aq_run_info *info, aq_diag *diag)
{
  aq_store_writer *writer;
  aq_session_facts probed;
  aq_status status = hostcall_open(l, diag);
  if (status == AQ_OK)
    status = aq_session_probe(l->session, &probed, diag);
  if (status != AQ_OK)
    return status;
  info->kind = probed.kind;
  info->durations = aq_session_durations(l->session, probed.kind);
  info->source = l->file.path;
  info->format = "launch";
  info->transport = aq_transport_stack_name(l->session->transport);
  status = aq_store_writer_open(store, info, &writer, diag);
  if (status != AQ_OK)
    return status;
  aq_record_sink *sink = aq_store_writer_sink(writer);
  l->run = aq_store_writer_run(writer);
  l->rows = l->session->rows;
  aq_row_filter_init(&l->filter, sink, &l->rows);
  status = aq_session_open(l->session, &l->filter.sink, &l->t, diag);
  if (status == AQ_OK)
    status = kernel_run(l, &l->filter.sink, diag);
  else
    l->t = NULL;
  if (l->hangs) {
    /* What hangs may hold the writer: the run is removed past it. If that fails
     * it stays behind as incomplete. */
    const int64_t run = l->run;
    aq_store *other;
    if (aq_store_open(aq_store_path(store), AQ_STORE_WRITE, &other, NULL) ==
        AQ_OK) {
      aq_store_remove(other, run, NULL);
      aq_store_close(other);
    }
    return status;
  }
  if (status == AQ_OK && aq_session_cost_samples(l->session->cost))
    aq_note(l->notes, "the sampled cost executes a part of the workgroups: the "
                      "results are incomplete");
  if (status == AQ_OK)
    status = aq_session_profile_put(l->session, sink, diag);
  if (status == AQ_OK)
    return run_finish(l, writer, info, diag);
  transport_close(l);
  aq_store_writer_abort(writer);
  return status;
}

aq_status aq_launcher_run(aq_launcher *l, aq_store *store, aq_run_info *info,
                          aq_diag *diag)
{
  aq_status status = launcher_run(l, store, info, diag);
  if (l->hangs || !l->hostcall)
    return status;
  fflush(l->print_to);
  aq_hostcall_report(l->hostcall, l->ask.kernel, l->notes);
  return status;
}

/* ---- life ---- */

bool aq_launcher_repeats(const char *path)
{
  return aq_dispatch_file_is(path);
}

aq_status aq_launcher_open(aq_launcher *out, const aq_launch_ask *ask,
                           aq_session *session, const aq_notes *notes,
                           aq_diag *diag)
{
  static const aq_kernel_entry *const built_in[] = {aq_devlib_entries, NULL};
  *out = (aq_launcher){.ask = *ask,
                       .session = session,
                       .notes = notes,
                       .launch = {.lds = ask->lds},
                       .faults = {.lock = PTHREAD_MUTEX_INITIALIZER},
                       .run = AQ_NONE};
  out->is_dispatch = !ask->kernel;
  aq_status status =
      out->is_dispatch ? aq_dispatch_file_open(ask->path, &out->dispatch, diag)
                       : aq_code_file_open(ask->path, &out->file, diag);
  out->file.path = ask->source ? ask->source : ask->path; /* in messages */
  if (status == AQ_OK && out->is_dispatch)
    out->ask.kernel = out->dispatch.kernel;
  if (status == AQ_OK)
    status = aq_host_kernels_open_default(&out->kernels, ask->kernels, built_in,
                                          diag);
  if (status == AQ_OK)
    status = model_choose(out, diag);
  if (status == AQ_OK) {
    out->times = calloc(ask->repeats, sizeof *out->times);
    if (!out->times)
      status = aq_diag_no_memory(diag);
  }
  if (status != AQ_OK)
    aq_launcher_close(out);
  return status;
}

void aq_launcher_close(aq_launcher *l)
{
  if (l->hangs)
    return;
  transport_close(l);
  aq_code_file_close(&l->file);
  if (l->is_mapped)
    aq_dispatched_unmap(&l->dispatch);
  aq_dispatch_file_close(&l->dispatch);
  if (l->code_is_read)
    aq_codeobj_fini(&l->code);
  aq_host_kernels_close(&l->kernels);
  free(l->times);
  free(l->recorded);
  hostcall_close(l);
}
