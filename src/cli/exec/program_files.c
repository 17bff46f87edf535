/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "cli/exec/program_files.h"

#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static bool is_program(const char *path)
{
  struct stat info;
  return stat(path, &info) == 0 && S_ISREG(info.st_mode) &&
         access(path, X_OK) == 0;
}

/* As execvp looks: NULL where there is none. */
static char *program_find(const char *program)
{
  const char *at = getenv("PATH");
  char *path;
  if (strchr(program, '/') || !at)
    return is_program(program) ? strdup(program) : NULL;
  for (size_t length; *at; at += length + (at[length] == ':')) {
    length = strcspn(at, ":");
    if (asprintf(&path, "%.*s%s%s", (int)length, at, length ? "/" : "",
                 program) < 0)
      return NULL;
    if (is_program(path))
      return path;
    free(path);
  }
  return NULL;
}

/* ---- libraries ---- */

/* The loader's own answer, as it depends on run paths, its cache and the
 * environment. glibc's and musl's know --list, which runs nothing of the
 * program. NULL: it gave none. */
static FILE *loader_ask(const char *loader, const char *path, pid_t *child)
{
  static char list[] = "--list";
  char *const args[] = {(char *)(uintptr_t)loader, list,
                        (char *)(uintptr_t)path, NULL};
  posix_spawn_file_actions_t actions;
  int ends[2];
  if (pipe(ends) != 0)
    return NULL;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addclose(&actions, ends[0]);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", 1, 0);
  const bool begun =
      posix_spawn(child, loader, &actions, NULL, args, environ) == 0;
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  FILE *lines = begun ? fdopen(ends[0], "r") : NULL;
  if (!lines)
    close(ends[0]);
  if (begun && !lines)
    waitpid(*child, NULL, 0);
  return lines;
}

/* "  NAME => PATH (0xADDRESS)", or NULL: a line of another kind. */
static char *library_of(char *line)
{
  char *path = strstr(line, " => /");
  char *end = path ? strstr(path, " (0x") : NULL;
  if (!end)
    return NULL;
  *end = 0;
  return path + sizeof " => " - 1;
}

static aq_status libraries_read(aq_program_code *code, const char *path,
                                const aq_notes *notes, aq_diag *diag)
{
  char *loader = aq_code_file_loader(path), *line = NULL;
  size_t size = 0;
  pid_t child;
  FILE *lines = loader ? loader_ask(loader, path, &child) : NULL;
  aq_status status = AQ_OK;
  while (lines && status == AQ_OK && getline(&line, &size, lines) >= 0) {
    const char *library = library_of(line);
    if (library)
      status = aq_program_code_add(code, library, notes, diag);
  }
  if (lines) {
    fclose(lines);
    waitpid(child, NULL, 0);
  }
  free(line);
  free(loader);
  return status;
}

aq_status aq_program_code_read(const char *program, aq_program_code *out,
                               const aq_notes *notes, aq_diag *diag)
{
  aq_program_code code = {0};
  char *path = program_find(program);
  if (!path) {
    *out = code;
    return AQ_OK;
  }
  aq_status status = aq_program_code_add(&code, path, notes, diag);
  code.own = code.count > 0;
  if (status == AQ_OK)
    status = libraries_read(&code, path, notes, diag);
  free(path);
  if (status == AQ_OK)
    *out = code;
  else
    aq_program_code_fini(&code);
  return status;
}
