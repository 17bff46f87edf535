/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "study/sweep/study_json.h"

#include <string.h>

#include "common/json_out.h"

const aq_study_row *aq_study_baseline(const aq_study *study,
                                      const aq_study_row *row,
                                      const char *policy)
{
  for (size_t i = 0; i < study->count; i++) {
    const aq_study_row *other = &study->rows[i];
    const size_t name = strcspn(other->policy, ",");
    const bool named =
        strcmp(other->policy, policy) == 0 ||
        (strlen(policy) == name && strncmp(other->policy, policy, name) == 0);
    if (named && other->alone == 0 &&
        strcmp(other->setting, row->setting) == 0 &&
        strcmp(other->client, row->client) == 0)
      return other;
  }
  return NULL;
}

const aq_study_row *aq_study_compared(const aq_study *study,
                                      const aq_study_row *row,
                                      const char *policy)
{
  const aq_study_row *base = aq_study_baseline(study, row, policy);
  return row->alone || base == row ? NULL : base;
}

aq_status aq_study_has(const aq_study *study, const char *baseline,
                       aq_diag *diag)
{
  if (study->count == 0)
    return aq_diag_set(diag, AQ_ERR_NOT_FOUND,
                       "no runs with requests; `run` of a scenario and `sweep` "
                       "make them");
  if (!baseline)
    return AQ_OK;
  for (size_t i = 0; i < study->count; i++)
    if (aq_study_compared(study, &study->rows[i], baseline))
      return AQ_OK;
  return aq_diag_set(diag, AQ_ERR_NOT_FOUND,
                     "baseline %s: no runs of that policy to compare with",
                     baseline);
}

static void json_estimate(aq_json_out *json, const char *key,
                          aq_estimate estimate)
{
  aq_json_out_map(json, key);
  aq_json_out_real(json, "mean", estimate.mean);
  aq_json_out_real(json, "half", estimate.half);
  aq_json_out_int(json, "count", (int64_t)estimate.count);
  aq_json_out_close_map(json);
}

static void json_row(aq_json_out *json, const aq_study *study,
                     const aq_study_row *row, const char *baseline)
{
  aq_json_out_map(json, NULL);
  aq_json_out_text(json, "workload", row->workload);
  aq_json_out_text(json, "parameters", row->parameters);
  aq_json_out_text(json, "device", row->device);
  aq_json_out_text(json, "policy", row->policy);
  aq_json_out_text(json, "client", row->client);
  aq_json_out_text(json, "durations", row->durations);
  aq_json_out_int(json, "alone", row->alone);
  aq_json_out_array(json, "runs");
  for (size_t i = 0; i < row->count; i++)
    aq_json_out_int(json, NULL, row->replicas[i].run);
  aq_json_out_close_array(json);
  for (size_t i = 0; i < AQ_FIGURE_COUNT; i++)
    json_estimate(json, aq_figure_name(i), aq_study_estimate(row, i));
  const aq_study_row *base =
      baseline ? aq_study_baseline(study, row, baseline) : NULL;
  if (base && !row->alone) {
    aq_json_out_map(json, "less_baseline");
    for (size_t i = 0; i < AQ_FIGURE_COUNT; i++)
      json_estimate(json, aq_figure_name(i), aq_study_paired(row, base, i));
    aq_json_out_close_map(json);
  }
  aq_json_out_close_map(json);
}

aq_status aq_study_document(const aq_study *study, const char *baseline,
                            FILE *out, aq_diag *diag)
{
  aq_json_out *json = aq_json_out_begin(true);
  if (!json)
    return aq_diag_no_memory(diag);
  aq_json_out_map(json, NULL);
  aq_json_out_int(json, "left_out", (int64_t)study->left_out);
  aq_json_out_array(json, "rows");
  for (size_t i = 0; i < study->count; i++)
    json_row(json, study, &study->rows[i], baseline);
  aq_json_out_close_array(json);
  aq_json_out_close_map(json);
  return aq_json_out_end(json, out) ? AQ_OK : aq_diag_no_memory(diag);
}
