/* SPDX-License-Identifier: MIT */
/* The report of a check: which findings it counts, and what suppresses them. */
#include "store/store_test.h"
#include "support/aqtest.h"

#include <stdio.h>
#include <string.h>

#include "cli/exec/findings_priv.h"

static bool is_suppressed(const char *lines, const aq_finding_texts *finding)
{
  aq_suppressions *list = NULL;
  aq_diag diag = AQ_DIAG_INIT;
  FILE *in = fmemopen((void *)(uintptr_t)lines, strlen(lines), "r");
  ck_assert_status(aq_suppressions_parse(in, "list", &list, &diag), AQ_OK,
                   &diag);
  fclose(in);
  const bool matches = aq_suppressions_match(list, finding);
  aq_suppressions_free(list);
  return matches;
}

START_TEST(a_suppression_names_any_frame_as_the_report_prints_it)
{
  const aq_finding_texts f = {.category = "memory",
                              .kind = "out of bounds",
                              .kernel = "_Z4fillPiii",
                              .file = "/home/me/fill.hip",
                              .made =
                                  "hipMalloc (libamdhip64.so.5+0x1b4001)\n"
                                  "_ZN4pool5startEi at /home/me/pool.cpp:15\n"
                                  "main at /home/me/app.cpp:40"};
  static const char *const matching[] = {
      "*:_Z4fillPiii",
      "*:fill(int*, int, int)",
      "memory:*/fill.hip",
      "out of bounds:hipMalloc",
      "*:_ZN4pool5startEi",
      "*:pool::start(int)",
      "*:*/pool.cpp:15",
      "*:_ZN4pool5startEi at /home/me/pool.cpp:15",
      "*:pool::start(int) at /home/me/pool.cpp:15",
      "*:pool::start* at *",
      "*:main"};
  for (size_t i = 0; i < sizeof matching / sizeof *matching; i++)
    ck_assert_msg(is_suppressed(matching[i], &f), "%s", matching[i]);
  static const char *const others[] = {"race:main", "*:pool", "*:start(int)",
                                       "possible:main"};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    ck_assert_msg(!is_suppressed(others[i], &f), "%s", others[i]);
}
END_TEST

START_TEST(a_finding_without_texts_counts_and_fails)
{
  aq_diag diag = AQ_DIAG_INIT;
  aq_store *store = store_open(fresh_path("found.db"), AQ_STORE_WRITE);
  aq_store_writer *writer = writer_open(store, "r");
  aq_record_sink *sink = aq_store_writer_sink(writer);
  const int64_t run = aq_store_writer_run(writer);
  aq_finding row;
  int64_t *fields = (int64_t *)&row;
  for (int i = 0; i < AQ_FINDING_FIELD_COUNT; i++)
    fields[i] = AQ_NONE;
  row.site = row.possible = 0;
  row.count = 3;
  ck_assert_status(sink->put_findings(sink, &row, 1, &diag), AQ_OK, &diag);
  writer_finish(writer);
  const aq_findings_options options = {
      .checks = "all", .file = path_of("%s/report", aqtest_tmpdir())};
  aq_findings *found = NULL;
  uint64_t count = 0;
  ck_assert_status(aq_findings_open(&options, &found, &diag), AQ_OK, &diag);
  ck_assert_status(aq_findings_add(found, store, run, &diag), AQ_OK, &diag);
  ck_assert_ptr_nonnull(strstr(aq_findings_text(found), "1 error and 0"));
  ck_assert_status(aq_findings_close(&found, NULL, &count, &diag), AQ_OK,
                   &diag);
  ck_assert_uint_eq(count, 1);
  aq_store_close(store);
}
END_TEST

AQ_TEST_MAIN("cli/findings",
             a_suppression_names_any_frame_as_the_report_prints_it,
             a_finding_without_texts_counts_and_fails)
