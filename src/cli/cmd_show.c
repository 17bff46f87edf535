/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "capture/packets.h"
#include "capture/reader.h"
#include "cli/code_show.h"
#include "cli/columns.h"
#include "cli/commands.h"
#include "cli/packets_show.h"
#include "cli/program_show.h"
#include "cli/runs.h"
#include "cli/topology_show.h"
#include "codeobj/code_file.h"
#include "common/json_out.h"
#include "common/text.h"
#include "report/counter_summary.h"
#include "report/queue_summary.h"
#include "transports/device_models.h"

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
  char date[AQ_CLI_DATE_SIZE], trust[AQ_CLI_TRUST_SIZE];
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
  put_field(cli, "rests on", aq_cli_run_trust(info, trust));
  put_number(cli, "seed", info->seed);
  put_field(cli, "state",
            !info->complete   ? "incomplete"
            : info->truncated ? "complete, of a truncated trace"
                              : "complete");
  put_field(cli, "durations", info->durations);
  put_field(cli, "reproducible", info->reproducible ? "yes" : "no");
  put_field(cli, "created (UTC)", date);
  put_field(cli, "command", info->command);
  put_field(cli, "version", info->version);
  put_field(cli, "notes", info->notes);
}

static void cell_time(char cell[32], aq_time time)
{
  if (time == AQ_TIME_NONE)
    snprintf(cell, 32, "-");
  else
    snprintf(cell, 32, "%.3f", (double)time / (double)AQ_US);
}

static void put_queue(aq_cli_columns *table, const aq_queue_summary *queue)
{
  char numbers[7][24], times[3][32], part[16];
  const int64_t values[] = {queue->ordinal,  queue->device, queue->source_id,
                            queue->kernels,  queue->copies, queue->others,
                            queue->with_host};
  for (int i = 0; i < 7; i++)
    snprintf(numbers[i], sizeof numbers[i], "%" PRId64, values[i]);
  cell_time(times[0], queue->first_start);
  cell_time(times[1], queue->last_end);
  cell_time(times[2], queue->busy);
  double span = (double)(queue->last_end - queue->first_start);
  snprintf(part, sizeof part, "%.1f",
           span > 0 ? 100 * (double)queue->busy / span : 0);
  const char *cells[] = {numbers[0], numbers[1], numbers[2], queue->gpu,
                         numbers[3], numbers[4], numbers[5], numbers[6],
                         times[0],   times[1],   times[2],   part};
  aq_cli_columns_row(table, cells);
}

static bool put_queues(aq_cli *cli, const aq_queue_summary *queues,
                       size_t count)
{
  static const char *const names[] = {">queue",
                                      ">device",
                                      ">source id",
                                      "GPU",
                                      ">kernels",
                                      ">copies",
                                      ">others",
                                      ">with host times",
                                      ">first start us",
                                      ">last end us",
                                      ">busy us",
                                      ">busy %",
                                      NULL};
  aq_cli_columns *table = aq_cli_columns_new(names);
  if (!table)
    return false;
  for (size_t i = 0; i < count; i++)
    put_queue(table, &queues[i]);
  fputc('\n', cli->out);
  return aq_cli_columns_print(table, cli->out);
}

static void json_queue(aq_json_out *json, const aq_queue_summary *queue)
{
  aq_json_out_map(json, NULL);
  aq_json_out_int(json, "queue", queue->ordinal);
  aq_json_out_int(json, "device", queue->device);
  aq_json_out_int(json, "source_id", queue->source_id);
  aq_json_out_text(json, "gpu", queue->gpu);
  aq_json_out_int(json, "kernels", queue->kernels);
  aq_json_out_int(json, "copies", queue->copies);
  aq_json_out_int(json, "others", queue->others);
  aq_json_out_int(json, "with_host", queue->with_host);
  aq_json_out_ns(json, "first_start_ns", queue->first_start);
  aq_json_out_ns(json, "last_end_ns", queue->last_end);
  aq_json_out_ns(json, "busy_ns", queue->busy);
  aq_json_out_close_map(json);
}

/* ---- counters ---- */

static const char *scope_of(const aq_counter_summary *of)
{
  return of->counter->scope == AQ_COUNTER_OF_QUEUE ? "queue" : "device";
}

static aq_status put_counters(aq_cli *cli, const aq_counter_summary *counters,
                              size_t count)
{
  static const char *const names[] = {"counter", "of",   ">number",  ">mean",
                                      ">most",   "unit", ">changes", NULL};
  if (count == 0)
    return AQ_OK;
  aq_cli_columns *table = aq_cli_columns_new(names);
  if (!table)
    return aq_diag_no_memory(&cli->diag);
  for (size_t i = 0; i < count; i++) {
    const aq_counter_summary *of = &counters[i];
    char ordinal[24], samples[24], most[24], mean[40];
    snprintf(ordinal, sizeof ordinal, "%" PRId64, of->ordinal);
    snprintf(samples, sizeof samples, "%" PRId64, of->samples);
    snprintf(most, sizeof most, "%" PRId64, of->most);
    snprintf(mean, sizeof mean, "%.3g", of->mean);
    const char *cells[] = {of->counter->name, scope_of(of), ordinal, mean, most,
                           of->counter->unit, samples};
    aq_cli_columns_row(table, cells);
  }
  fputc('\n', cli->out);
  return aq_cli_columns_print(table, cli->out) ? AQ_OK
                                               : aq_diag_no_memory(&cli->diag);
}

static void json_counters(aq_json_out *json, const aq_counter_summary *counters,
                          size_t count)
{
  aq_json_out_array(json, "counters");
  for (size_t i = 0; i < count; i++) {
    const aq_counter_summary *of = &counters[i];
    aq_json_out_map(json, NULL);
    aq_json_out_text(json, "counter", of->counter->name);
    aq_json_out_text(json, "scope", scope_of(of));
    aq_json_out_int(json, "ordinal", of->ordinal);
    aq_json_out_text(json, "unit", of->counter->unit);
    aq_json_out_int(json, "changes", of->samples);
    aq_json_out_real(json, "mean", of->mean);
    aq_json_out_int(json, "most", of->most);
    aq_json_out_close_map(json);
  }
  aq_json_out_close_array(json);
}

static aq_status print_run(aq_cli *cli, const aq_run_info *info,
                           const aq_queue_summary *queues, size_t queue_count,
                           const aq_counter_summary *counters,
                           size_t counter_count)
{
  aq_json_out *json;
  aq_status status = aq_cli_json_begin_if(cli, &json);
  if (status != AQ_OK)
    return status;
  if (!json) {
    put_info(cli, info);
    if (!put_queues(cli, queues, queue_count))
      return aq_diag_no_memory(&cli->diag);
    return put_counters(cli, counters, counter_count);
  }
  aq_json_out_map(json, NULL);
  aq_cli_run_json(json, info);
  aq_json_out_array(json, "queues");
  for (size_t i = 0; i < queue_count; i++)
    json_queue(json, &queues[i]);
  aq_json_out_close_array(json);
  json_counters(json, counters, counter_count);
  aq_json_out_close_map(json);
  return aq_cli_json_end_if(cli, json);
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
    status = print_run(cli, info, queues, queue_count, counters, counter_count);
  free(counters);
  free(queues);
  aq_run_reader_close(reader);
  return status;
}

/* ---- a device model ---- */

/* The first word of a source says what it is worth: "measured", "assumed". */
static void source_worth(const char *source, char worth[16])
{
  snprintf(worth, 16, "%.*s", (int)strcspn(source, ": "), source);
}

static bool put_constants(aq_cli *cli, const aq_device_model *model)
{
  static const char *const names[] = {"constant",   ">value", "unit",
                                      "moves time", "worth",  "from",
                                      "<meaning",   NULL};
  aq_cli_columns *table = aq_cli_columns_new(names);
  if (!table)
    return false;
  for (size_t i = 0; i < model->count; i++) {
    const aq_device_constant *c = &model->constants[i];
    char worth[16];
    source_worth(c->source, worth);
    const char *cells[] = {c->key, c->value, c->unit,   c->timing ? "yes" : "",
                           worth,  c->from,  c->meaning};
    aq_cli_columns_row(table, cells);
  }
  if (!aq_cli_columns_print(table, cli->out))
    return false;
  fputs("\nsources\n", cli->out);
  for (size_t i = 0; i < model->count; i++) {
    char *source = aq_text_line(model->constants[i].source,
                                strlen(model->constants[i].source));
    if (!source)
      return false;
    fprintf(cli->out, "  %s: %s\n", model->constants[i].key, source);
    free(source);
  }
  return true;
}

static void json_constants(aq_json_out *json, const aq_device_model *model)
{
  aq_json_out_array(json, "values");
  for (size_t i = 0; i < model->count; i++) {
    const aq_device_constant *c = &model->constants[i];
    aq_json_out_map(json, NULL);
    aq_json_out_text(json, "key", c->key);
    aq_json_out_text(json, "value", c->value);
    aq_json_out_text(json, "unit", c->unit);
    aq_json_out_text(json, "source", c->source);
    aq_json_out_text(json, "from", c->from);
    aq_json_out_text(json, "group", c->group);
    aq_json_out_text(json, "meaning", c->meaning);
    aq_json_out_bool(json, "timing", c->timing);
    aq_json_out_close_map(json);
  }
  aq_json_out_close_array(json);
}

static aq_status print_device(aq_cli *cli, const aq_device_model *model)
{
  aq_json_out *json;
  aq_status status = aq_cli_json_begin_if(cli, &json);
  if (status != AQ_OK)
    return status;
  if (!json) {
    put_field(cli, "device model", model->name);
    put_field(cli, "hash", model->hash);
    put_field(cli, "constants", model->verdict);
    fputc('\n', cli->out);
    return put_constants(cli, model) ? AQ_OK : aq_diag_no_memory(&cli->diag);
  }
  aq_json_out_map(json, NULL);
  aq_json_out_text(json, "name", model->name);
  aq_json_out_text(json, "hash", model->hash);
  aq_json_out_text(json, "constants", model->verdict);
  json_constants(json, model);
  aq_json_out_close_map(json);
  return aq_cli_json_end_if(cli, json);
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

static aq_status say_neither(aq_cli *cli, const aq_store *store)
{
  const char *names[33] = {NULL};
  for (size_t i = 0; i < 32 && aq_device_model_name(i); i++)
    names[i] = aq_device_model_name(i);
  const char *near = aq_text_nearest(cli->args[0], names);
  if (!near && store)
    return cli->diag.status; /* the store has said which runs there are */
  return aq_diag_set(&cli->diag, AQ_ERR_NOT_FOUND,
                     "'%s' is neither a run nor a device model%s%s%s",
                     cli->args[0], near ? "; did you mean " : "",
                     near ? near : "", near ? "?" : "");
}

aq_status aq_cli_show(aq_cli *cli)
{
  aq_store *store;
  aq_run_info *info;
  if (aq_code_file_is(cli->args[0]))
    return aq_cli_show_code(cli, cli->args[0]);
  if (aq_cli_flag(cli, AQ_CLI_OPT_STUB))
    return aq_diag_set(&cli->diag, AQ_ERR_INPUT,
                       "show --stub: '%s' is no file with code objects",
                       cli->args[0]);
  if (aq_cli_is_program(cli->args[0]))
    return aq_cli_show_program(cli, cli->args[0]);
  if (aq_cap_file_is(cli->args[0]))
    return aq_cli_show_capture(cli);
  if (aq_packet_file_is(cli->args[0]))
    return aq_cli_show_packets(cli);
  aq_status status = aq_cli_store_open_if_any(cli, &store);
  if (status != AQ_OK)
    return is_device(cli->args[0]) ? show_device(cli) : status;
  status = store ? aq_store_find(store, cli->args[0], &info, &cli->diag)
                 : AQ_ERR_NOT_FOUND;
  if (status == AQ_OK) {
    status = show_run(cli, store, info);
    aq_run_info_free(info);
  } else if (status == AQ_ERR_NOT_FOUND) {
    status =
        is_device(cli->args[0]) ? show_device(cli) : say_neither(cli, store);
  }
  if (store)
    aq_store_close(store);
  return status;
}
