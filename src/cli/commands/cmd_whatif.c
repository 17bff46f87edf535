/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "cli/commands/commands.h"
#include "cli/commands/help.h"
#include "cli/commands/progress.h"
#include "cli/commands/run_options.h"
#include "cli/commands/runs.h"
#include "cli/commands/table_output.h"
#include "common/memory_keep.h"
#include "study/whatif/whatif.h"

static const aq_cli_option_id options[AQ_CHANGE_COUNT] = {
    [AQ_CHANGE_LAUNCH] = AQ_CLI_OPT_LAUNCH,
    [AQ_CHANGE_HOST] = AQ_CLI_OPT_HOST,
    [AQ_CHANGE_GRAPHS] = AQ_CLI_OPT_GRAPHS,
    [AQ_CHANGE_DEVICE] = AQ_CLI_OPT_DEVICE,
    [AQ_CHANGE_CLOCK] = AQ_CLI_OPT_CLOCK,
    [AQ_CHANGE_BANDWIDTH] = AQ_CLI_OPT_BANDWIDTH,
    [AQ_CHANGE_LINK] = AQ_CLI_OPT_LINK,
    [AQ_CHANGE_QUEUES] = AQ_CLI_OPT_QUEUES,
    [AQ_CHANGE_SET] = AQ_CLI_OPT_SET,
};

/* Changes come from the command line; the environment describes the device
 * before them. */
static aq_status changes_read(aq_cli *cli, aq_change *out, size_t *count)
{
  aq_status status = AQ_OK;
  *count = 0;
  for (int id = 0; id < AQ_CHANGE_COUNT && status == AQ_OK; id++) {
    const char *const *texts = aq_cli_repeats(cli, options[id]);
    const char *one[] = {cli->values[options[id]], NULL};
    if (!cli->given[options[id]])
      continue;
    if (!aq_cli_options[options[id]].repeats)
      texts = one;
    for (; *texts && status == AQ_OK; texts++) {
      if (*count == AQ_WHATIF_CHANGES_MAX)
        return aq_diag_set(&cli->diag, AQ_ERR_INVALID,
                           "whatif: expected at most %d changes",
                           AQ_WHATIF_CHANGES_MAX);
      status = aq_change_read((aq_change_id)id, *texts, &out[(*count)++],
                              &cli->diag);
    }
  }
  if (status == AQ_OK && *count == 0)
    return aq_diag_set(&cli->diag, AQ_ERR_INVALID,
                       "whatif: expected a change, such as --launch x0.5; see "
                       "aqueduct whatif --help");
  return status;
}

static void row_put(aq_cli_rows *rows, aq_json_out *json,
                    const aq_whatif_row *row, const aq_critical *before)
{
  const aq_time change = row->after.makespan - before->makespan;
  aq_cli_row_begin(rows);
  aq_cli_cell_text(rows, row->change);
  aq_cli_cell_time(rows, before->makespan);
  aq_cli_cell_time(rows, row->after.makespan);
  aq_cli_cell_real(rows, "%+.2f",
                   json || row->depends
                       ? 100.0 * (double)change / (double)before->makespan
                       : NAN);
  aq_cli_cell_time(rows, row->least);
  aq_cli_cell_time(rows, row->most);
  for (int i = 0; i < AQ_CRITICAL_COUNT; i++) {
    char text[48];
    snprintf(text, sizeof text, "%.0f > %.0f", aq_critical_percent(before, i),
             aq_critical_percent(&row->after, i));
    aq_cli_cell_text(rows, text);
  }
  aq_cli_cell_bool(rows, row->predicted, "yes", "no");
  aq_cli_cell_text(rows, row->basis);
  if (json) {
    aq_json_out_bool(json, "depends", row->depends);
    aq_json_out_int(json, "graphs", (int64_t)row->graphs);
    aq_critical_put(json, "critical_path_before", before);
    aq_critical_put(json, "critical_path_after", &row->after);
  }
  aq_cli_row_end(rows);
}

static aq_status table_put(aq_cli *cli, aq_json_out *json, const aq_whatif *w)
{
  static const aq_cli_column columns[] = {{"change", "change"},
                                          {">before us", "before_ns"},
                                          {">after us", "after_ns"},
                                          {">%", "percent"},
                                          {">least us", "least_ns"},
                                          {">most us", "most_ns"},
                                          {"+>kernels %", NULL},
                                          {"+>copies %", NULL},
                                          {"+>dispatch %", NULL},
                                          {"+>host %", NULL},
                                          {"+>return %", NULL},
                                          {"+>unknown %", NULL},
                                          {"predicted", "predicted"},
                                          {NULL, "basis"},
                                          {NULL, NULL}};
  aq_cli_rows *rows = aq_cli_rows_begin(cli, json, "changes", columns);
  for (size_t i = 0; i < w->count; i++)
    row_put(rows, json, &w->rows[i], &w->rows[0].after);
  return aq_cli_rows_end(cli, rows);
}

static aq_status document_put(aq_cli *cli, aq_json_out *json,
                              const aq_whatif *w)
{
  aq_json_out_map(json, NULL);
  aq_json_out_int(json, "run", w->run);
  aq_cli_run_caveats_json(json, "caveats", w->info);
  aq_json_out_text(json, "replay_caveat", w->unlike[0] ? w->unlike : NULL);
  aq_json_out_text(json, "loop", "closed");
  aq_json_out_ns(json, "measured_makespan_ns", w->measured);
  aq_json_out_real(json, "replay_error", w->error);
  aq_json_out_map(json, "collectives");
  aq_json_out_int(json, "kernels", (int64_t)w->collectives);
  aq_json_out_int(json, "met", (int64_t)w->met);
  aq_json_out_int(json, "ranks", (int64_t)w->ranks);
  aq_json_out_ns(json, "waiting_ns", w->waiting);
  aq_json_out_ns(json, "transfer_ns", w->transfer);
  aq_json_out_close_map(json);
  aq_status status = table_put(cli, json, w);
  aq_json_out_close_map(json);
  return status;
}

static aq_status whatif_put(aq_cli *cli, const aq_whatif *w)
{
  aq_json_out *json;
  aq_status status = aq_cli_json_begin_if(cli, &json);
  if (status != AQ_OK)
    return status;
  if (json) {
    status = document_put(cli, json, w);
  } else {
    status = table_put(cli, NULL, w);
    /* Below the table: what its columns have no room for. */
    fprintf(cli->out,
            "run %" PRId64 ": %.3f us; error of the unchanged replay %.3f %%, "
            "included in ranges\n",
            w->run, (double)w->measured / (double)AQ_US, 100 * w->error);
    if (w->unlike[0])
      aq_cli_fill(cli->out, w->unlike, 0, 2);
    aq_cli_run_caveats(cli, "", w->info);
    if (aq_cli_flag(cli, AQ_CLI_OPT_WIDE))
      fputs("parts of the critical path: before > after\n", cli->out);
    fputs("\nsource of each row:\n", cli->out);
    for (size_t i = 0; i < w->count; i++) {
      const aq_whatif_row *row = &w->rows[i];
      int used = fprintf(cli->out, "  %s:", row->change);
      if (i > 0 && !row->depends)
        used += fprintf(cli->out, " nothing in this run depends on it;");
      aq_cli_fill(cli->out, row->basis, used, 4);
    }
  }
  return aq_cli_json_finish(cli, json, status);
}

/* Of the environment; NULL: the model of the GPU that the run names. */
static const char *device_before(void)
{
  const char *named = getenv("AQUEDUCT_DEVICE");
  return named && named[0] ? named : NULL;
}

/* The caller frees *out. */
static aq_status whatif_make(aq_cli *cli, aq_store *store, const char *run,
                             bool given, aq_whatif **out)
{
  aq_change changes[AQ_WHATIF_CHANGES_MAX];
  aq_performance_options performance;
  const aq_notes notes = aq_cli_notes(cli);
  size_t count;
  aq_status status = given ? changes_read(cli, changes, &count)
                           : aq_changes_usual(changes, &count, &cli->diag);
  if (status == AQ_OK)
    status = aq_cli_performance_options(cli, &performance);
  if (status != AQ_OK)
    return status;
  performance.edits = NULL;
  if (cli->given[AQ_CLI_OPT_DEVICE])
    performance.device = device_before();
  aq_whatif *made = malloc(sizeof *made);
  if (!made)
    return aq_diag_no_memory(&cli->diag);
  aq_memory_keep(32 << 20); /* the arrays of a replay */
  aq_cli_progress bar;
  const aq_whatif_progress progress = {aq_cli_progress_update, &bar};
  aq_cli_progress_begin(&bar, cli, "what if");
  bar.unit = "replays";
  status = aq_whatif_make(&performance, store, run, changes, count, made,
                          given ? &notes : NULL, &progress, &cli->diag);
  aq_cli_progress_end(&bar);
  if (status == AQ_OK)
    *out = made;
  else
    free(made);
  return status;
}

bool aq_cli_whatif_wanted(const aq_cli *cli)
{
  for (int id = 0; id < AQ_CHANGE_COUNT; id++)
    if (cli->given[options[id]])
      return true;
  return false;
}

aq_status aq_cli_whatif_document(aq_cli *cli, aq_store *store, const char *run,
                                 char **out)
{
  aq_whatif *made;
  aq_status status =
      whatif_make(cli, store, run, aq_cli_whatif_wanted(cli), &made);
  if (status != AQ_OK)
    return status;
  aq_json_out *json = aq_json_out_begin(false);
  status = json ? document_put(cli, json, made) : aq_diag_no_memory(&cli->diag);
  *out = json ? aq_json_out_take(json) : NULL;
  aq_whatif_fini(made);
  free(made);
  return status == AQ_OK && !*out ? aq_diag_no_memory(&cli->diag) : status;
}

aq_status aq_cli_whatif(aq_cli *cli)
{
  aq_store *store;
  aq_whatif *made;
  aq_status status = aq_cli_store_open(cli, AQ_STORE_READ, &store);
  if (status != AQ_OK)
    return status;
  status = whatif_make(cli, store, cli->args[0], true, &made);
  if (status == AQ_OK) {
    status = whatif_put(cli, made);
    aq_whatif_fini(made);
    free(made);
  }
  aq_store_close(store);
  return status;
}
