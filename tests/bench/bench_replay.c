/* SPDX-License-Identifier: MIT */
/*
 * Replay of the published MI350X trace (43,915 dispatches on five queues), rows
 * going nowhere: once, from rows in memory to the last record; and its jobs
 * again and again until ten million dispatches are done, with the memory that
 * took. Without the trace nothing is measured.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "backend_sim/sim.h"
#include "bench/bench.h"
#include "common/memory_sink.h"
#include "study/loop/replay.h"
#include "study/loop/run.h"
#include "trace/import/trace.h"

enum { ROUNDS = 5, DISPATCHES = 10000000 };

static void check(aq_status status, const aq_diag *diag)
{
  if (status == AQ_OK)
    return;
  fprintf(stderr, "bench_replay: %s\n", diag->text);
  exit(1);
}

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
  (void)sink, (void)diag;
  *ordinal = queue->source_id;
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

static aq_record_sink nowhere = {drop_device, drop_queue, drop_name, drop_rows,
                                 NULL};

/* ---- the trace ---- */

typedef struct memory_input {
  aq_replay_input input; /* first */
  aq_memory_sink *rows;
  size_t at;
} memory_input;

static aq_status input_next(aq_replay_input *input, aq_record *rows,
                            int64_t *numbers, size_t capacity, size_t *count,
                            aq_diag *diag)
{
  memory_input *m = (memory_input *)input;
  size_t left = m->rows->count - m->at;
  (void)diag;
  *count = left < capacity ? left : capacity;
  memcpy(rows, m->rows->rows + m->at, *count * sizeof *rows);
  for (size_t i = 0; i < *count; i++)
    numbers[i] = (int64_t)m->at++;
  return AQ_OK;
}

static const char *input_name(aq_replay_input *input, int64_t id)
{
  return aq_names_text(&((memory_input *)input)->rows->names, id);
}

static int start_compare(const void *a, const void *b)
{
  const aq_time x = ((const aq_record *)a)->start;
  const aq_time y = ((const aq_record *)b)->start;
  return (x > y) - (x < y);
}

static aq_workload_source *replay_open(memory_input *input, aq_time *first)
{
  static const aq_replay_options options = {.latency_warm = 4670 * AQ_NS,
                                            .latency_cold = 9470 * AQ_NS,
                                            .unmap_after = 105 * AQ_US,
                                            .timestamp_step = 40 * AQ_NS};
  aq_workload_source *source;
  aq_replay_facts facts;
  aq_diag diag = AQ_DIAG_INIT;
  input->at = 0;
  check(aq_replay_open(&input->input, &options, &source, &facts, &diag), &diag);
  *first = facts.first_submit;
  return source;
}

static void play(aq_workload_source *source, aq_time epoch)
{
  aq_diag diag = AQ_DIAG_INIT;
  const aq_run_options options = {
      .transport = &aqsim_transport_ops,
      .open = {.device = "mi350x", .epoch = aq_time_min(epoch, 0)}};
  check(aq_run(&options, source, &nowhere, NULL, &diag), &diag);
  source->close(source);
}

static double replay_once(void *context)
{
  aq_time first;
  double begin = aqbench_now();
  aq_workload_source *source = replay_open(context, &first);
  play(source, first);
  return (aqbench_now() - begin) * 1e3;
}

/* ---- again and again ---- */

typedef struct repeated {
  aq_workload_source source; /* first */
  aq_job *jobs;              /* of one replay, each of one command */
  aq_command *commands;
  size_t count, at;
  aq_time span, shift; /* of one replay; of the present one */
  uint64_t id, left;   /* jobs */
  memory_input *input;
} repeated;

static aq_time repeated_peek(aq_workload_source *source)
{
  const repeated *r = (repeated *)source;
  return r->left ? r->jobs[r->at].submit + r->shift : AQ_TIME_MAX;
}

static aq_status repeated_next(aq_workload_source *source, aq_job *out,
                               bool *got, aq_diag *diag)
{
  repeated *r = (repeated *)source;
  (void)diag;
  *got = r->left > 0;
  if (!*got)
    return AQ_OK;
  *out = r->jobs[r->at];
  out->commands = &r->commands[r->at];
  out->submit += r->shift;
  out->id = r->id++;
  r->left--;
  if (++r->at == r->count) {
    r->at = 0;
    r->shift += r->span;
  }
  return AQ_OK;
}

static const char *repeated_name(aq_workload_source *source, int64_t id)
{
  return input_name(&((repeated *)source)->input->input, id);
}

static void repeated_close(aq_workload_source *source)
{
  (void)source;
}

/* Takes the jobs of one replay; kernels alone, and each launched separately. */
static void repeated_fill(repeated *r, aq_workload_source *source)
{
  aq_diag diag = AQ_DIAG_INIT;
  aq_job job;
  bool got;
  for (;;) {
    check(source->next(source, &job, &got, &diag), &diag);
    if (!got)
      break;
    if (job.command_count != 1 || r->count == r->input->rows->count)
      abort();
    r->commands[r->count] = job.commands[0];
    r->jobs[r->count++] = job;
  }
  source->close(source);
  r->span = r->jobs[r->count - 1].submit - r->jobs[0].submit + AQ_S;
}

static double replay_many(void *context)
{
  memory_input *input = context;
  aq_time first;
  repeated r = {.source = {.peek = repeated_peek,
                           .next = repeated_next,
                           .name = repeated_name,
                           .close = repeated_close},
                .input = input,
                .left = DISPATCHES};
  r.jobs = calloc(input->rows->count, sizeof *r.jobs);
  r.commands = calloc(input->rows->count, sizeof *r.commands);
  if (!r.jobs || !r.commands)
    abort();
  repeated_fill(&r, replay_open(input, &first));
  double begin = aqbench_now();
  play(&r.source, first);
  double seconds = aqbench_now() - begin;
  free(r.commands);
  free(r.jobs);
  return seconds;
}

static double peak_memory(void *context)
{
  struct rusage usage;
  (void)context;
  getrusage(RUSAGE_SELF, &usage);
  return (double)usage.ru_maxrss / 1024;
}

int main(void)
{
  const char *data = getenv("AQ_DATA"), *top = getenv("AQ_SRCDIR");
  char path[4096];
  aq_memory_sink rows;
  aq_trace_result result;
  aq_diag diag = AQ_DIAG_INIT;
  snprintf(path, sizeof path, "%s%s/measured/raw/mi350x_aorta_train.json.gz",
           data  ? data
           : top ? top
                 : ".",
           data ? "" : "/../shared/data");
  if (access(path, R_OK) != 0) {
    fprintf(stderr, "bench_replay: skipped, no %s\n", path);
    return 0;
  }
  aq_memory_sink_init(&rows);
  check(aq_trace_import(path, NULL, &rows.sink, &result, &diag), &diag);
  qsort(rows.rows, rows.count, sizeof *rows.rows, start_compare);
  memory_input input = {{input_next, input_name}, &rows, 0};
  aqbench_compare("replay_mi350x", "ms", ROUNDS, NULL, replay_once, &input);
  aqbench_compare("replay_10M", "s", 1, NULL, replay_many, &input);
  aqbench_compare("replay_10M_memory", "MB", 1, NULL, peak_memory, NULL);
  aq_memory_sink_fini(&rows);
  return 0;
}
