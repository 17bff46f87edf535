/* SPDX-License-Identifier: MIT */
/*
 * Which dispatch of one run is which of another. M(id, name, meaning): the ways
 * to tell. Each dispatch has at most one partner; matches rise in both runs'
 * order of start for ORDER and ALIGN. Pure functions; one thread.
 */
#ifndef AQ_REPORT_MATCH_H
#define AQ_REPORT_MATCH_H

#include "report/dispatches.h"

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

extern const char *const aq_match_names[AQ_MATCH_COUNT + 1];

/* One run as matching sees it: its dispatches, and of each a number for its
 * name that is the same in both runs. */
typedef struct aq_match_side {
  const aq_dispatches *dispatches;
  const uint32_t *names;
} aq_match_side;

typedef struct aq_match {
  size_t a, b; /* indices of dispatches */
} aq_match;

typedef struct aq_matches {
  aq_match *pairs; /* by a */
  size_t count;
  aq_match_by by; /* never AUTO */
} aq_matches;

/* `replay` says whether rows join by what they replay: `a_key` and `b_key` then
 * tell whether the key of a side is its origin or its own number. Nothing in
 * common is AQ_ERR_INPUT. */
typedef struct aq_match_replay {
  bool possible, a_by_origin, b_by_origin;
} aq_match_replay;

aq_status aq_match_make(const aq_match_side *a, const aq_match_side *b,
                        aq_match_by by, aq_match_replay replay, aq_matches *out,
                        aq_diag *diag);
void aq_matches_fini(aq_matches *matches);

#endif
