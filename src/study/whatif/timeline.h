/* SPDX-License-Identifier: MIT */
/*
 * The rows of one replay, kept in memory: where a run goes that no store keeps.
 *
 * The rows are owned by the timeline. The sink is driven by one thread at a
 * time, as a run in virtual time does it.
 */
#ifndef AQ_STUDY_WHATIF_TIMELINE_H
#define AQ_STUDY_WHATIF_TIMELINE_H

#include "common/record.h"

/* A kernel, copy or fill that has start and end; times in
 * ps, unknown ones AQ_TIME_NONE. */
typedef struct aq_timeline_row {
  aq_time start, end, submit, host_begin;
  int64_t origin, queue, pid; /* queue: by ordinal, of all devices */
  int64_t device;
  int64_t kind, flags;
} aq_timeline_row;

/* A host wait that returned at `time` because of the replay of row `origin` of
 * the measured run; AQ_NONE: nothing held it back. */
typedef struct aq_timeline_wait {
  aq_time time;
  int64_t pid, origin;
} aq_timeline_wait;

typedef struct aq_timeline {
  aq_record_sink sink; /* first */
  aq_timeline_row *rows;
  size_t count, capacity;
  aq_timeline_wait *waits; /* in the order of their times a process */
  size_t wait_count, wait_capacity;
  int64_t devices, queues;
  /* By origin: lost work may have run before the row (aq_explain_lost_gaps).
   * Borrowed; NULL: nothing is lost. */
  const bool *lost;
  int64_t lost_count;
  aq_status status; /* of a wait that no memory was left for */
} aq_timeline;

void aq_timeline_init(aq_timeline *timeline);
void aq_timeline_fini(aq_timeline *timeline);

/* As aq_replay_options.waited, the timeline being the user. */
void aq_timeline_waited(void *user, int64_t pid, aq_time time, int64_t row);

/* Last end less first start; 0 without rows. */
aq_time aq_timeline_makespan(const aq_timeline *timeline);

#endif
