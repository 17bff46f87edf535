/* SPDX-License-Identifier: MIT */
/* Scenarios: what reads without an error is played for a while. */
#include "fuzz/fuzz.h"

#include "run/scenario.h"

enum { JOBS_MAX = 200 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  aq_diag diag = AQ_DIAG_INIT;
  aq_workload_source *source;
  const aq_scenario_options options = {.seed = -1};
  if (aq_scenario_load_text((const char *)data, size, "fuzz.json", &options,
                            &source, NULL, &diag) != AQ_OK)
    return 0;
  for (int i = 0; i < JOBS_MAX; i++) {
    aq_job job;
    bool got = false;
    if (source->peek(source) == AQ_TIME_MAX ||
        source->next(source, &job, &got, &diag) != AQ_OK)
      break;
    if (got && source->done)
      source->done(source, job.id, job.submit + AQ_US);
  }
  source->close(source);
  return 0;
}
