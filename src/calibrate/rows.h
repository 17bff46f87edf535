/* SPDX-License-Identifier: MIT */
/*
 * What calibration keeps of the rows of runs; its own files include this.
 */
#ifndef AQ_CALIBRATE_ROWS_H
#define AQ_CALIBRATE_ROWS_H

#include <stdbool.h>
#include <stddef.h>

#include "calibrate/figures.h"

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

struct aq_calibrate {
  /* Values of figures, as keys. GRAPH_NODE: call -> first node after the gap,
   * and how many nodes came after it. */
  aq_calibrate_pairs values[AQ_CALIBRATE_COUNT];
  aq_calibrate_pairs
      launches;              /* idle time of the device, submission -> start */
  aq_calibrate_pairs nears;  /* submission before the previous end, whether
                                it was early enough */
  aq_calibrate_pairs graphs; /* idle time of the device, call -> first node */
  int step;                  /* of the timestamps of the runs so far, ns */
  bool step_differs;
};

#endif
