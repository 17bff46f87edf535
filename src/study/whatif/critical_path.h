/* SPDX-License-Identifier: MIT */
/*
 * The critical path of a replay: from its last end back to its first start,
 * each step to whatever the row waited for last.
 *
 * A row that was submitted before its queue was free waited for the row in
 * front of it; one behind an edge, for the row of another queue that ended
 * last; any other, for its host, which came from the row that its last wait
 * followed. Without any recorded wait of a process, and in front of a row
 * without a known doorbell, the path continues with the row that ended last.
 * Time in which lost work may have run is unknown, whatever waited.
 * The parts add up to the makespan, exactly. Pure but for memory.
 */
#ifndef AQ_STUDY_WHATIF_CRITICAL_PATH_H
#define AQ_STUDY_WHATIF_CRITICAL_PATH_H

#include "common/json_out.h"
#include "study/whatif/timeline.h"

/* P(id, name, meaning) */
#define AQ_CRITICAL_PARTS(P)                                                   \
  P(KERNELS, "kernels", "kernels ran")                                         \
  P(COPIES, "copies", "copies and fills ran")                                  \
  P(DISPATCH, "dispatch", "the device fetched, waited for room and launched")  \
  P(HOST, "host", "the host computed and called until it submitted")           \
  P(RETURN, "return", "a completion reached the host that waited for it")      \
  P(UNKNOWN, "unknown",                                                        \
    "the next row waited for an unrecorded reason, or "                        \
    "lost work may have run")

typedef enum aq_critical_part {
#define P(id, name, meaning) AQ_CRITICAL_##id,
  AQ_CRITICAL_PARTS(P)
#undef P
      AQ_CRITICAL_COUNT
} aq_critical_part;

extern const char *const aq_critical_names[AQ_CRITICAL_COUNT];

typedef struct aq_critical {
  aq_time makespan;
  aq_time parts[AQ_CRITICAL_COUNT];
  int64_t rows; /* on the path */
} aq_critical;

/* Sorts the timeline's rows. AQ_ERR_INPUT: it has none. */
aq_status aq_critical_find(aq_timeline *timeline, aq_critical *out,
                           aq_diag *diag);

/* The part's share of the makespan. */
double aq_critical_percent(const aq_critical *path, aq_critical_part part);

/* As an object of a JSON document. */
void aq_critical_put(aq_json_out *json, const char *key,
                     const aq_critical *path);

#endif
