/* SPDX-License-Identifier: MIT */
#include "support/aqtest.h"
#include "support/fake_transport.h"

#include <stdlib.h>
#include <string.h>

#include "cmdbuf/builder.h"
#include "queue/ring/aql_queue.h"

static aq_diag diag = AQ_DIAG_INIT;

/* A transport, a queue on it, and a builder. */
typedef struct bench {
  fake_state *fake;
  aq_transport *transport;
  aq_aql_queue *queue;
  aq_builder *builder;
  uint32_t kernel; /* ordinal */
  aq_aql_queue_packets told[64];
  unsigned told_count;
} bench;

static void packets_told(const aq_aql_queue_packets *packets, void *user)
{
  bench *b = user;
  if (b->told_count < 64)
    b->told[b->told_count++] = *packets;
}

static bench bench_open(void)
{
  bench b = {.fake = fake_reset()};
  aq_kernel_info info;
  aq_transport_options options = {.size = sizeof options};
  fake_transport.open(&options, &b.transport, &diag);
  fake_transport.kernel_register(
      b.transport,
      &(aq_kernel_desc){.name = "spin", .cost = {.kind = AQ_COST_SPIN}}, &info,
      &diag);
  ck_assert_status(aq_builder_create(&(aq_builder_options){.one_shot = true},
                                     &b.builder, &diag),
                   AQ_OK, &diag);
  ck_assert_status(
      aq_builder_kernel(b.builder, "spin", info.object, &b.kernel, &diag),
      AQ_OK, &diag);
  return b;
}

static void bench_queue(bench *b, uint32_t size, uint64_t kernarg_size)
{
  ck_assert_status(
      aq_aql_queue_create(&(aq_aql_queue_options){.transport = b->transport,
                                                  .size = size,
                                                  .kernarg_size = kernarg_size,
                                                  .packets = packets_told,
                                                  .user = b},
                          &b->queue, &diag),
      AQ_OK, &diag);
}

static void bench_close(bench *b)
{
  aq_aql_queue_destroy(b->queue);
  aq_builder_destroy(b->builder);
  fake_transport.close(b->transport);
  ck_assert_uint_eq(b->fake->memory_live, 0);
  ck_assert_uint_eq(b->fake->queues_live, 0);
}

static aq_signal signal_make(bench *b, int64_t value)
{
  aq_signal signal;
  fake_transport.signal_create(b->transport, &(aq_signal_desc){.value = value},
                               &signal, &diag);
  return signal;
}

/* A program of `count` dispatches whose durations are `first`, first + 1, … */
static aq_program program_make(bench *b, unsigned count, aq_time first)
{
  aq_program program;
  aq_builder_reset(b->builder);
  for (unsigned i = 0; i < count; i++) {
    aq_spin_args args = {.duration = first + i};
    aq_dispatch d = {.kernel = b->kernel,
                     .grid = {64, 1, 1},
                     .workgroup = {64, 1, 1},
                     .constants = &args,
                     .constant_size = sizeof args};
    ck_assert_status(aq_builder_dispatch(b->builder, &d, &diag), AQ_OK, &diag);
  }
  ck_assert_status(aq_builder_end(b->builder, &program, &diag), AQ_OK, &diag);
  return program;
}

static aq_submitted submit(bench *b, const aq_submission *submission)
{
  aq_submitted out;
  ck_assert_status(aq_aql_queue_submit(b->queue, submission, &out, &diag),
                   AQ_OK, &diag);
  return out;
}

static void run_dry(bench *b)
{
  fake_transport.sleep_until(b->transport, AQ_TIME_MAX, false, &diag);
}

START_TEST(a_submission_is_packets_in_order_and_one_doorbell)
{
  bench b = bench_open();
  bench_queue(&b, 64, 0);
  aq_program program = program_make(&b, 5, 100);
  aq_signal done = signal_make(&b, 1);
  aq_submitted out =
      submit(&b, &(aq_submission){.program = &program, .completion = done});
  ck_assert_uint_eq(out.first, 0);
  ck_assert_uint_eq(out.packets, 5);
  ck_assert_uint_eq(out.waits, 0);
  ck_assert_uint_eq(out.doorbells, 1);
  ck_assert_uint_eq(b.fake->doorbells, 1);
  run_dry(&b);
  ck_assert_uint_eq(b.fake->consumed, 5);
  for (unsigned i = 0; i < 5; i++) {
    const fake_packet *p = &b.fake->log[i];
    aq_spin_args args;
    memcpy(&args, p->kernarg, sizeof args);
    ck_assert_uint_eq(p->id, i);
    ck_assert_int_eq(args.duration, 100 + i);
    ck_assert_uint_eq(p->packet.kernel.completion_signal.handle,
                      i == 4 ? done.handle : 0);
    ck_assert_uint_eq(p->packet.kernel.reserved2, 0);
    ck_assert_uint_eq(p->packet.kernel.kernarg_address % 64, 0);
  }
  ck_assert_int_eq(fake_transport.signal_load(b.transport, done, AQ_ACQUIRE),
                   0);
  bench_close(&b);
}
END_TEST

START_TEST(waits_are_barrier_and_packets_of_five_in_a_chain)
{
  bench b = bench_open();
  bench_queue(&b, 64, 0);
  aq_signal waits[12];
  for (int i = 0; i < 12; i++)
    waits[i] = signal_make(&b, 0);
  aq_program program = program_make(&b, 2, 1);
  aq_submitted out = submit(
      &b,
      &(aq_submission){.program = &program, .waits = waits, .wait_count = 12});
  ck_assert_uint_eq(out.packets, 5);
  ck_assert_uint_eq(out.waits, 3);
  ck_assert_uint_eq(out.doorbells, 1);
  run_dry(&b);
  for (unsigned i = 0; i < 3; i++) {
    aq_packet want;
    memset(&want, 0, sizeof want);
    want.barrier.header = aq_packet_header(AQ_PACKET_BARRIER_AND, 1,
                                           AQ_SCOPE_NONE, AQ_SCOPE_NONE);
    for (unsigned d = 0; d < 5 && i * 5 + d < 12; d++)
      want.barrier.dependency[d] = waits[i * 5 + d];
    ck_assert_mem_eq(&b.fake->log[i].packet, &want, sizeof want);
  }
  /* Packets behind waits must not run ahead of them. */
  ck_assert_int_eq(aq_header_barrier(b.fake->log[3].packet.header), 1);
  ck_assert_int_eq(aq_header_barrier(b.fake->log[4].packet.header), 0);
  bench_close(&b);
}
END_TEST

START_TEST(a_submission_without_packets_completes_by_a_barrier_packet)
{
  bench b = bench_open();
  bench_queue(&b, 64, 0);
  aq_program empty = program_make(&b, 0, 0);
  aq_signal done = signal_make(&b, 3), wait = signal_make(&b, 0);
  submit(&b, &(aq_submission){.program = &empty, .completion = done});
  submit(&b, &(aq_submission){.completion = done});
  submit(&b,
         &(aq_submission){.waits = &wait, .wait_count = 1, .completion = done});
  aq_submitted nothing = submit(&b, &(aq_submission){.program = &empty});
  ck_assert_uint_eq(nothing.packets, 0);
  ck_assert_uint_eq(nothing.doorbells, 0);
  run_dry(&b);
  ck_assert_uint_eq(b.fake->consumed, 3);
  ck_assert_int_eq(fake_transport.signal_load(b.transport, done, AQ_ACQUIRE),
                   0);
  bench_close(&b);
}
END_TEST

START_TEST(many_submissions_go_through_a_small_ring)
{
  bench b = bench_open();
  bench_queue(&b, 4, 0);
  unsigned expected = 0;
  for (unsigned i = 0; i < 1000; i++) {
    unsigned count = 1 + i % 3;
    aq_program program = program_make(&b, count, 1000 + expected);
    aq_submitted out = submit(&b, &(aq_submission){.program = &program});
    ck_assert_uint_eq(out.first, expected);
    ck_assert_uint_eq(out.doorbells, 1);
    expected += count;
  }
  run_dry(&b);
  ck_assert_uint_gt(b.fake->space_waits, 0);
  ck_assert_uint_eq(b.fake->consumed, expected);
  for (unsigned i = 0; i < expected; i++) {
    aq_spin_args args;
    memcpy(&args, b.fake->log[i].kernarg, sizeof args);
    ck_assert_int_eq(args.duration, 1000 + i);
  }
  bench_close(&b);
}
END_TEST

START_TEST(a_program_larger_than_the_ring_goes_in_parts)
{
  bench b = bench_open();
  bench_queue(&b, 8, 0);
  aq_signal waits[6];
  for (int i = 0; i < 6; i++)
    waits[i] = signal_make(&b, 0);
  aq_signal done = signal_make(&b, 1);
  aq_program program = program_make(&b, 100, 1);
  aq_submitted out = submit(&b, &(aq_submission){.program = &program,
                                                 .waits = waits,
                                                 .wait_count = 6,
                                                 .completion = done});
  ck_assert_uint_eq(out.packets, 102);
  ck_assert_uint_eq(out.doorbells, 13);
  run_dry(&b);
  ck_assert_uint_eq(b.fake->consumed, 102);
  for (unsigned i = 2; i < 102; i++) {
    aq_spin_args args;
    memcpy(&args, b.fake->log[i].kernarg, sizeof args);
    ck_assert_int_eq(args.duration, i - 1);
    ck_assert_uint_eq(
        b.fake->log[i].packet.kernel.completion_signal.handle != 0, i == 101);
  }
  /* The caller saw each part, waits first. */
  ck_assert_uint_eq(b.told_count, 13);
  ck_assert_uint_eq(b.told[0].waits, 2);
  ck_assert_uint_eq(b.told[0].payload, 6);
  ck_assert_uint_eq(b.told[1].waits, 0);
  ck_assert_uint_eq(b.told[1].index, 6);
  ck_assert_uint_eq(b.told[12].first + b.told[12].payload, 102);
  bench_close(&b);
}
END_TEST

START_TEST(kernel_arguments_are_reused_only_after_their_packets)
{
  bench b = bench_open();
  bench_queue(&b, 64, 256); /* four dispatches' arguments, 64 packets */
  unsigned expected = 0;
  for (unsigned i = 0; i < 300; i++) {
    unsigned count = 1 + i % 7;
    aq_program program = program_make(&b, count, 5000 + expected);
    submit(&b, &(aq_submission){.program = &program});
    expected += count;
  }
  run_dry(&b);
  ck_assert_uint_eq(b.fake->consumed, expected);
  for (unsigned i = 0; i < expected; i++) {
    aq_spin_args args;
    memcpy(&args, b.fake->log[i].kernarg, sizeof args);
    ck_assert_int_eq(args.duration, 5000 + i);
  }
  bench_close(&b);
}
END_TEST

START_TEST(a_barrier_at_the_end_reaches_into_the_next_submission)
{
  bench b = bench_open();
  bench_queue(&b, 64, 0);
  for (int i = 0; i < 2; i++) {
    aq_dispatch d = {.kernel = b.kernel,
                     .grid = {1, 1, 1},
                     .workgroup = {1, 1, 1},
                     .constants = &(aq_spin_args){.duration = 1},
                     .constant_size = sizeof(aq_spin_args)};
    aq_program program;
    aq_builder_reset(b.builder);
    ck_assert_status(aq_builder_dispatch(b.builder, &d, &diag), AQ_OK, &diag);
    aq_builder_barrier(b.builder, AQ_SCOPE_AGENT, AQ_SCOPE_SYSTEM);
    ck_assert_status(aq_builder_end(b.builder, &program, &diag), AQ_OK, &diag);
    submit(&b, &(aq_submission){.program = &program});
  }
  run_dry(&b);
  ck_assert_uint_eq(b.fake->log[0].packet.header,
                    aq_packet_header(AQ_PACKET_KERNEL_DISPATCH, 0,
                                     AQ_SCOPE_NONE, AQ_SCOPE_SYSTEM));
  ck_assert_uint_eq(b.fake->log[1].packet.header,
                    aq_packet_header(AQ_PACKET_KERNEL_DISPATCH, 1,
                                     AQ_SCOPE_AGENT, AQ_SCOPE_SYSTEM));
  bench_close(&b);
}
END_TEST

START_TEST(bad_arguments_submit_nothing)
{
  bench b = bench_open();
  aq_aql_queue *none;
  ck_assert_status(
      aq_aql_queue_create(
          &(aq_aql_queue_options){.transport = b.transport, .size = 100}, &none,
          &diag),
      AQ_ERR_INVALID, &diag);
  bench_queue(&b, 64, 128);
  unsigned char args[65] = {0};
  aq_program program;
  aq_dispatch d = {.kernel = b.kernel,
                   .grid = {1, 1, 1},
                   .workgroup = {1, 1, 1},
                   .constants = args,
                   .constant_size = sizeof args};
  aq_builder_reset(b.builder);
  ck_assert_status(aq_builder_dispatch(b.builder, &d, &diag), AQ_OK, &diag);
  ck_assert_status(aq_builder_end(b.builder, &program, &diag), AQ_OK, &diag);
  ck_assert_status(aq_aql_queue_submit(b.queue,
                                       &(aq_submission){.program = &program},
                                       NULL, &diag),
                   AQ_ERR_INVALID, &diag);
  ck_assert_uint_eq(b.fake->doorbells, 0);
  ck_assert_uint_eq(aq_ring_write_index(aq_aql_queue_ring(b.queue)), 0);
  bench_close(&b);
}
END_TEST

START_TEST(a_queue_that_failed_takes_no_more)
{
  bench b = bench_open();
  bench_queue(&b, 4, 0);
  b.fake->fail_at = 2;
  aq_program program = program_make(&b, 20, 1);
  ck_assert_status(aq_aql_queue_submit(b.queue,
                                       &(aq_submission){.program = &program},
                                       NULL, &diag),
                   AQ_ERR_QUEUE, &diag);
  ck_assert_status(aq_aql_queue_submit(b.queue,
                                       &(aq_submission){.program = &program},
                                       NULL, &diag),
                   AQ_ERR_QUEUE, &diag);
  ck_assert_str_eq(diag.text, "queue 100 has failed and takes no more");
  bench_close(&b);
}
END_TEST

AQ_TEST_MAIN("queue/queue", a_submission_is_packets_in_order_and_one_doorbell,
             waits_are_barrier_and_packets_of_five_in_a_chain,
             a_submission_without_packets_completes_by_a_barrier_packet,
             many_submissions_go_through_a_small_ring,
             a_program_larger_than_the_ring_goes_in_parts,
             kernel_arguments_are_reused_only_after_their_packets,
             a_barrier_at_the_end_reaches_into_the_next_submission,
             bad_arguments_submit_nothing, a_queue_that_failed_takes_no_more)
