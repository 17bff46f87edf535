/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "cli/commands/commands.h"
#include "cli/commands/runs.h"
#include "cli/commands/table_output.h"
#include "common/json_out.h"
#include "common/text.h"
#include "report/compare/metrics.h"
#include "scheduler/registry.h"
#include "trace/db/tracedb.h"
#include "trace/import/trace.h"
#include "transport/registry/device_models.h"

/* Where entries go. */
typedef struct listing {
  aq_cli *cli;
  aq_cli_rows *rows;
} listing;

/* An entry of texts, as many as there are columns. */
static void put_texts(aq_cli_rows *rows, const char *const *texts,
                      size_t columns)
{
  aq_cli_row_begin(rows);
  for (size_t i = 0; i < columns; i++)
    aq_cli_cell_text(rows, texts[i]);
  aq_cli_row_end(rows);
}

#define PUT_TEXTS(rows, texts)                                                 \
  put_texts((rows), (texts), sizeof(texts) / sizeof *(texts))

/* A document has more of a run than a table. */
static void put_run(listing *list, aq_json_out *json, const aq_run_info *info)
{
  char date[AQ_CLI_DATE_SIZE];
  aq_cli_rows *rows = list->rows;
  aq_cli_row_begin(rows);
  if (json) {
    aq_cli_run_json(json, info);
  } else if (aq_cli_flag(list->cli, AQ_CLI_OPT_NAMES) && info->name) {
    aq_cli_cell_text(rows, info->name);
  } else {
    aq_cli_date(info->created, date);
    aq_cli_cell_int(rows, info->id);
    aq_cli_cell_text(rows, info->name);
    aq_cli_cell_text(rows, aq_cli_run_kind_name(info->kind));
    aq_cli_cell_int(rows, info->origin);
    aq_cli_cell_text(rows, info->device_model);
    aq_cli_cell_text(rows, info->model_verdict);
    aq_cli_cell_text(rows, info->failed      ? "failed"
                           : !info->complete ? "incomplete"
                           : info->truncated ? "truncated"
                           : info->damage    ? "damaged"
                                             : NULL); /* complete */
    aq_cli_cell_text(rows, date);
    aq_cli_cell_text(rows, info->source);
  }
  aq_cli_row_end(rows);
}

static aq_status list_runs(listing *list, aq_json_out *json)
{
  aq_store *store;
  aq_run_list runs;
  aq_status status = aq_cli_store_open_if_any(list->cli, &store);
  if (status != AQ_OK || !store)
    return status;
  status = aq_store_list(store, &runs, &list->cli->diag);
  if (status == AQ_OK) {
    for (size_t i = 0; i < runs.count; i++)
      put_run(list, json, runs.runs[i]);
    aq_run_list_fini(&runs);
  }
  aq_store_close(store);
  return status;
}

static aq_status list_devices(listing *list, aq_json_out *json)
{
  const char *name;
  (void)json;
  for (size_t i = 0; (name = aq_device_model_name(i)); i++) {
    aq_device_model *model;
    aq_status status =
        aq_device_model_load(name, NULL, &model, &list->cli->diag);
    if (status != AQ_OK)
      return status;
    const char *const texts[] = {name, model->verdict, model->hash};
    PUT_TEXTS(list->rows, texts);
    aq_device_model_free(model);
  }
  return AQ_OK;
}

static void put_transport(const aq_transport_entry *entry, void *user)
{
  const char *const texts[] = {entry->name, entry->kind, entry->summary,
                               entry->caps, entry->path};
  PUT_TEXTS(user, texts);
}

static aq_status list_transports(listing *list, aq_json_out *json)
{
  (void)json;
  return aq_transport_each(put_transport, list->rows, &list->cli->diag);
}

static void put_format(listing *list, const aq_trace_format *format)
{
  const char *const texts[] = {format->name, format->imports ? "yes" : "no",
                               format->exports ? "yes" : "no", format->summary};
  PUT_TEXTS(list->rows, texts);
}

static aq_status list_formats(listing *list, aq_json_out *json)
{
  (void)json;
  for (const aq_trace_format *f = aq_trace_formats(); f->name; f++)
    put_format(list, f);
  for (const aq_trace_module *m = aq_tracedb_modules; m->format.name; m++)
    put_format(list, &m->format);
  return AQ_OK;
}

static aq_status list_metrics(listing *list, aq_json_out *json)
{
  (void)json;
  for (size_t i = 0; i < aq_metric_count(); i++) {
    const aq_metric metric = aq_metric_at(i);
    const char *const texts[] = {metric.name, aq_metric_unit_name(metric.unit),
                                 metric.meaning};
    PUT_TEXTS(list->rows, texts);
  }
  return AQ_OK;
}

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
  const bool half = ops && aq_policy_has_device_half(ops);
  settings_write(ops ? ops->settings : NULL, settings, sizeof settings);
  const char *const texts[] = {entry->name,
                               ops ? ops->summary : entry->problem,
                               settings,
                               half ? "yes" : "no",
                               ops ? ops->source : NULL,
                               entry->path};
  PUT_TEXTS(user, texts);
}

static aq_status list_policies(listing *list, aq_json_out *json)
{
  (void)json;
  return aq_policy_each(put_policy, list->rows, &list->cli->diag);
}

/* A column of a table and of a document under the same name. */
#define BOTH(name)                                                             \
  {                                                                            \
    name, name                                                                 \
  }

#define ONLY_WIDE(name)                                                        \
  {                                                                            \
    "+" name, name                                                             \
  }

static const struct {
  const char *name;
  aq_status (*list)(listing *list, aq_json_out *json);
  aq_cli_column columns[10];
} subjects[] = {
    {"runs",
     list_runs,
     {{">id", NULL},
      {"name", NULL},
      {"kind", NULL},
      {"+>origin", NULL},
      {"device model", NULL},
      {"constants", NULL},
      {"?state", NULL},
      {"+created (UTC)", NULL},
      {"<source", NULL}}},
    {"devices", list_devices, {BOTH("name"), BOTH("constants"), BOTH("hash")}},
    {"transports",
     list_transports,
     {BOTH("name"),
      BOTH("kind"),
      BOTH("summary"),
      {"<capabilities", "capabilities"},
      ONLY_WIDE("path")}},
    {"formats",
     list_formats,
     {BOTH("name"), BOTH("reads"), BOTH("writes"), {"<summary", "summary"}}},
    {"metrics",
     list_metrics,
     {BOTH("name"), BOTH("unit"), {"<meaning", "meaning"}}},
    {"policies",
     list_policies,
     {BOTH("name"),
      {"<summary", "summary"},
      ONLY_WIDE("settings"),
      ONLY_WIDE("device_half"),
      ONLY_WIDE("source"),
      ONLY_WIDE("path")}},
};

enum { SUBJECTS = sizeof subjects / sizeof *subjects };

static aq_status list_subject(aq_cli *cli, size_t subject)
{
  listing list = {.cli = cli};
  aq_json_out *json;
  aq_status status = aq_cli_json_begin_if(cli, &json);
  if (status != AQ_OK)
    return status;
  list.rows = aq_cli_rows_begin(cli, json, NULL, subjects[subject].columns);
  if (aq_cli_flag(cli, AQ_CLI_OPT_NAMES))
    aq_cli_rows_names(list.rows);
  status = subjects[subject].list(&list, json);
  if (status != AQ_OK) {
    aq_cli_rows_drop(list.rows);
    aq_json_out_drop(json);
    return status;
  }
  status = aq_cli_rows_end(cli, list.rows);
  return aq_cli_json_finish(cli, json, status);
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
