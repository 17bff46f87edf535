/* SPDX-License-Identifier: MIT */
/* Traces of requests to language models: the first byte chooses the format;
 * a list that is read
 * is written, and reads again as the same text. */
#include "fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "study/serving/import.h"

static char *written(const aq_llm_requests *requests, size_t *size)
{
  char *text = NULL;
  FILE *file = open_memstream(&text, size);
  if (!file || !aq_llm_requests_write(requests, file) || fclose(file) != 0)
    abort();
  return text;
}

/* Errors have one line, with the file. */
static void check_error(const aq_diag *diag)
{
  if (diag->status != AQ_ERR_INPUT || strchr(diag->text, '\n') ||
      !strstr(diag->text, "f"))
    abort();
}

static void again(const aq_llm_requests *requests)
{
  aq_diag diag = AQ_DIAG_INIT;
  aq_llm_requests read;
  size_t size, second_size;
  char *text = written(requests, &size);
  FILE *file = fmemopen(text, size, "r");
  if (!file || aq_llm_requests_read_stream(file, "f", &read, &diag) != AQ_OK)
    abort();
  fclose(file);
  char *second = written(&read, &second_size);
  if (size != second_size || memcmp(text, second, size) != 0)
    abort();
  free(text);
  free(second);
  aq_llm_requests_fini(&read);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static const char formats[] = "abmlr";
  aq_diag diag = AQ_DIAG_INIT;
  aq_llm_requests requests = {0};
  aq_llm_import_result result;
  const char *format = size > 1 ? strchr(formats, data[0]) : NULL;
  if (!format || !*format)
    return 0;
  char *text = malloc(size);
  if (!text)
    abort();
  memcpy(text, data + 1, size - 1);
  FILE *file = fmemopen(text, size - 1, "r");
  if (!file)
    abort();
  aq_status status;
  if (*format == 'r')
    status = aq_llm_requests_read_stream(file, "f", &requests, &diag);
  else {
    const char *const names[] = {"azure", "burstgpt", "mooncake",
                                 "llmservingsim"};
    status = aq_llm_import(aq_llm_format_find(names[format - formats]), file,
                           "f", &requests, &result, &diag);
  }
  fclose(file);
  if (status == AQ_OK)
    again(&requests);
  else
    check_error(&diag);
  aq_llm_requests_fini(&requests);
  free(text);
  return 0;
}
