/* SPDX-License-Identifier: MIT */
/*
 * Replay: the submissions of a measured run as a workload.
 *
 * Open loop: each host call is submitted when it was submitted in the measured
 * run, whatever the device does. One host call is one job; a graph launch is
 * one job of many commands. Each command carries its measured duration.
 *
 * The doorbell is taken to ring when the call returns. Only a copy that was
 * still running when it started rang it earlier: after the median duration of
 * the run's calls that returned in time. A graph launch rings when the device
 * model says: graph_launch after the call began for the first graph_head
 * nodes, and graph_per_node for each other node later for those, but never
 * after the call returned. A barrier packet ends it, as HIP's do. Where the
 * device says nothing of graphs, they ring like copies.
 *
 * Rows without a host call, and the first row of each queue, are pinned: they
 * are submitted so that an idle device starts them when they started in the
 * measured run. They keep the queue honest and are never scored.
 */
#ifndef AQ_RUN_REPLAY_H
#define AQ_RUN_REPLAY_H

#include "common/diag.h"
#include "common/record.h"
#include "common/workload.h"

/* Where the measured rows come from, in AQ_ORDER_START; run/ does not know the
 * store. */
typedef struct aq_replay_input aq_replay_input;
struct aq_replay_input {
  aq_status (*next)(aq_replay_input *input, aq_record *rows, int64_t *numbers,
                    size_t capacity, size_t *count, aq_diag *diag);
  const char *(*name)(aq_replay_input *input, int64_t id);
}; /* borrowed until the source is closed */

/* What of the device the pinning needs; from aq_device_info. */
typedef struct aq_replay_options {
  aq_time latency_warm, latency_cold, unmap_after;
  aq_time timestamp_step; /* starts closer to the previous end are glued */
  aq_time graph_launch, graph_per_node;
  uint32_t graph_head;
} aq_replay_options;

/* Reads every row (memory grows with the run) and sorts them into jobs.
 * `first_submit` (may be NULL) gets the earliest submit time: the epoch of the
 * transport has to be at or before it. */
aq_status aq_replay_open(aq_replay_input *input,
                         const aq_replay_options *options,
                         aq_workload_source **out, aq_time *first_submit,
                         aq_diag *diag);

#endif
