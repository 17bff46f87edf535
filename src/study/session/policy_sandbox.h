/* SPDX-License-Identifier: MIT */
/*
 * Containment of policies: a process that watches the one that runs a policy,
 * ends it when a hook does not return or takes too much memory, and words its
 * end with the policy's name.
 *
 * The watching process forks; the forked one gets the aq_policy_watchdog with
 * aq_session_init(). One thread.
 */
#ifndef AQ_STUDY_SESSION_POLICY_SANDBOX_H
#define AQ_STUDY_SESSION_POLICY_SANDBOX_H

#include <stdbool.h>
#include <sys/types.h>

#include "common/diag.h"
#include "common/time.h"
#include "scheduler/policy_watchdog.h"

enum {
  AQ_CONTAINED_LOOK_MS = 50, /* how often to look */
  AQ_CONTAINED_WHY = 128,
};

typedef struct aq_policy_limits {
  aq_time hook;    /* wall time of one hook; 0: none */
  uint64_t memory; /* bytes above those at the fork; 0: none */
} aq_policy_limits;

/* The defaults: 10 s, 4 GiB. */
extern const aq_policy_limits aq_policy_limits_default;

typedef struct aq_policy_sandbox {
  pid_t process;
  const aq_policy_watchdog *watch;
  uint64_t calls;             /* at the last look */
  int64_t since;              /* wall ns of the first look at these calls */
  uint64_t bytes;             /* resident at the fork */
  char why[AQ_CONTAINED_WHY]; /* of the overrun; empty: none */
} aq_policy_sandbox;

/* After the fork, in the parent. `watch` is borrowed. */
void aq_policy_sandbox_begin(aq_policy_sandbox *contained, pid_t process,
                             const aq_policy_watchdog *watch);

/* Looks after the process, and kills it above a limit. */
void aq_policy_sandbox_poll(aq_policy_sandbox *contained,
                            const aq_policy_limits *limits);

/* After waitpid(): AQ_OK if the process ended on its own, outside of the
 * policy; AQ_ERR_INVALID with one line that names `policy` otherwise, and
 * AQ_ERR_RESOURCES where the system killed it. */
aq_status aq_policy_sandbox_end(const aq_policy_sandbox *contained, int how,
                                const char *policy, aq_diag *diag);

/* Forks, and watches the new process until it ends. In the new process it
 * returns AQ_OK at once with `*inside` true; that process ends with its
 * parent. In the calling one it returns when the new process has ended: AQ_OK
 * with the exit status in `*ended`, or the error of aq_policy_sandbox_end(). It
 * passes SIGUSR1, SIGINT and SIGTERM on to the new process. Both keep `watch`.
 */
aq_status aq_policy_sandbox_fork(const char *policy,
                                 const aq_policy_limits *limits,
                                 aq_policy_watchdog *watch, bool *inside,
                                 int *ended, aq_diag *diag);

#endif
