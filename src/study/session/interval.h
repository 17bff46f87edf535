/* SPDX-License-Identifier: MIT */
/*
 * How far a replay may be off because constants are not exactly known: each
 * constant that states a spread moves by it, up and down, while the others
 * stay. The effects of different constants, and errors that none explains
 * (unexplained_makespan, unexplained_latency), are taken to be independent. One
 * thread.
 */
#ifndef AQ_STUDY_SESSION_INTERVAL_H
#define AQ_STUDY_SESSION_INTERVAL_H

#include "common/notes.h"
#include "study/session/perform.h"
#include "study/session/runs.h"

typedef struct aq_interval {
  /* Half of the 90 % intervals. */
  aq_time makespan;   /* first start to last end */
  aq_time latency;    /* submission to start, the median of the rows */
  uint32_t constants; /* that state a spread */
} aq_interval;

/* Replays the run twice for each such constant; stores nothing; a note reports
 * the intervals.
 * AQ_ERR_UNSUPPORTED on hardware; AQ_ERR_INPUT where no constant of the device
 * model states a spread. */
aq_status aq_replay_interval(aq_performance *performance, aq_store *store,
                             const aq_replay_ask *ask, aq_interval *out,
                             const aq_notes *notes, aq_diag *diag);

#endif
