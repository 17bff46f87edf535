/* SPDX-License-Identifier: MIT */
/* REEF's models on an MI50: measured latencies of single kernels by occupancy,
 * as scenarios through the run loop, against the measured latency of each
 * model. */
#include "support/aqtest.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend_sim/sim.h"
#include "common/json_in.h"
#include "common/memory_sink.h"
#include "study/loop/run.h"
#include "study/workload/scenario.h"

/* The time of launch and wait in a kernel's measured latency: just below the
 * shortest of them, 14 us in steps of 2. */
#define CONTAINED "12us"

static aq_diag diag = AQ_DIAG_INIT;

typedef struct text {
  char *at;
  size_t size, capacity;
} text;

__attribute__((format(printf, 2, 3))) static void put(text *t, const char *fmt,
                                                      ...)
{
  va_list arguments;
  if (t->capacity - t->size < 4096) {
    t->capacity = 2 * t->capacity + 65536;
    t->at = realloc(t->at, t->capacity);
    ck_assert_ptr_nonnull(t->at);
  }
  va_start(arguments, fmt);
  t->size += (size_t)vsnprintf(t->at + t->size, 4096, fmt, arguments);
  va_end(arguments);
}

/* The file without the commas before a closing bracket, which JSON has not. */
static aq_json_doc json_open(const char *path, char **bytes)
{
  FILE *file = fopen(path, "rb");
  ck_assert_msg(file != NULL, "%s", path);
  *bytes = malloc(1 << 22);
  ck_assert_ptr_nonnull(*bytes);
  size_t size = fread(*bytes, 1, 1 << 22, file), kept = 0;
  fclose(file);
  for (size_t i = 0; i < size; i++) {
    size_t next = i + 1;
    while (next < size && strchr(" \r\n\t", (*bytes)[next]))
      next++;
    if ((*bytes)[i] != ',' || next == size || !strchr("]}", (*bytes)[next]))
      (*bytes)[kept++] = (*bytes)[i];
  }
  aq_json_doc doc;
  ck_assert_status(aq_json_parse(&doc, *bytes, kept, path, &diag), AQ_OK,
                   &diag);
  return doc;
}

static int64_t integer(const aq_json_node *node)
{
  int64_t value;
  ck_assert_status(aq_json_integer(node, 0, INT64_MAX, &value), AQ_OK, &diag);
  return value;
}

static aq_json_node member(const aq_json_node *node, const char *key)
{
  aq_json_node out;
  ck_assert_status(aq_json_need(node, key, &out), AQ_OK, &diag);
  return out;
}

static void put_latency(text *t, const aq_json_node *latency)
{
  size_t count;
  ck_assert_status(aq_json_array(latency, 1, 256, &count), AQ_OK, &diag);
  for (size_t i = 0; i < count; i++) {
    const aq_json_node element = aq_json_element(latency, i);
    put(t, "%s\"%lldus\"", i ? ", " : "", (long long)integer(&element));
  }
}

/* One kernel of the model, as a kernel of its own. */
static void put_kernel(text *t, size_t index, const aq_json_node *launch,
                       const aq_json_node *latencies)
{
  const char *name;
  aq_json_node key = member(launch, "name");
  ck_assert_status(aq_json_text(&key, &name), AQ_OK, &diag);
  const aq_json_node shape = member(launch, "launch_params");
  const aq_json_node profile = member(latencies, name);
  const aq_json_node latency = member(&profile, "latency");
  long long n[6];
  for (size_t i = 0; i < 6; i++) {
    const aq_json_node element = aq_json_element(&shape, i);
    n[i] = integer(&element);
  }
  put(t,
      "%s\"k%zu\": {\"grid\": [%lld, %lld, %lld], \"workgroup\": [%lld, %lld, "
      "%lld], \"cost\": {\"occupancy\": {\"contained\": \"" CONTAINED
      "\", \"latency\": [",
      index ? ", " : "", index, n[0] * n[3], n[1] * n[4], n[2] * n[5], n[3],
      n[4], n[5]);
  put_latency(t, &latency);
  put(t, "]}}}");
}

/* The model as one request of one closed client. */
static text scenario_of(const char *model, aq_time *measured)
{
  char path[80], *bytes[2];
  text t = {0};
  snprintf(path, sizeof path, "workloads/reef-mi50/%s.json", model);
  aq_json_doc launches = json_open(aqtest_data(path), &bytes[0]);
  snprintf(path, sizeof path, "workloads/reef-mi50/%s.profile.json", model);
  aq_json_doc profile = json_open(aqtest_data(path), &bytes[1]);
  const aq_json_node root = aq_json_root(&launches);
  const aq_json_node profile_root = aq_json_root(&profile);
  const aq_json_node kernels = member(&root, "kernels");
  const aq_json_node latencies = member(&profile_root, "kernel_latency");
  const aq_json_node whole = member(&profile_root, "model_latency");
  *measured = integer(&whole) * AQ_US;
  size_t count;
  ck_assert_status(aq_json_array(&kernels, 1, 10000, &count), AQ_OK, &diag);
  put(&t, "{\"version\": 1, \"kernels\": {");
  for (size_t i = 0; i < count; i++) {
    const aq_json_node launch = aq_json_element(&kernels, i);
    put_kernel(&t, i, &launch, &latencies);
  }
  put(&t, "}, \"requests\": {\"r\": {\"steps\": [");
  for (size_t i = 0; i < count; i++)
    put(&t, "%s{\"kernel\": \"k%zu\"}", i ? ", " : "", i);
  put(&t, "]}}, \"clients\": [{\"request\": \"r\", \"closed\": {}, "
          "\"requests\": 1}]}");
  aq_json_free(&launches);
  aq_json_free(&profile);
  free(bytes[0]);
  free(bytes[1]);
  return t;
}

/* From the doorbell of the first kernel to the end of the last. */
static aq_time simulated(const text *scenario)
{
  /* An MI50 with the pipe of an MI300X. */
  static const char *const edits[] = {"cus=60",
                                      "xccs=1",
                                      "waves_per_simd=10",
                                      "vgprs_per_simd=256",
                                      "vgpr_granule=4",
                                      "workgroup_interval=0.58 ns",
                                      NULL};
  aq_workload_source *source;
  aq_run_totals totals;
  ck_assert_status(aq_scenario_load_text(scenario->at, scenario->size, "reef",
                                         &(aq_scenario_options){.seed = -1},
                                         &source, NULL, &diag),
                   AQ_OK, &diag);
  const aq_run_options options = {.transport = &aqsim_transport_ops,
                                  .open = {.edits = edits}};
  ck_assert_status(aq_run(&options, source, NULL, &totals, &diag), AQ_OK,
                   &diag);
  source->close(source);
  return totals.end - totals.begin;
}

START_TEST(single_model_latencies_are_within_12_percent)
{
  static const char *const models[] = {"vgg", "resnet152", "densenet", "bert",
                                       "inception"};
  if (!aqtest_data("workloads/reef-mi50/vgg.json")) {
    aqtest_skip_unpublished();
    return;
  }
  for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
    aq_time measured;
    text scenario = scenario_of(models[i], &measured);
    aq_time took = simulated(&scenario);
    double error = (double)took / (double)measured - 1;
    ck_assert_msg(error > -0.12 && error < 0.12,
                  "%s: %.0f us, measured %.0f us (%+.1f %%)", models[i],
                  (double)took / AQ_US, (double)measured / AQ_US, 100 * error);
    printf("# %s: %+.1f %%\n", models[i], 100 * error);
    free(scenario.at);
  }
}
END_TEST

AQ_TEST_MAIN("backend_sim/reef", single_model_latencies_are_within_12_percent)
