/* SPDX-License-Identifier: MIT */
/* Networks of measured kernels: a model and, behind a line "===", its profile,
 * as a request of a scenario names them. */
#include "fuzz/fuzz_workload.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static const char line[] = "\n===\n";
  static const char scenario[] =
      "{\"version\": 1, \"requests\": {\"r\": {\"model\": \"m.json\", "
      "\"batch\": 2, \"calls\": \"each\"}}, \"clients\": [{\"request\": "
      "\"r\", \"closed\": {}, \"requests\": 3}]}";
  const uint8_t *at = memmem(data, size, line, sizeof line - 1);
  const size_t model = at ? (size_t)(at - data) : size;
  const size_t behind = at ? model + sizeof line - 1 : size;
  aq_diag diag = AQ_DIAG_INIT;
  aq_workload_source *source;
  fuzz_file("m.json", data, model);
  fuzz_file("m.profile.json", data + behind, size - behind);
  const char *path = fuzz_file("s.json", scenario, sizeof scenario - 1);
  if (aq_scenario_load(path, &(aq_scenario_options){.seed = -1}, &source, NULL,
                       &diag) == AQ_OK)
    fuzz_play(source);
  else
    fuzz_check_error(&diag, ".json");
  return 0;
}
