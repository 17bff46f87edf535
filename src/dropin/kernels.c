/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "dropin/kernels.h"

#include <stdlib.h>
#include <string.h>

#include "devlib/devlib.h"

static const aq_kernel_entry *const built_in[] = {
    aqdrop_blits, aqdrop_image_blits, aq_devlib_entries, NULL};

/* Names with semicolons between; cuts `text` up. */
static aq_status set_open(aqdrop_kernels *kernels, char *text, aq_diag *diag)
{
  size_t count = 0, most = 1;
  for (const char *c = text; *c; c++)
    most += *c == ';';
  const char **names = calloc(most + 1, sizeof *names);
  if (!names)
    return aq_diag_set(diag, AQ_ERR_NO_MEMORY, "out of memory");
  for (char *at = NULL, *name = strtok_r(text, ";", &at); name;
       name = strtok_r(NULL, ";", &at))
    names[count++] = name;
  aq_status status = aq_kernel_set_open(&kernels->set, names, built_in, diag);
  free(names);
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
  aq_status status = set_open(kernels, names, diag);
  free(names);
  return status;
}

void aqdrop_kernels_close(aqdrop_kernels *kernels)
{
  aq_kernel_set_close(&kernels->set);
}
