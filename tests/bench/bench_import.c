/* SPDX-License-Identifier: MIT */
/*
 * Import of a Kineto trace into a sink that drops everything, in MB of JSON a
 * second. The floor: the same file, inflated and parsed by yajl with empty
 * callbacks. The file is the largest of the shared data, or one written here.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <yajl/yajl_parse.h>
#include <zlib.h>

#include "bench/bench.h"
#include "trace/import/trace.h"

enum { SYNTHETIC_LAUNCHES = 20000, CALLS_A_LAUNCH = 10, ROUNDS = 5 };

/* ---- a sink that drops everything ---- */

static aq_status drop_device(aq_record_sink *sink, const aq_run_device *device,
                             int64_t *ordinal, aq_diag *diag)
{
  (void)sink, (void)device, (void)diag;
  *ordinal = 0;
  return AQ_OK;
}

static aq_status drop_queue(aq_record_sink *sink, const aq_run_queue *queue,
                            int64_t *ordinal, aq_diag *diag)
{
  (void)sink, (void)queue, (void)diag;
  *ordinal = 0;
  return AQ_OK;
}

static aq_status drop_name(aq_record_sink *sink, const char *text,
                           size_t length, int64_t *id, aq_diag *diag)
{
  (void)sink, (void)text, (void)length, (void)diag;
  *id = 0;
  return AQ_OK;
}

static aq_status drop_rows(aq_record_sink *sink, const aq_record *rows,
                           size_t count, aq_diag *diag)
{
  (void)sink, (void)rows, (void)count, (void)diag;
  return AQ_OK;
}

/* ---- measured functions ---- */

static double import_rate(void *context)
{
  aq_record_sink sink = {drop_device, drop_queue, drop_name, drop_rows};
  aq_trace_result result;
  aq_diag diag = AQ_DIAG_INIT;
  double begin = aqbench_now();
  if (aq_trace_import(context, NULL, &sink, &result, &diag) != AQ_OK) {
    fprintf(stderr, "%s\n", diag.text);
    exit(1);
  }
  return (double)result.bytes * 1e-6 / (aqbench_now() - begin);
}

static double parse_rate(void *context)
{
  static unsigned char text[256 << 10];
  static const yajl_callbacks nothing;
  double begin = aqbench_now(), bytes = 0;
  gzFile file = gzopen(context, "rb");
  yajl_handle yajl = yajl_alloc(&nothing, NULL, NULL);
  yajl_config(yajl, yajl_dont_validate_strings, 1);
  for (int count; (count = gzread(file, text, sizeof text)) > 0;) {
    if (yajl_parse(yajl, text, (size_t)count) != yajl_status_ok) {
      fprintf(stderr, "%s: not JSON\n", (const char *)context);
      exit(1);
    }
    bytes += count;
  }
  yajl_free(yajl);
  gzclose(file);
  return bytes * 1e-6 / (aqbench_now() - begin);
}

/* ---- a trace like the ones of the shared data ---- */

static void write_event(gzFile file, const char *category, const char *name,
                        double ts, const char *args)
{
  gzprintf(file,
           "  {\n    \"ph\": \"X\", \"cat\": \"%s\", \"name\": \"%s\", "
           "\"pid\": 425, \"tid\": 425,\n    \"ts\": %.3f, \"dur\": 5.250,\n"
           "    \"args\": {\n      %s\n    }\n  },\n",
           category, name, ts, args);
}

static void write_launch(gzFile file, int i)
{
  char args[256];
  double ts = 4026150069145.028 + i * 10.0;
  for (int call = 0; call < CALLS_A_LAUNCH; call++) {
    snprintf(args, sizeof args,
             "\"Python parent id\": %d, \"Python id\": %d, \"Ev Idx\": %d",
             i * CALLS_A_LAUNCH + call - 1, i * CALLS_A_LAUNCH + call, i);
    write_event(file, "python_function",
                "torch/nn/modules/module.py(1751): _wrapped_call_impl", ts,
                args);
  }
  snprintf(args, sizeof args,
           "\"External id\": %d, \"cid\": 107, \"correlation\": %d, "
           "\"grid\": [77, 1, 1], \"block\": [128, 1, 1]",
           i, i);
  write_event(file, "cuda_runtime", "hipLaunchKernel", ts, args);
  snprintf(args, sizeof args,
           "\"External id\": %d, \"device\": 2, \"stream\": 0, "
           "\"correlation\": %d, \"grid\": [77, 1, 1], \"block\": [128, 1, 1]",
           i, i);
  write_event(file, "kernel", "void vectorized_gather_kernel<16, long>", ts + 8,
              args);
}

static void write_synthetic(const char *path)
{
  gzFile file = gzopen(path, "wb6");
  if (!file) {
    perror(path);
    exit(1);
  }
  gzputs(file, "{\n  \"traceEvents\": [\n");
  for (int i = 0; i < SYNTHETIC_LAUNCHES; i++)
    write_launch(file, i);
  gzputs(file, "  {}\n  ]\n}\n");
  gzclose(file);
}

int main(void)
{
  static const char data[] = "measured/raw/mi300x_flux_sage.json.gz";
  char path[4096], made[] = "/tmp/aqbench-XXXXXX";
  const char *root = getenv("AQ_DATA"), *source = getenv("AQ_SRCDIR");
  if (root)
    snprintf(path, sizeof path, "%s/%s", root, data);
  else
    snprintf(path, sizeof path, "%s/../shared/data/%s", source ? source : ".",
             data);
  if (access(path, R_OK) == 0) {
    aqbench_compare("import_kineto", "MB/s", ROUNDS, parse_rate, import_rate,
                    path);
    return 0;
  }
  int file = mkstemp(made);
  if (file < 0) {
    perror(made);
    return 1;
  }
  close(file);
  write_synthetic(made);
  aqbench_compare("import_kineto_synthetic", "MB/s", ROUNDS, parse_rate,
                  import_rate, made);
  unlink(made);
  return 0;
}
