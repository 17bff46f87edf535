/* SPDX-License-Identifier: MIT */
/*
 * One replay of the what-if table: its changes and its result. A variant
 * owns its timeline, its memo of families, its edits and `measured_on`, and
 * borrows the rest. One thread. Times in ps.
 */
#ifndef AQ_STUDY_WHATIF_VARIANT_H
#define AQ_STUDY_WHATIF_VARIANT_H

#include "gpu/duration/kernel_class.h"
#include "study/session/collectives.h"
#include "study/session/replay.h"
#include "study/whatif/whatif.h"

/* What every replay of a table has in common. */
typedef struct aq_whatif_table {
  const aq_performance_options *options;
  aq_store *store;
  const char *run;
  const aq_notes *notes;
  aq_whatif *out;
  aq_collectives *collectives;
  const aq_whatif_progress *progress; /* or NULL */
  uint64_t done, total;               /* replays */
  bool *lost; /* as of aq_timeline; owned by the call that makes the table */
  int64_t lost_count;
  aq_diag *diag;
} aq_whatif_table;

/* One replay with some of the changes. */
typedef struct aq_whatif_variant {
  const aq_whatif_table *of;
  aq_performance_options options;
  aq_replay_ask ask;
  double clock, bandwidth, link;
  unsigned replays; /* until the ranks met, up to `unsettled` */
  aq_time unsettled;
  aq_end end;         /* of its uncertain durations */
  const char **edits; /* ended by NULL */
  size_t edit_count;
  char bandwidth_edit[64];
  aq_timeline timeline;
  aq_replay_facts facts;
  aq_family_memo families;
  int64_t kernels[AQ_FAMILY_COUNT]; /* whose durations were scaled */
  int64_t copies;                   /* and fills, so too */
  char model[256];
  char *measured_on; /* durations of the last replay */
} aq_whatif_variant;

#endif
