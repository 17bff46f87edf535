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
  const aq_performance *performance = user;
  aq_json_out_map(json, "run");
  aq_json_out_int(json, "queues", performance->options.queues);
  aq_json_out_close_map(json);
}

static aq_status run_scenario(aq_cli *cli, aq_store *store,
                              aq_performance *performance, int64_t seed)
{
  aq_workload_source *workload;
  aq_run_info info = aq_cli_run_info(cli, AQ_RUN_SIMULATED);
  aq_scenario_facts facts;
  aq_performance_facts probe;
  info.source = cli->args[0];
  info.format = "scenario";
  aq_status status =
      aq_scenario_load(cli->args[0],
                       &(aq_scenario_options){.seed = seed,
                                              .parameters = aq_cli_repeats(
                                                  cli, AQ_CLI_OPT_PARAMETER),
                                              .data = getenv("AQ_DATA")},
                       &workload, &facts, &cli->diag);
  if (status != AQ_OK)
    return status;
  info.seed = facts.seed;
  performance->facts = &facts;
  if (!performance->options.device && !performance->hardware)
    performance->options.device = facts.device;
  performance->options.seed = (uint64_t)info.seed;
  status = aq_performance_probe(performance, &probe, &cli->diag);
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
  aq_performance performance;
  aq_store *store;
  int64_t seed;
  aq_status status = aq_cli_number(cli, AQ_CLI_OPT_SEED, 0, -1, &seed);
  if (status == AQ_OK)
    status = aq_cli_performance_init(cli, &performance);
  if (status != AQ_OK)
    return status;
  status = aq_cli_queues(cli, &performance.options.queues);
  if (status != AQ_OK) {
    aq_performance_fini(&performance);
    return status;
  }
  if (performance.options.queues) {
    performance.notes = run_notes;
    performance.notes_user = &performance;
  }
  status = aq_cli_store_open(cli, AQ_STORE_WRITE, &store);
  if (status == AQ_OK) {
    status = run_scenario(cli, store, &performance, seed);
    aq_store_close(store);
  }
  aq_performance_fini(&performance);
  return status;
}
