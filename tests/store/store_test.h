/* SPDX-License-Identifier: MIT */
/* Helpers of the tests of the store: fresh files, stores, runs with known rows,
 * and SQL of their own beside the store's. */
#ifndef AQ_TESTS_STORE_TEST_H
#define AQ_TESTS_STORE_TEST_H

#include <stdbool.h>

#include "store/store.h"

/* A text that lives as long as the process. */
char *path_of(const char *fmt, ...) AQ_PRINTF(1, 2);

/* A path in aqtest_tmpdir() that nothing has used. */
char *fresh_path(const char *name);

/* Opens or fails the test. */
aq_store *store_open(const char *path, aq_store_mode mode);

/* What opening says: fails the test unless it fails with `status`, a text that
 * holds `words`, and no newline. */
void store_open_fails(const char *path, aq_store_mode mode, aq_status status,
                      const char *words);

/* A run of which only kind and name are known. */
aq_run_info run_named(const char *name);

/* Row i of a run with a seed: every field differs, some are unknown, some are
 * as large as they may be. */
aq_record row_of(int64_t seed, int64_t i);

/* A writer of a run with a name, and its end. */
aq_store_writer *writer_open(aq_store *store, const char *name);
void writer_finish(aq_store_writer *writer);

/* Writers that return a status, for processes that must not assert. */
aq_status write_rows(aq_store_writer *writer, int64_t seed, int64_t first,
                     int64_t count, aq_diag *diag);
aq_status write_run(aq_store *store, const char *name, int64_t seed,
                    int64_t count, int64_t *run, aq_diag *diag);

/* write_run or fail the test; returns the run's id. */
int64_t make_run(aq_store *store, const char *name, int64_t seed,
                 int64_t count);

/* A run as the program makes them: kernels of two names on the two queues of a
 * device, an edge and a sample; with an origin, row i replays row i. Returns
 * its id. */
int64_t make_sound_run(aq_store *store, const char *name, int64_t origin,
                       int64_t count);

/* Fails the test unless the run has the first rows of its seed; how many. */
int64_t check_rows(aq_store *store, int64_t run, int64_t seed);

/* And unless those are `count`. */
void check_run(aq_store *store, int64_t run, int64_t seed, int64_t count);

/* One integer, or text, that a query of its own connection yields. */
int64_t sql_integer(const char *path, const char *sql);
char *sql_text(const char *path, const char *sql); /* free() */
void sql_run(const char *path, const char *sql);

/* Content of a file; the caller's to free. */
char *file_bytes(const char *path, size_t *size);

/* The exit code of a child process, or -1 when a signal ended it. */
int child_exit(int pid);

#endif
