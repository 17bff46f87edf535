/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "study/calibrate/calibration.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- runs ---- */

static void runs_append(aq_calibration *c, const aq_run_info *run)
{
  char id[32];
  snprintf(id, sizeof id, "run %" PRId64, run->id);
  const char *label = run->name ? run->name : id;
  const char *source = run->source ? strrchr(run->source, '/') : NULL;
  const char *name = source ? source + 1 : run->source ? run->source : label;
  const size_t used = strlen(c->runs);
  snprintf(c->runs + used, sizeof c->runs - used, "%s%s", used ? ", " : "",
           name);
}

/* `infos` has room for the run. */
static aq_status run_add(aq_calibration *c, aq_store *store, const char *name,
                         aq_diag *diag)
{
  aq_run_info *run;
  bool again = false;
  aq_status status = aq_store_find(store, name, &run, diag);
  if (status != AQ_OK)
    return status;
  for (size_t i = 0; i < c->info_count; i++)
    again |= c->infos[i]->id == run->id;
  c->infos[c->info_count++] = run;
  if (again)
    status = aq_diag_set(diag, AQ_ERR_INVALID,
                         "run %s is given twice: its cases count once", name);
  else if (run->kind != AQ_RUN_MEASURED)
    status = aq_diag_set(diag, AQ_ERR_INPUT,
                         "run %s is simulated; expected measured ones", name);
  else if (run->format && strcmp(run->format, AQ_PROBE_FORMAT) == 0) {
    status = aq_device_probed_read(run->notes, name, &c->probe, diag);
    c->is_probed = true;
  } else {
    status = aq_calibrate_add(c->calibrate, store, run, NULL, diag);
    c->run_count++;
  }
  if (status == AQ_OK)
    runs_append(c, run);
  return status;
}

/* ---- constants ---- */

/* Whether an experiment of the probe has given a constant. */
static bool is_known(const aq_calibration *c, const char *key)
{
  for (size_t i = 0; i < c->fit_count && c->fits[i].probed; i++)
    if (strcmp(c->fits[i].key, key) == 0 && !c->fits[i].why_not[0])
      return true;
  return false;
}

/* The findings of runs beyond the probe, if there is one. */
static aq_status fit_runs(aq_calibration *c, aq_diag *diag)
{
  aq_device_fit fits[AQ_DEVICE_FIT_COUNT];
  const aq_calibrate_model model = {
      .unmap_after = aq_device_model_number(c->model, "unmap_after"),
      .idle_ramp = aq_device_model_number(c->model, "idle_ramp"),
      .remap_ramp = aq_device_model_number(c->model, "remap_ramp"),
      .idle_ramp_kept = aq_device_edits_set(c->edits, "idle_ramp"),
      .remap_ramp_kept = aq_device_edits_set(c->edits, "remap_ramp"),
      .handler_guard = aq_device_model_number(c->model, "handler_guard"),
      .handler_window = aq_device_model_number(c->model, "handler_window"),
      .graph_head = aq_device_model_number(c->model, "graph_head"),
      .interrupt_to_host =
          aq_device_model_number(c->model, "interrupt_to_host"),
      .copy_return = aq_device_model_number(c->model, "copy_return"),
  };
  aq_status status = aq_calibrate_report(c->calibrate, &model, &c->facts, diag);
  if (status != AQ_OK)
    return status;
  if (!aq_device_fit_all(c->model, &c->facts, c->fits, c->fit_count, c->edits,
                         fits)) {
    const aq_calibrate_sample *figures = c->facts.figures;
    return aq_diag_set(
        diag, AQ_ERR_INPUT,
        "too few cases in the runs: %zu launches onto an idle device "
        "(expected at least %zu), %zu queued kernels (at least %zu)",
        figures[AQ_CALIBRATE_WARM].n + figures[AQ_CALIBRATE_COLD].n,
        aq_calibrate_least(AQ_CALIBRATE_WARM),
        figures[AQ_CALIBRATE_INTERVAL].n + figures[AQ_CALIBRATE_GAP].n,
        aq_calibrate_least(AQ_CALIBRATE_INTERVAL));
  }
  for (size_t i = 0; i < AQ_DEVICE_FIT_COUNT; i++)
    if (!is_known(c, fits[i].key))
      c->fits[c->fit_count++] = fits[i];
  return AQ_OK;
}

aq_status aq_calibration_make(aq_calibration *out, const char *model,
                              const char *const *edits, aq_store *store,
                              const char *const *runs, size_t count,
                              aq_diag *diag)
{
  *out = (aq_calibration){.calibrate = aq_calibrate_create(),
                          .infos = calloc(count + 1, sizeof(aq_run_info *)),
                          .edits = edits};
  aq_status status = out->calibrate && out->infos
                         ? aq_device_model_load(model, edits, &out->model, diag)
                         : aq_diag_no_memory(diag);
  for (size_t i = 0; i < count && status == AQ_OK; i++)
    status = run_add(out, store, runs[i], diag);
  if (status == AQ_OK && out->is_probed) {
    aq_device_probed_fit(out->model, &out->probe, out->fits);
    out->fit_count = AQ_DEVICE_PROBED_COUNT;
  }
  if (status == AQ_OK && (out->run_count || !out->is_probed))
    status = fit_runs(out, diag);
  if (status != AQ_OK)
    aq_calibration_fini(out);
  return status;
}

void aq_calibration_fini(aq_calibration *calibration)
{
  aq_calibrate_destroy(calibration->calibrate);
  aq_device_model_free(calibration->model);
  for (size_t i = 0; i < calibration->info_count; i++)
    aq_run_info_free(calibration->infos[i]);
  free(calibration->infos);
  *calibration = (aq_calibration){0};
}

/* ---- text ---- */

static double us(aq_time time)
{
  return (double)time / (double)AQ_US;
}

void aq_device_fit_value(const aq_device_fit *fit, int64_t value,
                         char text[AQ_CALIBRATION_TEXT])
{
  if (fit->unit == AQ_DEVICE_FIT_RATE)
    snprintf(text, AQ_CALIBRATION_TEXT, "%" PRId64 " B/s", value);
  else if (value % AQ_NS)
    snprintf(text, AQ_CALIBRATION_TEXT, "%.3f ns",
             (double)value / (double)AQ_NS);
  else if (value < AQ_US)
    snprintf(text, AQ_CALIBRATION_TEXT, "%" PRId64 " ns", value / AQ_NS);
  else
    snprintf(text, AQ_CALIBRATION_TEXT, "%.3f us", us(value));
}

void aq_calibration_spread(const aq_calibration *calibration,
                           const aq_device_fit *fit,
                           char text[AQ_CALIBRATION_TEXT])
{
  const aq_calibrate_facts *facts = &calibration->facts;
  const aq_calibrate_sample *s = fit->sample;
  text[0] = 0;
  if (fit->probed) {
    char value[AQ_CALIBRATION_TEXT];
    aq_device_fit_value(fit, fit->resolution, value);
    snprintf(text, AQ_CALIBRATION_TEXT, "+- %.60s", value);
  } else if (strcmp(fit->key, "unmap_after") == 0)
    snprintf(text, AQ_CALIBRATION_TEXT, "between %.1f and %.1f us",
             us(facts->idle_below), us(facts->idle_above));
  else if (s)
    snprintf(text, AQ_CALIBRATION_TEXT,
             "p50 %.3f us (p10 %.3f, p90 %.3f, least %.3f), n=%zu", us(s->p50),
             us(s->p10), us(s->p90), us(s->least), s->n);
}

aq_calibrate_gaps *aq_calibration_gaps(const aq_calibration *c)
{
  return aq_device_model_has_gaps(c->model) ? c->facts.gaps : NULL;
}

void aq_calibration_write(const aq_calibration *c, const char *base, FILE *out)
{
  char value[AQ_CALIBRATION_TEXT], spread[AQ_CALIBRATION_TEXT];
  fprintf(out,
          "# SPDX-License-Identifier: MIT\n"
          "# Fitted by aqueduct device calibrate to the runs\n# %s\n"
          "# Format: doc/formats/device.md.\n\n"
          "base = %s ; same part; constants that were not fitted\n\n",
          c->runs, base);
  for (size_t i = 0; i < c->model->count; i++) {
    const aq_device_constant *one = &c->model->constants[i];
    if (aq_device_edits_set(c->edits, one->key))
      fprintf(out, "%s = %s%s%s ; assumed: set by hand\n", one->key, one->value,
              one->unit[0] ? " " : "", one->unit);
  }
  for (size_t i = 0; i < c->fit_count; i++) {
    const aq_device_fit *fit = &c->fits[i];
    if (fit->why_not[0])
      continue;
    aq_device_fit_value(fit, fit->value, value);
    aq_calibration_spread(c, fit, spread);
    char half[AQ_CALIBRATION_TEXT] = "";
    if (fit->spread > 0)
      aq_device_fit_value(fit, fit->spread, half);
    fprintf(out, "%s = %s%s%s ; measured: %s%s%s; runs %s\n", fit->key, value,
            half[0] ? " +- " : "", half, fit->meaning, spread[0] ? ", " : "",
            spread, c->runs);
  }
  aq_calibrate_gaps_write(aq_calibration_gaps(c), c->runs, out);
}
