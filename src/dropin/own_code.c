/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "dropin/own_code.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fit/device_fit.h"

/* The path of a line of /proc/self/maps; NULL: no file is mapped there. */
static char *mapped_path(char *line)
{
  char *path = strchr(line, '/');
  char *end = path ? strchr(path, '\n') : NULL;
  if (end)
    *end = 0;
  return path;
}

/* The executable first, then the other files in the order of their addresses.
 */
static aq_status files_read(aq_program_code *code, const aq_notes *notes,
                            aq_diag *diag)
{
  char own[4096], last[4096] = "", *line = NULL;
  size_t size = 0;
  const ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
  own[length > 0 ? length : 0] = 0;
  aq_status status = aq_program_code_add(code, own, notes, diag);
  code->own = code->count > 0;
  FILE *maps = fopen("/proc/self/maps", "re");
  while (maps && status == AQ_OK && getline(&line, &size, maps) >= 0) {
    const char *path = mapped_path(line);
    if (!path || strcmp(path, own) == 0 || strcmp(path, last) == 0)
      continue;
    snprintf(last, sizeof last, "%s", path);
    status = aq_program_code_add(code, path, notes, diag);
  }
  if (maps)
    fclose(maps);
  free(line);
  return status;
}

static void choice_print(const aq_program_code *code, const aq_device_fit *fit)
{
  char targets[280], target[AQ_TARGET_TEXT_SIZE];
  aq_program_code_targets(code, targets, sizeof targets);
  if (!fit) {
    fprintf(stderr,
            "aqueduct: %s has code for %s, which fits no device model: the "
            "device is the default one\n",
            code->files[0].path, targets);
    return;
  }
  aq_target_print(&fit->target, target);
  fprintf(stderr,
          "aqueduct: device %s (%s), since %s has code for %s; --device "
          "chooses another\n",
          fit->name, target, code->files[0].path, targets);
}

static void note_print(const char *line, void *user)
{
  (void)user;
  fprintf(stderr, "aqueduct: %s\n", line);
}

const char *aqdrop_own_device(const char *const *edits)
{
  const char *asked = secure_getenv("AQUEDUCT_DEVICE_BY_CODE");
  const char *xnack = secure_getenv("HSA_XNACK");
  aq_program_code code = {0};
  aq_device_fit best = {0};
  bool fits = false;
  if (!asked || !*asked)
    return NULL;
  const bool quiet = strcmp(asked, "quiet") == 0;
  const aq_notes notes = {note_print, NULL};
  if (files_read(&code, quiet ? NULL : &notes, NULL) == AQ_OK &&
      code.count > 0) {
    fits = aq_device_fit_find(edits, &code, xnack && strcmp(xnack, "1") == 0,
                              &best);
    if (!quiet)
      choice_print(&code, fits ? &best : NULL);
  }
  aq_program_code_fini(&code);
  return fits ? best.name : NULL;
}
