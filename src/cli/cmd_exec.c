/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/kernel_options.h"
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
  int status_fd; /* where the drop-in writes when hsa_init succeeded */
  aq_cli_spools spools;
  pid_t child;
  aq_time timeout; /* wall time, 0: none */
  bool timed_out;
} execution;

/* ---- its environment ---- */

/* NAME=value SEPARATOR what was there. */
static bool env_prepend(const char *name, const char *value, char separator)
{
  const char *old = getenv(name);
  char *text;
  if (!old || !*old)
    return setenv(name, value, 1) == 0;
  if (asprintf(&text, "%s%c%s", value, separator, old) < 0)
    return false;
  bool done = setenv(name, text, 1) == 0;
  free(text);
  return done;
}

/* The edits of the device model, as the drop-in reads them. */
static bool env_edits(aq_cli *cli)
{
  const char **edits = aq_cli_repeats(cli, AQ_CLI_OPT_SET);
  bool done = edits != NULL;
  for (size_t i = 0; done && edits[i]; i++)
    done = env_prepend("AQUEDUCT_SET", edits[i], ';');
  free(edits);
  return done;
}

static bool env_make(const execution *e)
{
  const char *device = e->cli->values[AQ_CLI_OPT_DEVICE];
  char path[64];
  /* Through our own process: the program may close what it inherits. */
  snprintf(path, sizeof path, "/proc/%ld/fd/%d", (long)getpid(), e->status_fd);
  return setenv("AQUEDUCT_EXEC_STATUS", path, 1) == 0 &&
         setenv("AQUEDUCT_SPOOL", e->spools.folder, 1) == 0 &&
         (!device || setenv("AQUEDUCT_DEVICE", device, 1) == 0) &&
         aq_cli_kernels_export(e->cli) && env_edits(e->cli) &&
         env_prepend("LD_PRELOAD", e->shim, ':') &&
         env_prepend("LD_PRELOAD", e->dropin, ':') &&
         /* ASan wants to be loaded first; here it need not be. */
         env_prepend("ASAN_OPTIONS", "verify_asan_link_order=0", ':');
}

/* ---- running ---- */

static void child_run(char **args, const sigset_t *mask)
{
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
    child_run(e->cli->args, &mask);
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
  char told;
  bool opened = pread(e->status_fd, &told, 1, 0) == 1;
  if (e->timed_out) {
    cli->exit_code = EXIT_OURS;
    return aq_diag_set(&cli->diag, AQ_ERR_TIMEOUT, "%s: ended by --timeout %s",
                       cli->args[0], cli->values[AQ_CLI_OPT_TIMEOUT]);
  }
  cli->exit_code = WIFSIGNALED(status) ? EXIT_SIGNAL + WTERMSIG(status)
                                       : WEXITSTATUS(status);
  if (cli->exit_code != 0 || opened)
    return AQ_OK;
  cli->exit_code = EXIT_OURS;
  return aq_diag_set(&cli->diag, AQ_ERR_NOT_FOUND,
                     "%s never called hsa_init: nothing ran on the simulator",
                     cli->args[0]);
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
  e->status_fd = memfd_create("aqueduct-exec", MFD_CLOEXEC);
  if (e->status_fd < 0)
    return aq_diag_set(&cli->diag, AQ_ERR_IO, "memfd_create: %s",
                       strerror(errno));
  done = aq_cli_spools_create(cli, &e->spools);
  if (done != AQ_OK)
    return done;
  if (!env_make(e))
    return aq_cli_no_memory(cli);
  done = program_run(e, &status);
  if (done != AQ_OK)
    return done;
  done = aq_cli_spools_store(cli, &e->spools, e->child, status);
  return done == AQ_OK ? outcome(e, status) : done;
}

aq_status aq_cli_exec(aq_cli *cli)
{
  execution e = {.cli = cli, .status_fd = -1, .spools = AQ_CLI_SPOOLS_NONE};
  aq_status status = aq_cli_time(cli, AQ_CLI_OPT_TIMEOUT, &e.timeout);
  if (status == AQ_OK)
    status = execution_run(&e);
  if (status != AQ_OK && cli->exit_code == 0)
    cli->exit_code = EXIT_OURS;
  if (e.status_fd >= 0)
    close(e.status_fd);
  aq_cli_spools_close(&e.spools);
  free(e.dropin);
  free(e.shim);
  return status;
}
