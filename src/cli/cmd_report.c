/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/profile_show.h"
#include "cli/runs.h"
#include "cli/whatif_document.h"
#include "common/json_in.h"
#include "report/page.h"
#include "transports/device_models.h"

/* The runs of the page, with the device models that they were made with. */
typedef struct report {
  size_t count;
  aq_run_info *infos[AQ_PAGE_RUNS_MAX];
  aq_device_model *models[AQ_PAGE_RUNS_MAX]; /* NULL: not known here */
  aq_page_constant *constants[AQ_PAGE_RUNS_MAX];
  char *whatif; /* of one of the runs, or NULL */
} report;

static void report_fini(report *r)
{
  for (size_t i = 0; i < r->count; i++) {
    free(r->constants[i]);
    aq_device_model_free(r->models[i]);
    aq_run_info_free(r->infos[i]);
  }
}

static bool report_has(const report *r, int64_t run)
{
  for (size_t i = 0; i < r->count; i++)
    if (r->infos[i]->id == run)
      return true;
  return false;
}

/* Takes the info over; a run of the page is not shown twice. */
static void report_add(report *r, aq_run_info *info)
{
  if (r->count == AQ_PAGE_RUNS_MAX || report_has(r, info->id))
    aq_run_info_free(info);
  else
    r->infos[r->count++] = info;
}

/* ---- where the constants come from ---- */

/* The edits in a run's notes, as an array ended by NULL that points into
 * the document. */
static const char **edits_of(const aq_json_doc *doc)
{
  const aq_json_node root = aq_json_root(doc);
  aq_json_node list, item;
  size_t count = 0;
  if (aq_json_is_object(&root) && aq_json_member(&root, "edits", &list) &&
      aq_json_array(&list, 0, SIZE_MAX, &count) != AQ_OK)
    count = 0;
  const char **edits = calloc(count + 1, sizeof *edits);
  for (size_t i = 0, kept = 0; edits && i < count; i++) {
    item = aq_json_element(&list, i);
    kept += aq_json_text(&item, &edits[kept]) == AQ_OK;
  }
  return edits;
}

/* The model that a run was made with, NULL where this build's has other
 * constants or none. */
static aq_device_model *load_model(const aq_run_info *info)
{
  aq_diag ignored = AQ_DIAG_INIT;
  aq_json_doc doc = {0};
  aq_device_model *model = NULL;
  const char *notes = info->notes ? info->notes : "{}";
  if (!info->device_model || !info->model_hash ||
      aq_json_parse(&doc, notes, strlen(notes), "notes", &ignored) != AQ_OK)
    return NULL;
  const char **edits = edits_of(&doc);
  if (edits)
    aq_device_model_load(info->device_model, edits, &model, &ignored);
  free(edits);
  aq_json_free(&doc);
  if (model && strcmp(model->hash, info->model_hash) != 0) {
    aq_device_model_free(model);
    model = NULL;
  }
  return model;
}

static aq_status find_model(aq_cli *cli, report *r, size_t i, aq_page_run *page)
{
  const aq_device_model *model = r->models[i] = load_model(r->infos[i]);
  if (!model)
    return AQ_OK;
  aq_page_constant *constants = r->constants[i] =
      calloc(model->count + 1, sizeof *constants);
  if (!constants)
    return aq_diag_no_memory(&cli->diag);
  for (size_t k = 0; k < model->count; k++)
    constants[k] = (aq_page_constant){
        model->constants[k].key, model->constants[k].value,
        model->constants[k].unit, model->constants[k].source};
  page->constants = constants;
  page->constant_count = model->count;
  return AQ_OK;
}

/* ---- the command ---- */

static aq_status find_runs(aq_cli *cli, aq_store *store, report *r)
{
  for (int i = 0; i < cli->arg_count; i++) {
    aq_run_info *info;
    aq_status status = aq_store_find(store, cli->args[i], &info, &cli->diag);
    if (status != AQ_OK)
      return status;
    report_add(r, info);
  }
  return AQ_OK;
}

/* One replay alone: its origin comes first. */
static aq_status add_origin(aq_cli *cli, aq_store *store, report *r)
{
  aq_run_info *origin;
  if (r->count != 1 || r->infos[0]->origin == AQ_NONE)
    return AQ_OK;
  aq_diag gone = AQ_DIAG_INIT;
  if (aq_store_run(store, r->infos[0]->origin, &origin, &gone) != AQ_OK) {
    aq_cli_note(cli, "the run that it replays is not in the store any more");
    return AQ_OK;
  }
  r->infos[1] = r->infos[0];
  r->infos[0] = origin;
  r->count = 2;
  return AQ_OK;
}

static aq_status add_whatif(aq_cli *cli, aq_store *store, report *r,
                            aq_page_run *pages)
{
  int64_t run;
  aq_status status = aq_cli_whatif_document(cli, store, &run, &r->whatif);
  for (size_t i = 0; i < r->count && status == AQ_OK; i++)
    if (r->infos[i]->id == run)
      pages[i].whatif = r->whatif;
  return status;
}

static aq_status write_report(aq_cli *cli, aq_store *store, report *r)
{
  aq_page_run pages[AQ_PAGE_RUNS_MAX] = {{0}};
  aq_status status = find_runs(cli, store, r);
  if (status == AQ_OK)
    status = add_origin(cli, store, r);
  for (size_t i = 0; i < r->count && status == AQ_OK; i++)
    status = aq_cli_profile_mention(cli, store, r->infos[i]);
  for (size_t i = 0; i < r->count && status == AQ_OK; i++) {
    pages[i].info = r->infos[i];
    status = find_model(cli, r, i, &pages[i]);
  }
  if (status == AQ_OK && aq_cli_whatif_wanted(cli))
    status = add_whatif(cli, store, r, pages);
  if (status == AQ_OK)
    status = aq_page_write(store, pages, r->count, cli->out, &cli->diag);
  free(r->whatif);
  return status;
}

/* The page is in its file: stdout is free for the document. */
static aq_status list_runs(aq_cli *cli, const report *r)
{
  aq_json_out *json = aq_json_out_begin(true);
  if (!json)
    return aq_diag_no_memory(&cli->diag);
  aq_json_out_map(json, NULL);
  aq_json_out_text(json, "page", cli->values[AQ_CLI_OPT_OUTPUT]);
  aq_json_out_array(json, "runs");
  for (size_t i = 0; i < r->count; i++) {
    aq_json_out_map(json, NULL);
    aq_cli_run_json(json, r->infos[i]);
    aq_json_out_close_map(json);
  }
  aq_json_out_close_array(json);
  aq_json_out_close_map(json);
  cli->documented = true;
  return aq_json_out_end(json, stdout) ? AQ_OK : aq_diag_no_memory(&cli->diag);
}

aq_status aq_cli_report(aq_cli *cli)
{
  aq_store *store;
  report r = {0};
  const bool json = aq_cli_flag(cli, AQ_CLI_OPT_JSON);
  if (json && cli->out == stdout)
    return aq_diag_set(&cli->diag, AQ_ERR_INVALID,
                       "report --json: expected -o FILE for the page, which "
                       "is no document");
  aq_status status = aq_cli_store_open(cli, AQ_STORE_READ, &store);
  if (status != AQ_OK)
    return status;
  status = write_report(cli, store, &r);
  if (status == AQ_OK && json)
    status = list_runs(cli, &r);
  report_fini(&r);
  aq_store_close(store);
  return status;
}
