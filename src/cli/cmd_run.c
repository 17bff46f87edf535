/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <stdlib.h>

#include "cli/commands.h"
#include "cli/perform.h"
#include "cli/runs.h"
#include "workload/scenario.h"

/* How the streams were mapped, for those who look at the run later. */
static void run_notes(aq_json_out *json, const void *user)
{
  const aq_cli_performance *performance = user;
  aq_json_out_map(json, "run");
  aq_json_out_int(json, "queues", performance->queues);
  aq_json_out_close_map(json);
}

static aq_status run_scenario(aq_cli *cli, aq_store *store,
                              aq_cli_performance *performance, int64_t seed)
{
  aq_workload_source *workload;
  aq_run_info info = aq_cli_run_info(cli, AQ_RUN_SIMULATED);
  aq_scenario_facts facts;
  aq_cli_probe probe;
  info.source = cli->args[0];
  info.format = "scenario";
  const char **parameters = aq_cli_repeats(cli, AQ_CLI_OPT_PARAMETER);
  if (!parameters)
    return aq_cli_no_memory(cli);
  aq_status status = aq_scenario_load(
      cli->args[0],
      &(aq_scenario_options){
          .seed = seed, .parameters = parameters, .data = getenv("AQ_DATA")},
      &workload, &facts, &cli->diag);
  free(parameters);
  if (status != AQ_OK)
    return status;
  info.seed = facts.seed;
  performance->facts = &facts;
  if (!performance->device && !performance->hardware)
    performance->device = facts.device;
  performance->seed = (uint64_t)info.seed;
  status = aq_cli_performance_probe(cli, performance, &probe);
  if (status == AQ_OK) {
    info.kind = probe.kind;
    status = aq_cli_perform(cli, store, performance, 0, workload, &info);
  }
  workload->close(workload);
  performance->facts = NULL;
  return status;
}

aq_status aq_cli_run(aq_cli *cli)
{
  aq_cli_performance performance;
  aq_store *store;
  int64_t seed;
  aq_status status = aq_cli_number(cli, AQ_CLI_OPT_SEED, 0, -1, &seed);
  if (status == AQ_OK)
    status = aq_cli_performance_init(cli, &performance);
  if (status != AQ_OK)
    return status;
  status = aq_cli_queues(cli, &performance.queues);
  if (status != AQ_OK) {
    aq_cli_performance_fini(&performance);
    return status;
  }
  if (performance.queues) {
    performance.notes = run_notes;
    performance.notes_user = &performance;
  }
  status = aq_cli_store_open(cli, AQ_STORE_WRITE, &store);
  if (status == AQ_OK) {
    status = run_scenario(cli, store, &performance, seed);
    aq_store_close(store);
  }
  aq_cli_performance_fini(&performance);
  return status;
}
