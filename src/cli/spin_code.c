/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "cli/spin_code.h"

#include "devlib/devlib.h"

aq_status aq_cli_spin_code(const char *gfx, const void **image, size_t *size,
                           aq_diag *diag)
{
  const aq_devlib_object *object;
  aq_status status = aq_devlib_find(gfx, &object, diag);
  if (status != AQ_OK)
    return status;
  *image = object->bytes;
  *size = object->size;
  return AQ_OK;
}
