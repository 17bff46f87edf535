/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "cli/commands/runs.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/text.h"
#include "store/maintenance.h"

aq_status aq_cli_store_open(aq_cli *cli, aq_store_mode mode, aq_store **out)
{
  aq_status status =
      aq_store_open(cli->values[AQ_CLI_OPT_STORE], mode, out, &cli->diag);
  if (status == AQ_OK && aq_store_notice(*out))
    aq_cli_note(cli, "%s", aq_store_notice(*out));
  if (status == AQ_OK) {
    const aq_notes notes = aq_cli_notes(cli);
    const aq_spool_watch watch = aq_cli_spool_watch(cli, &notes);
    aq_spools_recover(aq_store_path(*out), &watch);
    aq_store_replace(*out, aq_cli_flag(cli, AQ_CLI_OPT_REPLACE));
  }
  return status;
}

static void spooled_print(const aq_spooled_run *run, void *user)
{
  const aq_cli *cli = user;
  char trust[AQ_CLI_TRUST_SIZE];
  const char *how = run->complete ? "" : " (incomplete)";
  if (run->recovered) {
    aq_cli_note(cli, "recovered run %" PRId64 "%s of '%s', which %s", run->id,
                how, run->info->command ? run->info->command : "?",
                run->outlived ? "left a process running" : "was killed");
    return;
  }
  const char *basis = aq_cli_run_trust(run->info, trust);
  aq_cli_note(cli, "stored run %" PRId64 "%s%s%s", run->id, how,
              basis ? ", " : "", basis ? basis : "");
  if (run->info->recorded)
    aq_cli_note(cli, "recorded: %s", run->info->recorded);
  /* The program has stdout. */
  if (cli->values[AQ_CLI_OPT_OUTPUT])
    fprintf(cli->out, "%" PRId64 "\n", run->id);
}

aq_spool_watch aq_cli_spool_watch(aq_cli *cli, const aq_notes *notes)
{
  return (aq_spool_watch){notes, spooled_print, cli};
}

aq_status aq_cli_store_open_if_any(aq_cli *cli, aq_store **out)
{
  aq_store *store;
  aq_status status = aq_cli_store_open(cli, AQ_STORE_READ, &store);
  if (status == AQ_OK)
    *out = store;
  else if (status == AQ_ERR_NOT_FOUND && !cli->values[AQ_CLI_OPT_STORE]) {
    *out = NULL;
    status = AQ_OK;
  }
  return status;
}

aq_run_info aq_cli_run_info(const aq_cli *cli, aq_run_kind kind)
{
  aq_run_info info;
  aq_run_info_init(&info, kind);
  info.name = cli->values[AQ_CLI_OPT_NAME];
  info.command = cli->command_line;
  return info;
}

void aq_cli_date(int64_t seconds, char *out)
{
  time_t when = (time_t)seconds;
  struct tm parts;
  if (seconds == AQ_NONE || !gmtime_r(&when, &parts) ||
      !strftime(out, AQ_CLI_DATE_SIZE, "%Y-%m-%d %H:%M:%S", &parts))
    snprintf(out, AQ_CLI_DATE_SIZE, "-");
}

const char *aq_cli_run_kind_name(aq_run_kind kind)
{
  return kind == AQ_RUN_SIMULATED ? "simulated" : "measured";
}

void aq_cli_run_label(const aq_run_info *info, char *out)
{
  const char *predicted =
      aq_run_is_predicted(info) ? " (predicted durations)" : "";
  if (info->name)
    snprintf(out, AQ_CLI_LABEL_SIZE, "%.70s%s", info->name, predicted);
  else
    snprintf(out, AQ_CLI_LABEL_SIZE, "run %" PRId64 "%s", info->id, predicted);
}

void aq_cli_run_json(aq_json_out *json, const aq_run_info *info)
{
  aq_json_out_int(json, "id", info->id);
  aq_json_out_text(json, "name", info->name);
  aq_json_out_text(json, "kind", aq_cli_run_kind_name(info->kind));
  aq_json_out_int(json, "origin", info->origin);
  aq_json_out_text(json, "source", info->source);
  aq_json_out_text(json, "format", info->format);
  aq_json_out_text(json, "transport", info->transport);
  aq_json_out_text(json, "device_model", info->device_model);
  aq_json_out_text(json, "model_hash", info->model_hash);
  aq_json_out_text(json, "constants", info->model_verdict);
  aq_json_out_int(json, "seed", info->seed);
  aq_json_out_int(json, "base_ns", info->base_ns);
  aq_json_out_int(json, "created", info->created);
  aq_json_out_bool(json, "complete", info->complete);
  aq_json_out_text(json, "failed", info->failed);
  aq_json_out_bool(json, "truncated", info->truncated);
  aq_json_out_text(json, "damage", info->damage);
  aq_json_out_text(json, "durations", info->durations);
  aq_json_out_text(json, "recorded", info->recorded);
  aq_json_out_int(json, "rows_left_out", info->left_out);
  aq_json_out_bool(json, "reproducible", info->reproducible);
  aq_json_out_text(json, "command", info->command);
  aq_json_out_text(json, "version", info->version);
  aq_json_out_raw(json, "notes", info->notes);
}

const char *aq_cli_constants(const char *verdict)
{
  return verdict && strcmp(verdict, "partly") == 0 ? "partly calibrated"
                                                   : verdict;
}

const char *aq_cli_run_trust(const aq_run_info *info, char *out)
{
  if (info->kind != AQ_RUN_SIMULATED)
    return NULL;
  if (!info->model_verdict) {
    snprintf(out, AQ_CLI_TRUST_SIZE,
             "simulated without a device model: times mean nothing");
    return out;
  }
  snprintf(out, AQ_CLI_TRUST_SIZE, "simulated %s (constants %s)",
           info->device_model ? info->device_model : "?",
           aq_cli_constants(info->model_verdict));
  return out;
}

void aq_cli_run_caveats(aq_cli *cli, const char *indent,
                        const aq_run_info *info)
{
  char lines[AQ_RUN_CAVEATS][AQ_RUN_CAVEAT_SIZE];
  const size_t count = aq_run_caveats(info, lines);
  for (size_t i = 0; i < count; i++) {
    char *clean = aq_text_line(lines[i], strlen(lines[i]));
    fprintf(cli->out, "%s%s\n", indent, clean ? clean : "");
    free(clean);
  }
}

void aq_cli_run_caveats_json(aq_json_out *json, const char *key,
                             const aq_run_info *info)
{
  char lines[AQ_RUN_CAVEATS][AQ_RUN_CAVEAT_SIZE];
  const size_t count = aq_run_caveats(info, lines);
  aq_json_out_array(json, key);
  for (size_t i = 0; i < count; i++)
    aq_json_out_text(json, NULL, lines[i]);
  aq_json_out_close_array(json);
}

void aq_cli_run_losses_note(aq_cli *cli, const char *label,
                            const aq_run_info *info)
{
  char lines[AQ_RUN_CAVEATS][AQ_RUN_CAVEAT_SIZE];
  aq_run_info losses = *info;
  losses.durations = NULL;
  const size_t count = aq_run_caveats(&losses, lines);
  for (size_t i = 0; i < count; i++)
    aq_cli_note(cli, "%s%s%s", label ? label : "", label ? ": " : "", lines[i]);
}

void aq_cli_run_print(aq_cli *cli, aq_json_out *json, const aq_run_info *info,
                      int64_t id)
{
  if (!json) {
    fprintf(cli->out, "%" PRId64 "\n", id);
    return;
  }
  aq_run_info shown = *info;
  shown.id = id;
  shown.complete = true;
  aq_json_out_map(json, NULL);
  aq_cli_run_json(json, &shown);
  aq_json_out_close_map(json);
}
