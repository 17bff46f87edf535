/* SPDX-License-Identifier: MIT */
/*
 * Which device or queue of a run is which one of another run. Ordinals are in
 * the order of the first dispatches, which differs from run to run. If two runs
 * have as many devices, these correspond in the order of the source's ids; else
 * by equal ids. So do the queues of a device. One thread at a time.
 */
#ifndef AQ_REPORT_COMPARE_RUN_ORDINALS_H
#define AQ_REPORT_COMPARE_RUN_ORDINALS_H

#include "report/stats/compare_by.h"
#include "store/store.h"

typedef struct aq_run_place {
  int64_t device; /* number of the device of a queue; of a device 0 */
  int64_t id;     /* the source's */
  int64_t number; /* of the first run its ordinal */
} aq_run_place;

/* The places of the runs so far, the first run's first. */
typedef struct aq_run_places {
  aq_run_place *list;
  size_t count, capacity;
  size_t first; /* of the first run */
  int64_t next; /* number of what corresponds to none of them */
} aq_run_places;

/* Zero: no run so far. */
typedef struct aq_run_ordinals {
  aq_run_places devices, queues;
} aq_run_ordinals;

/* The devices (by AQ_STATS_BY_DEVICE) or queues of a run that have dispatches:
 * `keys`, ordinals in any order and any number of times, are changed to their
 * numbers; below 0 they stay. What corresponds to none of the first run has a
 * number behind the first run's, and the same in each run by its id. False: no
 * memory. */
bool aq_run_ordinals_map(aq_run_ordinals *ordinals, aq_run_reader *reader,
                         aq_stats_by by, int64_t *keys, size_t count);
void aq_run_ordinals_fini(aq_run_ordinals *ordinals);

#endif
