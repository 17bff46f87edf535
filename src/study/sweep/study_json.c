/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "study/sweep/study_json.h"

#include <string.h>

#include "common/json_out.h"

const aq_study_row *aq_study_compared(const aq_study *study,
                                      const aq_study_row *row,
                                      const char *policy)
{
  const aq_study_row *base =
      row->alone ? NULL : aq_study_row_find(study, row, policy);
  return base == row ? NULL : base;
}

static bool is_of(const char *policy, const char *name)
{
  const size_t length = strcspn(policy, ",");
  return strlen(name) == length && strncmp(policy, name, length) == 0;
}

/* The policy itself, or the only one of that name with settings. */
static aq_status baseline_find(const aq_study *study, const char *name,
                               const char **out, aq_diag *diag)
{
  const char *found = NULL, *other = NULL;
  for (size_t i = 0; i < study->count; i++) {
    const char *policy = study->rows[i].policy;
    if (study->rows[i].alone)
      continue;
    if (strcmp(policy, name) == 0) {
      *out = policy;
      return AQ_OK;
    }
    if (is_of(policy, name) && (!found || strcmp(policy, found) != 0)) {
      other = found ? policy : NULL;
      found = found ? found : policy;
    }
  }
  if (other)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "baseline %s: expected one policy; there are %s and %s",
                       name, found, other);
  *out = found ? found : name;
  return AQ_OK;
}

aq_status aq_study_has(const aq_study *study, const char *baseline,
                       const char **policy, aq_diag *diag)
{
  *policy = NULL;
  if (study->count == 0)
    return aq_diag_set(diag, AQ_ERR_NOT_FOUND,
                       "no runs with requests; `run` of a scenario and `sweep` "
                       "make them");
  if (!baseline)
    return AQ_OK;
  aq_status status = baseline_find(study, baseline, policy, diag);
  for (size_t i = 0; i < study->count && status == AQ_OK; i++)
    if (aq_study_compared(study, &study->rows[i], *policy))
      return AQ_OK;
  return status != AQ_OK
             ? status
             : aq_diag_set(
                   diag, AQ_ERR_NOT_FOUND,
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
  aq_json_out_text(json, "transport", row->transport);
  aq_json_out_text(json, "durations", row->durations);
  aq_json_out_int(json, "alone", row->alone);
  aq_json_out_array(json, "runs");
  for (size_t i = 0; i < row->count; i++)
    aq_json_out_int(json, NULL, row->replicas[i].run);
  aq_json_out_close_array(json);
  for (size_t i = 0; i < AQ_FIGURE_COUNT; i++)
    json_estimate(json, aq_figure_name(i), aq_study_estimate(row, i));
  const aq_study_row *base =
      baseline && !row->alone ? aq_study_row_find(study, row, baseline) : NULL;
  if (base) {
    aq_json_out_map(json, "less_baseline");
    for (size_t i = 0; i < AQ_FIGURE_COUNT; i++)
      json_estimate(json, aq_figure_name(i),
                    aq_study_paired(row, base, i, NULL));
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
  aq_json_out_int(json, "fell_back", (int64_t)study->fell_back);
  aq_json_out_int(json, "outdated", (int64_t)study->outdated);
  aq_json_out_int(json, "repeated", (int64_t)study->repeated);
  aq_json_out_array(json, "rows");
  for (size_t i = 0; i < study->count; i++)
    json_row(json, study, &study->rows[i], baseline);
  aq_json_out_close_array(json);
  aq_json_out_close_map(json);
  return aq_json_out_end(json, out) ? AQ_OK : aq_diag_no_memory(diag);
}
