/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "cli/contain.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/runs.h"
#include "common/record.h"
#include "common/row_choice.h"
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

/* Looks after the process until it ends. Signals that ask for something are
 * passed on to it; they are blocked here. */
static int process_await(aq_contained *contained,
                         const aq_policy_limits *limits, const sigset_t *taken)
{
  const struct timespec look = {0, AQ_CONTAINED_LOOK_MS * 1000000L};
  int how;
  while (waitpid(contained->process, &how, WNOHANG) == 0) {
    const int asked = sigtimedwait(taken, NULL, &look);
    if (asked > 0 && asked != SIGCHLD)
      kill(contained->process, asked);
    aq_contained_look(contained, limits);
  }
  return how;
}

/* In the parent. */
static aq_status contained_end(aq_cli *cli, pid_t process,
                               aq_policy_watch *watch,
                               const aq_policy_limits *limits,
                               const sigset_t *taken)
{
  aq_contained contained;
  aq_contained_begin(&contained, process, watch);
  const int how = process_await(&contained, limits, taken);
  aq_status status = aq_contained_end(
      &contained, how, cli->values[AQ_CLI_OPT_POLICY], &cli->diag);
  if (status == AQ_OK)
    _exit(WEXITSTATUS(how));
  run_forget(cli, watch->run);
  return status;
}

aq_status aq_cli_contain(aq_cli *cli, aq_status (*work)(aq_cli *cli))
{
  static const int asking[] = {SIGCHLD, SIGUSR1, SIGINT, SIGTERM};
  const char *policy = cli->values[AQ_CLI_OPT_POLICY];
  aq_policy_limits limits;
  sigset_t taken, before;
  aq_status status = aq_cli_policy_limits(cli, &limits);
  if (status != AQ_OK || !policy || !aq_policy_is_plugin(policy))
    return status == AQ_OK ? work(cli) : status;
  aq_policy_watch *watch = aq_policy_watch_create(1);
  if (!watch)
    return aq_diag_no_memory(&cli->diag);
  sigemptyset(&taken);
  for (size_t i = 0; i < sizeof asking / sizeof *asking; i++)
    sigaddset(&taken, asking[i]);
  sigprocmask(SIG_BLOCK, &taken, &before);
  fflush(NULL);
  const pid_t parent = getpid(), process = fork();
  if (process == 0) {
    sigprocmask(SIG_SETMASK, &before, NULL);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent)
      _exit(1);
    cli->watch = watch;
    return work(cli);
  }
  status = process < 0
               ? aq_diag_set(&cli->diag, AQ_ERR_IO, "fork: %s", strerror(errno))
               : contained_end(cli, process, watch, &limits, &taken);
  sigprocmask(SIG_SETMASK, &before, NULL);
  aq_policy_watch_destroy(watch, 1);
  return status;
}
