/* SPDX-License-Identifier: MIT */
/*
 * Scenarios: workloads written by hand, in JSON (doc/formats/scenario.md).
 */
#ifndef AQ_RUN_SCENARIO_H
#define AQ_RUN_SCENARIO_H

#include <stddef.h>

#include "common/diag.h"
#include "common/workload.h"

/* Reads and checks a scenario file; the source owns everything it needs.
 * Errors are AQ_ERR_INPUT and name the file and the place ("a.json:
 * clients[1].closed.think: …"). `seed` overrides the file's seed unless it
 * is negative. `seed_used` and `default_device` (may be NULL in the file) are
 * for the stored run; default_device lives as long as the source. */
aq_status aq_scenario_open(const char *path, int64_t seed,
                           aq_workload_source **out, int64_t *seed_used,
                           const char **default_device, aq_diag *diag);

/* The same for a text of `size` bytes; errors name it `file`. */
aq_status aq_scenario_parse(const char *text, size_t size, const char *file,
                            int64_t seed, aq_workload_source **out,
                            int64_t *seed_used, const char **default_device,
                            aq_diag *diag);

#endif
