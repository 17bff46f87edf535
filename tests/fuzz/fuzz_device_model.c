/* SPDX-License-Identifier: MIT */
/* Device models: what reads without an error is printed and hashed; the text
 * after a line of three dashes is an edit. */
#include "fuzz/fuzz.h"

#include <string.h>

#include "backend_sim/model/device_model.h"

static void edit(aqsim_model *model, const char *text, size_t size)
{
  char line[256];
  aq_diag diag = AQ_DIAG_INIT;
  if (size >= sizeof line)
    size = sizeof line - 1;
  memcpy(line, text, size);
  line[size] = '\0';
  aqsim_model_set(model, line, &diag);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  aq_diag diag = AQ_DIAG_INIT;
  aqsim_model *model;
  const char *text = (const char *)data;
  const char *cut = memmem(text, size, "---", 3);
  size_t length = cut ? (size_t)(cut - text) : size;
  if (aqsim_model_parse("fuzz.device", text, length, &model, &diag) != AQ_OK)
    return 0;
  if (cut)
    edit(model, cut + 3, size - length - 3);
  char hash[AQSIM_HASH_SIZE];
  aqsim_model_hash(model, hash);
  aqsim_constant constant;
  for (size_t i = 0; i < AQSIM_KEY_COUNT; i++)
    aqsim_model_constant(model, i, &constant);
  aqsim_model_destroy(model);
  return 0;
}
