/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "dropin/hsa/code/program_device.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend_sim/match/device_match.h"
#include "backend_sim/sim.h"

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
            "aqueduct: %s has code for %s, which no device model matches: the "
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

/* ---- the runtime above HSA ---- */

/* Its library, mapped. */
typedef struct runtime_text {
  char path[4096];
  const char *bytes; /* NULL: there is none */
  size_t size;
} runtime_text;

static bool is_runtime(const char *path)
{
  const char *name = strrchr(path, '/') + 1;
  return strncmp(name, "libamdhip64.so", 14) == 0 ||
         strncmp(name, "libamdocl64.so", 14) == 0;
}

static void text_open(runtime_text *text)
{
  char *line = NULL;
  size_t size = 0;
  struct stat state;
  *text = (runtime_text){.bytes = NULL};
  FILE *maps = fopen("/proc/self/maps", "re");
  while (maps && !*text->path && getline(&line, &size, maps) >= 0) {
    const char *path = mapped_path(line);
    if (path && is_runtime(path))
      snprintf(text->path, sizeof text->path, "%s", path);
  }
  if (maps)
    fclose(maps);
  free(line);
  const int fd = *text->path ? open(text->path, O_RDONLY | O_CLOEXEC) : -1;
  if (fd < 0)
    return;
  if (fstat(fd, &state) == 0 && state.st_size > 0) {
    void *bytes =
        mmap(NULL, (size_t)state.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    text->bytes = bytes != MAP_FAILED ? bytes : NULL;
    text->size = (size_t)state.st_size;
  }
  close(fd);
}

static void text_close(runtime_text *text)
{
  if (text->bytes)
    munmap((void *)(uintptr_t)text->bytes, text->size);
}

/* Whether a text of the library is the processor's name, alone or before its
 * settings. */
static bool text_names(const char *gfx, void *user)
{
  const runtime_text *text = user;
  const size_t length = strlen(gfx);
  const char *at = text->bytes, *end = text->bytes + text->size;
  while (at && (at = memmem(at, (size_t)(end - at), gfx, length))) {
    at += length;
    if (at < end && (*at == 0 || *at == ':'))
      return true;
  }
  return false;
}

static const char *base_name(const char *path)
{
  return strrchr(path, '/') + 1;
}

const char *aqdrop_default_device(void)
{
  const char *asked = secure_getenv("AQUEDUCT_DEVICE_BY_CODE");
  aq_device_fit best;
  runtime_text text;
  text_open(&text);
  if (!text.bytes || !aq_device_fit_known(text_names, &text, &best))
    best.name = AQSIM_DEFAULT_DEVICE;
  else if (strcmp(best.name, AQSIM_DEFAULT_DEVICE) != 0 &&
           !(asked && strcmp(asked, "quiet") == 0))
    fprintf(stderr,
            "aqueduct: device %s (%s), since %s does not know the processor of "
            "%s; --device chooses another\n",
            best.name, best.target.processor->name, base_name(text.path),
            AQSIM_DEFAULT_DEVICE);
  text_close(&text);
  return best.name;
}

void aqdrop_device_known(const char *device, const char *gfx)
{
  aq_device_fit best;
  runtime_text text;
  text_open(&text);
  if (text.bytes && !text_names(gfx, &text) &&
      aq_device_fit_known(text_names, &text, &best))
    fprintf(stderr,
            "aqueduct: %s does not know %s (%s): it may find no device, or "
            "crash; it knows %s of --device %s\n",
            base_name(text.path), gfx, device, best.target.processor->name,
            best.name);
  text_close(&text);
}
