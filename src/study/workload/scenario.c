/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "study/workload/scenario.h"

#include <stdlib.h>

#include "study/workload/scenario_model.h"
#include "study/workload/scenario_player.h"

/* What its options leave to the document, and which client acts alone. */
static aq_status options_apply(aq_scenario *scenario, const char *file,
                               const aq_scenario_options *options,
                               aq_diag *diag)
{
  if (options->seed >= 0)
    scenario->seed = options->seed;
  if (options->alone <= scenario->client_count)
    return AQ_OK;
  return aq_diag_set(diag, AQ_ERR_INPUT, "%s: there are %u clients, no %u",
                     file, scenario->client_count, options->alone);
}

/* Fills the scenario, or opens the source of one with servers. */
static aq_status scenario_read(aq_scenario *scenario, const char *text,
                               size_t size, const char *file,
                               const aq_scenario_options *options,
                               aq_workload_source **source,
                               aq_scenario_facts *facts, aq_diag *diag)
{
  aq_json_doc doc;
  char *converted = NULL, *filled = NULL;
  aq_status status = aq_json_parse(&doc, text, size, file, diag);
  if (status != AQ_OK)
    return status;
  aq_json_node root = aq_json_root(&doc);
  if (aq_disb_is(&root)) {
    status = aq_disb_convert(&root, &converted, &size);
    text = converted;
  }
  if (status == AQ_OK)
    status = aq_scenario_parameters(text, size, file, options->parameters,
                                    &filled, &size, diag);
  if (status == AQ_OK && (converted || filled)) {
    aq_json_free(&doc);
    status = aq_json_parse(&doc, filled ? filled : text, size, file, diag);
    if (status == AQ_OK)
      root = aq_json_root(&doc);
    else
      doc.root = NULL;
  }
  if (status == AQ_OK && aq_scenario_serves(&root))
    status = aq_scenario_serving(&root, options, source, facts, diag);
  else if (status == AQ_OK)
    status = aq_scenario_fill(scenario, options->data, &root);
  if (doc.root)
    aq_json_free(&doc);
  free(converted);
  free(filled);
  return status;
}

/* Facts for the caller; texts live as long as the scenario. */
static aq_status facts_report(aq_scenario *scenario, aq_scenario_facts *out,
                              aq_diag *diag)
{
  aq_scenario_client *clients = aq_arena_alloc(
      &scenario->arena, scenario->client_count * sizeof *clients);
  if (!clients)
    return aq_diag_no_memory(diag);
  for (uint32_t i = 0; i < scenario->client_count; i++)
    clients[i] =
        (aq_scenario_client){.name = scenario->clients[i].name,
                             .count = scenario->clients[i].count,
                             .weight = scenario->clients[i].weight,
                             .priority = scenario->clients[i].priority};
  *out = (aq_scenario_facts){.seed = scenario->seed,
                             .device = scenario->device,
                             .clients = clients,
                             .client_count = scenario->client_count};
  return AQ_OK;
}

aq_status aq_scenario_load_text(const char *text, size_t size, const char *file,
                                const aq_scenario_options *options,
                                aq_workload_source **out,
                                aq_scenario_facts *facts, aq_diag *diag)
{
  aq_scenario scenario = {0};
  aq_workload_source *served = NULL;
  aq_status status =
      scenario_read(&scenario, text, size, file, options, &served, facts, diag);
  if (status == AQ_OK && served) {
    *out = served;
    return AQ_OK;
  }
  if (status == AQ_OK)
    status = options_apply(&scenario, file, options, diag);
  if (status == AQ_OK && facts)
    status = facts_report(&scenario, facts, diag);
  if (status == AQ_OK)
    status = aq_scenario_play(&scenario, options->alone, out, diag);
  if (status != AQ_OK)
    aq_scenario_fini(&scenario);
  return status;
}

aq_status aq_scenario_load(const char *path, const aq_scenario_options *options,
                           aq_workload_source **out, aq_scenario_facts *facts,
                           aq_diag *diag)
{
  char *text = NULL;
  size_t size = 0;
  aq_status status = aq_json_load(path, &text, &size, diag);
  if (status != AQ_OK)
    return status;
  status = aq_scenario_load_text(text, size, path, options, out, facts, diag);
  free(text);
  return status;
}
