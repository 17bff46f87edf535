/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/columns.h"
#include "cli/commands.h"
#include "cli/runs.h"
#include "common/json_out.h"
#include "common/text.h"
#include "report/metrics.h"
#include "scheduler/registry.h"
#include "trace/trace.h"
#include "tracedb/tracedb.h"
#include "transports/device_models.h"

/* Where entries go: names one a line, a table, or a document. */
typedef struct listing {
  aq_cli *cli;
  aq_cli_columns *table;
  aq_json_out *json;
} listing;

static void put_name(const listing *list, const char *name)
{
  char *line = aq_text_line(name, strlen(name));
  fprintf(list->cli->out, "%s\n", line ? line : "");
  free(line);
}

/* An entry of texts: with --names the first, in a document each under its key
 * (NULL keys are left out of the document). */
static void put_texts(listing *list, const char *const *keys,
                      const char *const *texts)
{
  if (list->json) {
    aq_json_out_map(list->json, NULL);
    for (size_t i = 0; keys[i]; i++)
      aq_json_out_text(list->json, keys[i], texts[i]);
    aq_json_out_close_map(list->json);
  } else if (list->table) {
    aq_cli_columns_row(list->table, texts);
  } else {
    put_name(list, texts[0]);
  }
}

static void put_run(listing *list, const aq_run_info *info)
{
  char id[24], origin[24], date[AQ_CLI_DATE_SIZE];
  if (list->json) {
    aq_json_out_map(list->json, NULL);
    aq_cli_run_json(list->json, info);
    aq_json_out_close_map(list->json);
    return;
  }
  snprintf(id, sizeof id, "%" PRId64, info->id);
  if (!list->table) {
    put_name(list, info->name ? info->name : id);
    return;
  }
  snprintf(origin, sizeof origin, "%" PRId64, info->origin);
  aq_cli_date(info->created, date);
  const char *cells[] = {id,
                         info->name,
                         aq_cli_run_kind_name(info->kind),
                         info->origin == AQ_NONE ? NULL : origin,
                         info->device_model,
                         info->model_verdict,
                         !info->complete   ? "incomplete"
                         : info->truncated ? "truncated"
                                           : "complete",
                         date,
                         info->source};
  aq_cli_columns_row(list->table, cells);
}

static aq_status list_runs(listing *list)
{
  aq_store *store;
  aq_run_list runs;
  aq_status status = aq_cli_store_open_if_any(list->cli, &store);
  if (status != AQ_OK || !store)
    return status;
  status = aq_store_list(store, &runs, &list->cli->diag);
  if (status == AQ_OK) {
    for (size_t i = 0; i < runs.count; i++)
      put_run(list, runs.runs[i]);
    aq_run_list_fini(&runs);
  }
  aq_store_close(store);
  return status;
}

static const char *const device_keys[] = {"name", "constants", "hash", NULL};

static aq_status list_devices(listing *list)
{
  aq_status status = AQ_OK;
  const char *name;
  for (size_t i = 0; status == AQ_OK && (name = aq_device_model_name(i)); i++) {
    aq_device_model *model;
    status = aq_device_model_load(name, NULL, &model, &list->cli->diag);
    if (status != AQ_OK)
      break;
    const char *texts[] = {name, model->verdict, model->hash};
    put_texts(list, device_keys, texts);
    aq_device_model_free(model);
  }
  return status;
}

static const char *const transport_keys[] = {"name",         "kind", "summary",
                                             "capabilities", "path", NULL};

static void put_transport(const aq_transport_entry *entry, void *user)
{
  const char *texts[] = {entry->name, entry->kind, entry->summary, entry->caps,
                         entry->path};
  put_texts(user, transport_keys, texts);
}

static aq_status list_transports(listing *list)
{
  return aq_transport_each(put_transport, list, &list->cli->diag);
}

static const char *const format_keys[] = {"name", "reads", "writes", "summary",
                                          NULL};

static void put_format(listing *list, const aq_trace_format *format)
{
  const char *texts[] = {format->name, format->imports ? "yes" : "no",
                         format->exports ? "yes" : "no", format->summary};
  put_texts(list, format_keys, texts);
}

static aq_status list_formats(listing *list)
{
  for (const aq_trace_format *f = aq_trace_formats(); f->name; f++)
    put_format(list, f);
  for (const aq_trace_module *m = aq_tracedb_modules; m->format.name; m++)
    put_format(list, &m->format);
  return AQ_OK;
}

static const char *const metric_keys[] = {"name", "unit", "meaning", NULL};

static aq_status list_metrics(listing *list)
{
  for (size_t i = 0; i < aq_metric_count(); i++) {
    aq_metric metric = aq_metric_at(i);
    const char *texts[] = {metric.name, aq_metric_unit_name(metric.unit),
                           metric.meaning};
    put_texts(list, metric_keys, texts);
  }
  return AQ_OK;
}

static const char *const policy_keys[] = {
    "name", "summary", "settings", "device_half", "source", "path", NULL};

/* "slots=1 capacity=0", cut where it is too long. */
static void settings_write(const aq_policy_setting *setting, char *to,
                           size_t size)
{
  size_t used = 0;
  to[0] = 0;
  for (; setting && setting->key && used < size; setting++)
    used += (size_t)snprintf(to + used, size - used, "%s%s=%s", used ? " " : "",
                             setting->key, setting->preset);
}

static void put_policy(const aq_policy_entry *entry, void *user)
{
  char settings[512];
  const aq_policy_ops *ops = entry->ops;
  const char *half = ops && aq_policy_has_device_half(ops) ? "yes" : "no";
  settings_write(ops ? ops->settings : NULL, settings, sizeof settings);
  const char *texts[] = {entry->name,
                         ops ? ops->summary : entry->problem,
                         settings,
                         half,
                         ops ? ops->source : NULL,
                         entry->path};
  put_texts(user, policy_keys, texts);
}

static aq_status list_policies(listing *list)
{
  return aq_policy_each(put_policy, list, &list->cli->diag);
}

static const char *const run_columns[] = {
    ">id",       "name",  "kind",          ">origin", "device model",
    "constants", "state", "created (UTC)", "<source", NULL};

/* Columns are the keys, except for runs, whose documents hold more. */
static const struct {
  const char *name;
  aq_status (*list)(listing *list);
  const char *const *columns;
} subjects[] = {
    {"runs", list_runs, run_columns},
    {"devices", list_devices, device_keys},
    {"transports", list_transports, transport_keys},
    {"formats", list_formats, format_keys},
    {"metrics", list_metrics, metric_keys},
    {"policies", list_policies, policy_keys},
};

enum { SUBJECTS = sizeof subjects / sizeof *subjects };

static aq_status list_subject(aq_cli *cli, size_t subject)
{
  listing list = {.cli = cli};
  aq_status status = aq_cli_json_begin_if(cli, &list.json);
  if (status != AQ_OK)
    return status;
  if (list.json)
    aq_json_out_array(list.json, NULL);
  else if (!aq_cli_flag(cli, AQ_CLI_OPT_NAMES) &&
           !(list.table = aq_cli_columns_new(subjects[subject].columns)))
    return aq_diag_no_memory(&cli->diag);
  status = subjects[subject].list(&list);
  if (status != AQ_OK) {
    aq_cli_columns_drop(list.table);
    aq_json_out_drop(list.json);
    return status;
  }
  if (list.table && !aq_cli_columns_print(list.table, cli->out))
    return aq_diag_no_memory(&cli->diag);
  if (list.json)
    aq_json_out_close_array(list.json);
  return aq_cli_json_end_if(cli, list.json);
}

aq_status aq_cli_list(aq_cli *cli)
{
  for (size_t i = 0; i < SUBJECTS; i++)
    if (strcmp(subjects[i].name, cli->args[0]) == 0)
      return list_subject(cli, i);
  const char *near = aq_text_nearest(cli->args[0], aq_cli_subjects);
  return aq_diag_set(&cli->diag, AQ_ERR_INVALID, "cannot list '%s'; %s%s%s",
                     cli->args[0], near ? "did you mean " : "expected one of ",
                     near ? near : aq_cli_commands[AQ_CLI_CMD_LIST].arguments,
                     near ? "?" : "");
}
