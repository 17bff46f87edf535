/* SPDX-License-Identifier: MIT */
/* Figures of runs whose requests and preemptions are known by heart. */
#include "support/aqtest.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "study/sweep/study.h"

enum { REQUESTS = 200 };

static aq_diag diag = AQ_DIAG_INIT;

/* Request i comes at i us and takes 1 us more than the one before in its
 * hundred; the two clients take turns. */
static void requests_put(aq_record_sink *sink)
{
  for (int64_t i = 0; i < REQUESTS; i++) {
    const aq_request request = {.client = i % 2,
                                .entry = i % 2,
                                .arrival = i * AQ_US,
                                .begin = i * AQ_US,
                                .complete = (i + 1 + i % 100) * AQ_US,
                                .deadline = AQ_NONE,
                                .hint = AQ_NONE};
    ck_assert_status(sink->put_requests(sink, &request, 1, &diag), AQ_OK,
                     &diag);
  }
}

static const char summary[] =
    "{\"begin_ps\": 0, \"end_ps\": 300000000, \"preemptions_kept\": true, "
    "\"clients\": [{\"name\": \"a\"}, {\"name\": \"b\"}]}";

/* As it was before preemptions were kept. */
static const char summary_before[] =
    "{\"begin_ps\": 0, \"end_ps\": 300000000, "
    "\"clients\": [{\"name\": \"a\"}, {\"name\": \"b\"}]}";

/* Of a run whose policy stopped `count` jobs, the i-th at i us for i ns, of
 * both clients in turns; all but the last wasted 3 us, and that was given up.
 */
static void run_make(aq_store *store, const char *text, int64_t count)
{
  aq_store_writer *writer;
  const aq_run_info info = {.kind = AQ_RUN_SIMULATED,
                            .name = "study",
                            .source = "known",
                            .seed = 1,
                            .summary = text};
  ck_assert_status(aq_store_writer_open(store, &info, &writer, &diag), AQ_OK,
                   &diag);
  aq_record_sink *sink = aq_store_writer_sink(writer);
  requests_put(sink);
  for (int64_t i = 0; i < count; i++) {
    const bool last = i + 1 == count;
    const aq_preempted row = {.entry = i % 2,
                              .client = i % 2,
                              .mode = AQ_PREEMPTED_RESET,
                              .asked = i * AQ_US,
                              .freed = last ? AQ_NONE : i * AQ_US + i * AQ_NS,
                              .wasted = last ? 0 : 3 * AQ_US};
    ck_assert_status(sink->put_preempted(sink, &row, 1, &diag), AQ_OK, &diag);
  }
  ck_assert_status(aq_store_writer_finish(writer, &info, &diag), AQ_OK, &diag);
}

static aq_store *store_make(void)
{
  aq_store *store;
  char path[4096];
  snprintf(path, sizeof path, "%s/study.db", aqtest_tmpdir());
  unlink(path); /* of the test before, in the same process */
  ck_assert_status(aq_store_open(path, AQ_STORE_WRITE, &store, &diag), AQ_OK,
                   &diag);
  return store;
}

static double figure(const aq_study *study, size_t row, size_t which)
{
  ck_assert_uint_lt(row, study->count);
  return study->rows[row].replicas[0].figures[which];
}

static void is_near(double got, double expected)
{
  ck_assert_msg(fabs(got - expected) < 1e-9, "got %.12g, expected %.12g", got,
                expected);
}

/* Nothing is left out as warm-up. */
static aq_study study_make(aq_store *store, bool by_client)
{
  aq_study study;
  const aq_study_options options = {.warmup = AQ_WARMUP_PART,
                                    .by_client = by_client};
  ck_assert_status(aq_study_make(store, NULL, 0, &options, &study, &diag),
                   AQ_OK, &diag);
  return study;
}

START_TEST(preemptions_have_lengths_and_waste)
{
  aq_store *store = store_make();
  run_make(store, summary, 101);
  aq_study study = study_make(store, false);
  is_near(figure(&study, 0, AQ_FIGURE_requests), REQUESTS);
  /* The last request completes at 299 us. */
  is_near(figure(&study, 0, AQ_FIGURE_throughput), REQUESTS / 299e-6);
  is_near(figure(&study, 0, AQ_FIGURE_preemptions) / (101 / 299e-6), 1);
  is_near(figure(&study, 0, AQ_FIGURE_wasted), 100 * 3.0 / REQUESTS);
  is_near(figure(&study, 0, AQ_FIGURE_preempt_p50), .05);
  is_near(figure(&study, 0, AQ_FIGURE_preempt_p99), .099);
  aq_study_fini(&study);
  aq_store_close(store);
}
END_TEST

START_TEST(preemptions_count_for_the_client_that_was_stopped)
{
  aq_store *store = store_make();
  run_make(store, summary, 101);
  aq_study study = study_make(store, true);
  ck_assert_uint_eq(study.count, 2);
  /* 0, 2, ... 98 and the one that was given up; 1, 3, ... 99. */
  is_near(figure(&study, 0, AQ_FIGURE_preempt_p50), .05);
  is_near(figure(&study, 1, AQ_FIGURE_preempt_p50), .051);
  is_near(figure(&study, 0, AQ_FIGURE_wasted), 50 * 3.0 / (REQUESTS / 2));
  is_near(figure(&study, 1, AQ_FIGURE_wasted), 50 * 3.0 / (REQUESTS / 2));
  aq_study_fini(&study);
  aq_store_close(store);
}
END_TEST

START_TEST(what_was_stopped_while_warming_up_does_not_count)
{
  aq_store *store = store_make();
  aq_study study;
  const aq_study_options options = {.warmup = AQ_WARMUP_PART, .part = .5};
  run_make(store, summary, 101);
  ck_assert_status(aq_study_make(store, NULL, 0, &options, &study, &diag),
                   AQ_OK, &diag);
  is_near(figure(&study, 0, AQ_FIGURE_requests), REQUESTS / 2);
  is_near(figure(&study, 0, AQ_FIGURE_wasted), 0);
  ck_assert(isnan(figure(&study, 0, AQ_FIGURE_preempt_p50)));
  aq_study_fini(&study);
  aq_store_close(store);
}
END_TEST

START_TEST(a_run_in_which_nothing_was_stopped_wastes_nothing)
{
  aq_store *store = store_make();
  run_make(store, summary, 0);
  aq_study study = study_make(store, false);
  is_near(figure(&study, 0, AQ_FIGURE_wasted), 0);
  is_near(figure(&study, 0, AQ_FIGURE_preemptions), 0);
  ck_assert(isnan(figure(&study, 0, AQ_FIGURE_preempt_p99)));
  aq_study_fini(&study);
  aq_store_close(store);
}
END_TEST

START_TEST(a_run_from_before_preemptions_were_kept_does_not_tell_of_them)
{
  aq_store *store = store_make();
  run_make(store, summary_before, 0);
  aq_study study = study_make(store, false);
  is_near(figure(&study, 0, AQ_FIGURE_p50), 51);
  ck_assert(isnan(figure(&study, 0, AQ_FIGURE_wasted)));
  ck_assert(isnan(figure(&study, 0, AQ_FIGURE_preemptions)));
  aq_study_fini(&study);
  aq_store_close(store);
}
END_TEST

START_TEST(quantiles_are_responses_that_were_seen)
{
  static const struct {
    size_t figure;
    double us;
  } cases[] = {{AQ_FIGURE_p50, 51},   {AQ_FIGURE_p90, 91},
               {AQ_FIGURE_p99, 100},  {AQ_FIGURE_p999, 100},
               {AQ_FIGURE_max, 100},  {AQ_FIGURE_mean, 50.5},
               {AQ_FIGURE_jain, 1.0}, {AQ_FIGURE_rejected, 0}};
  aq_store *store = store_make();
  run_make(store, summary, 0);
  aq_study study = study_make(store, false);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    is_near(figure(&study, 0, cases[i].figure), cases[i].us);
  ck_assert(isnan(figure(&study, 0, AQ_FIGURE_met)));
  aq_study_fini(&study);
  aq_store_close(store);
}
END_TEST

AQ_TEST_MAIN("study/sweep/study", preemptions_have_lengths_and_waste,
             preemptions_count_for_the_client_that_was_stopped,
             what_was_stopped_while_warming_up_does_not_count,
             a_run_in_which_nothing_was_stopped_wastes_nothing,
             a_run_from_before_preemptions_were_kept_does_not_tell_of_them,
             quantiles_are_responses_that_were_seen)
