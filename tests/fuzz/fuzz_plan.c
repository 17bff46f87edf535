/* SPDX-License-Identifier: MIT */
/* Plans of sweeps, beside a scenario "clients.json" of three parameters. */
#include "fuzz/fuzz_workload.h"

#include "study/workload/plan.h"

static const char scenario[] =
    "{\"version\": 1, \"parameters\": {\"rate\": \"20us\", \"service\": "
    "\"8us\", \"n\": 3}, \"kernels\": {\"k\": {\"cost\": \"$service\"}}, "
    "\"requests\": {\"r\": {\"steps\": [{\"kernel\": \"k\"}]}}, \"clients\": "
    "[{\"name\": \"a\", \"request\": \"r\", \"open\": {\"poisson\": "
    "\"$rate\"}, \"requests\": \"$n\"}, {\"request\": \"r\", \"closed\": {}, "
    "\"requests\": 2}]}";

static void point_check(const aq_plan_point *point)
{
  if (!point->workload || !point->file || !point->parameters || !point->edits ||
      point->alone > 2)
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  aq_plan plan;
  aq_diag diag = AQ_DIAG_INIT;
  fuzz_file("clients.json", scenario, sizeof scenario - 1);
  if (aq_plan_open(fuzz_file("plan.json", data, size), NULL, &plan, &diag) !=
      AQ_OK) {
    fuzz_check_error(&diag, ".json");
    return 0;
  }
  for (size_t i = 0; i < plan.count; i++)
    point_check(&plan.points[i]);
  aq_plan_close(&plan);
  return 0;
}
