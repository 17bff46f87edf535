/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/compile/tools.h"

#include <glob.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NEWEST = 40, OLDEST = 15 }; /* versions that are looked for */

const aq_tool aq_tools[AQ_TOOL_COUNT] = {
#define T(id, name, package, use) [AQ_TOOL_##id] = {name, package, use},
#include "gpu/compile/tools.def"
#undef T
};

/* A program FOLDER/NAME; NULL: there is none, or no memory. */
static char *program_at(const char *folder, size_t length, const char *name)
{
  char *path;
  if (asprintf(&path, "%.*s/%s", (int)length, folder, name) < 0)
    return NULL;
  if (access(path, X_OK) == 0)
    return path;
  free(path);
  return NULL;
}

/* In the folders of a list with colons between. */
static char *program_in(const char *folders, const char *name)
{
  char *found = NULL;
  while (folders && *folders && !found) {
    const size_t length = strcspn(folders, ":");
    if (length > 0)
      found = program_at(folders, length, name);
    folders += length + (folders[length] == ':');
  }
  return found;
}

/* With versions, then by its name alone: that may be an old one. */
static char *versions_search(const char *folders, const char *name)
{
  char versioned[64];
  char *found = NULL;
  for (int version = NEWEST; !found && version >= OLDEST; version--) {
    snprintf(versioned, sizeof versioned, "%s-%d", name, version);
    found = program_in(folders, versioned);
  }
  return found ? found : program_in(folders, name);
}

static char *tool_search(const char *name)
{
  const char *chosen = getenv("AQUEDUCT_LLVM");
  char folder[64];
  if (chosen && *chosen) {
    char *below, *found = versions_search(chosen, name);
    if (!found && asprintf(&below, "%s/bin", chosen) >= 0) {
      found = versions_search(below, name);
      free(below);
    }
    return found;
  }
  char *found = versions_search(getenv("PATH"), name);
  for (int version = NEWEST; !found && version >= OLDEST; version--) {
    snprintf(folder, sizeof folder, "/usr/lib/llvm-%d/bin", version);
    found = program_at(folder, strlen(folder), name);
  }
  return found;
}

/* In the folder where another tool lies, links followed; or NULL. */
static char *beside_search(const char *tool, const char *name)
{
  char *real = realpath(tool, NULL);
  char *slash = real ? strrchr(real, '/') : NULL;
  char *found = slash ? program_at(real, (size_t)(slash - real), name) : NULL;
  free(real);
  return found;
}

aq_status aq_tool_find_beside(aq_tool_id id, const char *tool, char **out,
                              aq_diag *diag)
{
  *out = beside_search(tool, aq_tools[id].name);
  return *out ? AQ_OK : aq_tool_find(id, out, diag);
}

aq_status aq_tool_find(aq_tool_id id, char **out, aq_diag *diag)
{
  const aq_tool *tool = &aq_tools[id];
  const char *chosen = getenv("AQUEDUCT_LLVM");
  *out = tool_search(tool->name);
  if (*out)
    return AQ_OK;
  return aq_diag_set(diag, AQ_ERR_NOT_FOUND,
                     "%s, which %s, is not found in %s; Debian's package %s "
                     "has it",
                     tool->name, tool->use, chosen && *chosen ? chosen : "PATH",
                     tool->package);
}

/* ---- libraries ---- */

static char *libraries_at(const char *format, const char *folder)
{
  char *path, *file;
  if (!folder || !*folder || asprintf(&path, format, folder) < 0)
    return NULL;
  const bool made = asprintf(&file, "%s/ocml.bc", path) >= 0;
  const bool there = made && access(file, R_OK) == 0;
  if (made)
    free(file);
  if (there)
    return path;
  free(path);
  return NULL;
}

aq_status aq_device_libraries_find(char **out, aq_diag *diag)
{
  static const char *const folders[] = {
      "/opt/rocm/amdgcn/bitcode", "/usr/lib/x86_64-linux-gnu/amdgcn/bitcode",
      "/usr/lib/aarch64-linux-gnu/amdgcn/bitcode", "/usr/lib/amdgcn/bitcode",
      "/usr/lib64/amdgcn/bitcode"};
  char *found = libraries_at("%s", getenv("HIP_DEVICE_LIB_PATH"));
  if (!found)
    found = libraries_at("%s/amdgcn/bitcode", getenv("ROCM_PATH"));
  for (size_t i = 0; !found && i < sizeof folders / sizeof *folders; i++)
    found = libraries_at("%s", folders[i]);
  *out = found;
  return found ? AQ_OK
               : aq_diag_set(diag, AQ_ERR_NOT_FOUND,
                             "AMD's device libraries (ocml.bc) are not found; "
                             "Debian's package rocm-device-libs has them, "
                             "HIP_DEVICE_LIB_PATH names their folder");
}

char *aq_tool_library(const char *tool, const char *name)
{
  char *real = realpath(tool, NULL), *pattern = NULL, *found = NULL;
  glob_t matches;
  char *slash = real ? strrchr(real, '/') : NULL;
  if (slash && asprintf(&pattern, "%.*s/../lib/%s.so*", (int)(slash - real),
                        real, name) < 0)
    pattern = NULL;
  if (pattern && glob(pattern, 0, NULL, &matches) == 0) {
    found = realpath(matches.gl_pathv[0], NULL);
    globfree(&matches);
  }
  free(pattern);
  free(real);
  return found;
}
