/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "dropin/kernels.h"

#include <stdlib.h>
#include <string.h>

#include "devlib/devlib.h"

static const aq_kernel_entry *const built_in[] = {
    aqdrop_blits, aqdrop_image_blits, aq_devlib_entries, NULL};

static aq_status from_read(aqdrop_kernels_from *from, aq_diag *diag)
{
  static const char *const names[] = {[AQDROP_FROM_AUTO] = "auto",
                                      [AQDROP_FROM_HOST] = "host",
                                      [AQDROP_FROM_ISA] = "isa"};
  const char *name = secure_getenv("AQUEDUCT_KERNELS_FROM");
  *from = AQDROP_FROM_AUTO;
  if (!name || !*name)
    return AQ_OK;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(name, names[i]) == 0) {
      *from = (aqdrop_kernels_from)i;
      return AQ_OK;
    }
  return aq_diag_set(diag, AQ_ERR_INVALID,
                     "AQUEDUCT_KERNELS_FROM=%s; expected auto, host or isa",
                     name);
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
             ? aq_kernel_set_open_default(&kernels->set, NULL, built_in, diag)
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
  aq_kernel_set_close(&kernels->set);
}
