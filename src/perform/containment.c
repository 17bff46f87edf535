/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "perform/containment.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/wall.h"

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

void aq_contained_begin(aq_contained *c, pid_t process,
                        const aq_policy_watch *watch)
{
  *c = (aq_contained){.process = process,
                      .watch = watch,
                      .calls = aq_policy_watch_calls(watch),
                      .since = aq_wall_ns(),
                      .bytes = process_bytes(process)};
}

static bool is_inside(const aq_contained *c)
{
  return aq_policy_watch_calls(c->watch) % 2 == 1;
}

void aq_contained_look(aq_contained *c, const aq_policy_limits *limits)
{
  const uint64_t calls = aq_policy_watch_calls(c->watch);
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

aq_status aq_contained_end(const aq_contained *c, int how, const char *policy,
                           aq_diag *diag)
{
  const char *place = aq_policy_watch_place(c->watch);
  const bool inside = is_inside(c);
  if (c->why[0])
    return aq_diag_set(diag, AQ_ERR_INVALID, "policy %s: %s%s%s", policy,
                       inside ? place : "", inside ? ": " : "", c->why);
  if (WIFSIGNALED(how))
    return aq_diag_set(
        diag, AQ_ERR_INVALID, "policy %s: %s crashed: signal %d (%s)%s", policy,
        inside ? place : "the process that runs it", WTERMSIG(how),
        strsignal(WTERMSIG(how)),
        WTERMSIG(how) == SIGKILL ? "; the system may be out of memory" : "");
  if (inside)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "policy %s: %s ended the process with status %d", policy,
                       place, WEXITSTATUS(how));
  return AQ_OK;
}
