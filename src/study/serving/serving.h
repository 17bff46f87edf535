/* SPDX-License-Identifier: MIT */
/*
 * Servers of language models as a source of jobs: requests arrive, a batcher
 * forms steps, each step is the model's kernels on one device or several, and
 * the next step begins when they have completed (doc/serving.md).
 *
 * The source owns everything. One thread.
 */
#ifndef AQ_STUDY_SERVING_SERVING_H
#define AQ_STUDY_SERVING_SERVING_H

#include "common/arena.h"
#include "common/json_in.h"
#include "common/workload.h"

enum {
  AQ_GAP_PARTS = 64,                /* of a doubling */
  AQ_GAP_COUNT = AQ_GAP_PARTS * 40, /* from 1 ns to 18 minutes */
};

/* Times between tokens, counted: the n-th count is of gaps up to
 * aq_gap_limit(n). */
size_t aq_gap_of(aq_time gap);
aq_time aq_gap_limit(size_t n);

/* A server as others see it; texts and counts live as long as the source. */
typedef struct aq_serving_client {
  const char *name;
  uint32_t weight;
  int32_t priority;
  aq_time ttft, tpot;   /* objectives, AQ_TIME_NONE: none */
  const uint64_t *gaps; /* AQ_GAP_COUNT, of its requests; grow with the run */
} aq_serving_client;

typedef struct aq_serving_options {
  int64_t seed;
  uint32_t alone; /* only this server gets requests, from 1; 0: all */
} aq_serving_options;

/* Reads the "serving" part of a scenario and the files that it names. Errors
 * are AQ_ERR_INPUT and name file and place. */
aq_status aq_serving_open(const aq_json_node *node,
                          const aq_serving_options *options,
                          aq_workload_source **out, aq_diag *diag);

/* Its servers; *count of them. */
const aq_serving_client *aq_serving_clients(aq_workload_source *source,
                                            uint32_t *count);

/* Where the times of its steps come from, for aq_run_info.durations: the range
 * is that of published over simulated times of a token (doc/serving.md). */
const char *aq_serving_durations(aq_workload_source *source);

/* Memory that lives as long as the source. */
aq_arena *aq_serving_arena(aq_workload_source *source);

#endif
