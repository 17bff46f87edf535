/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/code_file.h"
#include "cli/commands.h"
#include "cli/launch_args.h"
#include "cli/launch_times.h"
#include "cli/launch_watch.h"
#include "cli/perform.h"
#include "cli/runs.h"
#include "codeobj/layout.h"
#include "common/kernel_set.h"
#include "devlib/devlib.h"
#include "launch/launch.h"
#include "run/run.h"
#include "transports/device_models.h"

typedef struct launching {
  aq_cli *cli;
  aq_performance performance;
  aq_cli_code_file file;
  const char *kernel_name;
  uint32_t grid[3], workgroup[3];
  aq_launch_arg *args;
  size_t arg_count;
  int64_t print; /* elements of each out buffer */
  aq_kernel_set kernels;
  bool kernels_are_open, may_miss;
  /* Once the transport is open. */
  aq_transport *t;
  aq_transport_info info;
  aq_codeobj code;
  bool code_is_read;
  aq_launch launch;
  uint32_t repeats;
  aq_launch_times *times; /* as many */
} launching;

/* ---- what was asked for ---- */

/* "X[,Y[,Z]]"; 1 where nothing is told, all 0 without the option. */
static aq_status sizes_read(launching *l, aq_cli_option_id option,
                            uint32_t most, uint32_t out[3])
{
  const char *text = l->cli->values[option], *at = text;
  for (int i = 0; i < 3; i++)
    out[i] = text != NULL;
  for (int i = 0; text && i < 3; i++) {
    char *end;
    const unsigned long long value = strtoull(at, &end, 10);
    if (*at < '0' || *at > '9' || value == 0 || value > most ||
        (*end && (*end != ',' || i == 2)))
      return aq_diag_set(&l->cli->diag, AQ_ERR_INPUT,
                         "--%s %s: expected X, X,Y or X,Y,Z, whole numbers "
                         "from 1 to %u",
                         aq_cli_options[option].name, text, most);
    out[i] = (uint32_t)value;
    if (!*end)
      break;
    at = end + 1;
  }
  return AQ_OK;
}

/* Words behind --args are arguments of the kernel too; with --args given more
 * than once their order could not be told. */
static aq_status args_read(launching *l)
{
  aq_cli *cli = l->cli;
  const size_t words = (size_t)cli->arg_count - 2;
  const char *const *given = aq_cli_repeats(cli, AQ_CLI_OPT_ARGS);
  size_t count = 0;
  aq_status status = AQ_OK;
  while (given[count])
    count++;
  l->args = calloc(count + words + 1, sizeof *l->args);
  if (!l->args)
    status = aq_diag_no_memory(&cli->diag);
  else if (words > 0 && count != 1)
    status = aq_diag_set(&cli->diag, AQ_ERR_INPUT,
                         "launch: '%s' is no option; expected the kernel's "
                         "arguments behind one --args, or one behind each",
                         cli->args[2]);
  for (size_t i = 0; i < count + words && status == AQ_OK; i++)
    status = aq_launch_arg_read(i < count ? given[i] : cli->args[2 + i - count],
                                &l->args[l->arg_count++], &cli->diag);
  return status;
}

/* LDS_MAX is more than any device has: the sum with the kernel's own must not
 * wrap. */
enum { LDS_MAX = 1 << 30, REPEATS_MAX = 1000000 };

static aq_status bounded_read(aq_cli *cli, aq_cli_option_id option,
                              int64_t least, int64_t most, uint32_t *out)
{
  int64_t value;
  aq_status status = aq_cli_number(cli, option, least, least, &value);
  if (status == AQ_OK && value > most)
    return aq_diag_set(&cli->diag, AQ_ERR_INPUT,
                       "--%s %" PRId64 ": expected at most %" PRId64,
                       aq_cli_options[option].name, value, most);
  *out = status == AQ_OK ? (uint32_t)value : 0;
  return status;
}

static aq_status dispatches_read(launching *l)
{
  aq_cli *cli = l->cli;
  aq_status status =
      bounded_read(cli, AQ_CLI_OPT_LDS, 0, LDS_MAX, &l->launch.lds);
  if (status == AQ_OK)
    status = bounded_read(cli, AQ_CLI_OPT_REPEAT, 1, REPEATS_MAX, &l->repeats);
  if (status != AQ_OK)
    return status;
  l->times = calloc(l->repeats, sizeof *l->times);
  return l->times ? AQ_OK : aq_diag_no_memory(&cli->diag);
}

/* Whether kernels without a host function are allowed. */
static aq_status missing_read(launching *l)
{
  const char *text = l->cli->values[AQ_CLI_OPT_MISSING_KERNELS];
  l->may_miss = text && strcmp(text, "warn") == 0;
  if (text && !l->may_miss && strcmp(text, "fail") != 0)
    return aq_diag_set(&l->cli->diag, AQ_ERR_INVALID,
                       "--missing-kernels %s: expected fail or warn", text);
  return AQ_OK;
}

static aq_status options_read(launching *l)
{
  aq_status status = sizes_read(l, AQ_CLI_OPT_GRID, UINT32_MAX, l->grid);
  if (status == AQ_OK && l->grid[0] == 0)
    status = aq_diag_set(&l->cli->diag, AQ_ERR_INPUT,
                         "launch: no size; expected --grid X[,Y[,Z]] in "
                         "work-items");
  if (status == AQ_OK)
    status = sizes_read(l, AQ_CLI_OPT_WORKGROUP, UINT16_MAX, l->workgroup);
  if (status == AQ_OK)
    status = aq_cli_number(l->cli, AQ_CLI_OPT_PRINT, 0, 8, &l->print);
  if (status == AQ_OK)
    status = dispatches_read(l);
  if (status == AQ_OK)
    status = missing_read(l);
  return status == AQ_OK ? args_read(l) : status;
}

/* ---- the device ---- */

static const char *model_gfx(const aq_device_model *model)
{
  for (size_t i = 0; i < model->count; i++)
    if (strcmp(model->constants[i].key, "gfx") == 0)
      return model->constants[i].value;
  return "";
}

/* The first device model that the file has code for. */
static aq_status model_choose(launching *l)
{
  aq_diag *diag = &l->cli->diag;
  const char *name;
  if (l->performance.options.device || l->performance.hardware)
    return AQ_OK;
  for (size_t i = 0; (name = aq_device_model_name(i)); i++) {
    aq_device_model *model;
    aq_status status = aq_device_model_load(name, NULL, &model, diag);
    if (status != AQ_OK)
      return status;
    const bool fits = aq_cli_code_file_fits(&l->file, model_gfx(model));
    aq_device_model_free(model);
    if (fits) {
      l->performance.options.device = name;
      return AQ_OK;
    }
  }
  return aq_diag_set(diag, AQ_ERR_INPUT,
                     "%s: no device model has its instruction set; name one "
                     "with --device",
                     l->file.path);
}

/* The first device of the transport that the file has code for; if there is
 * none, the first one's instruction set tells why. */
static aq_status device_find(launching *l)
{
  const void *bytes;
  size_t size;
  uint32_t at = 0;
  l->t->ops->info(l->t, &l->info);
  if (l->info.device_count == 0)
    return aq_diag_set(&l->cli->diag, AQ_ERR_UNSUPPORTED,
                       "launch: transport %s has no device", l->t->ops->name);
  while (at < l->info.device_count &&
         !aq_cli_code_file_fits(&l->file, l->info.devices[at].gfx))
    at++;
  l->launch.device = at < l->info.device_count ? at : 0;
  aq_status status =
      aq_cli_code_file_find(&l->file, l->info.devices[l->launch.device].gfx,
                            &bytes, &size, &l->cli->diag);
  if (status == AQ_OK)
    status =
        aq_cli_code_file_read(&l->file, bytes, size, &l->code, &l->cli->diag);
  l->code_is_read = status == AQ_OK;
  return status;
}

/* ---- the kernel ---- */

static void line_note(const char *line, void *user)
{
  aq_cli_note(user, "%s", line);
}

static aq_status kernel_find(launching *l, const aq_code_kernel **out)
{
  char known[200] = "", name[64];
  *out = aq_codeobj_kernel(&l->code, l->kernel_name);
  if (*out)
    return AQ_OK;
  for (size_t i = 0; i < l->code.kernel_count; i++) {
    const size_t used = strlen(known);
    snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "",
             aq_code_text(l->code.kernels[i].name, name, sizeof name));
  }
  return aq_diag_set(&l->cli->diag, AQ_ERR_INPUT,
                     "%s: it has no kernel '%s'; it has %s", l->file.path,
                     l->kernel_name, known);
}

/* A transport without code objects plays it by a host function. */
static aq_status kernel_register(launching *l, const aq_code_kernel *kernel)
{
  aq_cli *cli = l->cli;
  const aq_kernel_entry *entry =
      aq_kernel_set_find(&l->kernels, kernel->name, strlen(kernel->name));
  aq_kernel_desc desc = {.name = kernel->name,
                         .kernarg_size = kernel->kernarg_size,
                         .group_size = kernel->group_size,
                         .private_size = kernel->private_size,
                         .vgprs = (uint16_t)kernel->vgprs,
                         .agprs = (uint16_t)kernel->agprs,
                         .sgprs = (uint16_t)kernel->sgprs,
                         .wave_size = (uint16_t)kernel->wave_size};
  if (!entry) {
    aq_code_kernel_tell(kernel, line_note, cli);
    if (!l->may_miss)
      return aq_diag_set(&cli->diag, AQ_ERR_UNSUPPORTED,
                         "kernel %s has no host function; name a plug-in that "
                         "has it with --kernels, or --missing-kernels warn for "
                         "timing only",
                         l->kernel_name);
    aq_cli_note(cli, "kernel %s has no host function: it computes nothing",
                l->kernel_name);
  }
  aq_kernel_entry_describe(entry, &desc);
  return l->t->ops->kernel_register(l->t, &desc, &l->launch.kernel, &cli->diag);
}

static aq_status kernel_load(launching *l)
{
  const void *bytes;
  size_t size;
  uint64_t module;
  aq_diag *diag = &l->cli->diag;
  aq_status status = aq_cli_code_file_find(
      &l->file, l->info.devices[l->launch.device].gfx, &bytes, &size, diag);
  if (status == AQ_OK)
    status = l->t->ops->module_load(l->t, l->launch.device, bytes, size,
                                    &module, diag);
  return status == AQ_OK
             ? l->t->ops->kernel_lookup(l->t, module, l->kernel_name,
                                        &l->launch.kernel, diag)
             : status;
}

/* --workgroup, else what the kernel was made for, else 256 or the grid. */
static aq_status workgroup_choose(launching *l, const aq_code_kernel *kernel)
{
  uint32_t *size = l->workgroup;
  uint64_t items = 1;
  const uint32_t most = kernel->workgroup_max ? kernel->workgroup_max : 1024;
  if (size[0] == 0) {
    memcpy(size, kernel->workgroup, sizeof kernel->workgroup);
    if (size[0] == 0) {
      size[0] = l->grid[0] < 256 ? l->grid[0] : 256;
      size[0] = size[0] < most ? size[0] : most;
      size[1] = size[2] = 1;
    }
  }
  for (int i = 0; i < 3; i++) {
    l->launch.grid[i] = l->grid[i];
    l->launch.workgroup[i] = (uint16_t)size[i];
    items *= size[i];
  }
  if (items > most)
    return aq_diag_set(&l->cli->diag, AQ_ERR_INPUT,
                       "--workgroup: %llu work-items; kernel %s takes at most "
                       "%u",
                       (unsigned long long)items, l->kernel_name, most);
  return AQ_OK;
}

static aq_status kernel_prepare(launching *l)
{
  const aq_code_kernel *kernel;
  aq_status status = kernel_find(l, &kernel);
  if (status == AQ_OK)
    status = workgroup_choose(l, kernel);
  if (status == AQ_OK)
    status = l->info.caps & AQ_CAP_CODE_OBJECTS ? kernel_load(l)
                                                : kernel_register(l, kernel);
  l->launch.name = l->kernel_name;
  if (status == AQ_OK)
    status = aq_launch_args_place(l->t, kernel, &l->launch, l->args,
                                  l->arg_count, &l->cli->diag);
  return status;
}

/* ---- the result ---- */

static bool result_json(const launching *l, aq_json_out *json,
                        const aq_run_info *info, int64_t id)
{
  const aq_device_info *device = &l->info.devices[l->launch.device];
  aq_json_out_map(json, NULL);
  aq_json_out_int(json, "run", id);
  aq_json_out_text(json, "kind", aq_cli_run_kind_name(info->kind));
  aq_json_out_text(json, "kernel", l->kernel_name);
  aq_json_out_text(json, "device", device->name);
  aq_json_out_text(json, "gfx", device->gfx);
  aq_json_out_text(json, "simulated_by", device->model);
  aq_json_out_int(json, "dispatches", l->repeats);
  if (!aq_cli_launch_times_json(l->times, l->repeats, json))
    return false;
  aq_json_out_array(json, "results");
  for (size_t i = 0; i < l->arg_count; i++)
    if (l->args[i].is_out)
      aq_launch_arg_json(&l->args[i], (uint64_t)l->print, json);
  aq_json_out_close_array(json);
  aq_json_out_close_map(json);
  return true;
}

static bool result_print(const launching *l, FILE *out)
{
  if (!aq_cli_launch_times_print(l->times, l->repeats, out))
    return false;
  for (size_t i = 0; i < l->arg_count; i++)
    if (l->args[i].is_out)
      aq_launch_arg_print(&l->args[i], (uint64_t)l->print, out);
  return true;
}

static aq_status result_tell(launching *l, const aq_run_info *info, int64_t id)
{
  aq_cli *cli = l->cli;
  aq_json_out *json;
  aq_status status = aq_cli_json_begin_if(cli, &json);
  if (status != AQ_OK)
    return status;
  if (!(json ? result_json(l, json, info, id) : result_print(l, cli->out))) {
    aq_json_out_drop(json);
    return aq_diag_no_memory(&cli->diag);
  }
  status = aq_cli_json_end_if(cli, json);
  if (status == AQ_OK)
    aq_cli_note(cli, "run %" PRId64 " on %s", id,
                l->info.devices[l->launch.device].name);
  return status;
}

/* ---- the run ---- */

static aq_status kernel_run(launching *l, aq_record_sink *sink)
{
  const aq_device_info *device = &l->info.devices[l->launch.device];
  aq_status status = aq_cli_launch_watch(
      l->t, &l->launch, l->repeats, sink, l->times,
      l->performance.options.timeout,
      device->model ? "its host function" : device->name, &l->cli->diag);
  l->cli->abrupt =
      status == AQ_ERR_TIMEOUT && l->performance.options.timeout > 0;
  return status;
}

/* What hangs may hold the writer: the run is removed past it. If that fails it
 * stays behind as incomplete. */
static void run_forget(aq_cli *cli, int64_t run)
{
  aq_store *store;
  aq_diag ignored = AQ_DIAG_INIT;
  const aq_diag kept = cli->diag;
  if (aq_cli_store_open(cli, AQ_STORE_WRITE, &store) == AQ_OK) {
    aq_store_remove(store, run, &ignored);
    aq_store_close(store);
  }
  cli->diag = kept;
}

/* Opens the transport, launches, and closes it when the results are told. */
static aq_status launch_into(launching *l, aq_store_writer *writer,
                             aq_run_info *info)
{
  aq_cli *cli = l->cli;
  aq_record_sink *sink = aq_store_writer_sink(writer);
  aq_status status =
      aq_performance_open(&l->performance, sink, &l->t, &cli->diag);
  if (status != AQ_OK) {
    aq_store_writer_abort(writer);
    return status;
  }
  status = device_find(l);
  if (status == AQ_OK)
    status = kernel_prepare(l);
  if (status == AQ_OK)
    status = kernel_run(l, sink);
  if (cli->abrupt) {
    run_forget(cli, aq_store_writer_run(writer));
    return status;
  }
  for (size_t i = 0; i < l->arg_count && status == AQ_OK; i++)
    status = aq_launch_arg_write(&l->args[i], &cli->diag);
  if (status != AQ_OK) {
    l->t->ops->close(l->t);
    aq_store_writer_abort(writer);
    return status;
  }
  l->t->ops->info(l->t, &l->info);
  const aq_device_info *device = &l->info.devices[l->launch.device];
  const int64_t id = aq_store_writer_run(writer);
  info->reproducible = l->info.reproducible;
  info->device_model = device->model;
  info->model_hash = device->model_hash;
  info->model_verdict = device->verdict;
  if (info->kind == AQ_RUN_MEASURED && device->model)
    info->notes = "{\"measured_on\":\"simulator\"}";
  status = aq_store_writer_finish(writer, info, &cli->diag);
  if (status == AQ_OK)
    status = result_tell(l, info, id);
  l->t->ops->close(l->t);
  return status;
}

static aq_status launch_store(launching *l)
{
  aq_cli *cli = l->cli;
  aq_store *store;
  aq_store_writer *writer;
  aq_performance_facts probe;
  aq_run_info info = aq_cli_run_info(cli, AQ_RUN_SIMULATED);
  info.source = l->file.path;
  info.format = "launch";
  info.transport = aq_transport_stack_name(l->performance.transport);
  aq_status status = aq_performance_probe(&l->performance, &probe, &cli->diag);
  if (status != AQ_OK)
    return status;
  info.kind = probe.kind;
  status = aq_cli_store_open(cli, AQ_STORE_WRITE, &store);
  if (status != AQ_OK)
    return status;
  status = aq_store_writer_open(store, &info, &writer, &cli->diag);
  if (status == AQ_OK)
    status = launch_into(l, writer, &info);
  if (!cli->abrupt)
    aq_store_close(store);
  return status;
}

static aq_status launch_all(launching *l)
{
  static const aq_kernel_entry *const built_in[] = {aq_devlib_entries, NULL};
  aq_cli *cli = l->cli;
  aq_status status = options_read(l);
  const char *const *names = aq_cli_repeats(cli, AQ_CLI_OPT_KERNELS);
  if (status == AQ_OK &&
      !aq_kernel_names_export(names, cli->values[AQ_CLI_OPT_MISSING_KERNELS]))
    status = aq_diag_no_memory(&cli->diag);
  if (status == AQ_OK)
    status =
        aq_kernel_set_open_default(&l->kernels, names, built_in, &cli->diag);
  l->kernels_are_open = status == AQ_OK;
  if (status == AQ_OK)
    status = model_choose(l);
  return status == AQ_OK ? launch_store(l) : status;
}

aq_status aq_cli_launch(aq_cli *cli)
{
  launching l = {.cli = cli, .kernel_name = cli->args[1]};
  aq_status status = aq_cli_performance_init(cli, &l.performance);
  if (status != AQ_OK)
    return status;
  l.performance.options.timeout_needs_live = false;
  status = aq_cli_code_file_open(cli->args[0], &l.file, &cli->diag);
  const bool opened = status == AQ_OK;
  if (opened)
    status = launch_all(&l);
  if (cli->abrupt) /* what hangs may use all of it */
    return status;
  if (opened)
    aq_cli_code_file_close(&l.file);
  if (l.code_is_read)
    aq_codeobj_fini(&l.code);
  if (l.kernels_are_open)
    aq_kernel_set_close(&l.kernels);
  free(l.times);
  free(l.args);
  aq_performance_fini(&l.performance);
  return status;
}
