/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands/commands.h"
#include "cli/commands/runs.h"
#include "cli/commands/show_file.h"
#include "cli/commands/show_profile.h"
#include "cli/commands/table_output.h"
#include "cli/exec/driver_files.h"
#include "cli/exec/findings.h"
#include "common/text.h"
#include "gpu/codeobj/code_file.h"
#include "queue/capture/packet_capture.h"
#include "report/stats/counter_summary.h"
#include "report/stats/queue_summary.h"
#include "transport/registry/device_models.h"

/* ---- a run ---- */

static void put_field(aq_cli *cli, const char *name, const char *value)
{
  if (!value)
    return;
  char *line = aq_text_line(value, strlen(value));
  fprintf(cli->out, "%-14s %s\n", name, line ? line : "");
  free(line);
}

static void put_number(aq_cli *cli, const char *name, int64_t value)
{
  if (value != AQ_NONE)
    fprintf(cli->out, "%-14s %" PRId64 "\n", name, value);
}

static void put_info(aq_cli *cli, const aq_run_info *info)
{
  char date[AQ_CLI_DATE_SIZE];
  aq_cli_date(info->created, date);
  put_number(cli, "run", info->id);
  put_field(cli, "name", info->name);
  put_field(cli, "kind", aq_cli_run_kind_name(info->kind));
  put_number(cli, "origin", info->origin);
  put_field(cli, "source", info->source);
  put_field(cli, "format", info->format);
  put_field(cli, "transport", info->transport);
  put_field(cli, "device model", info->device_model);
  put_field(cli, "model hash", info->model_hash);
  put_field(cli, "constants",
            info->kind == AQ_RUN_SIMULATED && !info->model_verdict
                ? "none: times mean nothing"
                : aq_cli_constants(info->model_verdict));
  put_number(cli, "seed", info->seed);
  put_field(cli, "state",
            info->failed      ? "failed"
            : !info->complete ? "incomplete"
            : info->truncated ? "complete, of a truncated trace"
                              : "complete");
  put_field(cli, "failure", info->failed);
  put_field(cli, "damaged", info->damage);
  put_field(cli, "recorded", info->recorded);
  put_field(cli, "durations", info->durations);
  put_field(cli, "reproducible", info->reproducible ? "yes" : "no");
  put_field(cli, "created (UTC)", date);
  put_field(cli, "command", info->command);
  put_field(cli, "version", info->version);
  put_field(cli, "notes", info->notes);
}

static aq_status put_queues(aq_cli *cli, aq_json_out *json,
                            const aq_queue_summary *queues, size_t count)
{
  static const aq_cli_column columns[] = {{">queue", "queue"},
                                          {">device", "device"},
                                          {">source id", "source_id"},
                                          {"GPU", "gpu"},
                                          {">kernels", "kernels"},
                                          {">copies", "copies"},
                                          {">others", "others"},
                                          {">with host times", "with_host"},
                                          {">first start us", "first_start_ns"},
                                          {">last end us", "last_end_ns"},
                                          {">busy us", "busy_ns"},
                                          {">busy %", NULL},
                                          {NULL, NULL}};
  aq_cli_rows *rows = aq_cli_rows_begin(cli, json, "queues", columns);
  for (size_t i = 0; i < count; i++) {
    const aq_queue_summary *queue = &queues[i];
    const double span = (double)(queue->last_end - queue->first_start);
    aq_cli_row_begin(rows);
    aq_cli_cell_int(rows, queue->ordinal);
    aq_cli_cell_int(rows, queue->device);
    aq_cli_cell_int(rows, queue->source_id);
    aq_cli_cell_text(rows, queue->gpu);
    aq_cli_cell_int(rows, queue->kernels);
    aq_cli_cell_int(rows, queue->copies);
    aq_cli_cell_int(rows, queue->others);
    aq_cli_cell_int(rows, queue->with_host);
    aq_cli_cell_time(rows, queue->first_start);
    aq_cli_cell_time(rows, queue->last_end);
    aq_cli_cell_time(rows, queue->busy);
    aq_cli_cell_real(rows, "%.1f",
                     span > 0 ? 100 * (double)queue->busy / span : 0);
    aq_cli_row_end(rows);
  }
  return aq_cli_rows_end(cli, rows);
}

static aq_status put_counters(aq_cli *cli, aq_json_out *json,
                              const aq_counter_summary *counters, size_t count)
{
  static const aq_cli_column columns[] = {
      {"counter", "counter"},  {"of", "scope"},   {">number", "ordinal"},
      {">mean", "mean"},       {">most", "most"}, {"unit", "unit"},
      {">changes", "changes"}, {NULL, NULL}};
  aq_cli_rows *rows = aq_cli_rows_begin(cli, json, "counters", columns);
  for (size_t i = 0; i < count; i++) {
    const aq_counter_summary *of = &counters[i];
    aq_cli_row_begin(rows);
    aq_cli_cell_text(rows, of->counter->name);
    aq_cli_cell_text(
        rows, of->counter->scope == AQ_COUNTER_OF_QUEUE ? "queue" : "device");
    aq_cli_cell_int(rows, of->ordinal);
    aq_cli_cell_real(rows, "%.3g", of->mean);
    aq_cli_cell_int(rows, of->most);
    aq_cli_cell_text(rows, of->counter->unit);
    aq_cli_cell_int(rows, of->samples);
    aq_cli_row_end(rows);
  }
  return aq_cli_rows_end(cli, rows);
}

static aq_status print_run(aq_cli *cli, aq_store *store,
                           const aq_run_info *info,
                           const aq_queue_summary *queues, size_t queue_count,
                           const aq_counter_summary *counters,
                           size_t counter_count)
{
  aq_json_out *json;
  aq_status status = aq_cli_json_begin_if(cli, &json);
  if (status != AQ_OK)
    return status;
  if (json) {
    aq_json_out_map(json, NULL);
    aq_cli_run_json(json, info);
  } else {
    put_info(cli, info);
    fputc('\n', cli->out);
  }
  status = put_queues(cli, json, queues, queue_count);
  if (!json && counter_count)
    fputc('\n', cli->out);
  if (status == AQ_OK && (json || counter_count))
    status = put_counters(cli, json, counters, counter_count);
  if (status == AQ_OK)
    status = aq_findings_show(store, info->id, cli->out, json, &cli->diag);
  if (json)
    aq_json_out_close_map(json);
  return aq_cli_json_finish(cli, json, status);
}

static aq_status show_run(aq_cli *cli, aq_store *store, const aq_run_info *info)
{
  aq_run_reader *reader;
  aq_queue_summary *queues = NULL;
  aq_counter_summary *counters = NULL;
  size_t queue_count, counter_count;
  aq_status status =
      aq_run_reader_open(store, info->id, AQ_ORDER_START, &reader, &cli->diag);
  if (status != AQ_OK)
    return status;
  status = aq_queue_summaries_read(reader, &queues, &queue_count, &cli->diag);
  if (status == AQ_OK)
    status = aq_counter_summaries_make(reader, &counters, &counter_count,
                                       &cli->diag);
  if (status == AQ_OK)
    status = print_run(cli, store, info, queues, queue_count, counters,
                       counter_count);
  free(counters);
  free(queues);
  aq_run_reader_close(reader);
  return status;
}

/* ---- a device model ---- */

/* The first word of a source is its worth: "measured", "assumed". */
static void source_worth(const char *source, char worth[16])
{
  snprintf(worth, 16, "%.*s", (int)strcspn(source, ": "), source);
}

static aq_status put_constants(aq_cli *cli, aq_json_out *json,
                               const aq_device_model *model)
{
  static const aq_cli_column columns[] = {{"constant", "key"},
                                          {">value", "value"},
                                          {"unit", "unit"},
                                          {NULL, "source"},
                                          {"affects time", "timing"},
                                          {"status", NULL},
                                          {">+-us", "spread_us"},
                                          {"from", "from"},
                                          {NULL, "group"},
                                          {"<meaning", "meaning"},
                                          {NULL, NULL}};
  aq_cli_rows *rows = aq_cli_rows_begin(cli, json, "values", columns);
  for (size_t i = 0; i < model->count; i++) {
    const aq_device_constant *c = &model->constants[i];
    char worth[16];
    source_worth(c->source, worth);
    aq_cli_row_begin(rows);
    aq_cli_cell_text(rows, c->key);
    aq_cli_cell_text(rows, c->value);
    aq_cli_cell_text(rows, c->unit);
    aq_cli_cell_text(rows, c->source);
    aq_cli_cell_bool(rows, c->timing, "yes", "");
    aq_cli_cell_text(rows, worth);
    aq_cli_cell_real(rows, "%.3f",
                     c->spread ? (double)c->spread / (double)AQ_US : NAN);
    aq_cli_cell_text(rows, c->from);
    aq_cli_cell_text(rows, c->group);
    aq_cli_cell_text(rows, c->meaning);
    aq_cli_row_end(rows);
  }
  return aq_cli_rows_end(cli, rows);
}

static void put_sources(aq_cli *cli, const aq_device_model *model)
{
  for (size_t i = 0; i < model->gap_count; i++)
    fprintf(cli->out, "%safter %.60s (%" PRId64 "): %.3f us; %s\n",
            i ? "  " : "\ngaps\n  ", model->gaps[i].name, model->gaps[i].grid,
            (double)model->gaps[i].time / (double)AQ_US, model->gaps[i].source);
  fputs("\nsources\n", cli->out);
  for (size_t i = 0; i < model->count; i++) {
    const aq_device_constant *c = &model->constants[i];
    char *source = aq_text_line(c->source, strlen(c->source));
    fprintf(cli->out, "  %s: %s\n", c->key, source ? source : "");
    free(source);
  }
}

static aq_status print_device(aq_cli *cli, const aq_device_model *model)
{
  aq_json_out *json;
  aq_status status = aq_cli_json_begin_if(cli, &json);
  if (status != AQ_OK)
    return status;
  if (json) {
    aq_json_out_map(json, NULL);
    aq_json_out_text(json, "name", model->name);
    aq_json_out_text(json, "hash", model->hash);
    aq_json_out_text(json, "constants", model->verdict);
  } else {
    put_field(cli, "device model", model->name);
    put_field(cli, "hash", model->hash);
    put_field(cli, "constants", aq_cli_constants(model->verdict));
    fputc('\n', cli->out);
  }
  status = put_constants(cli, json, model);
  if (json)
    aq_json_out_close_map(json);
  else
    put_sources(cli, model);
  return aq_cli_json_finish(cli, json, status);
}

static aq_status show_device(aq_cli *cli)
{
  if (strpbrk(cli->args[0], "*,"))
    return aq_cli_show_topology(cli, cli->args[0]);
  aq_device_model *model;
  aq_status status =
      aq_device_model_load(cli->args[0], NULL, &model, &cli->diag);
  if (status != AQ_OK)
    return status;
  status = print_device(cli, model);
  aq_device_model_free(model);
  return status;
}

/* ---- which of them ---- */

/* Paths and the names of built-in models can only be meant as devices, unless
 * a run has that very name. */
static bool is_device(const char *text)
{
  size_t length = strlen(text);
  if (strchr(text, '/') ||
      (length > 7 && strcmp(text + length - 7, ".device") == 0))
    return true;
  length = strcspn(text, "*,"); /* of a list, the first */
  for (size_t i = 0; aq_device_model_name(i); i++)
    if (strlen(aq_device_model_name(i)) == length &&
        memcmp(aq_device_model_name(i), text, length) == 0)
      return true;
  return false;
}

static aq_status say_neither(aq_cli *cli)
{
  const char *names[33] = {NULL};
  for (size_t i = 0; i < 32 && aq_device_model_name(i); i++)
    names[i] = aq_device_model_name(i);
  const char *near = aq_text_nearest(cli->args[0], names);
  return aq_diag_set(&cli->diag, AQ_ERR_NOT_FOUND,
                     "'%s' is neither a run, a device model nor a file; %s%s%s",
                     cli->args[0],
                     near ? "did you mean " : "see list runs and list devices",
                     near ? near : "", near ? "?" : "");
}

/* A run by its name wins over a file of that name: a path with a slash always
 * means the file. */
static bool is_run(aq_cli *cli)
{
  aq_store *store = NULL;
  aq_run_info *info = NULL;
  aq_diag diag = AQ_DIAG_INIT;
  if (strchr(cli->args[0], '/') ||
      aq_cli_store_open_if_any(cli, &store) != AQ_OK || !store)
    return false;
  const bool found = aq_store_find(store, cli->args[0], &info, &diag) == AQ_OK;
  if (found)
    aq_run_info_free(info);
  aq_store_close(store);
  return found;
}

/* The option of a view that only code objects have, or NULL. */
static const char *code_option(const aq_cli *cli)
{
  static const aq_cli_option_id views[] = {AQ_CLI_OPT_STUB, AQ_CLI_OPT_ASM,
                                           AQ_CLI_OPT_WORKGROUP};
  for (size_t i = 0; i < sizeof views / sizeof *views; i++)
    if (aq_cli_flag(cli, views[i]))
      return aq_cli_options[views[i]].name;
  return NULL;
}

/* True: the argument is a file, and was shown with `*status`. */
static bool show_file(aq_cli *cli, aq_status *status)
{
  const char *path = cli->args[0];
  if (aq_code_file_is(path))
    *status = aq_cli_show_code(cli, path);
  else if (aq_cli_flag(cli, AQ_CLI_OPT_STUB) ||
           (code_option(cli) && access(path, F_OK) == 0))
    *status = aq_diag_set(&cli->diag, AQ_ERR_INPUT,
                          "show --%s: '%s' has no code objects",
                          code_option(cli), path);
  else if (aq_cli_is_program(path))
    *status = aq_cli_show_program(cli, path);
  else if (aq_cap_file_is(path))
    *status = aq_cli_show_capture(cli);
  else if (aq_packet_file_is(path))
    *status = aq_cli_show_packets(cli);
  else
    return false;
  return true;
}

/* The files of a driver that has the devices: prints their folder. */
static aq_status write_topology(aq_cli *cli)
{
  const char *folder = cli->values[AQ_CLI_OPT_TOPOLOGY];
  aq_json_out *json;
  aq_status status = aq_exec_topology_write(cli->args[0], folder, &cli->diag);
  if (status == AQ_OK)
    status = aq_cli_json_begin_if(cli, &json);
  if (status != AQ_OK)
    return status;
  if (json) {
    aq_json_out_map(json, NULL);
    aq_json_out_text(json, "topology", folder);
    aq_json_out_close_map(json);
  } else {
    fprintf(cli->out, "%s\n", folder);
  }
  return aq_cli_json_finish(cli, json, status);
}

aq_status aq_cli_show(aq_cli *cli)
{
  aq_store *store;
  aq_run_info *info;
  aq_status status = AQ_OK;
  if (cli->arg_count > 1 && !aq_cli_flag(cli, AQ_CLI_OPT_ASM) &&
      !aq_cli_flag(cli, AQ_CLI_OPT_WORKGROUP))
    return aq_diag_set(&cli->diag, AQ_ERR_INVALID,
                       "show does not take '%s' without --asm or --workgroup; "
                       "usage: aqueduct show [OPTION]... RUN|DEVICE|FILE "
                       "[KERNEL]",
                       cli->args[1]);
  if (aq_cli_flag(cli, AQ_CLI_OPT_LDS) &&
      !aq_cli_flag(cli, AQ_CLI_OPT_WORKGROUP))
    return aq_diag_set(&cli->diag, AQ_ERR_INVALID,
                       "show --lds: expected --workgroup X[,Y[,Z]] too");
  if (cli->values[AQ_CLI_OPT_TOPOLOGY])
    return write_topology(cli);
  const bool file = aq_cli_flag(cli, AQ_CLI_OPT_STUB) || !is_run(cli);
  if (file && show_file(cli, &status))
    return status;
  if (aq_cli_flag(cli, AQ_CLI_OPT_WORKGROUP))
    return aq_diag_set(&cli->diag, AQ_ERR_INPUT,
                       "show --workgroup: '%s' has no code objects",
                       cli->args[0]);
  status = aq_cli_store_open_if_any(cli, &store);
  if (status != AQ_OK)
    return is_device(cli->args[0]) && !aq_cli_flag(cli, AQ_CLI_OPT_ASM)
               ? show_device(cli)
               : status;
  status = store ? aq_store_find(store, cli->args[0], &info, &cli->diag)
                 : AQ_ERR_NOT_FOUND;
  if (status == AQ_OK) {
    status = aq_cli_flag(cli, AQ_CLI_OPT_ASM)
                 ? aq_cli_show_profile(cli, store, info)
                 : show_run(cli, store, info);
    if (status == AQ_OK && !aq_cli_flag(cli, AQ_CLI_OPT_ASM))
      status = aq_cli_profile_mention(cli, store, info);
    aq_run_info_free(info);
  } else if (status == AQ_ERR_NOT_FOUND) {
    if (aq_cli_flag(cli, AQ_CLI_OPT_ASM))
      status = aq_diag_set(&cli->diag, AQ_ERR_NOT_FOUND,
                           "show --asm: '%s' is neither a run nor a file with "
                           "code objects",
                           cli->args[0]);
    else
      status = is_device(cli->args[0]) ? show_device(cli) : say_neither(cli);
  }
  if (store)
    aq_store_close(store);
  return status;
}
