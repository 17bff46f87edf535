/* SPDX-License-Identifier: MIT */
/*
 * Classes of replays, by the errors of published sources, with the coverage of
 * each one's interval (doc/replay.md, Intervals). Pure.
 */
#ifndef AQ_REPORT_STATS_INTERVAL_CLASS_H
#define AQ_REPORT_STATS_INTERVAL_CLASS_H

#include "common/export.h"

typedef enum aq_interval_class {
  AQ_INTERVAL_DIRECT,
  AQ_INTERVAL_GRAPHS,
  AQ_INTERVAL_RDNA,
  AQ_INTERVAL_CLASS_COUNT /* of a replay that noted no class */
} aq_interval_class;

typedef enum aq_interval_by {
  AQ_INTERVAL_BY_CONSTANTS, /* their spreads, or constants of the model */
  AQ_INTERVAL_BY_ROWS       /* of a fitted part */
} aq_interval_by;

/* The coverage of an interval: `percent` of published traces where the class
 * has enough sources, else the furthest of `furthest_of` sources. */
typedef struct aq_interval_cover {
  const char *words; /* the noun of a sentence */
  int percent, furthest_of;
} aq_interval_cover;

/* "direct"; NULL: the replay noted none. */
AQ_API const char *aq_interval_class_name(aq_interval_class which);
/* AQ_INTERVAL_CLASS_COUNT: no class has that name. */
AQ_API aq_interval_class aq_interval_class_find(const char *name);
/* The coverage of a class, by how its interval was made. */
AQ_API aq_interval_cover aq_interval_cover_of(aq_interval_class which,
                                              aq_interval_by by);

#endif
