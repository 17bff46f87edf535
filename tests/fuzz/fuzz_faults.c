/* SPDX-License-Identifier: MIT */
#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "transport/fault/fault_schedule.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  aq_fault_schedule schedule;
  aq_diag diag = AQ_DIAG_INIT;
  aq_status status = aq_fault_schedule_parse((const char *)data, size, "fuzz",
                                             &schedule, &diag);
  if (status == AQ_OK)
    aq_fault_schedule_fini(&schedule);
  else if (!diag.text[0] || strchr(diag.text, '\n'))
    abort();
  return 0;
}
