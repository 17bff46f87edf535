/* SPDX-License-Identifier: MIT */
#include "support/aqtest.h"
#include "support/fake_transport.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory_sink.h"
#include "study/loop/run.h"
#include "study/workload/scenario.h"

static aq_diag diag = AQ_DIAG_INIT;

/* A scenario with one kernel "k" of 10 µs, one request and these clients. */
#define WITH(steps, clients)                                                   \
  "{\"version\": 1, \"kernels\": {\"k\": {\"cost\": \"10us\"}},"               \
  "\"requests\": {\"r\": {\"steps\": " steps "}}, \"clients\": " clients "}"
#define CLIENT(rest)                                                           \
  WITH("[{\"kernel\": \"k\"}]", "[{\"request\": \"r\", " rest "}]")

/* With the file's own seed. */
static aq_status load_text(const char *text, size_t size,
                           aq_workload_source **out)
{
  return aq_scenario_load_text(text, size, "s.json",
                               &(aq_scenario_options){.seed = -1}, out, NULL,
                               &diag);
}

static aq_workload_source *open_text(const char *text)
{
  aq_workload_source *source;
  ck_assert_status(load_text(text, strlen(text), &source), AQ_OK, &diag);
  return source;
}

/* Takes every job that is known; submit times into `times`. */
static size_t take_all(aq_workload_source *source, aq_time *times, size_t max)
{
  size_t count = 0;
  while (source->peek(source) != AQ_TIME_MAX) {
    aq_job job;
    bool got;
    aq_time due = source->peek(source);
    ck_assert_status(source->next(source, &job, &got, &diag), AQ_OK, &diag);
    ck_assert(got);
    ck_assert_int_eq(job.submit, due);
    ck_assert_uint_lt(count, max);
    times[count++] = job.submit;
  }
  return count;
}

static void ck_times(const char *text, const aq_time *want, size_t count)
{
  aq_time times[64];
  aq_workload_source *source = open_text(text);
  ck_assert_uint_eq(take_all(source, times, 64), count);
  for (size_t i = 0; i < count; i++)
    ck_assert_int_eq(times[i], want[i]);
  source->close(source);
}

START_TEST(open_clients_arrive_as_they_are_told)
{
  ck_times(CLIENT("\"open\": {\"every\": \"5us\"}, \"requests\": 3"),
           (aq_time[]){0, 5 * AQ_US, 10 * AQ_US}, 3);
  ck_times(CLIENT("\"open\": {\"every\": \"5us\"}, \"until\": \"10us\", "
                  "\"start\": \"1us\""),
           (aq_time[]){1 * AQ_US, 6 * AQ_US}, 2);
  ck_times(CLIENT("\"open\": {\"at\": [\"1us\", \"1us\", \"2.5us\"]}"),
           (aq_time[]){AQ_US, AQ_US, 2500 * AQ_NS}, 3);
  ck_times(CLIENT("\"open\": {\"bursts\": {\"every\": \"1ms\", \"size\": 2, "
                  "\"spacing\": \"3ns\"}}, \"requests\": 5"),
           (aq_time[]){0, 3 * AQ_NS, AQ_MS, AQ_MS + 3 * AQ_NS, 2 * AQ_MS}, 5);
  ck_times(CLIENT("\"open\": {\"every\": \"5us\"}, \"requests\": 2, "
                  "\"count\": 2, \"stagger\": \"1us\""),
           (aq_time[]){0, AQ_US, 5 * AQ_US, 6 * AQ_US}, 4);
}
END_TEST

START_TEST(host_calls_take_their_time_on_one_thread)
{
  ck_times(WITH("[{\"kernel\": \"k\", \"repeat\": 2}]",
                "[{\"request\": \"r\", \"open\": {\"every\": \"5us\"}, "
                "\"requests\": 2, \"call\": \"3us\"}]"),
           (aq_time[]){3 * AQ_US, 6 * AQ_US, 9 * AQ_US, 12 * AQ_US}, 4);
}
END_TEST

START_TEST(closed_clients_wait_for_their_requests)
{
  aq_workload_source *source =
      open_text(CLIENT("\"closed\": {\"concurrency\": 2, \"think\": \"7us\"}, "
                       "\"requests\": 3"));
  aq_time times[8];
  ck_assert_uint_eq(take_all(source, times, 8), 2);
  source->done(source, 0, 30 * AQ_US);
  ck_assert_int_eq(source->peek(source), 37 * AQ_US);
  ck_assert_uint_eq(take_all(source, times, 8), 1);
  source->done(source, 1, 40 * AQ_US);
  source->done(source, 2, 60 * AQ_US);
  ck_assert_int_eq(source->peek(source), AQ_TIME_MAX);
  source->close(source);
}
END_TEST

START_TEST(poisson_arrivals_have_their_mean)
{
  static aq_time times[4000];
  aq_workload_source *source = open_text(
      CLIENT("\"open\": {\"poisson\": \"10us\"}, \"requests\": 4000"));
  ck_assert_uint_eq(take_all(source, times, 4000), 4000);
  ck_assert_int_gt(times[0], 0);
  ck_assert_int_gt(times[3999], 4000 * 9 * AQ_US);
  ck_assert_int_lt(times[3999], 4000 * 11 * AQ_US);
  source->close(source);
}
END_TEST

START_TEST(steps_of_other_streams_become_dependencies)
{
  /* Written out of order: b waits for c, which is written after it. */
  aq_workload_source *source =
      open_text(WITH("[{\"id\": \"a\", \"kernel\": \"k\", \"stream\": \"x\", "
                     "\"repeat\": 2},"
                     "{\"id\": \"b\", \"kernel\": \"k\", \"stream\": \"y\", "
                     "\"after\": [\"a\", \"c\"]},"
                     "{\"id\": \"c\", \"graph\": [\"k\", {\"kernel\": \"k\", "
                     "\"repeat\": 2}], \"stream\": \"z\", \"after\": [\"a\"]}]",
                     "[{\"request\": \"r\", \"count\": 2, \"open\": {\"at\": "
                     "[\"0us\"]}}]"));
  aq_job jobs[8];
  bool got;
  for (int i = 0; i < 8; i++)
    source->next(source, &jobs[i], &got, &diag);
  ck_assert_int_eq(source->peek(source), AQ_TIME_MAX);
  /* a a c b of the first client; ids are in order of submission. */
  ck_assert_uint_eq(jobs[0].dependency_count, 0);
  ck_assert_uint_eq(jobs[2].command_count, 3);
  ck_assert_int_eq(jobs[2].via, AQ_VIA_GRAPH);
  ck_assert_uint_eq(jobs[2].dependency_count, 1);
  ck_assert_uint_eq(jobs[2].dependencies[0], jobs[1].id);
  ck_assert_uint_eq(jobs[3].dependency_count, 2);
  ck_assert_uint_eq(jobs[3].dependencies[1], jobs[2].id);
  ck_assert_int_eq(jobs[0].stream, jobs[1].stream);
  ck_assert_int_ne(jobs[0].stream, jobs[2].stream);
  ck_assert_int_ne(jobs[0].stream, jobs[4].stream);
  source->close(source);
}
END_TEST

START_TEST(kernels_become_commands)
{
  aq_workload_source *source = open_text(
      "{\"version\": 1, \"kernels\": {\"a\": {\"grid\": [64, 2], "
      "\"workgroup\": 32, \"lds\": 5, \"scratch\": 6, \"cost\": {\"base\": "
      "\"1us\", \"per_workgroup\": \"2ns\"}}, \"b\": {\"kind\": \"copy\", "
      "\"bytes\": 9, \"cost\": {\"uniform\": [\"1us\", \"2us\"]}}}, "
      "\"requests\": {\"r\": {\"steps\": [{\"graph\": [\"a\", \"b\"]}]}}, "
      "\"clients\": [{\"request\": \"r\", \"open\": {\"at\": [\"0us\"]}, "
      "\"deadline\": \"5us\", \"priority\": \"low\"}]}");
  aq_job job;
  bool got;
  source->next(source, &job, &got, &diag);
  const aq_command *a = &job.commands[0], *b = &job.commands[1];
  ck_assert_int_eq(a->cost.kind, AQ_COST_PER_WORKGROUP);
  ck_assert_int_eq(a->cost.base, AQ_US);
  ck_assert_int_eq(a->cost.per_workgroup, 2 * AQ_NS);
  ck_assert_uint_eq(a->grid[1], 2);
  ck_assert_uint_eq(a->grid[2], 1);
  ck_assert_uint_eq(a->workgroup[0], 32);
  ck_assert_uint_eq(a->lds, 5);
  ck_assert_uint_eq(a->scratch, 6);
  ck_assert_int_eq(a->flags, AQ_FLAG_GRAPH_FIRST);
  ck_assert_str_eq(source->name(source, a->name), "a");
  ck_assert_int_eq(b->kind, AQ_KIND_COPY);
  ck_assert_int_eq(b->bytes, 9);
  ck_assert_int_eq(b->cost.kind, AQ_COST_SPIN);
  ck_assert(b->cost.base >= AQ_US && b->cost.base < 2 * AQ_US);
  ck_assert_int_eq(job.deadline, 5 * AQ_US);
  ck_assert_int_eq(job.priority, -1);
  source->close(source);
}
END_TEST

START_TEST(steps_say_their_fences_and_may_be_markers)
{
  aq_workload_source *source =
      open_text(WITH("[{\"kernel\": \"k\", \"acquire\": \"none\", \"release\": "
                     "\"system\"}, {\"kernel\": \"k\"}, {\"marker\": true}]",
                     "[{\"request\": \"r\", \"open\": {\"at\": [\"0us\"]}}]"));
  aq_job job;
  bool got;
  source->next(source, &job, &got, &diag);
  ck_assert_int_eq(aq_command_scope(job.commands[0].acquire), AQ_SCOPE_NONE);
  ck_assert_int_eq(aq_command_scope(job.commands[0].release), AQ_SCOPE_SYSTEM);
  ck_assert(!job.marker);
  source->next(source, &job, &got, &diag);
  ck_assert_int_eq(aq_command_scope(job.commands[0].acquire), AQ_SCOPE_AGENT);
  ck_assert_int_eq(aq_command_scope(job.commands[0].release), AQ_SCOPE_AGENT);
  source->next(source, &job, &got, &diag);
  ck_assert(job.marker);
  ck_assert_uint_eq(job.command_count, 0);
  source->close(source);
}
END_TEST

START_TEST(costs_may_say_how_workgroups_share_the_device)
{
  aq_workload_source *source = open_text(
      "{\"version\": 1, \"kernels\": {\"a\": {\"vgprs\": 64, \"agprs\": 8, "
      "\"sgprs\": 100, \"cost\": {\"workgroup\": \"1us\"}}, \"b\": "
      "{\"cost\": {\"workgroup\": {\"uniform\": [\"1us\", \"2us\"]}}}, "
      "\"c\": {\"cost\": {\"occupancy\": {\"latency\": [\"3us\", \"4us\"], "
      "\"contained\": \"1us\"}}}, \"d\": {\"cost\": {\"roofline\": "
      "{\"flops\": 5, \"bytes\": 6}}}}, "
      "\"requests\": {\"r\": {\"steps\": [{\"graph\": [\"a\", \"b\", \"c\", "
      "\"d\"]}]}}, \"clients\": [{\"request\": \"r\", \"open\": {\"at\": "
      "[\"0us\"]}}]}");
  aq_job job;
  bool got;
  source->next(source, &job, &got, &diag);
  const aq_command *c = job.commands;
  ck_assert_int_eq(c[0].cost.kind, AQ_COST_WORKGROUP);
  ck_assert_int_eq(c[0].cost.base, AQ_US);
  ck_assert_uint_eq(c[0].vgprs, 64);
  ck_assert_uint_eq(c[0].agprs, 8);
  ck_assert_uint_eq(c[0].sgprs, 100);
  ck_assert_int_eq(c[1].cost.kind, AQ_COST_SPIN_WORKGROUP);
  ck_assert(c[1].cost.base >= AQ_US && c[1].cost.base < 2 * AQ_US);
  ck_assert_int_eq(c[2].cost.kind, AQ_COST_OCCUPANCY);
  ck_assert_uint_eq(c[2].cost.detail->latency_count, 2);
  ck_assert_int_eq(c[2].cost.detail->latency[1], 4 * AQ_US);
  ck_assert_int_eq(c[2].cost.detail->contained, AQ_US);
  ck_assert_int_eq(c[3].cost.kind, AQ_COST_ROOFLINE);
  ck_assert_uint_eq(c[3].cost.detail->flops, 5);
  ck_assert_uint_eq(c[3].cost.detail->bytes, 6);
  source->close(source);
}
END_TEST

START_TEST(seed_and_device_come_from_the_file_unless_overridden)
{
  const char *text = "{\"version\": 1, \"seed\": 12, \"device\": \"d\", "
                     "\"kernels\": {\"k\": {\"cost\": \"1us\"}}, "
                     "\"requests\": {\"r\": {\"steps\": [{\"kernel\": "
                     "\"k\"}]}}, \"clients\": [{\"request\": \"r\", "
                     "\"open\": {\"at\": [\"0us\"]}}]}";
  aq_scenario_facts facts;
  aq_workload_source *source;
  for (int64_t given = -1; given < 6; given += 6) {
    ck_assert_status(
        aq_scenario_load_text(text, strlen(text), "s.json",
                              &(aq_scenario_options){.seed = given}, &source,
                              &facts, &diag),
        AQ_OK, &diag);
    ck_assert_int_eq(facts.seed, given < 0 ? 12 : given);
    ck_assert_str_eq(facts.device, "d");
    source->close(source);
  }
}
END_TEST

/* Texts, and their errors. */
static const struct {
  const char *text, *error;
} refusals[] = {
    {"", "s.json: line 1: premature EOF"},
    {"{\n\"version\": 1,\n oops}", "s.json: line 3: invalid char in json "
                                   "text."},
    {"[]", "s.json: an object expected, not an array"},
    {"{}", "s.json: \"version\" is missing"},
    {"{\"version\": 2}", "s.json: version: 2: this program reads version 1"},
    {"{\"version\": 1, \"kernel\": {}}",
     "s.json: unknown key \"kernel\"; known are version, name, device, seed, "
     "kernels, requests, clients, notes, parameters"},
    {"{\"version\": 1, \"seed\": 1, \"seed\": 2}",
     "s.json: \"seed\" is there twice"},
    {"{\"version\": 1, \"seed\": -4}",
     "s.json: seed: -4 is out of range, 0 to 9223372036854775807 expected"},
    {"{\"version\": 1, \"kernels\": {\"k\": {}}}",
     "s.json: kernels.k: \"cost\" is missing"},
    {"{\"version\": 1, \"kernels\": {\"k\": {\"cost\": 5}}}",
     "s.json: kernels.k.cost: a time with its unit, like \"3.5us\", "
     "expected, "
     "not a number"},
    {"{\"version\": 1, \"kernels\": {\"k\": {\"cost\": \"5 fs\"}}}",
     "s.json: kernels.k.cost: \"5 fs\" is not a time with its unit (ps, ns, "
     "us, ms, s), like \"3.5us\""},
    {"{\"version\": 1, \"kernels\": {\"k\": {\"cost\": \"-5us\"}}}",
     "s.json: kernels.k.cost: \"-5us\" is not a time with its unit (ps, ns, "
     "us, ms, s), like \"3.5us\""},
    {"{\"version\": 1, \"kernels\": {\"k\": {\"grid\": [1, 5000000000], "
     "\"cost\": \"5us\"}}}",
     "s.json: kernels.k.grid[1]: 5000000000 is out of range, 1 to 4294967295 "
     "expected"},
    {"{\"version\": 1, \"kernels\": {\"k\": {\"workgroup\": [64, 64], "
     "\"cost\": \"5us\"}}}",
     "s.json: kernels.k.workgroup: 4096 work-items, at most 1024 expected"},
    {"{\"version\": 1, \"kernels\": {\"k\": {\"cost\": {\"normal\": "
     "{\"mean\": \"1us\"}}}}}",
     "s.json: kernels.k.cost.normal: \"deviation\" is missing"},
    {"{\"version\": 1, \"kernels\": {\"k\": {\"cost\": {\"normel\": 1}}}}",
     "s.json: kernels.k.cost: unknown key \"normel\"; known are uniform, "
     "exponential, normal, lognormal, erlang, choice"},
    {WITH("[{\"kernel\": \"q\"}]", "[]"),
     "s.json: requests.r.steps[0].kernel: no kernel is named \"q\""},
    {WITH("[{\"graph\": [\"k\", {\"kernel\": \"k\", \"repeat\": 0}]}]", "[]"),
     "s.json: requests.r.steps[0].graph[1].repeat: 0 is out of range, 1 to "
     "65536 expected"},
    {WITH("[{\"kernel\": \"k\", \"acquire\": \"all\"}]", "[]"),
     "s.json: requests.r.steps[0].acquire: \"all\": none, agent or system "
     "expected"},
    {WITH("[{\"kernel\": \"k\", \"marker\": true}]", "[]"),
     "s.json: requests.r.steps[0]: either \"kernel\", \"graph\" or "
     "\"marker\" expected"},
    {WITH("[{\"marker\": false}]", "[]"),
     "s.json: requests.r.steps[0].marker: true expected"},
    {WITH("[{\"marker\": 1}]", "[]"),
     "s.json: requests.r.steps[0].marker: true or false expected, not a "
     "number"},
    {WITH("[{\"kernel\": \"k\", \"after\": [\"z\"]}]", "[]"),
     "s.json: requests.r.steps[0].after[0]: no step of this request has the "
     "id \"z\""},
    {WITH("[{\"kernel\": \"k\", \"id\": \"a\"}, {\"kernel\": \"k\", \"id\": "
          "\"a\"}]",
          "[]"),
     "s.json: requests.r.steps: two steps have the id \"a\""},
    {WITH("[{\"id\": \"a\", \"kernel\": \"k\", \"stream\": \"x\", \"after\": "
          "[\"c\"]}, {\"id\": \"b\", \"kernel\": \"k\", \"stream\": \"y\", "
          "\"after\": [\"a\"]}, {\"id\": \"c\", \"kernel\": \"k\", "
          "\"stream\": \"z\", \"after\": [\"b\"]}]",
          "[]"),
     "s.json: requests.r.steps: the steps wait for each other: c after b "
     "after a after c"},
    {WITH("[{\"kernel\": \"k\", \"after\": [\"b\"]}, {\"id\": \"b\", "
          "\"kernel\": \"k\"}]",
          "[]"),
     "s.json: requests.r.steps: the steps wait for each other: b after "
     "steps[0] after b"},
    {CLIENT("\"open\": {\"every\": \"1us\"}"),
     "s.json: clients[0]: it never ends: \"requests\" or \"until\" is "
     "missing"},
    {CLIENT("\"open\": {\"every\": {\"choice\": [\"0us\"]}}, \"until\": "
            "\"1s\""),
     "s.json: clients[0]: it never ends: no time passes between its "
     "requests, "
     "and \"requests\" is missing"},
    {CLIENT("\"requests\": 1"),
     "s.json: clients[0]: either \"open\" or \"closed\" expected"},
    {CLIENT("\"open\": {\"at\": [\"2us\", \"1us\"]}"),
     "s.json: clients[0].open.at[1]: earlier than the one before it"},
    {CLIENT("\"open\": {\"at\": [\"2us\"]}, \"priority\": \"top\""),
     "s.json: clients[0].priority: \"top\": low, normal, high or a number "
     "expected"},
    {CLIENT("\"open\": {\"at\": [\"2us\"]}, \"count\": 1000000000"),
     "s.json: clients[0].count: 1000000000 is out of range, 1 to 65536 "
     "expected"},
    {CLIENT("\"closed\": {\"concurrency\": 4096}, \"count\": 60000, "
            "\"requests\": 1"),
     "s.json: clients[0]: with it there are 245760000 requests at a time, at "
     "most 1000000 expected"},
    {WITH("[{\"kernel\": \"k\"}]", "[{\"request\": \"x\"}]"),
     "s.json: clients[0].request: no request is named \"x\""},
};

START_TEST(bad_scenarios_are_refused_with_file_and_place)
{
  for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
    aq_workload_source *source;
    ck_assert_status(
        load_text(refusals[i].text, strlen(refusals[i].text), &source),
        AQ_ERR_INPUT, &diag);
    ck_assert_str_eq(diag.text, refusals[i].error);
  }
}
END_TEST

START_TEST(the_example_of_the_documentation_is_a_scenario)
{
  char path[4096];
  static char page[65536];
  snprintf(path, sizeof path, "%s/doc/formats/scenario.md",
           getenv("AQ_SRCDIR"));
  FILE *file = fopen(path, "r");
  ck_assert_ptr_nonnull(file);
  page[fread(page, 1, sizeof page - 1, file)] = 0;
  fclose(file);
  char *text = strstr(page, "```json\n") + 8;
  *strstr(text, "```") = 0;
  aq_workload_source *source = open_text(text);
  ck_assert_int_eq(source->peek(source), 0);
  source->close(source);
}
END_TEST

START_TEST(deep_nesting_is_refused_before_it_is_built)
{
  char text[4000];
  memset(text, '[', sizeof text);
  aq_workload_source *source;
  ck_assert_status(load_text(text, sizeof text, &source), AQ_ERR_INPUT, &diag);
  ck_assert_str_eq(diag.text, "s.json: line 1: nested deeper than 32 levels");
  ck_assert_status(load_text("{}\0", 3, &source), AQ_ERR_INPUT, &diag);
  ck_assert_status(aq_scenario_load("/nowhere/x.json",
                                    &(aq_scenario_options){.seed = -1}, &source,
                                    NULL, &diag),
                   AQ_ERR_INPUT, &diag);
  ck_assert_str_eq(diag.text, "/nowhere/x.json: No such file or directory");
}
END_TEST

/* Runs a shipped scenario on the fake transport; rows into `m`. */
static aq_run_totals run_shipped(const char *name, int64_t seed,
                                 aq_memory_sink *m)
{
  char path[4096];
  aq_run_totals totals;
  aq_workload_source *source;
  fake_reset();
  snprintf(path, sizeof path, "%s/traces/scenarios/%s", getenv("AQ_SRCDIR"),
           name);
  ck_assert_status(aq_scenario_load(path, &(aq_scenario_options){.seed = seed},
                                    &source, NULL, &diag),
                   AQ_OK, &diag);
  aq_memory_sink_init(m);
  aq_run_options options = {.transport = &fake_transport};
  ck_assert_status(aq_run(&options, source, &m->sink, &totals, &diag), AQ_OK,
                   &diag);
  source->close(source);
  return totals;
}

START_TEST(shipped_scenarios_run_to_their_end)
{
  static const struct {
    const char *name;
    uint64_t jobs;
  } shipped[] = {
      {"closed-clients.json", 8 * 20 * 6 + 4 * 10},
      {"two-queue-pipeline.json", 600},
      {"arrivals.json", 0},
  };
  for (size_t i = 0; i < sizeof shipped / sizeof *shipped; i++) {
    aq_memory_sink m;
    aq_run_totals totals = run_shipped(shipped[i].name, -1, &m);
    if (shipped[i].jobs)
      ck_assert_uint_eq(totals.jobs, shipped[i].jobs);
    ck_assert_uint_eq(m.count, totals.packets);
    aq_memory_sink_fini(&m);
  }
}
END_TEST

START_TEST(results_depend_on_the_seed_alone)
{
  aq_memory_sink m[3];
  run_shipped("arrivals.json", -1, &m[0]);
  run_shipped("arrivals.json", 42, &m[1]);
  run_shipped("arrivals.json", 43, &m[2]);
  ck_assert_uint_eq(m[0].count, m[1].count);
  ck_assert_mem_eq(m[0].rows, m[1].rows, m[0].count * sizeof(aq_record));
  ck_assert(m[0].count != m[2].count ||
            memcmp(m[0].rows, m[2].rows, m[0].count * sizeof(aq_record)) != 0);
  for (int i = 0; i < 3; i++)
    aq_memory_sink_fini(&m[i]);
}
END_TEST

AQ_TEST_MAIN(
    "study/workload/scenario", steps_say_their_fences_and_may_be_markers,
    open_clients_arrive_as_they_are_told,
    host_calls_take_their_time_on_one_thread,
    closed_clients_wait_for_their_requests, poisson_arrivals_have_their_mean,
    steps_of_other_streams_become_dependencies,
    costs_may_say_how_workgroups_share_the_device, kernels_become_commands,
    seed_and_device_come_from_the_file_unless_overridden,
    bad_scenarios_are_refused_with_file_and_place,
    the_example_of_the_documentation_is_a_scenario,
    deep_nesting_is_refused_before_it_is_built,
    shipped_scenarios_run_to_their_end, results_depend_on_the_seed_alone)
