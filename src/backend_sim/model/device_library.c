/* SPDX-License-Identifier: MIT */
/* Where models come from: the embedded ones and files. */
#include "config.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend_sim/model/cost.h"
#include "backend_sim/model/device_library.h"
#include "backend_sim/model/device_model.h"
#include "common/text.h"

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

void aqsim_base_fini(aqsim_base *base)
{
  free(base->text);
  free(base->place);
}

/* ---- built in ---- */

static aq_status embedded_read(const aqsim_embedded *embedded, aqsim_base *out,
                               aq_diag *diag)
{
  size_t size = 0;
  for (size_t i = 0; embedded->lines[i]; i++)
    size += strlen(embedded->lines[i]);
  out->text = malloc(size + 1);
  if (!out->text || asprintf(&out->place, "%s.device", embedded->name) < 0) {
    free(out->text);
    *out = (aqsim_base){0};
    return aq_diag_no_memory(diag);
  }
  char *end = out->text;
  for (size_t i = 0; embedded->lines[i]; i++)
    end = stpcpy(end, embedded->lines[i]);
  out->size = size;
  out->built_in = true;
  return AQ_OK;
}

static aq_status name_read(const char *name, aqsim_base *out, aq_diag *diag)
{
  enum { NAMES_MAX = 128 };
  char known[AQ_DIAG_TEXT_MAX] = "";
  const char *names[NAMES_MAX + 1] = {NULL};
  for (size_t i = 0; aqsim_embedded_models[i].name; i++) {
    if (strcmp(aqsim_embedded_models[i].name, name) == 0)
      return embedded_read(&aqsim_embedded_models[i], out, diag);
    size_t used = strlen(known);
    snprintf(known + used, sizeof known - used, " %s",
             aqsim_embedded_models[i].name);
    if (i < NAMES_MAX)
      names[i] = aqsim_embedded_models[i].name;
  }
  const char *near = aq_text_nearest(name, names);
  return aq_diag_set(diag, AQ_ERR_INPUT,
                     "unknown device model '%.60s'; expected the path of a "
                     ".device file or one of%s%s%s%s",
                     name, known, near ? "; did you mean " : "",
                     near ? near : "", near ? "?" : "");
}

/* ---- files ---- */

static aq_status stream_read(FILE *file, const char *path, aqsim_base *out,
                             aq_diag *diag)
{
  errno = 0;
  out->size = fread(out->text, 1, FILE_SIZE_MAX + 1, file);
  if (ferror(file))
    return aq_diag_set(diag, AQ_ERR_INPUT, "%s: %s", path, strerror(errno));
  if (out->size > FILE_SIZE_MAX)
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "%s: longer than 1 MiB; expected a device model", path);
  return AQ_OK;
}

static aq_status file_read(const char *path, aqsim_base *out, aq_diag *diag)
{
  FILE *file = fopen(path, "rb");
  if (!file)
    return aq_diag_set(diag, AQ_ERR_INPUT, "%s: %s", path, strerror(errno));
  *out = (aqsim_base){.text = malloc(FILE_SIZE_MAX + 1), .place = strdup(path)};
  aq_status status = out->text && out->place
                         ? stream_read(file, path, out, diag)
                         : aq_diag_no_memory(diag);
  if (status != AQ_OK)
    aqsim_base_fini(out);
  fclose(file);
  return status;
}

static bool is_file(const char *name)
{
  size_t length = strlen(name);
  return length > 7 && strcmp(name + length - 7, ".device") == 0;
}

aq_status aqsim_base_load(const char *place, const char *name, aqsim_base *out,
                          aq_diag *diag)
{
  if (strchr(name, '/'))
    return aq_diag_set(
        diag, AQ_ERR_INPUT,
        "expected a built-in model or a file in the same folder");
  if (!is_file(name))
    return name_read(name, out, diag);
  const char *slash = strrchr(place, '/');
  char *path;
  if (asprintf(&path, "%.*s%s", slash ? (int)(slash + 1 - place) : 0, place,
               name) < 0)
    return aq_diag_no_memory(diag);
  aq_status status = file_read(path, out, diag);
  free(path);
  return status;
}

/* ---- models ---- */

static aq_status text_load(const char *name, aqsim_model **out, aq_diag *diag)
{
  aqsim_base text = {0};
  aq_status status = strchr(name, '/') || is_file(name)
                         ? file_read(name, &text, diag)
                         : name_read(name, &text, diag);
  if (status != AQ_OK)
    return status;
  status = aqsim_model_parse(text.place, text.text, text.size, out, diag);
  aqsim_base_fini(&text);
  if (status == AQ_OK)
    (*out)->launch = aqsim_cost_launch(*out);
  return status;
}

aq_status aqsim_model_load(const char *name, const char *const *edits,
                           aqsim_model **out, aq_diag *diag)
{
  aqsim_model *model;
  aq_status status = text_load(name, &model, diag);
  for (; status == AQ_OK && edits && *edits; edits++) {
    status = aqsim_model_set(model, *edits, diag);
    if (status != AQ_OK)
      aqsim_model_destroy(model);
  }
  if (status == AQ_OK)
    *out = model;
  return status;
}
