/* SPDX-License-Identifier: MIT */
#include "support/aqtest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/maintenance.h"
#include "store/store_test.h"

/* The findings of a check: "problem 2: …" a line each. */
typedef struct findings {
  char text[4096];
  int problems, remarks;
} findings;

static void take(const aq_check_finding *finding, void *user)
{
  findings *all = user;
  const size_t length = strlen(all->text);
  const bool problem = finding->level == AQ_CHECK_PROBLEM;
  all->problems += problem;
  all->remarks += !problem;
  ck_assert_ptr_null(strchr(finding->text, '\n'));
  snprintf(all->text + length, sizeof all->text - length, "%s %lld: %s\n",
           problem ? "problem" : "remark", (long long)finding->run,
           finding->text);
}

static void check_path(const char *path, findings *out)
{
  aq_diag diag = AQ_DIAG_INIT;
  aq_store *store = store_open(path, AQ_STORE_READ);
  *out = (findings){0};
  ck_assert_status(aq_store_check(store, take, out, &diag), AQ_OK, &diag);
  aq_store_close(store);
}

/* Two runs, the second a replay of the first. */
static char *make_sound_store(const char *name)
{
  char *path = fresh_path(name);
  aq_store *store = store_open(path, AQ_STORE_WRITE);
  int64_t m = make_sound_run(store, "m", AQ_NONE, 100);
  make_sound_run(store, "s", m, 100);
  aq_store_close(store);
  return path;
}

START_TEST(a_sound_store_has_no_findings)
{
  findings got;
  check_path(make_sound_store("sound.db"), &got);
  ck_assert_str_eq(got.text, "");
  char *path = fresh_path("empty.db");
  aq_store_close(store_open(path, AQ_STORE_WRITE));
  check_path(path, &got);
  ck_assert_str_eq(got.text, "");
}
END_TEST

/* A damage to a sound store, and its finding. */
static const struct {
  const char *sql, *finding;
} damages[] = {
    {"DELETE FROM records WHERE id = (1 << 32) + 50",
     "problem 1: row count 99, expected 100\n"},
    {"UPDATE records SET id = (1 << 32) + 700 WHERE id = (1 << 32) + 50",
     "problem 1: its rows are not numbered from 0 to 99\n"},
    {"UPDATE records SET name = 2 WHERE id < (1 << 32) + 3",
     "problem 1: 3 of its rows: name not in the run\n"},
    {"UPDATE records SET device = 1 WHERE id = (2 << 32)",
     "problem 2: 1 of its rows: device not in the run\n"},
    {"UPDATE records SET queue = -1 WHERE id = (2 << 32)",
     "problem 2: 1 of its rows: queue not in the run\n"},
    {"UPDATE records SET queue = (SELECT count(*) FROM queues WHERE run = 2) "
     "WHERE id = (2 << 32)",
     "problem 2: 1 of its rows: queue not in the run\n"},
    {"UPDATE records SET kind = 99 WHERE id = (2 << 32)",
     "problem 2: 1 of its rows: unknown kind\n"},
    {"UPDATE records SET kind = NULL WHERE id = (2 << 32)",
     "problem 2: 1 of its rows: unknown kind\n"},
    {"UPDATE names SET id = 5 WHERE id = 1 AND run = 1",
     "2 entries of names, not numbered 0, 1, 2...\n"},
    {"UPDATE queues SET device = 3 WHERE run = 1 AND ordinal = 0",
     "problem 1: 1 of its queues: device not in the run\n"},
    {"UPDATE edges SET from_row = 100 WHERE run = 1",
     "problem 1: 1 of its edges: row not in the run\n"},
    {"UPDATE edges SET confidence = 0 WHERE run = 1",
     "problem 1: 1 of its edges: confidence not 1 to 100\n"},
    {"UPDATE runs SET notes = '{' WHERE id = 1",
     "problem 1: the notes of run 1 are not JSON\n"},
    {"UPDATE runs SET kind = 'guessed' WHERE id = 1",
     "problem 1: run 1 is neither measured nor simulated\n"},
    {"DELETE FROM runs WHERE id = 2", "problem 2: has rows but is not there\n"},
    {"DELETE FROM runs WHERE id = 2",
     "problem 2: 2 of the entries of names: run not in the store\n"},
    {"DELETE FROM runs WHERE id = 2",
     "problem 2: 1 of the entries of counters: run not in the store\n"},
    {"UPDATE sqlite_sequence SET seq = 1",
     "problem 2: id 2 may be given to another run\n"},
};

START_TEST(each_rule_that_is_broken_is_told)
{
  for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
    char *path = make_sound_store("broken.db");
    findings got;
    sql_run(path, damages[i].sql);
    check_path(path, &got);
    ck_assert_msg(strstr(got.text, damages[i].finding) != NULL,
                  "%s: got %s, expected %s", damages[i].sql, got.text,
                  damages[i].finding);
    ck_assert_int_ge(got.problems, 1);
  }
}
END_TEST

START_TEST(incomplete_runs_and_lost_origins_are_remarks)
{
  char *path = make_sound_store("odd.db");
  findings got;
  aq_store *store = store_open(path, AQ_STORE_WRITE);
  aq_diag diag = AQ_DIAG_INIT;
  ck_assert_status(aq_store_remove(store, 1, &diag), AQ_OK, &diag);
  aq_store_close(store);
  sql_run(path, "UPDATE runs SET complete = 0 WHERE id = 2");
  check_path(path, &got);
  ck_assert_str_eq(got.text,
                   "remark 2: incomplete, row count 100: its writer was "
                   "killed, failed or still writes\n"
                   "remark 2: replays run 1, which was removed\n");
}
END_TEST

START_TEST(a_damaged_page_is_a_finding)
{
  char *path = fresh_path("page.db");
  aq_store *store = store_open(path, AQ_STORE_WRITE);
  make_sound_run(store, "m", AQ_NONE, 5000);
  aq_store_close(store);
  FILE *file = fopen(path, "r+b");
  ck_assert_ptr_nonnull(file);
  fseek(file, -3 * 16384, SEEK_END);
  for (int i = 0; i < 16384; i++)
    fputc(0x5a, file);
  fclose(file);
  findings got;
  check_path(path, &got);
  ck_assert_int_ge(got.problems, 1);
}
END_TEST

AQ_TEST_MAIN("store/check", a_sound_store_has_no_findings,
             each_rule_that_is_broken_is_told,
             incomplete_runs_and_lost_origins_are_remarks,
             a_damaged_page_is_a_finding)
