/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "cli/commands/policy_process.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands/runs.h"
#include "common/record.h"
#include "common/record_filter.h"
#include "scheduler/registry.h"

aq_status aq_cli_policy_limits(aq_cli *cli, aq_policy_limits *out)
{
  const char *hook = cli->values[AQ_CLI_OPT_POLICY_TIMEOUT];
  const char *memory = cli->values[AQ_CLI_OPT_POLICY_MEMORY];
  aq_policy_limits read = aq_policy_limits_default;
  aq_status status = AQ_OK;
  if (hook && strcmp(hook, "none") == 0)
    read.hook = 0;
  else
    status = aq_cli_time(cli, AQ_CLI_OPT_POLICY_TIMEOUT, &read.hook);
  if (status == AQ_OK && memory && !aq_size_read(memory, &read.memory))
    status = aq_diag_set(&cli->diag, AQ_ERR_INPUT,
                         "--policy-memory %s: expected none, or bytes such as "
                         "500M or 4G",
                         memory);
  if (status == AQ_OK)
    *out = read;
  return status;
}

/* Of a run whose process is gone. */
static void run_forget(aq_cli *cli, int64_t run)
{
  aq_store *store;
  aq_diag diag = AQ_DIAG_INIT;
  if (run == AQ_NONE || aq_store_open(cli->values[AQ_CLI_OPT_STORE],
                                      AQ_STORE_WRITE, &store, &diag) != AQ_OK)
    return;
  aq_store_remove(store, run, &diag);
  aq_store_close(store);
}

aq_status aq_cli_contain(aq_cli *cli, aq_status (*work)(aq_cli *cli))
{
  const char *policy = cli->values[AQ_CLI_OPT_POLICY];
  aq_policy_limits limits;
  bool inside;
  int ended;
  aq_status status = aq_cli_policy_limits(cli, &limits);
  if (status != AQ_OK || !policy || !aq_policy_is_plugin(policy))
    return status == AQ_OK ? work(cli) : status;
  aq_policy_watchdog *watch = aq_policy_watchdog_create(1);
  if (!watch)
    return aq_diag_no_memory(&cli->diag);
  status = aq_policy_sandbox_fork(policy, &limits, watch, &inside, &ended,
                                  &cli->diag);
  if (status == AQ_OK && inside) {
    cli->watch = watch;
    return work(cli);
  }
  if (status == AQ_OK)
    _exit(ended);
  run_forget(cli, watch->run);
  aq_policy_watchdog_destroy(watch, 1);
  return status;
}
