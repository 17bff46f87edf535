/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "cli/commands/runs.h"
#include "cli/commands/show_file.h"
#include "cli/commands/table_output.h"
#include "common/json_out.h"
#include "common/occupancy.h"
#include "gpu/codeobj/code_file.h"
#include "gpu/codeobj/descriptor.h"
#include "study/launch/args.h"
#include "transport/registry/device_models.h"

typedef struct occupancies {
  aq_cli *cli;
  aq_cli_rows *rows;
  uint32_t workgroup, lds;
  const char *kernel; /* the only one, or NULL */
  bool found;         /* such a kernel */
} occupancies;

static void row_put(const occupancies *o, const aq_code_kernel *kernel,
                    const aq_target *target, const char *device,
                    const aq_device_model *model)
{
  const aq_kernel_registers registers =
      aq_kernel_descriptor_registers(&kernel->descriptor, target);
  const aq_occupancy_ask ask = {.workgroup = o->workgroup,
                                .wave_size = registers.wave_size,
                                .vgprs = registers.vgprs,
                                .agprs = registers.agprs,
                                .sgprs = registers.sgprs,
                                .group_size = kernel->group_size + o->lds};
  aq_occupancy found;
  aq_diag why = AQ_DIAG_INIT;
  const bool taken =
      !kernel->workgroup_max || o->workgroup <= kernel->workgroup_max;
  const bool good = taken && aq_occupancy_find(&model->resources, &ask, &found,
                                               &why) == AQ_OK;
  if (!taken)
    aq_diag_set(&why, AQ_ERR_INVALID,
                "the kernel takes workgroups of at most %u work-items",
                kernel->workgroup_max);
  aq_cli_row_begin(o->rows);
  aq_cli_cell_text(o->rows, kernel->name);
  aq_cli_cell_text(o->rows, device);
  aq_cli_cell_int(o->rows, ask.wave_size);
  aq_cli_cell_int(o->rows, ask.vgprs);
  aq_cli_cell_int(o->rows, ask.agprs);
  aq_cli_cell_int(o->rows, ask.sgprs);
  aq_cli_cell_int(o->rows, ask.group_size);
  aq_cli_cell_int(o->rows, good ? found.waves_per_simd : AQ_NONE);
  aq_cli_cell_int(o->rows, good ? found.waves_per_cu : AQ_NONE);
  aq_cli_cell_int(o->rows, good ? found.workgroups_per_cu : AQ_NONE);
  aq_cli_cell_int(o->rows, good ? (int64_t)found.workgroups : AQ_NONE);
  aq_cli_cell_text(o->rows, good ? aq_resource_name(found.limit) : NULL);
  aq_cli_cell_text(o->rows, good ? NULL : why.text);
  aq_cli_row_end(o->rows);
}

/* Of all kernels of a code object, where it fits the device. */
static aq_status device_put(occupancies *o, const aq_codeobj *code,
                            const char *device, bool asked)
{
  aq_device_model *model;
  aq_target target;
  aq_status status = aq_device_model_load(device, NULL, &model, &o->cli->diag);
  if (status != AQ_OK)
    return status;
  const char *gfx = aq_device_model_text(model, "gfx");
  status = aq_target_parse(gfx, strlen(gfx), &target, &o->cli->diag);
  if (status == AQ_OK && asked)
    status = aq_target_check(&code->target, &target, &o->cli->diag);
  if (status == AQ_OK && aq_target_fits(&code->target, &target) != AQ_FIT_NONE)
    for (size_t i = 0; i < code->kernel_count; i++) {
      const aq_code_kernel *kernel = &code->kernels[i];
      if (!kernel->has_descriptor ||
          (o->kernel && strcmp(o->kernel, kernel->name) != 0))
        continue;
      o->found = true;
      row_put(o, kernel, &target, device, model);
    }
  aq_device_model_free(model);
  return status;
}

static aq_status code_put(occupancies *o, const aq_code_file *file,
                          const void *bytes, size_t size)
{
  const char *asked = o->cli->values[AQ_CLI_OPT_DEVICE], *name;
  aq_codeobj code;
  aq_status status = aq_code_file_read(file, bytes, size, &code, &o->cli->diag);
  if (status != AQ_OK)
    return status;
  if (asked)
    status = device_put(o, &code, asked, file->bundles.count == 0);
  for (size_t i = 0; !asked && (name = aq_device_model_name(i)); i++)
    if (status == AQ_OK)
      status = device_put(o, &code, name, false);
  aq_codeobj_fini(&code);
  return status;
}

/* As other views of a file: with a target the best entry of each bundle. */
static aq_status file_put(occupancies *o, const aq_code_file *file,
                          const aq_target *target)
{
  aq_status status = AQ_OK;
  if (file->bundles.count == 0)
    return code_put(o, file, file->bytes, file->size);
  for (size_t b = 0; b < file->bundles.count; b++) {
    const aq_bundle *bundle = &file->bundles.list[b];
    const aq_bundle_entry *best =
        target ? aq_bundle_find(bundle, target) : NULL;
    for (size_t i = 0; i < bundle->count && status == AQ_OK; i++) {
      const aq_bundle_entry *entry = &bundle->entries[i];
      if ((!target || entry == best) &&
          aq_codeobj_is(entry->bytes, entry->size))
        status = code_put(o, file, entry->bytes, entry->size);
    }
  }
  return status;
}

static aq_status ask_read(occupancies *o)
{
  enum { LDS_MAX = 1 << 30 };
  aq_cli *cli = o->cli;
  uint32_t sizes[3];
  int64_t lds;
  aq_status status =
      aq_launch_sizes_read("workgroup", cli->values[AQ_CLI_OPT_WORKGROUP],
                           UINT16_MAX, sizes, &cli->diag);
  if (status == AQ_OK)
    status = aq_cli_number(cli, AQ_CLI_OPT_LDS, 0, 0, &lds);
  if (status != AQ_OK)
    return status;
  const uint64_t items = (uint64_t)sizes[0] * sizes[1] * sizes[2];
  if (items > UINT32_MAX || lds > LDS_MAX)
    return aq_diag_set(&cli->diag, AQ_ERR_INPUT,
                       "--%s: more than any device has",
                       items > UINT32_MAX ? "workgroup" : "lds");
  o->workgroup = (uint32_t)items;
  o->lds = (uint32_t)lds;
  return AQ_OK;
}

aq_status aq_cli_show_occupancy(aq_cli *cli, const aq_code_file *file,
                                const aq_target *target)
{
  static const aq_cli_column columns[] = {
      {"~kernel", "kernel"},         {"device", "device"},
      {">wave", "wave_size"},        {">VGPRs", "vgprs"},
      {">AGPRs", "agprs"},           {">SGPRs", "sgprs"},
      {">LDS", "group_size"},        {">waves/SIMD", "waves_per_simd"},
      {">waves/CU", "waves_per_cu"}, {">workgroups/CU", "workgroups_per_cu"},
      {">in all", "workgroups"},     {"limited by", "limit"},
      {"?<refused", "refused"},      {NULL, NULL}};
  occupancies o = {.cli = cli,
                   .kernel = cli->arg_count > 1 ? cli->args[1] : NULL};
  aq_json_out *json;
  aq_status status = ask_read(&o);
  if (status == AQ_OK)
    status = aq_cli_json_begin_if(cli, &json);
  if (status != AQ_OK)
    return status;
  if (json)
    aq_json_out_map(json, NULL);
  o.rows = aq_cli_rows_begin(cli, json, "occupancy", columns);
  status = file_put(&o, file, target);
  if (status == AQ_OK && !o.found)
    status =
        aq_diag_set(&cli->diag, AQ_ERR_NOT_FOUND,
                    "%s: no kernel%s%s for a device that is known", file->path,
                    o.kernel ? " " : "", o.kernel ? o.kernel : "");
  if (status == AQ_OK)
    status = aq_cli_rows_end(cli, o.rows);
  else
    aq_cli_rows_drop(o.rows);
  if (json && status == AQ_OK)
    aq_json_out_close_map(json);
  return aq_cli_json_finish(cli, json, status);
}
