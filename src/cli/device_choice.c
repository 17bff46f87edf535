/* SPDX-License-Identifier: MIT */
#include "cli/device_choice.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/transports.h"
#include "common/json_in.h"

enum { DEVICES_MAX = 64 };

/* The first that fits; a condition that is not given always does. A part of
 * the name is more than the ISA, which several GPUs share. */
static const struct {
  const char *name; /* part of the marketing name */
  const char *gfx;
  int64_t cus;
  int64_t hip; /* the oldest version, major × 100 + minor */
  const char *model;
} choices[] = {
    {.name = "MI300X VF", .model = "mi300x-rocm6.4-vf"},
    {.name = "MI300X", .hip = 714, .model = "mi300x-rocm7.14"},
    {.name = "MI300X", .model = "mi300x"},
    {.name = "MI300A", .model = "mi300a"},
    {.name = "MI350X", .model = "mi350x"},
    {.name = "MI355X", .model = "mi355x"},
    {.name = "MI250", .model = "mi250x"},
    {.name = "MI210", .model = "mi210"},
    {.gfx = "gfx942", .cus = 304, .hip = 714, .model = "mi300x-rocm7.14"},
    {.gfx = "gfx942", .cus = 304, .model = "mi300x"},
    /* No other AMD GPU has as many: sources that leave the name empty. */
    {.name = "", .cus = 304, .model = "mi300x"},
};

/* Major × 100 + minor, or 0 where the notes tell no version. */
static int64_t hip_of(const char *notes)
{
  aq_diag diag = AQ_DIAG_INIT;
  aq_json_doc doc;
  aq_json_node version;
  int64_t number = 0;
  if (!notes ||
      aq_json_parse(&doc, notes, strlen(notes), "notes", &diag) != AQ_OK)
    return 0;
  const aq_json_node root = aq_json_root(&doc);
  if (aq_json_is_object(&root) &&
      aq_json_member(&root, "hip_version", &version) &&
      aq_json_integer(&version, 0, INT64_MAX, &number) != AQ_OK)
    number = 0;
  aq_json_free(&doc);
  return number / 100000;
}

static bool fits(size_t i, const aq_run_device *device, int64_t hip)
{
  if (hip < choices[i].hip)
    return false;
  if (choices[i].name &&
      (choices[i].name[0]
           ? !device->name || !strstr(device->name, choices[i].name)
           : device->name && device->name[0]))
    return false;
  if (choices[i].gfx &&
      (!device->gfx || strcmp(device->gfx, choices[i].gfx) != 0))
    return false;
  return !choices[i].cus || choices[i].cus == device->cus;
}

static const char *choose(const aq_run_device *device, int64_t hip)
{
  for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
    if (!fits(i, device, hip))
      continue;
    for (size_t j = 0; aq_device_model_name(j); j++)
      if (strcmp(aq_device_model_name(j), choices[i].model) == 0)
        return aq_device_model_name(j);
    return NULL; /* the GPU is known, but this build has no model of it */
  }
  return NULL;
}

static aq_status refuse(const aq_run_device *device, const char *why,
                        aq_diag *diag)
{
  char known[256] = "", gpu[160];
  for (size_t i = 0; aq_device_model_name(i); i++) {
    size_t used = strlen(known);
    snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "",
             aq_device_model_name(i));
  }
  snprintf(gpu, sizeof gpu, "%.80s%s%.40s",
           device && device->name && device->name[0] ? device->name
                                                     : "unnamed GPU",
           device && device->gfx ? " " : "",
           device && device->gfx ? device->gfx : "");
  return aq_diag_set(diag, AQ_ERR_INPUT,
                     "%s (%s); choose one with --device: %s", why, gpu, known);
}

/* The lowest device above `after` that a queue belongs to; -1: none. */
static int64_t device_next(aq_run_reader *reader, int64_t after)
{
  int64_t next = -1;
  const size_t queues = aq_run_reader_queue_count(reader);
  for (size_t i = 0; i < queues; i++) {
    const aq_run_queue *queue = aq_run_reader_queue(reader, (int64_t)i);
    if (queue && queue->device > after && (next < 0 || queue->device < next))
      next = queue->device;
  }
  return next;
}

/* The models of the run's devices, in their order; static texts. */
static aq_status models_choose(aq_run_reader *reader, int64_t hip,
                               const char *models[DEVICES_MAX], size_t *count,
                               aq_diag *diag)
{
  *count = 0;
  for (int64_t at = -1; (at = device_next(reader, at)) >= 0;) {
    const aq_run_device *device = aq_run_reader_device(reader, at);
    const char *model = device ? choose(device, hip) : NULL;
    if (!model)
      return refuse(device, "no device model is known for the run's GPU", diag);
    if (*count == DEVICES_MAX)
      return refuse(device, "the run has more than 64 GPUs", diag);
    models[(*count)++] = model;
  }
  return *count > 0 ? AQ_OK
                    : refuse(NULL, "the run does not name its GPU", diag);
}

aq_status aq_device_choose(aq_run_reader *reader, const char *notes, char **out,
                           aq_diag *diag)
{
  const char *models[DEVICES_MAX];
  size_t count, size = 0;
  aq_status status = models_choose(reader, hip_of(notes), models, &count, diag);
  if (status != AQ_OK)
    return status;
  for (size_t i = 0; i < count; i++)
    size += strlen(models[i]) + 1;
  char *list = malloc(size + sizeof "*64"), *end = list;
  if (!list)
    return aq_diag_set(diag, AQ_ERR_NO_MEMORY, "out of memory");
  for (size_t i = 0, same; i < count; i += same) {
    for (same = 1; i + same < count && models[i + same] == models[i];)
      same++;
    end += sprintf(end, "%s%s", i ? "," : "", models[i]);
    if (same > 1)
      end += sprintf(end, "*%zu", same);
  }
  *out = list;
  return AQ_OK;
}
