/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "study/serving/scenario_write.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/atomic_file.h"
#include "common/json_out.h"
#include "common/text.h"
#include "study/serving/model.h"

enum {
  COUNT = 1000,   /* requests of a run, drawn by the seed */
  BLOCKS = 52242, /* 835,874 tokens, as SGLang had in the traces of the model */
};

static aq_status scenario_make(const aq_llm_format *format, const char *path,
                               const char *requests,
                               const aq_llm_import_result *result, char **out,
                               aq_diag *diag)
{
  char notes[512];
  aq_json_out *json = aq_json_out_begin(true);
  if (!json)
    return aq_diag_no_memory(diag);
  snprintf(notes, sizeof notes, "%zu request%s of %.300s (%s)",
           result->requests, aq_text_plural(result->requests), path,
           format->source);
  aq_json_out_map(json, NULL);
  aq_json_out_int(json, "version", 2);
  aq_json_out_text(json, "notes", notes);
  aq_json_out_text(json, "device", "mi300x");
  aq_json_out_int(json, "seed", 1);
  aq_json_out_map(json, "parameters");
  aq_json_out_int(json, "count",
                  result->requests < COUNT ? (int64_t)result->requests : COUNT);
  aq_json_out_real(json, "rate", 1);
  aq_json_out_text(json, "level", "dispatch");
  aq_json_out_close_map(json);
  aq_json_out_map(json, "serving");
  aq_json_out_text(json, "level", "$level");
  aq_json_out_array(json, "servers");
  aq_json_out_map(json, NULL);
  aq_json_out_text(json, "name", "server");
  aq_json_out_text(json, "model", aq_model_names()[0]);
  aq_json_out_map(json, "requests");
  aq_json_out_text(json, "file", requests);
  aq_json_out_text(json, "count", "$count");
  aq_json_out_text(json, "rate", "$rate");
  aq_json_out_close_map(json);
  aq_json_out_int(json, "blocks", BLOCKS);
  aq_json_out_map(json, "objective");
  aq_json_out_text(json, "ttft", "2s");
  aq_json_out_text(json, "tpot", "50ms");
  aq_json_out_close_map(json);
  aq_json_out_close_map(json);
  aq_json_out_close_array(json);
  aq_json_out_close_map(json);
  aq_json_out_close_map(json);
  *out = aq_json_out_take(json);
  return *out ? AQ_OK : aq_diag_no_memory(diag);
}

static aq_status format_find(const char *name, const aq_llm_format **out,
                             aq_diag *diag)
{
  char list[128] = "";
  size_t at = 0;
  *out = aq_llm_format_find(name);
  if (*out)
    return AQ_OK;
  for (const aq_llm_format *f = aq_llm_formats; f->name && at < sizeof list;
       f++)
    at += (size_t)snprintf(list + at, sizeof list - at, "%s%s",
                           f == aq_llm_formats ? "" : ", ", f->name);
  return aq_diag_set(diag, AQ_ERR_INVALID,
                     "workload format %s: one of %s expected", name, list);
}

static char *requests_path(const char *scenario)
{
  const size_t length = strlen(scenario);
  const size_t stem = length > 5 && strcmp(scenario + length - 5, ".json") == 0
                          ? length - 5
                          : length;
  char *out;
  return asprintf(&out, "%.*s.requests.csv", (int)stem, scenario) < 0 ? NULL
                                                                      : out;
}

static aq_status requests_keep(const aq_llm_requests *requests,
                               const char *path, aq_diag *diag)
{
  aq_atomic_file part;
  aq_status status = aq_atomic_file_open(&part, path, diag);
  if (status != AQ_OK)
    return status;
  if (aq_llm_requests_write(requests, part.file))
    return aq_atomic_file_commit(&part, path, diag);
  aq_atomic_file_discard(&part);
  return aq_diag_set(diag, AQ_ERR_IO, "%s: cannot write", path);
}

static aq_status trace_read(const aq_llm_format *format, const char *path,
                            aq_llm_requests *out, aq_llm_import_result *result,
                            aq_diag *diag)
{
  FILE *file = fopen(path, "r");
  if (!file)
    return aq_diag_set(diag, AQ_ERR_INPUT, "%s: %s", path, strerror(errno));
  aq_status status = aq_llm_import(format, file, path, out, result, diag);
  fclose(file);
  return status;
}

aq_status aq_llm_import_files(const char *format_name, const char *path,
                              const char *scenario,
                              aq_llm_import_result *result, char **text,
                              aq_diag *diag)
{
  const aq_llm_format *format;
  aq_llm_requests requests = {0};
  char *beside = NULL;
  *text = NULL;
  aq_status status = format_find(format_name, &format, diag);
  if (status == AQ_OK)
    status = trace_read(format, path, &requests, result, diag);
  if (status == AQ_OK && !(beside = requests_path(scenario)))
    status = aq_diag_no_memory(diag);
  if (status == AQ_OK) {
    const char *slash = strrchr(beside, '/');
    status = scenario_make(format, path, slash ? slash + 1 : beside, result,
                           text, diag);
  }
  if (status == AQ_OK)
    status = requests_keep(&requests, beside, diag);
  if (status != AQ_OK)
    free(*text);
  aq_llm_requests_fini(&requests);
  free(beside);
  return status;
}
