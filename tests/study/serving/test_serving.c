/* SPDX-License-Identifier: MIT */
/* Servers of a language model as a source of jobs, with a small model. */
#include "support/aqtest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "study/workload/scenario.h"

static aq_diag diag = AQ_DIAG_INIT;

static const char requests[] =
    "# aqueduct requests 1, hash block 16 of prompts\n"
    "arrival_ns,prompt,output,session,tool_ns,hashes\n"
    "0,40,3,,,a b\n"
    "0,33,2,7,,a c\n"
    "0,9,4,7,500000,\n"
    "900000000,20,1,,,\n";
/* A token of the step takes 1 us, cached tokens 1 us each. */
static const char model[] =
    "{\"version\": 1, \"name\": \"m\", \"source\": \"s\", \"gfx\": \"gfx942\","
    "\"cus\": 304, \"layers\": 2, \"hidden\": 64, \"kv_bytes\": 2000,"
    "\"attention_work\": 64, \"step_gap\": \"10us\", \"eager_gap\": \"5us\","
    "\"call\": \"2us\", \"captured\": [4], \"kernels\": ["
    "{\"part\": \"layer\", \"name\": \"g\", \"kind\": \"gemm\", \"floor\": "
    "\"0ns\", \"each\": \"1us\", \"n\": 64, \"k\": 64, \"reduced\": true},"
    "{\"part\": \"tail\", \"name\": \"a\", \"kind\": \"decode_attention\","
    "\"floor\": \"0ns\", \"rate\": 1e9}]}";

static aq_status load(const char *servers, aq_workload_source **out)
{
  char text[2048];
  aqtest_write("r.csv", requests, strlen(requests));
  aqtest_write("m.json", model, strlen(model));
  snprintf(text, sizeof text,
           "{\"version\": 2, \"serving\": {\"servers\": [%s]}}", servers);
  const char *path = aqtest_write("s.json", text, strlen(text));
  return aq_scenario_load(path, &(aq_scenario_options){.seed = -1}, out, NULL,
                          &diag);
}

/* Two GPUs with a link of 1 GB/s and 1 us. */
static void bind(aq_workload_source *source)
{
  static const aq_device_info devices[] = {{.gfx = "gfx942", .cus = 304},
                                           {.gfx = "gfx942", .cus = 304}};
  static const aq_link_info link = {.a = 0,
                                    .b = 1,
                                    .type = AQ_LINK_XGMI,
                                    .hops = 1,
                                    .latency = AQ_US,
                                    .bandwidth = 1000000000};
  const aq_transport_info info = {
      .device_count = 2, .devices = devices, .links = &link, .link_count = 1};
  ck_assert_status(source->devices(source, &info, &diag), AQ_OK, &diag);
}

typedef struct played {
  aq_request rows[16];
  size_t count, jobs, commands, graphs, copies, waits;
  size_t compute, memory, idempotent; /* jobs of that kind */
  aq_time end, reductions, copying;   /* sums of theirs */
} played;

/* Each job takes the sum of its kernels, one after the other by stream. */
static played play(aq_workload_source *source, bool reject)
{
  enum { FLYING = 64 };
  played p = {0};
  struct {
    uint64_t id;
    aq_time end;
  } flying[FLYING];
  size_t count = 0;
  aq_time free_at[64] = {0};
  for (;;) {
    const aq_time next = source->peek(source);
    size_t first = 0;
    for (size_t i = 1; i < count; i++)
      if (flying[i].end < flying[first].end)
        first = i;
    if (count > 0 && flying[first].end <= next) {
      const uint64_t id = flying[first].id;
      const aq_time end = flying[first].end;
      size_t rows;
      flying[first] = flying[--count];
      p.end = end;
      if (reject)
        source->rejected(source, id, end);
      else
        source->done(source, id, end);
      const aq_request *ended = source->ended(source, &rows);
      for (size_t i = 0; i < rows; i++)
        p.rows[p.count++] = ended[i];
      continue;
    }
    if (next == AQ_TIME_MAX)
      return p;
    aq_job job;
    bool got;
    ck_assert_status(source->next(source, &job, &got, &diag), AQ_OK, &diag);
    if (!got)
      continue;
    const size_t at = (size_t)job.stream * 4 + job.device;
    aq_time sum = 0;
    for (uint32_t i = 0; i < job.command_count; i++)
      sum += job.commands[i].cost.base;
    free_at[at] = aq_time_max(free_at[at], job.submit) + sum;
    ck_assert_uint_lt(count, FLYING);
    flying[count].id = job.id;
    flying[count++].end = free_at[at];
    p.jobs++;
    p.commands += job.command_count;
    p.graphs += job.via == AQ_VIA_GRAPH;
    p.copies += job.commands[0].kind == AQ_KIND_COPY;
    for (uint32_t i = 0; i < job.command_count; i++) {
      const char *name = source->name(source, job.commands[i].name);
      if (strcmp(name, "all_reduce") == 0)
        p.reductions += job.commands[i].cost.base;
    }
    if (job.commands[0].kind == AQ_KIND_COPY)
      p.copying += job.commands[0].cost.base;
    p.waits += job.dependency_count;
    p.compute += (job.job_flags & AQ_JOB_COMPUTE) != 0;
    p.memory += (job.job_flags & AQ_JOB_MEMORY) != 0;
    p.idempotent += (job.job_flags & AQ_JOB_IDEMPOTENT) != 0;
  }
}

static const aq_request *row_of(const played *p, int64_t prompt)
{
  for (size_t i = 0; i < p->count; i++)
    if (p->rows[i].prompt == prompt)
      return &p->rows[i];
  return NULL;
}

#define SERVER                                                                 \
  "{\"name\": \"a\", \"model\": \"m.json\", \"requests\": {\"file\": "         \
  "\"r.csv\"}, \"blocks\": 16, "                                               \
  "\"objective\": {\"ttft\": \"1ms\", \"tpot\": \"1ms\"}"

START_TEST(each_request_gets_its_tokens_at_the_ends_of_steps)
{
  aq_workload_source *source;
  ck_assert_status(load(SERVER "}", &source), AQ_OK, &diag);
  const played p = play(source, false);
  ck_assert_uint_eq(p.count, 4);
  const aq_request *first = row_of(&p, 40), *second = row_of(&p, 33);
  ck_assert_int_eq(first->tokens, 3);
  /* The step of both prompts is 5 us away, has 73 tokens less 16 that the
   * second finds in its prefix, and takes 1 us a token in each layer. */
  ck_assert_int_eq(second->cached, 16);
  ck_assert_int_eq(first->first, 5 * AQ_US + 2 * 57 * AQ_US);
  ck_assert_int_eq(second->first, first->first);
  /* The next one is a graph of four: 2 * 4 us, and 41 + 34 cached tokens. */
  ck_assert_int_eq(second->complete,
                   second->first + 10 * AQ_US + 8 * AQ_US + 75 * AQ_US);
  ck_assert_int_eq(second->gap, 93 * AQ_US);
  ck_assert_uint_gt(p.graphs, 0);
  /* Its session continues 500 us after that. */
  ck_assert_int_eq(row_of(&p, 9)->arrival, second->complete + 500 * AQ_US);
  ck_assert_int_eq(row_of(&p, 20)->arrival, 900 * AQ_MS);
  ck_assert_int_eq(first->deadline, 3 * AQ_MS);
  source->close(source);
}
END_TEST

START_TEST(a_prefill_server_hands_over_with_a_copy_of_the_cache)
{
  aq_workload_source *source;
  ck_assert_status(load(SERVER ", \"role\": \"prefill\", \"to\": \"b\"},"
                               "{\"name\": \"b\", \"model\": \"m.json\","
                               "\"role\": \"decode\", \"blocks\": 16,"
                               "\"devices\": [1]}",
                        &source),
                   AQ_OK, &diag);
  bind(source);
  const played p = play(source, false);
  ck_assert_uint_eq(p.count, 4);
  /* The request of one token ends where it began. */
  ck_assert_uint_eq(p.copies, 3);
  /* 2000 bytes a token at 1 GB/s, 1 us each. */
  ck_assert_int_eq(p.copying, 3 * AQ_US + (40 + 33 + 9) * 2 * AQ_US);
  ck_assert_int_eq(row_of(&p, 40)->tokens, 3);
  ck_assert_int_eq(row_of(&p, 40)->client, 0);
  source->close(source);
}
END_TEST

START_TEST(on_one_device_nothing_is_copied)
{
  aq_workload_source *source;
  ck_assert_status(load(SERVER ", \"role\": \"prefill\", \"to\": \"b\"},"
                               "{\"name\": \"b\", \"model\": \"m.json\","
                               "\"role\": \"decode\", \"blocks\": 16}",
                        &source),
                   AQ_OK, &diag);
  const played p = play(source, false);
  ck_assert_uint_eq(p.count, 4);
  ck_assert_uint_eq(p.copies, 0);
  source->close(source);
}
END_TEST

START_TEST(devices_that_share_a_model_wait_for_each_other)
{
  aq_workload_source *source;
  ck_assert_status(load(SERVER ", \"devices\": [0, 1]}", &source), AQ_OK,
                   &diag);
  bind(source);
  const played p = play(source, false);
  ck_assert_uint_eq(p.count, 4);
  /* One behind each of two layers, on both: 10 us and the way of 128 bytes a
   * token; the steps have 57, 4, 4, 9, 4, 4, 4 and 20 tokens, with padding. */
  ck_assert_int_eq(p.reductions, 2 * 2 * (8 * 11 * AQ_US + 106 * 128 * AQ_NS));
  ck_assert_uint_gt(p.waits, 0);
  ck_assert_uint_eq(p.jobs % 2, 0);
  source->close(source);
}
END_TEST

START_TEST(devices_without_a_known_link_are_refused)
{
  static const aq_device_info devices[] = {{.gfx = "gfx942", .cus = 304},
                                           {.gfx = "gfx942", .cus = 304},
                                           {.gfx = "gfx950", .cus = 256}};
  aq_transport_info info = {.device_count = 2, .devices = devices};
  aq_workload_source *source;
  aq_job job;
  bool got;
  ck_assert_status(load(SERVER ", \"devices\": [0, 1]}", &source), AQ_OK,
                   &diag);
  ck_assert_int_eq(source->devices(source, &info, &diag), AQ_ERR_INVALID);
  ck_assert_msg(strstr(diag.text, "does not know their link") != NULL, "%s",
                diag.text);
  ck_assert_int_eq(source->next(source, &job, &got, &diag), AQ_ERR_INVALID);
  source->close(source);
  ck_assert_status(load(SERVER ", \"devices\": [0, 2]}", &source), AQ_OK,
                   &diag);
  info.device_count = 3;
  ck_assert_int_eq(source->devices(source, &info, &diag), AQ_ERR_INVALID);
  ck_assert_msg(strstr(diag.text, "devices 0 and 2 differ") != NULL, "%s",
                diag.text);
  source->close(source);
}
END_TEST

START_TEST(steps_of_many_tokens_are_bound_by_compute)
{
  static const char long_one[] =
      "# aqueduct requests 1, hash block 0 of prompts\n"
      "arrival_ns,prompt,output,session,tool_ns,hashes\n"
      "0,300,2,,,\n";
  aq_workload_source *source;
  aqtest_write("long.csv", long_one, strlen(long_one));
  ck_assert_status(load("{\"name\": \"a\", \"model\": \"m.json\", \"blocks\": "
                        "32, \"idempotent\": true, \"requests\": {\"file\": "
                        "\"long.csv\"}}",
                        &source),
                   AQ_OK, &diag);
  const played p = play(source, false);
  /* The two products of the prompt, as 300 tokens are more than the 247
   * operations a byte of the GPU; then the graph of one token. */
  ck_assert_uint_eq(p.compute, 2);
  ck_assert_uint_eq(p.memory, 1);
  ck_assert_uint_eq(p.idempotent, 3);
  source->close(source);
}
END_TEST

START_TEST(requests_of_a_rejected_step_are_rejected)
{
  aq_workload_source *source;
  ck_assert_status(load(SERVER "}", &source), AQ_OK, &diag);
  const played p = play(source, true);
  ck_assert_uint_eq(p.count, 4);
  for (size_t i = 0; i < p.count; i++) {
    ck_assert_int_eq(p.rows[i].rejected, 1);
    ck_assert_int_eq(p.rows[i].complete, AQ_NONE);
  }
  source->close(source);
}
END_TEST

START_TEST(a_seed_chooses_which_requests_arrive)
{
  aq_workload_source *source;
  int64_t seen[2] = {0};
  for (int64_t seed = 1; seed <= 16; seed++) {
    load("{\"name\": \"a\", \"model\": \"m.json\", \"blocks\": 16,"
         "\"requests\": {\"file\": \"r.csv\", \"count\": 1}}",
         &source);
    source->close(source);
    char path[4096];
    snprintf(path, sizeof path, "%s/s.json", aqtest_tmpdir());
    ck_assert_status(aq_scenario_load(path,
                                      &(aq_scenario_options){.seed = seed},
                                      &source, NULL, &diag),
                     AQ_OK, &diag);
    const played p = play(source, false);
    seen[p.rows[0].prompt == 40]++;
    ck_assert_int_eq(p.rows[0].arrival, 0);
    source->close(source);
  }
  ck_assert_int_gt(seen[0], 0);
  ck_assert_int_gt(seen[1], 0);
}
END_TEST

START_TEST(what_cannot_be_served_is_refused)
{
  static const struct {
    const char *servers, *words;
  } cases[] = {
      {"{\"name\": \"a\", \"model\": \"m.json\", \"blocks\": 2, \"requests\": "
       "{\"file\": \"r.csv\"}}",
       "server a: request 1 has 43 tokens; its cache holds 32"},
      {"{\"name\": \"a\", \"model\": \"m.json\", \"requests\": {\"file\": "
       "\"r.csv\"}}",
       "blocks"},
      {"{\"name\": \"a\", \"model\": \"m.json\", \"blocks\": 9, \"block\": 10, "
       "\"requests\": {\"file\": \"r.csv\"}}",
       "blocks of 10 tokens do not divide the 16 tokens"},
      {SERVER ", \"role\": \"prefill\", \"to\": \"z\"}",
       "no server is named \"z\""},
      {SERVER ", \"role\": \"prefill\", \"to\": \"a\"}",
       "\"a\" is no decode server"},
      {SERVER ", \"chunked\": false, \"max_tokens\": 39}",
       "request 1 has a prompt of 40 tokens; without \"chunked\""},
      {SERVER ", \"priority\": \"top\"}", "low, normal, high"},
      {SERVER ", \"devices\": [1, 1]}", "device 1 again"},
      {"{\"name\": \"a\", \"model\": \"m.json\", \"blocks\": 9, \"requests\": "
       "{\"file\": \"none.csv\"}}",
       "none.csv: No such file"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    aq_workload_source *source;
    ck_assert_int_eq(load(cases[i].servers, &source), AQ_ERR_INPUT);
    ck_assert_msg(strstr(diag.text, cases[i].words) != NULL, "%s", diag.text);
  }
}
END_TEST

AQ_TEST_MAIN("study/serving/serving",
             each_request_gets_its_tokens_at_the_ends_of_steps,
             a_prefill_server_hands_over_with_a_copy_of_the_cache,
             on_one_device_nothing_is_copied,
             devices_that_share_a_model_wait_for_each_other,
             devices_without_a_known_link_are_refused,
             steps_of_many_tokens_are_bound_by_compute,
             requests_of_a_rejected_step_are_rejected,
             a_seed_chooses_which_requests_arrive,
             what_cannot_be_served_is_refused)
