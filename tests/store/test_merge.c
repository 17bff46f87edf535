/* SPDX-License-Identifier: MIT */
#include "support/aqtest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/maintenance.h"
#include "store/store_test.h"

typedef struct merged {
  aq_merged_run runs[8]; /* without their names */
  size_t count;
  const char *path; /* of the other store, for remove_next */
} merged;

static void take(const aq_merged_run *run, void *user)
{
  merged *all = user;
  ck_assert_uint_lt(all->count, 8);
  all->runs[all->count++] = *run;
}

static merged merge(const char *into, const char *path)
{
  merged got = {0};
  aq_diag diag = AQ_DIAG_INIT;
  aq_store *store = store_open(into, AQ_STORE_WRITE);
  ck_assert_status(aq_store_merge(store, path, take, &got, &diag), AQ_OK,
                   &diag);
  aq_store_close(store);
  return got;
}

static void no_finding(const aq_check_finding *finding, void *user)
{
  (void)user;
  ck_abort_msg("run %lld: %s", (long long)finding->run, finding->text);
}

static void check_is_sound(const char *path)
{
  aq_diag diag = AQ_DIAG_INIT;
  aq_store *store = store_open(path, AQ_STORE_READ);
  ck_assert_status(aq_store_check(store, no_finding, NULL, &diag), AQ_OK,
                   &diag);
  aq_store_close(store);
}

/* A measured run of `count` rows and its replay. */
static char *make_pair(const char *file, int64_t count)
{
  char *path = fresh_path(file);
  aq_store *store = store_open(path, AQ_STORE_WRITE);
  make_sound_run(store, "m", make_sound_run(store, "x", AQ_NONE, count), count);
  aq_store_close(store);
  sql_run(path, "UPDATE runs SET name = 'other' WHERE id = 2;"
                "UPDATE runs SET name = 'm' WHERE id = 1");
  return path;
}

static void check_text(const char *path, const char *sql, const char *expected)
{
  char *text = sql_text(path, sql);
  ck_assert_msg(!strcmp(text, expected), "%s: got %s, expected %s", sql, text,
                expected);
  free(text);
}

START_TEST(runs_come_with_all_that_belongs_to_them)
{
  char *into = make_pair("into.db", 20), *from = make_pair("from.db", 30);
  merged got = merge(into, from);
  ck_assert_uint_eq(got.count, 2);
  ck_assert_int_eq(got.runs[0].fate, AQ_MERGE_COPIED);
  ck_assert_int_eq(got.runs[0].to, 3);
  ck_assert_int_eq(got.runs[1].to, 4);
  check_is_sound(into);
  check_text(into,
             "SELECT group_concat(id || ' ' || name || ' ' || row_count || "
             "coalesce(' of ' || origin, ''), ', ') FROM runs",
             "1 m 20, 2 other 20 of 1, 3 m-2 30, 4 other-2 30 of 3");
  static const char *const tables[] = {"devices", "queues", "names", "edges",
                                       "counters"};
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
    char *here =
        path_of("SELECT count(*) FROM %s WHERE run IN (3, 4)", tables[i]);
    char *there = path_of("SELECT count(*) FROM %s", tables[i]);
    ck_assert_int_gt(sql_integer(from, there), 0);
    ck_assert_int_eq(sql_integer(into, here), sql_integer(from, there));
  }
  check_text(
      into,
      "SELECT count(*) || ' ' || round(sum(end_error_ns), 3) FROM run_pairs "
      "WHERE run = 4",
      "30 0.03");
}
END_TEST

START_TEST(merging_twice_changes_nothing)
{
  char *into = make_pair("into.db", 20), *from = make_pair("from.db", 30);
  merge(into, from);
  merged again = merge(into, from);
  ck_assert_uint_eq(again.count, 2);
  for (size_t i = 0; i < 2; i++) {
    ck_assert_int_eq(again.runs[i].fate, AQ_MERGE_PRESENT);
    ck_assert_int_eq(again.runs[i].to, (int64_t)i + 3);
  }
  ck_assert_int_eq(sql_integer(into, "SELECT count(*) FROM runs"), 4);
}
END_TEST

/* Each of these in the other store makes it another run. */
START_TEST(runs_that_differ_in_anything_are_others)
{
  static const char *const changes[] = {
      "UPDATE records SET end_ps = end_ps + 1 WHERE id = (1 << 32) + 29",
      "UPDATE records SET end_ps = NULL WHERE id = (1 << 32) + 29",
      "UPDATE names SET text = 'tanh' WHERE run = 1 AND id = 0",
      "DELETE FROM edges WHERE run = 1",
      "UPDATE counters SET value = 8 WHERE run = 1",
      "UPDATE queues SET source_id = 9 WHERE run = 1 AND ordinal = 1",
      "UPDATE devices SET cus = NULL WHERE run = 1",
      "UPDATE runs SET notes = '[]' WHERE id = 1",
      "UPDATE runs SET seed = 1 WHERE id = 1",
      "UPDATE runs SET created = created - 1 WHERE id = 1",
  };
  for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
    char *into = fresh_path("into.db"), *from = make_pair("from.db", 30);
    merge(into, from);
    sql_run(from, changes[i]);
    merged again = merge(into, from);
    ck_assert_msg(again.runs[0].fate == AQ_MERGE_COPIED, "%s", changes[i]);
    ck_assert_int_eq(again.runs[1].fate, AQ_MERGE_PRESENT);
  }
}
END_TEST

/* An unknown value is not 0, in any column. */
START_TEST(rows_that_differ_in_one_column_make_another_run)
{
  char *from = make_pair("from.db", 3);
  const int64_t columns =
      sql_integer(from, "SELECT count(*) FROM pragma_table_info('records')");
  ck_assert_int_gt(columns, 30);
  for (int64_t i = 1; i < columns; i++) {
    char *into = fresh_path("into.db"), text[256];
    from = make_pair("from.db", 3);
    merge(into, from);
    snprintf(text, sizeof text,
             "SELECT name FROM pragma_table_info('records') WHERE cid = %lld",
             (long long)i);
    char *column = sql_text(from, text);
    snprintf(text, sizeof text,
             "UPDATE records SET %s = coalesce(%s + 1, 0) "
             "WHERE id = (1 << 32) + 2",
             column, column);
    sql_run(from, text);
    ck_assert_msg(merge(into, from).runs[0].fate == AQ_MERGE_COPIED, "%s",
                  column);
    free(column);
  }
}
END_TEST

START_TEST(incomplete_runs_are_left_out_and_their_replays_lose_the_origin)
{
  char *into = fresh_path("into.db"), *from = make_pair("from.db", 30);
  sql_run(from, "UPDATE runs SET complete = 0 WHERE id = 1");
  merged got = merge(into, from);
  ck_assert_int_eq(got.runs[0].fate, AQ_MERGE_INCOMPLETE);
  ck_assert_int_eq(got.runs[0].to, AQ_NONE);
  ck_assert_int_eq(got.runs[1].fate, AQ_MERGE_COPIED);
  check_text(into, "SELECT count(*) || ' ' || (origin IS NULL) FROM runs",
             "1 1");
}
END_TEST

START_TEST(names_that_are_taken_get_the_first_free_number)
{
  char *into = fresh_path("into.db"), *from = make_pair("from.db", 3);
  aq_store *store = store_open(into, AQ_STORE_WRITE);
  make_sound_run(store, "m", AQ_NONE, 1);
  make_sound_run(store, "m-2", AQ_NONE, 1);
  aq_store_close(store);
  merge(into, from);
  check_text(into, "SELECT name FROM runs WHERE id = 3", "m-3");
}
END_TEST

START_TEST(a_store_is_not_merged_into_itself_nor_what_is_none)
{
  char *into = make_pair("into.db", 3);
  char *linked = fresh_path("link.db"), *text = fresh_path("text.db");
  ck_assert_int_eq(link(into, linked), 0);
  FILE *file = fopen(text, "w");
  fputs("no store", file);
  fclose(file);
  const char *const refused[] = {into, linked, text, "/nonexistent/x.db"};
  for (size_t i = 0; i < 4; i++) {
    aq_diag diag = AQ_DIAG_INIT;
    merged got = {0};
    aq_store *store = store_open(into, AQ_STORE_WRITE);
    ck_assert_int_ne(aq_store_merge(store, refused[i], take, &got, &diag),
                     AQ_OK);
    ck_assert(strstr(diag.text, refused[i]) != NULL);
    aq_store_close(store);
  }
  check_is_sound(into);
}
END_TEST

START_TEST(an_older_store_is_merged_too)
{
  char *into = fresh_path("into.db"), *from = make_pair("from.db", 3);
  sql_run(from, "DROP VIEW samples; DROP TABLE counters;"
                "PRAGMA user_version = 2");
  merge(into, from);
  check_is_sound(into);
}
END_TEST

START_TEST(a_vacuum_gives_back_the_space_of_removed_runs)
{
  char *path = fresh_path("big.db");
  aq_diag diag = AQ_DIAG_INIT;
  aq_vacuum_result result;
  aq_store *store = store_open(path, AQ_STORE_WRITE);
  int64_t run = make_sound_run(store, "m", AQ_NONE, 20000);
  make_sound_run(store, "kept", AQ_NONE, 10);
  ck_assert_status(aq_store_remove(store, run, &diag), AQ_OK, &diag);
  ck_assert_status(aq_store_vacuum(store, &result, &diag), AQ_OK, &diag);
  ck_assert_int_lt(result.after, result.before / 2);
  struct stat info;
  ck_assert_int_eq(stat(path, &info), 0);
  ck_assert_int_eq(info.st_size, result.after);
  aq_store_close(store);
  check_is_sound(path);
  ck_assert_int_eq(sql_integer(path, "SELECT id FROM runs"), 2);
}
END_TEST

/* Another process removes the second run of the store after the first came. */
static void remove_next(const aq_merged_run *run, void *user)
{
  merged *all = user;
  all->count++;
  ck_assert_int_eq(run->from, 1);
  sql_run(all->path, "DELETE FROM runs WHERE id = 2");
}

START_TEST(a_run_that_is_removed_while_it_is_merged_is_an_error)
{
  char *into = fresh_path("into.db");
  merged got = {.path = make_pair("from.db", 3)};
  aq_diag diag = AQ_DIAG_INIT;
  aq_store *store = store_open(into, AQ_STORE_WRITE);
  ck_assert_status(aq_store_merge(store, got.path, remove_next, &got, &diag),
                   AQ_ERR_NOT_FOUND, &diag);
  ck_assert_ptr_nonnull(strstr(diag.text, "run 2 was removed while it was"));
  aq_store_close(store);
  ck_assert_uint_eq(got.count, 1);
  check_is_sound(into);
  check_text(into, "SELECT count(*) FROM runs", "1");
}
END_TEST

/* The keys have the same FNV-1a digest, 4eac0c95540867e4. */
#define FAILED_POINTS                                                          \
  "UPDATE runs SET complete = 0, failed = 'no such device', content_key = "    \
  "CASE id WHEN 1 THEN '8yn0iYCKYHlIj4-BwPqk' ELSE 'GReLUrM4wMqfg9yzV3KQ' END"

START_TEST(points_whose_keys_share_a_digest_are_told_apart)
{
  char *into = make_pair("into.db", 3), *from = make_pair("from.db", 3);
  sql_run(into, FAILED_POINTS);
  sql_run(from, FAILED_POINTS);
  const merged got = merge(into, from);
  ck_assert_uint_eq(got.count, 2);
  for (int i = 0; i < 2; i++) {
    ck_assert_int_eq(got.runs[i].fate, AQ_MERGE_PRESENT);
    ck_assert_int_eq(got.runs[i].to, i + 1);
  }
  check_text(into, "SELECT count(*) FROM runs", "2");
}
END_TEST

AQ_TEST_MAIN("store/merge", runs_come_with_all_that_belongs_to_them,
             merging_twice_changes_nothing,
             runs_that_differ_in_anything_are_others,
             rows_that_differ_in_one_column_make_another_run,
             incomplete_runs_are_left_out_and_their_replays_lose_the_origin,
             names_that_are_taken_get_the_first_free_number,
             a_store_is_not_merged_into_itself_nor_what_is_none,
             an_older_store_is_merged_too,
             a_vacuum_gives_back_the_space_of_removed_runs,
             points_whose_keys_share_a_digest_are_told_apart,
             a_run_that_is_removed_while_it_is_merged_is_an_error)
