/* SPDX-License-Identifier: MIT */
/* The scenario that `import --workload` writes beside a list of requests. */
#ifndef AQ_STUDY_SERVING_SCENARIO_WRITE_H
#define AQ_STUDY_SERVING_SCENARIO_WRITE_H

#include "study/serving/import.h"

/* Reads a trace, writes its requests beside the scenario (without ".json", with
 * ".requests.csv"), and makes the scenario's text, which the caller frees: one
 * server of the first built-in model, on an MI300X. AQ_ERR_INVALID: no format
 * has the name. */
aq_status aq_llm_import_files(const char *format, const char *path,
                              const char *scenario,
                              aq_llm_import_result *result, char **text,
                              aq_diag *diag);

#endif
