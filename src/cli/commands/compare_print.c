/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "cli/commands/compare_print.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands/runs.h"
#include "cli/commands/table_output.h"
#include "common/json_out.h"
#include "common/text.h"
#include "report/compare/compare_json.h"
#include "report/stats/fit_part.h"
#include "report/stats/formula.h"
#include "report/stats/latency.h"

static bool has_formula(const aq_compare *figures, int who)
{
  return aq_formula_fits((aq_compare_predictor)who, figures);
}

/* Without a gap B is E. */
static bool shows_gap(const aq_compare *figures)
{
  return figures->gap != AQ_TIME_NONE &&
         (figures->gap > 0 || figures->latency_warm == AQ_TIME_NONE);
}

/* The constants that were fitted to a part of the reference, and the rows. */
static void put_fit(aq_cli *cli, const char *of, const aq_compare_fit *fit)
{
  char part[AQ_COMPARE_FIT_PART];
  if (!fit->part[0])
    return;
  aq_compare_fit_part(fit, part);
  fprintf(cli->out,
          "  %" PRId64 " of %" PRId64
          " rows fit the constants%s (%s): not scored\n",
          fit->rows, fit->of, of, part);
  for (size_t i = 0; i < fit->count; i++) {
    const aq_compare_fit_constant *c = &fit->constants[i];
    if (c->kept)
      continue;
    fprintf(cli->out, "    %s: %.3f us, was %.3f us", c->key,
            (double)c->value / (double)AQ_US, (double)c->was / (double)AQ_US);
    if (c->samples == AQ_NONE)
      fputc('\n', cli->out);
    else
      fprintf(cli->out, " (n = %" PRId64 "%s)\n", c->samples,
              c->at_least ? AQ_FIT_AT_LEAST : "");
  }
  const char *before = "    unchanged: ";
  for (size_t i = 0; i < fit->count; i++)
    if (fit->constants[i].kept) {
      fprintf(cli->out, "%s%s", before, fit->constants[i].key);
      before = ", ";
    }
  if (before[0] == ',')
    fputc('\n', cli->out);
}

static void put_head(aq_cli *cli, const aq_compare_runs *c)
{
  char run[AQ_CLI_LABEL_SIZE], reference[AQ_CLI_LABEL_SIZE];
  char trust[AQ_CLI_TRUST_SIZE], loop[AQ_COMPARE_LOOP_TEXT];
  aq_cli_run_label(c->run, run);
  aq_cli_run_label(c->reference, reference);
  char *left = aq_text_line(run, strlen(run));
  char *right = aq_text_line(reference, strlen(reference));
  fprintf(cli->out, "%s against %s: scored %" PRId64 " of %" PRId64 "\n",
          left ? left : "", right ? right : "", c->figures.scored,
          c->figures.rows);
  free(left);
  free(right);
  for (int i = 0; i < AQ_LEFT_OUT_COUNT; i++)
    if (c->figures.left_out[i])
      fprintf(cli->out, "  %" PRId64 " row%s not scored: %s (%s)\n",
              c->figures.left_out[i], aq_text_plural(c->figures.left_out[i]),
              aq_compare_reasons[i].meaning, aq_compare_reasons[i].name);
  if (aq_cli_run_trust(c->run, trust))
    fprintf(cli->out, "  %s\n", trust);
  aq_cli_run_caveats(cli, "  ", c->run);
  aq_cli_run_caveats(cli, "  reference: ", c->reference);
  aq_compare_runs_loop(c->run, loop);
  fputs(loop, cli->out);
  if (c->clock_offset != AQ_TIME_NONE)
    fprintf(cli->out,
            "  %+.1f us: device clock ahead of the host's (n = %" PRId64 ")\n",
            (double)c->clock_offset / (double)AQ_US, c->clock_witnesses);
  put_fit(cli, "", &c->fit);
  put_fit(cli, " of the reference", &c->reference_fit);
  if (c->figures.latency_warm != AQ_TIME_NONE)
    fprintf(
        cli->out,
        "  E: L1 = %.3f us (n = %" PRId64 "), L2 = %.3f us (n = %" PRId64
        "), Lg = %.3f us\n",
        (double)c->figures.latency_warm / (double)AQ_US, c->figures.fitted_warm,
        (double)c->figures.latency_cold / (double)AQ_US, c->figures.fitted_cold,
        (double)c->figures.latency_begin / (double)AQ_US);
  if (shows_gap(&c->figures))
    fprintf(cli->out, "  B: G = %.3f us (n = %" PRId64 ")\n",
            (double)c->figures.gap / (double)AQ_US, c->figures.fitted_gap);
  if (c->figures.latency_warm != AQ_TIME_NONE || shows_gap(&c->figures))
    fprintf(cli->out, "  constants of the formulas fitted to %s\n",
            !(c->fit.part[0] || c->reference_fit.part[0]) ? "this run"
            : c->figures.fitted_to_all
                ? "all of this run (none in the scored rows)"
                : "the scored rows");
  fputc('\n', cli->out);
}

/* One quantity of one class: the run whole, the formulas in short. */
static void put_stat(aq_cli_rows *rows, const aq_compare *figures,
                     aq_compare_quantity what, aq_compare_class class)
{
  static const aq_compare_predictor formulas[] = {
      AQ_PREDICTOR_E, AQ_PREDICTOR_B, AQ_PREDICTOR_ZERO};
  const aq_compare_stat *run = &figures->stats[AQ_PREDICTOR_RUN][what][class];
  const double shown[] = {run->median, run->p90, run->p99, run->mean};
  aq_cli_row_begin(rows);
  aq_cli_cell_text(rows, aq_compare_quantities[what].name);
  aq_cli_cell_text(rows, aq_compare_classes[class].name);
  aq_cli_cell_int(rows, run->count);
  for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
    aq_cli_cell_real(rows, "%.3f", shown[i] / 1000);
  for (size_t i = 0; i < sizeof formulas / sizeof *formulas; i++) {
    const aq_compare_stat *stat = &figures->stats[formulas[i]][what][class];
    const bool fitted = has_formula(figures, formulas[i]);
    if (formulas[i] == AQ_PREDICTOR_B && !shows_gap(figures))
      continue;
    aq_cli_cell_real(rows, "%.3f", fitted ? stat->median / 1000 : NAN);
    aq_cli_cell_real(rows, "%.3f", fitted ? stat->p99 / 1000 : NAN);
  }
  aq_cli_row_end(rows);
}

static aq_status put_stats(aq_cli *cli, const aq_compare *figures)
{
#define RUN                                                                    \
  {"error, us", NULL}, {"class", NULL}, {">rows", NULL}, {">median", NULL},    \
      {">p90", NULL}, {">p99", NULL}, {">mean", NULL}, {">E median", NULL},    \
  {                                                                            \
    "+>E p99", NULL                                                            \
  }
#define ZERO                                                                   \
  {">zero median", NULL}, {"+>zero p99", NULL},                                \
  {                                                                            \
    NULL, NULL                                                                 \
  }
  static const aq_cli_column columns[] = {RUN, ZERO};
  static const aq_cli_column with_gap[] = {
      RUN, {">B median", NULL}, {"+>B p99", NULL}, ZERO};
#undef RUN
#undef ZERO
  aq_cli_rows *rows = aq_cli_rows_begin(
      cli, NULL, NULL, shows_gap(figures) ? with_gap : columns);
  for (int what = 0; what < AQ_QUANTITY_COUNT; what++)
    for (int class = 0; class < AQ_CLASS_COUNT; class ++)
      if (figures->stats[AQ_PREDICTOR_RUN][what][class].count)
        put_stat(rows, figures, what, class);
  return aq_cli_rows_end(cli, rows);
}

static bool shows_formula(const aq_compare *figures, int who)
{
  return has_formula(figures, who) &&
         (who != AQ_PREDICTOR_B || shows_gap(figures));
}

static void put_makespan(aq_cli *cli, const aq_compare *figures)
{
  double whole = (double)figures->makespan_reference;
  fprintf(cli->out, "\nmakespan of the run: %.3f us\n", whole / (double)AQ_US);
  for (int who = 0; who < AQ_PREDICTOR_COUNT; who++) {
    double error =
        (double)(figures->makespan[who] - figures->makespan_reference);
    if (shows_formula(figures, who))
      fprintf(cli->out, "  %-4s %+.3f us (%+.2e)\n",
              aq_compare_predictors[who].name, error / (double)AQ_US,
              whole > 0 ? error / whole : 0);
  }
  if (figures->queues < 2)
    return;
  fprintf(cli->out, "makespan of each of %" PRId64 " queues, furthest off:\n",
          figures->queues);
  for (int who = 0; who < AQ_PREDICTOR_COUNT; who++) {
    const double error = (double)figures->queue_makespan[who].error;
    const double of = (double)figures->queue_makespan[who].reference;
    if (shows_formula(figures, who))
      fprintf(cli->out, "  %-4s %+.3f us (%+.2e) in queue %" PRId64 "\n",
              aq_compare_predictors[who].name, error / (double)AQ_US,
              of > 0 ? error / of : 0, figures->queue_makespan[who].queue);
  }
}

static aq_status put_worst(aq_cli *cli, aq_json_out *json,
                           const aq_compare_runs *c)
{
  static const aq_cli_column columns[] = {
      {">row", "reference_row"},
      {NULL, "row"},
      {">error us", "error_ns"},
      {">measured start", "reference_start_ns"},
      {"+>measured end", "reference_end_ns"},
      {">start", "start_ns"},
      {"+>end", "end_ns"},
      {"queue", "queue"},
      {"class", "class"},
      {"~name", "name"},
      {NULL, NULL}};
  aq_cli_rows *rows = aq_cli_rows_begin(cli, json, "worst", columns);
  for (size_t i = 0; i < c->figures.worst_count; i++) {
    const aq_compare_worst *w = &c->figures.worst[i];
    aq_cli_row_begin(rows);
    aq_cli_cell_int(rows, w->reference.number);
    aq_cli_cell_int(rows, w->row.number);
    aq_cli_cell_time(rows, w->error);
    aq_cli_cell_time(rows, w->reference.start);
    aq_cli_cell_time(rows, w->reference.end);
    aq_cli_cell_time(rows, w->row.start);
    aq_cli_cell_time(rows, w->row.end);
    aq_cli_cell_int(rows, w->reference.queue);
    aq_cli_cell_text(rows, aq_compare_classes[w->row_class].name);
    aq_cli_cell_text(rows, c->worst_names[i]);
    aq_cli_row_end(rows);
  }
  return aq_cli_rows_end(cli, rows);
}

aq_status aq_cli_compare_text(aq_cli *cli, const aq_compare_runs *c)
{
  char text[AQ_LATENCY_TEXT];
  put_head(cli, c);
  aq_status status = put_stats(cli, &c->figures);
  if (status != AQ_OK)
    return status;
  put_makespan(cli, &c->figures);
  aq_latency_text(c, text);
  fputs(text, cli->out);
  if (!c->figures.worst_count)
    return AQ_OK;
  fputc('\n', cli->out);
  return put_worst(cli, NULL, c);
}

static void json_run(aq_json_out *json, const char *key,
                     const aq_run_info *info)
{
  aq_json_out_map(json, key);
  aq_cli_run_json(json, info);
  aq_json_out_close_map(json);
}

aq_status aq_cli_compare_json(aq_cli *cli, const aq_compare_runs *c,
                              const aq_threshold *limits, size_t count)
{
  aq_json_out *json = aq_json_out_begin(true);
  if (!json)
    return aq_diag_no_memory(&cli->diag);
  aq_json_out_map(json, NULL);
  json_run(json, "run", c->run);
  json_run(json, "reference", c->reference);
  aq_compare_json(json, &c->figures);
  aq_compare_fit_json(json, c);
  aq_latency_json(json, c);
  aq_status status = put_worst(cli, json, c);
  aq_json_out_array(json, "thresholds");
  for (size_t i = 0; i < count; i++) {
    aq_metric metric = aq_metric_at(limits[i].metric);
    double value = NAN;
    aq_metric_value(limits[i].metric, &c->figures, &value);
    aq_json_out_map(json, NULL);
    aq_json_out_text(json, "metric", metric.name);
    aq_json_out_text(json, "unit", aq_metric_unit_name(metric.unit));
    aq_json_out_real(json, "limit", limits[i].limit);
    aq_json_out_real(json, "value", value);
    aq_json_out_bool(json, "above", value > limits[i].limit);
    aq_json_out_close_map(json);
  }
  aq_json_out_close_array(json);
  aq_json_out_close_map(json);
  return aq_cli_json_finish(cli, json, status);
}
