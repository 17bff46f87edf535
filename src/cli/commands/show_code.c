/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "cli/commands/show_file.h"

#include <stdlib.h>
#include <string.h>

#include "common/json_out.h"
#include "gpu/codeobj/code_file.h"
#include "gpu/codeobj/code_json.h"
#include "gpu/codeobj/kernel_text.h"

static void line_put(const char *line, void *user)
{
  const aq_cli *cli = user;
  fprintf(cli->out, "%s\n", line);
}

/* ---- entries ---- */

/* One code object; `id` NULL where the file is no bundle. */
static aq_status show_one(aq_cli *cli, aq_json_out *json,
                          const aq_code_file *file, const char *id,
                          const void *bytes, size_t size)
{
  aq_codeobj code;
  aq_status status = aq_code_file_read(file, bytes, size, &code, &cli->diag);
  if (status != AQ_OK)
    return status;
  if (json)
    aq_codeobj_json(json, id, &code);
  else
    aq_codeobj_print(&code, line_put, cli);
  aq_codeobj_fini(&code);
  return AQ_OK;
}

/* An entry that holds no code for a GPU: that of the host. */
static void show_other(aq_cli *cli, aq_json_out *json,
                       const aq_bundle_entry *entry)
{
  if (!json) {
    fprintf(cli->out, "no code for a GPU that is known, %zu bytes\n",
            entry->size);
    return;
  }
  aq_json_out_map(json, NULL);
  aq_json_out_text(json, "entry", entry->id);
  aq_json_out_text(json, "target", NULL);
  aq_json_out_close_map(json);
}

/* Its code; code that has no table of instructions is passed over. */
static aq_status show_entry_asm(aq_cli *cli, aq_json_out *json,
                                const aq_code_file *file, const char *id,
                                const void *bytes, size_t size, bool *found)
{
  aq_codeobj code;
  aq_status status = aq_code_file_read(file, bytes, size, &code, &cli->diag);
  if (status != AQ_OK)
    return status;
  status = aq_cli_show_asm(cli, json, id, &code, bytes, size, found);
  aq_codeobj_fini(&code);
  if (status != AQ_ERR_UNSUPPORTED || !id)
    return status;
  aq_cli_note(cli, "%s: %s", id, cli->diag.text);
  return AQ_OK;
}

static aq_status show_entry(aq_cli *cli, aq_json_out *json,
                            const aq_code_file *file,
                            const aq_bundle_entry *entry, bool first)
{
  char line[AQ_CODE_LINE_SIZE];
  if (!json)
    fprintf(cli->out, "%sentry           %s\n", first ? "" : "\n",
            aq_code_text(entry->id, line, sizeof line));
  if (aq_codeobj_is(entry->bytes, entry->size))
    return show_one(cli, json, file, entry->id, entry->bytes, entry->size);
  show_other(cli, json, entry);
  return AQ_OK;
}

/* All entries, or with a target the one of each bundle that fits it best. */
static aq_status show_bundles(aq_cli *cli, aq_json_out *json,
                              const aq_code_file *file, const aq_target *target)
{
  aq_status status = AQ_OK;
  bool first = true;
  for (size_t b = 0; b < file->bundles.count; b++) {
    const aq_bundle *bundle = &file->bundles.list[b];
    const aq_bundle_entry *best =
        target ? aq_bundle_find(bundle, target) : NULL;
    for (size_t i = 0; i < bundle->count && status == AQ_OK; i++)
      if (!target || &bundle->entries[i] == best) {
        status = show_entry(cli, json, file, &bundle->entries[i], first);
        first = false;
      }
  }
  return status;
}

/* The same, disassembled. */
static aq_status show_bundles_asm(aq_cli *cli, aq_json_out *json,
                                  const aq_code_file *file,
                                  const aq_target *target, bool *found)
{
  aq_status status = AQ_OK;
  for (size_t b = 0; b < file->bundles.count; b++) {
    const aq_bundle *bundle = &file->bundles.list[b];
    const aq_bundle_entry *best =
        target ? aq_bundle_find(bundle, target) : NULL;
    for (size_t i = 0; i < bundle->count && status == AQ_OK; i++) {
      const aq_bundle_entry *entry = &bundle->entries[i];
      if ((!target || entry == best) &&
          aq_codeobj_is(entry->bytes, entry->size))
        status = show_entry_asm(cli, json, file, entry->id, entry->bytes,
                                entry->size, found);
    }
  }
  return status;
}

static aq_status show_asm(aq_cli *cli, aq_json_out *json,
                          const aq_code_file *file, const aq_target *target)
{
  bool found = false;
  aq_status status = file->bundles.count > 0
                         ? show_bundles_asm(cli, json, file, target, &found)
                         : show_entry_asm(cli, json, file, NULL, file->bytes,
                                          file->size, &found);
  if (status != AQ_OK || found)
    return status;
  return cli->arg_count > 1
             ? aq_diag_set(&cli->diag, AQ_ERR_NOT_FOUND,
                           "%s: no kernel or function %s that can be "
                           "disassembled",
                           file->path, cli->args[1])
             : aq_diag_set(&cli->diag, AQ_ERR_UNSUPPORTED,
                           "%s: no code that can be disassembled", file->path);
}

static aq_status show_all(aq_cli *cli, const aq_code_file *file,
                          const aq_target *target)
{
  aq_json_out *json;
  aq_status status = aq_cli_json_begin_if(cli, &json);
  if (status != AQ_OK)
    return status;
  if (json) {
    aq_json_out_map(json, NULL);
    aq_json_out_array(json, "code_objects");
  }
  if (aq_cli_flag(cli, AQ_CLI_OPT_ASM))
    status = show_asm(cli, json, file, target);
  else
    status = file->bundles.count > 0
                 ? show_bundles(cli, json, file, target)
                 : show_one(cli, json, file, NULL, file->bytes, file->size);
  if (status != AQ_OK) {
    aq_json_out_drop(json);
    return status;
  }
  if (json) {
    aq_json_out_close_array(json);
    aq_json_out_close_map(json);
  }
  return aq_cli_json_end_if(cli, json);
}

/* --target, which the file must have code for. */
static aq_status target_read(aq_cli *cli, const aq_code_file *file,
                             aq_target *target, bool *given)
{
  const char *text = cli->values[AQ_CLI_OPT_TARGET];
  const void *bytes;
  size_t size;
  *given = text != NULL;
  if (!text)
    return AQ_OK;
  aq_status status =
      aq_code_file_find(file, text, NULL, &bytes, &size, &cli->diag);
  return status == AQ_OK
             ? aq_target_parse(text, strlen(text), target, &cli->diag)
             : status;
}

aq_status aq_cli_show_code(aq_cli *cli, const char *path)
{
  aq_code_file file;
  aq_target target;
  bool given;
  aq_status status = aq_code_file_open(path, &file, &cli->diag);
  if (status != AQ_OK)
    return status;
  status = target_read(cli, &file, &target, &given);
  if (status == AQ_OK)
    status = aq_cli_flag(cli, AQ_CLI_OPT_WORKGROUP)
                 ? aq_cli_show_occupancy(cli, &file, given ? &target : NULL)
             : aq_cli_flag(cli, AQ_CLI_OPT_STUB)
                 ? aq_code_file_stub_print(&file, given ? &target : NULL,
                                           line_put, cli, &cli->diag)
                 : show_all(cli, &file, given ? &target : NULL);
  aq_code_file_close(&file);
  return status;
}
