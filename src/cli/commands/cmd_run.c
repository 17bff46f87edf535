/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <stdlib.h>

#include "cli/commands/commands.h"
#include "cli/commands/policy_process.h"
#include "cli/commands/run_options.h"
#include "cli/commands/runs.h"
#include "study/session/scenario_run.h"

static aq_status run_scenario(aq_cli *cli, aq_store *store,
                              const aq_session *session, int64_t seed)
{
  const aq_scenario_options options = {
      .seed = seed,
      .parameters = aq_cli_repeats(cli, AQ_CLI_OPT_PARAMETER),
      .data = getenv("AQ_DATA")};
  aq_run_info info = aq_cli_run_info(cli, AQ_RUN_SIMULATED);
  aq_performed performed;
  sigset_t before;
  aq_cli_status_block(&before);
  aq_status status = aq_scenario_perform(session, store, cli->args[0], &options,
                                         &info, &performed, &cli->diag);
  aq_cli_status_unblock(&before);
  if (status != AQ_OK)
    return status;
  status = aq_cli_performed_print(cli, &info, &performed);
  aq_performed_fini(&performed);
  return status;
}

static aq_status run_command(aq_cli *cli)
{
  aq_session session;
  aq_store *store;
  int64_t seed;
  aq_status status = aq_cli_number(cli, AQ_CLI_OPT_SEED, 0, -1, &seed);
  if (status == AQ_OK)
    status = aq_cli_performance_init(cli, &session);
  if (status != AQ_OK)
    return status;
  status = aq_cli_queues(cli, &session.options.queues);
  if (status != AQ_OK) {
    aq_session_fini(&session);
    return status;
  }
  status = aq_cli_store_open(cli, AQ_STORE_WRITE, &store);
  if (status == AQ_OK) {
    status = run_scenario(cli, store, &session, seed);
    aq_store_close(store);
  }
  aq_session_fini(&session);
  return status;
}

aq_status aq_cli_run(aq_cli *cli)
{
  return aq_cli_contain(cli, run_command);
}
