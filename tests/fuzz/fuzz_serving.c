/* SPDX-License-Identifier: MIT */
/* Scenarios with servers of language models, beside a list of requests and a
 * model of two kernels. */
#include "fuzz/fuzz_workload.h"

static void files_make(void)
{
  static const char requests[] =
      "# aqueduct requests 1, hash block 16 of prompts\n"
      "arrival_ns,prompt,output,session,tool_ns,hashes\n"
      "0,40,3,,,a b\n"
      "1000,33,2,1,,a c\n"
      "1000,9,4,1,500,\n";
  static const char model[] =
      "{\"version\": 1, \"name\": \"m\", \"source\": \"s\", \"gfx\": "
      "\"gfx942\", \"cus\": 304, \"layers\": 2, \"hidden\": 64, \"kv_bytes\": "
      "1024, \"attention_work\": 64, \"step_gap\": \"1us\", \"eager_gap\": "
      "\"1us\", \"call\": \"1us\", \"captured\": [1, 4], \"kernels\": ["
      "{\"part\": \"layer\", \"name\": \"g\", \"kind\": \"gemm\", \"floor\": "
      "\"1us\", \"each\": \"1ns\", \"n\": 64, \"k\": 64, \"reduced\": true},"
      "{\"part\": \"tail\", \"name\": \"a\", \"kind\": \"decode_attention\", "
      "\"floor\": \"1us\", \"rate\": 1e12}]}";
  fuzz_file("r.csv", requests, sizeof requests - 1);
  fuzz_file("m.json", model, sizeof model - 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static bool made;
  if (!made)
    files_make();
  made = true;
  const char *path = fuzz_file("s.json", data, size);
  aq_diag diag = AQ_DIAG_INIT;
  aq_workload_source *source;
  aq_scenario_facts facts;
  if (aq_scenario_load(path, &(aq_scenario_options){.seed = -1}, &source,
                       &facts, &diag) != AQ_OK) {
    fuzz_check_error(&diag, "json");
    return 0;
  }
  fuzz_play(source);
  return 0;
}
