/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "perform/scenario_run.h"

/* How the streams were mapped, for later readers of the run. */
static void run_notes(aq_json_out *json, const void *user)
{
  const aq_performance *performance = user;
  aq_json_out_map(json, "run");
  aq_json_out_int(json, "queues", performance->options.queues);
  aq_json_out_close_map(json);
}

aq_status aq_scenario_perform(const aq_performance *performance,
                              aq_store *store, const char *path,
                              const aq_scenario_options *options,
                              aq_run_info *info, aq_performed *out,
                              aq_diag *diag)
{
  aq_performance own = *performance;
  aq_workload_source *workload;
  aq_scenario_facts facts;
  aq_performance_facts probe;
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
  status = aq_performance_probe(&own, &probe, diag);
  if (status == AQ_OK) {
    info->kind = probe.kind;
    status = aq_perform(&own, store, 0, workload, info, out, diag);
  }
  workload->close(workload);
  return status;
}
