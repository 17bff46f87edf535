/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "report/compare/compare_json.h"

#include "report/stats/formula.h"

static void json_stats(aq_json_out *json, const aq_compare *figures)
{
  aq_json_out_array(json, "errors");
  for (int what = 0; what < AQ_QUANTITY_COUNT; what++)
    for (int class = 0; class < AQ_CLASS_COUNT; class ++)
      for (int who = 0; who < AQ_PREDICTOR_COUNT; who++) {
        const aq_compare_stat *stat = &figures->stats[who][what][class];
        if (!stat->count)
          continue;
        aq_json_out_map(json, NULL);
        aq_json_out_text(json, "quantity", aq_compare_quantities[what].name);
        aq_json_out_text(json, "class", aq_compare_classes[class].name);
        aq_json_out_text(json, "by", aq_compare_predictors[who].name);
        aq_json_out_int(json, "rows", stat->count);
        aq_json_out_real(json, "median_ns", stat->median);
        aq_json_out_real(json, "p90_ns", stat->p90);
        aq_json_out_real(json, "p99_ns", stat->p99);
        aq_json_out_real(json, "mean_ns", stat->mean);
        aq_json_out_close_map(json);
      }
  aq_json_out_close_array(json);
}

static void json_makespan(aq_json_out *json, const aq_compare *figures)
{
  double whole = (double)figures->makespan_reference;
  aq_json_out_map(json, "makespan");
  aq_json_out_ns(json, "reference_ns", figures->makespan_reference);
  aq_json_out_array(json, "errors");
  for (int who = 0; who < AQ_PREDICTOR_COUNT; who++) {
    aq_time error = figures->makespan[who] - figures->makespan_reference;
    if (!aq_formula_fits((aq_compare_predictor)who, figures))
      continue;
    aq_json_out_map(json, NULL);
    aq_json_out_text(json, "by", aq_compare_predictors[who].name);
    aq_json_out_ns(json, "error_ns", error);
    aq_json_out_real(json, "relative", (double)error / whole);
    aq_json_out_close_map(json);
  }
  aq_json_out_close_array(json);
  aq_json_out_close_map(json);
  aq_json_out_map(json, "queue_makespan");
  aq_json_out_int(json, "queues", figures->queues);
  aq_json_out_array(json, "furthest_off");
  for (int who = 0; who < AQ_PREDICTOR_COUNT; who++) {
    if (!aq_formula_fits((aq_compare_predictor)who, figures))
      continue;
    aq_json_out_map(json, NULL);
    aq_json_out_text(json, "by", aq_compare_predictors[who].name);
    aq_json_out_int(json, "queue", figures->queue_makespan[who].queue);
    aq_json_out_ns(json, "reference_ns",
                   figures->queue_makespan[who].reference);
    aq_json_out_ns(json, "error_ns", figures->queue_makespan[who].error);
    aq_json_out_close_map(json);
  }
  aq_json_out_close_array(json);
  aq_json_out_close_map(json);
}

void aq_compare_json(aq_json_out *json, const aq_compare *figures)
{
  aq_json_out_int(json, "rows", figures->rows);
  aq_json_out_int(json, "scored", figures->scored);
  aq_json_out_map(json, "left_out");
  for (int i = 0; i < AQ_LEFT_OUT_COUNT; i++)
    aq_json_out_int(json, aq_compare_reasons[i].name, figures->left_out[i]);
  aq_json_out_close_map(json);
  json_stats(json, figures);
  json_makespan(json, figures);
  aq_json_out_map(json, "E");
  aq_json_out_ns(json, "latency_warm_ns", figures->latency_warm);
  aq_json_out_ns(json, "latency_cold_ns", figures->latency_cold);
  aq_json_out_ns(json, "latency_begin_ns", figures->latency_begin);
  aq_json_out_int(json, "fitted_warm", figures->fitted_warm);
  aq_json_out_int(json, "fitted_cold", figures->fitted_cold);
  aq_json_out_close_map(json);
  aq_json_out_map(json, "B");
  aq_json_out_ns(json, "gap_ns", figures->gap);
  aq_json_out_int(json, "fitted", figures->fitted_gap);
  aq_json_out_close_map(json);
  aq_json_out_text(json, "formula_durations",
                   figures->predicted ? "predicted" : "measured");
}

static void fit_json(aq_json_out *json, const char *name,
                     const aq_compare_fit *fit, bool to_all)
{
  char part[AQ_COMPARE_FIT_PART];
  if (!fit->part[0])
    return;
  aq_compare_fit_part(fit, part);
  aq_json_out_map(json, name);
  aq_json_out_text(json, "to", fit->part);
  aq_json_out_ns(json, "from_ns", fit->from);
  aq_json_out_ns(json, "until_ns", fit->until);
  aq_json_out_int(json, "rows", fit->rows);
  aq_json_out_int(json, "of", fit->of);
  aq_json_out_text(json, "part", part);
  aq_json_out_int(json, "extended_from", fit->extended_from);
  aq_json_out_text(json, "formulas_fitted_to", to_all ? "all" : "rest");
  aq_json_out_array(json, "constants");
  for (size_t i = 0; i < fit->count; i++) {
    const aq_compare_fit_constant *c = &fit->constants[i];
    aq_json_out_map(json, NULL);
    aq_json_out_text(json, "key", c->key);
    aq_json_out_ns(json, "was_ns", c->was);
    aq_json_out_ns(json, "value_ns", c->value);
    aq_json_out_int(json, "samples", c->samples);
    aq_json_out_bool(json, "kept", c->kept);
    aq_json_out_bool(json, "at_least", c->at_least);
    aq_json_out_close_map(json);
  }
  aq_json_out_close_array(json);
  aq_json_out_close_map(json);
}

void aq_compare_fit_json(aq_json_out *json, const aq_compare_runs *compare)
{
  const bool to_all = compare->figures.fitted_to_all;
  fit_json(json, "fit", &compare->fit, to_all);
  fit_json(json, "reference_fit", &compare->reference_fit, to_all);
}
