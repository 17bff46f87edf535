/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "cli/commands/commands.h"
#include "cli/commands/run_options.h"
#include "cli/commands/runs.h"
#include "cli/commands/table_output.h"
#include "study/calibrate/calibration.h"
#include "study/calibrate/probe_run.h"
#include "study/session/counted_durations.h"
#include "study/session/gemm_duration.h"

/* ---- probe ---- */

static void facts_json(aq_json_out *json, const aq_run_info *info,
                       const aq_probed *probed)
{
  aq_json_out_map(json, NULL);
  aq_json_out_int(json, "run", probed->run);
  aq_json_out_text(json, "kind", aq_cli_run_kind_name(info->kind));
  aq_json_out_text(json, "transport", info->transport);
  aq_json_out_text(json, "name", probed->name);
  aq_json_out_text(json, "gfx", probed->gfx);
  aq_json_out_text(json, "simulated_by",
                   probed->model[0] ? probed->model : NULL);
  aq_json_out_array(json, "constants");
  for (int i = 0; i < AQ_PROBE_COUNT; i++) {
    const aq_probe_fact *fact = &probed->result.facts[i];
    aq_json_out_map(json, NULL);
    aq_json_out_text(json, "key", fact->key);
    aq_json_out_int(json, "value", fact->value);
    aq_json_out_text(json, "unit", fact->unit);
    aq_json_out_int(json, "resolution", fact->resolution);
    aq_json_out_text(json, "meaning", fact->meaning);
    aq_json_out_close_map(json);
  }
  aq_json_out_close_array(json);
  aq_json_out_close_map(json);
}

static aq_status probed_print(aq_cli *cli, const aq_run_info *info,
                              const aq_probed *probed)
{
  aq_json_out *json;
  aq_status status = aq_cli_json_begin_if(cli, &json);
  if (status != AQ_OK)
    return status;
  if (json) {
    facts_json(json, info, probed);
  } else {
    for (int i = 0; i < AQ_PROBE_COUNT; i++) {
      const aq_probe_fact *fact = &probed->result.facts[i];
      const bool time = strcmp(fact->unit, "ps") == 0;
      if (fact->value == AQ_NONE)
        fprintf(cli->out, "%-52s not seen\n", fact->key);
      else
        fprintf(cli->out, "%-52s %14.3f %-4s +- %.3f\n", fact->key,
                (double)fact->value / 1000, time ? "ns" : "kB/s",
                (double)fact->resolution / 1000);
    }
  }
  status = aq_cli_json_end_if(cli, json);
  if (status == AQ_OK)
    aq_cli_note(cli, "stored run %" PRId64 ": every packet of the probe",
                probed->run);
  return status;
}

static aq_status probe(aq_cli *cli)
{
  aq_session session;
  aq_probed probed;
  aq_store *store;
  aq_run_info info = aq_cli_run_info(cli, AQ_RUN_SIMULATED);
  aq_status status = aq_cli_performance_init(cli, &session);
  if (status != AQ_OK)
    return status;
  status = aq_cli_store_open(cli, AQ_STORE_WRITE, &store);
  if (status == AQ_OK) {
    status = aq_probe_perform(&session, store, &info, &probed, &cli->diag);
    if (status == AQ_OK) {
      status = probed_print(cli, &info, &probed);
      aq_probed_fini(&probed);
    }
    aq_store_close(store);
  }
  aq_session_fini(&session);
  return status;
}

/* ---- calibrate ---- */

static void fits_note(aq_cli *cli, const aq_calibration *c)
{
  char was[AQ_CALIBRATION_TEXT], now[AQ_CALIBRATION_TEXT];
  char spread[AQ_CALIBRATION_TEXT];
  for (size_t i = 0; i < c->fit_count; i++) {
    const aq_device_fit *fit = &c->fits[i];
    aq_device_fit_value(fit, fit->was, was);
    aq_device_fit_value(fit, fit->value, now);
    aq_calibration_spread(c, fit, spread);
    if (fit->why_not[0])
      aq_cli_note(cli, "%s: not fitted, keeps %s: %s", fit->key, was,
                  fit->why_not);
    else
      aq_cli_note(cli, "%s: %s, was %s; %s%s%s", fit->key, now, was,
                  fit->meaning, spread[0] ? ": " : "", spread);
  }
  const aq_calibrate_gaps *gaps = aq_calibration_gaps(c);
  if (gaps)
    aq_cli_note(cli,
                "gaps fitted after %zu of %zu kernels (name and work-items)",
                aq_calibrate_gaps_count(gaps), aq_calibrate_gaps_seen(gaps));
}

static void fit_json(aq_json_out *json, const aq_device_fit *fit)
{
  const aq_calibrate_sample *s = fit->sample;
  char value[AQ_CALIBRATION_TEXT];
  aq_json_out_map(json, NULL);
  aq_json_out_text(json, "key", fit->key);
  aq_json_out_bool(json, "fitted", !fit->why_not[0]);
  aq_device_fit_value(fit, fit->value, value);
  aq_json_out_text(json, "value", value);
  aq_device_fit_value(fit, fit->was, value);
  aq_json_out_text(json, "was", value);
  aq_device_fit_value(fit, fit->spread, value);
  aq_json_out_text(json, "spread", fit->spread ? value : NULL);
  aq_json_out_text(json, "from", fit->meaning);
  if (fit->probed) {
    aq_device_fit_value(fit, fit->resolution, value);
    aq_json_out_text(json, "resolution", value);
  }
  aq_json_out_text(json, "why_not", fit->why_not[0] ? fit->why_not : NULL);
  if (s) {
    aq_json_out_int(json, "n", (int64_t)s->n);
    aq_json_out_ns(json, "least_ns", s->least);
    aq_json_out_ns(json, "p10_ns", s->p10);
    aq_json_out_ns(json, "p50_ns", s->p50);
    aq_json_out_ns(json, "p90_ns", s->p90);
  }
  aq_json_out_close_map(json);
}

/* Of the runs that the constants come from. */
static void caveats_note(aq_cli *cli, const aq_calibration *c)
{
  char label[AQ_CLI_LABEL_SIZE];
  for (size_t i = 0; i < c->info_count; i++) {
    aq_cli_run_label(c->infos[i], label);
    aq_cli_run_losses_note(cli, label, c->infos[i]);
  }
}

static void caveats_json(aq_json_out *json, const aq_calibration *c)
{
  aq_json_out_array(json, "caveats");
  for (size_t i = 0; i < c->info_count; i++) {
    aq_json_out_map(json, NULL);
    aq_json_out_int(json, "run", c->infos[i]->id);
    aq_cli_run_caveats_json(json, "caveats", c->infos[i]);
    aq_json_out_close_map(json);
  }
  aq_json_out_close_array(json);
}

static aq_status calibration_print(aq_cli *cli, const aq_calibration *c)
{
  const char *model = cli->values[AQ_CLI_OPT_DEVICE];
  const char *slash = strrchr(model, '/');
  aq_json_out *json;
  aq_status status = aq_cli_json_begin_if(cli, &json);
  if (status != AQ_OK)
    return status;
  if (!json) {
    caveats_note(cli, c);
    fits_note(cli, c);
    /* A base that is a file lies in the same folder as the model. */
    aq_calibration_write(c, slash ? slash + 1 : model, cli->out);
    return AQ_OK;
  }
  aq_json_out_map(json, NULL);
  aq_json_out_text(json, "device", c->model->name);
  aq_json_out_text(json, "runs", c->runs);
  caveats_json(json, c);
  aq_json_out_array(json, "fits");
  for (size_t i = 0; i < c->fit_count; i++)
    fit_json(json, &c->fits[i]);
  aq_json_out_close_array(json);
  aq_calibrate_gaps_json(aq_calibration_gaps(c), json);
  aq_json_out_close_map(json);
  return aq_cli_json_end_if(cli, json);
}

static aq_status calibrate(aq_cli *cli)
{
  const char *model = cli->values[AQ_CLI_OPT_DEVICE];
  aq_calibration calibration;
  aq_store *store;
  if (cli->arg_count < 2)
    return aq_diag_set(&cli->diag, AQ_ERR_INVALID,
                       "device calibrate: no run to fit to; expected RUN...");
  if (!model)
    return aq_diag_set(&cli->diag, AQ_ERR_INVALID,
                       "device calibrate: no model to begin with; expected "
                       "--device MODEL");
  aq_status status = aq_cli_store_open(cli, AQ_STORE_READ, &store);
  if (status != AQ_OK)
    return status;
  status = aq_calibration_make(&calibration, model,
                               aq_cli_repeats(cli, AQ_CLI_OPT_SET), store,
                               (const char *const *)cli->args + 1,
                               (size_t)cli->arg_count - 1, &cli->diag);
  aq_store_close(store);
  if (status != AQ_OK)
    return status;
  status = calibration_print(cli, &calibration);
  aq_calibration_fini(&calibration);
  return status;
}

/* ---- predict ---- */

static void counted_put(aq_cli_rows *rows, const aq_counted_prediction *row)
{
  const aq_executed *found = &row->found;
  const int64_t error = row->work.error;
  aq_cli_row_begin(rows);
  aq_cli_cell_text(rows, row->kernel);
  aq_cli_cell_int(rows, row->work.dispatches);
  aq_cli_cell_int(rows, row->work.groups);
  aq_cli_cell_int(rows, row->work.counted);
  aq_cli_cell_real(rows, "%.1f", error == AQ_NONE ? NAN : (double)error / 1e4);
  aq_cli_cell_text(rows, "predicted");
  aq_cli_cell_time(rows, found->time);
  aq_cli_cell_time(rows, found->least);
  aq_cli_cell_time(rows, found->most);
  aq_cli_cell_text(rows, aq_executed_names[found->limit]);
  for (int i = 0; i < AQ_EXECUTED_COUNT; i++)
    aq_cli_cell_real(rows, "%.0f",
                     100.0 * (double)found->parts[i] / (double)found->time);
  aq_cli_row_end(rows);
}

static aq_status counts_put(aq_cli *cli, const aq_run_info *run,
                            const aq_counted_predictions *list)
{
  static const aq_cli_column columns[] = {
      {"~kernel", "kernel"},
      {">dispatches", "dispatches"},
      {">workgroups", "groups"},
      {">counted", "counted"},
      {">error %", "sampling_error_percent"},
      {"durations", "durations"},
      {">us", "predicted_ns"},
      {">least us", "least_ns"},
      {">most us", "most_ns"},
      {"limit", "limit"},
#define P(id, name, meaning) {">" name " %", name "_percent"},
      AQ_EXECUTED_PARTS(P)
#undef P
          {NULL, NULL}};
  aq_json_out *json;
  aq_status status = aq_cli_json_begin_if(cli, &json);
  if (status != AQ_OK)
    return status;
  if (json) {
    aq_json_out_map(json, NULL);
    aq_json_out_text(json, "device", list->device);
    aq_json_out_text(json, "durations", AQ_EXECUTED_DURATIONS);
    aq_cli_run_caveats_json(json, "caveats", run);
  }
  aq_cli_rows *rows = aq_cli_rows_begin(cli, json, "kernels", columns);
  for (size_t i = 0; i < list->count; i++)
    counted_put(rows, &list->rows[i]);
  status = aq_cli_rows_end(cli, rows);
  if (json) {
    aq_json_out_close_map(json);
  } else {
    fprintf(cli->out, "on %s: %s\n", list->device, AQ_EXECUTED_DURATIONS);
    aq_cli_run_caveats(cli, "", run);
  }
  return aq_cli_json_finish(cli, json, status);
}

static aq_status run_predict(aq_cli *cli, const char *run)
{
  aq_counted_predictions list;
  aq_store *store;
  aq_run_info *info = NULL;
  aq_status status = aq_cli_store_open(cli, AQ_STORE_READ, &store);
  if (status != AQ_OK)
    return status;
  status = aq_store_find(store, run, &info, &cli->diag);
  if (status == AQ_OK)
    status = aq_counted_predict(store, run, cli->values[AQ_CLI_OPT_DEVICE],
                                aq_cli_repeats(cli, AQ_CLI_OPT_SET), &list,
                                &cli->diag);
  aq_store_close(store);
  if (status == AQ_OK) {
    status = counts_put(cli, info, &list);
    aq_counted_predictions_fini(&list);
  }
  aq_run_info_free(info);
  return status;
}

static aq_status predicted_print(aq_cli *cli, const aq_predicted *p,
                                 const char *device)
{
  aq_json_out *json;
  aq_status status = aq_cli_json_begin_if(cli, &json);
  if (status != AQ_OK)
    return status;
  if (!json) {
    fprintf(cli->out,
            "predicted %.3f us, 90 %% between %.3f and %.3f us, on %s\n", p->us,
            p->least, p->most, device);
    return AQ_OK;
  }
  aq_json_out_map(json, NULL);
  aq_json_out_text(json, "device", device);
  aq_json_out_text(json, "durations", "predicted");
  aq_json_out_real(json, "predicted_ns", p->us * 1000);
  aq_json_out_real(json, "least_ns", p->least * 1000);
  aq_json_out_real(json, "most_ns", p->most * 1000);
  aq_json_out_close_map(json);
  return aq_cli_json_end_if(cli, json);
}

/* Names of runs may have a "=". */
static bool run_is_stored(aq_cli *cli, const char *run)
{
  aq_store *store;
  aq_run_info *info;
  bool stored = false;
  if (aq_cli_store_open(cli, AQ_STORE_READ, &store) == AQ_OK) {
    stored = aq_store_find(store, run, &info, &cli->diag) == AQ_OK;
    if (stored)
      aq_run_info_free(info);
    aq_store_close(store);
  }
  cli->diag = (aq_diag)AQ_DIAG_INIT;
  return stored;
}

static aq_status predict(aq_cli *cli)
{
  const char *device = cli->values[AQ_CLI_OPT_DEVICE];
  aq_predicted predicted;
  if (cli->arg_count == 2 &&
      (!strchr(cli->args[1], '=') || run_is_stored(cli, cli->args[1])))
    return run_predict(cli, cli->args[1]);
  if (!device)
    return aq_diag_set(&cli->diag, AQ_ERR_INVALID,
                       "device predict: expected --device MODEL");
  aq_status status =
      aq_product_predict(device, (const char *const *)cli->args + 1,
                         (size_t)cli->arg_count - 1, &predicted, &cli->diag);
  return status == AQ_OK ? predicted_print(cli, &predicted, device) : status;
}

aq_status aq_cli_device(aq_cli *cli)
{
  const char *verb = cli->args[0];
  if (strcmp(verb, "calibrate") == 0)
    return calibrate(cli);
  if (strcmp(verb, "probe") == 0 && cli->arg_count == 1)
    return probe(cli);
  if (strcmp(verb, "predict") == 0)
    return predict(cli);
  return aq_diag_set(&cli->diag, AQ_ERR_INVALID,
                     "device %s: expected calibrate RUN..., predict RUN or "
                     "KEY=VALUE..., or probe",
                     verb);
}
