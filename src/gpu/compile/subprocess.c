/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/compile/subprocess.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/signal_name.h"

enum { MESSAGES_MAX = 1 << 20 };

extern char **environ;

void aq_child_add(aq_child *child, const char *arg)
{
  if (child->count < AQ_CHILD_ARGS)
    child->args[child->count] = arg;
  child->count++;
}

/* ---- messages ---- */

/* All that was written to a file, the caller's to free, or NULL. */
static char *file_take(int fd)
{
  const off_t end = lseek(fd, 0, SEEK_END);
  const size_t size = end < MESSAGES_MAX ? (size_t)end : MESSAGES_MAX;
  char *text = end >= 0 ? calloc(1, size + 1) : NULL;
  if (text && pread(fd, text, size, 0) < 0)
    *text = 0;
  return text;
}

static void messages_keep(const char *path, const char *text)
{
  FILE *out = path && *text ? fopen(path, "ae") : NULL;
  if (!out)
    return;
  fputs(text, out);
  fclose(out);
}

/* The first line with an error, how many there are in all, and the last line
 * that is not empty. */
static char *error_find(char *text, size_t *errors, char **last)
{
  char *first = NULL, *rest = text, *line;
  *errors = 0;
  *last = NULL;
  while ((line = strsep(&rest, "\n"))) {
    if (!*line)
      continue;
    *last = line;
    if (!strstr(line, "error: "))
      continue;
    first = first ? first : line;
    ++*errors;
  }
  return first;
}

/* ---- the child ---- */

static const char *name_of(const aq_child *child)
{
  const char *slash = strrchr(child->args[0], '/');
  return slash ? slash + 1 : child->args[0];
}

static aq_status failure_describe(const aq_child *child, int status, char *text,
                                  aq_diag *diag)
{
  size_t errors;
  char signal[AQ_SIGNAL_NAME];
  char *last, *first = error_find(text, &errors, &last);
  if (WIFSIGNALED(status))
    return aq_diag_set(diag, AQ_ERR_INPUT, "%s: ended by %s", name_of(child),
                       aq_signal_name(WTERMSIG(status), signal));
  if (errors > 1)
    return aq_diag_set(diag, AQ_ERR_INPUT, "%.420s (%s: %zu errors)", first,
                       name_of(child), errors);
  if (first)
    return aq_diag_set(diag, AQ_ERR_INPUT, "%s (%s)", first, name_of(child));
  return aq_diag_set(diag, AQ_ERR_INPUT, "%s: exit status %d%s%s",
                     name_of(child), WEXITSTATUS(status), last ? ": " : "",
                     last ? last : "");
}

static int child_spawn(const aq_child *child, int messages, pid_t *out)
{
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, messages, 2);
  const int error = posix_spawn(out, child->args[0], &actions, NULL,
                                (char *const *)(uintptr_t)child->args, environ);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

aq_status aq_child_run(const aq_child *child, const char *messages,
                       aq_diag *diag)
{
  int status = 0;
  pid_t pid;
  if (child->count > AQ_CHILD_ARGS)
    return aq_diag_set(diag, AQ_ERR_INVALID, "%s: %d arguments; at most %d",
                       name_of(child), child->count, AQ_CHILD_ARGS);
  const int fd = memfd_create("messages", MFD_CLOEXEC);
  if (fd < 0)
    return aq_diag_set(diag, AQ_ERR_RESOURCES, "%s: %s", name_of(child),
                       strerror(errno));
  const int error = child_spawn(child, fd, &pid);
  if (error) {
    close(fd);
    return aq_diag_set(diag, AQ_ERR_RESOURCES, "%s: %s", child->args[0],
                       strerror(error));
  }
  pid_t ended;
  while ((ended = waitpid(pid, &status, 0)) < 0 && errno == EINTR)
    ;
  if (ended < 0) {
    close(fd);
    return aq_diag_set(diag, AQ_ERR_RESOURCES,
                       "%s: exit status unknown: this process ignores "
                       "SIGCHLD, or another thread waited for it",
                       name_of(child));
  }
  char *text = file_take(fd);
  close(fd);
  if (!text)
    return aq_diag_no_memory(diag);
  messages_keep(messages, text);
  const bool failed = !WIFEXITED(status) || WEXITSTATUS(status) != 0;
  aq_status result =
      failed ? failure_describe(child, status, text, diag) : AQ_OK;
  free(text);
  return result;
}
