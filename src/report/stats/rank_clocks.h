/* SPDX-License-Identifier: MIT */
/*
 * How far the clocks of the ranks of a program lie apart, by their collectives.
 *
 * A collective in which all ranks wait for all (all-reduce, all-gather,
 * reduce-scatter, all-to-all, barrier) ends on each rank at about the same
 * time. The shift of a rank is the median difference of these ends from a rank
 * whose shift is known; its uncertainty is the 90 % quantile of their distance
 * from the median, of fewer than eight collectives the farthest shift by which
 * none would end on one rank before it began on the other, or where no shift
 * does that the largest distance. A shift within its
 * uncertainty is none. doc/formats/kineto.md has the rules. Pure; one thread.
 */
#ifndef AQ_REPORT_STATS_RANK_CLOCKS_H
#define AQ_REPORT_STATS_RANK_CLOCKS_H

#include "report/stats/dispatches.h"

/* A rank's rows with their collectives (launch_context.h), and its clock. */
typedef struct aq_rank_run {
  const aq_dispatches *dispatches;
  int64_t rank, base_ns;
} aq_rank_run;

typedef struct aq_rank_clock {
  aq_time behind; /* its time 0 behind the first rank's, as recorded */
  aq_time found;  /* to be added by its collectives */
  aq_time shift;  /* to be added: found, or 0 within the uncertainty */
  aq_time uncertainty;
  size_t collectives;  /* that were compared */
  size_t contradicted; /* of these: one rank's ends before the other's begins */
  size_t skipped;      /* calls of it that no other rank has as often */
  size_t first_skipped; /* the row of the first one, in its dispatches */
  int64_t with;         /* the rank that it was compared with; AQ_NONE: the
                           first one, which none is */
} aq_rank_clock;

/* AQ_ERR_INPUT: a rank has no such collective in common with the others, or a
 * clock that is more than 26 days away. */
aq_status aq_rank_clocks_align(const aq_rank_run *runs, size_t count,
                               aq_rank_clock *out, aq_diag *diag);

#endif
