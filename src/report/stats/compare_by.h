/* SPDX-License-Identifier: MIT */
/*
 * How dispatches of two runs are matched, and how they are grouped: the
 * words of `compare --match` and `--by`. Constant tables; any thread.
 */
#ifndef AQ_REPORT_STATS_COMPARE_BY_H
#define AQ_REPORT_STATS_COMPARE_BY_H

#include "common/export.h"

AQ_BEGIN_DECLS

/* M(id, name, meaning): the ways to match. */
#define AQ_MATCHES(M)                                                          \
  M(AUTO, "auto",                                                              \
    "replay where one replays the other, order where the same names come in "  \
    "the same order, else align")                                              \
  M(REPLAY, "replay", "the row that a row replays, or both replay")            \
  M(ORDER, "order", "the first of one with the first of the other, and so on") \
  M(CORRELATION, "correlation", "the same correlation id")                     \
  M(NAME, "name", "the nth dispatch of a name with the nth of that name")      \
  M(ALIGN, "align",                                                            \
    "the same names in the same order, with the fewest dispatches left out")

typedef enum aq_match_by {
#define M(id, name, meaning) AQ_MATCH_##id,
  AQ_MATCHES(M)
#undef M
      AQ_MATCH_COUNT
} aq_match_by;

/* The names, by id; NULL behind the last. */
AQ_API extern const char *const aq_match_names[AQ_MATCH_COUNT + 1];

/* B(id, name, meaning): what to group by. */
#define AQ_STATS_GROUPINGS(B)                                                  \
  B(KERNEL, "kernel", "name of the kernel, or direction of the copy")          \
  B(QUEUE, "queue", "queue of the run")                                        \
  B(STREAM, "stream", "stream of the program")                                 \
  B(DEVICE, "device", "device of the run")                                     \
  B(CLASS, "class", "queued, near, idle, graph, …: as compare has them")       \
  B(KIND, "kind", "kernel, copy or fill")                                      \
  B(VIA, "via", "direct, graph, or no host call known")                        \
  B(ALL, "all", "the whole run")                                               \
  B(OPERATION, "operation",                                                    \
    "operations of host queues, by kind, instead of dispatches")               \
  B(RANGE, "range", "innermost range of the program around the launch")        \
  B(PATH, "path", "ranges of the program around the launch, outermost first")  \
  B(OP, "op", "innermost operator or annotation around the launch")            \
  B(MODULE, "module", "innermost nn.Module around the launch")                 \
  B(LINE, "line", "line of the program around the launch, outside libraries")  \
  B(STACK, "stack", "call stack of the launch, innermost first")               \
  B(STEP, "step", "step of the program (ProfilerStep#N, else repetitions)")    \
  B(RANK, "rank", "rank of the process in a distributed program")              \
  B(SHAPE, "shape", "operator with the shapes of its inputs")                  \
  B(FAMILY, "family", "gemm, convolution, attention, norm, elementwise, …")    \
  B(COLLECTIVE, "collective", "collective operation with its size and ranks")

typedef enum aq_stats_by {
#define B(id, name, meaning) AQ_STATS_BY_##id,
  AQ_STATS_GROUPINGS(B)
#undef B
      AQ_STATS_BY_COUNT
} aq_stats_by;

/* The names, by id; NULL behind the last. */
AQ_API extern const char *const aq_stats_by_names[AQ_STATS_BY_COUNT + 1];

AQ_END_DECLS

#endif
