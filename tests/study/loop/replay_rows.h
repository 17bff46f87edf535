/* SPDX-License-Identifier: MIT */
/* Rows of a trace, and the jobs that a replay makes of them. */
#ifndef AQ_TESTS_STUDY_LOOP_REPLAY_ROWS_H
#define AQ_TESTS_STUDY_LOOP_REPLAY_ROWS_H

#include "support/aqtest.h"
#include "support/fake_transport.h"

#include "common/memory_sink.h"
#include "study/loop/replay.h"
#include "study/loop/run.h"

static aq_diag diag = AQ_DIAG_INIT;

/* Rows as an input; row numbers are their places plus 100. */
typedef struct table {
  aq_replay_input input;
  const aq_record *rows;
  size_t count, next;
} table;

static inline aq_status table_next(aq_replay_input *input, aq_record *rows,
                                   int64_t *numbers, size_t capacity,
                                   size_t *count, aq_diag *d)
{
  table *t = (table *)input;
  (void)d;
  *count = 0;
  while (*count < capacity && *count < 2 && t->next < t->count) {
    numbers[*count] = 100 + (int64_t)t->next;
    rows[(*count)++] = t->rows[t->next++];
  }
  return AQ_OK;
}

static inline const char *table_name(aq_replay_input *input, int64_t id)
{
  static const char *const names[] = {"one",
                                      "hipDeviceSynchronize",
                                      "ncclDevKernel_Generic(ncclDevComm*)",
                                      "nccl:all_reduce",
                                      "DistributedDataParallel.forward",
                                      "Memcpy HtoD (Host -> Device)",
                                      "Memcpy DtoH (Device -> Host)"};
  (void)input;
  return id >= 1 && id <= 7 ? names[id - 1] : "other";
}

static inline table table_of(const aq_record *rows, size_t count)
{
  return (table){{table_next, table_name}, rows, count, 0};
}

static const aq_replay_options mi300x = {.latency_warm = 4700 * AQ_NS,
                                         .latency_cold = 9500 * AQ_NS,
                                         .unmap_after = 105 * AQ_US,
                                         .timestamp_step = 40 * AQ_NS};

/* A kernel on queue 0; times in microseconds. */
static inline aq_record kernel(double host_begin, double host_end, double start,
                               double end)
{
  aq_record row;
  aq_record_init(&row);
  row.kind = AQ_KIND_KERNEL;
  row.via = AQ_VIA_DIRECT;
  row.device = row.queue = 0;
  row.stream = 77;
  row.name = 1;
  row.host_begin = (aq_time)(host_begin * AQ_US);
  row.host_end = (aq_time)(host_end * AQ_US);
  row.start = (aq_time)(start * AQ_US);
  row.end = (aq_time)(end * AQ_US);
  return row;
}

static inline aq_workload_source *
open_with(table *t, const aq_replay_options *options, aq_time *first)
{
  aq_workload_source *source;
  aq_replay_facts facts;
  ck_assert_status(aq_replay_open(&t->input, options, &source, &facts, &diag),
                   AQ_OK, &diag);
  if (first)
    *first = facts.first_submit;
  return source;
}

static inline aq_job next(aq_workload_source *source)
{
  aq_job job;
  bool got;
  aq_time announced = source->peek(source);
  ck_assert_status(source->next(source, &job, &got, &diag), AQ_OK, &diag);
  ck_assert(got);
  ck_assert_int_eq(job.submit, announced);
  return job;
}

static inline void ck_end(aq_workload_source *source)
{
  aq_job job;
  bool got = true;
  ck_assert_int_eq(source->peek(source), AQ_TIME_MAX);
  ck_assert_status(source->next(source, &job, &got, &diag), AQ_OK, &diag);
  ck_assert(!got);
  source->close(source);
}

#endif
