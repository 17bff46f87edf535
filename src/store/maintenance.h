/* SPDX-License-Identifier: MIT */
/*
 * Care of a store: checking it, releasing its free space, and taking over
 * the runs of another. One thread at a time.
 */
#ifndef AQ_STORE_MAINTENANCE_H
#define AQ_STORE_MAINTENANCE_H

#include "store/store.h"

/* ---- checking ---- */

typedef enum aq_check_level {
  AQ_CHECK_REMARK = 1,  /* worth knowing: a run is incomplete */
  AQ_CHECK_PROBLEM = 2, /* a fault */
} aq_check_level;

typedef struct aq_check_finding {
  aq_check_level level;
  int64_t run;      /* AQ_NONE: the store as a whole */
  const char *text; /* one line; borrowed for the call */
} aq_check_finding;

typedef void aq_check_notify(const aq_check_finding *finding, void *user);

/* Reports every finding once. Reads all of the file and changes nothing;
 * damage is a finding, not an error. */
aq_status aq_store_check(aq_store *store, aq_check_notify *tell, void *user,
                         aq_diag *diag);

/* ---- several runs in one transaction ---- */

/* Whatever is written from here to the end is in the store at once: all of it
 * (`keep`), or nothing. After an error nothing may be kept. Others wait for the
 * end, so everything that takes time comes before. */
aq_status aq_store_group_begin(aq_store *store, aq_diag *diag);
aq_status aq_store_group_end(aq_store *store, bool keep, aq_diag *diag);

/* All of a late writer's run has been put. *held: nothing of it is in the
 * store, and the writer has a copy of `info`: finish, without an info, may come
 * at any time, in a group. If not, finish it as always. */
aq_status aq_store_writer_hold(aq_store_writer *writer, const aq_run_info *info,
                               bool *held, aq_diag *diag);

/* A held writer stores into this connection to the same store, from now on. */
void aq_store_writer_move(aq_store_writer *writer, aq_store *store);

/* ---- ids ---- */

/* Reserves `count` ids in a row: no run gets one of them, now or later, but by
 * aq_store_number(). */
aq_status aq_store_reserve(aq_store *store, int64_t count, int64_t *first,
                           aq_diag *diag);

/* The next run gets this reserved id. */
void aq_store_number(aq_store *store, int64_t id);

/* ---- names ---- */

/* From now on a new run may have the name of another one, which it removes once
 * it ends; until then it has none. */
void aq_store_replace(aq_store *store, bool yes);

/* ---- free space ---- */

typedef struct aq_vacuum_result {
  int64_t before, after; /* bytes of the file */
} aq_vacuum_result;

/* Writes the file anew, without the space that removed runs left. */
aq_status aq_store_vacuum(aq_store *store, aq_vacuum_result *out,
                          aq_diag *diag);

/* ---- one file ---- */

/* Takes what killed writers left in the journal into the file, and removes the
 * journal: the file alone is the store then, and can be copied, or read where
 * nothing can be written beside it. No process may have it open. */
aq_status aq_store_settle(const char *path, aq_diag *diag);

/* ---- requests ---- */

/* Removes the requests and preemptions of a run, whose summary becomes this
 * one, in one transaction. */
aq_status aq_store_requests_drop(aq_store *store, int64_t run,
                                 const char *summary, aq_diag *diag);

/* ---- merging ---- */

typedef enum aq_merge_fate {
  AQ_MERGE_COPIED = 1,
  AQ_MERGE_PRESENT = 2,    /* the very run is here already */
  AQ_MERGE_INCOMPLETE = 3, /* its writer did not finish: left out */
  AQ_MERGE_FAILED = 4, /* a point of a sweep failed: copied with its reason */
} aq_merge_fate;

typedef struct aq_merged_run {
  aq_merge_fate fate;
  int64_t from;     /* id in the other store */
  int64_t to;       /* id here, or AQ_NONE */
  const char *name; /* its name here, or NULL; borrowed for the call */
  const char *why;  /* of AQ_MERGE_FAILED; borrowed for the call */
} aq_merged_run;

typedef void aq_merge_notify(const aq_merged_run *run, void *user);

/* A line about a run that was not simply copied; the caller frees it. NULL: out
 * of memory. */
char *aq_merged_text(const aq_merged_run *run, const char *path);

/* Copies the complete runs of the store at `path`, oldest first, each in one
 * transaction: a merge that is cut off leaves whole runs, and continues when it
 * is repeated. A failed point of a sweep is copied where no run here is of that
 * point.
 *
 * A run is the same as one here when all that was written of it is, but for
 * its id, name and origin: that one is not copied again. A name that is taken
 * gets the first of -2, -3… that is free. The origin becomes the id that it
 * has here, or unknown when it is not complete or was removed. */
aq_status aq_store_merge(aq_store *store, const char *path,
                         aq_merge_notify *tell, void *user, aq_diag *diag);

#endif
