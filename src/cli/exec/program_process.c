/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "cli/exec/program_process.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/exec/mount_namespace.h"
#include "common/wall_clock.h"

enum { GRACE_S = 2 /* between SIGTERM and SIGKILL */ };

static _Noreturn void child_fail(const aq_program *program, int code,
                                 const char *why)
{
  char text[AQ_DIAG_TEXT_MAX];
  snprintf(text, sizeof text, "%s: %s", program->args[0], why);
  program->failed(text);
  _exit(code);
}

/* Shortly before the timeout the drop-in reports which code still runs. */
static void report_ask(const aq_program *program)
{
  enum { BEFORE_NS = 500000000, PART = 10 };
  const int64_t ns = program->timeout / AQ_NS,
                before = ns / PART < BEFORE_NS ? ns / PART : BEFORE_NS;
  char text[24];
  snprintf(text, sizeof text, "%" PRId64, aq_wall_ns() + ns - before);
  setenv("AQUEDUCT_REPORT_AT", text, 1);
  snprintf(text, sizeof text, "%" PRId64, ns);
  if (program->budget)
    setenv("AQUEDUCT_BUDGET_NS", text, 1);
}

static _Noreturn void child_run(const aq_program *program, const sigset_t *mask)
{
  aq_diag diag = AQ_DIAG_INIT;
  /* An isolation that worked in the trial may still fail. */
  if (program->isolated && aq_isolation_enter(program->devices, &diag) != AQ_OK)
    child_fail(program, AQ_EXEC_OURS, diag.text);
  signal(SIGINT, SIG_DFL);
  signal(SIGQUIT, SIG_DFL);
  sigprocmask(SIG_SETMASK, mask, NULL);
  if (program->timeout > 0)
    report_ask(program);
  execvp(program->args[0], program->args);
  child_fail(program, errno == ENOENT ? AQ_EXEC_MISSING : AQ_EXEC_DENIED,
             strerror(errno));
}

/* The next of the signals, or -1 once the wall clock shows `end` (0: never). */
static int signal_next(const sigset_t *signals, int64_t end, siginfo_t *info)
{
  const int64_t left = end - aq_wall_ns(), second = AQ_S / AQ_NS;
  const struct timespec wait = {left > 0 ? left / second : 0,
                                left > 0 ? left % second : 0};
  const int got =
      end ? sigtimedwait(signals, info, &wait) : sigwaitinfo(signals, info);
  return got < 0 && errno != EAGAIN ? 0 : got;
}

/* After the timeout the child gets SIGTERM, then SIGKILL. A signal that would
 * end this process is the child's to answer: its status counts, and its records
 * are still to be stored. It has one already that it sent to its own group. */
static aq_status child_wait(const aq_program *program, const sigset_t *signals,
                            aq_program_end *out, aq_diag *diag)
{
  const int64_t timeout = program->timeout / AQ_NS;
  int64_t end = timeout > 0 ? aq_wall_ns() + timeout : 0;
  int sent = 0;
  pid_t ended;
  while ((ended = waitpid(out->child, &out->status, WNOHANG)) == 0) {
    siginfo_t info = {.si_pid = out->child};
    const int got = signal_next(signals, end, &info);
    if (got < 0) {
      sent = sent ? SIGKILL : SIGTERM;
      end = sent == SIGKILL ? 0 : aq_wall_ns() + GRACE_S * (AQ_S / AQ_NS);
      out->timed_out = true;
      kill(out->child, sent);
    } else if (got > 0 && got != SIGCHLD && info.si_pid != out->child) {
      kill(out->child, got);
    }
  }
  return ended > 0 ? AQ_OK
                   : aq_diag_set(diag, AQ_ERR_RESOURCES,
                                 "%s: its exit status is lost: %s",
                                 program->args[0], strerror(errno));
}

aq_status aq_program_run(const aq_program *program, aq_program_end *out,
                         aq_diag *diag)
{
  sigset_t signals, mask;
  sigemptyset(&signals);
  sigaddset(&signals, SIGCHLD);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGHUP);
  sigprocmask(SIG_BLOCK, &signals, &mask);
  fflush(NULL);
  *out = (aq_program_end){.child = fork()};
  if (out->child == 0)
    child_run(program, &mask);
  aq_status status = AQ_OK;
  if (out->child > 0) {
    signal(SIGINT, SIG_IGN);
    signal(SIGQUIT, SIG_IGN);
    status = child_wait(program, &signals, out, diag);
    /* A signal to its own group that the child sent just before it ended. */
    const struct timespec now = {0};
    while (sigtimedwait(&signals, NULL, &now) > 0)
      ;
  } else {
    status = aq_diag_set(diag, AQ_ERR_RESOURCES, "fork: %s", strerror(errno));
  }
  sigprocmask(SIG_SETMASK, &mask, NULL);
  return status;
}
