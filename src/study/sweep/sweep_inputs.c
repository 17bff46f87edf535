/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "study/sweep/sweep_inputs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "study/workload/scenario.h"

/* ---- finding ---- */

static void file_add(const char *path, void *user)
{
  aq_sweep_inputs *in = user;
  char *real = realpath(path, NULL);
  if (!real)
    aq_diag_set(&in->failure, AQ_ERR_INPUT, "%s: %s", path, strerror(errno));
  else if (aq_names_id(&in->files, real, strlen(real)) < 0)
    aq_diag_no_memory(&in->failure);
  free(real);
}

/* Device models ("a.device*2,mi300x") and plug-ins ("./p.so,window=2ms") that
 * are files: parts with a slash. */
static void parts_add(aq_sweep_inputs *in, const char *text, bool all)
{
  while (text && *text) {
    const size_t length = strcspn(text, ",");
    const size_t name = strcspn(text, ",*");
    char path[4096];
    snprintf(path, sizeof path, "%.*s", (int)name, text);
    if (strchr(path, '/'))
      file_add(path, in);
    text = all && text[length] ? text + length + 1 : NULL;
  }
}

static aq_status points_add(aq_sweep_inputs *in, const aq_plan *plan,
                            const char *data, aq_diag *diag)
{
  const aq_plan_point *last = NULL;
  aq_status status = AQ_OK;
  for (size_t i = 0; i < plan->count && status == AQ_OK; i++) {
    const aq_plan_point *point = &plan->points[i];
    if (!last || last->parameters != point->parameters) {
      file_add(point->file, in);
      status = aq_scenario_files(point->file, point->parameters, data, file_add,
                                 in, diag);
    }
    if (!last || last->device != point->device)
      parts_add(in, point->device, true);
    if (!last || last->policy != point->policy)
      parts_add(in, point->policy, false);
    last = point;
  }
  return status;
}

/* The folder above all files that do not lie below `data`. */
static char *root_of(const aq_sweep_inputs *in)
{
  char *root = NULL;
  for (size_t i = 0; i < in->files.count; i++) {
    const char *path = aq_names_text(&in->files, (int64_t)i);
    const size_t data = in->data ? strlen(in->data) : 0;
    if (data && strncmp(path, in->data, data) == 0 && path[data] == '/')
      continue;
    if (!root && !(root = strdup(path)))
      return NULL;
    size_t same = 0;
    while (root[same] && root[same] == path[same])
      same++;
    while (same > 0 && path[same - 1] != '/')
      same--;
    root[same] = 0;
  }
  if (root && root[0])
    root[strlen(root) - 1] = 0;
  return root;
}

aq_status aq_sweep_inputs_find(const char *path, const aq_plan *plan,
                               const char *data, aq_sweep_inputs *out,
                               aq_diag *diag)
{
  *out = (aq_sweep_inputs){.files = AQ_NAMES_INIT, .failure = AQ_DIAG_INIT};
  out->data = data ? realpath(data, NULL) : NULL;
  file_add(path, out);
  aq_status status = points_add(out, plan, data, diag);
  if (status == AQ_OK && out->failure.status != AQ_OK)
    status = aq_diag_set(diag, out->failure.status, "%s", out->failure.text);
  if (status == AQ_OK && !(out->root = root_of(out)))
    status = aq_diag_no_memory(diag);
  if (status != AQ_OK)
    aq_sweep_inputs_fini(out);
  return status;
}

void aq_sweep_inputs_fini(aq_sweep_inputs *inputs)
{
  aq_names_fini(&inputs->files);
  free(inputs->root);
  free(inputs->data);
  *inputs = (aq_sweep_inputs){.files = AQ_NAMES_INIT};
}

/* ---- copying ---- */

char *aq_sweep_input_place(const aq_sweep_inputs *inputs, int64_t file)
{
  const char *path = aq_names_text(&inputs->files, file);
  const size_t data = inputs->data ? strlen(inputs->data) : 0;
  char *out;
  const bool shared =
      data && strncmp(path, inputs->data, data) == 0 && path[data] == '/';
  return asprintf(&out, "%s%s", shared ? "data" : "inputs",
                  path + (shared ? data : strlen(inputs->root))) < 0
             ? NULL
             : out;
}

static bool bytes_copy(FILE *in, FILE *out)
{
  char bytes[65536];
  size_t size;
  while ((size = fread(bytes, 1, sizeof bytes, in)) > 0)
    if (fwrite(bytes, 1, size, out) != size)
      return false;
  return !ferror(in);
}

static aq_status file_copy(const char *from, char *to, aq_diag *diag)
{
  /* Makes every folder above the last part of the path. */
  for (char *at = strchr(to + 1, '/'); at; at = strchr(at + 1, '/')) {
    *at = 0;
    mkdir(to, 0777); /* what fails here fails when the file is opened */
    *at = '/';
  }
  FILE *in = fopen(from, "rb"), *out = in ? fopen(to, "wb") : NULL;
  if (!out) {
    const int why = errno;
    if (in)
      fclose(in);
    return aq_diag_set(diag, in ? AQ_ERR_IO : AQ_ERR_INPUT, "%s: %s",
                       in ? to : from, strerror(why));
  }
  bool good = bytes_copy(in, out);
  good &= fclose(out) == 0;
  fclose(in);
  struct stat info;
  if (good && stat(from, &info) == 0)
    chmod(to, (info.st_mode & 0777) | 0200);
  return good ? AQ_OK
              : aq_diag_set(diag, AQ_ERR_IO, "%s: cannot be written", to);
}

aq_status aq_sweep_inputs_copy(const aq_sweep_inputs *inputs,
                               const char *folder, aq_diag *diag)
{
  aq_status status = AQ_OK;
  for (size_t i = 0; i < inputs->files.count && status == AQ_OK; i++) {
    char *place = aq_sweep_input_place(inputs, (int64_t)i), *to = NULL;
    if (!place || asprintf(&to, "%s/%s", folder, place) < 0)
      status = aq_diag_no_memory(diag);
    else
      status = file_copy(aq_names_text(&inputs->files, (int64_t)i), to, diag);
    free(place);
    free(to);
  }
  return status;
}
