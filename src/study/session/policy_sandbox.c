/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "study/session/policy_sandbox.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/signal_name.h"
#include "common/wall_clock.h"

const aq_policy_limits aq_policy_limits_default = {.hook = 10 * AQ_S,
                                                   .memory = UINT64_C(4) << 30};

/* Resident bytes; 0: not known. */
static uint64_t process_bytes(pid_t process)
{
  char path[64];
  uint64_t all, resident = 0;
  snprintf(path, sizeof path, "/proc/%ld/statm", (long)process);
  FILE *file = fopen(path, "r");
  if (!file)
    return 0;
  if (fscanf(file, "%" SCNu64 " %" SCNu64, &all, &resident) != 2)
    resident = 0;
  fclose(file);
  return resident * (uint64_t)sysconf(_SC_PAGESIZE);
}

void aq_policy_sandbox_begin(aq_policy_sandbox *c, pid_t process,
                             const aq_policy_watchdog *watch)
{
  *c = (aq_policy_sandbox){.process = process,
                           .watch = watch,
                           .calls = aq_policy_watchdog_calls(watch),
                           .since = aq_wall_ns(),
                           .bytes = process_bytes(process)};
}

static bool is_inside(const aq_policy_sandbox *c)
{
  return aq_policy_watchdog_calls(c->watch) % 2 == 1;
}

void aq_policy_sandbox_poll(aq_policy_sandbox *c,
                            const aq_policy_limits *limits)
{
  const uint64_t calls = aq_policy_watchdog_calls(c->watch);
  const int64_t now = aq_wall_ns();
  const uint64_t bytes = process_bytes(c->process);
  if (c->why[0])
    return;
  if (calls != c->calls) {
    c->calls = calls;
    c->since = now;
  }
  if (is_inside(c) && limits->hook > 0 && now - c->since > limits->hook / AQ_NS)
    snprintf(c->why, sizeof c->why, "did not return within %g s",
             (double)limits->hook / (double)AQ_S);
  else if (limits->memory > 0 && bytes > c->bytes &&
           bytes - c->bytes > limits->memory)
    snprintf(c->why, sizeof c->why,
             "its process took more than %" PRIu64 " MiB",
             limits->memory >> 20);
  if (c->why[0])
    kill(c->process, SIGKILL);
}

aq_status aq_policy_sandbox_end(const aq_policy_sandbox *c, int how,
                                const char *policy, aq_diag *diag)
{
  const char *place = aq_policy_watchdog_place(c->watch);
  const bool inside = is_inside(c);
  char signal[AQ_SIGNAL_NAME];
  if (c->why[0])
    return aq_diag_set(diag, AQ_ERR_INVALID, "policy %s: %s%s%s", policy,
                       inside ? place : "", inside ? ": " : "", c->why);
  if (WIFSIGNALED(how)) {
    const bool killed = WTERMSIG(how) == SIGKILL;
    return aq_diag_set(diag, killed ? AQ_ERR_RESOURCES : AQ_ERR_INVALID,
                       "policy %s: %s crashed: %s%s", policy,
                       inside ? place : "the process that runs it",
                       aq_signal_name(WTERMSIG(how), signal),
                       killed ? "; the system may be out of memory" : "");
  }
  if (inside)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "policy %s: %s ended the process with status %d", policy,
                       place, WEXITSTATUS(how));
  return AQ_OK;
}

/* ---- the forked process ---- */

/* Looks after the process until it ends. Signals that ask for something are
 * passed on to it; they are blocked here. False: how it ended is lost. */
static bool process_await(aq_policy_sandbox *contained,
                          const aq_policy_limits *limits, const sigset_t *taken,
                          int *how)
{
  const struct timespec look = {0, AQ_CONTAINED_LOOK_MS * 1000000L};
  pid_t ended;
  while ((ended = waitpid(contained->process, how, WNOHANG)) == 0) {
    const int asked = sigtimedwait(taken, NULL, &look);
    if (asked > 0 && asked != SIGCHLD)
      kill(contained->process, asked);
    aq_policy_sandbox_poll(contained, limits);
  }
  return ended > 0;
}

aq_status aq_policy_sandbox_fork(const char *policy,
                                 const aq_policy_limits *limits,
                                 aq_policy_watchdog *watch, bool *inside,
                                 int *ended, aq_diag *diag)
{
  static const int asking[] = {SIGCHLD, SIGUSR1, SIGINT, SIGTERM};
  sigset_t taken, before;
  aq_policy_sandbox contained;
  aq_status status;
  sigemptyset(&taken);
  for (size_t i = 0; i < sizeof asking / sizeof *asking; i++)
    sigaddset(&taken, asking[i]);
  sigprocmask(SIG_BLOCK, &taken, &before);
  fflush(NULL);
  const pid_t parent = getpid(), process = fork();
  *inside = process == 0;
  if (*inside) {
    /* In the new process. */
    sigprocmask(SIG_SETMASK, &before, NULL);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent)
      _exit(1);
    return AQ_OK;
  }
  if (process > 0) {
    aq_policy_sandbox_begin(&contained, process, watch);
    int how = 0;
    status = process_await(&contained, limits, &taken, &how)
                 ? aq_policy_sandbox_end(&contained, how, policy, diag)
                 : aq_diag_set(diag, AQ_ERR_RESOURCES,
                               "policy %s: exit status of its process "
                               "unknown: %s",
                               policy, strerror(errno));
    *ended = WEXITSTATUS(how);
  } else {
    status = aq_diag_set(diag, AQ_ERR_IO, "fork: %s", strerror(errno));
  }
  sigprocmask(SIG_SETMASK, &before, NULL);
  return status;
}
