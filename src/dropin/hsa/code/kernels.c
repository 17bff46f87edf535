/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "dropin/hsa/base/kernels.h"

#include <stdlib.h>
#include <string.h>

#include "gpu/devlib/devlib.h"

static const aq_kernel_entry *const built_in[] = {
    aqdrop_blits, aqdrop_image_blits, aq_devlib_entries, NULL};

static aq_status from_read(aq_kernels_from *from, aq_diag *diag)
{
  aq_status status =
      aq_kernels_from_read(secure_getenv("AQUEDUCT_KERNELS_FROM"), from, diag);
  return status == AQ_OK ? status
                         : aq_diag_prefix(diag, "AQUEDUCT_KERNELS_FROM");
}

aq_status aqdrop_kernels_open(aqdrop_kernels *kernels, aq_diag *diag)
{
  const char *missing = secure_getenv("AQUEDUCT_MISSING_KERNELS");
  *kernels = (aqdrop_kernels){.warn = missing && strcmp(missing, "warn") == 0};
  if (missing && !kernels->warn && *missing && strcmp(missing, "fail") != 0)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "AQUEDUCT_MISSING_KERNELS=%s; expected fail or warn",
                       missing);
  aq_status status = from_read(&kernels->from, diag);
  return status == AQ_OK
             ? aq_host_kernels_open_default(&kernels->set, NULL, built_in, diag)
             : status;
}

static bool is_of(const aq_kernel_entry *entry, const aq_kernel_entry *table)
{
  for (const aq_kernel_entry *e = table; e->name; e++)
    if (e == entry)
      return true;
  return false;
}

bool aqdrop_kernel_yields(const aq_kernel_entry *entry)
{
  return is_of(entry, aqdrop_blits);
}

bool aqdrop_kernel_is_built_in(const aq_kernel_entry *entry)
{
  for (size_t i = 0; built_in[i]; i++)
    if (is_of(entry, built_in[i]))
      return true;
  return false;
}

void aqdrop_kernels_close(aqdrop_kernels *kernels)
{
  aq_host_kernels_close(&kernels->set);
}
