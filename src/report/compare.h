/* SPDX-License-Identifier: MIT */
/*
 * Compare: how far a run is from the run it replays, dispatch by dispatch.
 *
 * doc/compare.md defines every metric. Rows that were pinned, and rows without
 * a partner, count nowhere. Classes come from the reference (measured) run.
 */
#ifndef AQ_REPORT_COMPARE_H
#define AQ_REPORT_COMPARE_H

#include <stddef.h>
#include <stdint.h>

#include "common/diag.h"
#include "store/store.h"

/* Q(id, name, meaning): quantities whose errors are scored, in ns. */
#define AQ_COMPARE_QUANTITIES(Q)                                               \
  Q(END, "end", "|simulated end − measured end|")                              \
  Q(INTERVAL, "interval", "error of the time between completions on a queue")  \
  Q(WAIT, "wait", "error of the time from submission to start")                \
  Q(START, "start", "|simulated start − measured start|")

/* C(id, name, meaning): classes of rows. */
#define AQ_COMPARE_CLASSES(C)                                                  \
  C(ALL, "all", "every scored row")                                            \
  C(QUEUED, "queued", "submitted at least 4 µs before the previous end")       \
  C(NEAR, "near", "submitted less than 4 µs before the previous end")          \
  C(IDLE, "idle", "submitted after the previous end")                          \
  C(GRAPH, "graph", "launched inside a graph, after its first packet")         \
  C(GRAPH_FIRST, "graph-first", "first packet of a graph launch")              \
  C(EDGE, "edge", "waited for another queue")

#endif
