/* SPDX-License-Identifier: MIT */
#include "support/aqtest.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "store/store_test.h"

static const aq_run_info full = {
    .kind = AQ_RUN_SIMULATED,
    .name = "s",
    .origin = 12,
    .source = "/tmp/it's a \"trace\".json",
    .format = "kineto",
    .transport = "sim",
    .device_model = "mi300x",
    .model_hash = "00ff",
    .model_verdict = "partly",
    .command = "aqueduct replay 12",
    .version = "0.1.0",
    .notes = "{\"repaired\":3}",
    .seed = -1,
    .base_ns = INT64_MAX,
    .reproducible = true,
};

static void check_text(const char *got, const char *expected)
{
  if (expected)
    ck_assert_str_eq(got, expected);
  else
    ck_assert_ptr_null(got);
}

static void check_info(const aq_run_info *got, const aq_run_info *expected)
{
  ck_assert_int_eq(got->kind, expected->kind);
  check_text(got->name, expected->name);
  ck_assert_int_eq(got->origin, expected->origin);
  check_text(got->source, expected->source);
  check_text(got->format, expected->format);
  check_text(got->transport, expected->transport);
  check_text(got->device_model, expected->device_model);
  check_text(got->model_hash, expected->model_hash);
  check_text(got->model_verdict, expected->model_verdict);
  check_text(got->command, expected->command);
  check_text(got->version, expected->version);
  check_text(got->notes, expected->notes);
  ck_assert_int_eq(got->seed, expected->seed);
  ck_assert_int_eq(got->base_ns, expected->base_ns);
  ck_assert_int_eq(got->reproducible, expected->reproducible);
}

static aq_run_info *find(aq_store *store, const char *text)
{
  aq_diag diag = AQ_DIAG_INIT;
  aq_run_info *info = NULL;
  ck_assert_status(aq_store_find(store, text, &info, &diag), AQ_OK, &diag);
  return info;
}

static int64_t find_id(aq_store *store, const char *text)
{
  aq_run_info *info = find(store, text);
  int64_t id = info->id;
  aq_run_info_free(info);
  return id;
}

static void find_fails(aq_store *store, const char *text, const char *words)
{
  aq_diag diag = AQ_DIAG_INIT;
  aq_run_info *info = NULL;
  ck_assert_status(aq_store_find(store, text, &info, &diag), AQ_ERR_NOT_FOUND,
                   &diag);
  ck_assert_ptr_null(info);
  ck_assert_msg(strstr(diag.text, words) != NULL, "\"%s\" lacks \"%s\"",
                diag.text, words);
}

static aq_status write_info(aq_store *store, const aq_run_info *first,
                            const aq_run_info *last, aq_diag *diag)
{
  aq_store_writer *writer;
  aq_status status = aq_store_writer_open(store, first, &writer, diag);
  return status ? status : aq_store_writer_finish(writer, last, diag);
}

START_TEST(all_that_is_said_of_a_run_survives)
{
  aq_store *store = store_open(":memory:", AQ_STORE_WRITE);
  aq_diag diag = AQ_DIAG_INIT;
  const aq_run_info empty = run_named(NULL);
  int64_t before = (int64_t)time(NULL);
  ck_assert_status(write_info(store, &full, NULL, &diag), AQ_OK, &diag);
  ck_assert_status(write_info(store, &empty, NULL, &diag), AQ_OK, &diag);
  aq_run_info *got = find(store, "1");
  check_info(got, &full);
  ck_assert_int_eq(got->id, 1);
  ck_assert(got->complete);
  ck_assert_int_ge(got->created, before);
  ck_assert_int_le(got->created, (int64_t)time(NULL));
  aq_run_info_free(got);
  got = find(store, "2");
  check_info(got, &empty);
  aq_run_info_free(got);
  aq_store_close(store);
}
END_TEST

START_TEST(what_became_known_while_it_was_written_replaces_what_was_said)
{
  aq_store *store = store_open(":memory:", AQ_STORE_WRITE);
  aq_diag diag = AQ_DIAG_INIT;
  aq_run_info first = run_named("early");
  first.notes = "{}";
  ck_assert_status(write_info(store, &first, &full, &diag), AQ_OK, &diag);
  aq_run_info *got = find(store, "s");
  check_info(got, &full);
  ck_assert(got->complete);
  aq_run_info_free(got);
  find_fails(store, "early", "there are: 1 (s)");
  aq_store_close(store);
}
END_TEST

START_TEST(a_name_is_given_once)
{
  aq_store *store = store_open(":memory:", AQ_STORE_WRITE);
  aq_diag diag = AQ_DIAG_INIT;
  const aq_run_info m = run_named("m"), other = run_named("other");
  make_run(store, "m", 1, 10);
  ck_assert_status(write_info(store, &m, NULL, &diag), AQ_ERR_EXISTS, &diag);
  ck_assert_ptr_nonnull(strstr(diag.text, "\"m\""));
  ck_assert_status(write_info(store, &other, &m, &diag), AQ_ERR_EXISTS, &diag);
  aq_run_info *got = find(store, "other");
  ck_assert(!got->complete);
  aq_run_info_free(got);
  check_run(store, find_id(store, "m"), 1, 10);
  make_run(store, NULL, 1, 1);
  make_run(store, NULL, 1, 1);
  aq_store_close(store);
}
END_TEST

START_TEST(a_name_that_could_not_be_found_again_is_refused)
{
  aq_store *store = store_open(":memory:", AQ_STORE_WRITE);
  const char *const names[] = {"", "12", "latest"};
  for (size_t i = 0; i < 3; i++) {
    aq_diag diag = AQ_DIAG_INIT;
    const aq_run_info info = run_named(names[i]);
    ck_assert_status(write_info(store, &info, NULL, &diag), AQ_ERR_INVALID,
                     &diag);
  }
  aq_run_list list;
  aq_diag diag = AQ_DIAG_INIT;
  ck_assert_status(aq_store_list(store, &list, &diag), AQ_OK, &diag);
  ck_assert_uint_eq(list.count, 0);
  aq_run_list_fini(&list);
  aq_store_close(store);
}
END_TEST

START_TEST(a_run_is_found_by_id_by_name_and_as_the_latest)
{
  aq_store *store = store_open(":memory:", AQ_STORE_WRITE);
  aq_diag diag = AQ_DIAG_INIT;
  find_fails(store, "latest", "it holds no runs yet");
  make_run(store, "a", 1, 0);
  make_run(store, "1st", 1, 0);
  aq_store_writer *writer = writer_open(store, "open");
  ck_assert_int_eq(find_id(store, "1"), 1);
  ck_assert_int_eq(find_id(store, "a"), 1);
  ck_assert_int_eq(find_id(store, "1st"), 2);
  ck_assert_int_eq(find_id(store, "open"), 3);
  ck_assert_int_eq(find_id(store, "latest"), 2);
  find_fails(store, "b", "\"b\"; there are: 1 (a), 2 (1st), 3 (open) incompl");
  find_fails(store, "4", "no run \"4\"; there");
  find_fails(store, "99999999999999999999", "no run");
  find_fails(store, "-1", "no run");
  find_fails(store, "", "no run");
  find_fails(store, "A' OR 1=1 --", "no run");
  aq_run_info *info = NULL;
  ck_assert_status(aq_store_run(store, 2, &info, &diag), AQ_OK, &diag);
  ck_assert_str_eq(info->name, "1st");
  aq_run_info_free(info);
  ck_assert_status(aq_store_run(store, AQ_NONE, &info, &diag), AQ_ERR_NOT_FOUND,
                   &diag);
  aq_store_writer_abort(writer);
  aq_store_close(store);
}
END_TEST

START_TEST(a_long_list_of_runs_names_the_newest_in_errors)
{
  aq_store *store = store_open(":memory:", AQ_STORE_WRITE);
  for (int i = 0; i < 30; i++)
    make_run(store, NULL, 1, 0);
  find_fails(store, "x", "the newest are: 23, 24, 25, 26, 27, 28, 29, 30");
  aq_store_close(store);
}
END_TEST

START_TEST(the_list_has_all_runs_oldest_first)
{
  aq_store *store = store_open(":memory:", AQ_STORE_WRITE);
  aq_diag diag = AQ_DIAG_INIT;
  aq_run_list list;
  for (int i = 0; i < 9; i++)
    make_run(store, NULL, 1, 0);
  ck_assert_status(aq_store_remove(store, 4, &diag), AQ_OK, &diag);
  ck_assert_status(aq_store_list(store, &list, &diag), AQ_OK, &diag);
  ck_assert_uint_eq(list.count, 8);
  for (size_t i = 0; i < list.count; i++)
    ck_assert_int_eq(list.runs[i]->id, (int64_t)i + (i < 3 ? 1 : 2));
  aq_run_list_fini(&list);
  aq_store_close(store);
}
END_TEST

START_TEST(removing_a_run_leaves_the_others)
{
  aq_store *store = store_open(":memory:", AQ_STORE_WRITE);
  aq_diag diag = AQ_DIAG_INIT;
  int64_t a = make_run(store, "a", 1, 100), b = make_run(store, "b", 2, 100);
  int64_t c = make_run(store, "c", 3, 100);
  ck_assert_status(aq_store_remove(store, b, &diag), AQ_OK, &diag);
  find_fails(store, "b", "there are: 1 (a), 3 (c)");
  check_run(store, a, 1, 100);
  check_run(store, c, 3, 100);
  ck_assert_status(aq_store_remove(store, b, &diag), AQ_ERR_NOT_FOUND, &diag);
  ck_assert_status(aq_store_remove(store, AQ_NONE, &diag), AQ_ERR_NOT_FOUND,
                   &diag);
  ck_assert_status(aq_store_remove(store, INT64_MAX, &diag), AQ_ERR_NOT_FOUND,
                   &diag);
  check_run(store, a, 1, 100);
  aq_store_close(store);
}
END_TEST

AQ_TEST_MAIN("store/runs", all_that_is_said_of_a_run_survives,
             what_became_known_while_it_was_written_replaces_what_was_said,
             a_name_is_given_once,
             a_name_that_could_not_be_found_again_is_refused,
             a_run_is_found_by_id_by_name_and_as_the_latest,
             a_long_list_of_runs_names_the_newest_in_errors,
             the_list_has_all_runs_oldest_first,
             removing_a_run_leaves_the_others)
