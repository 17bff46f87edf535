/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "study/session/scenario_run.h"

#include <stdlib.h>

#include "study/session/inputs_digest.h"

/* How the streams were mapped, for later readers of the run. */
static void run_notes(aq_json_out *json, const void *user)
{
  const aq_session *session = user;
  aq_json_out_map(json, "run");
  aq_json_out_int(json, "queues", session->options.queues);
  aq_json_out_close_map(json);
}

static void list_put(aq_json_out *json, const char *key,
                     const char *const *list)
{
  aq_json_out_array(json, key);
  for (size_t i = 0; list && list[i]; i++)
    aq_json_out_text(json, NULL, list[i]);
  aq_json_out_close_array(json);
}

/* The text that distinguishes the run from others of its scenario, as sweeps
 * store it: studies compare runs that differ in the policy alone. The caller
 * frees it. */
static char *place_make(const aq_session *session, const char *path,
                        const aq_scenario_options *options, const char *inputs,
                        int64_t seed)
{
  const aq_performance_options *o = &session->options;
  aq_json_out *json = aq_json_out_begin(false);
  if (!json)
    return NULL;
  aq_json_out_map(json, NULL);
  aq_json_out_text(json, "workload", path);
  list_put(json, "parameters", options->parameters);
  aq_json_out_text(json, "device", o->device);
  list_put(json, "set", o->edits);
  aq_json_out_text(json, "policy", o->policy ? o->policy : "none");
  aq_json_out_int(json, "queues", o->queues);
  aq_json_out_int(json, "live", o->live);
  aq_json_out_text(json, "inputs", inputs);
  aq_json_out_int(json, "alone", 0);
  aq_json_out_int(json, "seed", seed);
  aq_json_out_close_map(json);
  return aq_json_out_take(json);
}

aq_status aq_scenario_perform(const aq_session *session, aq_store *store,
                              const char *path,
                              const aq_scenario_options *options,
                              aq_run_info *info, aq_performed *out,
                              aq_diag *diag)
{
  aq_session own = *session;
  aq_workload_source *workload;
  aq_scenario_facts facts;
  aq_session_facts probe;
  aq_status status = aq_scenario_load(path, options, &workload, &facts, diag);
  if (status != AQ_OK)
    return status;
  info->source = path;
  info->format = "scenario";
  info->seed = facts.seed;
  own.facts = &facts;
  if (own.options.queues) {
    own.notes = run_notes;
    own.notes_user = &own;
  }
  if (!own.options.device && !own.hardware)
    own.options.device = facts.device;
  own.options.seed = (uint64_t)facts.seed;
  char *place = NULL, inputs[AQ_INPUTS_SIZE];
  status = aq_inputs_text(path, options->parameters, options->data,
                          own.options.policy, inputs, diag);
  if (status == AQ_OK) {
    place = place_make(&own, path, options, inputs, facts.seed);
    status =
        place ? aq_session_probe(&own, &probe, diag) : aq_diag_no_memory(diag);
  }
  if (status == AQ_OK) {
    info->kind = probe.kind;
    info->point = place;
    status = aq_session_run(&own, store, 0, workload, info, out, diag);
    info->point = NULL;
  }
  free(place);
  workload->close(workload);
  return status;
}
