/* SPDX-License-Identifier: MIT */
/* Requests that are networks of measured kernels. */
#include "support/aqtest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "study/workload/scenario.h"

static aq_diag diag = AQ_DIAG_INIT;

/* Two kernels: 6 workgroups of 64, and 2 of 128 work-items in two dimensions.
 */
static const char network[] =
    "{\"kernels\": ["
    "{\"name\": \"conv\", \"launch_params\": [3, 2, 1, 64, 1, 1],},"
    "{\"name\": \"add\\\",]\", \"launch_params\": [2, 1, 1, 16, 8, 1]}]}";
static const char profile[] =
    "{\"model_latency\": 50, \"kernel_latency\": {"
    "\"conv\": {\"total_latency\": 30, \"latency\": [20, 30,]},"
    "\"add\\\",]\": {\"total_latency\": 14, \"latency\": [14]}}}";

/* A scenario with one request of the network, and more keys of it. */
static aq_status load(const char *keys, aq_workload_source **out)
{
  char text[1024];
  aqtest_write("net.profile.json", profile, strlen(profile));
  const char *path = aqtest_write("net.json", network, strlen(network));
  snprintf(text, sizeof text,
           "{\"version\": 1, \"requests\": {\"r\": {\"model\": \"%s\"%s}},"
           "\"clients\": [{\"request\": \"r\", \"closed\": {}, \"requests\": 1,"
           "\"hint\": \"exact\"}]}",
           path, keys);
  return aq_scenario_load_text(text, strlen(text), "s.json",
                               &(aq_scenario_options){0}, out, NULL, &diag);
}

static aq_job first_job(aq_workload_source *source)
{
  aq_job job;
  bool got;
  ck_assert_status(source->next(source, &job, &got, &diag), AQ_OK, &diag);
  ck_assert(got);
  return job;
}

START_TEST(a_network_is_one_call_of_all_its_kernels)
{
  aq_workload_source *source;
  ck_assert_status(load("", &source), AQ_OK, &diag);
  const aq_job job = first_job(source);
  ck_assert_uint_eq(job.command_count, 2);
  ck_assert_uint_eq(job.commands[0].grid[0], 192);
  ck_assert_uint_eq(job.commands[0].grid[1], 2);
  ck_assert_uint_eq(job.commands[1].workgroup[1], 8);
  ck_assert_uint_eq(job.commands[0].cost.detail->latency_count, 2);
  /* A comma that is no JSON is passed over, but not in a name. */
  ck_assert_str_eq(source->name(source, job.commands[1].name), "add\",]");
  /* 30 and 14 us, each less the 12 us of its launch. */
  ck_assert_int_eq(job.hint, 20 * AQ_US);
  source->close(source);
}
END_TEST

START_TEST(a_batch_has_as_many_times_the_workgroups)
{
  aq_workload_source *source;
  ck_assert_status(load(", \"batch\": 8, \"contained\": \"10us\"", &source),
                   AQ_OK, &diag);
  const aq_job job = first_job(source);
  ck_assert_uint_eq(job.commands[0].grid[0], 8 * 192);
  ck_assert_uint_eq(job.commands[0].grid[1], 2);
  ck_assert_uint_eq(job.commands[1].grid[0], 8 * 32);
  ck_assert_uint_eq(job.commands[1].workgroup[0], 16);
  ck_assert_int_eq(job.hint, 8 * 24 * AQ_US);
  source->close(source);
}
END_TEST

START_TEST(a_call_may_be_made_for_each_kernel)
{
  aq_workload_source *source;
  ck_assert_status(load(", \"calls\": \"each\"", &source), AQ_OK, &diag);
  ck_assert_uint_eq(first_job(source).command_count, 1);
  source->close(source);
}
END_TEST

START_TEST(what_a_request_says_of_its_model_is_checked)
{
  static const struct {
    const char *keys, *words;
  } cases[] = {
      {", \"batch\": 0", "s.json: requests.r.batch: "},
      {", \"batch\": 1025", "s.json: requests.r.batch: "},
      {", \"calls\": \"two\"", "\"two\": one or each expected"},
      {", \"bach\": 2", "bach"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    aq_workload_source *source;
    ck_assert_int_eq(load(cases[i].keys, &source), AQ_ERR_INPUT);
    ck_assert_msg(strstr(diag.text, cases[i].words) != NULL, "%s", diag.text);
  }
}
END_TEST

AQ_TEST_MAIN("study/workload/scenario_dnn",
             a_network_is_one_call_of_all_its_kernels,
             a_batch_has_as_many_times_the_workgroups,
             a_call_may_be_made_for_each_kernel,
             what_a_request_says_of_its_model_is_checked)
