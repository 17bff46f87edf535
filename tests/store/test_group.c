/* SPDX-License-Identifier: MIT */
/* Runs that wait in memory and are stored together, and reserved ids. */
#include "support/aqtest.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/maintenance.h"
#include "store/store_test.h"

enum { RUNS = 5, ROWS = 100 };

/* A run of seed `i` with `count` rows, in memory; its texts are gone by then.
 * NULL: it is not held. */
static aq_store_writer *run_hold(aq_store *store, int64_t i, int64_t count)
{
  aq_diag diag = AQ_DIAG_INIT;
  aq_store_writer *writer;
  bool held;
  char *source = path_of("source %d", (int)i);
  aq_run_info info = run_named(NULL);
  info.source = source;
  ck_assert_status(
      aq_store_writer_open_late(store, &info, NULL, &writer, &diag), AQ_OK,
      &diag);
  ck_assert_status(write_rows(writer, i, 0, count, &diag), AQ_OK, &diag);
  ck_assert_status(aq_store_writer_hold(writer, &info, &held, &diag), AQ_OK,
                   &diag);
  if (!held)
    return writer_finish(writer), NULL;
  memset(source, '?', strlen(source));
  info = (aq_run_info){0};
  return writer;
}

static void runs_hold(aq_store *store, aq_store_writer *writers[RUNS])
{
  for (int i = 0; i < RUNS; i++)
    ck_assert_ptr_nonnull(writers[i] = run_hold(store, i + 1, ROWS));
}

/* Stores them in a group that stays open. */
static aq_status runs_store(aq_store *store, aq_store_writer *writers[RUNS],
                            int64_t first, aq_diag *diag)
{
  aq_status status = aq_store_group_begin(store, diag);
  for (int i = 0; i < RUNS; i++)
    if (status == AQ_OK) {
      aq_store_number(store, first + i);
      status = aq_store_writer_finish(writers[i], NULL, diag);
    } else {
      aq_store_writer_abort(writers[i]);
    }
  return status;
}

static int64_t reserve(aq_store *store, int64_t count)
{
  aq_diag diag = AQ_DIAG_INIT;
  int64_t first;
  ck_assert_status(aq_store_reserve(store, count, &first, &diag), AQ_OK, &diag);
  return first;
}

static int64_t run_count(const char *path)
{
  return sql_integer(path, "SELECT count(*) FROM runs");
}

START_TEST(runs_of_a_group_are_in_the_store_at_once)
{
  char *path = fresh_path("runs.db");
  aq_store *store = store_open(path, AQ_STORE_WRITE);
  aq_store_writer *writers[RUNS];
  aq_diag diag = AQ_DIAG_INIT;
  const int64_t first = reserve(store, RUNS);
  runs_hold(store, writers);
  ck_assert_int_eq(run_count(path), 0);
  ck_assert_status(runs_store(store, writers, first, &diag), AQ_OK, &diag);
  ck_assert_int_eq(run_count(path), 0);
  ck_assert_status(aq_store_group_end(store, true, &diag), AQ_OK, &diag);
  ck_assert_int_eq(
      sql_integer(path, "SELECT count(*) FROM runs WHERE complete"), RUNS);
  for (int i = 0; i < RUNS; i++) {
    aq_run_info *info;
    char *source = path_of("source %d", i + 1);
    check_run(store, first + i, i + 1, ROWS);
    ck_assert_status(aq_store_run(store, first + i, &info, &diag), AQ_OK,
                     &diag);
    ck_assert_str_eq(info->source, source);
    aq_run_info_free(info);
  }
  aq_store_close(store);
}
END_TEST

START_TEST(a_group_that_is_not_kept_leaves_nothing)
{
  char *path = fresh_path("runs.db");
  aq_store *store = store_open(path, AQ_STORE_WRITE);
  aq_store_writer *writers[RUNS];
  aq_diag diag = AQ_DIAG_INIT;
  const int64_t kept = make_run(store, "kept", 9, ROWS);
  const int64_t first = reserve(store, RUNS);
  runs_hold(store, writers);
  ck_assert_status(runs_store(store, writers, first, &diag), AQ_OK, &diag);
  ck_assert_status(aq_store_remove(store, kept, &diag), AQ_OK, &diag);
  ck_assert_status(aq_store_group_end(store, false, &diag), AQ_OK, &diag);
  ck_assert_int_eq(run_count(path), 1);
  check_run(store, kept, 9, ROWS);
  ck_assert_int_eq(make_run(store, "later", 2, ROWS), first + RUNS);
  aq_store_close(store);
}
END_TEST

/* One that outgrows the memory of its writer is in the store in part. */
START_TEST(a_long_run_is_not_held)
{
  char *path = fresh_path("runs.db");
  aq_store *store = store_open(path, AQ_STORE_WRITE);
  ck_assert_ptr_null(run_hold(store, 1, 40000));
  check_run(store, 1, 1, 40000);
  aq_store_close(store);
}
END_TEST

START_TEST(reserved_ids_are_given_to_no_other_run)
{
  char *path = fresh_path("runs.db");
  aq_store *store = store_open(path, AQ_STORE_WRITE);
  aq_store *other = store_open(path, AQ_STORE_WRITE);
  aq_diag diag = AQ_DIAG_INIT;
  ck_assert_int_eq(reserve(store, 3), 1);
  ck_assert_int_eq(reserve(other, 2), 4);
  ck_assert_int_eq(make_run(other, "a", 1, 1), 6);
  aq_store_number(store, 2);
  ck_assert_int_eq(make_run(store, "b", 1, 1), 2);
  ck_assert_int_eq(make_run(store, "c", 1, 1), 7);
  ck_assert_status(aq_store_remove(store, 7, &diag), AQ_OK, &diag);
  ck_assert_int_eq(reserve(store, 1), 8);
  aq_store_close(other);
  aq_store_close(store);
}
END_TEST

static void end_with(int signal_number)
{
  if (signal_number)
    raise(signal_number);
  _exit(0);
}

/* A child that stores a group, with room for `bytes` more in files, and ends
 * within it. Exits with 1 where it does not fail as it should. */
static pid_t group_child(const char *path, rlim_t bytes, bool ends)
{
  aq_store_writer *writers[RUNS];
  aq_diag diag = AQ_DIAG_INIT;
  const pid_t pid = fork();
  if (pid != 0)
    return pid;
  aq_store *store = store_open(path, AQ_STORE_WRITE);
  const int64_t first = reserve(store, RUNS);
  runs_hold(store, writers);
  signal(SIGXFSZ, SIG_IGN);
  if (bytes)
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){bytes, RLIM_INFINITY});
  aq_status status = runs_store(store, writers, first, &diag);
  if (ends)
    end_with(SIGKILL);
  const aq_status end = aq_store_group_end(store, status == AQ_OK, &diag);
  status = status == AQ_OK ? end : status;
  aq_store_close(store);
  _exit(status == AQ_ERR_IO || status == AQ_ERR_NO_MEMORY ? 0 : 1);
}

static void group_fails(rlim_t bytes, bool ends)
{
  char *path = fresh_path("runs.db");
  aq_store *store = store_open(path, AQ_STORE_WRITE);
  const int64_t kept = make_run(store, "kept", 9, ROWS);
  aq_store_close(store);
  int how;
  ck_assert_int_gt(waitpid(group_child(path, bytes, ends), &how, 0), 0);
  ck_assert(ends ? WIFSIGNALED(how) : WIFEXITED(how) && !WEXITSTATUS(how));
  store = store_open(path, AQ_STORE_WRITE);
  ck_assert_int_eq(run_count(path), 1);
  check_run(store, kept, 9, ROWS);
  ck_assert_int_gt(make_run(store, "later", 2, ROWS), kept + RUNS);
  aq_store_close(store);
  char *verdict = sql_text(path, "PRAGMA integrity_check");
  ck_assert_str_eq(verdict, "ok");
  free(verdict);
}

START_TEST(a_process_that_is_killed_within_a_group_leaves_nothing_of_it)
{
  group_fails(0, true);
}
END_TEST

START_TEST(a_group_on_a_full_disk_leaves_nothing)
{
  group_fails(100000, false);
}
END_TEST

AQ_TEST_MAIN("store/group", runs_of_a_group_are_in_the_store_at_once,
             a_group_that_is_not_kept_leaves_nothing, a_long_run_is_not_held,
             reserved_ids_are_given_to_no_other_run,
             a_process_that_is_killed_within_a_group_leaves_nothing_of_it,
             a_group_on_a_full_disk_leaves_nothing)
