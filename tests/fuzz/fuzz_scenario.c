/* SPDX-License-Identifier: MIT */
/* Scenarios: one that reads without an error is executed for a while; one that
 * has parameters also with one of them given, and with a client alone. */
#include "fuzz/fuzz_workload.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  const char *const given[] = {"rate=3us", NULL};
  fuzz_scenario_text(data, size, &(aq_scenario_options){.seed = -1});
  if (memmem(data, size, "\"parameters\"", strlen("\"parameters\"")))
    fuzz_scenario_text(
        data, size,
        &(aq_scenario_options){.seed = 7, .parameters = given, .alone = 1});
  return 0;
}
