/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "exec/program_code.h"

#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/array.h"

/* ---- files ---- */

/* Takes the path, an allocation, in any case. */
static aq_status file_add(aq_program_code *code, char *path,
                          const aq_notes *notes, aq_diag *diag)
{
  aq_diag why = AQ_DIAG_INIT;
  aq_code_file file;
  if (!path)
    return aq_diag_no_memory(diag);
  if (aq_code_file_is(path)) {
    if (aq_code_file_open(path, &file, &why) != AQ_OK) {
      aq_note(notes, "%s; its code counts for no device", why.text);
    } else if (AQ_ARRAY_PUSH(code->files, code->count, code->capacity, file)) {
      return AQ_OK;
    } else {
      aq_code_file_close(&file);
      free(path);
      return aq_diag_no_memory(diag);
    }
  }
  free(path);
  return AQ_OK;
}

void aq_program_code_fini(aq_program_code *code)
{
  for (size_t i = 0; i < code->count; i++) {
    char *path = (char *)(uintptr_t)code->files[i].path;
    aq_code_file_close(&code->files[i]);
    free(path);
  }
  free(code->files);
  *code = (aq_program_code){0};
}

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
      status = file_add(code, strdup(library), notes, diag);
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
  aq_status status = file_add(&code, strdup(path), notes, diag);
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

/* ---- fitting ---- */

static bool has_device_code(const aq_bundle *bundle)
{
  for (size_t i = 0; i < bundle->count; i++)
    if (bundle->entries[i].size > 0 &&
        strncmp(bundle->entries[i].id, "host-", 5) != 0)
      return true;
  return false;
}

aq_program_fit aq_program_code_fit(const aq_program_code *code,
                                   const aq_target *device)
{
  aq_program_fit fit = {0};
  for (size_t i = 0; i < code->count; i++) {
    const aq_bundles *bundles = &code->files[i].bundles;
    size_t fitting = 0, all = 0;
    for (size_t j = 0; j < bundles->count; j++) {
      all += has_device_code(&bundles->list[j]);
      fitting += aq_bundle_find(&bundles->list[j], device) != NULL;
    }
    fit.bundles += fitting;
    if (i == 0 && code->own)
      fit.own = fitting;
    else
      fit.libraries += fitting == all;
  }
  return fit;
}

bool aq_program_fit_is(const aq_program_code *code, const aq_program_fit *fit)
{
  return code->own ? fit->own > 0 : fit->bundles > 0;
}

static int size_compare(size_t a, size_t b)
{
  return (a > b) - (a < b);
}

int aq_program_fit_compare(const aq_program_fit *a, const aq_program_fit *b)
{
  int order = size_compare(a->own, b->own);
  if (order == 0)
    order = size_compare(a->libraries, b->libraries);
  return order ? order : size_compare(a->bundles, b->bundles);
}

/* ---- words ---- */

/* Whether a list with commas has a text. */
static bool list_has(const char *list, const char *text)
{
  const size_t length = strlen(text);
  for (const char *at = list; (at = strstr(at, text)); at += length)
    if ((at == list || at[-1] == ' ') && (at[length] == 0 || at[length] == ','))
      return true;
  return false;
}

static void list_add(char *list, size_t size, const char *text)
{
  static const char more[] = ", …";
  const size_t used = strlen(list);
  if (list_has(list, text) || list_has(list, "…"))
    return;
  if (used + strlen(text) + sizeof ", " + sizeof more <= size)
    snprintf(list + used, size - used, "%s%s", used ? ", " : "", text);
  else if (used + sizeof more <= size)
    memcpy(list + used, more, sizeof more);
}

void aq_program_code_targets(const aq_program_code *code, char *text,
                             size_t size)
{
  text[0] = 0;
  const aq_bundles *bundles = &code->files[0].bundles;
  for (size_t i = 0; i < bundles->count; i++)
    for (size_t j = 0; j < bundles->list[i].count; j++) {
      const aq_bundle_entry *entry = &bundles->list[i].entries[j];
      char target[AQ_TARGET_TEXT_SIZE];
      if (entry->has_target)
        aq_target_print(&entry->target, target);
      if (strncmp(entry->id, "host-", 5) != 0)
        list_add(text, size, entry->has_target ? target : entry->id);
    }
}
