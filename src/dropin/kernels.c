/* SPDX-License-Identifier: MIT */
#include "dropin/kernels.h"

#include <stdlib.h>
#include <string.h>

#include "devlib/devlib.h"

static const aq_plugin_kind kernels_kind = {.what = "kernels",
                                            .folder = "kernels",
                                            .symbol = "aq_kernels_plugin",
                                            .abi = AQ_KERNELS_ABI,
                                            .size = sizeof(aq_kernels)};

static aq_status plugins_open(aqdrop_kernels *kernels, char *names,
                              aq_diag *diag)
{
  aq_status status = AQ_OK;
  for (char *at = NULL, *name = strtok_r(names, ";", &at);
       name && status == AQ_OK; name = strtok_r(NULL, ";", &at)) {
    if (kernels->count == AQDROP_KERNEL_PLUGINS)
      return aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                         "AQUEDUCT_KERNELS: more than %d plug-ins",
                         AQDROP_KERNEL_PLUGINS);
    status = aq_plugin_open(&kernels_kind, name,
                            &kernels->plugins[kernels->count], diag);
    if (status == AQ_OK)
      kernels->count++;
  }
  return status;
}

aq_status aqdrop_kernels_open(aqdrop_kernels *kernels, aq_diag *diag)
{
  const char *missing = secure_getenv("AQUEDUCT_MISSING_KERNELS");
  const char *name = secure_getenv("AQUEDUCT_KERNELS");
  *kernels = (aqdrop_kernels){.warn = missing && strcmp(missing, "warn") == 0};
  if (missing && !kernels->warn && *missing && strcmp(missing, "fail") != 0)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "AQUEDUCT_MISSING_KERNELS=%s; expected fail or warn",
                       missing);
  char *names = strdup(name ? name : "");
  if (!names)
    return aq_diag_set(diag, AQ_ERR_NO_MEMORY, "out of memory");
  aq_status status = plugins_open(kernels, names, diag);
  free(names);
  return status;
}

void aqdrop_kernels_close(aqdrop_kernels *kernels)
{
  while (kernels->count > 0)
    aq_plugin_close(&kernels->plugins[--kernels->count]);
}

static const aq_kernel_entry *entry_find(const aq_kernel_entry *entry,
                                         const char *name, size_t length)
{
  for (; entry->name; entry++)
    if (strlen(entry->name) == length && memcmp(entry->name, name, length) == 0)
      return entry;
  return NULL;
}

const aq_kernel_entry *aqdrop_kernel_find(const aqdrop_kernels *kernels,
                                          const char *name, size_t length)
{
  const aq_kernel_entry *found = NULL;
  for (uint32_t i = 0; i < kernels->count && !found; i++)
    found = entry_find(((const aq_kernels *)kernels->plugins[i].table)->entries,
                       name, length);
  if (!found)
    found = entry_find(aqdrop_blits, name, length);
  return found ? found : entry_find(aq_devlib_entries, name, length);
}
