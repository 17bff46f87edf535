/* SPDX-License-Identifier: MIT */
#include "transport/testbed/testbed.h"

#include <stdio.h>
#include <string.h>

#include "support/aqtest.h"

static const aq_signal none;

static aqsim_testbed *bed_open(void)
{
  aqsim_testbed *bed;
  aq_diag diag = AQ_DIAG_INIT;
  ck_assert_status(aqsim_testbed_open(NULL, NULL, 0, &bed, &diag), AQ_OK,
                   &diag);
  return bed;
}

START_TEST(opening_refuses_an_unknown_device_and_a_bad_edit)
{
  static const char *const edits[] = {"packet_fetch=soon", NULL};
  aqsim_testbed *bed = NULL;
  aq_diag diag = AQ_DIAG_INIT;
  ck_assert_int_ne(aqsim_testbed_open("no_such", NULL, 0, &bed, &diag), AQ_OK);
  ck_assert_ptr_nonnull(strstr(diag.text, "no_such"));
  ck_assert_int_ne(aqsim_testbed_open(NULL, edits, 0, &bed, &diag), AQ_OK);
  ck_assert_ptr_nonnull(strstr(diag.text, "packet_fetch"));
  ck_assert_ptr_null(bed);
  aqsim_testbed_close(NULL);
}
END_TEST

START_TEST(pushing_into_a_full_ring_lets_time_pass)
{
  aqsim_testbed *bed = bed_open();
  aq_ring *queue = aqsim_testbed_queue(bed, 64);
  uint64_t kernel = aqsim_testbed_kernel(bed, "k", 10 * AQ_US, NULL, NULL);
  for (uint64_t i = 0; i < 64; i++)
    ck_assert_uint_eq(
        aqsim_testbed_dispatch(bed, queue, kernel, NULL, true, none), i);
  ck_assert_int_eq(aqsim_testbed_now(bed), 0);
  ck_assert_uint_eq(
      aqsim_testbed_dispatch(bed, queue, kernel, NULL, true, none), 64);
  ck_assert_int_eq(aqsim_testbed_now(bed),
                   aqsim_testbed_record(bed, queue, 0)->complete);
  aqsim_testbed_run(bed);
  size_t count;
  const aq_record *rows = aqsim_testbed_timeline(bed, &count);
  ck_assert_uint_eq(count, 65);
  ck_assert_str_eq(aqsim_testbed_name(bed, &rows[64]), "k");
  ck_assert_ptr_null(aqsim_testbed_problem(bed));
  aqsim_testbed_close(bed);
}
END_TEST

START_TEST(a_record_is_that_of_its_queue_and_packet)
{
  aqsim_testbed *bed = bed_open();
  aq_ring *queues[2];
  for (int i = 0; i < 2; i++) {
    queues[i] = aqsim_testbed_queue(bed, 64);
    aqsim_testbed_dispatch(
        bed, queues[i],
        aqsim_testbed_kernel(bed, i ? "b" : "a", 10 * AQ_US, NULL, NULL), NULL,
        false, none);
  }
  aqsim_testbed_run(bed);
  for (int i = 0; i < 2; i++)
    ck_assert_str_eq(
        aqsim_testbed_name(bed, aqsim_testbed_record(bed, queues[i], 0)),
        i ? "b" : "a");
  aqsim_testbed_close(bed);
}
END_TEST

START_TEST(with_a_barrier_a_kernel_waits_for_the_one_before)
{
  for (int barrier = 0; barrier < 2; barrier++) {
    aqsim_testbed *bed = bed_open();
    aq_ring *queue = aqsim_testbed_queue(bed, 64);
    uint64_t kernel = aqsim_testbed_kernel(bed, "k", AQ_MS, NULL, NULL);
    for (int i = 0; i < 2; i++)
      aqsim_testbed_dispatch(bed, queue, kernel, NULL, barrier, none);
    aqsim_testbed_run(bed);
    const aq_time end = aqsim_testbed_record(bed, queue, 0)->end;
    const aq_time start = aqsim_testbed_record(bed, queue, 1)->start;
    ck_assert(barrier ? start >= end : start < end);
    aqsim_testbed_close(bed);
  }
}
END_TEST

START_TEST(time_passes_as_far_as_it_is_let)
{
  aqsim_testbed *bed = bed_open();
  aq_ring *queue = aqsim_testbed_queue(bed, 64);
  uint64_t kernel = aqsim_testbed_kernel(bed, "k", 100 * AQ_US, NULL, NULL);
  aq_signal done = aqsim_testbed_signal(bed, 1);
  aqsim_testbed_dispatch(bed, queue, kernel, NULL, false, done);
  aqsim_testbed_run_until(bed, 50 * AQ_US);
  ck_assert_int_eq(aqsim_testbed_now(bed), 50 * AQ_US);
  ck_assert_int_eq(aqsim_testbed_value(bed, done), 1);
  ck_assert_ptr_null(aqsim_testbed_record(bed, queue, 0));
  aqsim_testbed_wait(bed, done);
  ck_assert_int_eq(aqsim_testbed_value(bed, done), 0);
  ck_assert_ptr_nonnull(aqsim_testbed_record(bed, queue, 0));
  aqsim_testbed_close(bed);
}
END_TEST

START_TEST(the_first_problem_stays_and_stops_everything)
{
  aqsim_testbed *bed = bed_open();
  ck_assert_ptr_null(aqsim_testbed_queue(bed, 63));
  ck_assert_ptr_nonnull(strstr(aqsim_testbed_problem(bed), "size 63"));
  ck_assert_ptr_null(aqsim_testbed_queue(bed, 64));
  ck_assert_uint_eq(aqsim_testbed_signal(bed, 1).handle, 0);
  ck_assert_int_eq(aqsim_testbed_value(bed, none), 0);
  aqsim_testbed_store(bed, none, 1);
  ck_assert_uint_eq(aqsim_testbed_kernel(bed, "k", 1, NULL, NULL), 0);
  ck_assert_uint_eq(aqsim_testbed_dispatch(bed, NULL, 0, NULL, false, none),
                    AQSIM_TESTBED_NO_PACKET);
  aqsim_testbed_run_until(bed, AQ_US);
  ck_assert_int_eq(aqsim_testbed_now(bed), 0);
  ck_assert_ptr_nonnull(strstr(aqsim_testbed_problem(bed), "size 63"));
  aqsim_testbed_close(bed);
}
END_TEST

START_TEST(barriers_take_five_signals_and_no_more)
{
  aqsim_testbed *bed = bed_open();
  aq_ring *queue = aqsim_testbed_queue(bed, 64);
  aq_signal signals[6], done = aqsim_testbed_signal(bed, 1);
  for (int i = 0; i < 6; i++)
    signals[i] = aqsim_testbed_signal(bed, 1);
  aqsim_testbed_barrier(bed, queue, AQ_PACKET_BARRIER_AND, signals, 5, done);
  aqsim_testbed_run(bed);
  for (int i = 0; i < 5; i++) {
    ck_assert_int_eq(aqsim_testbed_value(bed, done), 1);
    aqsim_testbed_store(bed, signals[i], 0);
    aqsim_testbed_run(bed);
  }
  ck_assert_int_eq(aqsim_testbed_value(bed, done), 0);
  ck_assert_uint_eq(
      aqsim_testbed_barrier(bed, queue, AQ_PACKET_BARRIER_OR, signals, 6, done),
      AQSIM_TESTBED_NO_PACKET);
  ck_assert_ptr_nonnull(strstr(aqsim_testbed_problem(bed), "6 signals"));
  aqsim_testbed_close(bed);
}
END_TEST

START_TEST(a_queue_that_stops_has_a_fault_and_takes_no_more)
{
  aqsim_testbed *bed = bed_open();
  aq_ring *queue = aqsim_testbed_queue(bed, 64);
  aq_ring *other = aqsim_testbed_queue(bed, 64);
  aq_packet bad = {.header = 77};
  ck_assert_ptr_null(aqsim_testbed_fault(bed, queue));
  ck_assert_uint_eq(aqsim_testbed_push(bed, queue, &bad), 0);
  aqsim_testbed_run(bed);
  ck_assert_ptr_nonnull(strstr(aqsim_testbed_fault(bed, queue), "type 77"));
  ck_assert_ptr_null(aqsim_testbed_fault(bed, other));
  ck_assert_ptr_null(aqsim_testbed_problem(bed));
  aqsim_testbed_close(bed);
}
END_TEST

START_TEST(a_bed_of_several_devices_has_queues_on_each)
{
  aqsim_testbed *bed;
  aq_diag diag = AQ_DIAG_INIT;
  ck_assert_status(aqsim_testbed_open("mi300x*2", NULL, 0, &bed, &diag), AQ_OK,
                   &diag);
  aq_ring *second = aqsim_testbed_queue_on(bed, 1, 64);
  uint64_t kernel = aqsim_testbed_kernel(bed, "k", AQ_US, NULL, NULL);
  aqsim_testbed_dispatch(bed, second, kernel, NULL, true, none);
  aqsim_testbed_run(bed);
  ck_assert_int_eq(aqsim_testbed_record(bed, second, 0)->device, 1);
  ck_assert_ptr_null(aqsim_testbed_queue_on(bed, 2, 64));
  ck_assert_ptr_nonnull(strstr(aqsim_testbed_problem(bed), "device 2"));
  aqsim_testbed_close(bed);
}
END_TEST

static void *memory_of(aqsim_testbed *bed, size_t size)
{
  aq_transport *t = aqsim_testbed_transport(bed);
  aq_diag diag = AQ_DIAG_INIT;
  void *memory;
  ck_assert_status(
      t->ops->mem_alloc(t, 0, AQ_MEMORY_HOST, size, &memory, &diag), AQ_OK,
      &diag);
  return memory;
}

START_TEST(a_kernel_of_a_code_object_computes)
{
  enum { COUNT = 300, CODE_MAX = 65536 };
  static char code[CODE_MAX];
  FILE *in =
      fopen(aqtest_source("../doc/examples/kernels/device-gfx90a.hsaco"), "rb");
  ck_assert_ptr_nonnull(in);
  const size_t size = fread(code, 1, sizeof code, in);
  fclose(in);
  aqsim_testbed *bed;
  aq_diag diag = AQ_DIAG_INIT;
  ck_assert_status(aqsim_testbed_open("mi210", NULL, 0, &bed, &diag), AQ_OK,
                   &diag);
  aq_ring *queue = aqsim_testbed_queue(bed, 64);
  const uint64_t vadd = aqsim_testbed_code(bed, code, size, "vadd");
  ck_assert_msg(vadd != 0, "%s", aqsim_testbed_problem(bed));
  float *values = memory_of(bed, COUNT * sizeof *values),
        *sums = memory_of(bed, COUNT * sizeof *sums);
  uint64_t *arguments = memory_of(bed, 32);
  for (int i = 0; i < COUNT; i++)
    values[i] = (float)i;
  memcpy(arguments,
         (uint64_t[]){(uintptr_t)values, (uintptr_t)values, (uintptr_t)sums,
                      COUNT},
         32);
  const aq_signal done = aqsim_testbed_signal(bed, 1);
  const aq_packet packet = {
      .kernel = {.header = aq_packet_header(AQ_PACKET_KERNEL_DISPATCH, 0,
                                            AQ_SCOPE_SYSTEM, AQ_SCOPE_SYSTEM),
                 .setup = 1,
                 .workgroup_size = {256, 1, 1},
                 .grid_size = {COUNT, 1, 1},
                 .kernel_object = vadd,
                 .kernarg_address = (uintptr_t)arguments,
                 .completion_signal = done}};
  aqsim_testbed_push(bed, queue, &packet);
  aqsim_testbed_wait(bed, done);
  ck_assert_ptr_null(aqsim_testbed_problem(bed));
  for (int i = 0; i < COUNT; i++)
    ck_assert_float_eq(sums[i], 2 * (float)i);
  ck_assert_uint_eq(aqsim_testbed_code(bed, code, size, "no_such"), 0);
  ck_assert_ptr_nonnull(strstr(aqsim_testbed_problem(bed), "no_such"));
  aqsim_testbed_close(bed);
}
END_TEST

AQ_TEST_MAIN("transport/testbed/testbed", a_kernel_of_a_code_object_computes,
             a_bed_of_several_devices_has_queues_on_each,
             opening_refuses_an_unknown_device_and_a_bad_edit,
             pushing_into_a_full_ring_lets_time_pass,
             a_record_is_that_of_its_queue_and_packet,
             with_a_barrier_a_kernel_waits_for_the_one_before,
             time_passes_as_far_as_it_is_let,
             the_first_problem_stays_and_stops_everything,
             barriers_take_five_signals_and_no_more,
             a_queue_that_stops_has_a_fault_and_takes_no_more)
