/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "backend_hsa/library.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LIBHSA "libhsa-runtime64.so.1"

enum { PATH_SIZE = sizeof((aqhsa_library *)NULL)->path, TRIED_SIZE = 400 };

/* ---- finding ---- */

/* The tried paths, for the message. */
typedef struct search {
  aqhsa_library *out;
  char tried[TRIED_SIZE];
} search;

/* Stays mapped when it is closed: a runtime may have threads that end late. */
static bool search_try(search *s, const char *path)
{
  struct link_map *map;
  void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!handle) {
    const char *why = dlerror();
    size_t used = strlen(s->tried);
    /* The loader repeats the path. */
    size_t length = strlen(path);
    if (why && strncmp(why, path, length) == 0 && why[length] == ':')
      why += length + 2;
    snprintf(s->tried + used, sizeof s->tried - used, "%s%s (%s)",
             used ? ", " : "", path, why ? why : "unknown error");
    return false;
  }
  s->out->handle = handle;
  bool known = dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map->l_name[0];
  snprintf(s->out->path, PATH_SIZE, "%s", known ? map->l_name : path);
  return true;
}

static bool search_folder(search *s, const char *folder, size_t length)
{
  char path[PATH_SIZE];
  int size = snprintf(path, sizeof path, "%.*s/" LIBHSA, (int)length, folder);
  return size > 0 && (size_t)size < sizeof path && search_try(s, path);
}

static bool search_given(search *s, const char *path)
{
  struct stat info;
  if (stat(path, &info) == 0 && S_ISDIR(info.st_mode))
    return search_folder(s, path, strlen(path));
  return search_try(s, path);
}

static bool search_beside(search *s)
{
  char program[PATH_SIZE];
  ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
  if (length <= 0)
    return false;
  program[length] = 0;
  const char *slash = strrchr(program, '/');
  return slash && search_folder(s, program, (size_t)(slash - program));
}

aq_status aqhsa_library_find(const char *path, aqhsa_library *out,
                             aq_diag *diag)
{
  search s = {.out = out};
  const char *given = path ? path : secure_getenv("AQUEDUCT_LIBHSA_PATH");
  *out = (aqhsa_library){0};
  if (given && *given ? search_given(&s, given)
                      : search_beside(&s) || search_try(&s, LIBHSA) ||
                            search_try(&s, "/opt/rocm/lib/" LIBHSA))
    return AQ_OK;
  return aq_diag_set(diag, AQ_ERR_NOT_FOUND, "hsa: no HSA runtime; searched %s",
                     s.tried);
}

/* ---- functions ---- */

static const struct {
  const char *name;
  size_t offset;
  aqhsa_api_part part;
} symbols[] = {
#define C(name, returns, parameters)                                           \
  {#name, offsetof(aqhsa_api, name), AQHSA_API_PROBE},
#define H(name, returns, parameters)                                           \
  {#name, offsetof(aqhsa_api, name), AQHSA_API_ALL},
#define O(name, returns, parameters)                                           \
  {#name, offsetof(aqhsa_api, name), AQHSA_API_OPTIONAL},
#include "backend_hsa/symbols.def"
#undef C
#undef H
#undef O
};

aq_status aqhsa_library_bind(aqhsa_library *library, aqhsa_api_part part,
                             aq_diag *diag)
{
  for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
    void *symbol = dlsym(library->handle, symbols[i].name);
    if (!symbol && symbols[i].part <= part)
      return aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                         "%s: it has no symbol %s; expected an HSA runtime of "
                         "ROCm 5.2 or later",
                         library->path, symbols[i].name);
    memcpy((char *)&library->api + symbols[i].offset, &symbol, sizeof symbol);
  }
  return AQ_OK;
}

void aqhsa_library_close(aqhsa_library *library)
{
  if (library->handle)
    dlclose(library->handle);
  library->handle = NULL;
}

/* ---- statuses ---- */

const char *aqhsa_status_text(const aqhsa_api *api, hsa_status_t status)
{
  const char *text = NULL;
  if (api->hsa_status_string(status, &text) != HSA_STATUS_SUCCESS || !text)
    return "an unknown status";
  return text;
}

aq_status aqhsa_status(hsa_status_t status)
{
  switch (status) {
  case HSA_STATUS_SUCCESS:
    return AQ_OK;
  case HSA_STATUS_CU_MASK_REDUCED:
    return AQ_REDUCED;
  case HSA_STATUS_ERROR_INVALID_QUEUE:
    return AQ_ERR_QUEUE;
  case HSA_STATUS_ERROR_OUT_OF_RESOURCES:
    return AQ_ERR_RESOURCES;
  case HSA_STATUS_ERROR_INVALID_SYMBOL_NAME:
    return AQ_ERR_NOT_FOUND;
  case HSA_STATUS_ERROR_INVALID_QUEUE_CREATION:
  case HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS:
    return AQ_ERR_UNSUPPORTED;
  case HSA_STATUS_ERROR_INVALID_CODE_OBJECT:
    return AQ_ERR_INPUT;
  default:
    return AQ_ERR_INVALID;
  }
}

aq_status aqhsa_fail(const aqhsa_api *api, hsa_status_t status, aq_diag *diag,
                     const char *what)
{
  return aq_diag_set(diag, aqhsa_status(status), "hsa: %s: %s (0x%x)", what,
                     aqhsa_status_text(api, status), (unsigned)status);
}
