/* SPDX-License-Identifier: MIT */
#include "support/aqtest.h"
#include "support/fake_transport.h"

#include <stdio.h>
#include <string.h>

#include "common/memory_sink.h"
#include "study/loop/run.h"

static aq_diag diag = AQ_DIAG_INIT;

/* A source over an array of jobs, or over one job that repeats. */
typedef struct script {
  aq_workload_source source;
  aq_job *jobs;
  size_t count, next;
  uint64_t repeat; /* hand out jobs[0] so many times, one a microsecond */
  uint64_t done[64];
  aq_time done_at[64];
  size_t done_count;
  bool closed; /* job n + 1 is known when job n completed */
  aq_time think, known_at;
} script;

static aq_time script_peek(aq_workload_source *source)
{
  script *s = (script *)source;
  if (s->repeat)
    return s->next < s->repeat ? (aq_time)s->next * AQ_US : AQ_TIME_MAX;
  if (s->next == s->count)
    return AQ_TIME_MAX;
  if (s->closed)
    return s->next <= s->done_count ? s->known_at : AQ_TIME_MAX;
  return s->jobs[s->next].submit;
}

static aq_status script_next(aq_workload_source *source, aq_job *out, bool *got,
                             aq_diag *d)
{
  script *s = (script *)source;
  (void)d;
  *got = true;
  *out = s->jobs[s->repeat ? 0 : s->next];
  if (s->repeat)
    out->id = s->next;
  s->next++;
  return AQ_OK;
}

static void script_done(aq_workload_source *source, uint64_t job, aq_time time)
{
  script *s = (script *)source;
  s->known_at = time + s->think;
  if (s->done_count < 64) {
    s->done_at[s->done_count] = time;
    s->done[s->done_count++] = job;
  }
}

static const char *script_name(aq_workload_source *source, int64_t id)
{
  static char text[32];
  (void)source;
  snprintf(text, sizeof text, "kernel%lld", (long long)id);
  return text;
}

static script script_of(aq_job *jobs, size_t count)
{
  return (script){.source = {.peek = script_peek,
                             .next = script_next,
                             .done = script_done,
                             .name = script_name},
                  .jobs = jobs,
                  .count = count};
}

static aq_command spin(int64_t name, aq_time duration)
{
  return (aq_command){.kind = AQ_KIND_KERNEL,
                      .cost = {.kind = AQ_COST_SPIN, .base = duration},
                      .grid = {256, 1, 1},
                      .workgroup = {64, 1, 1},
                      .bytes = AQ_NONE,
                      .name = name,
                      .origin = 1000 + name};
}

static aq_job job_of(uint64_t id, int64_t stream, aq_time submit,
                     const aq_command *commands, uint32_t count)
{
  return (aq_job){.id = id,
                  .stream = stream,
                  .queue = AQ_NONE,
                  .submit = submit,
                  .host_begin = submit - 5,
                  .host_end = submit,
                  .deadline = AQ_TIME_NONE,
                  .via = AQ_VIA_DIRECT,
                  .correlation = (int64_t)id * 10,
                  .pid = 7,
                  .tid = 8,
                  .commands = commands,
                  .command_count = count};
}

static aq_run_options on_fake(void)
{
  return (aq_run_options){.transport = &fake_transport};
}

/* Runs a script, which must succeed; its rows go to `m`, which this starts, or
 * nowhere where `m` is null. */
static aq_run_totals run_on_fake(script *s, aq_memory_sink *m)
{
  const aq_run_options options = on_fake();
  aq_run_totals totals;
  if (m)
    aq_memory_sink_init(m);
  ck_assert_status(
      aq_run(&options, &s->source, m ? &m->sink : NULL, &totals, &diag), AQ_OK,
      &diag);
  return totals;
}

START_TEST(jobs_become_packets_at_their_submit_times)
{
  fake_state *fake = fake_reset();
  aq_command commands[2] = {spin(0, 100), spin(1, 50)};
  aq_job jobs[2] = {job_of(0, 3, 1000, commands, 1),
                    job_of(1, 3, 5000, commands + 1, 1)};
  script s = script_of(jobs, 2);
  const aq_run_totals totals = run_on_fake(&s, NULL);
  ck_assert_uint_eq(totals.jobs, 2);
  ck_assert_uint_eq(totals.packets, 2);
  ck_assert_uint_eq(totals.doorbells, 2);
  ck_assert_int_eq(totals.begin, 1000);
  ck_assert_int_eq(totals.end, 5050);
  ck_assert_str_eq(totals.device_model, "fake");
  ck_assert_int_eq(fake->log[0].doorbell, 1000);
  ck_assert_int_eq(fake->log[1].doorbell, 5000);
  /* Barrier bit and agent scope fences on every dispatch, as HIP does. */
  for (int i = 0; i < 2; i++) {
    const aq_packet *packet = &fake->log[i].packet;
    ck_assert_uint_eq(packet->header,
                      aq_packet_header(AQ_PACKET_KERNEL_DISPATCH, 1,
                                       AQ_SCOPE_AGENT, AQ_SCOPE_AGENT));
    ck_assert_uint_eq(packet->setup, 1);
    ck_assert_uint_eq(packet->kernel.grid_size[0], 256);
    ck_assert_uint_ne(packet->kernel.completion_signal.handle, 0);
  }
  ck_assert_uint_eq(fake->kernels, 2);
  ck_assert_str_eq(fake->kernel_names[1], "kernel1");
}
END_TEST

START_TEST(a_marker_is_a_barrier_packet_that_carries_the_completion)
{
  fake_state *fake = fake_reset();
  aq_command commands[2] = {spin(1, 10), spin(2, 20)};
  aq_job jobs[1] = {job_of(1, 0, 5, commands, 2)};
  jobs[0].marker = true;
  script s = script_of(jobs, 1);
  aq_memory_sink m;
  const aq_run_totals totals = run_on_fake(&s, &m);
  ck_assert_uint_eq(totals.jobs, 1);
  ck_assert_uint_eq(totals.packets, 3);
  ck_assert_uint_eq(s.done_count, 1);
  const aq_packet *last = &fake->log[1].packet, *marker = &fake->log[2].packet;
  ck_assert_uint_eq(last->kernel.completion_signal.handle, 0);
  ck_assert_uint_eq(aq_header_type(marker->header), AQ_PACKET_BARRIER_AND);
  ck_assert_uint_ne(marker->barrier.completion_signal.handle, 0);
  aq_memory_sink_fini(&m);
}
END_TEST

START_TEST(records_carry_what_the_host_knows)
{
  fake_reset();
  aq_command commands[3] = {spin(4, 100), spin(5, 10), spin(4, 20)};
  commands[1].kind = AQ_KIND_COPY;
  commands[1].bytes = 4096;
  commands[1].flags = AQ_FLAG_PINNED;
  aq_job jobs[1] = {job_of(6, 3, 1000, commands, 3)};
  jobs[0].via = AQ_VIA_GRAPH;
  script s = script_of(jobs, 1);
  aq_memory_sink m;
  run_on_fake(&s, &m);
  ck_assert_uint_eq(m.count, 3);
  const aq_record *copy = &m.rows[1];
  ck_assert_int_eq(copy->kind, AQ_KIND_COPY);
  ck_assert_int_eq(copy->bytes, 4096);
  ck_assert_int_eq(copy->flags, AQ_FLAG_PINNED);
  ck_assert_int_eq(copy->via, AQ_VIA_GRAPH);
  ck_assert_int_eq(copy->origin, 1005);
  ck_assert_int_eq(copy->correlation, 60);
  ck_assert_int_eq(copy->stream, 3);
  ck_assert_int_eq(copy->pid, 7);
  ck_assert_int_eq(copy->tid, 8);
  ck_assert_int_eq(copy->host_begin, 995);
  ck_assert_int_eq(copy->host_end, 1000);
  ck_assert_int_eq(copy->submit, 1000);
  ck_assert_int_eq(copy->start, 1100);
  ck_assert_str_eq(aq_names_text(&m.names, copy->name), "kernel5");
  ck_assert_int_eq(m.rows[0].name, m.rows[2].name);
  ck_assert_int_eq(m.rows[0].kind, AQ_KIND_KERNEL);
  aq_memory_sink_fini(&m);
}
END_TEST

START_TEST(dependencies_across_queues_are_barrier_packets)
{
  fake_state *fake = fake_reset();
  aq_command commands[2] = {spin(0, 100), spin(0, 50)};
  aq_job jobs[8];
  for (uint64_t i = 0; i < 7; i++)
    jobs[i] = job_of(i, (int64_t)i, 10, &commands[i == 6], 1);
  jobs[7] = job_of(7, 0, 10, commands, 1);
  jobs[7].dependency_count = 7;
  for (uint64_t i = 0; i < 7; i++)
    jobs[7].dependencies[i] = i;
  script s = script_of(jobs, 8);
  aq_memory_sink m;
  const aq_run_totals totals = run_on_fake(&s, &m);
  /* Job 0 is in the same queue, which keeps order alone: 6 signals. */
  ck_assert_uint_eq(totals.packets, 10);
  ck_assert_uint_eq(fake->log[7].packet.header & AQ_HEADER_TYPE_MASK,
                    AQ_PACKET_BARRIER_AND);
  ck_assert_uint_eq(fake->log[8].packet.header & AQ_HEADER_TYPE_MASK,
                    AQ_PACKET_BARRIER_AND);
  ck_assert_uint_eq(fake->log[8].packet.barrier.dependency[1].handle, 0);
  ck_assert_int_eq(fake->log[9].start, 110);
  ck_assert_uint_eq(m.count, 10);
  ck_assert_int_eq(m.rows[7].kind, AQ_KIND_BARRIER_AND);
  ck_assert_int_eq(m.rows[7].origin, AQ_NONE);
  ck_assert_int_eq(m.rows[7].name, AQ_NONE);
  ck_assert_int_eq(m.rows[7].stream, 0);
  ck_assert_int_eq(m.rows[9].flags, AQ_FLAG_EDGE);
  ck_assert_int_eq(m.rows[0].flags, 0);
  aq_memory_sink_fini(&m);
}
END_TEST

START_TEST(a_dependency_that_is_complete_costs_no_packet)
{
  fake_reset();
  aq_command commands[1] = {spin(0, 100)};
  aq_job jobs[2] = {job_of(0, 0, 10, commands, 1),
                    job_of(1, 1, 500, commands, 1)};
  jobs[1].dependency_count = 1;
  script s = script_of(jobs, 2);
  const aq_run_totals totals = run_on_fake(&s, NULL);
  ck_assert_uint_eq(totals.packets, 2);
  ck_assert_uint_eq(totals.waits_met, 1);
}
END_TEST

/* As HIP waits for events: behind other work, and once for each event. */
START_TEST(a_wait_packet_stands_behind_work_where_its_dependency_is_complete)
{
  fake_state *fake = fake_reset();
  aq_command brief[1] = {spin(0, 100)}, lengthy[1] = {spin(0, 900)};
  aq_job jobs[5] = {job_of(0, 0, 10, brief, 1), job_of(1, 1, 10, lengthy, 1),
                    job_of(2, 1, 300, brief, 1), job_of(3, 1, 310, brief, 1),
                    job_of(4, 0, 2000, brief, 1)};
  for (int i = 2; i < 5; i++) {
    jobs[i].job_flags = AQ_JOB_WAIT_PACKETS;
    jobs[i].dependency_count = 1;
  }
  jobs[4].dependencies[0] = 1;
  script s = script_of(jobs, 5);
  const aq_run_totals totals = run_on_fake(&s, NULL);
  ck_assert_uint_eq(totals.packets, 6);
  ck_assert_uint_eq(totals.waits_met, 2);
  ck_assert_uint_eq(fake->log[2].packet.header & AQ_HEADER_TYPE_MASK,
                    AQ_PACKET_BARRIER_AND);
  ck_assert_uint_ne(fake->log[2].packet.barrier.dependency[0].handle, 0);
}
END_TEST

START_TEST(streams_share_as_many_queues_as_there_are)
{
  fake_state *fake = fake_reset();
  aq_command commands[1] = {spin(0, 100)};
  aq_job jobs[6];
  for (uint64_t i = 0; i < 6; i++)
    jobs[i] = job_of(i, 50 + (int64_t)i, 10, commands, 1);
  script s = script_of(jobs, 6);
  aq_run_options options = on_fake();
  options.queues = 4;
  ck_assert_status(aq_run(&options, &s.source, NULL, NULL, &diag), AQ_OK,
                   &diag);
  unsigned by_queue[4] = {0};
  for (int i = 0; i < 6; i++)
    by_queue[fake->log[i].queue - 100]++;
  ck_assert_uint_eq(by_queue[0], 2);
  ck_assert_uint_eq(by_queue[1], 2);
  ck_assert_uint_eq(by_queue[2], 1);
  ck_assert_uint_eq(by_queue[3], 1);
}
END_TEST

START_TEST(jobs_that_name_a_queue_share_it_whatever_their_stream)
{
  fake_state *fake = fake_reset();
  aq_command commands[1] = {spin(0, 100)};
  aq_job jobs[3];
  for (uint64_t i = 0; i < 3; i++) {
    jobs[i] = job_of(i, (int64_t)i, 10, commands, 1);
    jobs[i].queue = i == 2;
  }
  script s = script_of(jobs, 3);
  run_on_fake(&s, NULL);
  ck_assert_uint_eq(fake->queues_live, 0);
  unsigned second = 0;
  for (int i = 0; i < 3; i++)
    second += fake->log[i].queue == 101;
  ck_assert_uint_eq(second, 1);
}
END_TEST

START_TEST(devices_that_are_not_there_share_those_that_are)
{
  fake_state *fake = fake_reset();
  fake->device_count = 2;
  aq_command commands[1] = {spin(0, 100)};
  aq_job jobs[5];
  for (uint64_t i = 0; i < 5; i++) {
    jobs[i] = job_of(i, 7, 10, commands, 1);
    jobs[i].device = (uint32_t)i;
  }
  script s = script_of(jobs, 5);
  aq_memory_sink m;
  const aq_run_totals totals = run_on_fake(&s, &m);
  ck_assert_uint_eq(totals.devices_folded, 3);
  ck_assert_uint_eq(m.queue_count, 5);
  unsigned second = 0;
  for (size_t i = 0; i < m.count; i++)
    second += m.rows[i].device == 1;
  ck_assert_uint_eq(second, 2);
  aq_memory_sink_fini(&m);
}
END_TEST

START_TEST(a_closed_client_submits_when_its_job_has_completed)
{
  fake_state *fake = fake_reset();
  aq_command commands[1] = {spin(0, 100)};
  aq_job jobs[3] = {job_of(0, 0, 0, commands, 1), job_of(1, 0, 0, commands, 1),
                    job_of(2, 0, 0, commands, 1)};
  script s = script_of(jobs, 3);
  s.closed = true;
  s.think = 30;
  run_on_fake(&s, NULL);
  ck_assert_uint_eq(s.done_count, 3);
  ck_assert_int_eq(fake->log[1].doorbell, 130);
  ck_assert_int_eq(fake->log[2].doorbell, 260);
  ck_assert_uint_eq(s.done[2], 2);
  ck_assert_int_eq(s.done_at[2], 360);
}
END_TEST

START_TEST(costs_that_are_not_spins_are_kernels_of_their_own)
{
  fake_state *fake = fake_reset();
  aq_command commands[4] = {spin(0, 1), spin(0, 2), spin(0, 3), spin(0, 4)};
  commands[2].cost = (aq_cost){.kind = AQ_COST_FIXED, .base = 70};
  commands[3].cost = (aq_cost){.kind = AQ_COST_FIXED, .base = 80};
  aq_job jobs[1] = {job_of(0, 0, 0, commands, 4)};
  script s = script_of(jobs, 1);
  run_on_fake(&s, NULL);
  ck_assert_uint_eq(fake->kernels, 3);
  ck_assert_uint_eq(fake->log[0].packet.kernel.kernel_object,
                    fake->log[1].packet.kernel.kernel_object);
  ck_assert_uint_eq(fake->log[2].packet.kernel.kernarg_address, 0);
  ck_assert_int_eq(fake->log[3].end, 1 + 2 + 70 + 80);
}
END_TEST

START_TEST(a_job_larger_than_the_ring_keeps_its_notes_straight)
{
  fake_state *fake = fake_reset();
  fake->queue_size_max = 8;
  aq_command commands[100];
  for (int i = 0; i < 100; i++)
    commands[i] = spin(i, 1);
  aq_job jobs[1] = {job_of(0, 0, 0, commands, 100)};
  script s = script_of(jobs, 1);
  aq_memory_sink m;
  const aq_run_totals totals = run_on_fake(&s, &m);
  ck_assert_uint_eq(totals.packets, 100);
  ck_assert_uint_gt(totals.doorbells, 12);
  for (int i = 0; i < 100; i++)
    ck_assert_int_eq(m.rows[i].origin, 1000 + i);
  aq_memory_sink_fini(&m);
}
END_TEST

START_TEST(a_queue_error_ends_the_run_and_names_the_packet)
{
  fake_state *fake = fake_reset();
  fake->fail_at = 1;
  aq_command commands[1] = {spin(0, 100)};
  aq_job jobs[2] = {job_of(0, 0, 0, commands, 1), job_of(1, 0, 0, commands, 1)};
  script s = script_of(jobs, 2);
  aq_run_options options = on_fake();
  ck_assert_status(aq_run(&options, &s.source, NULL, NULL, &diag), AQ_ERR_QUEUE,
                   &diag);
  ck_assert_str_eq(diag.text,
                   "queue 100 stopped at packet 1: made to fail (header "
                   "0x0b02, setup 1, kernel object 0x1000, reason 0x20)");
  ck_assert_uint_eq(fake->queues_live, 0);
  ck_assert_uint_eq(fake->memory_live, 0);
}
END_TEST

/* Conformance 68: no callback of a queue reports it. */
START_TEST(a_memory_fault_ends_the_run_with_what_the_event_says)
{
  fake_state *fake = fake_reset();
  fake->fail_at = 1;
  fake->fault = true;
  aq_command commands[1] = {spin(0, 100)};
  aq_job jobs[2] = {job_of(0, 0, 0, commands, 1), job_of(1, 0, 0, commands, 1)};
  script s = script_of(jobs, 2);
  aq_run_options options = on_fake();
  ck_assert_status(aq_run(&options, &s.source, NULL, NULL, &diag), AQ_ERR_QUEUE,
                   &diag);
  ck_assert_str_eq(diag.text, "memory made to be missing");
}
END_TEST

static aq_status put_fails(aq_record_sink *sink, const aq_record *rows,
                           size_t count, aq_diag *d)
{
  (void)sink, (void)rows, (void)count;
  return aq_diag_set(d, AQ_ERR_IO, "disk full");
}

START_TEST(an_error_of_the_sink_ends_the_run)
{
  fake_reset();
  aq_command commands[1] = {spin(0, 100)};
  aq_job jobs[1] = {job_of(0, 0, 0, commands, 1)};
  script s = script_of(jobs, 1);
  aq_memory_sink m;
  aq_memory_sink_init(&m);
  m.sink.put = put_fails;
  aq_run_options options = on_fake();
  ck_assert_status(aq_run(&options, &s.source, &m.sink, NULL, &diag), AQ_ERR_IO,
                   &diag);
  ck_assert_str_eq(diag.text, "disk full");
  s = script_of(jobs, 1);
  s.repeat = 500;
  ck_assert_status(aq_run(&options, &s.source, &m.sink, NULL, &diag), AQ_ERR_IO,
                   &diag);
  ck_assert_uint_lt(s.next, 200);
  aq_memory_sink_fini(&m);
}
END_TEST

START_TEST(invalid_jobs_end_the_run_with_one_line)
{
  aq_command commands[1] = {spin(0, 100)};
  aq_job good = job_of(3, 0, 0, commands, 1);
  struct {
    aq_job job;
    const char *text;
  } cases[] = {
      {good, "job 3 has no commands"},
      {good, "job 3 depends on job 3, which is not earlier"},
  };
  cases[0].job.command_count = 0;
  cases[1].job.dependency_count = 1;
  cases[1].job.dependencies[0] = 3;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    fake_reset();
    script s = script_of(&cases[i].job, 1);
    aq_run_options options = on_fake();
    ck_assert_status(aq_run(&options, &s.source, NULL, NULL, &diag),
                     AQ_ERR_INVALID, &diag);
    ck_assert_str_eq(diag.text, cases[i].text);
  }
}
END_TEST

START_TEST(a_million_jobs_need_the_signals_of_a_few)
{
  fake_state *fake = fake_reset();
  aq_command commands[1] = {spin(0, 2 * AQ_US)};
  aq_job jobs[1] = {job_of(0, 0, 0, commands, 1)};
  script s = script_of(jobs, 1);
  s.repeat = 1000000;
  aq_run_options options = on_fake();
  options.queue_size = 64;
  aq_run_totals totals;
  ck_assert_status(aq_run(&options, &s.source, NULL, &totals, &diag), AQ_OK,
                   &diag);
  ck_assert_uint_eq(totals.jobs, 1000000);
  ck_assert_uint_eq(fake->consumed, 1000000);
  ck_assert_uint_le(fake->signals_made, 65);
}
END_TEST

AQ_TEST_MAIN("study/loop/run", jobs_become_packets_at_their_submit_times,
             a_marker_is_a_barrier_packet_that_carries_the_completion,
             records_carry_what_the_host_knows,
             dependencies_across_queues_are_barrier_packets,
             a_dependency_that_is_complete_costs_no_packet,
             a_wait_packet_stands_behind_work_where_its_dependency_is_complete,
             streams_share_as_many_queues_as_there_are,
             jobs_that_name_a_queue_share_it_whatever_their_stream,
             devices_that_are_not_there_share_those_that_are,
             a_closed_client_submits_when_its_job_has_completed,
             costs_that_are_not_spins_are_kernels_of_their_own,
             a_job_larger_than_the_ring_keeps_its_notes_straight,
             a_queue_error_ends_the_run_and_names_the_packet,
             a_memory_fault_ends_the_run_with_what_the_event_says,
             an_error_of_the_sink_ends_the_run,
             invalid_jobs_end_the_run_with_one_line,
             a_million_jobs_need_the_signals_of_a_few)
