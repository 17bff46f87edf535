/* SPDX-License-Identifier: MIT */
/*
 * Which dispatch of one run is which of another. Each dispatch has at most one
 * partner. Where both runs have as many devices, each dispatch finds it on the
 * device of the same number, except by REPLAY; there, matches rise in both
 * runs' order of start for ORDER and ALIGN. Pure functions; one thread.
 */
#ifndef AQ_REPORT_COMPARE_MATCH_H
#define AQ_REPORT_COMPARE_MATCH_H

#include "report/compare/match_devices.h"
#include "report/stats/compare_by.h"
#include "report/stats/dispatches.h"

/* One run as matching sees it: its dispatches, and of each a number for its
 * name that is the same in both runs, and that of its device. */
typedef struct aq_match_side {
  const aq_dispatches *dispatches;
  const uint32_t *names;
  const aq_match_devices *devices; /* NULL: one */
} aq_match_side;

typedef struct aq_match {
  size_t a, b; /* indices of dispatches */
} aq_match;

typedef struct aq_matches {
  aq_match *pairs; /* by a */
  size_t count;
  aq_match_by by; /* never AUTO */
  bool by_device; /* within devices; false where they do not correspond */
} aq_matches;

/* `replay`: rows join by their origins: `a_key` and `b_key` then choose whether
 * the key of a side is its origin or its own number. Nothing in
 * common is AQ_ERR_INPUT by REPLAY and CORRELATION, else no pair. */
typedef struct aq_match_replay {
  bool possible, a_by_origin, b_by_origin;
} aq_match_replay;

aq_status aq_match_make(const aq_match_side *a, const aq_match_side *b,
                        aq_match_by by, aq_match_replay replay, aq_matches *out,
                        aq_diag *diag);
void aq_matches_fini(aq_matches *matches);

#endif
