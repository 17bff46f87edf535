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

#include "study/serving/model.h"

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
    aqtest_skip_unpublished();
    return;
  }
  aq_model *model = model_open("qwen3-8b");
  const double us =
      (double)aq_model_step_time(model, step, &model->measured_on, &AQ_ALONE) /
      1e6;
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

/* Neighbours with links of 64 GB/s and 1 us. */
static aq_peers peers_of(uint32_t count)
{
  return (aq_peers){
      .devices = count, .latency = AQ_US, .each = (double)AQ_S / 64e9};
}

START_TEST(devices_share_the_products_and_add_reductions)
{
  aq_model *model = model_open("qwen3-8b");
  const aq_gpu *gpu = &model->measured_on;
  const aq_peers pair = peers_of(2), eight = peers_of(8);
  const aq_time one = aq_model_step_time(model, &prefill, gpu, &AQ_ALONE);
  const aq_time two = aq_model_step_time(model, &prefill, gpu, &pair);
  ck_assert_int_lt(two, one);
  ck_assert_int_gt(two, one / 2);
  /* A small step gains less than it pays. */
  ck_assert_int_gt(aq_model_step_time(model, &decode, gpu, &eight),
                   aq_model_step_time(model, &decode, gpu, &AQ_ALONE) / 4);
  aq_model_close(model);
}
END_TEST

START_TEST(a_reduction_takes_the_sooner_way_over_its_links)
{
  const aq_peers four = peers_of(4);
  /* 64 kB take 1 us over a link: all at once. */
  ck_assert_double_eq_tol(aq_peers_reduce(&four, 64e3), 2e6, 1);
  /* 64 MB: a quarter to each other device, and back. */
  ck_assert_double_eq_tol(aq_peers_reduce(&four, 64e6), 2 * (1e6 + 250e6), 1);
  aq_model *model = model_open("qwen3-8b");
  size_t at = 0;
  while (model->kernels[at].kind != AQ_MODEL_reduction)
    at++;
  /* 15,360 tokens of 4096 numbers of 2 bytes; and 10 us. */
  ck_assert_int_eq(
      aq_model_time(model, at, &prefill, &model->measured_on, &four),
      (aq_time)(10e6 + 2 * (1e6 + 15360.0 * 8192 / 4 / 64e9 * 1e12) + 0.5));
  aq_model_close(model);
}
END_TEST

/* Two groups of two neighbours, and a device more. */
static const aq_link_info link_list[] = {
    {0, 1, AQ_LINK_XGMI, 1, AQ_US, 100000000},
    {2, 3, AQ_LINK_XGMI, 1, AQ_US, 50000000},
    {0, 2, AQ_LINK_PCIE, 2, 3 * AQ_US, 40000000},
    {0, 3, AQ_LINK_PCIE, 2, 3 * AQ_US, 40000000},
    {1, 2, AQ_LINK_PCIE, 2, 3 * AQ_US, 40000000},
    {1, 3, AQ_LINK_PCIE, 2, 3 * AQ_US, 40000000},
    {0, 4, AQ_LINK_XGMI, 1, AQ_US, 0}};
static const aq_transport_info links = {.device_count = 5,
                                        .links = link_list,
                                        .link_count = sizeof link_list /
                                                      sizeof *link_list};

START_TEST(links_are_those_of_the_devices)
{
  static const uint32_t all[] = {0, 1, 2, 3, 4};
  aq_peers peers;
  ck_assert_status(aq_peers_find(&links, all, 2, &peers, &diag), AQ_OK, &diag);
  ck_assert_int_eq(peers.latency, AQ_US);
  ck_assert_double_eq_tol(peers.each, 1e4, 1e-6); /* 100 MB/s */
  ck_assert_status(aq_peers_find(&links, all + 2, 2, &peers, &diag), AQ_OK,
                   &diag);
  ck_assert_double_eq_tol(peers.each, 2e4, 1e-6);
  /* Each has one link to the host for both that are far. */
  ck_assert_status(aq_peers_find(&links, all, 4, &peers, &diag), AQ_OK, &diag);
  ck_assert_int_eq(peers.latency, 3 * AQ_US);
  ck_assert_double_eq_tol(peers.each, 5e4, 1e-6); /* half of 40 MB/s */
  ck_assert_int_eq(aq_peers_find(&links, all, 5, &peers, &diag),
                   AQ_ERR_INVALID);
  ck_assert_msg(strstr(diag.text, "between devices 0 and 4") != NULL, "%s",
                diag.text);
}
END_TEST

START_TEST(a_hand_over_is_shared_among_links)
{
  static const uint32_t all[] = {0, 1, 2, 3};
  aq_peers way;
  /* From one device to two: half to each; the one stays. */
  ck_assert_status(aq_peers_transfer(&links, all, 1, all, 2, &way, &diag),
                   AQ_OK, &diag);
  ck_assert_double_eq_tol(way.each, 0.5e4, 1e-6);
  ck_assert(!aq_peers_local(all, 1, all, 2));
  ck_assert(aq_peers_local(all, 2, all, 2));
  /* Over the host, each half over links of its own. */
  ck_assert_status(aq_peers_transfer(&links, all, 2, all + 2, 2, &way, &diag),
                   AQ_OK, &diag);
  ck_assert_double_eq_tol(way.each, 1.25e4, 1e-6);
  ck_assert_int_eq(way.latency, 3 * AQ_US);
  /* Both halves over the one link of device 0. */
  ck_assert_status(aq_peers_transfer(&links, all, 1, all + 2, 2, &way, &diag),
                   AQ_OK, &diag);
  ck_assert_double_eq_tol(way.each, 2.5e4, 1e-6);
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
  ck_assert_int_lt(
      aq_model_step_time(model, &prefill, &newer, &AQ_ALONE),
      aq_model_step_time(model, &prefill, &model->measured_on, &AQ_ALONE));
  ck_assert_int_gt(
      aq_model_step_time(model, &prefill, &older, &AQ_ALONE),
      aq_model_step_time(model, &prefill, &model->measured_on, &AQ_ALONE));
  aq_model_close(model);
}
END_TEST

START_TEST(scaled_models_take_their_products_from_tables)
{
  static const struct {
    const char *name;
    double weights; /* bytes of FP8 in all layers */
  } models[] = {{"llama-3.1-70b-fp8", 68.5e9}, {"llama-3.1-405b-fp8", 401.6e9}};
  static const aq_model_step one = {
      .tokens = 1, .sequences = 1, .decodes = 1, .context = 128};
  aq_gpu older;
  ck_assert_status(aq_gpu_find("gfx90a", 104, &older, &diag), AQ_OK, &diag);
  for (size_t m = 0; m < sizeof models / sizeof *models; m++) {
    aq_model *model = model_open(models[m].name);
    const aq_gpu *gpu = &model->measured_on;
    double weights = 0;
    ck_assert_status(aq_model_check(model, gpu, &diag), AQ_OK, &diag);
    for (size_t i = 0; i < model->kernel_count; i++) {
      const aq_model_kernel *kernel = &model->kernels[i];
      if (kernel->kind != AQ_MODEL_gemm)
        continue;
      ck_assert(kernel->tabled && aq_model_is_predicted(model, i, gpu));
      weights += (double)kernel->n * (double)kernel->k * model->layers;
    }
    ck_assert_double_eq_tol(weights / models[m].weights, 1, 0.01);
    /* No memory reads its weights faster than its bandwidth. */
    const aq_peers eight = peers_of(8);
    ck_assert_double_gt((double)aq_model_step_time(model, &one, gpu, &eight) /
                            (double)AQ_S,
                        weights / 8 / gpu->bandwidth);
    ck_assert_int_eq(aq_model_check(model, &older, &diag), AQ_ERR_INPUT);
    ck_assert_msg(strstr(diag.text, "no published tables") != NULL, "%s",
                  diag.text);
    aq_model_close(model);
  }
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

AQ_TEST_MAIN("study/serving/model", a_decode_step_takes_as_long_as_in_its_trace,
             a_prefill_step_takes_as_long_as_in_its_trace,
             a_step_has_the_kernels_of_its_trace,
             devices_share_the_products_and_add_reductions,
             a_reduction_takes_the_sooner_way_over_its_links,
             links_are_those_of_the_devices, a_hand_over_is_shared_among_links,
             products_on_another_gpu_are_predicted_where_there_are_tables,
             scaled_models_take_their_products_from_tables,
             unknown_models_and_gpus_are_refused)
