/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "study/calibrate/probe_results.h"

#include <stdio.h>
#include <string.h>

#include "common/json_in.h"

static const char *const figures[AQ_PROBE_COUNT] = {
#define P(id, key, unit, meaning) [AQ_PROBE_##id] = key,
#include "study/calibrate/probe.def"
#undef P
};

static const struct {
  const char *key;
  aq_probe_id figure;
  const char *less;
} rules[AQ_DEVICE_PROBED_COUNT] = {
#define Q(id, figure, less) {#id, AQ_PROBE_##figure, less},
#include "study/calibrate/probe_results.def"
#undef Q
};

/* ---- notes ---- */

void aq_device_probed_note(aq_json_out *json, const aq_probe_result *result)
{
  aq_json_out_array(json, "probe");
  for (int i = 0; i < AQ_PROBE_COUNT; i++) {
    const aq_probe_fact *fact = &result->facts[i];
    if (fact->value == AQ_NONE)
      continue;
    aq_json_out_map(json, NULL);
    aq_json_out_text(json, "figure", fact->key);
    aq_json_out_int(json, "value", fact->value);
    aq_json_out_int(json, "resolution", fact->resolution);
    aq_json_out_close_map(json);
  }
  aq_json_out_close_array(json);
}

static aq_status fact_read(const aq_json_node *node, aq_probe_result *out)
{
  aq_json_node key, value, resolution;
  const char *text = "";
  aq_status status = aq_json_need(node, "figure", &key);
  if (status == AQ_OK)
    status = aq_json_text(&key, &text);
  if (status == AQ_OK)
    status = aq_json_need(node, "value", &value);
  if (status == AQ_OK)
    status = aq_json_need(node, "resolution", &resolution);
  for (int i = 0; i < AQ_PROBE_COUNT && status == AQ_OK; i++) {
    aq_probe_fact *fact = &out->facts[i];
    if (strcmp(figures[i], text) != 0)
      continue;
    status = aq_json_integer(&value, INT64_MIN + 1, INT64_MAX, &fact->value);
    if (status == AQ_OK)
      status = aq_json_integer(&resolution, 0, INT64_MAX, &fact->resolution);
  }
  return status;
}

aq_status aq_device_probed_read(const char *notes, const char *run,
                                aq_probe_result *out, aq_diag *diag)
{
  aq_json_doc doc;
  char where[96];
  for (int i = 0; i < AQ_PROBE_COUNT; i++)
    out->facts[i] = (aq_probe_fact){.key = figures[i], .value = AQ_NONE};
  snprintf(where, sizeof where, "notes of run %.70s", run);
  const char *text = notes ? notes : "{}";
  aq_status status = aq_json_parse(&doc, text, strlen(text), where, diag);
  if (status != AQ_OK)
    return status;
  const aq_json_node root = aq_json_root(&doc);
  aq_json_node list;
  size_t count;
  status = aq_json_need(&root, "probe", &list);
  if (status == AQ_OK)
    status = aq_json_array(&list, 1, SIZE_MAX, &count);
  for (size_t i = 0; status == AQ_OK && i < count; i++) {
    const aq_json_node item = aq_json_element(&list, i);
    status = fact_read(&item, out);
  }
  aq_json_free(&doc);
  return status;
}

/* ---- constants ---- */

/* A copy is as fast as the slower of engine and link: which one was seen is
 * known only where the model's link is faster by more than the resolution. */
static bool rate_is_the_link(const aq_device_model *model,
                             const aq_probe_fact *fact)
{
  const int64_t link = aq_device_model_number(model, "host_link_bandwidth");
  return fact->value > link + fact->resolution;
}

/* To nanoseconds, where more would pretend to be known. */
static int64_t rounded(int64_t value, int64_t resolution)
{
  return resolution < AQ_NS ? value : (value + AQ_NS / 2) / AQ_NS * AQ_NS;
}

void aq_device_probed_fit(const aq_device_model *model,
                          const aq_probe_result *result,
                          aq_device_fit out[AQ_DEVICE_PROBED_COUNT])
{
  for (size_t i = 0; i < AQ_DEVICE_PROBED_COUNT; i++) {
    const int64_t was = aq_device_model_number(model, rules[i].key);
    out[i] = (aq_device_fit){
        .key = rules[i].key,
        .meaning = figures[rules[i].figure],
        .probed = true,
        .resolution = result->facts[rules[i].figure].resolution,
        .was = was,
        .value = was,
        .unit = i == AQ_DEVICE_PROBED_copy_bandwidth ? AQ_DEVICE_FIT_RATE
                                                     : AQ_DEVICE_FIT_TIME};
    aq_device_fit *fit = &out[i];
    const aq_probe_fact *fact = &result->facts[rules[i].figure];
    const int64_t value =
        fact->value - aq_device_fit_sum(model, out, i, NULL, 0, rules[i].less);
    if (fact->value == AQ_NONE)
      snprintf(fit->why_not, sizeof fit->why_not, "the probe did not see it");
    else if (fit->unit == AQ_DEVICE_FIT_RATE && rate_is_the_link(model, fact))
      snprintf(fit->why_not, sizeof fit->why_not,
               "copies are faster than the host_link_bandwidth of the model");
    else if (value < -fact->resolution)
      snprintf(fit->why_not, sizeof fit->why_not,
               "less than the constants that it contains");
    else
      fit->value = rounded(value < 0 ? 0 : value, fact->resolution);
  }
}
