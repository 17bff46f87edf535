/* SPDX-License-Identifier: MIT */
/*
 * Times of steps: the built-in model beside the published traces that it was
 * made from, and what changes with devices and GPUs.
 */
#include "support/aqtest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "serving/model.h"

static aq_diag diag = AQ_DIAG_INIT;

static aq_model *model_open(const char *name)
{
  char text[256];
  aq_json_doc doc;
  aq_model *model = NULL;
  snprintf(text, sizeof text, "{\"model\": \"%s\"}", name);
  ck_assert_status(aq_json_parse(&doc, text, strlen(text), "s.json", &diag),
                   AQ_OK, &diag);
  const aq_json_node root = aq_json_root(&doc);
  aq_json_node member;
  ck_assert(aq_json_member(&root, "model", &member));
  if (aq_model_open(&member, &model) != AQ_OK)
    model = NULL;
  aq_json_free(&doc);
  return model;
}

/* 32 requests of 1024 tokens of context, as in the decode trace. */
static const aq_model_step decode = {
    .tokens = 32, .sequences = 32, .decodes = 32, .context = 32785};
/* 15 prompts of 1024 tokens, as in the prefill trace. */
static const aq_model_step prefill = {.tokens = 15360,
                                      .sequences = 15,
                                      .chunk_tokens = 15360,
                                      .pairs = 15 * 1024 * 1025 / 2};

/* Sum of kernels of a trace, in us, from the first with this word on; *count of
 * them. Negative: it is not there. */
static double trace_sum(const char *file, const char *first, size_t *count)
{
  const char *folder = aqtest_data("measured/norm");
  char command[4200], line[4096];
  double sum = 0;
  *count = 0;
  if (!folder)
    return -1;
  snprintf(command, sizeof command, "zcat '%s/%s.norm.csv.gz'", folder, file);
  FILE *in = popen(command, "r");
  ck_assert(in != NULL);
  for (bool begun = false; fgets(line, sizeof line, in);) {
    long long begin, end;
    begun |= strstr(line, first) != NULL;
    if (!begun || !strstr(line, ",kernel,"))
      continue;
    char *at = line;
    for (int i = 0; i < 8; i++)
      at = strchr(at, ',') + 1;
    if (sscanf(at, "%lld,%lld", &begin, &end) == 2) {
      sum += (double)(end - begin) / 1000;
      (*count)++;
    }
  }
  pclose(in);
  return sum;
}

static void step_compare(const char *file, const aq_model_step *step,
                         double tolerance)
{
  size_t count;
  const double measured = trace_sum(file, "vectorized_gather", &count);
  if (measured < 0) {
    aqtest_skip("the published traces are not there");
    return;
  }
  aq_model *model = model_open("qwen3-8b");
  const double us =
      (double)aq_model_step_time(model, step, &model->measured_on, 1) / 1e6;
  fprintf(stderr, "%s: %.0f us measured, %.0f us modelled, %+.2f %%\n", file,
          measured, us, 100 * (us / measured - 1));
  ck_assert_double_le(fabs(us / measured - 1), tolerance);
  aq_model_close(model);
}

START_TEST(a_decode_step_takes_as_long_as_in_its_trace)
{
  step_compare("mi300x_sglang_decode_graph", &decode, 0.02);
}
END_TEST

START_TEST(a_prefill_step_takes_as_long_as_in_its_trace)
{
  step_compare("mi300x_sglang_prefill", &prefill, 0.02);
}
END_TEST

START_TEST(a_step_has_the_kernels_of_its_trace)
{
  aq_model *model = model_open("qwen3-8b");
  size_t kernels = 0;
  for (size_t i = 0; i < model->kernel_count; i++)
    if (aq_model_has(&model->kernels[i], &decode, 1))
      kernels += model->kernels[i].part == AQ_MODEL_LAYER ? model->layers : 1;
  /* 544 nodes of the graph, and the choice of the tokens behind it. */
  ck_assert_uint_eq(kernels, 545);
  ck_assert_uint_eq(aq_model_graph(model, 33), 40);
  ck_assert_uint_eq(aq_model_graph(model, 257), 0);
  aq_model_close(model);
}
END_TEST

START_TEST(devices_share_the_products_and_add_reductions)
{
  aq_model *model = model_open("qwen3-8b");
  const aq_gpu *gpu = &model->measured_on;
  const aq_time one = aq_model_step_time(model, &prefill, gpu, 1);
  const aq_time two = aq_model_step_time(model, &prefill, gpu, 2);
  ck_assert_int_lt(two, one);
  ck_assert_int_gt(two, one / 2);
  /* A small step gains less than it pays. */
  ck_assert_int_gt(aq_model_step_time(model, &decode, gpu, 8),
                   aq_model_step_time(model, &decode, gpu, 1) / 4);
  aq_model_close(model);
}
END_TEST

START_TEST(products_on_another_gpu_are_predicted_where_there_are_tables)
{
  aq_gpu newer, older;
  ck_assert_status(aq_gpu_find("gfx950", 256, &newer, &diag), AQ_OK, &diag);
  ck_assert_status(aq_gpu_find("gfx90a", 104, &older, &diag), AQ_OK, &diag);
  aq_model *model = model_open("qwen3-8b");
  size_t product = 0;
  while (model->kernels[product].kind != AQ_MODEL_gemm)
    product++;
  ck_assert(aq_model_is_predicted(model, product, &newer));
  ck_assert(!aq_model_is_predicted(model, product, &older));
  ck_assert(!aq_model_is_predicted(model, product, &model->measured_on));
  ck_assert_int_lt(aq_model_step_time(model, &prefill, &newer, 1),
                   aq_model_step_time(model, &prefill, &model->measured_on, 1));
  ck_assert_int_gt(aq_model_step_time(model, &prefill, &older, 1),
                   aq_model_step_time(model, &prefill, &model->measured_on, 1));
  aq_model_close(model);
}
END_TEST

START_TEST(unknown_models_and_gpus_are_refused)
{
  aq_gpu gpu;
  ck_assert_ptr_null(model_open("qwen4"));
  ck_assert_msg(strstr(diag.text, "no model is named \"qwen4\"") != NULL, "%s",
                diag.text);
  ck_assert_ptr_null(model_open("not-there.json"));
  ck_assert_int_eq(aq_gpu_find("gfx906", 60, &gpu, &diag), AQ_ERR_INPUT);
  ck_assert_msg(strstr(diag.text, "gfx942 with 304") != NULL, "%s", diag.text);
}
END_TEST

AQ_TEST_MAIN("serving/model", a_decode_step_takes_as_long_as_in_its_trace,
             a_prefill_step_takes_as_long_as_in_its_trace,
             a_step_has_the_kernels_of_its_trace,
             devices_share_the_products_and_add_reductions,
             products_on_another_gpu_are_predicted_where_there_are_tables,
             unknown_models_and_gpus_are_refused)
