/* SPDX-License-Identifier: MIT */
/*
 * A writer killed at any moment. AQ_KILLS=N sets how many moments (20), and
 * takes larger runs; they are spread over the time that making a store and two
 * runs takes.
 */
#include "support/aqtest.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "store/store_test.h"

enum { KILLS = 20, ROWS = 4000, ROWS_SOAK = 20000 };

static int kills(void)
{
  const char *text = getenv("AQ_KILLS");
  return text ? atoi(text) : KILLS;
}

static int64_t rows(void)
{
  return getenv("AQ_KILLS") ? ROWS_SOAK : ROWS;
}

/* Two runs, then one that is removed; 0 when all went well. */
static int work(const char *path)
{
  aq_store *store;
  aq_diag diag = AQ_DIAG_INIT;
  int64_t run;
  if (aq_store_open(path, AQ_STORE_WRITE, &store, &diag) ||
      write_run(store, "first", 1, rows(), &run, &diag) ||
      write_run(store, "second", 2, rows(), &run, &diag) ||
      write_run(store, "removed", 3, rows() / 4, &run, &diag) ||
      aq_store_remove(store, run, &diag)) {
    fprintf(stderr, "%s\n", diag.text);
    return 1;
  }
  aq_store_close(store);
  return 0;
}

static long elapsed_us(const struct timespec *since)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (now.tv_sec - since->tv_sec) * 1000000 +
         (now.tv_nsec - since->tv_nsec) / 1000;
}

static long time_of_work(void)
{
  char *path = fresh_path("whole.db");
  struct timespec begin;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  int pid = fork();
  if (pid == 0)
    _exit(work(path));
  ck_assert_int_eq(child_exit(pid), 0);
  return elapsed_us(&begin);
}

static void kill_after(const char *path, long us)
{
  int state, pid = fork();
  if (pid == 0)
    _exit(work(path));
  usleep((useconds_t)us);
  ck_assert_int_eq(kill(pid, SIGKILL), 0);
  ck_assert_int_eq(waitpid(pid, &state, 0), pid);
  ck_assert(WIFSIGNALED(state) || WEXITSTATUS(state) == 0);
}

/* Checks that a store is sound and that its complete runs are whole. Returns
 * the number of complete runs. */
static int check_store(const char *path)
{
  aq_store *store = store_open(path, AQ_STORE_WRITE);
  aq_diag diag = AQ_DIAG_INIT;
  aq_run_list list;
  int complete = 0;
  ck_assert_status(aq_store_list(store, &list, &diag), AQ_OK, &diag);
  for (size_t i = 0; i < list.count; i++) {
    const aq_run_info *run = list.runs[i];
    const int64_t whole[] = {0, rows(), rows(), rows() / 4};
    ck_assert_int_eq(run->id, (int64_t)i + 1);
    const int64_t stored = check_rows(store, run->id, run->id);
    if (run->complete)
      ck_assert_int_eq(stored, whole[run->id]);
    complete += run->complete;
    /* Only the newest can have been cut off. */
    ck_assert(run->complete || i + 1 == list.count);
  }
  aq_run_list_fini(&list);
  aq_store_close(store);
  char *verdict = sql_text(path, "PRAGMA integrity_check");
  ck_assert_str_eq(verdict, "ok");
  free(verdict);
  ck_assert_int_eq(
      sql_integer(path, "SELECT count(*) FROM records WHERE id >> 32 NOT IN "
                        "(SELECT id FROM runs)"),
      0);
  ck_assert_int_eq(
      sql_integer(path, "SELECT (SELECT count(*) FROM records) - "
                        "(SELECT coalesce(sum(row_count), 0) FROM runs)"),
      0);
  return complete;
}

START_TEST(a_writer_killed_at_any_moment_leaves_a_sound_store)
{
  const long whole = time_of_work();
  const int count = kills();
  for (int i = 0; i < count; i++) {
    char *path = fresh_path("killed.db");
    kill_after(path, whole * i / count);
    int complete = check_store(path);
    ck_assert_int_le(complete, 3);
  }
}
END_TEST

START_TEST(a_store_goes_on_after_its_writer_was_killed)
{
  char *path = fresh_path("killed.db");
  const long whole = time_of_work();
  kill_after(path, whole / 4);
  aq_store *store = store_open(path, AQ_STORE_WRITE);
  int64_t run = make_run(store, "after", 5, 1000);
  check_run(store, run, 5, 1000);
  aq_run_info *info;
  aq_diag diag = AQ_DIAG_INIT;
  ck_assert_status(aq_store_find(store, "latest", &info, &diag), AQ_OK, &diag);
  ck_assert_int_eq(info->id, run);
  aq_run_info_free(info);
  aq_store_close(store);
}
END_TEST

AQ_TEST_MAIN("store/crash", a_writer_killed_at_any_moment_leaves_a_sound_store,
             a_store_goes_on_after_its_writer_was_killed)
