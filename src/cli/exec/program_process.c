/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "cli/exec/program_process.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/exec/descendants.h"
#include "cli/exec/mount_namespace.h"
#include "common/wall_clock.h"

enum { GRACE_S = 2 /* between SIGTERM and SIGKILL */ };

/* A byte in the pipe `told`: the status alone may be the program's. */
static _Noreturn void child_fail(const aq_program *program, int told, int code,
                                 const char *why)
{
  char text[AQ_DIAG_TEXT_MAX];
  (void)!write(told, "", 1);
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

static _Noreturn void child_run(const aq_program *program, int told,
                                const sigset_t *mask)
{
  aq_diag diag = AQ_DIAG_INIT;
  /* An isolation that worked in the trial may still fail. */
  if (program->isolated && aq_isolation_enter(program->devices, &diag) != AQ_OK)
    child_fail(program, told, AQ_EXEC_OURS, diag.text);
  sigprocmask(SIG_SETMASK, mask, NULL);
  if (program->timeout > 0)
    report_ask(program);
  execvp(program->args[0], program->args);
  child_fail(program, told, errno == ENOENT ? AQ_EXEC_MISSING : AQ_EXEC_DENIED,
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

/* Takes the status of each child that has ended, orphans that this process got
 * among them. Whether any is left. */
static bool children_reap(aq_program_end *out, bool *ended)
{
  pid_t pid;
  int status;
  while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
    if (pid != out->child)
      continue;
    out->status = status;
    *ended = true;
  }
  return pid == 0;
}

/* After the timeout all processes of the program get SIGTERM, then SIGKILL, as
 * often as one of them ends, since it may have made another. A signal that
 * would end this process is the child's to answer: its status counts, and its
 * records are still to be stored. It has one already that it sent to its own
 * group. */
static aq_status child_wait(const aq_program *program, const sigset_t *signals,
                            const aq_descendants *processes,
                            aq_program_end *out, aq_diag *diag)
{
  const int64_t timeout = program->timeout / AQ_NS;
  int64_t end = timeout > 0 ? aq_wall_ns() + timeout : 0;
  int sent = 0;
  bool ended = false;
  while (children_reap(out, &ended) &&
         !(ended && (!sent || !end || !aq_descendants_kill(processes, 0)))) {
    siginfo_t info = {.si_pid = out->child};
    const int got = signal_next(signals, end, &info);
    if (got < 0 && sent == SIGKILL) {
      end = 0; /* some process of another user */
    } else if (got < 0) {
      sent = sent ? SIGKILL : SIGTERM;
      end = aq_wall_ns() + GRACE_S * (AQ_S / AQ_NS);
      out->timed_out = true;
      if (!aq_descendants_kill(processes, sent) && !ended) /* no /proc */
        kill(out->child, sent);
    } else if (got == SIGCHLD && sent == SIGKILL) {
      aq_descendants_kill(processes, sent);
    } else if (got > 0 && got != SIGCHLD && info.si_pid != out->child) {
      kill(out->child, got);
    }
  }
  return ended ? AQ_OK
               : aq_diag_set(diag, AQ_ERR_RESOURCES,
                             "%s: exit status unknown: %s", program->args[0],
                             strerror(ECHILD));
}

aq_status aq_program_run(const aq_program *program, aq_program_end *out,
                         aq_diag *diag)
{
  sigset_t signals, mask;
  aq_descendants processes;
  int told[2];
  if (pipe2(told, O_CLOEXEC) != 0)
    return aq_diag_set(diag, AQ_ERR_RESOURCES, "pipe: %s", strerror(errno));
  sigemptyset(&signals);
  sigaddset(&signals, SIGCHLD);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGHUP);
  sigprocmask(SIG_BLOCK, &signals, &mask);
  fflush(NULL);
  aq_descendants_begin(&processes);
  /* So that the timeout reaches processes whose parents have ended. */
  if (program->timeout > 0)
    prctl(PR_SET_CHILD_SUBREAPER, 1);
  *out = (aq_program_end){.child = fork()};
  if (out->child == 0)
    child_run(program, told[1], &mask);
  aq_status status = AQ_OK;
  close(told[1]);
  if (out->child > 0) {
    signal(SIGINT, SIG_IGN);
    signal(SIGQUIT, SIG_IGN);
    status = child_wait(program, &signals, &processes, out, diag);
    char byte;
    out->refused = read(told[0], &byte, 1) == 1;
    /* A signal to its own group that the child sent just before it ended. */
    const struct timespec now = {0};
    while (sigtimedwait(&signals, NULL, &now) > 0)
      ;
  } else {
    status = aq_diag_set(diag, AQ_ERR_RESOURCES, "fork: %s", strerror(errno));
  }
  sigprocmask(SIG_SETMASK, &mask, NULL);
  aq_descendants_fini(&processes);
  close(told[0]);
  return status;
}
