/* SPDX-License-Identifier: MIT */
/*
 * Collective operations of several ranks: which rank came last into each, by
 * how much, and what its device did meanwhile.
 *
 * The nth call of an operation (its name, type, size and process group) on one
 * rank is the nth on the others. An operation is matched where each rank of its
 * group has it as often; calls of others are counted. A rank comes into a
 * collective when its kernel starts, by its own clock. Pure; one thread.
 */
#ifndef AQ_REPORT_STATS_LATENESS_H
#define AQ_REPORT_STATS_LATENESS_H

#include "report/stats/dispatches.h"

/* What took the most of a time: a name's id of the run, AQ_NONE where nothing
 * ran; a time of 0 where there is none. */
typedef struct aq_meanwhile {
  int64_t name;
  aq_time time;
} aq_meanwhile;

typedef struct aq_late_collective {
  int64_t name;        /* id of the dispatches' texts */
  int64_t ranks;       /* how many took part */
  aq_time first, last; /* starts */
  int64_t last_rank;
  aq_time late;      /* the last start behind the one before it */
  aq_time busy;      /* of that, the last rank's device ran something else */
  aq_meanwhile most; /* of `late` */
} aq_late_collective;

typedef struct aq_rank_lateness {
  int64_t rank, collectives, last; /* matched ones; how many of them it came
                                      into last */
  aq_time late, busy;              /* sums of these */
  aq_time longest;                 /* the largest `late` */
  aq_time waited;                  /* sum of the last starts behind its own */
  aq_meanwhile most;               /* of the sum of `late` */
} aq_rank_lateness;

/* Calls or collectives that are not compared. */
typedef struct aq_lateness_loss {
  size_t count, row; /* the first one's row of the whole run */
  int64_t first;     /* its name: an id of the dispatches' texts, of `unnamed`
                        of the reader */
} aq_lateness_loss;

typedef struct aq_lateness {
  aq_late_collective *list; /* by their first start */
  size_t count, capacity;
  aq_rank_lateness *ranks; /* by rank */
  size_t rank_count, rank_capacity;
  aq_lateness_loss outside;   /* collectives of which a call is outside of the
                                 part */
  aq_lateness_loss unmatched; /* calls of operations that not every rank has as
                                 often */
  aq_lateness_loss unnamed;   /* kernels whose operation or rank is not
                                 recorded */
} aq_lateness;

/* The rows need their collectives and ranks (launch_context.h). Of a part of a
 * run (launch_ranges.h) only the collectives whose calls are all in it count;
 * losses are of the part, too.
 * False: no memory. The caller ends it in any case. */
bool aq_lateness_match(const aq_dispatches *dispatches, aq_lateness *out);
void aq_lateness_fini(aq_lateness *collectives);

#endif
