/* SPDX-License-Identifier: MIT */
/* Published traces of requests, in small samples of our own. */
#include "support/aqtest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "study/serving/import.h"

static aq_diag diag = AQ_DIAG_INIT;
static aq_llm_import_result result;

static aq_status import(const char *format, const char *text,
                        aq_llm_requests *out)
{
  FILE *file = fopen(aqtest_write("f", text, strlen(text)), "r");
  ck_assert(file != NULL);
  aq_status status =
      aq_llm_import(aq_llm_format_find(format), file, "f", out, &result, &diag);
  fclose(file);
  return status;
}

START_TEST(azure_s_times_count_from_the_first)
{
  aq_llm_requests r;
  ck_assert_status(import("azure",
                          "TIMESTAMP,ContextTokens,GeneratedTokens\r\n"
                          "2023-11-30 23:59:59.9000000,374,44\r\n"
                          "2023-12-01 00:00:00.1000001,396,109\r\n",
                          &r),
                   AQ_OK, &diag);
  ck_assert_uint_eq(r.count, 2);
  ck_assert_int_eq(r.list[0].arrival, 0);
  ck_assert_int_eq(r.list[1].arrival, 200000100);
  ck_assert_uint_eq(r.list[1].prompt, 396);
  ck_assert_uint_eq(r.list[1].output, 109);
  ck_assert_uint_eq(result.prompt, 770);
  aq_llm_requests_fini(&r);
  /* 2024's have a zone. */
  ck_assert_status(import("azure",
                          "TIMESTAMP,ContextTokens,GeneratedTokens\n"
                          "2024-05-10 00:00:00.009930+00:00,2162,5\n",
                          &r),
                   AQ_OK, &diag);
  aq_llm_requests_fini(&r);
}
END_TEST

START_TEST(requests_without_an_answer_are_left_out_and_counted)
{
  aq_llm_requests r;
  ck_assert_status(
      import("burstgpt",
             "Timestamp,Session ID,Elapsed time,Model,Request tokens,Response "
             "tokens,Total tokens,Log Type\n"
             "5,a,1.5,ChatGPT,472,18,490,Conversation log\n"
             "45,b,0,\"GPT-4, old\",1087,0,1087,API log\n"
             "40.5,a,2,GPT-4,417,276,693,Conversation log\n",
             &r),
      AQ_OK, &diag);
  ck_assert_uint_eq(r.count, 2);
  ck_assert_uint_eq(result.left_out, 1);
  ck_assert_int_eq(r.list[1].arrival, 35500000000);
  ck_assert_int_eq(r.list[1].session, r.list[0].session);
  ck_assert(!r.list[1].chained);
  ck_assert_uint_eq(result.moved, 0);
  aq_llm_requests_fini(&r);
}
END_TEST

START_TEST(mooncake_s_ids_stand_for_blocks_of_prompts)
{
  aq_llm_requests r;
  ck_assert_status(import("mooncake",
                          "{\"timestamp\": 27, \"input_length\": 513, "
                          "\"output_length\": 2, \"hash_ids\": [4, 7]}\n"
                          "{\"timestamp\": 3, \"input_length\": 9, "
                          "\"output_length\": 1, \"hash_ids\": []}\n",
                          &r),
                   AQ_OK, &diag);
  ck_assert_uint_eq(r.hash_block, 512);
  ck_assert(!r.hash_answers);
  ck_assert_uint_eq(result.moved, 1);
  ck_assert_uint_eq(r.list[0].prompt, 9);
  ck_assert_int_eq(r.list[1].arrival, 24000000);
  ck_assert_uint_eq(r.list[1].hashes, 2);
  ck_assert_uint_eq(r.hashes[r.list[1].hash + 1], 7);
  aq_llm_requests_fini(&r);
}
END_TEST

static const char sessions[] =
    "{\"session_id\": \"s\", \"arrival_time_ns\": 50, \"sub_requests\": ["
    "{\"input_toks\": 2, \"output_toks\": 3, \"tool_duration_ns\": 700},"
    "{\"input_toks\": 4, \"output_toks\": 5, \"tool_duration_ns\": 0}]}\n"
    "{\"input_toks\": 16, \"output_toks\": 16, \"arrival_time_ns\": 40,"
    "\"input_tok_ids\": [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16],"
    "\"output_tok_ids\": [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16]}\n";

START_TEST(a_session_s_requests_wait_for_each_other)
{
  aq_llm_requests r;
  ck_assert_status(import("llmservingsim", sessions, &r), AQ_OK, &diag);
  ck_assert_uint_eq(r.count, 3);
  ck_assert_uint_eq(r.list[0].hashes, 2);
  ck_assert_uint_ne(r.hashes[0], r.hashes[1]);
  ck_assert_uint_eq(r.list[1].next, 2);
  ck_assert_uint_eq(r.list[2].next, AQ_LLM_NONE);
  ck_assert(r.list[2].chained);
  ck_assert_int_eq(r.list[2].tool, 700);
  ck_assert_uint_eq(result.sessions, 1);
  aq_llm_requests_fini(&r);
}
END_TEST

START_TEST(the_file_of_a_list_reads_as_the_list)
{
  aq_llm_requests r, again;
  char *text = NULL, *second = NULL;
  size_t size, second_size;
  ck_assert_status(import("llmservingsim", sessions, &r), AQ_OK, &diag);
  FILE *file = open_memstream(&text, &size);
  ck_assert(aq_llm_requests_write(&r, file));
  fclose(file);
  file = fmemopen(text, size, "r");
  ck_assert_status(aq_llm_requests_read_stream(file, "f", &again, &diag), AQ_OK,
                   &diag);
  fclose(file);
  file = open_memstream(&second, &second_size);
  ck_assert(aq_llm_requests_write(&again, file));
  fclose(file);
  ck_assert_str_eq(text, second);
  ck_assert_uint_eq(again.list[1].next, 2);
  free(text);
  free(second);
  aq_llm_requests_fini(&r);
  aq_llm_requests_fini(&again);
}
END_TEST

START_TEST(errors_name_the_line_and_what_is_expected)
{
  static const struct {
    const char *format, *text, *words;
  } cases[] = {
      {"azure", "a,b,c\n", "f:1: no column \"TIMESTAMP\""},
      {"azure",
       "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-13-01 0:0:0,1,1\n",
       "f:2: TIMESTAMP \"2023-13-01 0:0:0\""},
      {"azure",
       "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-01 00:00:00,-1,1\n",
       "f:2: ContextTokens \"-1\": a whole number from 0"},
      {"azure", "TIMESTAMP,ContextTokens,GeneratedTokens\n", "f: no request"},
      {"burstgpt", "Timestamp,Request tokens,Response tokens\n1e3,1,1\n",
       "f:2: Timestamp \"1e3\": seconds expected"},
      {"burstgpt", "Timestamp,Request tokens,Response tokens\n\"1,1,1\n",
       "f:2: a quote that does not end"},
      {"mooncake", "{\"timestamp\": 1}\n", "f:1: "},
      {"mooncake",
       "{\"timestamp\": 1, \"input_length\": 512, \"output_length\": 1, "
       "\"hash_ids\": [1, 2]}\n",
       "2 ids, but 512 tokens have 1 blocks of 512"},
      {"llmservingsim",
       "{\"input_toks\": 2, \"output_toks\": 3, \"arrival_time_ns\": 1, "
       "\"input_tok_ids\": [1]}\n",
       "1 ids of 2 tokens"},
      {"llmservingsim", "{\"arrival_time_ns\": 1\n", "f:1"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    aq_llm_requests r;
    ck_assert_int_eq(import(cases[i].format, cases[i].text, &r), AQ_ERR_INPUT);
    ck_assert_msg(strstr(diag.text, cases[i].words) != NULL, "%s", diag.text);
  }
}
END_TEST

START_TEST(the_published_traces_are_read_whole)
{
  static const struct {
    const char *format, *file;
    size_t requests;
  } traces[] = {
      {"azure", "azure-llm-2023/AzureLLMInferenceTrace_code.csv", 8819},
      {"azure", "azure-llm-2023/AzureLLMInferenceTrace_conv.csv", 19366},
      {"mooncake", "mooncake/conversation_trace.jsonl", 12031},
      {"mooncake", "mooncake/synthetic_trace.jsonl", 3993},
  };
  const char *data = aqtest_data("workloads");
  if (!data) {
    aqtest_skip_unpublished();
    return;
  }
  for (size_t i = 0; i < sizeof traces / sizeof *traces; i++) {
    char path[4096];
    aq_llm_requests r;
    snprintf(path, sizeof path, "%s/%s", data, traces[i].file);
    FILE *file = fopen(path, "r");
    ck_assert(file != NULL);
    ck_assert_status(aq_llm_import(aq_llm_format_find(traces[i].format), file,
                                   path, &r, &result, &diag),
                     AQ_OK, &diag);
    fclose(file);
    ck_assert_uint_eq(result.requests + result.left_out, traces[i].requests);
    aq_llm_requests_fini(&r);
  }
}
END_TEST

AQ_TEST_MAIN("study/serving/import", azure_s_times_count_from_the_first,
             requests_without_an_answer_are_left_out_and_counted,
             mooncake_s_ids_stand_for_blocks_of_prompts,
             a_session_s_requests_wait_for_each_other,
             the_file_of_a_list_reads_as_the_list,
             errors_name_the_line_and_what_is_expected,
             the_published_traces_are_read_whole)
