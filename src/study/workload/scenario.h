/* SPDX-License-Identifier: MIT */
/*
 * Scenarios: workloads written by hand, in JSON (doc/formats/scenario.md).
 *
 * Ownership: the caller closes a source (source->close). Thread rule: one
 * thread at a time per source.
 */
#ifndef AQ_STUDY_WORKLOAD_SCENARIO_H
#define AQ_STUDY_WORKLOAD_SCENARIO_H

#include <stddef.h>

#include "common/diag.h"
#include "common/export.h"
#include "common/workload.h"

AQ_BEGIN_DECLS

typedef struct aq_scenario_options {
  int64_t seed; /* instead of the file's; negative: the file's */
  /* "NAME=VALUE" for parameters of the scenario, ended by NULL; or NULL. */
  const char *const *parameters;
  const char *data; /* where "reef:" models lie; NULL: nowhere */
  uint32_t alone;   /* only this entry of the clients acts, from 1; 0: all */
} aq_scenario_options;

typedef struct aq_scenario_client {
  const char *name; /* or NULL */
  uint32_t count, weight;
  int32_t priority;
  /* Of servers of language models, else 0 and NULL: objectives, AQ_TIME_NONE
   * where there is none, and counts of times between tokens as they are after
   * the run (study/serving/serving.h). */
  aq_time ttft, tpot;
  const uint64_t *gaps;
  size_t gap_count;
} aq_scenario_client;

/* Lives as long as the source. */
typedef struct aq_scenario_facts {
  int64_t seed;       /* that is used */
  const char *device; /* that the file asks for, or NULL */
  const aq_scenario_client *clients;
  uint32_t client_count;
  /* For aq_run_info.durations, of kernels whose times are predicted; NULL: the
   * file states them. */
  const char *durations;
} aq_scenario_facts;

/* Reads and checks a scenario file, or a workload of DISB; the source owns
 * everything it needs. Errors are AQ_ERR_INPUT and name the file and the place
 * ("a.json: clients[1].closed.think: …"). `facts` may be NULL. */
AQ_API aq_status aq_scenario_load(const char *path,
                                  const aq_scenario_options *options,
                                  aq_workload_source **out,
                                  aq_scenario_facts *facts, aq_diag *diag);

/* The same for a text of `size` bytes; errors name it `file`. */
AQ_API aq_status aq_scenario_load_text(const char *text, size_t size,
                                       const char *file,
                                       const aq_scenario_options *options,
                                       aq_workload_source **out,
                                       aq_scenario_facts *facts, aq_diag *diag);

/* Calls `file` for each file that the scenario names with these parameters
 * ("NAME=VALUE", ended by NULL; or NULL): models, their profiles, lists of
 * requests. Names without a file are passed over; loading reports them. */
AQ_API aq_status aq_scenario_files(const char *path,
                                   const char *const *parameters,
                                   const char *data,
                                   void (*file)(const char *path, void *user),
                                   void *user, aq_diag *diag);

AQ_END_DECLS

#endif
