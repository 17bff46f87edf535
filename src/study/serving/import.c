/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "study/serving/import.h"

#include <string.h>

const aq_llm_format aq_llm_formats[] = {
    {"azure", "Azure LLM inference traces 2023 and 2024", aq_llm_import_azure},
    {"burstgpt", "BurstGPT", aq_llm_import_burstgpt},
    {"llmservingsim", "LLMServingSim's data sets, JSONL",
     aq_llm_import_llmservingsim},
    {"mooncake", "Mooncake's traces, JSONL", aq_llm_import_mooncake},
    {NULL, NULL, NULL}};

const aq_llm_format *aq_llm_format_find(const char *name)
{
  for (const aq_llm_format *format = aq_llm_formats; format->name; format++)
    if (strcmp(format->name, name) == 0)
      return format;
  return NULL;
}

aq_status aq_llm_import(const aq_llm_format *format, FILE *file,
                        const char *path, aq_llm_requests *out,
                        aq_llm_import_result *result, aq_diag *diag)
{
  aq_llm_requests read = {0};
  *result = (aq_llm_import_result){0};
  aq_status status = format->read(file, path, &read, result, diag);
  if (status == AQ_OK && read.count == 0)
    status = aq_diag_set(diag, AQ_ERR_INPUT, "%s: no request", path);
  if (status == AQ_OK && !aq_llm_requests_order(&read, &result->moved))
    status = aq_diag_no_memory(diag);
  if (status != AQ_OK) {
    aq_llm_requests_fini(&read);
    return status;
  }
  result->requests = read.count;
  for (size_t i = 0; i < read.count; i++) {
    const aq_llm_request *request = &read.list[i];
    result->prompt += request->prompt;
    result->output += request->output;
    result->with_hashes += request->hashes > 0;
    result->sessions += request->session >= 0 && !request->chained;
  }
  *out = read;
  return AQ_OK;
}
