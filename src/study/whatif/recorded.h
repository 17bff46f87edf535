/* SPDX-License-Identifier: MIT */
/*
 * The critical path of a run as it was recorded: the rows and host waits of the
 * run, without a replay, by the rules of critical_path.h. One thread.
 */
#ifndef AQ_STUDY_WHATIF_RECORDED_H
#define AQ_STUDY_WHATIF_RECORDED_H

#include "report/explain/explain.h"
#include "report/stats/dispatches.h"
#include "study/whatif/critical_path.h"

/* Edges of inferred dependencies below their confidence, in percent, do not
 * count. */
enum { AQ_CRITICAL_CONFIDENCE = 30 };

/* Edges are between row numbers, as the store has them. A host wait followed
 * the row of its process that was launched before it and ended last before it
 * returned, if that ran into the wait. A copy whose call returned when it was
 * done is such a wait, and so is its begin if the row in front of it still ran.
 * A row that waited longer than AQ_EXPLAIN_LAUNCH_US for no known reason has an
 * unknown one. AQ_ERR_INPUT: no rows. */
aq_status aq_critical_recorded(const aq_dispatches *dispatches,
                               const aq_edge *edges, size_t edge_count,
                               aq_critical *out, aq_diag *diag);

#endif
