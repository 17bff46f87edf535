/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/devlib/devlib.h"

#include <stdio.h>
#include <string.h>

#include "gpu/codeobj/target.h"

/* How well an object of the table fits; its name was made by us. */
static aq_target_fit object_fits(const aq_devlib_object *object,
                                 const aq_target *device)
{
  aq_target target;
  return aq_target_parse(object->target, strlen(object->target), &target,
                         NULL) == AQ_OK
             ? aq_target_fits(&target, device)
             : AQ_FIT_NONE;
}

static aq_status say_missing(const char *target, aq_diag *diag)
{
  char known[400] = "";
  for (const aq_devlib_object *o = aq_devlib_objects; o->target; o++) {
    size_t used = strlen(known);
    snprintf(known + used, sizeof known - used, " %s", o->target);
  }
  return aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                     "the device library has no object for %.80s; there is "
                     "one for each of:%s",
                     target, known);
}

aq_status aq_devlib_find(const char *target, const aq_devlib_object **out,
                         aq_diag *diag)
{
  const aq_devlib_object *best = NULL;
  aq_target_fit best_fit = AQ_FIT_NONE;
  aq_target device;
  aq_status status = aq_target_parse(target, strlen(target), &device, diag);
  if (status != AQ_OK)
    return say_missing(target, diag);
  for (const aq_devlib_object *o = aq_devlib_objects; o->target; o++) {
    aq_target_fit fit = object_fits(o, &device);
    if (fit > best_fit) {
      best_fit = fit;
      best = o;
    }
  }
  if (!best)
    return say_missing(target, diag);
  *out = best;
  return AQ_OK;
}

aq_status aq_devlib_image(const char *target, const void **image, size_t *size,
                          aq_diag *diag)
{
  const aq_devlib_object *object;
  aq_status status = aq_devlib_find(target, &object, diag);
  if (status != AQ_OK)
    return status;
  *image = object->bytes;
  *size = object->size;
  return AQ_OK;
}
