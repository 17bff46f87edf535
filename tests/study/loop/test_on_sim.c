/* SPDX-License-Identifier: MIT */
/* The run loop, replay and scenarios on the simulator. */
#include "support/aqtest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend_sim/sim.h"
#include "common/memory_sink.h"
#include "study/loop/replay.h"
#include "study/loop/run.h"
#include "study/workload/scenario.h"
#include "trace/import/trace.h"
#include "transport/null/null.h"

static aq_diag diag = AQ_DIAG_INIT;

/* The rows of a memory sink in the order of their starts, as an input. */
typedef struct rows_input {
  aq_replay_input input;
  const aq_memory_sink *rows;
  int64_t *order;
  size_t next;
} rows_input;

static aq_status rows_next(aq_replay_input *input, aq_record *rows,
                           int64_t *numbers, size_t capacity, size_t *count,
                           aq_diag *d)
{
  rows_input *in = (rows_input *)input;
  (void)d;
  for (*count = 0; *count < capacity && in->next < in->rows->count; ++*count) {
    numbers[*count] = in->order[in->next++];
    rows[*count] = in->rows->rows[numbers[*count]];
  }
  return AQ_OK;
}

static const char *rows_name(aq_replay_input *input, int64_t id)
{
  return aq_names_text(&((rows_input *)input)->rows->names, id);
}

static const aq_record *sorted;

static int start_compare(const void *a, const void *b)
{
  const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  if (sorted[x].start != sorted[y].start)
    return sorted[x].start < sorted[y].start ? -1 : 1;
  return (x > y) - (x < y);
}

static rows_input input_of(const aq_memory_sink *rows)
{
  rows_input in = {{rows_next, rows_name}, rows, NULL, 0};
  in.order = malloc((rows->count + 1) * sizeof *in.order);
  for (size_t i = 0; i < rows->count; i++)
    in.order[i] = (int64_t)i;
  sorted = rows->rows;
  qsort(in.order, rows->count, sizeof *in.order, start_compare);
  return in;
}

static aq_replay_options options_of_model(void)
{
  aq_transport *t;
  aq_transport_info info;
  aq_transport_options options = {.size = sizeof options};
  ck_assert_status(aqsim_transport_ops.open(&options, &t, &diag), AQ_OK, &diag);
  aqsim_transport_ops.info(t, &info);
  const aq_device_info *device = info.devices;
  aq_replay_options out = {.latency_warm = device->dispatch_latency_warm,
                           .latency_cold = device->dispatch_latency_cold,
                           .unmap_after = device->unmap_after,
                           .gate_latency = device->gate_latency,
                           .barrier_latency = device->barrier_latency,
                           .timestamp_step = device->timestamp_step,
                           .graph_launch = device->graph_launch,
                           .graph_per_node = device->graph_per_node,
                           .graph_head = device->graph_head,
                           .graph_batch = device->graph_batch};
  aqsim_transport_ops.close(t);
  return out;
}

static void replay_on_sim(const aq_memory_sink *measured, aq_memory_sink *out)
{
  rows_input in = input_of(measured);
  const aq_replay_options options = options_of_model();
  aq_workload_source *source;
  aq_run_options run = {.transport = &aqsim_transport_ops};
  aq_replay_facts facts;
  ck_assert_status(aq_replay_open(&in.input, &options, &source, &facts, &diag),
                   AQ_OK, &diag);
  run.open.epoch = facts.first_submit;
  aq_memory_sink_init(out);
  ck_assert_status(aq_run(&run, source, &out->sink, NULL, &diag), AQ_OK, &diag);
  source->close(source);
  free(in.order);
}

static aq_time end_error(const aq_memory_sink *measured, const aq_record *row)
{
  return llabs(row->end - measured->rows[row->origin].end);
}

static int time_compare(const void *a, const void *b)
{
  const aq_time x = *(const aq_time *)a, y = *(const aq_time *)b;
  return (x > y) - (x < y);
}

/* Rows of one queue. `count` of them, by host begin, end; start, end; µs. The
 * first `in_flight` have no host call. */
static void measured_put(aq_memory_sink *m, const double times[][4],
                         size_t count, size_t in_flight)
{
  aq_memory_sink_init(m);
  int64_t device, queue, name;
  m->sink.device(&m->sink, &(aq_run_device){.cus = AQ_NONE}, &device, &diag);
  m->sink.queue(&m->sink, &(aq_run_queue){device, 5}, &queue, &diag);
  m->sink.name(&m->sink, "k", 1, &name, &diag);
  for (size_t i = 0; i < count; i++) {
    aq_record row;
    aq_record_init(&row);
    row.kind = AQ_KIND_KERNEL;
    row.via = AQ_VIA_DIRECT;
    row.device = device;
    row.queue = queue;
    row.name = name;
    row.host_begin = (aq_time)(times[i][0] * AQ_US);
    row.host_end = (aq_time)(times[i][1] * AQ_US);
    row.start = (aq_time)(times[i][2] * AQ_US);
    row.end = (aq_time)(times[i][3] * AQ_US);
    if (i < in_flight) {
      row.via = AQ_VIA_NONE;
      row.host_begin = row.host_end = AQ_TIME_NONE;
    }
    m->sink.put(&m->sink, &row, 1, &diag);
  }
}

/* Rows that an MI300X could have made: two bursts of back-to-back kernels. */
static void measured_make(aq_memory_sink *m)
{
  static const double times[][4] = {{200, 203, 212.5, 232.5},
                                    {204, 207, 232.5, 262.5},
                                    {208, 211, 262.5, 267.5},
                                    {300, 303, 307.7, 317.7},
                                    {320, 323, 327.7, 330}};
  measured_put(m, times, sizeof times / sizeof *times, 0);
}

START_TEST(a_replay_on_the_simulator_ends_where_the_measured_run_did)
{
  aq_memory_sink measured, simulated;
  measured_make(&measured);
  replay_on_sim(&measured, &simulated);
  ck_assert_uint_eq(simulated.count, measured.count);
  for (size_t i = 0; i < simulated.count; i++) {
    const aq_record *row = &simulated.rows[i];
    ck_assert_int_lt(end_error(&measured, row), 300 * AQ_NS);
    ck_assert_int_eq(row->submit, i ? measured.rows[i].host_end : row->submit);
    ck_assert_int_eq(row->flags & AQ_FLAG_PINNED, i ? 0 : AQ_FLAG_PINNED);
  }
  aq_memory_sink_fini(&simulated);
  aq_memory_sink_fini(&measured);
}
END_TEST

/* The profile began while three kernels were in flight; the host continued. */
START_TEST(work_in_flight_at_the_start_is_held_by_gates)
{
  static const double times[][4] = {
      {0, 0, 212.5, 432.5},      {0, 0, 600, 700},     {0, 0, 800, 900},
      {210, 213, 900, 910},      {220, 223, 910, 915}, {890, 893, 915, 930},
      {1200, 1203, 1212.2, 1220}};
  enum { ROWS = sizeof times / sizeof *times };
  aq_memory_sink measured, simulated;
  measured_put(&measured, times, ROWS, 3);
  replay_on_sim(&measured, &simulated);
  size_t rows = 0;
  for (size_t i = 0; i < simulated.count; i++) {
    const aq_record *row = &simulated.rows[i];
    if (row->origin == AQ_NONE) {
      ck_assert_int_eq(row->kind, AQ_KIND_BARRIER_AND);
      continue;
    }
    rows++;
    ck_assert_int_lt(end_error(&measured, row), 300 * AQ_NS);
    ck_assert_int_eq(row->flags & AQ_FLAG_EDGE, 0);
    if (row->origin >= 3)
      ck_assert_int_eq(row->submit, measured.rows[row->origin].host_end);
  }
  ck_assert_uint_eq(rows, ROWS);
  aq_memory_sink_fini(&simulated);
  aq_memory_sink_fini(&measured);
}
END_TEST

START_TEST(the_same_replay_twice_gives_the_same_rows)
{
  aq_memory_sink measured, first, second;
  measured_make(&measured);
  replay_on_sim(&measured, &first);
  replay_on_sim(&measured, &second);
  ck_assert_uint_eq(first.count, second.count);
  ck_assert_mem_eq(first.rows, second.rows, first.count * sizeof(aq_record));
  aq_memory_sink_fini(&second);
  aq_memory_sink_fini(&first);
  aq_memory_sink_fini(&measured);
}
END_TEST

START_TEST(the_measured_resnet18_is_replayed_within_its_bounds)
{
  const char *path = aqtest_data("measured/raw/mi300x_resnet18.json.gz");
  if (!path) {
    aqtest_skip_unpublished();
    return;
  }
  aq_memory_sink measured, simulated;
  aq_trace_result result;
  const aq_trace_options options = {0};
  aq_memory_sink_init(&measured);
  ck_assert_status(
      aq_trace_import(path, &options, &measured.sink, &result, &diag), AQ_OK,
      &diag);
  replay_on_sim(&measured, &simulated);
  aq_time *errors = malloc(simulated.count * sizeof *errors), sum = 0;
  size_t scored = 0;
  for (size_t i = 0; i < simulated.count; i++) {
    const aq_record *row = &simulated.rows[i];
    if (row->flags & AQ_FLAG_PINNED)
      continue;
    sum += errors[scored++] = end_error(&measured, row);
  }
  qsort(errors, scored, sizeof *errors, time_compare);
  ck_assert_uint_eq(scored, 2374);
  ck_assert_int_le(errors[scored / 2], 400 * AQ_NS);
  ck_assert_int_le(sum / (aq_time)scored, 600 * AQ_NS);
  free(errors);
  aq_memory_sink_fini(&simulated);
  aq_memory_sink_fini(&measured);
}
END_TEST

static aq_run_totals run_scenario(const char *name,
                                  const aq_transport_ops *transport,
                                  aq_memory_sink *m)
{
  char path[4096];
  aq_run_totals totals;
  aq_workload_source *source;
  snprintf(path, sizeof path, "%s/traces/scenarios/%s", getenv("AQ_SRCDIR"),
           name);
  ck_assert_status(aq_scenario_load(path, &(aq_scenario_options){.seed = -1},
                                    &source, NULL, &diag),
                   AQ_OK, &diag);
  aq_memory_sink_init(m);
  aq_run_options options = {.transport = transport};
  ck_assert_status(aq_run(&options, source, &m->sink, &totals, &diag), AQ_OK,
                   &diag);
  source->close(source);
  return totals;
}

START_TEST(a_stage_starts_when_the_other_queue_has_delivered)
{
  aq_memory_sink m;
  aq_run_totals totals =
      run_scenario("two-queue-pipeline.json", &aqsim_transport_ops, &m);
  ck_assert_uint_eq(totals.jobs, 600);
  ck_assert_uint_eq(m.count, totals.packets);
  aq_time uploaded[200];
  size_t uploads = 0, filters = 0;
  for (size_t i = 0; i < m.count; i++)
    if (m.rows[i].kind == AQ_KIND_COPY)
      uploaded[uploads++] = m.rows[i].complete;
  ck_assert_uint_eq(uploads, 200);
  for (size_t i = 0; i < m.count; i++) {
    const aq_record *row = &m.rows[i];
    if (row->kind != AQ_KIND_KERNEL || !(row->flags & AQ_FLAG_EDGE))
      continue;
    ck_assert_str_eq(aq_names_text(&m.names, row->name), "filter");
    ck_assert_int_ge(row->start, uploaded[filters]);
    filters++;
  }
  ck_assert_uint_eq(filters, 200);
  aq_memory_sink_fini(&m);
}
END_TEST

START_TEST(closed_clients_ask_again_when_they_have_their_answer)
{
  enum { CLIENTS = 8, ROWS = 1 + 4 * 5 + 1 /* of a request */ };
  aq_memory_sink m;
  run_scenario("closed-clients.json", &aqsim_transport_ops, &m);
  size_t rows[CLIENTS] = {0};
  aq_time answered[CLIENTS] = {0};
  for (size_t i = 0; i < m.count; i++) {
    const aq_record *row = &m.rows[i];
    if (row->tid >= CLIENTS)
      continue;
    if (rows[row->tid]++ % ROWS == 0)
      ck_assert_int_ge(row->host_begin, answered[row->tid]);
    answered[row->tid] = row->complete;
  }
  for (int i = 0; i < CLIENTS; i++)
    ck_assert_uint_eq(rows[i], 20 * ROWS);
  aq_memory_sink_fini(&m);
}
END_TEST

START_TEST(the_null_transport_takes_every_packet_and_tells_nothing)
{
  aq_memory_sink m;
  aq_run_totals totals =
      run_scenario("arrivals.json", &aqsim_null_transport_ops, &m);
  ck_assert_uint_gt(totals.packets, 100);
  ck_assert_uint_eq(totals.packets, totals.jobs);
  ck_assert_uint_eq(m.count, 0);
  aq_memory_sink_fini(&m);
}
END_TEST

AQ_TEST_MAIN("study/loop/on_sim",
             a_replay_on_the_simulator_ends_where_the_measured_run_did,
             work_in_flight_at_the_start_is_held_by_gates,
             the_same_replay_twice_gives_the_same_rows,
             the_measured_resnet18_is_replayed_within_its_bounds,
             a_stage_starts_when_the_other_queue_has_delivered,
             closed_clients_ask_again_when_they_have_their_answer,
             the_null_transport_takes_every_packet_and_tells_nothing)
