/* SPDX-License-Identifier: MIT */
/* Where models come from: the embedded ones and files. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend_sim/device_model.h"

enum { FILE_SIZE_MAX = 1 << 20 };

size_t aqsim_model_count(void)
{
  size_t count = 0;
  while (aqsim_embedded_models[count].name)
    count++;
  return count;
}

const char *aqsim_model_name(size_t index)
{
  return aqsim_embedded_models[index].name;
}

static aq_status no_memory(aq_diag *diag)
{
  return aq_diag_set(diag, AQ_ERR_NO_MEMORY,
                     "out of memory for a device model");
}

static aq_status embedded_load(const aqsim_embedded *embedded,
                               aqsim_model **out, aq_diag *diag)
{
  char place[128];
  size_t size = 0;
  for (size_t i = 0; embedded->lines[i]; i++)
    size += strlen(embedded->lines[i]);
  char *text = malloc(size + 1), *end = text;
  if (!text)
    return no_memory(diag);
  for (size_t i = 0; embedded->lines[i]; i++)
    end = stpcpy(end, embedded->lines[i]);
  snprintf(place, sizeof place, "%s.device", embedded->name);
  aq_status status = aqsim_model_parse(place, text, size, out, diag);
  free(text);
  return status;
}

static aq_status file_load(const char *path, aqsim_model **out, aq_diag *diag)
{
  FILE *file = fopen(path, "rb");
  if (!file)
    return aq_diag_set(diag, AQ_ERR_INPUT, "%s: %s", path, strerror(errno));
  char *text = malloc(FILE_SIZE_MAX + 1);
  if (!text) {
    fclose(file);
    return no_memory(diag);
  }
  errno = 0;
  size_t size = fread(text, 1, FILE_SIZE_MAX + 1, file);
  aq_status status;
  if (ferror(file))
    status = aq_diag_set(diag, AQ_ERR_INPUT, "%s: %s", path, strerror(errno));
  else if (size > FILE_SIZE_MAX)
    status =
        aq_diag_set(diag, AQ_ERR_INPUT,
                    "%s: longer than 1 MiB; expected a device model", path);
  else
    status = aqsim_model_parse(path, text, size, out, diag);
  free(text);
  fclose(file);
  return status;
}

static aq_status name_load(const char *name, aqsim_model **out, aq_diag *diag)
{
  char known[256] = "";
  for (size_t i = 0; aqsim_embedded_models[i].name; i++) {
    if (strcmp(aqsim_embedded_models[i].name, name) == 0)
      return embedded_load(&aqsim_embedded_models[i], out, diag);
    size_t used = strlen(known);
    snprintf(known + used, sizeof known - used, " %s",
             aqsim_embedded_models[i].name);
  }
  return aq_diag_set(diag, AQ_ERR_INPUT,
                     "unknown device model '%s'; expected one of%s, or the "
                     "path of a .device file",
                     name, known);
}

static bool is_path(const char *name)
{
  size_t length = strlen(name);
  return strchr(name, '/') ||
         (length > 7 && strcmp(name + length - 7, ".device") == 0);
}

aq_status aqsim_model_load(const char *name, const char *const *edits,
                           aqsim_model **out, aq_diag *diag)
{
  aqsim_model *model;
  aq_status status = is_path(name) ? file_load(name, &model, diag)
                                   : name_load(name, &model, diag);
  for (; status == AQ_OK && edits && *edits; edits++) {
    status = aqsim_model_set(model, *edits, diag);
    if (status != AQ_OK)
      aqsim_model_destroy(model);
  }
  if (status == AQ_OK)
    *out = model;
  return status;
}
