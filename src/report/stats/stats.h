/* SPDX-License-Identifier: MIT */
/*
 * Statistics of one run by group. The time of a dispatch is T = A + Q + K: the
 * host call (A), from its submission to its start (Q), start to end (K).
 * doc/stats.md defines each figure. Pure but for the reader; one thread.
 */
#ifndef AQ_REPORT_STATS_STATS_H
#define AQ_REPORT_STATS_STATS_H

#include "common/json_out.h"
#include "report/stats/compare_by.h"
#include "report/stats/dispatches.h"

/* A distribution, in ps; all 0 where count is 0. */
typedef struct aq_stats_spread {
  int64_t count;
  aq_time least, p50, p90, p99, most, total;
} aq_stats_spread;

/* Shares of the device's peaks that a kernel achieves: P(id, name). */
#define AQ_STATS_PEAKS(P)                                                      \
  P(VECTOR, "vector")                                                          \
  P(MATRIX, "matrix")                                                          \
  P(FAR, "far")                                                                \
  P(MEMORY, "memory")

enum {
#define P(id, name) AQ_STATS_PEAK_##id,
  AQ_STATS_PEAKS(P)
#undef P
      AQ_STATS_PEAK_COUNT
};

/* Operations and bytes of the operators whose kernels a group has. */
typedef struct aq_stats_work {
  int64_t ops;     /* operators with known work */
  int64_t unknown; /* calls of the group whose work is not known */
  aq_time time;    /* K of the calls whose work is known */
  double flops, bytes, bus_bytes;
  double compute, memory; /* share of the peak in percent; not a number: not
                             known of some operator or device */
} aq_stats_work;

typedef struct aq_stats_group {
  int64_t key;      /* name id, ordinal, stream or class; AQ_NONE: unknown */
  const char *name; /* its word; NULL where the key is a number */
  int64_t calls;
  int64_t predicted; /* calls whose durations are predictions */
  aq_stats_spread api, queue, kernel; /* A, Q, K */
  aq_stats_spread gap;                /* since the end before, on its queue */
  int64_t bytes;                      /* moved by copies; 0: none */
  double peaks[AQ_STATS_PEAK_COUNT];  /* percent; not a number: not known, as
                                         aq_stats_make leaves them */
  aq_stats_work work; /* all 0 but by shape, family and collective */
} aq_stats_group;

typedef struct aq_stats {
  aq_stats_group *groups; /* largest total of K first, then by key */
  size_t count;
  aq_time makespan; /* first start to last end */
  bool operations;  /* of host queues; kernels, copies and fills otherwise */
} aq_stats;

/* Whether keys are ids of names. */
static inline bool aq_stats_by_is_name(aq_stats_by by)
{
  return by == AQ_STATS_BY_KERNEL || by == AQ_STATS_BY_OPERATION ||
         by == AQ_STATS_BY_RANGE || by == AQ_STATS_BY_OP ||
         by == AQ_STATS_BY_MODULE || by == AQ_STATS_BY_LINE ||
         by == AQ_STATS_BY_STACK || by == AQ_STATS_BY_PATH ||
         by == AQ_STATS_BY_SHAPE || by == AQ_STATS_BY_FAMILY ||
         by == AQ_STATS_BY_COLLECTIVE;
}

/* The rows that a grouping is of; `else_wanted` where it does not say. */
static inline aq_rows_wanted aq_stats_by_rows(aq_stats_by by,
                                              aq_rows_wanted else_wanted)
{
  return by == AQ_STATS_BY_OPERATION ? AQ_WANT_OPERATIONS : else_wanted;
}

/* The key of a row's group, and the word for a key; NULL where the key is a
 * number or, by kernel, a name id of the run. */
int64_t aq_stats_key(const aq_dispatch_row *row, aq_stats_by by);
const char *aq_stats_key_text(int64_t key, aq_stats_by by);

/* Names live as long as the reader. A run without dispatches is AQ_ERR_INPUT.
 */
aq_status aq_stats_make(const aq_dispatches *dispatches, aq_run_reader *reader,
                        aq_stats_by by, aq_stats *out, aq_diag *diag);
void aq_stats_fini(aq_stats *stats);

/* The spreads of a group as members of a document, in ns; one without values
 * has only its count. */
void aq_stats_spreads_json(aq_json_out *json, const aq_stats_group *group);

#endif
