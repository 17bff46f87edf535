/* SPDX-License-Identifier: MIT */
/*
 * What if: the replay of a stored run in a closed loop, without a change, with
 * each change alone, and with all of them. Nothing is stored.
 *
 * Ownership: texts that go in are borrowed for the call; the result owns its
 * own. One thread. doc/whatif.md has the rule of each figure.
 */
#ifndef AQ_STUDY_WHATIF_WHATIF_H
#define AQ_STUDY_WHATIF_WHATIF_H

#include "common/notes.h"
#include "study/session/session.h"
#include "study/whatif/critical_path.h"

typedef enum aq_change_id {
#define C(id, name, kind, meaning) AQ_CHANGE_##id,
#include "study/whatif/changes.def"
#undef C
  AQ_CHANGE_COUNT
} aq_change_id;

typedef enum aq_change_kind {
  AQ_CHANGE_FACTOR,
  AQ_CHANGE_FLAG,
  AQ_CHANGE_NUMBER,
  AQ_CHANGE_TEXT,
} aq_change_kind;

typedef struct aq_change {
  aq_change_id id;
  const char *text; /* the device or edit; borrowed. Else NULL */
  double factor;
  int64_t number;
  bool optional; /* left out where the run records nothing that it changes */
} aq_change;

enum { AQ_WHATIF_CHANGES_MAX = 32 };

/* Reads the value of a change as a user writes it (of a flag: NULL). The text
 * is borrowed. AQ_ERR_INPUT names the expected form. */
aq_status aq_change_read(aq_change_id id, const char *text, aq_change *out,
                         aq_diag *diag);

/* The changes that a report tries where the command line has none, optional
 * ones; at most AQ_WHATIF_CHANGES_MAX. */
aq_status aq_changes_usual(aq_change *out, size_t *count, aq_diag *diag);

const char *aq_change_name(aq_change_id id);

/* One row of the table. */
typedef struct aq_whatif_row {
  char *change;        /* "none", "launch x0.5", …, "all" */
  aq_critical after;   /* its makespan and critical path */
  aq_time least, most; /* the range of the makespan */
  aq_time busy;        /* of the unchanged run: some row ran */
  uint64_t graphs, gates;
  char *basis;     /* its basis, as text */
  bool predicted;  /* some durations are predictions */
  bool depends;    /* some row starts or ends at another time than unchanged */
  uint64_t digest; /* of the times of all rows */
} aq_whatif_row;

typedef struct aq_whatif {
  aq_whatif_row rows[AQ_WHATIF_CHANGES_MAX + 2]; /* none, each, all */
  size_t count;
  aq_time measured;  /* makespan of the run itself */
  double error;      /* of the unchanged replay against it; a part of it */
  int64_t run;       /* its id */
  aq_run_info *info; /* owned */
  /* Of a damaged run: how far its makespan is from that of the unchanged
   * replay, which repeats nothing of the lost records; "" within 1 %. */
  char unlike[200];
  uint64_t calls, waits; /* rows whose host call is recorded; host waits */
  /* Collective kernels; how many of them wait for others of the run; the ranks;
   * the measured waiting and transfer of all. */
  size_t collectives, met, ranks;
  aq_time waiting, transfer;
} aq_whatif;

/* Called after each replay of the table with the number of replays done; with
 * collectives, a replay stands for all rounds until its ranks meet. */
typedef struct aq_whatif_progress {
  void (*update)(uint64_t done, uint64_t total, void *user);
  void *user;
} aq_whatif_progress;

/* `options` as of aq_session_init; its device is the one before changes,
 * NULL: that of the GPU which the run names. With one change `all` is left
 * out. AQ_ERR_INVALID: live mode or hardware, where time cannot be replayed;
 * two changes of one kind other than SET. AQ_ERR_INPUT: the run records nothing
 * that a change concerns, such as host calls. `progress` may be NULL. On AQ_OK
 * the caller calls aq_whatif_fini. */
aq_status aq_whatif_make(const aq_performance_options *options, aq_store *store,
                         const char *run, const aq_change *changes,
                         size_t count, aq_whatif *out, const aq_notes *notes,
                         const aq_whatif_progress *progress, aq_diag *diag);

void aq_whatif_fini(aq_whatif *table);

#endif
