/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "dropin/kernels.h"

#include <stdlib.h>
#include <string.h>

#include "devlib/devlib.h"

static const aq_kernel_entry *const built_in[] = {
    aqdrop_blits, aqdrop_image_blits, aq_devlib_entries, NULL};

aq_status aqdrop_kernels_open(aqdrop_kernels *kernels, aq_diag *diag)
{
  const char *missing = secure_getenv("AQUEDUCT_MISSING_KERNELS");
  *kernels = (aqdrop_kernels){.warn = missing && strcmp(missing, "warn") == 0};
  if (missing && !kernels->warn && *missing && strcmp(missing, "fail") != 0)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "AQUEDUCT_MISSING_KERNELS=%s; expected fail or warn",
                       missing);
  return aq_kernel_set_open_default(&kernels->set, NULL, built_in, diag);
}

void aqdrop_kernels_close(aqdrop_kernels *kernels)
{
  aq_kernel_set_close(&kernels->set);
}
