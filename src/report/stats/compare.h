/* SPDX-License-Identifier: MIT */
/*
 * Compare: how far a run is from the run it replays, dispatch by dispatch.
 *
 * doc/compare.md defines every metric. Rows that were pinned, and rows without
 * a partner, count nowhere. Classes come from the reference (measured) run.
 *
 * This header is pure arithmetic over arrays of rows: compare_runs.h reads
 * them from a store, metrics.h names the figures. Errors are absolute and in
 * ns where they are figures; times are aq_time. Any thread.
 */
#ifndef AQ_REPORT_STATS_COMPARE_H
#define AQ_REPORT_STATS_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/diag.h"
#include "common/export.h"
#include "common/record.h"
#include "common/time.h"

AQ_BEGIN_DECLS

/* Q(id, name, meaning): quantities whose errors are scored, in ns. */
#define AQ_COMPARE_QUANTITIES(Q)                                               \
  Q(END, "end", "|simulated end - measured end|")                              \
  Q(INTERVAL, "interval", "error of the time between completions on a queue")  \
  Q(WAIT, "wait", "error of the time from submission to start")                \
  Q(START, "start", "|simulated start - measured start|")

/* C(id, name, meaning): classes of rows. ALL holds every row, and each row is
 * in exactly one of the others: the last that fits. */
#define AQ_COMPARE_CLASSES(C)                                                  \
  C(ALL, "all", "every scored row")                                            \
  C(QUEUED, "queued", "submitted at least 4 us before the previous end")       \
  C(NEAR, "near", "submitted less than 4 us before the previous end")          \
  C(IDLE, "idle", "submitted after the previous end")                          \
  C(GRAPH, "graph", "launched inside a graph, after its first packet")         \
  C(GRAPH_FIRST, "graph-first", "first packet of a graph launch")              \
  C(EDGE, "edge", "waited for another queue")

/* P(id, name, meaning): the predictor. */
#define AQ_COMPARE_PREDICTORS(P)                                               \
  P(RUN, "run", "the run that is compared")                                    \
  P(ZERO, "zero", "start = max(submission, previous end)")                     \
  P(E, "E", "start = max(API end + L, previous end), L fitted to this run")    \
  P(B, "B", "as E, but at least G after the previous end, G fitted too")

/* L(id, name, meaning): why a row is not scored; the first that fits. */
#define AQ_COMPARE_LEFT_OUT(L)                                                 \
  L(NO_TIMES, "no-times", "no start or end in the reference")                  \
  L(NO_SUBMISSION, "no-submission", "no host call or submission recorded")     \
  L(NO_PARTNER, "no-partner", "no matching row in the other run")              \
  L(PINNED, "fixed-time", "replayed at the measured time")                     \
  L(LEARNED, "learned", "used to predict durations")                           \
  L(FITTED, "fitted", "used to fit constants")

typedef enum aq_compare_quantity {
#define Q(id, name, meaning) AQ_QUANTITY_##id,
  AQ_COMPARE_QUANTITIES(Q)
#undef Q
      AQ_QUANTITY_COUNT
} aq_compare_quantity;

typedef enum aq_compare_class {
#define C(id, name, meaning) AQ_CLASS_##id,
  AQ_COMPARE_CLASSES(C)
#undef C
      AQ_CLASS_COUNT
} aq_compare_class;

typedef enum aq_compare_predictor {
#define P(id, name, meaning) AQ_PREDICTOR_##id,
  AQ_COMPARE_PREDICTORS(P)
#undef P
      AQ_PREDICTOR_COUNT
} aq_compare_predictor;

typedef enum aq_compare_reason {
#define L(id, name, meaning) AQ_LEFT_OUT_##id,
  AQ_COMPARE_LEFT_OUT(L)
#undef L
      AQ_LEFT_OUT_COUNT
} aq_compare_reason;

typedef struct aq_compare_term {
  const char *name, *meaning;
} aq_compare_term;

/* Name and meaning of each, by id; static. */
AQ_API extern const aq_compare_term aq_compare_quantities[AQ_QUANTITY_COUNT];
AQ_API extern const aq_compare_term aq_compare_classes[AQ_CLASS_COUNT];
AQ_API extern const aq_compare_term aq_compare_predictors[AQ_PREDICTOR_COUNT];
AQ_API extern const aq_compare_term aq_compare_reasons[AQ_LEFT_OUT_COUNT];

enum {
  AQ_COMPARE_NEAR_US = 4,   /* queued and near part here */
  AQ_COMPARE_COLD_US = 105, /* E's second latency after so long an idle time */
};

/* A flag of rows of the reference, beside the flags of records: they gave the
 * run its constants. The formulas are then fitted to the others, where these
 * show any latency. */
#define AQ_COMPARE_FITTED (INT64_C(1) << 62)

/* What comparing needs of a record. Unknown is AQ_NONE. */
typedef struct aq_compare_row {
  int64_t number; /* of the row in its run */
  int64_t key;    /* what joins: the same in both runs */
  int64_t queue, name, via, flags;
  aq_time host_begin, host_end, submit, start, end;
} aq_compare_row;

/* Takes over the needed fields; returns whether the record is of a compared
 * kind (kernel, copy, fill). */
AQ_API bool aq_compare_row_init(aq_compare_row *row, const aq_record *record,
                                int64_t number, int64_t key);

typedef struct aq_compare_stat {
  int64_t count;
  double median, p90, p99, mean; /* ns; 0 where count is 0 */
} aq_compare_stat;

/* One of the rows that are furthest off. */
typedef struct aq_compare_worst {
  aq_compare_row reference, row;
  aq_compare_class row_class;
  aq_time error; /* row.end - reference.end */
} aq_compare_worst;

typedef struct aq_compare {
  int64_t rows;   /* M: kernels, copies and fills of the reference */
  int64_t scored; /* N */
  int64_t left_out[AQ_LEFT_OUT_COUNT];
  aq_compare_stat stats[AQ_PREDICTOR_COUNT][AQ_QUANTITY_COUNT][AQ_CLASS_COUNT];
  /* First start to last end of all rows that have a partner. */
  aq_time makespan_reference, makespan[AQ_PREDICTOR_COUNT];
  /* Of the queues, each from its own first start on: the largest |error|, in
   * which queue, and its makespan in the reference. */
  int64_t queues;
  struct {
    aq_time error, reference;
    int64_t queue;
  } queue_makespan[AQ_PREDICTOR_COUNT];
  /* The formulas have the run's durations, which it predicted (level 2). */
  bool predicted;
  /* E's latencies and B's gap, and the rows they are the median of;
   * AQ_TIME_NONE and no statistics where no row has them. */
  aq_time latency_warm, latency_cold, latency_begin, gap;
  int64_t fitted_warm, fitted_cold, fitted_gap;
  /* The scored rows have no latency: also rows that the run's constants were
   * fitted to gave the formulas theirs. */
  bool fitted_to_all;
  aq_compare_worst *worst; /* largest |error| first, then row number */
  size_t worst_count;
} aq_compare;

/* Compares `rows` with the `reference` they replay; both arrays are put into
 * another order. Lists up to `worst` rows. When nothing can be scored that is
 * AQ_ERR_INPUT with the reason and the remedy; `out` is then not written. */
AQ_API aq_status aq_compare_rows(aq_compare_row *reference,
                                 size_t reference_count, aq_compare_row *rows,
                                 size_t count, size_t worst, aq_compare *out,
                                 aq_diag *diag);

/* Frees what `out` holds. */
AQ_API void aq_compare_fini(aq_compare *compare);

AQ_END_DECLS

#endif
