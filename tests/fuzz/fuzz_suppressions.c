/* SPDX-License-Identifier: MIT */
#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "cli/exec/findings_priv.h"

/* A list that was read is compared with a finding, too. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  aq_suppressions *list = NULL;
  aq_diag diag = AQ_DIAG_INIT;
  const aq_finding_texts finding = {.row = {.possible = 1},
                                    .category = "race",
                                    .kind = "race in LDS",
                                    .kernel = "_Z4fillPiii",
                                    .file = "src/fill.hip"};
  FILE *in = size > 0 ? fmemopen((void *)(uintptr_t)data, size, "r") : NULL;
  if (!in)
    return 0;
  const aq_status status = aq_suppressions_parse(in, "fuzz", &list, &diag);
  fclose(in);
  if (status == AQ_OK)
    aq_suppressions_match(list, &finding);
  else if (!diag.text[0] || strchr(diag.text, '\n'))
    abort();
  aq_suppressions_free(list);
  return 0;
}
