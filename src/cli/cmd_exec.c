/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/exec_env.h"
#include "cli/isolation.h"
#include "cli/spools.h"
#include "common/plugin.h"

enum {
  EXIT_OURS = 125,   /* exec itself failed */
  EXIT_DENIED = 126, /* the program cannot be run */
  EXIT_MISSING = 127,
  EXIT_SIGNAL = 128, /* and the signal's number */
  GRACE_S = 2,       /* between SIGTERM and SIGKILL */
};

/* One program on the drop-in. */
typedef struct execution {
  aq_cli *cli;
  char *dropin, *shim;
  aq_cli_spools spools;
  bool isolated; /* in a namespace of its own */
  pid_t child;
  aq_time timeout; /* wall time, 0: none */
  bool timed_out;
} execution;

/* ---- running ---- */

/* What was tried may still fail now and then. */
static void isolate(const char *program)
{
  aq_diag diag = AQ_DIAG_INIT;
  if (aq_cli_isolation_enter(&diag) == AQ_OK)
    return;
  fprintf(stderr, "aqueduct: error: %s: %s\n", program, diag.text);
  _exit(EXIT_OURS);
}

static void child_run(const execution *e, const sigset_t *mask)
{
  char **args = e->cli->args;
  if (e->isolated)
    isolate(args[0]);
  signal(SIGINT, SIG_DFL);
  signal(SIGQUIT, SIG_DFL);
  sigprocmask(SIG_SETMASK, mask, NULL);
  execvp(args[0], args);
  int code = errno == ENOENT ? EXIT_MISSING : EXIT_DENIED;
  fprintf(stderr, "aqueduct: error: %s: %s\n", args[0], strerror(errno));
  _exit(code);
}

/* How long to wait for the child: to the timeout, then for it to end. */
static struct timespec time_left(const execution *e, int sent)
{
  if (e->timeout == 0 || sent)
    return (struct timespec){GRACE_S, 0};
  return (struct timespec){e->timeout / AQ_S, e->timeout % AQ_S / AQ_NS};
}

/* Waits for the child; after the timeout it is told to end, then made to. */
static int child_wait(execution *e, const sigset_t *chld)
{
  int status, sent = 0;
  while (waitpid(e->child, &status, WNOHANG) == 0) {
    struct timespec left = time_left(e, sent);
    bool waits = e->timeout > 0 && sent != SIGKILL;
    if ((waits ? sigtimedwait(chld, NULL, &left) : sigwaitinfo(chld, NULL)) <
            0 &&
        errno == EAGAIN) {
      sent = sent ? SIGKILL : SIGTERM;
      e->timed_out = true;
      kill(e->child, sent);
    }
  }
  return status;
}

static aq_status program_run(execution *e, int *status)
{
  sigset_t chld, mask;
  sigemptyset(&chld);
  sigaddset(&chld, SIGCHLD);
  sigprocmask(SIG_BLOCK, &chld, &mask);
  fflush(NULL);
  e->child = fork();
  if (e->child < 0)
    return aq_diag_set(&e->cli->diag, AQ_ERR_RESOURCES, "fork: %s",
                       strerror(errno));
  if (e->child == 0)
    child_run(e, &mask);
  /* The terminal sends these to both: the program decides. */
  signal(SIGINT, SIG_IGN);
  signal(SIGQUIT, SIG_IGN);
  *status = child_wait(e, &chld);
  sigprocmask(SIG_SETMASK, &mask, NULL);
  return AQ_OK;
}

/* What it means that the program ended like this. */
static aq_status outcome(execution *e, int status)
{
  aq_cli *cli = e->cli;
  if (e->timed_out) {
    cli->exit_code = EXIT_OURS;
    return aq_diag_set(&cli->diag, AQ_ERR_TIMEOUT, "%s: ended by --timeout %s",
                       cli->args[0], cli->values[AQ_CLI_OPT_TIMEOUT]);
  }
  cli->exit_code = WIFSIGNALED(status) ? EXIT_SIGNAL + WTERMSIG(status)
                                       : WEXITSTATUS(status);
  if (cli->exit_code != 0 || access(e->spools.opened, F_OK) == 0)
    return AQ_OK;
  cli->exit_code = EXIT_OURS;
  return aq_diag_set(&cli->diag, AQ_ERR_NOT_FOUND,
                     "%s never called hsa_init: nothing ran on the simulator",
                     cli->args[0]);
}

static aq_status isolation_choose(execution *e)
{
  aq_cli *cli = e->cli;
  aq_cli_isolation how;
  aq_diag why = AQ_DIAG_INIT;
  aq_status status = aq_cli_isolation_get(cli, &how);
  if (status != AQ_OK || how == AQ_CLI_ISOLATION_PRELOAD)
    return status;
  status = aq_cli_isolation_try(&why);
  e->isolated = status == AQ_OK;
  return how == AQ_CLI_ISOLATION_AUTO || e->isolated
             ? AQ_OK
             : aq_diag_set(&cli->diag, status, "--isolation namespace: %s",
                           why.text);
}

static aq_status execution_run(execution *e)
{
  aq_cli *cli = e->cli;
  int status = 0;
  aq_status done =
      aq_plugin_file_find("libhsa-runtime64.so.1", &e->dropin, &cli->diag);
  if (done == AQ_OK)
    done = aq_plugin_file_find("libaqueduct-shim.so", &e->shim, &cli->diag);
  if (done != AQ_OK)
    return done;
  done = aq_cli_spools_create(cli, &e->spools);
  if (done != AQ_OK)
    return done;
  done = aq_cli_exec_env(cli, &(aq_cli_exec_paths){.dropin = e->dropin,
                                                   .shim = e->shim,
                                                   .spools = e->spools.folder,
                                                   .opened = e->spools.opened});
  if (done != AQ_OK)
    return done;
  done = program_run(e, &status);
  if (done != AQ_OK)
    return done;
  done = aq_cli_spools_store(cli, &e->spools, e->child, status);
  return done == AQ_OK ? outcome(e, status) : done;
}

aq_status aq_cli_exec(aq_cli *cli)
{
  execution e = {.cli = cli, .spools = AQ_CLI_SPOOLS_NONE};
  aq_status status = aq_cli_time(cli, AQ_CLI_OPT_TIMEOUT, &e.timeout);
  if (status == AQ_OK)
    status = isolation_choose(&e);
  if (status == AQ_OK)
    status = execution_run(&e);
  if (status != AQ_OK && cli->exit_code == 0)
    cli->exit_code = EXIT_OURS;
  aq_cli_spools_close(&e.spools);
  free(e.dropin);
  free(e.shim);
  return status;
}
