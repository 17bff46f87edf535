/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "trace/fixture.h"

#define HEADER "KernelName,gpu-id,queue-id,pid,DispatchNs,BeginNs,EndNs\n"

START_TEST(a_row_has_all_four_times)
{
  fixture f = fixture_data("rocprof_v1.csv");
  const aq_record *row = fixture_row(
      &f, "void scale<double>(double*, int) [clone .kd]", AQ_KIND_KERNEL);
  ck_assert_int_eq(row->submit, 0);
  ck_assert_int_eq(row->start, 25588 * AQ_NS);
  ck_assert_int_eq(row->end, 1156471 * AQ_NS);
  ck_assert_int_eq(row->complete, 1180871 * AQ_NS);
  ck_assert_int_eq(row->host_begin, AQ_TIME_NONE);
  ck_assert_int_eq(row->via, AQ_VIA_DIRECT);
  ck_assert_int_eq(f.result.base_ns, 1915914098823546);
  fixture_repaired(&f, AQ_REPAIR_COUNT, 0);
  fixture_free(&f);
}
END_TEST

START_TEST(a_row_has_its_place_and_shape)
{
  fixture f = fixture_data("rocprof_v1.csv");
  const aq_record *a = fixture_row(
      &f, "void scale<double>(double*, int) [clone .kd]", AQ_KIND_KERNEL);
  const aq_record *b = fixture_row(&f, "copy.kd", AQ_KIND_KERNEL);
  ck_assert_int_eq(a->grid_x, 134217728);
  ck_assert_int_eq(a->grid_y, 1);
  ck_assert_int_eq(a->wg_x, 256);
  ck_assert_int_eq(a->lds, 1024);
  ck_assert_int_eq(a->scratch, 16);
  ck_assert_int_eq(a->vgpr, 24);
  ck_assert_int_eq(a->agpr, 4);
  ck_assert_int_eq(a->sgpr, 32);
  ck_assert_int_eq(a->pid, 700);
  ck_assert_int_eq(a->tid, 701);
  ck_assert_int_eq(b->packet, 4);
  ck_assert_int_eq(b->correlation, 1);
  ck_assert_int_eq(f.sink.devices[a->device].source_id, 8);
  ck_assert_int_eq(f.sink.queues[b->queue].source_id, 1);
  fixture_free(&f);
}
END_TEST

START_TEST(a_row_may_start_when_it_is_submitted_not_before)
{
  fixture f = fixture_text(HEADER "a,0,0,7,20,20,30\n");
  fixture_repaired(&f, AQ_REPAIR_COUNT, 0);
  ck_assert_int_eq(f.sink.rows[0].submit, f.sink.rows[0].start);
  fixture_free(&f);
  f = fixture_text(HEADER "a,0,0,7,21,20,30\n");
  ck_assert_uint_eq(f.result.repairs[AQ_REPAIR_CLOCK_OFFSET], 1);
  ck_assert_int_eq(f.sink.rows[0].submit, AQ_TIME_NONE);
  fixture_free(&f);
}
END_TEST

START_TEST(queues_of_two_processes_are_kept_apart)
{
  fixture f = fixture_text(HEADER "a,0,0,7,10,20,30\nb,0,0,8,10,20,30\n"
                                  "c,0,0,7,10,40,50\n");
  fixture_repaired(&f, AQ_REPAIR_COUNT, 0);
  ck_assert_uint_eq(f.sink.queue_count, 2);
  ck_assert_int_eq(f.sink.rows[0].queue, f.sink.rows[2].queue);
  ck_assert_int_ne(f.sink.rows[0].queue, f.sink.rows[1].queue);
  fixture_free(&f);
}
END_TEST

START_TEST(without_dispatch_times_it_says_how_to_record_them)
{
  fixture f =
      fixture_text("KernelName,gpu-id,BeginNs,EndNs\na,0,20,30\nb,0,40,50\n");
  fixture_repaired(&f, AQ_REPAIR_NO_HOST_CALL, 2);
  ck_assert_int_eq(f.sink.rows[0].submit, AQ_TIME_NONE);
  ck_assert_ptr_nonnull(strstr(f.result.advice, "rocprof --timestamp on"));
  fixture_free(&f);
}
END_TEST

START_TEST(oddities_are_mended_and_counted)
{
  fixture f = fixture_text(HEADER "a,0,0,7,10,30,20\n");
  fixture_repaired(&f, AQ_REPAIR_NEGATIVE_DURATION, 1);
  fixture_free(&f);
  f = fixture_text(HEADER "a,0,0,7,10,30,40\nb,0,0,7,10,20,25\n");
  fixture_repaired(&f, AQ_REPAIR_OUT_OF_ORDER, 1);
  fixture_free(&f);
  f = fixture_text(HEADER "a,0,0,7,10,x,40\nb,0,0,7,10,20,25\n");
  fixture_repaired(&f, AQ_REPAIR_SKIPPED_ROW, 1);
  fixture_free(&f);
  f = fixture_text("kernelname,gpu-id,dispatchns,BeginNs,EndNs\na,0,1,2,3\n");
  fixture_repaired(&f, AQ_REPAIR_UNKNOWN_COLUMN_CASE, 2);
  fixture_free(&f);
}
END_TEST

START_TEST(a_dispatch_time_after_the_start_is_dropped)
{
  fixture f = fixture_text(HEADER "a,0,0,7,25,20,30\nb,0,0,7,25,30,40\n");
  ck_assert_status(f.status, AQ_OK, &f.diag);
  ck_assert_int_eq(f.sink.rows[0].via, AQ_VIA_NONE);
  ck_assert_int_eq(f.sink.rows[1].via, AQ_VIA_DIRECT);
  ck_assert_uint_eq(f.result.repairs[AQ_REPAIR_CLOCK_OFFSET], 1);
  fixture_free(&f);
}
END_TEST

START_TEST(clocks_that_do_not_agree_are_not_scored)
{
  fixture f = fixture_text("KernelName,gpu-id,queue-id,pid,DispatchNs,BeginNs,"
                           "EndNs,CompleteNs\n"
                           "a,0,0,7,10,12000000000,12000000100,50\n");
  ck_assert_status(f.status, AQ_OK, &f.diag);
  ck_assert_uint_eq(f.result.repairs[AQ_REPAIR_CLOCK_ORDER], 1);
  ck_assert_str_eq(f.result.examples[0].text,
                   "line 2: CompleteNs before EndNs");
  ck_assert_int_eq(f.sink.rows[0].submit, AQ_TIME_NONE);
  ck_assert_int_eq(f.sink.rows[0].complete, AQ_TIME_NONE);
  ck_assert_int_eq(f.sink.rows[0].via, AQ_VIA_NONE);
  fixture_free(&f);
}
END_TEST

/* rocprof v2, and rocprofiler-compute, which renames the columns of v1. */
START_TEST(columns_of_later_versions_have_the_same_meaning)
{
  fixture f = fixture_text(
      "Dispatch_ID,GPU_ID,Queue_ID,PID,TID,Grid_Size,Workgroup_Size,"
      "LDS_Per_Workgroup,Scratch_Per_Workitem,Arch_VGPR,Accum_VGPR,SGPR,"
      "Wave_Size,Kernel_Name,Start_Timestamp,End_Timestamp,Correlation_ID\n"
      "3,2,1,70,71,4096,256,512,16,8,4,32,64,add,2000,2500,0\n");
  ck_assert_status(f.status, AQ_OK, &f.diag);
  ck_assert_str_eq(f.result.format, "rocprof-v1");
  const aq_record *row = fixture_row(&f, "add", AQ_KIND_KERNEL);
  ck_assert_int_eq(row->grid_x, 4096);
  ck_assert_int_eq(row->wg_x, 256);
  ck_assert_int_eq(row->lds, 512);
  ck_assert_int_eq(row->vgpr, 8);
  ck_assert_int_eq(row->pid, 70);
  ck_assert_int_eq(row->correlation, 3);
  ck_assert_int_eq(row->end - row->start, 500 * AQ_NS);
  ck_assert_int_eq(row->via, AQ_VIA_NONE);
  fixture_repaired(&f, AQ_REPAIR_NO_HOST_CALL, 1);
  fixture_free(&f);
  f = fixture_text("Dispatch_ID,Kernel_Name,GPU_ID,queue-id,queue-index,pid,"
                   "DispatchNs,Start_Timestamp,End_Timestamp,CompleteNs\n"
                   "0,add,2,5,6,70,1000,2000,2500,2600\n");
  ck_assert_status(f.status, AQ_OK, &f.diag);
  row = fixture_row(&f, "add", AQ_KIND_KERNEL);
  ck_assert_int_eq(row->start - row->submit, 1000 * AQ_NS);
  ck_assert_int_eq(row->complete - row->end, 100 * AQ_NS);
  ck_assert_int_eq(row->packet, 6);
  fixture_repaired(&f, AQ_REPAIR_COUNT, 0);
  fixture_free(&f);
}
END_TEST

START_TEST(means_over_several_runs_are_refused)
{
  fixture_refused("Dispatch_ID,GPU_ID,Kernel_Name,SQ_WAVES,Start_Timestamp,"
                  "End_Timestamp\n0,2,add,16,2000,2500\n",
                  "in: pmc_perf.csv of rocprofiler-compute, whose times are "
                  "means over several runs of the program: expected a CSV of "
                  "one run, with queues");
}
END_TEST

START_TEST(times_that_a_spreadsheet_rounded_are_left_out)
{
  fixture f = fixture_text(
      HEADER "a,0,0,7,1.62068E+14,1.62068E+14,1.62068E+14\n"
             "b,0,0,7,162067812345678,162067812345700,162067812345800\n");
  ck_assert_status(f.status, AQ_OK, &f.diag);
  ck_assert_uint_eq(f.result.repairs[AQ_REPAIR_SKIPPED_ROW], 1);
  ck_assert_ptr_nonnull(fixture_row(&f, "b", AQ_KIND_KERNEL));
  ck_assert_uint_eq(f.sink.count, 1);
  fixture_free(&f);
}
END_TEST

START_TEST(an_absent_column_is_refused)
{
  fixture_refused("KernelName,gpu-id,BeginNs\na,0,20\n",
                  "in: line 1: no column \"EndNs\"");
}
END_TEST

AQ_TEST_MAIN("trace/rocprof_v1", a_row_has_all_four_times,
             a_row_has_its_place_and_shape,
             a_row_may_start_when_it_is_submitted_not_before,
             queues_of_two_processes_are_kept_apart,
             without_dispatch_times_it_says_how_to_record_them,
             oddities_are_mended_and_counted,
             a_dispatch_time_after_the_start_is_dropped,
             clocks_that_do_not_agree_are_not_scored,
             columns_of_later_versions_have_the_same_meaning,
             means_over_several_runs_are_refused,
             times_that_a_spreadsheet_rounded_are_left_out,
             an_absent_column_is_refused)
