/* SPDX-License-Identifier: MIT */
/* Workloads of DISB and of REEF's evaluation, beside small models of the names
 * that they use. */
#include "fuzz/fuzz_workload.h"

static void models_make(void)
{
  static const char *const names[] = {"vgg", "resnet152", "densenet",
                                      "inception", "bert"};
  static const char model[] =
      "{\"kernels\": [{\"name\": \"k\", \"launch_params\": [4, 1, 1, 64, 1, "
      "1]}, {\"name\": \"k\", \"launch_params\": [1, 2, 3, 1, 2, 3]}]}";
  static const char profile[] = "{\"kernel_latency\": {\"k\": "
                                "{\"total_latency\": 20, \"latency\": [18, "
                                "20]}}}";
  char path[FUZZ_PATH];
  snprintf(path, sizeof path, "%s/workloads", fuzz_folder());
  mkdir(path, 0700);
  snprintf(path, sizeof path, "%s/workloads/reef-mi50", fuzz_folder());
  mkdir(path, 0700);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    snprintf(path, sizeof path, "workloads/reef-mi50/%s.json", names[i]);
    fuzz_file(path, model, sizeof model - 1);
    snprintf(path, sizeof path, "workloads/reef-mi50/%s.profile.json",
             names[i]);
    fuzz_file(path, profile, sizeof profile - 1);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static bool made;
  if (!made)
    models_make();
  made = true;
  fuzz_scenario_text(data, size,
                     &(aq_scenario_options){.seed = -1, .data = fuzz_folder()});
  return 0;
}
