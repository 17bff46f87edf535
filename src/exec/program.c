/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "exec/program.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "exec/isolation.h"

enum { GRACE_S = 2 /* between SIGTERM and SIGKILL */ };

static _Noreturn void child_fail(const aq_program *program, int code,
                                 const char *why)
{
  char text[AQ_DIAG_TEXT_MAX];
  snprintf(text, sizeof text, "%s: %s", program->args[0], why);
  program->failed(text);
  _exit(code);
}

static _Noreturn void child_run(const aq_program *program, const sigset_t *mask)
{
  aq_diag diag = AQ_DIAG_INIT;
  /* An isolation that worked in the trial may still fail. */
  if (program->isolated && aq_isolation_enter(&diag) != AQ_OK)
    child_fail(program, AQ_EXEC_OURS, diag.text);
  signal(SIGINT, SIG_DFL);
  signal(SIGQUIT, SIG_DFL);
  sigprocmask(SIG_SETMASK, mask, NULL);
  execvp(program->args[0], program->args);
  child_fail(program, errno == ENOENT ? AQ_EXEC_MISSING : AQ_EXEC_DENIED,
             strerror(errno));
}

/* How long to wait for the child: to the timeout, then for it to end. */
static struct timespec time_left(const aq_program *program, int sent)
{
  const aq_time timeout = program->timeout;
  if (timeout == 0 || sent)
    return (struct timespec){GRACE_S, 0};
  return (struct timespec){timeout / AQ_S, timeout % AQ_S / AQ_NS};
}

/* After the timeout the child gets SIGTERM, then SIGKILL. */
static void child_wait(const aq_program *program, const sigset_t *chld,
                       aq_program_end *out)
{
  int sent = 0;
  while (waitpid(out->child, &out->status, WNOHANG) == 0) {
    const struct timespec left = time_left(program, sent);
    const bool waits = program->timeout > 0 && sent != SIGKILL;
    if ((waits ? sigtimedwait(chld, NULL, &left) : sigwaitinfo(chld, NULL)) <
            0 &&
        errno == EAGAIN) {
      sent = sent ? SIGKILL : SIGTERM;
      out->timed_out = true;
      kill(out->child, sent);
    }
  }
}

aq_status aq_program_run(const aq_program *program, aq_program_end *out,
                         aq_diag *diag)
{
  sigset_t chld, mask;
  sigemptyset(&chld);
  sigaddset(&chld, SIGCHLD);
  sigprocmask(SIG_BLOCK, &chld, &mask);
  fflush(NULL);
  *out = (aq_program_end){.child = fork()};
  if (out->child == 0)
    child_run(program, &mask);
  if (out->child > 0) {
    signal(SIGINT, SIG_IGN);
    signal(SIGQUIT, SIG_IGN);
    child_wait(program, &chld, out);
  }
  sigprocmask(SIG_SETMASK, &mask, NULL);
  return out->child > 0
             ? AQ_OK
             : aq_diag_set(diag, AQ_ERR_RESOURCES, "fork: %s", strerror(errno));
}
