/* SPDX-License-Identifier: MIT */
/* Figures of runs whose requests and preemptions are known by heart. */
#include "support/aqtest.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "study/sweep/study_json.h"

enum { REQUESTS = 200 };

static aq_diag diag = AQ_DIAG_INIT;

/* Request i comes at i us and takes 1 us more than the one before in its
 * hundred, times `scale`; the two clients take turns. */
static void requests_put(aq_record_sink *sink, int64_t scale)
{
  for (int64_t i = 0; i < REQUESTS; i++) {
    const aq_request request = {.client = i % 2,
                                .entry = i % 2,
                                .arrival = i * AQ_US,
                                .begin = i * AQ_US,
                                .complete = (i + scale * (1 + i % 100)) * AQ_US,
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
  requests_put(sink, 1);
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

/* ---- which runs share a row ---- */

/* A run of a place; NULL and 0 are the usual. */
typedef struct placed {
  const char *policy, *inputs, *version, *transport, *summary, *key;
  int64_t seed, scale;
  bool single; /* of no plan */
} placed;

static void placed_make(aq_store *store, placed given)
{
  char point[512];
  aq_store_writer *writer;
  const aq_run_info info = {.kind = AQ_RUN_SIMULATED,
                            .source = "known",
                            .version = given.version ? given.version : "1",
                            .transport =
                                given.transport ? given.transport : "sim",
                            .point = point,
                            .content_key = given.key,
                            .seed = given.seed,
                            .summary = given.summary ? given.summary : summary};
  snprintf(
      point, sizeof point,
      "{%s\"workload\":\"w\",\"parameters\":[],\"device\":\"d\",\"set\":"
      "[],\"policy\":\"%s\",\"inputs\":\"%s\",\"alone\":0,\"seed\":%" PRId64
      "}",
      given.single ? "" : "\"plan\":\"A\",",
      given.policy ? given.policy : "fifo", given.inputs ? given.inputs : "1",
      given.seed);
  ck_assert_status(aq_store_writer_open(store, &info, &writer, &diag), AQ_OK,
                   &diag);
  requests_put(aq_store_writer_sink(writer), given.scale ? given.scale : 1);
  ck_assert_status(aq_store_writer_finish(writer, &info, &diag), AQ_OK, &diag);
}

START_TEST(runs_of_inputs_that_changed_since_are_left_out)
{
  static const placed changed[] = {{.inputs = "2"}, {.version = "2"}};
  for (size_t i = 0; i < 2; i++) {
    aq_store *store = store_make();
    placed_make(store, (placed){.seed = 1});
    placed_make(store, (placed){.seed = 2});
    placed_make(store, (placed){.seed = 2, .policy = "edf"});
    placed_make(store, (placed){.seed = 1,
                                .inputs = changed[i].inputs,
                                .version = changed[i].version});
    aq_study study = study_make(store, false);
    ck_assert_uint_eq(study.count, 1);
    ck_assert_uint_eq(study.rows[0].count, 1);
    ck_assert_int_eq(study.rows[0].replicas[0].run, 4);
    ck_assert_uint_eq(study.outdated, 3);
    aq_study_fini(&study);
    aq_store_close(store);
  }
}
END_TEST

/* A sweep found a run that was removed since; the point was run again. */
START_TEST(a_place_of_a_removed_run_makes_no_newer_run_older)
{
  aq_store *store = store_make();
  placed_make(store, (placed){.inputs = "2"});
  placed_make(store, (placed){.inputs = "1", .key = "k"});
  const aq_store_place place = {
      .content_key = "k",
      .plan = "A",
      .point = "{\"plan\":\"A\",\"workload\":\"w\",\"parameters\":[],"
               "\"device\":\"d\",\"set\":[],\"policy\":\"fifo\","
               "\"inputs\":\"1\",\"alone\":0,\"seed\":0}",
      .swept_us = 1000000};
  ck_assert_status(aq_store_places_put(store, &place, 1, &diag), AQ_OK, &diag);
  aq_study study = study_make(store, false);
  ck_assert_uint_eq(study.count, 1);
  ck_assert_int_eq(study.rows[0].replicas[0].run, 2);
  ck_assert_uint_eq(study.outdated, 1);
  aq_study_fini(&study);
  aq_store_close(store);
}
END_TEST

START_TEST(a_plug_in_that_changed_leaves_other_policies_as_they_are)
{
  aq_store *store = store_make();
  placed_make(store, (placed){.policy = "fifo"});
  placed_make(store, (placed){.policy = "./p.so", .inputs = "1-1"});
  placed_make(store, (placed){.policy = "./p.so", .inputs = "1-2"});
  aq_study study = study_make(store, false);
  ck_assert_uint_eq(study.count, 2);
  ck_assert_int_eq(study.rows[0].replicas[0].run, 1);
  ck_assert_int_eq(study.rows[1].replicas[0].run, 3);
  ck_assert_uint_eq(study.outdated, 1);
  aq_study_fini(&study);
  aq_store_close(store);
}
END_TEST

START_TEST(a_seed_counts_once)
{
  for (int single = 0; single < 2; single++) {
    aq_store *store = store_make();
    for (int i = 0; i < 3; i++)
      placed_make(store, (placed){.seed = 5, .single = single});
    placed_make(store, (placed){.seed = 4, .single = single});
    aq_study study = study_make(store, false);
    ck_assert_uint_eq(study.count, 1);
    ck_assert_uint_eq(study.rows[0].count, 2);
    ck_assert_int_eq(study.rows[0].replicas[1].run, 1);
    ck_assert_uint_eq(study.repeated, 2);
    aq_study_fini(&study);
    aq_store_close(store);
  }
}
END_TEST

START_TEST(a_transport_has_a_row_of_its_own)
{
  aq_store *store = store_make();
  placed_make(store, (placed){.seed = 1});
  placed_make(store, (placed){.seed = 1, .transport = "null"});
  placed_make(store, (placed){.seed = 2});
  aq_study study = study_make(store, false);
  ck_assert_uint_eq(study.count, 2);
  ck_assert_uint_eq(study.rows[0].count, 2);
  ck_assert_str_eq(study.rows[1].transport, "null");
  ck_assert(study.transports);
  aq_study_fini(&study);
  aq_store_close(store);
}
END_TEST

START_TEST(clients_of_one_name_have_rows_of_their_own)
{
  static const char *const labels[] = {"a #0", "a #1", "#2", "2 #3", "b"};
  aq_store *store = store_make();
  placed_make(
      store, (placed){.summary = "{\"clients\": [{\"name\": \"a\"}, {\"name\": "
                                 "\"a\"}, {}, {\"name\": \"2\"}, {\"name\": "
                                 "\"b\"}]}"});
  aq_study study = study_make(store, true);
  ck_assert_uint_eq(study.count, 5);
  for (size_t i = 0; i < 5; i++)
    ck_assert_str_eq(study.rows[i].client, labels[i]);
  aq_study_fini(&study);
  aq_store_close(store);
}
END_TEST

START_TEST(seeds_have_all_bits)
{
  static const int64_t seeds[] = {-1, 0, (INT64_C(1) << 62) + 1, INT64_MAX};
  aq_store *store = store_make();
  for (size_t i = 0; i < 4; i++)
    placed_make(store, (placed){.seed = seeds[i]});
  aq_study study = study_make(store, false);
  ck_assert_uint_eq(study.rows[0].count, 4);
  for (size_t i = 0; i < 4; i++)
    ck_assert_int_eq(study.rows[0].replicas[i].seed, seeds[i]);
  aq_study_fini(&study);
  aq_store_close(store);
}
END_TEST

START_TEST(a_baseline_is_one_policy)
{
  static const struct {
    const char *policies[3], *baseline; /* NULL: refused */
  } cases[] = {{{"fifo,a=1", "fifo", "edf"}, "fifo"},
               {{"fifo,a=1", "edf", "fifos"}, "fifo,a=1"},
               {{"fifo,a=1", "edf", "fifo,b=1"}, NULL}};
  for (size_t i = 0; i < 3; i++) {
    const char *policy;
    aq_store *store = store_make();
    for (size_t k = 0; k < 3; k++)
      placed_make(store, (placed){.policy = cases[i].policies[k]});
    aq_study study = study_make(store, false);
    const aq_status status = aq_study_has(&study, "fifo", &policy, &diag);
    if (cases[i].baseline) {
      ck_assert_status(status, AQ_OK, &diag);
      ck_assert_str_eq(policy, cases[i].baseline);
    } else {
      ck_assert_int_eq(status, AQ_ERR_INVALID);
      ck_assert_ptr_nonnull(strstr(diag.text, "fifo,a=1 and fifo,b=1"));
    }
    aq_study_fini(&study);
    aq_store_close(store);
  }
}
END_TEST

START_TEST(pairs_have_the_mean_of_their_own_baseline)
{
  double base;
  aq_store *store = store_make();
  placed_make(store, (placed){.seed = 1, .scale = 1});
  placed_make(store, (placed){.seed = 5, .scale = 3});
  placed_make(store, (placed){.seed = 5, .scale = 6, .policy = "edf"});
  aq_study study = study_make(store, false);
  const aq_estimate less =
      aq_study_paired(&study.rows[1], &study.rows[0], AQ_FIGURE_mean, &base);
  ck_assert_uint_eq(less.count, 1);
  is_near(less.mean, 3 * 50.5);
  is_near(base, 3 * 50.5);
  aq_study_fini(&study);
  aq_store_close(store);
}
END_TEST

AQ_TEST_MAIN("study/sweep/study", preemptions_have_lengths_and_waste,
             preemptions_count_for_the_client_that_was_stopped,
             what_was_stopped_while_warming_up_does_not_count,
             a_run_in_which_nothing_was_stopped_wastes_nothing,
             a_run_from_before_preemptions_were_kept_does_not_tell_of_them,
             quantiles_are_responses_that_were_seen,
             runs_of_inputs_that_changed_since_are_left_out,
             a_place_of_a_removed_run_makes_no_newer_run_older,
             a_plug_in_that_changed_leaves_other_policies_as_they_are,
             a_seed_counts_once, a_transport_has_a_row_of_its_own,
             clients_of_one_name_have_rows_of_their_own, seeds_have_all_bits,
             a_baseline_is_one_policy,
             pairs_have_the_mean_of_their_own_baseline)
