/* SPDX-License-Identifier: MIT */
/*
 * The time of a part of a run (launch_ranges.h): that of its occurrences.
 *
 * An occurrence is one range of the window's name; without a name, one
 * ProfilerStep of the window's step; else all dispatches of the window. On a
 * device it lasts from the first start to the last end of its dispatches there,
 * on whatever stream, also behind the end of the range. A device that has none
 * of its dispatches has none of its time. Where occurrences nest or overlap,
 * their time counts once. Times between occurrences belong to no part, but for
 * explain: idle time of the device in front of the first start does, as far
 * back as the range has begun. One thread at a time.
 */
#ifndef AQ_REPORT_STATS_PART_SPANS_H
#define AQ_REPORT_STATS_PART_SPANS_H

#include "report/stats/launch_ranges.h"

/* `of` of the spans that are no device's: of occurrences on all devices, from
 * the begin of the range, the first start, and the first launch. */
#define AQ_PART_RANGES   (INT64_MAX - 2)
#define AQ_PART_STARTS   (INT64_MAX - 1)
#define AQ_PART_LAUNCHES INT64_MAX

/* Sets the spans of dispatches that are marked (aq_dispatches_mark). */
aq_status aq_part_spans_make(aq_dispatches *dispatches, aq_run_reader *reader,
                             const aq_run_window *window, aq_diag *diag);

/* The spans of a device, or of all: disjoint, by time. None where it has no
 * dispatches of the part, and of a whole run. */
const aq_part_span *aq_part_spans(const aq_dispatches *dispatches, int64_t of,
                                  size_t *count);

#endif
