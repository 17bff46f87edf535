/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "cli/commands/commands.h"
#include "cli/commands/compare_print.h"
#include "cli/commands/runs.h"
#include "cli/commands/show_profile.h"
#include "cli/commands/window.h"
#include "report/page/page.h"
#include "study/session/run_model.h"
#include "transport/registry/device_models.h"

/* The runs of the page, with the device models that they were made with. */
typedef struct report {
  size_t count;
  aq_run_info *infos[AQ_PAGE_RUNS_MAX];
  aq_device_model *models[AQ_PAGE_RUNS_MAX]; /* NULL: not known here */
  aq_page_constant *constants[AQ_PAGE_RUNS_MAX];
  char *whatif;      /* of one of the runs, or NULL */
  char *whatif_note; /* why it has none, or NULL */
  bool versions;     /* --against: repeated runs of two versions */
  size_t after;      /* how many are of the version after */
  bool in_part;      /* of each run: of this window */
  aq_run_window window;
  aq_selection parts[AQ_PAGE_RUNS_MAX];
  char *part_texts[AQ_PAGE_RUNS_MAX];
} report;

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

static aq_status find_model(aq_cli *cli, report *r, size_t i, aq_page_run *page)
{
  const aq_device_model *model = r->models[i] = aq_run_model_load(r->infos[i]);
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

static aq_status too_many(aq_cli *cli)
{
  return aq_diag_set(&cli->diag, AQ_ERR_INVALID,
                     "report: expected at most %d runs", AQ_PAGE_RUNS_MAX);
}

/* --against: the runs after, then those before, each once. */
static aq_status find_versions(aq_cli *cli, aq_store *store, report *r)
{
  aq_run_info **runs;
  size_t count;
  aq_status status = aq_cli_versions_find(cli, store, &runs, &r->after, &count);
  if (status != AQ_OK)
    return status;
  if (count > AQ_PAGE_RUNS_MAX)
    status = too_many(cli);
  for (size_t i = 0; i < count && status == AQ_OK; i++) {
    if (report_has(r, runs[i]->id))
      status = aq_diag_set(&cli->diag, AQ_ERR_INPUT,
                           "report --against: run %lld is named twice",
                           (long long)runs[i]->id);
    if (status == AQ_OK) {
      report_add(r, runs[i]);
      runs[i] = NULL;
    }
  }
  aq_cli_versions_free(runs, count);
  r->versions = true;
  return status;
}

static aq_status find_runs(aq_cli *cli, aq_store *store, report *r)
{
  if (cli->given[AQ_CLI_OPT_AGAINST])
    return find_versions(cli, store, r);
  if (cli->arg_count > AQ_PAGE_RUNS_MAX)
    return too_many(cli);
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
  if (r->versions || r->count != 1 || r->infos[0]->origin == AQ_NONE)
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

/* ---- what-ifs ---- */

/* Replays of longer runs take long: only changes that the command line has. */
enum { WHATIF_ROWS_MAX = 100000 };

/* The usual changes: where they cannot be tried, the page says why. */
static aq_status try_usual(aq_cli *cli, aq_store *store, report *r,
                           aq_page_run *page)
{
  char id[32];
  size_t rows;
  aq_status status = aq_run_rows_count(store, page->info->id, WHATIF_ROWS_MAX,
                                       &rows, &cli->diag);
  if (status != AQ_OK)
    return status;
  snprintf(id, sizeof id, "%lld", (long long)page->info->id);
  if (rows > WHATIF_ROWS_MAX)
    r->whatif_note = strdup(
        "longer than 100,000 rows: only the changes of the command line are "
        "tried, as in aqueduct report RUN --launch x0.5");
  else if (aq_cli_whatif_document(cli, store, id, &r->whatif) != AQ_OK) {
    char text[AQ_DIAG_TEXT_MAX + 32];
    snprintf(text, sizeof text, "no what-ifs: %s", cli->diag.text);
    r->whatif_note = strdup(text);
    cli->diag = (aq_diag)AQ_DIAG_INIT;
  }
  page->whatif = r->whatif;
  page->whatif_note = r->whatif_note;
  return r->whatif || r->whatif_note ? AQ_OK : aq_diag_no_memory(&cli->diag);
}

/* With changes on the command line, of the first argument; without, of the
 * first measured run. */
static aq_status add_whatif(aq_cli *cli, aq_store *store, report *r,
                            aq_page_run *pages)
{
  aq_run_info *named;
  if (!aq_cli_whatif_wanted(cli)) {
    for (size_t i = 0; i < r->count && !r->versions; i++)
      if (r->infos[i]->kind == AQ_RUN_MEASURED)
        return try_usual(cli, store, r, &pages[i]);
    return AQ_OK;
  }
  aq_status status = aq_store_find(store, cli->args[0], &named, &cli->diag);
  if (status != AQ_OK)
    return status;
  for (size_t i = 0; i < r->count && status == AQ_OK; i++)
    if (r->infos[i]->id == named->id) {
      status = aq_cli_whatif_document(cli, store, cli->args[0], &r->whatif);
      pages[i].whatif = r->whatif;
    }
  aq_run_info_free(named);
  return status;
}

/* ---- parts of runs ---- */

static aq_status parts_find(aq_cli *cli, aq_store *store, report *r,
                            aq_page_run *pages)
{
  if (r->in_part && aq_cli_whatif_wanted(cli))
    return aq_diag_set(&cli->diag, AQ_ERR_INVALID,
                       "report: what-ifs are of whole runs: expected no "
                       "--between, --step or --time beside them");
  for (size_t i = 0; i < r->count && r->in_part; i++) {
    const int64_t run = r->infos[i]->id;
    if (aq_selection_make(store, run, &r->window, &r->parts[i], &cli->diag) !=
            AQ_OK ||
        aq_selection_regions_count(store, run, &r->parts[i], &cli->diag) !=
            AQ_OK)
      return aq_diag_prefix(&cli->diag, "run %lld", (long long)run);
    r->part_texts[i] = aq_cli_selection_text(&r->window, &r->parts[i]);
    if (!r->part_texts[i])
      return aq_diag_no_memory(&cli->diag);
    pages[i].window = &r->window;
    pages[i].part = &r->parts[i];
    pages[i].part_text = r->part_texts[i];
  }
  return AQ_OK;
}

/* ---- the page ---- */

static aq_status write_page(aq_cli *cli, aq_store *store, const report *r,
                            const aq_page_run *pages)
{
  aq_report_page page = {.runs = pages, .count = r->count};
  aq_versions versions;
  if (!r->versions)
    return aq_page_write(store, &page, cli->out, &cli->diag);
  const aq_run_info *const *runs = (const aq_run_info *const *)r->infos;
  aq_status status = aq_versions_compare(
      store, runs + r->after, r->count - r->after, runs, r->after,
      AQ_STATS_BY_KERNEL, r->in_part ? &r->window : NULL, &versions,
      &cli->diag);
  if (status != AQ_OK)
    return status;
  page.versions = &versions;
  status = aq_page_write(store, &page, cli->out, &cli->diag);
  aq_versions_fini(&versions);
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
  if (status == AQ_OK)
    status = parts_find(cli, store, r, pages);
  if (status == AQ_OK && !r->in_part)
    status = add_whatif(cli, store, r, pages);
  return status == AQ_OK ? write_page(cli, store, r, pages) : status;
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
    if (r->in_part)
      aq_cli_window_json(json, "window", &r->window, &r->parts[i].counts);
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
  aq_status status = aq_cli_window(cli, &r.window, &r.in_part);
  if (status == AQ_OK)
    status = aq_cli_store_open(cli, AQ_STORE_READ, &store);
  if (status != AQ_OK)
    return status;
  status = write_report(cli, store, &r);
  if (status == AQ_OK && json)
    status = list_runs(cli, &r);
  for (size_t i = 0; i < r.count; i++) {
    free(r.constants[i]);
    aq_device_model_free(r.models[i]);
    aq_run_info_free(r.infos[i]);
    aq_selection_fini(&r.parts[i]);
    free(r.part_texts[i]);
  }
  free(r.whatif);
  free(r.whatif_note);
  aq_store_close(store);
  return status;
}
