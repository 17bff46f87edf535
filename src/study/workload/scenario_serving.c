/* SPDX-License-Identifier: MIT */
/* Scenarios whose requests go to servers of language models. */
#include "config.h"

#include <string.h>

#include "study/serving/serving.h"
#include "study/workload/scenario_model.h"

enum { SERVING_VERSION = 2 };

bool aq_scenario_serves(const aq_json_node *root)
{
  aq_json_node serving;
  return aq_json_is_object(root) && aq_json_member(root, "serving", &serving);
}

/* The head of the file; `device` is borrowed from the document. */
static aq_status head_read(const aq_json_node *root, int64_t *seed,
                           const char **device)
{
  static const char *const keys[] = {"version", "name", "notes",
                                     "device",  "seed", "parameters",
                                     "serving", NULL};
  aq_json_node member;
  const char *text;
  int64_t version;
  aq_status status = aq_json_object(root, keys);
  if (status == AQ_OK)
    status = aq_json_need(root, "version", &member);
  if (status == AQ_OK)
    status =
        aq_json_integer(&member, SERVING_VERSION, SERVING_VERSION, &version);
  if (status == AQ_OK && aq_json_member(root, "name", &member))
    status = aq_json_text(&member, &text);
  if (status == AQ_OK && aq_json_member(root, "notes", &member))
    status = aq_json_text(&member, &text);
  if (status == AQ_OK && aq_json_member(root, "seed", &member))
    status = aq_json_integer(&member, 0, INT64_MAX, seed);
  if (status == AQ_OK && aq_json_member(root, "device", &member))
    status = aq_json_text(&member, device);
  return status;
}

static aq_status facts_make(aq_workload_source *source, const char *device,
                            int64_t seed, aq_scenario_facts *out, aq_diag *diag)
{
  uint32_t count;
  const aq_serving_client *servers = aq_serving_clients(source, &count);
  aq_arena *arena = aq_serving_arena(source);
  aq_scenario_client *clients = aq_arena_alloc(arena, count * sizeof *clients);
  const char *kept =
      device ? aq_arena_text(arena, device, strlen(device)) : NULL;
  if (!clients || (device && !kept))
    return aq_diag_no_memory(diag);
  for (uint32_t i = 0; i < count; i++)
    clients[i] = (aq_scenario_client){.name = servers[i].name,
                                      .count = 1,
                                      .weight = servers[i].weight,
                                      .priority = servers[i].priority,
                                      .ttft = servers[i].ttft,
                                      .tpot = servers[i].tpot,
                                      .gaps = servers[i].gaps,
                                      .gap_count = AQ_GAP_COUNT};
  *out = (aq_scenario_facts){.seed = seed,
                             .device = kept,
                             .clients = clients,
                             .client_count = count,
                             .durations = aq_serving_durations(source)};
  return AQ_OK;
}

aq_status aq_scenario_serving(const aq_json_node *root,
                              const aq_scenario_options *options,
                              aq_workload_source **out,
                              aq_scenario_facts *facts, aq_diag *diag)
{
  int64_t seed = 0;
  uint32_t count;
  const char *device = NULL;
  aq_json_node serving;
  aq_workload_source *source;
  aq_status status = head_read(root, &seed, &device);
  if (status != AQ_OK)
    return status;
  if (options->seed >= 0)
    seed = options->seed;
  status = aq_json_need(root, "serving", &serving);
  if (status == AQ_OK)
    status = aq_serving_open(
        &serving, &(aq_serving_options){.seed = seed, .alone = options->alone},
        &source, diag);
  if (status != AQ_OK)
    return status;
  aq_serving_clients(source, &count);
  if (options->alone > count)
    status = aq_diag_set(diag, AQ_ERR_INPUT, "%s: there are %u servers, no %u",
                         root->doc->file, count, options->alone);
  if (status == AQ_OK && facts)
    status = facts_make(source, device, seed, facts, diag);
  if (status == AQ_OK)
    *out = source;
  else
    source->close(source);
  return status;
}
