/* SPDX-License-Identifier: MIT */
/*
 * How far a replay may be off. Where its constants were fitted to a part of the
 * run: as far as the rows of that part are, and as much further, independently
 * of it, as the rest of published traces of its class is: nine in ten of them,
 * or the furthest (report/stats/interval_class.h).
 *
 * Else, because constants are not exactly known: each constant that states a
 * spread moves by it, up and down, while the others stay. The effects of
 * different constants, and errors that none explains (unexplained_makespan,
 * unexplained_latency; with graph launches unexplained_graph_…), are taken to
 * be independent. One thread.
 */
#ifndef AQ_STUDY_SESSION_UNCERTAINTY_H
#define AQ_STUDY_SESSION_UNCERTAINTY_H

#include "common/notes.h"
#include "report/stats/interval_class.h"
#include "study/session/fitted_part.h"
#include "study/session/runs.h"
#include "study/session/session.h"

typedef struct aq_interval {
  /* Half of the intervals. */
  aq_time makespan;   /* first start to last end */
  aq_time latency;    /* submission to start, the median of the rows */
  uint32_t constants; /* that state a spread */
  int64_t rows; /* of the part, or AQ_NONE: constants gave the intervals */
  aq_time part_makespan, part_latency; /* the share of the part's errors */
  aq_interval_class class;
} aq_interval;

/* Replays the run twice for each such constant, or, with the part that the
 * constants of the session were fitted to (NULL: none), once; stores nothing; a
 * note reports the intervals.
 * AQ_ERR_UNSUPPORTED on hardware; AQ_ERR_INPUT where no constant of the device
 * model states a spread, or fewer than 10 rows of the part are scored. */
aq_status aq_replay_interval(aq_session *session, aq_store *store,
                             const aq_replay_ask *ask,
                             const aq_fitted_part *fitted, aq_interval *out,
                             const aq_notes *notes, aq_diag *diag);

#endif
