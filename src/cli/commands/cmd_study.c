/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands/commands.h"
#include "cli/commands/runs.h"
#include "cli/commands/sweep_cluster.h"
#include "cli/commands/table_output.h"
#include "common/text.h"
#include "study/sweep/plot.h"
#include "study/sweep/study_json.h"

/* ---- options ---- */

static aq_status warmup_read(aq_cli *cli, aq_study_options *out)
{
  const char *text = cli->values[AQ_CLI_OPT_WARMUP];
  char left[2] = "";
  double percent;
  if (!text || strcmp(text, "mser5") == 0)
    return AQ_OK;
  out->warmup = AQ_WARMUP_PART;
  if (strcmp(text, "none") == 0)
    return AQ_OK;
  if (sscanf(text, "%lf%1s", &percent, left) != 2 || left[0] != '%' ||
      !(percent >= 0 && percent <= 90))
    return aq_diag_set(&cli->diag, AQ_ERR_INPUT,
                       "--warmup %s: expected mser5, none or a percentage up "
                       "to 90%%",
                       text);
  out->part = percent / 100;
  return AQ_OK;
}

static aq_status metric_unknown(aq_cli *cli, const char *name)
{
  char names[256] = "";
  for (size_t i = 0; i < AQ_FIGURE_COUNT; i++) {
    const size_t used = strlen(names);
    snprintf(names + used, sizeof names - used, "%s%s",
             i == 0                     ? ""
             : i + 1 == AQ_FIGURE_COUNT ? " or "
                                        : ", ",
             aq_figure_name(i));
  }
  return aq_diag_set(&cli->diag, AQ_ERR_INPUT,
                     "--metric %s: unknown; expected %s", name, names);
}

static aq_status metrics_read(aq_cli *cli, int out[2])
{
  const char *const *names = aq_cli_repeats(cli, AQ_CLI_OPT_METRIC);
  aq_status status = AQ_OK;
  for (size_t i = 0; names[i] && status == AQ_OK; i++) {
    const int figure = aq_figure_find(names[i]);
    if (i >= 2)
      status = aq_diag_set(&cli->diag, AQ_ERR_INVALID,
                           "--metric: at most two expected");
    else if (figure < 0)
      status = metric_unknown(cli, names[i]);
    else
      out[i] = figure;
  }
  return status;
}

static aq_status runs_read(aq_cli *cli, aq_store *store, int64_t **out)
{
  aq_status status = AQ_OK;
  *out = NULL;
  if (cli->arg_count == 0)
    return AQ_OK;
  *out = calloc((size_t)cli->arg_count, sizeof **out);
  if (!*out)
    return aq_diag_no_memory(&cli->diag);
  for (int i = 0; i < cli->arg_count && status == AQ_OK; i++) {
    aq_run_info *info;
    status = aq_store_find(store, cli->args[i], &info, &cli->diag);
    if (status != AQ_OK)
      break;
    (*out)[i] = info->id;
    aq_run_info_free(info);
  }
  return status;
}

/* ---- the table ---- */

enum { CELL = 48 };

static const struct {
  size_t figure;
  const char *title;
} shown[] = {{AQ_FIGURE_mean, "+>mean us"},
             {AQ_FIGURE_p50, ">p50 us"},
             {AQ_FIGURE_p99, ">p99 us"},
             {AQ_FIGURE_throughput, "+>per s"},
             {AQ_FIGURE_met, "?>met %"},
             {AQ_FIGURE_jain, "+>Jain"},
             {AQ_FIGURE_utilisation, "+>busy %"},
             {AQ_FIGURE_antt, "?>ANTT"},
             {AQ_FIGURE_stp, "?>STP"},
             {AQ_FIGURE_wasted, "+>wasted us"},
             {AQ_FIGURE_preempt_p50, "+>stop p50 us"},
             {AQ_FIGURE_preempt_p99, "+>stop p99"},
             {AQ_FIGURE_ttft_p50, "?>TTFT p50 us"},
             {AQ_FIGURE_ttft_p99, "?>TTFT p99 us"},
             {AQ_FIGURE_tpot_p50, "?>TPOT p50 us"},
             {AQ_FIGURE_itl_p99, "?>ITL p99 us"},
             {AQ_FIGURE_goodput, "?>good per s"}};
enum { SHOWN = sizeof shown / sizeof *shown };

/* What every table of rows begins with. */
#define LABELS                                                                 \
  {"<workload", NULL}, {"?<parameters", NULL}, {"device", NULL},               \
      {"<policy", NULL}, {"?client", NULL}, {"?durations", NULL},              \
  {                                                                            \
    "?transport", NULL                                                         \
  }
enum { LABEL_COUNT = 7 };

/* In so many digits; large numbers whole, since columns of exponents are not
 * compared by eye. */
static void digits_put(char *cell, size_t size, int digits, double value)
{
  if (fabs(value) >= pow(10, digits) && fabs(value) < 1e12)
    snprintf(cell, size, "%.0f", value);
  else
    snprintf(cell, size, "%.*g", digits, value);
}

static void number_put(aq_cli_rows *rows, double value)
{
  char cell[CELL];
  digits_put(cell, CELL, 5, value);
  aq_cli_cell_text(rows, isnan(value) ? NULL : cell);
}

static void estimate_put(aq_cli_rows *rows, aq_estimate estimate)
{
  char cell[CELL];
  if (isnan(estimate.half)) {
    number_put(rows, estimate.mean);
    return;
  }
  digits_put(cell, CELL, 5, estimate.mean);
  size_t used = strlen(cell);
  used += (size_t)snprintf(cell + used, CELL - used, " ±");
  digits_put(cell + used, CELL - used, 2, estimate.half);
  aq_cli_cell_text(rows, cell);
}

static void labels_put(aq_cli_rows *rows, const aq_study *study,
                       const aq_study_row *row)
{
  const char *const labels[LABEL_COUNT] = {row->workload,
                                           row->parameters,
                                           row->device,
                                           row->policy,
                                           row->client,
                                           row->durations ? "predicted" : "",
                                           study->transports ? row->transport
                                                             : ""};
  aq_cli_row_begin(rows);
  for (size_t i = 0; i < LABEL_COUNT; i++)
    aq_cli_cell_text(rows, labels[i][0] ? labels[i] : NULL);
}

static aq_status table_print(aq_cli *cli, const aq_study *study)
{
  aq_cli_column columns[LABEL_COUNT + 1 + SHOWN + 1] = {LABELS,
                                                        {">runs", NULL}};
  for (size_t i = 0; i < SHOWN; i++)
    columns[LABEL_COUNT + 1 + i].title = shown[i].title;
  aq_cli_rows *rows = aq_cli_rows_begin(cli, NULL, NULL, columns);
  for (size_t i = 0; i < study->count; i++) {
    const aq_study_row *row = &study->rows[i];
    if (row->alone)
      continue;
    labels_put(rows, study, row);
    aq_cli_cell_int(rows, (int64_t)row->count);
    for (size_t k = 0; k < SHOWN; k++)
      estimate_put(rows, aq_study_estimate(row, shown[k].figure));
    aq_cli_row_end(rows);
  }
  return aq_cli_rows_end(cli, rows);
}

static aq_status paired_print(aq_cli *cli, const aq_study *study,
                              const char *policy, size_t figure)
{
  static const aq_cli_column columns[] = {LABELS,
                                          {">pairs", NULL},
                                          {">difference", NULL},
                                          {">percent", NULL},
                                          {NULL, NULL}};
  aq_cli_rows *rows = aq_cli_rows_begin(cli, NULL, NULL, columns);
  for (size_t i = 0; i < study->count; i++) {
    const aq_study_row *row = &study->rows[i];
    const aq_study_row *base = aq_study_compared(study, row, policy);
    if (!base)
      continue;
    double of;
    const aq_estimate d = aq_study_paired(row, base, figure, &of);
    labels_put(rows, study, row);
    aq_cli_cell_int(rows, (int64_t)d.count);
    estimate_put(rows, d);
    number_put(rows, 100 * d.mean / of);
    aq_cli_row_end(rows);
  }
  const char *unit = aq_figure_unit(figure);
  fprintf(cli->out, "\n%s%s%s%s less that of %s, equal seeds in pairs:\n",
          aq_figure_name(figure), unit[0] ? " (" : "", unit, unit[0] ? ")" : "",
          policy);
  return aq_cli_rows_end(cli, rows);
}

/* ---- the command ---- */

/* Runs that would have counted. */
static void skipped_note(aq_cli *cli, const aq_study *study)
{
  if (study->fell_back)
    aq_cli_note(cli, "skipped %zu run%s: policy failed, continued without it",
                study->fell_back, aq_text_plural(study->fell_back));
  if (study->outdated)
    aq_cli_note(cli,
                "skipped %zu run%s: scenario, model, policy or version changed "
                "since",
                study->outdated, aq_text_plural(study->outdated));
  if (study->repeated)
    aq_cli_note(cli, "skipped %zu run%s: same row and seed as an earlier run",
                study->repeated, aq_text_plural(study->repeated));
}

static aq_status study_print(aq_cli *cli, aq_store *store,
                             const aq_study *study, const int metrics[2])
{
  const char *plot = cli->values[AQ_CLI_OPT_PLOT];
  const char *baseline;
  aq_status status = aq_study_has(study, cli->values[AQ_CLI_OPT_BASELINE],
                                  &baseline, &cli->diag);
  if (status != AQ_OK)
    return status;
  if (plot)
    return aq_study_plot(study, store, plot, metrics, cli->out, &cli->diag);
  if (aq_cli_flag(cli, AQ_CLI_OPT_JSON))
    return aq_study_document(study, baseline, cli->out, &cli->diag);
  status = table_print(cli, study);
  if (status == AQ_OK && baseline)
    status = paired_print(cli, study, baseline, (size_t)metrics[0]);
  if (study->left_out)
    aq_cli_note(cli, "skipped %zu run%s: incomplete, or without requests",
                study->left_out, aq_text_plural(study->left_out));
  return status;
}

static aq_status study_make(aq_cli *cli, aq_store *store)
{
  aq_study study;
  int64_t *runs = NULL;
  aq_study_options options = {
      .plan = cli->values[AQ_CLI_OPT_PLAN],
      .by_client = aq_cli_flag(cli, AQ_CLI_OPT_BY_CLIENT),
      .responses = cli->values[AQ_CLI_OPT_PLOT] != NULL};
  int metrics[2] = {options.responses ? AQ_FIGURE_throughput : AQ_FIGURE_mean,
                    AQ_FIGURE_p99};
  aq_status status = warmup_read(cli, &options);
  if (status == AQ_OK)
    status = metrics_read(cli, metrics);
  if (status == AQ_OK)
    status = runs_read(cli, store, &runs);
  if (status == AQ_OK)
    status = aq_study_make(store, runs, (size_t)cli->arg_count, &options,
                           &study, &cli->diag);
  free(runs);
  if (status != AQ_OK)
    return status;
  /* First: missing points and skipped runs may be why the rest fails. */
  if (cli->arg_count == 0)
    status = aq_cli_plans_check(cli, store, options.plan);
  if (status == AQ_OK)
    skipped_note(cli, &study);
  if (status == AQ_OK)
    status = study_print(cli, store, &study, metrics);
  if (status != AQ_OK)
    cli->exit_code = 0; /* that of the error */
  aq_study_fini(&study);
  return status;
}

/* Nothing is run here, a plot is no document, and a table has its metrics. */
static aq_status options_check(aq_cli *cli)
{
  static const aq_cli_option_id of_runs[] = {
      AQ_CLI_OPT_SEED,      AQ_CLI_OPT_NAME,    AQ_CLI_OPT_DEVICE,
      AQ_CLI_OPT_TRANSPORT, AQ_CLI_OPT_REPLACE, AQ_CLI_OPT_COUNT};
  static const aq_cli_option_id of_text[] = {AQ_CLI_OPT_JSON, AQ_CLI_OPT_WIDE,
                                             AQ_CLI_OPT_COUNT};
  static const aq_cli_option_id metric[] = {AQ_CLI_OPT_METRIC,
                                            AQ_CLI_OPT_COUNT};
  const char *plot = cli->values[AQ_CLI_OPT_PLOT];
  aq_status status = aq_cli_refuse(cli, of_runs, "study");
  if (status == AQ_OK && plot)
    status = aq_cli_refuse(cli, of_text, "study --plot");
  if (status == AQ_OK && plot &&
      (strcmp(plot, "cdf") == 0 || strcmp(plot, "gantt") == 0))
    status = aq_cli_refuse(cli, metric, "this plot");
  if (status == AQ_OK && !plot && !cli->values[AQ_CLI_OPT_BASELINE])
    status = aq_cli_refuse(cli, metric, "study without --baseline or --plot");
  return status;
}

aq_status aq_cli_study(aq_cli *cli)
{
  aq_store *store;
  aq_status status = options_check(cli);
  if (status == AQ_OK)
    status = aq_cli_store_open(cli, AQ_STORE_READ, &store);
  if (status != AQ_OK)
    return status;
  status = study_make(cli, store);
  aq_store_close(store);
  return status;
}
