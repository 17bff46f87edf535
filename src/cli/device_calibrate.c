/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "calibrate/figures.h"
#include "cli/device_fit.h"
#include "cli/device_probed.h"
#include "cli/device_verbs.h"
#include "cli/runs.h"
#include "common/json_out.h"
#include "transports/device_models.h"

typedef struct calibration {
  aq_cli *cli;
  aq_device_model *model;
  aq_calibrate *calibrate;
  aq_calibrate_facts facts;
  size_t run_count;      /* of runs that are no probes */
  aq_probe_result probe; /* of the last run that is one */
  bool is_probed;
  aq_device_fit fits[AQ_DEVICE_PROBED_COUNT + AQ_DEVICE_FIT_COUNT];
  size_t fit_count;
  char runs[512]; /* their names, for sources */
} calibration;

/* ---- runs ---- */

static void runs_append(calibration *c, const aq_run_info *run)
{
  char label[AQ_CLI_LABEL_SIZE];
  const char *source = run->source ? strrchr(run->source, '/') : NULL;
  aq_cli_run_label(run, label);
  const char *name = source ? source + 1 : run->source ? run->source : label;
  const size_t used = strlen(c->runs);
  snprintf(c->runs + used, sizeof c->runs - used, "%s%s", used ? ", " : "",
           name);
}

static aq_status run_add(calibration *c, aq_store *store, const char *name)
{
  aq_diag *diag = &c->cli->diag;
  aq_run_info *run;
  aq_status status = aq_store_find(store, name, &run, diag);
  if (status != AQ_OK)
    return status;
  if (run->kind != AQ_RUN_MEASURED)
    status = aq_diag_set(diag, AQ_ERR_INPUT,
                         "run %s is simulated; expected measured ones", name);
  else if (run->format && strcmp(run->format, AQ_CLI_PROBE_FORMAT) == 0) {
    status = aq_device_probed_read(run->notes, name, &c->probe, diag);
    c->is_probed = true;
  } else {
    status = aq_calibrate_add(c->calibrate, store, run, diag);
    c->run_count++;
  }
  if (status == AQ_OK)
    runs_append(c, run);
  aq_run_info_free(run);
  return status;
}

static aq_status runs_add(calibration *c)
{
  aq_cli *cli = c->cli;
  aq_store *store;
  aq_status status = aq_cli_store_open(cli, AQ_STORE_READ, &store);
  if (status != AQ_OK)
    return status;
  for (int i = 1; i < cli->arg_count && status == AQ_OK; i++)
    status = run_add(c, store, cli->args[i]);
  aq_store_close(store);
  return status;
}

/* ---- what is told ---- */

static double us(aq_time time)
{
  return (double)time / (double)AQ_US;
}

static void value_print(const aq_device_fit *fit, int64_t value, char text[32])
{
  if (fit->unit == AQ_DEVICE_FIT_NUMBER)
    snprintf(text, 32, "%" PRId64, value);
  else if (fit->unit == AQ_DEVICE_FIT_RATE)
    snprintf(text, 32, "%" PRId64 " B/s", value);
  else if (value % AQ_NS)
    snprintf(text, 32, "%.3f ns", (double)value / (double)AQ_NS);
  else if (value < AQ_US)
    snprintf(text, 32, "%" PRId64 " ns", value / AQ_NS);
  else
    snprintf(text, 32, "%.3f us", us(value));
}

static void spread_print(const calibration *c, const aq_device_fit *fit,
                         char text[96])
{
  const aq_calibrate_sample *s = fit->sample;
  char value[32];
  text[0] = 0;
  if (fit->probed) {
    value_print(fit, fit->resolution, value);
    snprintf(text, 96, "+- %s", value);
  } else if (strcmp(fit->key, "unmap_after") == 0)
    snprintf(text, 96, "between %.1f and %.1f us", us(c->facts.idle_below),
             us(c->facts.idle_above));
  else if (fit->unit == AQ_DEVICE_FIT_NUMBER)
    snprintf(text, 96, "n=%zu", s->n);
  else if (s)
    snprintf(text, 96, "p50 %.3f us (p10 %.3f, p90 %.3f, least %.3f), n=%zu",
             us(s->p50), us(s->p10), us(s->p90), us(s->least), s->n);
}

static void tell(const calibration *c)
{
  char was[32], now[32], spread[96];
  for (size_t i = 0; i < c->fit_count; i++) {
    const aq_device_fit *fit = &c->fits[i];
    value_print(fit, fit->was, was);
    value_print(fit, fit->value, now);
    spread_print(c, fit, spread);
    if (fit->why_not[0])
      aq_cli_note(c->cli, "%s: not fitted, %s stays: %s", fit->key, was,
                  fit->why_not);
    else
      aq_cli_note(c->cli, "%s: %s, was %s; %s%s%s", fit->key, now, was,
                  fit->meaning, spread[0] ? ": " : "", spread);
  }
}

/* As the file names it: a base that is a file lies in the same folder. */
static const char *base_name(const calibration *c)
{
  const char *model = c->cli->values[AQ_CLI_OPT_DEVICE];
  const char *slash = strrchr(model, '/');
  return slash ? slash + 1 : model;
}

static void put_model(FILE *out, const calibration *c)
{
  char value[32], spread[96];
  fprintf(out,
          "# SPDX-License-Identifier: MIT\n"
          "# Fitted by aqueduct device calibrate to the runs\n# %s\n"
          "# Format: doc/formats/device.md.\n\n"
          "base = %s ; same part; what runs do not tell\n\n",
          c->runs, base_name(c));
  for (size_t i = 0; i < c->fit_count; i++) {
    const aq_device_fit *fit = &c->fits[i];
    if (fit->why_not[0])
      continue;
    value_print(fit, fit->value, value);
    spread_print(c, fit, spread);
    fprintf(out, "%s = %s ; measured: %s%s%s; runs %s\n", fit->key, value,
            fit->meaning, spread[0] ? ", " : "", spread, c->runs);
  }
}

static void put_fit(aq_json_out *json, const aq_device_fit *fit)
{
  const aq_calibrate_sample *s = fit->sample;
  char value[32];
  aq_json_out_map(json, NULL);
  aq_json_out_text(json, "key", fit->key);
  aq_json_out_bool(json, "fitted", !fit->why_not[0]);
  value_print(fit, fit->value, value);
  aq_json_out_text(json, "value", value);
  value_print(fit, fit->was, value);
  aq_json_out_text(json, "was", value);
  aq_json_out_text(json, "from", fit->meaning);
  if (fit->probed) {
    value_print(fit, fit->resolution, value);
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

static aq_status put(calibration *c)
{
  aq_json_out *json;
  aq_status status = aq_cli_json_begin_if(c->cli, &json);
  if (status != AQ_OK)
    return status;
  if (!json) {
    tell(c);
    put_model(c->cli->out, c);
    return AQ_OK;
  }
  aq_json_out_map(json, NULL);
  aq_json_out_text(json, "device", c->model->name);
  aq_json_out_text(json, "runs", c->runs);
  aq_json_out_array(json, "fits");
  for (size_t i = 0; i < c->fit_count; i++)
    put_fit(json, &c->fits[i]);
  aq_json_out_close_array(json);
  aq_json_out_close_map(json);
  return aq_cli_json_end_if(c->cli, json);
}

/* ---- the command ---- */

/* Whether an experiment of the probe has told a constant. */
static bool is_known(const calibration *c, const char *key)
{
  for (size_t i = 0; i < c->fit_count && c->fits[i].probed; i++)
    if (strcmp(c->fits[i].key, key) == 0 && !c->fits[i].why_not[0])
      return true;
  return false;
}

/* What runs tell beyond the probe, if there is one. */
static aq_status fit_runs(calibration *c)
{
  aq_device_fit fits[AQ_DEVICE_FIT_COUNT];
  aq_calibrate_tell(c->calibrate,
                    aq_device_model_number(c->model, "unmap_after"), &c->facts);
  if (!aq_device_fit_all(c->model, &c->facts, c->fits, c->fit_count, fits)) {
    const aq_calibrate_sample *figures = c->facts.figures;
    return aq_diag_set(
        &c->cli->diag, AQ_ERR_INPUT,
        "the runs tell too little: %zu launches onto an idle "
        "device (expected at least %zu) and %zu queued kernels "
        "(at least %zu)",
        figures[AQ_CALIBRATE_WARM].n + figures[AQ_CALIBRATE_COLD].n,
        aq_calibrate_least(AQ_CALIBRATE_WARM), figures[AQ_CALIBRATE_INTERVAL].n,
        aq_calibrate_least(AQ_CALIBRATE_INTERVAL));
  }
  for (size_t i = 0; i < AQ_DEVICE_FIT_COUNT; i++)
    if (!is_known(c, fits[i].key))
      c->fits[c->fit_count++] = fits[i];
  return AQ_OK;
}

static aq_status fit(calibration *c)
{
  if (c->is_probed) {
    aq_device_probed_fit(c->model, &c->probe, c->fits);
    c->fit_count = AQ_DEVICE_PROBED_COUNT;
  }
  return c->run_count || !c->is_probed ? fit_runs(c) : AQ_OK;
}

static aq_status calibrate(calibration *c)
{
  const char *name = c->cli->values[AQ_CLI_OPT_DEVICE];
  if (!name)
    return aq_diag_set(&c->cli->diag, AQ_ERR_INVALID,
                       "device calibrate: no model to begin with; expected "
                       "--device MODEL");
  aq_status status = aq_device_model_load(name, NULL, &c->model, &c->cli->diag);
  if (status != AQ_OK)
    return status;
  c->calibrate = aq_calibrate_create();
  status = c->calibrate ? runs_add(c) : aq_diag_no_memory(&c->cli->diag);
  if (status == AQ_OK)
    status = fit(c);
  if (status == AQ_OK)
    status = put(c);
  aq_calibrate_destroy(c->calibrate);
  aq_device_model_free(c->model);
  return status;
}

aq_status aq_cli_device_calibrate(aq_cli *cli)
{
  calibration c = {.cli = cli};
  if (cli->arg_count < 2)
    return aq_diag_set(&cli->diag, AQ_ERR_INVALID,
                       "device calibrate: no run to fit to; expected RUN...");
  return calibrate(&c);
}
