/* SPDX-License-Identifier: MIT */
/*
 * What calibration keeps of the rows of runs; its own files include this.
 */
#ifndef AQ_STUDY_CALIBRATE_RUN_ROWS_H
#define AQ_STUDY_CALIBRATE_RUN_ROWS_H

#include <stdbool.h>
#include <stddef.h>

#include "report/stats/clock_offset.h"
#include "study/calibrate/gaps.h"
#include "study/calibrate/samples.h"

typedef struct aq_calibrate_pair {
  aq_time key, value;
} aq_calibrate_pair;

typedef struct aq_calibrate_pairs {
  aq_calibrate_pair *at;
  size_t count, capacity;
} aq_calibrate_pairs;

/* False when out of memory. */
bool aq_calibrate_pairs_add(aq_calibrate_pairs *pairs, aq_time key,
                            aq_time value);

/* A graph launch on an idle queue. */
typedef struct aq_calibrate_graph {
  aq_time idle;    /* of the device, until its call began */
  aq_time latency; /* call -> first node */
  aq_time call;    /* length of the call */
  int64_t nodes;
} aq_calibrate_graph;

/* A run with waits that show the offset of its clocks: they and its launches,
 * as in aq_calibrate. */
typedef struct aq_calibrate_skewed {
  aq_clock_witnesses witnesses;
  aq_calibrate_pairs launches;
} aq_calibrate_skewed;

struct aq_calibrate {
  /* Values of figures, as keys. */
  aq_calibrate_pairs values[AQ_CALIBRATE_COUNT];
  aq_calibrate_pairs
      launches; /* idle time of the device, submission -> start */
  aq_calibrate_pairs launch_starts; /* of parts of runs */
  aq_calibrate_pairs nears;    /* submission before the previous end, whether
                                  it was early enough */
  aq_calibrate_pairs handlers; /* completion of the row before -> submission,
                                  and -> start */
  aq_calibrate_gaps *gaps;     /* NULL: none so far */
  aq_calibrate_graph *graphs;
  size_t graph_count, graph_capacity;
  aq_calibrate_skewed *skewed; /* runs whose clocks may differ */
  size_t skewed_count, skewed_capacity;
  int step; /* of the timestamps of the runs so far, ns */
  bool step_differs;
};

#endif
